// SPDX-License-Identifier: GPL-2.0
/*
 * Counter constraints of single events, and counter assignment that copes
 * with them.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/perf_event.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include "perf_event.h"
#include "constraint.h"

DEFINE_STATIC_CALL_NULL(x86_group_constraint, x86_group_constraint);

/* What x86_pmu.get_event_constraints was before x86_dyn_constraint_init() */
DEFINE_STATIC_CALL_NULL(x86_static_constraints, *x86_pmu.get_event_constraints);

/**
 * x86_narrow_constraint - Remove counters from a constraint
 * @c:		constraint to start from; not modified unless it is @entry
 * @entry:	where to put a narrowed copy
 * @mask:	counters that may stay, bit n is counter index n
 *
 * Return: @c when @mask removes nothing, else @entry. The result can be empty
 * (weight 0); no counter is found for such an event.
 */
struct event_constraint *
x86_narrow_constraint(struct event_constraint *c,
		      struct event_constraint *entry, u64 mask)
{
	if (!(c->idxmsk64 & ~mask))
		return c;

	if (c != entry)
		*entry = *c;

	entry->idxmsk64 &= mask;
	entry->weight = hweight64(entry->idxmsk64);
	entry->flags |= PERF_X86_EVENT_DYNAMIC;

	return entry;
}

static noinline struct event_constraint *
x86_narrowed_constraints(struct cpu_hw_events *cpuc, int idx,
			 struct perf_event *event)
{
	u64 mask = event->hw.dyn_constraint;
	struct event_constraint *c;

	c = static_call(x86_static_constraints)(cpuc, idx, event);
	static_call_cond(x86_group_constraint)(cpuc, event, &mask);

	return x86_narrow_constraint(c, &cpuc->constraint_list[idx], mask);
}

/*
 * The last step of all: the model specific functions below return constants
 * for precise events, which have to be narrowed as well.
 */
static struct event_constraint *
x86_dyn_event_constraints(struct cpu_hw_events *cpuc, int idx,
			  struct perf_event *event)
{
	/* In the path of context switches, where few events ask for anything */
	if (unlikely(event->hw.dyn_constraint != ~0ULL ||
		     cpuc->n_late_setup || cpuc->is_fake))
		return x86_narrowed_constraints(cpuc, idx, event);

	return static_call(x86_static_constraints)(cpuc, idx, event);
}

/**
 * x86_dyn_constraint_init - Install dynamic constraints where a feature needs them
 *
 * To be called once, after the model specific setup of x86_pmu and before its
 * static calls are updated. Without PMU_FL_DYN_CONSTRAINT nothing changes.
 */
void __init x86_dyn_constraint_init(void)
{
	if (!(x86_pmu.flags & PMU_FL_DYN_CONSTRAINT))
		return;

	static_call_update(x86_static_constraints,
			   x86_pmu.get_event_constraints);
	x86_pmu.get_event_constraints = x86_dyn_event_constraints;
}

/**
 * x86_match_events - Find a counter for each event whenever that is possible
 * @constraints:	the counters that each event can use
 * @n:			number of events, 1..X86_PMC_IDX_MAX
 * @assign:		receives the counter index of each event, or NULL
 *
 * perf_assign_events() takes the first free counter for each event. With masks
 * that overlap without one being a subset of the other it can run into a dead
 * end, and it goes back for two marked constraints only. Start over and look
 * for augmenting paths: an event without a free counter takes the one of
 * another event that can move, directly or in a chain of moves. This finds a
 * complete assignment if one exists, in O(n^2 * X86_PMC_IDX_MAX) steps.
 *
 * Fixed counters have the higher indexes and are preferred, as
 * perf_assign_events() does.
 *
 * Return: 0, or @n when the events cannot be scheduled together.
 */
int x86_match_events(struct event_constraint **constraints, int n, int *assign)
{
	s8 counter[X86_PMC_IDX_MAX], owner[X86_PMC_IDX_MAX];
	s8 via[X86_PMC_IDX_MAX], queue[X86_PMC_IDX_MAX];
	u64 counters = 0;
	int i;

	/* What most groups fail for that have to wait for their turn */
	for (i = 0; i < n; i++)
		counters |= constraints[i]->idxmsk64;
	if (hweight64(counters) < n)
		return n;

	memset(counter, -1, sizeof(counter));
	memset(owner, -1, sizeof(owner));

	for (i = 0; i < n; i++) {
		int head = 0, tail = 0, idx = -1;
		u64 seen = 0;

		queue[tail++] = i;
		while (head < tail && idx < 0) {
			int event = queue[head++];
			u64 left = constraints[event]->idxmsk64 & ~seen;

			while (left) {
				int c = fls64(left) - 1;

				left &= ~BIT_ULL(c);
				seen |= BIT_ULL(c);
				via[c] = event;
				if (owner[c] < 0) {
					idx = c;
					break;
				}
				queue[tail++] = owner[c];
			}
		}
		if (idx < 0)
			return n;

		/* Move each event of the chain to the counter found for it */
		while (idx >= 0) {
			int event = via[idx], old = counter[event];

			counter[event] = idx;
			owner[idx] = event;
			idx = old;
		}
	}

	for (i = 0; assign && i < n; i++)
		assign[i] = counter[i];

	return 0;
}
