/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of the PMU model: one test a rule */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "guest.h"

#define ALL_GP          0xff
#define USR_INT         (COUNT_USR | PMUSIM_SEL_INT)

/* An E-core with everything enabled in GLOBAL_CTRL, running user code */
static int setup(void **state)
{
    static struct guest g;

    guest_init(&g, "arrowlake", true);
    guest_wrmsr(&g, PMUSIM_MSR_GLOBAL_CTRL, ALL_GP | FIXED_BIT(0) |
                FIXED_BIT(1) | FIXED_BIT(2));
    *state = &g;
    return 0;
}

static void start(struct guest *g, unsigned int n, uint64_t select,
                  uint64_t value)
{
    guest_wrmsr(g, V6_GP_CTR(n), value);
    guest_wrmsr(g, V6_GP_CFG_A(n), select);
}

static uint64_t status(struct guest *g)
{
    return guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS);
}

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

    start(g, 0, select | UINT64_C(16) << PMUSIM_SEL_CMASK_SHIFT, 0);
    start(g, 1, EVENT_CYCLES | COUNT_USR, 0);
    start(g, 2, EVENT_INSNS | COUNT_USR |
          UINT64_C(9) << PMUSIM_SEL_CMASK_SHIFT, 0);
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

/* Overflow */

static void test_overflow_is_exact(void **state)
{
    struct guest *g = *state;
    uint64_t begin;

    start(g, 0, EVENT_INSNS | USR_INT, WRAP(1000));
    begin = g->retired;
    guest_run(g, 3000);
    assert_int_equal(g->pmis, 1);
    assert_int_equal(g->pmi_at - begin, 1000);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)), 2000);
    assert_int_equal(status(g), 1);
}

static void test_overflow_of_misses_is_exact(void **state)
{
    struct guest *g = *state;
    uint64_t begin;
    unsigned int i;

    start(g, 0, EVENT_MISSES | USR_INT, WRAP(4));
    begin = g->retired;
    for (i = 0; i < 100; i++) {
        guest_branch(g, 7, 0x1000, true);
    }
    assert_int_equal(g->pmis, 1);
    /* The fourth branch is the fourth miss: before the next instruction */
    assert_int_equal(g->pmi_at - begin, 28);
}

static void test_overflow_of_cycles(void **state)
{
    struct guest *g = *state;
    uint64_t begin;

    start(g, 0, EVENT_CYCLES | USR_INT, WRAP(100));
    begin = g->retired;
    guest_run(g, 2000);
    assert_int_equal(g->pmis, 1);
    assert_int_equal(g->pmi_at - begin, 800);
}

static void test_overflow_in_both_classes_is_exact(void **state)
{
    struct guest *g = *state;
    uint64_t begin;
    unsigned int i;

    start(g, 0, EVENT_INSNS | USR_INT | PMUSIM_SEL_OS, WRAP(997));
    begin = g->retired;
    for (i = 0; i < 400; i++) {
        g->class = i & 1 ? PMUSIM_OS : PMUSIM_USR;
        guest_run(g, 1 + i % 5);
    }
    assert_int_equal(g->pmis, 1);
    assert_int_equal(g->pmi_at - begin, 997);
}

/* As many as are left may run in one go, and no more */
static void test_admits_up_to_the_overflow(void **state)
{
    struct guest *g = *state;

    g->class = PMUSIM_OS;
    start(g, 0, EVENT_INSNS | USR_INT, WRAP(10));
    assert_int_equal(pmusim_admit(&g->pmu, PMUSIM_USR, 9), 9);
    assert_int_equal(pmusim_admit(&g->pmu, PMUSIM_USR, 10), 10);
    assert_int_equal(pmusim_admit(&g->pmu, PMUSIM_USR, 11), 10);
    assert_int_equal(pmusim_admit(&g->pmu, PMUSIM_USR, PMUSIM_BLOCK_MAX), 10);
}

