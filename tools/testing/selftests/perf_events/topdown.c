// SPDX-License-Identifier: GPL-2.0
/*
 * Test of Intel slots and metrics: groups that are refused, counts across
 * context switches, resets, and what user space reads with RDPMC.
 *
 * Skipped when no PMU has the event slots and the format of its metrics.
 */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "../kselftest_harness.h"
#include "core_pmu.h"

#define SLOTS		0x0400
#define METRIC(i)	(0x8000 + ((i) << 8))
#define INSTRUCTIONS	0x00c0
#define CATEGORIES	4
#define MEMBERS		(1 + CATEGORIES)
#define METRIC_ALL	0xff

#define RDPMC_SLOTS	0x40000003U
#define RDPMC_METRICS	0x20000000U

struct topdown_pmu {
	char	name[32];
	int	type;
	int	cpu;
	int	metrics;
};

/* A group of slots and metrics, opened and maybe mapped */
struct group {
	int				fd[MEMBERS];
	struct perf_event_mmap_page	*page[MEMBERS];
};

/* Fill in @pmu if @name is a core PMU with slots and a CPU that is online */
static bool get_pmu(const char *name, struct topdown_pmu *pmu)
{
	char text[256];

	memset(pmu, 0, sizeof(*pmu));
	if (!is_core_pmu(name, &pmu->type, &pmu->cpu) ||
	    read_text(name, "events/slots", text, sizeof(text)))
		return false;

	snprintf(pmu->name, sizeof(pmu->name), "%.31s", name);
	pmu->metrics = read_text(name, "events/topdown-heavy-ops", text,
				 sizeof(text)) ? 4 : 8;

	return true;
}

static bool find_pmu(struct topdown_pmu *pmu)
{
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	dir = opendir(DEVICES);
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir)))
		found = get_pmu(entry->d_name, pmu);
	closedir(dir);

	return found;
}

static void init_attr(struct perf_event_attr *attr, int type, uint64_t config)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = type;
	attr->config = config;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
}

static int try_event(struct perf_event_attr *attr, int leader)
{
	int fd = open_attr(attr, leader);

	if (fd < 0)
		return fd;
	close(fd);

	return 0;
}

static uint64_t count_of(int fd)
{
	uint64_t count = 0;

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		abort();

	return count;
}

static uint64_t rdpmc(uint32_t counter)
{
	uint32_t low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (counter));

	return (uint64_t)high << 32 | low;
}

/* Retires, jumps by a random bit, or neither: three mixes of categories */
static void compute(unsigned long rounds)
{
	asm volatile("1:\n\t"
		     ".rept 20\n\t"
		     "add $1, %%rax\n\t"
		     "xor %%rax, %%rdx\n\t"
		     ".endr\n\t"
		     "dec %0\n\t"
		     "jnz 1b"
		     : "+r" (rounds) : : "cc", "rax", "rdx");
}

static void guess(unsigned long rounds)
{
	static unsigned int seed = 1;

	asm volatile("1: imul $1664525, %1, %1\n\t"
		     "add $1013904223, %1\n\t"
		     "test $0x40000000, %1\n\t"
		     "jz 2f\n\t"
		     "nop\n"
		     "2: dec %0\n\t"
		     "jnz 1b"
		     : "+r" (rounds), "+r" (seed) : : "cc");
}

static void compete(int type, int ready)
{
	struct perf_event_attr attr;
	int fd, i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	init_attr(&attr, type, SLOTS);
	fd = open_attr(&attr, -1);
	for (i = 0; i < CATEGORIES; i++) {
		init_attr(&attr, type, METRIC(i));
		if (open_attr(&attr, fd) < 0)
			exit(1);
	}
	if (write(ready, "", 1) != 1)
		exit(1);
	for (;;) {
		guess(100);
		sched_yield();
	}
}

/*
 * Somebody else on this CPU, with counters of his own. Returns when he counts,
 * with his process ID, or -1.
 */
