// SPDX-License-Identifier: GPL-2.0
/*
 * Intel TopDown: slots and metrics
 *
 * Fixed counter 3 counts the slots of the pipeline. PERF_METRICS divides them
 * among categories, in a byte each that counts 255ths. Metric events are these
 * bytes: they have no counter, only a share of the slots. Intel SDM 085,
 * volume 3, section 21.3.9.3.
 *
 * A step of a byte is 1/255 of what the counter holds. What is added to a
 * counter that holds 255 times as much does not show in the bytes any more,
 * and restoring the registers at each context switch freezes them. So each
 * time slice starts from zero in both registers, and what it counted is added
 * up in software.
 *
 * A group gets its registers back if nobody has reset them and both the slots
 * event and a metric event are mapped: user space may have read them with
 * RDPMC, and is going to subtract. It has to reset them often enough. A mapping
 * of one event is where samples go, and tells nothing. Where sysfs allows RDPMC
 * without a mapping, raw values restart with each slice.
 *
 * RDPMC of PERF_METRICS clears both registers, where the CPU can do that and
 * attr.config1 of the slots event asks for it. What user space takes out that
 * way is missing in the counts of the group, and is nowhere else: the registers
 * of such a group are never restored, and start from zero with all that this
 * file has counted, for which it reads PERF_METRICS with RDMSR. So count and
 * what RDPMC took always add up to what has happened.
 *
 * hw_perf_event::prev_count is the part of an event's count that its registers
 * contain. With it, the page of a mapped event tells the truth at any time:
 *
 *	count of slots    = offset + S
 *	count of metric i = offset + S * byte i of M / 255
 *
 * where S and M are what RDPMC reads from counter 3 and PERF_METRICS. The
 * differences that are added to a count are signed: a byte is rounded, and may
 * go down by one while its event's share of the slots hardly grows.
 *
 * PERF_METRICS is derived from the counter. The counter is written first, both
 * always together, and only with the PMU off.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kobject.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/static_call.h>
#include <linux/sysfs.h>

#include <asm/local64.h>
#include <kunit/static_stub.h>

#include <asm/msr.h>
#include <asm/perf_event.h>

#include "../perf_event.h"
#include "pmi.h"
#include "topdown.h"

#define TOPDOWN_RDPMC_SLOTS	(INTEL_PMC_FIXED_RDPMC_BASE | \
				 (INTEL_PMC_IDX_FIXED_SLOTS - INTEL_PMC_IDX_FIXED))

/* Fixed counter 3 has 48 bits on all CPUs with PERF_METRICS */
#define TOPDOWN_SLOTS_MASK	GENMASK_ULL(47, 0)

/* With the sign bit set, RDPMC's value would be taken as negative */
#define TOPDOWN_SLOTS_MAX	GENMASK_ULL(46, 0)

/* PERF_CAPABILITIES: RDPMC of PERF_METRICS can be told to clear */
#define PERF_CAP_RDPMC_METRICS_CLEAR	BIT_ULL(19)

/* The field of fixed counter 3 in FIXED_CTR_CTRL: RDPMC is told so */
#define INTEL_FIXED_3_METRICS_CLEAR	BIT_ULL(2)

/* perf_event_attr::config1 of a slots event: tell it so while the group counts */
#define TOPDOWN_CONFIG1_METRICS_CLEAR	BIT_ULL(0)

/* A byte of PERF_METRICS that stands for all slots */
#define TOPDOWN_METRIC_ALL	0xff

/* What the PMU driver calls for topdown events */
DECLARE_STATIC_CALL(intel_pmu_update_topdown_event, x86_perf_event_update);
DECLARE_STATIC_CALL(intel_pmu_set_topdown_event_period,
		    x86_perf_event_set_period);

/*
 * Registers, of the local CPU
 */

/**
 * intel_topdown_rdpmc - Read one of the two registers
 * @counter:	index for RDPMC
 *
 * Return: content of the register.
 */
u64 intel_topdown_rdpmc(u32 counter)
{
	u64 value;

	KUNIT_STATIC_STUB_REDIRECT(intel_topdown_rdpmc, counter);

	rdpmcl(counter, value);

	return value;
}

/**
 * intel_topdown_wrmsr - Write one of the two registers
 * @msr:	number of the MSR
 * @value:	what to write
 */
void intel_topdown_wrmsr(u32 msr, u64 value)
{
	KUNIT_STATIC_STUB_REDIRECT(intel_topdown_wrmsr, msr, value);

	wrmsrl(msr, value);
}

