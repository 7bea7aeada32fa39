/* SPDX-License-Identifier: GPL-2.0 */
/* What tests of Intel core PMUs ask sysfs and the scheduler */
#ifndef __PERF_EVENTS_CORE_PMU_H
#define __PERF_EVENTS_CORE_PMU_H

/* Includers define _GNU_SOURCE before their first header */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#define DEVICES			"/sys/bus/event_source/devices"

/* Registers of the emulated PMU */
#define PMUSIM_ID		0x504d5500
#define PMUSIM_ID_VALUE		0x01006d6973756d70ULL
#define PMUSIM_INDEX		0x504d5502
#define PMUSIM_INDEX_READS	0x504d5503
#define PMUSIM_INDEX_WRITES	0x504d5504
#define PMUSIM_READS		0x504d5510
#define PMUSIM_WRITES		0x504d5511
#define PMUSIM_PMIS		0x504d5512
#define PMUSIM_PMIS_LOST	0x504d5513
#define PMUSIM_LVTPC_WRITES	0x504d5514

static inline int read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t len;

	if (fd < 0)
		return -1;
	len = read(fd, text, size - 1);
	close(fd);
	if (len < 0)
		return -1;
	text[len] = '\0';

	return 0;
}

static inline int read_text(const char *pmu, const char *name, char *text,
			    size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), DEVICES "/%s/%s", pmu, name);

	return read_file(path, text, size);
}

/*
 * Is @name a core PMU with a CPU that is online? Tells its type, and its first
 * CPU where it does not have them all.
 */
static inline bool is_core_pmu(const char *name, int *type, int *cpu)
{
	char text[256];

	if (strcmp(name, "cpu") && strncmp(name, "cpu_", 4))
		return false;
	if (read_text(name, "type", text, sizeof(text)))
		return false;
	*type = atoi(text);
	if (!read_text(name, "cpus", text, sizeof(text))) {
		if (text[0] < '0' || text[0] > '9')
			return false;
		*cpu = atoi(text);
	}

	return true;
}

static inline int pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);

	return sched_setaffinity(0, sizeof(set), &set);
}

/* Of this task. Return a file descriptor or the negative error */
static inline int open_attr(struct perf_event_attr *attr, int leader)
{
	int fd = syscall(SYS_perf_event_open, attr, 0, -1, leader, 0);

	return fd < 0 ? -errno : fd;
}

/* With so many pages for records */
static inline void *map_pages(int fd, int pages)
{
	size_t size = (1 + pages) * sysconf(_SC_PAGESIZE);
	void *map;

	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return map == MAP_FAILED ? NULL : map;
}

#endif /* __PERF_EVENTS_CORE_PMU_H */
