// SPDX-License-Identifier: GPL-2.0
/*
 * The PMI of Intel core PMUs with perfmon version 4 and up
 *
 * Three things stop when a counter overflows, and have to be started again:
 *
 *  - LVTPC. The local APIC masks it when it delivers the interrupt. A PMI that
 *    is raised while it is masked is lost.
 *  - The last branch records, and the counters where this was asked for. They
 *    are frozen until the bits 58 and 59 of GLOBAL_STATUS are acknowledged.
 *  - The counters, which the handler disables through GLOBAL_CTRL.
 *
 * The order is what makes it work, and it is the same for all of these CPUs:
 *
 *	GLOBAL_CTRL = 0		nothing overflows from here on
 *	handle the status	branch records and counters stand still
 *	unmask LVTPC
 *	acknowledge the status	branches are recorded again
 *	GLOBAL_CTRL = old value	a new overflow finds LVTPC open
 *
 * If LVTPC were unmasked last, a counter could overflow in between: it would
 * freeze the branch records, or all counters, and its PMI would be lost, so
 * that they stayed frozen. If the status were acknowledged first, the branch
 * records would be those of the handler. Writing the APIC need not serialize
 * with x2APIC, but the WRMSR behind it does.
 */
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/static_call.h>

#include <asm/apic.h>
#include <asm/debugreg.h>
#include <asm/intel_ds.h>
#include <asm/msr.h>
#include <asm/perf_event.h>

#include "../perf_event.h"
#include "bts.h"
#include "pmi.h"

/* How often a PMI looks again, and how many in a row may achieve nothing */
#define PMI_MAX_ROUNDS		100
#define PMI_MAX_IDLE		100

DEFINE_PER_CPU(struct intel_pmi_cpu, intel_pmi_cpu);

DEFINE_STATIC_CALL_RET0(intel_pmi_frozen, intel_pmi_frozen);

/**
 * intel_pmi_unmask - Let the local APIC deliver the next PMI
 *
 * To be called while no counter counts, before the status is acknowledged.
 */
void intel_pmi_unmask(void)
{
	apic_write(APIC_LVTPC, APIC_DM_NMI);
}

/* Does the counter start below zero, so that its sign tells an overflow? */
static bool intel_pmi_sign_tells(struct cpu_hw_events *cpuc, int idx)
{
	struct perf_event *event = cpuc->events[idx];

	if (idx >= INTEL_PMC_IDX_FIXED_BTS || is_topdown_count(event))
		return false;

	/* Reloaded by hardware, or armed and waiting for one more event */
	return !(cpuc->pebs_enabled & BIT_ULL(idx));
}

/**
 * intel_pmi_wrapped - Find counters that have overflowed, whatever status says
 * @cpuc:	state of this CPU
 *
 * For PMIs that come with a frozen state and no overflow to explain it. The
 * counters must stand still.
 *
 * Return: the counters, in the layout of GLOBAL_STATUS. Those that write PEBS
 * records and those of TopDown are left out.
 */
u64 intel_pmi_wrapped(struct cpu_hw_events *cpuc)
{
	u64 sign = BIT_ULL(x86_pmu.cntval_bits - 1), wrapped = 0, value;
	int idx;

	for_each_set_bit(idx, cpuc->active_mask, X86_PMC_IDX_MAX) {
		if (!intel_pmi_sign_tells(cpuc, idx))
			continue;

		rdpmcl(cpuc->events[idx]->hw.event_base_rdpmc, value);
		if (!(value & sign))
			wrapped |= BIT_ULL(idx);
	}

	return wrapped;
}

/*
 * The PMI, on the CPU that got it
 */

/* Say it once, and give up what is counted now rather than the CPU */
static void intel_pmi_stuck(struct intel_pmi_cpu *pmi)
{
	static bool warned;

	if (!warned) {
		warned = true;
		WARN(1, "perfevents: irq loop stuck!\n");
		perf_event_print_debug();
	}

	pmi->idle = 0;
	intel_pmu_reset();
}

/*
 * Now and then a PMI comes when its event has gone. If they go on without an
 * overflow in between, something raises them that nobody handles. How fast they
 * come does not matter, so that a slow machine is no excuse.
 */
static void intel_pmi_no_progress(struct intel_pmi_cpu *pmi)
{
	if (++pmi->idle > PMI_MAX_IDLE)
		intel_pmi_stuck(pmi);
}

