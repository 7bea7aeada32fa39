/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of last branch records in running code: one test a rule */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "guest.h"

#define ENABLE          UINT64_C(1)
#define OS              UINT64_C(2)
#define USR             UINT64_C(4)
#define KINDS           UINT64_C(0x7f0000)
#define WIDTH           8

static struct guest guest;

/* A P-core that records all of user code */
static int setup(void **state)
{
    struct guest *g = &guest;

    guest_init(g, "arrowlake", false);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_ARCH_LBR_CTL, ENABLE | USR | KINDS);
    *state = g;
    return 0;
}

static void jump(struct guest *g, uint64_t to)
{
    guest_go(g, PMUSIM_BRANCH_JUMP, to, false);
}

static uint64_t read_msr(struct guest *g, uint32_t msr)
{
    enum pmusim_class class = g->class;
    uint64_t value;

    g->class = PMUSIM_OS;
    value = guest_rdmsr(g, msr);
    g->class = class;
    return value;
}

/* INFO of the newest entry, behind a block that arrives at its target */
static uint64_t info(struct guest *g)
{
    guest_run(g, 1);
    return read_msr(g, PMUSIM_MSR_ARCH_LBR_INFO0);
}

static uint64_t cycles(struct guest *g)
{
    uint64_t value = info(g);

    /* Valid */
    assert_true(value >> 60 & 1);
    return value & 0xffff;
}

static uint64_t events(struct guest *g, unsigned int n)
{
    return info(g) >> (32 + 2 * n) & 3;
}

static void test_from_and_to(void **state)
{
    struct guest *g = *state;

    g->class = PMUSIM_USR;
    g->ip = 0x1000;
    guest_run(g, 5);
    jump(g, 0x2000);
    guest_run(g, 1);
    assert_int_equal(read_msr(g, PMUSIM_MSR_ARCH_LBR_FROM0), 0x1005);
    assert_int_equal(read_msr(g, PMUSIM_MSR_ARCH_LBR_TO0), 0x2000);
}

/*
 * Cycles are those that ended between the records. A jump takes its own slot
 * and leaves two empty behind it.
 */
static void test_cycles_of_straight_code(void **state)
{
    struct guest *g = *state;

    /* Counting makes the slots of instructions known */
    guest_wrmsr(g, SELECT(0), EVENT_CYCLES | COUNT_USR);
    g->class = PMUSIM_USR;
    jump(g, 0x1000);
    guest_run(g, 100 * WIDTH - 1);
    jump(g, 0x2000);
    assert_int_equal(cycles(g), (3 + 100 * WIDTH - 1 + 3) / WIDTH);
}

static void test_cycles_of_a_taken_branch_and_a_miss(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    guest_wrmsr(g, SELECT(0), EVENT_CYCLES | COUNT_USR);
    g->class = PMUSIM_USR;
    jump(g, 0x1000);
    /* Not recorded: it only takes its slots */
    for (i = 0; i < 30; i++) {
        guest_jump(g, 1);
    }
    jump(g, 0x2000);
    assert_int_equal(cycles(g), (3 + 30 * 3 + 3) / WIDTH);
    /* Recorded when it gets to its target, behind the cycles it lost */
    guest_go(g, PMUSIM_BRANCH_JUMP, 0x3000, true);
    assert_in_range(cycles(g), 17, 18);
    assert_true(info(g) >> 63);
    jump(g, 0x4000);
    assert_in_range(cycles(g), 0, 1);
}

/* What memory costs, also between two folds */
static void test_cycles_of_memory(void **state)
{
    struct guest *g = *state;
    const struct pmusim_pmu *pmu = g->pmu.pmu;

    /* MEM_INST_RETIRED.ALL_LOADS */
    guest_wrmsr(g, SELECT(0), 0x81d0 | COUNT_USR);
    g->class = PMUSIM_USR;
    jump(g, 0x1000);
    guest_run(g, 1);
    guest_load(g, 0x5000);
    guest_divide(g);
    guest_fetch(g, 0x9000);
    jump(g, 0x2000);
    assert_in_range(cycles(g), pmu->memory_cycles + pmu->divide_cycles +
                    pmu->fetch_cycles, pmu->memory_cycles + pmu->divide_cycles +
                    pmu->fetch_cycles + 1);
}

