/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_ACR_H
#define __PERF_ACR_H

/*
 * Auto counter reload: terms of events that say which members of a group
 * reload an event. See Documentation/intel-acr.txt for what they mean.
 */

#include <linux/types.h>
#include <stdbool.h>

/* Level of :p that goes together with a reload; above it, counters are few */
#define ACR_MAX_PRECISE	2

struct evlist;
struct evsel;
struct list_head;
struct parse_events_error;
struct parse_events_term;
struct perf_pmu;
struct record_opts;

/**
 * struct acr_ratio - A ratio as a fraction
 * @num:	numerator, not 0
 * @den:	denominator, not 0
 */
struct acr_ratio {
	u64	num;
	u64	den;
};

bool acr__parse_ratio(const char *str, struct acr_ratio *ratio);
u64 acr__scale(u64 period, u64 num, u64 den);

/* While events are parsed */
int acr__add_config_term(const struct parse_events_term *term,
			 struct list_head *config_terms);
void acr__note_copies(struct list_head *list);
int acr__before_sort(struct list_head *list, const char *text,
		     struct parse_events_error *err);
int acr__after_sort(struct list_head *list, struct parse_events_error *err);

/* Before events are opened */
int evlist__acr_config(struct evlist *evlist, const struct record_opts *opts);
int evsel__acr_error(struct evsel *evsel, char *msg, size_t size);
int evsel__acr_check_switch(struct evsel *evsel);
int evlist__acr_check_cpus(struct evlist *evlist, const char *cpu_list);

/**
 * struct acr_counters - Counters of a PMU, bit 32 + i is fixed counter i
 * @all:	those that there are, and maybe more
 * @reload:	those that can be reloaded
 * @cause:	those that can reload others
 */
struct acr_counters {
	u64	all;
	u64	reload;
	u64	cause;
};

u64 acr__crowded(const u64 *can, int nr, u64 *counters);
int arch_acr__counters(const struct perf_pmu *pmu, struct acr_counters *counters);
u64 arch_acr__event_counters(const struct evsel *evsel);

#endif /* __PERF_ACR_H */
