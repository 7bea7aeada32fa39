/* SPDX-License-Identifier: GPL-2.0 */
/* Groups of events that reload each other, and what became of them */
#ifndef __PERF_EVENTS_ACR_GROUP_H
#define __PERF_EVENTS_ACR_GROUP_H

/* Includers define _GNU_SOURCE before their first header */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acr.h"

#define INSNS		(ROUND_INSNS * ROUNDS)
#define MAX_MEMBERS	8
#define MSR_GP0_CFG_B	0x1902
#define MSR_FX0_CFG_B	0x1982
#define MSR_STEP	4
#define RDPMC_FIXED	0x40000000

/**
 * struct member - An event of a group that is to be opened
 * @config:	its code
 * @period:	its period
 * @mask:	its acr_mask
 * @precise:	its precise_ip
 * @disabled:	leave it disabled when the group is enabled
 */
struct member {
	uint64_t	config;
	uint64_t	period;
	uint64_t	mask;
	int		precise;
	bool		disabled;
};

/* The branches reload both, every 22000 instructions */
static const struct member silent[] = {
	{ EVENT_INSTRUCTIONS, 100000, 0x2 },
	{ EVENT_BRANCHES, 1000, 0x3 },
	{}
};

/* The branches come too late */
static const struct member sampling[] = {
	{ EVENT_INSTRUCTIONS, 100000, 0x2 },
	{ EVENT_BRANCHES, 100000, 0x3 },
	{}
};

#define SAMPLES		(INSNS / 100000)

/**
 * struct group - A group of events
 * @fd:		descriptor of each member
 * @map:	ring buffer of each member
 * @nr:		number of members
 */
struct group {
	int	fd[MAX_MEMBERS];
	void	*map[MAX_MEMBERS];
	int	nr;
};

/* Of a task or, as perf_event_open() has it, of something else */
static inline int add_event_of(struct group *group, struct perf_event_attr *attr,
			       int pid, int cpu, unsigned long flags)
{
	int n = group->nr;

	group->fd[n] = syscall(SYS_perf_event_open, attr, pid, cpu,
			       n ? group->fd[0] : -1, flags);
	if (group->fd[n] < 0)
		return -errno;
	group->map[n] = map_event(group->fd[n]);
	if (!group->map[n])
		return -errno;
	group->nr++;

	return 0;
}

static inline int add_event(struct group *group, struct perf_event_attr *attr)
{
	return add_event_of(group, attr, 0, -1, 0);
}

static inline int add_member(struct group *group, int type, const struct member *member)
{
	struct perf_event_attr attr;

	init_attr(&attr, type, member->config, member->period, member->mask);
	attr.precise_ip = member->precise;
	attr.disabled = member->disabled || !group->nr;

	return add_event(group, &attr);
}

/* Open @members, up to one without an event. Return 0 or the negative error. */
static inline int open_group(struct group *group, int type,
			     const struct member *members)
{
	memset(group, 0, sizeof(*group));
	for (; members->config; members++) {
		int ret = add_member(group, type, members);

		if (ret)
			return ret;
	}

	return ioctl(group->fd[0], PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

/* The mapping alone would keep the event alive */
static inline void close_member(struct group *group, int member)
{
	if (group->fd[member] < 0)
		return;
	munmap(group->map[member], (1 + BUFFER_PAGES) * sysconf(_SC_PAGESIZE));
	close(group->fd[member]);
	group->fd[member] = -1;
}

static inline void close_group(struct group *group)
{
	while (group->nr--)
		close_member(group, group->nr);
}

/* Samples of a member while the workload runs once */
static inline unsigned long work_samples(struct group *group, int member)
{
	unsigned long before = samples(group->map[member]);

	work();

	return samples(group->map[member]) - before;
}

/* Bit of the counter that an active event runs on, 0 if it is not active */
static inline uint64_t counter(const struct group *group, int member)
{
	struct perf_event_mmap_page *page = group->map[member];
	uint32_t index = page->index;

	if (!index--)
		return 0;

	return index & RDPMC_FIXED ? 1ULL << (32 + (index & ~RDPMC_FIXED)) :
	       1ULL << index;
}

static inline void branch_records(struct perf_event_attr *attr, uint64_t what)
{
	attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | what;
}

static inline int access_msr(int cpu, uint32_t msr, uint64_t *value, bool write_it)
{
	char path[64];
	int fd, ret;

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	fd = open(path, O_RDWR);
	if (fd < 0)
		return -1;
	ret = write_it ? pwrite(fd, value, 8, msr) : pread(fd, value, 8, msr);
	close(fd);

	return ret == 8 ? 0 : -1;
}

static inline uint32_t cfg_b(int idx)
{
	return idx < 32 ? MSR_GP0_CFG_B + MSR_STEP * idx :
	       MSR_FX0_CFG_B + MSR_STEP * (idx - 32);
}

static inline void spin(int rounds)
{
	while (rounds--)
		asm volatile("" : : : "memory");
}

/* As many samples as periods fit, but for the ends */
#define EXPECT_SAMPLES(want, have)					\
do {									\
	unsigned long __want = (want), __have = (have);			\
									\
	EXPECT_GE(__have, __want - 2);					\
	EXPECT_LE(__have, __want + 2);					\
} while (0)

/* A first sample is possible if a window had begun before */
#define EXPECT_SILENT(have)	EXPECT_LE(have, 1)

static inline int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), ret;

	if (fd < 0)
		return -1;
	ret = write(fd, text, strlen(text)) < 0 ? -1 : 0;
	close(fd);

	return ret;
}

#endif /* __PERF_EVENTS_ACR_GROUP_H */