/* Several counters of both classes: the nearest one sets the budgets */
static void test_several_counters_of_both_classes(void **state)
{
    uint32_t seed;

    (void)state;
    for (seed = 1; seed <= 500; seed++) {
        uint32_t random = seed * 2654435761u;
        uint64_t begin, nearest = UINT64_MAX, next = UINT64_MAX;
        unsigned int n;
        struct guest g;

        guest_init(&g, "arrowlake", true);
        guest_wrmsr(&g, PMUSIM_MSR_GLOBAL_CTRL, 0);
        for (n = 0; n < 4; n++) {
            unsigned int period = 1 + (random >> 8) % 3000;

            random = random * 1664525 + 1013904223;
            if (period < nearest) {
                next = nearest;
                nearest = period;
            } else if (period < next) {
                next = period;
            }
            start(&g, n, EVENT_INSNS | USR_INT | PMUSIM_SEL_OS, WRAP(period));
        }
        /* The last of two interrupts in one block would be what is seen */
        if (next - nearest <= 100) {
            continue;
        }
        guest_wrmsr(&g, PMUSIM_MSR_GLOBAL_CTRL, 0xf);
        begin = g.retired;
        while (!g.pmis) {
            random = random * 1664525 + 1013904223;
            g.class = random >> 31;
            guest_run(&g, 1 + (random >> 8) % 100);
        }
        assert_int_equal(g.pmi_at - begin, nearest);
    }
}

/**
 * struct oracle - counts instruction by instruction, in the plainest way
 * @event:      what the sampling counter counts
 * @counted:    the classes it counts in
 * @slots:      slots used, by class
 * @events:     instructions, branches or misses counted
 */
struct oracle {
    uint64_t event;
    bool counted[PMUSIM_CLASSES];
    uint64_t slots[PMUSIM_CLASSES];
    uint64_t events;
};

static uint64_t oracle_count(const struct oracle *o, unsigned int width)
{
    uint64_t cycles = 0;
    unsigned int c;

    if (o->event != EVENT_CYCLES) {
        return o->events;
    }
    for (c = 0; c < PMUSIM_CLASSES; c++) {
        cycles += o->counted[c] ? o->slots[c] / width : 0;
    }
    return cycles;
}

static void oracle_insn(struct oracle *o, const struct pmusim_pmu *pmu,
                        enum pmusim_class class, bool branch, bool taken)
{
    o->slots[class] += 1;
    if (taken) {
        o->slots[class] += pmu->taken_slots + pmu->miss_cycles * pmu->width;
    }
    if (o->counted[class] &&
        (o->event == EVENT_INSNS || (o->event == EVENT_BRANCHES && branch) ||
         (o->event == EVENT_MISSES && taken))) {
        o->events++;
    }
}

static unsigned int next_random(uint32_t *seed, unsigned int below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

/*
 * Random blocks in both classes: the sampling counter must interrupt at the
 * instruction that the oracle names. Branches are at addresses never seen
 * before, so that the taken ones are missed and the others are not.
 */
static void check_against_oracle(uint32_t seed)
{
    static const uint64_t events[] = {
        EVENT_INSNS, EVENT_BRANCHES, EVENT_MISSES, EVENT_CYCLES,
    };
    uint64_t classes = (1 + next_random(&seed, 3)) * PMUSIM_SEL_USR;
    unsigned int period = 1 + next_random(&seed, 400);
    uint64_t expected = 0, begin;
    struct oracle o = {
        .event = events[next_random(&seed, 4)],
        .counted = { classes & PMUSIM_SEL_OS, classes & PMUSIM_SEL_USR },
    };
    unsigned int pc = 0;
    struct guest g;

    guest_init(&g, "arrowlake", true);
    guest_wrmsr(&g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    /* A neighbour in both classes, which needs other lanes */
    guest_wrmsr(&g, V6_GP_CFG_A(1), EVENT_BRANCHES | COUNT_OS | COUNT_USR);
    guest_wrmsr(&g, V6_GP_CTR(0), WRAP(period));
    guest_wrmsr(&g, V6_GP_CFG_A(0), o.event | classes | PMUSIM_SEL_EN |
                PMUSIM_SEL_INT);
    guest_wrmsr(&g, PMUSIM_MSR_GLOBAL_CTRL, 3);
    begin = g.retired;

    while (!g.pmis) {
        unsigned int insns = 1 + next_random(&seed, 30), i;
        bool branch = next_random(&seed, 4), taken;
        enum pmusim_class class = next_random(&seed, 2);
        uint64_t before = g.retired;

        taken = branch && !next_random(&seed, 3);
        guest_enter(&g, class);
        if (branch) {
            guest_branch(&g, insns, pc++, taken);
        } else {
            guest_run(&g, insns);
        }
        assert_true(pc < PMUSIM_PATTERNS);
        for (i = 1; i <= insns; i++) {
            oracle_insn(&o, g.pmu.pmu, class, branch && i == insns,
                        taken && i == insns);
            if (!expected &&
                oracle_count(&o, g.pmu.pmu->width) >= period) {
                expected = before + i;
            }
        }
        /* An overflow by the last instruction shows before the next one */
        if (expected == g.retired && !g.pmis) {
            guest_enter(&g, next_random(&seed, PMUSIM_CLASSES));
            guest_run(&g, 1);
            assert_int_equal(g.pmis, 1);
        }
        assert_int_equal(!!g.pmis, !!expected);
    }
    assert_int_equal(g.pmi_at - begin, expected - begin);
}

static void test_overflow_against_oracle(void **state)
{
    uint32_t seed;

    (void)state;
    for (seed = 1; seed <= 2000; seed++) {
        check_against_oracle(seed);
    }
}

static void test_status_without_interrupt(void **state)
{
    struct guest *g = *state;

    start(g, 3, EVENT_INSNS | COUNT_USR, WRAP(10));
    guest_run(g, 11);
    assert_int_equal(status(g), 1 << 3);
    assert_int_equal(g->pmis, 0);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, 1 << 3);
    assert_int_equal(status(g), 0);
}

static void test_fixed_overflow(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, V6_FX_CTR(0), WRAP(50));
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0xa);
    guest_run(g, 60);
    assert_int_equal(status(g), FIXED_BIT(0));
    assert_int_equal(g->pmis, 1);
}

