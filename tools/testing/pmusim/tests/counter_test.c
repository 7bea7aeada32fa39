/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of counting, and of the registers of counters */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "ecore_fixture.h"

/* Counting */

static void test_start_not_counted_stop_counted(void **state)
{
    struct guest *g = *state;

    start(g, 0, EVENT_INSNS | COUNT_USR, 0);
    guest_run(g, 34);
    guest_wrmsr(g, V6_GP_CFG_A(0), 0);
    guest_run(g, 10);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)), 35);
}

static void test_rdpmc_does_not_see_itself(void **state)
{
    struct guest *g = *state;
    uint64_t first;

    start(g, 0, EVENT_INSNS | COUNT_USR, 0);
    first = guest_rdpmc(g, 0);
    assert_int_equal(first, 0);
    guest_run(g, 100);
    assert_int_equal(guest_rdpmc(g, 0), 101);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)), 102);
}

static void test_privilege_classes(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    start(g, 0, EVENT_INSNS | COUNT_USR, 0);
    start(g, 1, EVENT_INSNS | COUNT_OS, 0);
    start(g, 2, EVENT_INSNS | COUNT_OS | COUNT_USR, 0);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0x7);
    guest_run(g, 1000);
    g->class = PMUSIM_OS;
    guest_run(g, 300);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)), 1000);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(1)), 301);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(2)), 1301);
}

static void test_needs_every_enable(void **state)
{
    struct guest *g = *state;

    start(g, 0, EVENT_INSNS | PMUSIM_SEL_USR, 0);
    guest_run(g, 10);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)), 0);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    start(g, 0, EVENT_INSNS | COUNT_USR, 0);
    guest_run(g, 10);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)), 0);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 1);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)), 0);
    guest_run(g, 10);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)), 11);
}

static void test_fixed_counters(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0x222);
    guest_run(g, 800);
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0);
    assert_int_equal(guest_rdmsr(g, V6_FX_CTR(0)), 801);
    /* Straight code at eight a cycle */
    assert_int_equal(guest_rdmsr(g, V6_FX_CTR(1)), 100);
    assert_int_equal(guest_rdmsr(g, V6_FX_CTR(2)), 100);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_FIXED_CTR0), 801);
    assert_int_equal(guest_rdpmc(g, PMUSIM_RDPMC_FIXED), 801);
}

static void test_branches_and_misses(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    start(g, 0, EVENT_BRANCHES | COUNT_USR, 0);
    start(g, 1, EVENT_MISSES | COUNT_USR, 0);
    /* 3-bit counter from 0: the first four taken outcomes are missed */
    for (i = 0; i < 100; i++) {
        guest_branch(g, 5, 0x1000, true);
    }
    for (i = 0; i < 50; i++) {
        guest_jump(g, 3);
    }
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)), 150);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(1)), 4);
}

static void test_cycles_of_a_misprediction(void **state)
{
    struct guest *g = *state;
    const struct pmusim_pmu *pmu = g->pmu.pmu;

    start(g, 0, EVENT_CYCLES | COUNT_USR, 0);
    guest_branch(g, 8, 0x1000, true);
    guest_run(g, 8);
    /* 16 instructions, 2 empty slots behind the branch, 17 cycles lost */
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)),
                     (16 + pmu->taken_slots) / 8 + pmu->miss_cycles);
}

static void test_cmask(void **state)
{
    struct guest *g = *state;
    uint64_t select = EVENT_INSNS | COUNT_USR | PMUSIM_SEL_INV;

    start(g, 0, select | CMASK(16), 0);
    start(g, 1, EVENT_CYCLES | COUNT_USR, 0);
    start(g, 2, EVENT_INSNS | COUNT_USR | CMASK(9), 0);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    guest_wrmsr(g, V6_GP_CTR(0), 0);
    guest_wrmsr(g, V6_GP_CTR(1), 0);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 7);
    guest_run(g, 8000);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)), 1000);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(1)), 1000);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(2)), 0);
}

