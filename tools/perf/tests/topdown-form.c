// SPDX-License-Identifier: GPL-2.0
/*
 * Makes up events and counts of perf stat --topdown, and prints them as it does.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <internal/threadmap.h>
#include <linux/kernel.h>
#include <perf/threadmap.h>
#include "cgroup.h"
#include "color.h"
#include "cpumap.h"
#include "debug.h"
#include "evlist.h"
#include "evsel.h"
#include "stat.h"
#include "target.h"
#include "tests.h"
#include "thread_map.h"
#include "topdown-event.h"
#include "topdown-form.h"

static struct stats no_time;

static struct perf_thread_map *two_threads(const char *comm)
{
	pid_t tids[] = { 101, 102 };
	struct perf_thread_map *map = perf_thread_map__new_array(ARRAY_SIZE(tids), tids);

	if (map) {
		map->map[0].comm = strdup(comm ?: "alpha");
		map->map[1].comm = strdup("beta");
	}
	return map;
}

/**
 * topdown_form__print - Print what perf stat --topdown would
 * @evlist: the events
 * @form: how to print
 * @set_counts: sets the counts of the events
 * @data: for @set_counts
 *
 * Return: the text, to be freed, or NULL without memory.
 */
char *topdown_form__print(struct evlist *evlist, const struct topdown_form *form,
			  void (*set_counts)(struct evlist *evlist, int nr, const void *data),
			  const void *data)
{
	struct perf_thread_map *threads = two_threads(form->comm);
	struct timespec time = { .tv_sec = 1, .tv_nsec = 500 };
	struct perf_stat_config config = {
		.aggr_mode		= form->mode,
		.csv_output		= form->csv,
		.csv_sep		= form->csv ? "," : " ",
		.json_output		= form->json,
		.metric_only		= !form->counts,
		.metric_only_len	= 20,
		.topdown		= !form->plain,
		.topdown_tables		= form->metric_events,
		.topdown_smt		= form->smt,
		.topdown_level		= form->level ?: 1,
		.interval		= form->no_interval ? 0 : 1000,
		.run_count		= form->runs ?: 1,
		.system_wide		= form->system_wide,
		.cgroup_list		= form->cgroups,
		.walltime_nsecs_stats	= &no_time,
		/* Titles each time */
		.interval_clear		= true,
	};
	struct target target = { .tid = form->pid ? NULL : "1", .pid = form->pid };
	struct evsel *evsel;
	char *text = NULL;
	size_t size;
	int i;

	if (form->metric_events)
		config.metric_events = *form->metric_events;
	config.output = open_memstream(&text, &size);
	config.aggr_map = cpu_aggr_map__empty_new(form->nr);
	if (!config.output || !config.aggr_map || !threads)
		goto out;
	for (i = 0; i < form->nr; i++) {
		config.aggr_map->map[i].thread_idx = form->mode == AGGR_THREAD ? i : -1;
		config.aggr_map->map[i].cpu.cpu = form->mode == AGGR_NONE ? i : -1;
		config.aggr_map->map[i].core = i;
		config.aggr_map->map[i].socket = form->mode == AGGR_SOCKET ? i : 0;
		config.aggr_map->map[i].die = form->mode == AGGR_DIE ? i : 0;
		config.aggr_map->map[i].node = form->mode == AGGR_NODE ? i : -1;
		config.aggr_map->map[i].cluster = form->mode == AGGR_CLUSTER ? i : 0;
		config.aggr_map->map[i].cache = form->mode == AGGR_CACHE ? i : 0;
		config.aggr_map->map[i].cache_lvl = 3;
	}
	evlist__for_each_entry(evlist, evsel) {
		perf_thread_map__put(evsel->core.threads);
		evsel->core.threads = perf_thread_map__get(threads);
	}
	if (evlist__alloc_stats(&config, evlist, /*alloc_raw=*/false))
		goto out;
	set_counts(evlist, form->nr, data);
	if (form->runs)
		evlist__copy_res_stats(&config, evlist);
	evlist__print_counters(evlist, &config, &target, form->no_interval ? NULL : &time, 0, NULL);
	evlist__free_stats(evlist);
out:
	if (config.output)
		fclose(config.output);
	perf_thread_map__put(threads);
	free(config.aggr_map);
	return text;
}

static struct evsel *add_event(struct evlist *evlist, struct evsel *leader, u32 type,
			       u64 config, const char *pmu, const char *name)
{
	struct perf_event_attr attr = {
		.type	= type,
		.config	= config,
	};
	struct evsel *evsel = evsel__new(&attr);

	if (!evsel)
		return NULL;
	if (!strcmp(pmu, "cpu"))
		evsel->name = strdup(name);
	else if (asprintf(&evsel->name, "%s/%s/", pmu, name) < 0)
		evsel->name = NULL;
	evsel->pmu_name = strdup(pmu);
	evsel->supported = true;
	evlist__add(evlist, evsel);
	evsel__set_leader(evsel, leader ?: evsel);
	return evsel;
}

/* A group with slots, as of PMUs with PERF_METRICS. */
static int add_slots(struct evlist *evlist, const char *pmu, unsigned int level)
{
	int nr = level > 1 ? TOPDOWN_NR_METRICS : TOPDOWN_NR_LEVEL1, i;
	struct evsel *leader = add_event(evlist, NULL, PERF_TYPE_RAW, 0x400, pmu, "slots");

	for (i = 0; leader && i < nr; i++) {
		if (!add_event(evlist, leader, PERF_TYPE_RAW, 0x8000 + 0x100 * i, pmu,
			       topdown_event_names[i]))
			return -ENOMEM;
	}
	return leader ? 0 : -ENOMEM;
}

