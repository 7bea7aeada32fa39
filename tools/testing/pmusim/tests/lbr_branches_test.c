/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of last branch records, either kind: which branches are in them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "lbr_fixture.h"

#define CALL_LENGTH     5

/* Whether a branch of @kind to @class is recorded; it is then forgotten */
static bool is_recorded(struct pmusim *p, enum pmusim_class class,
                        enum pmusim_branch kind)
{
    struct pmusim_lbr before;
    bool recorded;

    pmusim_lbr_update(p);
    before = p->lbr;
    pmusim_branch(p, class, class, FROM(99), TO(99), kind);
    recorded = at(p, 0)->from == FROM(99);
    if (!recorded) {
        assert_memory_equal(&p->lbr, &before, sizeof(before));
    }
    p->lbr = before;
    return recorded;
}

/* When branches are recorded */

static void test_power_on(void **state)
{
    struct pmusim *p = make(&arch_cpu, &arch_pmu);
    unsigned int i;

    assert_false(pmusim_lbr_records(p));
    assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_CTL), 0);
    assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_DEPTH), LBRS);
    for (i = 0; i < LBRS; i++) {
        expect_empty(p, i);
    }
    p->lbr.ctl = CTL_ALL;
    jump(p, 1);
    pmusim_lbr_init(p);
    expect_empty(p, 0);
    assert_false(p->lbr.timed);
    assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_CTL), 0);
}

static void test_debugctl_enables_the_model_specific_kind(void **state)
{
    struct pmusim *p = *state;

    assert_true(pmusim_lbr_records(p));
    jump(p, 1);
    expect_branch(p, 0, 1);

    p->debugctl = ~PMUSIM_DEBUGCTL_LBR;
    p->lbr.ctl = CTL_ALL;
    assert_false(pmusim_lbr_records(p));
    jump(p, 2);
    expect_branch(p, 0, 1);
}

static void test_ctl_enables_the_architectural_kind(void **state)
{
    struct pmusim *p = *state;

    assert_true(pmusim_lbr_records(p));
    jump(p, 1);
    expect_branch(p, 0, 1);

    wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, CTL_ALL & ~PMUSIM_LBR_CTL_ENABLE);
    p->debugctl = PMUSIM_DEBUGCTL_LBR;
    assert_false(pmusim_lbr_records(p));
    jump(p, 2);
    expect_branch(p, 0, 1);
}

static void test_nothing_without_entries(void **state)
{
    struct pmusim *p = *state;
    struct pmusim_lbr before = p->lbr;

    assert_false(pmusim_lbr_records(p));
    jump(p, 1);
    assert_memory_equal(&p->lbr, &before, sizeof(before));
    assert_null(pmusim_lbr_at(p, 0));
}

/* Run for either kind */
static void test_frozen(void **state)
{
    struct pmusim *p = *state;

    jump(p, 1);
    p->global_status = PMUSIM_STATUS_LBR_FRZ;
    assert_false(pmusim_lbr_records(p));
    jump(p, 2);
    expect_branch(p, 0, 1);
    expect_empty(p, 1);

    /* The other freeze is about the counters */
    p->global_status = PMUSIM_STATUS_CTR_FRZ;
    assert_true(pmusim_lbr_records(p));
    jump(p, 3);
    expect_branch(p, 0, 3);
    expect_branch(p, 1, 1);
}

/* Where they are recorded */

static void test_slots_of_the_model_specific_kind(void **state)
{
    struct pmusim *p = *state;
    unsigned int n;

    for (n = 1; n < LBRS; n++) {
        jump(p, n);
        assert_int_equal(rdmsr(p, PMUSIM_MSR_LBR_TOS), n);
        assert_int_equal(rdmsr(p, PMUSIM_MSR_LBR_FROM0 + n), FROM(n));
        assert_int_equal(rdmsr(p, PMUSIM_MSR_LBR_TO0 + n), TO(n));
        expect_branch(p, 0, n);
    }
    assert_int_equal(rdmsr(p, PMUSIM_MSR_LBR_FROM0), 0);
    jump(p, LBRS);
    assert_int_equal(rdmsr(p, PMUSIM_MSR_LBR_TOS), 0);
    assert_int_equal(rdmsr(p, PMUSIM_MSR_LBR_FROM0), FROM(LBRS));
    expect_branch(p, 0, LBRS);
    expect_branch(p, LBRS - 1, 1);
    jump(p, LBRS + 1);
    assert_int_equal(rdmsr(p, PMUSIM_MSR_LBR_FROM0 + 1), FROM(LBRS + 1));
    expect_branch(p, LBRS - 1, 2);
}

