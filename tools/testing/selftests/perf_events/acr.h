/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of Intel auto counter reload have in common: bit i of
 * attr.config2 of an event means that the overflow of group member i reloads
 * the event.
 *
 * Skipped when no PMU has the format acr_mask.
 */
#ifndef __PERF_EVENTS_ACR_H
#define __PERF_EVENTS_ACR_H

/* Includers define _GNU_SOURCE before their first header */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "../kselftest_harness.h"
#include "core_pmu.h"

#define EVENT_INSTRUCTIONS	0x00c0
#define EVENT_BRANCHES		0x00c4
#define EVENT_CYCLES		0x003c
#define EVENT_ANYTHREAD		0x2000c0

/* Counters of PDist: GP0, GP1 and the fixed one of the instructions */
#define PDIST_COUNTERS		0x100000003ULL

#define MAX_PERIOD		0x7fffffffULL
#define BUFFER_PAGES		16

/* Instructions and branches of one round of the workload */
#define ROUND_INSNS		22
#define ROUNDS			500000UL

/**
 * struct core_pmu - What sysfs says about a core PMU
 * @name:		its name
 * @type:		for perf_event_attr
 * @cpu:		its first CPU
 * @everywhere:		it has all CPUs
 * @acr:		it has the format acr_mask
 * @max_precise:	highest precise_ip
 * @branch_counters:	number of counters that branch records can log
 * @reload_counters:	counters that can be reloaded, fixed ones from bit 32 on
 * @cause_counters:	counters that can cause a reload, same layout
 */
struct core_pmu {
	char		name[32];
	int		type;
	int		cpu;
	bool		everywhere;
	bool		acr;
	int		max_precise;
	int		branch_counters;
	uint64_t	reload_counters;
	uint64_t	cause_counters;
};

static inline uint64_t read_number(const char *pmu, const char *name)
{
	char text[64];

	return read_text(pmu, name, text, sizeof(text)) ? 0 :
	       strtoull(text, NULL, 0);
}

/* Fill in @pmu if @name is a core PMU with a CPU that is online */
static inline bool get_core_pmu(const char *name, struct core_pmu *pmu)
{
	char text[256];

	memset(pmu, 0, sizeof(*pmu));
	if (!is_core_pmu(name, &pmu->type, &pmu->cpu))
		return false;

	snprintf(pmu->name, sizeof(pmu->name), "%.31s", name);
	pmu->everywhere = read_text(name, "cpus", text, sizeof(text));
	if (!read_text(name, "caps/max_precise", text, sizeof(text)))
		pmu->max_precise = atoi(text);
	if (!read_text(name, "caps/branch_counter_nr", text, sizeof(text)))
		pmu->branch_counters = atoi(text);
	pmu->acr = !read_text(name, "format/acr_mask", text, sizeof(text));
	pmu->reload_counters = read_number(name, "caps/acr_reload_counters");
	pmu->cause_counters = read_number(name, "caps/acr_cause_counters");

	return true;
}

static inline int get_core_pmus(struct core_pmu *pmu, int max)
{
	struct dirent *entry;
	int n = 0;
	DIR *dir;

	dir = opendir(DEVICES);
	if (!dir)
		return 0;
	while (n < max && (entry = readdir(dir)))
		n += get_core_pmu(entry->d_name, &pmu[n]);
	closedir(dir);

	return n;
}

static inline void work(void)
{
	unsigned long rounds = ROUNDS;

	asm volatile("1:\n\t"
		     ".rept 20\n\t"
		     "nop\n\t"
		     ".endr\n\t"
		     "dec %0\n\t"
		     "jnz 1b"
		     : "+r" (rounds) : : "cc");
}

static inline void init_attr(struct perf_event_attr *attr, int type,
			     uint64_t config, uint64_t period, uint64_t mask)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = type;
	attr->config = config;
	attr->sample_period = period;
	attr->sample_type = PERF_SAMPLE_IP;
	attr->config2 = mask;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
}

static inline void *map_event(int fd)
{
	return map_pages(fd, BUFFER_PAGES);
}

/* Number of records of a type */
static inline unsigned long records(void *map, uint32_t type)
{
	size_t page = sysconf(_SC_PAGESIZE), size = BUFFER_PAGES * page;
	struct perf_event_mmap_page *control = map;
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	char *data = (char *)map + page;
	unsigned long n = 0;
	uint64_t at = 0;

	while (at < head) {
		struct perf_event_header *header = (void *)(data + at % size);

		n += header->type == type;
		at += header->size;
	}

	return n;
}

/* Lost ones count as well */
static inline unsigned long samples(void *map)
{
	return records(map, PERF_RECORD_SAMPLE) + records(map, PERF_RECORD_LOST);
}

FIXTURE(acr)
{
	struct core_pmu pmu[8];
	struct core_pmu *with;
	int nr;
};

FIXTURE_SETUP(acr)
{
	int i;

	self->nr = get_core_pmus(self->pmu, 8);
	for (i = 0; i < self->nr; i++) {
		if (self->pmu[i].acr)
			self->with = &self->pmu[i];
	}
	if (!self->with)
		SKIP(return, "no PMU with acr_mask");

	ASSERT_EQ(pin(self->with->cpu), 0);
}

FIXTURE_TEARDOWN(acr)
{
}

#endif /* __PERF_EVENTS_ACR_H */
