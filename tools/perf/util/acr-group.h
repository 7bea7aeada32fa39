/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_ACR_GROUP_H
#define __PERF_ACR_GROUP_H

/* Auto counter reload: what the files acr*.c share */

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include "evsel_config.h"

struct evsel;
struct list_head;
struct parse_events_error;
struct perf_pmu;
struct record_opts;

#define ACR_FORMAT	"acr_mask"
#define ACR_MAX_MEMBERS	64
#define ACR_NAME_LEN	128

/**
 * struct acr_group - The members of one group, in the order of opening
 * @list:	list that the events are on
 * @err:	where errors go
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

struct evsel_config_term *evsel__acr_term(const struct evsel *evsel);
struct evsel_config_term *evsel__acr_place(const struct evsel *evsel);
struct perf_pmu *evsel__core_pmu(const struct evsel *evsel);
bool evsel__wants_acr(const struct evsel *evsel);
bool evsel__is_software(const struct evsel *evsel);
bool perf_pmu__has_acr(const struct perf_pmu *pmu);

int acr__error(struct parse_events_error *err, const struct evsel *evsel,
	       const char *help, const char *fmt, ...) __printf(4, 5);

bool acr__wanted(struct list_head *list, const struct evsel *leader);
const char *acr__text(struct list_head *list, struct evsel *leader);
int acr__collect(struct acr_group *group, struct list_head *list,
		 struct evsel *leader, struct parse_events_error *err);

const char *evsel__acr_name(struct evsel *evsel, char *buf, size_t size);
int acr__find(struct acr_group *group, int self, const char *name);

int acr__resolve_ratios(struct acr_group *group);
void evsel__acr_drop_tabled(struct evsel *evsel);
struct evsel_config_term *evsel__acr_period(const struct evsel *evsel,
					    const struct record_opts *opts);
int acr__derive_periods(struct acr_group *group, const struct record_opts *opts);

bool acr__is_cause(const struct acr_group *group, int member);
struct evsel *acr__where(const struct acr_group *group, int member);
int acr__check_counters(struct acr_group *group);
int acr__check_group(struct acr_group *group, const struct record_opts *opts);

#endif /* __PERF_ACR_GROUP_H */
