/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of counters that look at whole cycles: CMASK, INV, EDGE, EQ */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "guest.h"

#define INV             PMUSIM_SEL_INV
#define EDGE            PMUSIM_SEL_EDGE
#define EQ              PMUSIM_SEL_EQ

/* MEM_UOPS_RETIRED.ALL_LOADS */
#define EVENT_LOADS     UINT64_C(0x81d0)

/* An E-core with the counters enabled, set up by the kernel */
static int setup(void **state)
{
    static struct guest g;

    guest_init(&g, "arrowlake", true);
    g.class = PMUSIM_OS;
    *state = &g;
    return 0;
}

static void start(struct guest *g, unsigned int n, uint64_t select)
{
    guest_wrmsr(g, V6_GP_CFG_A(n), select | COUNT_USR);
}

static uint64_t count(struct guest *g, unsigned int n)
{
    g->class = PMUSIM_OS;
    return guest_rdmsr(g, V6_GP_CTR(n));
}

/* Cycles of eight instructions: 8 a cycle and no other number */
static void test_straight_code(void **state)
{
    struct guest *g = *state;

    start(g, 0, EVENT_INSNS | CMASK(8));
    start(g, 1, EVENT_INSNS | CMASK(7));
    start(g, 2, EVENT_INSNS | CMASK(7) | EQ);
    start(g, 3, EVENT_INSNS | CMASK(8) | EQ);
    start(g, 4, EVENT_INSNS | CMASK(8) | INV);
    start(g, 5, EVENT_INSNS | CMASK(7) | EQ | INV);
    start(g, 6, EVENT_INSNS | CMASK(8) | EDGE);
    start(g, 7, EVENT_INSNS | CMASK(9) | EQ);
    g->class = PMUSIM_USR;
    guest_run(g, 80);
    assert_int_equal(count(g, 0), 10);
    assert_int_equal(count(g, 1), 10);
    assert_int_equal(count(g, 2), 0);
    assert_int_equal(count(g, 3), 10);
    assert_int_equal(count(g, 4), 0);
    assert_int_equal(count(g, 5), 10);
    assert_int_equal(count(g, 6), 0);
    assert_int_equal(count(g, 7), 0);
}

static void test_inv_without_cmask_is_ignored(void **state)
{
    struct guest *g = *state;

    start(g, 0, EVENT_INSNS | INV);
    g->class = PMUSIM_USR;
    assert_int_equal(g->pmu.hot.level[3], PMUSIM_LEVEL_INSNS);
    guest_run(g, 80);
    assert_int_equal(count(g, 0), 80);
}

static void test_eq_without_cmask_is_ignored(void **state)
{
    struct guest *g = *state;

    start(g, 0, EVENT_INSNS | EQ);
    g->class = PMUSIM_USR;
    guest_run(g, 80);
    assert_int_equal(count(g, 0), 80);
}

static void test_edge_without_cmask_is_of_the_event(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    start(g, 0, EVENT_BRANCHES | EDGE);
    g->class = PMUSIM_USR;
    for (i = 0; i < 10; i++) {
        /* Two cycles without a branch, two with one each */
        guest_run(g, 16);
        guest_branch(g, 8, i, false);
        guest_branch(g, 8, i, false);
    }
    assert_int_equal(count(g, 0), 10);
}

static void test_inv_and_eq_without_cmask_are_ignored_with_edge(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    start(g, 0, EVENT_BRANCHES | EDGE);
    start(g, 1, EVENT_BRANCHES | EDGE | INV);
    start(g, 2, EVENT_BRANCHES | EDGE | EQ);
    g->class = PMUSIM_USR;
    guest_run(g, 16);
    for (i = 0; i < 10; i++) {
        /* One cycle of two branches, or of one, between others; it ends so */
        guest_branch(g, 4, i, false);
        guest_branch(g, 4, i, false);
        guest_run(g, 16);
    }
    guest_branch(g, 8, i, false);
    assert_int_equal(count(g, 0), 11);
    assert_int_equal(count(g, 1), 11);
    assert_int_equal(count(g, 2), 11);
}

/* As many as the width retire in a cycle, but each may load more than once */
static void test_more_loads_in_a_cycle_than_instructions(void **state)
{
    struct guest *g = *state;
    unsigned int i, j;

    guest_wrmsr(g, PMUSIM_MSR_OWN_CONTROL, PMUSIM_CONTROL_FORGET);
    start(g, 0, EVENT_LOADS | CMASK(64));
    start(g, 1, EVENT_LOADS | CMASK(65));
    g->class = PMUSIM_USR;
    /* The line once, so that nothing is lost to it later */
    guest_load(g, 0x1000);
    g->class = PMUSIM_OS;
    start(g, 0, EVENT_LOADS | CMASK(64));
    start(g, 1, EVENT_LOADS | CMASK(65));
    g->class = PMUSIM_USR;
    guest_run(g, 7);
    for (i = 0; i < 80; i++) {
        guest_load(g, 0x1000);
        for (j = 1; j < 8; j++) {
            pmusim_load(&g->pmu, PMUSIM_USR, 0x1000);
        }
    }
    assert_int_equal(count(g, 0), 10);
    assert_int_equal(count(g, 1), 0);
}

