// SPDX-License-Identifier: GPL-2.0
/* How many counters of a core PMU take part in auto counter reload */
#include <errno.h>
#include <sched.h>
#include <linux/bitops.h>
#include <perf/cpumap.h>
#include "../../../util/acr.h"
#include "../../../util/pmu.h"
#include "cpuid.h"

#define CPUID_EXT_FEATURES		0x7
#define CPUID_EXT_FEATURES_PERFMON	BIT(8)
#define CPUID_PERFMON_EXT		0x23
#define CPUID_PERFMON_EXT_ACR		2

/* The leaf of the CPU that this runs on */
static int read_counters(int *reloaded, int *causes)
{
	unsigned int eax, ebx, ecx, edx;

	cpuid(0, 0, &eax, &ebx, &ecx, &edx);
	if (eax < CPUID_PERFMON_EXT)
		return -EOPNOTSUPP;

	cpuid(CPUID_EXT_FEATURES, 1, &eax, &ebx, &ecx, &edx);
	if (!(eax & CPUID_EXT_FEATURES_PERFMON))
		return -EOPNOTSUPP;

	cpuid(CPUID_PERFMON_EXT, 0, &eax, &ebx, &ecx, &edx);
	if (!(eax & BIT(CPUID_PERFMON_EXT_ACR)))
		return -EOPNOTSUPP;

	cpuid(CPUID_PERFMON_EXT, CPUID_PERFMON_EXT_ACR, &eax, &ebx, &ecx, &edx);
	*reloaded = hweight32(eax) + hweight32(ebx);
	*causes = hweight32(ecx) + hweight32(edx);
	return *reloaded ? 0 : -EOPNOTSUPP;
}

/**
 * arch_acr__counters - Count the counters of a PMU that have the feature
 * @pmu:	a core PMU
 * @reloaded:	set to the number of counters that can be reloaded
 * @causes:	set to the number of counters that can reload others
 *
 * Return: 0, or a negative error if they are not known.
 */
int arch_acr__counters(const struct perf_pmu *pmu, int *reloaded, int *causes)
{
	struct perf_cpu cpu;
	cpu_set_t before, set;
	int idx, ret = -EOPNOTSUPP;

	if (!pmu->is_core || sched_getaffinity(0, sizeof(before), &before))
		return ret;

	/* Core types differ, so look on a CPU of the PMU */
	perf_cpu_map__for_each_cpu_skip_any(cpu, idx, pmu->cpus) {
		if (cpu.cpu >= CPU_SETSIZE)
			continue;
		CPU_ZERO(&set);
		CPU_SET(cpu.cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			continue;
		ret = read_counters(reloaded, causes);
		break;
	}
	sched_setaffinity(0, sizeof(before), &before);
	return ret;
}