static void test_records_go_behind_a_written_tos(void **state)
{
    struct pmusim *p = *state;

    wrmsr(p, PMUSIM_MSR_LBR_TOS, 20);
    jump(p, 1);
    assert_int_equal(rdmsr(p, PMUSIM_MSR_LBR_TOS), 21);
    assert_int_equal(rdmsr(p, PMUSIM_MSR_LBR_FROM0 + 21), FROM(1));
}

static void test_newest_is_0_of_the_architectural_kind(void **state)
{
    struct pmusim *p = *state;
    unsigned int n, i;

    for (n = 1; n <= 2 * LBRS + 3; n++) {
        jump(p, n);
        for (i = 0; i < LBRS && i < n; i++) {
            assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_FROM0 + i),
                             FROM(n - i));
            assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_TO0 + i),
                             TO(n - i));
            expect_branch(p, i, n - i);
        }
        for (; i < LBRS; i++) {
            expect_empty(p, i);
        }
    }
}

static void test_ring_of_24(void **state)
{
    struct pmusim *p = *state;
    unsigned int n, i;

    for (n = 1; n <= 60; n++) {
        jump(p, n);
    }
    for (i = 0; i < 24; i++) {
        expect_branch(p, i, 60 - i);
    }
    assert_null(pmusim_lbr_at(p, 24));
}

/* Run for either kind */
static void test_no_entry_beyond_the_depth(void **state)
{
    struct pmusim *p = *state;

    assert_non_null(pmusim_lbr_at(p, LBRS - 1));
    assert_null(pmusim_lbr_at(p, LBRS));
    assert_null(pmusim_lbr_at(p, ~0u));
}

/* Filters */

static void test_select_leaves_out_kinds(void **state)
{
    struct pmusim *p = *state;
    unsigned int bit, i;

    for (i = 0; i < KINDS; i++) {
        assert_true(is_recorded(p, PMUSIM_USR, kinds[i].kind));
        for (bit = 2; bit <= 8; bit++) {
            wrmsr(p, PMUSIM_MSR_LBR_SELECT, pmusim_bit(bit));
            assert_int_equal(is_recorded(p, PMUSIM_USR, kinds[i].kind),
                             bit != kinds[i].select);
        }
        wrmsr(p, PMUSIM_MSR_LBR_SELECT, 0x1fc & ~pmusim_bit(kinds[i].select));
        assert_true(is_recorded(p, PMUSIM_USR, kinds[i].kind));
        wrmsr(p, PMUSIM_MSR_LBR_SELECT, 0);
    }
}

static void test_ctl_takes_kinds(void **state)
{
    struct pmusim *p = *state;
    uint64_t on = PMUSIM_LBR_CTL_ENABLE | CTL_CLASSES;
    unsigned int bit, i;

    for (i = 0; i < KINDS; i++) {
        for (bit = 16; bit <= 22; bit++) {
            wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, on | pmusim_bit(bit));
            assert_int_equal(is_recorded(p, PMUSIM_OS, kinds[i].kind),
                             bit == kinds[i].ctl);
        }
        wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, on);
        assert_false(is_recorded(p, PMUSIM_OS, kinds[i].kind));
    }
}

