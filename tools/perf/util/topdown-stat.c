// SPDX-License-Identifier: GPL-2.0
/*
 * What perf stat --topdown measures: the events that the kernel exports in sysfs.
 *
 * A core PMU with PERF_METRICS has slots and topdown-* events on one fixed
 * counter, valid for each thread and never multiplexed. The PMU of E-cores has
 * topdown-* events on its general-purpose counters, without slots. One group of
 * them for each core PMU is measured. Where there is none of that, metrics of
 * the tables take their place.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "cgroup.h"
#include "debug.h"
#include "evlist.h"
#include "evsel.h"
#include "metricgroup.h"
#include "parse-events.h"
#include "pmu.h"
#include "pmus.h"
#include "smt.h"
#include "stat.h"
#include "strbuf.h"
#include "topdown-event.h"
#include "topdown-rows.h"
#include "topdown-stat.h"
#include "../pmu-events/pmu-events.h"

/* The deepest level that the fixed columns have */
#define TOPDOWN_COLUMNS_LEVEL	2

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
	if (level1 < (slots ? 2 : TOPDOWN_NR_LEVEL1))
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

/* The deepest level that sysfs offers */
static unsigned int sysfs_level(const char *filter)
{
	struct perf_pmu *pmu = NULL;
	unsigned int deepest = 0;

	while ((pmu = perf_pmus__scan_core(pmu)) != NULL) {
		if (pmu_wanted(pmu, filter))
			deepest = max(deepest, pmu_level(pmu));
	}
	return deepest;
}

/* The deepest level of AMD's tables */
static unsigned int pipeline_level(const char *filter)
{
	if (!metricgroup__has_metric(filter, "PipelineL1"))
		return 0;
	return metricgroup__has_metric(filter, "PipelineL2") ? 2 : 1;
}

/* The deepest level of tables whose events there are */
static unsigned int table_level(const char *filter)
{
	unsigned int level = metricgroups__topdown_max_level();

	if (!level)
		return pipeline_level(filter);
	return topdown_stat__lacks_slots("TopdownL1") ? 0 : level;
}

/* What could be had instead of what is refused */
static void print_offer(const char *filter)
{
	bool topdown = metricgroups__topdown_max_level();
	unsigned int level = table_level(filter);
	char *cpuid = perf_pmu__getcpuid(NULL);
	struct strbuf sb;

	strbuf_init(&sb, 0);
	describe_sysfs(&sb, filter);
	pr_err("CPU %s offers\n"
	       "  by events slots and topdown-* in sysfs: %s\n",
	       cpuid ?: "(unknown)", sb.buf);
	if (level)
		pr_err("  by metric groups %s*: up to level %u\n",
		       topdown ? "TopdownL" : "PipelineL", level);
	else
		pr_err("  by metric groups TopdownL*: none%s\n",
		       topdown ? ", as they need slots" : "");
	strbuf_release(&sb);
	free(cpuid);
}

static void refuse_level(unsigned int level, const char *filter)
{
	pr_err("No such level of top-down analysis: level %u was asked for. ", level);
	print_offer(filter);
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
	unsigned int wanted = config->topdown_level, deepest = sysfs_level(pmu_filter), level;
	struct perf_pmu *pmu = NULL;

	if (!deepest)
		return 0;

	if (wanted == TOPDOWN_LEVEL_DEFAULT)
		wanted = 1;
	else if (!wanted)
		wanted = max(deepest, table_level(pmu_filter));
	if (wanted > deepest) {
		if (wanted <= table_level(pmu_filter))
			return 0;
		refuse_level(wanted, pmu_filter);
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
	config->topdown_recorded = wanted;
	config->topdown = true;
	return 1;
}

static bool has_slots(void)
{
	struct perf_pmu *pmu = NULL;

	while ((pmu = perf_pmus__scan_core(pmu)) != NULL) {
		if (perf_pmu__have_event(pmu, "slots"))
			return true;
	}
	return false;
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
	    (!pm->pmu || !strcmp(pm->pmu, "default_core") || !strcmp(pm->pmu, "cpu_core")))
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

	if (!table || has_slots())
		return false;
	pmu_metrics_table__for_each_metric(table, needs_slots, &needs);
	return needs.found;
}

/* P-cores of a hybrid have PERF_METRICS, whether or not a table knows them. */
static bool hides_slots(const char *filter)
{
	struct perf_pmu *pmu = perf_pmus__find("cpu_core");

	return pmu && pmu_wanted(pmu, filter) && !perf_pmu__have_event(pmu, "slots");
}

/* What has rows of its own although it shares cores with others, or NULL */
static const char *parts_of_cores(struct perf_stat_config *config)
{
	if (config->cgroup_list || nr_cgroups)
		return "Cgroups";
	if (config->aggr_mode == AGGR_THREAD)
		return "Threads";
	return config->aggr_mode == AGGR_NONE ? "CPUs" : NULL;
}

