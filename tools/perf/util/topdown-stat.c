// SPDX-License-Identifier: GPL-2.0
/*
 * perf stat --topdown from the events that the kernel exports in sysfs.
 *
 * A core PMU with PERF_METRICS has slots and topdown-* events on one fixed
 * counter, valid for each thread and never multiplexed. The PMU of E-cores has
 * topdown-* events on its general-purpose counters, without slots. One group of
 * them for each core PMU is measured, and printed as one row for each thing
 * that is aggregated: what became of the slots, in percent.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <internal/xyarray.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/zalloc.h>
#include "cgroup.h"
#include "color.h"
#include "counts.h"
#include "cpumap.h"
#include "debug.h"
#include "env.h"
#include "evlist.h"
#include "evsel.h"
#include "header.h"
#include "metricgroup.h"
#include "parse-events.h"
#include "pmu.h"
#include "pmus.h"
#include "smt.h"
#include "stat.h"
#include "strbuf.h"
#include "topdown-event.h"
#include "topdown-stat.h"
#include "../pmu-events/pmu-events.h"

/* How many of the four must be there: ratios are relative to their sum. */
#define TOPDOWN_MIN_LEVEL1	2

/**
 * struct topdown_column - A column of the output
 * @name: the title
 * @part: the event that counts it
 * @complement: it is what the event leaves of its parent
 * @parent: the column that it is a part of, -1 at level 1
 * @above: the share of slots from which on it is worth a colour
 * @good: that is a good sign
 * @with_parent: only if the parent is worth a colour, too
 */
struct topdown_column {
	const char		*name;
	enum topdown_part	part;
	bool			complement;
	int			parent;
	double			above;
	bool			good;
	bool			with_parent;
};

static const struct topdown_column columns[] = {
	{ "retiring", TOPDOWN_RETIRING, false, -1, 0.7, true, false },
	{ "bad speculation", TOPDOWN_BAD_SPEC, false, -1, 0.1, false, false },
	{ "frontend bound", TOPDOWN_FE_BOUND, false, -1, 0.2, false, false },
	{ "backend bound", TOPDOWN_BE_BOUND, false, -1, 0.2, false, false },
	{ "heavy operations", TOPDOWN_HEAVY_OPS, false, 0, 0.1, false, false },
	{ "light operations", TOPDOWN_HEAVY_OPS, true, 0, 0.6, true, false },
	{ "branch mispredict", TOPDOWN_BR_MISPREDICT, false, 1, 0.1, false, true },
	{ "machine clears", TOPDOWN_BR_MISPREDICT, true, 1, 0.1, false, true },
	{ "fetch latency", TOPDOWN_FETCH_LAT, false, 2, 0.1, false, true },
	{ "fetch bandwidth", TOPDOWN_FETCH_LAT, true, 2, 0.2, false, false },
	{ "memory bound", TOPDOWN_MEM_BOUND, false, 3, 0.2, false, true },
	{ "core bound", TOPDOWN_MEM_BOUND, true, 3, 0.1, false, true },
};

#define COLUMN_LEN	20
#define PMU_LEN		10
#define CGROUP_LEN	16

/* Columns of the levels 1 and 2 */
static const unsigned int level_columns[] = { 0, TOPDOWN_NR_LEVEL1, ARRAY_SIZE(columns) };

/**
 * struct topdown_set - The events of one group
 * @leader: the event that leads it
 * @evsel: the event of each part, or NULL
 */
struct topdown_set {
	struct evsel	*leader;
	struct evsel	*evsel[TOPDOWN_SLOTS + 1];
};

/**
 * struct topdown_row - The results of one row
 * @supported: the kernel knows the events
 * @counted: there are results
 * @known: which columns have a result
 * @share: share of the slots by column; not limited to 0..1
 * @slots: number of slots
 * @ena: time for which the group was enabled
 * @run: time for which it was counting
 */
struct topdown_row {
	bool	supported;
	bool	counted;
	bool	known[ARRAY_SIZE(columns)];
	double	share[ARRAY_SIZE(columns)];
	double	slots;
	u64	ena;
	u64	run;
};

/* -- Events -------------------------------------------------------------- */

