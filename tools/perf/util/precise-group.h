/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_PRECISE_GROUP_H
#define __PERF_PRECISE_GROUP_H

#include <stddef.h>

struct evsel;

int evsel__precise_group_error(struct evsel *evsel, char *msg, size_t size);

#endif
