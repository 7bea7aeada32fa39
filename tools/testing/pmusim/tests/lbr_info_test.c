/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of last branch records, either kind: what they say of a branch */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "lbr_fixture.h"

static uint64_t newest_info(const struct pmusim *p)
{
    return at(p, 0)->info;
}

/* INFO */

static void test_info_of_the_model_specific_kind(void **state)
{
    struct pmusim *p = *state;
    unsigned int i;

    for (i = 0; i < KINDS; i++) {
        branch(p, kinds[i].kind, i);
        assert_int_equal(newest_info(p), 0);
        branch(p, kinds[i].kind | PMUSIM_BRANCH_MISS, i);
        assert_int_equal(newest_info(p), UINT64_C(1) << 63);
    }
    assert_int_equal(rdmsr(p, PMUSIM_MSR_LBR_INFO0 + 2 * KINDS),
                     UINT64_C(1) << 63);
}

static void test_info_of_the_architectural_kind(void **state)
{
    struct pmusim *p = *state;
    uint64_t valid = UINT64_C(1) << 60;
    unsigned int i;

    jump(p, 99);
    for (i = 0; i < KINDS; i++) {
        uint64_t type = (uint64_t)kinds[i].type << 56;

        branch(p, kinds[i].kind, i);
        assert_int_equal(newest_info(p), valid | type);
        branch(p, kinds[i].kind | PMUSIM_BRANCH_MISS, i);
        assert_int_equal(newest_info(p), UINT64_C(1) << 63 | valid | type);
    }
    assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_INFO0), newest_info(p));
}

static void pass(struct pmusim *p, enum pmusim_class class, uint64_t slots)
{
    p->slots[class] += slots;
}

static void pass_cycles(struct pmusim *p, uint64_t cycles)
{
    pass(p, PMUSIM_USR, cycles * WIDTH);
}

static unsigned int newest_cycles(const struct pmusim *p)
{
    return newest_info(p) & 0xffff;
}

static bool cycles_valid(const struct pmusim *p)
{
    return newest_info(p) >> 60 & 1;
}

/* Run for either kind */
static void test_cycles_since_the_last_record(void **state)
{
    struct pmusim *p = *state;

    pass_cycles(p, 1000);
    jump(p, 1);
    pass_cycles(p, 7);
    jump(p, 2);
    assert_int_equal(newest_cycles(p), 7);
    pass(p, PMUSIM_OS, 3 * WIDTH);
    pass(p, PMUSIM_USR, 2 * WIDTH);
    jump(p, 3);
    assert_int_equal(newest_cycles(p), 5);
    jump(p, 4);
    assert_int_equal(newest_cycles(p), 0);
    assert_int_equal(at(p, 2)->info & 0xffff, 7);
}

/* Run for either kind: branches shorter than a cycle are not lost */
static void test_cycles_add_up(void **state)
{
    struct pmusim *p = *state;
    unsigned int i, sum = 0;

    jump(p, 0);
    for (i = 0; i < 100; i++) {
        pass(p, PMUSIM_USR, WIDTH + 2);
        jump(p, i);
        assert_in_range(newest_cycles(p), 1, 2);
        sum += newest_cycles(p);
    }
    assert_int_equal(sum, 100 * (WIDTH + 2) / WIDTH);
}

/* Run for either kind */
static void test_cycles_saturate(void **state)
{
    struct pmusim *p = *state;

    jump(p, 1);
    pass_cycles(p, 0xfffe);
    jump(p, 2);
    assert_int_equal(newest_cycles(p), 0xfffe);
    pass_cycles(p, 0xffff);
    jump(p, 3);
    assert_int_equal(newest_cycles(p), 0xffff);
    pass_cycles(p, 0x10000);
    jump(p, 4);
    assert_int_equal(newest_cycles(p), 0xffff);
    pass_cycles(p, UINT64_C(1) << 40);
    jump(p, 5);
    assert_int_equal(newest_cycles(p), 0xffff);
    pass_cycles(p, 9);
    jump(p, 6);
    assert_int_equal(newest_cycles(p), 9);
}