static void test_fixed_overflow_without_interrupt(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, V6_FX_CTR(0), WRAP(50));
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0x2);
    guest_run(g, 60);
    assert_int_equal(status(g), FIXED_BIT(0));
    assert_int_equal(g->pmis, 0);
}

/* One interrupt for all that overflow at once, if any of them asks for it */
static void test_simultaneous_overflows(void **state)
{
    struct guest *g = *state;
    unsigned int n;

    for (n = 0; n < 3; n++) {
        guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
        start(g, 0, EVENT_INSNS | (n == 0 ? USR_INT : COUNT_USR), WRAP(20));
        start(g, 1, EVENT_INSNS | (n == 1 ? USR_INT : COUNT_USR), WRAP(20));
        start(g, 2, EVENT_INSNS | (n == 2 ? USR_INT : COUNT_USR), WRAP(20));
        guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff);
        guest_run(g, 21);
        assert_int_equal(g->pmis, n + 1);
        assert_int_equal(status(g), 7);
        guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, 7);
    }
}

static void test_every_period_gives_one_interrupt(void **state)
{
    struct guest *g = *state;
    unsigned int done;

    start(g, 0, EVENT_INSNS | USR_INT, WRAP(200));
    for (done = 0; done < 100; done++) {
        unsigned int before = g->pmis;

        while (g->pmis == before) {
            guest_run(g, 1);
        }
        g->class = PMUSIM_OS;
        guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, 1);
        guest_wrmsr(g, V6_GP_CTR(0), WRAP(200));
        g->class = PMUSIM_USR;
    }
    assert_int_equal(g->pmis, 100);
}

static void test_all_ones_overflows_at_the_next_event(void **state)
{
    struct guest *g = *state;

    start(g, 0, EVENT_INSNS | COUNT_USR, 0);
    guest_run(g, 5);
    guest_wrmsr(g, V6_GP_CTR(0), PMUSIM_COUNTER_MASK);
    guest_run(g, 1);
    assert_int_equal(status(g), 1);
}

/* Freezing */

static void test_freeze_on_pmi(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, PMUSIM_DEBUGCTL_FREEZE_PERFMON);
    start(g, 1, EVENT_INSNS | COUNT_USR, 0);
    start(g, 0, EVENT_INSNS | USR_INT, WRAP(100));
    guest_run(g, 500);
    assert_int_equal(status(g), 1 | PMUSIM_STATUS_CTR_FRZ);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)), 0);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(1)), 102);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_CTRL) & 3, 3);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, PMUSIM_STATUS_CTR_FRZ);
    guest_run(g, 10);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)), 10);
}