/**
 * intel_topdown_rdmsr - Read PERF_METRICS, which is not cleared by that
 *
 * Return: content of the register, fractions in 255ths.
 */
u64 intel_topdown_rdmsr(void)
{
	u64 value;

	KUNIT_STATIC_STUB_REDIRECT(intel_topdown_rdmsr);

	rdmsrl(MSR_PERF_METRICS, value);

	return value;
}

/**
 * intel_topdown_is_torn - Is this a PMI in the middle of what this file does?
 *
 * A PMI may come late, when the PMU is off already: while the registers are read
 * or written, or between stopping an event and counting what it did. A sample
 * with the counts of its group would do the same once more. Nothing happens in
 * the registers then, and whoever was interrupted is about to count what has
 * happened before.
 *
 * Return: true if registers and counts have to be left alone.
 */
bool intel_topdown_is_torn(void)
{
	KUNIT_STATIC_STUB_REDIRECT(intel_topdown_is_torn);

	return in_nmi() && __this_cpu_read(intel_pmi_cpu.off);
}

/* Does RDPMC clear the registers while the group of @event is in them? */
static bool intel_topdown_clears(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	return leader->pmu == event->pmu && is_slots_event(leader) &&
	       leader->attr.config1 & TOPDOWN_CONFIG1_METRICS_CLEAR;
}

/**
 * intel_topdown_fixed_bits - What FIXED_CTR_CTRL has to say about metrics
 * @event:	event that is about to use fixed counter 3
 *
 * Return: bits of the counter's field.
 */
u64 intel_topdown_fixed_bits(struct perf_event *event)
{
	return intel_topdown_clears(event) ? INTEL_FIXED_3_METRICS_CLEAR : 0;
}

/*
 * Time slices, on the local CPU with interrupts off or in the PMI
 */

/* The index does not change, but hw_perf_event has it only while scheduled */
static int intel_topdown_idx(const struct perf_event *event)
{
	u64 config = event->attr.config & INTEL_ARCH_EVENT_MASK;

	if (config == INTEL_TD_SLOTS)
		return INTEL_PMC_IDX_FIXED_SLOTS;

	return INTEL_PMC_IDX_METRIC_BASE +
	       ((config - INTEL_TD_METRIC_RETIRING) >> 8);
}

/**
 * intel_topdown_value - What the two registers mean for an event
 * @event:	slots or metric event
 * @slots:	value of fixed counter 3, in slots
 * @metrics:	value of PERF_METRICS, fractions in 255ths
 *
 * Return: number of slots.
 */
u64 intel_topdown_value(const struct perf_event *event, u64 slots,
			u64 metrics)
{
	int idx = intel_topdown_idx(event);

	if (!is_metric_idx(idx))
		return slots;

	metrics >>= (idx - INTEL_PMC_IDX_METRIC_BASE) * BITS_PER_BYTE;

	return mul_u64_u32_div(slots, metrics & TOPDOWN_METRIC_ALL,
			       TOPDOWN_METRIC_ALL);
}

static u64 intel_topdown_active(const struct cpu_hw_events *cpuc)
{
	return *(const u64 *)cpuc->active_mask & INTEL_PMC_MSK_TOPDOWN;
}

/* Take the next topdown event out of a mask of active ones, or return NULL */
static struct perf_event *intel_topdown_next(struct cpu_hw_events *cpuc,
					     u64 *mask)
{
	while (*mask) {
		struct perf_event *event = cpuc->events[__ffs64(*mask)];

		*mask &= *mask - 1;

		/* An ordinary event may be on the counter of the slots */
		if (is_topdown_count(event))
			return event;
	}

	return NULL;
}

/* What the registers of this CPU mean for @event, as far as they are known */
static u64 intel_topdown_known(struct cpu_hw_events *cpuc,
			       struct perf_event *event)
{
	return intel_topdown_value(event, cpuc->topdown_slots,
				   cpuc->topdown_metrics);
}

/*
 * Get to know the registers, of the group of @event. Its members are stopped
 * one by one, while the PMU is off: only the first finds another number of
 * slots. A counter that overflowed and is at or behind where it was known has
 * been all the way around.
 */
static void intel_topdown_sample(struct cpu_hw_events *cpuc,
				 struct perf_event *event, bool overflowed)
{
	u64 now = intel_topdown_rdpmc(TOPDOWN_RDPMC_SLOTS);
	u64 slots;

