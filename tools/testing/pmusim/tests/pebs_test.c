/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of PEBS: one test a rule */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "guest.h"

#define USR_INT         (COUNT_USR | PMUSIM_SEL_INT)
#define LEGACY_CTR(n)   (PMUSIM_MSR_FULL_WIDTH_PMC0 + (n))
#define LEGACY_SEL(n)   (PMUSIM_MSR_PERFEVTSEL0 + (n))

/* The debug store's management area, by byte offset */
#define DS              GUEST_MEMORY
#define DS_BASE         (DS + 0x20)
#define DS_INDEX        (DS + 0x28)
#define DS_MAXIMUM      (DS + 0x30)
#define DS_THRESHOLD    (DS + 0x38)
#define DS_RESET(slot)  (DS + 0x40 + 8 * (slot))
#define BUFFER          (GUEST_MEMORY + 0x1000)
#define BUFFER_SIZE     0x3000
#define UNMAPPED        UINT64_C(0xffff900000000000)

#define FULL_SIZE       200
#define BASIC_SIZE      32
#define MEMORY_SIZE     32
#define GPRS_SIZE       144
#define XMMS_SIZE       256
#define BRANCH_SIZE     24

/* Numbers of general registers in instructions */
enum { AX, CX, DX, BX, SP, BP, SI, DI };

static struct guest guest;

static uint64_t peek(const struct guest *g, uint64_t address)
{
    uint64_t value;

    assert_in_range(address, GUEST_MEMORY,
                    GUEST_MEMORY + GUEST_MEMORY_SIZE - sizeof(value));
    memcpy(&value, g->memory + (address - GUEST_MEMORY), sizeof(value));
    return value;
}

static void poke(struct guest *g, uint64_t address, uint64_t value)
{
    assert_in_range(address, GUEST_MEMORY,
                    GUEST_MEMORY + GUEST_MEMORY_SIZE - sizeof(value));
    memcpy(g->memory + (address - GUEST_MEMORY), &value, sizeof(value));
}

static uint64_t word(const struct guest *g, unsigned int i)
{
    return peek(g, BUFFER + 8 * i);
}

/* Set up by the kernel, then user code is to run */
static struct guest *begin(const char *cpu, bool atom)
{
    struct guest *g = &guest;
    unsigned int i;

    guest_init(g, cpu, atom);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, g->pmu.existing);
    guest_wrmsr(g, PMUSIM_MSR_DS_AREA, DS);
    poke(g, DS_BASE, BUFFER);
    poke(g, DS_INDEX, BUFFER);
    poke(g, DS_MAXIMUM, BUFFER + BUFFER_SIZE);
    poke(g, DS_THRESHOLD, BUFFER + BUFFER_SIZE);
    memset(g->memory + 0x1000, 0xaa, BUFFER_SIZE);
    g->regs.flags = 0x246;
    g->regs.tsc = 0x7473637473637473;
    for (i = 0; i < 16; i++) {
        g->regs.gpr[i] = 0x6770720000 + i;
        g->regs.xmm[i][0] = 0x786d6d0000 + i;
        g->regs.xmm[i][1] = 0x786d6d1000 + i;
    }
    return g;
}

/* Counter @n records after @period events */
static void sample(struct guest *g, unsigned int n, uint64_t event,
                   unsigned int period)
{
    guest_wrmsr(g, LEGACY_SEL(n), 0);
    guest_wrmsr(g, LEGACY_CTR(n), WRAP(period));
    guest_wrmsr(g, PMUSIM_MSR_PEBS_ENABLE,
                guest_rdmsr(g, PMUSIM_MSR_PEBS_ENABLE) | pmusim_bit(n));
    guest_wrmsr(g, LEGACY_SEL(n), event | COUNT_USR);
}

static void sample_fixed(struct guest *g, unsigned int n, unsigned int period)
{
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + n, WRAP(period));
    guest_wrmsr(g, PMUSIM_MSR_PEBS_ENABLE,
                guest_rdmsr(g, PMUSIM_MSR_PEBS_ENABLE) | FIXED_BIT(n));
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL,
                guest_rdmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL) |
                PMUSIM_FIXED_USR << 4 * n);
}

