/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ARCH_X86_EVENTS_INTEL_TOPDOWN_H
#define _ARCH_X86_EVENTS_INTEL_TOPDOWN_H

#include <linux/init.h>
#include <linux/perf_event.h>
#include <linux/types.h>

/* Metrics of the CPUs that have them: level 1, or levels 1 and 2 */
#define INTEL_TOPDOWN_LEVEL1_METRICS	4
#define INTEL_TOPDOWN_LEVEL2_METRICS	8

struct cpu_hw_events;

void __init intel_topdown_init(int nr_metrics);
int intel_topdown_hw_config(struct perf_event *event, int nr_metrics);
void intel_topdown_overflow(struct cpu_hw_events *cpuc);

u64 intel_topdown_value(const struct perf_event *event, u64 slots,
			u64 metrics);
u64 intel_topdown_count(struct cpu_hw_events *cpuc, struct perf_event *event);
void intel_topdown_start(struct cpu_hw_events *cpuc, struct perf_event *event);
u64 intel_topdown_rdpmc(u32 counter);
void intel_topdown_wrmsr(u32 msr, u64 value);

#endif /* _ARCH_X86_EVENTS_INTEL_TOPDOWN_H */