/* Before Ice Lake, slots were those of a core, whichever hyperthread used them. */
static int check_hyperthreads(struct perf_stat_config *config, const char *pmu_filter)
{
	const char *parts = parts_of_cores(config);

	if (!smt_on() || has_slots())
		return 0;
	if (parts) {
		pr_err("%s cannot be told apart: before Ice Lake the slots of a core are those of\n"
		       "both its hyperthreads. Measure cores: perf stat --topdown -a --per-core\n",
		       parts);
		print_offer(pmu_filter);
		return -EINVAL;
	}
	if (!core_wide(config->system_wide, config->user_requested_cpu_list))
		pr_warning("Results are approximate: before Ice Lake the slots of a core are those of both\n"
			   "its hyperthreads. Measure cores: perf stat --topdown -a --per-core\n");
	return 0;
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
	bool amd = false;

	if (!deepest) {
		deepest = pipeline_level(pmu_filter);
		amd = deepest;
		family = amd ? "PipelineL" : family;
	}
	if (!deepest && !hides_slots(pmu_filter)) {
		pr_err("No top-down analysis on this CPU: ");
		print_offer(pmu_filter);
		return -ENOENT;
	}
	if (!deepest || topdown_stat__lacks_slots("TopdownL1")) {
		pr_err("No top-down analysis: this CPU has PERF_METRICS, but no event slots is in sysfs.\n"
		       "Neither the kernel nor, in a guest, the hypervisor exposes it. ");
		print_offer(pmu_filter);
		return -ENOENT;
	}
	if (wanted == TOPDOWN_LEVEL_DEFAULT)
		wanted = 1;
	else if (!wanted)
		wanted = deepest;
	if (wanted > deepest) {
		refuse_level(wanted, pmu_filter);
		return -EINVAL;
	}
	if (!amd && check_hyperthreads(config, pmu_filter))
		return -EINVAL;

	config->topdown_level = wanted;
	config->topdown_smt = amd;
	config->topdown_tables = wanted <= TOPDOWN_COLUMNS_LEVEL;
	config->topdown = config->topdown_tables;
	/* Level 2 splits what level 1 has. */
	if (wanted == 2)
		scnprintf(group, size, "%s1,%s2", family, family);
	else
		scnprintf(group, size, "%s%u", family, wanted);
	return 0;
}

/* What has to be on the command line for rows of a kind */
static const char *rows_option(enum aggr_mode mode)
{
	static const char * const options[AGGR_MAX] = {
		[AGGR_CORE]	= "-a --per-core",
		[AGGR_CACHE]	= "-a --per-cache",
		[AGGR_CLUSTER]	= "-a --per-cluster",
		[AGGR_DIE]	= "-a --per-die",
		[AGGR_SOCKET]	= "-a --per-socket",
		[AGGR_NODE]	= "-a --per-node",
		[AGGR_NONE]	= "-a -A",
		[AGGR_THREAD]	= "--per-thread",
	};

	return mode < AGGR_MAX ? options[mode] ?: "" : "";
}

/**
 * topdown_stat__check_options - Refuse what --topdown cannot print
 * @config: how to print
 * @pmu_filter: name of a PMU, or "all"
 *
 * Return: 0, or a negative number on error, which is printed.
 */
int topdown_stat__check_options(struct perf_stat_config *config, const char *pmu_filter)
{
	if (!config->metric_only)
		return 0;
	if (config->topdown) {
		if (config->run_count <= 1 || config->aggr_mode == AGGR_GLOBAL)
			return 0;
		/* Others than the sum have the counts of the last run only. */
		pr_err("--topdown averages the runs of -r for all CPUs and threads together, not by row.\n"
		       "What works is the mean of all:  perf stat --topdown -r %d\n"
		       "or the rows of one run:         perf stat --topdown %s\n",
		       config->run_count, rows_option(config->aggr_mode));
		return -EINVAL;
	}
	if (config->aggr_mode == AGGR_THREAD)
		pr_err("Levels 3 and deeper have no rows of threads");
	else if (config->run_count > 1)
		pr_err("Levels 3 and deeper are not averaged over the runs of -r");
	else
		return 0;
	pr_err(": use --td-level 2, or add --no-metric-only. ");
	print_offer(pmu_filter);
	return -EINVAL;
}

/**
 * topdown_stat__warn_recorded - Say it if perf stat report will have no percentages
 * @config: says where the events are from
 * @pmu_filter: name of a PMU, or "all"
 *
 * A file has counts of events, and neither metrics of the tables nor cgroups, nor
 * the clusters of CPUs.
 */
void topdown_stat__warn_recorded(struct perf_stat_config *config, const char *pmu_filter)
{
	unsigned int level = sysfs_level(pmu_filter);

	if (config->cgroup_list || nr_cgroups)
		pr_warning("perf stat report will have a row for each cgroup, without its name: a file does not\n"
			   "hold it. They are in the order of the command line.\n");
	if (config->aggr_mode == AGGR_CLUSTER)
		pr_warning("perf stat report will have a row for each die: a file does not hold clusters.\n");
	if (config->topdown_recorded)
		return;
	pr_warning("perf stat report will show the counts only: level %u is from metric tables, which a\n"
		   "file does not hold. ", config->topdown_level);
	if (level)
		pr_warning("With the events in sysfs it shows percentages up to level %u: --td-level %u\n",
			   level, level);
	else
		pr_warning("It shows percentages where slots and topdown-* are in sysfs, here none are.\n");
}

/**
 * topdown_stat__detect - Was a recorded file made by perf stat --topdown?
 * @evlist: its events
 * @config: what the file says; is prepared for printing it
 *
 * The same events are recorded with -e for the sake of their counts.
 *
 * Return: true if so.
 */
bool topdown_stat__detect(struct evlist *evlist, struct perf_stat_config *config)
{
	struct topdown_set set;

	if (!config->topdown_recorded || !topdown_set__next(&set, evlist, config, NULL))
		return false;

	config->topdown = true;
	config->topdown_level = config->topdown_recorded;
	config->metric_only = true;
	return true;
}
