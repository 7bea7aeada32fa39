// SPDX-License-Identifier: GPL-2.0
/*
 * Test of Intel auto counter reload: what can be opened, and what sysfs says.
 * Whether the PMUs that have the format acr_mask are the right ones is checked
 * against CPUID.
 */
#define _GNU_SOURCE

#include <cpuid.h>
#include <stdlib.h>
#include <unistd.h>

#include "acr.h"

/* What CPUID says about the CPU that this runs on */
static void cpu_has_acr(uint64_t *reload, uint64_t *cause)
{
	unsigned int eax, ebx, ecx, edx;

	*reload = 0;
	*cause = 0;
	if (!__get_cpuid(0xa, &eax, &ebx, &ecx, &edx) || (eax & 0xff) < 6)
		return;
	if (!__get_cpuid_count(0x7, 1, &eax, &ebx, &ecx, &edx) || !(eax & 1 << 8))
		return;
	if (!__get_cpuid_count(0x23, 0, &eax, &ebx, &ecx, &edx) || !(eax & 1 << 2))
		return;
	if (!__get_cpuid_count(0x23, 2, &eax, &ebx, &ecx, &edx))
		return;

	*reload = eax | (uint64_t)ebx << 32;
	*cause = ecx | (uint64_t)edx << 32;
}

/* Without the fixture, which skips where sysfs has no acr_mask */
TEST(acr_e12_sysfs_agrees_with_cpuid)
{
	struct core_pmu pmus[8];
	uint64_t reload, cause;
	char text[256];
	int nr, i;

	nr = get_core_pmus(pmus, 8);
	ASSERT_GT(nr, 0);
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(pin(pmus[i].cpu), 0);
		cpu_has_acr(&reload, &cause);
		EXPECT_EQ(pmus[i].acr, reload && cause) {
			TH_LOG("%s, CPU %d", pmus[i].name, pmus[i].cpu);
		}
		EXPECT_EQ(pmus[i].reload_counters, reload);
		EXPECT_EQ(pmus[i].cause_counters, cause);
		if (!pmus[i].acr)
			continue;
		ASSERT_EQ(read_text(pmus[i].name, "format/acr_mask", text,
				    sizeof(text)), 0);
		EXPECT_STREQ(text, "config2:0-63\n");
	}
}

/* Was AnyThread there once, and is it not deprecated? */
static bool cpu_has_anythread(void)
{
	unsigned int eax, ebx, ecx, edx;

	if (!__get_cpuid(0xa, &eax, &ebx, &ecx, &edx) || (eax & 0xff) < 3)
		return false;

	return !(edx & 1 << 15);
}

/* A bit of the register, which is reserved where the feature is not there */
TEST(anythread)
{
	struct perf_event_attr attr;
	struct core_pmu pmus[8];
	char text[256];
	int nr, i, fd;

	nr = get_core_pmus(pmus, 8);
	ASSERT_GT(nr, 0);
	for (i = 0; i < nr; i++) {
		bool has;

		ASSERT_EQ(pin(pmus[i].cpu), 0);
		has = cpu_has_anythread();
		EXPECT_EQ(!read_text(pmus[i].name, "format/any", text,
				     sizeof(text)), has);
		init_attr(&attr, pmus[i].type, EVENT_ANYTHREAD, 0, 0);
		fd = open_attr(&attr, -1);
		EXPECT_EQ(fd < 0 ? fd : 0, has ? 0 : -EINVAL) {
			TH_LOG("%s", pmus[i].name);
		}
		if (fd < 0)
			continue;
		work();
		close(fd);
	}
}

static int try_leader(struct perf_event_attr *attr)
{
	int fd = open_attr(attr, -1);

	if (fd < 0)
		return fd;
	close(fd);

	return 0;
}

TEST_F(acr, acr_b13_period_limits)
{
	struct perf_event_attr attr;

	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 0, 0x2);
	EXPECT_EQ(try_leader(&attr), -EINVAL);
	attr.sample_period = MAX_PERIOD + 1;
	EXPECT_EQ(try_leader(&attr), -EINVAL);
	attr.sample_period = ~0ULL >> 1;
	EXPECT_EQ(try_leader(&attr), -EINVAL);

	attr.sample_period = MAX_PERIOD;
	EXPECT_EQ(try_leader(&attr), 0);
	attr.sample_period = 1;
	EXPECT_EQ(try_leader(&attr), 0);
}

TEST_F(acr, acr_d9_period_fits_register)
{
	struct perf_event_attr attr;

	/* 1000 in 32 bits */
	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS,
		  (1ULL << 32) + 1000, 0x2);
	EXPECT_EQ(try_leader(&attr), -EINVAL);

	/* A counting event would reload to 1 */
	attr.sample_period = 0;
	EXPECT_EQ(try_leader(&attr), -EINVAL);
}

TEST_F(acr, acr_d8_changed_period_has_limits)
{
	static const uint64_t bad[] = { MAX_PERIOD + 1, 1ULL << 32, 1ULL << 46 };
	struct perf_event_attr attr;
	uint64_t value;
	int fd, i;

	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 1000, 0x2);
	fd = open_attr(&attr, -1);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 3; i++) {
		value = bad[i];
		EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_PERIOD, &value), -1);
		EXPECT_EQ(errno, EINVAL);
	}
	value = 50000;
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_PERIOD, &value), 0);
	close(fd);
}

