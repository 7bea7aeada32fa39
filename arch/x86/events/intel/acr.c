// SPDX-License-Identifier: GPL-2.0
/*
 * Intel Auto Counter Reload
 *
 * A counter can be reloaded by the overflow of others, without software: each
 * reloadable counter has a cause mask (CFG_B) that names the counters whose
 * overflow reloads it, and a reload value (CFG_C). Intel SDM 085, volume 3,
 * section 21.9.11.
 *
 * attr.config2 of an event lists the members of its group whose overflow
 * reloads the event. Bit i is the member that was opened as number i, where
 * the leader is 0 and events of other PMUs do not count. Members keep their
 * number when others are disabled, closed or not inherited.
 *
 * Nothing about a group is stored in its members. What is derived from the
 * group, the cause mask and the constraint of a cause, is derived whenever
 * events are scheduled, from the events that are scheduled then.
 *
 * A counter in its own cause mask does not set its overflow status and does
 * not raise a PMI: such an event never samples. Left enabled, its PMI would
 * arrive without a status bit to explain it.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/device.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/static_call.h>
#include <linux/syscore_ops.h>
#include <linux/sysfs.h>

#include <kunit/static_stub.h>

#include <asm/msr.h>
#include <asm/perf_event.h>

#include "../constraint.h"
#include "../perf_event.h"
#include "acr.h"

/* Precise level of PDist, which hardware does not combine with a reload */
#define PRECISE_PDIST	3

static DEFINE_PER_CPU(struct intel_acr_cpu, intel_acr_cpu);

/* The methods of the PMU driver below those of this file */
DEFINE_STATIC_CALL_NULL(intel_acr_base_enable, *x86_pmu.enable);
DEFINE_STATIC_CALL_NULL(intel_acr_base_add, *x86_pmu.add);
DEFINE_STATIC_CALL_NULL(intel_acr_base_del, *x86_pmu.del);
DEFINE_STATIC_CALL_NULL(intel_acr_base_read, *x86_pmu.read);
DEFINE_STATIC_CALL_NULL(intel_acr_base_update, *x86_pmu.update);
static int (*intel_acr_base_check_period)(struct perf_event *event,
					  u64 value) __ro_after_init;
static void (*intel_acr_base_cpu_starting)(int cpu) __ro_after_init;

DEFINE_STATIC_CALL_RET0(intel_acr_went_back, intel_acr_went_back);

static bool is_acr_event(const struct perf_event *event)
{
	return event->hw.flags & PERF_X86_EVENT_ACR;
}

/*
 * Groups and masks
 */

/**
 * intel_acr_is_member - Tell whether an event counts as a member of its group
 * @event:	any event; those of other PMUs are only compared by address
 *
 * Return: true for an event of the core PMU.
 */
bool intel_acr_is_member(struct perf_event *event)
{
	KUNIT_STATIC_STUB_REDIRECT(intel_acr_is_member, event);

	return is_x86_event(event);
}

/* The bit that stands for @event in the masks of its group, 0 if none does */
static u64 intel_acr_member_bit(const struct perf_event *event)
{
	unsigned int member = event->hw.acr_member;

	if (event->group_leader == event)
		member = 0;

	return member < BITS_PER_LONG_LONG ? BIT_ULL(member) : 0;
}

/*
 * The mask of @event. An event that was opened as a sibling and leads now has
 * lost its group, because the leader was closed or not inherited: its mask
 * means nothing any more.
 */
static u64 intel_acr_mask(const struct perf_event *event)
{
	bool leads = event->group_leader == event;

	if (!is_acr_event(event) || leads == !!event->hw.acr_member)
		return 0;

	return event->attr.config2;
}

/**
 * intel_acr_causes - Translate the mask of an event to counters
 * @event:	event of @list
 * @list:	events that are scheduled, all of the core PMU
 * @assign:	counter index of each event in @list
 * @n:		number of events in @list
 *
 * Members that are not scheduled and bits that stand for no member are left
 * out. Without its leader on the list the group is being taken apart.
 *
 * Return: the counters whose overflow has to reload @event, in the layout of
 * CFG_B. Not restricted to what the CPU is able to do.
 */
