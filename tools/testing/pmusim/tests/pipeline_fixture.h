/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests of the pipeline share: a CPU and its events */
#ifndef PIPELINE_FIXTURE_H
#define PIPELINE_FIXTURE_H

#include "guest.h"

#define LINE            UINT64_C(64)

/* Events of Golden Cove */
#define EVENT_SLOTS         UINT64_C(0x01a4)
#define EVENT_BACKEND       UINT64_C(0x02a4)
#define EVENT_BAD_SPEC      UINT64_C(0x04a4)
#define EVENT_MEMORY_BOUND  UINT64_C(0x10a4)
#define EVENT_FRONTEND      UINT64_C(0x019c)
#define EVENT_RECOVERY      UINT64_C(0x01ad)
#define EVENT_TAKEN         UINT64_C(0x20c4)
#define EVENT_HEAVY         UINT64_C(0x01c2)
#define EVENT_LOADS         UINT64_C(0x81d0)
#define EVENT_STORES        UINT64_C(0x82d0)
#define EVENT_L1_HITS       UINT64_C(0x01d1)
#define EVENT_L1_MISSES     UINT64_C(0x08d1)
#define EVENT_SLOW_LOADS    UINT64_C(0x01cd)
#define EVENT_LLC           UINT64_C(0x4f2e)
#define EVENT_LLC_MISSES    UINT64_C(0x412e)
/* Of Ice Lake */
#define EVENT_FETCH_MISSES  UINT64_C(0x0283)

/* With all counters enabled in GLOBAL_CTRL, in the kernel */
struct guest *make(const char *cpu);
/* A Golden Cove */
int setup(void **state);
/* Counter @n counts @event of user code */
void start(struct guest *g, unsigned int n, uint64_t event);
/* Its value, read in the kernel and back */
uint64_t count(struct guest *g, unsigned int n);

#endif
