// SPDX-License-Identifier: GPL-2.0
/*
 * Intel Auto Counter Reload: opening events
 *
 * Whether an event can be reloaded, and whether the members of its group fit
 * together, is decided when it is opened, and each refusal has a reason.
 * Documentation/admin-guide/perf/intel-acr.rst has the table.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include <kunit/static_stub.h>

#include <asm/perf_event.h>

#include "../perf_event.h"
#include "acr.h"

/* Precise level of PDist, which hardware does not combine with a reload */
#define PRECISE_PDIST	3

/* Documentation/admin-guide/perf/intel-acr.rst explains each of them */
static const char * const intel_acr_refusals[] = {
	[INTEL_ACR_NO_RELOAD]		= "the PMU cannot reload counters",
	[INTEL_ACR_FREQUENCY]		= "a reloaded event has a frequency",
	[INTEL_ACR_PERIOD]		= "the period is not 1..2147483647",
	[INTEL_ACR_SLOTS]		= "slots and metrics cannot be reloaded",
	[INTEL_ACR_PDIST]		= "precise_ip 3 with a reload",
	[INTEL_ACR_SILENT_PEBS]		= "precise_ip of an event that reloads itself",
	[INTEL_ACR_FOREIGN_LEADER]	= "the leader is no core event",
	[INTEL_ACR_GAP]			= "another event stands between the members",
	[INTEL_ACR_TWO_PMUS]		= "the members belong to two PMUs",
	[INTEL_ACR_TOO_MANY_RELOADS]	= "more reloaded members than counters",
	[INTEL_ACR_TOO_MANY_CAUSES]	= "more causes than counters",
	[INTEL_ACR_METRIC]		= "a metric is in the group",
	[INTEL_ACR_CAUSE_FREQUENCY]	= "a cause has a frequency",
	[INTEL_ACR_PDIST_CAUSE]		= "precise_ip 3 of a cause",
	[INTEL_ACR_BRANCH_COUNTS]	= "branch counts on counters without reloads",
	[INTEL_ACR_NO_COUNTERS]		= "not all members find a counter",
};

/**
 * intel_acr_refuse - Tell why an event is refused
 * @event:	the event, not yet linked unless its period is to be changed
 * @refusal:	the reason, not INTEL_ACR_ACCEPTED
 *
 * Anybody can cause this, as often as they like.
 *
 * Return: -EINVAL
 */
int intel_acr_refuse(const struct perf_event *event,
		     enum intel_acr_refusal refusal)
{
	KUNIT_STATIC_STUB_REDIRECT(intel_acr_refuse, event, refusal);

	pr_debug_ratelimited("%s: %s[%d]: no auto counter reload: %s\n",
			     event->pmu->name, current->comm,
			     task_pid_nr(current), intel_acr_refusals[refusal]);

	return -EINVAL;
}

/**
 * struct intel_acr_group - What the members of a group ask for together
 * @pmu:	PMU of the event that is being opened
 * @causes:	union of the masks of all members, bit i is member number i
 * @reloaded:	number of members that are reloaded
 * @foreign:	an event of another kind of PMU was seen
 * @broken:	why the members do not form a group, if they do not
 */
struct intel_acr_group {
	struct pmu		*pmu;
	u64			causes;
	unsigned int		reloaded;
	bool			foreign;
	enum intel_acr_refusal	broken;
};

static void intel_acr_collect(struct intel_acr_group *group,
			      struct perf_event *event)
{
	u64 mask;

	/* The hardware part of other events belongs to their PMU */
	if (!intel_acr_is_member(event)) {
		group->foreign = true;
		if (event->group_leader == event)
			group->broken = INTEL_ACR_FOREIGN_LEADER;
		return;
	}

	if (group->foreign && !group->broken)
		group->broken = INTEL_ACR_GAP;
	if (event->pmu != group->pmu && !group->broken)
		group->broken = INTEL_ACR_TWO_PMUS;

	mask = intel_acr_mask(event);
	group->causes |= mask;
	group->reloaded += !!mask;
}

/* Members that are there, and @event that is about to join them */
static void intel_acr_collect_all(struct intel_acr_group *group,
				  struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;

	/* A leader has no siblings yet, and no context to walk them under */
	if (leader != event) {
		intel_acr_collect(group, leader);
		for_each_sibling_event(sibling, leader)
			intel_acr_collect(group, sibling);
	}
	intel_acr_collect(group, event);
}

/* Is what @event does compatible with its part in the group? */
static enum intel_acr_refusal
intel_acr_check_member(const struct intel_acr_group *group,
		       struct perf_event *event)
{
	/* Metrics are derived from a counter that restarts when it is read */
	if (is_metric_event(event))
		return INTEL_ACR_METRIC;

	/* The ratio of two periods says nothing if one of them changes */
	if (event->attr.freq && group->causes & intel_acr_member_bit(event))
		return INTEL_ACR_CAUSE_FREQUENCY;

	return INTEL_ACR_ACCEPTED;
}