/* The local APIC masks LVTPC when it delivers a PMI. Others' NMIs leave it alone. */
static bool intel_pmi_delivered(void)
{
	return apic_read(APIC_LVTPC) & APIC_LVT_MASKED;
}

static bool intel_pmi_has_records(struct cpu_hw_events *cpuc)
{
	struct debug_store *ds = cpuc->ds;

	return ds && ds->pebs_index > ds->pebs_buffer_base;
}

/*
 * A guest has its records in a buffer of its own. The PMI is passed on to it as
 * an overflow of the event that stands for the guest's.
 */
static bool intel_pmi_has_guest_records(struct cpu_hw_events *cpuc)
{
	return x86_pmu.pebs_ept && perf_guest_state() &&
	       cpuc->pebs_enabled & ~cpuc->intel_ctrl_host_mask;
}

/**
 * intel_pmi_handle_status - Handle what GLOBAL_STATUS reports
 * @regs:	registers of the interrupted code
 * @cpuc:	state of this CPU
 * @status:	bits to be handled, not 0; the caller acknowledges them
 *
 * Bits that only tell a state are not handled and do not count.
 *
 * Return: number of overflows handled.
 */
int intel_pmi_handle_status(struct pt_regs *regs, struct cpu_hw_events *cpuc,
			    u64 status)
{
	struct intel_pmi_cpu *pmi = this_cpu_ptr(&intel_pmi_cpu);
	u64 events = status & ~INTEL_PMI_STATE_BITS;
	unsigned int periods = pmi->periods;
	bool progress;
	int handled;

	if (unlikely(!events)) {
		/* Nothing stood still that would explain a look at counters */
		if (!(status & INTEL_PMI_FROZEN_BITS)) {
			if (intel_pmi_delivered())
				intel_pmi_no_progress(pmi);
			return 0;
		}

		/* Something was frozen, and the PMI of its reason was lost */
		events = intel_pmi_wrapped(cpuc);
	}

	progress = events & INTEL_PMI_OTHER_BITS;
	if (events & GLOBAL_STATUS_BUFFER_OVF)
		progress |= intel_pmi_has_records(cpuc) ||
			    intel_pmi_has_guest_records(cpuc);

	handled = intel_pmu_handle_overflows(regs, events);

	if (likely(progress || pmi->periods != periods))
		pmi->idle = 0;
	else
		intel_pmi_no_progress(pmi);

	return handled;
}

/*
 * Handle and acknowledge everything there is, besides what this PMI has handled
 * before. All counters are disabled.
 */
static int intel_pmi_process(struct pt_regs *regs, struct cpu_hw_events *cpuc,
			     int handled)
{
	int rounds = PMI_MAX_ROUNDS;
	u64 status;

	status = intel_pmi_read_status();
	if (unlikely(!status)) {
		bool delivered = intel_pmi_delivered();

		/*
		 * The PMI before has handled this one as well. Whatever came
		 * since, while LVTPC was masked, has no other PMI.
		 */
		intel_pmi_unmask();
		status = intel_pmi_read_status();
		if (!status) {
			if (delivered && !handled)
				intel_pmi_no_progress(this_cpu_ptr(&intel_pmi_cpu));
			return handled;
		}
	}

	/* Once: from the acknowledge on it is the handler that is recorded */
	intel_pmu_lbr_read();

	do {
		handled += intel_pmi_handle_status(regs, cpuc, status);

		intel_pmi_unmask();
		wrmsrl(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);

		/*
		 * Only what was read is acknowledged. Processor trace goes on
		 * during all this, its PMI may have been lost.
		 */
		status = intel_pmi_read_status();
	} while (unlikely(status) && --rounds);

	if (unlikely(status))
		intel_pmi_stuck(this_cpu_ptr(&intel_pmi_cpu));

	return handled;
}

/* Does anybody on this CPU use branch trace store, which goes on by itself? */
static bool intel_pmi_has_bts(struct cpu_hw_events *cpuc)
{
	return test_bit(INTEL_PMC_IDX_FIXED_BTS, cpuc->active_mask) ||
	       __this_cpu_read(intel_pmi_cpu.bts);
}

/*
 * With GLOBAL_CTRL at 0: the event of the core PMU is in its events, too. The
 * PMI of a full buffer has no bit in the status.
 */
