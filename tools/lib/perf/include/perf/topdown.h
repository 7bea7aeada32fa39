/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __LIBPERF_TOPDOWN_H
#define __LIBPERF_TOPDOWN_H

#include <stdbool.h>
#include <linux/types.h>
#include <perf/core.h>

/* Categories in the order of PERF_METRICS. Those of level 1 add up to all slots. */
enum perf_topdown_category {
	PERF_TOPDOWN_RETIRING,
	PERF_TOPDOWN_BAD_SPEC,
	PERF_TOPDOWN_FE_BOUND,
	PERF_TOPDOWN_BE_BOUND,
	PERF_TOPDOWN_NR_LEVEL1,

	/* Parts of the above, in the same order */
	PERF_TOPDOWN_HEAVY_OPS = PERF_TOPDOWN_NR_LEVEL1,
	PERF_TOPDOWN_BR_MISPREDICT,
	PERF_TOPDOWN_FETCH_LAT,
	PERF_TOPDOWN_MEM_BOUND,
	PERF_TOPDOWN_NR_CATEGORIES,
};

/* Slots and topdown metrics of one thread, and what it takes to read them */
struct perf_topdown;

/**
 * struct perf_topdown_snapshot - Slots of a thread at one point in time
 * @slots: number of slots since they last started from zero
 * @category: what became of them, in slots; 0 for those that the CPU lacks
 * @missed_ns: for how long the events did not count while the thread ran, as others
 *	had the registers. Between two snapshots that differ here, some slots are missing
 * @origin: what the kernel has counted of slots beside @slots; differs once it has
 *	cleared the registers
 * @nr_categories: number of valid elements of @category: 4 for level 1, 8 for level 2
 * @era: only snapshots of the same era can be compared
 * @by_rdpmc: read from the registers, not with a system call
 */
struct perf_topdown_snapshot {
	__u64	slots;
	__u64	category[PERF_TOPDOWN_NR_CATEGORIES];
	__u64	missed_ns;
	__u64	origin;
	__u32	nr_categories;
	__u32	era;
	bool	by_rdpmc;
};

LIBPERF_API struct perf_topdown *perf_topdown__new(void);
LIBPERF_API void perf_topdown__delete(struct perf_topdown *td);
LIBPERF_API int perf_topdown__open(struct perf_topdown *td);
LIBPERF_API void perf_topdown__close(struct perf_topdown *td);
LIBPERF_API int perf_topdown__reset(struct perf_topdown *td);
LIBPERF_API int perf_topdown__snapshot(struct perf_topdown *td,
				       struct perf_topdown_snapshot *snap);
LIBPERF_API int perf_topdown__shares(const struct perf_topdown_snapshot *from,
				     const struct perf_topdown_snapshot *to,
				     double share[PERF_TOPDOWN_NR_CATEGORIES]);

#endif /* __LIBPERF_TOPDOWN_H */
