/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of overflow, its interrupt and the freeze with it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "ecore_fixture.h"

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

/* Freeze and skid */

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

#define rule(name) cmocka_unit_test_setup(test_##name, setup)

int main(void)
{
    static const struct CMUnitTest tests[] = {
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
    };

    return cmocka_run_group_tests_name("overflow", tests, NULL, NULL);
}
