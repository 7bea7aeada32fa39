// SPDX-License-Identifier: GPL-2.0
/*
 * What perf stat --topdown prints: one row for each thing that is aggregated and
 * each PMU, with fixed columns.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <perf/threadmap.h>
#include "cgroup.h"
#include "color.h"
#include "cpumap.h"
#include "evlist.h"
#include "evsel.h"
#include "stat.h"
#include "thread_map.h"
#include "topdown-rows.h"
#include "topdown-share.h"
#include "topdown-stat.h"

#define COLUMN_LEN	20
#define PMU_LEN		10
#define CGROUP_LEN	16

static bool is_shown(struct perf_stat_config *config, int column)
{
	return topdown_column__is_shown(column, config->topdown_level, config->topdown_smt);
}

static bool is_hybrid(struct evlist *evlist, struct perf_stat_config *config)
{
	char first[64] = "", pmu[64];
	struct topdown_set set;
	struct evsel *pos = NULL;

	while ((pos = topdown_set__next(&set, evlist, config, pos)) != NULL) {
		topdown_set__pmu(&set, pmu, sizeof(pmu));
		if (!*first)
			scnprintf(first, sizeof(first), "%s", pmu);
		else if (strcmp(first, pmu))
			return true;
	}
	return false;
}

/* Width of what prints the label of a row */
static int label_width(struct perf_stat_config *config)
{
	static const int width[AGGR_MAX] = {
		[AGGR_CORE]	= 24,
		[AGGR_CACHE]	= 28,
		[AGGR_CLUSTER]	= 26,
		[AGGR_DIE]	= 18,
		[AGGR_SOCKET]	= 12,
		[AGGR_NODE]	= 12,
		[AGGR_NONE]	= 7,
		[AGGR_THREAD]	= 25,
	};

	return config->aggr_mode < AGGR_MAX ? width[config->aggr_mode] : 0;
}

static const char *label_csv(struct perf_stat_config *config)
{
	static const char * const titles[AGGR_MAX] = {
		[AGGR_CORE]	= "core,cpus,",
		[AGGR_CACHE]	= "cache,cpus,",
		[AGGR_CLUSTER]	= "cluster,cpus,",
		[AGGR_DIE]	= "die,cpus,",
		[AGGR_SOCKET]	= "socket,cpus,",
		[AGGR_NODE]	= "node,cpus,",
		[AGGR_NONE]	= "cpu,",
		[AGGR_THREAD]	= "comm-pid,",
	};

	return config->aggr_mode < AGGR_MAX ? titles[config->aggr_mode] ?: "" : "";
}

static bool has_cgroups(struct perf_stat_config *config)
{
	return nr_cgroups || config->cgroup_list;
}

static void print_csv_header(struct perf_stat_config *config, bool hybrid)
{
	const char *sep = config->csv_sep, *p;
	FILE *out = config->output;
	int i;

	if (config->interval)
		fprintf(out, "time%s", sep);
	for (p = label_csv(config); *p; p++) {
		if (*p == ',')
			fputs(sep, out);
		else
			fputc(*p, out);
	}
	if (has_cgroups(config))
		fprintf(out, "cgroup%s", sep);
	if (hybrid)
		fprintf(out, "pmu%s", sep);
	for (i = 0; i < TOPDOWN_NR_COLUMNS; i++) {
		if (is_shown(config, i))
			fprintf(out, "%s%s", topdown_column__name(i), sep);
	}
	fprintf(out, "slots%s", sep);
	if (hybrid)
		fprintf(out, "share%s", sep);
	fprintf(out, "running%snotable\n", sep);
}

/**
 * topdown_stat__print_header - Print the titles of the columns
 * @evlist: the events
 * @config: how to print
 * @no_indent: the titles of the rows' labels are printed already
 */
void topdown_stat__print_header(struct evlist *evlist, struct perf_stat_config *config,
				bool no_indent)
{
	bool hybrid = is_hybrid(evlist, config);
	FILE *out = config->output;
	int i;

	if (config->json_output)
		return;
	if (config->csv_output) {
		print_csv_header(config, hybrid);
		return;
	}

	if (no_indent)
		fputc(' ', out);
	else
		fprintf(out, "%*s", label_width(config), "");
	if (has_cgroups(config))
		fprintf(out, " %-*s%s", CGROUP_LEN, "cgroup", hybrid ? " " : "");
	if (hybrid)
		fprintf(out, "%-*s ", PMU_LEN, "pmu");
	for (i = 0; i < TOPDOWN_NR_COLUMNS; i++) {
		if (is_shown(config, i))
			fprintf(out, "%*s ", COLUMN_LEN, topdown_column__name(i));
	}
	fprintf(out, "%*s", COLUMN_LEN, "slots");
	if (hybrid)
		fprintf(out, " %8s", "share");
	fputc('\n', out);
}

