/* SPDX-License-Identifier: GPL-2.0 */
#ifndef __PERF_TOPDOWN_ERROR_H
#define __PERF_TOPDOWN_ERROR_H

#include <stddef.h>

struct evsel;

int evsel__topdown_error(struct evsel *evsel, char *msg, size_t size);

#endif
