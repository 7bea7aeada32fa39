/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between QEMU's x86 CPU and the PMU model
 *
 * The model lives in CPUX86State. Translated code keeps its budget and its
 * packed branches; everything else comes through the functions below.
 */
#ifndef I386_PMUSIM_GLUE_H
#define I386_PMUSIM_GLUE_H

/*
 * Bits of tb->flags above the hflags: enum pmusim_level, what translated code
 * has to report. They are taken from the model and are never set in
 * env->hflags.
 */
#define HF_PMUSIM_SHIFT         29

static inline enum pmusim_class x86_pmusim_class(uint32_t flags)
{
    return pmusim_class_of(flags & HF_CPL_MASK);
}

static inline enum pmusim_level x86_pmusim_level(uint32_t flags)
{
    return flags >> HF_PMUSIM_SHIFT;
}

static inline uint32_t x86_pmusim_tb_flags(CPUX86State *env)
{
    return env->pmusim.hot.level[env->hflags & HF_CPL_MASK] << HF_PMUSIM_SHIFT;
}

/* @left instructions of a block with @flags do not execute after all */
static inline void x86_pmusim_unwind(CPUX86State *env, uint32_t flags, int left)
{
    if (x86_pmusim_level(flags) != PMUSIM_LEVEL_NONE) {
        env->pmusim.hot.budget[x86_pmusim_class(flags)] += left;
    }
}

void x86_pmusim_realize(X86CPU *cpu, Error **errp);
void x86_pmusim_reset(X86CPU *cpu);
void x86_pmusim_halt(CPUX86State *env);
int x86_pmusim_settle(CPUState *cs);
target_ulong x86_pmusim_interrupt(CPUX86State *env, int intno);
void x86_pmusim_interrupted(CPUX86State *env, target_ulong from, int cpl);
void x86_pmusim_new_space(CPUX86State *env);
void x86_pmusim_lvtpc_written(X86CPU *cpu);
void x86_pmusim_cpuid(CPUX86State *env, uint32_t leaf, uint32_t subleaf,
                      uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
                      uint32_t *edx);
bool x86_pmusim_wrmsr(CPUX86State *env, uint32_t msr, uint64_t value,
                      uintptr_t retaddr);
bool x86_pmusim_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value,
                      uintptr_t retaddr);

#endif