/* The freeze does not wait for the interrupt, and what runs meanwhile is lost */
static void test_skid_while_frozen(void **state)
{
    struct guest *g = *state;

    g->pmu.skid = 20;
    guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, PMUSIM_DEBUGCTL_FREEZE_PERFMON);
    start(g, 1, EVENT_INSNS | COUNT_USR, 0);
    start(g, 0, EVENT_INSNS | USR_INT, WRAP(100));
    g->retired = 0;
    guest_run(g, 500);
    assert_int_equal(g->pmis, 1);
    assert_int_equal(g->pmi_at, 120);
    assert_int_equal(status(g), 1 | PMUSIM_STATUS_CTR_FRZ);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(0)), 0);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(1)), 102);
}

/* Overflows until the interrupt comes share it; also across classes */
static void test_skid_of_two(void **state)
{
    struct guest *g = *state;

    g->pmu.skid = 20;
    start(g, 1, EVENT_INSNS | USR_INT, WRAP(112));
    start(g, 0, EVENT_INSNS | USR_INT, WRAP(100));
    g->retired = 0;
    guest_run(g, 115);
    g->class = PMUSIM_OS;
    guest_run(g, 3);
    g->class = PMUSIM_USR;
    guest_run(g, 500);
    assert_int_equal(g->pmis, 1);
    assert_int_equal(g->pmi_at, 120);
    assert_int_equal(status(g), 3);
}

static void test_skid_ends_at_halt(void **state)
{
    struct guest *g = *state;

    g->pmu.skid = 20;
    start(g, 0, EVENT_INSNS | USR_INT, WRAP(100));
    guest_run(g, 105);
    assert_false(g->pmu.pmi);
    pmusim_halt(&g->pmu, PMUSIM_USR);
    assert_true(g->pmu.pmi);
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

/* CPUID */

static struct pmusim_cpuid cpuid(struct guest *g, uint32_t leaf,
                                 uint32_t subleaf)
{
    struct pmusim_cpuid regs = { 0 };

    pmusim_cpuid(&g->pmu, leaf, subleaf, &regs);
    return regs;
}

static void test_cpuid_hybrid(void **state)
{
    struct guest *g = *state;
    struct guest core;

    guest_init(&core, "arrowlake", false);
    assert_int_equal(cpuid(g, 0x1a, 0).eax, 0x20000000);
    assert_int_equal(cpuid(&core, 0x1a, 0).eax, 0x40000000);
    assert_true(cpuid(g, 7, 0).edx & 1 << 15);
    assert_true(cpuid(g, 7, 1).eax & 1 << 8);
    assert_int_equal(cpuid(g, 0xa, 0).eax, 0x08300806);
    assert_int_equal(cpuid(g, 0xa, 0).edx, 0x8603);
    assert_int_equal(cpuid(g, 0x23, 0).eax, 0x7);
    assert_int_equal(cpuid(&core, 0x23, 0).eax, 0x3);
    assert_int_equal(cpuid(g, 0x23, 1).eax, 0xff);
    assert_int_equal(cpuid(g, 0x23, 1).ebx, 0x77);
    assert_int_equal(cpuid(g, 0x23, 2).eax, 0xfc);
    assert_int_equal(cpuid(g, 0x23, 2).edx, 0x2);
    assert_int_equal(cpuid(&core, 0x23, 2).eax, 0);
}

/* Each row's CPUID must describe the counters that the row has */
static void test_cpuid_agrees_with_counters(void **state)
{
    const struct pmusim_cpu *cpu;
    unsigned int row, atom;

    (void)state;
    for (row = 0; (cpu = pmusim_cpu_at(row)); row++) {
        for (atom = 0; atom <= cpu->hybrid; atom++) {
            struct pmusim_cpuid a, counters;
            struct guest g;
            uint32_t gp, fixed;

            guest_init(&g, cpu->name, atom);
            a = cpuid(&g, 0xa, 0);
            counters = cpuid(&g, 0x23, 1);
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

/* Auto counter reload */

static void acr(struct guest *g, unsigned int n, uint64_t cause, uint32_t period)
{
    guest_wrmsr(g, V6_GP_CFG_C(n), (uint32_t)-period);
    guest_wrmsr(g, V6_GP_CFG_B(n), cause);
}

static void test_acr_faults(void **state)
{
    struct guest *g = *state;
    struct guest core;

    /* Counters 0 and 1 take no part */
    guest_wrmsr_faults(g, V6_GP_CFG_B(0), 0);
    guest_rdmsr_faults(g, V6_GP_CFG_C(1));
    guest_wrmsr_faults(g, V6_GP_CFG_B(2), 1);
    guest_wrmsr_faults(g, V6_FX_CFG_B(1), FIXED_BIT(1) | 1);
    guest_wrmsr_faults(g, V6_FX_CFG_B(0), 0);
    guest_wrmsr_faults(g, V6_GP_CFG_C(2), UINT64_C(1) << 32);
    guest_wrmsr(g, V6_GP_CFG_B(2), FIXED_BIT(1) | 0xfc);
    assert_int_equal(guest_rdmsr(g, V6_GP_CFG_B(2)), FIXED_BIT(1) | 0xfc);
    guest_init(&core, "arrowlake", false);
    guest_wrmsr_faults(&core, V6_GP_CFG_B(2), 0);
}

static void test_acr_reload_by_another(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    acr(g, 2, 1 << 3, 5000);
    start(g, 2, EVENT_INSNS | USR_INT, WRAP(5000));
    start(g, 3, EVENT_INSNS | COUNT_USR, WRAP(1000));
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff);
    guest_run(g, 1000);
    /* Counter 3 overflows with a status bit and restarts counter 2 */
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(2)), WRAP(5000));
    assert_int_equal(status(g), 1 << 3);
    assert_int_equal(g->pmis, 0);
}

static void test_acr_self_reload_leaves_no_status(void **state)
{
    struct guest *g = *state;
    uint64_t before;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    acr(g, 4, 1 << 4, 100);
    start(g, 4, EVENT_INSNS | COUNT_USR, WRAP(100));
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff);
    guest_run(g, 1030);
    assert_int_equal(status(g), 0);
    before = guest_rdmsr(g, V6_GP_CTR(4));
    assert_int_equal(before, WRAP(100) + 31);
}

