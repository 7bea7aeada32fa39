// SPDX-License-Identifier: GPL-2.0
/*
 * What became of the slots of a pipeline: the categories of a top-down analysis,
 * their shares, and which of them is worth a color.
 */
#include <math.h>
#include <string.h>
#include <linux/kernel.h>
#include "color.h"
#include "topdown-share.h"

/* How many of the four must be there: ratios are relative to their sum. */
#define TOPDOWN_MIN_LEVEL1	2

/**
 * struct topdown_column_info - A column
 * @name: the title
 * @intel: the metric in Intel's tables
 * @amd: the metric in AMD's tables
 * @part: the event that counts it
 * @complement: it is what the event leaves of its parent
 * @parent: the column that it is a part of, -1 at level 1
 * @above: the share of slots from which on it is worth a color
 * @good: that is a good sign
 * @with_parent: only if the parent is worth a color, too
 */
struct topdown_column_info {
	const char		*name;
	const char		*intel;
	const char		*amd;
	enum topdown_part	part;
	bool			complement;
	int			parent;
	double			above;
	bool			good;
	bool			with_parent;
};

static const struct topdown_column_info columns[TOPDOWN_NR_COLUMNS] = {
	{ "retiring", "tma_retiring", "retiring",
	  TOPDOWN_RETIRING, false, -1, 0.7, true, false },
	{ "bad speculation", "tma_bad_speculation", "bad_speculation",
	  TOPDOWN_BAD_SPEC, false, -1, 0.1, false, false },
	{ "frontend bound", "tma_frontend_bound", "frontend_bound",
	  TOPDOWN_FE_BOUND, false, -1, 0.2, false, false },
	{ "backend bound", "tma_backend_bound", "backend_bound",
	  TOPDOWN_BE_BOUND, false, -1, 0.2, false, false },
	{ "smt contention", "", "smt_contention",
	  TOPDOWN_NONE, false, -1, 0.2, false, false },
	{ "heavy operations", "tma_heavy_operations", "retiring_microcode",
	  TOPDOWN_HEAVY_OPS, false, 0, 0.1, false, false },
	{ "light operations", "tma_light_operations", "retiring_fastpath",
	  TOPDOWN_HEAVY_OPS, true, 0, 0.6, true, false },
	{ "branch mispredict", "tma_branch_mispredicts", "bad_speculation_mispredicts",
	  TOPDOWN_BR_MISPREDICT, false, 1, 0.1, false, true },
	{ "machine clears", "tma_machine_clears", "bad_speculation_pipeline_restarts",
	  TOPDOWN_BR_MISPREDICT, true, 1, 0.1, false, true },
	{ "fetch latency", "tma_fetch_latency", "frontend_bound_latency",
	  TOPDOWN_FETCH_LAT, false, 2, 0.1, false, true },
	{ "fetch bandwidth", "tma_fetch_bandwidth", "frontend_bound_bandwidth",
	  TOPDOWN_FETCH_LAT, true, 2, 0.2, false, false },
	{ "memory bound", "tma_memory_bound", "backend_bound_memory",
	  TOPDOWN_MEM_BOUND, false, 3, 0.2, false, true },
	{ "core bound", "tma_core_bound", "backend_bound_cpu",
	  TOPDOWN_MEM_BOUND, true, 3, 0.1, false, true },
};

static void fill_column(struct topdown_shares *shares, const struct topdown_counts *counts,
			int column, double sum)
{
	const struct topdown_column_info *info = &columns[column];

	if (info->part == TOPDOWN_NONE || !counts->present[info->part])
		return;
	shares->share[column] = counts->val[info->part] / sum;
	if (info->complement) {
		if (!shares->known[info->parent])
			return;
		shares->share[column] = fmax(shares->share[info->parent] -
					     shares->share[column], 0);
	}
	shares->known[column] = true;
}

/**
 * topdown_shares__summable - Are there enough counts for a sum?
 * @counts: the counts
 *
 * Return: true if so, also where the sum is 0.
 */
