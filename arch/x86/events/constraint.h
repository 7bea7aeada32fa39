/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ARCH_X86_EVENTS_CONSTRAINT_H
#define _ARCH_X86_EVENTS_CONSTRAINT_H

#include <linux/init.h>
#include <linux/static_call_types.h>
#include <linux/types.h>

struct cpu_hw_events;
struct event_constraint;
struct perf_event;

/*
 * A static constraint depends on the encoding of an event only. Two more
 * masks of counters narrow it on CPUs with PMU_FL_DYN_CONSTRAINT:
 *
 *  - hw_perf_event::dyn_constraint, set when the event is opened, for what
 *    the event's own attributes ask for. All ones: no restriction.
 *  - x86_group_constraint, asked in each scheduling pass, for what the other
 *    members of the group ask for. It clears bits in the mask; groups change
 *    while they exist, so the answer is not stored. It is asked when a group is
 *    validated, and on CPUs with events that need x86_pmu.late_setup.
 */
void x86_group_constraint(struct cpu_hw_events *cpuc, struct perf_event *event,
			  u64 *mask);
DECLARE_STATIC_CALL(x86_group_constraint, x86_group_constraint);

#ifdef CONFIG_CPU_SUP_INTEL

void __init x86_dyn_constraint_init(void);
struct event_constraint *
x86_narrow_constraint(struct event_constraint *c,
		      struct event_constraint *entry, u64 mask);
int x86_match_events(struct event_constraint **constraints, int n,
		     int *assign);

#else /* !CONFIG_CPU_SUP_INTEL */

static inline int x86_match_events(struct event_constraint **constraints,
				   int n, int *assign)
{
	return n;
}

#endif /* CONFIG_CPU_SUP_INTEL */
#endif /* _ARCH_X86_EVENTS_CONSTRAINT_H */
