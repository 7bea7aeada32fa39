/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ARCH_X86_EVENTS_INTEL_FREEZE_H
#define _ARCH_X86_EVENTS_INTEL_FREEZE_H

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/perf_event.h>
#include <linux/types.h>

struct attribute_group;
struct cpu_hw_events;

/* attr.config3: the owner of the event allows that its counter is frozen */
#define INTEL_FREEZE_CONSENT	BIT_ULL(0)

/**
 * enum intel_freeze_reason - Why a CPU freezes its counters, or does not
 * @INTEL_FREEZE_OFF:		the switch is off
 * @INTEL_FREEZE_ACTIVE:	it does
 * @INTEL_FREEZE_UNABLE:	hardware or hypervisor ignores DEBUGCTL bit 12
 * @INTEL_FREEZE_STUCK:		the PMU was reset because of a stuck PMI
 * @INTEL_FREEZE_TRACE:		Intel PT or the intel_bts PMU runs
 * @INTEL_FREEZE_NO_EVENT:	nobody asks for it: no event but the watchdog's
 * @INTEL_FREEZE_NO_CONSENT:	an event has no consent
 * @INTEL_FREEZE_COUNTING:	an event counts and does not sample
 * @INTEL_FREEZE_FREQUENCY:	an event has no fixed period
 * @INTEL_FREEZE_READ:		a sample reads group members without consent
 * @INTEL_FREEZE_GUEST:		an event counts in guests only
 * @INTEL_FREEZE_CHECKPOINTED:	an event is rolled back with its transaction
 * @INTEL_FREEZE_TOPDOWN:	an event is a TopDown metric or their slots
 * @INTEL_FREEZE_PEBS_PT:	an event writes its records to Intel PT
 * @INTEL_FREEZE_BTS:		an event is a branch trace
 * @INTEL_FREEZE_REASONS:	number of reasons
 */
enum intel_freeze_reason {
	INTEL_FREEZE_OFF,
	INTEL_FREEZE_ACTIVE,
	INTEL_FREEZE_UNABLE,
	INTEL_FREEZE_STUCK,
	INTEL_FREEZE_TRACE,
	INTEL_FREEZE_NO_EVENT,
	INTEL_FREEZE_NO_CONSENT,
	INTEL_FREEZE_COUNTING,
	INTEL_FREEZE_FREQUENCY,
	INTEL_FREEZE_READ,
	INTEL_FREEZE_GUEST,
	INTEL_FREEZE_CHECKPOINTED,
	INTEL_FREEZE_TOPDOWN,
	INTEL_FREEZE_PEBS_PT,
	INTEL_FREEZE_BTS,
	INTEL_FREEZE_REASONS,
};

/**
 * struct intel_freeze_cpu - State of counter freezing on one CPU
 * @reason:	what was decided when the PMU was enabled last; read by others
 * @resets:	resets of the PMU that this CPU knows of, see struct
 *		intel_pmi_cpu
 * @tracers:	events of Intel PT and intel_bts on this CPU, running or not
 * @armed:	DEBUGCTL bit 12 was set last, not cleared
 * @stale:	DEBUGCTL may have changed since
 * @able:	DEBUGCTL bit 12 reads back as it was written
 * @stuck:	a stuck PMI has reset the PMU since this CPU started
 *
 * Only written by the CPU that it belongs to, with interrupts off.
 */
struct intel_freeze_cpu {
	enum intel_freeze_reason	reason;
	unsigned int			resets;
	int				tracers;
	bool				armed;
	bool				stale;
	bool				able;
	bool				stuck;
};

#ifdef CONFIG_PERF_EVENTS_INTEL_FREEZE

extern const struct attribute_group intel_freeze_format_group;
extern const struct attribute_group intel_freeze_group;

void __init intel_freeze_init(void);
int intel_freeze_hw_config(struct perf_event *event);
enum intel_freeze_reason intel_freeze_check_event(struct perf_event *event);
void intel_freeze_update(struct cpu_hw_events *cpuc);
void intel_freeze_add_tracer(void);
void intel_freeze_del_tracer(void);

#else /* !CONFIG_PERF_EVENTS_INTEL_FREEZE */

static inline void intel_freeze_init(void)
{
}

static inline int intel_freeze_hw_config(struct perf_event *event)
{
	return event->attr.config3 ? -EINVAL : 0;
}

static inline void intel_freeze_add_tracer(void)
{
}

static inline void intel_freeze_del_tracer(void)
{
}

#endif /* CONFIG_PERF_EVENTS_INTEL_FREEZE */
#endif /* _ARCH_X86_EVENTS_INTEL_FREEZE_H */