static void go_user(struct guest *g)
{
    g->class = PMUSIM_USR;
}

/* Instructions of the kernel, so that what user code did is seen */
static void go_kernel(struct guest *g)
{
    guest_run(g, 1);
    g->class = PMUSIM_OS;
    guest_run(g, 1);
}

static uint64_t status(struct guest *g)
{
    g->class = PMUSIM_OS;
    return guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS);
}

static uint64_t statistic(struct guest *g, enum pmusim_statistic which)
{
    g->class = PMUSIM_OS;
    return guest_rdmsr(g, PMUSIM_MSR_OWN_STATISTIC0 + which);
}

static uint64_t used(const struct guest *g)
{
    return peek(g, DS_INDEX) - BUFFER;
}

static void expect_gprs(const struct guest *g, unsigned int at,
                        const uint8_t order[8], uint64_t ip)
{
    unsigned int i;

    assert_int_equal(word(g, at), g->regs.flags);
    assert_int_equal(word(g, at + 1), ip);
    for (i = 0; i < 8; i++) {
        assert_int_equal(word(g, at + 2 + i), g->regs.gpr[order[i]]);
    }
    for (i = 8; i < 16; i++) {
        assert_int_equal(word(g, at + 2 + i), g->regs.gpr[i]);
    }
}

/* Records */

static void test_format_3_layout(void **state)
{
    static const uint8_t order[] = { AX, BX, CX, DX, SI, DI, BP, SP };
    struct guest *g = begin("skylake", false);
    const struct pmusim_pmu *pmu = g->pmu.pmu;
    uint64_t ip;

    guest_wrmsr(g, PMUSIM_MSR_PEBS_LD_LAT, 20);
    sample(g, 2, 0x01cd, 1);
    go_user(g);
    guest_run(g, 10);
    ip = g->ip;
    guest_load(g, 0x12345678);
    guest_run(g, 1);

    assert_int_equal(used(g), FULL_SIZE);
    expect_gprs(g, 0, order, ip + 1);
    assert_int_equal(word(g, 18), 1 << 2);
    assert_int_equal(word(g, 19), 0x12345678);
    /* Memory, as Linux's table of Skylake's data sources has it */
    assert_int_equal(word(g, 20), 0x0a);
    assert_int_equal(word(g, 21), 5 + pmu->llc_cycles);
    assert_int_equal(word(g, 22), ip);
    assert_int_equal(word(g, 23), 0);
    assert_int_equal(word(g, 24), g->regs.tsc);
    assert_int_equal(word(g, 25), UINT64_C(0xaaaaaaaaaaaaaaaa));
}

static void test_basic_group(void **state)
{
    struct guest *g = begin("icelake", false);
    uint64_t ip;

    sample(g, 3, EVENT_INSNS, 5);
    go_user(g);
    ip = g->ip + 4;
    guest_run(g, 6);
    assert_int_equal(used(g), BASIC_SIZE);
    assert_int_equal(word(g, 0), (uint64_t)BASIC_SIZE << 48);
    assert_int_equal(word(g, 1), ip);
    assert_int_equal(word(g, 2), 1 << 3);
    assert_int_equal(word(g, 3), g->regs.tsc);
    assert_int_equal(word(g, 4), UINT64_C(0xaaaaaaaaaaaaaaaa));
}

static void start_lbr(struct guest *g)
{
    guest_wrmsr(g, PMUSIM_MSR_ARCH_LBR_CTL, 0x7f0007);
}

