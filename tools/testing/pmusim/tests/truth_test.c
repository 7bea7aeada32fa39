/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of the statistics and the ground truth: one test a rule */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "guest.h"

#define ID              PMUSIM_MSR_OWN_ID
#define CONTROL         PMUSIM_MSR_OWN_CONTROL
#define INDEX           PMUSIM_MSR_OWN_INDEX
#define READS           PMUSIM_MSR_OWN_READS
#define WRITES          PMUSIM_MSR_OWN_WRITES
#define STATISTIC(n)    (PMUSIM_MSR_OWN_STATISTIC0 + (n))
#define FIRST(n)        (PMUSIM_MSR_OWN_RANGE0 + 4 * (n))
#define END(n)          (FIRST(n) + 1)
#define SPACE(n)        (FIRST(n) + 2)
#define RANGE(n)        (FIRST(n) + 3)
#define TRUTH(n, lane)  (PMUSIM_MSR_OWN_TRUTH0 + 32 * (n) + (lane))

#define COUNT           PMUSIM_CONTROL_COUNT
#define CLEAR           PMUSIM_CONTROL_CLEAR
#define FORGET          PMUSIM_CONTROL_FORGET

/* A CPU that looks at itself in kernel code */
static int setup(void **state)
{
    static struct guest g;

    guest_init(&g, "sapphirerapids", false);
    g.class = PMUSIM_OS;
    *state = &g;
    return 0;
}

/* As the emulator does: counted first, then the access */
static uint64_t read_msr(struct guest *g, uint32_t msr)
{
    pmusim_count_access(&g->pmu, msr, false);
    return guest_rdmsr(g, msr);
}

static void write_msr(struct guest *g, uint32_t msr, uint64_t value)
{
    pmusim_count_access(&g->pmu, msr, true);
    guest_wrmsr(g, msr, value);
}

static uint64_t statistic(struct guest *g, enum pmusim_statistic which)
{
    return guest_rdmsr(g, STATISTIC(which));
}

static void expect_accesses(struct guest *g, uint32_t msr, uint64_t reads,
                            uint64_t writes)
{
    write_msr(g, INDEX, msr);
    assert_int_equal(read_msr(g, READS), reads);
    assert_int_equal(read_msr(g, WRITES), writes);
}

/* Statistics */

static void test_id(void **state)
{
    struct guest *g = *state;

    /* "pmusim", version 1 */
    assert_int_equal(guest_rdmsr(g, ID), UINT64_C(0x01006d6973756d70));
    guest_wrmsr_faults(g, ID, 0);
}

static void test_accesses_by_register(void **state)
{
    struct guest *g = *state;

    write_msr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    write_msr(g, PMUSIM_MSR_GLOBAL_CTRL, 1);
    read_msr(g, PMUSIM_MSR_GLOBAL_CTRL);
    read_msr(g, PMUSIM_MSR_GLOBAL_STATUS);
    expect_accesses(g, PMUSIM_MSR_GLOBAL_CTRL, 1, 2);
    expect_accesses(g, PMUSIM_MSR_GLOBAL_STATUS, 1, 0);
    expect_accesses(g, PMUSIM_MSR_PMC0, 0, 0);
    assert_int_equal(statistic(g, PMUSIM_STAT_READS), 2);
    assert_int_equal(statistic(g, PMUSIM_STAT_WRITES), 2);
}

/* Registers of others, and accesses that fault, are counted too */
static void test_any_register_is_counted(void **state)
{
    struct guest *g = *state;

    pmusim_count_access(&g->pmu, 0xc0000080, true);
    pmusim_count_access(&g->pmu, 0x10, false);
    expect_accesses(g, 0xc0000080, 0, 1);
    expect_accesses(g, 0x10, 1, 0);
}