static void expect_cycles_unknown(struct pmusim *p)
{
    pass_cycles(p, 11);
    jump(p, 1);
    assert_false(cycles_valid(p));
    assert_int_equal(newest_cycles(p), 0);
    pass_cycles(p, 12);
    jump(p, 2);
    assert_int_equal(cycles_valid(p),
                     p->pmu->caps == arch_pmu.caps);
    assert_int_equal(newest_cycles(p), 12);
}

static void test_cycles_unknown_when_interrupted(void **state)
{
    struct pmusim *p = *state;

    expect_cycles_unknown(p);
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, CTL_ALL & ~PMUSIM_LBR_CTL_ENABLE);
    pass_cycles(p, 1000);
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, CTL_ALL);
    expect_cycles_unknown(p);
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_DEPTH, LBRS);
    expect_cycles_unknown(p);
    pmusim_lbr_interrupted(p);
    expect_cycles_unknown(p);
}

static void test_model_cycles_unknown_when_interrupted(void **state)
{
    struct pmusim *p = *state;

    expect_cycles_unknown(p);
    wrmsr(p, PMUSIM_MSR_LBR_SELECT, 0);
    expect_cycles_unknown(p);
    pmusim_lbr_interrupted(p);
    expect_cycles_unknown(p);
}

/* Software saves and restores entries while recording goes on */
static void test_cycles_survive_accesses_to_entries(void **state)
{
    struct pmusim *p = *state;

    jump(p, 1);
    wrmsr(p, PMUSIM_MSR_LBR_TOS, 4);
    wrmsr(p, PMUSIM_MSR_LBR_FROM0, 0);
    rdmsr(p, PMUSIM_MSR_LBR_SELECT);
    pass_cycles(p, 7);
    jump(p, 2);
    assert_int_equal(newest_cycles(p), 7);
}

/* Not since the last branch: a branch that is left out makes no record */
static void test_cycles_across_other_branches(void **state)
{
    struct pmusim *p = *state;

    wrmsr(p, PMUSIM_MSR_LBR_SELECT, PMUSIM_SELECT_JCC);
    jump(p, 1);
    pass_cycles(p, 3);
    branch(p, PMUSIM_BRANCH_JCC, 2);
    pass_cycles(p, 4);
    jump(p, 3);
    assert_int_equal(newest_cycles(p), 7);
}

static void test_cycles_across_a_return(void **state)
{
    struct pmusim *p = *state;

    branch(p, PMUSIM_BRANCH_CALL, 1);
    pass_cycles(p, 3);
    branch(p, PMUSIM_BRANCH_RETURN, 2);
    pass_cycles(p, 4);
    branch(p, PMUSIM_BRANCH_CALL, 3);
    assert_int_equal(newest_cycles(p), 7);
}

/* Events in INFO */

static unsigned int newest_events(const struct pmusim *p)
{
    return newest_info(p) >> 32 & 0xffffff;
}

static void log_counter(struct pmusim *p, unsigned int n)
{
    p->counter[n].select |= PMUSIM_SEL_BR_CNTR | PMUSIM_SEL_EN;
    p->logging = true;
}

static void count(struct pmusim *p, unsigned int n, unsigned int events)
{
    p->counter[n].value = (p->counter[n].value + events) &
                          PMUSIM_COUNTER_MASK;
}

static void test_events_of_each_counter(void **state)
{
    struct pmusim *p = *state;
    unsigned int n;

    for (n = 0; n < 4; n++) {
        log_counter(p, n);
        p->counter[n].value = 1000 * n;
    }
    jump(p, 0);
    for (n = 0; n < 4; n++) {
        count(p, n, 2);
        jump(p, 1);
        assert_int_equal(newest_events(p), 2u << 2 * n);
    }
    for (n = 0; n < 4; n++) {
        count(p, n, n);
    }
    jump(p, 2);
    assert_int_equal(newest_events(p), 0xe4);
    /* They are taken, not kept */
    jump(p, 3);
    assert_int_equal(newest_events(p), 0);
}

