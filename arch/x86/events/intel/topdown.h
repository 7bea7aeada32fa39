/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ARCH_X86_EVENTS_INTEL_TOPDOWN_H
#define _ARCH_X86_EVENTS_INTEL_TOPDOWN_H

#include <linux/init.h>
#include <linux/perf_event.h>
#include <linux/types.h>

/* Metrics of the CPUs that have them: level 1, or levels 1 and 2 */
#define INTEL_TOPDOWN_LEVEL1_METRICS	4
#define INTEL_TOPDOWN_LEVEL2_METRICS	8

struct attribute_group;
struct cpu_hw_events;

extern const struct attribute_group intel_topdown_format_group;

void __init intel_topdown_init(int nr_metrics);
int intel_topdown_hw_config(struct perf_event *event, int nr_metrics);
void intel_topdown_overflow(struct cpu_hw_events *cpuc, bool slots);

u64 intel_topdown_value(const struct perf_event *event, u64 slots,
			u64 metrics);
u64 intel_topdown_count(struct cpu_hw_events *cpuc, struct perf_event *event);
void intel_topdown_start(struct cpu_hw_events *cpuc, struct perf_event *event);
bool intel_topdown_can_clear(struct pmu *pmu);
u64 intel_topdown_fixed_bits(struct perf_event *event);
bool intel_topdown_is_torn(void);
u64 intel_topdown_rdpmc(u32 counter);
u64 intel_topdown_rdmsr(void);
void intel_topdown_wrmsr(u32 msr, u64 value);

#endif /* _ARCH_X86_EVENTS_INTEL_TOPDOWN_H */
