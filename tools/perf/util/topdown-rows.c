// SPDX-License-Identifier: GPL-2.0
/*
 * The results of perf stat --topdown, from the counts of TopDown groups or from
 * metrics of the tables.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <linux/kernel.h>
#include "counts.h"
#include "cpumap.h"
#include "evlist.h"
#include "evsel.h"
#include "stat.h"
#include "topdown-rows.h"

/**
 * topdown_set__init - Gather a group's events by what they count
 * @set: receives them
 * @evlist: the events
 * @leader: the one that leads the group
 *
 * Return: false if it is no TopDown group.
 */
bool topdown_set__init(struct topdown_set *set, struct evlist *evlist, struct evsel *leader)
{
	unsigned int level1 = 0;
	enum topdown_part part;
	struct evsel *pos;

	memset(set, 0, sizeof(*set));
	set->leader = leader;
	evlist__for_each_entry(evlist, pos) {
		if (evsel__leader(pos) != leader)
			continue;
		part = evsel__topdown_part(pos);
		if (part == TOPDOWN_NONE || set->evsel[part])
			continue;
		set->evsel[part] = pos;
		if (part < TOPDOWN_NR_LEVEL1)
			level1++;
	}
	return level1 > 1;
}

/* Of metrics, all that is known is that each cgroup has its own. */
static bool begins_set(struct topdown_set *set, struct evlist *evlist,
		       struct perf_stat_config *config, struct evsel *evsel,
		       const struct evsel *pos)
{
	if (config->topdown_tables) {
		set->leader = evsel;
		return !pos || pos->cgrp != evsel->cgrp;
	}
	return evsel__leader(evsel) == evsel && topdown_set__init(set, evlist, evsel);
}

/**
 * topdown_set__next - Find the next set of events that has rows
 * @set: receives it
 * @evlist: the events
 * @config: says where the events are from
 * @pos: what this returned last, NULL for the first set
 *
 * Return: the leader, or NULL when there is no more.
 */
struct evsel *topdown_set__next(struct topdown_set *set, struct evlist *evlist,
				struct perf_stat_config *config, const struct evsel *pos)
{
	bool behind = !pos;
	struct evsel *next;

	evlist__for_each_entry(evlist, next) {
		if (behind && begins_set(set, evlist, config, next, pos))
			return next;
		if (next == pos)
			behind = true;
	}
	return NULL;
}

/**
 * topdown_set__pmu - The PMU of a set, also of events read from a file
 * @set: the events
 * @buf: receives a name such as "cpu_core"
 * @size: its size
 */
void topdown_set__pmu(const struct topdown_set *set, char *buf, size_t size)
{
	const char *name = set->leader->pmu_name ?: set->leader->name ?: "";
	size_t len = strcspn(name, "/");

	if (!set->leader->pmu_name && !name[len])
		scnprintf(buf, size, "cpu");
	else
		scnprintf(buf, size, "%.*s", (int)len, name);
}

/* A hybrid's event of a task; the map of CPUs of such an event is empty. */
static bool follows_task(const struct topdown_set *set)
{
	return strchr(set->leader->name ?: "", '/') &&
	       perf_cpu_map__is_any_cpu_or_is_empty(set->leader->core.cpus);
}

/*
 * The members of a group run together. perf stat --per-thread -a drops counts of
 * 0 with their times, so a member without a time beside others has counted 0.
 */
static bool group_has_run(const struct topdown_set *set, int aggr_idx)
{
	int i;

	for (i = 0; i <= TOPDOWN_SLOTS; i++) {
		if (set->evsel[i] && set->evsel[i]->stats->aggr[aggr_idx].counts.run)
			return true;
	}
	return false;
}

/* What has run weighs nothing if nothing happened, which is known then. */
static bool weigh(double *slots, const struct topdown_set *set,
		  const struct topdown_counts *counts)
{
	if (set->evsel[TOPDOWN_SLOTS]) {
		*slots = counts->val[TOPDOWN_SLOTS];
		return counts->present[TOPDOWN_SLOTS];
	}
	*slots = topdown_shares__sum(counts);
	return topdown_shares__summable(counts);
}

