// SPDX-License-Identifier: GPL-2.0
/*
 * Counter constraints of single events, and counter assignment that copes
 * with them.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/cleanup.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "perf_event.h"
#include "constraint.h"

/* Protects what is installed, and numbers of events from becoming more than 0 */
static DEFINE_MUTEX(x86_dyn_mutex);

static const struct x86_dyn_feature *x86_dyn_feature __ro_after_init;

/* x86_pmu.get_event_constraints, for x86_dyn_event_constraints() */
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

static struct event_constraint *
x86_narrow_event(struct cpu_hw_events *cpuc, int idx, struct perf_event *event,
		 struct event_constraint *c)
{
	u64 mask = event->hw.dyn_constraint;

	if (x86_dyn_feature)
		x86_dyn_feature->constrain(cpuc, event, &mask);

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
	struct event_constraint *c;

	c = static_call(x86_static_constraints)(cpuc, idx, event);

	/* In the path of context switches, where few events ask for anything */
	if (unlikely(event->hw.dyn_constraint != ~0ULL || cpuc->n_late_setup))
		return x86_narrow_event(cpuc, idx, event, c);

	return c;
}

/*
 * Events
 */

/**
 * struct x86_dyn_code - Code that is in the way only while events need it
 * @install:	put it there, or take it away; may sleep and patch code
 * @events:	number of events that need it
 * @installed:	it is there
 * @uninstall:	takes it away a second after the last event has gone
 *
 * Others find the static calls of their paths as they are without all this.
 */
struct x86_dyn_code {
	void			(*install)(bool on);
	atomic_t		events;
	bool			installed;
	struct delayed_work	uninstall;
};

static void x86_dyn_set(struct x86_dyn_code *code, bool on)
{
	lockdep_assert_held(&x86_dyn_mutex);

	if (code->installed == on)
		return;

	code->installed = on;
	code->install(on);
}

static void x86_dyn_uninstall(struct work_struct *work)
{
	struct x86_dyn_code *code;

	code = container_of(to_delayed_work(work), struct x86_dyn_code,
			    uninstall);
	guard(mutex)(&x86_dyn_mutex);

	if (!atomic_read(&code->events))
		x86_dyn_set(code, false);
}

static void x86_dyn_account(struct x86_dyn_code *code, bool exists)
{
	/* Soon there may be the next one */
	if (!exists) {
		if (atomic_dec_and_test(&code->events))
			schedule_delayed_work(&code->uninstall, HZ);
		return;
	}

	if (atomic_inc_not_zero(&code->events))
		return;

	guard(mutex)(&x86_dyn_mutex);

	/* Those who come now have to wait until everything is installed */
	x86_dyn_set(code, true);
	atomic_inc(&code->events);
}

static void x86_dyn_install_constraints(bool on)
{
	static_call_update(x86_pmu_get_event_constraints,
			   on ? x86_dyn_event_constraints :
			   x86_pmu.get_event_constraints);
}

static void x86_dyn_install_feature(bool on)
{
	x86_dyn_feature->in_use(on);
}

/* For each event with a dynamic constraint of its own */
static struct x86_dyn_code x86_dyn_constraints = {
	.install	= x86_dyn_install_constraints,
	.uninstall	= __DELAYED_WORK_INITIALIZER(x86_dyn_constraints.uninstall,
						     x86_dyn_uninstall, 0),
};

/* For those of them that use the feature */
static struct x86_dyn_code x86_dyn_feature_code = {
	.install	= x86_dyn_install_feature,
	.uninstall	= __DELAYED_WORK_INITIALIZER(x86_dyn_feature_code.uninstall,
						     x86_dyn_uninstall, 0),
};

static void x86_dyn_event_account(struct perf_event *event, bool exists)
{
	if (event->hw.dyn_constraint == ~0ULL)
		return;

	x86_dyn_account(&x86_dyn_constraints, exists);
	if (x86_dyn_feature && x86_dyn_feature->uses(event))
		x86_dyn_account(&x86_dyn_feature_code, exists);
}

/**
 * x86_dyn_constraint_init - Prepare dynamic constraints where a feature needs them
 *
 * To be called once, after the model specific setup of x86_pmu. Without
 * PMU_FL_DYN_CONSTRAINT nothing happens. With it, x86_pmu_get_event_constraints is
 * another one as long as events with a dynamic constraint exist.
 */
