// SPDX-License-Identifier: GPL-2.0
/*
 * Test of Intel auto counter reload while events run: which of them sample, and
 * what opening, closing, disabling, moving and throttling change about it.
 *
 * The workload has 22 instructions a branch. A filter of both is silent when the
 * branches reach their period first, which reloads both counters each time.
 */
#define _GNU_SOURCE

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

static int add_event(struct group *group, struct perf_event_attr *attr)
{
	int n = group->nr;

	group->fd[n] = open_attr(attr, n ? group->fd[0] : -1);
	if (group->fd[n] < 0)
		return group->fd[n];
	group->map[n] = map_event(group->fd[n]);
	if (!group->map[n])
		return -errno;
	group->nr++;

	return 0;
}

static int add_member(struct group *group, int type, const struct member *member)
{
	struct perf_event_attr attr;

	init_attr(&attr, type, member->config, member->period, member->mask);
	attr.precise_ip = member->precise;
	attr.disabled = member->disabled || !group->nr;

	return add_event(group, &attr);
}

/* Open @members, up to one without an event. Return 0 or the negative error. */
static int open_group(struct group *group, int type,
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
static void close_member(struct group *group, int member)
{
	if (group->fd[member] < 0)
		return;
	munmap(group->map[member], (1 + BUFFER_PAGES) * sysconf(_SC_PAGESIZE));
	close(group->fd[member]);
	group->fd[member] = -1;
}

static void close_group(struct group *group)
{
	while (group->nr--)
		close_member(group, group->nr);
}

/* Samples of a member while the workload runs once */
static unsigned long work_samples(struct group *group, int member)
{
	unsigned long before = samples(group->map[member]);

	work();

	return samples(group->map[member]) - before;
}

/* Bit of the counter that an active event runs on, 0 if it is not active */
static uint64_t counter(const struct group *group, int member)
{
	struct perf_event_mmap_page *page = group->map[member];
	uint32_t index = page->index;

	if (!index--)
		return 0;

	return index & RDPMC_FIXED ? 1ULL << (32 + (index & ~RDPMC_FIXED)) :
	       1ULL << index;
}

static int access_msr(int cpu, uint32_t msr, uint64_t *value, bool write_it)
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

static uint32_t cfg_b(int idx)
{
	return idx < 32 ? MSR_GP0_CFG_B + MSR_STEP * idx :
	       MSR_FX0_CFG_B + MSR_STEP * (idx - 32);
}

static void spin(int rounds)
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

TEST_F(acr, acr_e13_masks_are_translated)
{
	struct group group;

	ASSERT_EQ(open_group(&group, self->with->type, silent), 0);
	EXPECT_SILENT(work_samples(&group, 0));
	EXPECT_EQ(samples(group.map[1]), 0);
	close_group(&group);

	ASSERT_EQ(open_group(&group, self->with->type, sampling), 0);
	EXPECT_SAMPLES(SAMPLES, work_samples(&group, 0));
	EXPECT_EQ(samples(group.map[1]), 0);
	close_group(&group);
}

/* Number 2 is the one that reloads, whether number 1 runs or not */
static const struct member middle_disabled[] = {
	{ EVENT_INSTRUCTIONS, 100000, 0x4 },
	{ EVENT_BRANCHES, 1000000, 0, .disabled = true },
	{ EVENT_BRANCHES, 1000, 0x4 },
	{}
};

TEST_F(acr, acr_b1_disabled_member)
{
	struct group group;
	int i;

	ASSERT_EQ(open_group(&group, self->with->type, middle_disabled), 0);
	for (i = 0; i < 3; i++) {
		EXPECT_SILENT(work_samples(&group, 0));
		ASSERT_EQ(ioctl(group.fd[1], PERF_EVENT_IOC_ENABLE, 0), 0);
		EXPECT_SILENT(work_samples(&group, 0));
		ASSERT_EQ(ioctl(group.fd[1], PERF_EVENT_IOC_DISABLE, 0), 0);
	}

	/* Without number 2 nothing reloads */
	ASSERT_EQ(ioctl(group.fd[2], PERF_EVENT_IOC_DISABLE, 0), 0);
	EXPECT_SAMPLES(SAMPLES, work_samples(&group, 0));
	close_group(&group);
}

TEST_F(acr, acr_d1_disabled_member_shifts_no_bit)
{
	struct group group;

	ASSERT_EQ(open_group(&group, self->with->type, middle_disabled), 0);
	EXPECT_SILENT(work_samples(&group, 0));
	close_member(&group, 1);
	EXPECT_SILENT(work_samples(&group, 0));
	close_group(&group);
}

TEST_F(acr, acr_e2_bits_beyond_group)
{
	static const struct member members[] = {
		{ EVENT_INSTRUCTIONS, 100000, 0xcb },
		{}
	};
	struct group filter, group;

	/* What the neighbour's counters are must not matter */
	ASSERT_EQ(open_group(&filter, self->with->type, silent), 0);
	ASSERT_EQ(open_group(&group, self->with->type, members), 0);
	EXPECT_EQ(work_samples(&group, 0), 0);
	EXPECT_SILENT(samples(filter.map[0]));
	close_group(&group);
	close_group(&filter);
}

/* Other events come and go, and the members change their counters */
TEST_F(acr, acr_b5_reschedule)
{
	static const struct member other[] = { { EVENT_BRANCHES, 1000003, 0 }, {} };
	struct group filter, sampler, others[4] = {};
	uint64_t seen = 0;
	int i, k;

	ASSERT_EQ(open_group(&filter, self->with->type, silent), 0);
	ASSERT_EQ(open_group(&sampler, self->with->type, sampling), 0);
	for (i = 0; i < 4; i++) {
		for (k = 0; k < 4; k++)
			ASSERT_EQ(open_group(&others[k], self->with->type,
					     other), 0);
		EXPECT_SILENT(work_samples(&filter, 0));
		EXPECT_SAMPLES(SAMPLES, work_samples(&sampler, 0));
		seen |= counter(&filter, 0);
		for (k = 0; k <= i; k++)
			close_group(&others[k]);
		EXPECT_SILENT(work_samples(&filter, 0));
		seen |= counter(&filter, 0);
		for (k = i + 1; k < 4; k++)
			close_group(&others[k]);
	}
	EXPECT_EQ(seen & ~self->with->reload_counters, 0);
	close_group(&filter);
	close_group(&sampler);
}

TEST_F(acr, acr_b6_removed_member)
{
	struct group group;

	ASSERT_EQ(open_group(&group, self->with->type, silent), 0);
	EXPECT_SILENT(work_samples(&group, 0));
	ASSERT_EQ(ioctl(group.fd[1], PERF_EVENT_IOC_DISABLE, 0), 0);
	EXPECT_SAMPLES(SAMPLES, work_samples(&group, 0));
	ASSERT_EQ(ioctl(group.fd[1], PERF_EVENT_IOC_ENABLE, 0), 0);
	EXPECT_SILENT(work_samples(&group, 0));

	/* Not the mask that is asked for, but the event's life counts */
	close_member(&group, 1);
	EXPECT_SAMPLES(SAMPLES, work_samples(&group, 0));
	close_group(&group);
}

/*
 * The next owner of the freed counter is no cause. Before there is one, only
 * the register can tell.
 */
TEST_F(acr, acr_d7_freed_counter_is_not_named)
{
	static const struct member plain[] = { { EVENT_BRANCHES, 1000, 0 }, {} };
	struct group group, others[MAX_MEMBERS];
	uint64_t causes;
	uint32_t msr;
	int i;

	ASSERT_EQ(open_group(&group, self->with->type, silent), 0);
	EXPECT_SILENT(work_samples(&group, 0));
	msr = cfg_b(ffsll(counter(&group, 0)) - 1);
	if (!access_msr(self->with->cpu, msr, &causes, false)) {
		EXPECT_EQ(causes, counter(&group, 1));
		ASSERT_EQ(ioctl(group.fd[1], PERF_EVENT_IOC_DISABLE, 0), 0);
		ASSERT_EQ(access_msr(self->with->cpu, msr, &causes, false), 0);
		EXPECT_EQ(causes, 0);
	}
	ASSERT_EQ(ioctl(group.fd[1], PERF_EVENT_IOC_DISABLE, 0), 0);
	for (i = 0; i < 7; i++)
		ASSERT_EQ(open_group(&others[i], self->with->type, plain), 0);
	EXPECT_SAMPLES(SAMPLES, work_samples(&group, 0));
	for (i = 0; i < 7; i++)
		close_group(&others[i]);
	close_group(&group);
}

/* The leader is gone: members count and sample on their own */
TEST_F(acr, acr_b7_closed_leader)
{
	struct group group;

	ASSERT_EQ(open_group(&group, self->with->type, silent), 0);
	work();
	EXPECT_EQ(samples(group.map[1]), 0);
	close_member(&group, 0);
	EXPECT_SAMPLES(ROUNDS / 1000, work_samples(&group, 1));
	close_group(&group);
}

/* With the leader's mask in its register, the member would go on silently */
TEST_F(acr, acr_d5_closed_leader_leaves_no_mask)
{
	static const struct member members[] = {
		{ EVENT_BRANCHES, 1000, 0 },
		{ EVENT_INSTRUCTIONS, 100000, 0x1 },
		{}
	};
	static const struct member plain[] = { { EVENT_BRANCHES, 1000, 0 }, {} };
	struct group group, others[MAX_MEMBERS];
	int i;

	ASSERT_EQ(open_group(&group, self->with->type, members), 0);
	EXPECT_SILENT(work_samples(&group, 1));
	close_member(&group, 0);
	for (i = 0; i < 7; i++)
		ASSERT_EQ(open_group(&others[i], self->with->type, plain), 0);
	EXPECT_SAMPLES(SAMPLES, work_samples(&group, 1));
	for (i = 0; i < 7; i++)
		close_group(&others[i]);
	close_group(&group);
}

/*
 * Leaders that run before they get a member with a mask, and go before it. If
 * each of them made a count of such events too low, it would be 0 one day while
 * the filter runs. On a CPU that no test has used before, if there is one: a
 * count that was wrong already may never be 0.
 */
TEST_F(acr, acr_d4_setup_is_never_skipped)
{
	static const struct member plain[] = {
		{ EVENT_INSTRUCTIONS, 1000003, 0 },
		{}
	};
	static const struct member reloaded = { EVENT_BRANCHES, 100003, 0x1 };
	struct group late, filter;
	int round;

	if (!self->with->cpu)
		ASSERT_EQ(pin(sysconf(_SC_NPROCESSORS_ONLN) - 1), 0);
	for (round = 0; round < 20; round++) {
		ASSERT_EQ(open_group(&late, self->with->type, plain), 0);
		spin(1000);
		ASSERT_EQ(add_member(&late, self->with->type, &reloaded), 0);
		spin(1000);
		close_member(&late, 0);
		spin(1000);
		close_group(&late);

		ASSERT_EQ(open_group(&filter, self->with->type, silent), 0);
		EXPECT_SILENT(work_samples(&filter, 0));
		close_group(&filter);
	}
}

/* A refused member must not change the group that it wanted to join */
TEST_F(acr, acr_b8_refused_member)
{
	static const struct member plain[] = { { EVENT_INSTRUCTIONS, 100000, 0 }, {} };
	static const struct member refused[] = {
		{ EVENT_BRANCHES, 0, 0x3 },
		{ EVENT_BRANCHES, 1000, ~0ULL },
		{ EVENT_BRANCHES, 1000, 0x3, .precise = 1 },
	};
	struct group group;
	unsigned int i;

	ASSERT_EQ(open_group(&group, self->with->type, plain), 0);
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		EXPECT_EQ(add_member(&group, self->with->type, &refused[i]),
			  -EINVAL);
		EXPECT_SAMPLES(SAMPLES, work_samples(&group, 0));
	}
	close_group(&group);

	/* A number that was not used is the next one's */
	memset(&group, 0, sizeof(group));
	ASSERT_EQ(add_member(&group, self->with->type, &silent[0]), 0);
	ASSERT_EQ(ioctl(group.fd[0], PERF_EVENT_IOC_ENABLE, 0), 0);
	EXPECT_EQ(add_member(&group, self->with->type, &refused[0]), -EINVAL);
	ASSERT_EQ(add_member(&group, self->with->type, &silent[1]), 0);
	EXPECT_SILENT(work_samples(&group, 0));
	close_group(&group);
}

