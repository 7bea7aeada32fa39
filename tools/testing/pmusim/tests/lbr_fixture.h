/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tests of last branch records share: a model without a guest, which is
 * handed branches and register accesses
 */
#ifndef LBR_FIXTURE_H
#define LBR_FIXTURE_H

#include "pmusim.h"

#define LBRS            32
#define WIDTH           4

#define FROM(n)         (UINT64_C(0x1000) + 16 * (n))
#define TO(n)           (UINT64_C(0xffffffff81000000) + 16 * (n))

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

/* Kinds of branches that the hardware tells apart */
#define KINDS           7

/**
 * struct kind - a kind of branch, as the registers have it
 * @kind:   the model's name of it
 * @select: its bit of LBR_SELECT
 * @ctl:    its bit of ARCH_LBR_CTL
 * @type:   its number in INFO
 */
struct kind {
    enum pmusim_branch kind;
    unsigned int select;
    unsigned int ctl;
    unsigned int type;
};

extern const struct kind kinds[KINDS];

extern const struct pmusim_pmu model_pmu;
extern const struct pmusim_pmu arch_pmu;
/* Two counters only, and of 32 entries only 24 */
extern const struct pmusim_pmu small_pmu;
/* The format alone makes no last branch record */
extern const struct pmusim_pmu none_pmu;
extern const struct pmusim_cpu arch_cpu;

struct pmusim *make(const struct pmusim_cpu *cpu, const struct pmusim_pmu *pmu);
/* Set-ups that record everything */
int setup_model(void **state);
int setup_arch(void **state);
int setup_small(void **state);
/* A CPU with everything enabled that it does not have */
int setup_none(void **state);
/* In call-stack mode */
int setup_model_stack(void **state);
int setup_arch_stack(void **state);
int setup_small_stack(void **state);

/* The register accesses expect to succeed */
void wrmsr(struct pmusim *p, uint32_t msr, uint64_t value);
uint64_t rdmsr(const struct pmusim *p, uint32_t msr);

/* Branch number @n, from FROM(@n) to TO(@n) */
void branch(struct pmusim *p, enum pmusim_branch kind, unsigned int n);
void jump(struct pmusim *p, unsigned int n);

/* The entry that is there, 0 being the newest, and what it should be */
const struct pmusim_lbr_entry *at(const struct pmusim *p, unsigned int age);
void expect_branch(const struct pmusim *p, unsigned int age, unsigned int n);
void expect_empty(const struct pmusim *p, unsigned int age);

#define TEST(name, setup)   cmocka_unit_test_setup(test_##name, setup_##setup)
/* A rule of either kind */
#define NAMED(name, setup) \
    { "test_" #name " (" #setup ")", test_##name, setup_##setup, NULL, NULL }
#define BOTH(name)          NAMED(name, model), NAMED(name, arch)
#define BOTH_STACKS(name)   NAMED(name, model_stack), NAMED(name, arch_stack)

#endif