static pid_t start_competitor(int type)
{
	int ready[2];
	pid_t child;
	char byte;

	if (pipe(ready))
		return -1;
	child = fork();
	if (!child)
		compete(type, ready[1]);

	close(ready[1]);
	if (child > 0 && read(ready[0], &byte, 1) != 1) {
		waitpid(child, NULL, 0);
		child = -1;
	}
	close(ready[0]);

	return child;
}

static void stop_competitor(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

FIXTURE(topdown)
{
	struct topdown_pmu pmu;
	struct group group;
};

FIXTURE_SETUP(topdown)
{
	int i;

	if (!find_pmu(&self->pmu))
		SKIP(return, "no PMU with slots");

	ASSERT_EQ(pin(self->pmu.cpu), 0);
	for (i = 0; i < MEMBERS; i++) {
		self->group.fd[i] = -1;
		self->group.page[i] = NULL;
	}
}

static void close_group(struct group *group)
{
	int i;

	for (i = MEMBERS - 1; i >= 0; i--) {
		if (group->page[i])
			munmap(group->page[i], sysconf(_SC_PAGESIZE));
		if (group->fd[i] >= 0)
			close(group->fd[i]);
		group->page[i] = NULL;
		group->fd[i] = -1;
	}
}

FIXTURE_TEARDOWN(topdown)
{
	close_group(&self->group);
}

/* Slots and four metrics, disabled */
static void open_group(struct __test_metadata *_metadata, int type,
		       struct group *group)
{
	struct perf_event_attr attr;
	int i;

	for (i = 0; i < MEMBERS; i++) {
		init_attr(&attr, type, i ? METRIC(i - 1) : SLOTS);
		attr.disabled = !i;
		group->fd[i] = open_attr(&attr, group->fd[0]);
		ASSERT_GE(group->fd[i], 0);
	}
}

static void map_group(struct __test_metadata *_metadata, struct group *group)
{
	int i;

	for (i = 0; i < MEMBERS; i++) {
		void *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ,
				  MAP_SHARED, group->fd[i], 0);

		ASSERT_NE(page, MAP_FAILED);
		group->page[i] = page;
	}
}

static void control(struct group *group, unsigned long request)
{
	if (ioctl(group->fd[0], request, PERF_IOC_FLAG_GROUP))
		abort();
}

static void read_group(struct group *group, uint64_t *count)
{
	int i;

	for (i = 0; i < MEMBERS; i++)
		count[i] = count_of(group->fd[i]);
}

/* The counts of all members by RDPMC, false if they are not on this CPU */
static bool read_self(struct group *group, uint64_t *count)
{
	uint64_t slots, metrics, offset[MEMBERS];
	uint32_t lock[MEMBERS];
	bool stable;
	int i;

	do {
		for (i = 0; i < MEMBERS; i++) {
			lock[i] = __atomic_load_n(&group->page[i]->lock,
						  __ATOMIC_ACQUIRE);
			if (!group->page[i]->cap_user_rdpmc ||
			    group->page[i]->index !=
			    (i ? RDPMC_METRICS : RDPMC_SLOTS) + 1)
				return false;
			offset[i] = group->page[i]->offset;
		}
		slots = rdpmc(RDPMC_SLOTS);
		metrics = rdpmc(RDPMC_METRICS);
		stable = true;
		for (i = 0; i < MEMBERS; i++)
			stable &= !(lock[i] & 1) && lock[i] ==
				  __atomic_load_n(&group->page[i]->lock,
						  __ATOMIC_ACQUIRE);
	} while (!stable);

	count[0] = offset[0] + slots;
	for (i = 0; i < CATEGORIES; i++)
		count[1 + i] = offset[1 + i] +
			       slots * (metrics >> 8 * i & METRIC_ALL) /
			       METRIC_ALL;

	return true;
}

/* Two phases in many pieces */
static void run_phases(unsigned int pieces)
{
	unsigned int i;

	for (i = 0; i < pieces; i++) {
		compute(200);
		sched_yield();
	}
	for (i = 0; i < pieces; i++) {
		guess(800);
		sched_yield();
	}
}

