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
 * Nothing about a group is stored in its members but this number, which is
 * given while the group is locked. What is derived from the group, the cause
 * mask and the constraint of a cause, is derived whenever events are scheduled,
 * from the events that are scheduled then.
 *
 * A counter in its own cause mask does not set its overflow status and does
 * not raise a PMI: such an event never samples. Left enabled, its PMI would
 * arrive without a status bit to explain it.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/device.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/static_call.h>
#include <linux/syscore_ops.h>
#include <linux/sysfs.h>

#include <kunit/static_stub.h>

#include <asm/msr.h>
#include <asm/perf_event.h>

#include "../constraint.h"
#include "../perf_event.h"
#include "acr.h"

static DEFINE_PER_CPU(struct intel_acr_cpu, intel_acr_cpu);

/* The methods of the PMU driver below those of this file */
DEFINE_STATIC_CALL_NULL(intel_acr_base_enable, *x86_pmu.enable);
DEFINE_STATIC_CALL_NULL(intel_acr_base_add, *x86_pmu.add);
DEFINE_STATIC_CALL_NULL(intel_acr_base_del, *x86_pmu.del);
DEFINE_STATIC_CALL_NULL(intel_acr_base_read, *x86_pmu.read);
DEFINE_STATIC_CALL_NULL(intel_acr_base_update, *x86_pmu.update);
DEFINE_STATIC_CALL_NULL(intel_acr_base_handle_irq, *x86_pmu.handle_irq);
static int (*intel_acr_base_check_period)(struct perf_event *event,
					  u64 value) __ro_after_init;
static void (*intel_acr_base_cpu_starting)(int cpu) __ro_after_init;

DEFINE_STATIC_CALL_RET0(intel_acr_went_back, intel_acr_went_back);

/**
 * intel_acr_counters - Look up which counters of a PMU take part
 * @pmu:	a core PMU
 *
 * Return: the counters that can be reloaded and that can cause it; both 0
 * without auto counter reload.
 */
struct intel_acr_counters intel_acr_counters(struct pmu *pmu)
{
	struct intel_acr_counters counters;

	KUNIT_STATIC_STUB_REDIRECT(intel_acr_counters, pmu);

	counters.reload = hybrid(pmu, acr_cntr_mask64);
	counters.cause = hybrid(pmu, acr_cause_mask64);

	return counters;
}

/*
 * Groups and masks, whatever CPU they are on
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

/**
 * intel_acr_member_bit - Look up what stands for an event in its group's masks
 * @event:	event of the core PMU
 *
 * Return: the bit of the event's number, 0 if that is above all bits.
 */
u64 intel_acr_member_bit(const struct perf_event *event)
{
	unsigned int member = event->hw.acr_member;

	if (event->group_leader == event)
		member = 0;

	return member < BITS_PER_LONG_LONG ? BIT_ULL(member) : 0;
}

/**
 * intel_acr_mask - Look up the members of its group that reload an event
 * @event:	event of the core PMU
 *
 * An event that was opened as a sibling and leads now has lost its group,
 * because the leader was closed or not inherited: its mask means nothing any
 * more.
 *
 * Return: the members, bit i is member number i; 0 of an event without reload.
 */
u64 intel_acr_mask(const struct perf_event *event)
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
 * Members that are disabled while another one is opened are not on the list
 * that is scheduled on trial, but their masks will count.
 */
static bool intel_acr_is_linked_cause(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;

	/* Not linked itself */
	if (!leader->ctx || !intel_acr_is_member(leader))
		return false;

	if (intel_acr_is_cause(event, &leader, 1))
		return true;

	for_each_sibling_event(sibling, leader) {
		if (intel_acr_is_member(sibling) &&
		    intel_acr_is_cause(event, &sibling, 1))
			return true;
	}

	return false;
}