/* The deepest level that a PMU's events in sysfs can give. */
static unsigned int pmu_level(struct perf_pmu *pmu)
{
	bool slots = perf_pmu__have_event(pmu, "slots");
	unsigned int level1 = 0, level2 = 0;
	int i;

	for (i = 0; i < TOPDOWN_NR_METRICS; i++) {
		if (!perf_pmu__have_event(pmu, topdown_event_names[i]))
			continue;
		if (i < TOPDOWN_NR_LEVEL1)
			level1++;
		else
			level2++;
	}
	/* Without slots these are ordinary events, and their sum is the total. */
	if (level1 < (slots ? TOPDOWN_MIN_LEVEL1 : TOPDOWN_NR_LEVEL1))
		return 0;
	return slots && level1 == TOPDOWN_NR_LEVEL1 &&
	       level2 == TOPDOWN_NR_METRICS - TOPDOWN_NR_LEVEL1 ? 2 : 1;
}

static bool pmu_wanted(struct perf_pmu *pmu, const char *filter)
{
	return !filter || !strcmp(filter, "all") || !strcmp(filter, pmu->name);
}

static void add_name(struct strbuf *sb, struct perf_pmu *pmu, const char *name)
{
	if (sb->buf[sb->len - 1] != '{')
		strbuf_addch(sb, ',');
	if (perf_pmus__num_core_pmus() > 1)
		strbuf_addf(sb, "%s/%s/", pmu->name, name);
	else
		strbuf_addstr(sb, name);
}

static int add_group(struct evlist *evlist, struct perf_pmu *pmu, unsigned int level)
{
	int nr = level > 1 ? TOPDOWN_NR_METRICS : TOPDOWN_NR_LEVEL1;
	struct parse_events_error err;
	struct strbuf sb;
	int i, ret;

	strbuf_init(&sb, 0);
	strbuf_addch(&sb, '{');
	if (perf_pmu__have_event(pmu, "slots"))
		add_name(&sb, pmu, "slots");
	for (i = 0; i < nr; i++) {
		if (perf_pmu__have_event(pmu, topdown_event_names[i]))
			add_name(&sb, pmu, topdown_event_names[i]);
	}
	strbuf_addch(&sb, '}');

	parse_events_error__init(&err);
	ret = parse_events(evlist, sb.buf, &err);
	if (ret)
		parse_events_error__print(&err, sb.buf);
	parse_events_error__exit(&err);
	strbuf_release(&sb);
	return ret ? -EINVAL : 0;
}

/* What sysfs offers, for messages: "cpu_core level 2, cpu_atom level 1" */
static void describe_sysfs(struct strbuf *sb, const char *filter)
{
	struct perf_pmu *pmu = NULL;
	const char *sep = "";
	unsigned int level;

	while ((pmu = perf_pmus__scan_core(pmu)) != NULL) {
		if (!pmu_wanted(pmu, filter))
			continue;
		level = pmu_level(pmu);
		if (level)
			strbuf_addf(sb, "%s%s level %u", sep, pmu->name, level);
		else
			strbuf_addf(sb, "%s%s none", sep, pmu->name);
		sep = ", ";
	}
	if (!*sep)
		strbuf_addstr(sb, "no core PMU");
}

static void complain(const char *what, unsigned int level, const char *filter)
{
	char *cpuid = perf_pmu__getcpuid(NULL);
	struct strbuf sb;

	strbuf_init(&sb, 0);
	describe_sysfs(&sb, filter);
	pr_err("%s: ", what);
	if (level)
		pr_err("level %u was asked for. ", level);
	pr_err("CPU %s offers\n"
	       "  by events slots and topdown-* in sysfs: %s\n"
	       "  by metric groups TopdownL*: up to level %u\n",
	       cpuid ?: "(unknown)", sb.buf, metricgroups__topdown_max_level());
	strbuf_release(&sb);
	free(cpuid);
}

/**
 * topdown_stat__add_events - Add a TopDown group for each core PMU
 * @evlist: receives the events
 * @config: holds the wanted level; 0 means the deepest
 * @pmu_filter: name of a PMU, or "all"
 *
 * Return: 1 when groups were added, 0 when the metric tables are to be tried,
 * a negative number on error, which is printed.
 */