static bool near(double a, double b, double tolerance)
{
	return a - b <= tolerance && b - a <= tolerance;
}

/* Counts of @pieces, with and without a competitor, are the same */
static void compare_phases(struct __test_metadata *_metadata, int type,
			   struct group *group, unsigned int pieces)
{
	uint64_t alone[MEMBERS], shared[MEMBERS];
	pid_t child;
	int i;

	/* The predictor learns */
	run_phases(10);

	/* Read between the phases: each is one slice from zero */
	control(group, PERF_EVENT_IOC_ENABLE);
	for (i = 0; i < 2; i++) {
		run_phases(pieces / 2);
		read_group(group, alone);
	}
	control(group, PERF_EVENT_IOC_DISABLE);
	read_group(group, alone);
	control(group, PERF_EVENT_IOC_RESET);

	child = start_competitor(type);
	ASSERT_GT(child, 0);
	control(group, PERF_EVENT_IOC_ENABLE);
	for (i = 0; i < 2; i++)
		run_phases(pieces / 2);
	control(group, PERF_EVENT_IOC_DISABLE);
	read_group(group, shared);
	stop_competitor(child);

	for (i = 1; i < MEMBERS; i++) {
		double a = 100.0 * alone[i] / alone[0];
		double b = 100.0 * shared[i] / shared[0];

		EXPECT_TRUE(near(a, b, 1.0)) {
			TH_LOG("metric %d: %.2f %% alone, %.2f %% with others",
			       i - 1, a, b);
		}
	}
}

TEST_F(topdown, topdown_k2_context_switches)
{
	open_group(_metadata, self->pmu.type, &self->group);
	compare_phases(_metadata, self->pmu.type, &self->group, 3000);
}

/* Off the CPU, the sum of all metrics of level 1 stays that of the slots */
TEST_F(topdown, topdown_k1_sum)
{
	uint64_t count[MEMBERS], sum = 0;
	pid_t child;
	int i;

	open_group(_metadata, self->pmu.type, &self->group);
	map_group(_metadata, &self->group);
	child = start_competitor(self->pmu.type);
	ASSERT_GT(child, 0);
	control(&self->group, PERF_EVENT_IOC_ENABLE);
	run_phases(500);
	control(&self->group, PERF_EVENT_IOC_DISABLE);
	stop_competitor(child);
	read_group(&self->group, count);

	for (i = 1; i < MEMBERS; i++)
		sum += count[i];
	EXPECT_TRUE(near(100.0 * sum / count[0], 100, 0.5)) {
		TH_LOG("slots %llu, sum %llu", (unsigned long long)count[0],
		       (unsigned long long)sum);
	}
}

TEST_F(topdown, topdown_k4_reset_while_disabled)
{
	uint64_t count[MEMBERS], before;
	struct group *group = &self->group;

	open_group(_metadata, self->pmu.type, group);
	map_group(_metadata, group);

	control(group, PERF_EVENT_IOC_ENABLE);
	compute(100000);
	if (!read_self(group, count))
		SKIP(return, "no RDPMC");
	before = rdpmc(RDPMC_SLOTS);
	control(group, PERF_EVENT_IOC_DISABLE);
	EXPECT_GT(before, 1000000);

	/* Without a reset the counter goes on */
	control(group, PERF_EVENT_IOC_ENABLE);
	EXPECT_GE(rdpmc(RDPMC_SLOTS), before);
	control(group, PERF_EVENT_IOC_DISABLE);

	control(group, PERF_EVENT_IOC_RESET);
	control(group, PERF_EVENT_IOC_ENABLE);
	EXPECT_LT(rdpmc(RDPMC_SLOTS), 100000);
	ASSERT_TRUE(read_self(group, count));
	EXPECT_LT(count[0], 100000);
	read_group(group, count);
	EXPECT_LT(count[0], 100000);
}