	slots = (now - cpuc->topdown_slots) & TOPDOWN_SLOTS_MASK;
	if (overflowed && now >= cpuc->topdown_slots)
		slots += TOPDOWN_SLOTS_MASK + 1;
	if (!slots)
		return;

	cpuc->topdown_slots += slots;
	cpuc->topdown_metrics = unlikely(intel_topdown_clears(event)) ?
		intel_topdown_rdmsr() :
		intel_topdown_rdpmc(INTEL_PMC_FIXED_RDPMC_METRICS);
}

static void intel_topdown_add_count(struct cpu_hw_events *cpuc,
				    struct perf_event *event)
{
	u64 value = intel_topdown_known(cpuc, event);
	u64 last = local64_xchg(&event->hw.prev_count, value);

	local64_add(value - last, &event->count);
}

/* @event is one of those that are in the registers */
static void intel_topdown_add_counts(struct cpu_hw_events *cpuc,
				     struct perf_event *event, bool overflowed)
{
	u64 mask = intel_topdown_active(cpuc);
	struct perf_event *active;

	intel_topdown_sample(cpuc, event, overflowed);

	while ((active = intel_topdown_next(cpuc, &mask)))
		intel_topdown_add_count(cpuc, active);
}

/* Write both registers. What they held before has to be counted already. */
static void intel_topdown_write(struct cpu_hw_events *cpuc, u64 slots,
				u64 metrics)
{
	u64 mask = intel_topdown_active(cpuc);
	struct perf_event *event;

	intel_topdown_wrmsr(MSR_CORE_PERF_FIXED_CTR3, slots);
	intel_topdown_wrmsr(MSR_PERF_METRICS, metrics);
	cpuc->topdown_slots = slots;
	cpuc->topdown_metrics = metrics;

	while ((event = intel_topdown_next(cpuc, &mask))) {
		local64_set(&event->hw.prev_count,
			    intel_topdown_known(cpuc, event));
		perf_event_update_userpage(event);
	}
}

static void intel_topdown_save(struct perf_event *leader, u64 slots,
			       u64 metrics)
{
	leader->hw.saved_slots = slots;
	leader->hw.saved_metric = metrics;
}

/* The bytes get finer again, and there is nothing to restore */
static void intel_topdown_restart(struct cpu_hw_events *cpuc)
{
	struct perf_event *leader = cpuc->events[INTEL_PMC_IDX_FIXED_SLOTS];

	if (leader)
		intel_topdown_save(leader, 0, 0);
	intel_topdown_write(cpuc, 0, 0);
}

/**
 * intel_topdown_count - Bring the counts of all topdown events up to date
 * @cpuc:	state of this CPU
 * @event:	topdown event that is read, when it is active, or was stopped
 *
 * An event that is read, or whose counter overflowed, makes the registers
 * start from zero. The leader of a group that is stopped keeps their values.
 *
 * The PMU has to be off. In a PMI that finds it so, counts stay as they are.
 *
 * Return: value of fixed counter 3 before that, in slots.
 */
u64 intel_topdown_count(struct cpu_hw_events *cpuc, struct perf_event *event)
{
	int idx = intel_topdown_idx(event);
	u64 slots;

	if (unlikely(intel_topdown_is_torn()))
		return cpuc->topdown_slots;

	intel_topdown_add_counts(cpuc, event, false);
	slots = cpuc->topdown_slots;

	if (test_bit(idx, cpuc->active_mask)) {
		if (slots)
			intel_topdown_restart(cpuc);
		return slots;
	}

	intel_topdown_add_count(cpuc, event);
	if (idx == INTEL_PMC_IDX_FIXED_SLOTS)
		intel_topdown_save(event, slots, cpuc->topdown_metrics);

	/* It may be the only one that stops, and user space goes on */
	if (slots && unlikely(intel_topdown_clears(event)))
		intel_topdown_write(cpuc, 0, 0);

	return slots;
}

/*
 * PERF_EVENT_IOC_RESET of an event that is not active comes nowhere near the
 * PMU driver. But the count of an event is never less than the part of it that
 * is in the registers, unless it was set to zero, or the event is new in its
 * group.
 */
static bool intel_topdown_was_reset(struct perf_event *event, u64 slots,
				    u64 metrics)
{
	u64 count = local64_read(&event->count);

	return count < intel_topdown_value(event, slots, metrics);
}

