/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "guest.h"

static void take_pmi(struct guest *g)
{
    if (g->pmu.pmi) {
        g->pmu.pmi = false;
        g->pmis++;
        g->pmi_at = g->retired;
    }
}

/* As in translated code: take first, ask if that was too much */
static void announce(struct guest *g, unsigned int insns)
{
    struct pmusim_hot *hot = &g->pmu.hot;

    while (insns) {
        unsigned int block = insns;

        if (hot->count[g->class] & PMUSIM_COUNT_INSNS) {
            hot->budget[g->class] -= block;
            if (hot->budget[g->class] < 0) {
                hot->budget[g->class] += block;
                block = pmusim_admit(&g->pmu, g->class, block);
                assert_true(block <= insns);
                take_pmi(g);
                if (!block) {
                    continue;
                }
                hot->budget[g->class] -= block;
            }
        }
        g->retired += block;
        insns -= block;
    }
}

static void lane(struct guest *g, uint64_t add)
{
    g->pmu.hot.lane[g->class] += add;
}

static bool counts_branches(struct guest *g)
{
    return g->pmu.hot.count[g->class] & PMUSIM_COUNT_BRANCHES;
}

void guest_init(struct guest *g, const char *cpu, bool atom)
{
    const struct pmusim_cpu *row = pmusim_find_cpu(cpu);

    assert_non_null(row);
    memset(g, 0, sizeof(*g));
    pmusim_init(&g->pmu, row, atom);
    g->class = PMUSIM_USR;
}

void guest_run(struct guest *g, unsigned int insns)
{
    while (insns > PMUSIM_BLOCK_MAX) {
        announce(g, PMUSIM_BLOCK_MAX);
        insns -= PMUSIM_BLOCK_MAX;
    }
    announce(g, insns);
}

void guest_branch(struct guest *g, unsigned int insns, uint64_t pc, bool taken)
{
    announce(g, insns);
    if (counts_branches(g)) {
        lane(g, PMUSIM_LANE_BRANCH + (taken ? PMUSIM_LANE_TAKEN : 0) +
             pmusim_conditional(&g->pmu.hot.predictor, pc, taken));
    }
}

void guest_jump(struct guest *g, unsigned int insns)
{
    announce(g, insns);
    if (counts_branches(g)) {
        lane(g, PMUSIM_LANE_BRANCH + PMUSIM_LANE_TAKEN);
    }
}

void guest_wrmsr(struct guest *g, uint32_t msr, uint64_t value)
{
    announce(g, 1);
    assert_int_equal(pmusim_wrmsr(&g->pmu, g->class, msr, value), PMUSIM_DONE);
    take_pmi(g);
}

uint64_t guest_rdmsr(struct guest *g, uint32_t msr)
{
    uint64_t value;

    announce(g, 1);
    assert_int_equal(pmusim_rdmsr(&g->pmu, g->class, msr, &value),
                     PMUSIM_DONE);
    return value;
}

uint64_t guest_rdpmc(struct guest *g, uint32_t index)
{
    uint64_t value;

    announce(g, 1);
    assert_int_equal(pmusim_rdpmc(&g->pmu, g->class, index, &value),
                     PMUSIM_DONE);
    return value;
}

void guest_wrmsr_faults(struct guest *g, uint32_t msr, uint64_t value)
{
    struct pmusim before = g->pmu;

    assert_int_equal(pmusim_wrmsr(&g->pmu, g->class, msr, value),
                     PMUSIM_FAULT);
    assert_memory_equal(&before, &g->pmu, sizeof(before));
}

void guest_rdmsr_faults(struct guest *g, uint32_t msr)
{
    uint64_t value;

    assert_int_equal(pmusim_rdmsr(&g->pmu, g->class, msr, &value),
                     PMUSIM_FAULT);
}

void guest_rdpmc_faults(struct guest *g, uint32_t index)
{
    uint64_t value;

    assert_int_equal(pmusim_rdpmc(&g->pmu, g->class, index, &value),
                     PMUSIM_FAULT);
}
