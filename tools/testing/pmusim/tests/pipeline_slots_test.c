/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of the pipeline: where slots go */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "pipeline_fixture.h"

/* The range that tells everything, see README.md */
#define TRUTH(lane)     (PMUSIM_MSR_OWN_TRUTH0 + (lane))

static void watch_everything(struct guest *g)
{
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_OWN_RANGE0, 0);
    guest_wrmsr(g, PMUSIM_MSR_OWN_RANGE0 + 1, UINT64_MAX);
    guest_wrmsr(g, PMUSIM_MSR_OWN_RANGE0 + 3, PMUSIM_RANGE_USR);
}

static uint64_t truth(struct guest *g, enum pmusim_lane lane)
{
    g->class = PMUSIM_OS;
    return guest_rdmsr(g, TRUTH(lane));
}

static void random_code(struct guest *g, uint32_t *seed, unsigned int rounds)
{
    unsigned int pc = 0;

    g->class = PMUSIM_USR;
    for (; rounds; rounds--) {
        unsigned int insns = 1 + next_random(seed, 12);

        switch (next_random(seed, 7)) {
        case 0:
            guest_run(g, insns);
            break;
        case 1:
            guest_branch(g, insns, pc++ % 64, next_random(seed, 2));
            break;
        case 2:
            guest_jump(g, insns);
            break;
        case 3:
            guest_load(g, LINE * next_random(seed, 3000));
            break;
        case 4:
            guest_store(g, LINE * next_random(seed, 3000));
            break;
        case 5:
            guest_divide(g);
            break;
        default:
            guest_fetch(g, 0x400000 + LINE * next_random(seed, 1500));
            guest_run(g, insns);
            break;
        }
    }
    guest_run(g, 1);
}

/* Each slot has one category */
static void test_categories_sum_to_slots(void **state)
{
    static const char *const cpus[] = {
        "icelake", "sapphirerapids", "arrowlake",
    };
    uint32_t seed;

    for (seed = 1; seed <= 60; seed++) {
        struct guest *g = make(cpus[seed % 3]);
        uint32_t random = seed * 2654435761u;
        uint64_t slots, parts;

        guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0x2222);
        watch_everything(g);
        random_code(g, &random, 200);
        slots = truth(g, PMUSIM_SLOTS);
        parts = truth(g, PMUSIM_INSNS) + truth(g, PMUSIM_BAD_SPEC) +
                truth(g, PMUSIM_FRONTEND) + truth(g, PMUSIM_BACKEND);
        assert_int_equal(slots, parts);
        assert_true(truth(g, PMUSIM_BAD_SPEC) && truth(g, PMUSIM_FRONTEND) &&
                    truth(g, PMUSIM_BACKEND));
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_FIXED_CTR0 + 3), slots);
        /* Cycles are full ones */
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_FIXED_CTR0 + 1),
                         slots / g->pmu.pmu->width);
        assert_true(truth(g, PMUSIM_FETCH_LATENCY) <=
                    truth(g, PMUSIM_FRONTEND));
        assert_true(truth(g, PMUSIM_MEMORY_BOUND) <=
                    truth(g, PMUSIM_BACKEND));
        assert_true(truth(g, PMUSIM_HEAVY) <= truth(g, PMUSIM_INSNS));
    }
}

/* The spec's widths */
static void test_cycles_are_slots_by_width(void **state)
{
    static const struct {
        const char *cpu;
        bool atom;
        unsigned int width;
    } rows[] = {
        { "skylake", false, 4 }, { "icelake", false, 5 },
        { "sapphirerapids", false, 6 }, { "arrowlake", false, 8 },
        { "arrowlake", true, 8 }, { "lunarlake", false, 8 },
        { "lunarlake", true, 8 }, { "clearwaterforest", false, 8 },
    };
    unsigned int i;

    for (i = 0; i < 8; i++) {
        struct guest g;

        guest_init(&g, rows[i].cpu, rows[i].atom);
        g.class = PMUSIM_OS;
        start(&g, 0, EVENT_CYCLES);
        g.class = PMUSIM_USR;
        guest_run(&g, 1000 * rows[i].width + rows[i].width - 1);
        assert_int_equal(count(&g, 0), 1000);
        guest_run(&g, 1);
        assert_int_equal(count(&g, 0), 1001);
    }
}

