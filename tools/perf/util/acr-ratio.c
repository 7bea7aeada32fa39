// SPDX-License-Identifier: GPL-2.0
/* Auto counter reload: ratios, and the masks and periods they stand for */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/zalloc.h>
#include <string.h>
#include "acr.h"
#include "acr-group.h"
#include "evsel.h"
#include "record.h"

/* How much a ratio may change when periods are rounded, in per cent */
#define ACR_MAX_ROUNDING	1

/* Above it, numbers are too long anyway */
#define ACR_MAX_EXPONENT	99

/**
 * struct acr_relation - What one ratio term stands for
 * @term:	the term
 * @text:	the ratio as it was written
 * @self:	member with the term
 * @other:	member that the ratio refers to
 * @ratio:	period of @self divided by that of @other
 */
struct acr_relation {
	const struct evsel_config_term	*term;
	const char			*text;
	int				self;
	int				other;
	struct acr_ratio		ratio;
};

static bool is_ratio_term(const struct evsel_config_term *term)
{
	return term->type == EVSEL__CONFIG_TERM_RATIO_TO ||
	       term->type == EVSEL__CONFIG_TERM_RATIO_TO_PREV;
}

/*
 * Periods of perf's tables of events are weak terms. They are no wish of the
 * user's, who may have said one in the event or with -c.
 */
static bool is_period(const struct evsel_config_term *term, bool weak)
{
	return term->type == EVSEL__CONFIG_TERM_PERIOD && term->weak == weak;
}

static struct evsel_config_term *find_period(const struct evsel *evsel, bool weak)
{
	struct evsel_config_term *term, *found = NULL;

	list_for_each_entry(term, &evsel->config_terms, list) {
		if (is_period(term, weak))
			found = term;
	}
	return found;
}

static struct evsel_config_term *evsel__own_period(const struct evsel *evsel)
{
	return find_period(evsel, /*weak=*/false);
}

static void evsel__drop_weak_periods(struct evsel *evsel)
{
	struct evsel_config_term *term, *tmp;

	list_for_each_entry_safe(term, tmp, &evsel->config_terms, list) {
		if (!is_period(term, /*weak=*/true))
			continue;
		list_del(&term->list);
		free(term);
	}
}

/**
 * evsel__acr_drop_tabled - Prefer what the user says to the table's period
 * @evsel:	an event
 *
 * perf takes the last period of an event. That of its table is the last one
 * where its name stands behind the user's term.
 */
void evsel__acr_drop_tabled(struct evsel *evsel)
{
	if (evsel__own_period(evsel) || evsel__get_config_term(evsel, FREQ))
		evsel__drop_weak_periods(evsel);
}

/**
 * evsel__acr_period - Find the period that an event will be opened with
 * @evsel:	an event
 * @opts:	how it will be recorded, NULL while events are parsed
 *
 * Return: the term with its period, that of its table only if no option gives
 * a period or a frequency; NULL if it has none.
 */
struct evsel_config_term *evsel__acr_period(const struct evsel *evsel,
					    const struct record_opts *opts)
{
	struct evsel_config_term *term = evsel__own_period(evsel);

	if (term || !opts || opts->user_interval != ULLONG_MAX ||
	    opts->user_freq != UINT_MAX)
		return term;

	return find_period(evsel, /*weak=*/true);
}

/* Give an event a period, instead of that of its table */
static int evsel__set_period(struct evsel *evsel, u64 period)
{
	struct evsel_config_term *term = zalloc(sizeof(*term));

	if (!term)
		return -ENOMEM;

	evsel__drop_weak_periods(evsel);
	term->type = EVSEL__CONFIG_TERM_PERIOD;
	term->val.period = period;
	list_add_tail(&term->list, &evsel->config_terms);
	return 0;
}

/* Numbers that are scaled by others without a loss */
#define ACR_MAX_NUMBER	1000000000000ULL

/* What stands behind an e, as strtod() takes it; NULL if that is no exponent */
static const char *acr__parse_exponent(const char *str, u64 *num, u64 *den)
{
	u64 *scaled = *str == '-' ? den : num;
	unsigned int exponent = 0;

	if (*str == '-' || *str == '+')
		str++;
	if (!isdigit(*str))
		return NULL;
	for (; isdigit(*str); str++) {
		exponent = exponent * 10 + (*str - '0');
		if (exponent > ACR_MAX_EXPONENT)
			return NULL;
	}
	while (exponent--) {
		*scaled *= 10;
		if (*scaled > ACR_MAX_NUMBER)
			return NULL;
	}
	return str;
}

/**
 * acr__parse_ratio - Read a ratio
 * @str:	0.2, 2e-1, 20% or 1/5
 * @ratio:	set when the text is right
 *
 * Return: false if the text is no number, or 0, or too long to be exact.
 */
