/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of the pipeline: what code has to report */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "pipeline_fixture.h"

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

#define rule(name) cmocka_unit_test_setup(test_##name, setup)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(level_of_each_event),
        rule(level_of_fixed_counters),
        rule(highest_level_wins),
        rule(level_of_recording),
        rule(level_of_ranges_and_statistics),
        rule(level_while_frozen),
    };

    return cmocka_run_group_tests_name("pipeline_levels", tests, NULL, NULL);
}