/* Where each kind of instruction leaves slots, one by one */
static void test_slots_of_each_kind(void **state)
{
    struct guest *g = *state;
    const struct pmusim_pmu *pmu = g->pmu.pmu;
    unsigned int width = pmu->width;

    start(g, 0, EVENT_SLOTS);
    start(g, 1, EVENT_FRONTEND);
    start(g, 2, EVENT_BAD_SPEC);
    start(g, 3, EVENT_BACKEND);
    start(g, 4, EVENT_MEMORY_BOUND);
    start(g, 5, EVENT_HEAVY);
    g->class = PMUSIM_USR;

    guest_run(g, 10);
    assert_int_equal(count(g, 0), 10);
    guest_jump(g, 1);
    assert_int_equal(count(g, 1), pmu->taken_slots);
    assert_int_equal(count(g, 0), 11 + pmu->taken_slots);
    assert_int_equal(count(g, 2), 0);
    /* Missed, and not taken: no slots behind it */
    memset(g->pmu.hot.predictor.pattern, 7, PMUSIM_PATTERNS);
    guest_branch(g, 1, 0x40, false);
    assert_int_equal(count(g, 2), 17 * width);
    assert_int_equal(count(g, 1), pmu->taken_slots);
    guest_fetch(g, 0x12340);
    guest_run(g, 1);
    assert_int_equal(count(g, 1), pmu->taken_slots +
                     pmu->fetch_cycles * width);
    assert_int_equal(count(g, 3), 0);
    guest_load(g, 0x5000);
    assert_int_equal(count(g, 3), pmu->memory_cycles * width);
    assert_int_equal(count(g, 4), pmu->memory_cycles * width);
    guest_divide(g);
    assert_int_equal(count(g, 3), (pmu->memory_cycles + pmu->divide_cycles) *
                     width);
    assert_int_equal(count(g, 4), pmu->memory_cycles * width);
    assert_int_equal(count(g, 5), 1);
    /* An instruction retires once, however much it divides */
    g->pmu.work[PMUSIM_USR].divisions += 2;
    guest_divide(g);
    assert_int_equal(count(g, 5), 2);
    guest_store(g, 0x99000);
    assert_int_equal(count(g, 3), (pmu->memory_cycles +
                                   4 * pmu->divide_cycles) * width);
    assert_int_equal(count(g, 0), 10 + 1 + 1 + 1 + 1 + 1 + 1 + 1 +
                     pmu->taken_slots +
                     (17 + pmu->fetch_cycles + pmu->memory_cycles +
                      4 * pmu->divide_cycles) * width);
}

/* Straight code shows what public tests expect */
static void test_straight_code_is_above_two_a_cycle(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    start(g, 0, EVENT_INSNS);
    start(g, 1, EVENT_CYCLES);
    g->class = PMUSIM_USR;
    for (i = 0; i < 100; i++) {
        guest_run(g, 20);
        guest_jump(g, 1);
    }
    assert_true(count(g, 0) > 2 * count(g, 1));
}

static void test_recovery_is_in_cycles(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    start(g, 0, EVENT_RECOVERY);
    start(g, 1, EVENT_MISSES);
    g->class = PMUSIM_USR;
    for (i = 0; i < 10; i++) {
        guest_branch(g, 3, i, true);
    }
    assert_int_equal(count(g, 0), 10 * 17);
    assert_int_equal(count(g, 1), 10);
}

/* Without an event that needs the caches nothing is lost to them */
static void test_no_memory_no_stalls(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    start(g, 0, EVENT_CYCLES);
    g->class = PMUSIM_USR;
    for (i = 0; i < 60; i++) {
        guest_load(g, 64 * i);
        guest_divide(g);
        guest_fetch(g, 0x400000 + 64 * i);
    }
    assert_int_equal(count(g, 0), 120 / 6);
}

static void test_classes_do_not_mix(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, SELECT(0), EVENT_LOADS | COUNT_USR);
    guest_wrmsr(g, SELECT(1), EVENT_LOADS | COUNT_OS);
    guest_wrmsr(g, SELECT(2), EVENT_LOADS | COUNT_OS | COUNT_USR);
    guest_load(g, 0x1000);
    guest_load(g, 0x1000);
    g->class = PMUSIM_USR;
    guest_load(g, 0x1000);
    assert_int_equal(count(g, 0), 1);
    assert_int_equal(count(g, 1), 2);
    assert_int_equal(count(g, 2), 3);
}

#define rule(name) cmocka_unit_test_setup(test_##name, setup)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(categories_sum_to_slots),
        rule(cycles_are_slots_by_width),
        rule(slots_of_each_kind),
        rule(straight_code_is_above_two_a_cycle),
        rule(recovery_is_in_cycles),
        rule(no_memory_no_stalls),
        rule(classes_do_not_mix),
    };

    return cmocka_run_group_tests_name("pipeline_slots", tests, NULL, NULL);
}