static void test_events_saturate(void **state)
{
    struct pmusim *p = *state;
    static const unsigned int counts[] = { 1, 2, 3, 4, 5, 1000000 };
    static const unsigned int logged[] = { 1, 2, 3, 3, 3, 3 };
    unsigned int i;

    log_counter(p, 1);
    jump(p, 0);
    for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        count(p, 1, counts[i]);
        jump(p, i);
        assert_int_equal(newest_events(p), logged[i] << 2);
    }
}

static void test_events_across_an_overflow(void **state)
{
    struct pmusim *p = *state;

    log_counter(p, 0);
    p->counter[0].value = PMUSIM_COUNTER_MASK;
    jump(p, 0);
    count(p, 0, 2);
    assert_int_equal(p->counter[0].value, 1);
    jump(p, 1);
    assert_int_equal(newest_events(p), 2);
}

static void test_events_only_where_selected(void **state)
{
    struct pmusim *p = *state;

    p->counter[0].select = PMUSIM_SEL_EN;
    log_counter(p, 4);
    jump(p, 0);
    count(p, 0, 1);
    count(p, 4, 1);
    jump(p, 1);
    assert_int_equal(newest_events(p), 0);

    /* Selected later, it does not log what came before the last record */
    count(p, 0, 5);
    jump(p, 2);
    log_counter(p, 0);
    count(p, 0, 1);
    jump(p, 3);
    assert_int_equal(newest_events(p), 1);
}

static void test_events_only_of_counters_that_can(void **state)
{
    struct pmusim *p = *state;
    unsigned int n;

    for (n = 0; n < 4; n++) {
        log_counter(p, n);
    }
    jump(p, 0);
    for (n = 0; n < 4; n++) {
        count(p, n, 3);
    }
    jump(p, 1);
    assert_int_equal(newest_events(p), 0x3c);
}

static void test_no_events_in_the_first_record(void **state)
{
    struct pmusim *p = *state;

    log_counter(p, 0);
    count(p, 0, 1);
    jump(p, 0);
    assert_int_equal(newest_events(p), 0);
    count(p, 0, 1);
    jump(p, 1);
    assert_int_equal(newest_events(p), 1);

    count(p, 0, 1);
    pmusim_lbr_interrupted(p);
    count(p, 0, 1);
    jump(p, 2);
    assert_int_equal(newest_events(p), 0);
    count(p, 0, 2);
    jump(p, 3);
    assert_int_equal(newest_events(p), 2);
}

static void test_no_events_on_the_model_specific_kind(void **state)
{
    struct pmusim *p = *state;
    struct pmusim_pmu pmu = model_pmu;

    pmu.lbr_counters = 0xf;
    p->pmu = &pmu;
    log_counter(p, 0);
    jump(p, 0);
    count(p, 0, 1);
    jump(p, 1);
    assert_int_equal(newest_events(p), 0);
    p->pmu = &model_pmu;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(info_of_the_model_specific_kind, model),
        TEST(info_of_the_architectural_kind, arch),
        BOTH(cycles_since_the_last_record),
        BOTH(cycles_add_up),
        BOTH(cycles_saturate),
        TEST(cycles_unknown_when_interrupted, arch),
        TEST(model_cycles_unknown_when_interrupted, model),
        TEST(cycles_survive_accesses_to_entries, model),
        TEST(cycles_across_other_branches, model),
        TEST(cycles_across_a_return, arch_stack),
        TEST(events_of_each_counter, arch),
        TEST(events_saturate, arch),
        TEST(events_across_an_overflow, arch),
        TEST(events_only_where_selected, arch),
        TEST(events_only_of_counters_that_can, small),
        TEST(no_events_in_the_first_record, arch),
        TEST(no_events_on_the_model_specific_kind, model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
