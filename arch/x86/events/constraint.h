/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ARCH_X86_EVENTS_CONSTRAINT_H
#define _ARCH_X86_EVENTS_CONSTRAINT_H

#include <linux/init.h>
#include <linux/types.h>

struct cpu_hw_events;
struct event_constraint;
struct perf_event;

/**
 * struct x86_dyn_feature - A feature that narrows constraints within groups
 * @constrain:	asked in each scheduling pass and when a group is validated, for
 *		what the other members of the group of an event ask for. Clears
 *		bits in the mask; groups change while they exist, so the answer
 *		is not stored. Only on CPUs with events that need
 *		x86_pmu_late_setup, but for validation
 * @uses:	tells whether an event uses the feature, from when it was opened
 *		until it is freed. It needs a dynamic constraint, too
 * @in_use:	the first event that does is about to exist, or none does any
 *		more. May sleep and patch code
 * @no_counters: a group was refused that would have been accepted without
 *		dynamic constraints. @event is the one that was to be opened,
 *		@starved a member that has no counter even alone, or NULL
 *
 * A static constraint depends on the encoding of an event only. Two more masks of
 * counters narrow it on CPUs with PMU_FL_DYN_CONSTRAINT: that of @constrain, and
 * hw_perf_event::dyn_constraint for what the event's own attributes ask for. The
 * latter is set when the event is opened; all ones are no restriction. A group
 * can be narrowed only if one of its members has such a restriction.
 */
struct x86_dyn_feature {
	void	(*constrain)(struct cpu_hw_events *cpuc,
			     struct perf_event *event, u64 *mask);
	bool	(*uses)(const struct perf_event *event);
	void	(*in_use)(bool on);
	void	(*no_counters)(struct perf_event *event,
			       const struct perf_event *starved);
};

#ifdef CONFIG_CPU_SUP_INTEL

void __init x86_dyn_constraint_init(void);
void __init x86_dyn_constraint_register(const struct x86_dyn_feature *feature);
bool x86_group_is_narrowed(struct perf_event *event);
int x86_validate_constraints(struct cpu_hw_events *fake, int n,
			     struct perf_event *event, int ret);
struct event_constraint *
x86_narrow_constraint(struct event_constraint *c,
		      struct event_constraint *entry, u64 mask);
int x86_match_events(struct event_constraint **constraints, int n,
		     int *assign);

#else /* !CONFIG_CPU_SUP_INTEL */

static inline bool x86_group_is_narrowed(struct perf_event *event)
{
	return false;
}

static inline int x86_validate_constraints(struct cpu_hw_events *fake, int n,
					   struct perf_event *event, int ret)
{
	return ret;
}

static inline int x86_match_events(struct event_constraint **constraints,
				   int n, int *assign)
{
	return n;
}

#endif /* CONFIG_CPU_SUP_INTEL */
#endif /* _ARCH_X86_EVENTS_CONSTRAINT_H */