void __init x86_dyn_constraint_init(void)
{
	if (!(x86_pmu.flags & PMU_FL_DYN_CONSTRAINT))
		return;

	static_call_update(x86_static_constraints,
			   x86_pmu.get_event_constraints);
	x86_pmu.event_account = x86_dyn_event_account;
}

/**
 * x86_dyn_constraint_register - Announce a feature that narrows constraints
 * @feature:	the only one there is
 *
 * To be called before x86_dyn_constraint_init().
 */
void __init x86_dyn_constraint_register(const struct x86_dyn_feature *feature)
{
	x86_pmu.flags |= PMU_FL_DYN_CONSTRAINT;
	x86_dyn_feature = feature;
}

/*
 * Validation
 *
 * A group is validated before its new event is accounted.
 */

static struct event_constraint *
x86_fake_constraint(struct cpu_hw_events *fake, int idx,
		    struct perf_event *event)
{
	struct event_constraint *c;

	c = x86_pmu.get_event_constraints(fake, idx, event);

	return x86_narrow_event(fake, idx, event, c);
}

static void x86_fake_put(struct cpu_hw_events *fake, struct perf_event *event)
{
	if (x86_pmu.put_event_constraints)
		x86_pmu.put_event_constraints(fake, event);
}

static bool x86_fake_schedule(struct cpu_hw_events *fake, int n,
			      struct perf_event **starved)
{
	struct event_constraint *c;
	int i, unsched;

	for (i = 0; i < n; i++) {
		c = x86_fake_constraint(fake, i, fake->event_list[i]);
		fake->event_constraint[i] = c;
		if (!c->weight)
			*starved = fake->event_list[i];
	}
	unsched = x86_match_events(fake->event_constraint, n, NULL);
	for (i = 0; i < n; i++)
		x86_fake_put(fake, fake->event_list[i]);

	return !unsched;
}

/*
 * Members that are off are not scheduled on trial. Each of them has to have a
 * counter at least for itself, or the group would stop when it is enabled.
 */
static bool x86_fake_schedule_disabled(struct cpu_hw_events *fake,
				       struct perf_event *leader,
				       struct perf_event **starved)
{
	struct perf_event *sibling;

	for_each_sibling_event(sibling, leader) {
		if (!is_x86_event(sibling) ||
		    sibling->state > PERF_EVENT_STATE_OFF)
			continue;

		if (!x86_fake_constraint(fake, 0, sibling)->weight)
			*starved = sibling;
		x86_fake_put(fake, sibling);
	}

	return !*starved;
}

static bool x86_is_narrowed(struct perf_event *event)
{
	return is_x86_event(event) && event->hw.dyn_constraint != ~0ULL;
}

/**
 * x86_group_is_narrowed - Tell whether a group has dynamic constraints
 * @event:	event that is about to join the group, whose siblings are locked
 *
 * Return: true if one of the members has one, and with it perhaps others.
 */
bool x86_group_is_narrowed(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;

	if (x86_is_narrowed(event) || x86_is_narrowed(leader))
		return true;

	for_each_sibling_event(sibling, leader) {
		if (x86_is_narrowed(sibling))
			return true;
	}

	return false;
}

/**
 * x86_validate_constraints - Validate a group with its dynamic constraints
 * @fake:	with the members that are on and the new one in its event_list
 * @n:		number of events there, not used if @ret is an error
 * @event:	event that is being opened; leads, or its siblings are locked
 * @ret:	result of the validation without dynamic constraints
 *
 * Return: 0, @ret if that is an error, or -EINVAL if the members cannot be
 * scheduled together.
 */
int x86_validate_constraints(struct cpu_hw_events *fake, int n,
			     struct perf_event *event, int ret)
{
	struct perf_event *leader = event->group_leader, *starved = NULL;

	if (!(x86_pmu.flags & PMU_FL_DYN_CONSTRAINT))
		return ret;

	if (!ret && !x86_fake_schedule(fake, n, &starved))
		ret = -EINVAL;
	if (!ret && leader != event &&
	    !x86_fake_schedule_disabled(fake, leader, &starved))
		ret = -EINVAL;

	if (ret && x86_dyn_feature)
		x86_dyn_feature->no_counters(event, starved);

	return ret;
}

/*
 * Assignment
 */

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