int topdown_stat__add_events(struct evlist *evlist, struct perf_stat_config *config,
			     const char *pmu_filter)
{
	unsigned int wanted = config->topdown_level, deepest = 0, level;
	struct perf_pmu *pmu = NULL;

	while ((pmu = perf_pmus__scan_core(pmu)) != NULL) {
		if (pmu_wanted(pmu, pmu_filter))
			deepest = max(deepest, pmu_level(pmu));
	}
	if (!deepest)
		return 0;

	if (wanted == TOPDOWN_LEVEL_DEFAULT)
		wanted = 1;
	else if (!wanted)
		wanted = deepest;
	if (wanted > deepest) {
		if (wanted <= metricgroups__topdown_max_level())
			return 0;
		complain("No such level of top-down analysis", wanted, pmu_filter);
		return -EINVAL;
	}

	while ((pmu = perf_pmus__scan_core(pmu)) != NULL) {
		if (!pmu_wanted(pmu, pmu_filter))
			continue;
		level = min(pmu_level(pmu), wanted);
		if (!level) {
			pr_warning("No top-down analysis on %s: its topdown-* events are not in sysfs\n",
				   pmu->name);
			continue;
		}
		if (add_group(evlist, pmu, level))
			return -EINVAL;
	}
	config->topdown_level = wanted;
	config->topdown = true;
	return 1;
}

struct needs_slots {
	const char *group;
	bool found;
};

static int needs_slots(const struct pmu_metric *pm,
		       const struct pmu_metrics_table *table __maybe_unused, void *data)
{
	struct needs_slots *needs = data;
	const char *expr = pm->metric_expr ?: "";

	if (strstr(pm->metric_group ?: "", needs->group) &&
	    (strstr(expr, "topdown\\-") || strstarts(expr, "slots") || strstr(expr, " slots")) &&
	    (!pm->pmu || !strcmp(pm->pmu, "cpu") || !strcmp(pm->pmu, "cpu_core")))
		needs->found = true;
	return 0;
}

/**
 * topdown_stat__lacks_slots - Would a metric group fail for want of slots?
 * @group: name of the metric group
 *
 * The tables are found by CPUID. In a guest that tells of a CPU with
 * PERF_METRICS, while the kernel has none.
 *
 * Return: true if the group needs events that sysfs does not have.
 */
bool topdown_stat__lacks_slots(const char *group)
{
	const struct pmu_metrics_table *table = pmu_metrics_table__find();
	struct needs_slots needs = { .group = group };
	struct perf_pmu *pmu = NULL;

	if (!table)
		return false;
	while ((pmu = perf_pmus__scan_core(pmu)) != NULL) {
		if (perf_pmu__have_event(pmu, "slots"))
			return false;
	}
	pmu_metrics_table__for_each_metric(table, needs_slots, &needs);
	return needs.found;
}

/**
 * topdown_stat__table_group - Choose a metric group where sysfs has no events
 * @config: holds the wanted level; 0 means the deepest
 * @pmu_filter: name of a PMU, or "all"
 * @group: receives the name
 * @size: its size
 *
 * Return: 0, or a negative number on error, which is printed.
 */
int topdown_stat__table_group(struct perf_stat_config *config, const char *pmu_filter,
			      char *group, size_t size)
{
	unsigned int wanted = config->topdown_level, deepest = metricgroups__topdown_max_level();
	const char *family = "TopdownL";

	if (!deepest && metricgroup__has_metric(pmu_filter, "PipelineL1")) {
		family = "PipelineL";
		deepest = metricgroup__has_metric(pmu_filter, "PipelineL2") ? 2 : 1;
	}
	if (!deepest) {
		complain("No top-down analysis on this CPU", 0, pmu_filter);
		return -ENOENT;
	}
	if (wanted == TOPDOWN_LEVEL_DEFAULT)
		wanted = 1;
	else if (!wanted)
		wanted = deepest;
	if (wanted > deepest) {
		complain("No such level of top-down analysis", wanted, pmu_filter);
		return -EINVAL;
	}
	if (topdown_stat__lacks_slots("TopdownL1")) {
		pr_err("No top-down analysis: this CPU has PERF_METRICS, but no event slots is in sysfs.\n"
		       "Neither the kernel nor, in a guest, the hypervisor exposes it.\n");
		return -ENOENT;
	}
	if (config->aggr_mode == AGGR_THREAD && !strcmp(family, "TopdownL") && smt_on()) {
		pr_err("Threads cannot be told apart: before Ice Lake the slots of a core are those of\n"
		       "both its hyperthreads. Measure cores: perf stat --topdown -a --per-core\n");
		return -EINVAL;
	}
	config->topdown_level = wanted;
	scnprintf(group, size, "%s%u", family, wanted);
	return 0;
}

