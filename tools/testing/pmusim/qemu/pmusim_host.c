/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the PMU model asks of QEMU: memory, registers, and a file at the end */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/notify.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "sysemu/sysemu.h"
#include "tcg/helper-tcg.h"
#include "trace/trace-target_i386.h"
#include "pmusim-host.h"

static CPUX86State *env_of(struct pmusim *p)
{
    return container_of(p, CPUX86State, pmusim);
}

/*
 * Reach guest memory as the processor does for itself: at supervisor level, by
 * the current page tables, but without a fault when there is nothing.
 */
static bool reachable(CPUX86State *env, uint64_t address, size_t size,
                      MMUAccessType type)
{
    int index = env->hflags & HF_SMAP_MASK ? MMU_KSMAP64_IDX :
                                             MMU_KNOSMAP64_IDX;
    uint64_t end = address + size;

    for (; address < end; address = (address & TARGET_PAGE_MASK) +
                                    TARGET_PAGE_SIZE) {
        void *host = NULL;

        int flags = probe_access_flags(env, address, type, index, true, &host,
                                       0);

        if ((flags & TLB_INVALID_MASK) || !host) {
            return false;
        }
    }
    return true;
}

static bool copy(struct pmusim *p, uint64_t address, void *data, size_t size,
                 MMUAccessType type)
{
    CPUX86State *env = env_of(p);

    return reachable(env, address, size, type) &&
           !cpu_memory_rw_debug(env_cpu(env), address, data, size,
                                type == MMU_DATA_STORE);
}

static bool host_read(struct pmusim *p, uint64_t address, void *data,
                      size_t size)
{
    return copy(p, address, data, size, MMU_DATA_LOAD);
}

static bool host_write(struct pmusim *p, uint64_t address, const void *data,
                       size_t size)
{
    return copy(p, address, (void *)data, size, MMU_DATA_STORE);
}

static void host_registers(struct pmusim *p, struct pmusim_registers *regs)
{
    CPUX86State *env = env_of(p);
    unsigned int i;

    regs->flags = cpu_compute_eflags(env);
    regs->ip = env->eip;
    for (i = 0; i < CPU_NB_REGS; i++) {
        regs->gpr[i] = env->regs[i];
        regs->xmm[i][0] = env->xmm_regs[i].ZMM_Q(0);
        regs->xmm[i][1] = env->xmm_regs[i].ZMM_Q(1);
    }
    regs->tsc = cpu_get_tsc(env) + env->tsc_offset;
}

static uint64_t host_space(struct pmusim *p)
{
    return env_of(p)->cr[3] & TARGET_PAGE_MASK;
}

static void host_unknown(struct pmusim *p, uint64_t select)
{
    trace_pmusim_unknown_event(env_cpu(env_of(p))->cpu_index, select);
}

const struct pmusim_host x86_pmusim_host = {
    .read = host_read,
    .write = host_write,
    .registers = host_registers,
    .space = host_space,
    .unknown = host_unknown,
};

static const char *const statistics[PMUSIM_STATISTICS] = {
    [PMUSIM_STAT_READS] = "reads",
    [PMUSIM_STAT_WRITES] = "writes",
    [PMUSIM_STAT_PMIS] = "pmis",
    [PMUSIM_STAT_PMIS_LOST] = "pmis_lost",
    [PMUSIM_STAT_LVTPC_WRITES] = "lvtpc_writes",
    [PMUSIM_STAT_PEBS_RECORDS] = "pebs_records",
    [PMUSIM_STAT_PEBS_LOST] = "pebs_lost",
    [PMUSIM_STAT_NMIS] = "nmis",
    [PMUSIM_STAT_NMI_INSNS] = "nmi_instructions",
    [PMUSIM_STAT_OS_INSNS] = "kernel_instructions",
    [PMUSIM_STAT_USR_INSNS] = "user_instructions",
    [PMUSIM_STAT_RDPMCS] = "rdpmcs",
    [PMUSIM_STAT_NMI_READS] = "nmi_reads",
    [PMUSIM_STAT_NMI_WRITES] = "nmi_writes",
    [PMUSIM_STAT_NMI_LVTPC_WRITES] = "nmi_lvtpc_writes",
    [PMUSIM_STAT_NMI_RDPMCS] = "nmi_rdpmcs",
    [PMUSIM_STAT_FAULTS] = "faults",
};

static void dump_cpu(FILE *file, int cpu, const struct pmusim_truth *truth)
{
    unsigned int i;

    for (i = 0; i < PMUSIM_STATISTICS; i++) {
        fprintf(file, "%d\t%s\t%" PRIu64 "\n", cpu, statistics[i],
                truth->total[i]);
    }
    for (i = 0; i < PMUSIM_STAT_REGISTERS; i++) {
        const struct pmusim_accesses *accesses = &truth->accesses[i];

        if (accesses->reads) {
            fprintf(file, "%d\trdmsr 0x%x\t%" PRIu64 "\n", cpu, accesses->msr,
                    accesses->reads);
        }
        if (accesses->writes) {
            fprintf(file, "%d\twrmsr 0x%x\t%" PRIu64 "\n", cpu, accesses->msr,
                    accesses->writes);
        }
    }
}

static const char *dump_path;

static void dump(Notifier *notifier, void *unused)
{
    FILE *file = fopen(dump_path, "w");
    CPUState *cs;

    if (!file) {
        error_report("pmusim-stats: cannot write %s: %s", dump_path,
                     strerror(errno));
        return;
    }
    fprintf(file, "cpu\twhat\tnumber\n");
    CPU_FOREACH(cs) {
        dump_cpu(file, cs->cpu_index, &X86_CPU(cs)->env.pmusim.truth);
    }
    fclose(file);
}

void x86_pmusim_dump_at_exit(X86CPU *cpu)
{
    static Notifier notifier = { .notify = dump };

    if (cpu->pmusim_stats && !dump_path) {
        dump_path = g_strdup(cpu->pmusim_stats);
        qemu_add_exit_notifier(&notifier);
    }
}