/* A leader that cannot be reloaded at all runs on */
TEST_F(acr, acr_d3_refused_event_leaves_no_trace)
{
	static const struct member plain[] = { { EVENT_INSTRUCTIONS, 100000, 0 }, {} };
	static const struct member member[] = { { EVENT_BRANCHES, 1000, 0x3 }, {} };
	struct group group;
	int i;

	for (i = 0; i < self->nr; i++) {
		if (&self->pmu[i] == self->with)
			continue;
		ASSERT_EQ(pin(self->pmu[i].cpu), 0);
		ASSERT_EQ(open_group(&group, self->pmu[i].type, plain), 0);
		EXPECT_EQ(add_member(&group, self->pmu[i].type, member),
			  -EINVAL);
		EXPECT_EQ(add_member(&group, self->with->type, member),
			  -EINVAL);
		EXPECT_SAMPLES(SAMPLES, work_samples(&group, 0));
		close_group(&group);
	}

	ASSERT_EQ(pin(self->with->cpu), 0);
	ASSERT_EQ(open_group(&group, self->with->type, plain), 0);
	for (i = 0; i < self->nr; i++) {
		if (&self->pmu[i] == self->with)
			continue;
		EXPECT_EQ(add_member(&group, self->pmu[i].type, member),
			  -EINVAL);
	}
	EXPECT_SAMPLES(SAMPLES, work_samples(&group, 0));
	close_group(&group);
}

