/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ARCH_X86_EVENTS_INTEL_BTS_H
#define _ARCH_X86_EVENTS_INTEL_BTS_H

#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/perf_event.h>

#include <asm/perf_event.h>

/*
 * Branch trace store has two users that exclude each other: a branch event of
 * the core PMU with a period of 1, which these functions are for, and the PMU
 * of bts.c, with intel_bts_enable_local() and intel_bts_disable_local().
 * GLOBAL_CTRL stops neither.
 */

/**
 * intel_pmu_stop_bts_event - Stop the branch trace of the core PMU's event
 * @cpuc:	state of this CPU
 *
 * Does nothing unless such an event is active. Preemption is off.
 */
static inline void intel_pmu_stop_bts_event(struct cpu_hw_events *cpuc)
{
	if (test_bit(INTEL_PMC_IDX_FIXED_BTS, cpuc->active_mask))
		intel_pmu_disable_bts();
}

/**
 * intel_pmu_start_bts_event - Restart the branch trace of the core PMU's event
 * @cpuc:	state of this CPU
 *
 * Does nothing unless such an event is active. Preemption is off.
 */
static inline void intel_pmu_start_bts_event(struct cpu_hw_events *cpuc)
{
	struct perf_event *event;

	if (!test_bit(INTEL_PMC_IDX_FIXED_BTS, cpuc->active_mask))
		return;

	event = cpuc->events[INTEL_PMC_IDX_FIXED_BTS];
	if (!WARN_ON_ONCE(!event))
		intel_pmu_enable_bts(event->hw.config);
}

#endif /* _ARCH_X86_EVENTS_INTEL_BTS_H */
