// SPDX-License-Identifier: GPL-2.0
/*
 * Enumeration of the architectural perfmon extensions that update_pmu_cap()
 * does not read: auto counter reload (CPUID leaf 0x23, sub-leaf 2).
 */
#include <linux/cpufeature.h>
#include <linux/perf_event.h>
#include <linux/processor.h>

#include <asm/perf_event.h>

#include "../perf_event.h"
#include "perfmon_ext.h"

/* The MSRs of auto counter reload came with this version of perfmon */
#define PERFMON_VERSION_ACR	6

static u64 counter_index_mask(u32 gp, u32 fixed)
{
	return gp | (u64)fixed << INTEL_PMC_IDX_FIXED;
}

/**
 * intel_acr_decode_leaf - Get the counters of auto counter reload
 * @leaf:		CPUID leaf 0x23, sub-leaf 2
 * @cntr_mask:		general purpose counters of the PMU
 * @fixed_cntr_mask:	fixed counters of the PMU
 * @reload:		receives the counters that can be reloaded
 * @cause:		receives the counters that can cause a reload
 *
 * Both results have the layout of the counter index: bit n is general purpose
 * counter n, bit 32 + n is fixed counter n. Counters that the PMU does not
 * have are left out. A PMU with an empty set on either side cannot reload
 * anything; both results are 0 then.
 *
 * Return: true if counters can be reloaded.
 */
bool intel_acr_decode_leaf(const struct intel_acr_leaf *leaf, u64 cntr_mask,
			   u64 fixed_cntr_mask, u64 *reload, u64 *cause)
{
	u64 present = cntr_mask | fixed_cntr_mask << INTEL_PMC_IDX_FIXED;

	*reload = counter_index_mask(leaf->gp_cntr, leaf->fixed_cntr) & present;
	*cause = counter_index_mask(leaf->gp_cause, leaf->fixed_cause) & present;
	if (*reload && *cause)
		return true;

	*reload = 0;
	*cause = 0;

	return false;
}

/**
 * intel_perfmon_ext_init - Read the perfmon extensions of this CPU
 * @pmu:	PMU of a hybrid processor that this CPU belongs to, or NULL for
 *		the PMU that all CPUs share
 *
 * The counter masks of the PMU must be final.
 */
void intel_perfmon_ext_init(struct pmu *pmu)
{
	unsigned int eax, ebx, ecx, edx;
	struct intel_acr_leaf leaf;
	union cpuid35_eax sub;

	/* Shared, but by CPUs that need not be alike */
	if (!pmu && (is_hybrid() || boot_cpu_has(X86_FEATURE_HYBRID_CPU)))
		return;

	if (x86_pmu.version < PERFMON_VERSION_ACR || !x86_pmu.addr_offset ||
	    !this_cpu_has(X86_FEATURE_ARCH_PERFMON_EXT))
		return;

	cpuid(ARCH_PERFMON_EXT_LEAF, &sub.full, &ebx, &ecx, &edx);
	if (!sub.split.acr_subleaf)
		return;

	cpuid_count(ARCH_PERFMON_EXT_LEAF, ARCH_PERFMON_ACR_LEAF,
		    &eax, &ebx, &ecx, &edx);
	leaf.gp_cntr = eax;
	leaf.fixed_cntr = ebx;
	leaf.gp_cause = ecx;
	leaf.fixed_cause = edx;

	intel_acr_decode_leaf(&leaf, hybrid(pmu, cntr_mask64),
			      hybrid(pmu, fixed_cntr_mask64),
			      &hybrid(pmu, acr_cntr_mask64),
			      &hybrid(pmu, acr_cause_mask64));
}
