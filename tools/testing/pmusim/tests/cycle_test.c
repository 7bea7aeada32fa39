/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit tests of counters that look at whole cycles - CMASK, INV, EDGE, EQ -
 * mostly against an oracle that fills cycles slot by slot
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "guest.h"

#define CMASK(n)        ((uint64_t)(n) << PMUSIM_SEL_CMASK_SHIFT)
#define INV             PMUSIM_SEL_INV
#define EDGE            PMUSIM_SEL_EDGE
#define EQ              PMUSIM_SEL_EQ

/* Events of the E-cores */
#define EVENT_FRONTEND  UINT64_C(0x019c)
#define EVENT_BAD_SPEC  UINT64_C(0x0073)
#define EVENT_BACKEND   UINT64_C(0x02a4)
#define EVENT_SLOTS     UINT64_C(0x01a4)
#define EVENT_TAKEN     UINT64_C(0xc0c4)
#define EVENT_LOADS     UINT64_C(0x81d0)
#define EVENT_L1_MISSES UINT64_C(0x40d1)
/* Of the CPU below alone */
#define EVENT_RECOVERY  UINT64_C(0x01ad)

/*
 * An E-core of any width and of any cost of things, so that what is lost ends
 * anywhere in a cycle
 */
static struct pmusim_pmu odd_pmu;

static const struct pmusim_event odd_events[] = {
    { EVENT_FRONTEND,   PMUSIM_FRONTEND },
    { EVENT_BAD_SPEC,   PMUSIM_BAD_SPEC },
    { EVENT_BACKEND,    PMUSIM_BACKEND },
    { EVENT_SLOTS,      PMUSIM_SLOTS },
    { EVENT_TAKEN,      PMUSIM_TAKEN },
    { EVENT_LOADS,      PMUSIM_LOADS },
    { EVENT_L1_MISSES,  PMUSIM_L1_MISSES },
    { EVENT_RECOVERY,   PMUSIM_RECOVERY },
    { 0 },
};

static const struct pmusim_cpu odd_cpu = {
    .name = "odd",
    .version = 6,
    .leaf_a = { 0, 0, 0, 1u << 15 },
    .leaf_23 = true,
    .pmu = &odd_pmu,
};

static void make_odd(struct guest *g, uint32_t *seed)
{
    odd_pmu = *pmusim_find_cpu("arrowlake")->atom;
    odd_pmu.events = odd_events;
    odd_pmu.width = 1 + next_random(seed, 8);
    odd_pmu.taken_slots = next_random(seed, 4);
    odd_pmu.miss_cycles = 1 + next_random(seed, 5);
    odd_pmu.fetch_cycles = 1 + next_random(seed, 3);
    odd_pmu.divide_cycles = 1 + next_random(seed, 3);
    odd_pmu.memory_cycles = 1 + next_random(seed, 9);
    guest_init_row(g, &odd_cpu, false);
}

/* What is in a slot, for the oracle */
enum content {
    INSN,
    BRANCH,
    TAKEN_BRANCH,
    MISSED_BRANCH,
    MISSED_TAKEN_BRANCH,
    LOAD,
    MISSING_LOAD,
    LOST_FRONTEND,
    LOST_BAD_SPEC,
    LOST_MEMORY,
    LOST_CORE,
};

static bool event_is_in(uint64_t event, enum content slot)
{
    switch (event) {
    case EVENT_SLOTS:
        return true;
    case EVENT_INSNS:
        return slot <= MISSING_LOAD;
    case EVENT_BRANCHES:
        return slot >= BRANCH && slot <= MISSED_TAKEN_BRANCH;
    case EVENT_TAKEN:
        return slot == TAKEN_BRANCH || slot == MISSED_TAKEN_BRANCH;
    case EVENT_MISSES:
        return slot == MISSED_BRANCH || slot == MISSED_TAKEN_BRANCH;
    case EVENT_LOADS:
        return slot == LOAD || slot == MISSING_LOAD;
    case EVENT_L1_MISSES:
        return slot == MISSING_LOAD;
    case EVENT_FRONTEND:
        return slot == LOST_FRONTEND;
    case EVENT_BAD_SPEC:
    case EVENT_RECOVERY:
        return slot == LOST_BAD_SPEC;
    case EVENT_BACKEND:
        return slot == LOST_MEMORY || slot == LOST_CORE;
    }
    fail();
    return false;
}

/**
 * struct oracle - counts slot by slot, in the plainest way
 * @width:      slots of a cycle
 * @event:      what is looked for
 * @cmask:      how often, at least or exactly
 * @inv:        where it does not hold
 * @edge:       where it begins to
 * @eq:         exactly
 * @counted:    the classes it counts in
 * @used:       slots of the current cycle, by class
 * @events:     events of the current cycle, by class
 * @cycles:     cycles that have ended
 * @before:     what held in the last of them
 * @count:      what the counter should show
 * @insns:      instructions so far
 * @period:     the counter overflows there; 0: never
 * @reached:    instruction with which it did
 */
