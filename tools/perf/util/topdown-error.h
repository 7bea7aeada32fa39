/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_TOPDOWN_ERROR_H
#define __PERF_TOPDOWN_ERROR_H

#include <stdbool.h>
#include <stddef.h>

struct evsel;

bool evsel__topdown_has_features(const struct evsel *evsel);
int evsel__topdown_error(struct evsel *evsel, char *msg, size_t size);

#endif
