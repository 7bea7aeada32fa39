/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_TOPDOWN_ROWS_H
#define __PERF_TOPDOWN_ROWS_H

#include <stdbool.h>
#include <linux/types.h>
#include "topdown-event.h"
#include "topdown-share.h"

struct evlist;
struct evsel;
struct perf_stat_config;

/**
 * struct topdown_set - Events whose results are one row
 * @leader: the event that leads their group; the first one of those that
 *	metric tables chose
 * @evsel: the event of each part, or NULL
 */
struct topdown_set {
	struct evsel	*leader;
	struct evsel	*evsel[TOPDOWN_SLOTS + 1];
};

/**
 * struct topdown_row - The results of one row
 * @shares: what became of the slots
 * @supported: the kernel knows the events
 * @weighed: @slots is known
 * @slots: number of slots
 * @ena: time for which the events were enabled, in ns
 * @run: time for which they were counting, in ns
 */
struct topdown_row {
	struct topdown_shares	shares;
	bool			supported;
	bool			weighed;
	double			slots;
	u64			ena;
	u64			run;
};

bool topdown_set__init(struct topdown_set *set, struct evlist *evlist, struct evsel *leader);
struct evsel *topdown_set__next(struct topdown_set *set, struct evlist *evlist,
				struct perf_stat_config *config, const struct evsel *pos);
void topdown_set__pmu(const struct topdown_set *set, char *buf, size_t size);
void topdown_row__fill(struct topdown_row *row, const struct topdown_set *set,
		       struct perf_stat_config *config, int aggr_idx);
double topdown_row__running(const struct topdown_row *row);

#endif
