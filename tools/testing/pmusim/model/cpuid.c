/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUID leaves of the PMU, Intel SDM volume 2, CPUID */
#include "pmusim.h"

#define CPUID_1_EDX_DS              (1u << 21)
#define CPUID_1_ECX_DTES64          (1u << 2)
#define CPUID_1_ECX_PDCM            (1u << 15)
#define CPUID_7_0_EBX_HLE           (1u << 4)
#define CPUID_7_0_EBX_RTM           (1u << 11)
#define CPUID_7_0_EBX_PT            (1u << 25)
#define CPUID_7_0_EDX_FORCE_ABORT   (1u << 13)
#define CPUID_7_0_EDX_HYBRID        (1u << 15)
#define CPUID_7_0_EDX_ARCH_LBR      (1u << 19)
#define CPUID_7_1_EAX_PERFMON_EXT   (1u << 8)
#define CPUID_23_0_EAX_SELF         (1u << 0)
#define CPUID_23_0_EAX_COUNTERS     (1u << 1)
#define CPUID_23_0_EAX_ACR          (1u << 2)
#define CPUID_23_0_EBX_UMASK2       (1u << 0)
#define CPUID_23_0_EBX_EQ           (1u << 1)
#define CPUID_1A_CORE_TYPE_SHIFT    24

static void leaf_1(const struct pmusim_pmu *pmu, struct pmusim_cpuid *regs)
{
    regs->ecx |= CPUID_1_ECX_PDCM;
    if (pmusim_pebs_counters(pmu)) {
        regs->ecx |= CPUID_1_ECX_DTES64;
        regs->edx |= CPUID_1_EDX_DS;
    } else {
        regs->ecx &= ~CPUID_1_ECX_DTES64;
        regs->edx &= ~CPUID_1_EDX_DS;
    }
}

static void leaf_7(const struct pmusim *p, uint32_t subleaf,
                   struct pmusim_cpuid *regs)
{
    const struct pmusim_cpu *cpu = p->cpu;
    const struct pmusim_pmu *pmu = p->pmu;

    if (subleaf == 0) {
        if (cpu->leaf_23 && regs->eax < 1) {
            regs->eax = 1;
        }
        regs->ebx &= ~(CPUID_7_0_EBX_HLE | CPUID_7_0_EBX_RTM |
                       CPUID_7_0_EBX_PT);
        regs->edx &= ~(CPUID_7_0_EDX_FORCE_ABORT | CPUID_7_0_EDX_HYBRID |
                       CPUID_7_0_EDX_ARCH_LBR);
        if (cpu->hybrid) {
            regs->edx |= CPUID_7_0_EDX_HYBRID;
        }
        if (pmusim_lbr_is_arch(pmu)) {
            regs->edx |= CPUID_7_0_EDX_ARCH_LBR;
        }
    } else if (subleaf == 1 && cpu->leaf_23) {
        regs->eax |= CPUID_7_1_EAX_PERFMON_EXT;
    }
}

static void leaf_23(const struct pmusim *p, uint32_t subleaf,
                    struct pmusim_cpuid *regs)
{
    const struct pmusim_pmu *pmu = p->pmu;

    *regs = (struct pmusim_cpuid) { 0 };
    if (!p->cpu->leaf_23) {
        return;
    }

    if (subleaf == 0) {
        regs->eax = CPUID_23_0_EAX_SELF | CPUID_23_0_EAX_COUNTERS;
        if (pmu->acr) {
            regs->eax |= CPUID_23_0_EAX_ACR;
        }
        regs->ebx = CPUID_23_0_EBX_UMASK2 | CPUID_23_0_EBX_EQ;
        regs->ecx = pmu->width;
    } else if (subleaf == 1) {
        regs->eax = pmu->gp;
        regs->ebx = pmu->fixed;
    } else if (subleaf == 2 && pmu->acr) {
        regs->eax = pmu->acr->reload_gp;
        regs->ebx = pmu->acr->reload_fixed;
        regs->ecx = pmu->acr->cause_gp;
        regs->edx = pmu->acr->cause_fixed;
    }
}

/*
 * Called with what the emulated CPU would answer without a PMU; other leaves
 * pass unchanged.
 */
void pmusim_cpuid(const struct pmusim *p, uint32_t leaf, uint32_t subleaf,
                  struct pmusim_cpuid *regs)
{
    const struct pmusim_cpu *cpu = p->cpu;

    if (!cpu) {
        return;
    }

    switch (leaf) {
    case 0x1:
        leaf_1(p->pmu, regs);
        break;
    case 0x7:
        leaf_7(p, subleaf, regs);
        break;
    case 0xa:
        regs->eax = cpu->leaf_a[0];
        regs->ebx = cpu->leaf_a[1];
        regs->ecx = cpu->leaf_a[2];
        regs->edx = cpu->leaf_a[3];
        break;
    case 0x1a:
        *regs = (struct pmusim_cpuid) { 0 };
        if (subleaf == 0) {
            regs->eax = (uint32_t)p->pmu->core_type <<
                        CPUID_1A_CORE_TYPE_SHIFT;
        }
        break;
    case 0x1c:
        *regs = (struct pmusim_cpuid) { 0 };
        if (subleaf == 0) {
            pmusim_lbr_cpuid(p->pmu, regs);
        }
        break;
    case 0x23:
        leaf_23(p, subleaf, regs);
        break;
    }
}
