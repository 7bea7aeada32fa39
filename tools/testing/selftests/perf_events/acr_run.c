// SPDX-License-Identifier: GPL-2.0
/*
 * Test of Intel auto counter reload while events run: which counters the members
 * of a group are on, and which of them sample, whoever else is there.
 *
 * The workload has 22 instructions a branch. A filter of both is silent when the
 * branches reach their period first, which reloads both counters each time.
 */
#define _GNU_SOURCE

#include <pthread.h>
#include <time.h>

#include <sys/mount.h>
#include <sys/stat.h>

#include "acr_group.h"

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

TEST_F(acr, acr_e12_accepted_is_programmed)
{
	struct group group;

	ASSERT_EQ(open_group(&group, self->with->type, silent), 0);
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

/* The cause is one of PDist, which few counters do */
TEST_F(acr, acr_b17_pdist_cause)
{
	uint64_t able = self->with->cause_counters & PDIST_COUNTERS;
	struct perf_event_attr attr;
	struct group group = {};

	if (self->with->max_precise < 3)
		SKIP(return, "no PDist");

	ASSERT_EQ(add_member(&group, self->with->type, &silent[0]), 0);
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000, 0);
	attr.precise_ip = 3;
	/* Records are not buffered then, and its counter is told */
	attr.wakeup_events = 1;
	ASSERT_EQ(add_event(&group, &attr), able ? 0 : -EINVAL);
	ASSERT_EQ(ioctl(group.fd[0], PERF_EVENT_IOC_ENABLE, 0), 0);
	if (able) {
		EXPECT_SILENT(work_samples(&group, 0));
		EXPECT_SAMPLES(ROUNDS / 1000, samples(group.map[1]));
		EXPECT_NE(counter(&group, 1), 0);
		EXPECT_EQ(counter(&group, 1) & ~able, 0);
	} else {
		EXPECT_SAMPLES(SAMPLES, work_samples(&group, 0));
	}
	close_group(&group);
}

/**
 * struct opener - Another thread that opens events of this one
 * @barrier:	it opens one between two waits
 * @attr:	the event
 * @task:	task of the event
 * @cpu:	where the thread runs
 * @leader:	group leader, or -1 to end
 * @fd:		what it has opened, or the negative error
 */
struct opener {
	pthread_barrier_t	barrier;
	struct perf_event_attr	attr;
	int			task;
	int			cpu;
	int			leader;
	int			fd;
};

static void *open_at_once(void *data)
{
	struct opener *opener = data;

	pin(opener->cpu);
	for (;;) {
		pthread_barrier_wait(&opener->barrier);
		if (opener->leader < 0)
			return NULL;
		opener->fd = syscall(SYS_perf_event_open, &opener->attr,
				     opener->task, -1, opener->leader, 0);
		if (opener->fd < 0)
			opener->fd = -errno;
		pthread_barrier_wait(&opener->barrier);
	}
}

/* As many as there is time for */
#define RACES		10000
#define RACE_SECONDS	15
#define DELAY		20

/*
 * One that names member 2, and one of PDist that becomes member 2 if it comes
 * second. Both are fine as long as they do not see each other, and together they
 * would never run. The delay is led to where none is always the first.
 */
TEST_F(acr, acr_b30_opened_at_once)
{
	int together = 0, refused = 0, never = 0, delay = 0, first, i;
	struct opener opener = {};
	struct perf_event_attr attr;
	pthread_t thread;
	time_t end;

	if (self->with->max_precise < 3 ||
	    self->with->cause_counters & PDIST_COUNTERS)
		SKIP(return, "no PDist, or on counters that are causes");

	init_attr(&opener.attr, self->with->type, EVENT_INSTRUCTIONS, 100000, 0);
	opener.attr.precise_ip = 3;
	opener.task = getpid();
	opener.cpu = !self->with->cpu;
	pthread_barrier_init(&opener.barrier, NULL, 2);
	ASSERT_EQ(pthread_create(&thread, NULL, open_at_once, &opener), 0);

	/* The first of all events is slow: keep one */
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000000, 0x1);
	first = open_attr(&attr, -1);
	ASSERT_GE(first, 0);

	end = time(NULL) + RACE_SECONDS;
	for (i = 0; i < RACES && time(NULL) < end; i++) {
		int leader, fd;
		uint64_t count = 0;

		init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000000, 0);
		attr.disabled = 1;
		leader = open_attr(&attr, -1);
		ASSERT_GE(leader, 0);

		init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 100000,
			  0x4);
		opener.leader = leader;
		pthread_barrier_wait(&opener.barrier);
		spin(delay);
		fd = open_attr(&attr, leader);
		pthread_barrier_wait(&opener.barrier);

		EXPECT_GE(fd, 0);
		if (opener.fd < 0) {
			EXPECT_EQ(opener.fd, -EINVAL);
			refused++;
			delay += DELAY;
		} else {
			ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
			spin(1000);
			EXPECT_EQ(read(leader, &count, sizeof(count)),
				  sizeof(count));
			together++;
			delay -= delay ? DELAY : 0;
			never += !count;
			close(opener.fd);
		}
		close(fd);
		close(leader);
	}
	opener.leader = -1;
	pthread_barrier_wait(&opener.barrier);
	pthread_join(thread, NULL);
	close(first);

	EXPECT_EQ(never, 0);
	/* In both orders */
	EXPECT_GT(together, 0);
	EXPECT_GT(refused, 0);
}