u64 intel_acr_causes(struct perf_event *event, struct perf_event **list,
		     const int *assign, int n)
{
	struct perf_event *leader = event->group_leader;
	u64 mask = intel_acr_mask(event), causes = 0;
	bool complete = false;
	int i;

	if (!mask)
		return 0;

	for (i = 0; i < n; i++) {
		if (list[i]->group_leader != leader)
			continue;

		complete |= list[i] == leader;
		if (!(mask & intel_acr_member_bit(list[i])))
			continue;

		/* Metrics have no counter of their own */
		if (assign[i] >= 0 && assign[i] < INTEL_PMC_IDX_METRIC_BASE)
			causes |= BIT_ULL(assign[i]);
	}

	return complete ? causes : 0;
}

/**
 * intel_acr_is_cause - Tell whether an event reloads a member of its group
 * @event:	event of the core PMU
 * @list:	events to look at, up to the first NULL
 * @n:		maximum number of events in @list
 *
 * Return: true if a mask of @event's group names @event.
 */
bool intel_acr_is_cause(struct perf_event *event, struct perf_event **list,
			int n)
{
	u64 bit = intel_acr_member_bit(event);
	int i;

	if (intel_acr_mask(event) & bit)
		return true;

	for (i = 0; i < n && list[i]; i++) {
		if (list[i]->group_leader == event->group_leader &&
		    intel_acr_mask(list[i]) & bit)
			return true;
	}

	return false;
}

/*
 * A cause needs a counter that can cause a reload. The counters of a reloaded
 * event are known when it is opened and part of its dyn_constraint.
 */
static void intel_acr_group_constraint(struct cpu_hw_events *cpuc,
				       struct perf_event *event, u64 *mask)
{
	int n = cpuc->is_fake ? X86_PMC_IDX_MAX : cpuc->n_events;

	/* Validation of a group does not count its events */
	if (!cpuc->n_late_setup && !cpuc->is_fake)
		return;

	if (intel_acr_is_cause(event, cpuc->event_list, n))
		*mask &= hybrid(event->pmu, acr_cause_mask64);
}

/*
 * Opening events
 */

/**
 * struct intel_acr_group - What the members of a group ask for together
 * @pmu:	PMU of the event that is being opened
 * @causes:	union of the masks of all members, bit i is member number i
 * @reloaded:	number of members that are reloaded
 * @foreign:	an event of another kind of PMU was seen
 * @broken:	members are not contiguous or belong to several PMUs
 */
struct intel_acr_group {
	struct pmu	*pmu;
	u64		causes;
	int		reloaded;
	bool		foreign;
	bool		broken;
};

static void intel_acr_collect(struct intel_acr_group *group,
			      struct perf_event *event)
{
	u64 mask;

	/* The hardware part of other events belongs to their PMU */
	if (!intel_acr_is_member(event)) {
		group->foreign = true;
		return;
	}

	group->broken |= group->foreign || event->pmu != group->pmu;

	mask = intel_acr_mask(event);
	group->causes |= mask;
	group->reloaded += !!mask;
}

/* Is what @event does compatible with its part in the group? */
static bool intel_acr_member_fits(const struct intel_acr_group *group,
				  struct perf_event *event)
{
	/* Metrics are derived from a counter that restarts when it is read */
	if (is_metric_event(event))
		return false;

	/* The ratio of two periods says nothing if one of them changes */
	if (event->attr.freq)
		return !intel_acr_mask(event) &&
		       !(group->causes & intel_acr_member_bit(event));

	return true;
}

/**
 * intel_acr_check_group - Check a group with the event that is being opened
 * @event:	event of the core PMU, not yet on the list of its siblings
 * @cntr_mask:	counters that can be reloaded
 * @cause_mask:	counters that can cause a reload
 *
 * Return: 0, or -EINVAL when the members do not fit together.
 */
int intel_acr_check_group(struct perf_event *event, u64 cntr_mask,
			  u64 cause_mask)
{
	struct perf_event *leader = event->group_leader, *sibling;
	struct intel_acr_group group = { .pmu = event->pmu };

	/* A leader has no siblings yet, and no context to walk them under */
	if (leader != event) {
		intel_acr_collect(&group, leader);
		for_each_sibling_event(sibling, leader)
			intel_acr_collect(&group, sibling);
	}
	intel_acr_collect(&group, event);

	if (!group.reloaded)
		return 0;

	if (group.broken || group.reloaded > hweight64(cntr_mask) ||
	    hweight64(group.causes) > hweight64(cause_mask))
		return -EINVAL;

	if (leader != event) {
		if (!intel_acr_member_fits(&group, leader))
			return -EINVAL;
		for_each_sibling_event(sibling, leader) {
			/* Not before a member, or the group would be broken */
			if (!intel_acr_is_member(sibling))
				break;
			if (!intel_acr_member_fits(&group, sibling))
				return -EINVAL;
		}
	}

	return intel_acr_member_fits(&group, event) ? 0 : -EINVAL;
}

