/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of the last branch record, either kind: one test a rule */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "pmusim.h"

#define LBRS            32
#define WIDTH           4

#define FROM(n)         (UINT64_C(0x1000) + 16 * (n))
#define TO(n)           (UINT64_C(0xffffffff81000000) + 16 * (n))

#define CALL_LENGTH     5

#define CTL_CLASSES     (PMUSIM_LBR_CTL_OS | PMUSIM_LBR_CTL_USR)
#define CTL_KINDS       UINT64_C(0x7f0000)
#define CTL_ALL         (PMUSIM_LBR_CTL_ENABLE | CTL_CLASSES | CTL_KINDS)
#define CTL_STACK       (PMUSIM_LBR_CTL_ENABLE | CTL_CLASSES | \
                         PMUSIM_LBR_CTL_STACK | PMUSIM_LBR_CTL_CALL | \
                         PMUSIM_LBR_CTL_IND_CALL | PMUSIM_LBR_CTL_RETURN)
/* As Linux asks for call stacks: everything else is left out */
#define SELECT_STACK    (PMUSIM_SELECT_STACK | PMUSIM_SELECT_JCC | \
                         PMUSIM_SELECT_IND_JUMP | PMUSIM_SELECT_JUMP | \
                         PMUSIM_SELECT_FAR)

static const struct pmusim_pmu model_pmu = {
    .gp = 0xf,
    .fixed = 0x7,
    .caps = PMUSIM_CAP_LBR_INFO_TSX | PMUSIM_CAP_FULL_WIDTH,
    .lbrs = LBRS,
    .width = WIDTH,
};

static const struct pmusim_pmu arch_pmu = {
    .core_type = 0x20,
    .gp = 0xff,
    .fixed = 0x77,
    .caps = PMUSIM_CAP_LBR_ARCH | PMUSIM_CAP_FULL_WIDTH,
    .lbrs = LBRS,
    .lbr_counters = 0xf,
    .width = WIDTH,
};

/* Two counters only, and of 32 entries only 24 */
static const struct pmusim_pmu small_pmu = {
    .gp = 0xff,
    .caps = PMUSIM_CAP_LBR_ARCH,
    .lbrs = 24,
    .lbr_counters = 0x6,
    .width = WIDTH,
};

/* The format alone makes no last branch record */
static const struct pmusim_pmu none_pmu = {
    .gp = 0xff,
    .caps = PMUSIM_CAP_LBR_ARCH,
    .width = WIDTH,
};

static const struct pmusim_cpu model_cpu = {
    .name = "skylake",
    .model = 0x5e,
    .version = 4,
    .pmu = &model_pmu,
};

static const struct pmusim_cpu arch_cpu = {
    .name = "arrowlake",
    .model = 0xc6,
    .version = 6,
    .hybrid = true,
    .pmu = &none_pmu,
    .atom = &arch_pmu,
};

static const struct pmusim_cpu small_cpu = {
    .name = "small",
    .version = 6,
    .pmu = &small_pmu,
};

static struct pmusim *make(const struct pmusim_cpu *cpu,
                           const struct pmusim_pmu *pmu)
{
    static struct pmusim p;

    memset(&p, 0, sizeof(p));
    p.cpu = cpu;
    p.pmu = pmu;
    pmusim_lbr_init(&p);
    return &p;
}

static void wrmsr(struct pmusim *p, uint32_t msr, uint64_t value)
{
    assert_int_equal(pmusim_lbr_accepts(p, msr, value), PMUSIM_DONE);
    pmusim_lbr_wrmsr(p, msr, value);
}

static uint64_t rdmsr(const struct pmusim *p, uint32_t msr)
{
    uint64_t value;

    assert_int_equal(pmusim_lbr_rdmsr(p, msr, &value), PMUSIM_DONE);
    return value;
}

static void reads_back(struct pmusim *p, uint32_t msr, uint64_t value)
{
    wrmsr(p, msr, value);
    assert_int_equal(rdmsr(p, msr), value);
}

/* Neither access does anything */
static void access_is(const struct pmusim *p, uint32_t msr,
                      enum pmusim_access access)
{
    uint64_t value = 0x1234;

    assert_int_equal(pmusim_lbr_rdmsr(p, msr, &value), access);
    assert_int_equal(value, 0x1234);
    assert_int_equal(pmusim_lbr_accepts(p, msr, 0), access);
}

static void refused(const struct pmusim *p, uint32_t msr, uint64_t value)
{
    assert_int_equal(pmusim_lbr_accepts(p, msr, value), PMUSIM_FAULT);
}

/* Recording everything */
static int setup_model(void **state)
{
    struct pmusim *p = make(&model_cpu, &model_pmu);

    p->debugctl = PMUSIM_DEBUGCTL_LBR;
    *state = p;
    return 0;
}

