/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_TOPDOWN_STAT_H
#define __PERF_TOPDOWN_STAT_H

#include <limits.h>
#include <stdbool.h>
#include <linux/types.h>

struct aggr_cpu_id;
struct evlist;
struct evsel;
struct perf_stat_config;
struct perf_stat_output_ctx;

/* Of struct perf_stat_config: the user asked for no level. */
#define TOPDOWN_LEVEL_DEFAULT	UINT_MAX

/**
 * typedef topdown_label_t - Print the label of a row
 * @config: how to print
 * @evsel: an event of the row
 * @id: what was aggregated
 * @nr: number of CPUs in it
 */
typedef void (*topdown_label_t)(struct perf_stat_config *config, struct evsel *evsel,
				struct aggr_cpu_id id, int nr);

int topdown_stat__add_events(struct evlist *evlist, struct perf_stat_config *config,
			     const char *pmu_filter);
int topdown_stat__table_group(struct perf_stat_config *config, const char *pmu_filter,
			      char *group, size_t size);
int topdown_stat__check_options(struct perf_stat_config *config, const char *pmu_filter);
void topdown_stat__warn_recorded(struct perf_stat_config *config, const char *pmu_filter);
bool topdown_stat__lacks_slots(const char *group);
bool topdown_stat__detect(struct evlist *evlist, struct perf_stat_config *config);

void topdown_stat__print_header(struct evlist *evlist, struct perf_stat_config *config,
				bool no_indent);
void topdown_stat__print_rows(struct evlist *evlist, struct perf_stat_config *config,
			      const char *prefix, topdown_label_t label);
bool topdown_stat__print_metric(struct perf_stat_config *config, struct evsel *evsel,
				int aggr_idx, struct perf_stat_output_ctx *out);
double topdown_stat__count(struct perf_stat_config *config, struct evsel *evsel, u64 val);

void topdown_stat__start_reads(struct evlist *evlist, struct perf_stat_config *config);
void topdown_stat__stop_reads(void);

#endif