static void test_cmask_above_the_width_counts_nothing(void **state)
{
    static const struct {
        const char *cpu;
        unsigned int width;
    } rows[] = {
        { "skylake", 4 }, { "icelake", 5 }, { "sapphirerapids", 6 },
        { "arrowlake", 8 }, { "clearwaterforest", 8 },
    };
    unsigned int i;

    for (i = 0; i < 5; i++) {
        unsigned int width = rows[i].width;
        struct guest g;

        guest_init(&g, rows[i].cpu, false);
        g.class = PMUSIM_OS;
        guest_wrmsr(&g, PMUSIM_MSR_PERFEVTSEL0,
                    EVENT_INSNS | COUNT_USR | CMASK(width + 1));
        guest_wrmsr(&g, PMUSIM_MSR_PERFEVTSEL0 + 1,
                    EVENT_INSNS | COUNT_USR | CMASK(width));
        guest_wrmsr(&g, PMUSIM_MSR_PERFEVTSEL0 + 2,
                    EVENT_INSNS | COUNT_USR | CMASK(width + 1) | INV);
        g.class = PMUSIM_USR;
        guest_run(&g, 100 * width);
        g.class = PMUSIM_OS;
        assert_int_equal(guest_rdmsr(&g, PMUSIM_MSR_PMC0), 0);
        assert_int_equal(guest_rdmsr(&g, PMUSIM_MSR_PMC0 + 1), 100);
        assert_int_equal(guest_rdmsr(&g, PMUSIM_MSR_PMC0 + 2), 100);
    }
}

/* What no cycle can hold needs no look at the cycles */
static void test_no_cycle_is_cheap(void **state)
{
    struct guest *g = *state;

    start(g, 0, EVENT_INSNS | CMASK(9));
    assert_int_equal(g->pmu.hot.level[3], PMUSIM_LEVEL_NONE);
    start(g, 0, EVENT_INSNS | CMASK(9) | EDGE);
    assert_int_equal(g->pmu.hot.level[3], PMUSIM_LEVEL_NONE);
    start(g, 0, EVENT_INSNS | CMASK(8));
    assert_int_equal(g->pmu.hot.level[3], PMUSIM_LEVEL_EXACT);
    start(g, 0, EVENT_INSNS | CMASK(9) | INV);
    assert_int_equal(g->pmu.hot.level[3], PMUSIM_LEVEL_BRANCHES);
}

/* What every cycle holds needs no look at the cycles */
static void test_every_cycle_is_cheap(void **state)
{
    struct guest *g = *state;

    start(g, 0, EVENT_INSNS | CMASK(16) | INV);
    start(g, 1, EVENT_CYCLES | CMASK(1));
    start(g, 2, EVENT_CYCLES | CMASK(2) | INV);
    start(g, 3, EVENT_CYCLES | CMASK(1) | INV);
    start(g, 4, EVENT_CYCLES | CMASK(2));
    start(g, 5, EVENT_CYCLES | CMASK(1) | EDGE);
    start(g, 6, EVENT_CYCLES | CMASK(1) | EQ);
    start(g, 7, EVENT_CYCLES | CMASK(2) | EQ | INV);
    g->class = PMUSIM_USR;
    assert_int_equal(g->pmu.hot.level[3], PMUSIM_LEVEL_BRANCHES);
    guest_run(g, 80);
    assert_int_equal(count(g, 0), 10);
    assert_int_equal(count(g, 1), 10);
    assert_int_equal(count(g, 2), 10);
    assert_int_equal(count(g, 3), 0);
    assert_int_equal(count(g, 4), 0);
    assert_int_equal(count(g, 5), 0);
    assert_int_equal(count(g, 6), 10);
    assert_int_equal(count(g, 7), 10);
}

/* A cycle of either class goes on where it was left */
static void test_classes_have_their_own_cycles(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    guest_wrmsr(g, V6_GP_CFG_A(0), EVENT_INSNS | COUNT_USR | PMUSIM_SEL_OS |
                CMASK(8));
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 1);
    for (i = 0; i < 40; i++) {
        g->class = i % 2 ? PMUSIM_USR : PMUSIM_OS;
        guest_run(g, 3);
    }
    /* 60 instructions each: seven full cycles and a half */
    assert_int_equal(count(g, 0), 14);
}