static void branch_counters(struct perf_event_attr *attr)
{
	branch_records(attr, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_COUNTERS);
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

	return add_event_of(group, &attr, -1, pmu->cpu, 0);
}

/* The constraint of a new event must not become that of an old one */
TEST_F(acr, acr_d11_constraints_are_not_shared)
{
	static const struct member alone = { EVENT_BRANCHES, 1000, 0x1 };
	uint64_t logged = (1ULL << self->with->branch_counters) - 1;
	struct group old[4], new = {};
	struct perf_event_attr attr;
	int round, first, fd, i;

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

	/*
	 * The others move up on the list, the new one takes the last place. The
	 * next context switch sets everything right: look at once, and often.
	 */
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 100000, 0);
	branch_counters(&attr);
	for (round = 0; round < 40; round++) {
		first = old[round % 4].fd[0];
		ASSERT_EQ(ioctl(first, PERF_EVENT_IOC_DISABLE, 0), 0);
		fd = open_attr(&attr, -1);
		ASSERT_GE(fd, 0);
		for (i = 0; i < 4; i++)
			EXPECT_EQ(counter(&old[i], 0) &
				  ~self->with->reload_counters, 0);
		close(fd);
		ASSERT_EQ(ioctl(first, PERF_EVENT_IOC_ENABLE, 0), 0);
	}

	ASSERT_EQ(ioctl(old[0].fd[0], PERF_EVENT_IOC_DISABLE, 0), 0);
	ASSERT_EQ(add_event(&new, &attr), 0);
	for (i = 1; i < 4; i++) {
		EXPECT_EQ(work_samples(&old[i], 0), 0);
		EXPECT_NE(counter(&old[i], 0), 0);
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

/* Half of the counters that can be reloaded, and one more */
#define PINNED_MEMBERS	4

/* Nor is there room beside one that is pinned, and not exclusive */
TEST_F(acr, acr_b29_pinned_beside_pinned)
{
	static const struct member members[PINNED_MEMBERS] = {
		{ EVENT_INSTRUCTIONS, 100000, 0x2 },
		{ EVENT_BRANCHES, 100000, 0x3 },
		{ EVENT_BRANCHES, 100000, 0x2 },
		{ EVENT_INSTRUCTIONS, 100000000, 0x2 },
	};
	struct group group[2] = {};
	struct perf_event_attr attr;
	uint64_t count, before;
	int i, k;

	for (i = 0; i < 2; i++) {
		init_attr(&attr, self->with->type, members[0].config,
			  members[0].period, members[0].mask);
		attr.pinned = 1;
		attr.disabled = 1;
		ASSERT_EQ(add_event(&group[i], &attr), 0);
		for (k = 1; k < PINNED_MEMBERS; k++)
			ASSERT_EQ(add_member(&group[i], self->with->type,
					     &members[k]), 0);
	}

	ASSERT_EQ(ioctl(group[0].fd[0], PERF_EVENT_IOC_ENABLE, 0), 0);
	EXPECT_SAMPLES(SAMPLES, work_samples(&group[0], 0));
	ASSERT_EQ(read(group[0].fd[0], &before, sizeof(before)),
		  sizeof(before));
	ASSERT_EQ(ioctl(group[1].fd[0], PERF_EVENT_IOC_ENABLE, 0), 0);
	EXPECT_SAMPLES(SAMPLES, work_samples(&group[0], 0));
	EXPECT_EQ(samples(group[1].map[0]), 0);
	EXPECT_EQ(read(group[1].fd[0], &count, sizeof(count)), 0);
	EXPECT_EQ(read(group[0].fd[0], &count, sizeof(count)), sizeof(count));
	EXPECT_GT(count, before);

	/* It is well apart from that */
	close_group(&group[0]);
	ASSERT_EQ(ioctl(group[1].fd[0], PERF_EVENT_IOC_ENABLE, 0), 0);
	EXPECT_SAMPLES(SAMPLES, work_samples(&group[1], 0));
	EXPECT_EQ(read(group[1].fd[0], &count, sizeof(count)), sizeof(count));
	close_group(&group[1]);
}

/* A mount of its own for the cgroups of one test */
static int mount_cgroups(char *root)
{
	if (!mkdtemp(root))
		return -1;
	if (!mount("none", root, "cgroup", 0, "perf_event"))
		return 0;
	rmdir(root);

	return -1;
}

static void cgroup_path(char *path, size_t size, const char *root,
			const char *cgroup, const char *file)
{
	snprintf(path, size, "%s/%s%s", root, cgroup, file);
}

/* Move this task. The root's name is empty. */
static int enter_cgroup(const char *root, const char *cgroup)
{
	char path[128];

	cgroup_path(path, sizeof(path), root, cgroup, "/cgroup.procs");

	return write_text(path, "0");
}

/* A new cgroup, and @members in it on the PMU's CPU */
static int open_cgroup(struct group *group, struct core_pmu *pmu,
		       const char *root, const char *cgroup,
		       const struct member *members)
{
	struct perf_event_attr attr;
	char path[128];
	int fd, ret;

	memset(group, 0, sizeof(*group));
	cgroup_path(path, sizeof(path), root, cgroup, "");
	if (mkdir(path, 0755))
		return -errno;
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	for (ret = 0; !ret && members->config; members++) {
		init_attr(&attr, pmu->type, members->config, members->period,
			  members->mask);
		ret = add_event_of(group, &attr, fd, pmu->cpu,
				   PERF_FLAG_PID_CGROUP);
	}
	close(fd);

	return ret;
}

static void close_cgroup(struct group *group, const char *root,
			 const char *cgroup)
{
	char path[128];

	close_group(group);
	cgroup_path(path, sizeof(path), root, cgroup, "");
	rmdir(path);
}

static pid_t work_in_cgroup(const char *root, const char *cgroup, int times)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (enter_cgroup(root, cgroup))
		_exit(1);
	while (times--) {
		work();
		sched_yield();
	}
	_exit(0);
}

