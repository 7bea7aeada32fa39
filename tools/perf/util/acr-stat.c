// SPDX-License-Identifier: GPL-2.0
/* Auto counter reload: what perf stat makes of it */
#include "acr-stat.h"
#include "acr-words.h"
#include "debug.h"
#include "evlist.h"
#include "evsel.h"

/**
 * evlist__acr_drop - Count without reloads
 * @evlist:	all events
 *
 * What a reloaded counter has counted before a reload is lost. Its count is no
 * total, and a ratio of two such counts means nothing.
 */
void evlist__acr_drop(struct evlist *evlist)
{
	struct evsel *evsel;
	bool dropped = false;

	evlist__for_each_entry(evlist, evsel) {
		if (!evsel__is_acr(evsel))
			continue;
		evsel->core.attr.config2 = 0;
		dropped = true;
	}
	if (dropped)
		pr_warning("WARNING: counts of reloaded events are no totals: counting without auto counter reload\n");
}
