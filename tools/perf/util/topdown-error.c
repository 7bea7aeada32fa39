// SPDX-License-Identifier: GPL-2.0
/*
 * Why the kernel refuses an event of a topdown group.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/kernel.h>
#include "evlist.h"
#include "evsel.h"
#include "pmu.h"
#include "pmus.h"
#include "topdown-error.h"
#include "topdown-event.h"

static bool samples(const struct evsel *evsel)
{
	return evsel->core.attr.freq || evsel->core.attr.sample_period;
}

static bool is_duplicate(struct evsel *evsel)
{
	struct evsel *pos;

	evlist__for_each_entry(evsel->evlist, pos) {
		if (pos == evsel)
			return false;
		if (evsel__leader(pos) == evsel__leader(evsel) &&
		    pos->core.attr.type == evsel->core.attr.type &&
		    pos->core.attr.config == evsel->core.attr.config)
			return true;
	}
	return false;
}

/* A metric that this CPU does not have, and those that it has */
static int missing_error(struct evsel *metric, const char *pmu, char *msg, size_t size)
{
	enum topdown_part part = topdown_part_of_attr(&metric->core.attr);
	char *cpuid = perf_pmu__getcpuid(NULL);
	const char *sep = "";
	int i, ret;

	ret = scnprintf(msg, size,
			"Topdown metric '%s' does not exist: PMU %s has no event %s.\n"
			"On CPU %s it offers ",
			evsel__name(metric), pmu, topdown_event_names[part],
			cpuid ?: "(unknown)");
	for (i = 0; i < TOPDOWN_NR_METRICS; i++) {
		if (!perf_pmus__have_event(pmu, topdown_event_names[i]))
			continue;
		ret += scnprintf(msg + ret, size - ret, "%s%s", sep, topdown_event_names[i]);
		sep = ", ";
	}
	free(cpuid);
	return ret + scnprintf(msg + ret, size - ret, "%s.", *sep ? "" : "none");
}

static int metric_error(struct evsel *metric, char *msg, size_t size)
{
	const struct evsel *leader = evsel__leader(metric);
	const struct perf_event_attr *a = &leader->core.attr, *b = &metric->core.attr;
	enum topdown_part part = topdown_part_of_attr(b);
	const char *name = evsel__name(metric), *pmu = metric->pmu_name ?: "cpu";

	if (!perf_pmus__have_event(pmu, topdown_event_names[part]))
		return missing_error(metric, pmu, msg, size);
	if (!evsel__is_topdown_slots(leader))
		return scnprintf(msg, size,
				 "Topdown metric '%s' needs a group that slots of PMU %s leads.",
				 name, pmu);
	if (is_duplicate(metric))
		return scnprintf(msg, size,
				 "Topdown metric '%s' is twice in one group; only one is allowed.",
				 name);
	if (samples(metric) || samples(leader))
		return scnprintf(msg, size,
				 "Neither slots nor topdown metrics can sample in one group, as '%s' would.\n"
				 "Add an event that samples: {slots,cycles,%s}:S",
				 samples(metric) ? name : leader->name ?: "slots",
				 topdown_event_names[part]);
	if (a->exclude_user != b->exclude_user || a->exclude_kernel != b->exclude_kernel ||
	    a->exclude_hv != b->exclude_hv || a->exclude_host != b->exclude_host ||
	    a->exclude_guest != b->exclude_guest)
		return scnprintf(msg, size,
				 "Topdown metric '%s' needs the same modifiers as the slots of its group.",
				 name);
	return scnprintf(msg, size,
				 "The kernel refuses topdown metric '%s' on PMU %s.", name, pmu);
}

/**
 * evsel__topdown_has_features - Is a topdown event refused for its own sake?
 * @evsel: the event that was refused with EINVAL
 *
 * perf takes EINVAL for a feature that the kernel lacks. The leader of a metric,
 * or of slots that do not lead, has been opened with the same features; and
 * kernels that have metrics_clear have all of them.
 *
 * Return: true if there is no use in looking for a missing feature. Leaves errno
 * alone, in which the reason is.
 */
bool evsel__topdown_has_features(const struct evsel *evsel)
{
	int err = errno;
	bool has;

	/* Looks at files of sysfs that may be missing */
	has = evsel__is_topdown_metric(evsel) ||
	      (evsel__is_topdown_slots(evsel) &&
	       (evsel__leader(evsel) != evsel || evsel->core.attr.config1));
	errno = err;

	return has;
}

/**
 * evsel__topdown_error - Say why a topdown event could not be opened
 * @evsel: the event that was refused with EINVAL
 * @msg: receives the text
 * @size: its size
 *
 * Return: length of the text, 0 if the event is not topdown's.
 */
int evsel__topdown_error(struct evsel *evsel, char *msg, size_t size)
{
	struct evsel *pos;

	if (evsel__is_topdown_metric(evsel))
		return metric_error(evsel, msg, size);
	if (!evsel__is_topdown_slots(evsel))
		return 0;

	evlist__for_each_entry(evsel->evlist, pos) {
		if (evsel__leader(pos) != evsel__leader(evsel) || !evsel__is_topdown_metric(pos))
			continue;
		if (evsel__leader(evsel) != evsel)
			return scnprintf(msg, size,
					 "Topdown event '%s' has to lead its group, as that has metrics.",
					 evsel__name(evsel));
		return metric_error(pos, msg, size);
	}
	if (evsel->core.attr.config1)
		return scnprintf(msg, size,
				 "metrics_clear is for slots of a thread that lead their group and do not sample.\n"
				 "Open '%s' without -a and -C, or without metrics_clear.",
				 evsel__name(evsel));
	return scnprintf(msg, size,
				 "The kernel refuses topdown event '%s'.", evsel__name(evsel));
}