/**
 * intel_acr_check_group - Check a group with the event that is being opened
 * @event:	event of the core PMU, not yet on the list of its siblings
 *
 * Return: INTEL_ACR_ACCEPTED, or why the members do not fit together.
 */
enum intel_acr_refusal intel_acr_check_group(struct perf_event *event)
{
	struct intel_acr_counters counters = intel_acr_counters(event->pmu);
	struct perf_event *leader = event->group_leader, *sibling;
	struct intel_acr_group group = { .pmu = event->pmu };
	enum intel_acr_refusal refusal;

	intel_acr_collect_all(&group, event);
	if (!group.reloaded)
		return INTEL_ACR_ACCEPTED;

	if (group.broken)
		return group.broken;

	if (group.reloaded > hweight64(counters.reload))
		return INTEL_ACR_TOO_MANY_RELOADS;

	if (hweight64(group.causes) > hweight64(counters.cause))
		return INTEL_ACR_TOO_MANY_CAUSES;

	if (leader != event) {
		refusal = intel_acr_check_member(&group, leader);
		if (refusal)
			return refusal;
		for_each_sibling_event(sibling, leader) {
			/* Not before a member, or the group would be broken */
			if (!intel_acr_is_member(sibling))
				break;
			refusal = intel_acr_check_member(&group, sibling);
			if (refusal)
				return refusal;
		}
	}

	return intel_acr_check_member(&group, event);
}

/* Check the attributes of a reloaded event on its own */
static enum intel_acr_refusal intel_acr_check_event(struct perf_event *event)
{
	if (event->attr.freq)
		return INTEL_ACR_FREQUENCY;

	if (!intel_acr_period_valid(event->attr.sample_period))
		return INTEL_ACR_PERIOD;

	if (is_topdown_event(event))
		return INTEL_ACR_SLOTS;

	if (event->attr.precise_ip >= PRECISE_PDIST)
		return INTEL_ACR_PDIST;

	/* PEBS is armed by an overflow, and a self-reload has none */
	if (event->attr.precise_ip &&
	    event->attr.config2 & intel_acr_member_bit(event))
		return INTEL_ACR_SILENT_PEBS;

	return INTEL_ACR_ACCEPTED;
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
 * intel_acr_event_join - Give an event its number and check its group
 * @event:	event of the core PMU that is being opened
 *
 * Called when the event is set up, and again when nothing can come in between
 * any more: others may have joined the group in the meantime. The context of
 * the siblings is locked. Reads the group and writes to @event only: if opening
 * fails here or later, nothing is left behind.
 *
 * Return: 0, or -EINVAL when @event or its group asks for what cannot work.
 */
int intel_acr_event_join(struct perf_event *event)
{
	enum intel_acr_refusal refusal = INTEL_ACR_ACCEPTED;

	if (event->group_leader != event)
		event->hw.acr_member = intel_acr_next_member(event->group_leader);

	if (is_acr_event(event))
		refusal = intel_acr_check_event(event);
	if (!refusal)
		refusal = intel_acr_check_group(event);

	return refusal ? intel_acr_refuse(event, refusal) : 0;
}

/* What has left no counter at all to @starved, if that is why? */
static enum intel_acr_refusal
intel_acr_why_starved(const struct perf_event *starved)
{
	if (starved && branch_sample_counters(starved))
		return INTEL_ACR_BRANCH_COUNTS;
	if (starved && starved->attr.precise_ip >= PRECISE_PDIST)
		return INTEL_ACR_PDIST_CAUSE;

	return INTEL_ACR_NO_COUNTERS;
}

/**
 * intel_acr_no_counters - Tell why the group of an event cannot be scheduled
 * @event:	event of the core PMU that is being opened
 * @starved:	member that has no counter at all, NULL if each has one
 */
void intel_acr_no_counters(struct perf_event *event,
			   const struct perf_event *starved)
{
	struct intel_acr_group group = { .pmu = event->pmu };

	/* Or it has nothing to do with this file */
	intel_acr_collect_all(&group, event);
	if (group.reloaded)
		intel_acr_refuse(event, intel_acr_why_starved(starved));
}

/**
 * intel_acr_hw_config - Check and set up auto counter reload of an event
 * @event:	event of the core PMU that is being opened
 *
 * Return: 0, or -EINVAL when @event asks for a reload that its PMU, its
 * attributes or its group do not allow, or does not fit into a group with
 * reloads.
 */
int intel_acr_hw_config(struct perf_event *event)
{
	u64 counters = intel_acr_counters(event->pmu).reload;
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

	/* Of a hybrid processor's PMUs, one without may join the group of another */
	if (!event->attr.config2)
		return counters || is_hybrid() ? intel_acr_event_join(event) : 0;

	if (!counters)
		return intel_acr_refuse(event, INTEL_ACR_NO_RELOAD);

	hwc->flags |= PERF_X86_EVENT_ACR;
	hwc->dyn_constraint &= counters;

	return intel_acr_event_join(event);
}