/*
 * All members run with tasks of their cgroup, and none with others. The counters
 * of one cgroup's group are those of the other's, too.
 */
TEST_F(acr, acr_b29_cgroup)
{
	char root[] = "/tmp/acr.XXXXXX";
	struct group filter, sampler;
	int status, i;
	pid_t pid[2];

	if (mount_cgroups(root))
		SKIP(return, "cannot mount cgroups");

	ASSERT_EQ(open_cgroup(&filter, self->with, root, "filter", silent), 0);
	ASSERT_EQ(open_cgroup(&sampler, self->with, root, "sampler", sampling),
		  0);
	work();
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(samples(filter.map[i]) + samples(sampler.map[i]), 0);
		EXPECT_EQ(counter(&filter, i) | counter(&sampler, i), 0);
	}

	ASSERT_EQ(enter_cgroup(root, "filter"), 0);
	for (i = 0; i < 2; i++) {
		EXPECT_NE(counter(&filter, i), 0);
		EXPECT_EQ(counter(&sampler, i), 0);
	}
	ASSERT_EQ(enter_cgroup(root, "sampler"), 0);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(counter(&filter, i), 0);
		EXPECT_NE(counter(&sampler, i), 0);
	}
	ASSERT_EQ(enter_cgroup(root, ""), 0);

	pid[0] = work_in_cgroup(root, "filter", 20);
	pid[1] = work_in_cgroup(root, "sampler", 20);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(waitpid(pid[i], &status, 0), pid[i]);
		EXPECT_EQ(status, 0);
	}
	EXPECT_SILENT(samples(filter.map[0]));
	EXPECT_SAMPLES(20 * SAMPLES, samples(sampler.map[0]));
	EXPECT_EQ(samples(filter.map[1]) + samples(sampler.map[1]), 0);

	close_cgroup(&filter, root, "filter");
	close_cgroup(&sampler, root, "sampler");
	umount(root);
	rmdir(root);
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

TEST_HARNESS_MAIN