static void test_accesses_in_an_nmi(void **state)
{
    struct guest *g = *state;

    write_msr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    guest_rdpmc(g, 0);
    pmusim_nmi_begin(&g->pmu, PMUSIM_OS);
    write_msr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    write_msr(g, PMUSIM_MSR_GLOBAL_CTRL, 1);
    read_msr(g, PMUSIM_MSR_GLOBAL_STATUS);
    guest_rdpmc(g, 0);
    pmusim_nmi_end(&g->pmu, PMUSIM_OS);
    read_msr(g, PMUSIM_MSR_GLOBAL_STATUS);
    assert_int_equal(statistic(g, PMUSIM_STAT_WRITES), 3);
    assert_int_equal(statistic(g, PMUSIM_STAT_NMI_WRITES), 2);
    assert_int_equal(statistic(g, PMUSIM_STAT_READS), 2);
    assert_int_equal(statistic(g, PMUSIM_STAT_NMI_READS), 1);
    assert_int_equal(statistic(g, PMUSIM_STAT_RDPMCS), 2);
    assert_int_equal(statistic(g, PMUSIM_STAT_NMI_RDPMCS), 1);
}

/* Cycles cost what memory makes them cost only on demand */
static void test_memory_for_cycles(void **state)
{
    struct guest *g = *state;
    const struct pmusim_pmu *pmu = g->pmu.pmu;
    unsigned int on;

    guest_wrmsr(g, PMUSIM_MSR_PERFEVTSEL0, EVENT_CYCLES | COUNT_USR);
    for (on = 0; on < 2; on++) {
        guest_wrmsr(g, CONTROL, on ? PMUSIM_CONTROL_MEMORY : 0);
        assert_int_equal(guest_rdmsr(g, CONTROL),
                         on ? PMUSIM_CONTROL_MEMORY : 0);
        guest_wrmsr(g, PMUSIM_MSR_PMC0, 0);
        g->class = PMUSIM_USR;
        guest_load(g, 0x123456);
        guest_run(g, pmu->width - 1);
        g->class = PMUSIM_OS;
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PMC0),
                         1 + (on ? pmu->memory_cycles : 0));
    }
}

static void test_register_0_is_like_others(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    expect_accesses(g, 0, 0, 0);
    for (i = 0; i < 5; i++) {
        pmusim_count_access(&g->pmu, 0, false);
    }
    pmusim_count_access(&g->pmu, 0, true);
    expect_accesses(g, 0, 5, 1);
    /* One that falls into the same slot, and many others */
    pmusim_count_access(&g->pmu, 0x401, false);
    expect_accesses(g, 0x401, 1, 0);
    expect_accesses(g, 0, 5, 1);
    for (i = 1; i < 1000; i++) {
        pmusim_count_access(&g->pmu, i, true);
    }
    for (i = 1; i < 1000; i++) {
        expect_accesses(g, i, 0, 1);
    }
    expect_accesses(g, 0, 5, 1);
}

static void test_own_registers_are_not_counted(void **state)
{
    struct guest *g = *state;

    write_msr(g, CONTROL, 0);
    write_msr(g, INDEX, CONTROL);
    read_msr(g, ID);
    read_msr(g, STATISTIC(0));
    read_msr(g, TRUTH(7, 0));
    pmusim_count_access(&g->pmu, PMUSIM_MSR_OWN, false);
    pmusim_count_access(&g->pmu, PMUSIM_MSR_OWN + 0x1ff, false);
    assert_int_equal(statistic(g, PMUSIM_STAT_READS), 0);
    assert_int_equal(statistic(g, PMUSIM_STAT_WRITES), 0);
    /* Those next to them are */
    pmusim_count_access(&g->pmu, PMUSIM_MSR_OWN - 1, false);
    pmusim_count_access(&g->pmu, PMUSIM_MSR_OWN + 0x200, false);
    assert_int_equal(statistic(g, PMUSIM_STAT_READS), 2);
}

