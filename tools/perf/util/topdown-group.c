// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of slots and topdown metrics.
 *
 * The kernel counts a metric only in a group that slots leads, with the same
 * privilege, and once. What the user wrote is completed to such groups: slots is
 * moved to the front, fetched from another group, or added. Groups of the user
 * are joined if need be, but never split, and the order of other members stays.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/list.h>
#include <linux/zalloc.h>
#include "cgroup.h"
#include "debug.h"
#include "evlist.h"
#include "evsel.h"
#include "pmus.h"
#include "topdown-event.h"
#include "topdown-group.h"

#define TOPDOWN_CONFIG_SLOTS	0x0400

/* May a metric be measured with these slots? */
static bool fits(const struct evsel *slots, const struct evsel *metric)
{
	const struct perf_event_attr *a = &slots->core.attr, *b = &metric->core.attr;

	return a->type == b->type && slots->cgrp == metric->cgrp &&
	       a->exclude_user == b->exclude_user &&
	       a->exclude_kernel == b->exclude_kernel &&
	       a->exclude_hv == b->exclude_hv &&
	       a->exclude_host == b->exclude_host &&
	       a->exclude_guest == b->exclude_guest;
}

static bool is_grouped(struct list_head *list, const struct evsel *evsel)
{
	struct evsel *leader = evsel__leader(evsel), *pos;

	__evlist__for_each_entry(list, pos) {
		if (pos != evsel && evsel__leader(pos) == leader)
			return true;
	}
	return false;
}

/* Is there the same metric in a group already? The kernel wants each once. */
static bool has_metric(struct list_head *list, const struct evsel *leader,
		       const struct evsel *metric)
{
	struct evsel *pos;

	__evlist__for_each_entry(list, pos) {
		if (pos != metric && evsel__leader(pos) == leader &&
		    evsel__is_topdown_metric(pos) &&
		    pos->core.attr.type == metric->core.attr.type &&
		    pos->core.attr.config == metric->core.attr.config)
			return true;
	}
	return false;
}

static struct evsel *group_slots(struct list_head *list, const struct evsel *leader,
				 const struct evsel *metric)
{
	struct evsel *pos;

	__evlist__for_each_entry(list, pos) {
		if (evsel__leader(pos) == leader && evsel__is_topdown_slots(pos) &&
		    fits(pos, metric))
			return pos;
	}
	return NULL;
}

/*
 * Slots serve metrics of their own modifiers only. A group that was written with
 * several is left alone: the kernel refuses it, and the message says why.
 */
static bool is_uniform(struct list_head *list, const struct evsel *metric)
{
	struct evsel *leader = evsel__leader(metric), *pos;

	__evlist__for_each_entry(list, pos) {
		if (evsel__leader(pos) != leader || fits(pos, metric))
			continue;
		if (evsel__is_topdown_slots(pos) || evsel__is_topdown_metric(pos))
			return false;
	}
	return true;
}

/* Can all metrics of one group go into another? */
static bool joinable(struct list_head *list, const struct evsel *from, const struct evsel *slots)
{
	struct evsel *to = evsel__leader(slots), *pos;

	if (from == to)
		return false;
	__evlist__for_each_entry(list, pos) {
		if (evsel__leader(pos) != from)
			continue;
		if (evsel__is_topdown_slots(pos) ||
		    (evsel__is_topdown_metric(pos) &&
		     (!fits(slots, pos) || has_metric(list, to, pos))))
			return false;
	}
	return true;
}

static void set_leader(struct list_head *list, struct evsel *old, struct evsel *new)
{
	struct evsel *pos;

	if (old == new)
		return;
	__evlist__for_each_entry(list, pos) {
		if (pos != new && evsel__leader(pos) == old)
			evsel__set_leader(pos, new);
	}
	evsel__set_leader(new, new);
	new->weak_group = old->weak_group;
	/* Only a leader may be pinned or exclusive. */
	new->core.attr.pinned = old->core.attr.pinned;
	new->core.attr.exclusive = old->core.attr.exclusive;
	old->core.attr.pinned = 0;
	old->core.attr.exclusive = 0;
	if (!new->group_name) {
		new->group_name = old->group_name;
		old->group_name = NULL;
	}
	/* In front of the first member */
	__evlist__for_each_entry(list, pos) {
		if (pos != new && evsel__leader(pos) == new) {
			list_move_tail(&new->core.node, &pos->core.node);
			break;
		}
	}
}