/* Groups of DATA_CFG in all combinations, on a CPU that has all of them */
static void check_groups(unsigned int groups, unsigned int branches)
{
    static const uint8_t order[] = { AX, CX, DX, BX, SP, BP, SI, DI };
    struct guest *g = begin("sapphirerapids", false);
    uint64_t config = groups | (uint64_t)(branches - 1) << 24;
    unsigned int size = BASIC_SIZE, at = BASIC_SIZE / 8, i;
    uint64_t ip;

    guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG, config);
    start_lbr(g);
    /* MEM_INST_RETIRED.ALL_LOADS */
    sample(g, 0, 0x81d0 | PMUSIM_SEL_ADAPTIVE, 2);
    go_user(g);
    for (i = 0; i < 3; i++) {
        guest_go(g, PMUSIM_BRANCH_JUMP, 0x500000 + 0x100 * i, false);
    }
    guest_load(g, 0x7000);
    ip = g->ip;
    guest_load(g, 0x7008);
    guest_run(g, 1);

    if (groups & PMUSIM_PEBS_MEMORY) {
        assert_int_equal(word(g, at), 0x7008);
        /* L1D has the line now */
        assert_int_equal(word(g, at + 1), 1);
        assert_int_equal(word(g, at + 2), 5);
        assert_int_equal(word(g, at + 3), 0);
        size += MEMORY_SIZE;
        at = size / 8;
    }
    if (groups & PMUSIM_PEBS_GPRS) {
        expect_gprs(g, at, order, ip + 1);
        size += GPRS_SIZE;
        at = size / 8;
    }
    if (groups & PMUSIM_PEBS_XMMS) {
        for (i = 0; i < 16; i++) {
            assert_int_equal(word(g, at + 2 * i), g->regs.xmm[i][0]);
            assert_int_equal(word(g, at + 2 * i + 1), g->regs.xmm[i][1]);
        }
        size += XMMS_SIZE;
        at = size / 8;
    }
    if (groups & PMUSIM_PEBS_LBRS) {
        for (i = 0; i < branches; i++) {
            uint64_t to = i < 3 ? 0x500000 + 0x100 * (2 - i) : 0;

            assert_int_equal(word(g, at + 3 * i + 1), to);
            assert_int_equal(!!word(g, at + 3 * i), !!to);
        }
        size += BRANCH_SIZE * branches;
    }
    assert_int_equal(used(g), size);
    assert_int_equal(word(g, 0), config | (uint64_t)size << 48);
    assert_int_equal(word(g, 1), ip);
    assert_int_equal(word(g, 2), 1);
    assert_int_equal(word(g, 3), g->regs.tsc);
    assert_int_equal(word(g, size / 8), UINT64_C(0xaaaaaaaaaaaaaaaa));
}

static void test_groups_in_all_combinations(void **state)
{
    static const unsigned int branches[] = { 1, 2, 31, 32 };
    unsigned int groups, i;

    for (groups = 0; groups < 16; groups++) {
        for (i = 0; i < 4; i++) {
            check_groups(groups, branches[i]);
        }
    }
}

static void test_branches_newest_first(void **state)
{
    struct guest *g = begin("sapphirerapids", false);
    unsigned int i;

    guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG,
                PMUSIM_PEBS_LBRS | UINT64_C(31) << 24);
    start_lbr(g);
    sample(g, 0, EVENT_INSNS | PMUSIM_SEL_ADAPTIVE, 42);
    go_user(g);
    for (i = 0; i < 40; i++) {
        guest_go(g, i % 2 ? PMUSIM_BRANCH_JUMP : PMUSIM_BRANCH_CALL,
                 0x1000 * (i + 1), false);
    }
    guest_run(g, 3);
    assert_int_equal(used(g), BASIC_SIZE + 32 * BRANCH_SIZE);
    for (i = 0; i < 32; i++) {
        /* Each comes from where the one before went to */
        assert_int_equal(word(g, 4 + 3 * i), 0x1000 * (39 - i));
        assert_int_equal(word(g, 5 + 3 * i), 0x1000 * (40 - i));
        /* Types 2, a direct jump, and 4, a direct call */
        assert_int_equal(word(g, 6 + 3 * i) >> 56 & 0xf, i % 2 ? 4 : 2);
    }
}

