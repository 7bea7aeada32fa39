// SPDX-License-Identifier: GPL-2.0
/*
 * Test of what reloaded events count, when they sample, and that nothing else
 * raises an interrupt.
 */
#define _GNU_SOURCE

#include "acr_group.h"

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

/* Events that need counters of others, and how often they come */
#define INTRUDERS	3
#define MOVES		40

static int read_count(const struct group *group, int member, uint64_t *count)
{
	return read(group->fd[member], count, sizeof(*count)) ==
	       sizeof(*count) ? 0 : -1;
}

static bool pauses(const struct group *group, int member)
{
	return records(group->map[member], PERF_RECORD_THROTTLE) >
	       records(group->map[member], PERF_RECORD_UNTHROTTLE);
}

/* A group that takes counters, the first ones if its events are precise */
static int open_intruder(struct group *intruder, int type, unsigned int precise)
{
	const struct member member = {
		.config		= EVENT_INSTRUCTIONS,
		.period		= 50000000,
		.precise	= precise,
	};
	unsigned int k;

	memset(intruder, 0, sizeof(*intruder));
	for (k = 0; k < INTRUDERS; k++) {
		if (add_member(intruder, type, &member))
			return -1;
	}

	return 0;
}

/*
 * Events that are new are scheduled together with all that are there. Precise
 * ones take the first counters from the last members, who get them back when
 * others are opened. A pinned group is not taken off the CPU meanwhile. Its members
 * go on with the counts that they had, not with what the last event has left on
 * their new counter.
 */
TEST_F(acr, acr_b11_moved_while_paused)
{
	static const struct member members[] = {
		{ EVENT_BRANCHES, 2000, 0 },
		{ EVENT_BRANCHES, 1 << 30, 0 },
		{ EVENT_BRANCHES, 1 << 30, 0 },
	};
	unsigned int moved = 0, i, k;
	struct group group, intruder;
	struct perf_event_attr attr;
	uint64_t last[1 + ARRAY_SIZE(members)] = {}, count;
	char rate[32];

	if (self->with->max_precise < 3)
		SKIP(return, "no PDist");
	if (read_file(SAMPLE_RATE, rate, sizeof(rate)) ||
	    set_sample_rate("1000"))
		SKIP(return, "cannot change the sample rate");

	memset(&group, 0, sizeof(group));
	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 100000, 0x2);
	attr.pinned = 1;
	attr.disabled = 1;
	ASSERT_EQ(add_event(&group, &attr), 0);
	for (k = 0; k < ARRAY_SIZE(members); k++)
		ASSERT_EQ(add_member(&group, self->with->type, &members[k]), 0);
	ASSERT_EQ(ioctl(group.fd[0], PERF_EVENT_IOC_ENABLE, 0), 0);

	for (i = 0; i < MOVES; i++) {
		uint64_t place = counter(&group, 2);
		bool paused;

		ASSERT_EQ(open_intruder(&intruder, self->with->type, i % 2 ? 0 : 3),
			  0);

		/* Not just before the tick that starts them */
		for (k = 0; k < 20 && !pauses(&group, 2); k++)
			work();
		paused = pauses(&group, 2);
		ioctl(intruder.fd[0], PERF_EVENT_IOC_ENABLE, 0);
		paused &= pauses(&group, 2);
		work();
		work();
		moved += paused && counter(&group, 2) != place;
		close_group(&intruder);

		for (k = 1; k <= ARRAY_SIZE(members); k++) {
			EXPECT_EQ(read_count(&group, k, &count), 0);
			EXPECT_GE(count, last[k]);
			EXPECT_LE(count - last[k], 30 * ROUNDS);
			last[k] = count;
		}
	}
	set_sample_rate(rate);
	EXPECT_GT(moved, 2);
	close_group(&group);
}

/*
 * The same of an event without a group. The last owner of its new counter was
 * reloaded by an event that still overflows all the time.
 */