/* Move all members of the group @from behind those of the group @to. */
static void join(struct list_head *list, struct evsel *from, struct evsel *to)
{
	struct evsel *pos, *tmp, *last = to;

	__evlist__for_each_entry(list, pos) {
		if (evsel__leader(pos) == to)
			last = pos;
	}
	__evlist__for_each_entry_safe(list, tmp, pos) {
		if (evsel__leader(pos) != from)
			continue;
		pos->core.attr.pinned = 0;
		pos->core.attr.exclusive = 0;
		evsel__set_leader(pos, to);
		list_move(&pos->core.node, &last->core.node);
		last = pos;
	}
}

/* "slots:u" for a metric called "topdown-retiring:u" */
static char *slots_name(const struct evsel *metric)
{
	const char *name = metric->name ?: "", *slash = strrchr(name, '/');
	const char *modifier = slash ? slash + 1 : strrchr(name, ':');
	char *text;
	int ret;

	if (!slash && modifier)
		modifier++;
	if (!modifier)
		modifier = "";
	if (perf_pmus__num_core_pmus() > 1)
		ret = asprintf(&text, "%s/slots/%s", metric->pmu_name ?: "cpu", modifier);
	else
		ret = asprintf(&text, "slots%s%s", *modifier ? ":" : "", modifier);
	return ret < 0 ? NULL : text;
}

/* Slots like a metric: same PMU, privilege, CPUs */
static struct evsel *new_slots(struct evsel *metric)
{
	struct evsel *slots = evsel__clone(metric);

	if (!slots)
		return NULL;
	free(slots->name);
	slots->name = slots_name(metric);
	zfree(&slots->metric_id);
	zfree(&slots->group_name);
	slots->core.attr.config = TOPDOWN_CONFIG_SLOTS;
	if (!slots->name) {
		evsel__delete(slots);
		return NULL;
	}
	return slots;
}

static int give_slots(struct list_head *list, struct evsel *metric)
{
	struct evsel *leader = evsel__leader(metric), *slots;
	bool grouped = is_grouped(list, metric);

	__evlist__for_each_entry(list, slots) {
		if (!evsel__is_topdown_slots(slots) || !fits(slots, metric))
			continue;
		if (!joinable(list, leader, slots))
			continue;
		/* Two groups that slots lead would take turns on one counter. */
		join(list, leader, evsel__leader(slots));
		return 0;
	}

	slots = new_slots(metric);
	if (!slots)
		return -ENOMEM;
	list_add_tail(&slots->core.node, grouped ? &leader->core.node : &metric->core.node);
	set_leader(list, leader, slots);
	return 0;
}

/**
 * topdown_group__fix - Complete the groups of topdown metrics
 * @list: events of one event list, with leaders as the user wrote them
 *
 * Return: 1 if anything changed, 0 if not, or a negative number on error.
 */
int topdown_group__fix(struct list_head *list)
{
	struct evsel *pos, *slots;
	bool again, changed = false;

	do {
		again = false;
		__evlist__for_each_entry(list, pos) {
			if (!evsel__is_topdown_metric(pos) || !is_uniform(list, pos))
				continue;
			slots = group_slots(list, evsel__leader(pos), pos);
			if (slots && evsel__leader(slots) == slots)
				continue;
			if (slots)
				set_leader(list, evsel__leader(pos), slots);
			else if (give_slots(list, pos))
				return -ENOMEM;
			again = true;
			changed = true;
			break;
		}
	} while (again);

	if (!changed)
		return 0;
	__evlist__for_each_entry(list, pos)
		pos->core.nr_members = 0;
	__evlist__for_each_entry(list, pos)
		evsel__leader(pos)->core.nr_members++;
	return 1;
}

static bool same_slots_elsewhere(const struct evsel *a, const struct evsel *b)
{
	return evsel__leader(a) != evsel__leader(b) &&
	       evsel__is_topdown_slots(evsel__leader(a)) &&
	       evsel__is_topdown_slots(evsel__leader(b)) &&
	       fits(evsel__leader(a), b) && a->core.attr.config == b->core.attr.config;
}