static void test_acr_self_reload_with_interrupt_is_empty(void **state)
{
    struct guest *g = *state;

    acr(g, 4, 1 << 4, 100);
    start(g, 4, EVENT_INSNS | USR_INT, WRAP(100));
    guest_run(g, 100);
    guest_run(g, 1);
    assert_int_equal(g->pmis, 1);
    assert_int_equal(status(g), 0);
}

/* Misses every @n branches against a threshold of one in five */
static unsigned int ratio_samples(struct guest *g, unsigned int n)
{
    unsigned int i;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    acr(g, 2, 1 << 3, 20);
    acr(g, 3, 1 << 2 | 1 << 3, 100);
    start(g, 2, EVENT_MISSES | USR_INT, WRAP(20));
    start(g, 3, EVENT_BRANCHES | COUNT_USR, WRAP(100));
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff);
    for (i = 0; i < 10000; i++) {
        unsigned int before = g->pmis;

        /* A branch never seen before is predicted not taken */
        guest_branch(g, 4, i % PMUSIM_PATTERNS, i % n == 0);
        if (g->pmis != before) {
            g->class = PMUSIM_OS;
            guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, 1 << 2);
            guest_wrmsr(g, V6_GP_CTR(2), WRAP(20));
            g->class = PMUSIM_USR;
        }
    }
    return g->pmis;
}

static void test_acr_ratio_below(void **state)
{
    assert_int_equal(ratio_samples(*state, 6), 0);
}

static void test_acr_ratio_above(void **state)
{
    /* Every fourth is missed: 20 misses in 80 branches, 2500 in all */
    assert_int_equal(ratio_samples(*state, 4), 2500 / 20);
}

static void test_acr_stale_mask_acts(void **state)
{
    struct guest *g = *state;

    acr(g, 5, 1 << 6, 10);
    start(g, 5, EVENT_INSNS | COUNT_USR, 0);
    start(g, 6, EVENT_INSNS | COUNT_USR, WRAP(50));
    guest_run(g, 50);
    /* What remains of counter 5 is its reload value */
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(5)), WRAP(10));
}

