/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of PEBS: which counters record, and how they begin anew */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "pebs_fixture.h"

static struct guest guest;

/* Enables */

static void test_adaptive_bit_of_each_counter(void **state)
{
    uint64_t config = PMUSIM_PEBS_GPRS;
    unsigned int n, adaptive;

    for (n = 0; n < 8; n++) {
        for (adaptive = 0; adaptive < 2; adaptive++) {
            struct guest *g = begin("sapphirerapids", false);

            guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG, config);
            /* The others' bits do not matter */
            guest_wrmsr(g, SELECT((n + 1) % 8), PMUSIM_SEL_ADAPTIVE);
            guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, UINT64_C(0x1111) << 32);
            sample(g, n, EVENT_INSNS |
                   (adaptive ? PMUSIM_SEL_ADAPTIVE : 0), 5);
            go_user(g);
            guest_run(g, 6);
            assert_int_equal(word(g, 0) & UINT32_MAX, adaptive ? config : 0);
            assert_int_equal(used(g), BASIC_SIZE + (adaptive ? GPRS_SIZE : 0));
            assert_int_equal(word(g, 2), pmusim_bit(n));
        }
    }
}

static void test_adaptive_bit_of_each_fixed_counter(void **state)
{
    uint64_t config = PMUSIM_PEBS_GPRS;
    unsigned int n, adaptive;

    for (n = 0; n < 4; n++) {
        for (adaptive = 0; adaptive < 2; adaptive++) {
            struct guest *g = begin("sapphirerapids", false);
            uint64_t bits = UINT64_C(0x1111) << 32 &
                            ~(UINT64_C(1) << (32 + 4 * n));

            guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG, config);
            guest_wrmsr(g, SELECT(n), PMUSIM_SEL_ADAPTIVE);
            guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL,
                        bits | (uint64_t)adaptive << (32 + 4 * n));
            sample_fixed(g, n, 5);
            go_user(g);
            guest_run(g, 6 * 6);
            assert_int_equal(word(g, 0) & UINT32_MAX, adaptive ? config : 0);
            assert_int_equal(word(g, 0) >> 48,
                             BASIC_SIZE + (adaptive ? GPRS_SIZE : 0));
            assert_int_equal(word(g, 2), FIXED_BIT(n));
        }
    }
}

static void test_several_counters_in_one_record(void **state)
{
    struct guest *g = begin("icelake", false);

    guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG, PMUSIM_PEBS_MEMORY);
    sample(g, 1, EVENT_INSNS, 7);
    sample(g, 6, EVENT_INSNS | PMUSIM_SEL_ADAPTIVE, 7);
    sample_fixed(g, 0, 7);
    go_user(g);
    guest_run(g, 8);
    /* One of them is adaptive, so the record is */
    assert_int_equal(used(g), BASIC_SIZE + MEMORY_SIZE);
    assert_int_equal(word(g, 0) & UINT32_MAX, PMUSIM_PEBS_MEMORY);
    assert_int_equal(word(g, 2), 1 << 1 | 1 << 6 | FIXED_BIT(0));
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_RECORDS), 1);
    assert_int_equal(status(g), 0);
}

static void test_records_only_of_enabled_counters(void **state)
{
    struct guest *g = begin("icelake", false);

    sample(g, 1, EVENT_INSNS, 7);
    guest_wrmsr(g, CTR(2), WRAP(7));
    guest_wrmsr(g, SELECT(2), EVENT_INSNS | COUNT_USR);
    go_user(g);
    guest_run(g, 8);
    assert_int_equal(word(g, 2), 1 << 1);
    assert_int_equal(used(g), BASIC_SIZE);
    assert_int_equal(status(g), 1 << 2);
}

static void test_no_record_once_disabled(void **state)
{
    struct guest *g = begin("icelake", false);

    sample(g, 0, EVENT_INSNS, 10);
    go_user(g);
    guest_run(g, 9);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_PEBS_ENABLE, 0);
    go_user(g);
    guest_run(g, 2);
    assert_int_equal(used(g), 0);
    assert_int_equal(status(g), 1);
}