struct oracle {
    unsigned int width;
    uint64_t event;
    unsigned int cmask;
    bool inv;
    bool edge;
    bool eq;
    bool counted[PMUSIM_CLASSES];
    unsigned int used[PMUSIM_CLASSES];
    unsigned int events[PMUSIM_CLASSES];
    unsigned int cycles;
    bool before;
    uint64_t count;
    uint64_t insns;
    uint64_t period;
    uint64_t reached;
};

static void oracle_cycle(struct oracle *o, unsigned int events)
{
    bool holds;

    /* What is measured in cycles happens once in one */
    if (o->event == EVENT_CYCLES) {
        events = 1;
    } else if (o->event == EVENT_RECOVERY) {
        events = events ? 1 : 0;
    }
    holds = o->eq ? events == o->cmask : events >= o->cmask;
    if (o->inv) {
        holds = !holds;
    }
    if (!o->edge) {
        o->count += holds;
    } else if (o->cycles && holds && !o->before) {
        o->count++;
    }
    o->before = holds;
    o->cycles++;
}

static void oracle_slots(struct oracle *o, enum pmusim_class class,
                         enum content slot, unsigned int number)
{
    for (; number; number--) {
        o->insns += event_is_in(EVENT_INSNS, slot);
        if (!o->counted[class]) {
            continue;
        }
        if (o->event != EVENT_CYCLES && event_is_in(o->event, slot)) {
            o->events[class]++;
        }
        if (++o->used[class] == o->width) {
            oracle_cycle(o, o->events[class]);
            o->used[class] = 0;
            o->events[class] = 0;
        }
        if (o->period && !o->reached && o->count >= o->period) {
            o->reached = o->insns;
        }
    }
}

/* Instructions of all sorts, in the guest and the oracle alike */
static void random_code(struct guest *g, struct oracle *o, uint32_t *seed,
                        unsigned int *pc, unsigned int *line)
{
    const struct pmusim_pmu *pmu = g->pmu.pmu;
    unsigned int insns, i;
    bool taken, memory;

    /* Caches are modelled only where an event needs them */
    memory = pmusim_level_has_memory(g->pmu.hot.level[g->class ? 3 : 0]);
    switch (next_random(seed, 9)) {
    case 8:
        /* A line never fetched before, behind what loses no slots */
        insns = 1 + next_random(seed, 4);
        guest_run(g, insns);
        oracle_slots(o, g->class, INSN, insns);
        line[g->class]++;
        guest_fetch(g, 64 * (2 * line[g->class] + g->class));
        if (memory) {
            oracle_slots(o, g->class, LOST_FRONTEND,
                         pmu->fetch_cycles * pmu->width);
        }
        guest_run(g, 1);
        oracle_slots(o, g->class, INSN, 1);
        return;
    case 0: case 1: case 2:
        insns = 1 + next_random(seed, 12);
        guest_run(g, insns);
        oracle_slots(o, g->class, INSN, insns);
        return;
    case 3: case 4:
        /* Never seen before, hence missed when taken */
        insns = 1 + next_random(seed, 4);
        taken = next_random(seed, 2);
        assert_true(*pc < PMUSIM_PATTERNS);
        guest_branch(g, insns, (*pc)++, taken);
        oracle_slots(o, g->class, INSN, insns - 1);
        oracle_slots(o, g->class, taken ? MISSED_TAKEN_BRANCH : BRANCH, 1);
        if (taken) {
            oracle_slots(o, g->class, LOST_FRONTEND, pmu->taken_slots);
            oracle_slots(o, g->class, LOST_BAD_SPEC,
                         pmu->miss_cycles * pmu->width);
        }
        return;
    case 5:
        insns = 1 + next_random(seed, 4);
        guest_jump(g, insns);
        oracle_slots(o, g->class, INSN, insns - 1);
        oracle_slots(o, g->class, TAKEN_BRANCH, 1);
        oracle_slots(o, g->class, LOST_FRONTEND, pmu->taken_slots);
        return;
    case 6:
        for (i = 1 + next_random(seed, 3); i; i--) {
            /* Lines never seen before are in no cache */
            bool miss = !next_random(seed, 3) || !line[2 + g->class];

            line[2 + g->class] += miss;
            guest_load(g, (1 << 30) + 64 * (2 * line[2 + g->class] +
                                            g->class));
            oracle_slots(o, g->class, miss ? MISSING_LOAD : LOAD, 1);
            if (miss && memory) {
                oracle_slots(o, g->class, LOST_MEMORY,
                             pmu->memory_cycles * pmu->width);
            }
        }
        return;
    default:
        guest_divide(g);
        oracle_slots(o, g->class, INSN, 1);
        if (memory) {
            oracle_slots(o, g->class, LOST_CORE,
                         pmu->divide_cycles * pmu->width);
        }
        return;
    }
}