static void test_acr_fixed(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    guest_wrmsr(g, V6_FX_CFG_C(1), (uint32_t)-500);
    guest_wrmsr(g, V6_FX_CFG_B(1), FIXED_BIT(1) | 1 << 2);
    guest_wrmsr(g, V6_FX_CTR(1), WRAP(500));
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0x20);
    start(g, 2, EVENT_INSNS | COUNT_USR, WRAP(80));
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff | FIXED_BIT(1));
    guest_run(g, 80);
    assert_int_equal(guest_rdmsr(g, V6_FX_CTR(1)), WRAP(500));
    guest_run(g, 8 * 600);
    assert_int_equal(status(g), 1 << 2);
}

/* What the overflowing instruction counts too much is not dropped */
static void test_acr_self_reload_keeps_the_rest(void **state)
{
    struct guest *g = *state;
    const struct pmusim_pmu *pmu = g->pmu.pmu;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    acr(g, 4, 1 << 4, 100);
    start(g, 4, EVENT_CYCLES | COUNT_USR, WRAP(5));
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff);
    guest_branch(g, 8 - pmu->taken_slots, 0x1000, true);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    /* One cycle of slots and the misprediction, of which 5 were wanted */
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(4)),
                     WRAP(100) + 1 + pmu->miss_cycles - 5);
}

/* A period shorter than what one instruction can add is not lost */
static void test_acr_short_self_reload(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    acr(g, 4, 1 << 4, 2);
    start(g, 4, EVENT_CYCLES | COUNT_USR, WRAP(2));
    for (i = 0; i < 10; i++) {
        guest_branch(g, 8, 0x1000 + 16 * i, true);
        assert_true(guest_rdmsr(g, V6_GP_CTR(4)) >= WRAP(2));
    }
}

/* A fixed counter alone may be the cause */
static void test_acr_caused_by_a_fixed_counter(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    acr(g, 2, FIXED_BIT(1), 700);
    start(g, 2, EVENT_INSNS | COUNT_USR, 0);
    guest_wrmsr(g, V6_FX_CTR(1), WRAP(10));
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0x20);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff | FIXED_BIT(1));
    guest_run(g, 80);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(2)), WRAP(700));
    assert_int_equal(status(g), FIXED_BIT(1));
}

/* Of several that overflow at once, any may be the cause */
static void test_acr_among_simultaneous_overflows(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    acr(g, 2, 1 << 5, 300);
    start(g, 2, EVENT_INSNS | COUNT_USR, 0);
    start(g, 4, EVENT_INSNS | COUNT_USR, WRAP(60));
    start(g, 5, EVENT_INSNS | COUNT_USR, WRAP(60));
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff);
    guest_run(g, 60);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(2)), WRAP(300));
    assert_int_equal(status(g), 1 << 4 | 1 << 5);
}

/* Only a counter that is in its own mask overflows without a status bit */
static void test_acr_reloaded_counter_has_its_own_status(void **state)
{
    struct guest *g = *state;

    acr(g, 2, 1 << 3, 5000);
    start(g, 2, EVENT_INSNS | USR_INT, WRAP(40));
    guest_run(g, 41);
    assert_int_equal(status(g), 1 << 2);
    assert_int_equal(g->pmis, 1);
}

/* Several periods within one instruction leave the rest of the last */
static void test_acr_several_periods_at_once(void **state)
{
    struct guest *g = *state;
    const struct pmusim_pmu *pmu = g->pmu.pmu;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    acr(g, 4, 1 << 4, 5);
    start(g, 4, EVENT_CYCLES | COUNT_USR, WRAP(5));
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0xff);
    guest_branch(g, 8 - pmu->taken_slots, 0x1000, true);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    /* One cycle and the 17 of the misprediction: three periods and 3 */
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(4)), WRAP(5) + 3);
}

/* Predictor */

static void test_predictor_returns(void **state)
{
    struct pmusim_predictor bp = { 0 };
    unsigned int i;

    (void)state;
    for (i = 1; i <= PMUSIM_RETURNS; i++) {
        pmusim_call(&bp, i);
    }
    for (i = PMUSIM_RETURNS; i >= 1; i--) {
        assert_int_equal(pmusim_return(&bp, i), 0);
    }
    assert_int_equal(pmusim_return(&bp, 0xdead), PMUSIM_LANE_MISS);
}