static bool intel_acr_period_valid(u64 period)
{
	return period && period <= INTEL_ACR_MAX_PERIOD;
}

/* Check the attributes of a reloaded event on its own */
static bool intel_acr_event_valid(struct perf_event *event)
{
	if (event->attr.freq || !intel_acr_period_valid(event->attr.sample_period))
		return false;

	if (is_topdown_event(event))
		return false;

	if (event->attr.precise_ip >= PRECISE_PDIST)
		return false;

	/* PEBS is armed by an overflow, and a self-reload has none */
	return !event->attr.precise_ip ||
	       !(event->attr.config2 & intel_acr_member_bit(event));
}

/* The number of an event that joins a group: above all that are in use */
static u8 intel_acr_next_member(struct perf_event *leader)
{
	struct perf_event *sibling;
	u8 last = 0;

	for_each_sibling_event(sibling, leader) {
		if (intel_acr_is_member(sibling))
			last = max(last, sibling->hw.acr_member);
	}

	/* Members without a bit need no number of their own */
	return min(last + 1, BITS_PER_LONG_LONG);
}

/**
 * intel_acr_hw_config - Check and set up auto counter reload of an event
 * @event:	event of the core PMU that is being opened
 *
 * Reads the group and writes to @event only: if opening fails here or later,
 * nothing is left behind. The siblings' context is locked.
 *
 * Return: 0, or -EINVAL when @event asks for a reload that its PMU, its
 * attributes or its group do not allow, or does not fit into a group with
 * reloads.
 */
int intel_acr_hw_config(struct perf_event *event)
{
	u64 cause_mask = hybrid(event->pmu, acr_cause_mask64);
	u64 cntr_mask = hybrid(event->pmu, acr_cntr_mask64);
	struct hw_perf_event *hwc = &event->hw;

	hwc->flags &= ~PERF_X86_EVENT_ACR;
	hwc->acr_member = 0;

	/* What was checked for the parent holds for any part of its group */
	if (event->parent && intel_acr_is_member(event->parent)) {
		struct hw_perf_event *parent = &event->parent->hw;

		hwc->flags |= parent->flags & PERF_X86_EVENT_ACR;
		hwc->dyn_constraint = parent->dyn_constraint;
		hwc->acr_member = parent->acr_member;
		return 0;
	}

	if (!cntr_mask)
		return event->attr.config2 ? -EINVAL : 0;

	if (event->attr.config2) {
		hwc->flags |= PERF_X86_EVENT_ACR;
		hwc->dyn_constraint &= cntr_mask;
	}

	if (event->group_leader != event)
		hwc->acr_member = intel_acr_next_member(event->group_leader);

	if (is_acr_event(event) && !intel_acr_event_valid(event))
		return -EINVAL;

	return intel_acr_check_group(event, cntr_mask, cause_mask);
}

static int intel_acr_check_period(struct perf_event *event, u64 value)
{
	if (is_acr_event(event) && !intel_acr_period_valid(value))
		return -EINVAL;

	return intel_acr_base_check_period(event, value);
}

/*
 * Registers
 */

/**
 * intel_acr_wrmsr - Write a register of auto counter reload
 * @msr:	number of the MSR
 * @value:	what to write
 */
void intel_acr_wrmsr(u32 msr, u64 value)
{
	KUNIT_STATIC_STUB_REDIRECT(intel_acr_wrmsr, msr, value);

	wrmsrl(msr, value);
}

static u32 intel_acr_msr(int idx, u32 gp0, u32 fx0)
{
	if (idx >= INTEL_PMC_IDX_FIXED)
		return fx0 + (idx - INTEL_PMC_IDX_FIXED) * MSR_IA32_PMC_V6_STEP;

	return gp0 + idx * MSR_IA32_PMC_V6_STEP;
}

static u32 intel_acr_cfg_b_msr(int idx)
{
	return intel_acr_msr(idx, MSR_IA32_PMC_V6_GP0_CFG_B,
			     MSR_IA32_PMC_V6_FX0_CFG_B);
}

static u32 intel_acr_cfg_c_msr(int idx)
{
	return intel_acr_msr(idx, MSR_IA32_PMC_V6_GP0_CFG_C,
			     MSR_IA32_PMC_V6_FX0_CFG_C);
}

