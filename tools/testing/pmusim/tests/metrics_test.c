/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of PERF_METRICS: one test a rule */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "cpu_fixture.h"

#define RDPMC_METRICS   0x20000000
#define RDPMC_SLOTS     (0x40000000 | 3)
#define ENABLE          (PMUSIM_GLOBAL_METRICS | FIXED_BIT(3))
/* FX3 in user code, without and with its interrupt */
#define SLOTS_USR       0x2000

enum {
    RETIRING, BAD_SPEC, FRONTEND, BACKEND,
    HEAVY, MISPREDICTED, FETCH_LATENCY, MEMORY_BOUND,
};

/* As Linux starts: slots to 0, then the metrics, then both on */
static struct guest *make_counting(const char *cpu)
{
    struct guest *g = make(cpu, false);

    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + 3, 0);
    guest_wrmsr(g, PMUSIM_MSR_PERF_METRICS, 0);
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, SLOTS_USR);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, ENABLE);
    g->class = PMUSIM_USR;
    return g;
}

static uint64_t metrics(struct guest *g)
{
    enum pmusim_class class = g->class;
    uint64_t value;

    g->class = PMUSIM_OS;
    value = guest_rdmsr(g, PMUSIM_MSR_PERF_METRICS);
    g->class = class;
    return value;
}

static unsigned int byte(uint64_t value, unsigned int i)
{
    return value >> 8 * i & 0xff;
}

static unsigned int level_1(uint64_t value)
{
    return byte(value, 0) + byte(value, 1) + byte(value, 2) + byte(value, 3);
}

/* Existence */

static void test_existence_by_cpu(void **state)
{
    static const struct {
        const char *cpu;
        bool atom;
        unsigned int bytes;
    } rows[] = {
        { "skylake", false, 0 }, { "icelake", false, 4 },
        { "sapphirerapids", false, 8 }, { "arrowlake", false, 8 },
        { "arrowlake", true, 0 }, { "lunarlake", false, 8 },
        { "lunarlake", true, 0 }, { "clearwaterforest", false, 0 },
    };
    unsigned int i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct guest *g = make(rows[i].cpu, rows[i].atom);
        uint64_t caps = guest_rdmsr(g, PMUSIM_MSR_PERF_CAPABILITIES);

        assert_int_equal(caps >> 15 & 1, !!rows[i].bytes);
        if (!rows[i].bytes) {
            guest_rdmsr_faults(g, PMUSIM_MSR_PERF_METRICS);
            guest_wrmsr_faults(g, PMUSIM_MSR_PERF_METRICS, 0);
            guest_rdpmc_faults(g, RDPMC_METRICS);
            guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_CTRL,
                               PMUSIM_GLOBAL_METRICS);
            guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_STATUS_RESET,
                               PMUSIM_GLOBAL_METRICS);
            continue;
        }
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PERF_METRICS), 0);
        guest_wrmsr(g, PMUSIM_MSR_PERF_METRICS, UINT64_MAX);
        guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, PMUSIM_GLOBAL_METRICS);
        guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, PMUSIM_GLOBAL_METRICS);
    }
}

/* When they count */

static void check_counts(uint64_t global, uint64_t fixed, bool expected)
{
    struct guest *g = make("sapphirerapids", false);

    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, fixed);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, global);
    g->class = PMUSIM_USR;
    guest_run(g, 1000);
    assert_int_equal(metrics(g), expected ? 0xff : 0);
}

static void test_needs_every_enable(void **state)
{
    check_counts(ENABLE, SLOTS_USR, true);
    check_counts(ENABLE, 0x1000, false);
    check_counts(ENABLE, 0, false);
    check_counts(FIXED_BIT(3), SLOTS_USR, false);
    check_counts(PMUSIM_GLOBAL_METRICS, SLOTS_USR, false);
    check_counts(PMUSIM_GLOBAL_METRICS | FIXED_BIT(0), SLOTS_USR | 2, false);
}

static void test_not_while_frozen(void **state)
{
    struct guest *g = make_counting("sapphirerapids");

    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_SET, PMUSIM_STATUS_CTR_FRZ);
    g->class = PMUSIM_USR;
    guest_run(g, 1000);
    assert_int_equal(metrics(g), 0);
}

