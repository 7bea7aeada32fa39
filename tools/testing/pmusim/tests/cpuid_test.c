/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of what CPUID and PERF_CAPABILITIES say of each CPU */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "cpu_fixture.h"

static struct guest guest;

/* Every type of core of the model's table is described in the fixture's */
static void test_rows(void **state)
{
    const struct pmusim_cpu *cpu;
    unsigned int row, i, described = 0;

    for (row = 0; (cpu = pmusim_cpu_at(row)); row++) {
        unsigned int types = 0;

        for (i = 0; i < ROWS; i++) {
            types += !strcmp(rows[i].cpu, cpu->name);
        }
        assert_int_equal(types, cpu->hybrid ? 2 : 1);
        described += types;
        assert_ptr_equal(pmusim_find_cpu(cpu->name), cpu);
    }
    assert_int_equal(described, ROWS);
    assert_null(pmusim_cpu_at(row));
    assert_null(pmusim_find_cpu("pentium"));
    assert_null(pmusim_find_cpu(""));
}

static struct pmusim_cpuid cpuid(struct guest *g, uint32_t leaf,
                                 uint32_t subleaf, uint32_t before)
{
    struct pmusim_cpuid regs = { before, before, before, before };

    pmusim_cpuid(&g->pmu, leaf, subleaf, &regs);
    return regs;
}

static void test_leaf_1(void **state)
{
    unsigned int i;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        struct pmusim_cpuid regs = cpuid(g, 1, 0, 0);

        /* DTES64 and PDCM, DS; nothing else changes */
        assert_int_equal(regs.ecx, 1 << 2 | 1 << 15);
        assert_int_equal(regs.edx, 1 << 21);
        assert_int_equal(regs.eax | regs.ebx, 0);
        guest_rdmsr(g, PMUSIM_MSR_PERF_CAPABILITIES);
        guest_rdmsr(g, PMUSIM_MSR_DS_AREA);
        regs = cpuid(g, 1, 0, UINT32_MAX);
        assert_int_equal(regs.ecx & regs.edx & regs.eax & regs.ebx,
                         UINT32_MAX);
    }
}

static void test_leaf_7(void **state)
{
    unsigned int i;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        bool hybrid = rows[i].core_type;
        bool arch_lbr = (rows[i].caps & 0x3f) == 0x3f;
        struct pmusim_cpuid regs = cpuid(g, 7, 0, 0);

        assert_int_equal(regs.edx, (uint32_t)hybrid << 15 |
                         (uint32_t)arch_lbr << 19);
        assert_int_equal(regs.ebx, 0);
        assert_int_equal(regs.eax, !!rows[i].leaf_23);
        /* HLE, RTM, PT, and what else is refused */
        regs = cpuid(g, 7, 0, UINT32_MAX);
        assert_int_equal(regs.ebx, ~(1u << 4 | 1u << 11 | 1u << 25));
        assert_int_equal(regs.edx, ~(1u << 13 | (hybrid ? 0 : 1u << 15) |
                                     (arch_lbr ? 0 : 1u << 19)));
        assert_int_equal(regs.eax, UINT32_MAX);
        assert_int_equal(cpuid(g, 7, 1, 0).eax,
                         rows[i].leaf_23 ? 1 << 8 : 0);
        assert_int_equal(cpuid(g, 7, 2, 0).eax, 0);
        /* The registers exist where the bits are */
        if (arch_lbr) {
            guest_rdmsr(g, PMUSIM_MSR_ARCH_LBR_CTL);
            guest_rdmsr_faults(g, PMUSIM_MSR_LBR_TOS);
        } else {
            guest_rdmsr_faults(g, PMUSIM_MSR_ARCH_LBR_CTL);
            guest_rdmsr(g, PMUSIM_MSR_LBR_TOS);
        }
    }
}

