// SPDX-License-Identifier: GPL-2.0
/*
 * Auto counter reload
 *
 * The mask of an event, attr.config2, lists the members of its group whose
 * overflow reloads the event; members are numbered as they are opened. Users
 * give names or ratios instead, or a mask that counts the members as written.
 * What they mean can be told only after the events were sorted and grouped:
 *
 *   parsing      terms are kept with the event, with their column
 *   before sort  copies for PMUs without the feature go, the order is noted
 *   after sort   names, ratios and masks become masks of the final order
 *   before open  periods that depend on options are filled in
 *
 * Whatever cannot work is an error: a group without its reloads would sample
 * everywhere, which looks like a result.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/string.h>
#include <linux/zalloc.h>
#include "acr.h"
#include "debug.h"
#include "env.h"
#include "evlist.h"
#include "evsel.h"
#include "evsel_config.h"
#include "parse-events.h"
#include "pmu.h"
#include "pmus.h"
#include "record.h"

#define ACR_FORMAT	"acr_mask"
#define ACR_MAX_MEMBERS	64
#define ACR_MAX_PERIOD	0x7fffffffULL
/* Largest value of :p that a reloaded event can have */
#define ACR_MAX_PRECISE	2
#define ACR_NAME_LEN	128

/**
 * struct acr_group - The members of one group, in the order of opening
 * @list:	list that the events are on
 * @err:	where errors go, NULL for messages
 * @nr:		number of members
 * @member:	events of the core PMU
 * @mask:	members that reload the event, as bits
 */
struct acr_group {
	struct list_head		*list;
	struct parse_events_error	*err;
	int				nr;
	struct evsel			*member[ACR_MAX_MEMBERS];
	u64				mask[ACR_MAX_MEMBERS];
};

/**
 * struct acr_relation - What one ratio term stands for
 * @term:	the term
 * @self:	member with the term
 * @other:	member that the ratio refers to
 * @ratio:	period of @self divided by that of @other
 */
struct acr_relation {
	const struct evsel_config_term	*term;
	int				self;
	int				other;
	struct acr_ratio		ratio;
};

/*
 * Terms
 */

static bool is_acr_term(const struct evsel_config_term *term)
{
	return term->type == EVSEL__CONFIG_TERM_ACR ||
	       term->type == EVSEL__CONFIG_TERM_ACR_MASK ||
	       term->type == EVSEL__CONFIG_TERM_RATIO_TO ||
	       term->type == EVSEL__CONFIG_TERM_RATIO_TO_PREV;
}

static bool is_ratio_term(const struct evsel_config_term *term)
{
	return term->type == EVSEL__CONFIG_TERM_RATIO_TO ||
	       term->type == EVSEL__CONFIG_TERM_RATIO_TO_PREV;
}

static struct evsel_config_term *evsel__acr_term(const struct evsel *evsel)
{
	struct evsel_config_term *term;

	list_for_each_entry(term, &evsel->config_terms, list) {
		if (is_acr_term(term))
			return term;
	}
	return NULL;
}

static struct evsel_config_term *evsel__period_term(struct evsel *evsel)
{
	return evsel__get_config_term(evsel, PERIOD);
}

static int evsel__add_period(struct evsel *evsel, u64 period)
{
	struct evsel_config_term *term = zalloc(sizeof(*term));

	if (!term)
		return -ENOMEM;

	term->type = EVSEL__CONFIG_TERM_PERIOD;
	term->val.period = period;
	list_add_tail(&term->list, &evsel->config_terms);
	return 0;
}

/**
 * acr__add_config_term - Keep a term of auto counter reload with its event
 * @term:		term as parsed
 * @config_terms:	list of the event's terms
 *
 * Return: 0 or -ENOMEM.
 */
int acr__add_config_term(const struct parse_events_term *term,
			 struct list_head *config_terms)
{
	struct evsel_config_term *copy = zalloc(sizeof(*copy));

	if (!copy)
		return -ENOMEM;

	INIT_LIST_HEAD(&copy->list);
	copy->weak = term->weak;
	copy->column = term->err_term;
	if (term->type_term == PARSE_EVENTS__TERM_TYPE_ACR_MASK) {
		copy->type = EVSEL__CONFIG_TERM_ACR_MASK;
		copy->val.acr_mask = term->val.num;
	} else {
		if (term->type_term == PARSE_EVENTS__TERM_TYPE_ACR)
			copy->type = EVSEL__CONFIG_TERM_ACR;
		else if (term->type_term == PARSE_EVENTS__TERM_TYPE_RATIO_TO)
			copy->type = EVSEL__CONFIG_TERM_RATIO_TO;
		else
			copy->type = EVSEL__CONFIG_TERM_RATIO_TO_PREV;
		copy->column = term->err_val;
		copy->val.str = strdup(term->val.str);
		if (!copy->val.str) {
			free(copy);
			return -ENOMEM;
		}
		copy->free_str = true;
	}
	list_add_tail(&copy->list, config_terms);
	return 0;
}

