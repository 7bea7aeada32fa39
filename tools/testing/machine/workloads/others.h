/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who else uses the PMU of CPU 0 beside the event that a program is about: a
 * sampler, and a process that opens and closes events. Some agree to be frozen.
 */
#ifndef OTHERS_H
#define OTHERS_H

#include <stdint.h>
#include <sys/types.h>

#include "attr.h"

#define EVENT_INSNS	0xc0
#define EVENT_BRANCHES	0xc4
#define EVENT_TICKS	0x5101c4
#define CONSENT		1

/* What the process that joins and leaves has done */
struct joiner {
	unsigned long joined, looks, active;
};

/* From @first to @last, of a sequence that starts with a seed */
void set_seed(uint64_t seed);
unsigned long choose(unsigned long first, unsigned long last);

void pin(int cpu);

/* An event of the core PMU, of user space; a file descriptor or -1 */
int open_event(struct attr *attr, pid_t pid, int cpu);

/* Of branches on CPU 0, which agrees to be frozen */
void open_sampler(unsigned long period);

/* On CPU 1, until it is killed; its events are on CPU 0 */
struct joiner *start_joiner(pid_t *pid);

#endif
