// SPDX-License-Identifier: GPL-2.0
/* Which counters of a core PMU take part in auto counter reload */
#include <errno.h>
#include <sched.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <perf/cpumap.h>
#include "../../../util/acr.h"
#include "../../../util/evsel.h"
#include "../../../util/pmu.h"
#include "cpuid.h"

#define CPUID_EXT_FEATURES		0x7
#define CPUID_EXT_FEATURES_PERFMON	BIT(8)
#define CPUID_PERFMON_EXT		0x23
#define CPUID_PERFMON_EXT_COUNTERS	1
#define CPUID_PERFMON_EXT_ACR		2

#define GENERAL_COUNTERS		GENMASK_ULL(31, 0)
#define FIXED_COUNTER(n)		BIT_ULL(32 + (n))

/* Precise distribution: its level, and the counters that can have it */
#define PRECISE_PDIST			3
#define PDIST_COUNTERS			(BIT_ULL(0) | BIT_ULL(1) | FIXED_COUNTER(0))

/* The leaf of the CPU that this runs on */
static int read_counters(struct acr_counters *counters)
{
	unsigned int eax, ebx, ecx, edx, leaves;

	cpuid(0, 0, &eax, &ebx, &ecx, &edx);
	if (eax < CPUID_PERFMON_EXT)
		return -EOPNOTSUPP;

	cpuid(CPUID_EXT_FEATURES, 1, &eax, &ebx, &ecx, &edx);
	if (!(eax & CPUID_EXT_FEATURES_PERFMON))
		return -EOPNOTSUPP;

	cpuid(CPUID_PERFMON_EXT, 0, &leaves, &ebx, &ecx, &edx);
	if (!(leaves & BIT(CPUID_PERFMON_EXT_ACR)))
		return -EOPNOTSUPP;

	counters->all = UINT64_MAX;
	if (leaves & BIT(CPUID_PERFMON_EXT_COUNTERS)) {
		cpuid(CPUID_PERFMON_EXT, CPUID_PERFMON_EXT_COUNTERS,
		      &eax, &ebx, &ecx, &edx);
		counters->all = eax | (u64)ebx << 32;
	}

	cpuid(CPUID_PERFMON_EXT, CPUID_PERFMON_EXT_ACR, &eax, &ebx, &ecx, &edx);
	counters->reload = eax | (u64)ebx << 32;
	counters->cause = ecx | (u64)edx << 32;
	return counters->reload ? 0 : -EOPNOTSUPP;
}

/**
 * arch_acr__counters - Ask the CPU for the counters that have the feature
 * @pmu:	a core PMU
 * @counters:	set to them
 *
 * Return: 0, or a negative error if they are not known.
 */
int arch_acr__counters(const struct perf_pmu *pmu, struct acr_counters *counters)
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
		ret = read_counters(counters);
		break;
	}
	sched_setaffinity(0, sizeof(before), &before);
	return ret;
}

/*
 * Fixed counters have one event each. What some core type has may be taken for
 * what another one has: the kernel has the last word.
 */
static const struct {
	u64	config;
	u64	counters;
} fixed_events[] = {
	{ 0x00c0, GENERAL_COUNTERS | FIXED_COUNTER(0) },	/* instructions */
	{ 0x0100, GENERAL_COUNTERS | FIXED_COUNTER(0) },
	{ 0x003c, GENERAL_COUNTERS | FIXED_COUNTER(1) },	/* cycles */
	{ 0x0300, FIXED_COUNTER(2) },				/* ref-cycles */
	{ 0x013c, GENERAL_COUNTERS | FIXED_COUNTER(2) },
	{ 0x0400, FIXED_COUNTER(3) },				/* slots */
	{ 0x0073, GENERAL_COUNTERS | FIXED_COUNTER(4) },	/* topdown-bad-spec */
	{ 0x019c, GENERAL_COUNTERS | FIXED_COUNTER(5) },	/* topdown-fe-bound */
	{ 0x02c2, GENERAL_COUNTERS | FIXED_COUNTER(6) },	/* topdown-retiring */
};

static u64 config_counters(const struct perf_event_attr *attr)
{
	u64 config = attr->config;

	if (attr->type == PERF_TYPE_HW_CACHE)
		return GENERAL_COUNTERS;

	if (attr->type == PERF_TYPE_HARDWARE) {
		switch (config & PERF_HW_EVENT_MASK) {
		case PERF_COUNT_HW_INSTRUCTIONS:
			config = 0x00c0;
			break;
		case PERF_COUNT_HW_CPU_CYCLES:
			config = 0x003c;
			break;
		case PERF_COUNT_HW_REF_CPU_CYCLES:
			config = 0x0300;
			break;
		default:
			return GENERAL_COUNTERS;
		}
	}

	for (size_t i = 0; i < ARRAY_SIZE(fixed_events); i++) {
		if (fixed_events[i].config == config)
			return fixed_events[i].counters;
	}
	return GENERAL_COUNTERS;
}

/**
 * arch_acr__event_counters - Tell which counters an event can use
 * @evsel:	event of a core PMU
 *
 * Return: the counters as bits, some of which the CPU may not have.
 */
u64 arch_acr__event_counters(const struct evsel *evsel)
{
	u64 counters = config_counters(&evsel->core.attr);

	if (evsel->core.attr.precise_ip == PRECISE_PDIST)
		counters &= PDIST_COUNTERS;
	return counters;
}