TEST_F(acr, acr_b9_migration)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu, i;
	struct group filter, sampler;

	if (cpus < 2)
		SKIP(return, "one CPU");

	ASSERT_EQ(open_group(&filter, self->with->type, silent), 0);
	ASSERT_EQ(open_group(&sampler, self->with->type, sampling), 0);
	for (i = 0; i < 5; i++) {
		for (cpu = 0; cpu < cpus; cpu++) {
			ASSERT_EQ(pin(cpu), 0);
			EXPECT_SILENT(work_samples(&filter, 0));
		}
		ASSERT_EQ(pin(self->with->cpu), 0);
		EXPECT_SAMPLES(SAMPLES, work_samples(&sampler, 0));
	}
	close_group(&filter);
	close_group(&sampler);
}

static const struct member often[] = {
	{ EVENT_INSTRUCTIONS, 10007, 0x2 },
	{ EVENT_BRANCHES, 97, 0x3 },
	{}
};

TEST_F(acr, acr_b10_count_grows_slowly)
{
	uint64_t last[2] = {}, value;
	struct group group;
	int i, k;

	ASSERT_EQ(open_group(&group, self->with->type, often), 0);
	for (i = 0; i < 300; i++) {
		spin(50 + i);
		for (k = 0; k < 2; k++) {
			ASSERT_EQ(read(group.fd[k], &value, sizeof(value)),
				  sizeof(value));
			EXPECT_GE(value, last[k]);
			EXPECT_LT(value - last[k], 1000000);
			last[k] = value;
		}
	}
	EXPECT_GT(last[0], 0);
	close_group(&group);
}

/* Who reads the counter of a reloaded event would see it go back */
TEST_F(acr, acr_b10_nobody_is_told_to_read_it)
{
	static const struct member members[] = {
		{ EVENT_INSTRUCTIONS, 100000, 0x2 },
		{ EVENT_BRANCHES, 1000, 0 },
		{}
	};
	struct perf_event_mmap_page *page[2];
	struct group group;

	ASSERT_EQ(open_group(&group, self->with->type, members), 0);
	page[0] = group.map[0];
	page[1] = group.map[1];
	if (!page[1]->cap_user_rdpmc)
		SKIP(return, "RDPMC is not allowed");

	work();
	EXPECT_EQ((int)page[0]->cap_user_rdpmc, 0);
	EXPECT_NE(page[0]->index, 0);
	EXPECT_EQ((int)page[1]->cap_user_rdpmc, 1);
	close_group(&group);
}

/* Not 281474976610656 either when the events are taken off the CPU */
TEST_F(acr, acr_d2_no_jump_through_width)
{
	struct group group;
	uint64_t value;
	int i, k;

	ASSERT_EQ(open_group(&group, self->with->type, often), 0);
	for (i = 0; i < 300; i++) {
		spin(50 + i);
		sched_yield();
		ASSERT_EQ(ioctl(group.fd[0], PERF_EVENT_IOC_DISABLE, 0), 0);
		ASSERT_EQ(ioctl(group.fd[0], PERF_EVENT_IOC_ENABLE, 0), 0);
	}
	for (k = 0; k < 2; k++) {
		ASSERT_EQ(read(group.fd[k], &value, sizeof(value)),
			  sizeof(value));
		EXPECT_LT(value, 100000000);
	}
	close_group(&group);
}

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), ret;

	if (fd < 0)
		return -1;
	ret = write(fd, text, strlen(text)) < 0 ? -1 : 0;
	close(fd);

	return ret;
}

#define SAMPLE_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define CPU_PERCENT	"/proc/sys/kernel/perf_cpu_time_max_percent"