/**
 * intel_acr_write - Set up the reload of one counter
 * @acr:	state of this CPU
 * @idx:	counter index, 0..X86_PMC_IDX_MAX - 1
 * @causes:	counters whose overflow reloads the counter, 0 for none
 * @period:	period of the event, 1..INTEL_ACR_MAX_PERIOD unless @causes is 0
 *
 * Registers that hold the right value are not written. Those of a counter
 * that cannot be reloaded may not exist and are never written; nor is a cause
 * that the CPU does not have, which would fault.
 *
 * The PMU has to be off, the counter not yet enabled.
 */
void intel_acr_write(struct intel_acr_cpu *acr, int idx, u64 causes,
		     u64 period)
{
	u32 reload = -(u32)period;

	if (!(acr->cntr_mask & BIT_ULL(idx)))
		return;

	causes &= acr->cause_mask;
	if (causes && acr->cfg_c[idx] != reload) {
		/* Not the new value for the old causes */
		if (acr->cfg_b[idx]) {
			intel_acr_wrmsr(intel_acr_cfg_b_msr(idx), 0);
			acr->cfg_b[idx] = 0;
		}
		intel_acr_wrmsr(intel_acr_cfg_c_msr(idx), reload);
		acr->cfg_c[idx] = reload;
	}

	if (acr->cfg_b[idx] != causes) {
		intel_acr_wrmsr(intel_acr_cfg_b_msr(idx), causes);
		acr->cfg_b[idx] = causes;
	}
}

/**
 * intel_acr_invalidate - Forget what the registers of a CPU contain
 * @acr:	state of the CPU
 * @cntr_mask:	counters that can be reloaded
 * @cause_mask:	counters that can cause a reload
 */
void intel_acr_invalidate(struct intel_acr_cpu *acr, u64 cntr_mask,
			  u64 cause_mask)
{
	int i;

	acr->cntr_mask = cntr_mask;
	acr->cause_mask = cause_mask;
	for (i = 0; i < X86_PMC_IDX_MAX; i++) {
		acr->cfg_b[i] = INTEL_ACR_UNKNOWN;
		acr->cfg_c[i] = INTEL_ACR_UNKNOWN;
	}
}

/*
 * Clear the cause masks that firmware or a former kernel left: one of them may
 * hide the overflows of a counter that is not used with ACR, the NMI
 * watchdog's for example. This is also the first write, and a hypervisor may
 * show the CPUID bits without having the registers.
 */
static void intel_acr_reset_cpu(int cpu)
{
	struct intel_acr_cpu *acr = per_cpu_ptr(&intel_acr_cpu, cpu);
	struct pmu *pmu = per_cpu(cpu_hw_events, cpu).pmu;
	unsigned long idx, counters[BITS_TO_LONGS(X86_PMC_IDX_MAX)];

	intel_acr_invalidate(acr, hybrid(pmu, acr_cntr_mask64),
			     hybrid(pmu, acr_cause_mask64));

	bitmap_from_u64(counters, acr->cntr_mask);
	for_each_set_bit(idx, counters, X86_PMC_IDX_MAX) {
		if (!wrmsrl_safe(intel_acr_cfg_b_msr(idx), 0)) {
			acr->cfg_b[idx] = 0;
			continue;
		}

		pr_warn_once("CPU%d: auto counter reload does not work, disabled\n",
			     cpu);
		hybrid(pmu, acr_cntr_mask64) = 0;
		hybrid(pmu, acr_cause_mask64) = 0;
		intel_acr_invalidate(acr, 0, 0);
		return;
	}
}

static void intel_acr_cpu_starting(int cpu)
{
	intel_acr_base_cpu_starting(cpu);
	intel_acr_reset_cpu(cpu);
}

/* The CPU that suspends the system does not go through CPU hotplug */
static void intel_acr_resume(void *data)
{
	intel_acr_reset_cpu(smp_processor_id());
	this_cpu_write(cpu_hw_events.late_setup_stale, true);
}

static const struct syscore_ops intel_acr_syscore_ops = {
	.resume		= intel_acr_resume,
};

static struct syscore intel_acr_syscore = {
	.ops		= &intel_acr_syscore_ops,
};

/*
 * Scheduling and counting
 */

static void intel_acr_add_event(struct perf_event *event)
{
	static_call(intel_acr_base_add)(event);

	if (is_acr_event(event))
		this_cpu_inc(cpu_hw_events.n_late_setup);
}

