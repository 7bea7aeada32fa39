/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "pebs_fixture.h"

static struct guest guest;

uint64_t peek(const struct guest *g, uint64_t address)
{
    uint64_t value;

    assert_in_range(address, GUEST_MEMORY,
                    GUEST_MEMORY + GUEST_MEMORY_SIZE - sizeof(value));
    memcpy(&value, g->memory + (address - GUEST_MEMORY), sizeof(value));
    return value;
}

void poke(struct guest *g, uint64_t address, uint64_t value)
{
    assert_in_range(address, GUEST_MEMORY,
                    GUEST_MEMORY + GUEST_MEMORY_SIZE - sizeof(value));
    memcpy(g->memory + (address - GUEST_MEMORY), &value, sizeof(value));
}

uint64_t word(const struct guest *g, unsigned int i)
{
    return peek(g, BUFFER + 8 * i);
}

struct guest *begin(const char *cpu, bool atom)
{
    struct guest *g = &guest;
    unsigned int i;

    guest_init(g, cpu, atom);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, g->pmu.existing);
    guest_wrmsr(g, PMUSIM_MSR_DS_AREA, DS);
    poke(g, DS_BASE, BUFFER);
    poke(g, DS_INDEX, BUFFER);
    poke(g, DS_MAXIMUM, BUFFER + BUFFER_SIZE);
    poke(g, DS_THRESHOLD, BUFFER + BUFFER_SIZE);
    memset(g->memory + 0x1000, 0xaa, BUFFER_SIZE);
    g->regs.flags = 0x246;
    g->regs.tsc = 0x7473637473637473;
    for (i = 0; i < 16; i++) {
        g->regs.gpr[i] = 0x6770720000 + i;
        g->regs.xmm[i][0] = 0x786d6d0000 + i;
        g->regs.xmm[i][1] = 0x786d6d1000 + i;
    }
    return g;
}

void sample(struct guest *g, unsigned int n, uint64_t event,
            unsigned int period)
{
    guest_wrmsr(g, SELECT(n), 0);
    guest_wrmsr(g, CTR(n), WRAP(period));
    guest_wrmsr(g, PMUSIM_MSR_PEBS_ENABLE,
                guest_rdmsr(g, PMUSIM_MSR_PEBS_ENABLE) | pmusim_bit(n));
    guest_wrmsr(g, SELECT(n), event | COUNT_USR);
}

void sample_fixed(struct guest *g, unsigned int n, unsigned int period)
{
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + n, WRAP(period));
    guest_wrmsr(g, PMUSIM_MSR_PEBS_ENABLE,
                guest_rdmsr(g, PMUSIM_MSR_PEBS_ENABLE) | FIXED_BIT(n));
    guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL,
                guest_rdmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL) |
                PMUSIM_FIXED_USR << 4 * n);
}

void go_user(struct guest *g)
{
    g->class = PMUSIM_USR;
}

uint64_t status(struct guest *g)
{
    g->class = PMUSIM_OS;
    return guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS);
}

uint64_t statistic(struct guest *g, enum pmusim_statistic which)
{
    g->class = PMUSIM_OS;
    return guest_rdmsr(g, PMUSIM_MSR_OWN_STATISTIC0 + which);
}

uint64_t used(const struct guest *g)
{
    return peek(g, DS_INDEX) - BUFFER;
}