/* Of each class what FX3 counts */
static void test_classes(void **state)
{
    struct guest *g = make_counting("sapphirerapids");
    unsigned int i;

    guest_run(g, 600);
    g->class = PMUSIM_OS;
    for (i = 0; i < 100; i++) {
        guest_branch(g, 1, i, true);
    }
    assert_int_equal(metrics(g), 0xff);
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0x3000);
    for (i = 0; i < 100; i++) {
        guest_branch(g, 1, 0x1000 + i, true);
    }
    assert_true(byte(metrics(g), BAD_SPEC) > 100);
}

/* Values */

/* Random work in random amounts: what holds of any state */
static void test_level_1_sums_to_ff(void **state)
{
    static const char *const cpus[] = {
        "icelake", "sapphirerapids", "arrowlake",
    };
    uint32_t seed;

    for (seed = 1; seed <= 300; seed++) {
        struct guest *g = make_counting(cpus[seed % 3]);
        uint32_t random = seed * 2654435761u;
        unsigned int rounds = 1 + next_random(&random, 30), i;

        for (; rounds; rounds--) {
            unsigned int number = next_random(&random, 12);
            uint64_t value;

            switch (next_random(&random, 5)) {
            case 0:
                guest_run(g, number * number);
                break;
            case 1:
                for (i = 0; i < number; i++) {
                    guest_branch(g, 1, next_random(&random, 1000),
                                 next_random(&random, 2));
                }
                break;
            case 2:
                for (i = 0; i < number; i++) {
                    guest_fetch(g, next_random(&random, 1u << 20));
                    guest_run(g, 2);
                }
                break;
            case 3:
                for (i = 0; i < number; i++) {
                    guest_load(g, next_random(&random, 1u << 22));
                }
                break;
            default:
                for (i = 0; i < number; i++) {
                    guest_divide(g);
                }
                break;
            }
            value = metrics(g);
            if (!value) {
                assert_int_equal(guest_rdpmc(g, RDPMC_SLOTS), 0);
                continue;
            }
            assert_int_equal(level_1(value), 0xff);
            for (i = 4; i < 8; i++) {
                assert_true(byte(value, i) <= byte(value, i - 4));
            }
            if (g->pmu.pmu->metrics == 4) {
                assert_int_equal(value >> 32, 0);
            }
        }
    }
}

/* Any sums at all, also some that no code can reach */
static void test_level_1_sums_to_ff_of_any_sums(void **state)
{
    struct guest *g = make("sapphirerapids", false);
    uint32_t seed = 7;
    unsigned int round, i;

    for (round = 0; round < 20000; round++) {
        uint64_t value, whole = 0;

        for (i = 0; i < 8; i++) {
            uint64_t limit = UINT64_C(1) << next_random(&seed, 48);

            g->pmu.metric[i] =
                ((uint64_t)next_random(&seed, 1 << 24) << 24 |
                 next_random(&seed, 1 << 24)) & (limit - 1);
            whole += i < 4 ? g->pmu.metric[i] : 0;
        }
        value = metrics(g);
        assert_int_equal(level_1(value), whole ? 0xff : 0);
        for (i = 0; i < 4 && whole; i++) {
            double exact = 255.0 * g->pmu.metric[i] / whole;

            /* Less than one off */
            assert_true(byte(value, i) > exact - 1.01 &&
                        byte(value, i) < exact + 1.01);
            assert_true(byte(value, i + 4) <= byte(value, i));
        }
    }
}

