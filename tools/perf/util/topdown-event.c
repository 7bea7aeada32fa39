// SPDX-License-Identifier: GPL-2.0
/*
 * Which events count the slots of a pipeline, and which part of them.
 *
 * A core PMU with PERF_METRICS has two kinds of special events, both of type
 * PERF_TYPE_RAW: slots, and a metric for each field of the register. Names
 * tell little about them: they may be written as raw codes, may be renamed,
 * and other events have "slots" and "topdown" in their names.
 */
#include <string.h>
#include <linux/perf_event.h>
#include "evsel.h"
#include "pmus.h"
#include "topdown-event.h"

#define TOPDOWN_CONFIG_SLOTS		0x0400
#define TOPDOWN_CONFIG_METRIC		0x8000
#define TOPDOWN_CONFIG_METRIC_FIELD	0x0700
/* Read slots and PERF_METRICS with RDPMC, and clear them */
#define TOPDOWN_CONFIG1_METRICS_CLEAR	0x1

const char * const topdown_event_names[TOPDOWN_NR_METRICS] = {
	[TOPDOWN_RETIRING]	= "topdown-retiring",
	[TOPDOWN_BAD_SPEC]	= "topdown-bad-spec",
	[TOPDOWN_FE_BOUND]	= "topdown-fe-bound",
	[TOPDOWN_BE_BOUND]	= "topdown-be-bound",
	[TOPDOWN_HEAVY_OPS]	= "topdown-heavy-ops",
	[TOPDOWN_BR_MISPREDICT]	= "topdown-br-mispredict",
	[TOPDOWN_FETCH_LAT]	= "topdown-fetch-lat",
	[TOPDOWN_MEM_BOUND]	= "topdown-mem-bound",
};

/**
 * topdown_part_of_attr - Decode the event code of a PMU with PERF_METRICS
 * @attr: the event
 *
 * Return: the part that the event would count on such a PMU.
 */
enum topdown_part topdown_part_of_attr(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_RAW)
		return TOPDOWN_NONE;

	if (attr->config == TOPDOWN_CONFIG_SLOTS &&
	    !(attr->config1 & ~(__u64)TOPDOWN_CONFIG1_METRICS_CLEAR))
		return TOPDOWN_SLOTS;

	if ((attr->config & ~(__u64)TOPDOWN_CONFIG_METRIC_FIELD) == TOPDOWN_CONFIG_METRIC &&
	    !attr->config1)
		return (attr->config & TOPDOWN_CONFIG_METRIC_FIELD) >> 8;

	return TOPDOWN_NONE;
}

/* The type PERF_TYPE_RAW is that of the core PMU, on hybrids of the P-cores'. */
bool evsel__has_perf_metrics(const struct evsel *evsel)
{
	return evsel->core.attr.type == PERF_TYPE_RAW &&
	       perf_pmus__have_event(evsel->pmu_name ?: "cpu", "slots");
}

bool evsel__is_topdown_slots(const struct evsel *evsel)
{
	return topdown_part_of_attr(&evsel->core.attr) == TOPDOWN_SLOTS &&
	       evsel__has_perf_metrics(evsel);
}

bool evsel__is_topdown_metric(const struct evsel *evsel)
{
	return topdown_part_of_attr(&evsel->core.attr) < TOPDOWN_NR_METRICS &&
	       evsel__has_perf_metrics(evsel);
}

/**
 * evsel__topdown_part - What an event of a TopDown group counts
 * @evsel: the event
 *
 * Only for groups that are known to be TopDown's: events that were recorded
 * elsewhere have their codes, but not the PMU. An E-core has ordinary events,
 * whose codes depend on the model; those go by their name in sysfs.
 *
 * Return: the part, or %TOPDOWN_NONE.
 */
enum topdown_part evsel__topdown_part(const struct evsel *evsel)
{
	enum topdown_part part = topdown_part_of_attr(&evsel->core.attr);
	const char *name, *found;
	size_t len;
	int i;

	if (part != TOPDOWN_NONE)
		return part;

	name = evsel->name ?: "";
	for (i = 0; i < TOPDOWN_NR_METRICS; i++) {
		found = strstr(name, topdown_event_names[i]);
		if (!found || (found != name && found[-1] != '/'))
			continue;
		len = strlen(topdown_event_names[i]);
		if (!found[len] || strchr("/:, ", found[len]))
			return i;
	}
	return TOPDOWN_NONE;
}