/* The rate can be changed only while the other limit is in force */
static int set_sample_rate(const char *rate)
{
	char percent[32];
	int ret;

	if (read_file(CPU_PERCENT, percent, sizeof(percent)) ||
	    write_text(CPU_PERCENT, "50"))
		return -1;
	ret = write_text(SAMPLE_RATE, rate);
	write_text(CPU_PERCENT, percent);

	return ret;
}

/*
 * The branches always come first, sample, and reload the instructions. When they
 * take too many samples and are stopped for the rest of the tick, nothing would
 * hold the instructions back. The sampler is no leader: it has to be started
 * again all the same.
 */
TEST_F(acr, acr_b11_throttled_cause)
{
	static const struct member members[] = {
		{ EVENT_INSTRUCTIONS, 100000, 0x2 },
		{ EVENT_BRANCHES, 2000, 0x1 },
		{}
	};
	struct group group;
	char rate[32];
	int i;

	if (read_file(SAMPLE_RATE, rate, sizeof(rate)) ||
	    set_sample_rate("1000"))
		SKIP(return, "cannot change the sample rate");

	ASSERT_EQ(open_group(&group, self->with->type, members), 0);
	for (i = 0; i < 20; i++)
		work();
	set_sample_rate(rate);

	EXPECT_GT(records(group.map[1], PERF_RECORD_THROTTLE), 2);
	EXPECT_GT(samples(group.map[1]),
		  records(group.map[1], PERF_RECORD_THROTTLE));
	EXPECT_EQ(samples(group.map[0]), 0);
	close_group(&group);
}

/* Interrupts of a kind on a CPU so far */
static unsigned long nr_interrupts(const char *name, int cpu)
{
	unsigned long n = 0;
	char line[1024];
	FILE *file;

	file = fopen("/proc/interrupts", "r");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		char *at = strstr(line, name);
		int i;

		if (!at)
			continue;
		for (at += strlen(name), i = 0; i <= cpu; i++)
			n = strtoul(at, &at, 10);
	}
	fclose(file);

	return n;
}

/*
 * Those that pause say so, and are paused once a tick however many interrupts
 * other events have until then.
 */
TEST_F(acr, acr_b11_paused_once)
{
	static const struct member members[] = {
		{ EVENT_INSTRUCTIONS, 100000, 0x2 },
		{ EVENT_BRANCHES, 2000, 0x1 },
		{}
	};
	static const struct member others[2][2] = {
		{ { EVENT_INSTRUCTIONS, 90001, 0 }, {} },
		{ { EVENT_INSTRUCTIONS, 80001, 0 }, {} },
	};
	unsigned long works, throttles, other = 0;
	struct group group, busy[2];
	char rate[32];
	int i;

	if (read_file(SAMPLE_RATE, rate, sizeof(rate)) ||
	    set_sample_rate("2000"))
		SKIP(return, "cannot change the sample rate");

	ASSERT_EQ(open_group(&group, self->with->type, members), 0);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(open_group(&busy[i], self->with->type, others[i]), 0);
	works = nr_interrupts("IWI:", self->with->cpu);
	for (i = 0; i < 20; i++)
		work();
	works = nr_interrupts("IWI:", self->with->cpu) - works;
	set_sample_rate(rate);

	for (i = 0; i < 2; i++) {
		unsigned long off, on;

		off = records(group.map[i], PERF_RECORD_THROTTLE);
		on = records(group.map[i], PERF_RECORD_UNTHROTTLE);
		EXPECT_GT(off, 2);
		EXPECT_LE(off, on + 1);
		EXPECT_GE(off, on);
	}
	throttles = records(group.map[1], PERF_RECORD_THROTTLE);
	EXPECT_EQ(records(group.map[0], PERF_RECORD_THROTTLE), throttles);
	for (i = 0; i < 2; i++)
		other += samples(busy[i].map[0]);
	ASSERT_GT(other, 2 * throttles);
	EXPECT_LE(works, throttles + throttles / 4 + 10);

	for (i = 0; i < 2; i++)
		close_group(&busy[i]);
	close_group(&group);
}

TEST_F(acr, acr_b12_changed_period)
{
	struct group group;
	uint64_t period;

	ASSERT_EQ(open_group(&group, self->with->type, silent), 0);
	EXPECT_SILENT(work_samples(&group, 0));
	period = sampling[1].period;
	ASSERT_EQ(ioctl(group.fd[1], PERF_EVENT_IOC_PERIOD, &period), 0);
	EXPECT_SAMPLES(SAMPLES, work_samples(&group, 0));
	period = silent[1].period;
	ASSERT_EQ(ioctl(group.fd[1], PERF_EVENT_IOC_PERIOD, &period), 0);
	EXPECT_SILENT(work_samples(&group, 0));
	close_group(&group);
}

/* Interrupts of all counters of a CPU so far */
static unsigned long pmis(int cpu)
{
	return nr_interrupts("PMI:", cpu);
}

TEST_F(acr, acr_b15_self_reload_is_silent)
{
	static const struct member members[] = {
		{ EVENT_BRANCHES, 1000, 0x1 },
		{}
	};
	struct group group;
	unsigned long before;

	ASSERT_EQ(open_group(&group, self->with->type, members), 0);
	before = pmis(self->with->cpu);
	EXPECT_EQ(work_samples(&group, 0), 0);
	EXPECT_EQ(pmis(self->with->cpu), before);
	close_group(&group);
}

/* A PMI that no status bit explains would be an unknown NMI */
TEST_F(acr, acr_e5_no_pmi_without_sample)
{
	struct group group;
	unsigned long before, n;

	ASSERT_EQ(open_group(&group, self->with->type, sampling), 0);
	before = pmis(self->with->cpu);
	n = work_samples(&group, 0);
	EXPECT_LE(pmis(self->with->cpu) - before, n);
	close_group(&group);

	ASSERT_EQ(open_group(&group, self->with->type, silent), 0);
	before = pmis(self->with->cpu);
	work();
	EXPECT_EQ(pmis(self->with->cpu) - before, samples(group.map[0]));
	close_group(&group);
}

