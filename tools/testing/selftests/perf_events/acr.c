// SPDX-License-Identifier: GPL-2.0
/*
 * Test of Intel auto counter reload: bit i of attr.config2 of an event means
 * that the overflow of group member i reloads the event.
 *
 * Skipped when no PMU has the format acr_mask. Whether those that have it are
 * the right ones is checked against CPUID.
 */
#define _GNU_SOURCE

#include <cpuid.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

#define MAX_PERIOD		0x7fffffffULL
#define BUFFER_PAGES		16

/* Instructions and branches of one round of the workload */
#define ROUND_INSNS		22
#define ROUNDS			500000UL

struct core_pmu {
	char	name[32];
	int	type;
	int	cpu;
	bool	acr;
	int	max_precise;
};

/* Fill in @pmu if @name is a core PMU with a CPU that is online */
static bool get_core_pmu(const char *name, struct core_pmu *pmu)
{
	char text[256];

	memset(pmu, 0, sizeof(*pmu));
	if (!is_core_pmu(name, &pmu->type, &pmu->cpu))
		return false;

	snprintf(pmu->name, sizeof(pmu->name), "%.31s", name);
	if (!read_text(name, "caps/max_precise", text, sizeof(text)))
		pmu->max_precise = atoi(text);
	pmu->acr = !read_text(name, "format/acr_mask", text, sizeof(text));

	return true;
}

static int get_core_pmus(struct core_pmu *pmu, int max)
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

/* What CPUID says about the CPU that this runs on */
static bool cpu_has_acr(void)
{
	unsigned int eax, ebx, ecx, edx;

	if (!__get_cpuid(0xa, &eax, &ebx, &ecx, &edx) || (eax & 0xff) < 6)
		return false;
	if (!__get_cpuid_count(0x7, 1, &eax, &ebx, &ecx, &edx) || !(eax & 1 << 8))
		return false;
	if (!__get_cpuid_count(0x23, 0, &eax, &ebx, &ecx, &edx) || !(eax & 1 << 2))
		return false;
	if (!__get_cpuid_count(0x23, 2, &eax, &ebx, &ecx, &edx))
		return false;

	return (eax | ebx) && (ecx | edx);
}

static void work(void)
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

static void init_attr(struct perf_event_attr *attr, int type, uint64_t config,
		      uint64_t period, uint64_t mask)
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

/* Return a file descriptor or the negative error */
static int open_event(struct perf_event_attr *attr, int leader)
{
	int fd = syscall(SYS_perf_event_open, attr, 0, -1, leader, 0);

	return fd < 0 ? -errno : fd;
}

static void *map_event(int fd)
{
	size_t size = (1 + BUFFER_PAGES) * sysconf(_SC_PAGESIZE);
	void *map;

	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return map == MAP_FAILED ? NULL : map;
}

/* Number of samples; lost ones count as well */
static unsigned long samples(void *map)
{
	size_t page = sysconf(_SC_PAGESIZE), size = BUFFER_PAGES * page;
	struct perf_event_mmap_page *control = map;
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	char *data = (char *)map + page;
	unsigned long n = 0;
	uint64_t at = 0;

	while (at < head) {
		struct perf_event_header *header = (void *)(data + at % size);

		if (header->type == PERF_RECORD_SAMPLE ||
		    header->type == PERF_RECORD_LOST)
			n++;
		at += header->size;
	}

	return n;
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

/* Without the fixture, which skips where sysfs has no acr_mask */
TEST(sysfs_agrees_with_cpuid)
{
	struct core_pmu pmus[8];
	char text[256];
	int nr, i;

	nr = get_core_pmus(pmus, 8);
	ASSERT_GT(nr, 0);
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(pin(pmus[i].cpu), 0);
		EXPECT_EQ(pmus[i].acr, cpu_has_acr()) {
			TH_LOG("%s, CPU %d", pmus[i].name, pmus[i].cpu);
		}
		if (!pmus[i].acr)
			continue;
		ASSERT_EQ(read_text(pmus[i].name, "format/acr_mask", text,
				    sizeof(text)), 0);
		EXPECT_STREQ(text, "config2:0-63\n");
	}
}