/* The clock is the same whether folded or not */
static void test_cycles_across_folds(void **state)
{
    struct guest *g = *state;
    unsigned int i;

    guest_wrmsr(g, SELECT(0), EVENT_CYCLES | COUNT_USR);
    g->class = PMUSIM_USR;
    jump(g, 0x1000);
    for (i = 0; i < 10; i++) {
        guest_run(g, 79);
        guest_rdpmc(g, 0);
    }
    jump(g, 0x2000);
    assert_int_equal(cycles(g), (3 + 800 + 3) / WIDTH);
}

static void test_cycles_start_anew_when_enabled_again(void **state)
{
    struct guest *g = &guest;

    guest_init(g, "skylake", false);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, SELECT(0), EVENT_CYCLES | COUNT_USR);
    guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, PMUSIM_DEBUGCTL_LBR);
    g->class = PMUSIM_USR;
    jump(g, 0x1000);
    guest_run(g, 400);
    jump(g, 0x2000);
    guest_run(g, 1);
    /* One slot stays empty behind a jump here, and four make a cycle */
    assert_int_equal(read_msr(g, PMUSIM_MSR_LBR_INFO0 + 2) & 0xffff,
                     (2 + 400 + 2) / 4);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, 0);
    guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, PMUSIM_DEBUGCTL_LBR);
    g->class = PMUSIM_USR;
    guest_run(g, 400);
    jump(g, 0x3000);
    guest_run(g, 400);
    assert_int_equal(read_msr(g, PMUSIM_MSR_LBR_INFO0 + 3) & 0xffff, 0);
    /* A write that leaves it on does not */
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, PMUSIM_DEBUGCTL_LBR | 1 << 11);
    g->class = PMUSIM_USR;
    jump(g, 0x4000);
    guest_run(g, 1);
    assert_in_range(read_msr(g, PMUSIM_MSR_LBR_INFO0 + 4) & 0xffff, 100, 101);
}

/* Events of a counter, up to date at each branch */
static void test_logged_events(void **state)
{
    struct guest *g = *state;

    guest_wrmsr(g, SELECT(1), 0x81d0 | COUNT_USR | PMUSIM_SEL_BR_CNTR);
    g->class = PMUSIM_USR;
    jump(g, 0x1000);
    guest_load(g, 0x5000);
    guest_load(g, 0x5000);
    jump(g, 0x2000);
    assert_int_equal(events(g, 1), 2);
    assert_int_equal(events(g, 0), 0);
    jump(g, 0x3000);
    assert_int_equal(events(g, 1), 0);
    guest_load(g, 0x5000);
    jump(g, 0x4000);
    assert_int_equal(events(g, 1), 1);
}

/* A write to the counter is no event, and neither is a reload */
static void test_writes_are_not_logged(void **state)
{
    struct guest *g = &guest;

    guest_init(g, "arrowlake", true);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_ARCH_LBR_CTL, ENABLE | USR | KINDS);
    guest_wrmsr(g, SELECT(2), EVENT_BRANCHES | COUNT_USR | PMUSIM_SEL_BR_CNTR);
    g->class = PMUSIM_USR;
    jump(g, 0x1000);
    jump(g, 0x2000);
    assert_int_equal(events(g, 2), 1);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, CTR(2), 0x123456);
    g->class = PMUSIM_USR;
    jump(g, 0x3000);
    assert_int_equal(events(g, 2), 1);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, V6_GP_CFG_C(2), (uint32_t)-100);
    guest_wrmsr(g, V6_GP_CFG_B(2), 1 << 2);
    guest_wrmsr(g, CTR(2), WRAP(1));
    g->class = PMUSIM_USR;
    jump(g, 0x4000);
    assert_int_equal(events(g, 2), 1);
    assert_int_equal(read_msr(g, CTR(2)), WRAP(100));
}

