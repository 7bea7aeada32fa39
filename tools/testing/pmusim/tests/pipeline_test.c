/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of slots, caches and levels: one test a rule */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "guest.h"

#define USR_INT         (COUNT_USR | PMUSIM_SEL_INT)
#define SELECT(n)       (PMUSIM_MSR_PERFEVTSEL0 + (n))
#define CTR(n)          (PMUSIM_MSR_FULL_WIDTH_PMC0 + (n))
#define LINE            UINT64_C(64)

/* 32 KiB in 8 ways and 1 MiB in 16, of 64 bytes a line each */
#define L1_WAYS         8
#define L1_SETS         (32768 / 64 / L1_WAYS)
#define LLC_WAYS        16
#define LLC_SETS        1024

/* Events of Golden Cove */
#define EVENT_SLOTS         UINT64_C(0x01a4)
#define EVENT_BACKEND       UINT64_C(0x02a4)
#define EVENT_BAD_SPEC      UINT64_C(0x04a4)
#define EVENT_MEMORY_BOUND  UINT64_C(0x10a4)
#define EVENT_FRONTEND      UINT64_C(0x019c)
#define EVENT_RECOVERY      UINT64_C(0x01ad)
#define EVENT_TAKEN         UINT64_C(0x20c4)
#define EVENT_HEAVY         UINT64_C(0x01c2)
#define EVENT_LOADS         UINT64_C(0x81d0)
#define EVENT_STORES        UINT64_C(0x82d0)
#define EVENT_L1_HITS       UINT64_C(0x01d1)
#define EVENT_L1_MISSES     UINT64_C(0x08d1)
#define EVENT_SLOW_LOADS    UINT64_C(0x01cd)
#define EVENT_LLC           UINT64_C(0x4f2e)
#define EVENT_LLC_MISSES    UINT64_C(0x412e)
/* Of Ice Lake */
#define EVENT_FETCH_MISSES  UINT64_C(0x0283)

/* The range that tells everything, see README.md */
#define TRUTH(lane)     (PMUSIM_MSR_OWN_TRUTH0 + (lane))

static struct guest guest;

static struct guest *make(const char *cpu)
{
    struct guest *g = &guest;

    guest_init(g, cpu, false);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, g->pmu.existing);
    return g;
}

static int setup(void **state)
{
    *state = make("sapphirerapids");
    return 0;
}

static void start(struct guest *g, unsigned int n, uint64_t event)
{
    guest_wrmsr(g, SELECT(n), event | COUNT_USR);
}

static uint64_t count(struct guest *g, unsigned int n)
{
    enum pmusim_class class = g->class;
    uint64_t value;

    g->class = PMUSIM_OS;
    value = guest_rdmsr(g, CTR(n));
    g->class = class;
    return value;
}

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

