/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __LIBPERF_TOPDOWN_H
#define __LIBPERF_TOPDOWN_H

#include <linux/types.h>
#include <perf/core.h>

#define PERF_TOPDOWN_NR_LEVEL1		4
#define PERF_TOPDOWN_NR_METRICS		8

struct perf_event_mmap_page;

/**
 * struct perf_topdown - Slots and metrics of the calling thread
 * @slots_fd: event slots, leader of the group
 * @metric_fd: the metrics of level 1
 * @slots_page: page of slots, or NULL
 * @metric_page: page of the first metric, or NULL
 */
struct perf_topdown {
	int				slots_fd;
	int				metric_fd[PERF_TOPDOWN_NR_LEVEL1];
	struct perf_event_mmap_page	*slots_page;
	struct perf_event_mmap_page	*metric_page;
};

/**
 * struct perf_topdown_snapshot - Slots at one point in time
 * @slots: number of slots since they were last cleared
 * @part: what became of them, in the order of PERF_METRICS
 * @width: valid bits of @slots; 0 if read() was used, which has level 1 only
 */
struct perf_topdown_snapshot {
	__u64	slots;
	__s64	part[PERF_TOPDOWN_NR_METRICS];
	__u16	width;
};

LIBPERF_API int perf_topdown__open(struct perf_topdown *td, const char *pmu);
LIBPERF_API void perf_topdown__close(struct perf_topdown *td);
LIBPERF_API int perf_topdown__reset(struct perf_topdown *td);
LIBPERF_API int perf_topdown__snapshot(struct perf_topdown *td,
				       struct perf_topdown_snapshot *snap);
LIBPERF_API int perf_topdown__shares(const struct perf_topdown_snapshot *from,
				     const struct perf_topdown_snapshot *to,
				     double share[PERF_TOPDOWN_NR_METRICS]);

#endif /* __LIBPERF_TOPDOWN_H */