static void test_leaf_a(void **state)
{
    unsigned int i, n;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        struct pmusim_cpuid a = cpuid(g, 0xa, 0, 0x55555555);
        uint32_t fixed;

        assert_int_equal(a.eax, rows[i].leaf_a[0]);
        assert_int_equal(a.ebx, rows[i].leaf_a[1]);
        assert_int_equal(a.ecx, rows[i].leaf_a[2]);
        assert_int_equal(a.edx, rows[i].leaf_a[3]);

        /* Whatever it says is there is there, 48 bits wide */
        for (n = 0; n < (a.eax >> 8 & 0xff); n++) {
            guest_wrmsr(g, CTR(n), PMUSIM_COUNTER_MASK);
            guest_wrmsr_faults(g, CTR(n), PMUSIM_COUNTER_MASK + 1);
        }
        fixed = a.ecx | ((1u << (a.edx & 0x1f)) - 1);
        for (n = 0; n < 16; n++) {
            if (fixed & 1u << n) {
                guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + n,
                            PMUSIM_COUNTER_MASK);
                guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL,
                            UINT64_C(0xb) << 4 * n);
            } else if (!rows[i].leaf_23) {
                guest_wrmsr_faults(g, PMUSIM_MSR_FIXED_CTR0 + n, 0);
            }
        }
        /* Each architectural event that is not refused counts */
        for (n = 0; n < a.eax >> 24; n++) {
            static const uint16_t events[] = {
                0x003c, 0x00c0, 0x013c, 0x4f2e, 0x412e, 0x00c4, 0x00c5, 0x01a4,
            };

            g->class = PMUSIM_OS;
            guest_wrmsr(g, CTR(0), 0);
            guest_wrmsr(g, SELECT(0), events[n] | COUNT_USR);
            g->class = PMUSIM_USR;
            run_workload(g);
            /* Branches that it has not learnt yet */
            guest_branch(g, 1, 500 + n, true);
            guest_load(g, 0x40000000 + 64 * n);
            g->class = PMUSIM_OS;
            assert_true(guest_rdmsr(g, CTR(0)) > 0);
        }
        assert_int_equal(g->unknown, 0);
    }
}

static void test_leaf_1a(void **state)
{
    unsigned int i;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);

        assert_int_equal(cpuid(g, 0x1a, 0, 0x77).eax,
                         (uint32_t)rows[i].core_type << 24);
        assert_int_equal(cpuid(g, 0x1a, 1, 0x77).eax, 0);
        assert_int_equal(cpuid(g, 0x1a, 0, 0x77).ebx, 0);
    }
}

static void test_leaf_1c(void **state)
{
    unsigned int i;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        struct pmusim_cpuid regs = cpuid(g, 0x1c, 0, 0x77);
        unsigned int depth;

        assert_int_equal(cpuid(g, 0x1c, 1, 0x77).eax, 0);
        if ((rows[i].caps & 0x3f) != 0x3f) {
            assert_int_equal(regs.eax | regs.ebx | regs.ecx | regs.edx, 0);
            continue;
        }
        /* Depths, IP linear; all filters; mispredictions, time, types */
        assert_int_equal(regs.eax, 0x8000000f);
        assert_int_equal(regs.ebx, 7);
        assert_int_equal(regs.ecx & 0xffff, 7);
        assert_int_equal(regs.edx, 0);
        for (depth = 1; depth <= 64; depth++) {
            bool valid = depth % 8 == 0 && depth <= 64 &&
                         (regs.eax & 0xff & 1u << (depth / 8 - 1));

            (valid ? guest_wrmsr : guest_wrmsr_faults)
                (g, PMUSIM_MSR_ARCH_LBR_DEPTH, depth);
        }
        /* A counter can be logged where its selector has the bit */
        (regs.ecx >> 16 & 0xf ? guest_wrmsr : guest_wrmsr_faults)
            (g, SELECT(0), PMUSIM_SEL_BR_CNTR);
        assert_int_equal(regs.ecx >> 16, rows[i].leaf_23 ? 0xf : 0);
    }
}

