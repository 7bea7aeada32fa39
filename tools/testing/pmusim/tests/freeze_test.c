/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of freezing, by version */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "cpu_fixture.h"

static struct guest guest;

static const struct pmusim_event no_events[] = { { 0 } };

static const struct pmusim_pmu old_pmu = {
    .gp = 0xf,
    .fixed = 0x7,
    .caps = PMUSIM_CAP_LBR_INFO_TSX | PMUSIM_CAP_FULL_WIDTH,
    .lbrs = 16,
    .events = no_events,
    .fixed_lane = { PMUSIM_INSNS, PMUSIM_CYCLES, PMUSIM_CYCLES },
    .width = 4,
    .miss_cycles = 15,
    .taken_slots = 1,
};

static const struct pmusim_cpu old_cpu = {
    .name = "old", .version = 3, .pmu = &old_pmu,
};

static struct guest *make_freezing(const struct pmusim_cpu *cpu, bool atom,
                                   uint64_t debugctl)
{
    struct guest *g = &guest;

    guest_init_row(g, cpu, atom);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, debugctl);
    guest_wrmsr(g, SELECT(1), EVENT_INSNS | COUNT_USR);
    guest_wrmsr(g, CTR(0), WRAP(100));
    guest_wrmsr(g, SELECT(0), EVENT_INSNS | USR_INT);
    g->class = PMUSIM_USR;
    return g;
}

static void run_user(struct guest *g, unsigned int insns)
{
    g->class = PMUSIM_USR;
    guest_run(g, insns);
    g->class = PMUSIM_OS;
}

static void jump_user(struct guest *g, uint64_t to)
{
    g->class = PMUSIM_USR;
    guest_go(g, PMUSIM_BRANCH_JUMP, to, false);
    run_user(g, 10);
}

/* Before version 4 the interrupt clears the enables */
static void test_old_freeze_of_counters(void **state)
{
    struct guest *g = make_freezing(&old_cpu, false, 1 << 12);

    guest_run(g, 200);
    assert_int_equal(g->pmis, 1);
    assert_int_equal(status(g), 1);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_CTRL), 0);
    assert_int_equal(guest_rdmsr(g, CTR(0)), 0);
    assert_int_equal(guest_rdmsr(g, CTR(1)), 100);
    /* Acknowledging starts nothing, enabling does */
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, 1);
    run_user(g, 10);
    assert_int_equal(guest_rdmsr(g, CTR(0)), 0);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 3);
    run_user(g, 10);
    assert_int_equal(guest_rdmsr(g, CTR(0)), 10);
}

static void test_old_freeze_of_branches(void **state)
{
    struct guest *g = make_freezing(&old_cpu, false, 1 << 11 | 1);

    guest_run(g, 50);
    guest_go(g, PMUSIM_BRANCH_JUMP, 0x1000, false);
    guest_run(g, 100);
    assert_int_equal(status(g), 1);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_DEBUGCTL), 1 << 11);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_LBR_TO0 + 1), 0x1000);
    jump_user(g, 0x2000);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_LBR_TOS), 1);
    /* Counting goes on */
    assert_int_equal(guest_rdmsr(g, CTR(1)), 50 + 1 + 100 + 1 + 10);
}

static void test_old_has_no_freeze_status(void **state)
{
    struct guest *g = &guest;

    guest_init_row(g, &old_cpu, false);
    guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_STATUS_SET, 0);
    guest_rdmsr_faults(g, PMUSIM_MSR_GLOBAL_STATUS_SET);
    guest_rdmsr_faults(g, PMUSIM_MSR_GLOBAL_INUSE);
    guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_STATUS_RESET,
                       PMUSIM_STATUS_CTR_FRZ);
    guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_STATUS_RESET,
                       PMUSIM_STATUS_LBR_FRZ);
    guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, PMUSIM_STATUS_ASCI);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, PMUSIM_STATUS_OVF_BUF |
                PMUSIM_STATUS_COND_CHGD | PMUSIM_STATUS_UNCORE);
}