TEST_F(acr, acr_b16_precise_member)
{
	struct member members[3];
	struct group group;

	if (self->with->max_precise < 1)
		SKIP(return, "no PEBS");

	memcpy(members, silent, sizeof(members));
	members[0].precise = 2;
	ASSERT_EQ(open_group(&group, self->with->type, members), 0);
	work();
	/* Records are buffered until then */
	ASSERT_EQ(ioctl(group.fd[0], PERF_EVENT_IOC_DISABLE, 0), 0);
	EXPECT_SILENT(samples(group.map[0]));
	close_group(&group);

	memcpy(members, sampling, sizeof(members));
	members[0].precise = 2;
	ASSERT_EQ(open_group(&group, self->with->type, members), 0);
	work();
	ASSERT_EQ(ioctl(group.fd[0], PERF_EVENT_IOC_DISABLE, 0), 0);
	EXPECT_SAMPLES(SAMPLES, samples(group.map[0]));
	close_group(&group);
}

/* Each on a counter that can do what the masks ask of it */
TEST_F(acr, acr_d10_members_are_on_right_counters)
{
	static const struct member members[] = {
		{ EVENT_INSTRUCTIONS, 100000, 0x6 },
		{ EVENT_BRANCHES, 1000, 0 },
		{ EVENT_BRANCHES, 2000, 0x4 },
		{ EVENT_INSTRUCTIONS, 100003, 0 },
		{}
	};
	uint64_t both = self->with->reload_counters & self->with->cause_counters;
	struct group group;

	if (!both)
		SKIP(return, "no counter does both");

	ASSERT_EQ(open_group(&group, self->with->type, members), 0);
	EXPECT_SILENT(work_samples(&group, 0));
	EXPECT_NE(counter(&group, 0), 0);
	EXPECT_EQ(counter(&group, 0) & ~self->with->reload_counters, 0);
	EXPECT_EQ(counter(&group, 1) & ~self->with->cause_counters, 0);
	EXPECT_EQ(counter(&group, 2) & ~both, 0);
	close_group(&group);
}

static void branch_counters(struct perf_event_attr *attr)
{
	attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
				   PERF_SAMPLE_BRANCH_USER |
				   PERF_SAMPLE_BRANCH_COUNTERS;
}

/* Branch counters are the first ones: both masks count */
TEST_F(acr, acr_b18_branch_counters)
{
	uint64_t first = (1ULL << self->with->branch_counters) - 1;
	struct perf_event_attr attr;
	struct group group = {};
	int able = self->with->reload_counters & first;

	if (!self->with->branch_counters)
		SKIP(return, "no branch counters");

	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 100000, 0x2);
	branch_counters(&attr);
	ASSERT_EQ(add_event(&group, &attr), able ? 0 : -EINVAL);
	if (!able)
		return;
	ASSERT_EQ(add_member(&group, self->with->type, &silent[1]), 0);
	EXPECT_SILENT(work_samples(&group, 0));
	EXPECT_NE(counter(&group, 0), 0);
	EXPECT_EQ(counter(&group, 0) & ~(self->with->reload_counters & first), 0);
	close_group(&group);
}

/* A leader has no context in which its siblings could be looked at */
TEST_F(acr, acr_e8_branch_counters_of_a_leader)
{
	struct perf_event_attr attr;
	int leader, sibling;

	if (!self->with->branch_counters)
		SKIP(return, "no branch counters");

	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 100000, 0);
	branch_counters(&attr);
	leader = open_attr(&attr, -1);
	ASSERT_GE(leader, 0);
	sibling = open_attr(&attr, leader);
	EXPECT_GE(sibling, 0);
	close(sibling);
	close(leader);
}

/* One that was never on, and none at all: the console says if that is wrong */
TEST_F(acr, branch_counters_of_nobody)
{
	struct perf_event_attr attr;
	struct group group = {};

	if (!self->with->branch_counters)
		SKIP(return, "no branch counters");

	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 1000000, 0);
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
				  PERF_SAMPLE_BRANCH_USER;
	ASSERT_EQ(add_event(&group, &attr), 0);
	branch_counters(&attr);
	attr.sample_period = 100000000;
	attr.disabled = 1;
	ASSERT_EQ(add_event(&group, &attr), 0);
	EXPECT_GT(work_samples(&group, 0), 2);
	close_member(&group, 1);
	EXPECT_GT(work_samples(&group, 0), 2);
	close_group(&group);
}

/* What looks like flags of a software leader belongs to its timer */
TEST_F(acr, acr_e6_branch_counters_below_software)
{
	struct perf_event_attr attr;
	int leader;

	if (!self->with->branch_counters)
		SKIP(return, "no branch counters");

	init_attr(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000, 0);
	leader = open_attr(&attr, -1);
	ASSERT_GE(leader, 0);
	work();
	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 100000, 0);
	branch_counters(&attr);
	EXPECT_EQ(open_attr(&attr, leader), -EINVAL);
	close(leader);
}

/* The one that is opened last, too */
TEST_F(acr, acr_e9_last_event_is_constrained)
{
	uint64_t first = (1ULL << self->with->branch_counters) - 1;
	static const struct member plain[] = { { EVENT_BRANCHES, 1000003, 0 }, {} };
	struct group group = {}, others[4];
	struct perf_event_attr attr;
	int i;

	if (!self->with->branch_counters)
		SKIP(return, "no branch counters");

	/* They are on the first counters, and have to make room */
	for (i = 0; i < 4; i++)
		ASSERT_EQ(open_group(&others[i], self->with->type, plain), 0);
	work();
	for (i = 0; i < 2; i++) {
		init_attr(&attr, self->with->type, EVENT_BRANCHES, 100000, 0);
		branch_counters(&attr);
		ASSERT_EQ(add_event(&group, &attr), 0);
		work();
		EXPECT_NE(counter(&group, i), 0);
		EXPECT_EQ(counter(&group, i) & ~first, 0);
	}
	for (i = 0; i < 4; i++)
		close_group(&others[i]);
	close_group(&group);
}