/* -- Results ------------------------------------------------------------- */

static bool topdown_set__init(struct topdown_set *set, struct evlist *evlist,
			      struct evsel *leader)
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
	return level1 >= TOPDOWN_MIN_LEVEL1;
}

/* The leader of the next TopDown group behind @pos, or of the first */
static struct evsel *next_set(struct evlist *evlist, struct topdown_set *set,
			      const struct evsel *pos)
{
	bool behind = !pos;
	struct evsel *next;

	evlist__for_each_entry(evlist, next) {
		if (behind && evsel__leader(next) == next &&
		    topdown_set__init(set, evlist, next))
			return next;
		if (next == pos)
			behind = true;
	}
	return NULL;
}

/* "cpu_core", also of events that were read from a file */
static void set_pmu(const struct topdown_set *set, char *buf, size_t size)
{
	const char *name = set->leader->pmu_name ?: set->leader->name ?: "";
	size_t len = strcspn(name, "/");

	if (!set->leader->pmu_name && !name[len])
		scnprintf(buf, size, "cpu");
	else
		scnprintf(buf, size, "%.*s", (int)len, name);
}

static bool is_hybrid(struct evlist *evlist)
{
	char first[64] = "", pmu[64];
	struct topdown_set set;
	struct evsel *pos = NULL;

	while ((pos = next_set(evlist, &set, pos)) != NULL) {
		set_pmu(&set, pmu, sizeof(pmu));
		if (!*first)
			scnprintf(first, sizeof(first), "%s", pmu);
		else if (strcmp(first, pmu))
			return true;
	}
	return false;
}

static void fill_column(struct topdown_row *row, const struct topdown_set *set, unsigned int nr,
			const double *counts, double sum)
{
	const struct topdown_column *column = &columns[nr];

	if (!set->evsel[column->part])
		return;
	row->share[nr] = counts[column->part] / sum;
	if (column->complement) {
		if (!row->known[column->parent])
			return;
		row->share[nr] = fmax(row->share[column->parent] - row->share[nr], 0);
	}
	row->known[nr] = true;
}

/* A hybrid's event of a task; the map of CPUs of such an event is empty. */
static bool follows_task(const struct topdown_set *set)
{
	return strchr(set->leader->name ?: "", '/') &&
	       perf_cpu_map__is_any_cpu_or_is_empty(set->leader->core.cpus);
}

static void fill_row(struct topdown_row *row, const struct topdown_set *set, int aggr_idx)
{
	double counts[TOPDOWN_SLOTS + 1] = { 0 }, sum = 0;
	unsigned int present = 0;
	int i;

	memset(row, 0, sizeof(*row));
	row->supported = true;
	for (i = 0; i <= TOPDOWN_SLOTS; i++) {
		const struct perf_counts_values *count;
		struct evsel *evsel = set->evsel[i];

		if (!evsel)
			continue;
		if (!evsel->supported)
			row->supported = false;
		count = &evsel->stats->aggr[aggr_idx].counts;
		if (evsel == set->leader) {
			row->ena = count->ena;
			row->run = count->run;
		}
		if (!count->run || (evsel->counts && evsel->counts->scaled == -1))
			continue;
		/* Of two reads, the later may be the smaller by rounding. */
		counts[i] = (s64)count->val;
		if (i < TOPDOWN_NR_LEVEL1) {
			sum += counts[i];
			present++;
		}
	}
	if (!row->supported || present < TOPDOWN_MIN_LEVEL1 || sum <= 0)
		return;
	row->counted = true;
	row->slots = set->evsel[TOPDOWN_SLOTS] ? counts[TOPDOWN_SLOTS] : sum;
	/*
	 * On hybrids an event of a task does not run while the task is on CPUs
	 * of another PMU. Nothing was missed then.
	 */
	if (follows_task(set) && row->run < row->ena)
		row->slots *= (double)row->run / row->ena;
	for (i = 0; i < (int)ARRAY_SIZE(columns); i++)
		fill_column(row, set, i, counts, sum);
}