/* The fractions are those of the slots, to the next 255th */
static void test_fractions_of_known_slots(void **state)
{
    struct guest *g = make_counting("sapphirerapids");
    const struct pmusim_pmu *pmu = g->pmu.pmu;
    unsigned int bad = 10 * 17 * 6, frontend = 10 * pmu->taken_slots;
    unsigned int backend = 5 * pmu->divide_cycles * 6, retiring, whole, i;
    uint64_t value;

    guest_run(g, 985);
    for (i = 0; i < 10; i++) {
        guest_branch(g, 1, i, true);
    }
    for (i = 0; i < 5; i++) {
        guest_divide(g);
    }
    retiring = 1000;
    whole = retiring + bad + frontend + backend;
    value = metrics(g);
    assert_in_range(byte(value, RETIRING), 255 * retiring / whole,
                    255 * retiring / whole + 1);
    assert_in_range(byte(value, BAD_SPEC), 255 * bad / whole,
                    255 * bad / whole + 1);
    assert_in_range(byte(value, FRONTEND), 255 * frontend / whole,
                    255 * frontend / whole + 1);
    assert_in_range(byte(value, BACKEND), 255 * backend / whole,
                    255 * backend / whole + 1);
    assert_in_range(byte(value, HEAVY), 255 * 5 / whole, 255 * 5 / whole + 1);
    assert_int_equal(byte(value, MEMORY_BOUND), 0);
    assert_int_equal(byte(value, FETCH_LATENCY), 0);
    assert_in_range(byte(value, MISPREDICTED), byte(value, BAD_SPEC) - 1,
                    byte(value, BAD_SPEC));
    assert_int_equal(guest_rdpmc(g, RDPMC_SLOTS), whole);
}

/* Four workloads, each with a category of its own */

static unsigned int largest(uint64_t value)
{
    unsigned int i, most = 0;

    for (i = 1; i < 4; i++) {
        if (byte(value, i) > byte(value, most)) {
            most = i;
        }
    }
    return most;
}

static void check_workloads(const char *cpu)
{
    struct guest *g;
    bool level_2;
    uint64_t value;
    uint32_t seed = 1;
    unsigned int i;

    g = make_counting(cpu);
    level_2 = strcmp(cpu, "icelake");
    guest_run(g, 10000);
    value = metrics(g);
    assert_int_equal(largest(value), RETIRING);
    assert_int_equal(value, 0xff);

    /* Branches on random data */
    g = make_counting(cpu);
    for (i = 0; i < 2000; i++) {
        guest_branch(g, 6, 0x40, next_random(&seed, 2));
    }
    value = metrics(g);
    assert_int_equal(largest(value), BAD_SPEC);
    assert_int_equal(byte(value, MISPREDICTED),
                     level_2 ? byte(value, BAD_SPEC) : 0);
    assert_int_equal(byte(value, FETCH_LATENCY), 0);

    /* More code than L1I holds, in jumps from line to line */
    g = make_counting(cpu);
    for (i = 0; i < 4000; i++) {
        guest_fetch(g, 64 * (i % 1000));
        guest_jump(g, 6);
    }
    value = metrics(g);
    assert_int_equal(largest(value), FRONTEND);
    assert_true(level_2 ? byte(value, FETCH_LATENCY) > 127 :
                !byte(value, FETCH_LATENCY));

    /* More data than L1D holds */
    g = make_counting(cpu);
    for (i = 0; i < 4000; i++) {
        guest_load(g, 64 * (i % 1000));
        guest_run(g, 5);
    }
    value = metrics(g);
    assert_int_equal(largest(value), BACKEND);
    assert_int_equal(byte(value, MEMORY_BOUND),
                     level_2 ? byte(value, BACKEND) : 0);
    assert_int_equal(byte(value, HEAVY), 0);

    /* Divisions: not memory, and heavy */
    g = make_counting(cpu);
    for (i = 0; i < 1000; i++) {
        guest_divide(g);
    }
    value = metrics(g);
    assert_int_equal(largest(value), BACKEND);
    assert_int_equal(byte(value, MEMORY_BOUND), 0);
    assert_int_equal(byte(value, HEAVY), level_2 ? byte(value, RETIRING) : 0);
}

static void test_workloads_land_in_their_categories(void **state)
{
    check_workloads("icelake");
    check_workloads("sapphirerapids");
    check_workloads("arrowlake");
    check_workloads("lunarlake");
}

/* Reading and writing */

static void test_rdpmc_reads_the_same(void **state)
{
    struct guest *g = make_counting("sapphirerapids");
    unsigned int i;
    uint64_t value;

    for (i = 0; i < 100; i++) {
        guest_branch(g, 3, i, i % 2);
        guest_load(g, 64 * i);
    }
    g->class = PMUSIM_OS;
    value = guest_rdpmc(g, RDPMC_METRICS);
    assert_int_equal(value, guest_rdmsr(g, PMUSIM_MSR_PERF_METRICS));
    assert_true(value >> 32);
    guest_rdpmc_faults(g, RDPMC_METRICS | 1);
    guest_rdpmc_faults(g, RDPMC_METRICS | 0x40000000);
}

