// SPDX-License-Identifier: GPL-2.0
/*
 * Freezing of all counters by the overflow of one
 *
 * With DEBUGCTL bit 12 and perfmon version 4, hardware stops all counters of a
 * CPU when one of them overflows and a PMI is raised. Bit 59 of GLOBAL_STATUS
 * says so, and they go on when it is acknowledged. The handler need not
 * disable anything, and the way into it is not counted.
 *
 * Which is the trouble as well. The counters stop when the PMI is raised, and
 * what happens until it is served is lost to all of them. One event changes the
 * count of another that has nothing to do with it. No property of that other
 * event tells whether somebody relies on its count, so its owner is asked:
 * bit 0 of attr.config3, the format "freeze". A CPU freezes its counters while
 * root allows it in general and the owners of all events on the CPU do.
 *
 * Whether to is decided each time the PMU is enabled, which is when the set of
 * events on the CPU has changed. Whether the counters are frozen is decided by
 * bit 59 alone: a PMI may have been raised before the last decision, or by a
 * guest.
 */
#include <linux/cleanup.h>
#include <linux/compiler.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/kstrtox.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/nmi.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/reboot.h>
#include <linux/smp.h>
#include <linux/static_call.h>
#include <linux/syscore_ops.h>
#include <linux/sysfs.h>

#include <asm/apic.h>
#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include <asm/intel_freeze.h>
#include <asm/msr.h>
#include <asm/perf_event.h>

#include "../perf_event.h"
#include "freeze.h"
#include "pmi.h"

static DEFINE_PER_CPU(struct intel_freeze_cpu, intel_freeze_cpu);

/* The processor may do it, and events may ask for it */
static bool intel_freeze_possible __ro_after_init;

/* Root allows it. Written under the mutex, read when a PMU is enabled. */
static bool intel_freeze_on;
/* Not any more: who comes next may not know of it. Under the mutex. */
static bool intel_freeze_down;
static bool intel_freeze_on_at_boot __initdata;
static DEFINE_MUTEX(intel_freeze_mutex);

/* The methods of the PMU driver below those of this file */
static void (*intel_freeze_base_cpu_starting)(int cpu) __ro_after_init;
static void (*intel_freeze_base_cpu_dying)(int cpu) __ro_after_init;

/*
 * Eligibility
 */

static bool intel_freeze_consents(const struct perf_event *event)
{
	return event->attr.config3 & INTEL_FREEZE_CONSENT;
}

/* Frozen, what a sample reads of the group is as of the overflow */
static bool intel_freeze_group_consents(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;

	if (is_x86_event(leader) && !intel_freeze_consents(leader))
		return false;

	for_each_sibling_event(sibling, leader) {
		if (is_x86_event(sibling) && !intel_freeze_consents(sibling))
			return false;
	}

	return true;
}

/**
 * intel_freeze_check_event - Tell what an event has against a freeze
 * @event:	event of the core PMU that is scheduled on this CPU
 *
 * A fixed period is part of it because hardware does not like a counter's
 * period to change while it is frozen.
 *
 * Return: INTEL_FREEZE_ACTIVE if @event wants it, INTEL_FREEZE_NO_EVENT if it
 * does not matter, else the reason why the CPU must not freeze its counters.
 */
enum intel_freeze_reason intel_freeze_check_event(struct perf_event *event)
{
	if (hardlockup_detector_owns(event))
		return INTEL_FREEZE_NO_EVENT;

	if (!intel_freeze_consents(event))
		return INTEL_FREEZE_NO_CONSENT;

	if (is_topdown_count(event) || is_metric_event(event))
		return INTEL_FREEZE_TOPDOWN;

	if (!is_sampling_event(event))
		return INTEL_FREEZE_COUNTING;

	if (event->attr.freq)
		return INTEL_FREEZE_FREQUENCY;

	if (event->attr.exclude_host)
		return INTEL_FREEZE_GUEST;

	if (event->hw.config & HSW_IN_TX_CHECKPOINTED)
		return INTEL_FREEZE_CHECKPOINTED;

	if (is_pebs_pt(event))
		return INTEL_FREEZE_PEBS_PT;

	if (intel_pmu_has_bts(event))
		return INTEL_FREEZE_BTS;

