// SPDX-License-Identifier: GPL-2.0
/*
 * Prints events and counts that a test made up, as perf stat --topdown does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <internal/threadmap.h>
#include <linux/kernel.h>
#include <perf/threadmap.h>
#include "cpumap.h"
#include "evlist.h"
#include "evsel.h"
#include "stat.h"
#include "target.h"
#include "thread_map.h"
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
		.run_count		= 1,
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
	}
	evlist__for_each_entry(evlist, evsel) {
		perf_thread_map__put(evsel->core.threads);
		evsel->core.threads = perf_thread_map__get(threads);
	}
	if (evlist__alloc_stats(&config, evlist, /*alloc_raw=*/false))
		goto out;
	set_counts(evlist, form->nr, data);
	evlist__print_counters(evlist, &config, &target, form->no_interval ? NULL : &time, 0, NULL);
	evlist__free_stats(evlist);
out:
	if (config.output)
		fclose(config.output);
	perf_thread_map__put(threads);
	free(config.aggr_map);
	return text;
}
