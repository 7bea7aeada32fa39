/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "lbr_fixture.h"

const struct pmusim_pmu model_pmu = {
    .gp = 0xf,
    .fixed = 0x7,
    .caps = PMUSIM_CAP_LBR_INFO_TSX | PMUSIM_CAP_FULL_WIDTH,
    .lbrs = LBRS,
    .width = WIDTH,
};

const struct pmusim_pmu arch_pmu = {
    .core_type = 0x20,
    .gp = 0xff,
    .fixed = 0x77,
    .caps = PMUSIM_CAP_LBR_ARCH | PMUSIM_CAP_FULL_WIDTH,
    .lbrs = LBRS,
    .lbr_counters = 0xf,
    .width = WIDTH,
};

const struct pmusim_pmu small_pmu = {
    .gp = 0xff,
    .caps = PMUSIM_CAP_LBR_ARCH,
    .lbrs = 24,
    .lbr_counters = 0x6,
    .width = WIDTH,
};

const struct pmusim_pmu none_pmu = {
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

const struct pmusim_cpu arch_cpu = {
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

const struct kind kinds[KINDS] = {
    { PMUSIM_BRANCH_JCC,        2, 16, 0 },
    { PMUSIM_BRANCH_IND_JUMP,   6, 18, 1 },
    { PMUSIM_BRANCH_JUMP,       7, 17, 2 },
    { PMUSIM_BRANCH_IND_CALL,   4, 20, 3 },
    { PMUSIM_BRANCH_CALL,       3, 19, 4 },
    { PMUSIM_BRANCH_RETURN,     5, 21, 5 },
    { PMUSIM_BRANCH_FAR,        8, 22, 8 },
};

struct pmusim *make(const struct pmusim_cpu *cpu, const struct pmusim_pmu *pmu)
{
    static struct pmusim p;

    memset(&p, 0, sizeof(p));
    p.cpu = cpu;
    p.pmu = pmu;
    pmusim_lbr_init(&p);
    return &p;
}

void wrmsr(struct pmusim *p, uint32_t msr, uint64_t value)
{
    assert_int_equal(pmusim_lbr_accepts(p, msr, value), PMUSIM_DONE);
    pmusim_lbr_wrmsr(p, msr, value);
}

uint64_t rdmsr(const struct pmusim *p, uint32_t msr)
{
    uint64_t value;

    assert_int_equal(pmusim_lbr_rdmsr(p, msr, &value), PMUSIM_DONE);
    return value;
}

int setup_model(void **state)
{
    struct pmusim *p = make(&model_cpu, &model_pmu);

    p->debugctl = PMUSIM_DEBUGCTL_LBR;
    *state = p;
    return 0;
}

int setup_arch(void **state)
{
    struct pmusim *p = make(&arch_cpu, &arch_pmu);

    wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, CTL_ALL);
    *state = p;
    return 0;
}

int setup_small(void **state)
{
    struct pmusim *p = make(&small_cpu, &small_pmu);

    wrmsr(p, PMUSIM_MSR_ARCH_LBR_CTL, CTL_ALL);
    *state = p;
    return 0;
}

int setup_none(void **state)
{
    struct pmusim *p = make(&arch_cpu, &none_pmu);

    p->debugctl = PMUSIM_DEBUGCTL_LBR;
    p->lbr.ctl = CTL_ALL;
    *state = p;
    return 0;
}

int setup_model_stack(void **state)
{
    setup_model(state);
    wrmsr(*state, PMUSIM_MSR_LBR_SELECT, SELECT_STACK);
    return 0;
}

int setup_arch_stack(void **state)
{
    setup_arch(state);
    wrmsr(*state, PMUSIM_MSR_ARCH_LBR_CTL, CTL_STACK);
    return 0;
}

int setup_small_stack(void **state)
{
    setup_small(state);
    wrmsr(*state, PMUSIM_MSR_ARCH_LBR_CTL, CTL_STACK);
    return 0;
}

const struct pmusim_lbr_entry *at(const struct pmusim *p, unsigned int age)
{
    const struct pmusim_lbr_entry *entry = pmusim_lbr_at(p, age);

    assert_non_null(entry);
    return entry;
}

void branch(struct pmusim *p, enum pmusim_branch kind, unsigned int n)
{
    pmusim_lbr_update(p);
    pmusim_branch(p, PMUSIM_USR, PMUSIM_USR, FROM(n), TO(n), kind);
}

void jump(struct pmusim *p, unsigned int n)
{
    branch(p, PMUSIM_BRANCH_JUMP, n);
}

void expect_branch(const struct pmusim *p, unsigned int age, unsigned int n)
{
    assert_int_equal(at(p, age)->from, FROM(n));
    assert_int_equal(at(p, age)->to, TO(n));
}

void expect_empty(const struct pmusim *p, unsigned int age)
{
    assert_int_equal(at(p, age)->from, 0);
    assert_int_equal(at(p, age)->to, 0);
    assert_int_equal(at(p, age)->info, 0);
}