/* An event of a CPU, which stays while those of tasks come and go */
static int open_cpu_event(struct group *group, struct core_pmu *pmu,
			  const struct member *member)
{
	struct perf_event_attr attr;

	memset(group, 0, sizeof(*group));
	init_attr(&attr, pmu->type, member->config, member->period, member->mask);
	group->fd[0] = syscall(SYS_perf_event_open, &attr, -1, pmu->cpu, -1, 0);
	if (group->fd[0] < 0)
		return -errno;
	group->map[0] = map_event(group->fd[0]);
	if (!group->map[0])
		return -errno;
	group->nr = 1;

	return 0;
}

/* The constraint of a new event must not become that of an old one */
TEST_F(acr, acr_d11_constraints_are_not_shared)
{
	static const struct member alone = { EVENT_BRANCHES, 1000, 0x1 };
	uint64_t logged = (1ULL << self->with->branch_counters) - 1;
	struct group old[4], new = {};
	struct perf_event_attr attr;
	int i;

	if (!self->with->branch_counters)
		SKIP(return, "no other reason to narrow a constraint");
	if (open_cpu_event(&old[0], self->with, &alone))
		SKIP(return, "no access to the events of a CPU");
	for (i = 1; i < 4; i++)
		ASSERT_EQ(open_cpu_event(&old[i], self->with, &alone), 0);
	EXPECT_EQ(work_samples(&old[3], 0), 0);

	/* Not on one of the counters that the new one is limited to */
	EXPECT_NE(counter(&old[3], 0), 0);
	if (counter(&old[3], 0) & logged)
		SKIP(return, "only few counters can be reloaded");

	/* The others move up on the list, the new one takes the last place */
	ASSERT_EQ(ioctl(old[0].fd[0], PERF_EVENT_IOC_DISABLE, 0), 0);
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 100000, 0);
	branch_counters(&attr);
	ASSERT_EQ(add_event(&new, &attr), 0);
	for (i = 1; i < 4; i++) {
		EXPECT_EQ(work_samples(&old[i], 0), 0);
		EXPECT_NE(counter(&old[i], 0), 0);
		EXPECT_EQ(counter(&old[i], 0) & ~self->with->reload_counters, 0);
	}
	EXPECT_EQ(counter(&new, 0) & ~logged, 0);
	close_group(&new);
	for (i = 0; i < 4; i++)
		close_group(&old[i]);
}

/* Cycles have a fixed counter, which is preferred */
TEST_F(acr, acr_b19_fixed_counter)
{
	static const struct member members[] = {
		{ EVENT_INSTRUCTIONS, 1000000, 0x2 },
		{ EVENT_CYCLES, 1000, 0x3 },
		{}
	};
	static const struct member plain[] = { { EVENT_CYCLES, 10000, 0 }, {} };
	uint64_t fixed = 1ULL << 33;
	struct group group;

	if (!(self->with->reload_counters & self->with->cause_counters & fixed))
		SKIP(return, "no fixed counter for cycles");

	ASSERT_EQ(open_group(&group, self->with->type, members), 0);
	EXPECT_SILENT(work_samples(&group, 0));
	EXPECT_EQ(samples(group.map[1]), 0);
	EXPECT_EQ(counter(&group, 1), fixed);
	close_group(&group);

	/* It samples again for others, and is not reloaded */
	ASSERT_EQ(open_group(&group, self->with->type, plain), 0);
	EXPECT_GT(work_samples(&group, 0), 100);
	EXPECT_EQ(counter(&group, 0), fixed);
	close_group(&group);
}

/* As above, with the branches as the neighbour that reloads it */
TEST_F(acr, acr_e1_fixed_mask_is_cleared)
{
	static const struct member members[] = {
		{ EVENT_CYCLES, 1000000, 0x2 },
		{ EVENT_BRANCHES, 100, 0x2 },
		{}
	};
	static const struct member plain[] = {
		{ EVENT_CYCLES, 100000, 0 },
		{ EVENT_BRANCHES, 100, 0x2 },
		{}
	};
	struct group group;

	if (!(self->with->reload_counters & 1ULL << 33))
		SKIP(return, "no fixed counter for cycles");

	ASSERT_EQ(open_group(&group, self->with->type, members), 0);
	EXPECT_SILENT(work_samples(&group, 0));
	close_group(&group);
	ASSERT_EQ(open_group(&group, self->with->type, plain), 0);
	EXPECT_GT(work_samples(&group, 0), 5);
	close_group(&group);
}

/* An event that can be mapped although it is inherited */
static int add_inherited(struct group *group, int type, int cpu,
			 const struct member *member)
{
	struct perf_event_attr attr;
	int n = group->nr;

	init_attr(&attr, type, member->config, member->period, member->mask);
	attr.inherit = 1;
	group->fd[n] = syscall(SYS_perf_event_open, &attr, 0, cpu,
			       n ? group->fd[0] : -1, 0);
	if (group->fd[n] < 0)
		return -errno;
	group->map[n] = map_event(group->fd[n]);
	if (!group->map[n])
		return -errno;
	group->nr++;

	return 0;
}

static void work_in_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		work();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

TEST_F(acr, acr_b22_inherited_member)
{
	static const struct member members[] = {
		{ EVENT_INSTRUCTIONS, 100000, 0x4 },
		{ EVENT_BRANCHES, 1000000, 0 },
		{ EVENT_BRANCHES, 1000, 0x4 },
		{}
	};
	struct group group = {};
	int i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(add_inherited(&group, self->with->type,
					self->with->cpu, &members[i]), 0);
	work_in_child();
	EXPECT_SILENT(samples(group.map[0]));

	/* The second is not inherited any more; the third is the third still */
	close_member(&group, 1);
	work_in_child();
	EXPECT_SILENT(samples(group.map[0]));
	EXPECT_EQ(samples(group.map[2]), 0);
	close_group(&group);
}

