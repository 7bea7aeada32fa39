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

struct attribute_group;
struct cpu_hw_events;
struct pmu;

/*
 * Reload values have 32 bits. How hardware widens them to the counter is not
 * architectural; up to this period, of which the value is 0x80000001, bit 31 is
 * set and any rule gives the same.
 */
#define INTEL_ACR_MAX_PERIOD	GENMASK_ULL(30, 0)

/* Not a cause mask and not a reload value: the register has to be written */
#define INTEL_ACR_UNKNOWN	(~0ULL)

/**
 * enum intel_acr_refusal - Why an event is not opened
 * @INTEL_ACR_ACCEPTED:		it is, as far as auto counter reload is concerned
 * @INTEL_ACR_NO_RELOAD:	the PMU has no auto counter reload
 * @INTEL_ACR_FREQUENCY:	a reloaded event is sampled by frequency
 * @INTEL_ACR_PERIOD:		a reloaded event has no period, or too long a one
 * @INTEL_ACR_SLOTS:		a reloaded event is slots or a topdown metric
 * @INTEL_ACR_PDIST:		a reloaded event has precise_ip 3
 * @INTEL_ACR_SILENT_PEBS:	an event that reloads itself is precise
 * @INTEL_ACR_FOREIGN_LEADER:	the group leader is no event of a core PMU
 * @INTEL_ACR_GAP:		an event of another kind stands between members
 * @INTEL_ACR_TWO_PMUS:		the members are events of different core PMUs
 * @INTEL_ACR_TOO_MANY_RELOADS:	not as many counters can be reloaded
 * @INTEL_ACR_TOO_MANY_CAUSES:	not as many counters can cause a reload
 * @INTEL_ACR_METRIC:		a member of the group is a topdown metric
 * @INTEL_ACR_CAUSE_FREQUENCY:	a cause is sampled by frequency
 * @INTEL_ACR_PDIST_CAUSE:	no counter of precise_ip 3 can cause a reload
 * @INTEL_ACR_BRANCH_COUNTS:	no counter logs branches and takes part
 * @INTEL_ACR_NO_COUNTERS:	the members cannot be scheduled together
 */
enum intel_acr_refusal {
	INTEL_ACR_ACCEPTED,
	INTEL_ACR_NO_RELOAD,
	INTEL_ACR_FREQUENCY,
	INTEL_ACR_PERIOD,
	INTEL_ACR_SLOTS,
	INTEL_ACR_PDIST,
	INTEL_ACR_SILENT_PEBS,
	INTEL_ACR_FOREIGN_LEADER,
	INTEL_ACR_GAP,
	INTEL_ACR_TWO_PMUS,
	INTEL_ACR_TOO_MANY_RELOADS,
	INTEL_ACR_TOO_MANY_CAUSES,
	INTEL_ACR_METRIC,
	INTEL_ACR_CAUSE_FREQUENCY,
	INTEL_ACR_PDIST_CAUSE,
	INTEL_ACR_BRANCH_COUNTS,
	INTEL_ACR_NO_COUNTERS,
};

/**
 * struct intel_acr_counters - Counters that take part in auto counter reload
 * @reload:	counters that can be reloaded, bit n is counter index n; 0
 *		without auto counter reload
 * @cause:	counters that can cause a reload, same layout
 *
 * CPUID leaf 0x23, sub-leaf 2, as far as the PMU has the counters.
 */
struct intel_acr_counters {
	u64	reload;
	u64	cause;
};

/**
 * struct intel_acr_cpu - State of auto counter reload on one CPU
 * @counters:	counters that take part
 * @armed:	counters whose CFG_B is not 0, as far as is known, bit n is counter
 *		index n
 * @cfg_b:	cause mask that was last written to each counter's CFG_B, by
 *		counter index, or INTEL_ACR_UNKNOWN
 * @cfg_c:	reload value that was last written to each counter's CFG_C, by
 *		counter index, or INTEL_ACR_UNKNOWN
 *
 * Only accessed by the CPU that it belongs to, with interrupts off.
 */
