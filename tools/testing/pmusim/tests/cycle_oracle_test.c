/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit tests of counters that look at whole cycles - CMASK, INV, EDGE, EQ -
 * against an oracle that fills cycles slot by slot
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "guest.h"

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
    return o->event | CMASK(o->cmask) | (o->inv ? PMUSIM_SEL_INV : 0) |
           (o->edge ? PMUSIM_SEL_EDGE : 0) | (o->eq ? PMUSIM_SEL_EQ : 0) |
           PMUSIM_SEL_EN |
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

    /* Has a meaning of its own, see test_clears_count_mispredictions() */
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

#define rule(name) cmocka_unit_test(test_##name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(counts_against_oracle),
        rule(overflow_against_oracle),
    };

    return cmocka_run_group_tests_name("cycle_oracle", tests, NULL, NULL);
}