/**
 * acr__lists_term - Is a term of use on a PMU?
 * @pmu:	a core PMU
 * @term:	any term, as perf list prints it
 *
 * Return: false for terms of auto counter reload on a PMU without it, and for
 * acr_mask=, which is listed as a format where it is of use.
 */
bool acr__lists_term(const struct perf_pmu *pmu, const char *term)
{
	if (strstarts(term, ACR_FORMAT "="))
		return false;

	return perf_pmu__has_format(pmu, ACR_FORMAT) ||
	       (!strstarts(term, "acr=") && !strstarts(term, "ratio-to"));
}

/*
 * Errors
 */

static int acr__vhandle(struct parse_events_error *err, int column, char *help,
			const char *fmt, va_list args)
{
	char *str;

	if (vasprintf(&str, fmt, args) < 0) {
		free(help);
		return -ENOMEM;
	}

	if (err) {
		parse_events_error__handle(err, column, str, help);
	} else {
		pr_err("Auto counter reload: %s\n", str);
		if (help)
			pr_err("%s\n", help);
		free(str);
		free(help);
	}
	return -EINVAL;
}

/* What is wrong with @evsel, and what to do about it */
static int __printf(4, 5) acr__error(struct parse_events_error *err,
				     const struct evsel *evsel,
				     const char *help, const char *fmt, ...)
{
	const struct evsel_config_term *term = evsel__acr_term(evsel);
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = acr__vhandle(err, term ? term->column : 0, strdup(help), fmt, args);
	va_end(args);
	return ret;
}

/*
 * Names
 */

/* Terms that can stand without a value and are no names of events */
static bool is_flag(const char *str, size_t len)
{
	static const char *const flags[] = {
		"time", "inherit", "no-inherit", "overwrite", "no-overwrite",
		"percore", "aux-output",
	};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (strlen(flags[i]) == len && !strncmp(str, flags[i], len))
			return true;
	}
	return false;
}

/*
 * The name of an event without its PMU, terms and modifiers. These are the
 * texts that events get from the parser:
 *
 *   name:u   name/term=value/u   pmu/name,term=value/u   pmu/name/term=value/u
 */
static const char *evsel__short_name(struct evsel *evsel, char *buf, size_t size)
{
	const char *name = evsel__name(evsel);
	const char *slash = strchr(name, '/'), *pos, *end;
	size_t len;

	if (!slash) {
		const char *colon = strrchr(name, ':');

		len = strlen(name);
		if (colon && colon[1] &&
		    strspn(colon + 1, "ukhpPGHSDIWebR") == strlen(colon + 1))
			len = colon - name;
		scnprintf(buf, size, "%.*s", (int)len, name);
		return buf;
	}

	for (pos = slash + 1; *pos; pos = end + 1) {
		end = pos + strcspn(pos, ",/");
		if (!*end)
			break;
		len = end - pos;
		if (len && !memchr(pos, '=', len) && !isdigit(*pos) &&
		    !is_flag(pos, len)) {
			scnprintf(buf, size, "%.*s", (int)len, pos);
			return buf;
		}
	}

	len = slash - name;
	scnprintf(buf, size, "%.*s", (int)len, name);
	/* An event by its numbers has no name */
	if (perf_pmus__find(buf))
		scnprintf(buf, size, "%s", name);
	return buf;
}

static const char *canonical(const char *name)
{
	if (!strcasecmp(name, "branch-instructions"))
		return "branches";
	if (!strcasecmp(name, "cpu-cycles"))
		return "cycles";
	return name;
}

static struct perf_pmu *evsel__core_pmu(const struct evsel *evsel)
{
	struct perf_pmu *pmu = evsel__find_pmu(evsel);

	return pmu && (pmu->is_core || perf_pmu__has_format(pmu, ACR_FORMAT)) ?
		pmu : NULL;
}

static bool evsel__has_name(struct evsel *evsel, const char *name)
{
	char buf[ACR_NAME_LEN];

	return !strcasecmp(canonical(name),
			   canonical(evsel__short_name(evsel, buf, sizeof(buf))));
}