static void intel_acr_del_event(struct perf_event *event)
{
	static_call(intel_acr_base_del)(event);

	if (is_acr_event(event))
		this_cpu_dec(cpu_hw_events.n_late_setup);

	/* The counter may be free now: others must not name it any longer */
	if (this_cpu_read(cpu_hw_events.n_late_setup))
		this_cpu_write(cpu_hw_events.late_setup_stale, true);
}

/*
 * Update the cause mask of every reloaded event from the final assignment.
 * Events that are going to be started take it from acr_causes then. Those that
 * keep running are rewritten in place, as the PMU is off; only a change of the
 * event's PMI needs a restart.
 */
static void intel_acr_late_setup(struct cpu_hw_events *cpuc)
{
	struct intel_acr_cpu *acr = this_cpu_ptr(&intel_acr_cpu);
	int i;

	if (!cpuc->n_late_setup)
		return;

	if (!cpuc->n_added && !cpuc->late_setup_stale)
		return;

	cpuc->late_setup_stale = false;
	for (i = 0; i < cpuc->n_events; i++) {
		struct perf_event *event = cpuc->event_list[i];
		struct hw_perf_event *hwc = &event->hw;
		int idx = cpuc->assign[i];
		u64 causes = 0, changed;

		if (!is_acr_event(event))
			continue;

		if (acr->cntr_mask & BIT_ULL(idx))
			causes = acr->cause_mask &
				 intel_acr_causes(event, cpuc->event_list,
						  cpuc->assign, cpuc->n_events);

		changed = hwc->acr_causes ^ causes;
		hwc->acr_causes = causes;
		if (cpuc->events[idx] != event)
			continue;

		if (changed & BIT_ULL(idx)) {
			x86_pmu_stop(event, PERF_EF_UPDATE);
			event->pmu->start(event, PERF_EF_RELOAD);
		} else {
			intel_acr_write(acr, idx, causes, hwc->sample_period);
		}
	}
}

static void intel_acr_enable_event(struct perf_event *event)
{
	struct intel_acr_cpu *acr = this_cpu_ptr(&intel_acr_cpu);
	struct hw_perf_event *hwc = &event->hw;
	int idx = hwc->idx;
	bool self = false;
	u64 causes = 0;

	if (is_acr_event(event)) {
		causes = hwc->acr_causes;
		self = causes & BIT_ULL(idx);
		if (self)
			hwc->config &= ~ARCH_PERFMON_EVENTSEL_INT;
		else if (!event->attr.precise_ip)
			hwc->config |= ARCH_PERFMON_EVENTSEL_INT;
	}

	/* All metrics run on the counter of the slots */
	if (is_metric_idx(idx))
		idx = INTEL_PMC_IDX_FIXED_SLOTS;

	/* Also without causes: the counter's last event may have had some */
	intel_acr_write(acr, idx, causes, hwc->sample_period);

	static_call(intel_acr_base_enable)(event);

	/* The control of fixed counters is written when the PMU is enabled */
	if (self && idx >= INTEL_PMC_IDX_FIXED) {
		struct cpu_hw_events *cpuc = this_cpu_ptr(&cpu_hw_events);

		cpuc->fixed_ctrl_val &=
			~intel_fixed_bits_by_idx(idx - INTEL_PMC_IDX_FIXED,
						 INTEL_FIXED_0_ENABLE_PMI);
	}
}

/**
 * intel_acr_delta - Number of events between two values of a reloaded counter
 * @old:	first value, sign extended
 * @new:	second value, sign extended
 * @reload:	content of the counter's CFG_C
 *
 * How many events were counted before the last reload is not known. Reloads
 * that leave the counter above @old are not noticed at all.
 *
 * Return: a lower bound, not negative.
 */
s64 intel_acr_delta(s64 old, s64 new, u32 reload)
{
	if (new >= old)
		return new - old;

	return max(new - (s32)reload, 0LL);
}

static s64 intel_acr_sign_extend(u64 raw)
{
	int shift = 64 - x86_pmu.cntval_bits;

	return (s64)(raw << shift) >> shift;
}

