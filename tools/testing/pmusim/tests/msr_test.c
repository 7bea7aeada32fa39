/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of selectors and other registers, by CPU */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "cpu_fixture.h"

#define SNOOP_RSP       0x1328

static struct guest guest;

static uint64_t valid_select(const struct row *row)
{
    /* Event, unit mask, USR, OS, EDGE, PC, INT, EN, INV, CMASK */
    uint64_t valid = UINT64_C(0xffdfffff);

    /* ANY, where leaf 0xA does not say deprecated */
    if (!(row->leaf_a[3] & 1 << 15)) {
        valid |= UINT64_C(1) << 21;
    }
    /* ADAPTIVE with baseline records */
    if (row->caps & 1 << 14) {
        valid |= UINT64_C(1) << 34;
    }
    /* BR_CNTR where LBRs log events; EQ and UMASK2 by leaf 0x23 */
    if (row->leaf_23) {
        valid |= UINT64_C(1) << 35 | UINT64_C(1) << 36 |
                 UINT64_C(0xff) << 40;
    }
    return valid;
}

static void test_reserved_bits_of_selectors(void **state)
{
    unsigned int i, bit;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        uint64_t valid = valid_select(&rows[i]);

        for (bit = 0; bit < 64; bit++) {
            if (valid & pmusim_bit(bit)) {
                guest_wrmsr(g, SELECT(0), pmusim_bit(bit));
                assert_int_equal(guest_rdmsr(g, SELECT(0)), pmusim_bit(bit));
            } else {
                guest_wrmsr_faults(g, SELECT(0), pmusim_bit(bit));
            }
        }
        guest_wrmsr(g, SELECT(0), valid);
        guest_wrmsr(g, SELECT(0), 0);
    }
}

static void test_reserved_bits_of_control_registers(void **state)
{
    unsigned int i, bit;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        uint64_t counters = rows[i].gp | (uint64_t)rows[i].fixed << 32;
        uint64_t metrics = rows[i].caps & 1 << 15 ? UINT64_C(1) << 48 : 0;
        /* LBR and counters frozen, ASCI, uncore, buffer, CondChgd */
        uint64_t reset = counters | metrics | UINT64_C(0x3f) << 58;
        bool any = !(rows[i].leaf_a[3] & 1 << 15);

        for (bit = 0; bit < 64; bit++) {
            uint64_t value = pmusim_bit(bit);
            bool fixed = bit < 64 && (rows[i].fixed & 1u << bit / 4) &&
                         bit < 32 && (bit % 4 != 2 || any);
            bool adaptive = bit >= 32 && bit % 4 == 0 &&
                            (rows[i].fixed & 1u << (bit - 32) / 4) &&
                            (rows[i].caps & 1 << 14);

            (fixed || adaptive ? guest_wrmsr : guest_wrmsr_faults)
                (g, PMUSIM_MSR_FIXED_CTR_CTRL, value);
            (value & (counters | metrics) ? guest_wrmsr : guest_wrmsr_faults)
                (g, PMUSIM_MSR_GLOBAL_CTRL, value);
            (value & reset ? guest_wrmsr : guest_wrmsr_faults)
                (g, PMUSIM_MSR_GLOBAL_STATUS_RESET, value);
            (value & reset ? guest_wrmsr : guest_wrmsr_faults)
                (g, PMUSIM_MSR_GLOBAL_STATUS_SET, value);
            /* 0 LBR, 1 BTF, 6 to 12, 14 */
            (value & 0x5fc3 ? guest_wrmsr : guest_wrmsr_faults)
                (g, PMUSIM_MSR_DEBUGCTL, value);
        }
        /* All that STATUS can show can be written back */
        assert_int_equal(status(g), reset);
        guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, reset);
        assert_int_equal(status(g), 0);
        guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_STATUS, 0);
        guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_INUSE, 0);
        guest_wrmsr_faults(g, PMUSIM_MSR_PERF_CAPABILITIES, rows[i].caps);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET), 0);
    }
}

/* Registers that Linux probes and restores, and that only keep a value */
static void test_storage(void **state)
{
    static const uint32_t msrs[] = {
        PMUSIM_MSR_OFFCORE_RSP0, PMUSIM_MSR_OFFCORE_RSP0 + 1,
        PMUSIM_MSR_PEBS_FRONTEND, SNOOP_RSP, SNOOP_RSP + 1,
    };
    unsigned int i, n;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        /* Bit 3 from Golden Cove on */
        bool cove = strcmp(rows[i].cpu, "skylake") &&
                    strcmp(rows[i].cpu, "icelake");

        for (n = 0; n < 5; n++) {
            assert_int_equal(guest_rdmsr(g, msrs[n]), 0);
            guest_wrmsr(g, msrs[n], 0x11 + n % 2);
        }
        for (n = 0; n < 5; n++) {
            assert_int_equal(guest_rdmsr(g, msrs[n]), 0x11 + n % 2);
        }
        guest_wrmsr(g, PMUSIM_MSR_OFFCORE_RSP0, UINT64_MAX);
        guest_wrmsr(g, PMUSIM_MSR_PEBS_FRONTEND, 0x7fff17);
        guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_FRONTEND, 0x800000);
        guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_FRONTEND, 0x20);
        (cove ? guest_wrmsr : guest_wrmsr_faults)
            (g, PMUSIM_MSR_PEBS_FRONTEND, 0x8);
    }
}