/* Does user space rely on the values that the registers had? */
static bool intel_topdown_keeps_values(struct perf_event *leader)
{
	u64 metrics = leader->hw.saved_metric;
	u64 slots = leader->hw.saved_slots;
	struct perf_event *sibling;
	bool mapped = false;

	if (!slots || slots > TOPDOWN_SLOTS_MAX ||
	    intel_topdown_clears(leader) || !atomic_read(&leader->mmap_count) ||
	    intel_topdown_was_reset(leader, slots, metrics))
		return false;

	for_each_sibling_event(sibling, leader) {
		if (sibling->pmu != leader->pmu || !is_topdown_count(sibling))
			continue;

		/* The group may be enabled one by one, the leader first */
		mapped |= atomic_read(&sibling->mmap_count);
		if (sibling->state == PERF_EVENT_STATE_ACTIVE &&
		    intel_topdown_was_reset(sibling, slots, metrics))
			return false;
	}

	return mapped;
}

/*
 * The first metric event of its group starts. Until now the leader was an
 * ordinary event, which counts from below zero. The PMU is off and all of the
 * group has just been scheduled, so there is nothing to be counted.
 */
static void intel_topdown_convert(struct cpu_hw_events *cpuc,
				  struct perf_event *leader)
{
	leader->hw.flags |= PERF_X86_EVENT_TOPDOWN;
	intel_topdown_save(leader, 0, 0);
	intel_topdown_write(cpuc, 0, 0);
}

/**
 * intel_topdown_start - Prepare a topdown event for counting
 * @cpuc:	state of this CPU
 * @event:	topdown event that is about to be active
 *
 * The leader sets up the registers for all of its group. Having nothing to
 * restore means to write zero: they hold the slots of another task.
 *
 * The PMU has to be off.
 */
void intel_topdown_start(struct cpu_hw_events *cpuc, struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	if (event == leader) {
		u64 slots = 0, metrics = 0;

		if (intel_topdown_keeps_values(leader)) {
			slots = leader->hw.saved_slots;
			metrics = leader->hw.saved_metric;
		}
		intel_topdown_write(cpuc, slots, metrics);
	} else if (unlikely(!is_topdown_count(leader))) {
		intel_topdown_convert(cpuc, leader);
	}

	local64_set(&event->hw.prev_count, intel_topdown_known(cpuc, event));
}

/**
 * intel_topdown_overflow - Handle the overflow of slots or of a metric
 * @cpuc:	state of this CPU
 * @slots:	fixed counter 3 overflowed, which should come first
 *
 * The registers have to start again, or PERF_METRICS may be invalid. Without
 * an active metric this is late, or about an ordinary event on the counter,
 * which is left alone. All counters are disabled.
 *
 * If the PMU was off before the PMI, the next time that the registers are read
 * they are less than they were: that tells a wrap as well.
 */
void intel_topdown_overflow(struct cpu_hw_events *cpuc, bool slots)
{
	u64 mask = intel_topdown_active(cpuc);
	struct perf_event *event;

	event = intel_topdown_next(cpuc, &mask);
	if (!event || unlikely(intel_topdown_is_torn()))
		return;

	intel_topdown_add_counts(cpuc, event, slots);
	intel_topdown_restart(cpuc);
}

/*
 * Checks when an event is opened, on whatever CPU
 */

/* All events of a group count on the same counter, in the same rings */
static bool intel_topdown_same_filter(const struct perf_event_attr *a,
				      const struct perf_event_attr *b)
{
	return a->exclude_user == b->exclude_user &&
	       a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_host == b->exclude_host &&
	       a->exclude_guest == b->exclude_guest;
}

static bool intel_topdown_leader_fits(struct perf_event *leader,
				      struct perf_event *event)
{
	/*
	 * Closing the leader of a group races with a fork, which goes on to
	 * inherit the siblings one by one and must not fail. Such an event is
	 * never scheduled.
	 */
	if (event->parent && event == leader)
		return true;

	/* What a number means is known only for the PMU of its event */
	if (leader->pmu != event->pmu)
		return false;

	if (!is_slots_event(leader))
		return false;

	/* The counter starts from zero, not from below */
	if (is_sampling_event(leader))
		return false;

	return intel_topdown_same_filter(&leader->attr, &event->attr);
}

