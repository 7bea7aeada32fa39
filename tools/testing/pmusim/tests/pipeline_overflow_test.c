/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of the pipeline: overflow of what it counts, to the instruction */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "pipeline_fixture.h"

/* Instructions until an event has happened @period times, by an oracle */
static void check_overflow(uint64_t event, uint32_t seed)
{
    struct guest *g = make("sapphirerapids");
    const struct pmusim_pmu *pmu = g->pmu.pmu;
    uint64_t period, events = 0, expected = 0, begin;
    unsigned int i, fresh = 1;

    /* Slots come in hundreds, loads one by one */
    period = 1 + next_random(&seed, event == EVENT_LOADS ||
                             event == EVENT_L1_MISSES ||
                             event == EVENT_STORES ||
                             event == EVENT_LLC_MISSES ? 60 : 20000);
    guest_wrmsr(g, CTR(0), WRAP(period));
    guest_wrmsr(g, SELECT(0), event | USR_INT);
    /* A neighbour of another kind */
    guest_wrmsr(g, SELECT(1), EVENT_BACKEND | COUNT_USR | COUNT_OS);
    g->class = PMUSIM_USR;
    begin = g->retired;
    for (i = 0; i < 2000 && !expected; i++) {
        unsigned int insns = 1 + next_random(&seed, 20), n;
        unsigned int stall = 0;
        bool load = false, store = false, miss = false, divide = false;

        switch (next_random(&seed, 5)) {
        case 0:
        case 1:
            guest_run(g, insns);
            break;
        case 2:
            insns = 1;
            load = true;
            miss = next_random(&seed, 2) || fresh == 1;
            fresh += miss;
            guest_load(g, LINE * fresh);
            stall = miss ? pmu->memory_cycles : 0;
            break;
        case 3:
            insns = 1;
            store = miss = true;
            fresh++;
            guest_store(g, LINE * fresh);
            break;
        default:
            insns = 1;
            divide = true;
            guest_divide(g);
            stall = pmu->divide_cycles;
            break;
        }
        for (n = 1; n <= insns; n++) {
            events += event == EVENT_LOADS ? load :
                      event == EVENT_STORES ? store :
                      event == EVENT_L1_MISSES ? load && miss :
                      event == EVENT_LLC_MISSES ? miss :
                      event == EVENT_SLOTS ? 1 + stall * pmu->width :
                      event == EVENT_BACKEND ? stall * pmu->width :
                      divide ? 0 : stall * pmu->width;
            if (!expected && events >= period) {
                expected = g->retired - begin - insns + n;
            }
        }
    }
    guest_run(g, 1);
    assert_int_equal(g->pmis, !!expected);
    if (expected) {
        assert_int_equal(g->pmi_at - begin, expected);
        g->class = PMUSIM_OS;
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS), 1);
    }
}

static void test_overflow_of_memory_events_is_exact(void **state)
{
    static const uint64_t events[] = {
        EVENT_LOADS, EVENT_STORES, EVENT_L1_MISSES, EVENT_LLC_MISSES,
        EVENT_SLOTS, EVENT_BACKEND, EVENT_MEMORY_BOUND,
    };
    uint32_t seed;

    for (seed = 1; seed <= 700; seed++) {
        check_overflow(events[seed % 7], seed * 2654435761u);
    }
}

/* The load that makes a counter overflow is the last before the interrupt */
static void check_loads_in_a_row(uint64_t event, unsigned int period)
{
    struct guest *g = make("sapphirerapids");
    const struct pmusim_pmu *pmu = g->pmu.pmu;
    unsigned int slots = 1 + pmu->memory_cycles * pmu->width;
    unsigned int i, each = event == EVENT_LOADS ? 1 :
                           event == EVENT_MEMORY_BOUND ? slots - 1 : slots;
    uint64_t begin, wanted;

    guest_wrmsr(g, CTR(0), WRAP(period));
    guest_wrmsr(g, SELECT(0), event | USR_INT);
    start(g, 1, EVENT_LOADS);
    g->class = PMUSIM_USR;
    begin = g->retired;
    for (i = 0; i < 30; i++) {
        guest_loads(g, 50, LINE * 50 * i, LINE);
    }
    guest_run(g, 1);
    wanted = event == EVENT_CYCLES ? (uint64_t)period * pmu->width : period;
    assert_int_equal(g->pmis, 1);
    assert_int_equal(g->pmi_at - begin, (wanted + each - 1) / each);
}

