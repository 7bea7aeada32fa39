// SPDX-License-Identifier: GPL-2.0
/* Auto counter reload: what was configured, in words */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include <stdlib.h>
#include <string.h>
#include "acr-group.h"
#include "acr-words.h"
#include "env.h"
#include "evlist.h"
#include "evsel.h"
#include "pmu.h"
#include "print-events.h"

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

	return perf_pmu__has_acr(evsel__core_pmu(evsel));
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

/*
 * Do two members always start together? Only then their periods are a ratio. An
 * event that takes samples starts again with each of them.
 */
static bool acr__in_step(const struct acr_group *group, int a, int b)
{
	return (group->mask[a] | BIT_ULL(a)) == (group->mask[b] | BIT_ULL(b));
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
		if (!acr__in_step(group, self, i) || !cause->core.attr.sample_period) {
			ret += fprintf(fp, "%s it counts %llu before %s overflows",
				       joint,
				       (unsigned long long)evsel->core.attr.sample_period,
				       evsel__acr_name(cause, other, sizeof(other)));
		} else {
			ret += fprintf(fp, "%s %s/%s > ", joint,
				       evsel__acr_name(evsel, name, sizeof(name)),
				       evsel__acr_name(cause, other, sizeof(other)));
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
		      evsel__acr_name(evsel, name, sizeof(name)));
	for (int i = 0; i < group->nr; i++) {
		if (i == self || !(group->mask[self] & BIT_ULL(i)))
			continue;
		ret += fprintf(fp, "%s %s", joint,
			       evsel__acr_name(group->member[i], name, sizeof(name)));
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
		/* The kernel has no use for a bit that stands for nobody */
		for (int i = 0; i < group.nr; i++)
			group.mask[i] &= GENMASK_ULL(group.nr - 1, 0);
		for (int i = 0; i < group.nr; i++) {
			if (group.mask[i])
				ret += acr__fprintf_member(&group, i, prefix, fp);
		}
	}
	return ret;
}

/**
 * perf_pmu__list_acr - Show in perf list how to write a group
 * @pmu:		a PMU
 * @print_cb:		how events are listed
 * @print_state:	for @print_cb
 */
void perf_pmu__list_acr(const struct perf_pmu *pmu,
			const struct print_callbacks *print_cb, void *print_state)
{
	char text[ACR_NAME_LEN];

	if (!perf_pmu__has_acr(pmu))
		return;

	scnprintf(text, sizeof(text), "{%s/A,ratio-to=B:20%%/,%s/B,period=N/}",
		  pmu->name, pmu->name);
	print_cb->print_event(print_state,
			/*topic=*/NULL,
			/*pmu_name=*/NULL,
			text,
			/*event_alias=*/NULL,
			/*scale_unit=*/NULL,
			/*deprecated=*/false,
			"Auto counter reload",
			"Sample A where it is more than 20 % of B; also ratio-to-prev=, acr=, acr_mask= (see 'man perf-list')",
			/*long_desc=*/NULL,
			text);
}
