/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_TOPDOWN_GROUP_H
#define __PERF_TOPDOWN_GROUP_H

struct evlist;
struct evsel;
struct list_head;

int topdown_group__fix(struct list_head *list);
void topdown_group__warn(struct evlist *evlist);
struct evsel *topdown_group__sampler(struct evlist *evlist, struct evsel *leader);

#endif