bool acr__parse_ratio(const char *str, struct acr_ratio *ratio)
{
	u64 num = 0, den = 1;
	bool fraction = true, point = false, digits = false;

	for (; isdigit(*str) || (*str == '.' && !point); str++) {
		if (*str == '.') {
			point = true;
			continue;
		}
		digits = true;
		num = num * 10 + (*str - '0');
		if (point)
			den *= 10;
		if (num > ACR_MAX_NUMBER || den > ACR_MAX_NUMBER)
			return false;
	}
	if (!digits)
		return false;

	if (*str == 'e' || *str == 'E') {
		fraction = false;
		str = acr__parse_exponent(str + 1, &num, &den);
		if (!str)
			return false;
	}

	if (!strcmp(str, "%")) {
		den *= 100;
	} else if (*str == '/' && fraction && !point) {
		den = 0;
		for (str++; isdigit(*str); str++) {
			den = den * 10 + (*str - '0');
			if (den > ACR_MAX_NUMBER)
				return false;
		}
		if (*str)
			return false;
	} else if (*str) {
		return false;
	}
	if (!num || !den)
		return false;

	ratio->num = num;
	ratio->den = den;
	return true;
}

/**
 * acr__scale - Multiply a period by a fraction
 * @period:	a period
 * @num:	numerator
 * @den:	denominator, not 0
 *
 * Return: the nearest integer, UINT64_MAX if it does not fit.
 */
u64 acr__scale(u64 period, u64 num, u64 den)
{
	long double exact = (long double)period * num / den;

	return exact < (long double)INT64_MAX ? (u64)(exact + 0.5L) : UINT64_MAX;
}

/* The member that was written before another one: perf may have sorted them */
static int acr__previous(const struct acr_group *group, int self)
{
	int written = group->member[self]->acr_written - 1;

	for (int i = 0; i < group->nr; i++) {
		if (group->member[i]->acr_written == written)
			return i;
	}
	return -ENOENT;
}

static int acr__read_relation(struct acr_group *group, int self,
			      const struct evsel_config_term *term,
			      struct acr_relation *relation)
{
	struct evsel *evsel = group->member[self];
	const char *text = term->val.str;

	relation->term = term;
	relation->self = self;
	relation->other = acr__previous(group, self);

	if (term->type == EVSEL__CONFIG_TERM_RATIO_TO) {
		const char *colon = strrchr(text, ':');
		char name[ACR_NAME_LEN];

		if (!colon) {
			return acr__error(group->err, evsel,
					  "Write ratio-to=NAME:RATIO, for example ratio-to=branches:20%",
					  "'%s' has no ratio", text);
		}
		scnprintf(name, sizeof(name), "%.*s", (int)(colon - text), text);
		relation->other = acr__find(group, self, name);
		if (relation->other < 0)
			return relation->other;
		if (relation->other == self) {
			return acr__error(group->err, evsel,
					  "Name another event of the group",
					  "An event has no ratio to itself");
		}
		text = colon + 1;
	} else if (relation->other < 0) {
		return acr__error(group->err, evsel,
				  "Give the term to a later event of the group",
				  "There is no previous event");
	}

	relation->text = text;
	if (!acr__parse_ratio(text, &relation->ratio)) {
		return acr__error(group->err, evsel,
				  "Write it above 0, as 0.2, 20% or 1/5",
				  "'%s' is no ratio", text);
	}
	return 0;
}

/* Which members the ratios of a group relate; at most one for each member */
static int acr__read_relations(struct acr_group *group,
			       struct acr_relation *relations)
{
	int nr = 0;

	for (int i = 0; i < group->nr; i++) {
		struct evsel_config_term *term = evsel__acr_term(group->member[i]);
		int ret;

		if (!term || !is_ratio_term(term))
			continue;
		ret = acr__read_relation(group, i, term, &relations[nr]);
		if (ret)
			return ret;
		nr++;
	}
	return nr;
}

/**
 * acr__resolve_ratios - Turn ratio terms into masks
 * @group:	a group, whose masks are set
 *
 * With ratio-to, an event samples when it comes first; every overflow of one
 * of the events that refer to the same base starts all of them again. Were they
 * not restarted by each other, an event could add up what it counted over
 * several restarts of the base.
 *
 * With ratio-to-prev, the previous event samples when it comes first.
 *
 * Return: 0, or a negative error.
 */