static void test_branches_are_zero_when_lbr_is_off(void **state)
{
    struct guest *g = begin("sapphirerapids", false);
    unsigned int i;

    guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG,
                PMUSIM_PEBS_LBRS | UINT64_C(3) << 24);
    start_lbr(g);
    go_user(g);
    for (i = 0; i < 8; i++) {
        guest_go(g, PMUSIM_BRANCH_JUMP, 0x1000 * (i + 1), false);
    }
    guest_run(g, 1);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_ARCH_LBR_CTL, 0x7f0006);
    sample(g, 0, EVENT_INSNS | PMUSIM_SEL_ADAPTIVE, 2);
    go_user(g);
    guest_run(g, 3);
    assert_int_equal(used(g), BASIC_SIZE + 4 * BRANCH_SIZE);
    for (i = 0; i < 12; i++) {
        assert_int_equal(word(g, 4 + i), 0);
    }
}

static void test_more_branches_than_there_are(void **state)
{
    struct guest *g = begin("icelake", false);
    unsigned int i;

    guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG,
                PMUSIM_PEBS_LBRS | UINT64_C(255) << 24);
    guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, PMUSIM_DEBUGCTL_LBR);
    sample(g, 0, EVENT_INSNS | PMUSIM_SEL_ADAPTIVE, 42);
    go_user(g);
    for (i = 0; i < 40; i++) {
        guest_go(g, PMUSIM_BRANCH_JUMP, 0x1000 * (i + 1), false);
    }
    guest_run(g, 3);
    assert_int_equal(used(g), BASIC_SIZE + 256 * BRANCH_SIZE);
    assert_int_equal(word(g, 0) >> 48, BASIC_SIZE + 256 * BRANCH_SIZE);
    assert_int_equal(word(g, 5 + 3 * 31), 0x1000 * 9);
    for (i = 4 + 3 * 32; i < 4 + 3 * 256; i++) {
        assert_int_equal(word(g, i), 0);
    }
}

static void test_adaptive_bit_of_each_counter(void **state)
{
    uint64_t config = PMUSIM_PEBS_GPRS;
    unsigned int n, adaptive;

    for (n = 0; n < 8; n++) {
        for (adaptive = 0; adaptive < 2; adaptive++) {
            struct guest *g = begin("sapphirerapids", false);

            guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG, config);
            /* The others' bits do not matter */
            guest_wrmsr(g, LEGACY_SEL((n + 1) % 8), PMUSIM_SEL_ADAPTIVE);
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
            guest_wrmsr(g, LEGACY_SEL(n), PMUSIM_SEL_ADAPTIVE);
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
    guest_wrmsr(g, LEGACY_CTR(2), WRAP(7));
    guest_wrmsr(g, LEGACY_SEL(2), EVENT_INSNS | COUNT_USR);
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
                                 LEGACY_CTR(n)), WRAP(100) + 3);
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
    assert_int_equal(guest_rdmsr(g, LEGACY_CTR(0)), 4);
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
    assert_int_equal(guest_rdmsr(g, LEGACY_CTR(0)), WRAP(100) + cycles - 5);
    assert_int_equal(guest_rdmsr(g, LEGACY_CTR(1)),
                     WRAP(4) + (cycles - 5) % 4);
}

/* Status, threshold and the interrupt */

static void test_own_status_stays_0(void **state)
{
    struct guest *g = begin("icelake", false);

    poke(g, DS_RESET(0), WRAP(10));
    sample(g, 0, EVENT_INSNS | PMUSIM_SEL_INT, 10);
    sample_fixed(g, 0, 15);
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 0xa);
    go_user(g);
    guest_run(g, 51);
    assert_int_equal(status(g), 0);
    assert_int_equal(g->pmis, 0);
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_RECORDS), 6);
}