/* What others chose, between quotes */
static void print_json_string(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if (iscntrl(*text))
			fprintf(out, "\\u%04x", *text);
		else
			fputc(*text, out);
	}
}

/* The same in a cell: neither ends it, nor the row */
static void print_csv_string(FILE *out, const char *text, const char *sep)
{
	size_t len = strlen(sep);

	while (*text) {
		bool ends = len && !strncmp(text, sep, len);

		fputc(ends || iscntrl(*text) ? '_' : *text, out);
		text += ends ? len : 1;
	}
}

/* A thread chooses its name. */
static void print_thread(struct perf_stat_config *config, struct evsel *evsel, int thread)
{
	const char *comm = perf_thread_map__comm(evsel->core.threads, thread) ?: "";
	pid_t pid = perf_thread_map__pid(evsel->core.threads, thread);
	FILE *out = config->output;

	if (config->json_output) {
		fputs("\"thread\" : \"", out);
		print_json_string(out, comm);
		fprintf(out, "-%d\", ", pid);
	} else {
		print_csv_string(out, comm, config->csv_sep);
		fprintf(out, "-%d%s", pid, config->csv_sep);
	}
}

static void print_notable(struct perf_stat_config *config, const struct topdown_row *row)
{
	const char *sep = "";
	int i;

	for (i = 0; i < TOPDOWN_NR_COLUMNS; i++) {
		if (!is_shown(config, i) || !topdown_shares__notable(&row->shares, i))
			continue;
		fprintf(config->output, "%s%s", sep, topdown_column__name(i));
		sep = "|";
	}
	if (!*sep)
		fputs("none", config->output);
}

/**
 * topdown_stat__count - The count of an event as it is printed beside others
 * @config: how to print, or NULL to compute with it
 * @evsel: the event
 * @val: what it has counted in an interval
 *
 * Of two reads of a topdown metric the later may be the smaller, by rounding.
 * What it has counted in between is below zero then.
 *
 * Return: the number with its sign, for readers at least 0.
 */
double topdown_stat__count(struct perf_stat_config *config, struct evsel *evsel, u64 val)
{
	double count = (s64)val;

	if (evsel__topdown_part(evsel) == TOPDOWN_NONE)
		return val;
	if (!config || config->csv_output || config->json_output)
		return count;
	return fmax(count, 0);
}

/* Maybe nothing: there are no slots to divide then. */
static bool has_counted(const struct topdown_row *row)
{
	return row->shares.counted || row->weighed;
}

static void print_row_std(struct perf_stat_config *config, const struct topdown_row *row,
			  const char *pmu, const char *cgroup, double share)
{
	const struct topdown_shares *shares = &row->shares;
	FILE *out = config->output;
	char value[64], painted[128];
	int i;

	if (cgroup)
		fprintf(out, " %-*s%s", CGROUP_LEN, cgroup, pmu ? " " : "");
	if (pmu)
		fprintf(out, "%-*s ", PMU_LEN, pmu);
	for (i = 0; i < TOPDOWN_NR_COLUMNS; i++) {
		const char *paint = topdown_shares__color(shares, i);
		int len = COLUMN_LEN;

		if (!is_shown(config, i))
			continue;
		if (shares->known[i]) {
			scnprintf(value, sizeof(value), "%8.1f%%",
				  topdown_shares__percent(shares, i));
		} else {
			scnprintf(value, sizeof(value), "%s", has_counted(row) ? "-" :
				  row->supported ? "<not counted>" : "<not supported>");
		}
		len += color_snprintf(painted, sizeof(painted), paint, "%s", value) -
		       strlen(value);
		fprintf(out, "%*s ", len, painted);
	}
	if (row->weighed)
		fprintf(out, config->big_num ? "%'*.0f" : "%*.0f", COLUMN_LEN, row->slots);
	else
		fprintf(out, "%*s", COLUMN_LEN, "-");
	if (pmu && !isnan(share))
		fprintf(out, " %7.1f%%", topdown_percent(share, 0.1));
	else if (pmu)
		fprintf(out, " %8s", "-");
	if (has_counted(row) && row->run < row->ena)
		fprintf(out, "  (%.2f%%)", topdown_row__running(row));
	fputc('\n', out);
}