static bool notable(const struct topdown_row *row, unsigned int nr)
{
	const struct topdown_column *column = &columns[nr];

	return row->known[nr] && row->share[nr] > column->above &&
	       (!column->with_parent || notable(row, column->parent));
}

static const char *color(const struct topdown_row *row, unsigned int nr)
{
	if (!notable(row, nr))
		return "";
	return columns[nr].good ? PERF_COLOR_GREEN : PERF_COLOR_RED;
}

/* In percent, without a sign before a zero */
static double percent(double share, double step)
{
	return fabs(share * 100) < step / 2 ? 0 : share * 100;
}

/* -- Output -------------------------------------------------------------- */

static unsigned int nr_columns(struct perf_stat_config *config)
{
	return level_columns[config->topdown_level > 1 ? 2 : 1];
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
	unsigned int i;

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
	for (i = 0; i < nr_columns(config); i++)
		fprintf(out, "%s%s", columns[i].name, sep);
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
	bool hybrid = is_hybrid(evlist);
	FILE *out = config->output;
	unsigned int i;

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
		fprintf(out, " %-*s", CGROUP_LEN, "cgroup");
	if (hybrid)
		fprintf(out, "%-*s ", PMU_LEN, "pmu");
	for (i = 0; i < nr_columns(config); i++)
		fprintf(out, "%*s ", COLUMN_LEN, columns[i].name);
	fprintf(out, "%*s", COLUMN_LEN, "slots");
	if (hybrid)
		fprintf(out, " %8s", "share");
	fputc('\n', out);
}

static void print_notable(struct perf_stat_config *config, const struct topdown_row *row)
{
	const char *sep = "";
	unsigned int i;

	for (i = 0; i < nr_columns(config); i++) {
		if (!notable(row, i))
			continue;
		fprintf(config->output, "%s%s", sep, columns[i].name);
		sep = "|";
	}
	if (!*sep)
		fputs("none", config->output);
}

static double running(const struct topdown_row *row)
{
	return row->ena ? 100.0 * row->run / row->ena : 0;
}

static void print_row_std(struct perf_stat_config *config, const struct topdown_row *row,
			  const char *pmu, const char *cgroup, double share)
{
	FILE *out = config->output;
	char value[64], painted[128];
	unsigned int i;

	if (cgroup)
		fprintf(out, " %-*s", CGROUP_LEN, cgroup);
	if (pmu)
		fprintf(out, "%-*s ", PMU_LEN, pmu);
	for (i = 0; i < nr_columns(config); i++) {
		const char *paint = color(row, i);
		int len = COLUMN_LEN;

		if (row->known[i]) {
			double shown = fmin(fmax(row->share[i], 0), 1);

			scnprintf(value, sizeof(value), "%8.1f%%", percent(shown, 0.1));
		} else {
			scnprintf(value, sizeof(value), "%s", row->counted ? "-" :
				  row->supported ? "<not counted>" : "<not supported>");
		}
		len += color_snprintf(painted, sizeof(painted), paint, "%s", value) -
		       strlen(value);
		fprintf(out, "%*s ", len, painted);
	}
	if (row->counted)
		fprintf(out, config->big_num ? "%'*.0f" : "%*.0f", COLUMN_LEN, row->slots);
	else
		fprintf(out, "%*s", COLUMN_LEN, "-");
	if (pmu && row->counted)
		fprintf(out, " %7.1f%%", percent(share, 0.1));
	else if (pmu)
		fprintf(out, " %8s", "-");
	if (row->counted && row->run < row->ena)
		fprintf(out, "  (%.2f%%)", running(row));
	fputc('\n', out);
}