static unsigned int next_random(uint32_t *seed, unsigned int below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

/* Slots */

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
    assert_int_equal(count(g, 3), pmu->llc_cycles * width);
    assert_int_equal(count(g, 4), pmu->llc_cycles * width);
    guest_divide(g);
    assert_int_equal(count(g, 3), (pmu->llc_cycles + pmu->divide_cycles) *
                     width);
    assert_int_equal(count(g, 4), pmu->llc_cycles * width);
    assert_int_equal(count(g, 5), 1);
    /* An instruction retires once, however much it divides */
    g->pmu.work[PMUSIM_USR].divisions += 2;
    guest_divide(g);
    assert_int_equal(count(g, 5), 2);
    guest_store(g, 0x99000);
    assert_int_equal(count(g, 3), (pmu->llc_cycles + 4 * pmu->divide_cycles) *
                     width);
    assert_int_equal(count(g, 0), 10 + 1 + 1 + 1 + 1 + 1 + 1 + 1 +
                     pmu->taken_slots +
                     (17 + pmu->fetch_cycles + pmu->llc_cycles +
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

/* Caches */

static void count_misses(struct guest *g)
{
    start(g, 0, EVENT_L1_MISSES);
    start(g, 1, EVENT_LLC);
    start(g, 2, EVENT_LLC_MISSES);
    start(g, 3, EVENT_L1_HITS);
    g->class = PMUSIM_USR;
}

static void expect_misses(struct guest *g, unsigned int l1, unsigned int llc,
                          unsigned int llc_misses)
{
    assert_int_equal(count(g, 0), l1);
    assert_int_equal(count(g, 1), llc);
    assert_int_equal(count(g, 2), llc_misses);
}

static void test_line_is_64_bytes(void **state)
{
    struct guest *g = *state;

    count_misses(g);
    guest_load(g, 0x1000);
    guest_load(g, 0x103f);
    expect_misses(g, 1, 1, 1);
    guest_load(g, 0x1040);
    guest_load(g, 0xfff);
    expect_misses(g, 3, 3, 3);
    assert_int_equal(count(g, 3), 1);
}

static void test_line_0_is_like_others(void **state)
{
    struct guest *g = *state;

    count_misses(g);
    guest_load(g, 0);
    guest_load(g, 63);
    expect_misses(g, 1, 1, 1);
    guest_load(g, UINT64_MAX);
    guest_load(g, UINT64_MAX);
    expect_misses(g, 2, 2, 2);
}

/* As much as there is room for stays, one line more does not */
static void test_l1d_geometry(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    count_misses(g);
    for (i = 0; i < 2 * L1_SETS * L1_WAYS; i++) {
        guest_load(g, LINE * (i % (L1_SETS * L1_WAYS)));
    }
    expect_misses(g, 512, 512, 512);
    /* Eight ways: a ninth line of the set replaces one */
    guest_load(g, LINE * L1_SETS * L1_WAYS);
    expect_misses(g, 513, 513, 513);
    /* The neighbours are untouched */
    for (i = 1; i < L1_SETS; i++) {
        guest_load(g, LINE * i);
    }
    expect_misses(g, 513, 513, 513);
    guest_load(g, 0);
    expect_misses(g, 514, 514, 513);
}

static void test_l1d_replaces_the_least_recently_used(void **state)
{
    struct guest *g = *state;
    unsigned int way;

    count_misses(g);
    for (way = 0; way < L1_WAYS; way++) {
        guest_load(g, LINE * L1_SETS * way);
    }
    /* Line 0 is used, so 1 is the oldest; then 0 again and 2 goes */
    guest_load(g, 0);
    guest_load(g, LINE * L1_SETS * 8);
    guest_load(g, 0);
    guest_load(g, LINE * L1_SETS * 9);
    expect_misses(g, 10, 10, 10);
    for (way = 3; way < 10; way++) {
        guest_load(g, LINE * L1_SETS * way);
    }
    guest_load(g, 0);
    expect_misses(g, 10, 10, 10);
    guest_load(g, LINE * L1_SETS * 1);
    guest_load(g, LINE * L1_SETS * 2);
    expect_misses(g, 12, 12, 10);
}

/* Against a list of lines in the order of their use, for random accesses */
static void test_lru_against_oracle(void **state)
{
    struct guest *g = *state;
    uint64_t order[L1_WAYS] = { 0 };
    unsigned int misses = 0, i, way;
    uint32_t seed = 1;

    count_misses(g);
    for (i = 0; i < 20000; i++) {
        uint64_t line = 1 + next_random(&seed, 11);

        for (way = 0; way < L1_WAYS - 1 && order[way] != line; way++) {
        }
        misses += order[way] != line;
        memmove(order + 1, order, way * sizeof(order[0]));
        order[0] = line;
        if (next_random(&seed, 4)) {
            guest_load(g, LINE * (L1_SETS * line + 7));
        } else {
            /* A store that misses is a miss of no load */
            uint64_t before = count(g, 0);

            guest_store(g, LINE * (L1_SETS * line + 7));
            misses -= misses > before;
            assert_int_equal(count(g, 0), misses);
        }
    }
    assert_int_equal(count(g, 0), misses);
    assert_int_equal(count(g, 2), 11);
}

static void test_llc_geometry(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    count_misses(g);
    for (i = 0; i < LLC_SETS * LLC_WAYS; i++) {
        guest_load(g, LINE * i);
    }
    expect_misses(g, 16384, 16384, 16384);
    for (i = 0; i < LLC_SETS * LLC_WAYS; i++) {
        guest_load(g, LINE * i);
    }
    expect_misses(g, 32768, 32768, 16384);
    /* One more line: of its set, the oldest is gone, and only that */
    guest_load(g, LINE * LLC_SETS * LLC_WAYS);
    guest_load(g, LINE * LLC_SETS);
    expect_misses(g, 32770, 32770, 16385);
    guest_load(g, 0);
    expect_misses(g, 32771, 32771, 16386);
    guest_load(g, LINE);
    expect_misses(g, 32772, 32772, 16386);
}

static void test_stores_allocate_and_never_wait(void **state)
{
    struct guest *g = *state;

    count_misses(g);
    g->class = PMUSIM_OS;
    start(g, 4, EVENT_BACKEND);
    start(g, 5, EVENT_STORES);
    start(g, 6, EVENT_LOADS);
    g->class = PMUSIM_USR;
    guest_store(g, 0x1000);
    expect_misses(g, 0, 1, 1);
    guest_load(g, 0x1008);
    expect_misses(g, 0, 1, 1);
    assert_int_equal(count(g, 4), 0);
    assert_int_equal(count(g, 5), 1);
    assert_int_equal(count(g, 6), 1);
}

static void test_l1i_geometry(void **state)
{
    struct guest *g = make("icelake");
    unsigned int i;

    start(g, 0, EVENT_FETCH_MISSES);
    start(g, 1, EVENT_LLC);
    start(g, 2, EVENT_LLC_MISSES);
    g->class = PMUSIM_USR;
    for (i = 0; i < 2 * L1_SETS * L1_WAYS; i++) {
        guest_fetch(g, LINE * (i % (L1_SETS * L1_WAYS)));
        guest_run(g, 1);
    }
    expect_misses(g, 512, 512, 512);
    guest_fetch(g, LINE * L1_SETS * L1_WAYS);
    guest_run(g, 1);
    guest_fetch(g, LINE * L1_SETS);
    guest_run(g, 1);
    expect_misses(g, 513, 513, 513);
    guest_fetch(g, 0);
    guest_run(g, 1);
    expect_misses(g, 514, 514, 513);
}

/* Lines of code and of data meet in the last level only */
static void test_code_and_data_are_apart(void **state)
{
    struct guest *g = make("icelake");

    start(g, 0, EVENT_FETCH_MISSES);
    start(g, 1, EVENT_LLC);
    start(g, 2, EVENT_LLC_MISSES);
    start(g, 3, EVENT_L1_MISSES);
    g->class = PMUSIM_USR;
    guest_fetch(g, 0x8000);
    guest_load(g, 0x8000);
    expect_misses(g, 1, 2, 1);
    assert_int_equal(count(g, 3), 1);
}

static void test_flush(void **state)
{
    struct guest *g = make("icelake");
    unsigned int way;

    start(g, 0, EVENT_FETCH_MISSES);
    start(g, 1, EVENT_LLC);
    start(g, 2, EVENT_LLC_MISSES);
    start(g, 3, EVENT_L1_MISSES);
    g->class = PMUSIM_USR;
    for (way = 0; way < L1_WAYS; way++) {
        guest_load(g, LINE * L1_SETS * way);
    }
    guest_fetch(g, LINE * L1_SETS * 3);
    guest_run(g, 1);
    expect_misses(g, 1, 9, 8);
    /* Anywhere in the line, out of all caches */
    pmusim_flush(&g->pmu, LINE * L1_SETS * 3 + 63);
    guest_load(g, LINE * L1_SETS * 3);
    assert_int_equal(count(g, 3), 9);
    expect_misses(g, 1, 10, 9);
    guest_fetch(g, LINE * L1_SETS * 3);
    guest_run(g, 1);
    expect_misses(g, 2, 11, 9);
    /* The others stayed, each once */
    for (way = 0; way < L1_WAYS; way++) {
        guest_load(g, LINE * L1_SETS * way);
    }
    assert_int_equal(count(g, 3), 9);
    /* What is in no cache flushes nothing */
    pmusim_flush(&g->pmu, LINE * L1_SETS * 99);
    for (way = 0; way < L1_WAYS; way++) {
        guest_load(g, LINE * L1_SETS * way);
    }
    assert_int_equal(count(g, 3), 9);
}

/* The oldest line of a set, and the youngest */
static void test_flush_of_either_end(void **state)
{
    struct guest *g = *state;
    unsigned int way;

    count_misses(g);
    for (way = 0; way < L1_WAYS; way++) {
        guest_load(g, LINE * L1_SETS * way);
    }
    pmusim_flush(&g->pmu, 0);
    pmusim_flush(&g->pmu, LINE * L1_SETS * 7);
    for (way = 1; way < 7; way++) {
        guest_load(g, LINE * L1_SETS * way);
    }
    expect_misses(g, 8, 8, 8);
    guest_load(g, 0);
    expect_misses(g, 9, 9, 9);
    guest_load(g, LINE * L1_SETS * 7);
    expect_misses(g, 10, 10, 10);
}

/* A flushed way is the first to be used again */
static void test_flush_makes_room(void **state)
{
    struct guest *g = *state;
    unsigned int way;

    count_misses(g);
    for (way = 0; way < L1_WAYS; way++) {
        guest_load(g, LINE * L1_SETS * way);
    }
    pmusim_flush(&g->pmu, LINE * L1_SETS * 5);
    guest_load(g, LINE * L1_SETS * 20);
    expect_misses(g, 9, 9, 9);
    for (way = 0; way < L1_WAYS; way++) {
        if (way != 5) {
            guest_load(g, LINE * L1_SETS * way);
        }
    }
    expect_misses(g, 9, 9, 9);
}

static void test_latencies(void **state)
{
    struct guest *g = *state;
    const struct pmusim_pmu *pmu = g->pmu.pmu;
    unsigned int i;

    start(g, 0, EVENT_MEMORY_BOUND);
    g->class = PMUSIM_USR;
    guest_load(g, 0x1000);
    assert_int_equal(count(g, 0), pmu->llc_cycles * pmu->width);
    assert_int_equal(g->pmu.last.latency, 5 + pmu->llc_cycles);
    assert_int_equal(g->pmu.last.source, pmu->source_memory);
    guest_load(g, 0x1000);
    assert_int_equal(count(g, 0), pmu->llc_cycles * pmu->width);
    assert_int_equal(g->pmu.last.latency, 5);
    assert_int_equal(g->pmu.last.source, 1);
    /* Out of L1D, not out of the last level */
    for (i = 1; i <= L1_WAYS; i++) {
        guest_load(g, 0x1000 + LINE * L1_SETS * i);
    }
    guest_load(g, 0x1000);
    assert_int_equal(count(g, 0), (pmu->llc_cycles * 9 + pmu->memory_cycles) *
                     pmu->width);
    assert_int_equal(g->pmu.last.latency, 5 + pmu->memory_cycles);
    assert_int_equal(g->pmu.last.source, pmu->source_llc);
    assert_int_equal(g->pmu.last.address, 0x1000);
}

/* PEBS_LD_LAT cycles or longer, to the cycle */
static void test_slow_loads(void **state)
{
    unsigned int latency[] = { 5, 19, 75 }, i, j;

    for (i = 0; i < 3; i++) {
        for (j = 0; j < 2; j++) {
            struct guest *g = make("sapphirerapids");
            const struct pmusim_pmu *pmu = g->pmu.pmu;
            unsigned int threshold = latency[i] + j;

            assert_int_equal(pmu->memory_cycles, 14);
            assert_int_equal(pmu->llc_cycles, 70);
            guest_wrmsr(g, PMUSIM_MSR_PEBS_LD_LAT, threshold);
            start(g, 0, EVENT_SLOW_LOADS);
            g->class = PMUSIM_USR;
            /* One of each: memory, L1D, and the last level behind a fetch */
            guest_fetch(g, 0x2000);
            guest_load(g, 0x1000);
            guest_load(g, 0x1000);
            guest_load(g, 0x2000);
            assert_int_equal(count(g, 0), 3 - i - j);
        }
    }
}

static void test_every_load_is_slow_without_threshold(void **state)
{
    struct guest *g = *state;

    start(g, 0, EVENT_SLOW_LOADS);
    g->class = PMUSIM_USR;
    guest_load(g, 0x1000);
    guest_load(g, 0x1000);
    guest_store(g, 0x1000);
    assert_int_equal(count(g, 0), 2);
}

/* Levels */

static void expect_level(struct guest *g, unsigned int os, unsigned int usr)
{
    unsigned int cpl;

    for (cpl = 0; cpl < PMUSIM_CPLS; cpl++) {
        assert_int_equal(g->pmu.hot.level[cpl], cpl ? usr : os);
    }
}

static void test_level_of_each_event(void **state)
{
    static const struct {
        uint64_t event;
        unsigned int level;
    } rows[] = {
        { EVENT_INSNS,          PMUSIM_LEVEL_INSNS },
        { 0x02c2,               PMUSIM_LEVEL_INSNS },
        { EVENT_BRANCHES,       PMUSIM_LEVEL_BRANCHES },
        { EVENT_MISSES,         PMUSIM_LEVEL_BRANCHES },
        { EVENT_TAKEN,          PMUSIM_LEVEL_BRANCHES },
        { EVENT_CYCLES,         PMUSIM_LEVEL_BRANCHES },
        { EVENT_RECOVERY,       PMUSIM_LEVEL_BRANCHES },
        { EVENT_SLOTS,          PMUSIM_LEVEL_MEMORY },
        { EVENT_BACKEND,        PMUSIM_LEVEL_MEMORY },
        { EVENT_BAD_SPEC,       PMUSIM_LEVEL_MEMORY },
        { EVENT_FRONTEND,       PMUSIM_LEVEL_MEMORY },
        { EVENT_MEMORY_BOUND,   PMUSIM_LEVEL_MEMORY },
        { EVENT_HEAVY,          PMUSIM_LEVEL_MEMORY },
        { EVENT_LOADS,          PMUSIM_LEVEL_MEMORY },
        { EVENT_STORES,         PMUSIM_LEVEL_MEMORY },
        { EVENT_L1_HITS,        PMUSIM_LEVEL_MEMORY },
        { EVENT_L1_MISSES,      PMUSIM_LEVEL_MEMORY },
        { EVENT_LLC,            PMUSIM_LEVEL_MEMORY },
        { EVENT_LLC_MISSES,     PMUSIM_LEVEL_MEMORY },
        { EVENT_SLOW_LOADS,     PMUSIM_LEVEL_MEMORY },
        /* Never happens, and what there is not */
        { 0x10ad,               PMUSIM_LEVEL_NONE },
        { 0x1234,               PMUSIM_LEVEL_NONE },
    };
    struct guest *g = *state;
    unsigned int i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        unsigned int level = rows[i].level;

        guest_wrmsr(g, SELECT(3), rows[i].event | COUNT_USR);
        expect_level(g, PMUSIM_LEVEL_NONE, level);
        guest_wrmsr(g, SELECT(3), rows[i].event | COUNT_OS);
        expect_level(g, level, PMUSIM_LEVEL_NONE);
        guest_wrmsr(g, SELECT(3), rows[i].event | COUNT_OS | COUNT_USR);
        expect_level(g, level, level);
        guest_wrmsr(g, SELECT(3), rows[i].event | PMUSIM_SEL_USR);
        expect_level(g, PMUSIM_LEVEL_NONE, PMUSIM_LEVEL_NONE);
    }
}

static void test_level_of_fixed_counters(void **state)
{
    static const unsigned int levels[] = {
        PMUSIM_LEVEL_INSNS, PMUSIM_LEVEL_BRANCHES, PMUSIM_LEVEL_BRANCHES,
        PMUSIM_LEVEL_MEMORY,
    };
    struct guest *g = *state;
    unsigned int n;

    for (n = 0; n < 4; n++) {
        guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, PMUSIM_FIXED_USR << 4 * n);
        expect_level(g, PMUSIM_LEVEL_NONE, levels[n]);
        guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, PMUSIM_FIXED_OS << 4 * n);
        expect_level(g, levels[n], PMUSIM_LEVEL_NONE);
    }
}

