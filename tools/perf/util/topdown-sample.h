/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_TOPDOWN_SAMPLE_H
#define __PERF_TOPDOWN_SAMPLE_H

#include <stdbool.h>
#include <stdio.h>
#include <linux/types.h>

struct evlist;
struct evsel;
struct perf_sample;
struct topdown_shares;

u64 topdown_sample__step(u64 *last, u64 value);
void topdown_sample__take(struct evlist *evlist, struct perf_sample *sample, u64 read_format);
bool topdown_sample__in_group(const struct evsel *evsel);
bool topdown_sample__shares(struct topdown_shares *shares, const struct evsel *evsel);
int topdown_sample__fprintf(const struct topdown_shares *shares, FILE *fp);
int topdown_report__add_columns(struct evlist *evlist);

#endif