/**
 * intel_acr_group_constraint - Narrow what a cause of reloads can run on
 * @cpuc:	where @event is going to be scheduled, may be a fake
 * @event:	event of the core PMU, on the list of @cpuc
 * @mask:	counters that may stay, in the layout of the counter index
 *
 * A cause needs a counter that can cause a reload. The counters of a reloaded
 * event are known when it is opened and part of its dyn_constraint.
 */
void intel_acr_group_constraint(struct cpu_hw_events *cpuc,
				struct perf_event *event, u64 *mask)
{
	int n = cpuc->is_fake ? X86_PMC_IDX_MAX : cpuc->n_events;
	u64 causes;

	/* Validation of a group does not count its events */
	if (!cpuc->n_late_setup && !cpuc->is_fake)
		return;

	if (!intel_acr_is_cause(event, cpuc->event_list, n) &&
	    !(cpuc->is_fake && intel_acr_is_linked_cause(event)))
		return;

	/* None if the registers are missing: what is open goes on counting */
	causes = intel_acr_counters(event->pmu).cause;
	if (causes)
		*mask &= causes;
}

static int intel_acr_check_period(struct perf_event *event, u64 value)
{
	if (is_acr_event(event) && !intel_acr_period_valid(value))
		return intel_acr_refuse(event, INTEL_ACR_PERIOD);

	return intel_acr_base_check_period(event, value);
}

/*
 * Registers, of the local CPU with interrupts off
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

/**
 * intel_acr_wrmsr_safe - Write a register that may not exist
 * @msr:	number of the MSR
 * @value:	what to write
 *
 * Return: 0, or a negative error when the write faulted.
 */
int intel_acr_wrmsr_safe(u32 msr, u64 value)
{
	KUNIT_STATIC_STUB_REDIRECT(intel_acr_wrmsr_safe, msr, value);

	return wrmsrl_safe(msr, value);
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

	if (!(acr->counters.reload & BIT_ULL(idx)))
		return;

	causes &= acr->counters.cause;
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

	if (causes)
		acr->armed |= BIT_ULL(idx);
	else
		acr->armed &= ~BIT_ULL(idx);
}

/**
 * intel_acr_invalidate - Forget what the registers of a CPU contain
 * @acr:	state of the CPU
 * @counters:	counters that its PMU has
 */
void intel_acr_invalidate(struct intel_acr_cpu *acr,
			  struct intel_acr_counters counters)
{
	int i;

	acr->counters = counters;
	acr->armed = counters.reload;
	for (i = 0; i < X86_PMC_IDX_MAX; i++) {
		acr->cfg_b[i] = INTEL_ACR_UNKNOWN;
		acr->cfg_c[i] = INTEL_ACR_UNKNOWN;
	}
}

/**
 * intel_acr_reset - Bring the registers of this CPU into a known state
 * @acr:	state of this CPU
 * @counters:	counters that its PMU has by CPUID
 *
 * Clear the cause masks that firmware or a former kernel left: one of them may
 * hide the overflows of a counter that is not used with ACR, the NMI
 * watchdog's for example. This is also the first write, and a hypervisor may
 * show the CPUID bits without having the registers.
 *
 * Return: false if the registers do not exist. @acr has no counters then.
 */
bool intel_acr_reset(struct intel_acr_cpu *acr,
		     struct intel_acr_counters counters)
{
	unsigned long idx, reload[BITS_TO_LONGS(X86_PMC_IDX_MAX)];

	intel_acr_invalidate(acr, counters);

	bitmap_from_u64(reload, acr->counters.reload);
	for_each_set_bit(idx, reload, X86_PMC_IDX_MAX) {
		if (intel_acr_wrmsr_safe(intel_acr_cfg_b_msr(idx), 0)) {
			intel_acr_invalidate(acr, (struct intel_acr_counters){});
			return false;
		}
		acr->cfg_b[idx] = 0;
		acr->armed &= ~BIT_ULL(idx);
	}

	return true;
}