bool topdown_shares__summable(const struct topdown_counts *counts)
{
	unsigned int present = 0;
	int i;

	for (i = 0; i < TOPDOWN_NR_LEVEL1; i++) {
		if (counts->present[i])
			present++;
	}
	return present >= TOPDOWN_MIN_LEVEL1;
}

/**
 * topdown_shares__sum - The whole that the shares are relative to
 * @counts: the counts
 *
 * Return: the sum of the categories of level 1, 0 if too few of them were
 * counted. The fields of PERF_METRICS may add up to less than 255, so this is
 * better than the number of slots.
 */
double topdown_shares__sum(const struct topdown_counts *counts)
{
	double sum = 0;
	int i;

	for (i = 0; i < TOPDOWN_NR_LEVEL1; i++) {
		if (counts->present[i])
			sum += counts->val[i];
	}
	return !topdown_shares__summable(counts) || sum < 0 ? 0 : sum;
}

/**
 * topdown_shares__of_counts - Divide counts by their sum
 * @shares: receives the result
 * @counts: the counts
 *
 * Return: false if there is nothing to divide by.
 */
bool topdown_shares__of_counts(struct topdown_shares *shares,
			       const struct topdown_counts *counts)
{
	double sum = topdown_shares__sum(counts);
	int column;

	memset(shares, 0, sizeof(*shares));
	if (!sum)
		return false;
	shares->counted = true;
	for (column = 0; column < TOPDOWN_NR_COLUMNS; column++)
		fill_column(shares, counts, column, sum);
	return true;
}

/**
 * topdown_shares__notable - Is a share worth a color?
 * @shares: the shares
 * @column: which one
 *
 * Return: true if it is above its threshold, and so is its parent where that
 * matters.
 */
bool topdown_shares__notable(const struct topdown_shares *shares, int column)
{
	const struct topdown_column_info *info = &columns[column];

	return shares->known[column] && shares->share[column] > info->above &&
	       (!info->with_parent || topdown_shares__notable(shares, info->parent));
}

/**
 * topdown_shares__color - The color of a share
 * @shares: the shares
 * @column: which one
 *
 * Return: green for a good sign, red for a bottleneck, or an empty string.
 */
const char *topdown_shares__color(const struct topdown_shares *shares, int column)
{
	if (!topdown_shares__notable(shares, column))
		return "";
	return columns[column].good ? PERF_COLOR_GREEN : PERF_COLOR_RED;
}

/**
 * topdown_percent - A share in percent, without a sign before a zero
 * @share: 1 for all
 * @step: the last digit that is printed, in percent
 *
 * Return: the percentage, not limited.
 */
double topdown_percent(double share, double step)
{
	return fabs(share * 100) < step / 2 ? 0 : share * 100;
}

/**
 * topdown_shares__percent - A share as readers want it
 * @shares: the shares
 * @column: which one
 *
 * Return: a percentage from 0 to 100, for one digit behind the point.
 */
double topdown_shares__percent(const struct topdown_shares *shares, int column)
{
	return topdown_percent(fmin(fmax(shares->share[column], 0), 1), 0.1);
}

/**
 * topdown_column__is_shown - Does an analysis have a column?
 * @column: which one
 * @level: the level of the analysis
 * @smt: it has AMD's fifth category
 *
 * Return: true if so.
 */
bool topdown_column__is_shown(int column, unsigned int level, bool smt)
{
	if (column == TOPDOWN_COLUMN_SMT)
		return smt;
	return column < TOPDOWN_COLUMN_LEVEL2 || level > 1;
}

const char *topdown_column__name(int column)
{
	return columns[column].name;
}

enum topdown_part topdown_column__part(int column)
{
	return columns[column].part;
}

/**
 * topdown_column__of_metric - Find the column of a metric in the tables
 * @metric: its name
 *
 * Return: the column, or -1.
 */
int topdown_column__of_metric(const char *metric)
{
	int column;

	for (column = 0; column < TOPDOWN_NR_COLUMNS; column++) {
		if (!strcmp(metric, columns[column].intel) ||
		    !strcmp(metric, columns[column].amd))
			return column;
	}
	return -1;
}
