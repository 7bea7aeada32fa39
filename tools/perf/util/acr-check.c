// SPDX-License-Identifier: GPL-2.0
/* Auto counter reload: what the kernel or the hardware would refuse */
#include <errno.h>
#include <linux/bits.h>
#include "acr.h"
#include "acr-group.h"
#include "evsel.h"
#include "record.h"

#define ACR_MAX_PERIOD	0x7fffffffULL

/**
 * acr__is_cause - Does a member reload another one, or itself?
 * @group:	a group with its masks
 * @member:	number of the member
 *
 * Return: true if a mask names it.
 */
bool acr__is_cause(const struct acr_group *group, int member)
{
	for (int i = 0; i < group->nr; i++) {
		if (group->mask[i] & BIT_ULL(member))
			return true;
	}
	return false;
}

/**
 * acr__where - Find the event that an error of a member points to
 * @group:	a group with its masks
 * @member:	number of the member
 *
 * Return: the member, one that it reloads if it has no term of its own, or one
 * that has.
 */
struct evsel *acr__where(const struct acr_group *group, int member)
{
	struct evsel *where = group->member[member];

	for (int k = 0; k < group->nr && !evsel__acr_place(where); k++) {
		if (group->mask[k] & BIT_ULL(member))
			where = group->member[k];
	}
	for (int k = 0; k < group->nr && !evsel__acr_place(where); k++)
		where = group->member[k];
	return where;
}

/* An event that is reloaded, or reloads others */
static int acr__check_member(struct acr_group *group, int i,
			     const struct record_opts *opts)
{
	struct evsel *evsel = group->member[i], *where = acr__where(group, i);
	struct evsel_config_term *period = evsel__acr_period(evsel, opts);
	bool self = group->mask[i] & BIT_ULL(i);
	u64 value = 0;

	if (evsel__get_config_term(evsel, FREQ)) {
		return acr__error(group->err, where, "Use period= instead of freq=",
				  "'%s' has a frequency, a ratio needs fixed periods",
				  evsel__name(evsel));
	}
	if (period)
		value = period->val.period;
	else if (opts && !opts->freq)
		value = opts->default_interval;

	if (opts && !period && !value) {
		return acr__error(group->err, where, "Add period=N to it, or use -c N",
				  "'%s' has no period, but a frequency",
				  evsel__name(evsel));
	}
	if (period && !value && !group->mask[i]) {
		return acr__error(group->err, where, "Give it a period above 0",
				  "'%s' never overflows with a period of 0",
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

/* Does the group do what it is there for? */
static int acr__check_purpose(struct acr_group *group)
{
	const struct evsel *where = NULL;
	bool reloads = false, samples = false;

	for (int i = 0; i < group->nr; i++) {
		u64 mask = group->mask[i];

		if (!where && evsel__wants_acr(group->member[i]))
			where = group->member[i];
		reloads |= mask;
		if (mask || acr__is_cause(group, i))
			samples |= !(mask & BIT_ULL(i));
	}
	if (!reloads) {
		return acr__error(group->err, where,
				  "Name the events that reload another, for example with acr=others",
				  "Nothing is reloaded in the group");
	}
	if (!samples) {
		return acr__error(group->err, where,
				  "Leave the event that has to sample out of what reloads it",
				  "Each event of the group reloads itself, none takes samples");
	}
	return 0;
}

/**
 * acr__check_group - Refuse a group that cannot work
 * @group:	a group with its masks
 * @opts:	how it will be recorded, NULL while events are parsed
 *
 * Return: 0, or a negative error.
 */
int acr__check_group(struct acr_group *group, const struct record_opts *opts)
{
	int ret = acr__check_purpose(group);

	if (ret)
		return ret;

	for (int i = 0; i < group->nr; i++) {
		struct evsel *evsel = group->member[i];

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
