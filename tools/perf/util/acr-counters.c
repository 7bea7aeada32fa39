// SPDX-License-Identifier: GPL-2.0
/* Auto counter reload: are there counters for all events of a group? */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include "acr.h"
#include "acr-group.h"
#include "evsel.h"
#include "pmu.h"

#define NR_COUNTERS	64

/* What counters there are is known to the kernel, or to the CPU */
int __weak arch_acr__counters(const struct perf_pmu *pmu __maybe_unused,
			      struct acr_counters *counters __maybe_unused)
{
	return -EOPNOTSUPP;
}

u64 __weak arch_acr__event_counters(const struct evsel *evsel __maybe_unused)
{
	return UINT64_MAX;
}

static u64 read_cap(const struct perf_pmu *pmu, const char *name)
{
	const struct perf_pmu_caps *cap;

	list_for_each_entry(cap, &pmu->caps, list) {
		if (!strcmp(cap->name, name))
			return strtoull(cap->value, NULL, 0);
	}
	return 0;
}

static int read_counters(struct perf_pmu *pmu, struct acr_counters *counters)
{
	if (!pmu->is_core)
		return -EOPNOTSUPP;

	if (arch_acr__counters(pmu, counters)) {
		memset(counters, 0, sizeof(*counters));
		counters->all = UINT64_MAX;
	}
	/* The kernel may use fewer than the CPU has */
	if (perf_pmu__caps_parse(pmu) > 0 && read_cap(pmu, "acr_reload_counters")) {
		counters->reload = read_cap(pmu, "acr_reload_counters");
		counters->cause = read_cap(pmu, "acr_cause_counters");
	}
	return counters->reload ? 0 : -EOPNOTSUPP;
}

/* Give event @i a counter; those that have one may have to take another */
static bool place(const u64 *can, int i, int *owner, u64 *seen)
{
	for (int k = 0; k < NR_COUNTERS; k++) {
		if (!(can[i] & ~*seen & BIT_ULL(k)))
			continue;
		*seen |= BIT_ULL(k);
		if (owner[k] < 0 || place(can, owner[k], owner, seen)) {
			owner[k] = i;
			return true;
		}
	}
	return false;
}

/**
 * acr__crowded - Find events that are more than their counters
 * @can:	counters that each event can use, as bits
 * @nr:		number of events
 * @counters:	set to the counters that the events found can use
 *
 * Return: the events as bits, 0 if each event can have a counter of its own.
 */
u64 acr__crowded(const u64 *can, int nr, u64 *counters)
{
	int owner[NR_COUNTERS];
	u64 left = 0, seen;

	memset(owner, -1, sizeof(owner));
	for (int i = 0; i < nr; i++) {
		seen = 0;
		if (!place(can, i, owner, &seen))
			left |= BIT_ULL(i);
	}

	/* They compete with who has the counters that they come across */
	*counters = 0;
	for (int i = 0; i < nr; i++) {
		if (left & BIT_ULL(i))
			place(can, i, owner, counters);
	}
	for (int k = 0; k < NR_COUNTERS; k++) {
		if (*counters & BIT_ULL(k))
			left |= BIT_ULL(owner[k]);
	}
	return left;
}

/* Members are more than their counters, or one has none at all */
static int acr__refuse(struct acr_group *group, u64 crowded, u64 counters,
		       const struct perf_pmu *pmu)
{
	struct evsel *evsel, *where;
	int first = 0;

	while (!(crowded & BIT_ULL(first)))
		first++;
	evsel = group->member[first];
	where = acr__where(group, first);

	if (!counters) {
		return acr__error(group->err, where,
				  evsel->core.attr.precise_ip > ACR_MAX_PRECISE ?
				  "Use :pp" : "Use another event",
				  "'%s' cannot be counted where %s has auto counter reload",
				  evsel__name(evsel), pmu->name);
	}

	for (int i = 0; i < group->nr; i++) {
		if (crowded & BIT_ULL(i) && evsel__acr_place(group->member[i]))
			where = group->member[i];
	}
	return acr__error(group->err, where, "Use smaller groups",
			  "%d events of the group have %d counters of %s to share",
			  (int)hweight64(crowded), (int)hweight64(counters), pmu->name);
}

/**
 * acr__check_counters - Refuse a group that has too few counters
 * @group:	a group with its masks
 *
 * Some events have fewer counters than perf knows of; about these the kernel
 * has the last word.
 *
 * Return: 0, or a negative error.
 */
int acr__check_counters(struct acr_group *group)
{
	struct perf_pmu *pmu = evsel__core_pmu(group->member[0]);
	u64 can[ACR_MAX_MEMBERS], crowded, counters;
	struct acr_counters all;

	if (read_counters(pmu, &all))
		return 0;

	for (int i = 0; i < group->nr; i++) {
		can[i] = arch_acr__event_counters(group->member[i]) & all.all;
		if (group->mask[i])
			can[i] &= all.reload;
		if (acr__is_cause(group, i))
			can[i] &= all.cause;
	}

	crowded = acr__crowded(can, group->nr, &counters);
	return crowded ? acr__refuse(group, crowded, counters, pmu) : 0;
}