/* The name below an alias */
static bool evsel__has_event(struct evsel *evsel, const char *name)
{
	struct perf_event_attr *attr = &evsel->core.attr;
	struct perf_pmu *pmu = evsel__core_pmu(evsel);
	const char *event = NULL;

	if (attr->type == PERF_TYPE_HARDWARE) {
		u64 config = attr->config & PERF_HW_EVENT_MASK;

		if (config < PERF_COUNT_HW_MAX)
			event = evsel__hw_names[config];
	} else if (pmu && attr->type == pmu->type) {
		event = perf_pmu__name_from_config(pmu, attr->config);
	}
	return event && !strcasecmp(canonical(name), canonical(event));
}

/*
 * Groups
 */

static bool pmu__has_acr(const struct perf_pmu *pmu)
{
	return pmu && perf_pmu__has_format(pmu, ACR_FORMAT);
}

static bool evsel__is_alone(const struct evsel *evsel)
{
	return evsel__leader(evsel) == evsel && evsel->core.nr_members < 2;
}

/* Does an event ask for reloads, by a term or by the number of the field? */
static bool evsel__wants_acr(const struct evsel *evsel)
{
	if (evsel__acr_term(evsel))
		return true;

	/* Alone, the number of the field is left to who knows it */
	return evsel->core.attr.config2 && !evsel__is_alone(evsel) &&
	       pmu__has_acr(evsel__core_pmu(evsel));
}

static bool group__wants_acr(struct list_head *list, const struct evsel *leader)
{
	struct evsel *pos;

	__evlist__for_each_entry(list, pos) {
		if (evsel__leader(pos) == leader && evsel__wants_acr(pos))
			return true;
	}
	return false;
}

static bool evsel__is_software(const struct evsel *evsel)
{
	const struct perf_pmu *pmu = evsel__find_pmu(evsel);

	return evsel->core.attr.type == PERF_TYPE_SOFTWARE ||
	       evsel->tool_event != PERF_TOOL_NONE ||
	       (pmu && perf_pmu__is_software(pmu));
}

/*
 * A legacy name stands for an event on each core PMU. Where only some have the
 * feature, only these are meant.
 */
static bool evsel__is_copy(struct list_head *list, struct evsel *evsel)
{
	const struct perf_pmu *pmu = evsel__core_pmu(evsel);
	const char *name = evsel__name(evsel);
	struct evsel *pos;

	if (!pmu || pmu__has_acr(pmu) || strstarts(name, pmu->name))
		return false;

	__evlist__for_each_entry(list, pos) {
		if (pos == evsel || !pmu__has_acr(evsel__core_pmu(pos)))
			continue;
		if (evsel__leader(pos) != evsel__leader(evsel) &&
		    !(evsel__is_alone(pos) && evsel__is_alone(evsel)))
			continue;
		if (!strcmp(evsel__name(pos), name))
			return true;
	}
	return false;
}

/* Take an event off the list; the next one leads if it led */
static void evsel__remove(struct list_head *list, struct evsel *evsel)
{
	struct evsel *leader = evsel__leader(evsel), *pos, *next = NULL;

	list_del_init(&evsel->core.node);
	if (leader != evsel) {
		leader->core.nr_members--;
	} else {
		__evlist__for_each_entry(list, pos) {
			if (evsel__leader(pos) != evsel)
				continue;
			if (!next) {
				next = pos;
				next->core.nr_members = evsel->core.nr_members - 1;
				next->core.attr.pinned = evsel->core.attr.pinned;
				next->core.attr.exclusive = evsel->core.attr.exclusive;
				next->group_name = evsel->group_name;
				evsel->group_name = NULL;
			}
			evsel__set_leader(pos, next);
		}
	}
	evsel__delete(evsel);
}

static void acr__remove_copies(struct list_head *list)
{
	struct evsel *pos, *tmp;

	__evlist__for_each_entry_safe(list, tmp, pos) {
		if (!group__wants_acr(list, evsel__leader(pos)) ||
		    !evsel__is_copy(list, pos))
			continue;
		pr_warning("WARNING: %s has no auto counter reload: '%s' is left out there\n",
			   evsel__core_pmu(pos)->name, evsel__name(pos));
		evsel__remove(list, pos);
	}
}