/* Registers that fall into the same slot, in a table that is full at last */
static void test_table_that_is_full(void **state)
{
    struct guest *g = *state;
    unsigned int i, j;

    for (i = 0; i < PMUSIM_STAT_REGISTERS; i++) {
        for (j = 0; j <= i % 3; j++) {
            pmusim_count_access(&g->pmu, 0x100000 * (i + 1), i % 2);
        }
    }
    /* No room: in the sums only */
    pmusim_count_access(&g->pmu, 0x12345, false);
    pmusim_count_access(&g->pmu, 0x12345, true);
    for (i = 0; i < PMUSIM_STAT_REGISTERS; i++) {
        expect_accesses(g, 0x100000 * (i + 1), i % 2 ? 0 : i % 3 + 1,
                        i % 2 ? i % 3 + 1 : 0);
    }
    expect_accesses(g, 0x12345, 0, 0);
    expect_accesses(g, 0, 0, 0);
    assert_int_equal(statistic(g, PMUSIM_STAT_READS) +
                     statistic(g, PMUSIM_STAT_WRITES), 2 * 1023 + 1 + 2);
}

static void test_no_pmu_counts_nothing(void **state)
{
    struct pmusim p;

    pmusim_init(&p, NULL, false, NULL);
    pmusim_count_access(&p, 0x10, false);
    pmusim_nmi_begin(&p, PMUSIM_OS);
    assert_false(p.truth.in_nmi);
    pmusim_nmi_end(&p, PMUSIM_OS);
    assert_int_equal(p.truth.total[PMUSIM_STAT_READS], 0);
    assert_int_equal(p.truth.total[PMUSIM_STAT_NMIS], 0);
}

static void test_rdpmcs(void **state)
{
    struct guest *g = *state;

    guest_rdpmc(g, 0);
    guest_rdpmc(g, PMUSIM_RDPMC_FIXED);
    assert_int_equal(statistic(g, PMUSIM_STAT_RDPMCS), 2);
}

/* Instructions of both classes */
static void test_instructions_by_class(void **state)
{
    struct guest *g = *state;

    guest_run(g, 100);
    guest_wrmsr(g, CONTROL, COUNT);
    guest_run(g, 10);
    g->class = PMUSIM_USR;
    guest_run(g, 2000);
    g->class = PMUSIM_OS;
    guest_run(g, 5);
    /* Neither the write that starts it nor the read itself */
    assert_int_equal(statistic(g, PMUSIM_STAT_OS_INSNS), 15);
    assert_int_equal(statistic(g, PMUSIM_STAT_USR_INSNS), 2000);
    guest_wrmsr(g, CONTROL, 0);
    guest_run(g, 100);
    assert_int_equal(statistic(g, PMUSIM_STAT_OS_INSNS), 15 + 3);
    assert_int_equal(statistic(g, PMUSIM_STAT_NMI_INSNS), 0);
    /* Nor does a counter make them count */
    guest_wrmsr(g, PMUSIM_MSR_PERFEVTSEL0, EVENT_INSNS | COUNT_OS);
    guest_run(g, 100);
    assert_int_equal(statistic(g, PMUSIM_STAT_OS_INSNS), 15 + 3);
}

static void test_instructions_of_nmi_handlers(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, CONTROL, COUNT);
    g->class = PMUSIM_USR;
    guest_run(g, 50);
    pmusim_nmi_begin(&g->pmu, PMUSIM_USR);
    g->class = PMUSIM_OS;
    guest_run(g, 30);
    pmusim_nmi_end(&g->pmu, PMUSIM_OS);
    /* An IRET outside of them ends nothing */
    guest_run(g, 7);
    pmusim_nmi_end(&g->pmu, PMUSIM_OS);
    guest_run(g, 3);
    pmusim_nmi_begin(&g->pmu, PMUSIM_OS);
    guest_run(g, 1);
    pmusim_nmi_end(&g->pmu, PMUSIM_OS);
    assert_int_equal(statistic(g, PMUSIM_STAT_NMI_INSNS), 31);
    assert_int_equal(statistic(g, PMUSIM_STAT_NMIS), 2);
    assert_int_equal(statistic(g, PMUSIM_STAT_OS_INSNS), 30 + 7 + 3 + 1 + 2);
    assert_int_equal(statistic(g, PMUSIM_STAT_USR_INSNS), 50);
}

static void test_nmis_are_counted_without_instructions(void **state)
{
    struct guest *g = *state;

    pmusim_nmi_begin(&g->pmu, PMUSIM_OS);
    guest_run(g, 30);
    pmusim_nmi_end(&g->pmu, PMUSIM_OS);
    assert_int_equal(statistic(g, PMUSIM_STAT_NMIS), 1);
    assert_int_equal(statistic(g, PMUSIM_STAT_NMI_INSNS), 0);
}