TEST_F(topdown, topdown_k4_reset_while_active)
{
	uint64_t count[MEMBERS];
	struct group *group = &self->group;

	open_group(_metadata, self->pmu.type, group);
	map_group(_metadata, group);

	control(group, PERF_EVENT_IOC_ENABLE);
	compute(100000);
	if (!read_self(group, count))
		SKIP(return, "no RDPMC");
	EXPECT_GT(count[0], 1000000);
	control(group, PERF_EVENT_IOC_RESET);
	EXPECT_LT(rdpmc(RDPMC_SLOTS), 100000);
	ASSERT_TRUE(read_self(group, count));
	EXPECT_LT(count[0], 100000);
}

/* offset + rdpmc is what read() returns, before and behind switches and reads */
TEST_F(topdown, topdown_k5_self_read)
{
	uint64_t before[MEMBERS], count, after[MEMBERS];
	struct group *group = &self->group;
	int round, i, tries;
	pid_t child;

	open_group(_metadata, self->pmu.type, group);
	map_group(_metadata, group);
	control(group, PERF_EVENT_IOC_ENABLE);
	if (!read_self(group, before))
		SKIP(return, "no RDPMC");

	child = start_competitor(self->pmu.type);
	ASSERT_GT(child, 0);
	for (round = 0; round < 200; round++) {
		for (i = 0; i < round % 7; i++) {
			compute(100);
			guess(100);
			sched_yield();
		}

		i = round % MEMBERS;
		for (tries = 0; tries < 3; tries++) {
			int64_t step = 0;

			/* The byte of a metric may go down by one */
			if (i)
				step = rdpmc(RDPMC_SLOTS) / METRIC_ALL + 2;

			ASSERT_TRUE(read_self(group, before));
			count = count_of(group->fd[i]);
			ASSERT_TRUE(read_self(group, after));

			ASSERT_LE((int64_t)(before[i] - count), step) {
				TH_LOG("round %d, event %d", round, i);
			}
			ASSERT_LE((int64_t)(count - after[i]), step) {
				TH_LOG("round %d, event %d", round, i);
			}
			ASSERT_LT((int64_t)(after[i] - before[i]),
				  100000 + step);
		}
	}
	stop_competitor(child);
}

/* Who computes differences of raw values keeps them across switches */
TEST_F(topdown, topdown_k5_raw_values)
{
	struct group *group = &self->group;
	uint64_t count[MEMBERS], last, now;
	pid_t child;
	int i;

	open_group(_metadata, self->pmu.type, group);
	map_group(_metadata, group);
	control(group, PERF_EVENT_IOC_ENABLE);
	if (!read_self(group, count))
		SKIP(return, "no RDPMC");

	child = start_competitor(self->pmu.type);
	ASSERT_GT(child, 0);
	last = rdpmc(RDPMC_SLOTS);
	for (i = 0; i < 200; i++) {
		compute(100);
		sched_yield();
		now = rdpmc(RDPMC_SLOTS);
		EXPECT_GT(now, last + 1000);
		EXPECT_LT(now, last + 1000000);
		last = now;
	}
	stop_competitor(child);
}

/* Who may use RDPMC sees nothing of what others spend their slots on */
TEST_F(topdown, topdown_r25_others_are_hidden)
{
	struct perf_event_attr attr;
	struct group *group = &self->group;
	uint64_t slots = 0, metrics = 0;
	pid_t child;
	void *page;
	int i;

	/* Any event that is mapped allows all of RDPMC */
	init_attr(&attr, self->pmu.type, INSTRUCTIONS);
	group->fd[0] = open_attr(&attr, -1);
	ASSERT_GE(group->fd[0], 0);
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED,
		    group->fd[0], 0);
	ASSERT_NE(page, MAP_FAILED);
	group->page[0] = page;
	if (!group->page[0]->cap_user_rdpmc)
		SKIP(return, "no RDPMC");

	child = start_competitor(self->pmu.type);
	ASSERT_GT(child, 0);
	for (i = 0; i < 50; i++) {
		sched_yield();
		slots |= rdpmc(RDPMC_SLOTS);
		metrics |= rdpmc(RDPMC_METRICS);
	}
	stop_competitor(child);
	EXPECT_EQ(slots, 0);
	EXPECT_EQ(metrics, 0);
}