TEST_F(acr, acr_b14_frequency)
{
	struct perf_event_attr attr;
	int leader;

	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 1000, 0x2);
	attr.freq = 1;
	EXPECT_EQ(try_leader(&attr), -EINVAL);

	/* Opened before the member that names it */
	attr.config2 = 0;
	leader = open_attr(&attr, -1);
	ASSERT_GE(leader, 0);
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000, 0x1);
	EXPECT_EQ(open_attr(&attr, leader), -EINVAL);
	close(leader);

	/* Named before it is opened */
	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 1000, 0x2);
	leader = open_attr(&attr, -1);
	ASSERT_GE(leader, 0);
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000, 0);
	attr.freq = 1;
	EXPECT_EQ(open_attr(&attr, leader), -EINVAL);
	close(leader);
}

TEST_F(acr, acr_b16_precise_member)
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
	attr.precise_ip = 2;
	EXPECT_EQ(try_leader(&attr), 0);
}

static int try_pdist_cause(int type, bool disabled)
{
	struct perf_event_attr attr;
	int leader, member, cause;

	init_attr(&attr, type, EVENT_BRANCHES, 1000, 0);
	leader = open_attr(&attr, -1);
	if (leader < 0)
		return leader;
	init_attr(&attr, type, EVENT_BRANCHES, 1000, 0x4);
	attr.disabled = disabled;
	member = open_attr(&attr, leader);
	init_attr(&attr, type, EVENT_INSTRUCTIONS, 100000, 0);
	attr.precise_ip = 3;
	cause = open_attr(&attr, leader);
	close(leader);
	if (member < 0)
		return member;
	close(member);
	if (cause < 0)
		return cause;
	close(cause);

	return 0;
}

TEST_F(acr, acr_b17_pdist)
{
	struct perf_event_attr attr;
	int able;

	if (self->with->max_precise < 3)
		SKIP(return, "no PDist");

	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 1000, 0);
	attr.precise_ip = 3;
	ASSERT_EQ(try_leader(&attr), 0);
	attr.config2 = 0x2;
	EXPECT_EQ(try_leader(&attr), -EINVAL);

	able = self->with->cause_counters & PDIST_COUNTERS;
	EXPECT_EQ(try_pdist_cause(self->with->type, false), able ? 0 : -EINVAL);
}

/* The mask of a member that is disabled meanwhile will count as well */
TEST_F(acr, acr_d10_cause_only_member)
{
	int able = self->with->cause_counters & PDIST_COUNTERS;

	if (self->with->max_precise < 3)
		SKIP(return, "no PDist");

	EXPECT_EQ(try_pdist_cause(self->with->type, true), able ? 0 : -EINVAL);
}

/*
 * Named when it is there already, and off: it would stop the group when it is
 * enabled.
 */
TEST_F(acr, acr_d10_disabled_cause)
{
	int able = self->with->cause_counters & PDIST_COUNTERS;
	struct perf_event_attr attr;
	int leader, cause, member;

	if (self->with->max_precise < 3)
		SKIP(return, "no PDist");

	init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000, 0);
	leader = open_attr(&attr, -1);
	ASSERT_GE(leader, 0);
	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 100000, 0);
	attr.precise_ip = 3;
	attr.disabled = 1;
	cause = open_attr(&attr, leader);
	ASSERT_GE(cause, 0);
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000, 0x2);
	member = open_attr(&attr, leader);
	EXPECT_EQ(member < 0 ? member : 0, able ? 0 : -EINVAL);
	close(member);

	/* Others may do what they like */
	attr.config2 = 0x1;
	member = open_attr(&attr, leader);
	EXPECT_GE(member, 0);
	close(member);
	close(cause);
	close(leader);
}

/* Only in a group without reloads is the frequency nobody's business */
TEST_F(acr, acr_d13_frequency_first)
{
	struct perf_event_attr attr;
	int leader, member;

	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 1000, 0);
	attr.freq = 1;
	leader = open_attr(&attr, -1);
	ASSERT_GE(leader, 0);
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000, 0x3);
	EXPECT_EQ(open_attr(&attr, leader), -EINVAL);
	attr.config2 = 0x2;
	member = open_attr(&attr, leader);
	EXPECT_GE(member, 0);
	close(member);
	close(leader);
}

/* Slots and metrics, whether or not this PMU has them */
TEST_F(acr, acr_b20_topdown)
{
	static const uint64_t configs[] = { 0x0400, 0x8000, 0x8300 };
	struct perf_event_attr attr;
	int leader, i;

	for (i = 0; i < 3; i++) {
		init_attr(&attr, self->with->type, configs[i], 1000, 0x2);
		EXPECT_EQ(try_leader(&attr), -EINVAL);
	}

	init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000, 0x2);
	leader = open_attr(&attr, -1);
	ASSERT_GE(leader, 0);
	init_attr(&attr, self->with->type, 0x8000, 1000, 0);
	EXPECT_EQ(open_attr(&attr, leader), -EINVAL);
	close(leader);
}