/**
 * intel_topdown_can_clear - Can RDPMC clear the registers?
 * @pmu:	core PMU
 *
 * Return: true if its CPUs have metrics that RDPMC can be told to clear.
 */
bool intel_topdown_can_clear(struct pmu *pmu)
{
	union perf_capabilities cap = hybrid(pmu, intel_cap);

	KUNIT_STATIC_STUB_REDIRECT(intel_topdown_can_clear, pmu);

	return cap.perf_metrics &&
	       cap.capabilities & PERF_CAP_RDPMC_METRICS_CLEAR;
}

/*
 * A slots event whose registers are cleared by RDPMC starts from zero, as if it
 * had metrics already. Whoever may use RDPMC on a CPU can clear what is counted
 * there: so it has to be the event of a task.
 */
static bool intel_topdown_may_clear(struct perf_event *event)
{
	return intel_topdown_can_clear(event->pmu) && is_slots_event(event) &&
	       event->group_leader == event && !is_sampling_event(event) &&
	       event->attach_state & PERF_ATTACH_TASK;
}

/**
 * intel_topdown_hw_config - Check and set up a slots or metric event
 * @event:	slots or metric event of a PMU with PERF_METRICS that is opened
 * @nr_metrics:	number of metrics that the PMU has, 0..INTEL_TD_METRIC_NUM
 *
 * The slots event alone is an ordinary event and may sample. Metric events
 * neither sample nor count alone. Their leader has to be a slots event of
 * their PMU that does not sample and counts in the same rings. Nothing is
 * written to it: if opening fails here or later, nothing is left behind.
 *
 * The slots event of a task that leads its group may let RDPMC clear the
 * registers, if the CPU can.
 *
 * Return: 0, or -EINVAL when the attributes or the leader do not allow it.
 */
int intel_topdown_hw_config(struct perf_event *event, int nr_metrics)
{
	struct perf_event_attr *attr = &event->attr;

	if (attr->config2 || (attr->config & X86_ALL_EVENT_FLAGS))
		return -EINVAL;

	if (attr->config1) {
		if (attr->config1 != TOPDOWN_CONFIG1_METRICS_CLEAR ||
		    !intel_topdown_may_clear(event))
			return -EINVAL;

		event->hw.flags |= PERF_X86_EVENT_TOPDOWN;
	}

	if (!is_metric_event(event))
		return 0;

	if (intel_topdown_idx(event) >= INTEL_PMC_IDX_METRIC_BASE + nr_metrics)
		return -EINVAL;

	if (is_sampling_event(event) ||
	    !intel_topdown_leader_fits(event->group_leader, event))
		return -EINVAL;

	event->event_caps |= PERF_EV_CAP_SIBLING;
	event->hw.flags |= PERF_X86_EVENT_TOPDOWN;

	return 0;
}

/*
 * Interface and setup
 */

PMU_FORMAT_ATTR(metrics_clear, "config1:0");

static struct attribute *intel_topdown_format_attrs[] = {
	&format_attr_metrics_clear.attr,
	NULL
};

static umode_t intel_topdown_is_visible(struct kobject *kobj,
					struct attribute *attr, int i)
{
	struct pmu *pmu = dev_get_drvdata(kobj_to_dev(kobj));

	return intel_topdown_can_clear(pmu) ? attr->mode : 0;
}

/* The format of perf_event_attr::config1 of slots events, where there is one */
const struct attribute_group intel_topdown_format_group = {
	.name		= "format",
	.attrs		= intel_topdown_format_attrs,
	.is_visible	= intel_topdown_is_visible,
};

static u64 intel_topdown_update(struct perf_event *event)
{
	return intel_topdown_count(this_cpu_ptr(&cpu_hw_events), event);
}

static int intel_topdown_set_period(struct perf_event *event)
{
	intel_topdown_start(this_cpu_ptr(&cpu_hw_events), event);

	return 0;
}

/**
 * intel_topdown_init - Let this file count slots and metrics
 * @nr_metrics:	number of metrics that the CPU has, of a hybrid its P-cores:
 *		INTEL_TOPDOWN_LEVEL1_METRICS or INTEL_TOPDOWN_LEVEL2_METRICS
 */
void __init intel_topdown_init(int nr_metrics)
{
	x86_pmu.num_topdown_events = nr_metrics;

	static_call_update(intel_pmu_update_topdown_event,
			   &intel_topdown_update);
	static_call_update(intel_pmu_set_topdown_event_period,
			   &intel_topdown_set_period);
}