static void test_unknown_event_counts_nothing(void **state)
{
    struct guest *g = *state;

    start(g, 0, 0x1234 | COUNT_USR, 0);
    guest_run(g, 1000);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)), 0);
    assert_int_equal(g->pmu.hot.level[3], PMUSIM_LEVEL_NONE);
    assert_int_equal(g->unknown, 1);
}

/* The order of blocks and their lengths must not matter */
static void test_blocks_do_not_matter(void **state)
{
    static const unsigned int lengths[] = { 1, 2, 7, 31, 500, 512 };
    struct guest *g = *state;
    unsigned int i, round;
    uint64_t sum = 0;

    start(g, 0, EVENT_INSNS | USR_INT, WRAP(1000));
    start(g, 1, EVENT_INSNS | COUNT_USR | COUNT_OS, 0);
    for (round = 0; round < 50; round++) {
        for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
            g->class = (i + round) % 3 ? PMUSIM_USR : PMUSIM_OS;
            guest_run(g, lengths[i]);
            sum += lengths[i];
        }
    }
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(1)), sum);
}

/* Registers */

static void test_power_on(void **state)
{
    struct guest g;

    (void)state;
    guest_init(&g, "arrowlake", true);
    assert_int_equal(guest_rdmsr(&g, PMUSIM_MSR_GLOBAL_CTRL), 0xff);
    assert_int_equal(guest_rdmsr(&g, PMUSIM_MSR_GLOBAL_STATUS), 0);
    guest_init(&g, "arrowlake", false);
    assert_int_equal(guest_rdmsr(&g, PMUSIM_MSR_GLOBAL_CTRL), 0x3ff);
}

static void test_write_width(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_PMC0, UINT64_C(0xffffff8123456789));
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PMC0), 0x23456789);
    guest_wrmsr(g, PMUSIM_MSR_PMC0, 0x80000000);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_FULL_WIDTH_PMC0),
                     UINT64_C(0xffff80000000));
    guest_wrmsr(g, PMUSIM_MSR_FULL_WIDTH_PMC0, UINT64_C(0x123456789abc));
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)), UINT64_C(0x123456789abc));
    guest_wrmsr_faults(g, PMUSIM_MSR_FULL_WIDTH_PMC0,
                       UINT64_C(0xffffff0123456789));
    guest_wrmsr_faults(g, V6_GP_CTR(0), UINT64_C(1) << 48);
    guest_wrmsr_faults(g, PMUSIM_MSR_FIXED_CTR0, UINT64_C(1) << 48);
}

static void test_aliases(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_PERFEVTSEL0 + 2, EVENT_INSNS | COUNT_USR);
    assert_int_equal(guest_rdmsr(g, V6_GP_CFG_A(2)), EVENT_INSNS | COUNT_USR);
    guest_wrmsr(g, V6_FX_CTR(1), 77);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_FIXED_CTR0 + 1), 77);
}

static void test_reserved_bits_fault(void **state)
{
    struct guest *g = *state;

    guest_wrmsr_faults(g, V6_GP_CFG_A(0), PMUSIM_SEL_ANY);
    guest_wrmsr_faults(g, V6_GP_CFG_A(0), UINT64_C(1) << 32);
    guest_wrmsr_faults(g, V6_GP_CFG_A(0), UINT64_C(1) << 63);
    guest_wrmsr_faults(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0x4);
    /* Fixed counter 3 does not exist here */
    guest_wrmsr_faults(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0x1000);
    guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_CTRL, FIXED_BIT(3));
    guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_CTRL, 1 << 8);
    guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, 1 << 8);
    guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_STATUS, 0);
    guest_wrmsr_faults(g, PMUSIM_MSR_PERF_CAPABILITIES, 0);
    guest_wrmsr_faults(g, PMUSIM_MSR_DEBUGCTL, 1 << 2);
}