static void test_predictor_indirect(void **state)
{
    struct pmusim_predictor bp = { 0 };

    (void)state;
    assert_int_equal(pmusim_indirect(&bp, 0x10, 0x500), PMUSIM_LANE_MISS);
    assert_int_equal(pmusim_indirect(&bp, 0x10, 0x500), 0);
    assert_int_equal(pmusim_indirect(&bp, 0x10, 0x600), PMUSIM_LANE_MISS);
}

/* Three bits: seven steps up, and as many down */
static void test_predictor_hysteresis(void **state)
{
    struct pmusim_predictor bp = { 0 };
    unsigned int i;

    (void)state;
    for (i = 0; i < 100; i++) {
        assert_int_equal(!!pmusim_conditional(&bp, 0x40, true), i < 4);
    }
    for (i = 0; i < 100; i++) {
        assert_int_equal(!!pmusim_conditional(&bp, 0x40, false), i < 4);
    }
    /* One that was not taken does not change the mind of a loop */
    for (i = 0; i < 100; i++) {
        pmusim_conditional(&bp, 0x80, true);
    }
    for (i = 0; i < 100; i++) {
        bool taken = i % 3;

        assert_int_equal(!!pmusim_conditional(&bp, 0x80, taken), !taken);
    }
}

/* 2^14 patterns and 2^10 targets, by the low bits of the address */
static void test_predictor_sizes(void **state)
{
    struct pmusim_predictor bp = { 0 };
    unsigned int i, bit;

    (void)state;
    for (i = 0; i < 10; i++) {
        pmusim_conditional(&bp, 0, true);
    }
    for (bit = 0; bit < 14; bit++) {
        assert_int_equal(pmusim_conditional(&bp, pmusim_bit(bit), false), 0);
    }
    assert_int_equal(pmusim_conditional(&bp, pmusim_bit(14), true), 0);
    assert_int_equal(pmusim_conditional(&bp, pmusim_bit(63), true), 0);

    pmusim_indirect(&bp, 0, 0x500);
    for (bit = 0; bit < 10; bit++) {
        pmusim_indirect(&bp, pmusim_bit(bit), 0x600);
    }
    assert_int_equal(pmusim_indirect(&bp, 0, 0x500), 0);
    assert_int_equal(pmusim_indirect(&bp, pmusim_bit(10), 0x500), 0);
}

static void test_predictor_random_data(void **state)
{
    struct pmusim_predictor bp = { 0 };
    unsigned int misses = 0, i;
    uint32_t seed = 1;

    (void)state;
    for (i = 0; i < 100000; i++) {
        seed = seed * 1664525 + 1013904223;
        misses += !!pmusim_conditional(&bp, 0x40, seed >> 24 & 0x80);
    }
    assert_in_range(misses, 48000, 52000);
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
        rule(overflow_is_exact),
        rule(overflow_of_misses_is_exact),
        rule(overflow_of_cycles),
        rule(overflow_in_both_classes_is_exact),
        rule(admits_up_to_the_overflow),
        rule(several_counters_of_both_classes),
        rule(overflow_against_oracle),
        rule(status_without_interrupt),
        rule(fixed_overflow),
        rule(fixed_overflow_without_interrupt),
        rule(simultaneous_overflows),
        rule(every_period_gives_one_interrupt),
        rule(all_ones_overflows_at_the_next_event),
        rule(freeze_on_pmi),
        rule(skid_while_frozen),
        rule(skid_of_two),
        rule(skid_ends_at_halt),
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
        rule(cpuid_hybrid),
        rule(cpuid_agrees_with_counters),
        rule(acr_faults),
        rule(acr_reload_by_another),
        rule(acr_self_reload_leaves_no_status),
        rule(acr_self_reload_with_interrupt_is_empty),
        rule(acr_ratio_below),
        rule(acr_ratio_above),
        rule(acr_stale_mask_acts),
        rule(acr_fixed),
        rule(acr_self_reload_keeps_the_rest),
        rule(acr_short_self_reload),
        rule(acr_caused_by_a_fixed_counter),
        rule(acr_among_simultaneous_overflows),
        rule(acr_reloaded_counter_has_its_own_status),
        rule(acr_several_periods_at_once),
        rule(predictor_returns),
        rule(predictor_indirect),
        rule(predictor_hysteresis),
        rule(predictor_sizes),
        rule(predictor_random_data),
    };

    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
