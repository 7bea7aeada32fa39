// SPDX-License-Identifier: GPL-2.0
/*
 * Events in the order and the groups that the user wrote.
 *
 * Groups of topdown metrics are completed as soon as a list is parsed. What
 * comes later on the command line and goes by place, as -G does, means the
 * events as they were written, and decides what can be in one group.
 */
#include <stdlib.h>
#include <string.h>
#include <linux/list.h>
#include <linux/list_sort.h>
#include "cgroup.h"
#include "debug.h"
#include "evlist.h"
#include "evsel.h"
#include "pmus.h"
#include "strbuf.h"
#include "topdown-event.h"
#include "topdown-written.h"

/**
 * topdown_written__note - Remember the places and groups of events
 * @list: events of one list, before they are regrouped
 *
 * Places go on from list to list. What is not noted has place 0.
 */
void topdown_written__note(struct list_head *list)
{
	static int place;
	struct evsel *pos;

	__evlist__for_each_entry(list, pos) {
		if (pos->written.place)
			return;
	}
	__evlist__for_each_entry(list, pos) {
		pos->written.place = ++place;
		pos->written.weak_group = pos->weak_group;
		pos->written.pinned = pos->core.attr.pinned;
		pos->written.exclusive = pos->core.attr.exclusive;
	}
	__evlist__for_each_entry(list, pos)
		pos->written.group = evsel__leader(pos)->written.place;
}

/* Slots that were added when the groups were completed */
static bool is_added(const struct evsel *evsel)
{
	return !evsel->written.place && evsel__is_topdown_slots(evsel);
}

static bool is_restorable(struct evlist *evlist)
{
	bool found = false;
	struct evsel *pos;

	evlist__for_each_entry(evlist, pos) {
		if (!pos->written.place && !is_added(pos))
			return false;
		if (evsel__is_topdown_metric(pos))
			found = true;
	}
	return found;
}

static struct evsel *at_place(struct evlist *evlist, int place)
{
	struct evsel *pos;

	evlist__for_each_entry(evlist, pos) {
		if (pos->written.place == place)
			return pos;
	}
	return NULL;
}

/* What went over to another leader comes back. */
static void restore_leader(struct evsel *evsel, struct evsel *leader)
{
	struct evsel *old = evsel__leader(evsel);

	if (old->group_name && !leader->group_name &&
	    (is_added(old) || old->written.group == leader->written.place)) {
		leader->group_name = old->group_name;
		old->group_name = NULL;
	}
	evsel->weak_group = evsel->written.weak_group;
	evsel->core.attr.pinned = evsel->written.pinned;
	evsel->core.attr.exclusive = evsel->written.exclusive;
	evsel__set_leader(evsel, leader);
}

static int compare_places(void *data __maybe_unused, const struct list_head *l,
			  const struct list_head *r)
{
	const struct evsel *lhs = list_entry(l, struct evsel, core.node);
	const struct evsel *rhs = list_entry(r, struct evsel, core.node);

	return lhs->written.place - rhs->written.place;
}

/**
 * topdown_written__restore - Put events back to where they were written
 * @evlist: the events
 *
 * Return: false if nothing was done, as there are no topdown metrics.
 */
bool topdown_written__restore(struct evlist *evlist)
{
	struct evsel *pos, *tmp, *leader;

	if (!is_restorable(evlist))
		return false;

	evlist__for_each_entry(evlist, pos) {
		leader = at_place(evlist, pos->written.group);
		if (leader)
			restore_leader(pos, leader);
	}
	evlist__for_each_entry_safe(evlist, tmp, pos) {
		if (!is_added(pos))
			continue;
		evlist__remove(evlist, pos);
		evsel__delete(pos);
	}
	list_sort(NULL, &evlist->core.entries, compare_places);

	evlist__for_each_entry(evlist, pos)
		pos->core.nr_members = 0;
	evlist__for_each_entry(evlist, pos)
		evsel__leader(pos)->core.nr_members++;
	return true;
}

static bool is_changed(struct evlist *evlist)
{
	int place = 0;
	struct evsel *pos;

	evlist__for_each_entry(evlist, pos) {
		if (is_added(pos) || pos->written.place < place ||
		    evsel__leader(pos)->written.place != pos->written.group)
			return true;
		place = pos->written.place;
	}
	return false;
}

static void add_event(struct strbuf *sb, struct evsel *evsel)
{
	const char *name = evsel__name(evsel);

	if (evsel->pmu_name && !strchr(name, '/') && perf_pmus__num_core_pmus() > 1)
		strbuf_addf(sb, "%s/%s/", evsel->pmu_name, name);
	else
		strbuf_addstr(sb, name);
	if (evsel->cgrp)
		strbuf_addf(sb, " of %s", evsel->cgrp->name);
}

/**
 * topdown_written__changed - Describe groups that are not what the user wrote
 * @evlist: the events
 *
 * Return: all events with their groups as on a command line, to be freed, or NULL
 * if they are as they were written.
 */
char *topdown_written__changed(struct evlist *evlist)
{
	struct evsel *pos, *leader = NULL;
	struct strbuf sb;

	if (!is_restorable(evlist) || !is_changed(evlist))
		return NULL;

	strbuf_init(&sb, 0);
	evlist__for_each_entry(evlist, pos) {
		if (leader && leader != evsel__leader(pos))
			strbuf_addstr(&sb, leader->core.nr_members > 1 ? "}," : ",");
		else if (leader)
			strbuf_addch(&sb, ',');
		if (leader != evsel__leader(pos) && evsel__leader(pos)->core.nr_members > 1)
			strbuf_addch(&sb, '{');
		leader = evsel__leader(pos);
		add_event(&sb, pos);
	}
	if (leader->core.nr_members > 1)
		strbuf_addch(&sb, '}');
	return strbuf_detach(&sb, NULL);
}

/**
 * topdown_written__tell - Tell with -v what was made of the user's groups
 * @evlist: the events
 */
void topdown_written__tell(struct evlist *evlist)
{
	char *groups = verbose > 0 ? topdown_written__changed(evlist) : NULL;

	if (groups)
		pr_debug("Topdown events were regrouped: %s\n", groups);
	free(groups);
}
