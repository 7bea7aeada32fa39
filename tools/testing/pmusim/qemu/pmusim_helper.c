/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PMU model's place in QEMU: properties, reset, MSRs, RDPMC, interrupt */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "hw/i386/apic.h"
#include "tcg/helper-tcg.h"

/* MISC_ENABLE, SDM volume 4, table 2-2 */
#define MISC_ENABLE_PERFMON         (1 << 7)
#define MISC_ENABLE_BTS_UNAVAIL     (1 << 11)
#define MISC_ENABLE_PEBS_UNAVAIL    (1 << 12)

static void no_such_cpu(const char *name, Error **errp)
{
    g_autoptr(GString) known = g_string_new(NULL);
    const struct pmusim_cpu *cpu;
    unsigned int row;

    for (row = 0; (cpu = pmusim_cpu_at(row)); row++) {
        g_string_append_printf(known, " %s", cpu->name);
    }
    error_setg(errp, "pmusim: no CPU '%s'; there are:%s", name, known->str);
}

/* Before the features are used: the row of the CPU table sets the model */
void x86_pmusim_realize(X86CPU *cpu, Error **errp)
{
    CPUX86State *env = &cpu->env;
    const struct pmusim_cpu *row;

    if (!cpu->pmusim_name) {
        if (cpu->pmusim_atoms) {
            error_setg(errp, "pmusim-atoms needs pmusim=CPU");
        }
        return;
    }
    if (!tcg_enabled()) {
        error_setg(errp, "pmusim needs the accelerator tcg");
        return;
    }
    row = pmusim_find_cpu(cpu->pmusim_name);
    if (!row) {
        no_such_cpu(cpu->pmusim_name, errp);
        return;
    }
    if (cpu->pmusim_atoms && !row->hybrid) {
        error_setg(errp, "pmusim: '%s' is not hybrid, it takes no pmusim-atoms",
                   row->name);
        return;
    }

    if (!object_property_set_int(OBJECT(cpu), "family", 6, errp) ||
        !object_property_set_int(OBJECT(cpu), "model", row->model, errp) ||
        !object_property_set_int(OBJECT(cpu), "stepping", row->stepping,
                                 errp)) {
        return;
    }
    env->cpuid_level = MAX(env->cpuid_level, PMUSIM_CPUID_MAX);
    cpu->pmusim_cpu = row;
    cpu->pmusim_atom = cpu->apic_id < 64 &&
                       cpu->pmusim_atoms >> cpu->apic_id & 1;
}

/* Power-on reset; INIT restores the state over this, see do_cpu_init() */
void x86_pmusim_reset(X86CPU *cpu)
{
    CPUX86State *env = &cpu->env;

    pmusim_init(&env->pmusim, cpu->pmusim_cpu, cpu->pmusim_atom);
    if (cpu->pmusim_cpu) {
        env->msr_ia32_misc_enable |= MISC_ENABLE_PERFMON |
                                     MISC_ENABLE_BTS_UNAVAIL |
                                     MISC_ENABLE_PEBS_UNAVAIL;
    }
}

void x86_pmusim_cpuid(CPUX86State *env, uint32_t leaf, uint32_t subleaf,
                      uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
                      uint32_t *edx)
{
    struct pmusim_cpuid regs = { *eax, *ebx, *ecx, *edx };

    pmusim_cpuid(&env->pmusim, leaf, subleaf, &regs);
    *eax = regs.eax;
    *ebx = regs.ebx;
    *ecx = regs.ecx;
    *edx = regs.edx;
}

static void deliver_pmi(CPUState *cs, run_on_cpu_data data)
{
    apic_deliver_pmi(X86_CPU(cs)->apic_state);
}

/* The interrupt comes before the next instruction: see cpu_handle_interrupt */
static void raise_pmi(CPUX86State *env)
{
    if (env->pmusim.pmi) {
        env->pmusim.pmi = false;
        async_run_on_cpu(env_cpu(env), deliver_pmi, RUN_ON_CPU_NULL);
    }
}

/* No further block will notice that the halting instruction overflowed one */
void x86_pmusim_halt(CPUX86State *env)
{
    pmusim_fold(&env->pmusim, x86_pmusim_class(env->hflags), 0);
    raise_pmi(env);
}

/*
 * Called at the start of a block of @insns instructions that the budget does
 * not cover, after they have been taken from it. Returns when the block may
 * run; else the CPU goes back to its main loop, to take an interrupt, to find
 * the block with other flags, or to run only the beginning of it.
 */
void helper_pmusim_admit(CPUX86State *env, uint32_t insns)
{
    enum pmusim_class class = x86_pmusim_class(env->hflags);
    struct pmusim *p = &env->pmusim;
    CPUState *cs = env_cpu(env);
    unsigned int admitted;

    p->hot.budget[class] += insns;
    admitted = pmusim_admit(p, class, insns);
    if (admitted == insns) {
        p->hot.budget[class] -= insns;
        return;
    }

    raise_pmi(env);
    if (admitted) {
        cs->cflags_next_tb = (curr_cflags(cs) & ~CF_COUNT_MASK) | admitted;
    }
    cpu_loop_exit_noexc(cs);
}

static G_NORETURN void fault(CPUX86State *env, uintptr_t retaddr)
{
    raise_exception_err_ra(env, EXCP0D_GPF, 0, retaddr);
}

/* Returns false when @msr is none of the PMU's */
bool x86_pmusim_wrmsr(CPUX86State *env, uint32_t msr, uint64_t value,
                      uintptr_t retaddr)
{
    struct pmusim *p = &env->pmusim;

    if (!p->cpu) {
        return false;
    }
    if (msr == MSR_IA32_MISC_ENABLE) {
        uint64_t fixed = MISC_ENABLE_BTS_UNAVAIL | MISC_ENABLE_PEBS_UNAVAIL;

        if ((value ^ env->msr_ia32_misc_enable) & fixed) {
            fault(env, retaddr);
        }
        env->msr_ia32_misc_enable = value | MISC_ENABLE_PERFMON;
        return true;
    }

    switch (pmusim_wrmsr(p, x86_pmusim_class(env->hflags), msr, value)) {
    case PMUSIM_DONE:
        raise_pmi(env);
        return true;
    case PMUSIM_FAULT:
        fault(env, retaddr);
    default:
        return false;
    }
}

bool x86_pmusim_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value,
                      uintptr_t retaddr)
{
    switch (pmusim_rdmsr(&env->pmusim, x86_pmusim_class(env->hflags), msr,
                         value)) {
    case PMUSIM_DONE:
        raise_pmi(env);
        return true;
    case PMUSIM_FAULT:
        fault(env, retaddr);
    default:
        return false;
    }
}

void helper_rdpmc(CPUX86State *env)
{
    uint64_t value;

    if (!(env->cr[4] & CR4_PCE_MASK) && (env->hflags & HF_CPL_MASK)) {
        fault(env, GETPC());
    }
    cpu_svm_check_intercept_param(env, SVM_EXIT_RDPMC, 0, GETPC());

    switch (pmusim_rdpmc(&env->pmusim, x86_pmusim_class(env->hflags),
                         env->regs[R_ECX], &value)) {
    case PMUSIM_DONE:
        raise_pmi(env);
        env->regs[R_EAX] = (uint32_t)value;
        env->regs[R_EDX] = value >> 32;
        break;
    case PMUSIM_FAULT:
        fault(env, GETPC());
    default:
        /* No PMU at all */
        raise_exception_ra(env, EXCP06_ILLOP, GETPC());
    }
}
