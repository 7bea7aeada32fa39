/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_ACR_STAT_H
#define __PERF_ACR_STAT_H

struct evlist;

void evlist__acr_drop(struct evlist *evlist);

#endif /* __PERF_ACR_STAT_H */