/* The rings and modes of a metric are those of its leader */
TEST_F(topdown, topdown_k6_privilege)
{
	struct perf_event_attr attr;
	struct group *group = &self->group;
	uint64_t count;
	int which;

	/* exclude_kernel alone, as init_attr() sets it */
	init_attr(&attr, self->pmu.type, SLOTS);
	group->fd[0] = open_attr(&attr, -1);
	ASSERT_GE(group->fd[0], 0);
	init_attr(&attr, self->pmu.type, METRIC(0));
	EXPECT_EQ(try_event(&attr, group->fd[0]), 0);

	for (which = 0; which < 4; which++) {
		init_attr(&attr, self->pmu.type, METRIC(0));
		attr.exclude_user ^= which == 0;
		attr.exclude_kernel ^= which == 1;
		attr.exclude_host ^= which == 2;
		attr.exclude_guest ^= which == 3;
		EXPECT_EQ(try_event(&attr, group->fd[0]), -EINVAL) {
			TH_LOG("attribute %d", which);
		}
	}

	/* The leader goes on as if nothing had been */
	count = count_of(group->fd[0]);
	compute(10000);
	EXPECT_GT(count_of(group->fd[0]), count + 10000 * 40);
}

/* A number that ends in 0x0400 does not make an event the slots of this PMU */
TEST_F(topdown, topdown_k7_foreign_leader)
{
	struct perf_event_attr attr;
	struct dirent *entry;
	char text[256];
	int tried = 0;
	DIR *dir;

	dir = opendir(DEVICES);
	ASSERT_NE(dir, NULL);
	while ((entry = readdir(dir))) {
		int leader, type, cpu = self->pmu.cpu;

		if (entry->d_name[0] == '.' ||
		    !strcmp(entry->d_name, self->pmu.name) ||
		    read_text(entry->d_name, "type", text, sizeof(text)))
			continue;

		init_attr(&attr, atoi(text), SLOTS);
		leader = open_attr(&attr, -1);
		if (leader < 0)
			continue;

		tried++;
		init_attr(&attr, self->pmu.type, METRIC(0));
		EXPECT_EQ(try_event(&attr, leader), -EINVAL) {
			TH_LOG("leader of %s", entry->d_name);
		}

		/* It goes on as an ordinary event where its PMU is */
		is_core_pmu(entry->d_name, &type, &cpu);
		ASSERT_EQ(pin(cpu), 0);
		compute(10000);
		count_of(leader);
		ASSERT_EQ(pin(self->pmu.cpu), 0);
		close(leader);
	}
	closedir(dir);

	/* A dummy event passes any number */
	init_attr(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	self->group.fd[0] = open_attr(&attr, -1);
	ASSERT_GE(self->group.fd[0], 0);
	init_attr(&attr, self->pmu.type, METRIC(0));
	EXPECT_EQ(try_event(&attr, self->group.fd[0]), -EINVAL);
	TH_LOG("%d leaders of other PMUs", tried);
}

/* Refused members leave a sampling leader and a plain one as they are */
TEST_F(topdown, topdown_k7_leader_unchanged)
{
	struct perf_event_attr attr;
	struct group *group = &self->group;
	uint64_t before, after;

	init_attr(&attr, self->pmu.type, SLOTS);
	attr.sample_period = 1000003;
	group->fd[0] = open_attr(&attr, -1);
	ASSERT_GE(group->fd[0], 0);

	init_attr(&attr, self->pmu.type, METRIC(0));
	before = count_of(group->fd[0]);
	compute(10000);
	EXPECT_EQ(try_event(&attr, group->fd[0]), -EINVAL);
	compute(10000);
	after = count_of(group->fd[0]);
	EXPECT_GE(after - before, 20000 * 40);
	EXPECT_LT(after - before, 20000 * 40 * 10);
}

TEST_F(topdown, topdown_k9_unavailable_metrics)
{
	struct perf_event_attr attr;
	int i;

	init_attr(&attr, self->pmu.type, SLOTS);
	self->group.fd[0] = open_attr(&attr, -1);
	ASSERT_GE(self->group.fd[0], 0);
	for (i = 0; i < 8; i++) {
		init_attr(&attr, self->pmu.type, METRIC(i));
		EXPECT_EQ(try_event(&attr, self->group.fd[0]),
			  i < self->pmu.metrics ? 0 : -EINVAL) {
			TH_LOG("metric %d", i);
		}
		/* Alone, they have nothing to be a part of */
		EXPECT_EQ(try_event(&attr, -1), -EINVAL);
		/* The same again is one too many */
		attr.sample_period = 100000;
		EXPECT_EQ(try_event(&attr, self->group.fd[0]), -EINVAL);
	}
}

/* A metric may join a group that has counted for a while */
TEST_F(topdown, topdown_r25_join)
{
	struct perf_event_attr attr;
	struct group *group = &self->group;
	uint64_t count[MEMBERS], slots;
	int i;

	init_attr(&attr, self->pmu.type, SLOTS);
	group->fd[0] = open_attr(&attr, -1);
	ASSERT_GE(group->fd[0], 0);
	compute(100000);
	slots = count_of(group->fd[0]);
	EXPECT_GE(slots, 100000 * 40);

	for (i = 1; i < MEMBERS; i++) {
		init_attr(&attr, self->pmu.type, METRIC(i - 1));
		group->fd[i] = open_attr(&attr, group->fd[0]);
		ASSERT_GE(group->fd[i], 0);
		compute(100000);
	}
	control(group, PERF_EVENT_IOC_DISABLE);
	read_group(group, count);

	/* Nothing was dropped, and each knows only what it was there for */
	EXPECT_GE(count[0], slots + 400000 * 40);
	EXPECT_LT(count[0], 10 * slots);
	EXPECT_GE(count[1], 400000 * 40 * 0.9);
	EXPECT_LE(count[1], count[0] - slots);
}

/* Fork, and tell whether the child, which may do something, ended well */
static bool forked(void (*run)(void))
{
	pid_t child = fork();
	int status;

	if (!child) {
		if (run)
			run();
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

static void fork_often(void)
{
	int i;

	for (i = 0; i < 40; i++) {
		if (!forked(NULL))
			_exit(1);
	}
}

/*
 * The leader of a group is closed while a task that has inherited it forks: the
 * other members are inherited without it, which must not be the fork's failure.
 */
TEST_F_TIMEOUT(topdown, topdown_r26_fork_while_closing, 120)
{
	int i, n, status, fd[MEMBERS], go[2];
	struct perf_event_attr attr;
	pid_t child;
	char byte;

	ASSERT_EQ(pipe(go), 0);
	for (n = 0; n < 300; n++) {
		child = fork();
		ASSERT_GE(child, 0);
		if (!child) {
			if (read(go[0], &byte, 1) != 1)
				_exit(2);
			_exit(!forked(fork_often));
		}

		for (i = 0; i < MEMBERS; i++) {
			init_attr(&attr, self->pmu.type,
				  i ? METRIC(i - 1) : SLOTS);
			attr.inherit = 1;
			fd[i] = syscall(SYS_perf_event_open, &attr, child, -1,
					i ? fd[0] : -1, 0);
			ASSERT_GE(fd[i], 0);
		}
		/* Close from another CPU, if there is one */
		pin(!self->pmu.cpu);
		ASSERT_EQ(write(go[1], "", 1), 1);
		usleep(200 + 37 * (n % 50));
		for (i = 0; i < MEMBERS; i++)
			close(fd[i]);
		ASSERT_EQ(waitpid(child, &status, 0), child);
		ASSERT_EQ(status, 0) {
			TH_LOG("a fork failed in round %d", n);
		}
		ASSERT_EQ(pin(self->pmu.cpu), 0);
	}
}

TEST_HARNESS_MAIN