static void test_absent_counters_fault(void **state)
{
    struct guest *g = *state;

    guest_rdmsr_faults(g, V6_GP_CTR(8));
    guest_wrmsr_faults(g, V6_GP_CTR(8), 0);
    guest_rdmsr_faults(g, PMUSIM_MSR_FIXED_CTR0 + 3);
    guest_rdmsr_faults(g, PMUSIM_MSR_V6_FX0_CTR + 1);
    guest_rdpmc_faults(g, 8);
    guest_rdpmc_faults(g, 64);
    guest_rdpmc_faults(g, PMUSIM_RDPMC_FIXED | 3);
    guest_rdpmc_faults(g, UINT32_C(1) << 31);
    guest_rdpmc_faults(g, 0x20000000);
    guest_rdmsr_faults(g, PMUSIM_MSR_LBR_TOS);
    guest_rdmsr_faults(g, PMUSIM_MSR_PERF_METRICS);
}

static void test_foreign_registers(void **state)
{
    struct guest *g = *state;
    uint64_t value;

    /* PLATFORM_INFO and PERF_STATUS lie behind counter ranges */
    assert_int_equal(pmusim_rdmsr(&g->pmu, PMUSIM_OS, 0xce, &value),
                     PMUSIM_FOREIGN);
    assert_int_equal(pmusim_rdmsr(&g->pmu, PMUSIM_OS, 0x198, &value),
                     PMUSIM_FOREIGN);
    assert_int_equal(pmusim_wrmsr(&g->pmu, PMUSIM_OS, 0x1b, 0),
                     PMUSIM_FOREIGN);
}

static void test_version_4_has_no_v6_registers(void **state)
{
    struct guest g;

    (void)state;
    guest_init(&g, "skylake", false);
    guest_rdmsr_faults(&g, V6_GP_CTR(0));
    /* AnyThread is not deprecated there */
    guest_wrmsr(&g, PMUSIM_MSR_PERFEVTSEL0, PMUSIM_SEL_ANY);
    guest_rdmsr_faults(&g, PMUSIM_MSR_PMC0 + 4);
}

/* Writing 1 to a status bit that is 0 leaves it so */
static void test_status_reset_only_clears(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_SET, 0x3);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, 0x6);
    assert_int_equal(status(g), 1);
}

static void test_status_set_and_inuse(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_SET, 0x5);
    assert_int_equal(status(g), 5);
    assert_int_equal(g->pmis, 0);
    guest_wrmsr(g, V6_GP_CFG_A(1), EVENT_INSNS);
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0x80 | 0x2);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_INUSE),
                     0x2 | FIXED_BIT(0) | UINT64_C(1) << 63);
}

static void test_no_pmu(void **state)
{
    struct pmusim p;
    uint64_t value;

    (void)state;
    pmusim_init(&p, NULL, false, NULL);
    assert_int_equal(pmusim_rdmsr(&p, PMUSIM_OS, PMUSIM_MSR_PMC0, &value),
                     PMUSIM_FOREIGN);
    assert_int_equal(pmusim_rdpmc(&p, PMUSIM_OS, 0, &value), PMUSIM_FOREIGN);
}

#define rule(name) cmocka_unit_test_setup(test_##name, setup)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(start_not_counted_stop_counted),
        rule(rdpmc_does_not_see_itself),
        rule(privilege_classes),
        rule(needs_every_enable),
        rule(fixed_counters),
        rule(branches_and_misses),
        rule(cycles_of_a_misprediction),
        rule(cmask),
        rule(unknown_event_counts_nothing),
        rule(blocks_do_not_matter),
        rule(power_on),
        rule(write_width),
        rule(aliases),
        rule(reserved_bits_fault),
        rule(absent_counters_fault),
        rule(foreign_registers),
        rule(version_4_has_no_v6_registers),
        rule(status_reset_only_clears),
        rule(status_set_and_inuse),
        rule(no_pmu),
    };

    return cmocka_run_group_tests_name("counter", tests, NULL, NULL);
}