TEST_F(acr, acr_b4_software_members)
{
	struct perf_event_attr attr, software;
	int leader, middle;

	init_attr(&software, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, 0);

	/* As leader: only without a reload */
	leader = open_attr(&software, -1);
	ASSERT_GE(leader, 0);
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000, 0x1);
	EXPECT_EQ(open_attr(&attr, leader), -EINVAL);
	attr.config2 = 0;
	middle = open_attr(&attr, leader);
	EXPECT_GE(middle, 0);
	close(middle);
	close(leader);

	/* Between members */
	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 1000, 0x2);
	leader = open_attr(&attr, -1);
	ASSERT_GE(leader, 0);
	middle = open_attr(&software, leader);
	ASSERT_GE(middle, 0);
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000, 0x3);
	EXPECT_EQ(open_attr(&attr, leader), -EINVAL);
	attr.config2 = 0;
	EXPECT_EQ(open_attr(&attr, leader), -EINVAL);
	close(middle);
	close(leader);
}

/* Members are opened one by one: a bit may become valid later */
TEST_F(acr, acr_b2_mask_beyond_group)
{
	struct perf_event_attr attr;

	init_attr(&attr, self->with->type, EVENT_INSTRUCTIONS, 1000, 1ULL << 63);
	EXPECT_EQ(try_leader(&attr), 0);

	/* But there are not that many counters */
	attr.config2 = ~0ULL;
	EXPECT_EQ(try_leader(&attr), -EINVAL);
}

/* On processors that have none at all as well */
TEST(acr_d12_pmu_without_reload)
{
	struct perf_event_attr attr;
	struct core_pmu pmu[8];
	int i, nr, without = 0;

	nr = get_core_pmus(pmu, 8);
	ASSERT_GT(nr, 0);
	for (i = 0; i < nr; i++) {
		if (pmu[i].acr)
			continue;
		without++;
		ASSERT_EQ(pin(pmu[i].cpu), 0);
		init_attr(&attr, pmu[i].type, EVENT_INSTRUCTIONS, 1000, 0);
		EXPECT_EQ(try_leader(&attr), 0);
		attr.config2 = 0x1;
		EXPECT_EQ(try_leader(&attr), -EINVAL);
	}
	if (!without)
		SKIP(return, "all PMUs have acr_mask");
}

TEST_F(acr, acr_b21_two_pmus)
{
	struct perf_event_attr attr;
	int leader, i;

	if (self->nr < 2)
		SKIP(return, "one core PMU only");
	for (i = 0; i < self->nr; i++) {
		struct core_pmu *pmu = &self->pmu[i];

		if (pmu == self->with)
			continue;
		init_attr(&attr, pmu->type, EVENT_INSTRUCTIONS, 1000, 0);
		leader = open_attr(&attr, -1);
		ASSERT_GE(leader, 0);
		init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000, 0x3);
		EXPECT_EQ(open_attr(&attr, leader), -EINVAL);
		close(leader);

		init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000, 0x2);
		leader = open_attr(&attr, -1);
		ASSERT_GE(leader, 0);
		init_attr(&attr, pmu->type, EVENT_INSTRUCTIONS, 1000, 0);
		EXPECT_EQ(open_attr(&attr, leader), -EINVAL);
		close(leader);
	}
}

/* Whatever anybody asks for: the console must have nothing to say about it */
static void open_anything(int type)
{
	unsigned int round, i;
	int fd[8], leader;

	srandom(1);
	for (round = 0; round < 500; round++) {
		struct perf_event_attr attr;
		unsigned int n = 0;

		leader = -1;
		while (n < 8 && random() % 8) {
			init_attr(&attr, random() % 8 ? type : PERF_TYPE_SOFTWARE,
				  random() % 4 ? EVENT_BRANCHES :
						 EVENT_INSTRUCTIONS,
				  1 + (random() >> random() % 31),
				  (uint64_t)random() << random() % 33 >>
				  random() % 64);
			attr.precise_ip = random() % 16 ? 0 : random() % 4;
			attr.disabled = random() % 4 == 0;
			attr.freq = random() % 16 == 0;
			if (attr.freq)
				attr.sample_period %= 1000;
			attr.inherit = random() % 4 == 0;
			fd[n] = open_attr(&attr, leader);
			if (fd[n] < 0)
				continue;
			if (!n)
				leader = fd[0];
			n++;
		}
		for (i = 0; i < 1000; i++)
			asm volatile("");
		for (i = 0; i < n; i++)
			close(fd[i]);
	}
}

TEST_F(acr, acr_b32_unprivileged)
{
	struct perf_event_attr attr;

	ASSERT_EQ(setresuid(65534, 65534, 65534), 0);
	init_attr(&attr, self->with->type, EVENT_BRANCHES, 1000, 0xcb);
	ASSERT_EQ(try_leader(&attr), 0);
	open_anything(self->with->type);
}

TEST_HARNESS_MAIN