static void test_select_leaves_out_classes(void **state)
{
    struct pmusim *p = *state;

    assert_true(is_recorded(p, PMUSIM_OS, PMUSIM_BRANCH_FAR));
    assert_true(is_recorded(p, PMUSIM_USR, PMUSIM_BRANCH_FAR));
    wrmsr(p, PMUSIM_MSR_LBR_SELECT, 0x1);
    assert_false(is_recorded(p, PMUSIM_OS, PMUSIM_BRANCH_FAR));
    assert_true(is_recorded(p, PMUSIM_USR, PMUSIM_BRANCH_FAR));
    wrmsr(p, PMUSIM_MSR_LBR_SELECT, 0x2);
    assert_true(is_recorded(p, PMUSIM_OS, PMUSIM_BRANCH_FAR));
    assert_false(is_recorded(p, PMUSIM_USR, PMUSIM_BRANCH_FAR));
    wrmsr(p, PMUSIM_MSR_LBR_SELECT, 0x3);
    assert_false(is_recorded(p, PMUSIM_OS, PMUSIM_BRANCH_FAR));
    assert_false(is_recorded(p, PMUSIM_USR, PMUSIM_BRANCH_FAR));
}

static void test_ctl_takes_classes(void **state)
{
    struct pmusim *p = *state;
    uint64_t on = PMUSIM_LBR_CTL_ENABLE | CTL_KINDS;

    wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, on);
    assert_false(is_recorded(p, PMUSIM_OS, PMUSIM_BRANCH_FAR));
    assert_false(is_recorded(p, PMUSIM_USR, PMUSIM_BRANCH_FAR));
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, on | 0x2);
    assert_true(is_recorded(p, PMUSIM_OS, PMUSIM_BRANCH_FAR));
    assert_false(is_recorded(p, PMUSIM_USR, PMUSIM_BRANCH_FAR));
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, on | 0x4);
    assert_false(is_recorded(p, PMUSIM_OS, PMUSIM_BRANCH_FAR));
    assert_true(is_recorded(p, PMUSIM_USR, PMUSIM_BRANCH_FAR));
}

/* A mispredicted branch is of the same kind */
static void test_misses_are_filtered_alike(void **state)
{
    struct pmusim *p = *state;
    uint32_t miss = PMUSIM_BRANCH_JCC | PMUSIM_BRANCH_MISS;

    assert_true(is_recorded(p, PMUSIM_USR, miss));
    wrmsr(p, PMUSIM_MSR_LBR_SELECT, PMUSIM_SELECT_JCC);
    assert_false(is_recorded(p, PMUSIM_USR, miss));
}

/* Call-stack mode */

/* Run for either kind */
static void test_calls_push_returns_pop(void **state)
{
    struct pmusim *p = *state;

    branch(p, PMUSIM_BRANCH_CALL, 1);
    branch(p, PMUSIM_BRANCH_IND_CALL, 2);
    branch(p, PMUSIM_BRANCH_CALL, 3);
    expect_branch(p, 0, 3);
    expect_branch(p, 2, 1);
    branch(p, PMUSIM_BRANCH_RETURN, 4);
    expect_branch(p, 0, 2);
    expect_branch(p, 1, 1);
    expect_empty(p, 2);
    /* What was popped does not come back as the oldest */
    expect_empty(p, LBRS - 1);
    branch(p, PMUSIM_BRANCH_CALL, 5);
    expect_branch(p, 0, 5);
    expect_branch(p, 1, 2);
}

static void test_pop_moves_tos_back(void **state)
{
    struct pmusim *p = *state;

    branch(p, PMUSIM_BRANCH_CALL, 1);
    branch(p, PMUSIM_BRANCH_CALL, 2);
    branch(p, PMUSIM_BRANCH_RETURN, 3);
    assert_int_equal(rdmsr(p, PMUSIM_MSR_LBR_TOS), 1);
    branch(p, PMUSIM_BRANCH_RETURN, 4);
    branch(p, PMUSIM_BRANCH_RETURN, 5);
    assert_int_equal(rdmsr(p, PMUSIM_MSR_LBR_TOS), LBRS - 1);
}

static void test_pop_shifts_down(void **state)
{
    struct pmusim *p = *state;
    unsigned int i;

    for (i = 0; i < LBRS; i++) {
        branch(p, PMUSIM_BRANCH_CALL, i);
    }
    branch(p, PMUSIM_BRANCH_RETURN, 99);
    for (i = 0; i < LBRS - 1; i++) {
        assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_FROM0 + i),
                         FROM(LBRS - 2 - i));
    }
    assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_FROM0 + LBRS - 1), 0);
    assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_TO0 + LBRS - 1), 0);
    assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_INFO0 + LBRS - 1), 0);
}

