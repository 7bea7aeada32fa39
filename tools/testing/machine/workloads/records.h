/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORDS_H
#define RECORDS_H

#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of data, of a buffer of records */
#define RECORD_PAGES	256

static inline void die(const char *what)
{
	perror(what);
	exit(2);
}

/* Bind this program to a CPU. */
static inline void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

/* One buffer for both events, so that samples come in their order */
static inline void *map_records(int first, int second)
{
	void *map = mmap(NULL, (1 + RECORD_PAGES) * sysconf(_SC_PAGESIZE),
			 PROT_READ | PROT_WRITE, MAP_SHARED, first, 0);

	if (map == MAP_FAILED)
		die("mmap");
	if (ioctl(second, PERF_EVENT_IOC_SET_OUTPUT, first))
		die("PERF_EVENT_IOC_SET_OUTPUT");
	return map;
}

/* Call @each for every record since the last call. */
static inline void walk_records(void *map,
				void (*each)(const struct perf_event_header *, void *),
				void *arg)
{
	size_t page = sysconf(_SC_PAGESIZE), size = RECORD_PAGES * page;
	struct perf_event_mmap_page *control = map;
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = control->data_tail;
	char *data = (char *)map + page;

	while (at < head) {
		static char copy[65536] __attribute__((aligned(8)));
		struct perf_event_header *header = (void *)(data + at % size);
		size_t len = header->size, part = size - at % size;

		if (len > part) {
			memcpy(copy, header, part);
			memcpy(copy + part, data, len - part);
			header = (void *)copy;
		}
		each(header, arg);
		at += len;
	}
	__atomic_store_n(&control->data_tail, at, __ATOMIC_RELEASE);
}

#endif