/* The help for events on a PMU without the feature */
static const char *acr__pmu_help(char *buf, size_t size)
{
	struct perf_pmu *pmu = NULL;

	while ((pmu = perf_pmus__scan_core(pmu)) != NULL) {
		if (pmu__has_acr(pmu)) {
			scnprintf(buf, size, "Use events of %s: %s/.../", pmu->name,
				  pmu->name);
			return buf;
		}
	}
	scnprintf(buf, size, "No core PMU has the format " ACR_FORMAT
		  ": the CPU or the kernel does not support it");
	return buf;
}

/**
 * acr__before_sort - Prepare events as they were written
 * @list:	events of one option, groups as written
 * @err:	where errors go
 *
 * Return: 0, or a negative error if an event is on a PMU that cannot reload it.
 */
int acr__before_sort(struct list_head *list, struct parse_events_error *err)
{
	struct evsel *evsel, *pos;
	char help[ACR_NAME_LEN];
	bool wanted = false;

	__evlist__for_each_entry(list, evsel)
		wanted |= evsel__wants_acr(evsel);
	if (!wanted)
		return 0;

	acr__remove_copies(list);

	__evlist__for_each_entry(list, evsel) {
		const struct perf_pmu *pmu = evsel__core_pmu(evsel);

		evsel->acr_written = 0;
		__evlist__for_each_entry(list, pos) {
			if (pos == evsel)
				break;
			if (evsel__leader(pos) == evsel__leader(evsel) &&
			    evsel__core_pmu(pos) == pmu)
				evsel->acr_written++;
		}

		if (!evsel__wants_acr(evsel))
			continue;

		if (evsel__is_software(evsel)) {
			return acr__error(err, evsel,
					  "Give the term to an event of the core PMU",
					  "A software event has no counter to reload");
		}
		if (!pmu__has_acr(pmu)) {
			const struct perf_pmu *other = evsel__find_pmu(evsel);

			return acr__error(err, evsel, acr__pmu_help(help, sizeof(help)),
					  "%s has no auto counter reload",
					  other ? other->name : "Its PMU");
		}
		if (evsel__is_alone(evsel)) {
			return acr__error(err, evsel,
					  "Put it between { and } with the events that reload it",
					  "The event is in no group");
		}
		__evlist__for_each_entry(list, pos) {
			if (evsel__leader(pos) != evsel__leader(evsel) ||
			    evsel__is_software(pos) ||
			    pmu__has_acr(evsel__core_pmu(pos)))
				continue;
			return acr__error(err, evsel,
					  "All events of the group have to be of one core PMU",
					  "'%s' in its group is of another PMU",
					  evsel__name(pos));
		}
	}
	return 0;
}

/* Collect the members of a leader's group; refuse what the kernel refuses */
static int acr__collect(struct acr_group *group, struct list_head *list,
			struct evsel *leader, struct parse_events_error *err)
{
	struct evsel *pos, *software = NULL, *wants = NULL;

	memset(group, 0, sizeof(*group));
	group->list = list;
	group->err = err;

	__evlist__for_each_entry(list, pos) {
		if (evsel__leader(pos) == leader && evsel__wants_acr(pos)) {
			wants = pos;
			break;
		}
	}

	__evlist__for_each_entry(list, pos) {
		if (evsel__leader(pos) != leader)
			continue;
		if (!evsel__core_pmu(pos)) {
			software = pos;
			continue;
		}
		if (software) {
			return acr__error(err, wants,
					  "Put it behind the events of the core PMU",
					  "'%s' stands before a member of the group",
					  evsel__name(software));
		}
		if (group->nr == ACR_MAX_MEMBERS) {
			return acr__error(err, wants, "Use smaller groups",
					  "More than %d members", ACR_MAX_MEMBERS);
		}
		group->member[group->nr++] = pos;
	}
	return 0;
}

static int acr__find(struct acr_group *group, int self, const char *name)
{
	struct evsel *evsel = group->member[self], *pos;

	/* What is written comes before what it is an alias of */
	for (int alias = 0; alias < 2; alias++) {
		int found = -1;

		for (int k = 0; k < group->nr; k++) {
			struct evsel *member = group->member[k];

			if (!(alias ? evsel__has_event(member, name) :
				      evsel__has_name(member, name)))
				continue;
			if (found >= 0) {
				return acr__error(group->err, evsel,
						  "Tell them apart with name=",
						  "'%s' stands for several members of the group",
						  name);
			}
			found = k;
		}
		if (found >= 0)
			return found;
	}

	__evlist__for_each_entry(group->list, pos) {
		if (!evsel__has_name(pos, name))
			continue;
		if (!evsel__core_pmu(pos)) {
			return acr__error(group->err, evsel,
					  "Only events of the core PMU reload others",
					  "'%s' is %s", name, evsel__is_software(pos) ?
					  "a software event" : "of another PMU");
		}
		return acr__error(group->err, evsel,
				  "Put both between the same { and }",
				  "'%s' is not in the group of this event", name);
	}
	return acr__error(group->err, evsel,
			  "Use the name of an event of the group, or what its name= says",
			  "No event is called '%s'", name);
}

