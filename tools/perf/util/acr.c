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
 *   before open  periods that depend on options are filled in and checked
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
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/string.h>
#include <linux/zalloc.h>
#include "acr.h"
#include "acr-group.h"
#include "debug.h"
#include "evlist.h"
#include "evsel.h"
#include "evsel_config.h"
#include "parse-events.h"
#include "pmu.h"
#include "pmus.h"
#include "topdown-event.h"

/*
 * Terms
 */

static bool is_acr_term(const struct evsel_config_term *term)
{
	return term->type == EVSEL__CONFIG_TERM_ACR ||
	       term->type == EVSEL__CONFIG_TERM_ACR_MASK ||
	       term->type == EVSEL__CONFIG_TERM_ACR_MASK_TEXT ||
	       term->type == EVSEL__CONFIG_TERM_RATIO_TO ||
	       term->type == EVSEL__CONFIG_TERM_RATIO_TO_PREV;
}

/**
 * evsel__acr_term - The term of auto counter reload of an event
 * @evsel:	an event
 *
 * Return: the first one, NULL if it has none.
 */
struct evsel_config_term *evsel__acr_term(const struct evsel *evsel)
{
	struct evsel_config_term *term;

	list_for_each_entry(term, &evsel->config_terms, list) {
		if (is_acr_term(term))
			return term;
	}
	return NULL;
}

/**
 * evsel__acr_place - The term that errors of an event point to
 * @evsel:	an event
 *
 * Return: its term of auto counter reload or that with the number of the field,
 * NULL if it has neither.
 */
struct evsel_config_term *evsel__acr_place(const struct evsel *evsel)
{
	struct evsel_config_term *place = evsel__acr_term(evsel), *term;

	list_for_each_entry(term, &evsel->config_terms, list) {
		if (!place && term->type == EVSEL__CONFIG_TERM_ACR_CONFIG2)
			place = term;
	}
	return place;
}