static void test_highest_level_wins(void **state)
{
    struct guest *g = *state;

    start(g, 0, EVENT_INSNS);
    start(g, 1, EVENT_BRANCHES);
    expect_level(g, 0, PMUSIM_LEVEL_BRANCHES);
    start(g, 2, EVENT_LOADS);
    expect_level(g, 0, PMUSIM_LEVEL_MEMORY);
    start(g, 1, EVENT_INSNS);
    start(g, 2, EVENT_INSNS);
    expect_level(g, 0, PMUSIM_LEVEL_INSNS);
}

static void test_level_of_recording(void **state)
{
    struct guest *g = *state;

    start(g, 0, EVENT_INSNS);
    guest_wrmsr(g, PMUSIM_MSR_PEBS_ENABLE, 2);
    expect_level(g, 0, PMUSIM_LEVEL_INSNS);
    guest_wrmsr(g, PMUSIM_MSR_PEBS_ENABLE, 1);
    expect_level(g, 0, PMUSIM_LEVEL_RECORD);
    start(g, 1, EVENT_LOADS);
    expect_level(g, 0, PMUSIM_LEVEL_MEMORY);
    guest_wrmsr(g, PMUSIM_MSR_PEBS_ENABLE, 0);
    start(g, 0, 0);
    start(g, 1, 0);
    expect_level(g, 0, 0);
    guest_wrmsr(g, PMUSIM_MSR_ARCH_LBR_CTL, 0x7f0007);
    expect_level(g, PMUSIM_LEVEL_RECORD, PMUSIM_LEVEL_RECORD);
}