	if (event->attr.sample_type & PERF_SAMPLE_READ &&
	    !intel_freeze_group_consents(event))
		return INTEL_FREEZE_READ;

	return INTEL_FREEZE_ACTIVE;
}

/* What there is against a freeze besides events */
static enum intel_freeze_reason
intel_freeze_check_cpu(const struct intel_freeze_cpu *freeze)
{
	if (!READ_ONCE(intel_freeze_on))
		return INTEL_FREEZE_OFF;

	if (!freeze->able)
		return INTEL_FREEZE_UNABLE;

	if (freeze->stuck)
		return INTEL_FREEZE_STUCK;

	if (freeze->tracers)
		return INTEL_FREEZE_TRACE;

	return INTEL_FREEZE_NO_EVENT;
}

/*
 * Events are on the list while they are throttled, so that unthrottling them
 * changes nothing.
 */
static enum intel_freeze_reason
intel_freeze_check(struct cpu_hw_events *cpuc, struct intel_freeze_cpu *freeze)
{
	enum intel_freeze_reason result = intel_freeze_check_cpu(freeze);
	int i;

	if (result != INTEL_FREEZE_NO_EVENT)
		return result;

	for (i = 0; i < cpuc->n_events; i++) {
		enum intel_freeze_reason reason;

		reason = intel_freeze_check_event(cpuc->event_list[i]);
		if (reason == INTEL_FREEZE_NO_EVENT)
			continue;

		result = reason;
		if (result != INTEL_FREEZE_ACTIVE)
			break;
	}

	return result;
}

/*
 * Arming and disarming
 */

/*
 * DEBUGCTL is shared with others that read, modify and write it. Interrupts are
 * off, and so are the counters and, before they start, the tracers: hence no PMI
 * can come in between; and none ever writes this bit, apart from the reset of a
 * stuck one.
 */
static void intel_freeze_write_debugctl(bool arm)
{
	u64 old, debugctl;

	rdmsrl(MSR_IA32_DEBUGCTLMSR, old);
	if (arm)
		debugctl = old | DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI;
	else
		debugctl = old & ~DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI;

	if (debugctl != old)
		wrmsrl(MSR_IA32_DEBUGCTLMSR, debugctl);
}

/* Raise a PMI again that was lost, for all that has overflowed */
static void intel_freeze_raise(struct cpu_hw_events *cpuc, u64 status)
{
	u64 wrapped = intel_pmi_wrapped(cpuc) & ~status;

	if (wrapped)
		wrmsrl(MSR_CORE_PERF_GLOBAL_STATUS_SET, wrapped);

	intel_pmi_unmask();
	if ((status | wrapped) & ~INTEL_PMI_STATE_BITS)
		__apic_send_IPI(smp_processor_id(), NMI_VECTOR);
}

/*
 * A freeze whose PMI was lost lasts forever, and the counters with it. End the
 * one that is found when the PMU is about to be enabled. The overflows are left
 * to the PMI: acknowledged here, one that is still on its way would find
 * nothing and be taken for an unknown NMI. So would a second one, hence only a
 * lost one is raised again.
 *
 * LVTPC tells which it is. A PMI is lost because LVTPC is masked, and nobody
 * but the handler unmasks it before this. Masked, it may also have been
 * delivered right now: then it has been handled before the status is read
 * again.
 */
static void intel_freeze_thaw(struct cpu_hw_events *cpuc)
{
	u64 status = intel_pmi_read_status();
	bool masked;

	if (likely(!(status & GLOBAL_STATUS_COUNTERS_FROZEN)))
		return;

	masked = apic_read(APIC_LVTPC) & APIC_LVT_MASKED;
	status = intel_pmi_read_status();
	if (!(status & GLOBAL_STATUS_COUNTERS_FROZEN))
		return;

	wrmsrl(MSR_CORE_PERF_GLOBAL_OVF_CTRL, GLOBAL_STATUS_COUNTERS_FROZEN);
	if (masked)
		intel_freeze_raise(cpuc, status);
}

/**
 * intel_freeze_update - Decide whether this CPU freezes its counters
 * @cpuc:	state of this CPU
 *
 * With interrupts off and GLOBAL_CTRL at 0, when the events to be run are
 * known and before they run.
 */
