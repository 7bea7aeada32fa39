/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_TESTS_TOPDOWN_FORM_H
#define __PERF_TESTS_TOPDOWN_FORM_H

#include <stdbool.h>
#include "stat.h"

struct evlist;

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
};

char *topdown_form__print(struct evlist *evlist, const struct topdown_form *form,
			  void (*set_counts)(struct evlist *evlist, int nr, const void *data),
			  const void *data);

#endif