static void test_overflow_by_one_of_many_loads(void **state)
{
    unsigned int i;

    for (i = 1; i < 1400; i += 7) {
        check_loads_in_a_row(EVENT_LOADS, i);
        check_loads_in_a_row(EVENT_CYCLES, 70 * i);
        check_loads_in_a_row(EVENT_SLOTS, 300 * i);
        check_loads_in_a_row(EVENT_MEMORY_BOUND, 300 * i);
    }
}

/* A rare event that is near its overflow costs the code in between nothing */
static void test_rare_events_are_watched(void **state)
{
    struct guest *g = make("sapphirerapids");
    unsigned int asked = 0, i;

    guest_wrmsr(g, CTR(0), WRAP(1));
    guest_wrmsr(g, SELECT(0), EVENT_LLC_MISSES | USR_INT);
    g->class = PMUSIM_USR;
    guest_load(g, 0x1000);
    assert_int_equal(g->pmis, 0);
    guest_wrmsr(g, CTR(0), WRAP(1));
    for (i = 0; i < 1000; i++) {
        int32_t budget = g->pmu.hot.budget[PMUSIM_USR];

        guest_load(g, 0x1000);
        guest_run(g, 10);
        asked += g->pmu.hot.budget[PMUSIM_USR] != budget - 11;
    }
    assert_true(asked < 10);
    guest_load(g, 0x2000);
    guest_run(g, 1);
    assert_int_equal(g->pmis, 2);
    assert_int_equal(g->pmi_at, g->retired - 1);
}

/*
 * Instructions that do all that one can do: a fetch of a new line, eight loads
 * of new lines, a division, a branch that is taken and missed. Nothing may get
 * past the overflow unasked.
 */
static void check_worst(uint64_t event, uint64_t classes, uint64_t period)
{
    struct guest *g = make("sapphirerapids");
    const struct pmusim_pmu *pmu = g->pmu.pmu;
    bool memory = event != EVENT_CYCLES && event != EVENT_RECOVERY &&
                  event != EVENT_MISSES;
    uint64_t fetch = memory ? pmu->fetch_cycles * pmu->width : 0;
    uint64_t backend = memory ? (8 * pmu->memory_cycles + pmu->divide_cycles) *
                                pmu->width : 0;
    uint64_t bad = 17 * pmu->width, events = 0, expected = 0, begin;
    unsigned int i, j;

    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    guest_wrmsr(g, CTR(0), WRAP(period));
    guest_wrmsr(g, SELECT(0), event | classes | PMUSIM_SEL_INT |
                PMUSIM_SEL_EN);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 1);
    begin = g->retired;
    for (i = 0; !expected; i++) {
        bool counted;
        uint64_t slots[2];

        g->class = i / 3 % 2 ? PMUSIM_USR : PMUSIM_OS;
        counted = classes & (g->class ? PMUSIM_SEL_USR : PMUSIM_SEL_OS);
        memset(g->pmu.hot.predictor.pattern, 0, PMUSIM_PATTERNS);
        guest_fetch(g, 0x40000000 + LINE * i);
        guest_branch(g, 1, 0, true);
        for (j = 0; j < 8 && pmusim_level_has_memory(
             g->pmu.hot.level[g->class ? 3 : 0]); j++) {
            pmusim_load(&g->pmu, g->class, LINE * (8 * i + j));
        }
        if (pmusim_level_has_memory(g->pmu.hot.level[g->class ? 3 : 0])) {
            g->pmu.work[g->class].divisions++;
        }
        if (!counted) {
            continue;
        }
        /* Slots with the fetch, before the instruction, and with it */
        slots[0] = fetch;
        slots[1] = 1 + pmu->taken_slots + bad + backend;
        for (j = 0; j < 2 && !expected; j++) {
            events += event == EVENT_SLOTS || event == EVENT_CYCLES ?
                          slots[j] :
                      event == EVENT_BACKEND ? j * backend :
                      event == EVENT_FRONTEND ?
                          (j ? pmu->taken_slots : fetch) :
                      event == EVENT_BAD_SPEC ? j * bad :
                      event == EVENT_RECOVERY ? j * 17 :
                      event == EVENT_MISSES ? j :
                      event == EVENT_LOADS || event == EVENT_L1_MISSES ?
                          j * 8 : (j ? 8 : 1);
            if (events / (event == EVENT_CYCLES ? pmu->width : 1) >= period) {
                expected = g->retired - begin - 1 + j;
            }
        }
    }
    guest_run(g, 1);
    assert_int_equal(g->pmis, 1);
    assert_int_equal(g->pmi_at - begin, expected);
}