static void intel_acr_reset_cpu(int cpu)
{
	struct intel_acr_cpu *acr = per_cpu_ptr(&intel_acr_cpu, cpu);
	struct pmu *pmu = per_cpu(cpu_hw_events, cpu).pmu;

	if (intel_acr_reset(acr, intel_acr_counters(pmu)))
		return;

	pr_warn_once("CPU%d: auto counter reload does not work, disabled\n",
		     cpu);
	hybrid(pmu, acr_cntr_mask64) = 0;
	hybrid(pmu, acr_cause_mask64) = 0;
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
 * Scheduling, on the local CPU with interrupts off
 */

/**
 * intel_acr_added - Count an event that is going to be scheduled
 * @cpuc:	events of this CPU
 * @event:	event of the core PMU that is being added
 *
 * What is counted is the event itself, not what its group looks like: that may
 * be another one when the event is deleted.
 */
void intel_acr_added(struct cpu_hw_events *cpuc, const struct perf_event *event)
{
	if (unlikely(is_acr_event(event)))
		cpuc->n_late_setup++;
}

/**
 * intel_acr_deleted - Take an event off the count
 * @cpuc:	events of this CPU, some of which are counted
 * @event:	event of the core PMU that is being deleted
 */
void intel_acr_deleted(struct cpu_hw_events *cpuc,
		       const struct perf_event *event)
{
	/* The counter will be free: others must not name it any longer */
	cpuc->late_setup_stale = true;
	if (is_acr_event(event))
		cpuc->n_late_setup--;
}

/*
 * What follows is in the path of all events while there are events with dynamic
 * constraints, and calls the method below last: the compiler can make that a
 * test and a jump. At other times it is not there: intel_acr_in_use().
 */
static void intel_acr_add_event(struct perf_event *event)
{
	intel_acr_added(this_cpu_ptr(&cpu_hw_events), event);

	static_call(intel_acr_base_add)(event);
}

static void intel_acr_del_event(struct perf_event *event)
{
	if (unlikely(this_cpu_read(cpu_hw_events.n_late_setup)))
		intel_acr_deleted(this_cpu_ptr(&cpu_hw_events), event);

	static_call(intel_acr_base_del)(event);
}

/**
 * intel_acr_restart - Write the control of a running counter again
 * @event:	event of the core PMU that runs on this CPU
 *
 * Its period goes on where it was. The PMU is off.
 */
void intel_acr_restart(struct perf_event *event)
{
	KUNIT_STATIC_STUB_REDIRECT(intel_acr_restart, event);

	x86_pmu_stop(event, PERF_EF_UPDATE);
	event->pmu->start(event, PERF_EF_RELOAD);
}

/*
 * Is an event on the list of @cpuc stopped, and going to stay so? A throttled
 * one is started without setting its counter again.
 */
static bool intel_acr_stays_stopped(const struct cpu_hw_events *cpuc, int i)
{
	int state = cpuc->event_list[i]->hw.state;

	if (state & PERF_HES_ARCH)
		return true;

	return state & PERF_HES_STOPPED && i < cpuc->n_events - cpuc->n_added;
}

/**
 * intel_acr_translate - Update the cause masks from the final assignment
 * @cpuc:	events of this CPU
 * @acr:	state of this CPU
 *
 * Events that are going to be started take their mask from acr_causes then.
 * Those that keep running are rewritten in place, as the PMU is off; only a
 * change of the event's PMI needs a restart. The counters of those that stay
 * stopped must not be reloaded meanwhile: masks that the last owner has left,
 * or their own of before, may name counters that others run on now.
 */
void intel_acr_translate(struct cpu_hw_events *cpuc, struct intel_acr_cpu *acr)
{
	int i;

	for (i = 0; i < cpuc->n_events; i++) {
		struct perf_event *event = cpuc->event_list[i];
		struct hw_perf_event *hwc = &event->hw;
		int idx = cpuc->assign[i];
		u64 causes = 0, changed;

		if (intel_acr_stays_stopped(cpuc, i))
			intel_acr_write(acr, idx, 0, 0);

		if (!is_acr_event(event))
			continue;

		if (acr->counters.reload & BIT_ULL(idx))
			causes = acr->counters.cause &
				 intel_acr_causes(event, cpuc->event_list,
						  cpuc->assign, cpuc->n_events);

		changed = hwc->acr_causes ^ causes;
		hwc->acr_causes = causes;
		if (cpuc->events[idx] != event)
			continue;

		if (changed & BIT_ULL(idx))
			intel_acr_restart(event);
		else
			intel_acr_write(acr, idx, causes, hwc->sample_period);
	}
}

static void intel_acr_late_setup(struct cpu_hw_events *cpuc)
{
	struct intel_acr_cpu *acr = this_cpu_ptr(&intel_acr_cpu);

	if (!cpuc->n_late_setup && !acr->armed)
		return;

	if (!cpuc->n_added && !cpuc->late_setup_stale)
		return;

	cpuc->late_setup_stale = false;
	intel_acr_translate(cpuc, acr);
}

/**
 * intel_acr_prepare - Set up the reload of an event that is about to start
 * @acr:	state of this CPU
 * @event:	event of the core PMU, on its final counter
 *
 * Return: true if the event reloads itself. It must not raise a PMI then;
 * for general purpose counters that is taken care of.
 */
bool intel_acr_prepare(struct intel_acr_cpu *acr, struct perf_event *event)
{
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

	return self;
}

static noinline void intel_acr_enable_reload(struct perf_event *event)
{
	bool self = intel_acr_prepare(this_cpu_ptr(&intel_acr_cpu), event);
	int idx = event->hw.idx;

	static_call(intel_acr_base_enable)(event);

	/* The control of fixed counters is written when the PMU is enabled */
	if (self && idx >= INTEL_PMC_IDX_FIXED) {
		struct cpu_hw_events *cpuc = this_cpu_ptr(&cpu_hw_events);

		cpuc->fixed_ctrl_val &=
			~intel_fixed_bits_by_idx(idx - INTEL_PMC_IDX_FIXED,
						 INTEL_FIXED_0_ENABLE_PMI);
	}
}

static void intel_acr_enable_event(struct perf_event *event)
{
	if (unlikely(is_acr_event(event) || this_cpu_read(intel_acr_cpu.armed)))
		intel_acr_enable_reload(event);
	else
		static_call(intel_acr_base_enable)(event);
}

/*
 * Throttling
 *
 * A member that is stopped for taking too many samples does not reload the
 * others any longer, who would take samples then that nothing justifies. Stop
 * them as well, and let the core start them all with the next tick.
 *
 * The handler of the PMI cannot do that: it still may have to deal with
 * overflows of those that are to be stopped.
 */

/**
 * intel_acr_pause - Stop an event until the next tick
 * @event:	event of the core PMU that runs on this CPU
 */
void intel_acr_pause(struct perf_event *event)
{
	KUNIT_STATIC_STUB_REDIRECT(intel_acr_pause, event);

	perf_event_throttle(event);
}

/* Is a member of @leader's group throttled, and one reloaded? */
static bool intel_acr_group_throttled(const struct cpu_hw_events *cpuc,
				      const struct perf_event *leader)
{
	bool throttled = false, reloads = false;
	int i;

	for (i = 0; i < cpuc->n_events; i++) {
		struct perf_event *event = cpuc->event_list[i];

		if (event->group_leader != leader)
			continue;

		throttled |= event->hw.interrupts == PERF_MAX_INTERRUPTS;
		reloads |= !!intel_acr_mask(event);
	}

	return throttled && reloads;
}

/**
 * intel_acr_unpaused - Find an event that has to pause with its group
 * @cpuc:	events of this CPU
 * @first:	position on the list of events from which on to look
 *
 * Return: position of the next event that runs although its group has reloads
 * and a member that is throttled, or the number of events.
 */
int intel_acr_unpaused(const struct cpu_hw_events *cpuc, int first)
{
	int i;

	for (i = first; i < cpuc->n_events; i++) {
		struct perf_event *event = cpuc->event_list[i];
		int idx = event->hw.idx;

		if (idx >= 0 && cpuc->events[idx] == event &&
		    event->hw.interrupts != PERF_MAX_INTERRUPTS &&
		    intel_acr_group_throttled(cpuc, event->group_leader))
			break;
	}

	return i;
}

/**
 * intel_acr_throttle - Pause the groups that have a throttled member
 * @cpuc:	events of this CPU
 *
 * The PMU is off.
 */
void intel_acr_throttle(struct cpu_hw_events *cpuc)
{
	int i;

	for (i = intel_acr_unpaused(cpuc, 0); i < cpuc->n_events;
	     i = intel_acr_unpaused(cpuc, i + 1))
		intel_acr_pause(cpuc->event_list[i]);
}

static void intel_acr_throttle_work(struct irq_work *work)
{
	struct cpu_hw_events *cpuc = this_cpu_ptr(&cpu_hw_events);
	struct pmu *pmu;

	if (!cpuc->n_events)
		return;

	pmu = cpuc->event_list[0]->pmu;
	perf_pmu_disable(pmu);
	intel_acr_throttle(cpuc);
	perf_pmu_enable(pmu);
}

static DEFINE_PER_CPU(struct irq_work, intel_acr_throttle_irq) =
	IRQ_WORK_INIT_HARD(intel_acr_throttle_work);

static bool intel_acr_any_throttled(const struct cpu_hw_events *cpuc)
{
	int i;

	for (i = 0; i < cpuc->n_events; i++) {
		if (cpuc->event_list[i]->hw.interrupts == PERF_MAX_INTERRUPTS)
			return true;
	}

	return false;
}

static int intel_acr_handle_irq(struct pt_regs *regs)
{
	struct cpu_hw_events *cpuc = this_cpu_ptr(&cpu_hw_events);
	int handled = static_call(intel_acr_base_handle_irq)(regs);

	/* Not again for those that pause already */
	if (cpuc->n_late_setup && intel_acr_any_throttled(cpuc) &&
	    intel_acr_unpaused(cpuc, 0) < cpuc->n_events)
		irq_work_queue(this_cpu_ptr(&intel_acr_throttle_irq));

	return handled;
}

/*
 * Counting
 */

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

/**
 * intel_acr_account - Count what happened between two reads of a counter
 * @event:	reloaded event
 * @old:	value at the first read, sign extended
 * @new:	value at the second read, sign extended
 * @reload:	content of the counter's CFG_C
 */
void intel_acr_account(struct perf_event *event, s64 old, s64 new, u32 reload)
{
	local64_add(intel_acr_delta(old, new, reload), &event->count);

	/* A reload starts a new period */
	local64_set(&event->hw.period_left, -new);
}

/* x86_perf_event_update() for counters that can go back */
static u64 __intel_acr_update(struct perf_event *event)
{
	struct intel_acr_cpu *acr = this_cpu_ptr(&intel_acr_cpu);
	struct hw_perf_event *hwc = &event->hw;
	u64 old, new;

	if (unlikely(!hwc->event_base))
		return 0;

	/* An NMI may come in between and update the event itself */
	old = local64_read(&hwc->prev_count);
	do {
		rdpmcl(hwc->event_base_rdpmc, new);
	} while (!local64_try_cmpxchg(&hwc->prev_count, &old, new));

	intel_acr_account(event, intel_acr_sign_extend(old),
			  intel_acr_sign_extend(new), acr->cfg_c[hwc->idx]);

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

static umode_t intel_acr_is_visible(struct kobject *kobj,
				    struct attribute *attr, int i)
{
	struct pmu *pmu = dev_get_drvdata(kobj_to_dev(kobj));

	return intel_acr_counters(pmu).reload ? attr->mode : 0;
}

const struct attribute_group intel_acr_format_group = {
	.name		= "format",
	.attrs		= intel_acr_format_attrs,
	.is_visible	= intel_acr_is_visible,
};

static ssize_t acr_reload_counters_show(struct device *dev,
					struct device_attribute *attr,
					char *buf)
{
	return sysfs_emit(buf, "%#llx\n",
			  intel_acr_counters(dev_get_drvdata(dev)).reload);
}
static DEVICE_ATTR_RO(acr_reload_counters);

static ssize_t acr_cause_counters_show(struct device *dev,
				       struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%#llx\n",
			  intel_acr_counters(dev_get_drvdata(dev)).cause);
}
static DEVICE_ATTR_RO(acr_cause_counters);

static struct attribute *intel_acr_caps_attrs[] = {
	&dev_attr_acr_reload_counters.attr,
	&dev_attr_acr_cause_counters.attr,
	NULL
};

const struct attribute_group intel_acr_caps_group = {
	.name		= "caps",
	.attrs		= intel_acr_caps_attrs,
	.is_visible	= intel_acr_is_visible,
};

/* No reloaded event exists any more; those that ran last have left their masks */
static void intel_acr_disarm(void *unused)
{
	struct intel_acr_cpu *acr = this_cpu_ptr(&intel_acr_cpu);
	unsigned long idx, armed[BITS_TO_LONGS(X86_PMC_IDX_MAX)];
	struct pmu *pmu;

	if (!acr->armed)
		return;

	pmu = x86_get_pmu(smp_processor_id());
	perf_pmu_disable(pmu);
	bitmap_from_u64(armed, acr->armed);
	for_each_set_bit(idx, armed, X86_PMC_IDX_MAX)
		intel_acr_write(acr, idx, 0, 0);
	perf_pmu_enable(pmu);
}

#define INTEL_ACR_INSTALL(method, function, on)				\
	static_call_update(x86_pmu_##method,				\
			   (on) ? (function) : x86_pmu.method)

/*
 * Put auto counter reload in front of the PMU driver, or take it away. Reloaded
 * events exist only in between: in any order, and on CPUs that are at work, the
 * methods do what those below do, but for masks that are left.
 */
static void intel_acr_in_use(bool on)
{
	if (!on)
		on_each_cpu(intel_acr_disarm, NULL, 1);

	INTEL_ACR_INSTALL(enable, intel_acr_enable_event, on);
	INTEL_ACR_INSTALL(add, intel_acr_add_event, on);
	INTEL_ACR_INSTALL(del, intel_acr_del_event, on);
	INTEL_ACR_INSTALL(read, intel_acr_read_event, on);
	INTEL_ACR_INSTALL(update, intel_acr_update, on);
	INTEL_ACR_INSTALL(handle_irq, intel_acr_handle_irq, on);
	static_call_update(x86_pmu_late_setup,
			   on ? intel_acr_late_setup : NULL);
	static_call_update(intel_acr_went_back, on ? intel_acr_went_back :
			   (void *)&__static_call_return0);
}

static const struct x86_dyn_feature intel_acr_dyn_feature = {
	.constrain	= intel_acr_group_constraint,
	.uses		= is_acr_event,
	.in_use		= intel_acr_in_use,
	.no_counters	= intel_acr_no_counters,
};

/* The counters of hybrid PMUs are known when the first CPU of each starts */
static bool __init intel_acr_possible(void)
{
	if (is_hybrid())
		return x86_pmu.version >= 6 && x86_pmu.addr_offset;

	return x86_pmu.acr_cntr_mask64;
}

/**
 * intel_acr_init - Set up auto counter reload on CPUs that may have it
 *
 * To be called once, after the model specific setup and the enumeration, and
 * before x86_dyn_constraint_init().
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
	static_call_update(intel_acr_base_handle_irq, x86_pmu.handle_irq);
	intel_acr_base_check_period = x86_pmu.check_period;
	intel_acr_base_cpu_starting = x86_pmu.cpu_starting;

	x86_pmu.event_join	= intel_acr_event_join;
	x86_pmu.check_period	= intel_acr_check_period;
	x86_pmu.cpu_starting	= intel_acr_cpu_starting;

	x86_dyn_constraint_register(&intel_acr_dyn_feature);
	register_syscore(&intel_acr_syscore);
}
