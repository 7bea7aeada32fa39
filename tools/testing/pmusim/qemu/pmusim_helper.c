/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PMU model's place in QEMU: properties, reset, MSRs, RDPMC, interrupt */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "hw/i386/apic.h"
#include "tcg/helper-tcg.h"
#include "trace/trace-target_i386.h"
#include "pmusim-host.h"

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

/*
 * Auto counter reload as the command line has it: masks of general-purpose
 * counters, and of fixed ones from bit 32 on. P-cores of a hybrid CPU have
 * properties of their own.
 */
static const struct pmusim_pmu *with_acr(X86CPU *cpu,
                                         const struct pmusim_pmu *pmu,
                                         Error **errp)
{
    bool core = cpu->pmusim_cpu->hybrid && !cpu->pmusim_atom;
    uint64_t reload = cpu->pmusim_acr_reload[core];
    uint64_t cause = cpu->pmusim_acr_cause[core];
    uint64_t existing = pmu->gp | (uint64_t)pmu->fixed << PMUSIM_FIXED_BASE;

    if (reload == UINT64_MAX && cause == UINT64_MAX) {
        return pmu;
    }
    reload = reload == UINT64_MAX ? pmusim_acr_reloadable(pmu) : reload;
    cause = cause == UINT64_MAX ? pmusim_acr_causes(pmu) : cause;
    if ((reload | cause) & ~existing) {
        error_setg(errp, "pmusim: acr masks name counters that do not exist");
        return pmu;
    }

    cpu->pmusim_acr = (struct pmusim_acr) {
        .reload_gp = reload,
        .reload_fixed = reload >> PMUSIM_FIXED_BASE,
        .cause_gp = cause,
        .cause_fixed = cause >> PMUSIM_FIXED_BASE,
    };
    cpu->pmusim_pmu = *pmu;
    cpu->pmusim_pmu.acr = reload ? &cpu->pmusim_acr : NULL;
    return &cpu->pmusim_pmu;
}

/* RDPMC of PERF_METRICS can be made to clear it, where there are metrics */
static const struct pmusim_pmu *with_clear(X86CPU *cpu,
                                           const struct pmusim_pmu *pmu)
{
    if (!cpu->pmusim_metrics_clear || !pmu->metrics) {
        return pmu;
    }
    if (pmu != &cpu->pmusim_pmu) {
        cpu->pmusim_pmu = *pmu;
    }
    cpu->pmusim_pmu.caps |= PMUSIM_CAP_METRICS_CLEAR;
    return &cpu->pmusim_pmu;
}

