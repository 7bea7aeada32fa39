// SPDX-License-Identifier: GPL-2.0
/*
 * Test of counter freezing by consent: who has a say, and that nobody else's
 * counts change.
 */
#define _GNU_SOURCE

#include <sys/resource.h>

#include "pmi.h"

/* Longer than any test */
#define RR_PERIOD		0x10000000000ULL

TEST_F(pmi, accesses_frozen)
{
	if (!pmu.emulated)
		SKIP(return, "not emulated");
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	accesses(_metadata, EVENT_INSTRUCTIONS, 0, CONSENT, 1, 2);
	accesses(_metadata, EVENT_BRANCHES, 0, CONSENT, 1, 2);
	if (pmu.max_precise)
		accesses(_metadata, EVENT_INSTRUCTIONS, 1, CONSENT, 1, 1);
}

TEST_F(pmi, pmi_3_branches_frozen)
{
	inject(_metadata, STATUS_LBR_FRZ, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	inject(_metadata, STATUS_LBR_FRZ, CONSENT);
}

/*
 * Consent
 */

TEST_F(pmi, config3)
{
	int bit, fd;

	for (bit = 0; bit < 64; bit++) {
		fd = open_event(EVENT_INSTRUCTIONS, 10007, 1ULL << bit);
		EXPECT_TRUE(bit || !pmu.freeze ? fd == -EINVAL : fd >= 0);
		if (fd >= 0)
			close(fd);
	}
}

/* What is read of the group is as of the overflow: all members have a say */
TEST_F(pmi, pmi_13_group_read)
{
	struct perf_event_attr attr;
	int leader, member;

	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	init_attr(&attr, EVENT_INSTRUCTIONS, 10007, CONSENT);
	attr.sample_type |= PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP;
	leader = open_attr(&attr, -1);
	ASSERT_GE(leader, 0);
	work(1000);
	EXPECT_STREQ(state(), "active");

	init_attr(&attr, EVENT_BRANCHES, 100003, 0);
	attr.read_format = PERF_FORMAT_GROUP;
	attr.disabled = 1;
	member = open_attr(&attr, leader);
	ASSERT_GE(member, 0);
	work(1000);
	/* Also while it is disabled */
	restart(leader);
	EXPECT_STREQ(state(), "group read without consent");
	close(member);

	attr.config3 = CONSENT;
	attr.disabled = 0;
	member = open_attr(&attr, leader);
	ASSERT_GE(member, 0);
	work(1000);
	EXPECT_STREQ(state(), "active");
	close(member);
	close(leader);
}

#define GROUP_PERIOD	10007

struct values {
	unsigned long	samples;
	unsigned long	checked;
	unsigned long	late;
	unsigned long	moved;
	unsigned long	wrong;
	uint64_t	instructions;
	uint64_t	branches;
	uint64_t	position;
	bool		known;
};

/*
 * From the address of the last sample on, the instructions that were counted
 * tell the branches among them and the address to which they lead: that of this
 * sample, if they were read as of its PMI.
 */
static void take_values(struct perf_event_header *header, void *arg)
{
	struct {
		struct perf_event_header header;
		uint64_t ip;
		uint64_t nr;
		uint64_t instructions;
		uint64_t branches;
	} *sample = (void *)header;
	struct values *values = arg;
	uint64_t at = sample->ip - (uintptr_t)work_start, position, counted;
	bool known = at < (uintptr_t)work_end - (uintptr_t)work_start;

	if (header->type != PERF_RECORD_SAMPLE)
		return;
	/* Behind 20 instructions of one byte are two longer ones */
	position = at <= 20 ? at : 21;
	counted = sample->instructions - values->instructions;
	values->samples++;
	values->late += sample->instructions % GROUP_PERIOD != 0;
	if (known && values->known) {
		uint64_t end = values->position + counted;

		values->checked++;
		values->wrong += sample->nr != 2 ||
				 sample->branches - values->branches !=
				 end / ROUND_INSNS;
		values->moved += end % ROUND_INSNS != position;
	}
	values->instructions = sample->instructions;
	values->branches = sample->branches;
	values->position = position;
	values->known = known;
}

/* Members that sample, as a counting event would keep counters from freezing */
static void read_values(struct __test_metadata *_metadata,
			struct values *values, uint64_t consent)
{
	struct perf_event_attr attr;
	int leader, member;
	void *map;

	init_attr(&attr, EVENT_INSTRUCTIONS, GROUP_PERIOD, consent);
	attr.sample_type |= PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP;
	attr.disabled = 1;
	leader = open_attr(&attr, -1);
	ASSERT_GE(leader, 0);
	init_attr(&attr, EVENT_BRANCHES, 1ULL << 40, consent);
	attr.read_format = PERF_FORMAT_GROUP;
	member = open_attr(&attr, leader);
	ASSERT_GE(member, 0);
	map = map_event(leader);
	ASSERT_NE(map, NULL);

	memset(values, 0, sizeof(*values));
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_STREQ(state(), consent ? "active" : "event without consent");
	work(5 * ROUNDS);
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	walk(map, take_values, values);
	unmap_event(map);
	close(member);
	close(leader);
	TH_LOG("%lu samples, %lu checked, %lu late, %lu moved, %lu wrong",
	       values->samples, values->checked, values->late, values->moved,
	       values->wrong);
	EXPECT_GT(values->samples, 1000);
	EXPECT_GT(values->checked, 1000);
	EXPECT_EQ(values->wrong, 0);
}

/* Frozen, all that is read is as of the overflow; else as of the PMI */
TEST_F(pmi, pmi_13_group_values)
{
	struct values thawed, frozen;

	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	read_values(_metadata, &thawed, 0);
	EXPECT_EQ(thawed.moved, 0);

	read_values(_metadata, &frozen, CONSENT);
	EXPECT_EQ(frozen.late, 0);
	/* Its address is as late as ever. The counts have not moved there. */
	EXPECT_EQ(thawed.late > 500, frozen.moved > 500);
}

#define MAX_IPS	4096

struct ips {
	unsigned long	n;
	uint64_t	ip[MAX_IPS];
};

static void take_ip(struct perf_event_header *header, void *arg)
{
	struct ips *ips = arg;

	if (header->type == PERF_RECORD_SAMPLE && ips->n < MAX_IPS)
		ips->ip[ips->n++] = *(uint64_t *)(header + 1);
}

/* The same code from the same instruction on */
static void take_ips(struct ips *ips, uint64_t consent)
{
	struct perf_event_attr attr;
	void *map;
	int fd;

	init_attr(&attr, EVENT_INSTRUCTIONS, 10007, consent);
	attr.disabled = 1;
	fd = open_attr(&attr, -1);
	map = map_event(fd);
	memset(ips, 0, sizeof(*ips));
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work(5 * ROUNDS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	walk(map, take_ip, ips);
	unmap_event(map);
	close(fd);
}

TEST_F(pmi, pmi_14_same_addresses)
{
	static struct ips thawed, frozen;

	if (!pmu.emulated)
		SKIP(return, "not emulated");
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	take_ips(&thawed, 0);
	take_ips(&frozen, CONSENT);
	EXPECT_GT(thawed.n, 1000);
	EXPECT_EQ(thawed.n, frozen.n);
	EXPECT_EQ(memcmp(&thawed, &frozen, sizeof(thawed)), 0);
}

/*
 * Instructions from one ioctl to the other, by an event of its own. With a
 * period it is one whose count matters nevertheless, like those of debuggers
 * that replay a program.
 */
static uint64_t counted_work(unsigned long rounds, uint64_t period)
{
	struct perf_event_attr attr;
	uint64_t n;
	int fd;

	init_attr(&attr, EVENT_INSTRUCTIONS, period, 0);
	attr.disabled = 1;
	fd = open_attr(&attr, -1);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work(rounds);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	n = count(fd);
	close(fd);

	return n;
}

/* A count beside a sampler that may be frozen is what it is without one */
TEST_F(pmi, pmi_15_independence)
{
	uint64_t alone, beside, pmis;
	int fd, i;

	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	alone = counted_work(10 * ROUNDS, 0);
	EXPECT_GE(alone, 10 * ROUNDS * ROUND_INSNS);

	fd = open_event(EVENT_BRANCHES, 97, CONSENT);
	ASSERT_GE(fd, 0);
	work(1000);
	EXPECT_STREQ(state(), "active");
	pmis = rdmsr(PMUSIM_PMIS);
	for (i = 0; i < 4; i++) {
		beside = counted_work(10 * ROUNDS, i % 2 ? RR_PERIOD : 0);
		EXPECT_EQ(beside, alone);
	}
	pmis = rdmsr(PMUSIM_PMIS) - pmis;
	TH_LOG("%llu instructions, %llu PMIs", (unsigned long long)alone,
	       (unsigned long long)pmis);
	EXPECT_TRUE(!pmu.emulated || pmis >= 10000);
	work(1000);
	EXPECT_STREQ(state(), "active");
	close(fd);
}

/* Whatever joins or leaves in the middle of it */
TEST_F(pmi, pmi_15_joining_and_leaving)
{
	struct perf_event_attr attr;
	int fd, sampler[3] = {}, i;
	uint64_t alone, total;

	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	init_attr(&attr, EVENT_INSTRUCTIONS, 0, 0);
	attr.disabled = 1;
	/* What a turn costs without the samplers, the system calls included */
	for (i = 0, alone = 0, total = 0; i < 40; i++) {
		int s = i % 3;

		if (i >= 20 && sampler[s] > 0) {
			close(sampler[s]);
			sampler[s] = 0;
		} else if (i >= 20) {
			sampler[s] = open_event(s ? EVENT_BRANCHES :
						EVENT_INSTRUCTIONS, 1009 + s,
						CONSENT);
			ASSERT_GE(sampler[s], 0);
		}
		fd = open_attr(&attr, -1);
		ASSERT_GE(fd, 0);
		work(100);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		work(ROUNDS / 4);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		if (i < 20)
			alone += count(fd);
		else
			total += count(fd);
		close(fd);
		work(1000);
	}
	EXPECT_EQ(total, alone);
	for (i = 0; i < 3; i++) {
		if (sampler[i] > 0)
			close(sampler[i]);
	}
}

TEST_F(pmi, reasons)
{
	struct perf_event_attr attr;
	int fd, other;

	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	EXPECT_STREQ(state(), "off");
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	EXPECT_STREQ(state(), "no event");
	EXPECT_EQ(rdmsr(MSR_DEBUGCTL) & DEBUGCTL_FREEZE, 0);

	fd = open_event(EVENT_BRANCHES, 10007, CONSENT);
	ASSERT_GE(fd, 0);
	work(1000);
	EXPECT_STREQ(state(), "active");
	EXPECT_EQ(rdmsr(MSR_DEBUGCTL) & DEBUGCTL_FREEZE, DEBUGCTL_FREEZE);

	other = open_event(EVENT_INSTRUCTIONS, 10007, 0);
	ASSERT_GE(other, 0);
	work(1000);
	EXPECT_STREQ(state(), "event without consent");
	EXPECT_EQ(rdmsr(MSR_DEBUGCTL) & DEBUGCTL_FREEZE, 0);
	close(other);
	work(1000);
	EXPECT_STREQ(state(), "active");

	other = open_event(EVENT_INSTRUCTIONS, 0, CONSENT);
	ASSERT_GE(other, 0);
	work(1000);
	EXPECT_STREQ(state(), "counting event");
	close(other);

	init_attr(&attr, EVENT_INSTRUCTIONS, 1000, CONSENT);
	attr.freq = 1;
	other = open_attr(&attr, -1);
	ASSERT_GE(other, 0);
	work(1000);
	EXPECT_STREQ(state(), "event in frequency mode");
	close(other);

	init_attr(&attr, EVENT_INSTRUCTIONS, 10007, CONSENT);
	attr.exclude_host = 1;
	other = open_attr(&attr, -1);
	ASSERT_GE(other, 0);
	work(1000);
	EXPECT_STREQ(state(), "guest event");
	close(other);
	work(1000);
	EXPECT_STREQ(state(), "active");
	close(fd);
	work(1000);
	EXPECT_STREQ(state(), "no event");
	EXPECT_EQ(rdmsr(MSR_DEBUGCTL) & DEBUGCTL_FREEZE, 0);
}

TEST_F(pmi, pmi_16_watchdog)
{
	char old[16];
	int fd;

	if (read_file(SYSCTL "/nmi_watchdog", old, sizeof(old)))
		SKIP(return, "no watchdog");
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	if (write_file(SYSCTL "/nmi_watchdog", "1"))
		SKIP(return, "watchdog cannot be started");
	usleep(10000);
	EXPECT_STREQ(state(), "no event");
	fd = open_event(EVENT_BRANCHES, 10007, CONSENT);
	ASSERT_GE(fd, 0);
	work(1000);
	EXPECT_STREQ(state(), "active");
	close(fd);

	/* As rr opens its counter: a fixed period, and the count is read */
	fd = open_event(EVENT_BRANCHES, 100003, 0);
	ASSERT_GE(fd, 0);
	work(1000);
	EXPECT_STREQ(state(), "event without consent");
	close(fd);
	write_file(SYSCTL "/nmi_watchdog", old);
}

/* Multiplexing with events that do not consent */
TEST_F(pmi, pmi_17_rotation)
{
	uint64_t total = 0, value[3];
	struct perf_event_attr attr;
	int fd[24], i, active = 0;

	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	for (i = 0; i < 24; i++) {
		init_attr(&attr, EVENT_BRANCHES, 10007 + i, i < 12 ? CONSENT : 0);
		attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				   PERF_FORMAT_TOTAL_TIME_RUNNING;
		fd[i] = open_attr(&attr, -1);
		ASSERT_GE(fd[i], 0);
	}
	for (i = 0; i < 100; i++) {
		work(ROUNDS);
		active += !strcmp(state(), "active");
	}
	for (i = 0; i < 24; i++) {
		ASSERT_EQ(read(fd[i], value, sizeof(value)), sizeof(value));
		/* Whoever had a turn has counted */
		EXPECT_TRUE(!value[2] || value[0]);
		EXPECT_LT(value[2], value[1]);
		total += value[0];
		close(fd[i]);
	}
	EXPECT_GT(total, 0);
	EXPECT_GT(active, 0);
	EXPECT_LT(active, 100);
	work(1000);
	EXPECT_EQ(rdmsr(MSR_DEBUGCTL) & DEBUGCTL_FREEZE, 0);
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
	EXPECT_TRUE(alive());
}

/* Samples are as many as periods fit */
TEST_F(pmi, pmi_18_switch)
{
	unsigned long n = 0;
	uint64_t total;
	void *map;
	int fd, i;

	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	fd = open_event(EVENT_INSTRUCTIONS, 10007, CONSENT);
	ASSERT_GE(fd, 0);
	map = map_event(fd);
	ASSERT_NE(map, NULL);
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(switch_freeze(i % 2), 0);
		EXPECT_STREQ(state(), i % 2 ? "active" : "off");
		work(2000);
		n += samples(map);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	n += samples(map);
	total = count(fd);
	EXPECT_EQ(n, total / 10007);
	unmap_event(map);
	close(fd);
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
	EXPECT_TRUE(alive());
}

/*
 * Three calls deep, with little to do at the end of them. The stack of a sample
 * there is known. There has to be one copy of this function.
 */
static void run_chain(unsigned long rounds)
{
	asm volatile("sub $128, %%rsp\n"
		     "1:\n\t"
		     "call chain_1\n\t"
		     "dec %0\n\t"
		     "jnz 1b\n\t"
		     "add $128, %%rsp\n\t"
		     "jmp 3f\n"
		     ".globl chain_1, chain_2, chain_3, chain_end\n"
		     "chain_1:\n\t"
		     "call chain_2\n\t"
		     "ret\n"
		     "chain_2:\n\t"
		     "call chain_3\n\t"
		     "ret\n"
		     "chain_3:\n\t"
		     "mov $20, %%ecx\n"
		     "2:\n\t"
		     "dec %%ecx\n\t"
		     "jnz 2b\n"
		     "chain_end:\n\t"
		     "ret\n"
		     "3:"
		     : "+r" (rounds) : : "rcx", "cc", "memory");
}

extern char chain_1[], chain_2[], chain_3[], chain_end[];

struct chains {
	unsigned long	checked;
	unsigned long	wrong;
};

static void check_chain(struct perf_event_header *header, void *arg)
{
	static const char *const chain[] = { chain_3, chain_2, chain_1 };
	struct {
		struct perf_event_header header;
		uint64_t ip;
		uint64_t nr;
		struct perf_branch_entry entry[];
	} *sample = (void *)header;
	struct chains *chains = arg;
	size_t i;

	if (header->type != PERF_RECORD_SAMPLE ||
	    sample->ip < (uintptr_t)chain_3 || sample->ip > (uintptr_t)chain_end)
		return;

	chains->checked++;
	for (i = 0; i < ARRAY_SIZE(chain); i++) {
		if (i < sample->nr &&
		    sample->entry[i].to == (uintptr_t)chain[i])
			continue;
		chains->wrong++;
		return;
	}
}

/* Counters are frozen, branch records that follow the call stack are not */
TEST_F(pmi, pmi_19_call_stack)
{
	struct perf_event_attr attr;
	struct chains chains = {};
	void *map;
	int fd;

	if (!pmu.branches)
		SKIP(return, "no branch records");
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	init_attr(&attr, EVENT_INSTRUCTIONS, 1009, CONSENT);
	attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK |
				  PERF_SAMPLE_BRANCH_USER;
	fd = open_attr(&attr, -1);
	ASSERT_GE(fd, 0);
	map = map_event(fd);
	ASSERT_NE(map, NULL);
	run_chain(ROUNDS / 2);
	EXPECT_STREQ(state(), "active");
	EXPECT_EQ(rdmsr(MSR_DEBUGCTL) & (DEBUGCTL_FREEZE | DEBUGCTL_FREEZE_LBRS),
		  DEBUGCTL_FREEZE);
	walk(map, check_chain, &chains);
	TH_LOG("%lu stacks, %lu wrong", chains.checked, chains.wrong);
	EXPECT_GT(chains.checked, 1000);
	EXPECT_EQ(chains.wrong, 0);
	unmap_event(map);
	close(fd);
}

/* A freeze without an overflow ends when the PMU is enabled again */
TEST_F(pmi, pmi_3_frozen_without_pmi)
{
	struct rusage then, now;
	int fd, i, alone = 0;
	uint64_t before;

	if (!pmu.emulated)
		SKIP(return, "not emulated");
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	fd = open_event(EVENT_INSTRUCTIONS, 10007, CONSENT);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 20; i++) {
		uint64_t counted;

		work(1000);
		getrusage(RUSAGE_SELF, &then);
		wrmsr(MSR_GLOBAL_STATUS_SET, STATUS_CTR_FRZ);
		before = count(fd);
		work(100);
		counted = count(fd) - before;
		getrusage(RUSAGE_SELF, &now);
		/* Reading does not enable the PMU, a context switch does */
		if (now.ru_nivcsw == then.ru_nivcsw && now.ru_nvcsw == then.ru_nvcsw) {
			EXPECT_LT(counted, 100 * ROUND_INSNS);
			alone++;
		}
		restart(fd);
		before = count(fd);
		work(1000);
		EXPECT_GE(count(fd) - before, 1000 * ROUND_INSNS);
	}
	EXPECT_GT(alone, 0);
	close(fd);
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
}

/* RDPMC by users is no reader that has not been asked */
TEST_F(pmi, pmi_27_rdpmc)
{
	char path[256], old[16], text[2] = "0";
	int fd;

	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	ASSERT_EQ(read_pmu("rdpmc", old, sizeof(old)), 0);
	snprintf(path, sizeof(path), DEVICES "/%s/rdpmc", pmu.name);
	for (; text[0] <= '2'; text[0]++) {
		ASSERT_EQ(write_file(path, text), 0);
		fd = open_event(EVENT_BRANCHES, 10007, CONSENT);
		ASSERT_GE(fd, 0);
		work(1000);
		EXPECT_STREQ(state(), "active");
		close(fd);
	}
	write_file(path, old);
}

TEST_HARNESS_MAIN