/* In format 3 they enable load latency, of no fixed counter */
static void test_upper_enables_of_format_3(void **state)
{
    struct guest *g = begin("skylake", false);

    guest_wrmsr(g, PMUSIM_MSR_PEBS_ENABLE, FIXED_BIT(0) | FIXED_BIT(1));
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0, WRAP(10));
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0xa);
    assert_int_equal(g->pmu.hot.level[3], PMUSIM_LEVEL_INSNS);
    go_user(g);
    guest_run(g, 20);
    assert_int_equal(used(g), 0);
    assert_int_equal(g->pmis, 1);
    assert_int_equal(status(g), FIXED_BIT(0));
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_FIXED_CTR0), 10);
}

/* Reset values */

static void check_reset(const char *cpu, unsigned int counter,
                        unsigned int slot)
{
    struct guest *g = begin(cpu, false);
    bool fixed = counter >= PMUSIM_FIXED_BASE;
    unsigned int n = fixed ? counter - PMUSIM_FIXED_BASE : counter, i;

    /* Wrong ones around the right one */
    for (i = 0; i < 48; i++) {
        poke(g, DS_RESET(i), WRAP(5000 + i));
    }
    poke(g, DS_RESET(slot), (uint64_t)-100);
    if (fixed) {
        sample_fixed(g, n, 10);
    } else {
        sample(g, n, EVENT_INSNS, 10);
    }
    go_user(g);
    /* As each counts instructions or what there is one of in each here */
    guest_run(g, 13);
    g->class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(g, fixed ? PMUSIM_MSR_FIXED_CTR0 + n :
                                 CTR(n)), WRAP(100) + 3);
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_RECORDS), 1);
}

static void test_reset_values(void **state)
{
    unsigned int n;

    for (n = 0; n < 4; n++) {
        check_reset("skylake", n, n);
    }
    for (n = 0; n < 8; n++) {
        check_reset("icelake", n, n);
        check_reset("sapphirerapids", n, n);
    }
    for (n = 0; n < 10; n++) {
        check_reset("arrowlake", n, n);
    }
}

static void test_reset_values_of_fixed_counters(void **state)
{
    /* Instructions and slots */
    check_reset("icelake", 32, 8);
    check_reset("icelake", 35, 8 + 3);
    check_reset("sapphirerapids", 32, 8);
    /* From format 5 on there is room for 32 others before them */
    assert_true((guest_rdmsr(begin("arrowlake", false),
                             PMUSIM_MSR_PERF_CAPABILITIES) >> 8 & 0xf) >= 5);
    check_reset("arrowlake", 32, 32);
    check_reset("arrowlake", 35, 32 + 3);
    /* FX6 counts retiring slots: instructions */
    check_reset("clearwaterforest", 32 + 6, 32 + 6);
}

static void test_reset_value_left_0(void **state)
{
    struct guest *g = begin("icelake", false);

    sample(g, 0, EVENT_INSNS, 10);
    go_user(g);
    guest_run(g, 14);
    g->class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(g, CTR(0)), 4);
}

/* Many instructions and one period after the other */
static void test_every_period_gives_one_record(void **state)
{
    struct guest *g = begin("icelake", false);
    uint64_t ip;
    unsigned int i;

    poke(g, DS_RESET(0), WRAP(100));
    sample(g, 0, EVENT_INSNS, 100);
    go_user(g);
    ip = g->ip;
    guest_run(g, 5050);
    assert_int_equal(used(g), 50 * BASIC_SIZE);
    for (i = 0; i < 50; i++) {
        assert_int_equal(word(g, 4 * i + 1), ip + 99 + 100 * i);
    }
}

/* A period shorter than what one instruction can add is not lost */
static void test_reset_keeps_what_came_behind_the_wrap(void **state)
{
    struct guest *g = begin("icelake", false);
    const struct pmusim_pmu *pmu = g->pmu.pmu;
    unsigned int cycles = (1 + pmu->taken_slots) / pmu->width +
                          pmu->miss_cycles;

    poke(g, DS_RESET(0), WRAP(100));
    poke(g, DS_RESET(1), WRAP(4));
    sample(g, 0, EVENT_CYCLES, 5);
    sample(g, 1, EVENT_CYCLES, 5);
    go_user(g);
    guest_branch(g, 1, 0x40, true);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    assert_int_equal(guest_rdmsr(g, CTR(0)), WRAP(100) + cycles - 5);
    assert_int_equal(guest_rdmsr(g, CTR(1)),
                     WRAP(4) + (cycles - 5) % 4);
}