/* Run for either kind: calls deeper than the ring, then all the returns */
static void test_stack_deeper_than_the_ring(void **state)
{
    struct pmusim *p = *state;
    unsigned int depth = p->lbr.depth;
    unsigned int i;

    for (i = 0; i < depth + 5; i++) {
        branch(p, PMUSIM_BRANCH_CALL, i);
    }
    expect_branch(p, depth - 1, 5);
    for (i = 0; i < depth - 1; i++) {
        branch(p, PMUSIM_BRANCH_RETURN, 99);
    }
    expect_branch(p, 0, 5);
    for (i = 1; i < depth; i++) {
        expect_empty(p, i);
    }
    for (i = 0; i < 5; i++) {
        branch(p, PMUSIM_BRANCH_RETURN, 99);
        expect_empty(p, 0);
    }
}

static void expect_only_calls(struct pmusim *p)
{
    static const enum pmusim_branch others[] = {
        PMUSIM_BRANCH_JCC, PMUSIM_BRANCH_IND_JUMP, PMUSIM_BRANCH_JUMP,
        PMUSIM_BRANCH_FAR,
    };
    unsigned int i;

    branch(p, PMUSIM_BRANCH_CALL, 1);
    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(is_recorded(p, PMUSIM_USR, others[i]));
    }
    assert_true(is_recorded(p, PMUSIM_USR, PMUSIM_BRANCH_CALL));
    assert_true(is_recorded(p, PMUSIM_USR, PMUSIM_BRANCH_IND_CALL));
}

/* Even where the filter lets the other kinds through */
static void test_stack_has_only_calls(void **state)
{
    struct pmusim *p = *state;

    wrmsr(p, PMUSIM_MSR_LBR_SELECT, PMUSIM_SELECT_STACK);
    expect_only_calls(p);
}

static void test_arch_stack_has_only_calls(void **state)
{
    struct pmusim *p = *state;

    wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, CTL_ALL | PMUSIM_LBR_CTL_STACK);
    expect_only_calls(p);
}

/* The kernel's calls and returns leave the user's stack alone */
static void expect_stack_filtered(struct pmusim *p)
{
    branch(p, PMUSIM_BRANCH_CALL, 1);
    assert_false(is_recorded(p, PMUSIM_OS, PMUSIM_BRANCH_CALL));
    assert_false(is_recorded(p, PMUSIM_OS, PMUSIM_BRANCH_RETURN));
    pmusim_branch(p, PMUSIM_OS, PMUSIM_OS, FROM(2), TO(2), PMUSIM_BRANCH_RETURN);
    expect_branch(p, 0, 1);
}

static void test_stack_is_filtered(void **state)
{
    struct pmusim *p = *state;

    wrmsr(p, PMUSIM_MSR_LBR_SELECT, SELECT_STACK | PMUSIM_SELECT_OS);
    expect_stack_filtered(p);
    wrmsr(p, PMUSIM_MSR_LBR_SELECT, SELECT_STACK | PMUSIM_SELECT_CALL);
    assert_false(is_recorded(p, PMUSIM_USR, PMUSIM_BRANCH_CALL));
    assert_true(is_recorded(p, PMUSIM_USR, PMUSIM_BRANCH_IND_CALL));
}

static void test_arch_stack_is_filtered(void **state)
{
    struct pmusim *p = *state;

    wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, CTL_STACK & ~PMUSIM_LBR_CTL_OS);
    expect_stack_filtered(p);
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, CTL_STACK & ~PMUSIM_LBR_CTL_IND_CALL);
    assert_true(is_recorded(p, PMUSIM_USR, PMUSIM_BRANCH_CALL));
    assert_false(is_recorded(p, PMUSIM_USR, PMUSIM_BRANCH_IND_CALL));
}