#define WORK_ONLY	"ACR_RUN_WORK_ONLY"

/* This program as one that works, and does nothing else */
__attribute__((constructor)) static void work_only(void)
{
	if (!getenv(WORK_ONLY))
		return;
	work();
	_exit(0);
}

/* Return 0 if the program worked */
static int work_in_program(void)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		setenv(WORK_ONLY, "1", 1);
		execl("/proc/self/exe", "acr_run", NULL);
		_exit(1);
	}
	waitpid(pid, &status, 0);

	return status;
}

TEST_F(acr, exec)
{
	static const struct member members[] = {
		{ EVENT_INSTRUCTIONS, 100000, 0x2 },
		{ EVENT_BRANCHES, 1000, 0x3 },
		{}
	};
	struct group group = {};
	int i;

	for (i = 0; i < 2; i++)
		ASSERT_EQ(add_inherited(&group, self->with->type,
					self->with->cpu, &members[i]), 0);
	ASSERT_EQ(work_in_program(), 0);
	EXPECT_SILENT(samples(group.map[0]));

	/* Without the branches, all of it can be seen */
	ASSERT_EQ(ioctl(group.fd[1], PERF_EVENT_IOC_DISABLE, 0), 0);
	ASSERT_EQ(work_in_program(), 0);
	EXPECT_GE(samples(group.map[0]), SAMPLES - 2);
	close_group(&group);
}

TEST_F(acr, acr_b29_exclusive_and_pinned)
{
	struct perf_event_attr attr;
	struct group group = {}, second = {};
	char text[8];

	/* A pinned group that does not fit is in error, and says so */
	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 100000, 0x2);
	attr.pinned = 1;
	attr.exclusive = 1;
	ASSERT_EQ(add_event(&group, &attr), 0);
	ASSERT_EQ(add_member(&group, self->with->type, &silent[1]), 0);
	EXPECT_SILENT(work_samples(&group, 0));

	ASSERT_EQ(add_event(&second, &attr), 0);
	ASSERT_EQ(add_member(&second, self->with->type, &silent[1]), 0);
	work();
	EXPECT_EQ(read(second.fd[0], text, sizeof(text)), 0);
	EXPECT_SILENT(samples(group.map[0]));
	close_group(&second);
	close_group(&group);
}

/* Events without masks on all counters that had one */
TEST_F(acr, acr_b26_plain_events_afterwards)
{
	static const struct member plain[] = { { EVENT_BRANCHES, 5000, 0 }, {} };
	struct member members[7] = {};
	struct group group, others[MAX_MEMBERS];
	int i;

	for (i = 0; i < 6; i++)
		members[i] = (struct member){ EVENT_BRANCHES, 1000 + i, 0x3f };
	ASSERT_EQ(open_group(&group, self->with->type, members), 0);
	work();
	EXPECT_NE(counter(&group, 5), 0);
	close_group(&group);

	for (i = 0; i < 8; i++)
		ASSERT_EQ(open_group(&others[i], self->with->type, plain), 0);
	work();
	for (i = 0; i < 8; i++) {
		EXPECT_SAMPLES(ROUNDS / 5000, samples(others[i].map[0]));
		close_group(&others[i]);
	}
}

/*
 * Long afterwards nobody looks at masks any more: none may be left, and the next
 * group with reloads has to find everything in place at once.
 */
TEST_F(acr, acr_b26_no_mask_is_left)
{
	static const struct member plain[] = { { EVENT_BRANCHES, 5000, 0 }, {} };
	struct group group, others[MAX_MEMBERS];
	uint64_t value, masks;
	int i, round;

	if (access_msr(self->with->cpu,
		       cfg_b(ffsll(self->with->reload_counters) - 1), &value,
		       false))
		SKIP(return, "cannot read the registers");

	for (round = 0; round < 3; round++) {
		ASSERT_EQ(open_group(&group, self->with->type, silent), 0);
		EXPECT_SILENT(work_samples(&group, 0));
		close_group(&group);
		sleep(2);
		for (masks = 0, i = 0; i < 64; i++) {
			if (!(self->with->reload_counters & 1ULL << i))
				continue;
			ASSERT_EQ(access_msr(self->with->cpu, cfg_b(i), &value,
					     false), 0);
			masks |= value;
		}
		EXPECT_EQ(masks, 0);

		for (i = 0; i < 8; i++)
			ASSERT_EQ(open_group(&others[i], self->with->type,
					     plain), 0);
		work();
		for (i = 0; i < 8; i++) {
			EXPECT_SAMPLES(ROUNDS / 5000, samples(others[i].map[0]));
			close_group(&others[i]);
		}
	}
}

TEST_F(acr, acr_b31_two_groups)
{
	struct group filter, sampler;

	ASSERT_EQ(open_group(&filter, self->with->type, silent), 0);
	ASSERT_EQ(open_group(&sampler, self->with->type, sampling), 0);
	work();
	EXPECT_SILENT(samples(filter.map[0]));
	EXPECT_SAMPLES(SAMPLES, samples(sampler.map[0]));
	EXPECT_EQ(samples(filter.map[1]), 0);
	EXPECT_EQ(samples(sampler.map[1]), 0);
	close_group(&sampler);
	EXPECT_SILENT(work_samples(&filter, 0));
	close_group(&filter);
}

/*
 * Whoever changes the order of opening has to change the masks: the kernel
 * cannot see that it was another one before.
 */
