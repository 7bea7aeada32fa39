/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ARCH_X86_EVENTS_INTEL_PMI_H
#define _ARCH_X86_EVENTS_INTEL_PMI_H

#include <linux/init.h>
#include <linux/percpu.h>
#include <linux/static_call_types.h>
#include <linux/types.h>

#include <asm/msr.h>
#include <asm/perf_event.h>

struct cpu_hw_events;
struct pt_regs;

/* What stands still until these bits of GLOBAL_STATUS are acknowledged */
#define INTEL_PMI_FROZEN_BITS	(GLOBAL_STATUS_COUNTERS_FROZEN |	\
				 GLOBAL_STATUS_LBRS_FROZEN)

/*
 * Bits of GLOBAL_STATUS that tell a state. None of them is an overflow by
 * itself, and some are the index of a counter elsewhere.
 */
#define INTEL_PMI_STATE_BITS	(GLOBAL_STATUS_COND_CHG |		\
				 GLOBAL_STATUS_UNC_OVF |		\
				 GLOBAL_STATUS_ASIF |			\
				 INTEL_PMI_FROZEN_BITS)

/* Overflows that do not start a new period of an event's counter */
#define INTEL_PMI_OTHER_BITS	(GLOBAL_STATUS_TRACE_TOPAPMI |		\
				 GLOBAL_STATUS_PERF_METRICS_OVF)

/* First version of perfmon with a status that freezes and is cleared by bits */
#define INTEL_PMI_VERSION	4

/**
 * struct intel_pmi_cpu - Progress of the PMIs of one CPU
 * @periods:	number of periods that counters have begun, modulo 2^32; only
 *		compared with itself
 * @idle:	PMIs in a row without progress
 * @resets:	number of times that intel_pmi_reset() was called, modulo 2^32
 * @bts:	number of events of the intel_bts PMU on this CPU, running or not
 * @off:	the last PMI came while the PMU was off: late, in the middle of what
 *		is done to counters and events then
 *
 * Only written by the CPU that it belongs to, in the PMI or with interrupts
 * off.
 */
struct intel_pmi_cpu {
	unsigned int	periods;
	unsigned int	idle;
	unsigned int	resets;
	unsigned int	bts;
	bool		off;
};

DECLARE_PER_CPU(struct intel_pmi_cpu, intel_pmi_cpu);

/**
 * intel_pmi_new_period - Note that a counter has begun a new period
 *
 * To be called in the PMI. A PMI without any is suspicious.
 */
static inline void intel_pmi_new_period(void)
{
	__this_cpu_inc(intel_pmi_cpu.periods);
}

/**
 * intel_pmi_add_bts - Make the PMI look after the intel_bts PMU
 *
 * To be called before an event of that PMU starts, with interrupts off.
 */
static inline void intel_pmi_add_bts(void)
{
	__this_cpu_inc(intel_pmi_cpu.bts);
}

/**
 * intel_pmi_del_bts - Undo intel_pmi_add_bts()
 */
static inline void intel_pmi_del_bts(void)
{
	__this_cpu_dec(intel_pmi_cpu.bts);
}

/**
 * intel_pmi_read_status - Read GLOBAL_STATUS
 *
 * Return: what has overflowed, a bit for each counter, and the bits of
 * INTEL_PMI_STATE_BITS.
 */
static inline u64 intel_pmi_read_status(void)
{
	u64 status;

	rdmsrl(MSR_CORE_PERF_GLOBAL_STATUS, status);

	return status;
}

/**
 * intel_pmi_frozen - Handle a PMI that found the counters frozen
 * @regs:	registers of the interrupted code
 * @cpuc:	state of this CPU
 * @handled:	receives the number of overflows handled, if true is returned
 *
 * Return: false if nothing was done, and the PMI has to be handled with the
 * counters disabled.
 */
bool intel_pmi_frozen(struct pt_regs *regs, struct cpu_hw_events *cpuc,
		      int *handled);
DECLARE_STATIC_CALL(intel_pmi_frozen, intel_pmi_frozen);

int intel_pmi_handle_irq(struct pt_regs *regs);
int intel_pmi_handle_status(struct pt_regs *regs, struct cpu_hw_events *cpuc,
			    u64 status);
void intel_pmi_unmask(void);
u64 intel_pmi_wrapped(struct cpu_hw_events *cpuc);
void intel_pmi_cpu_starting(void);
void intel_pmi_reset(void);
void __init intel_pmi_init(void);

/* Of core.c */
void __intel_pmu_enable_all(int added, bool pmi);
int intel_pmu_handle_overflows(struct pt_regs *regs, u64 status);
void intel_pmu_reset(void);

#endif /* _ARCH_X86_EVENTS_INTEL_PMI_H */