static void fill_from_counts(struct topdown_row *row, const struct topdown_set *set,
			     int aggr_idx)
{
	bool has_run = group_has_run(set, aggr_idx);
	struct topdown_counts counts = { 0 };
	int i;

	for (i = 0; i <= TOPDOWN_SLOTS; i++) {
		const struct perf_counts_values *count;
		struct evsel *evsel = set->evsel[i];

		if (!evsel)
			continue;
		if (!evsel->supported)
			row->supported = false;
		count = &evsel->stats->aggr[aggr_idx].counts;
		/* On E-cores it is the leader that may have counted 0. */
		row->ena = max(row->ena, count->ena);
		row->run = max(row->run, count->run);
		if (!has_run || (evsel->counts && evsel->counts->scaled == -1))
			continue;
		/* Of two reads, the later may be the smaller by rounding. */
		counts.val[i] = (s64)count->val;
		counts.present[i] = true;
	}
	if (!row->supported)
		return;
	topdown_shares__of_counts(&row->shares, &counts);
	row->weighed = weigh(&row->slots, set, &counts);
	/*
	 * On hybrids an event of a task does not run while the task is on CPUs
	 * of another PMU. Nothing was missed then.
	 */
	if (follows_task(set) && row->run < row->ena)
		row->slots *= (double)row->run / row->ena;
}

/* Has the form of print_metric_t. */
static void take_metric(struct perf_stat_config *config __maybe_unused, void *ctx,
			const char *color __maybe_unused, const char *fmt, const char *unit,
			double val)
{
	const char *name = unit ? strrchr(unit, ' ') : NULL;
	struct topdown_shares *shares = ctx;
	int column;

	/* "%  tma_retiring" */
	if (!fmt || !name || *unit != '%' || isnan(val))
		return;
	column = topdown_column__of_metric(name + 1);
	if (column < 0)
		return;
	shares->share[column] = val / 100;
	shares->known[column] = true;
}

static void take_new_line(struct perf_stat_config *config __maybe_unused,
			  void *ctx __maybe_unused)
{
}

static void fill_from_metrics(struct topdown_row *row, const struct topdown_set *set,
			      struct perf_stat_config *config, int aggr_idx)
{
	struct perf_stat_output_ctx out = {
		.ctx		= &row->shares,
		.print_metric	= take_metric,
		.new_line	= take_new_line,
	};
	struct evsel *pos;
	int column, num = 0;

	evlist__for_each_entry(set->leader->evlist, pos) {
		const struct perf_counts_values *count = &pos->stats->aggr[aggr_idx].counts;

		if (pos->cgrp != set->leader->cgrp)
			continue;
		if (!pos->supported)
			row->supported = false;
		/* What was running least has the say. */
		if (count->ena && (!row->ena || (double)count->run / count->ena <
					       (double)row->run / row->ena)) {
			row->ena = count->ena;
			row->run = count->run;
		}
		perf_stat__print_shadow_stats_metricgroup(config, pos, aggr_idx, &num, NULL,
							  &out, &config->metric_events);
	}
	row->shares.counted = row->run;
	for (column = 0; column < TOPDOWN_NR_LEVEL1; column++) {
		if (!row->shares.known[column])
			row->shares.counted = false;
	}
	if (!row->shares.counted)
		memset(&row->shares, 0, sizeof(row->shares));
}

/**
 * topdown_row__fill - Compute the results of a set of events
 * @row: receives them
 * @set: the events
 * @config: says where the events are from
 * @aggr_idx: the aggregate that the row is about
 */
void topdown_row__fill(struct topdown_row *row, const struct topdown_set *set,
		       struct perf_stat_config *config, int aggr_idx)
{
	memset(row, 0, sizeof(*row));
	row->supported = true;
	if (config->topdown_tables)
		fill_from_metrics(row, set, config, aggr_idx);
	else
		fill_from_counts(row, set, aggr_idx);
}

/**
 * topdown_row__running - How much of the time the events were counting
 * @row: the results
 *
 * Return: percentage.
 */
double topdown_row__running(const struct topdown_row *row)
{
	return row->ena ? 100.0 * row->run / row->ena : 0;
}