/* Which numbers are registers of counters, by CPU */
static void test_counter_registers(void **state)
{
    unsigned int i, n;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        bool v6 = rows[i].leaf_23;
        uint64_t value;

        for (n = 0; n < 16; n++) {
            bool gp = rows[i].gp & 1u << n, fixed = rows[i].fixed & 1u << n;
            bool acr = (rows[i].leaf_23 & 1 << 2) && n >= 2 && n < 8;
            bool acr_fixed = (rows[i].leaf_23 & 1 << 2) && n == 1;

            if (gp) {
                guest_wrmsr(g, PMUSIM_MSR_PMC0 + n, 0xffff);
                assert_int_equal(guest_rdmsr(g, CTR(n)), 0xffff);
                assert_int_equal(guest_rdpmc(g, n), 0xffff);
                guest_wrmsr(g, SELECT(n), 0);
            } else if (n < 8) {
                guest_rdmsr_faults(g, PMUSIM_MSR_PMC0 + n);
                guest_wrmsr_faults(g, PMUSIM_MSR_PMC0 + n, 0);
                guest_wrmsr_faults(g, SELECT(n), 0);
            } else {
                /* Not of this PMU: 0xce is PLATFORM_INFO */
                assert_int_equal(pmusim_rdmsr(&g->pmu, PMUSIM_OS,
                                              PMUSIM_MSR_PMC0 + n, &value),
                                 PMUSIM_FOREIGN);
                assert_int_equal(pmusim_wrmsr(&g->pmu, PMUSIM_OS, SELECT(n),
                                              0), PMUSIM_FOREIGN);
            }
            if (!gp) {
                guest_rdmsr_faults(g, CTR(n));
                guest_rdpmc_faults(g, n);
            }
            if (fixed) {
                guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + n, 0x1234);
                assert_int_equal(guest_rdpmc(g, PMUSIM_RDPMC_FIXED | n),
                                 0x1234);
            } else {
                guest_wrmsr_faults(g, PMUSIM_MSR_FIXED_CTR0 + n, 0);
                guest_rdpmc_faults(g, PMUSIM_RDPMC_FIXED | n);
            }
            (v6 && gp ? guest_wrmsr : guest_wrmsr_faults)
                (g, V6_GP_CTR(n), 0);
            (v6 && gp ? guest_wrmsr : guest_wrmsr_faults)
                (g, V6_GP_CFG_A(n), 0);
            (acr ? guest_wrmsr : guest_wrmsr_faults)(g, V6_GP_CFG_B(n), 0);
            (acr ? guest_wrmsr : guest_wrmsr_faults)(g, V6_GP_CFG_C(n), 0);
            (v6 && fixed ? guest_wrmsr : guest_wrmsr_faults)
                (g, V6_FX_CTR(n), 0);
            guest_wrmsr_faults(g, V6_FX_CTR(n) + 1, 0);
            (acr_fixed ? guest_wrmsr : guest_wrmsr_faults)
                (g, V6_FX_CFG_B(n), 0);
            (acr_fixed ? guest_wrmsr : guest_wrmsr_faults)
                (g, V6_FX_CFG_C(n), 0);
        }
        guest_rdpmc_faults(g, 0x80000000);
        guest_rdpmc_faults(g, 16);
        guest_rdpmc_faults(g, PMUSIM_RDPMC_FIXED | 16);
    }
}

/* Without the capability there are no full-width writes */
static void test_full_width_is_a_capability(void **state)
{
    static const struct pmusim_event none[] = { { 0 } };
    static const struct pmusim_pmu pmu = {
        .gp = 0xff, .events = none, .width = 4,
    };
    static const struct pmusim_cpu cpu = {
        .name = "narrow", .version = 2, .pmu = &pmu,
    };
    struct guest *g = &guest;

    guest_init_row(g, &cpu, false);
    guest_wrmsr_faults(g, CTR(0), 0);
    guest_rdmsr_faults(g, CTR(0));
    guest_wrmsr(g, PMUSIM_MSR_PMC0, 0x80000000);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PMC0),
                     UINT64_C(0xffff80000000));
}

static void test_power_on(void **state)
{
    unsigned int i, n;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);

        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_CTRL), rows[i].gp);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL), 0);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS), 0);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_INUSE), 0);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_DEBUGCTL), 0);
        for (n = 0; n < 16; n++) {
            if (rows[i].gp & 1u << n) {
                assert_int_equal(guest_rdmsr(g, SELECT(n)), 0);
                assert_int_equal(guest_rdmsr(g, CTR(n)), 0);
            }
        }
    }
}

/* GLOBAL_INUSE: by event number, by fixed field, and bit 63 for any INT */
static void test_inuse(void **state)
{
    struct guest *g = make("arrowlake", false);
    unsigned int n;

    for (n = 0; n < 10; n++) {
        guest_wrmsr(g, SELECT(n), 0xff00 | COUNT_USR);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_INUSE), 0);
        guest_wrmsr(g, SELECT(n), 0x80);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_INUSE), 1u << n);
        guest_wrmsr(g, SELECT(n), PMUSIM_SEL_INT);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_INUSE),
                         UINT64_C(1) << 63);
        guest_wrmsr(g, SELECT(n), 0);
    }
    for (n = 0; n < 4; n++) {
        guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 1 << 4 * n);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_INUSE),
                         FIXED_BIT(n));
        guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 2 << 4 * n);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_INUSE),
                         FIXED_BIT(n));
        guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 8 << 4 * n);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_INUSE),
                         UINT64_C(1) << 63);
    }
}

#define rule(name) cmocka_unit_test(test_##name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(reserved_bits_of_selectors),
        rule(reserved_bits_of_control_registers),
        rule(storage),
        rule(counter_registers),
        rule(full_width_is_a_capability),
        rule(power_on),
        rule(inuse),
    };

    return cmocka_run_group_tests_name("msr", tests, NULL, NULL);
}