/* Open {instructions, branches} with the periods given and run the workload */
static void run_filter(struct __test_metadata *_metadata, int type,
		       uint64_t insns, uint64_t branches, unsigned long *n0,
		       unsigned long *n1)
{
	struct perf_event_attr attr;
	uint64_t count[2];
	void *map[2];
	int fd[2];

	init_attr(&attr, type, EVENT_INSTRUCTIONS, insns, 0x2);
	attr.disabled = 1;
	fd[0] = open_event(&attr, -1);
	ASSERT_GE(fd[0], 0);
	init_attr(&attr, type, EVENT_BRANCHES, branches, 0x3);
	fd[1] = open_event(&attr, fd[0]);
	ASSERT_GE(fd[1], 0);
	map[0] = map_event(fd[0]);
	map[1] = map_event(fd[1]);
	ASSERT_NE(map[0], NULL);
	ASSERT_NE(map[1], NULL);

	ASSERT_EQ(ioctl(fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP), 0);
	work();
	ASSERT_EQ(ioctl(fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP), 0);

	*n0 = samples(map[0]);
	*n1 = samples(map[1]);

	/* Lower bounds, but never a jump through the width of the counter */
	ASSERT_EQ(read(fd[0], &count[0], 8), 8);
	ASSERT_EQ(read(fd[1], &count[1], 8), 8);
	EXPECT_LT(count[0], 2 * ROUND_INSNS * ROUNDS);
	EXPECT_LT(count[1], 2 * ROUNDS);

	close(fd[1]);
	close(fd[0]);
}

/* 22 instructions a branch: the instructions overflow first, every time */
TEST_F(acr, samples_above_threshold)
{
	unsigned long n0, n1;

	run_filter(_metadata, self->with->type, 100000, 100000, &n0, &n1);
	EXPECT_GT(n0, ROUND_INSNS * ROUNDS / 100000 / 2);
	EXPECT_LE(n0, ROUND_INSNS * ROUNDS / 100000 + 2);
	EXPECT_EQ(n1, 0);
}

/* The branches overflow first and restart both: no sample at all */
TEST_F(acr, silent_below_threshold)
{
	unsigned long n0, n1;

	run_filter(_metadata, self->with->type, 100000, 1000, &n0, &n1);
	EXPECT_LE(n0, 1);
	EXPECT_EQ(n1, 0);
}

static int try_leader(struct perf_event_attr *attr)
{
	int fd = open_event(attr, -1);

	if (fd < 0)
		return fd;
	close(fd);

	return 0;
}

TEST_F(acr, period_limits)
{
	struct perf_event_attr attr;
	uint64_t value;
	int fd;

	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 0, 0x2);
	EXPECT_EQ(try_leader(&attr), -EINVAL);
	attr.sample_period = MAX_PERIOD + 1;
	EXPECT_EQ(try_leader(&attr), -EINVAL);
	attr.sample_period = ~0ULL >> 1;
	EXPECT_EQ(try_leader(&attr), -EINVAL);

	attr.sample_period = MAX_PERIOD;
	fd = open_event(&attr, -1);
	ASSERT_GE(fd, 0);
	value = MAX_PERIOD + 1;
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_PERIOD, &value), -1);
	EXPECT_EQ(errno, EINVAL);
	value = 50000;
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_PERIOD, &value), 0);
	close(fd);
}

TEST_F(acr, no_frequency)
{
	struct perf_event_attr attr;
	int leader;

	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 1000, 0x2);
	attr.freq = 1;
	EXPECT_EQ(try_leader(&attr), -EINVAL);

	/* Opened before the member that names it */
	attr.config2 = 0;
	leader = open_event(&attr, -1);
	ASSERT_GE(leader, 0);
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000, 0x1);
	EXPECT_EQ(open_event(&attr, leader), -EINVAL);
	close(leader);
}

