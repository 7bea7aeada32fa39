/* SPDX-License-Identifier: GPL-2.0 */
/* perf_event_attr with config3, which is newer than Debian's header */
#ifndef ATTR_H
#define ATTR_H

#include <linux/perf_event.h>
#include <stdint.h>

#define ATTR_SIZE_VER8	136

struct attr {
	struct perf_event_attr base;
	uint64_t config3;
};

#endif