int acr__resolve_ratios(struct acr_group *group)
{
	struct acr_relation relations[ACR_MAX_MEMBERS];
	int nr = acr__read_relations(group, relations);

	if (nr < 0)
		return nr;

	for (int i = 0; i < nr; i++) {
		struct acr_relation *rel = &relations[i];
		u64 all = BIT_ULL(rel->self) | BIT_ULL(rel->other);

		if (evsel__acr_term(group->member[rel->other])) {
			return acr__error(group->err, group->member[rel->self],
					  "Relate several events to one base with ratio-to=NAME:RATIO",
					  "'%s' is the base of a ratio and has a term of its own",
					  evsel__name(group->member[rel->other]));
		}
		if (rel->term->type == EVSEL__CONFIG_TERM_RATIO_TO_PREV) {
			if (group->mask[rel->other]) {
				return acr__error(group->err, group->member[rel->self],
						  "Relate several events to one base with ratio-to=NAME:RATIO",
						  "The previous event is in another ratio");
			}
			group->mask[rel->other] = BIT_ULL(rel->self);
			group->mask[rel->self] = all;
			continue;
		}
		for (int k = 0; k < nr; k++) {
			if (relations[k].other != rel->other)
				continue;
			if (relations[k].term->type != rel->term->type) {
				return acr__error(group->err, group->member[rel->self],
						  "Use ratio-to=NAME:RATIO for all of them",
						  "The base is in another ratio");
			}
			all |= BIT_ULL(relations[k].self);
		}
		group->mask[rel->self] = all & ~BIT_ULL(rel->self);
		group->mask[rel->other] = all;
	}
	return 0;
}

/* Periods are integers, and short ones may be far from what was asked for */
static int acr__check_rounding(struct acr_group *group,
			       const struct acr_relation *rel, u64 own, u64 base)
{
	long double exact = (long double)base * rel->ratio.num / rel->ratio.den;
	long double error = own > exact ? own - exact : exact - own;

	/* Periods of 0 are refused as such */
	if (!own || !base || error * 100 <= exact * ACR_MAX_ROUNDING)
		return 0;

	return acr__error(group->err, group->member[rel->self], "Use longer periods",
			  "The ratio '%s' becomes %llu/%llu, as periods are integers",
			  rel->text, (unsigned long long)own, (unsigned long long)base);
}

/* The period of a base, from the first of the events that refer to it and have one */
static bool acr__base_period(const struct acr_group *group,
			     const struct acr_relation *relations, int nr, int base,
			     const struct record_opts *opts, u64 *period)
{
	for (int i = 0; i < nr; i++) {
		const struct acr_relation *rel = &relations[i];
		struct evsel_config_term *term;

		if (rel->other != base)
			continue;
		term = evsel__acr_period(group->member[rel->self], opts);
		if (!term)
			continue;
		*period = acr__scale(term->val.period, rel->ratio.den, rel->ratio.num);
		return true;
	}
	return false;
}

/*
 * Terms of the user come first, then -c, then tables: that of the base, else
 * those of the others. While events are parsed, only terms of the user are known.
 */
static int acr__derive_base(struct acr_group *group,
			    const struct acr_relation *relations, int nr, int member,
			    const struct record_opts *opts)
{
	struct evsel *base = group->member[member];
	u64 period;

	if (evsel__own_period(base))
		return 0;
	if (acr__base_period(group, relations, nr, member, /*opts=*/NULL, &period))
		return evsel__set_period(base, period);
	if (!opts)
		return 0;
	if (!opts->freq)
		return evsel__set_period(base, opts->default_interval);
	if (!evsel__acr_period(base, opts) &&
	    acr__base_period(group, relations, nr, member, opts, &period))
		return evsel__set_period(base, period);
	return 0;
}

static int acr__derive_own(struct acr_group *group, const struct acr_relation *rel,
			   const struct record_opts *opts)
{
	struct evsel *evsel = group->member[rel->self];
	struct evsel_config_term *own = evsel__own_period(evsel);
	struct evsel_config_term *base = evsel__acr_period(group->member[rel->other], opts);
	u64 period;
	int ret;

	if (!base)
		return 0;

	period = acr__scale(base->val.period, rel->ratio.num, rel->ratio.den);
	if (!own) {
		ret = evsel__set_period(evsel, period);
		return ret ?: acr__check_rounding(group, rel, period, base->val.period);
	}
	/* The base may be the rounded one */
	if (own->val.period != period &&
	    acr__scale(own->val.period, rel->ratio.den, rel->ratio.num) !=
	    base->val.period) {
		return acr__error(group->err, evsel,
				  "Give one period of the two, the other follows",
				  "The ratio asks for period=%llu, not %llu",
				  (unsigned long long)period,
				  (unsigned long long)own->val.period);
	}
	return acr__check_rounding(group, rel, own->val.period, base->val.period);
}

/**
 * acr__derive_periods - Add the periods that ratio terms ask for
 * @group:	a group
 * @opts:	how it will be recorded, NULL while events are parsed
 *
 * Return: 0, or a negative error if a period contradicts a ratio, or is too
 * short to be one of the two.
 */
int acr__derive_periods(struct acr_group *group, const struct record_opts *opts)
{
	struct acr_relation relations[ACR_MAX_MEMBERS];
	int nr = acr__read_relations(group, relations), ret = 0;

	if (nr < 0)
		return nr;

	for (int i = 0; i < nr && !ret; i++)
		ret = acr__derive_base(group, relations, nr, relations[i].other, opts);
	for (int i = 0; i < nr && !ret; i++)
		ret = acr__derive_own(group, &relations[i], opts);
	return ret;
}