/* Ranges */

static void set_range(struct guest *g, unsigned int n, uint64_t first,
                      uint64_t end, uint64_t control)
{
    guest_wrmsr(g, FIRST(n), first);
    guest_wrmsr(g, END(n), end);
    guest_wrmsr(g, RANGE(n), control);
}

static void run_at(struct guest *g, enum pmusim_class class, uint64_t ip,
                   unsigned int insns)
{
    g->class = class;
    g->ip = ip;
    guest_run(g, insns);
    g->class = PMUSIM_OS;
    g->ip = UINT64_C(0xffffffff81000000);
}

static void test_range_to_the_byte(void **state)
{
    struct guest *g = *state;

    /* Instructions are one byte long here */
    set_range(g, 0, 0x1010, 0x1020, PMUSIM_RANGE_USR);
    set_range(g, 1, 0x1010, 0x1011, PMUSIM_RANGE_USR);
    set_range(g, 2, 0x1010, 0x1010, PMUSIM_RANGE_USR);
    set_range(g, 3, 0, UINT64_MAX, PMUSIM_RANGE_USR);
    run_at(g, PMUSIM_USR, 0x1000, 0x100);
    run_at(g, PMUSIM_USR, 0x101f, 2);
    run_at(g, PMUSIM_USR, 0x100f, 2);
    assert_int_equal(guest_rdmsr(g, TRUTH(0, PMUSIM_INSNS)), 16 + 1 + 1);
    assert_int_equal(guest_rdmsr(g, TRUTH(1, PMUSIM_INSNS)), 1 + 1);
    assert_int_equal(guest_rdmsr(g, TRUTH(2, PMUSIM_INSNS)), 0);
    assert_int_equal(guest_rdmsr(g, TRUTH(3, PMUSIM_INSNS)), 0x100 + 4);
}

static void test_range_of_a_class(void **state)
{
    struct guest *g = *state;

    set_range(g, 0, 0x1000, 0x2000, PMUSIM_RANGE_USR);
    set_range(g, 1, 0x1000, 0x2000, PMUSIM_RANGE_OS);
    set_range(g, 2, 0x1000, 0x2000, PMUSIM_RANGE_OS | PMUSIM_RANGE_USR);
    set_range(g, 3, 0x1000, 0x2000, 0);
    run_at(g, PMUSIM_USR, 0x1100, 30);
    run_at(g, PMUSIM_OS, 0x1200, 40);
    assert_int_equal(guest_rdmsr(g, TRUTH(0, PMUSIM_INSNS)), 30);
    assert_int_equal(guest_rdmsr(g, TRUTH(1, PMUSIM_INSNS)), 40);
    assert_int_equal(guest_rdmsr(g, TRUTH(2, PMUSIM_INSNS)), 70);
    assert_int_equal(guest_rdmsr(g, TRUTH(3, PMUSIM_INSNS)), 0);
}

static void test_range_of_a_space(void **state)
{
    struct guest *g = *state;

    set_range(g, 0, 0x1000, 0x2000, PMUSIM_RANGE_USR);
    guest_wrmsr(g, SPACE(0), 0x5000);
    set_range(g, 1, 0x1000, 0x2000, PMUSIM_RANGE_USR);
    guest_set_space(g, 0x5000);
    run_at(g, PMUSIM_USR, 0x1100, 30);
    guest_set_space(g, 0x6000);
    run_at(g, PMUSIM_USR, 0x1100, 40);
    assert_int_equal(guest_rdmsr(g, TRUTH(0, PMUSIM_INSNS)), 30);
    assert_int_equal(guest_rdmsr(g, TRUTH(1, PMUSIM_INSNS)), 70);
}