TEST_F(acr, acr_b33_order_of_opening)
{
	static const struct member reordered[] = {
		{ EVENT_BRANCHES, 1000, 0x3 },
		{ EVENT_INSTRUCTIONS, 100000, 0x1 },
		{}
	};
	static const struct member unchanged[] = {
		{ EVENT_BRANCHES, 100000, 0x3 },
		{ EVENT_INSTRUCTIONS, 100000, 0x2 },
		{}
	};
	struct group group;

	ASSERT_EQ(open_group(&group, self->with->type, reordered), 0);
	EXPECT_SILENT(work_samples(&group, 1));
	close_group(&group);

	/* 0x2 now says that the instructions reload themselves */
	ASSERT_EQ(open_group(&group, self->with->type, unchanged), 0);
	EXPECT_EQ(work_samples(&group, 1), 0);
	close_group(&group);
}

/* The union of a software leader says nothing about the group */
TEST_F(acr, acr_e6_software_leader)
{
	static const struct member plain[] = { { EVENT_INSTRUCTIONS, 100000, 0 }, {} };
	struct perf_event_attr attr;
	struct group group = {};

	init_attr(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
		  1000000000, 0);
	ASSERT_EQ(add_event(&group, &attr), 0);
	ASSERT_EQ(add_member(&group, self->with->type, plain), 0);
	EXPECT_SAMPLES(SAMPLES, work_samples(&group, 1));
	close_group(&group);
}

/* Behind the members, they are nobody's concern */
TEST_F(acr, acr_e7_software_siblings)
{
	struct perf_event_attr attr;
	struct group group = {};
	uint64_t count;
	int i;

	for (i = 0; i < 2; i++)
		ASSERT_EQ(add_member(&group, self->with->type, &silent[i]), 0);
	for (i = 0; i < 2; i++) {
		init_attr(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK,
			  0, 0);
		ASSERT_EQ(add_event(&group, &attr), 0);
	}
	EXPECT_EQ(add_member(&group, self->with->type, &silent[1]), -EINVAL);
	ASSERT_EQ(ioctl(group.fd[0], PERF_EVENT_IOC_ENABLE, 0), 0);
	EXPECT_SILENT(work_samples(&group, 0));
	EXPECT_NE(counter(&group, 0), 0);

	/* The clock may be coarse */
	for (i = 0, count = 0; i < 1000 && !count; i++) {
		work();
		ASSERT_EQ(read(group.fd[3], &count, sizeof(count)),
			  sizeof(count));
	}
	EXPECT_GT(count, 0);
	close_group(&group);
}

/* Take the CPU away and bring it back */
static int replug(int cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	if (write_text(path, "0"))
		return -1;

	return write_text(path, "1");
}

/* A CPU with the registers that can go, or -1 */
static int spare_cpu(const struct core_pmu *pmu)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int cpu = pmu->cpu ? pmu->cpu : cpus - 1;
	uint64_t value;

	if (!cpu || access_msr(cpu, cfg_b(ffsll(pmu->reload_counters) - 1),
			       &value, false))
		return -1;

	return cpu;
}

/*
 * What firmware or another kernel left in the registers. A kernel that is
 * started by kexec finds them as a CPU that comes online does.
 */
TEST_F(acr, acr_b25_leftovers)
{
	int cpu = spare_cpu(self->with), idx;
	uint64_t value;

	if (cpu < 0)
		SKIP(return, "no spare CPU or no access to its registers");

	ASSERT_EQ(pin(0), 0);
	for (idx = 0; idx < 64; idx++) {
		value = self->with->cause_counters;
		if (self->with->reload_counters & 1ULL << idx)
			ASSERT_EQ(access_msr(cpu, cfg_b(idx), &value, true), 0);
	}
	ASSERT_EQ(replug(cpu), 0);
	for (idx = 0; idx < 64; idx++) {
		if (!(self->with->reload_counters & 1ULL << idx))
			continue;
		ASSERT_EQ(access_msr(cpu, cfg_b(idx), &value, false), 0);
		EXPECT_EQ(value, 0);
	}
}

/* The event is there before the CPU is, and after it */
TEST_F(acr, acr_b24_hotplug)
{
	int cpu = spare_cpu(self->with);
	struct group filter, sampler;

	if (cpu < 0)
		SKIP(return, "no spare CPU or no access to its registers");

	ASSERT_EQ(pin(cpu), 0);
	ASSERT_EQ(open_group(&filter, self->with->type, silent), 0);
	ASSERT_EQ(open_group(&sampler, self->with->type, sampling), 0);
	EXPECT_SILENT(work_samples(&filter, 0));
	ASSERT_EQ(pin(0), 0);
	ASSERT_EQ(replug(cpu), 0);
	ASSERT_EQ(pin(cpu), 0);
	EXPECT_SILENT(work_samples(&filter, 0));
	EXPECT_SAMPLES(SAMPLES, work_samples(&sampler, 0));
	close_group(&filter);
	close_group(&sampler);
}

/* What is known of the registers does not survive the CPU */
TEST_F(acr, acr_d6_cache_is_forgotten)
{
	int cpu = spare_cpu(self->with), idx, i;
	struct group filter;
	uint64_t value = 0;

	if (cpu < 0)
		SKIP(return, "no spare CPU or no access to its registers");

	ASSERT_EQ(pin(cpu), 0);
	ASSERT_EQ(open_group(&filter, self->with->type, silent), 0);
	for (i = 0; i < 2; i++) {
		EXPECT_SILENT(work_samples(&filter, 0));
		ASSERT_EQ(pin(0), 0);

		/* Both have to be written again, although they do not change */
		for (idx = 0; idx < 64; idx++) {
			if (!(self->with->reload_counters & 1ULL << idx))
				continue;
			ASSERT_EQ(access_msr(cpu, cfg_b(idx), &value, true), 0);
			ASSERT_EQ(access_msr(cpu, cfg_b(idx) + 1, &value, true),
				  0);
		}
		ASSERT_EQ(replug(cpu), 0);
		ASSERT_EQ(pin(cpu), 0);
	}
	EXPECT_SILENT(work_samples(&filter, 0));
	close_group(&filter);
}

TEST_HARNESS_MAIN