static int setup_arch(void **state)
{
    struct pmusim *p = make(&arch_cpu, &arch_pmu);

    wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, CTL_ALL);
    *state = p;
    return 0;
}

static int setup_small(void **state)
{
    struct pmusim *p = make(&small_cpu, &small_pmu);

    wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, CTL_ALL);
    *state = p;
    return 0;
}

/* A CPU with everything enabled that it does not have */
static int setup_none(void **state)
{
    struct pmusim *p = make(&arch_cpu, &none_pmu);

    p->debugctl = PMUSIM_DEBUGCTL_LBR;
    p->lbr.ctl = CTL_ALL;
    *state = p;
    return 0;
}

static const struct pmusim_lbr_entry *at(const struct pmusim *p,
                                         unsigned int age)
{
    const struct pmusim_lbr_entry *entry = pmusim_lbr_at(p, age);

    assert_non_null(entry);
    return entry;
}

static uint64_t newest_info(const struct pmusim *p)
{
    return at(p, 0)->info;
}

/* Branch number @n */
static void branch(struct pmusim *p, enum pmusim_branch kind, unsigned int n)
{
    pmusim_lbr_update(p);
    pmusim_branch(p, PMUSIM_USR, PMUSIM_USR, FROM(n), TO(n), kind);
}

static void jump(struct pmusim *p, unsigned int n)
{
    branch(p, PMUSIM_BRANCH_JUMP, n);
}

static void expect_branch(const struct pmusim *p, unsigned int age,
                          unsigned int n)
{
    assert_int_equal(at(p, age)->from, FROM(n));
    assert_int_equal(at(p, age)->to, TO(n));
}

static void expect_empty(const struct pmusim *p, unsigned int age)
{
    assert_int_equal(at(p, age)->from, 0);
    assert_int_equal(at(p, age)->to, 0);
    assert_int_equal(at(p, age)->info, 0);
}

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

/* By kind: the bit of LBR_SELECT, the bit of ARCH_LBR_CTL, the type in INFO */
static const struct {
    enum pmusim_branch kind;
    unsigned int select;
    unsigned int ctl;
    unsigned int type;
} kinds[] = {
    { PMUSIM_BRANCH_JCC,        2, 16, 0 },
    { PMUSIM_BRANCH_IND_JUMP,   6, 18, 1 },
    { PMUSIM_BRANCH_JUMP,       7, 17, 2 },
    { PMUSIM_BRANCH_IND_CALL,   4, 20, 3 },
    { PMUSIM_BRANCH_CALL,       3, 19, 4 },
    { PMUSIM_BRANCH_RETURN,     5, 21, 5 },
    { PMUSIM_BRANCH_FAR,        8, 22, 8 },
};

#define KINDS           (sizeof(kinds) / sizeof(kinds[0]))

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

static int setup_model_stack(void **state)
{
    setup_model(state);
    wrmsr(*state, PMUSIM_MSR_LBR_SELECT, SELECT_STACK);
    return 0;
}

static int setup_arch_stack(void **state)
{
    setup_arch(state);
    wrmsr(*state, PMUSIM_MSR_ARCH_LBR_CTL, CTL_STACK);
    return 0;
}

static int setup_small_stack(void **state)
{
    setup_small(state);
    wrmsr(*state, PMUSIM_MSR_ARCH_LBR_CTL, CTL_STACK);
    return 0;
}

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

/* Registers */

/* Where the entries of the kinds are; 32 registers each */
static const uint32_t model_entries[] = { 0x680, 0x6c0, 0xdc0 };
static const uint32_t arch_entries[] = { 0x1500, 0x1600, 0x1200 };

/* Each register keeps 64 bits of its own */
static void expect_storage(struct pmusim *p, const uint32_t *first)
{
    unsigned int i, n;

    for (i = 0; i < 3; i++) {
        for (n = 0; n < LBRS; n++) {
            reads_back(p, first[i] + n, ~UINT64_C(0) - first[i] - n);
        }
    }
    for (i = 0; i < 3; i++) {
        for (n = 0; n < LBRS; n++) {
            assert_int_equal(rdmsr(p, first[i] + n),
                             ~UINT64_C(0) - first[i] - n);
        }
    }
}

static void expect_faults(struct pmusim *p, const uint32_t *first,
                          unsigned int from)
{
    unsigned int i, n;

    for (i = 0; i < 3; i++) {
        for (n = from; n < 32; n++) {
            access_is(p, first[i] + n, PMUSIM_FAULT);
        }
    }
}