void intel_freeze_update(struct cpu_hw_events *cpuc)
{
	struct intel_freeze_cpu *freeze = this_cpu_ptr(&intel_freeze_cpu);
	unsigned int resets = __this_cpu_read(intel_pmi_cpu.resets);
	enum intel_freeze_reason reason;
	bool arm, armed = freeze->armed;

	/* Not again until the CPU restarts: the reason is not known */
	if (unlikely(freeze->resets != resets)) {
		freeze->resets = resets;
		freeze->stuck = true;
		freeze->stale = true;
	}

	reason = intel_freeze_check(cpuc, freeze);
	WRITE_ONCE(freeze->reason, reason);
	arm = reason == INTEL_FREEZE_ACTIVE;

	if (arm != armed || freeze->stale) {
		intel_freeze_write_debugctl(arm);
		freeze->armed = arm;
		freeze->stale = false;
		armed = true;
	}

	/* Also behind the bit that was just cleared: a freeze outlives it */
	if (armed)
		intel_freeze_thaw(cpuc);
}

/*
 * Guests
 */

/*
 * The freeze that is left by a PMI which was lost or has not arrived: neither
 * the guest nor what the host counts in it may stand still. No PMI enables the
 * counters in between, as in x86_pmu_disable(). What they are enabled by is
 * read before: a PMI leaves it at 0 afterwards.
 */
static noinline void intel_freeze_thaw_running(struct cpu_hw_events *cpuc)
{
	u64 ctrl;

	rdmsrl(MSR_CORE_PERF_GLOBAL_CTRL, ctrl);
	cpuc->enabled = 0;
	barrier();
	wrmsrl(MSR_CORE_PERF_GLOBAL_CTRL, 0);

	intel_freeze_thaw(cpuc);

	cpuc->enabled = 1;
	barrier();
	wrmsrl(MSR_CORE_PERF_GLOBAL_CTRL, ctrl);
}

static void intel_freeze_enter_guest(struct cpu_hw_events *cpuc)
{
	if (this_cpu_read(intel_freeze_cpu.armed) &&
	    intel_pmi_read_status() & GLOBAL_STATUS_COUNTERS_FROZEN)
		intel_freeze_thaw_running(cpuc);
}

/* KVM is about to enter a guest. Interrupts are off. */
static struct perf_guest_switch_msr *
intel_freeze_guest_get_msrs(int *nr, void *data)
{
	intel_freeze_enter_guest(this_cpu_ptr(&cpu_hw_events));

	return x86_pmu.guest_get_msrs(nr, data);
}

/*
 * The PMI
 */

/*
 * All counters stand still, and go on when the last write acknowledges the
 * freeze. That is why it has to be the last, with all bits that were read, and
 * why the PMU must have been enabled when the PMI came.
 *
 * Branch trace is not frozen and Intel PT raises PMIs of its own. Both are
 * known to be off. An armed PEBS counter that stands still writes no record, so
 * that nothing new can be reported before the acknowledge, and there is no need
 * for a second look.
 */
static bool intel_freeze_pmi(struct pt_regs *regs, struct cpu_hw_events *cpuc,
			     int *handled)
{
	struct intel_freeze_cpu *freeze = this_cpu_ptr(&intel_freeze_cpu);
	u64 status;

	if (!freeze->armed || freeze->tracers || !cpuc->enabled)
		return false;

	status = intel_pmi_read_status();
	if (!(status & GLOBAL_STATUS_COUNTERS_FROZEN))
		return false;

	/* What drains buffers and starts events expects that nothing counts */
	cpuc->enabled = 0;
	intel_pmu_lbr_read();
	*handled = intel_pmi_handle_status(regs, cpuc, status);

	/* Throttling stops a fixed counter here only */
	if (cpuc->fixed_ctrl_val != cpuc->active_fixed_ctrl_val) {
		wrmsrl(MSR_ARCH_PERFMON_FIXED_CTR_CTRL, cpuc->fixed_ctrl_val);
		cpuc->active_fixed_ctrl_val = cpuc->fixed_ctrl_val;
	}

	intel_pmi_unmask();
	cpuc->enabled = 1;
	wrmsrl(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);

	/* The reset of a stuck PMI has disabled the PMU behind our back */
	if (unlikely(freeze->resets != __this_cpu_read(intel_pmi_cpu.resets))) {
		freeze->armed = false;
		WRITE_ONCE(freeze->reason, INTEL_FREEZE_STUCK);
		__intel_pmu_enable_all(0, true);
	}

	return true;
}