/* A recovery is one event in each of its cycles, begun or whole */
static void test_recovery_is_once_a_cycle(void **state)
{
    static struct guest g;
    unsigned int i;

    guest_init(&g, "skylake", false);
    g.class = PMUSIM_OS;
    guest_wrmsr(&g, PMUSIM_MSR_PERFEVTSEL0, 0x010d | COUNT_USR | CMASK(1));
    guest_wrmsr(&g, PMUSIM_MSR_PERFEVTSEL0 + 1,
                0x010d | COUNT_USR | CMASK(2));
    guest_wrmsr(&g, PMUSIM_MSR_PERFEVTSEL0 + 2, 0x010d | COUNT_USR);
    g.class = PMUSIM_USR;
    for (i = 0; i < 10; i++) {
        /* The branch and one slot behind it end their cycle */
        guest_branch(&g, 3, i, true);
        guest_run(&g, 4);
    }
    g.class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(&g, PMUSIM_MSR_PMC0), 10 * 17);
    assert_int_equal(guest_rdmsr(&g, PMUSIM_MSR_PMC0 + 1), 0);
    assert_int_equal(guest_rdmsr(&g, PMUSIM_MSR_PMC0 + 2), 10 * 17);
}

/* INT_MISC.CLEARS_COUNT: recovery, at least 1, edge */
static void test_clears_count_mispredictions(void **state)
{
    static struct guest g;
    unsigned int i;

    guest_init(&g, "icelake", false);
    g.class = PMUSIM_OS;
    guest_wrmsr(&g, PMUSIM_MSR_PERFEVTSEL0,
                0x010d | COUNT_USR | CMASK(1) | EDGE);
    g.class = PMUSIM_USR;
    for (i = 0; i < 30; i++) {
        guest_run(&g, 20);
        guest_branch(&g, 3, i, true);
    }
    guest_run(&g, 20);
    g.class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(&g, PMUSIM_MSR_PMC0), 30);
}

static void test_recovery_inverted(void **state)
{
    static struct guest g;
    unsigned int i;

    guest_init(&g, "skylake", false);
    g.class = PMUSIM_OS;
    guest_wrmsr(&g, PMUSIM_MSR_PERFEVTSEL0,
                0x010d | COUNT_USR | CMASK(1) | INV);
    guest_wrmsr(&g, PMUSIM_MSR_PERFEVTSEL0 + 1,
                0x010d | COUNT_USR | CMASK(1) | INV | EDGE);
    g.class = PMUSIM_USR;
    for (i = 0; i < 10; i++) {
        guest_branch(&g, 3, i, true);
        guest_run(&g, 8);
    }
    g.class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(&g, PMUSIM_MSR_PMC0), 10 * 3);
    assert_int_equal(guest_rdmsr(&g, PMUSIM_MSR_PMC0 + 1), 10);
}

static void test_needs_each_instruction(void **state)
{
    struct guest *g = *state;

    start(g, 0, EVENT_INSNS | CMASK(2));
    assert_int_equal(g->pmu.hot.level[3], PMUSIM_LEVEL_EXACT);
    assert_int_equal(g->pmu.hot.level[0], PMUSIM_LEVEL_NONE);
    start(g, 1, EVENT_LOADS);
    assert_int_equal(g->pmu.hot.level[3], PMUSIM_LEVEL_EXACT_MEMORY);
    start(g, 0, EVENT_INSNS);
    assert_int_equal(g->pmu.hot.level[3], PMUSIM_LEVEL_MEMORY);
}

/* Writing the selector begins anew, with no cycle before it */
static void test_selector_begins_anew(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    start(g, 0, EVENT_BRANCHES | CMASK(5));
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 1);
    g->class = PMUSIM_USR;
    guest_run(g, 4);
    guest_branch(g, 1, 1, false);
    guest_branch(g, 1, 1, false);
    guest_branch(g, 1, 1, false);
    g->class = PMUSIM_OS;
    start(g, 0, EVENT_BRANCHES | CMASK(1));
    g->class = PMUSIM_USR;
    /* The last slot of the cycle: the three branches in it are forgotten */
    guest_run(g, 1);
    assert_int_equal(count(g, 0), 0);
}

#define rule(name) cmocka_unit_test_setup(test_##name, setup)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(straight_code),
        rule(inv_without_cmask_is_ignored),
        rule(eq_without_cmask_is_ignored),
        rule(edge_without_cmask_is_of_the_event),
        rule(inv_and_eq_without_cmask_are_ignored_with_edge),
        rule(more_loads_in_a_cycle_than_instructions),
        rule(cmask_above_the_width_counts_nothing),
        rule(no_cycle_is_cheap),
        rule(every_cycle_is_cheap),
        rule(classes_have_their_own_cycles),
        rule(recovery_is_once_a_cycle),
        rule(clears_count_mispredictions),
        rule(recovery_inverted),
        rule(needs_each_instruction),
        rule(selector_begins_anew),
    };

    return cmocka_run_group_tests_name("cycle", tests, NULL, NULL);
}