TEST_F(acr, precise)
{
	struct perf_event_attr attr;

	if (self->with->max_precise < 1)
		SKIP(return, "no PEBS");

	/* A self-reload has no overflow to arm PEBS */
	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 1000, 0x1);
	attr.precise_ip = 1;
	EXPECT_EQ(try_leader(&attr), -EINVAL);

	attr.config2 = 0x2;
	EXPECT_EQ(try_leader(&attr), 0);

	if (self->with->max_precise < 3)
		return;
	attr.precise_ip = 3;
	EXPECT_EQ(try_leader(&attr), -EINVAL);
}

TEST_F(acr, software_events)
{
	struct perf_event_attr attr, software;
	int leader, middle;

	init_attr(&software, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, 0);

	/* As leader: only without a reload */
	leader = open_event(&software, -1);
	ASSERT_GE(leader, 0);
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000, 0x1);
	EXPECT_EQ(open_event(&attr, leader), -EINVAL);
	attr.config2 = 0;
	middle = open_event(&attr, leader);
	EXPECT_GE(middle, 0);
	close(middle);
	close(leader);

	/* Between members */
	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 1000, 0x2);
	leader = open_event(&attr, -1);
	ASSERT_GE(leader, 0);
	middle = open_event(&software, leader);
	ASSERT_GE(middle, 0);
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000, 0x3);
	EXPECT_EQ(open_event(&attr, leader), -EINVAL);
	attr.config2 = 0;
	EXPECT_EQ(open_event(&attr, leader), -EINVAL);
	close(middle);
	close(leader);
}

/* Members are opened one by one: a bit may become valid later */
TEST_F(acr, mask_beyond_group)
{
	struct perf_event_attr attr;

	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 1000, 1ULL << 63);
	EXPECT_EQ(try_leader(&attr), 0);

	/* But there are not that many counters */
	attr.config2 = ~0ULL;
	EXPECT_EQ(try_leader(&attr), -EINVAL);
}

TEST_F(acr, other_pmus)
{
	struct perf_event_attr attr;
	int i;

	for (i = 0; i < self->nr; i++) {
		struct core_pmu *pmu = &self->pmu[i];

		if (pmu->acr)
			continue;
		ASSERT_EQ(pin(pmu->cpu), 0);
		init_attr(&attr, pmu->type, EVENT_INSTRUCTIONS, 1000, 0);
		EXPECT_EQ(try_leader(&attr), 0);
		attr.config2 = 0x1;
		EXPECT_EQ(try_leader(&attr), -EINVAL);
	}
}

/* A refused member must not change the group that it wanted to join */
TEST_F(acr, refused_member_leaves_no_trace)
{
	struct perf_event_attr attr;
	int leader;
	void *map;

	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 100000, 0);
	leader = open_event(&attr, -1);
	ASSERT_GE(leader, 0);
	map = map_event(leader);
	ASSERT_NE(map, NULL);

	init_attr(&attr, self->with->type, EVENT_BRANCHES, 0, 0x3);
	EXPECT_EQ(open_event(&attr, leader), -EINVAL);

	work();
	EXPECT_GT(samples(map), ROUND_INSNS * ROUNDS / 100000 / 2);
	close(leader);
}

/* The leader is gone: members count and sample on their own */
TEST_F(acr, closed_leader)
{
	struct perf_event_attr attr;
	int leader, member;
	void *map;

	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 100000, 0x2);
	leader = open_event(&attr, -1);
	ASSERT_GE(leader, 0);
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 10000, 0x3);
	member = open_event(&attr, leader);
	ASSERT_GE(member, 0);
	map = map_event(member);
	ASSERT_NE(map, NULL);

	work();
	EXPECT_EQ(samples(map), 0);
	close(leader);
	work();
	EXPECT_GE(samples(map), ROUNDS / 10000 / 2);
	close(member);
}

TEST_HARNESS_MAIN
