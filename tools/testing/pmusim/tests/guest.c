/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "guest.h"

static struct guest *guest_of(struct pmusim *p)
{
    return (struct guest *)((char *)p - offsetof(struct guest, pmu));
}

/* Where @address lies in the guest's memory; NULL: not in it */
static uint8_t *memory_at(struct guest *g, uint64_t address, size_t size)
{
    uint64_t offset = address - GUEST_MEMORY;

    if (offset > GUEST_MEMORY_SIZE || size > GUEST_MEMORY_SIZE - offset) {
        return NULL;
    }
    return g->memory + offset;
}

static bool host_read(struct pmusim *p, uint64_t address, void *data,
                      size_t size)
{
    const uint8_t *memory = memory_at(guest_of(p), address, size);

    if (memory) {
        memcpy(data, memory, size);
    }
    return memory;
}

static bool host_write(struct pmusim *p, uint64_t address, const void *data,
                       size_t size)
{
    struct guest *g = guest_of(p);
    uint8_t *memory = memory_at(g, address, size);

    if (!memory || g->read_only) {
        return false;
    }
    memcpy(memory, data, size);
    return true;
}

static void host_registers(struct pmusim *p, struct pmusim_registers *regs)
{
    *regs = guest_of(p)->regs;
    regs->ip = guest_of(p)->ip;
}

static uint64_t host_space(struct pmusim *p)
{
    return guest_of(p)->space;
}

static void host_unknown(struct pmusim *p, uint64_t select)
{
    guest_of(p)->unknown++;
}

static const struct pmusim_host host = {
    .read = host_read,
    .write = host_write,
    .registers = host_registers,
    .space = host_space,
    .unknown = host_unknown,
};

static void take_pmi(struct guest *g)
{
    if (g->pmu.pmi) {
        g->pmu.pmi = false;
        g->pmis++;
        g->pmi_at = g->retired;
    }
}

static unsigned int level(const struct guest *g)
{
    return g->pmu.hot.level[g->class == PMUSIM_OS ? 0 : 3];
}

/* A taken branch has got here */
static void arrive(struct guest *g)
{
    struct pmusim_hot *hot = &g->pmu.hot;

    if (pmusim_level_records(level(g)) && hot->branch) {
        pmusim_branch(&g->pmu, g->class, g->class, hot->ip, g->ip,
                      hot->branch);
        hot->branch = PMUSIM_BRANCH_NONE;
    }
}

/*
 * As in translated code: take first, ask if that was too much. Returns how many
 * of @insns instructions run in one go, at least one.
 */
static unsigned int take(struct guest *g, unsigned int insns)
{
    struct pmusim_hot *hot = &g->pmu.hot;
    unsigned int block = 0;

    while (!block) {
        block = pmusim_level_is_exact(level(g)) ? 1 : insns;
        arrive(g);
        if (level(g) == PMUSIM_LEVEL_NONE) {
            break;
        }
        hot->budget[g->class] -= block;
        if (hot->budget[g->class] < 0) {
            hot->budget[g->class] += block;
            block = pmusim_admit(&g->pmu, g->class, block);
            assert_true(block <= insns);
            take_pmi(g);
            hot->budget[g->class] -= block;
        }
    }
    g->retired += block;
    g->ip += block;
    if (pmusim_level_records(level(g))) {
        hot->ip = g->ip - 1;
    }
    return block;
}

static void announce(struct guest *g, unsigned int insns)
{
    while (insns) {
        insns -= take(g, insns);
    }
}

static void pack(struct guest *g, uint64_t branch)
{
    g->pmu.hot.packed[g->class] += branch;
}

static bool counts_branches(struct guest *g)
{
    return level(g) >= PMUSIM_LEVEL_BRANCHES;
}

void guest_init_row(struct guest *g, const struct pmusim_cpu *row, bool atom)
{
    memset(g, 0, sizeof(*g));
    pmusim_init(&g->pmu, row, atom, &host);
    g->class = PMUSIM_USR;
    g->ip = 0x400000;
}