/* What a branch does belongs to its own range */
static void test_range_of_branches(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    set_range(g, 0, 0x1000, 0x1010, PMUSIM_RANGE_USR);
    set_range(g, 1, 0x2000, 0x2010, PMUSIM_RANGE_USR);
    g->class = PMUSIM_USR;
    for (i = 0; i < 20; i++) {
        g->ip = 0x1000;
        guest_branch(g, 3, i, true);
        g->ip = 0x2000;
        guest_run(g, 5);
        guest_branch(g, 1, 0x100 + i, false);
    }
    g->class = PMUSIM_OS;
    g->ip = 0x9000;
    assert_int_equal(guest_rdmsr(g, TRUTH(0, PMUSIM_BRANCHES)), 20);
    assert_int_equal(guest_rdmsr(g, TRUTH(0, PMUSIM_TAKEN)), 20);
    assert_int_equal(guest_rdmsr(g, TRUTH(0, PMUSIM_MISSES)), 20);
    assert_int_equal(guest_rdmsr(g, TRUTH(0, PMUSIM_INSNS)), 60);
    assert_int_equal(guest_rdmsr(g, TRUTH(0, PMUSIM_RECOVERY)), 20 * 17);
    assert_int_equal(guest_rdmsr(g, TRUTH(1, PMUSIM_BRANCHES)), 20);
    assert_int_equal(guest_rdmsr(g, TRUTH(1, PMUSIM_TAKEN)), 0);
    assert_int_equal(guest_rdmsr(g, TRUTH(1, PMUSIM_MISSES)), 0);
    assert_int_equal(guest_rdmsr(g, TRUTH(1, PMUSIM_INSNS)), 120);
}

static void test_range_of_loads(void **state)
{
    struct guest *g = *state;

    /* The events need a counter that asks for them */
    guest_wrmsr(g, PMUSIM_MSR_PERFEVTSEL0, 0x81d0 | COUNT_USR);
    set_range(g, 0, 0x1000, 0x1010, PMUSIM_RANGE_USR);
    g->class = PMUSIM_USR;
    g->ip = 0x1000;
    guest_load(g, 0x8000);
    guest_store(g, 0x8000);
    guest_divide(g);
    g->ip = 0x2000;
    guest_load(g, 0x8000);
    g->class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(g, TRUTH(0, PMUSIM_LOADS)), 1);
    assert_int_equal(guest_rdmsr(g, TRUTH(0, PMUSIM_STORES)), 1);
    assert_int_equal(guest_rdmsr(g, TRUTH(0, PMUSIM_DIVISIONS)), 1);
    assert_int_equal(guest_rdmsr(g, TRUTH(0, PMUSIM_LLC_MISSES)), 1);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PMC0), 2);
}

/* Whatever the order of small pieces, each instruction has its own address */
static void test_ranges_against_oracle(void **state)
{
    struct guest *g = *state;
    uint64_t os = 0, usr = 0, any = 0;
    uint32_t seed = 1;
    unsigned int i, j;

    set_range(g, 0, 0x1008, 0x1018, PMUSIM_RANGE_OS);
    set_range(g, 1, 0x1008, 0x1018, PMUSIM_RANGE_USR);
    set_range(g, 2, 0x1010, 0x1011, PMUSIM_RANGE_OS | PMUSIM_RANGE_USR);
    for (i = 0; i < 2000; i++) {
        unsigned int insns;

        seed = seed * 1664525 + 1013904223;
        g->class = seed >> 31;
        g->ip = 0x1000 + (seed >> 8) % 32;
        insns = 1 + (seed >> 16) % 9;
        for (j = 0; j < insns; j++) {
            uint64_t ip = g->ip + j;

            *(g->class ? &usr : &os) += ip >= 0x1008 && ip < 0x1018;
            any += ip == 0x1010;
        }
        guest_run(g, insns);
    }
    g->class = PMUSIM_OS;
    g->ip = 0x9000;
    assert_int_equal(guest_rdmsr(g, TRUTH(0, PMUSIM_INSNS)), os);
    assert_int_equal(guest_rdmsr(g, TRUTH(1, PMUSIM_INSNS)), usr);
    assert_int_equal(guest_rdmsr(g, TRUTH(2, PMUSIM_INSNS)), any);
}

