/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __LIBPERF_INTERNAL_TOPDOWN_H
#define __LIBPERF_INTERNAL_TOPDOWN_H

#include <linux/types.h>

/**
 * perf_topdown__decode - Tell what PERF_METRICS says of slots
 * @slots: number of slots in fixed counter 3, which has 48 bits
 * @metrics: PERF_METRICS, a byte for each category in 255ths of @slots
 * @nr: number of categories that the CPU has
 * @category: receives the slots of each
 */
static inline void perf_topdown__decode(__u64 slots, __u64 metrics, unsigned int nr,
					__u64 *category)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		category[i] = slots * (metrics >> 8 * i & 0xff) / 0xff;
}

#endif /* __LIBPERF_INTERNAL_TOPDOWN_H */
