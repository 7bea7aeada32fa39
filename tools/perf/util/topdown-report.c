// SPDX-License-Identifier: GPL-2.0
/*
 * Columns of perf report that tell what became of the slots of each line, from
 * the samples of a group with slots and topdown metrics.
 */
#include <string.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include "evlist.h"
#include "evsel.h"
#include "hist.h"
#include "symbol_conf.h"
#include "topdown-event.h"
#include "topdown-sample.h"
#include "topdown-share.h"

/* Members of a group are lines beside the one of their leader. */
static bool entry_shares(struct topdown_shares *shares, struct hist_entry *he)
{
	struct evsel *leader = hists_to_evsel(he->hists), *pos;
	struct topdown_counts counts = { 0 };
	struct hist_entry *pair;
	enum topdown_part part;

	if (!topdown_sample__in_group(leader))
		return false;
	for_each_group_member(pos, leader) {
		part = topdown_part_of_attr(&pos->core.attr);
		if (part < TOPDOWN_NR_METRICS)
			counts.present[part] = true;
	}
	list_for_each_entry(pair, &he->pairs.head, pairs.node) {
		part = topdown_part_of_attr(&hists_to_evsel(pair->hists)->core.attr);
		if (part < TOPDOWN_NR_METRICS)
			counts.val[part] = pair->stat.period;
	}
	return topdown_shares__of_counts(shares, &counts);
}

static struct perf_hpp_fmt column_fmts[TOPDOWN_NR_COLUMNS];

/* perf_hpp_fmt::idx is for perf's own columns, whose number resets the width. */
static int column_of(const struct perf_hpp_fmt *fmt)
{
	return fmt - column_fmts;
}

static int column_width(struct perf_hpp_fmt *fmt, struct perf_hpp *hpp __maybe_unused,
			struct hists *hists __maybe_unused)
{
	return fmt->user_len ?: strlen(fmt->name) + 1;
}

static int column_header(struct perf_hpp_fmt *fmt, struct perf_hpp *hpp, struct hists *hists,
			 int line __maybe_unused, int *span __maybe_unused)
{
	return scnprintf(hpp->buf, hpp->size, "%*s", column_width(fmt, hpp, hists), fmt->name);
}

static int column_entry(struct perf_hpp_fmt *fmt, struct perf_hpp *hpp, struct hist_entry *he)
{
	int width = symbol_conf.field_sep ? 0 : column_width(fmt, hpp, he->hists);
	struct topdown_shares shares;
	char text[16] = "";

	if (entry_shares(&shares, he) && shares.known[column_of(fmt)])
		scnprintf(text, sizeof(text), "%.1f%%",
			  topdown_shares__percent(&shares, column_of(fmt)));
	return scnprintf(hpp->buf, hpp->size, "%*s", width, text);
}

/* Lines are neither told apart nor sorted by these columns. */
static int64_t column_cmp(struct perf_hpp_fmt *fmt __maybe_unused,
			  struct hist_entry *a __maybe_unused,
			  struct hist_entry *b __maybe_unused)
{
	return 0;
}

/**
 * topdown_report__add_columns - Add the columns that a recorded file can fill
 * @evlist: its events
 *
 * Return: how many were added.
 */
int topdown_report__add_columns(struct evlist *evlist)
{
	bool known[TOPDOWN_NR_COLUMNS] = { false };
	int column, added = 0;
	struct evsel *pos;

	if (!evlist || !symbol_conf.event_group)
		return 0;

	evlist__for_each_entry(evlist, pos) {
		enum topdown_part part = topdown_part_of_attr(&pos->core.attr);

		if (part >= TOPDOWN_NR_METRICS || !pos->core.attr.sample_type ||
		    !topdown_sample__in_group(pos))
			continue;
		for (column = 0; column < TOPDOWN_NR_COLUMNS; column++) {
			if (topdown_column__part(column) == part)
				known[column] = true;
		}
	}

	for (column = 0; column < TOPDOWN_NR_COLUMNS; column++) {
		struct perf_hpp_fmt *fmt = &column_fmts[column];

		if (!known[column])
			continue;
		fmt->name	= topdown_column__name(column);
		fmt->header	= column_header;
		fmt->width	= column_width;
		fmt->entry	= column_entry;
		fmt->cmp	= column_cmp;
		fmt->collapse	= column_cmp;
		fmt->sort	= column_cmp;
		INIT_LIST_HEAD(&fmt->list);
		INIT_LIST_HEAD(&fmt->sort_list);
		perf_hpp__column_register(fmt);
		added++;
	}
	return added;
}