/*
 * From terms to masks
 */

static int acr__resolve_names(struct acr_group *group, int self, const char *names)
{
	char *copy = strdup(names), *rest = copy, *name;
	int ret = 0;

	if (!copy)
		return -ENOMEM;

	while ((name = strsep(&rest, "+")) != NULL) {
		u64 all = GENMASK_ULL(group->nr - 1, 0);

		if (!strcmp(name, "all")) {
			group->mask[self] |= all;
		} else if (!strcmp(name, "others")) {
			group->mask[self] |= all & ~BIT_ULL(self);
		} else {
			ret = acr__find(group, self, name);
			if (ret < 0)
				break;
			group->mask[self] |= BIT_ULL(ret);
			ret = 0;
		}
	}
	free(copy);
	return ret;
}

/* A mask counts the members as they were written */
static int acr__resolve_mask(struct acr_group *group, int self, u64 written)
{
	for (int k = 0; k < group->nr; k++) {
		u64 bit = BIT_ULL(group->member[k]->acr_written);

		if (written & bit)
			group->mask[self] |= BIT_ULL(k);
		written &= ~bit;
	}
	if (!written)
		return 0;

	return acr__error(group->err, group->member[self],
			  "Bit i of the mask stands for member i, the leader is 0",
			  "The group has %d members, there is none for bit %d",
			  group->nr, __ffs(written));
}

/**
 * acr__parse_ratio - Read a ratio
 * @str:	0.2, 20% or 1/5
 * @ratio:	set when the text is right
 *
 * Return: false if the text is no number, or 0, or too long to be exact.
 */