static void print_row_csv(struct perf_stat_config *config, const struct topdown_row *row,
			  const char *pmu, const char *cgroup, double share)
{
	const char *sep = config->csv_sep;
	FILE *out = config->output;
	int i;

	if (cgroup) {
		print_csv_string(out, cgroup, sep);
		fputs(sep, out);
	}
	if (pmu)
		fprintf(out, "%s%s", pmu, sep);
	for (i = 0; i < TOPDOWN_NR_COLUMNS; i++) {
		if (!is_shown(config, i))
			continue;
		if (row->shares.known[i])
			fprintf(out, "%.2f%s", topdown_percent(row->shares.share[i], 0.01), sep);
		else
			fprintf(out, "null%s", sep);
	}
	if (row->weighed)
		fprintf(out, "%.0f%s", row->slots, sep);
	else
		fprintf(out, "null%s", sep);
	if (pmu && !isnan(share))
		fprintf(out, "%.2f%s", topdown_percent(share, 0.01), sep);
	else if (pmu)
		fprintf(out, "null%s", sep);
	fprintf(out, "%.2f%s", topdown_row__running(row), sep);
	print_notable(config, row);
	fputc('\n', out);
}

static void print_row_json(struct perf_stat_config *config, const struct topdown_row *row,
			   const char *pmu, const char *cgroup, double share)
{
	FILE *out = config->output;
	int i;

	if (cgroup) {
		fputs("\"cgroup\" : \"", out);
		print_json_string(out, cgroup);
		fputs("\", ", out);
	}
	fprintf(out, "\"pmu\" : \"%s\", ", pmu);
	for (i = 0; i < TOPDOWN_NR_COLUMNS; i++) {
		if (!is_shown(config, i))
			continue;
		if (row->shares.known[i])
			fprintf(out, "\"%s\" : %.2f, ", topdown_column__name(i),
				topdown_percent(row->shares.share[i], 0.01));
		else
			fprintf(out, "\"%s\" : null, ", topdown_column__name(i));
	}
	if (row->weighed)
		fprintf(out, "\"slots\" : %.0f, ", row->slots);
	else
		fprintf(out, "\"slots\" : null, ");
	if (!isnan(share))
		fprintf(out, "\"share\" : %.2f, ", topdown_percent(share, 0.01));
	else
		fprintf(out, "\"share\" : null, ");
	fprintf(out, "\"pcnt-running\" : %.2f, \"notable\" : \"",
		topdown_row__running(row));
	print_notable(config, row);
	fprintf(out, "\"}\n");
}

/* Does an aggregate hold CPUs of several PMUs? */
static bool spans_pmus(struct perf_stat_config *config)
{
	switch (config->aggr_mode) {
	case AGGR_CORE:
	case AGGR_CLUSTER:
	case AGGR_CACHE:
	case AGGR_NONE:
		return false;
	case AGGR_GLOBAL:
	case AGGR_THREAD:
	case AGGR_SOCKET:
	case AGGR_DIE:
	case AGGR_NODE:
	case AGGR_UNSET:
	case AGGR_MAX:
	default:
		return true;
	}
}

/* Slots of all PMUs: of one aggregate, or of all where each has one PMU only */
static double total_slots(struct evlist *evlist, struct perf_stat_config *config,
			  struct cgroup *cgrp, int aggr_idx)
{
	int first = aggr_idx, last = aggr_idx, i;
	struct topdown_set set;
	struct topdown_row row;
	struct evsel *pos = NULL;
	double total = 0;

	if (!spans_pmus(config)) {
		first = 0;
		last = config->aggr_map->nr - 1;
	}
	while ((pos = topdown_set__next(&set, evlist, config, pos)) != NULL) {
		if (pos->cgrp != cgrp)
			continue;
		for (i = first; i <= last; i++) {
			topdown_row__fill(&row, &set, config, i);
			total += row.slots;
		}
	}
	return total;
}

static bool skip_row(struct perf_stat_config *config, const struct topdown_set *set,
		     const struct topdown_row *row, int aggr_idx)
{
	switch (config->aggr_mode) {
	case AGGR_GLOBAL:
		return false;
	case AGGR_THREAD:
		/* Of a whole system, only threads that did something */
		return config->system_wide && !row->shares.counted;
	case AGGR_CORE:
	case AGGR_CACHE:
	case AGGR_CLUSTER:
	case AGGR_DIE:
	case AGGR_SOCKET:
	case AGGR_NODE:
	case AGGR_NONE:
	case AGGR_UNSET:
	case AGGR_MAX:
	default:
		/* No CPU of this PMU in it */
		return !set->leader->stats->aggr[aggr_idx].nr;
	}
}