/*
 * Others that have to do with it
 */

static void intel_freeze_recompute(void *unused)
{
	struct pmu *pmu = this_cpu_read(cpu_hw_events.pmu);

	if (!pmu)
		return;

	perf_pmu_disable(pmu);
	perf_pmu_enable(pmu);
}

/**
 * intel_freeze_add_tracer - Stop freezing before Intel PT or intel_bts start
 *
 * Their PMIs freeze the counters as well, for as long as their buffers take,
 * and they are not frozen themselves. Interrupts are off.
 */
void intel_freeze_add_tracer(void)
{
	struct cpu_hw_events *cpuc = this_cpu_ptr(&cpu_hw_events);

	if (this_cpu_inc_return(intel_freeze_cpu.tracers) > 1 ||
	    !this_cpu_read(intel_freeze_cpu.armed))
		return;

	/* Who schedules events has disabled the PMU until the tracer runs */
	perf_pmu_disable(cpuc->pmu);
	intel_freeze_update(cpuc);
	perf_pmu_enable(cpuc->pmu);
}

/**
 * intel_freeze_del_tracer - Intel PT or intel_bts has stopped on this CPU
 *
 * To be called once for each intel_freeze_add_tracer(), with interrupts off.
 */
void intel_freeze_del_tracer(void)
{
	if (!this_cpu_dec_return(intel_freeze_cpu.tracers) &&
	    READ_ONCE(intel_freeze_on))
		intel_freeze_recompute(NULL);
}

/*
 * See whether there is a bit to be set: a hypervisor may drop it. Before the
 * first event of a CPU. What firmware or another kernel has left running there
 * must not freeze meanwhile, and who schedules events starts the counters.
 */
