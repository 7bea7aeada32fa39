// SPDX-License-Identifier: GPL-2.0
/* Auto counter reload: members of a group by their names */
#include <ctype.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <string.h>
#include "acr-group.h"
#include "evlist.h"
#include "evsel.h"
#include "parse-events.h"
#include "pmu.h"
#include "pmus.h"

#define BLANKS	" \t\n"

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

/* Flags of the hardware, like edge, are in sysfs */
static bool is_format(const struct evsel *evsel, const char *name)
{
	const struct perf_pmu *pmu = evsel__core_pmu(evsel);

	return pmu && perf_pmu__has_format(pmu, name);
}

/**
 * evsel__acr_name - The name of an event without its PMU, terms and modifiers
 * @evsel:	an event
 * @buf:	where to write it
 * @size:	size of @buf in bytes; longer names are cut
 *
 * These are the texts that events get from the parser:
 *
 *   name:u   name/term=value/u   pmu/name,term=value/u   pmu/name/term=value/u
 *
 * Return: @buf.
 */
const char *evsel__acr_name(struct evsel *evsel, char *buf, size_t size)
{
	const char *name = evsel__name(evsel), *slash, *pos, *end;
	size_t len;

	/* What stands between events belongs to the one behind it */
	name += strspn(name, BLANKS);
	slash = strchr(name, '/');
	if (!slash) {
		const char *colon = strrchr(name, ':');

		len = strlen(name);
		if (colon && colon[1] &&
		    strspn(colon + 1, "ukhpPGHSDIWebRX") == strlen(colon + 1))
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
			if (!is_format(evsel, buf))
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

static bool evsel__has_name(struct evsel *evsel, const char *name)
{
	char buf[ACR_NAME_LEN];

	return !strcasecmp(canonical(name),
			   canonical(evsel__acr_name(evsel, buf, sizeof(buf))));
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

/**
 * acr__find - Find a member by its name
 * @group:	a group
 * @self:	member that uses the name
 * @name:	what is written, or what that is an alias of
 *
 * Return: its number, or a negative error if there is no such member or several.
 */
int acr__find(struct acr_group *group, int self, const char *name)
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