/**
 * struct place - Where an aggregate has its rows
 * @aggr_idx: the aggregate
 * @slots: what it is sorted by
 */
struct place {
	int	aggr_idx;
	double	slots;
};

static int busiest_first(const void *a, const void *b)
{
	const struct place *l = a, *r = b;

	if (l->slots != r->slots)
		return l->slots < r->slots ? 1 : -1;
	return l->aggr_idx - r->aggr_idx;
}

/* Of a whole system's threads the busiest comes first, whatever its place. */
static struct place *order_rows(struct evlist *evlist, struct perf_stat_config *config)
{
	int nr = config->aggr_map->nr, i;
	struct place *places = calloc(nr, sizeof(*places));

	if (!places)
		return NULL;
	for (i = 0; i < nr; i++) {
		places[i].aggr_idx = i;
		if (config->aggr_mode == AGGR_THREAD && config->system_wide)
			places[i].slots = total_slots(evlist, config, NULL, i);
	}
	qsort(places, nr, sizeof(*places), busiest_first);
	return places;
}

/**
 * topdown_stat__print_rows - Print a row for each aggregate and PMU
 * @evlist: the events
 * @config: how to print
 * @prefix: what each row begins with, or NULL
 * @label: prints the label of a row
 */
void topdown_stat__print_rows(struct evlist *evlist, struct perf_stat_config *config,
			      const char *prefix, topdown_label_t label)
{
	bool hybrid = is_hybrid(evlist, config);
	struct topdown_set set;
	struct topdown_row row;
	struct evsel *pos = NULL;
	struct place *places;
	int n;

	if (!config->aggr_map)
		return;
	places = order_rows(evlist, config);
	if (!places)
		return;

	for (n = 0; n < config->aggr_map->nr; n++) {
		int i = places[n].aggr_idx;

		while ((pos = topdown_set__next(&set, evlist, config, pos)) != NULL) {
			const char *cgroup = !has_cgroups(config) ? NULL :
					     pos->cgrp ? pos->cgrp->name : "";
			double total, share;
			char pmu[64];

			topdown_row__fill(&row, &set, config, i);
			if (skip_row(config, &set, &row, i))
				continue;
			total = total_slots(evlist, config, pos->cgrp, i);
			share = row.weighed && total > 0 ? row.slots / total : NAN;
			topdown_set__pmu(&set, pmu, sizeof(pmu));

			if (config->json_output)
				fputc('{', config->output);
			if (prefix)
				fputs(prefix, config->output);
			if (config->aggr_mode == AGGR_THREAD &&
			    (config->json_output || config->csv_output))
				print_thread(config, pos, config->aggr_map->map[i].thread_idx);
			else
				label(config, pos, config->aggr_map->map[i],
				      pos->stats->aggr[i].nr);
			if (config->json_output)
				print_row_json(config, &row, pmu, cgroup, share);
			else if (config->csv_output)
				print_row_csv(config, &row, hybrid ? pmu : NULL, cgroup, share);
			else
				print_row_std(config, &row, hybrid ? pmu : NULL, cgroup, share);
		}
	}
	free(places);
}

/**
 * topdown_stat__print_metric - Print what an event's count means
 * @config: how to print
 * @evsel: the event
 * @aggr_idx: the aggregate
 * @out: where to print
 *
 * Return: false if the event is no part of a TopDown group.
 */
bool topdown_stat__print_metric(struct perf_stat_config *config, struct evsel *evsel,
				int aggr_idx, struct perf_stat_output_ctx *out)
{
	enum topdown_part part = evsel__topdown_part(evsel);
	struct topdown_set set;
	struct topdown_row row;
	bool printed = false;
	double percent;
	int i;

	if (!config->topdown || config->topdown_tables || part >= TOPDOWN_NR_METRICS ||
	    !topdown_set__init(&set, evsel->evlist, evsel__leader(evsel)))
		return false;

	topdown_row__fill(&row, &set, config, aggr_idx);
	for (i = 0; i < TOPDOWN_NR_COLUMNS; i++) {
		const char *paint = topdown_shares__color(&row.shares, i);

		if (topdown_column__part(i) != part || !row.shares.known[i])
			continue;
		if (printed)
			out->new_line(config, out->ctx);
		percent = topdown_shares__percent(&row.shares, i);
		if (config->csv_output || config->json_output)
			percent = topdown_percent(row.shares.share[i], 0.1);
		out->print_metric(config, out->ctx, *paint ? paint : NULL, "%8.1f%%",
				  topdown_column__name(i), percent);
		printed = true;
	}
	return printed;
}