static uint64_t selector(const struct oracle *o)
{
    return o->event | CMASK(o->cmask) | (o->inv ? INV : 0) |
           (o->edge ? EDGE : 0) | (o->eq ? EQ : 0) | PMUSIM_SEL_EN |
           (o->counted[PMUSIM_OS] ? PMUSIM_SEL_OS : 0) |
           (o->counted[PMUSIM_USR] ? PMUSIM_SEL_USR : 0);
}

static void check_against_oracle(uint32_t seed)
{
    static const uint64_t events[] = {
        EVENT_INSNS, EVENT_BRANCHES, EVENT_MISSES, EVENT_CYCLES, EVENT_TAKEN,
        EVENT_FRONTEND, EVENT_BAD_SPEC, EVENT_BACKEND, EVENT_SLOTS,
        EVENT_LOADS, EVENT_L1_MISSES, EVENT_RECOVERY,
    };
    unsigned int classes = 1 + next_random(&seed, 3);
    unsigned int pc = 0, line[2 * PMUSIM_CLASSES] = { 0 }, i;
    struct guest g;
    struct oracle o = {
        .event = events[next_random(&seed, 12)],
        .cmask = 1 + next_random(&seed, 10),
        .inv = next_random(&seed, 2),
        .edge = next_random(&seed, 2),
        .eq = next_random(&seed, 2),
        .counted = { classes & 1, classes & 2 },
    };

    /* Has a meaning of its own, see below */
    if (o.event == EVENT_RECOVERY && o.cmask == 1 && o.edge && !o.inv) {
        return;
    }
    make_odd(&g, &seed);
    o.width = g.pmu.pmu->width;
    g.class = PMUSIM_OS;
    guest_wrmsr(&g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    guest_wrmsr(&g, V6_GP_CFG_A(0), selector(&o));
    guest_wrmsr(&g, PMUSIM_MSR_GLOBAL_CTRL, 1);
    for (i = 0; i < 120; i++) {
        g.class = next_random(&seed, 4) ? PMUSIM_USR : PMUSIM_OS;
        random_code(&g, &o, &seed, &pc, line);
    }
    g.class = PMUSIM_OS;
    guest_wrmsr(&g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    oracle_slots(&o, PMUSIM_OS, INSN, 1);
    assert_int_equal(guest_rdmsr(&g, V6_GP_CTR(0)), o.count);
}

static void test_counts_against_oracle(void **state)
{
    uint32_t seed;

    for (seed = 1; seed <= 3000; seed++) {
        check_against_oracle(seed * 2654435761u);
    }
}

/* The interrupt comes behind the very instruction that ends the cycle */
static void check_overflow_against_oracle(uint32_t seed)
{
    static const uint64_t events[] = {
        EVENT_INSNS, EVENT_BRANCHES, EVENT_MISSES, EVENT_TAKEN, EVENT_FRONTEND,
        EVENT_BAD_SPEC,
    };
    unsigned int pc = 0, line[2 * PMUSIM_CLASSES] = { 0 }, i;
    struct guest g;
    struct oracle o = {
        .event = events[next_random(&seed, 6)],
        .cmask = 1 + next_random(&seed, 4),
        .inv = next_random(&seed, 2),
        .edge = next_random(&seed, 2),
        .eq = next_random(&seed, 2),
        .counted = { false, true },
        .period = 1 + next_random(&seed, 60),
    };
    uint64_t begin;

    make_odd(&g, &seed);
    o.width = g.pmu.pmu->width;
    g.class = PMUSIM_OS;
    guest_wrmsr(&g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    guest_wrmsr(&g, V6_GP_CTR(0), WRAP(o.period));
    guest_wrmsr(&g, V6_GP_CFG_A(0), selector(&o) | PMUSIM_SEL_INT);
    guest_wrmsr(&g, PMUSIM_MSR_GLOBAL_CTRL, 1);
    g.class = PMUSIM_USR;
    begin = g.retired;
    for (i = 0; i < 300 && !o.reached; i++) {
        random_code(&g, &o, &seed, &pc, line);
    }
    /* What the last instruction did shows before the next one */
    guest_run(&g, 1);
    assert_int_equal(g.pmis, !!o.reached);
    if (o.reached) {
        assert_int_equal(g.pmi_at - begin, o.reached);
    }
}

static void test_overflow_against_oracle(void **state)
{
    uint32_t seed;

    for (seed = 1; seed <= 1000; seed++) {
        check_overflow_against_oracle(seed * 2654435761u);
    }
}

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
        rule(counts_against_oracle),
        rule(overflow_against_oracle),
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