static noinline int intel_pmi_stop_bts(struct cpu_hw_events *cpuc)
{
	int handled;

	intel_bts_disable_local();
	intel_pmu_stop_bts_event(cpuc);

	handled = intel_pmu_drain_bts_buffer() + intel_bts_interrupt();
	if (handled)
		__this_cpu_write(intel_pmi_cpu.idle, 0);

	return handled;
}

static int intel_pmi_handle(struct pt_regs *regs, struct cpu_hw_events *cpuc)
{
	int enabled = cpuc->enabled, handled;
	bool bts = intel_pmi_has_bts(cpuc);

	__this_cpu_write(intel_pmi_cpu.off, !enabled);
	if (static_call(intel_pmi_frozen)(regs, cpuc, &handled))
		return handled;

	cpuc->enabled = 0;
	wrmsrl(MSR_CORE_PERF_GLOBAL_CTRL, 0);

	handled = unlikely(bts) ? intel_pmi_stop_bts(cpuc) : 0;
	handled = intel_pmi_process(regs, cpuc, handled);

	/* Not if the PMI hit x86_pmu_disable(), which is about to disable */
	cpuc->enabled = enabled;
	if (enabled)
		__intel_pmu_enable_all(0, true);
	if (unlikely(bts))
		intel_bts_enable_local();

	return handled;
}

/**
 * intel_pmi_handle_irq - Handle a PMI
 * @regs:	registers of the interrupted code
 *
 * Return: number of overflows handled, 0 if there was none. More than one
 * makes the NMI code swallow a later NMI that nobody claims.
 */
int intel_pmi_handle_irq(struct pt_regs *regs)
{
	return intel_pmi_handle(regs, this_cpu_ptr(&cpu_hw_events));
}

/*
 * CPUs that start or are reset, with interrupts off, and setup
 */

/* A freeze outlives the permission to freeze: it has to be ended after this */
static void intel_pmi_forbid_freeze(void)
{
	u64 debugctl;

	rdmsrl(MSR_IA32_DEBUGCTLMSR, debugctl);
	if (debugctl & DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI) {
		debugctl &= ~DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI;
		wrmsrl(MSR_IA32_DEBUGCTLMSR, debugctl);
	}
}

/**
 * intel_pmi_cpu_starting - End a freeze that this kernel has not asked for
 *
 * Firmware or another kernel may have left one, a kernel that crashed most of
 * all. Nothing would count, and no PMI ever come. Whether this kernel is able
 * to freeze counters does not matter. For the CPU that starts, before its
 * first event.
 *
 * Counters that they have left running are stopped first, so that none freezes
 * behind this. They stay stopped until the first event is scheduled.
 */
void intel_pmi_cpu_starting(void)
{
	u64 frozen;

	if (x86_pmu.version < INTEL_PMI_VERSION)
		return;

	wrmsrl(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	intel_pmi_forbid_freeze();

	frozen = intel_pmi_read_status() & INTEL_PMI_FROZEN_BITS;
	if (frozen)
		wrmsrl(MSR_CORE_PERF_GLOBAL_OVF_CTRL, frozen);
}

/**
 * intel_pmi_reset - Leave nothing frozen and no PMI masked
 *
 * The part of intel_pmu_reset() that has no event and no counter. Interrupts
 * are off and GLOBAL_CTRL is 0.
 */
void intel_pmi_reset(void)
{
	if (x86_pmu.version < INTEL_PMI_VERSION)
		return;

	__this_cpu_inc(intel_pmi_cpu.resets);

	intel_pmi_forbid_freeze();
	intel_pmi_unmask();
	wrmsrl(MSR_CORE_PERF_GLOBAL_OVF_CTRL, INTEL_PMI_FROZEN_BITS);
}

/**
 * intel_pmi_init - Install the PMI handler of this file where it fits
 *
 * To be called once, after the model specific setup and before the update of
 * the static calls. Hybrid processors have had version 5 from the start, on
 * all types of core.
 *
 * No model says which handler it is: a hypervisor may show version 2 of any of
 * them. That is why new models still set late_ack and mid_ack, which only the
 * handler of the versions before looks at.
 */
void __init intel_pmi_init(void)
{
	if (x86_pmu.version >= INTEL_PMI_VERSION)
		x86_pmu.handle_irq = intel_pmi_handle_irq;
}