static void test_all_ranges(void **state)
{
    struct guest *g = *state;
    unsigned int n;

    for (n = 0; n < PMUSIM_RANGES; n++) {
        set_range(g, n, 0x1000 * n, 0x1000 * n + n, PMUSIM_RANGE_USR);
    }
    for (n = 0; n < PMUSIM_RANGES; n++) {
        run_at(g, PMUSIM_USR, 0x1000 * n, 100);
    }
    for (n = 0; n < PMUSIM_RANGES; n++) {
        assert_int_equal(guest_rdmsr(g, FIRST(n)), 0x1000 * n);
        assert_int_equal(guest_rdmsr(g, END(n)), 0x1000 * n + n);
        assert_int_equal(guest_rdmsr(g, RANGE(n)), PMUSIM_RANGE_USR);
        assert_int_equal(guest_rdmsr(g, TRUTH(n, PMUSIM_INSNS)), n);
    }
}

/* Clearing and forgetting */

static void test_clear(void **state)
{
    struct guest *g = *state;
    unsigned int i, lane;

    write_msr(g, PMUSIM_MSR_GLOBAL_CTRL, 0);
    guest_wrmsr(g, CONTROL, COUNT);
    set_range(g, 7, 0x1000, 0x2000, PMUSIM_RANGE_USR);
    run_at(g, PMUSIM_USR, 0x1000, 10);
    guest_rdpmc(g, 0);
    guest_wrmsr(g, CONTROL, CLEAR);
    assert_int_equal(guest_rdmsr(g, CONTROL), 0);
    for (i = 0; i < PMUSIM_STATISTICS; i++) {
        assert_int_equal(statistic(g, i), 0);
    }
    for (lane = 0; lane < PMUSIM_LANES; lane++) {
        assert_int_equal(guest_rdmsr(g, TRUTH(7, lane)), 0);
    }
    expect_accesses(g, PMUSIM_MSR_GLOBAL_CTRL, 0, 0);
    /* The range itself stays */
    assert_int_equal(guest_rdmsr(g, FIRST(7)), 0x1000);
    assert_int_equal(guest_rdmsr(g, RANGE(7)), PMUSIM_RANGE_USR);
}

static void test_clear_and_go_on(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, CONTROL, COUNT);
    guest_run(g, 100);
    guest_wrmsr(g, CONTROL, COUNT | CLEAR);
    assert_int_equal(guest_rdmsr(g, CONTROL), COUNT);
    guest_run(g, 9);
    assert_int_equal(statistic(g, PMUSIM_STAT_OS_INSNS), 10);
}

static void test_forget(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    guest_wrmsr(g, CONTROL, COUNT);
    guest_wrmsr(g, PMUSIM_MSR_PERFEVTSEL0, EVENT_MISSES | COUNT_OS);
    guest_wrmsr(g, PMUSIM_MSR_PERFEVTSEL0 + 1, 0x08d1 | COUNT_OS);
    for (i = 0; i < 20; i++) {
        guest_branch(g, 1, 0x40, true);
        guest_load(g, 0x1000);
    }
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PMC0), 4);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PMC0 + 1), 1);
    /* Clearing alone forgets nothing */
    guest_wrmsr(g, CONTROL, COUNT | CLEAR);
    guest_branch(g, 1, 0x40, true);
    guest_load(g, 0x1000);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PMC0), 4);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PMC0 + 1), 1);
    guest_wrmsr(g, CONTROL, COUNT | FORGET);
    assert_int_equal(guest_rdmsr(g, CONTROL), COUNT);
    for (i = 0; i < 20; i++) {
        guest_branch(g, 1, 0x40, true);
        guest_load(g, 0x1000);
    }
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PMC0), 8);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PMC0 + 1), 2);
    /* Forgetting clears nothing */
    assert_true(statistic(g, PMUSIM_STAT_OS_INSNS) > 40);
}

/* Faults */

