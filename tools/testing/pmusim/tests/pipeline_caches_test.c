/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of the pipeline: caches and what misses cost */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "pipeline_fixture.h"

/* 32 KiB in 8 ways and 1 MiB in 16, of 64 bytes a line each */
#define L1_WAYS         8
#define L1_SETS         (32768 / 64 / L1_WAYS)
#define LLC_WAYS        16
#define LLC_SETS        1024

static void count_misses(struct guest *g)
{
    start(g, 0, EVENT_L1_MISSES);
    start(g, 1, EVENT_LLC);
    start(g, 2, EVENT_LLC_MISSES);
    start(g, 3, EVENT_L1_HITS);
    g->class = PMUSIM_USR;
}

/* The same of code, where there is an event for it: on Ice Lake */
static void count_fetch_misses(struct guest *g)
{
    start(g, 0, EVENT_FETCH_MISSES);
    start(g, 1, EVENT_LLC);
    start(g, 2, EVENT_LLC_MISSES);
    start(g, 3, EVENT_L1_MISSES);
    g->class = PMUSIM_USR;
}

/* Counters 0 to 2, of either kind */
static void expect_misses(struct guest *g, unsigned int l1, unsigned int llc,
                          unsigned int llc_misses)
{
    assert_int_equal(count(g, 0), l1);
    assert_int_equal(count(g, 1), llc);
    assert_int_equal(count(g, 2), llc_misses);
}

/* Lines of one set, from number @first up to @end */
static void load_ways(struct guest *g, unsigned int first, unsigned int end)
{
    for (; first < end; first++) {
        guest_load(g, LINE * L1_SETS * first);
    }
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

    count_misses(g);
    load_ways(g, 0, L1_WAYS);
    /* Line 0 is used, so 1 is the oldest; then 0 again and 2 goes */
    guest_load(g, 0);
    guest_load(g, LINE * L1_SETS * 8);
    guest_load(g, 0);
    guest_load(g, LINE * L1_SETS * 9);
    expect_misses(g, 10, 10, 10);
    load_ways(g, 3, 10);
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

    count_fetch_misses(g);
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

    count_fetch_misses(g);
    guest_fetch(g, 0x8000);
    guest_load(g, 0x8000);
    expect_misses(g, 1, 2, 1);
    assert_int_equal(count(g, 3), 1);
}

static void test_flush(void **state)
{
    struct guest *g = make("icelake");

    count_fetch_misses(g);
    load_ways(g, 0, L1_WAYS);
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
    load_ways(g, 0, L1_WAYS);
    assert_int_equal(count(g, 3), 9);
    /* What is in no cache flushes nothing */
    pmusim_flush(&g->pmu, LINE * L1_SETS * 99);
    load_ways(g, 0, L1_WAYS);
    assert_int_equal(count(g, 3), 9);
}

/* The oldest line of a set, and the youngest */
static void test_flush_of_either_end(void **state)
{
    struct guest *g = *state;

    count_misses(g);
    load_ways(g, 0, L1_WAYS);
    pmusim_flush(&g->pmu, 0);
    pmusim_flush(&g->pmu, LINE * L1_SETS * 7);
    load_ways(g, 1, 7);
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
    load_ways(g, 0, L1_WAYS);
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
    assert_int_equal(count(g, 0), pmu->memory_cycles * pmu->width);
    assert_int_equal(g->pmu.last_load.latency, 5 + pmu->memory_cycles);
    assert_int_equal(g->pmu.last_load.source, pmu->source_memory);
    guest_load(g, 0x1000);
    assert_int_equal(count(g, 0), pmu->memory_cycles * pmu->width);
    assert_int_equal(g->pmu.last_load.latency, 5);
    assert_int_equal(g->pmu.last_load.source, 1);
    /* Out of L1D, not out of the last level */
    for (i = 1; i <= L1_WAYS; i++) {
        guest_load(g, 0x1000 + LINE * L1_SETS * i);
    }
    guest_load(g, 0x1000);
    assert_int_equal(count(g, 0), (pmu->memory_cycles * 9 + pmu->llc_cycles) *
                     pmu->width);
    assert_int_equal(g->pmu.last_load.latency, 5 + pmu->llc_cycles);
    assert_int_equal(g->pmu.last_load.source, pmu->source_llc);
    assert_int_equal(g->pmu.last_load.address, 0x1000);
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

            assert_int_equal(pmu->llc_cycles, 14);
            assert_int_equal(pmu->memory_cycles, 70);
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

#define rule(name) cmocka_unit_test_setup(test_##name, setup)

int main(void)
{
    static const struct CMUnitTest tests[] = {
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
    };

    return cmocka_run_group_tests_name("pipeline_caches", tests, NULL, NULL);
}