static void test_leaf_23(void **state)
{
    unsigned int i, n;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        struct pmusim_cpuid regs = cpuid(g, 0x23, 0, 0x77);
        bool acr = rows[i].leaf_23 & 1 << 2;

        assert_int_equal(regs.eax, rows[i].leaf_23);
        assert_int_equal(regs.ebx, rows[i].leaf_23 ? 3 : 0);
        assert_int_equal(regs.ecx, rows[i].leaf_23 ? rows[i].width : 0);
        assert_int_equal(regs.edx, 0);
        regs = cpuid(g, 0x23, 1, 0x77);
        assert_int_equal(regs.eax, rows[i].leaf_23 ? rows[i].gp : 0);
        assert_int_equal(regs.ebx, rows[i].leaf_23 ? rows[i].fixed : 0);
        assert_int_equal(regs.ecx | regs.edx, 0);
        regs = cpuid(g, 0x23, 2, 0x77);
        assert_int_equal(regs.eax, acr ? 0xfc : 0);
        assert_int_equal(regs.ebx, acr ? 0x2 : 0);
        assert_int_equal(regs.ecx, acr ? 0xfc : 0);
        assert_int_equal(regs.edx, acr ? 0x2 : 0);
        /* And so do the masks of causes */
        for (n = 0; n < 64 && acr; n++) {
            uint64_t causes = regs.ecx | (uint64_t)regs.edx << 32;

            (causes & pmusim_bit(n) ? guest_wrmsr : guest_wrmsr_faults)
                (g, V6_GP_CFG_B(2), pmusim_bit(n));
        }
        regs = cpuid(g, 0x23, 3, 0x77);
        assert_int_equal(regs.eax | regs.ebx | regs.ecx | regs.edx, 0);
    }
}

static void test_cpuid_hybrid(void **state)
{
    struct guest *g = make("arrowlake", true);
    struct guest core;

    guest_init(&core, "arrowlake", false);
    assert_int_equal(cpuid(g, 0x1a, 0, 0).eax, 0x20000000);
    assert_int_equal(cpuid(&core, 0x1a, 0, 0).eax, 0x40000000);
    assert_true(cpuid(g, 7, 0, 0).edx & 1 << 15);
    assert_true(cpuid(g, 7, 1, 0).eax & 1 << 8);
    assert_int_equal(cpuid(g, 0xa, 0, 0).eax, 0x08300806);
    assert_int_equal(cpuid(g, 0xa, 0, 0).edx, 0x8603);
    assert_int_equal(cpuid(g, 0x23, 0, 0).eax, 0x7);
    assert_int_equal(cpuid(&core, 0x23, 0, 0).eax, 0x3);
    assert_int_equal(cpuid(g, 0x23, 1, 0).eax, 0xff);
    assert_int_equal(cpuid(g, 0x23, 1, 0).ebx, 0x77);
    assert_int_equal(cpuid(g, 0x23, 2, 0).eax, 0xfc);
    assert_int_equal(cpuid(g, 0x23, 2, 0).edx, 0x2);
    assert_int_equal(cpuid(&core, 0x23, 2, 0).eax, 0);
}

/* Each row's CPUID must describe the counters that the row has */
static void test_cpuid_agrees_with_counters(void **state)
{
    const struct pmusim_cpu *cpu;
    unsigned int row, atom;

    for (row = 0; (cpu = pmusim_cpu_at(row)); row++) {
        for (atom = 0; atom <= cpu->hybrid; atom++) {
            struct pmusim_cpuid a, counters;
            struct guest g;
            uint32_t gp, fixed;

            guest_init(&g, cpu->name, atom);
            a = cpuid(&g, 0xa, 0, 0);
            counters = cpuid(&g, 0x23, 1, 0);
            gp = (1u << (a.eax >> 8 & 0xff)) - 1;
            fixed = ((1u << (a.edx & 0x1f)) - 1) | a.ecx;
            assert_int_equal(a.eax & 0xff, cpu->version);
            assert_int_equal(a.eax >> 16 & 0xff, PMUSIM_COUNTER_BITS);
            /* Leaf 0xA of a hybrid CPU shows what all its cores have */
            assert_int_equal(gp & ~g.pmu.pmu->gp, 0);
            assert_int_equal(fixed & ~g.pmu.pmu->fixed, 0);
            if (!cpu->hybrid) {
                assert_int_equal(gp, g.pmu.pmu->gp);
                assert_int_equal(fixed, g.pmu.pmu->fixed);
            }
            if (cpu->leaf_23) {
                assert_int_equal(counters.eax, g.pmu.pmu->gp);
                assert_int_equal(counters.ebx, g.pmu.pmu->fixed);
            }
        }
    }
}

