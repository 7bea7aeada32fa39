/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_TESTS_TOPDOWN_FORM_H
#define __PERF_TESTS_TOPDOWN_FORM_H

#include <stdbool.h>
#include <linux/types.h>
#include "stat.h"
#include "topdown-event.h"

struct evlist;

/* perf_event_attr::type of the PMU of E-cores */
#define TOPDOWN_FORM_ATOM_TYPE	10

/**
 * struct topdown_form - How to print what perf stat --topdown found
 * @mode: what is aggregated
 * @csv: with commas
 * @json: as JSON
 * @level: of the top-down analysis
 * @nr: number of aggregates
 * @system_wide: as with -a
 * @no_interval: as without -I
 * @pid: a process that is measured, or NULL
 * @cgroups: as after --for-each-cgroup, or NULL
 * @smt: with AMD's fifth column
 * @metric_events: metrics of the tables, or NULL
 * @counts: as with --no-metric-only
 * @plain: as perf stat prints metrics that were asked for with -M
 * @comm: the name of the first thread, or NULL for one without surprises
 * @runs: as with -r, or 0: the number of groups' counts, one after another
 */
struct topdown_form {
	enum aggr_mode		mode;
	bool			csv;
	bool			json;
	unsigned int		level;
	int			nr;
	bool			system_wide;
	bool			no_interval;
	const char		*pid;
	const char		*cgroups;
	bool			smt;
	const struct rblist	*metric_events;
	bool			counts;
	bool			plain;
	const char		*comm;
	int			runs;
};

/**
 * struct topdown_form_counts - The counts of one group in one aggregate
 * @val: slots and metrics, or the metrics of an E-core
 * @ena: time enabled
 * @run: time running
 */
struct topdown_form_counts {
	s64	val[TOPDOWN_SLOTS + 1];
	u64	ena;
	u64	run;
};

char *topdown_form__print(struct evlist *evlist, const struct topdown_form *form,
			  void (*set_counts)(struct evlist *evlist, int nr, const void *data),
			  const void *data);
void topdown_form__set_counts(struct evlist *evlist, int nr, const void *data);
struct evlist *topdown_form__new_list(unsigned int level, bool hybrid);
int topdown_form__expect(struct evlist *evlist, const struct topdown_form *form,
			 const struct topdown_form_counts *counts, const char *expected);
int topdown_form__check(unsigned int level, bool hybrid, const struct topdown_form *form,
			const struct topdown_form_counts *counts, const char *expected);
int topdown_form__check_cgroups(unsigned int level, bool hybrid, const struct topdown_form *form,
				const struct topdown_form_counts *counts, const char *expected);

#endif