/* PEBS and auto counter reload */

static void test_reload_of_a_recording_counter(void **state)
{
    struct guest *g = begin("arrowlake", true);

    /* Counter 3 reloads 2 before that gets to its record */
    guest_wrmsr(g, V6_GP_CFG_C(2), (uint32_t)-50);
    guest_wrmsr(g, V6_GP_CFG_B(2), 1 << 3);
    guest_wrmsr(g, V6_GP_CTR(3), WRAP(40));
    guest_wrmsr(g, V6_GP_CFG_A(3), EVENT_INSNS | COUNT_USR);
    poke(g, DS_RESET(2), WRAP(60));
    sample(g, 2, EVENT_INSNS, 50);
    go_user(g);
    guest_run(g, 40 + 45);
    assert_int_equal(used(g), 0);
    guest_run(g, 6);
    assert_int_equal(used(g), BASIC_SIZE);
    assert_int_equal(word(g, 2), 1 << 2);
    assert_int_equal(status(g), 1 << 3);
    /* Its own overflow loads what the debug store has */
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(2)), WRAP(60) + 1);
}

static void test_recording_counter_reloads_another(void **state)
{
    struct guest *g = begin("arrowlake", true);

    guest_wrmsr(g, V6_GP_CFG_C(3), (uint32_t)-500);
    guest_wrmsr(g, V6_GP_CFG_B(3), 1 << 2);
    guest_wrmsr(g, V6_GP_CTR(3), WRAP(60));
    guest_wrmsr(g, V6_GP_CFG_A(3), EVENT_INSNS | COUNT_USR);
    poke(g, DS_RESET(2), WRAP(50));
    sample(g, 2, EVENT_INSNS, 50);
    go_user(g);
    guest_run(g, 62);
    assert_int_equal(used(g), BASIC_SIZE);
    assert_int_equal(status(g), 0);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(3)), WRAP(500) + 12);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(2)), WRAP(50) + 12);
}

/* Both reload values come from one period: it is loaded once */
static void test_self_reload_of_a_recording_counter(void **state)
{
    struct guest *g = begin("arrowlake", true);
    unsigned int i;
    uint64_t ip;

    guest_wrmsr(g, V6_GP_CFG_C(2), (uint32_t)-70);
    guest_wrmsr(g, V6_GP_CFG_B(2), 1 << 2);
    poke(g, DS_RESET(2), WRAP(70));
    sample(g, 2, EVENT_INSNS, 70);
    go_user(g);
    ip = g->ip;
    guest_run(g, 20 * 70 + 3);
    assert_int_equal(used(g), 20 * BASIC_SIZE);
    for (i = 0; i < 20; i++) {
        assert_int_equal(word(g, 4 * i + 1), ip + 69 + 70 * i);
    }
    assert_int_equal(status(g), 0);
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(2)), WRAP(70) + 3);
}

/* Registers */

static void test_registers_of_an_adaptive_pmu(void **state)
{
    struct guest *g = begin("icelake", false);
    uint64_t counters = 0xff | UINT64_C(0xf) << 32;

    guest_wrmsr(g, PMUSIM_MSR_PEBS_ENABLE, counters);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PEBS_ENABLE), counters);
    guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_ENABLE, 1 << 8);
    guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_ENABLE, FIXED_BIT(4));
    guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_ENABLE, UINT64_C(1) << 60);
    guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_ENABLE, UINT64_C(1) << 61);
    guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_ENABLE, UINT64_C(1) << 62);
    guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG, 0xff00000f);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PEBS_DATA_CFG), 0xff00000f);
    guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_DATA_CFG, 1 << 4);
    guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_DATA_CFG, 1 << 23);
    guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_DATA_CFG, UINT64_C(1) << 32);
    guest_wrmsr(g, PMUSIM_MSR_PEBS_LD_LAT, 0xffff);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PEBS_LD_LAT), 0xffff);
    guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_LD_LAT, 0x10000);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_DS_AREA), DS);
}