/* Before the features are used: the row of the CPU table sets the model */
void x86_pmusim_realize(X86CPU *cpu, Error **errp)
{
    CPUX86State *env = &cpu->env;
    const struct pmusim_cpu *row;

    if (!cpu->pmusim_name) {
        if (cpu->pmusim_atoms || cpu->pmusim_stats || cpu->pmusim_skid ||
            cpu->pmusim_metrics_clear) {
            error_setg(errp, "pmusim-atoms, pmusim-skid, pmusim-stats and"
                       " pmusim-metrics-clear need pmusim=CPU");
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
    x86_pmusim_dump_at_exit(cpu);
    cpu->pmusim_atom = cpu->apic_id < 64 &&
                       cpu->pmusim_atoms >> cpu->apic_id & 1;
    cpu->pmusim_core = with_acr(cpu, row->hybrid && cpu->pmusim_atom ?
                                row->atom : row->pmu, errp);
    cpu->pmusim_core = with_clear(cpu, cpu->pmusim_core);
    if (cpu->pmusim_metrics_clear && !row->pmu->metrics) {
        error_setg(errp, "pmusim: '%s' has no PERF_METRICS, it takes no"
                   " pmusim-metrics-clear", row->name);
    }
}

/* Power-on reset; INIT restores the state over this, see do_cpu_init() */
void x86_pmusim_reset(X86CPU *cpu)
{
    CPUX86State *env = &cpu->env;

    pmusim_init(&env->pmusim, cpu->pmusim_cpu, cpu->pmusim_atom,
                &x86_pmusim_host);
    env->pmusim.skid = cpu->pmusim_skid;
    if (cpu->pmusim_cpu) {
        env->pmusim.pmu = cpu->pmusim_core;
        env->msr_ia32_misc_enable |= MISC_ENABLE_PERFMON |
                                     MISC_ENABLE_BTS_UNAVAIL;
        if (!pmusim_pebs_counters(env->pmusim.pmu)) {
            env->msr_ia32_misc_enable |= MISC_ENABLE_PEBS_UNAVAIL;
        }
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
    X86CPU *cpu = X86_CPU(cs);
    bool delivered = apic_deliver_pmi(cpu->apic_state);
    uint64_t *total = cpu->env.pmusim.truth.total;

    total[delivered ? PMUSIM_STAT_PMIS : PMUSIM_STAT_PMIS_LOST]++;
    trace_pmusim_pmi(cs->cpu_index, cpu->env.pmusim.global_status, delivered);
}

/* The interrupt comes before the next instruction: see cpu_handle_interrupt */
static void raise_pmi(CPUX86State *env)
{
    if (env->pmusim.pmi) {
        env->pmusim.pmi = false;
        async_run_on_cpu(env_cpu(env), deliver_pmi, RUN_ON_CPU_NULL);
    }
}

/* What has run so far belongs to the page tables that are about to go */
void x86_pmusim_new_space(CPUX86State *env)
{
    unsigned int level = env->pmusim.hot.level[env->hflags & HF_CPL_MASK];

    if (pmusim_level_is_exact(env->pmusim.hot.level[HF_CPL_MASK]) ||
        pmusim_level_is_exact(level)) {
        pmusim_fold(&env->pmusim, x86_pmusim_class(env->hflags), !!level);
        raise_pmi(env);
    }
}

void x86_pmusim_lvtpc_written(X86CPU *cpu)
{
    pmusim_count_statistic(&cpu->env.pmusim, PMUSIM_STAT_LVTPC_WRITES,
                           PMUSIM_STAT_NMI_LVTPC_WRITES);
}

/* The taken branch that was left behind got to env->eip */
static void finish_branch(CPUX86State *env)
{
    enum pmusim_class class = x86_pmusim_class(env->hflags);
    struct pmusim *p = &env->pmusim;

    pmusim_branch(p, class, class, p->hot.ip, env->eip, p->hot.branch);
    p->hot.branch = PMUSIM_BRANCH_NONE;
}

/* Something else than the next block follows: do what it does first of all */
static void settle(CPUX86State *env)
{
    struct pmusim *p = &env->pmusim;

    if (pmusim_level_records(p->hot.level[env->hflags & HF_CPL_MASK]) &&
        p->hot.branch) {
        finish_branch(env);
    }
    pmusim_fold(p, x86_pmusim_class(env->hflags), 0);
}

/*
 * An interrupt is about to be chosen. If the last instruction before it has
 * made a counter overflow, the performance interrupt was there first. Returns
 * the requests that this adds.
 *
 * If the overflow freezes something, the next block is one with other flags, and
 * it is not what follows the last one for good: they must not be chained.
 */
int x86_pmusim_settle(CPUState *cs)
{
    CPUX86State *env = cs->env_ptr;
    struct pmusim *p = &env->pmusim;
    enum pmusim_class class = x86_pmusim_class(env->hflags);
    unsigned int level = p->hot.level[env->hflags & HF_CPL_MASK];

    if (!level || p->hot.budget[class] > 0) {
        return 0;
    }
    settle(env);
    if (level != p->hot.level[env->hflags & HF_CPL_MASK]) {
        cs->interrupt_request |= CPU_INTERRUPT_EXITTB;
    }
    if (!p->pmi) {
        return 0;
    }
    p->pmi = false;
    deliver_pmi(cs, RUN_ON_CPU_NULL);
    return cs->interrupt_request & CPU_INTERRUPT_NMI;
}

/*
 * An interrupt or exception is about to be taken. What retired before it is
 * seen with the interrupted code's registers. Returns where that code is.
 */
target_ulong x86_pmusim_interrupt(CPUX86State *env, int intno)
{
    struct pmusim *p = &env->pmusim;
    unsigned int level = p->hot.level[env->hflags & HF_CPL_MASK];

    if (pmusim_level_records(level)) {
        settle(env);
        raise_pmi(env);
    }
    if (intno == EXCP02_NMI) {
        pmusim_nmi_begin(p, x86_pmusim_class(env->hflags));
        raise_pmi(env);
    }
    return env->eip;
}

/* It has been taken */
void x86_pmusim_interrupted(CPUX86State *env, target_ulong from, int cpl)
{
    enum pmusim_class class = x86_pmusim_class(env->hflags);
    struct pmusim *p = &env->pmusim;

    if (p->cpu) {
        pmusim_branch(p, pmusim_class_of(cpl), class, from, env->eip,
                      PMUSIM_BRANCH_FAR);
        pmusim_leave(p, pmusim_class_of(cpl), class);
        raise_pmi(env);
    }
}

/* Called behind a far branch that did not fault */
void helper_pmusim_far(CPUX86State *env, uint32_t cpl)
{
    enum pmusim_class class = x86_pmusim_class(env->hflags);
    struct pmusim *p = &env->pmusim;

    if (pmusim_level_records(p->hot.level[cpl])) {
        pmusim_branch(p, pmusim_class_of(cpl), class, p->hot.ip, env->eip,
                      PMUSIM_BRANCH_FAR);
    }
    pmusim_leave(p, pmusim_class_of(cpl), class);
    raise_pmi(env);
}

/* Called behind IRET, after it was recorded: it ends an NMI */
void helper_pmusim_iret(CPUX86State *env)
{
    pmusim_nmi_end(&env->pmusim, x86_pmusim_class(env->hflags));
    raise_pmi(env);
}

/* Called at the target of a near branch that was taken */
void helper_pmusim_branch(CPUX86State *env)
{
    finish_branch(env);
}

/* Called at the start of a block when memory is modelled */
void helper_pmusim_block(CPUX86State *env)
{
    if (env->pmusim.hot.branch) {
        finish_branch(env);
    }
    pmusim_fetch(&env->pmusim, x86_pmusim_class(env->hflags), env->eip);
}

void helper_pmusim_load(CPUX86State *env, target_ulong address)
{
    pmusim_load(&env->pmusim, x86_pmusim_class(env->hflags), address);
}

void helper_pmusim_store(CPUX86State *env, target_ulong address)
{
    pmusim_store(&env->pmusim, x86_pmusim_class(env->hflags), address);
}

void helper_pmusim_divide(CPUX86State *env)
{
    pmusim_divide(&env->pmusim, x86_pmusim_class(env->hflags));
}

void helper_pmusim_flush(CPUX86State *env, target_ulong address)
{
    pmusim_flush(&env->pmusim, address);
}

/* No further block will notice that the halting instruction overflowed one */
void x86_pmusim_halt(CPUX86State *env)
{
    pmusim_halt(&env->pmusim, x86_pmusim_class(env->hflags));
    raise_pmi(env);
}

/*
 * Called at the start of a block of @insns instructions that the budget does
 * not cover, after they have been taken from it. Returns when the block may
 * run; else the CPU goes back to its main loop, to take an interrupt, to find
 * the block with other flags, or to run only the beginning of it.
 *
 * Other flags may be called for with the interrupt still on its way, if the
 * overflow freezes something. The block must not run then: what follows it would
 * have other flags, and be chained to it for good.
 */
void helper_pmusim_admit(CPUX86State *env, uint32_t insns)
{
    enum pmusim_class class = x86_pmusim_class(env->hflags);
    struct pmusim *p = &env->pmusim;
    unsigned int level = pmusim_level_of(p, class);
    CPUState *cs = env_cpu(env);
    unsigned int admitted;

    p->hot.budget[class] += insns;
    admitted = pmusim_admit(p, class, insns);
    if (level != pmusim_level_of(p, class)) {
        admitted = 0;
    }
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
    if (x86_pmusim_class(env->hflags) == PMUSIM_OS) {
        env->pmusim.truth.total[PMUSIM_STAT_FAULTS]++;
    }
    raise_exception_err_ra(env, EXCP0D_GPF, 0, retaddr);
}

/* An access of a register ends; returns false when it is none of the PMU's */
static bool finish_access(CPUX86State *env, enum pmusim_access access,
                          uintptr_t retaddr)
{
    switch (access) {
    case PMUSIM_DONE:
        raise_pmi(env);
        return true;
    case PMUSIM_FAULT:
        fault(env, retaddr);
    default:
        return false;
    }
}

/* Returns false when @msr is none of the PMU's */
bool x86_pmusim_wrmsr(CPUX86State *env, uint32_t msr, uint64_t value,
                      uintptr_t retaddr)
{
    struct pmusim *p = &env->pmusim;
    enum pmusim_access access;

    if (!p->cpu) {
        return false;
    }
    pmusim_count_access(p, msr, true);
    if (msr == MSR_IA32_MISC_ENABLE) {
        uint64_t fixed = MISC_ENABLE_BTS_UNAVAIL | MISC_ENABLE_PEBS_UNAVAIL;
        bool refused = (value ^ env->msr_ia32_misc_enable) & fixed;

        trace_pmusim_wrmsr(env_cpu(env)->cpu_index, msr, value, refused);
        if (refused) {
            fault(env, retaddr);
        }
        env->msr_ia32_misc_enable = value | MISC_ENABLE_PERFMON;
        return true;
    }

    access = pmusim_wrmsr(p, x86_pmusim_class(env->hflags), msr, value);
    if (access != PMUSIM_FOREIGN) {
        trace_pmusim_wrmsr(env_cpu(env)->cpu_index, msr, value,
                           access == PMUSIM_FAULT);
    }
    return finish_access(env, access, retaddr);
}

bool x86_pmusim_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value,
                      uintptr_t retaddr)
{
    enum pmusim_access access;

    pmusim_count_access(&env->pmusim, msr, false);
    access = pmusim_rdmsr(&env->pmusim, x86_pmusim_class(env->hflags), msr,
                          value);
    if (access != PMUSIM_FOREIGN) {
        trace_pmusim_rdmsr(env_cpu(env)->cpu_index, msr,
                           access == PMUSIM_DONE ? *value : 0,
                           access == PMUSIM_FAULT);
    }
    return finish_access(env, access, retaddr);
}

void helper_rdpmc(CPUX86State *env)
{
    enum pmusim_access access;
    uint64_t value;

    if (!(env->cr[4] & CR4_PCE_MASK) && (env->hflags & HF_CPL_MASK)) {
        fault(env, GETPC());
    }
    cpu_svm_check_intercept_param(env, SVM_EXIT_RDPMC, 0, GETPC());

    access = pmusim_rdpmc(&env->pmusim, x86_pmusim_class(env->hflags),
                          env->regs[R_ECX], &value);
    if (!finish_access(env, access, GETPC())) {
        /* No PMU at all */
        raise_exception_ra(env, EXCP06_ILLOP, GETPC());
    }
    env->regs[R_EAX] = (uint32_t)value;
    env->regs[R_EDX] = value >> 32;
}
