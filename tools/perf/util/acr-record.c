// SPDX-License-Identifier: GPL-2.0
/* Auto counter reload: what perf record asks, before and while it records */
#include <errno.h>
#include <linux/kernel.h>
#include <perf/cpumap.h>
#include "acr.h"
#include "acr-group.h"
#include "debug.h"
#include "evlist.h"
#include "evsel.h"
#include "parse-events.h"
#include "pmu.h"
#include "record.h"

static int acr__config_group(struct list_head *list, struct evsel *leader,
			     const struct record_opts *opts,
			     struct parse_events_error *err)
{
	struct acr_group group;
	int ret = acr__collect(&group, list, leader, err);

	if (ret)
		return ret;
	for (int i = 0; i < group.nr; i++)
		group.mask[i] = group.member[i]->core.attr.config2;

	ret = acr__derive_periods(&group, opts);
	if (!ret)
		ret = acr__check_group(&group, opts);
	for (int i = 0; i < group.nr; i++) {
		group.member[i]->acr_related = group.mask[i] ||
					       acr__is_cause(&group, i);
	}
	return ret;
}

/**
 * evlist__acr_config - Complete and check groups before they are configured
 * @evlist:	all events
 * @opts:	how they will be recorded
 *
 * Return: 0, or a negative error after a message: the events must not be
 * opened then.
 */
int evlist__acr_config(struct evlist *evlist, const struct record_opts *opts)
{
	struct list_head *list = &evlist->core.entries;
	struct parse_events_error err;
	struct evsel *leader;
	int ret = 0;

	parse_events_error__init(&err);
	evlist__for_each_entry(evlist, leader) {
		if (evsel__leader(leader) != leader || !acr__wanted(list, leader))
			continue;

		ret = acr__config_group(list, leader, opts, &err);
		if (ret) {
			parse_events_error__print(&err, acr__text(list, leader));
			break;
		}
	}
	parse_events_error__exit(&err);
	return ret;
}

static bool has_cpu(const struct evsel *evsel, struct perf_cpu_map *requested)
{
	const struct perf_pmu *pmu = evsel__core_pmu(evsel);
	struct perf_cpu_map *common = perf_cpu_map__intersect(pmu->cpus, requested);
	bool ret = !perf_cpu_map__is_empty(common);

	perf_cpu_map__put(common);
	return ret;
}

static int refuse_cpus(struct evlist *evlist, struct evsel *evsel)
{
	const struct perf_pmu *pmu = evsel__core_pmu(evsel);
	char help[ACR_NAME_LEN];
	struct parse_events_error err;
	int ret;

	scnprintf(help, sizeof(help), "Use CPUs of /sys/bus/event_source/devices/%s/cpus",
		  pmu->name);
	parse_events_error__init(&err);
	ret = acr__error(&err, evsel, help, "No CPU of -C is of %s", pmu->name);
	parse_events_error__print(&err, acr__text(&evlist->core.entries,
						  evsel__leader(evsel)));
	parse_events_error__exit(&err);
	return ret;
}

/**
 * evlist__acr_check_cpus - Refuse CPUs that events cannot count on
 * @evlist:	all events, which have no CPUs yet
 * @cpu_list:	CPUs that the user asks for, NULL for any
 *
 * perf leaves such events out, and records without them. That is what a legacy
 * name asks for, as long as there are CPUs of one of its PMUs.
 *
 * Return: 0, or a negative error after a message.
 */
int evlist__acr_check_cpus(struct evlist *evlist, const char *cpu_list)
{
	struct perf_cpu_map *requested;
	struct evsel *evsel, *lost = NULL;
	bool kept = false, named = false;

	if (!cpu_list)
		return 0;
	requested = perf_cpu_map__new(cpu_list);
	/* A list that cannot be read is refused by others */
	if (!requested)
		return 0;

	evlist__for_each_entry(evlist, evsel) {
		if (!evsel__wants_acr(evsel))
			continue;
		if (has_cpu(evsel, requested)) {
			kept = true;
			continue;
		}
		if (!named)
			lost = evsel;
		named |= !evsel->acr_copy;
	}
	perf_cpu_map__put(requested);

	return lost && (named || !kept) ? refuse_cpus(evlist, lost) : 0;
}

/* Does anything reload in the group of an event, as it was opened? */
static bool evsel__in_acr_group(struct evsel *evsel)
{
	struct evlist *evlist = evsel->evlist;
	struct evsel *pos;

	if (!evlist)
		return false;

	/* Who only counts leaves out the masks that the terms ask for */
	evlist__for_each_entry(evlist, pos) {
		if (evsel__leader(pos) == evsel__leader(evsel) &&
		    pos->core.attr.config2 && evsel__wants_acr(pos))
			return true;
	}
	return false;
}

/**
 * evsel__acr_error - Say why the kernel refused an event
 * @evsel:	event that was refused with EINVAL
 * @msg:	receives the text
 * @size:	size of @msg in bytes
 *
 * Which counters an event can use is known to the kernel alone.
 *
 * Return: length of the text, 0 if nothing reloads in its group.
 */
int evsel__acr_error(struct evsel *evsel, char *msg, size_t size)
{
	if (!evsel__in_acr_group(evsel))
		return 0;

	return scnprintf(msg, size,
"The kernel refuses '%s' in a group with auto counter reload.\n"
"If it can be recorded alone, the group needs more counters than there are:\n"
"use a smaller one.",
			 evsel__name(evsel));
}

/**
 * evsel__acr_check_switch - Refuse to switch a member by itself
 * @evsel:	event that is to be enabled or disabled while perf records
 *
 * Groups are switched by their leaders; that of a member has no effect.
 *
 * Return: 0, or a negative error after a message.
 */
int evsel__acr_check_switch(struct evsel *evsel)
{
	struct evsel *leader = evsel__leader(evsel);

	if (evsel == leader || !evsel__in_acr_group(evsel))
		return 0;

	pr_info("failed: '%s' reloads with its group, switch '%s'\n",
		evsel__name(evsel), evsel__name(leader));
	return -EINVAL;
}