void guest_init(struct guest *g, const char *cpu, bool atom)
{
    const struct pmusim_cpu *row = pmusim_find_cpu(cpu);

    assert_non_null(row);
    guest_init_row(g, row, atom);
}

void guest_enter(struct guest *g, enum pmusim_class class)
{
    pmusim_leave(&g->pmu, g->class, class);
    g->class = class;
    take_pmi(g);
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
        pack(g, PMUSIM_PACKED_BRANCH + PMUSIM_PACKED_COND +
             (taken ? PMUSIM_PACKED_TAKEN : 0) +
             pmusim_conditional(&g->pmu.hot.predictor, pc, taken));
    }
}

void guest_jump(struct guest *g, unsigned int insns)
{
    announce(g, insns);
    if (counts_branches(g)) {
        pack(g, PMUSIM_PACKED_BRANCH + PMUSIM_PACKED_TAKEN);
    }
}

void guest_go(struct guest *g, enum pmusim_branch kind, uint64_t to, bool miss)
{
    announce(g, 1);
    if (counts_branches(g)) {
        pack(g, PMUSIM_PACKED_BRANCH + PMUSIM_PACKED_TAKEN +
             (kind == PMUSIM_BRANCH_JCC ? PMUSIM_PACKED_COND : 0) +
             (miss ? PMUSIM_PACKED_MISS : 0));
    }
    if (pmusim_level_records(level(g))) {
        g->pmu.hot.branch = kind | (miss ? PMUSIM_BRANCH_MISS : 0);
    }
    g->ip = to;
}

static bool has_memory(const struct guest *g)
{
    return pmusim_level_has_memory(level(g));
}

void guest_load(struct guest *g, uint64_t address)
{
    announce(g, 1);
    if (has_memory(g)) {
        pmusim_load(&g->pmu, g->class, address);
    }
}

void guest_loads(struct guest *g, unsigned int insns, uint64_t address,
                 unsigned int step)
{
    while (insns) {
        /* An access ends its block where it is reported */
        unsigned int block = take(g, has_memory(g) ? 1 : insns), i;

        for (i = 0; i < block && has_memory(g); i++) {
            pmusim_load(&g->pmu, g->class, address + (uint64_t)step * i);
        }
        address += (uint64_t)step * block;
        insns -= block;
    }
}

void guest_store(struct guest *g, uint64_t address)
{
    announce(g, 1);
    if (has_memory(g)) {
        pmusim_store(&g->pmu, g->class, address);
    }
}

void guest_divide(struct guest *g)
{
    announce(g, 1);
    if (has_memory(g)) {
        pmusim_divide(&g->pmu, g->class);
    }
}

void guest_fetch(struct guest *g, uint64_t ip)
{
    g->ip = ip;
    if (has_memory(g)) {
        pmusim_fetch(&g->pmu, g->class, ip);
    }
}

void guest_set_space(struct guest *g, uint64_t space)
{
    pmusim_fold(&g->pmu, g->class, 0);
    take_pmi(g);
    g->space = space;
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
    take_pmi(g);
    return value;
}

uint64_t guest_rdpmc(struct guest *g, uint32_t index)
{
    uint64_t value;

    announce(g, 1);
    assert_int_equal(pmusim_rdpmc(&g->pmu, g->class, index, &value),
                     PMUSIM_DONE);
    take_pmi(g);
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
    struct pmusim before = g->pmu;
    uint64_t value;

    assert_int_equal(pmusim_rdmsr(&g->pmu, g->class, msr, &value),
                     PMUSIM_FAULT);
    assert_memory_equal(&before, &g->pmu, sizeof(before));
}

void guest_rdpmc_faults(struct guest *g, uint32_t index)
{
    uint64_t value;

    assert_int_equal(pmusim_rdpmc(&g->pmu, g->class, index, &value),
                     PMUSIM_FAULT);
}

unsigned int next_random(uint32_t *seed, unsigned int below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}