/* Version 4: by STATUS, and the registers stay as they are */
static void test_freeze_of_counters(void **state)
{
    unsigned int i;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_freezing(pmusim_find_cpu(rows[i].cpu),
                                        rows[i].atom, 1 << 12);

        guest_run(g, 200);
        assert_int_equal(g->pmis, 1);
        assert_int_equal(status(g), 1 | UINT64_C(1) << 59);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_CTRL), rows[i].gp);
        assert_int_equal(guest_rdmsr(g, CTR(0)), 0);
        assert_int_equal(guest_rdmsr(g, CTR(1)), 100);
        /* It stays when DEBUGCTL lets go, and until it is cleared itself */
        guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, 0);
        guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, 1);
        assert_int_equal(status(g), UINT64_C(1) << 59);
        run_user(g, 10);
        assert_int_equal(guest_rdmsr(g, CTR(0)), 0);
        guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, UINT64_C(1) << 59);
        run_user(g, 10);
        assert_int_equal(guest_rdmsr(g, CTR(0)), 10);
    }
}

static void test_freeze_of_branches(void **state)
{
    struct guest *g = make_freezing(pmusim_find_cpu("skylake"), false,
                                    1 << 11 | 1);

    guest_run(g, 50);
    guest_go(g, PMUSIM_BRANCH_JUMP, 0x1000, false);
    guest_run(g, 100);
    assert_int_equal(status(g), 1 | UINT64_C(1) << 58);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_DEBUGCTL), 1 << 11 | 1);
    jump_user(g, 0x2000);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_LBR_TOS), 1);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, UINT64_C(1) << 58);
    jump_user(g, 0x3000);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_LBR_TOS), 2);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_LBR_TO0 + 2), 0x3000);
    /* Its time was not measured while it was frozen */
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_LBR_INFO0 + 2) & 0xffff, 0);
}

/* No interrupt, no freezing */
static void test_wrap_without_interrupt_does_not_freeze(void **state)
{
    struct guest *g = make_freezing(pmusim_find_cpu("icelake"), false,
                                    1 << 12 | 1 << 11);

    g->class = PMUSIM_OS;
    guest_wrmsr(g, SELECT(0), EVENT_INSNS | COUNT_USR);
    g->class = PMUSIM_USR;
    guest_run(g, 200);
    assert_int_equal(status(g), 1);
    assert_int_equal(g->pmis, 0);
}

static void test_status_set_freezes(void **state)
{
    struct guest *g = make_freezing(pmusim_find_cpu("icelake"), false, 0);

    guest_run(g, 10);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_SET, UINT64_C(1) << 59);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS_SET), 0);
    g->class = PMUSIM_USR;
    guest_run(g, 500);
    assert_int_equal(status(g), UINT64_C(1) << 59);
    assert_int_equal(guest_rdmsr(g, CTR(1)), 10);
    assert_int_equal(g->pmis, 0);
}

static void test_second_wrap_interrupts_again(void **state)
{
    struct guest *g = make_freezing(pmusim_find_cpu("icelake"), false, 0);

    guest_run(g, 101);
    assert_int_equal(g->pmis, 1);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, CTR(0), WRAP(50));
    g->class = PMUSIM_USR;
    guest_run(g, 51);
    assert_int_equal(g->pmis, 2);
    assert_int_equal(status(g), 1);
}

#define rule(name) cmocka_unit_test(test_##name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(old_freeze_of_counters),
        rule(old_freeze_of_branches),
        rule(old_has_no_freeze_status),
        rule(freeze_of_counters),
        rule(freeze_of_branches),
        rule(wrap_without_interrupt_does_not_freeze),
        rule(status_set_freezes),
        rule(second_wrap_interrupts_again),
    };

    return cmocka_run_group_tests_name("freeze", tests, NULL, NULL);
}