static bool same_in_group(const struct evsel *a, const struct evsel *b)
{
	return evsel__leader(a) == evsel__leader(b) &&
	       a->core.attr.type == b->core.attr.type &&
	       a->core.attr.config == b->core.attr.config;
}

/* The second of what is there more than once */
static void warn_twice(struct evlist *evlist, struct evsel *metric)
{
	unsigned int together = 0, apart = 0;
	struct evsel *before;

	evlist__for_each_entry(evlist, before) {
		if (before == metric)
			break;
		if (!evsel__is_topdown_metric(before))
			continue;
		if (same_in_group(before, metric))
			together++;
		else if (same_slots_elsewhere(before, metric))
			apart++;
	}
	if (together + apart != 1)
		return;
	if (together)
		pr_warning("Topdown metric '%s' is there twice in one group, which can have it once.\n"
			   "Leave one of the two out.\n", evsel__name(metric));
	else
		pr_warning("Topdown metric '%s' is there twice. A group has it only once: two groups\n"
			   "take turns and each counts part of the time. Leave one of the two out.\n",
			   evsel__name(metric));
}

/* Is a metric the reason for slots to be there twice? */
static bool share_metric(struct evlist *evlist, const struct evsel *a, const struct evsel *b)
{
	struct evsel *pos, *other;

	evlist__for_each_entry(evlist, pos) {
		if (evsel__leader(pos) != evsel__leader(a) || !evsel__is_topdown_metric(pos))
			continue;
		evlist__for_each_entry(evlist, other) {
			if (evsel__leader(other) == evsel__leader(b) &&
			    evsel__is_topdown_metric(other) &&
			    pos->core.attr.config == other->core.attr.config)
				return true;
		}
	}
	return false;
}

static void warn_slots_twice(struct evlist *evlist, struct evsel *slots)
{
	struct evsel *before, *same = NULL;

	evlist__for_each_entry(evlist, before) {
		if (before == slots)
			break;
		if (!evsel__is_topdown_slots(before) || !fits(before, slots))
			continue;
		/* The third says nothing new. */
		if (same)
			return;
		same = before;
	}
	if (!same)
		return;
	if (evsel__leader(same) == evsel__leader(slots))
		pr_warning("Topdown event '%s' is there twice in one group, which can have it once.\n"
			   "Leave one of the two out.\n", evsel__name(slots));
	else if (!share_metric(evlist, same, slots))
		pr_warning("Topdown event '%s' is there twice. There is one counter for it: the two take\n"
			   "turns and each counts part of the time. Leave one of the two out.\n",
			   evsel__name(slots));
}

/**
 * topdown_group__warn - Name slots and metrics that are measured twice
 * @evlist: the events
 *
 * They are in groups that take turns on one counter, or in one group, where the
 * kernel refuses the second.
 */
void topdown_group__warn(struct evlist *evlist)
{
	struct evsel *pos;

	evlist__for_each_entry(evlist, pos) {
		if (evsel__is_topdown_metric(pos))
			warn_twice(evlist, pos);
		else if (evsel__is_topdown_slots(pos))
			warn_slots_twice(evlist, pos);
	}
}

/**
 * topdown_group__sampler - Find who samples in a group that slots leads
 * @evlist: the events
 * @leader: leader of a group whose first event is to sample
 *
 * Slots cannot sample beside a metric, and a metric never can.
 *
 * Return: the first other event, or NULL if there is none or the group has no
 * metric.
 */
struct evsel *topdown_group__sampler(struct evlist *evlist, struct evsel *leader)
{
	struct evsel *pos, *sampler = NULL;
	bool metric = false;

	if (!evsel__is_topdown_slots(leader))
		return NULL;
	evlist__for_each_entry(evlist, pos) {
		if (evsel__leader(pos) != leader || pos == leader)
			continue;
		if (evsel__is_topdown_metric(pos))
			metric = true;
		else if (!sampler)
			sampler = pos;
	}
	return metric ? sampler : NULL;
}