/* The address of a branch from a class that is left out is not shown */
static void test_arch_hides_the_other_class(void **state)
{
    struct pmusim *p = *state;

    wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, PMUSIM_LBR_CTL_VALID &
          ~(PMUSIM_LBR_CTL_OS | PMUSIM_LBR_CTL_STACK));
    pmusim_branch(p, PMUSIM_OS, PMUSIM_USR, FROM(3), TO(3), PMUSIM_BRANCH_FAR);
    assert_int_equal(at(p, 0)->from, UINT64_MAX);
    assert_int_equal(at(p, 0)->to, TO(3));
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL,
          PMUSIM_LBR_CTL_VALID & ~PMUSIM_LBR_CTL_STACK);
    pmusim_branch(p, PMUSIM_OS, PMUSIM_USR, FROM(4), TO(4), PMUSIM_BRANCH_FAR);
    expect_branch(p, 0, 4);
}

static void test_model_specific_shows_the_other_class(void **state)
{
    struct pmusim *p = *state;

    wrmsr(p, PMUSIM_MSR_LBR_SELECT, PMUSIM_SELECT_OS);
    pmusim_branch(p, PMUSIM_OS, PMUSIM_USR, FROM(3), TO(3), PMUSIM_BRANCH_FAR);
    expect_branch(p, 0, 3);
}

static void call_ahead(struct pmusim *p, enum pmusim_branch kind, int64_t by)
{
    pmusim_lbr_update(p);
    pmusim_branch(p, PMUSIM_USR, PMUSIM_USR, FROM(7), FROM(7) + by, kind);
}

/* Run for either kind */
static void test_zero_length_call(void **state)
{
    struct pmusim *p = *state;

    branch(p, PMUSIM_BRANCH_CALL, 1);
    call_ahead(p, PMUSIM_BRANCH_CALL, CALL_LENGTH);
    call_ahead(p, PMUSIM_BRANCH_CALL | PMUSIM_BRANCH_MISS, CALL_LENGTH);
    expect_branch(p, 0, 1);
    expect_empty(p, 1);

    call_ahead(p, PMUSIM_BRANCH_CALL, CALL_LENGTH + 1);
    assert_int_equal(at(p, 0)->to, FROM(7) + CALL_LENGTH + 1);
    call_ahead(p, PMUSIM_BRANCH_CALL, -CALL_LENGTH);
    assert_int_equal(at(p, 0)->to, FROM(7) - CALL_LENGTH);
    call_ahead(p, PMUSIM_BRANCH_IND_CALL, CALL_LENGTH);
    assert_int_equal(at(p, 0)->to, FROM(7) + CALL_LENGTH);
}

/* Run for either kind */
static void test_zero_length_call_without_stack(void **state)
{
    struct pmusim *p = *state;

    call_ahead(p, PMUSIM_BRANCH_CALL, CALL_LENGTH);
    assert_int_equal(at(p, 0)->to, FROM(7) + CALL_LENGTH);
    branch(p, PMUSIM_BRANCH_RETURN, 2);
    expect_branch(p, 0, 2);
    assert_int_equal(at(p, 1)->to, FROM(7) + CALL_LENGTH);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_power_on),
        TEST(debugctl_enables_the_model_specific_kind, model),
        TEST(ctl_enables_the_architectural_kind, arch),
        TEST(nothing_without_entries, none),
        BOTH(frozen),
        TEST(slots_of_the_model_specific_kind, model),
        TEST(records_go_behind_a_written_tos, model),
        TEST(newest_is_0_of_the_architectural_kind, arch),
        TEST(ring_of_24, small),
        BOTH(no_entry_beyond_the_depth),
        TEST(select_leaves_out_kinds, model),
        TEST(ctl_takes_kinds, arch),
        TEST(select_leaves_out_classes, model),
        TEST(ctl_takes_classes, arch),
        TEST(misses_are_filtered_alike, model),
        BOTH_STACKS(calls_push_returns_pop),
        TEST(pop_moves_tos_back, model_stack),
        TEST(pop_shifts_down, arch_stack),
        BOTH_STACKS(stack_deeper_than_the_ring),
        NAMED(stack_deeper_than_the_ring, small_stack),
        TEST(stack_has_only_calls, model),
        TEST(arch_stack_has_only_calls, arch),
        TEST(stack_is_filtered, model),
        TEST(model_specific_shows_the_other_class, model),
        TEST(arch_stack_is_filtered, arch),
        TEST(arch_hides_the_other_class, arch),
        BOTH_STACKS(zero_length_call),
        BOTH(zero_length_call_without_stack),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