static bool intel_freeze_probe(void)
{
	u64 debugctl, back;
	bool able;

	guard(irqsave)();
	wrmsrl(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	rdmsrl(MSR_IA32_DEBUGCTLMSR, debugctl);
	able = !wrmsrl_safe(MSR_IA32_DEBUGCTLMSR,
			    debugctl | DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI) &&
	       !rdmsrl_safe(MSR_IA32_DEBUGCTLMSR, &back) &&
	       (back & DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI);
	wrmsrl(MSR_IA32_DEBUGCTLMSR, debugctl);
	wrmsrl(MSR_CORE_PERF_GLOBAL_OVF_CTRL, GLOBAL_STATUS_COUNTERS_FROZEN);

	return able;
}

static void intel_freeze_cpu_starting(int cpu)
{
	struct intel_freeze_cpu *freeze = per_cpu_ptr(&intel_freeze_cpu, cpu);

	intel_freeze_base_cpu_starting(cpu);

	freeze->able = intel_freeze_probe();
	freeze->resets = per_cpu(intel_pmi_cpu, cpu).resets;
	freeze->armed = false;
	freeze->stale = false;
	freeze->stuck = false;
	WRITE_ONCE(freeze->reason, intel_freeze_check_cpu(freeze));
}

/*
 * Who gets this CPU next need not know of bit 59. Nobody here needs the counters
 * any more. Interrupts are off.
 */
static void intel_freeze_stop(void)
{
	wrmsrl(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	intel_freeze_write_debugctl(false);
	wrmsrl(MSR_CORE_PERF_GLOBAL_OVF_CTRL, GLOBAL_STATUS_COUNTERS_FROZEN);
	this_cpu_write(intel_freeze_cpu.armed, false);
}

/**
 * cpu_emergency_stop_freeze - Leave nothing frozen to the crash kernel
 *
 * For each CPU on its way there, wherever it was: in an NMI, with whatever lock.
 */
void cpu_emergency_stop_freeze(void)
{
	if (this_cpu_read(intel_freeze_cpu.armed))
		intel_freeze_stop();
}

static void intel_freeze_cpu_dying(int cpu)
{
	intel_freeze_stop();

	if (intel_freeze_base_cpu_dying)
		intel_freeze_base_cpu_dying(cpu);
}

/* The CPU that suspends the system does not go through CPU hotplug */
static void intel_freeze_resume(void *data)
{
	this_cpu_write(intel_freeze_cpu.stale, true);
}

static const struct syscore_ops intel_freeze_syscore_ops = {
	.resume		= intel_freeze_resume,
};

static struct syscore intel_freeze_syscore = {
	.ops		= &intel_freeze_syscore_ops,
};

/*
 * Static calls are changed outside of the decisions: handler and step are in
 * place before the first CPU is armed and until the last one is disarmed.
 */
static void intel_freeze_switch_locked(bool on)
{
	lockdep_assert_held(&intel_freeze_mutex);

	if (on == intel_freeze_on)
		return;

	if (on) {
		static_call_update(intel_pmi_frozen, intel_freeze_pmi);
		static_call_update(x86_pmu_before_enable, intel_freeze_update);
		static_call_update(x86_pmu_guest_get_msrs,
				   intel_freeze_guest_get_msrs);
	}

	WRITE_ONCE(intel_freeze_on, on);
	on_each_cpu(intel_freeze_recompute, NULL, 1);

	if (!on) {
		static_call_update(x86_pmu_guest_get_msrs,
				   x86_pmu.guest_get_msrs);
		static_call_update(x86_pmu_before_enable, NULL);
		static_call_update(intel_pmi_frozen,
				   (void *)&__static_call_return0);
	}
}

static int intel_freeze_switch(bool on)
{
	guard(mutex)(&intel_freeze_mutex);

	if (on && intel_freeze_down)
		return -EBUSY;

	intel_freeze_switch_locked(on);

	return 0;
}

/* A kernel that does not know of bit 59 would find all counters stopped */
static int intel_freeze_reboot(struct notifier_block *nb, unsigned long action,
			       void *data)
{
	guard(mutex)(&intel_freeze_mutex);

	intel_freeze_down = true;
	intel_freeze_switch_locked(false);

	return NOTIFY_DONE;
}

static struct notifier_block intel_freeze_reboot_nb = {
	.notifier_call	= intel_freeze_reboot,
};

/*
 * Interface and setup
 */

/**
 * intel_freeze_hw_config - Check attr.config3 of an event
 * @event:	event of the core PMU that is being opened
 *
 * A consent is no demand: the event opens wherever the format exists, whether
 * or not its counter will ever be frozen.
 *
 * Return: 0, or -EINVAL when a bit is set that has no meaning on this CPU.
 */
int intel_freeze_hw_config(struct perf_event *event)
{
	u64 valid = intel_freeze_possible ? INTEL_FREEZE_CONSENT : 0;

	return event->attr.config3 & ~valid ? -EINVAL : 0;
}

static umode_t intel_freeze_is_visible(struct kobject *kobj,
				       struct attribute *attr, int i)
{
	return intel_freeze_possible ? attr->mode : 0;
}

PMU_FORMAT_ATTR(freeze, "config3:0");

static struct attribute *intel_freeze_format_attrs[] = {
	&format_attr_freeze.attr,
	NULL
};

const struct attribute_group intel_freeze_format_group = {
	.name		= "format",
	.attrs		= intel_freeze_format_attrs,
	.is_visible	= intel_freeze_is_visible,
};

static ssize_t freeze_counters_show(struct device *dev,
				    struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", READ_ONCE(intel_freeze_on));
}

static ssize_t freeze_counters_store(struct device *dev,
				     struct device_attribute *attr,
				     const char *buf, size_t count)
{
	bool on;
	int ret;

	ret = kstrtobool(buf, &on);
	if (ret)
		return ret;

	ret = intel_freeze_switch(on);

	return ret ? ret : count;
}

static DEVICE_ATTR_RW(freeze_counters);

static const char * const intel_freeze_reasons[] = {
	[INTEL_FREEZE_OFF]		= "off",
	[INTEL_FREEZE_ACTIVE]		= "active",
	[INTEL_FREEZE_UNABLE]		= "not supported",
	[INTEL_FREEZE_STUCK]		= "stopped by a stuck interrupt",
	[INTEL_FREEZE_TRACE]		= "intel_pt or intel_bts",
	[INTEL_FREEZE_NO_EVENT]		= "no event",
	[INTEL_FREEZE_NO_CONSENT]	= "event without consent",
	[INTEL_FREEZE_COUNTING]		= "counting event",
	[INTEL_FREEZE_FREQUENCY]	= "event in frequency mode",
	[INTEL_FREEZE_READ]		= "group read without consent",
	[INTEL_FREEZE_GUEST]		= "guest event",
	[INTEL_FREEZE_CHECKPOINTED]	= "checkpointed event",
	[INTEL_FREEZE_TOPDOWN]		= "topdown event",
	[INTEL_FREEZE_PEBS_PT]		= "PEBS via PT",
	[INTEL_FREEZE_BTS]		= "branch trace event",
};

static_assert(ARRAY_SIZE(intel_freeze_reasons) == INTEL_FREEZE_REASONS);

/* One line for each reason that there is, with the CPUs that it holds for */
static ssize_t freeze_counters_state_show(struct device *dev,
					  struct device_attribute *attr,
					  char *buf)
{
	struct pmu *pmu = dev_get_drvdata(dev);
	unsigned int reason;
	cpumask_var_t cpus;
	int cpu, len = 0;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;

	cpus_read_lock();
	for (reason = 0; reason < INTEL_FREEZE_REASONS; reason++) {
		cpumask_clear(cpus);
		for_each_online_cpu(cpu) {
			if (per_cpu(cpu_hw_events, cpu).pmu == pmu &&
			    READ_ONCE(per_cpu(intel_freeze_cpu, cpu).reason) ==
			    reason)
				__cpumask_set_cpu(cpu, cpus);
		}
		if (!cpumask_empty(cpus))
			len += sysfs_emit_at(buf, len, "%s: %*pbl\n",
					     intel_freeze_reasons[reason],
					     cpumask_pr_args(cpus));
	}
	cpus_read_unlock();
	free_cpumask_var(cpus);

	return len;
}

static DEVICE_ATTR_RO(freeze_counters_state);

static struct attribute *intel_freeze_attrs[] = {
	&dev_attr_freeze_counters.attr,
	&dev_attr_freeze_counters_state.attr,
	NULL
};

const struct attribute_group intel_freeze_group = {
	.attrs		= intel_freeze_attrs,
	.is_visible	= intel_freeze_is_visible,
};

/*
 * On Goldmont, old microcode freezes wrongly, and the manual contradicts itself
 * on the branch records. Nobody has tried.
 */
static const struct x86_cpu_id intel_freeze_excluded[] __initconst = {
	X86_MATCH_VFM(INTEL_ATOM_GOLDMONT,	NULL),
	X86_MATCH_VFM(INTEL_ATOM_GOLDMONT_D,	NULL),
	X86_MATCH_VFM(INTEL_ATOM_GOLDMONT_PLUS,	NULL),
	{}
};

static int __init intel_freeze_setup(char *str)
{
	return !kstrtobool(str, &intel_freeze_on_at_boot);
}
__setup("intel_freeze_counters=", intel_freeze_setup);

static int __init intel_freeze_late_init(void)
{
	if (intel_freeze_possible && intel_freeze_on_at_boot)
		intel_freeze_switch(true);

	return 0;
}
device_initcall(intel_freeze_late_init);

/**
 * intel_freeze_init - Prepare counter freezing where the processor has it
 *
 * To be called once, after the model specific setup and intel_pmi_init(). The
 * other CPUs are probed when they start.
 */
void __init intel_freeze_init(void)
{
	if (x86_pmu.version < INTEL_PMI_VERSION ||
	    x86_match_cpu(intel_freeze_excluded) || !intel_freeze_probe())
		return;

	intel_freeze_possible = true;

	intel_freeze_base_cpu_starting = x86_pmu.cpu_starting;
	intel_freeze_base_cpu_dying = x86_pmu.cpu_dying;
	x86_pmu.cpu_starting = intel_freeze_cpu_starting;
	x86_pmu.cpu_dying = intel_freeze_cpu_dying;

	register_syscore(&intel_freeze_syscore);
	register_reboot_notifier(&intel_freeze_reboot_nb);
}