static void test_threshold(void **state)
{
    struct guest *g = begin("icelake", false);
    uint64_t start;

    poke(g, DS_THRESHOLD, BUFFER + 3 * BASIC_SIZE);
    poke(g, DS_RESET(0), WRAP(10));
    sample(g, 0, EVENT_INSNS, 10);
    go_user(g);
    start = g->retired;
    guest_run(g, 29);
    assert_int_equal(status(g), 0);
    go_user(g);
    start++;
    guest_run(g, 2);
    /* The third record reaches it */
    assert_int_equal(g->pmis, 1);
    assert_int_equal(g->pmi_at - start, 30);
    assert_int_equal(status(g), PMUSIM_STATUS_OVF_BUF);
    go_user(g);
    guest_run(g, 100);
    assert_int_equal(g->pmis, 1);
    assert_int_equal(used(g), 13 * BASIC_SIZE);

    /* Acknowledged with the buffer as it is: the next record asks again */
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, PMUSIM_STATUS_OVF_BUF);
    assert_int_equal(status(g), 0);
    go_user(g);
    guest_run(g, 11);
    assert_int_equal(g->pmis, 2);
    assert_int_equal(status(g), PMUSIM_STATUS_OVF_BUF);
}

/* Another counter's interrupt does not wait for the buffer */
static void test_interrupt_beside_a_record(void **state)
{
    struct guest *g = begin("icelake", false);

    guest_wrmsr(g, LEGACY_CTR(2), WRAP(10));
    guest_wrmsr(g, LEGACY_SEL(2), EVENT_INSNS | USR_INT);
    sample(g, 0, EVENT_INSNS, 10);
    go_user(g);
    guest_run(g, 11);
    assert_int_equal(used(g), BASIC_SIZE);
    assert_int_equal(g->pmis, 1);
    assert_int_equal(status(g), 1 << 2);
}

static void test_record_that_does_not_fit_is_dropped(void **state)
{
    struct guest *g = begin("icelake", false);

    /* Room for two; a byte is missing for the third */
    poke(g, DS_MAXIMUM, BUFFER + 3 * BASIC_SIZE - 1);
    poke(g, DS_RESET(0), WRAP(10));
    sample(g, 0, EVENT_INSNS, 10);
    go_user(g);
    guest_run(g, 51);
    assert_int_equal(used(g), 2 * BASIC_SIZE);
    assert_int_equal(peek(g, BUFFER + 2 * BASIC_SIZE),
                     UINT64_C(0xaaaaaaaaaaaaaaaa));
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_RECORDS), 2);
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_LOST), 3);
    assert_int_equal(status(g), 0);
    /* It is reloaded nevertheless */
    assert_int_equal(guest_rdmsr(g, LEGACY_CTR(0)), WRAP(10) + 1);
}

static void test_record_that_just_fits(void **state)
{
    struct guest *g = begin("skylake", false);

    poke(g, DS_MAXIMUM, BUFFER + FULL_SIZE);
    poke(g, DS_THRESHOLD, BUFFER + FULL_SIZE);
    sample(g, 0, EVENT_INSNS, 10);
    go_user(g);
    guest_run(g, 11);
    assert_int_equal(used(g), FULL_SIZE);
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_LOST), 0);
    assert_int_equal(status(g), PMUSIM_STATUS_OVF_BUF);
    assert_int_equal(g->pmis, 1);
}

/* A lost record asks for no interrupt, changes no memory, faults nowhere */
static void check_lost(struct guest *g)
{
    uint8_t before[GUEST_MEMORY_SIZE];

    sample(g, 0, EVENT_INSNS | PMUSIM_SEL_INT, 10);
    memcpy(before, g->memory, sizeof(before));
    go_user(g);
    guest_run(g, 14);
    assert_memory_equal(g->memory, before, sizeof(before));
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_RECORDS), 0);
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_LOST), 1);
    assert_int_equal(status(g), 0);
    assert_int_equal(g->pmis, 0);
}

static void test_unmapped_area(void **state)
{
    struct guest *g = begin("icelake", false);

    guest_wrmsr(g, PMUSIM_MSR_DS_AREA, UNMAPPED);
    check_lost(g);
    /* Nor is there a reset value */
    assert_int_equal(guest_rdmsr(g, LEGACY_CTR(0)), 4);
}