TEST_F(acr, acr_b26_moved_to_armed_counter)
{
	static const struct member members[] = {
		{ EVENT_INSTRUCTIONS, 1000, 0x1 },
		{ EVENT_BRANCHES, 1 << 30, 0x1 },
		{ EVENT_BRANCHES, 1 << 30, 0x1 },
		{ EVENT_BRANCHES, 1 << 30, 0x1 },
		{ EVENT_BRANCHES, 1 << 30, 0x1 },
		{ EVENT_BRANCHES, 1 << 30, 0x1 },
	};
	const int last_member = ARRAY_SIZE(members) - 1;
	struct group group, intruder, paused;
	struct perf_event_attr attr;
	uint64_t last = 0, count;
	unsigned int moved = 0, i, k;
	char rate[32];

	if (self->with->max_precise < 3)
		SKIP(return, "no PDist");
	if (read_file(SAMPLE_RATE, rate, sizeof(rate)) ||
	    set_sample_rate("1000"))
		SKIP(return, "cannot change the sample rate");

	memset(&paused, 0, sizeof(paused));
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 2000, 0);
	attr.pinned = 1;
	ASSERT_EQ(add_event(&paused, &attr), 0);
	memset(&group, 0, sizeof(group));
	for (k = 0; k < ARRAY_SIZE(members); k++) {
		init_attr(&attr, self->with->type, members[k].config,
			  members[k].period, members[k].mask);
		attr.pinned = !k;
		ASSERT_EQ(add_event(&group, &attr), 0);
	}

	for (i = 0; i < MOVES; i++) {
		uint64_t place = counter(&paused, 0), armed;
		bool throttled;

		ASSERT_EQ(open_intruder(&intruder, self->with->type, 3), 0);
		armed = counter(&group, last_member);
		ioctl(group.fd[last_member], PERF_EVENT_IOC_DISABLE, 0);

		/* Not just before the tick that starts it */
		for (k = 0; k < 20 && !pauses(&paused, 0); k++)
			work();
		throttled = pauses(&paused, 0);
		ioctl(intruder.fd[0], PERF_EVENT_IOC_ENABLE, 0);
		spin(10000);
		throttled &= pauses(&paused, 0);
		work();
		work();
		moved += throttled && counter(&paused, 0) == armed &&
			 place != armed;
		close_group(&intruder);
		ioctl(group.fd[last_member], PERF_EVENT_IOC_ENABLE, 0);

		EXPECT_EQ(read_count(&paused, 0, &count), 0);
		EXPECT_GE(count, last);
		EXPECT_LE(count - last, 30 * ROUNDS);
		last = count;
	}
	set_sample_rate(rate);
	EXPECT_GT(moved, 2);
	close_group(&group);
	close_group(&paused);
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

/* A limit of samples, after which the kernel disables the event */
#define LIMIT		200

/* As a member is enabled and disabled by others, so it is by its limit */
TEST_F(acr, acr_b12_refreshed_member)
{
	static const struct member members[] = {
		{ EVENT_INSTRUCTIONS, 100000, 0x2 },
		{ EVENT_BRANCHES, 1000, 0, .disabled = true },
		{}
	};
	unsigned long reloaded = LIMIT * 1000UL * ROUND_INSNS, before;
	struct group group;
	uint64_t causes;
	int i;

	ASSERT_EQ(open_group(&group, self->with->type, members), 0);
	for (i = 0; i < 3; i++) {
		before = samples(group.map[1]);
		ASSERT_EQ(ioctl(group.fd[1], PERF_EVENT_IOC_REFRESH, LIMIT), 0);
		EXPECT_SAMPLES((INSNS - reloaded) / 100000,
			       work_samples(&group, 0));
		EXPECT_EQ(samples(group.map[1]) - before, LIMIT);
		EXPECT_EQ(counter(&group, 1), 0);
		if (!access_msr(self->with->cpu,
				cfg_b(ffsll(counter(&group, 0)) - 1), &causes,
				false))
			EXPECT_EQ(causes, 0);
	}

	/* One that is not reached */
	ASSERT_EQ(ioctl(group.fd[1], PERF_EVENT_IOC_REFRESH, ROUNDS), 0);
	EXPECT_SILENT(work_samples(&group, 0));
	close_group(&group);

	/* It never takes a sample, and goes on for ever */
	ASSERT_EQ(open_group(&group, self->with->type, silent), 0);
	ASSERT_EQ(ioctl(group.fd[1], PERF_EVENT_IOC_REFRESH, 1), 0);
	for (i = 0; i < 2; i++)
		EXPECT_SILENT(work_samples(&group, 0));
	close_group(&group);
}

/* With its leader, the group is off */
TEST_F(acr, acr_b12_refreshed_leader)
{
	struct group group;
	int i;

	ASSERT_EQ(open_group(&group, self->with->type, sampling), 0);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(ioctl(group.fd[0], PERF_EVENT_IOC_REFRESH, 10), 0);
		EXPECT_EQ(work_samples(&group, 0), 10);
		EXPECT_EQ(counter(&group, 0) | counter(&group, 1), 0);
	}
	EXPECT_EQ(samples(group.map[1]), 0);
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

TEST_HARNESS_MAIN