static void test_reserved_bits(void **state)
{
    struct guest *g = *state;

    guest_wrmsr_faults(g, CONTROL, 1 << 4);
    guest_wrmsr_faults(g, CONTROL, COUNT | UINT64_C(1) << 63);
    guest_wrmsr_faults(g, RANGE(0), 1 << 2);
    guest_wrmsr_faults(g, RANGE(7), UINT64_C(1) << 32);
    guest_wrmsr_faults(g, INDEX, UINT64_C(1) << 32);
    guest_wrmsr(g, INDEX, UINT32_MAX);
    guest_wrmsr(g, FIRST(0), UINT64_MAX);
    guest_wrmsr(g, END(7), UINT64_MAX);
    guest_wrmsr(g, SPACE(3), UINT64_MAX);
}

static void test_read_only_registers(void **state)
{
    struct guest *g = *state;
    unsigned int i, n;

    guest_wrmsr_faults(g, READS, 0);
    guest_wrmsr_faults(g, WRITES, 0);
    for (i = 0; i < PMUSIM_STATISTICS; i++) {
        guest_wrmsr_faults(g, STATISTIC(i), 0);
    }
    for (n = 0; n < PMUSIM_RANGES; n++) {
        for (i = 0; i < PMUSIM_LANES; i++) {
            guest_wrmsr_faults(g, TRUTH(n, i), 0);
        }
    }
}

/* Every number of the block exists or faults, and none beside it is ours */
static void test_holes(void **state)
{
    struct guest *g = *state;
    uint64_t value;
    unsigned int i;

    for (i = 0; i < PMUSIM_MSR_OWN_COUNT; i++) {
        bool exists = i < 5 ||
            (i >= 0x10 && i < 0x10 + PMUSIM_STATISTICS) ||
            (i >= 0x40 && i < 0x40 + 4 * PMUSIM_RANGES) ||
            (i >= 0x100 && i % 32 < PMUSIM_LANES);

        if (exists) {
            guest_rdmsr(g, PMUSIM_MSR_OWN + i);
        } else {
            guest_rdmsr_faults(g, PMUSIM_MSR_OWN + i);
            guest_wrmsr_faults(g, PMUSIM_MSR_OWN + i, 0);
        }
    }
    assert_int_equal(pmusim_rdmsr(&g->pmu, PMUSIM_OS, PMUSIM_MSR_OWN - 1,
                                  &value), PMUSIM_FOREIGN);
    assert_int_equal(pmusim_rdmsr(&g->pmu, PMUSIM_OS, PMUSIM_MSR_OWN + 0x200,
                                  &value), PMUSIM_FOREIGN);
    assert_int_equal(pmusim_wrmsr(&g->pmu, PMUSIM_OS, PMUSIM_MSR_OWN + 0x200,
                                  0), PMUSIM_FOREIGN);
}

/* A read that faults, or is none of ours, leaves everything as it was */
static void test_failed_reads_change_nothing(void **state)
{
    struct guest *g = *state;
    struct pmusim before;
    uint64_t value;

    guest_wrmsr(g, CONTROL, COUNT);
    guest_run(g, 100);
    guest_rdmsr_faults(g, PMUSIM_MSR_OWN + 5);
    before = g->pmu;
    pmusim_rdmsr(&g->pmu, PMUSIM_OS, 0x10, &value);
    assert_memory_equal(&before, &g->pmu, sizeof(before));
}

#define rule(name) cmocka_unit_test_setup(test_##name, setup)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(id),
        rule(accesses_by_register),
        rule(any_register_is_counted),
        rule(register_0_is_like_others),
        rule(accesses_in_an_nmi),
        rule(memory_for_cycles),
        rule(own_registers_are_not_counted),
        rule(table_that_is_full),
        rule(no_pmu_counts_nothing),
        rule(rdpmcs),
        rule(instructions_by_class),
        rule(instructions_of_nmi_handlers),
        rule(nmis_are_counted_without_instructions),
        rule(range_to_the_byte),
        rule(range_of_a_class),
        rule(range_of_a_space),
        rule(range_of_branches),
        rule(range_of_loads),
        rule(ranges_against_oracle),
        rule(all_ranges),
        rule(clear),
        rule(clear_and_go_on),
        rule(forget),
        rule(reserved_bits),
        rule(read_only_registers),
        rule(holes),
        rule(failed_reads_change_nothing),
    };

    return cmocka_run_group_tests_name("truth", tests, NULL, NULL);
}