struct intel_acr_cpu {
	struct intel_acr_counters	counters;
	u64				armed;
	u64				cfg_b[X86_PMC_IDX_MAX];
	u64				cfg_c[X86_PMC_IDX_MAX];
};

#ifdef CONFIG_PERF_EVENTS_INTEL_ACR

extern const struct attribute_group intel_acr_format_group;
extern const struct attribute_group intel_acr_caps_group;

void __init intel_acr_init(void);
int intel_acr_hw_config(struct perf_event *event);

struct intel_acr_counters intel_acr_counters(struct pmu *pmu);

/**
 * is_acr_event - Tell whether an event is reloaded, by others or by itself
 * @event:	event of the core PMU
 *
 * Return: true of an event with a mask.
 */
static inline bool is_acr_event(const struct perf_event *event)
{
	return event->hw.flags & PERF_X86_EVENT_ACR;
}

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

/**
 * intel_acr_hides_overflow - Tell whether a counter may hide that it overflowed
 * @event:	event whose overflow has been reported
 *
 * A peer may have reloaded the counter since then. That the period does not look
 * over says nothing: the report counts.
 *
 * Return: true if @event, which is on a counter, is reloaded by others now.
 */
static inline bool intel_acr_hides_overflow(const struct perf_event *event)
{
	return is_acr_event(event) &&
	       event->hw.acr_causes & ~BIT_ULL(event->hw.idx);
}

/**
 * intel_acr_period_valid - Tell whether a counter can be reloaded by a period
 * @period:	number of events
 *
 * Return: true if the reload value means the same under any rule.
 */
static inline bool intel_acr_period_valid(u64 period)
{
	return period && period <= INTEL_ACR_MAX_PERIOD;
}

bool intel_acr_is_member(struct perf_event *event);
u64 intel_acr_member_bit(const struct perf_event *event);
u64 intel_acr_mask(const struct perf_event *event);

enum intel_acr_refusal intel_acr_check_group(struct perf_event *event);
int intel_acr_event_join(struct perf_event *event);
int intel_acr_refuse(const struct perf_event *event,
		     enum intel_acr_refusal refusal);
void intel_acr_no_counters(struct perf_event *event,
			   const struct perf_event *starved);

u64 intel_acr_causes(struct perf_event *event, struct perf_event **list,
		     const int *assign, int n);
bool intel_acr_is_cause(struct perf_event *event, struct perf_event **list,
			int n);
void intel_acr_group_constraint(struct cpu_hw_events *cpuc,
				struct perf_event *event, u64 *mask);
void intel_acr_added(struct cpu_hw_events *cpuc,
		     const struct perf_event *event);
void intel_acr_deleted(struct cpu_hw_events *cpuc,
		       const struct perf_event *event);
void intel_acr_translate(struct cpu_hw_events *cpuc, struct intel_acr_cpu *acr);
bool intel_acr_prepare(struct intel_acr_cpu *acr, struct perf_event *event);
void intel_acr_restart(struct perf_event *event);

int intel_acr_unpaused(const struct cpu_hw_events *cpuc, int first);
void intel_acr_throttle(struct cpu_hw_events *cpuc);
void intel_acr_pause(struct perf_event *event);

s64 intel_acr_delta(s64 old, s64 new, u32 reload);
void intel_acr_account(struct perf_event *event, s64 old, s64 new, u32 reload);

void intel_acr_invalidate(struct intel_acr_cpu *acr,
			  struct intel_acr_counters counters);
bool intel_acr_reset(struct intel_acr_cpu *acr,
		     struct intel_acr_counters counters);
void intel_acr_write(struct intel_acr_cpu *acr, int idx, u64 causes,
		     u64 period);
void intel_acr_wrmsr(u32 msr, u64 value);
int intel_acr_wrmsr_safe(u32 msr, u64 value);

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

static inline bool intel_acr_hides_overflow(const struct perf_event *event)
{
	return false;
}

#endif /* CONFIG_PERF_EVENTS_INTEL_ACR */
#endif /* _ARCH_X86_EVENTS_INTEL_ACR_H */
