// SPDX-License-Identifier: GPL-2.0
/*
 * What became of the slots between two samples of a group with slots and topdown
 * metrics: every sample has the counts of all members.
 */
#include <linux/kernel.h>
#include "color.h"
#include "evlist.h"
#include "evsel.h"
#include "sample.h"
#include "topdown-event.h"
#include "topdown-sample.h"
#include "topdown-share.h"

/**
 * topdown_sample__step - How far a count has gone since the last sample
 * @last: the highest count so far; is updated
 * @value: the count now
 *
 * A metric is a fraction of the slots, so by rounding it may be less than the
 * time before. What it lost then is no part of its next steps, so that they
 * add up to the count.
 *
 * Return: the difference, never less than nothing.
 */
u64 topdown_sample__step(u64 *last, u64 value)
{
	u64 step = value > *last ? value - *last : 0;

	*last += step;
	return step;
}

/* Recorded events have their codes, but their PMU may not be there. */
static bool is_slots(const struct evsel *evsel)
{
	return topdown_part_of_attr(&evsel->core.attr) == TOPDOWN_SLOTS;
}

/**
 * topdown_sample__in_group - Is an event in a group that slots leads?
 * @evsel: the event
 *
 * Return: true if the group has a metric, too.
 */
bool topdown_sample__in_group(const struct evsel *evsel)
{
	struct evsel *leader = evsel__leader(evsel), *pos;

	if (!is_slots(leader))
		return false;
	for_each_group_member(pos, leader) {
		if (topdown_part_of_attr(&pos->core.attr) < TOPDOWN_NR_METRICS)
			return true;
	}
	return false;
}

/**
 * topdown_sample__take - Note how far a group has gone since its last sample
 * @evlist: the events
 * @sample: the sample, before its counts are handed out to the members
 * @read_format: what the sample has with each count
 */
void topdown_sample__take(struct evlist *evlist, struct perf_sample *sample, u64 read_format)
{
	struct sample_read_value *v = sample->read.group.values;
	struct perf_sample_id *sid = evlist__id2sid(evlist, v->id);

	if (!sid || !sid->evsel ||
	    !is_slots(container_of(sid->evsel, struct evsel, core)))
		return;

	sample_read_group__for_each(v, sample->read.group.nr, read_format) {
		u64 last;

		sid = evlist__id2sid(evlist, v->id);
		if (!sid || !sid->evsel)
			continue;
		last = sid->period;
		container_of(sid->evsel, struct evsel, core)->read_step =
			topdown_sample__step(&last, v->value);
	}
}

/**
 * topdown_sample__shares - What became of the slots before a sample
 * @shares: receives the result
 * @evsel: the event that the sample is handed out to
 *
 * Return: false if that is not the event of its group that samples, so that
 * there is one result for each sample, or if there is no result.
 */
bool topdown_sample__shares(struct topdown_shares *shares, const struct evsel *evsel)
{
	struct topdown_counts counts = { 0 };
	struct evsel *pos;

	if (!evsel->core.attr.sample_period || !topdown_sample__in_group(evsel))
		return false;

	for_each_group_member(pos, evsel__leader(evsel)) {
		enum topdown_part part = topdown_part_of_attr(&pos->core.attr);

		if (part >= TOPDOWN_NR_METRICS)
			continue;
		counts.present[part] = true;
		counts.val[part] = pos->read_step;
	}
	return topdown_shares__of_counts(shares, &counts);
}

/**
 * topdown_sample__fprintf - Print shares in a line
 * @shares: the shares
 * @fp: where to
 *
 * Return: number of characters.
 */
int topdown_sample__fprintf(const struct topdown_shares *shares, FILE *fp)
{
	const char *sep = "";
	int column, ret = 0;

	for (column = 0; column < TOPDOWN_NR_COLUMNS; column++) {
		const char *color = topdown_shares__color(shares, column);

		if (!shares->known[column])
			continue;
		ret += fprintf(fp, "%s", sep);
		ret += color_fprintf(fp, color, "%.1f%%",
				     topdown_shares__percent(shares, column));
		ret += fprintf(fp, " %s", topdown_column__name(column));
		sep = ", ";
	}
	return ret + fprintf(fp, "\n");
}