bool acr__parse_ratio(const char *str, struct acr_ratio *ratio)
{
	const u64 limit = 1000000000000ULL;
	u64 num = 0, den = 1;
	bool point = false, digits = false;

	for (; isdigit(*str) || (*str == '.' && !point); str++) {
		if (*str == '.') {
			point = true;
			continue;
		}
		digits = true;
		num = num * 10 + (*str - '0');
		if (point)
			den *= 10;
		if (num > limit || den > limit)
			return false;
	}
	if (!digits)
		return false;

	if (!strcmp(str, "%")) {
		den *= 100;
	} else if (*str == '/' && !point) {
		den = 0;
		for (str++; isdigit(*str); str++) {
			den = den * 10 + (*str - '0');
			if (den > limit)
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

static int acr__read_relation(struct acr_group *group, int self,
			      const struct evsel_config_term *term,
			      struct acr_relation *relation)
{
	struct evsel *evsel = group->member[self];
	const char *text = term->val.str;

	relation->term = term;
	relation->self = self;
	relation->other = self - 1;

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

/*
 * With ratio-to, an event samples when it comes first; every overflow of one
 * of the events that refer to the same base starts all of them again. Were they
 * not restarted by each other, an event could add up what it counted over
 * several restarts of the base.
 *
 * With ratio-to-prev, the previous event samples when it comes first.
 */
static int acr__resolve_ratios(struct acr_group *group)
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

/* @interval: what -c says, 0 if it is not known */
static int acr__derive_periods(struct acr_group *group, u64 interval)
{
	struct acr_relation relations[ACR_MAX_MEMBERS];
	int nr = acr__read_relations(group, relations);

	if (nr < 0)
		return nr;

	/* The period of a base can come from any of the events that refer to it */
	for (int i = 0; i < nr; i++) {
		struct acr_relation *rel = &relations[i];
		struct evsel *base = group->member[rel->other];
		struct evsel_config_term *term;
		u64 period = interval;
		int ret;

		if (evsel__period_term(base))
			continue;
		term = evsel__period_term(group->member[rel->self]);
		if (term) {
			period = acr__scale(term->val.period, rel->ratio.den,
					    rel->ratio.num);
		} else {
			for (int k = i + 1; k < nr && !term; k++) {
				if (relations[k].other == rel->other)
					term = evsel__period_term(group->member[relations[k].self]);
			}
			if (term)
				continue;
		}
		if (!period && !term)
			continue;
		ret = evsel__add_period(base, period);
		if (ret)
			return ret;
	}

	for (int i = 0; i < nr; i++) {
		struct acr_relation *rel = &relations[i];
		struct evsel *evsel = group->member[rel->self];
		struct evsel_config_term *own = evsel__period_term(evsel);
		struct evsel_config_term *base =
			evsel__period_term(group->member[rel->other]);
		u64 period;
		int ret;

		if (!base)
			continue;

		period = acr__scale(base->val.period, rel->ratio.num, rel->ratio.den);
		if (!own) {
			ret = evsel__add_period(evsel, period);
			if (ret)
				return ret;
			continue;
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
	}
	return 0;
}

static bool acr__is_cause(const struct acr_group *group, int member)
{
	for (int i = 0; i < group->nr; i++) {
		if (group->mask[i] & BIT_ULL(member))
			return true;
	}
	return false;
}

int __weak arch_acr__counters(const struct perf_pmu *pmu __maybe_unused,
			      int *reloaded __maybe_unused,
			      int *causes __maybe_unused)
{
	return -EOPNOTSUPP;
}

static int acr__check_counters(const struct acr_group *group)
{
	const struct evsel *last = group->member[0];
	int reloaded = 0, causes = 0, max_reloaded, max_causes;

	for (int i = 0; i < group->nr; i++) {
		if (group->mask[i]) {
			last = group->member[i];
			reloaded++;
		}
		causes += acr__is_cause(group, i);
	}
	if (!pmu__has_acr(evsel__core_pmu(last)) ||
	    arch_acr__counters(evsel__core_pmu(last), &max_reloaded, &max_causes))
		return 0;

	if (reloaded > max_reloaded) {
		return acr__error(group->err, last, "Use smaller groups",
				  "%d events are reloaded, %s can reload %d counters",
				  reloaded, evsel__core_pmu(last)->name, max_reloaded);
	}
	if (causes > max_causes) {
		return acr__error(group->err, last, "Use smaller groups",
				  "%d events reload others, %s has %d counters that can",
				  causes, evsel__core_pmu(last)->name, max_causes);
	}
	return 0;
}

/* An event that is reloaded, or reloads others */
static int acr__check_member(struct acr_group *group, int i,
			     const struct record_opts *opts)
{
	struct evsel *evsel = group->member[i], *where = evsel;
	struct evsel_config_term *period = evsel__period_term(evsel);
	bool self = group->mask[i] & BIT_ULL(i);
	u64 value = 0;

	/* A cause may have no term of its own */
	for (int k = 0; k < group->nr && !evsel__acr_term(where); k++) {
		if (group->mask[k] & BIT_ULL(i))
			where = group->member[k];
	}

	if (evsel__get_config_term(evsel, FREQ)) {
		return acr__error(group->err, where, "Use period= instead of freq=",
				  "'%s' has a frequency, a ratio needs fixed periods",
				  evsel__name(evsel));
	}
	if (period)
		value = period->val.period;
	else if (opts && !opts->freq)
		value = opts->default_interval;

	if (opts && !value) {
		return acr__error(group->err, where, "Add period=N to it, or use -c N",
				  "'%s' has no period, but a frequency",
				  evsel__name(evsel));
	}
	if (!group->mask[i])
		return 0;

	if ((period || opts) && (!value || value > ACR_MAX_PERIOD)) {
		return acr__error(group->err, where,
				  "Periods of reloaded events are 1 to 2147483647",
				  "The period %llu of '%s' is out of range",
				  (unsigned long long)value, evsel__name(evsel));
	}
	if (evsel->core.attr.precise_ip > ACR_MAX_PRECISE) {
		return acr__error(group->err, where, "Use :pp",
				  "'%s' cannot be reloaded with :ppp",
				  evsel__name(evsel));
	}
	if (self && evsel->core.attr.precise_ip) {
		return acr__error(group->err, where,
				  "Give :p to the event that samples only",
				  "'%s' reloads itself and takes no samples to be precise",
				  evsel__name(evsel));
	}
	return 0;
}

static int acr__check_group(struct acr_group *group,
			    const struct record_opts *opts)
{
	for (int i = 0; i < group->nr; i++) {
		struct evsel *evsel = group->member[i];
		int ret;

		if (!group->mask[i] && !acr__is_cause(group, i))
			continue;

		if (evsel->weak_group) {
			return acr__error(group->err, evsel, "Leave out :W",
					  "A weak group may be taken apart, and then nothing reloads");
		}
		if (evsel->sample_read) {
			return acr__error(group->err, evsel, "Leave out :S",
					  "Counts of reloaded events are no totals to be read with a sample");
		}
		ret = acr__check_member(group, i, opts);
		if (ret)
			return ret;
	}
	return acr__check_counters(group);
}

static int acr__resolve_group(struct acr_group *group)
{
	int ret;

	for (int i = 0; i < group->nr; i++) {
		struct evsel *evsel = group->member[i];
		struct evsel_config_term *term = evsel__acr_term(evsel), *pos;

		list_for_each_entry(pos, &evsel->config_terms, list) {
			if (pos != term && is_acr_term(pos)) {
				return acr__error(group->err, evsel,
						  "Use one of acr=, acr_mask=, ratio-to= and ratio-to-prev=",
						  "The event has several terms of this kind");
			}
		}

		if (!term)
			ret = acr__resolve_mask(group, i, evsel->core.attr.config2);
		else if (term->type == EVSEL__CONFIG_TERM_ACR)
			ret = acr__resolve_names(group, i, term->val.str);
		else if (term->type == EVSEL__CONFIG_TERM_ACR_MASK)
			ret = acr__resolve_mask(group, i, term->val.acr_mask);
		else
			ret = 0;
		if (ret)
			return ret;
	}

	ret = acr__resolve_ratios(group);
	if (!ret)
		ret = acr__derive_periods(group, /*interval=*/0);
	if (!ret)
		ret = acr__check_group(group, /*opts=*/NULL);
	if (ret)
		return ret;

	for (int i = 0; i < group->nr; i++)
		group->member[i]->core.attr.config2 = group->mask[i];
	return 0;
}

/**
 * acr__after_sort - Turn terms into masks
 * @list:	events of one option in the order in which they will be opened
 * @err:	where errors go
 *
 * Return: 0, or a negative error.
 */
int acr__after_sort(struct list_head *list, struct parse_events_error *err)
{
	struct acr_group group;
	struct evsel *leader;
	int ret;

	__evlist__for_each_entry(list, leader) {
		if (evsel__leader(leader) != leader || !group__wants_acr(list, leader))
			continue;

		ret = acr__collect(&group, list, leader, err);
		if (!ret)
			ret = acr__resolve_group(&group);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * evlist__acr_config - Complete and check groups before they are configured
 * @evlist:	all events
 * @opts:	how they will be recorded
 *
 * Return: 0, or a negative error after a message: the events must not be
 * opened then.
 */
int evlist__acr_config(struct evlist *evlist, const struct record_opts *opts)
{
	struct list_head *list = &evlist->core.entries;
	struct acr_group group;
	struct evsel *leader;
	int ret;

	evlist__for_each_entry(evlist, leader) {
		if (evsel__leader(leader) != leader || !group__wants_acr(list, leader))
			continue;

		ret = acr__collect(&group, list, leader, /*err=*/NULL);
		if (ret)
			return ret;
		for (int i = 0; i < group.nr; i++)
			group.mask[i] = group.member[i]->core.attr.config2;

		ret = acr__derive_periods(&group, opts->freq ? 0 : opts->default_interval);
		if (!ret)
			ret = acr__check_group(&group, opts);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * evlist__acr_drop - Count without reloads
 * @evlist:	all events
 *
 * What a reloaded counter has counted before a reload is lost. Its count is no
 * total, and a ratio of two such counts means nothing.
 */
void evlist__acr_drop(struct evlist *evlist)
{
	struct evsel *evsel;
	bool dropped = false;

	evlist__for_each_entry(evlist, evsel) {
		if (!evsel__wants_acr(evsel) && !evsel__is_acr(evsel))
			continue;
		dropped |= !!evsel->core.attr.config2;
		evsel->core.attr.config2 = 0;
	}
	if (dropped)
		pr_warning("WARNING: counts of reloaded events are no totals: counting without auto counter reload\n");
}

/*
 * Words
 */

/* The name of a PMU by what a perf.data file says, else by this machine */
static bool evlist__is_core_type(const struct evlist *evlist, u32 type)
{
	const struct perf_env *env = evlist->env;
	const char *pos = env ? env->pmu_mappings : NULL;

	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ||
	    type == PERF_TYPE_RAW)
		return true;

	for (int i = 0; pos && i < env->nr_pmu_mappings; i++) {
		char *colon;
		u32 number = strtoul(pos, &colon, 0);

		if (number == type && *colon == ':')
			return strstarts(colon + 1, "cpu");
		pos += strlen(pos) + 1;
	}
	return false;
}

/**
 * evsel__is_acr - Is an event reloaded by others?
 * @evsel:	event that will be opened, or is from a file
 *
 * Core PMUs of Intel have one use of the field. In a file, vendor and PMU are
 * those of the machine that wrote it.
 *
 * Return: true if its mask is not empty.
 */
bool evsel__is_acr(const struct evsel *evsel)
{
	const struct evlist *evlist = evsel->evlist;

	if (!evsel->core.attr.config2)
		return false;

	if (evlist && evlist->env && evlist->env->cpuid)
		return strstarts(evlist->env->cpuid, "GenuineIntel") &&
		       evlist__is_core_type(evlist, evsel->core.attr.type);

	return pmu__has_acr(evsel__core_pmu(evsel));
}

static bool evsel__is_member(const struct evsel *evsel)
{
	const struct evlist *evlist = evsel->evlist;

	if (evlist && evlist->env && evlist->env->cpuid)
		return evlist__is_core_type(evlist, evsel->core.attr.type);

	return evsel__core_pmu(evsel);
}

static size_t fprintf_ratio(double ratio, FILE *fp)
{
	if (ratio < 1)
		return fprintf(fp, "%.4g %%", 100 * ratio);

	return fprintf(fp, "%.4g", ratio);
}

/* When an event gets its samples */
static size_t acr__fprintf_condition(const struct acr_group *group, int self, FILE *fp)
{
	struct evsel *evsel = group->member[self];
	char name[ACR_NAME_LEN], other[ACR_NAME_LEN];
	const char *joint = "samples when";
	size_t ret = 0;

	for (int i = 0; i < group->nr; i++) {
		struct evsel *cause = group->member[i];

		if (!(group->mask[self] & BIT_ULL(i)))
			continue;
		/* Both have to start together for their periods to be a ratio */
		if (!(group->mask[i] & BIT_ULL(self)) || !cause->core.attr.sample_period) {
			ret += fprintf(fp, "%s it counts %llu before %s overflows",
				       joint,
				       (unsigned long long)evsel->core.attr.sample_period,
				       evsel__short_name(cause, other, sizeof(other)));
		} else {
			ret += fprintf(fp, "%s %s/%s > ", joint,
				       evsel__short_name(evsel, name, sizeof(name)),
				       evsel__short_name(cause, other, sizeof(other)));
			ret += fprintf_ratio((double)evsel->core.attr.sample_period /
					     cause->core.attr.sample_period, fp);
		}
		joint = " and";
	}
	return ret;
}

static size_t acr__fprintf_member(const struct acr_group *group, int self,
				  const char *prefix, FILE *fp)
{
	struct evsel *evsel = group->member[self];
	char name[ACR_NAME_LEN];
	const char *joint = "is reloaded by";
	size_t ret;

	ret = fprintf(fp, "%s%s ", prefix,
		      evsel__short_name(evsel, name, sizeof(name)));
	for (int i = 0; i < group->nr; i++) {
		if (i == self || !(group->mask[self] & BIT_ULL(i)))
			continue;
		ret += fprintf(fp, "%s %s", joint,
			       evsel__short_name(group->member[i], name, sizeof(name)));
		joint = " and";
	}
	if (group->mask[self] & BIT_ULL(self))
		return ret + fprintf(fp, "%s itself; takes no samples\n", joint);

	ret += fprintf(fp, "; ");
	ret += acr__fprintf_condition(group, self, fp);
	return ret + fprintf(fp, "\n");
}

/**
 * evlist__fprintf_acr - Print what reloads what
 * @evlist:	all events, configured
 * @prefix:	start of each line
 * @fp:		where to
 *
 * Return: number of characters.
 */
size_t evlist__fprintf_acr(struct evlist *evlist, const char *prefix, FILE *fp)
{
	struct evsel *leader, *pos;
	struct acr_group group;
	size_t ret = 0;

	evlist__for_each_entry(evlist, leader) {
		if (evsel__leader(leader) != leader)
			continue;

		memset(&group, 0, sizeof(group));
		evlist__for_each_entry(evlist, pos) {
			if (evsel__leader(pos) != leader || !evsel__is_member(pos) ||
			    group.nr == ACR_MAX_MEMBERS)
				continue;
			group.member[group.nr] = pos;
			if (evsel__is_acr(pos))
				group.mask[group.nr] = pos->core.attr.config2;
			group.nr++;
		}
		for (int i = 0; i < group.nr; i++) {
			if (group.mask[i])
				ret += acr__fprintf_member(&group, i, prefix, fp);
		}
	}
	return ret;
}