/* A term without its value is 1 */
static bool is_number(const struct parse_events_term *term)
{
	return term->type_val == PARSE_EVENTS__TERM_TYPE_NUM && !term->no_value;
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
	if (term->type_term == PARSE_EVENTS__TERM_TYPE_ACR_MASK && is_number(term)) {
		copy->type = EVSEL__CONFIG_TERM_ACR_MASK;
		copy->val.acr_mask = term->val.num;
	} else if (term->type_term == PARSE_EVENTS__TERM_TYPE_CONFIG2) {
		copy->type = EVSEL__CONFIG_TERM_ACR_CONFIG2;
	} else {
		const char *str = term->no_value ? "" : term->val.str;

		if (term->type_term == PARSE_EVENTS__TERM_TYPE_ACR)
			copy->type = EVSEL__CONFIG_TERM_ACR;
		else if (term->type_term == PARSE_EVENTS__TERM_TYPE_ACR_MASK)
			copy->type = EVSEL__CONFIG_TERM_ACR_MASK_TEXT;
		else if (term->type_term == PARSE_EVENTS__TERM_TYPE_RATIO_TO)
			copy->type = EVSEL__CONFIG_TERM_RATIO_TO;
		else
			copy->type = EVSEL__CONFIG_TERM_RATIO_TO_PREV;
		copy->column = term->err_val ?: term->err_term;
		copy->val.str = strdup(str);
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
 * acr__note_copies - Remember which events one name became
 * @list:	them
 *
 * A legacy name or a pattern stands for an event on each PMU that fits.
 */
void acr__note_copies(struct list_head *list)
{
	struct evsel *evsel;
	int copy = 0;

	if (list_is_singular(list))
		return;

	__evlist__for_each_entry(list, evsel) {
		if (!copy)
			copy = evsel->core.idx + 1;
		evsel->acr_copy = copy;
	}
}

/*
 * The text that an event was written in, which errors point into. Some are
 * found only when the options are known that stand behind it.
 */
static int evsel__keep_text(struct evsel *evsel, const char *text)
{
	struct evsel_config_term *term = zalloc(sizeof(*term));

	if (!term)
		return -ENOMEM;

	term->type = EVSEL__CONFIG_TERM_ACR_TEXT;
	term->val.str = strdup(text);
	if (!term->val.str) {
		free(term);
		return -ENOMEM;
	}
	term->free_str = true;
	list_add_tail(&term->list, &evsel->config_terms);
	return 0;
}

/**
 * acr__text - The text of the option that a group was written in
 * @list:	list that the group is on
 * @leader:	leader of the group
 *
 * Return: the text that columns of terms count in.
 */
const char *acr__text(struct list_head *list, struct evsel *leader)
{
	struct evsel *pos;

	__evlist__for_each_entry(list, pos) {
		struct evsel_config_term *term;

		if (evsel__leader(pos) != leader)
			continue;
		term = evsel__get_config_term(pos, ACR_TEXT);
		if (term)
			return term->val.str;
	}
	return evsel__name(leader);
}

/**
 * acr__error - Note what is wrong with an event, and what to do about it
 * @err:	where errors go
 * @evsel:	event with the term to point to
 * @help:	what to do
 * @fmt:	what is wrong
 *
 * Return: -EINVAL, or -ENOMEM.
 */
int acr__error(struct parse_events_error *err, const struct evsel *evsel,
	       const char *help, const char *fmt, ...)
{
	const struct evsel_config_term *term = evsel__acr_place(evsel);
	va_list args;
	char *str;
	int ret;

	va_start(args, fmt);
	ret = vasprintf(&str, fmt, args);
	va_end(args);
	if (ret < 0)
		return -ENOMEM;

	parse_events_error__handle(err, term ? term->column : 0, str, strdup(help));
	return -EINVAL;
}

/**
 * evsel__core_pmu - The PMU of an event, if it is one that could reload it
 * @evsel:	an event
 *
 * Return: a PMU of the CPU itself, with or without the feature, else NULL.
 */
struct perf_pmu *evsel__core_pmu(const struct evsel *evsel)
{
	struct perf_pmu *pmu = evsel__find_pmu(evsel);

	return pmu && (pmu->is_core || perf_pmu__has_format(pmu, ACR_FORMAT)) ?
		pmu : NULL;
}

/*
 * Groups
 */

/**
 * perf_pmu__has_acr - Can events of a PMU be reloaded?
 * @pmu:	a PMU or NULL
 *
 * Return: true if its events can have a mask.
 */
bool perf_pmu__has_acr(const struct perf_pmu *pmu)
{
	return pmu && perf_pmu__has_format(pmu, ACR_FORMAT);
}

static bool evsel__is_alone(const struct evsel *evsel)
{
	return evsel__leader(evsel) == evsel && evsel->core.nr_members < 2;
}

/**
 * evsel__wants_acr - Does an event ask for reloads?
 * @evsel:	an event
 *
 * Return: true if it does, by a term or by the number of the field.
 */
bool evsel__wants_acr(const struct evsel *evsel)
{
	if (evsel__acr_term(evsel))
		return true;

	/* Alone, the number of the field is left to who knows it */
	return evsel->core.attr.config2 && !evsel__is_alone(evsel) &&
	       perf_pmu__has_acr(evsel__core_pmu(evsel));
}

/**
 * acr__wanted - Does an event of a group ask for reloads?
 * @list:	list that the group is on
 * @leader:	leader of the group
 *
 * Return: true if one does.
 */
bool acr__wanted(struct list_head *list, const struct evsel *leader)
{
	struct evsel *pos;

	__evlist__for_each_entry(list, pos) {
		if (evsel__leader(pos) == leader && evsel__wants_acr(pos))
			return true;
	}
	return false;
}

/**
 * evsel__is_software - Is an event counted without a counter?
 * @evsel:	an event
 *
 * Return: true for events of the kernel and of perf itself.
 */
bool evsel__is_software(const struct evsel *evsel)
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
	struct evsel *pos;

	if (!evsel->acr_copy || !pmu || perf_pmu__has_acr(pmu))
		return false;

	__evlist__for_each_entry(list, pos) {
		if (pos->acr_copy == evsel->acr_copy &&
		    perf_pmu__has_acr(evsel__core_pmu(pos)))
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
		if (!acr__wanted(list, evsel__leader(pos)) ||
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
		if (perf_pmu__has_acr(pmu)) {
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
 * @text:	the option
 * @err:	where errors go
 *
 * Return: 0, or a negative error if an event is on a PMU that cannot reload it.
 */
int acr__before_sort(struct list_head *list, const char *text,
		     struct parse_events_error *err)
{
	struct evsel_config_term *text_term;
	struct evsel *evsel, *pos;
	char help[ACR_NAME_LEN];
	bool wanted = false;
	int ret;

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
		if (acr__wanted(list, evsel__leader(evsel)))
			evsel__acr_drop_tabled(evsel);

		if (!evsel__wants_acr(evsel))
			continue;

		ret = evsel__keep_text(evsel, text);
		if (ret)
			return ret;

		text_term = evsel__get_config_term(evsel, ACR_MASK_TEXT);
		if (text_term) {
			return acr__error(err, evsel,
					  "Write acr_mask=NUMBER, for example acr_mask=0x2",
					  "'%s' is no mask", text_term->val.str);
		}
		if (evsel__is_software(evsel)) {
			return acr__error(err, evsel,
					  "Give the term to an event of the core PMU",
					  "A software event has no counter to reload");
		}
		if (!perf_pmu__has_acr(pmu)) {
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
			    perf_pmu__has_acr(evsel__core_pmu(pos)))
				continue;
			return acr__error(err, evsel,
					  "All events of the group have to be of one core PMU",
					  "'%s' in its group is of another PMU",
					  evsel__name(pos));
		}
	}
	return 0;
}

/**
 * acr__collect - Collect the members of a leader's group
 * @group:	set to them, without masks
 * @list:	list that the events are on
 * @leader:	a leader
 * @err:	where errors go
 *
 * Return: 0, or a negative error if the kernel would not number them like this.
 */
int acr__collect(struct acr_group *group, struct list_head *list,
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
		if (evsel__is_topdown_metric(pos)) {
			return acr__error(err, wants,
					  "Measure topdown metrics in another group, without slots in this one",
					  "'%s' in its group is a topdown metric",
					  evsel__name(pos));
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
	if (ret || group->mask[self])
		return ret;

	return acr__error(group->err, group->member[self],
			  "Add the events that reload it to the group",
			  "'%s' stands for no event", names);
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

static int acr__resolve_group(struct acr_group *group)
{
	int ret;

	for (int i = 0; i < group->nr; i++) {
		struct evsel *evsel = group->member[i];
		struct evsel_config_term *term = evsel__acr_term(evsel), *pos;

		list_for_each_entry(pos, &evsel->config_terms, list) {
			if (term && pos != term &&
			    (is_acr_term(pos) ||
			     pos->type == EVSEL__CONFIG_TERM_ACR_CONFIG2)) {
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
		ret = acr__derive_periods(group, /*opts=*/NULL);
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
		if (evsel__leader(leader) != leader || !acr__wanted(list, leader))
			continue;

		ret = acr__collect(&group, list, leader, err);
		if (!ret)
			ret = acr__resolve_group(&group);
		if (ret)
			return ret;
	}
	return 0;
}
