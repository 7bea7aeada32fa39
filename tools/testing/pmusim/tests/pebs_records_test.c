/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of PEBS: what a record says */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "pebs_fixture.h"

/* Numbers of general registers in instructions */
enum { AX, CX, DX, BX, SP, BP, SI, DI };

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
    assert_int_equal(word(g, 21), 5 + pmu->memory_cycles);
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
        /* Access in the upper half, instruction in the lower one */
        assert_int_equal(word(g, at + 2), UINT64_C(0x500000005));
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
    sample(g, 0, EVENT_INSNS | CMASK(5), 10);
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
    assert_int_equal(word(g, 6), 5 + g->pmu.pmu->memory_cycles);
}

/* Of an instruction that loads and stores, the event tells which is meant */
static void test_stores_and_loads_apart(void **state)
{
    struct guest *g = begin("icelake", false);

    guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG, PMUSIM_PEBS_MEMORY);
    sample(g, 0, 0x82d0 | PMUSIM_SEL_ADAPTIVE, 2);
    go_user(g);
    guest_load(g, 0x3000);
    guest_store(g, 0x2000);
    guest_store(g, 0x3000);
    guest_load(g, 0x9000);
    assert_int_equal(word(g, 4), 0x3000);
    /* L1D has the line */
    assert_int_equal(word(g, 5), 1);
    assert_int_equal(word(g, 6), 5);

    g = begin("icelake", false);
    guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG, PMUSIM_PEBS_MEMORY);
    sample(g, 0, 0x81d0 | PMUSIM_SEL_ADAPTIVE, 1);
    go_user(g);
    guest_store(g, 0x2000);
    guest_load(g, 0x5000);
    pmusim_store(&g->pmu, PMUSIM_USR, 0x6000);
    guest_run(g, 1);
    assert_int_equal(word(g, 4), 0x5000);
    assert_int_equal(word(g, 5), g->pmu.pmu->source_memory);
    assert_int_equal(word(g, 6), 5 + g->pmu.pmu->memory_cycles);
}

static void test_store_that_misses(void **state)
{
    struct guest *g = begin("icelake", false);

    guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG, PMUSIM_PEBS_MEMORY);
    sample(g, 0, 0x82d0 | PMUSIM_SEL_ADAPTIVE, 1);
    go_user(g);
    guest_store(g, 0x3000);
    guest_run(g, 1);
    assert_int_equal(word(g, 4), 0x3000);
    assert_int_equal(word(g, 5), 0);
}

/* Which kinds of core have both latencies, by what Linux expects of them */
static void test_latencies_by_core(void **state)
{
    static const struct {
        const char *cpu;
        bool atom;
        bool both;
    } rows[] = {
        { "icelake", false, false },
        { "sapphirerapids", false, true },
        { "arrowlake", false, true },
        { "arrowlake", true, true },
        { "clearwaterforest", false, true },
    };
    unsigned int i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct guest *g = begin(rows[i].cpu, rows[i].atom);

        guest_wrmsr(g, PMUSIM_MSR_PEBS_DATA_CFG, PMUSIM_PEBS_MEMORY);
        sample(g, 0, 0x81d0 | PMUSIM_SEL_ADAPTIVE, 2);
        go_user(g);
        guest_load(g, 0x3000);
        guest_load(g, 0x3000);
        guest_run(g, 1);
        assert_int_equal(word(g, 6), rows[i].both ? UINT64_C(0x500000005) : 5);
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
        rule(ip_of_a_miss),
        rule(ip_of_a_cycle),
        rule(ip_of_every_cycle),
        rule(ip_of_a_masked_event),
        rule(ip_of_a_load),
        rule(ip_of_a_load_that_misses),
        rule(stores_and_loads_apart),
        rule(store_that_misses),
        rule(latencies_by_core),
    };

    return cmocka_run_group_tests_name("pebs_records", tests, NULL, NULL);
}