static void test_overflow_by_worst_instructions(void **state)
{
    static const uint64_t events[] = {
        EVENT_CYCLES, EVENT_RECOVERY, EVENT_MISSES, EVENT_SLOTS, EVENT_BACKEND,
        EVENT_FRONTEND, EVENT_BAD_SPEC, EVENT_LOADS, EVENT_L1_MISSES,
        EVENT_LLC, EVENT_LLC_MISSES,
    };
    static const unsigned int most[] = {
        17, 17, 1, 3700, 3500, 72, 102, 8, 8, 9, 9,
    };
    uint32_t seed = 5;
    unsigned int i, round;

    for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        for (round = 0; round < 40; round++) {
            check_worst(events[i], PMUSIM_SEL_USR,
                        1 + next_random(&seed, most[i] * 300));
        }
    }
    /* Cycles of each class apart add up in no simple way */
    for (i = 1; i < sizeof(events) / sizeof(events[0]); i++) {
        for (round = 0; round < 40; round++) {
            check_worst(events[i], PMUSIM_SEL_USR | PMUSIM_SEL_OS,
                        1 + next_random(&seed, most[i] * 300));
        }
    }
}

/* Cycles while memory is modelled: a load's latency is not one instruction's */
static void test_overflow_of_cycles_with_memory_is_exact(void **state)
{
    struct guest *g = *state;
    const struct pmusim_pmu *pmu = g->pmu.pmu;
    uint64_t slots = 0, expected = 0, begin;
    unsigned int i;

    guest_wrmsr(g, CTR(0), WRAP(20000));
    guest_wrmsr(g, SELECT(0), EVENT_CYCLES | USR_INT);
    start(g, 1, EVENT_LOADS);
    g->class = PMUSIM_USR;
    begin = g->retired;
    for (i = 0; i < 2000 && !expected; i++) {
        unsigned int insns = 1 + i % 40;

        guest_run(g, insns);
        if ((slots + insns) / pmu->width >= 20000) {
            expected = g->retired - begin - insns +
                       (20000 * pmu->width - slots);
            break;
        }
        slots += insns;
        guest_load(g, LINE * i);
        slots += 1 + pmu->memory_cycles * pmu->width;
        if (slots / pmu->width >= 20000) {
            expected = g->retired - begin;
        }
    }
    guest_run(g, 1);
    assert_true(expected);
    assert_int_equal(g->pmis, 1);
    assert_int_equal(g->pmi_at - begin, expected);
}

/* An instruction of many accesses, near the overflow of loads */
static void test_overflow_within_one_instruction(void **state)
{
    struct guest *g = *state;
    uint64_t begin;
    unsigned int i;

    guest_wrmsr(g, CTR(0), WRAP(100));
    guest_wrmsr(g, SELECT(0), EVENT_LOADS | USR_INT);
    g->class = PMUSIM_USR;
    begin = g->retired;
    for (i = 0; i < 20; i++) {
        unsigned int n;

        guest_run(g, 50);
        guest_load(g, 0x1000);
        for (n = 1; n < 8; n++) {
            pmusim_load(&g->pmu, PMUSIM_USR, 0x1000 + 8 * n);
        }
    }
    assert_int_equal(g->pmis, 1);
    /* The 13th of eight each */
    assert_int_equal(g->pmi_at - begin, 13 * 51);
    assert_int_equal(count(g, 0), 20 * 8 - 100);
}

#define rule(name) cmocka_unit_test_setup(test_##name, setup)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(overflow_of_memory_events_is_exact),
        rule(overflow_by_one_of_many_loads),
        rule(rare_events_are_watched),
        rule(overflow_by_worst_instructions),
        rule(overflow_of_cycles_with_memory_is_exact),
        rule(overflow_within_one_instruction),
    };

    return cmocka_run_group_tests_name("pipeline_overflow", tests, NULL, NULL);
}