static void expect_foreign(struct pmusim *p)
{
    static const uint32_t others[] = {
        0x0, 0x1c7, 0x1ca, 0x1d9, 0x67f, 0x6a0, 0x6bf, 0x6e0, 0xdbf, 0xde0,
        0x11ff, 0x1220, 0x14cd, 0x14d0, 0x14ff, 0x1520, 0x15ff, 0x1620,
        0xffffffff,
    };
    unsigned int i;

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        access_is(p, others[i], PMUSIM_FOREIGN);
    }
}

static void test_model_specific_registers(void **state)
{
    struct pmusim *p = *state;

    expect_storage(p, model_entries);
    reads_back(p, 0x1c8, 0x3ff);
    reads_back(p, 0x1c8, 0x155);
    reads_back(p, 0x1c9, 31);
    reads_back(p, 0x1c9, 5);
    assert_int_equal(rdmsr(p, 0x1c8), 0x155);

    expect_faults(p, arch_entries, 0);
    access_is(p, 0x14ce, PMUSIM_FAULT);
    access_is(p, 0x14cf, PMUSIM_FAULT);
    refused(p, 0x14cf, 8);
    expect_foreign(p);
}

static void test_architectural_registers(void **state)
{
    struct pmusim *p = *state;

    jump(p, 1);
    expect_storage(p, arch_entries);
    reads_back(p, 0x14ce, 0x7f000f);
    reads_back(p, 0x14ce, 0);
    reads_back(p, 0x14cf, 8);

    expect_faults(p, model_entries, 0);
    access_is(p, 0x1c8, PMUSIM_FAULT);
    access_is(p, 0x1c9, PMUSIM_FAULT);
    expect_foreign(p);
}

static void test_no_registers(void **state)
{
    struct pmusim *p = *state;

    expect_faults(p, model_entries, 0);
    expect_faults(p, arch_entries, 0);
    access_is(p, 0x1c8, PMUSIM_FAULT);
    access_is(p, 0x1c9, PMUSIM_FAULT);
    access_is(p, 0x14ce, PMUSIM_FAULT);
    access_is(p, 0x14cf, PMUSIM_FAULT);
    expect_foreign(p);
}

static void test_reserved_bits_of_the_model_specific_kind(void **state)
{
    struct pmusim *p = *state;
    unsigned int bit;

    for (bit = 10; bit < 64; bit++) {
        refused(p, PMUSIM_MSR_LBR_SELECT, pmusim_bit(bit));
    }
    for (bit = 5; bit < 64; bit++) {
        refused(p, PMUSIM_MSR_LBR_TOS, pmusim_bit(bit));
    }
}

static void test_reserved_bits_of_the_architectural_kind(void **state)
{
    struct pmusim *p = *state;
    unsigned int bit;

    for (bit = 0; bit < 64; bit++) {
        bool valid = bit <= 3 || (bit >= 16 && bit <= 22);

        assert_int_equal(pmusim_lbr_accepts(p, PMUSIM_MSR_ARCH_LBR_CTL,
                                            pmusim_bit(bit)),
                         valid ? PMUSIM_DONE : PMUSIM_FAULT);
    }
}

/* A question about a write is no write */
static void test_accepting_changes_nothing(void **state)
{
    struct pmusim *p = *state;
    struct pmusim_lbr before;

    jump(p, 1);
    before = p->lbr;
    assert_int_equal(pmusim_lbr_accepts(p, PMUSIM_MSR_ARCH_LBR_CTL, 1),
                     PMUSIM_DONE);
    assert_int_equal(pmusim_lbr_accepts(p, PMUSIM_MSR_ARCH_LBR_DEPTH, 8),
                     PMUSIM_DONE);
    assert_int_equal(pmusim_lbr_accepts(p, PMUSIM_MSR_ARCH_LBR_FROM0, 5),
                     PMUSIM_DONE);
    assert_memory_equal(&p->lbr, &before, sizeof(before));
}

/* Linux flips these bits and wants them back */
static void test_probe(void **state)
{
    struct pmusim *p = *state;
    unsigned int n;

    reads_back(p, PMUSIM_MSR_LBR_TOS, rdmsr(p, PMUSIM_MSR_LBR_TOS) ^ 3);
    for (n = 0; n < LBRS; n++) {
        reads_back(p, PMUSIM_MSR_LBR_FROM0 + n, 0xffff);
        reads_back(p, PMUSIM_MSR_LBR_TO0 + n, 0xffff);
    }
}

