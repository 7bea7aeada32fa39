/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_TOPDOWN_SHARE_H
#define __PERF_TOPDOWN_SHARE_H

#include <stdbool.h>
#include "topdown-event.h"

/**
 * enum topdown_column - The columns of a top-down analysis, in their order
 * @TOPDOWN_COLUMN_SMT: Slots that went to the other hyperthread; AMD's fifth
 *	category
 * @TOPDOWN_COLUMN_LEVEL2: The first one of level 2
 * @TOPDOWN_NR_COLUMNS: How many there are
 *
 * The first four are those of &enum topdown_part.
 */
enum topdown_column {
	TOPDOWN_COLUMN_SMT	= TOPDOWN_NR_LEVEL1,
	TOPDOWN_COLUMN_LEVEL2,
	TOPDOWN_NR_COLUMNS	= TOPDOWN_COLUMN_LEVEL2 + 8,
};

/**
 * struct topdown_shares - What became of some slots
 * @counted: there is a result
 * @known: which columns have one
 * @share: share of the slots by column, 1 for all; not limited to 0..1
 */
struct topdown_shares {
	bool	counted;
	bool	known[TOPDOWN_NR_COLUMNS];
	double	share[TOPDOWN_NR_COLUMNS];
};

/**
 * struct topdown_counts - The counts of one TopDown group
 * @present: which events were counted
 * @val: how many slots; less than nothing is possible for a difference
 */
struct topdown_counts {
	bool	present[TOPDOWN_SLOTS + 1];
	double	val[TOPDOWN_SLOTS + 1];
};

bool topdown_shares__of_counts(struct topdown_shares *shares,
			       const struct topdown_counts *counts);
bool topdown_shares__summable(const struct topdown_counts *counts);
double topdown_shares__sum(const struct topdown_counts *counts);
bool topdown_shares__notable(const struct topdown_shares *shares, int column);
const char *topdown_shares__color(const struct topdown_shares *shares, int column);
double topdown_shares__percent(const struct topdown_shares *shares, int column);

bool topdown_column__is_shown(int column, unsigned int level, bool smt);
const char *topdown_column__name(int column);
enum topdown_part topdown_column__part(int column);
int topdown_column__of_metric(const char *metric);
double topdown_percent(double share, double step);

#endif
