/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ARCH_X86_EVENTS_INTEL_ACR_H
#define _ARCH_X86_EVENTS_INTEL_ACR_H

#include <linux/bits.h>
#include <linux/init.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/static_call.h>
#include <linux/types.h>

#include <asm/perf_event.h>

/*
 * Reload values have 32 bits. How hardware widens them to the counter is not
 * architectural; up to this period bit 31 is set and any rule gives the same.
 */
#define INTEL_ACR_MAX_PERIOD	GENMASK_ULL(30, 0)

/* Not a cause mask and not a reload value: the register has to be written */
#define INTEL_ACR_UNKNOWN	(~0ULL)

/**
 * struct intel_acr_cpu - State of auto counter reload on one CPU
 * @cntr_mask:	counters that can be reloaded, bit n is counter index n; 0 when
 *		this CPU has no ACR
 * @cause_mask:	counters that can cause a reload, same layout
 * @cfg_b:	cause mask that was last written to each counter's CFG_B, by
 *		counter index, or INTEL_ACR_UNKNOWN
 * @cfg_c:	reload value that was last written to each counter's CFG_C, by
 *		counter index, or INTEL_ACR_UNKNOWN
 *
 * Only accessed by the CPU that it belongs to, with interrupts off.
 */
struct intel_acr_cpu {
	u64	cntr_mask;
	u64	cause_mask;
	u64	cfg_b[X86_PMC_IDX_MAX];
	u64	cfg_c[X86_PMC_IDX_MAX];
};

#ifdef CONFIG_PERF_EVENTS_INTEL_ACR

extern const struct attribute_group intel_acr_format_group;

void __init intel_acr_init(void);
int intel_acr_hw_config(struct perf_event *event);

bool intel_acr_went_back(struct perf_event *event, s64 old, s64 new,
			 int records);
DECLARE_STATIC_CALL(intel_acr_went_back, intel_acr_went_back);

/**
 * intel_acr_old_count - Where a PEBS counter started since it was last read
 * @event:	event with PEBS auto reload
 * @old:	counter value when it was last read, sign extended
 * @new:	counter value now, sign extended
 * @records:	PEBS records written in between
 *
 * Return: @old, or the value that a peer loaded into the counter since then if
 * that is known to have happened.
 */
static inline s64 intel_acr_old_count(struct perf_event *event, s64 old,
				      s64 new, int records)
{
	if (static_call(intel_acr_went_back)(event, old, new, records))
		return min(-(s64)event->hw.sample_period, new);

	return old;
}

int intel_acr_check_group(struct perf_event *event, u64 cntr_mask,
			  u64 cause_mask);
u64 intel_acr_causes(struct perf_event *event, struct perf_event **list,
		     const int *assign, int n);
bool intel_acr_is_cause(struct perf_event *event, struct perf_event **list,
			int n);
s64 intel_acr_delta(s64 old, s64 new, u32 reload);
void intel_acr_invalidate(struct intel_acr_cpu *acr, u64 cntr_mask,
			  u64 cause_mask);
void intel_acr_write(struct intel_acr_cpu *acr, int idx, u64 causes,
		     u64 period);
void intel_acr_wrmsr(u32 msr, u64 value);
bool intel_acr_is_member(struct perf_event *event);

#else /* !CONFIG_PERF_EVENTS_INTEL_ACR */

static inline void intel_acr_init(void)
{
}

static inline int intel_acr_hw_config(struct perf_event *event)
{
	return 0;
}

static inline s64 intel_acr_old_count(struct perf_event *event, s64 old,
				      s64 new, int records)
{
	return old;
}

#endif /* CONFIG_PERF_EVENTS_INTEL_ACR */
#endif /* _ARCH_X86_EVENTS_INTEL_ACR_H */