/* x86_perf_event_update() for counters that can go back */
static u64 __intel_acr_update(struct perf_event *event)
{
	struct intel_acr_cpu *acr = this_cpu_ptr(&intel_acr_cpu);
	struct hw_perf_event *hwc = &event->hw;
	u64 old, new;
	s64 value;

	if (unlikely(!hwc->event_base))
		return 0;

	/* An NMI may come in between and update the event itself */
	old = local64_read(&hwc->prev_count);
	do {
		rdpmcl(hwc->event_base_rdpmc, new);
	} while (!local64_try_cmpxchg(&hwc->prev_count, &old, new));

	value = intel_acr_sign_extend(new);
	local64_add(intel_acr_delta(intel_acr_sign_extend(old), value,
				    acr->cfg_c[hwc->idx]), &event->count);

	/* A reload starts a new period */
	local64_set(&hwc->period_left, -value);

	return new;
}

static u64 intel_acr_update(struct perf_event *event)
{
	if (is_acr_event(event))
		return __intel_acr_update(event);

	return static_call(intel_acr_base_update)(event);
}

static void intel_acr_read_event(struct perf_event *event)
{
	/* PEBS with auto reload is drained: intel_acr_went_back() */
	if (is_acr_event(event) &&
	    !(event->hw.flags & PERF_X86_EVENT_AUTO_RELOAD))
		__intel_acr_update(event);
	else
		static_call(intel_acr_base_read)(event);
}

/**
 * intel_acr_went_back - Tell whether a PEBS counter lost events to a reload
 * @event:	event with PEBS auto reload
 * @old:	counter value when it was last read, sign extended
 * @new:	counter value now, sign extended
 * @records:	PEBS records written in between
 *
 * Each record explains one step back of the counter. Without any it was the
 * overflow of a peer.
 *
 * Return: true if @event was reloaded by a peer for certain.
 */
bool intel_acr_went_back(struct perf_event *event, s64 old, s64 new,
			 int records)
{
	return is_acr_event(event) && !records && new < old;
}

/*
 * Interface and setup
 */

PMU_FORMAT_ATTR(acr_mask, "config2:0-63");

static struct attribute *intel_acr_format_attrs[] = {
	&format_attr_acr_mask.attr,
	NULL
};

static umode_t intel_acr_format_is_visible(struct kobject *kobj,
					   struct attribute *attr, int i)
{
	struct pmu *pmu = dev_get_drvdata(kobj_to_dev(kobj));

	return hybrid(pmu, acr_cntr_mask64) ? attr->mode : 0;
}

const struct attribute_group intel_acr_format_group = {
	.name		= "format",
	.attrs		= intel_acr_format_attrs,
	.is_visible	= intel_acr_format_is_visible,
};

/*
 * On a hybrid processor, the counters of a PMU are known when its first CPU
 * starts. Static calls cannot be changed at that time any more, so install
 * them for all of version 6 and up.
 */
static bool __init intel_acr_possible(void)
{
	if (is_hybrid())
		return x86_pmu.version >= 6 && x86_pmu.addr_offset;

	return x86_pmu.acr_cntr_mask64;
}

/**
 * intel_acr_init - Put auto counter reload in front of the PMU driver
 *
 * To be called once, after the model specific setup and the enumeration, and
 * before x86_dyn_constraint_init() and the update of the static calls. Does
 * nothing on CPUs without ACR.
 */
void __init intel_acr_init(void)
{
	if (!intel_acr_possible())
		return;

	static_call_update(intel_acr_base_enable, x86_pmu.enable);
	static_call_update(intel_acr_base_add, x86_pmu.add);
	static_call_update(intel_acr_base_del, x86_pmu.del);
	static_call_update(intel_acr_base_read, x86_pmu.read);
	static_call_update(intel_acr_base_update, x86_pmu.update);
	intel_acr_base_check_period = x86_pmu.check_period;
	intel_acr_base_cpu_starting = x86_pmu.cpu_starting;

	x86_pmu.enable		= intel_acr_enable_event;
	x86_pmu.add		= intel_acr_add_event;
	x86_pmu.del		= intel_acr_del_event;
	x86_pmu.read		= intel_acr_read_event;
	x86_pmu.update		= intel_acr_update;
	x86_pmu.check_period	= intel_acr_check_period;
	x86_pmu.cpu_starting	= intel_acr_cpu_starting;
	x86_pmu.late_setup	= intel_acr_late_setup;
	x86_pmu.flags		|= PMU_FL_DYN_CONSTRAINT;

	static_call_update(x86_group_constraint, intel_acr_group_constraint);
	static_call_update(intel_acr_went_back, intel_acr_went_back);

	register_syscore(&intel_acr_syscore);
}
