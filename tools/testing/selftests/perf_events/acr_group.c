// SPDX-License-Identifier: GPL-2.0
/*
 * Test of Intel auto counter reload while a group changes: members that are
 * disabled, closed, refused, inherited, moved, or whose CPU goes.
 */
#define _GNU_SOURCE

#include "acr_group.h"

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
			if (self->with->everywhere || cpu == self->with->cpu)
				EXPECT_SAMPLES(SAMPLES, work_samples(&sampler, 0));
		}
	}
	close_group(&filter);
	close_group(&sampler);
}

#define MSR_ARCH_LBR_DEPTH	0x14cf
#define TOGGLES			100

/* How often the branch records are reset while an event goes and comes, or < 0 */
static int resets(const struct core_pmu *pmu, int fd)
{
	uint64_t before, after, msr = MSR_ARCH_LBR_DEPTH;
	int i;

	if (access_msr(pmu->cpu, PMUSIM_INDEX, &msr, true) ||
	    access_msr(pmu->cpu, PMUSIM_INDEX_WRITES, &before, false))
		return -1;
	for (i = 0; i < TOGGLES; i++) {
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	}
	access_msr(pmu->cpu, PMUSIM_INDEX_WRITES, &after, false);

	return after - before;
}

/* The leader of those with branch counters resets the branch records of all */
TEST_F(acr, acr_d3_refused_branch_counters)
{
	struct perf_event_attr attr;
	int leader, member;

	if (!self->with->branch_counters)
		SKIP(return, "no branch counters");

	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, MAX_PERIOD, 0);
	branch_records(&attr, PERF_SAMPLE_BRANCH_ANY);
	leader = open_attr(&attr, -1);
	ASSERT_GE(leader, 0);
	work();
	if (resets(self->with, leader) < 0)
		SKIP(return, "not emulated");
	/* Some come with context switches */
	EXPECT_LT(resets(self->with, leader), TOGGLES / 2);

	/* No call stack goes with other branches */
	branch_records(&attr, PERF_SAMPLE_BRANCH_COUNTERS |
		       PERF_SAMPLE_BRANCH_CALL_STACK |
		       PERF_SAMPLE_BRANCH_ANY_RETURN);
	EXPECT_EQ(open_attr(&attr, leader), -EINVAL);
	EXPECT_LT(resets(self->with, leader), TOGGLES / 2);

	branch_records(&attr, PERF_SAMPLE_BRANCH_COUNTERS | PERF_SAMPLE_BRANCH_ANY);
	member = open_attr(&attr, leader);
	ASSERT_GE(member, 0);
	EXPECT_GE(resets(self->with, leader), TOGGLES);
	close(member);
	close(leader);
}

/* An event that can be mapped although it is inherited */
static int add_inherited(struct group *group, int type, int cpu,
			 const struct member *member)
{
	struct perf_event_attr attr;

	init_attr(&attr, type, member->config, member->period, member->mask);
	attr.inherit = 1;

	return add_event_of(group, &attr, 0, cpu, 0);
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

static unsigned long child_samples(struct group *group)
{
	unsigned long before = samples(group->map[0]);

	work_in_child();

	return samples(group->map[0]) - before;
}

TEST_F(acr, acr_b22_inherited_member)
{
	static const struct member members[] = {
		{ EVENT_INSTRUCTIONS, 100000, 0x4 },
		{ EVENT_BRANCHES, 1000000, 0 },
		{ EVENT_BRANCHES, 1000, 0x4 },
		{}
	};
	struct group filter = {}, sampler = {};
	int i;

	for (i = 0; i < 3; i++) {
		struct member member = members[i];

		ASSERT_EQ(add_inherited(&filter, self->with->type,
					self->with->cpu, &member), 0);
		/* The third comes too late */
		member.period = 100000;
		ASSERT_EQ(add_inherited(&sampler, self->with->type,
					self->with->cpu, &member), 0);
	}
	EXPECT_SILENT(child_samples(&filter));
	EXPECT_SAMPLES(SAMPLES, child_samples(&sampler));

	/* The second is not inherited any more; the third is the third still */
	close_member(&filter, 1);
	close_member(&sampler, 1);
	EXPECT_SILENT(child_samples(&filter));
	EXPECT_SAMPLES(SAMPLES, child_samples(&sampler));
	EXPECT_EQ(samples(filter.map[2]), 0);
	close_group(&filter);
	close_group(&sampler);
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
		execl("/proc/self/exe", "acr_group", NULL);
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