static void test_area_that_ends_early(void **state)
{
    struct guest *g = begin("icelake", false);

    /* Neither maximum nor threshold is mapped */
    guest_wrmsr(g, PMUSIM_MSR_DS_AREA,
                GUEST_MEMORY + GUEST_MEMORY_SIZE - 0x30);
    check_lost(g);
}

static void test_unmapped_buffer(void **state)
{
    struct guest *g = begin("icelake", false);

    poke(g, DS_BASE, UNMAPPED);
    poke(g, DS_INDEX, UNMAPPED);
    poke(g, DS_MAXIMUM, UNMAPPED + 0x1000);
    poke(g, DS_THRESHOLD, UNMAPPED);
    poke(g, DS_RESET(0), WRAP(1000));
    check_lost(g);
    assert_int_equal(guest_rdmsr(g, LEGACY_CTR(0)), WRAP(1000) + 4);
}

static void test_read_only_buffer(void **state)
{
    struct guest *g = begin("icelake", false);

    poke(g, DS_THRESHOLD, BUFFER);
    g->read_only = true;
    check_lost(g);
}

static void test_index_below_the_buffer(void **state)
{
    struct guest *g = begin("icelake", false);

    poke(g, DS_BASE, BUFFER + 8);
    check_lost(g);
}

static unsigned int writes;

static bool write_anywhere(struct pmusim *p, uint64_t address,
                           const void *data, size_t size)
{
    writes++;
    return true;
}

/* Whoever owns the memory is not asked to write around its end */
static void test_record_around_the_end_of_memory(void **state)
{
    struct guest *g = begin("icelake", false);
    struct pmusim_host host = *g->pmu.host;

    host.write = write_anywhere;
    g->pmu.host = &host;
    poke(g, DS_BASE, -16);
    poke(g, DS_INDEX, -16);
    poke(g, DS_MAXIMUM, UINT64_MAX);
    writes = 0;
    check_lost(g);
    assert_int_equal(writes, 0);
}

static void test_index_at_the_end_of_memory(void **state)
{
    struct guest *g = begin("icelake", false);

    poke(g, DS_BASE, -16);
    poke(g, DS_INDEX, -16);
    poke(g, DS_MAXIMUM, UINT64_MAX);
    poke(g, DS_THRESHOLD, 0);
    check_lost(g);
}

static void test_buffer_freezes_the_counters(void **state)
{
    struct guest *g = begin("icelake", false);

    guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, PMUSIM_DEBUGCTL_FREEZE_PERFMON);
    poke(g, DS_THRESHOLD, BUFFER + 2 * BASIC_SIZE);
    poke(g, DS_RESET(0), WRAP(10));
    guest_wrmsr(g, LEGACY_SEL(5), EVENT_INSNS | COUNT_USR);
    sample(g, 0, EVENT_INSNS | PMUSIM_SEL_INT, 10);
    go_user(g);
    /* Its own wrap does not, INT or not */
    guest_run(g, 15);
    assert_int_equal(status(g), 0);
    go_user(g);
    guest_run(g, 100);
    assert_int_equal(status(g), PMUSIM_STATUS_OVF_BUF |
                     PMUSIM_STATUS_CTR_FRZ);
    assert_int_equal(guest_rdmsr(g, LEGACY_CTR(5)), 20);
    assert_int_equal(guest_rdmsr(g, LEGACY_CTR(0)), WRAP(10));
    assert_int_equal(g->pmis, 1);
}

/* Exactness */

/* The record's address, behind one record only */
static uint64_t recorded_ip(struct guest *g)
{
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_RECORDS), 1);
    return word(g, 1);
}

static void test_ip_of_a_miss(void **state)
{
    struct guest *g = begin("icelake", false);
    unsigned int i;
    uint64_t ip = 0;

    sample(g, 0, EVENT_MISSES, 3);
    go_user(g);
    for (i = 0; i < 50; i++) {
        bool miss = i % 7 == 3;

        guest_branch(g, 1 + i % 5, i, miss);
        if (i == 3 + 2 * 7) {
            ip = g->ip - 1;
        }
    }
    assert_int_equal(recorded_ip(g), ip);
}