/* A group of ordinary events, as of E-cores. */
static int add_atom(struct evlist *evlist)
{
	static const u64 codes[] = { 0x2c2, 0x73, 0x19c, 0x2a4 };
	struct evsel *leader = NULL, *evsel;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		evsel = add_event(evlist, leader, TOPDOWN_FORM_ATOM_TYPE, codes[i], "cpu_atom",
				  topdown_event_names[i]);
		if (!evsel)
			return -ENOMEM;
		leader = leader ?: evsel;
	}
	return 0;
}

static int add_groups(struct evlist *evlist, unsigned int level, bool hybrid)
{
	return add_slots(evlist, hybrid ? "cpu_core" : "cpu", level) ?:
	       hybrid ? add_atom(evlist) : 0;
}

/**
 * topdown_form__set_counts - Set the counts of the events
 * @evlist: the events
 * @nr: number of aggregates
 * @data: array of struct topdown_form_counts: the groups in the order of the list,
 *	of each all aggregates
 */
void topdown_form__set_counts(struct evlist *evlist, int nr, const void *data)
{
	const struct topdown_form_counts *counts = data;
	struct evsel *evsel;
	int group = -1, member = 0, i;

	evlist__for_each_entry(evlist, evsel) {
		if (evsel__leader(evsel) == evsel) {
			group++;
			member = 0;
		}
		for (i = 0; i < nr; i++) {
			const struct topdown_form_counts *from = &counts[group * nr + i];
			struct perf_stat_aggr *aggr = &evsel->stats->aggr[i];

			aggr->counts.val = from->val[member];
			aggr->counts.ena = from->ena;
			aggr->counts.run = from->run;
			aggr->nr = from->ena ? 1 : 0;
		}
		member++;
	}
}

/**
 * topdown_form__expect - Compare what is printed of events and counts
 * @evlist: the events
 * @form: how to print
 * @counts: see topdown_form__set_counts()
 * @expected: the whole text
 *
 * Return: TEST_OK or TEST_FAIL.
 */
int topdown_form__expect(struct evlist *evlist, const struct topdown_form *form,
			 const struct topdown_form_counts *counts, const char *expected)
{
	char *text = topdown_form__print(evlist, form, topdown_form__set_counts, counts);
	int ret = TEST_OK;

	if (!text || strcmp(text, expected)) {
		pr_debug("printed:\n%sexpected:\n%s", text ?: "(nothing)\n", expected);
		ret = TEST_FAIL;
	}
	free(text);
	return ret;
}

/**
 * topdown_form__new_list - Make the events of perf stat --topdown
 * @level: of the top-down analysis
 * @hybrid: with another group, of E-cores
 *
 * Return: the events, or NULL without memory.
 */
struct evlist *topdown_form__new_list(unsigned int level, bool hybrid)
{
	struct evlist *evlist = evlist__new();

	perf_use_color_default = 0;
	if (!evlist)
		return NULL;
	if (add_groups(evlist, level, hybrid)) {
		evlist__delete(evlist);
		return NULL;
	}
	return evlist;
}

/**
 * topdown_form__check - The same for the events of perf stat --topdown
 * @level: of the top-down analysis
 * @hybrid: with another group, of E-cores
 * @form: how to print
 * @counts: see topdown_form__set_counts()
 * @expected: the whole text
 *
 * Return: TEST_OK or TEST_FAIL.
 */
int topdown_form__check(unsigned int level, bool hybrid, const struct topdown_form *form,
			const struct topdown_form_counts *counts, const char *expected)
{
	struct evlist *evlist = topdown_form__new_list(level, hybrid);
	int ret;

	TEST_ASSERT_VAL("no memory", evlist);
	ret = topdown_form__expect(evlist, form, counts, expected);
	evlist__delete(evlist);
	return ret;
}

/**
 * topdown_form__check_cgroups - The same for the cgroups web and db
 * @level: of the top-down analysis
 * @hybrid: with another group, of E-cores
 * @form: how to print
 * @counts: see topdown_form__set_counts(); all groups of web come first
 * @expected: the whole text
 *
 * Return: TEST_OK or TEST_FAIL.
 */
int topdown_form__check_cgroups(unsigned int level, bool hybrid, const struct topdown_form *form,
				const struct topdown_form_counts *counts, const char *expected)
{
	static const char * const names[] = { "web", "db" };
	struct evlist *evlist = evlist__new();
	int ret = TEST_FAIL;
	struct cgroup *cgrp;
	struct evsel *evsel;
	unsigned int i;

	perf_use_color_default = 0;
	TEST_ASSERT_VAL("no memory", evlist);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (add_groups(evlist, level, hybrid))
			goto out;
		cgrp = cgroup__new(names[i], /*do_open=*/false);
		evlist__for_each_entry(evlist, evsel) {
			if (!evsel->cgrp)
				evsel->cgrp = cgroup__get(cgrp);
		}
		cgroup__put(cgrp);
	}
	ret = topdown_form__expect(evlist, form, counts, expected);
out:
	evlist__delete(evlist);
	return ret;
}