static void test_registers_of_format_3(void **state)
{
    struct guest *g = begin("skylake", false);

    guest_wrmsr(g, PMUSIM_MSR_PEBS_ENABLE, 0xf | UINT64_C(0xf) << 32);
    guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_ENABLE, 1 << 4);
    guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_ENABLE, UINT64_C(1) << 36);
    guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_DATA_CFG, 0);
    guest_rdmsr_faults(g, PMUSIM_MSR_PEBS_DATA_CFG);
    guest_wrmsr_faults(g, SELECT(0), PMUSIM_SEL_ADAPTIVE);
    guest_wrmsr_faults(g, PMUSIM_MSR_FIXED_CTR_CTRL, PMUSIM_FIXED_ADAPTIVE);
}

static void test_registers_of_an_e_core(void **state)
{
    struct guest *g = begin("lunarlake", true);

    guest_wrmsr(g, PMUSIM_MSR_PEBS_ENABLE, 0xff | UINT64_C(0x77) << 32);
    guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_ENABLE, FIXED_BIT(3));
    guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_ENABLE, 1 << 8);
}

static void test_ds_area_is_canonical(void **state)
{
    struct guest *g = begin("icelake", false);

    guest_wrmsr(g, PMUSIM_MSR_DS_AREA, UINT64_C(0x00007fffffffffff));
    guest_wrmsr(g, PMUSIM_MSR_DS_AREA, UINT64_C(0xffff800000000000));
    guest_wrmsr_faults(g, PMUSIM_MSR_DS_AREA, UINT64_C(0x0000800000000000));
    guest_wrmsr_faults(g, PMUSIM_MSR_DS_AREA, UINT64_C(0xffff7fffffffffff));
    guest_wrmsr_faults(g, PMUSIM_MSR_DS_AREA, UINT64_C(1) << 63);
}

static void test_no_pebs_no_registers(void **state)
{
    static const struct pmusim_event none[] = { { 0 } };
    static const struct pmusim_pmu pmu = {
        .gp = 0xf,
        .fixed = 0x7,
        .caps = PMUSIM_CAP_FULL_WIDTH | PMUSIM_CAP_BASELINE,
        .events = none,
        .width = 4,
    };
    static const struct pmusim_cpu cpu = {
        .name = "none", .version = 5, .pmu = &pmu,
    };
    static const uint32_t msrs[] = { 0x600, 0x3f1, 0x3f2, 0x3f6 };
    struct pmusim_cpuid regs = { .ecx = 1 << 2, .edx = 1 << 21 };
    struct guest *g = &guest;
    unsigned int i;

    guest_init_row(g, &cpu, false);
    for (i = 0; i < 4; i++) {
        guest_rdmsr_faults(g, msrs[i]);
        guest_wrmsr_faults(g, msrs[i], 0);
    }
    /* DTES64 and DS */
    pmusim_cpuid(&g->pmu, 1, 0, &regs);
    assert_int_equal(regs.ecx & 1 << 2, 0);
    assert_int_equal(regs.edx & 1 << 21, 0);
}

static void test_power_on(void **state)
{
    struct guest *g = &guest;

    guest_init(g, "icelake", false);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_DS_AREA), 0);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PEBS_ENABLE), 0);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PEBS_DATA_CFG), 0);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PEBS_LD_LAT), 0);
}

#define rule(name) cmocka_unit_test(test_##name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(adaptive_bit_of_each_counter),
        rule(adaptive_bit_of_each_fixed_counter),
        rule(several_counters_in_one_record),
        rule(records_only_of_enabled_counters),
        rule(no_record_once_disabled),
        rule(upper_enables_of_format_3),
        rule(reset_values),
        rule(reset_values_of_fixed_counters),
        rule(reset_value_left_0),
        rule(every_period_gives_one_record),
        rule(reset_keeps_what_came_behind_the_wrap),
        rule(reload_of_a_recording_counter),
        rule(recording_counter_reloads_another),
        rule(self_reload_of_a_recording_counter),
        rule(registers_of_an_adaptive_pmu),
        rule(registers_of_format_3),
        rule(registers_of_an_e_core),
        rule(ds_area_is_canonical),
        rule(no_pebs_no_registers),
        rule(power_on),
    };

    return cmocka_run_group_tests_name("pebs_counters", tests, NULL, NULL);
}