static void print_row_csv(struct perf_stat_config *config, const struct topdown_row *row,
			  const char *pmu, const char *cgroup, double share)
{
	const char *sep = config->csv_sep;
	FILE *out = config->output;
	unsigned int i;

	if (cgroup)
		fprintf(out, "%s%s", cgroup, sep);
	if (pmu)
		fprintf(out, "%s%s", pmu, sep);
	for (i = 0; i < nr_columns(config); i++) {
		if (row->known[i])
			fprintf(out, "%.2f%s", percent(row->share[i], 0.01), sep);
		else
			fprintf(out, "null%s", sep);
	}
	if (row->counted)
		fprintf(out, "%.0f%s", row->slots, sep);
	else
		fprintf(out, "null%s", sep);
	if (pmu) {
		if (row->counted)
			fprintf(out, "%.2f%s", percent(share, 0.01), sep);
		else
			fprintf(out, "null%s", sep);
	}
	fprintf(out, "%.2f%s", running(row), sep);
	print_notable(config, row);
	fputc('\n', out);
}

static void print_row_json(struct perf_stat_config *config, const struct topdown_row *row,
			   const char *pmu, const char *cgroup, double share)
{
	FILE *out = config->output;
	unsigned int i;

	if (cgroup)
		fprintf(out, "\"cgroup\" : \"%s\", ", cgroup);
	fprintf(out, "\"pmu\" : \"%s\", ", pmu);
	for (i = 0; i < nr_columns(config); i++) {
		if (row->known[i])
			fprintf(out, "\"%s\" : %.2f, ", columns[i].name,
				percent(row->share[i], 0.01));
		else
			fprintf(out, "\"%s\" : null, ", columns[i].name);
	}
	if (row->counted)
		fprintf(out, "\"slots\" : %.0f, \"share\" : %.2f, ", row->slots,
			percent(share, 0.01));
	else
		fprintf(out, "\"slots\" : null, \"share\" : null, ");
	fprintf(out, "\"pcnt-running\" : %.2f, \"notable\" : \"", running(row));
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
	while ((pos = next_set(evlist, &set, pos)) != NULL) {
		if (pos->cgrp != cgrp)
			continue;
		for (i = first; i <= last; i++) {
			fill_row(&row, &set, i);
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
		return config->system_wide && !row->counted;
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
 * topdown_stat__print_rows - Print a row for each aggregate and PMU
 * @evlist: the events
 * @config: how to print
 * @prefix: what each row begins with, or NULL
 * @label: prints the label of a row
 */
void topdown_stat__print_rows(struct evlist *evlist, struct perf_stat_config *config,
			      const char *prefix, topdown_label_t label)
{
	bool hybrid = is_hybrid(evlist);
	struct topdown_set set;
	struct topdown_row row;
	struct evsel *pos = NULL;
	int i;

	if (!config->aggr_map)
		return;

	for (i = 0; i < config->aggr_map->nr; i++) {
		while ((pos = next_set(evlist, &set, pos)) != NULL) {
			const char *cgroup = !has_cgroups(config) ? NULL :
					     pos->cgrp ? pos->cgrp->name : "";
			double total, share;
			char pmu[64];

			fill_row(&row, &set, i);
			if (skip_row(config, &set, &row, i))
				continue;
			total = total_slots(evlist, config, pos->cgrp, i);
			share = total > 0 ? row.slots / total : 0;
			set_pmu(&set, pmu, sizeof(pmu));

			if (config->json_output)
				fputc('{', config->output);
			if (prefix)
				fputs(prefix, config->output);
			label(config, pos, config->aggr_map->map[i], pos->stats->aggr[i].nr);
			if (config->json_output)
				print_row_json(config, &row, pmu, cgroup, share);
			else if (config->csv_output)
				print_row_csv(config, &row, hybrid ? pmu : NULL, cgroup, share);
			else
				print_row_std(config, &row, hybrid ? pmu : NULL, cgroup, share);
		}
	}
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
	unsigned int i;

	if (!config->topdown || part >= TOPDOWN_NR_METRICS ||
	    !topdown_set__init(&set, evsel->evlist, evsel__leader(evsel)))
		return false;

	fill_row(&row, &set, aggr_idx);
	for (i = 0; i < ARRAY_SIZE(columns); i++) {
		const char *paint = color(&row, i);

		if (columns[i].part != part || !row.known[i])
			continue;
		if (printed)
			out->new_line(config, out->ctx);
		out->print_metric(config, out->ctx, *paint ? paint : NULL, "%8.1f%%",
				  columns[i].name,
				  percent(fmin(fmax(row.share[i], 0), 1), 0.1));
		printed = true;
	}
	return printed;
}

/**
 * topdown_stat__detect - Was a recorded file made by perf stat --topdown?
 * @evlist: its events
 * @config: is prepared for printing it
 * @env: what its header says
 *
 * Return: true if so.
 */
bool topdown_stat__detect(struct evlist *evlist, struct perf_stat_config *config,
			  struct perf_env *env)
{
	bool asked = false, found = false;
	struct topdown_set set;
	struct evsel *pos = NULL;
	int i;

	for (i = 0; i < env->nr_cmdline; i++) {
		if (!strcmp(env->cmdline_argv[i], "--topdown"))
			asked = true;
	}
	if (!asked)
		return false;

	config->topdown_level = 1;
	while ((pos = next_set(evlist, &set, pos)) != NULL) {
		found = true;
		if (set.evsel[TOPDOWN_HEAVY_OPS])
			config->topdown_level = 2;
	}
	config->topdown = found;
	if (found)
		config->metric_only = true;
	return found;
}

/* -- Reads between ------------------------------------------------------- */

/*
 * A field of PERF_METRICS has eight bits: the more slots were counted since the
 * registers were last cleared, the coarser it is. The kernel clears them when
 * it is asked for the count of a running event, and keeps the sum. So ask once
 * a second.
 */
#define READ_INTERVAL_MS	1000

static struct topdown_reader {
	pthread_t	thread;
	pthread_mutex_t	lock;
	pthread_cond_t	cond;
	struct evlist	*evlist;
	bool		running;
	bool		stop;
} reader = {
	.lock	= PTHREAD_MUTEX_INITIALIZER,
	.cond	= PTHREAD_COND_INITIALIZER,
};

static void read_group(struct evsel *leader)
{
	u64 buf[8 + 3 * (TOPDOWN_SLOTS + 1)];
	struct xyarray *fds = leader->core.fd;
	unsigned int x, y;

	if (!fds)
		return;
	for (x = 0; x < (unsigned int)xyarray__max_x(fds); x++) {
		for (y = 0; y < (unsigned int)xyarray__max_y(fds); y++) {
			int *fd = xyarray__entry(fds, x, y);

			/* The last read of all reports what is wrong. */
			if (*fd >= 0 && read(*fd, buf, sizeof(buf)) < 0)
				pr_debug2("topdown: read: %d\n", errno);
		}
	}
}

static void *read_thread(void *arg)
{
	struct topdown_reader *r = arg;
	struct timespec until;
	struct evsel *pos;

	pthread_mutex_lock(&r->lock);
	clock_gettime(CLOCK_REALTIME, &until);
	while (!r->stop) {
		until.tv_sec += READ_INTERVAL_MS / 1000;
		while (!r->stop &&
		       pthread_cond_timedwait(&r->cond, &r->lock, &until) != ETIMEDOUT)
			;
		if (r->stop)
			break;
		evlist__for_each_entry(r->evlist, pos) {
			if (evsel__leader(pos) == pos && evsel__is_topdown_slots(pos))
				read_group(pos);
		}
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/**
 * topdown_stat__start_reads - Read slots and metrics once a second from now on
 * @evlist: the events, which are open
 * @config: says whether there are intervals anyway
 */
void topdown_stat__start_reads(struct evlist *evlist, struct perf_stat_config *config)
{
	sigset_t all, before;

	if (!config->topdown || reader.running ||
	    (config->interval && config->interval <= READ_INTERVAL_MS))
		return;

	reader.evlist = evlist;
	reader.stop = false;
	/* Signals are for the thread that waits for them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	reader.running = !pthread_create(&reader.thread, NULL, read_thread, &reader);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!reader.running)
		pr_warning("Topdown accuracy may decrease when measuring long periods.\n"
			   "Please print the result regularly, e.g. -I1000\n");
}

/**
 * topdown_stat__stop_reads - End what topdown_stat__start_reads() began
 */
void topdown_stat__stop_reads(void)
{
	if (!reader.running)
		return;
	pthread_mutex_lock(&reader.lock);
	reader.stop = true;
	pthread_cond_signal(&reader.cond);
	pthread_mutex_unlock(&reader.lock);
	pthread_join(reader.thread, NULL);
	reader.running = false;
}