static void test_reading_changes_nothing(void **state)
{
    struct guest *g = make_counting("sapphirerapids");
    unsigned int i;

    for (i = 0; i < 100; i++) {
        guest_branch(g, 3, i, i % 2);
    }
    assert_int_equal(metrics(g), metrics(g));
}

/* Bit 2 of the field of SLOTS, with bit 19 of PERF_CAPABILITIES */
#define CLEAR           UINT64_C(0x4000)

static void test_rdpmc_clears_when_told(void **state)
{
    struct guest *g = make("sapphirerapids", false);
    static struct pmusim_pmu pmu;
    uint64_t slots, value;

    guest_wrmsr_faults(g, PMUSIM_MSR_FIXED_CTR_CTRL, SLOTS_USR | CLEAR);

    pmu = *g->pmu.pmu;
    pmu.caps |= UINT64_C(1) << 19;
    g->pmu.pmu = &pmu;
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, SLOTS_USR | CLEAR);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, ENABLE);
    /* Of no other counter, and not by reading the counter or by RDMSR */
    guest_wrmsr_faults(g, PMUSIM_MSR_FIXED_CTR_CTRL, CLEAR >> 4);
    g->class = PMUSIM_USR;
    guest_run(g, 1000);
    guest_branch(g, 3, 1, true);
    slots = guest_rdpmc(g, RDPMC_SLOTS);
    assert_true(slots > 1000);
    assert_true(guest_rdpmc(g, RDPMC_SLOTS) >= slots);
    value = metrics(g);
    assert_true(byte(value, RETIRING) && byte(value, BAD_SPEC));

    assert_int_equal(guest_rdpmc(g, RDPMC_METRICS), value);
    /* Only what came after: the instruction that cleared, and this one */
    assert_true(guest_rdpmc(g, RDPMC_SLOTS) < 50);
    guest_run(g, 1000);
    assert_int_equal(metrics(g), 0xff);
    slots = guest_rdpmc(g, RDPMC_SLOTS);
    assert_in_range(slots, 1000, 1050);

    /* Told otherwise, it does not */
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, SLOTS_USR);
    g->class = PMUSIM_USR;
    guest_rdpmc(g, RDPMC_METRICS);
    assert_true(guest_rdpmc(g, RDPMC_SLOTS) >= slots);
}

static void test_zeroed_by_a_write_of_zero(void **state)
{
    struct guest *g = make_counting("sapphirerapids");

    guest_branch(g, 3, 1, true);
    assert_true(metrics(g));
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + 3, 0);
    guest_wrmsr(g, PMUSIM_MSR_PERF_METRICS, 0);
    assert_int_equal(metrics(g), 0);
    g->class = PMUSIM_USR;
    guest_run(g, 100);
    assert_int_equal(metrics(g), 0xff);
}

/* Saved, both registers zeroed, slots restored first: the fractions are back */
static void test_save_and_restore(void **state)
{
    struct guest *g = make_counting("sapphirerapids");
    uint64_t slots, value;
    unsigned int i;

    for (i = 0; i < 5000; i++) {
        guest_branch(g, 9, i, i % 2);
        guest_load(g, 64 * i);
        guest_divide(g);
    }
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    slots = guest_rdmsr(g, PMUSIM_MSR_FIXED_CTR0 + 3);
    value = guest_rdmsr(g, PMUSIM_MSR_PERF_METRICS);
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + 3, 0);
    guest_wrmsr(g, PMUSIM_MSR_PERF_METRICS, 0);
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + 3, slots);
    guest_wrmsr(g, PMUSIM_MSR_PERF_METRICS, value);
    assert_int_equal(metrics(g), value);

    /* As much retiring again moves them as it should */
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, ENABLE);
    g->class = PMUSIM_USR;
    for (i = 0; i < slots; i += 512) {
        guest_run(g, 512);
    }
    assert_in_range(byte(metrics(g), RETIRING),
                    (byte(value, RETIRING) + 255) / 2 - 1,
                    (byte(value, RETIRING) + 255) / 2 + 1);
    assert_in_range(byte(metrics(g), BACKEND), byte(value, BACKEND) / 2 - 1,
                    byte(value, BACKEND) / 2 + 1);
}

