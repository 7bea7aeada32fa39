/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stand-in for the emulator: retires instructions against the model in
 * blocks, as translated code does
 */
#ifndef GUEST_H
#define GUEST_H

#include "pmusim.h"

#define V6_GP_CTR(n)    (PMUSIM_MSR_V6_GP0_CTR + PMUSIM_MSR_V6_STEP * (n))
#define V6_GP_CFG_A(n)  (V6_GP_CTR(n) + 1)
#define V6_GP_CFG_B(n)  (V6_GP_CTR(n) + 2)
#define V6_GP_CFG_C(n)  (V6_GP_CTR(n) + 3)
#define V6_FX_CTR(n)    (PMUSIM_MSR_V6_FX0_CTR + PMUSIM_MSR_V6_STEP * (n))
#define V6_FX_CFG_B(n)  (V6_FX_CTR(n) + 2)
#define V6_FX_CFG_C(n)  (V6_FX_CTR(n) + 3)
#define SELECT(n)       (PMUSIM_MSR_PERFEVTSEL0 + (n))
#define CTR(n)          (PMUSIM_MSR_FULL_WIDTH_PMC0 + (n))
#define FIXED_BIT(n)    pmusim_bit(PMUSIM_FIXED_BASE + (n))

#define EVENT_INSNS     UINT64_C(0x00c0)
#define EVENT_BRANCHES  UINT64_C(0x00c4)
#define EVENT_MISSES    UINT64_C(0x00c5)
#define EVENT_CYCLES    UINT64_C(0x003c)
/* The wrapped value @n events below the overflow */
#define WRAP(n)         (PMUSIM_COUNTER_MASK + 1 - (n))
/* Only cycles of @n events or more */
#define CMASK(n)        ((uint64_t)(n) << PMUSIM_SEL_CMASK_SHIFT)
#define COUNT_USR       (PMUSIM_SEL_USR | PMUSIM_SEL_EN)
#define COUNT_OS        (PMUSIM_SEL_OS | PMUSIM_SEL_EN)
#define USR_INT         (COUNT_USR | PMUSIM_SEL_INT)

/* Linear addresses that the guest has memory at */
#define GUEST_MEMORY        UINT64_C(0xffff888000010000)
#define GUEST_MEMORY_SIZE   0x4000

/**
 * struct guest - a CPU that runs nothing in particular
 * @pmu:        the model
 * @class:      privilege class of the code
 * @ip:         address of the next instruction; each is one byte long
 * @retired:    instructions retired so far
 * @pmis:       interrupts so far
 * @pmi_at:     @retired at the last of them
 * @regs:       what records show; the instruction pointer is @ip
 * @space:      page table root
 * @memory:     what lies at GUEST_MEMORY
 * @read_only:  writes to it fail
 * @unknown:    events reported as unknown so far
 */
struct guest {
    struct pmusim pmu;
    enum pmusim_class class;
    uint64_t ip;
    uint64_t retired;
    unsigned int pmis;
    uint64_t pmi_at;
    struct pmusim_registers regs;
    uint64_t space;
    uint8_t memory[GUEST_MEMORY_SIZE];
    bool read_only;
    unsigned int unknown;
};

void guest_init(struct guest *g, const char *cpu, bool atom);
/* A CPU that is not in the table */
void guest_init_row(struct guest *g, const struct pmusim_cpu *row, bool atom);
/* What retired last leads to code of @class */
void guest_enter(struct guest *g, enum pmusim_class class);
/* A block without a branch at its end */
void guest_run(struct guest *g, unsigned int insns);
/* A block with a conditional branch at its end */
void guest_branch(struct guest *g, unsigned int insns, uint64_t pc, bool taken);
void guest_jump(struct guest *g, unsigned int insns);
/* A taken branch of any kind, alone in its block, and the way to its target */
void guest_go(struct guest *g, enum pmusim_branch kind, uint64_t to, bool miss);
/* One instruction that loads, stores or divides */
void guest_load(struct guest *g, uint64_t address);
void guest_store(struct guest *g, uint64_t address);
void guest_divide(struct guest *g);
/* A block of loads, @step bytes from one to the next */
void guest_loads(struct guest *g, unsigned int insns, uint64_t address,
                 unsigned int step);
/* A block begins elsewhere */
void guest_fetch(struct guest *g, uint64_t ip);
/* Other page tables from here on; what retired so far was under the old ones */
void guest_set_space(struct guest *g, uint64_t space);
/* The register accesses expect to succeed, and retire one instruction */
void guest_wrmsr(struct guest *g, uint32_t msr, uint64_t value);
uint64_t guest_rdmsr(struct guest *g, uint32_t msr);
uint64_t guest_rdpmc(struct guest *g, uint32_t index);
/* These expect #GP and that nothing has changed */
void guest_wrmsr_faults(struct guest *g, uint32_t msr, uint64_t value);
void guest_rdmsr_faults(struct guest *g, uint32_t msr);
void guest_rdpmc_faults(struct guest *g, uint32_t index);

/* The next number of a sequence, below @below */
unsigned int next_random(uint32_t *seed, unsigned int below);

#endif