static void test_level_of_ranges_and_statistics(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, PMUSIM_MSR_OWN_CONTROL, PMUSIM_CONTROL_COUNT);
    expect_level(g, PMUSIM_LEVEL_INSNS, PMUSIM_LEVEL_INSNS);
    guest_wrmsr(g, PMUSIM_MSR_OWN_RANGE0 + 3 + 4 * 7, PMUSIM_RANGE_USR);
    expect_level(g, PMUSIM_LEVEL_INSNS, PMUSIM_LEVEL_EXACT);
    start(g, 0, EVENT_LOADS);
    expect_level(g, PMUSIM_LEVEL_INSNS, PMUSIM_LEVEL_EXACT_MEMORY);
}

static void test_level_while_frozen(void **state)
{
    struct guest *g = *state;

    start(g, 0, EVENT_LOADS);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_SET, PMUSIM_STATUS_CTR_FRZ);
    expect_level(g, 0, 0);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, PMUSIM_STATUS_CTR_FRZ);
    expect_level(g, 0, PMUSIM_LEVEL_MEMORY);
}

/* Exactness */

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
            stall = miss ? pmu->llc_cycles : 0;
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

/*
 * Blocks with loads in them: near the overflow they are cut so that the load
 * which does it is the last of its block
 */
static void check_blocks_of_loads(uint64_t event, unsigned int period)
{
    struct guest *g = make("sapphirerapids");
    const struct pmusim_pmu *pmu = g->pmu.pmu;
    unsigned int slots = 1 + pmu->llc_cycles * pmu->width;
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

static void test_overflow_within_a_block_of_loads(void **state)
{
    unsigned int i;

    for (i = 1; i < 1400; i += 7) {
        check_blocks_of_loads(EVENT_LOADS, i);
        check_blocks_of_loads(EVENT_CYCLES, 70 * i);
        check_blocks_of_loads(EVENT_SLOTS, 300 * i);
        check_blocks_of_loads(EVENT_MEMORY_BOUND, 300 * i);
    }
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
    uint64_t backend = memory ? (8 * pmu->llc_cycles + pmu->divide_cycles) *
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
        slots += 1 + pmu->llc_cycles * pmu->width;
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
        rule(categories_sum_to_slots),
        rule(cycles_are_slots_by_width),
        rule(slots_of_each_kind),
        rule(straight_code_is_above_two_a_cycle),
        rule(recovery_is_in_cycles),
        rule(no_memory_no_stalls),
        rule(classes_do_not_mix),
        rule(line_is_64_bytes),
        rule(line_0_is_like_others),
        rule(l1d_geometry),
        rule(l1d_replaces_the_least_recently_used),
        rule(lru_against_oracle),
        rule(llc_geometry),
        rule(stores_allocate_and_never_wait),
        rule(l1i_geometry),
        rule(code_and_data_are_apart),
        rule(flush),
        rule(flush_of_either_end),
        rule(flush_makes_room),
        rule(latencies),
        rule(slow_loads),
        rule(every_load_is_slow_without_threshold),
        rule(level_of_each_event),
        rule(level_of_fixed_counters),
        rule(highest_level_wins),
        rule(level_of_recording),
        rule(level_of_ranges_and_statistics),
        rule(level_while_frozen),
        rule(overflow_of_memory_events_is_exact),
        rule(overflow_within_a_block_of_loads),
        rule(overflow_by_worst_instructions),
        rule(overflow_of_cycles_with_memory_is_exact),
        rule(overflow_within_one_instruction),
    };

    return cmocka_run_group_tests_name("pipeline", tests, NULL, NULL);
}