static void test_ip_of_a_cycle(void **state)
{
    struct guest *g = begin("icelake", false);
    const struct pmusim_pmu *pmu = g->pmu.pmu;
    unsigned int slots = 0, i;
    uint64_t ip = 0;

    sample(g, 0, EVENT_CYCLES, 1000);
    go_user(g);
    for (i = 0; i < 400; i++) {
        bool taken = i % 3 == 0;
        unsigned int insns = 1 + i % 11, n;

        for (n = 1; n <= insns; n++) {
            slots++;
            if (n == insns && taken) {
                slots += pmu->taken_slots + pmu->miss_cycles * pmu->width;
            }
            if (!ip && slots / pmu->width >= 1000) {
                ip = g->ip + n - 1;
            }
        }
        guest_branch(g, insns, i, taken);
    }
    assert_true(ip);
    assert_int_equal(recorded_ip(g), ip);
}

/* Skylake's cycles:p: instructions, inverted, at least 16 */
static void test_ip_of_every_cycle(void **state)
{
    struct guest *g = begin("skylake", false);
    uint64_t ip;

    sample(g, 0, UINT64_C(0x108000c0), 100);
    go_user(g);
    ip = g->ip;
    guest_run(g, 100 * 4 + 50);
    assert_int_equal(statistic(g, PMUSIM_STAT_PEBS_RECORDS), 1);
    assert_int_equal(word(g, 22), ip + 100 * 4 - 1);
    assert_int_equal(word(g, 1), ip + 100 * 4);
}

static void test_ip_of_a_masked_event(void **state)
{
    struct guest *g = begin("icelake", false);
    unsigned int i, full;
    uint64_t ip = 0;

    /* Cycles with five instructions in them */
    sample(g, 0, EVENT_INSNS | UINT64_C(5) << PMUSIM_SEL_CMASK_SHIFT, 10);
    go_user(g);
    for (i = 0, full = 0; i < 20; i++) {
        guest_run(g, 5);
        if (++full == 10) {
            ip = g->ip - 1;
        }
        /* This cycle has four, the branch leaves one slot empty */
        guest_jump(g, 4);
    }
    assert_int_equal(recorded_ip(g), ip);
}

static void test_ip_of_a_load(void **state)
{
    struct guest *g = begin("icelake", false);
    unsigned int i, loads = 0;
    uint64_t ip = 0;

    guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG, PMUSIM_PEBS_MEMORY);
    sample(g, 0, 0x81d0 | PMUSIM_SEL_ADAPTIVE, 20);
    go_user(g);
    for (i = 0; i < 100; i++) {
        guest_run(g, i % 4);
        guest_load(g, 0x1000 + 8 * i);
        if (++loads == 20) {
            ip = g->ip - 1;
        }
        if (i % 3 == 0) {
            guest_store(g, 0x90000);
        }
    }
    assert_int_equal(recorded_ip(g), ip);
    assert_int_equal(word(g, 4), 0x1000 + 8 * 19);
}

static void test_ip_of_a_load_that_misses(void **state)
{
    struct guest *g = begin("icelake", false);
    unsigned int i;
    uint64_t ip = 0;

    guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG, PMUSIM_PEBS_MEMORY);
    /* MEM_LOAD_RETIRED.L1_MISS */
    sample(g, 0, 0x08d1 | PMUSIM_SEL_ADAPTIVE, 5);
    go_user(g);
    for (i = 0; i < 100; i++) {
        guest_run(g, 3);
        /* Eight loads a line: each eighth misses */
        guest_load(g, 0x1000 + 8 * i);
        if (i == 4 * 8) {
            ip = g->ip - 1;
        }
    }
    assert_int_equal(recorded_ip(g), ip);
    assert_int_equal(word(g, 4), 0x1000 + 8 * 4 * 8);
    assert_int_equal(word(g, 5), 0x0a);
    assert_int_equal(word(g, 6), 5 + g->pmu.pmu->llc_cycles);
}