/* Masks of reloading that overlap and are no subsets of each other */
static void test_any_masks_of_reloading(void **state)
{
    static const struct pmusim_acr acr = {
        .reload_gp = 0x7, .reload_fixed = 0x1,
        .cause_gp = 0xc, .cause_fixed = 0x2,
    };
    struct guest *g = &guest;
    struct pmusim_cpu cpu = *pmusim_find_cpu("arrowlake");
    struct pmusim_pmu pmu = *cpu.pmu;
    struct pmusim_cpuid regs;
    unsigned int n;

    pmu.acr = &acr;
    cpu.pmu = &pmu;
    guest_init_row(g, &cpu, false);
    g->class = PMUSIM_OS;
    assert_int_equal(cpuid(g, 0x23, 0, 0).eax, 7);
    regs = cpuid(g, 0x23, 2, 0);
    assert_int_equal(regs.eax, 0x7);
    assert_int_equal(regs.ebx, 0x1);
    assert_int_equal(regs.ecx, 0xc);
    assert_int_equal(regs.edx, 0x2);
    for (n = 0; n < 10; n++) {
        (n < 3 ? guest_wrmsr : guest_wrmsr_faults)(g, V6_GP_CFG_B(n), 0);
        (n < 3 ? guest_wrmsr : guest_wrmsr_faults)(g, V6_GP_CFG_C(n), 0);
    }
    for (n = 0; n < 4; n++) {
        (n < 1 ? guest_wrmsr : guest_wrmsr_faults)(g, V6_FX_CFG_B(n), 0);
    }
    for (n = 0; n < 64; n++) {
        (n == 2 || n == 3 || n == 33 ? guest_wrmsr : guest_wrmsr_faults)
            (g, V6_GP_CFG_B(1), pmusim_bit(n));
    }
    /* A cause need not be reloadable itself */
    guest_wrmsr(g, V6_GP_CFG_B(1), 1 << 3);
    guest_wrmsr(g, V6_GP_CFG_C(1), (uint32_t)-90);
    guest_wrmsr(g, V6_GP_CTR(3), WRAP(20));
    guest_wrmsr(g, V6_GP_CFG_A(1), EVENT_INSNS | COUNT_USR);
    guest_wrmsr(g, V6_GP_CFG_A(3), EVENT_INSNS | COUNT_USR);
    g->class = PMUSIM_USR;
    guest_run(g, 25);
    g->class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(1)), WRAP(90) + 5);
    assert_int_equal(status(g), 1 << 3);
}

static void test_other_leaves_pass(void **state)
{
    struct guest *g = make("arrowlake", true);
    struct pmusim p;
    struct pmusim_cpuid regs = { 1, 2, 3, 4 };

    assert_int_equal(cpuid(g, 0xb, 0, 0x77).eax, 0x77);
    assert_int_equal(cpuid(g, 0, 0, 0x77).ebx, 0x77);
    assert_int_equal(cpuid(g, 0xd, 1, 0x77).edx, 0x77);
    /* Without a PMU all do */
    pmusim_init(&p, NULL, false, NULL);
    pmusim_cpuid(&p, 0xa, 0, &regs);
    pmusim_cpuid(&p, 1, 0, &regs);
    assert_int_equal(regs.eax, 1);
    assert_int_equal(regs.ecx, 3);
    assert_int_equal(regs.edx, 4);
}

/* The format of PEBS apart, which has tests of its own */
static void test_capabilities(void **state)
{
    unsigned int i;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        uint64_t caps = guest_rdmsr(g, PMUSIM_MSR_PERF_CAPABILITIES);
        uint64_t format = caps >> 8 & 0xf;

        assert_int_equal(caps & ~UINT64_C(0xf00), rows[i].caps);
        /* Adaptive records from format 4 on */
        assert_int_equal(format >= 4, rows[i].caps >> 14 & 1);
        assert_in_range(format, 3, 5);
    }
}

#define rule(name) cmocka_unit_test(test_##name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(rows),
        rule(leaf_1),
        rule(leaf_7),
        rule(leaf_a),
        rule(leaf_1a),
        rule(leaf_1c),
        rule(leaf_23),
        rule(cpuid_hybrid),
        rule(cpuid_agrees_with_counters),
        rule(any_masks_of_reloading),
        rule(other_leaves_pass),
        rule(capabilities),
    };

    return cmocka_run_group_tests_name("cpuid", tests, NULL, NULL);
}
