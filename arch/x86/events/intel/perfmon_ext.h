/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ARCH_X86_EVENTS_INTEL_PERFMON_EXT_H
#define _ARCH_X86_EVENTS_INTEL_PERFMON_EXT_H

#include <linux/types.h>

struct pmu;

/**
 * struct intel_acr_leaf - Registers of CPUID leaf 0x23, sub-leaf 2
 * @gp_cntr:		EAX, general purpose counters that can be reloaded
 * @fixed_cntr:		EBX, fixed counters that can be reloaded
 * @gp_cause:		ECX, general purpose counters that can cause a reload
 * @fixed_cause:	EDX, fixed counters that can cause a reload
 *
 * Bit n stands for counter n of its kind. Intel SDM 085, volume 2, CPUID.
 */
struct intel_acr_leaf {
	u32	gp_cntr;
	u32	fixed_cntr;
	u32	gp_cause;
	u32	fixed_cause;
};

bool intel_acr_decode_leaf(const struct intel_acr_leaf *leaf, u64 cntr_mask,
			   u64 fixed_cntr_mask, u64 *reload, u64 *cause);
void intel_perfmon_ext_init(struct pmu *pmu);

#endif /* _ARCH_X86_EVENTS_INTEL_PERFMON_EXT_H */