static void test_store_has_no_source(void **state)
{
    struct guest *g = begin("icelake", false);

    guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG, PMUSIM_PEBS_MEMORY);
    sample(g, 0, 0x82d0 | PMUSIM_SEL_ADAPTIVE, 2);
    go_user(g);
    guest_load(g, 0x1000);
    guest_store(g, 0x2000);
    guest_store(g, 0x3000);
    guest_run(g, 1);
    assert_int_equal(word(g, 4), 0x3000);
    assert_int_equal(word(g, 5), 0);
    assert_int_equal(word(g, 6), 0);
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
    guest_wrmsr_faults(g, LEGACY_SEL(0), PMUSIM_SEL_ADAPTIVE);
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

/* As kvm-unit-tests do: any start near the wrap, any counter, any groups */
static void test_all_starts_counters_and_groups(void **state)
{
    static const unsigned int periods[] = { 1, 2, 16 };
    unsigned int n, i, groups;

    for (n = 0; n < 8; n++) {
        for (i = 0; i < 3; i++) {
            for (groups = 0; groups < 16; groups++) {
                struct guest *g = begin("icelake", false);
                uint64_t config = groups | UINT64_C(7) << 24;
                uint64_t size = BASIC_SIZE +
                    (groups & 1 ? MEMORY_SIZE : 0) +
                    (groups & 2 ? GPRS_SIZE : 0) +
                    (groups & 4 ? XMMS_SIZE : 0) +
                    (groups & 8 ? 8 * BRANCH_SIZE : 0);

                guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG, config);
                poke(g, DS_RESET(n), WRAP(periods[i]));
                poke(g, DS_THRESHOLD, BUFFER + size);
                sample(g, n, EVENT_INSNS | PMUSIM_SEL_ADAPTIVE, periods[i]);
                go_user(g);
                guest_run(g, periods[i]);
                go_kernel(g);
                assert_true(used(g) >= size);
                assert_int_equal(used(g) % size, 0);
                assert_int_equal(word(g, 0), config | size << 48);
                assert_int_equal(status(g), PMUSIM_STATUS_OVF_BUF);
                assert_int_equal(g->pmis, 1);
            }
        }
    }
}

#define rule(name) cmocka_unit_test(test_##name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(format_3_layout),
        rule(basic_group),
        rule(groups_in_all_combinations),
        rule(branches_newest_first),
        rule(branches_are_zero_when_lbr_is_off),
        rule(more_branches_than_there_are),
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
        rule(own_status_stays_0),
        rule(threshold),
        rule(interrupt_beside_a_record),
        rule(record_that_does_not_fit_is_dropped),
        rule(record_that_just_fits),
        rule(unmapped_area),
        rule(area_that_ends_early),
        rule(unmapped_buffer),
        rule(read_only_buffer),
        rule(index_below_the_buffer),
        rule(index_at_the_end_of_memory),
        rule(record_around_the_end_of_memory),
        rule(buffer_freezes_the_counters),
        rule(ip_of_a_miss),
        rule(ip_of_a_cycle),
        rule(ip_of_every_cycle),
        rule(ip_of_a_masked_event),
        rule(ip_of_a_load),
        rule(ip_of_a_load_that_misses),
        rule(store_has_no_source),
        rule(reload_of_a_recording_counter),
        rule(recording_counter_reloads_another),
        rule(self_reload_of_a_recording_counter),
        rule(registers_of_an_adaptive_pmu),
        rule(registers_of_format_3),
        rule(registers_of_an_e_core),
        rule(ds_area_is_canonical),
        rule(no_pebs_no_registers),
        rule(power_on),
        rule(all_starts_counters_and_groups),
    };

    return cmocka_run_group_tests_name("pebs", tests, NULL, NULL);
}
