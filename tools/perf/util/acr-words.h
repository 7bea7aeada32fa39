/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_ACR_WORDS_H
#define __PERF_ACR_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct evlist;
struct evsel;
struct perf_pmu;
struct print_callbacks;

bool evsel__is_acr(const struct evsel *evsel);
size_t evlist__fprintf_acr(struct evlist *evlist, const char *prefix, FILE *fp);
void perf_pmu__list_acr(const struct perf_pmu *pmu,
			const struct print_callbacks *print_cb, void *print_state);

#endif /* __PERF_ACR_WORDS_H */