/* It has retired when its overflow freezes the records, also where it is logged */
static void test_overflowing_branch_is_recorded(void **state)
{
    struct guest *g = &guest;
    unsigned int logged;

    for (logged = 0; logged < 2; logged++) {
        guest_init(g, "arrowlake", true);
        g->class = PMUSIM_OS;
        guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, PMUSIM_DEBUGCTL_FREEZE_LBRS);
        guest_wrmsr(g, PMUSIM_MSR_ARCH_LBR_CTL, ENABLE | USR | KINDS);
        guest_wrmsr(g, SELECT(1), EVENT_BRANCHES | COUNT_USR | PMUSIM_SEL_INT |
                    (logged ? PMUSIM_SEL_BR_CNTR : 0));
        guest_wrmsr(g, CTR(1), WRAP(2));
        g->class = PMUSIM_USR;
        jump(g, 0x1000);
        jump(g, 0x2000);
        jump(g, 0x3000);
        assert_int_equal(g->pmis, 1);
        assert_int_equal(read_msr(g, PMUSIM_MSR_ARCH_LBR_TO0), 0x2000);
        assert_int_equal(read_msr(g, PMUSIM_MSR_ARCH_LBR_TO0 + 1), 0x1000);
    }
}

/* Nothing has to be up to date at branches where nothing is logged */
static void test_logging_only_while_recording(void **state)
{
    struct guest *g = *state;

    assert_false(g->pmu.logging);
    guest_wrmsr(g, SELECT(1), EVENT_INSNS | COUNT_USR | PMUSIM_SEL_BR_CNTR);
    assert_true(g->pmu.logging);
    guest_wrmsr(g, PMUSIM_MSR_ARCH_LBR_CTL, USR | KINDS);
    assert_false(g->pmu.logging);
    guest_wrmsr(g, PMUSIM_MSR_ARCH_LBR_CTL, ENABLE | USR | KINDS);
    assert_true(g->pmu.logging);
    guest_wrmsr(g, SELECT(1), EVENT_INSNS | COUNT_USR);
    assert_false(g->pmu.logging);
}

/* The class of the target decides, and a source that is left out is hidden */
static void test_branches_between_classes(void **state)
{
    struct guest *g = *state;

    pmusim_branch(&g->pmu, PMUSIM_USR, PMUSIM_OS, 0x1000, 0x2000,
                  PMUSIM_BRANCH_FAR);
    assert_int_equal(read_msr(g, PMUSIM_MSR_ARCH_LBR_TO0), 0);
    pmusim_branch(&g->pmu, PMUSIM_OS, PMUSIM_USR, 0x2100, 0x1001,
                  PMUSIM_BRANCH_FAR);
    assert_int_equal(read_msr(g, PMUSIM_MSR_ARCH_LBR_TO0), 0x1001);
    assert_int_equal(read_msr(g, PMUSIM_MSR_ARCH_LBR_FROM0), UINT64_MAX);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_ARCH_LBR_CTL, ENABLE | USR | OS | KINDS);
    pmusim_branch(&g->pmu, PMUSIM_OS, PMUSIM_USR, 0x2200, 0x1002,
                  PMUSIM_BRANCH_FAR);
    assert_int_equal(read_msr(g, PMUSIM_MSR_ARCH_LBR_FROM0), 0x2200);
}

/* The model-specific kind hides nothing */
static void test_model_specific_branches_between_classes(void **state)
{
    struct guest *g = &guest;

    guest_init(g, "icelake", false);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_LBR_SELECT, PMUSIM_SELECT_OS);
    guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, PMUSIM_DEBUGCTL_LBR);
    pmusim_branch(&g->pmu, PMUSIM_USR, PMUSIM_OS, 0x1000, 0x2000,
                  PMUSIM_BRANCH_FAR);
    assert_int_equal(read_msr(g, PMUSIM_MSR_LBR_TOS), 0);
    pmusim_branch(&g->pmu, PMUSIM_OS, PMUSIM_USR, 0x2100, 0x1001,
                  PMUSIM_BRANCH_FAR);
    assert_int_equal(read_msr(g, PMUSIM_MSR_LBR_FROM0 + 1), 0x2100);
    assert_int_equal(read_msr(g, PMUSIM_MSR_LBR_TO0 + 1), 0x1001);
}

#define rule(name) cmocka_unit_test_setup(test_##name, setup)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(from_and_to),
        rule(cycles_of_straight_code),
        rule(cycles_of_a_taken_branch_and_a_miss),
        rule(cycles_of_memory),
        rule(cycles_across_folds),
        rule(cycles_start_anew_when_enabled_again),
        rule(logged_events),
        rule(writes_are_not_logged),
        rule(overflowing_branch_is_recorded),
        rule(logging_only_while_recording),
        rule(branches_between_classes),
        rule(model_specific_branches_between_classes),
    };

    return cmocka_run_group_tests_name("lbr_code", tests, NULL, NULL);
}
