/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_TOPDOWN_EVENT_H
#define __PERF_TOPDOWN_EVENT_H

#include <stdbool.h>

struct evsel;
struct perf_event_attr;

/**
 * enum topdown_part - What an event counts of the pipeline's slots
 * @TOPDOWN_RETIRING: Slots of micro-operations that retired
 * @TOPDOWN_BAD_SPEC: Slots wasted by wrong speculation
 * @TOPDOWN_FE_BOUND: Slots that the frontend left empty
 * @TOPDOWN_BE_BOUND: Slots that the backend could not take
 * @TOPDOWN_HEAVY_OPS: The part of retiring in instructions of several
 *	micro-operations
 * @TOPDOWN_BR_MISPREDICT: The part of bad speculation due to branches
 * @TOPDOWN_FETCH_LAT: The part of frontend bound due to latency
 * @TOPDOWN_MEM_BOUND: The part of backend bound due to memory
 * @TOPDOWN_SLOTS: All slots
 * @TOPDOWN_NONE: Something else
 *
 * The first eight are numbered as the fields of PERF_METRICS.
 */
enum topdown_part {
	TOPDOWN_RETIRING,
	TOPDOWN_BAD_SPEC,
	TOPDOWN_FE_BOUND,
	TOPDOWN_BE_BOUND,
	TOPDOWN_HEAVY_OPS,
	TOPDOWN_BR_MISPREDICT,
	TOPDOWN_FETCH_LAT,
	TOPDOWN_MEM_BOUND,
	TOPDOWN_SLOTS,
	TOPDOWN_NONE,
};

#define TOPDOWN_NR_LEVEL1	4
#define TOPDOWN_NR_METRICS	8

extern const char * const topdown_event_names[TOPDOWN_NR_METRICS];

enum topdown_part topdown_part_of_attr(const struct perf_event_attr *attr);

bool evsel__has_perf_metrics(const struct evsel *evsel);
bool evsel__is_topdown_slots(const struct evsel *evsel);
bool evsel__is_topdown_metric(const struct evsel *evsel);
enum topdown_part evsel__topdown_part(const struct evsel *evsel);

#endif