/* After records, register n is not slot n */
static void test_architectural_registers_go_by_age(void **state)
{
    struct pmusim *p = *state;

    jump(p, 1);
    jump(p, 2);
    jump(p, 3);
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_FROM0 + 1, 0x42);
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_TO0 + 1, 0x43);
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_INFO0 + 1, 0x44);
    assert_int_equal(at(p, 1)->from, 0x42);
    assert_int_equal(at(p, 1)->to, 0x43);
    assert_int_equal(at(p, 1)->info, 0x44);
    expect_branch(p, 0, 3);
    expect_branch(p, 2, 1);
    jump(p, 4);
    assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_FROM0 + 2), 0x42);
}

static void test_depths(void **state)
{
    struct pmusim *p = *state;
    unsigned int depth;

    for (depth = 0; depth <= 80; depth++) {
        if (depth == 8 || depth == 16 || depth == 24 || depth == 32) {
            reads_back(p, PMUSIM_MSR_ARCH_LBR_DEPTH, depth);
        } else {
            refused(p, PMUSIM_MSR_ARCH_LBR_DEPTH, depth);
        }
    }
    refused(p, PMUSIM_MSR_ARCH_LBR_DEPTH, UINT64_C(0x100000008));
}

static void test_depths_end_at_the_pmus(void **state)
{
    struct pmusim *p = *state;

    assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_DEPTH), 24);
    refused(p, PMUSIM_MSR_ARCH_LBR_DEPTH, 32);
    reads_back(p, PMUSIM_MSR_ARCH_LBR_DEPTH, 16);
    reads_back(p, PMUSIM_MSR_ARCH_LBR_DEPTH, 24);
    expect_faults(p, arch_entries, 24);
}

static void test_depth_zeroes_entries(void **state)
{
    struct pmusim *p = *state;
    unsigned int i;

    for (i = 0; i < LBRS + 9; i++) {
        jump(p, i);
    }
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_DEPTH, LBRS);
    for (i = 0; i < LBRS; i++) {
        expect_empty(p, i);
    }
    assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_CTL), CTL_ALL);

    /* Nor does a larger depth bring back what a smaller one hid */
    for (i = 0; i < LBRS; i++) {
        jump(p, i);
    }
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_DEPTH, 8);
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_DEPTH, LBRS);
    for (i = 0; i < LBRS; i++) {
        expect_empty(p, i);
    }
}

static void test_smaller_depth(void **state)
{
    struct pmusim *p = *state;
    unsigned int i;

    for (i = 0; i < 20; i++) {
        jump(p, i);
    }
    wrmsr(p, PMUSIM_MSR_ARCH_LBR_DEPTH, 8);
    expect_faults(p, arch_entries, 8);
    assert_null(pmusim_lbr_at(p, 8));
    for (i = 0; i < 20; i++) {
        jump(p, 100 + i);
    }
    for (i = 0; i < 8; i++) {
        expect_branch(p, i, 119 - i);
        assert_int_equal(rdmsr(p, PMUSIM_MSR_ARCH_LBR_FROM0 + i),
                         FROM(119 - i));
    }
}

/* CPUID */

static void expect_cpuid(const struct pmusim_pmu *pmu, uint32_t eax,
                         uint32_t ebx, uint32_t ecx)
{
    struct pmusim_cpuid regs = { 1, 2, 3, 4 };

    pmusim_lbr_cpuid(pmu, &regs);
    assert_int_equal(regs.eax, eax);
    assert_int_equal(regs.ebx, ebx);
    assert_int_equal(regs.ecx, ecx);
    assert_int_equal(regs.edx, 0);
}

static void test_cpuid(void **state)
{
    expect_cpuid(&arch_pmu, 0x8000000f, 0x7, 0xf0007);
    expect_cpuid(&small_pmu, 0x80000007, 0x7, 0x60007);
    expect_cpuid(&model_pmu, 0, 0, 0);
    expect_cpuid(&none_pmu, 0, 0, 0);
}

#define TEST(name, setup)   cmocka_unit_test_setup(test_##name, setup_##setup)
/* A rule of either kind */
#define NAMED(name, setup) \
    { "test_" #name " (" #setup ")", test_##name, setup_##setup, NULL, NULL }
#define BOTH(name)          NAMED(name, model), NAMED(name, arch)
#define BOTH_STACKS(name)   NAMED(name, model_stack), NAMED(name, arch_stack)

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
        TEST(model_specific_registers, model),
        TEST(architectural_registers, arch),
        TEST(no_registers, none),
        TEST(reserved_bits_of_the_model_specific_kind, model),
        TEST(reserved_bits_of_the_architectural_kind, arch),
        TEST(accepting_changes_nothing, arch),
        TEST(probe, model),
        TEST(architectural_registers_go_by_age, arch),
        TEST(depths, arch),
        TEST(depths_end_at_the_pmus, small),
        TEST(depth_zeroes_entries, arch),
        TEST(smaller_depth, arch),
        cmocka_unit_test(test_cpuid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