/* In the other order there are no slots to give fractions of */
static void test_write_takes_its_slots_from_the_counter(void **state)
{
    struct guest *g = make("sapphirerapids", false);

    guest_wrmsr(g, PMUSIM_MSR_PERF_METRICS, UINT64_C(0x40404040) |
                UINT64_C(0x3f) << 0);
    assert_int_equal(metrics(g), 0);
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + 3, 255000);
    guest_wrmsr(g, PMUSIM_MSR_PERF_METRICS, UINT64_C(0x0102030400000fff));
    assert_int_equal(g->pmu.metric[RETIRING], 255000);
    assert_int_equal(g->pmu.metric[BAD_SPEC], 15000);
    assert_int_equal(g->pmu.metric[FRONTEND], 0);
    assert_int_equal(g->pmu.metric[HEAVY], 4000);
    assert_int_equal(g->pmu.metric[MEMORY_BOUND], 1000);
}

/* Eight bits hold what was counted only about */
static void test_restore_is_lossy(void **state)
{
    struct guest *g = make_counting("sapphirerapids");
    uint64_t value;

    guest_run(g, 100000);
    guest_divide(g);
    value = metrics(g);
    assert_int_equal(value, 0xff);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_PERF_METRICS, value);
    assert_int_equal(g->pmu.metric[BACKEND], 0);
}

static void test_write_of_all_bytes_where_half_exist(void **state)
{
    struct guest *g = make("icelake", false);

    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + 3, 100000);
    guest_wrmsr(g, PMUSIM_MSR_PERF_METRICS, UINT64_C(0x404040403f404040));
    assert_int_equal(metrics(g), 0x3f404040);
}

static void test_largest_values(void **state)
{
    struct guest *g = make("sapphirerapids", false);

    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + 3, PMUSIM_COUNTER_MASK);
    guest_wrmsr(g, PMUSIM_MSR_PERF_METRICS, UINT64_MAX);
    assert_int_equal(level_1(metrics(g)), 0xff);
    assert_in_range(byte(metrics(g), 0), 0x3f, 0x40);
}

/* Overflow */

static void test_overflow(void **state)
{
    struct guest *g = make("sapphirerapids", false);

    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + 3, PMUSIM_COUNTER_MASK - 500);
    guest_wrmsr(g, PMUSIM_MSR_PERF_METRICS, 0xff);
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + 3, 0);
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, SLOTS_USR);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, ENABLE);
    g->class = PMUSIM_USR;
    guest_run(g, 500);
    g->class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS), 0);
    assert_int_equal(g->pmis, 0);
    g->class = PMUSIM_USR;
    guest_run(g, 1);
    g->class = PMUSIM_OS;
    guest_run(g, 1);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS),
                     PMUSIM_GLOBAL_METRICS);
    assert_int_equal(g->pmis, 1);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, PMUSIM_GLOBAL_METRICS);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS), 0);
}

static void test_overflow_freezes(void **state)
{
    struct guest *g = make("sapphirerapids", false);

    guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, PMUSIM_DEBUGCTL_FREEZE_PERFMON);
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + 3, PMUSIM_COUNTER_MASK);
    guest_wrmsr(g, PMUSIM_MSR_PERF_METRICS, 0xff);
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + 3, 0);
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, SLOTS_USR);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, ENABLE);
    g->class = PMUSIM_USR;
    guest_run(g, 1);
    g->class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS),
                     PMUSIM_GLOBAL_METRICS | PMUSIM_STATUS_CTR_FRZ);
}

#define rule(name) cmocka_unit_test(test_##name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(existence_by_cpu),
        rule(needs_every_enable),
        rule(not_while_frozen),
        rule(classes),
        rule(level_1_sums_to_ff),
        rule(level_1_sums_to_ff_of_any_sums),
        rule(fractions_of_known_slots),
        rule(workloads_land_in_their_categories),
        rule(rdpmc_reads_the_same),
        rule(reading_changes_nothing),
        rule(rdpmc_clears_when_told),
        rule(zeroed_by_a_write_of_zero),
        rule(save_and_restore),
        rule(write_takes_its_slots_from_the_counter),
        rule(restore_is_lossy),
        rule(write_of_all_bytes_where_half_exist),
        rule(largest_values),
        rule(overflow),
        rule(overflow_freezes),
    };

    return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
