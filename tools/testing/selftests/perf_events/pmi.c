// SPDX-License-Identifier: GPL-2.0
/*
 * Test of the PMI of Intel core PMUs: its order, counter freezing by consent,
 * and the precise cycles of Skylake.
 *
 * Tests the PMU of the CPU that it is started on; choose one with taskset.
 * Needs root and /dev/cpu/N/msr. What has to be counted in the hardware is
 * skipped unless the CPU is emulated by pmusim.
 */
#define _GNU_SOURCE

#include <cpuid.h>
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
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "../kselftest_harness.h"
#include "core_pmu.h"

#define SYSCTL			"/proc/sys/kernel"

#define EVENT_CYCLES		0x003c
#define EVENT_INSTRUCTIONS	0x00c0
#define EVENT_BRANCHES		0x00c4
#define EVENT_PREC_DIST		0x108001c0
#define EVENT_UOPS_CYCLES	0x108001c2

#define CONSENT			1ULL

#define MSR_DEBUGCTL		0x1d9
#define MSR_FIXED_CTR1		0x30a
#define MSR_GLOBAL_STATUS	0x38e
#define MSR_GLOBAL_CTRL		0x38f
#define MSR_GLOBAL_STATUS_RESET	0x390
#define MSR_GLOBAL_STATUS_SET	0x391
#define MSR_PEBS_ENABLE		0x3f1
#define DEBUGCTL_FREEZE_LBRS	0x800ULL
#define DEBUGCTL_FREEZE		0x1000ULL
#define STATUS_LBR_FRZ		0x400000000000000ULL
#define STATUS_CTR_FRZ		0x800000000000000ULL
#define STATUS_ASIF		0x1000000000000000ULL
#define STATUS_UNC_OVF		0x2000000000000000ULL
#define STATUS_COND_CHG		0x8000000000000000ULL

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

/* A counter shortly before its overflow */
#define PUSHED			0xffffffff0000ULL

#define LAPIC			0xfee00000
#define LAPIC_LVTPC		0x340
#define LAPIC_MASKED		0x10000U

#define BUFFER_PAGES		256

/* Longer than any test */
#define RR_PERIOD		0x10000000000ULL

/* The workload: instructions of one round */
#define ROUND_INSNS		22
#define ROUNDS			100000UL

static struct {
	char	name[32];
	int	type;
	int	cpu;
	int	other;
	int	msr;
	bool	emulated;
	bool	freeze;
	bool	skylake;
	bool	branches;
	int	max_precise;
} pmu;

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = write(fd, text, strlen(text));
	close(fd);

	return len < 0 ? -errno : 0;
}

static int read_pmu(const char *name, char *text, size_t size)
{
	return read_text(pmu.name, name, text, size);
}

static int switch_freeze(bool on)
{
	char path[256];

	snprintf(path, sizeof(path), DEVICES "/%s/freeze_counters", pmu.name);

	return write_file(path, on ? "1" : "0");
}

static uint64_t rdmsr(uint32_t msr)
{
	uint64_t value = ~0ULL;

	if (pread(pmu.msr, &value, sizeof(value), msr) != sizeof(value))
		perror("rdmsr");

	return value;
}

static void wrmsr(uint32_t msr, uint64_t value)
{
	if (pwrite(pmu.msr, &value, sizeof(value), msr) != sizeof(value))
		perror("wrmsr");
}

/* Is @cpu in a list like "0-2,5"? */
static bool in_list(const char *list, int cpu)
{
	char *end;

	while (*list >= '0' && *list <= '9') {
		long first = strtol(list, &end, 10), last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (cpu >= first && cpu <= last)
			return true;
		list = *end == ',' ? end + 1 : end;
	}

	return false;
}

/* Why a CPU freezes or does not; valid until the next call */
static const char *state_of(int cpu)
{
	static char text[4096];
	char *line, *list, *rest = text;

	if (read_pmu("freeze_counters_state", text, sizeof(text)))
		return "?";
	while ((line = strsep(&rest, "\n"))) {
		list = strstr(line, ": ");
		if (list && in_list(list + 2, cpu)) {
			*list = '\0';
			return line;
		}
	}

	return "-";
}

static const char *state(void)
{
	return state_of(pmu.cpu);
}

static bool find_pmu(const char *name)
{
	char text[256];

	snprintf(pmu.name, sizeof(pmu.name), "%s", name);
	if (read_pmu("type", text, sizeof(text)))
		return false;
	pmu.type = atoi(text);
	pmu.other = !pmu.cpu;
	if (!read_pmu("cpus", text, sizeof(text))) {
		if (!in_list(text, pmu.cpu))
			return false;
		if (!in_list(text, pmu.other))
			pmu.other = -1;
	}

	pmu.max_precise = read_pmu("caps/max_precise", text, sizeof(text)) ?
			  0 : atoi(text);
	pmu.branches = !read_pmu("caps/branches", text, sizeof(text)) &&
		       atoi(text);
	pmu.freeze = !read_pmu("format/freeze", text, sizeof(text));
	pmu.skylake = !read_pmu("caps/pmu_name", text, sizeof(text)) &&
		      !strncmp(text, "skylake", 7);

	return true;
}

/*
 * One round has ROUND_INSNS instructions and ends with its only branch. There
 * has to be at least one, and one copy of this function.
 */
static void __attribute__((noinline)) work(unsigned long rounds)
{
	asm volatile(".globl work_start\n"
		     "work_start:\n\t"
		     ".rept 20\n\t"
		     "nop\n\t"
		     ".endr\n\t"
		     "dec %0\n\t"
		     "jnz work_start\n"
		     ".globl work_end\n"
		     "work_end:"
		     : "+r" (rounds) : : "cc");
}

extern char work_start[], work_end[];

static void init_attr(struct perf_event_attr *attr, uint64_t config,
		      uint64_t period, uint64_t consent)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = pmu.type;
	attr->config = config;
	attr->sample_period = period;
	attr->sample_type = PERF_SAMPLE_IP;
	attr->config3 = consent;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
}

static int open_event(uint64_t config, uint64_t period, uint64_t consent)
{
	struct perf_event_attr attr;

	init_attr(&attr, config, period, consent);

	return open_attr(&attr, -1);
}

static uint64_t count(int fd)
{
	uint64_t value = 0;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		perror("read");

	return value;
}

static void *map_event(int fd)
{
	size_t size = (1 + BUFFER_PAGES) * sysconf(_SC_PAGESIZE);
	void *map;

	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return map == MAP_FAILED ? NULL : map;
}

static void unmap_event(void *map)
{
	munmap(map, (1 + BUFFER_PAGES) * sysconf(_SC_PAGESIZE));
}

/* Call @each for every record since the last call */
static void walk(void *map, void (*each)(struct perf_event_header *, void *),
		 void *arg)
{
	size_t page = sysconf(_SC_PAGESIZE), size = BUFFER_PAGES * page;
	struct perf_event_mmap_page *control = map;
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	char *data = (char *)map + page;
	uint64_t at = control->data_tail;

	while (at < head) {
		struct perf_event_header *header = (void *)(data + at % size);
		static char copy[65536];
		size_t end = at % size + header->size;

		if (end > size) {
			size_t part = size - at % size;

			memcpy(copy, header, part);
			memcpy(copy + part, data, header->size - part);
			header = (void *)copy;
		}
		at += header->size;
		each(header, arg);
	}
	__atomic_store_n(&control->data_tail, at, __ATOMIC_RELEASE);
}

static void count_sample(struct perf_event_header *header, void *arg)
{
	*(unsigned long *)arg += header->type == PERF_RECORD_SAMPLE;
}

static unsigned long samples(void *map)
{
	unsigned long n = 0;

	walk(map, count_sample, &n);

	return n;
}

/* Does an event without consent still count on this CPU? */
static bool alive(void)
{
	int fd = open_event(EVENT_INSTRUCTIONS, 0, 0);
	uint64_t before, after;

	if (fd < 0)
		return false;
	before = count(fd);
	work(1000);
	after = count(fd);
	close(fd);

	return after - before >= 1000 * ROUND_INSNS;
}

static void restart(int fd)
{
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

FIXTURE(pmi)
{
	cpu_set_t old;
};

FIXTURE_SETUP(pmi)
{
	char path[64];
	cpu_set_t set;

	memset(&pmu, 0, sizeof(pmu));
	pmu.cpu = sched_getcpu();
	ASSERT_EQ(sched_getaffinity(0, sizeof(self->old), &self->old), 0);
	CPU_ZERO(&set);
	CPU_SET(pmu.cpu, &set);
	ASSERT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);

	if (!find_pmu("cpu") && !find_pmu("cpu_core") && !find_pmu("cpu_atom"))
		SKIP(return, "no core PMU");

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", pmu.cpu);
	pmu.msr = open(path, O_RDWR);
	if (pmu.msr < 0)
		SKIP(return, "no %s", path);
	pmu.emulated = pread(pmu.msr, path, 8, PMUSIM_ID) == 8 &&
		       rdmsr(PMUSIM_ID) == PMUSIM_ID_VALUE;
}

FIXTURE_TEARDOWN(pmi)
{
	if (pmu.freeze)
		switch_freeze(false);
	close(pmu.msr);
	sched_setaffinity(0, sizeof(self->old), &self->old);
}

/*
 * The order
 */

struct stale {
	unsigned long	samples;
	unsigned long	checked;
	unsigned long	late;
	unsigned long	stale;
	uint64_t	last_ip;
	uint64_t	stale_ip;
	uint64_t	stale_to;
};

/*
 * From the last branch on, code is straight: its target is not far back. In the
 * first round that is where the call led to. Or the counter has overflowed on
 * the way out of the PMI before, which delivers this one right behind its
 * return. The branches are those of the way out then, and the code has not come
 * any further.
 */
static void check_branches(struct perf_event_header *header, void *arg)
{
	struct {
		struct perf_event_header header;
		uint64_t ip;
		uint64_t nr;
		struct perf_branch_entry entry[];
	} *sample = (void *)header;
	struct stale *stale = arg;
	uint64_t to, last_ip = stale->last_ip;

	if (header->type != PERF_RECORD_SAMPLE)
		return;
	stale->samples++;
	stale->last_ip = sample->ip;
	if (!sample->nr || sample->ip < (uintptr_t)work_start ||
	    sample->ip >= (uintptr_t)work_end)
		return;

	stale->checked++;
	to = sample->entry[0].to;
	if (to >= (uintptr_t)work && to <= sample->ip)
		return;
	stale->late++;
	if (sample->ip == last_ip && (int64_t)to < 0)
		return;
	stale->stale++;
	stale->stale_ip = sample->ip;
	stale->stale_to = to;
}

/*
 * Two samplers with short periods, user and kernel: one overflows again while
 * the PMI of the other ends. Branch records must be those of the sample, and
 * no PMI lost.
 */
static void storm(struct __test_metadata *_metadata, uint64_t consent)
{
	struct perf_event_attr attr;
	struct stale stale = {};
	uint64_t pmis, lost;
	void *map;
	int fd[2], i;

	for (i = 0; i < 2; i++) {
		init_attr(&attr, i ? EVENT_BRANCHES : EVENT_INSTRUCTIONS,
			  i ? 1009 : 6007, consent);
		attr.exclude_kernel = 0;
		attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
					  PERF_SAMPLE_BRANCH_USER |
					  PERF_SAMPLE_BRANCH_KERNEL;
		attr.disabled = 1;
		fd[i] = open_attr(&attr, -1);
		ASSERT_GE(fd[i], 0);
	}
	/* One buffer, so that samples come in their order */
	map = map_event(fd[0]);
	ASSERT_NE(map, NULL);
	ASSERT_EQ(ioctl(fd[1], PERF_EVENT_IOC_SET_OUTPUT, fd[0]), 0);

	pmis = rdmsr(PMUSIM_PMIS);
	lost = rdmsr(PMUSIM_PMIS_LOST);
	for (i = 0; i < 400 && stale.samples < 10000; i++) {
		ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
		ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0);
		work(20000);
		ioctl(fd[1], PERF_EVENT_IOC_DISABLE, 0);
		ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
		walk(map, check_branches, &stale);
	}
	pmis = rdmsr(PMUSIM_PMIS) - pmis;
	lost = rdmsr(PMUSIM_PMIS_LOST) - lost;

	TH_LOG("%llu PMIs, %llu merged; %lu samples, %lu checked, %lu late, %lu stale",
	       (unsigned long long)pmis, (unsigned long long)lost,
	       stale.samples, stale.checked, stale.late, stale.stale);
	EXPECT_GE(stale.samples, 10000);
	EXPECT_GE(stale.checked, 1000);
	/* Without the order of the PMI it is one in a hundred */
	EXPECT_EQ(stale.stale, 0) {
		TH_LOG("the last at %#llx, its last branch to %#llx",
		       (unsigned long long)stale.stale_ip,
		       (unsigned long long)stale.stale_to);
	}
	/* A PMI that is lost is one with a PMI on its way: no sample is missing */
	EXPECT_TRUE(!pmu.emulated || stale.samples >= pmis + lost);
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);

	unmap_event(map);
	close(fd[1]);
	close(fd[0]);
	EXPECT_TRUE(alive());
}

TEST_F(pmi, pmi_1_no_pmi_lost)
{
	if (!pmu.branches)
		SKIP(return, "no branch records");
	storm(_metadata, 0);
}

TEST_F(pmi, pmi_1_no_pmi_lost_frozen)
{
	if (!pmu.branches)
		SKIP(return, "no branch records");
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	storm(_metadata, CONSENT);
}

struct accessed {
	uint64_t	reads;
	uint64_t	writes;
};

/* Accesses of a register by the kernel, since @before if there is one */
static struct accessed accessed(uint32_t msr, const struct accessed *before)
{
	struct accessed now;

	wrmsr(PMUSIM_INDEX, msr);
	now.reads = rdmsr(PMUSIM_INDEX_READS) - (before ? before->reads : 0);
	now.writes = rdmsr(PMUSIM_INDEX_WRITES) - (before ? before->writes : 0);

	return now;
}

/* Per PMI: what the CPU has accessed between two points, nothing left out */
static void accesses(struct __test_metadata *_metadata, uint64_t config,
		     int precise, uint64_t consent, uint64_t reads,
		     uint64_t writes)
{
	struct accessed ctrl, status, reset, debugctl, pebs;
	uint64_t before[4], after[4], pmis;
	struct perf_event_attr attr;
	int fd, i;

	init_attr(&attr, config, config == EVENT_BRANCHES ? 229 : 5003, consent);
	attr.precise_ip = precise;
	/* One record a PMI: hardware does not write what this asks for */
	if (precise)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	fd = open_attr(&attr, -1);
	ASSERT_GE(fd, 0);
	work(1000);
	for (i = 0; i < 4; i++)
		before[i] = rdmsr(PMUSIM_READS + i * (i < 3) + 4 * (i == 3));
	ctrl = accessed(MSR_GLOBAL_CTRL, NULL);
	status = accessed(MSR_GLOBAL_STATUS, NULL);
	reset = accessed(MSR_GLOBAL_STATUS_RESET, NULL);
	debugctl = accessed(MSR_DEBUGCTL, NULL);
	pebs = accessed(MSR_PEBS_ENABLE, NULL);
	work(10 * ROUNDS);
	pebs = accessed(MSR_PEBS_ENABLE, &pebs);
	debugctl = accessed(MSR_DEBUGCTL, &debugctl);
	reset = accessed(MSR_GLOBAL_STATUS_RESET, &reset);
	status = accessed(MSR_GLOBAL_STATUS, &status);
	ctrl = accessed(MSR_GLOBAL_CTRL, &ctrl);
	for (i = 0; i < 4; i++)
		after[i] = rdmsr(PMUSIM_READS + i * (i < 3) + 4 * (i == 3)) -
			   before[i];
	close(fd);

	pmis = after[2];
	TH_LOG("%llu PMIs: %.3f reads, %.3f writes, %.3f of LVTPC",
	       (unsigned long long)pmis, (double)after[0] / pmis,
	       (double)after[1] / pmis, (double)after[3] / pmis);
	ASSERT_GT(pmis, 4000);
	/* Timers and whatever else happens meanwhile are less than a tenth */
	EXPECT_EQ(after[0] / pmis, reads);
	EXPECT_LT(after[0] - reads * pmis, pmis / 10);
	EXPECT_EQ(after[1] / pmis, writes);
	EXPECT_LT(after[1] - writes * pmis, pmis / 10);
	EXPECT_EQ(after[3] / pmis, 1);

	/* And which: the rest of the writes arms the counter */
	EXPECT_EQ((ctrl.writes + pmis / 20) / pmis, consent ? 0 : 2);
	EXPECT_EQ((status.reads + pmis / 20) / pmis, reads);
	EXPECT_EQ((reset.writes + pmis / 20) / pmis, 1);
	EXPECT_LT(ctrl.reads + reset.reads + status.writes, pmis / 10);
	EXPECT_LT(debugctl.reads + debugctl.writes, pmis / 10);
	EXPECT_LT(pebs.reads + pebs.writes, pmis / 10);
}

/* As many as ever, by fixed and general purpose counter, and by PEBS */
TEST_F(pmi, pmi_26_accesses)
{
	if (!pmu.emulated)
		SKIP(return, "not emulated");
	accesses(_metadata, EVENT_INSTRUCTIONS, 0, 0, 2, 4);
	accesses(_metadata, EVENT_BRANCHES, 0, 0, 2, 4);
	if (pmu.max_precise)
		accesses(_metadata, EVENT_INSTRUCTIONS, 1, 0, 2, 3);

	/* Nor does the switch alone change anything */
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	accesses(_metadata, EVENT_INSTRUCTIONS, 0, 0, 2, 4);
}

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

/* Samples are as many as periods fit, whatever else stands in the status */
static void inject(struct __test_metadata *_metadata, uint64_t bits,
		   uint64_t consent)
{
	unsigned long n;
	uint64_t total;
	void *map;
	int fd, i;

	fd = open_event(EVENT_INSTRUCTIONS, 10007, consent);
	ASSERT_GE(fd, 0);
	map = map_event(fd);
	ASSERT_NE(map, NULL);
	for (i = 0; i < 100; i++) {
		wrmsr(MSR_GLOBAL_STATUS_SET, bits);
		work(1000);
		EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS) & bits, 0);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	total = count(fd);
	n = samples(map);
	EXPECT_EQ(n, total / 10007);
	EXPECT_GT(n, 200);
	unmap_event(map);
	close(fd);
	EXPECT_TRUE(alive());
}

TEST_F(pmi, pmi_3_branches_frozen)
{
	inject(_metadata, STATUS_LBR_FRZ, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	inject(_metadata, STATUS_LBR_FRZ, CONSENT);
}

TEST_F(pmi, pmi_4_state_bits)
{
	inject(_metadata, STATUS_ASIF, 0);
	inject(_metadata, STATUS_UNC_OVF, 0);
	inject(_metadata, STATUS_COND_CHG, 0);
	inject(_metadata, STATUS_ASIF | STATUS_UNC_OVF | STATUS_COND_CHG, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	inject(_metadata, STATUS_ASIF | STATUS_UNC_OVF | STATUS_COND_CHG,
	       CONSENT);
}

/* PMIs all over the code that disables the PMU */
static void disable_storm(struct __test_metadata *_metadata, uint64_t consent)
{
	struct perf_event_attr attr;
	int fd, i;

	init_attr(&attr, EVENT_INSTRUCTIONS, 997, consent);
	attr.exclude_kernel = 0;
	fd = open_attr(&attr, -1);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 2000; i++) {
		restart(fd);
		/* Let the distance to the overflow drift */
		work(1 + i % 5);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_GT(count(fd), 1000 * 997);
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
	close(fd);
	EXPECT_TRUE(alive());
}

TEST_F(pmi, pmi_6_pmu_disabled)
{
	disable_storm(_metadata, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	disable_storm(_metadata, CONSENT);
}

static void delete_storm(struct __test_metadata *_metadata, uint64_t consent)
{
	struct perf_event_attr attr;
	int fd, i;

	for (i = 0; i < 300; i++) {
		init_attr(&attr, i % 2 ? EVENT_BRANCHES : EVENT_INSTRUCTIONS,
			  2003 + i % 7, consent);
		attr.exclude_kernel = 0;
		fd = open_attr(&attr, -1);
		ASSERT_GE(fd, 0);
		work(1 + i % 11);
		close(fd);
	}
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
	EXPECT_TRUE(alive());
}

TEST_F(pmi, pmi_8_event_deleted)
{
	delete_storm(_metadata, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	delete_storm(_metadata, CONSENT);
}

/* Periods out of any range, and back */
static void odd_periods(struct __test_metadata *_metadata, uint64_t consent)
{
	static const uint64_t odd[] = { 1, 2, 3, 1ULL << 31, 1ULL << 47, 1ULL << 62 };
	uint64_t period;
	unsigned long n;
	size_t i;
	void *map;
	int fd;

	fd = open_event(EVENT_INSTRUCTIONS, 10007, consent);
	ASSERT_GE(fd, 0);
	map = map_event(fd);
	ASSERT_NE(map, NULL);
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		period = odd[i];
		/* Some CPUs have a minimum */
		if (ioctl(fd, PERF_EVENT_IOC_PERIOD, &period))
			continue;
		work(20);
		period = 10007;
		ASSERT_EQ(ioctl(fd, PERF_EVENT_IOC_PERIOD, &period), 0);
		samples(map);
		work(10000);
		n = samples(map);
		EXPECT_GE(n, 10000 * ROUND_INSNS / 10007 - 1);
		EXPECT_LE(n, 10000 * ROUND_INSNS / 10007 + 2);
	}
	unmap_event(map);
	close(fd);
	EXPECT_TRUE(alive());
}

TEST_F(pmi, pmi_9_periods)
{
	odd_periods(_metadata, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	odd_periods(_metadata, CONSENT);
}

/*
 * Throttling
 */

struct throttled {
	unsigned long throttle;
	unsigned long unthrottle;
};

static void count_throttle(struct perf_event_header *header, void *arg)
{
	struct throttled *throttled = arg;

	throttled->throttle += header->type == PERF_RECORD_THROTTLE;
	throttled->unthrottle += header->type == PERF_RECORD_UNTHROTTLE;
}

/* A limit that the emulated CPU is able to exceed: order matters */
static void limit_samples(bool low)
{
	if (low) {
		write_file(SYSCTL "/perf_cpu_time_max_percent", "99");
		write_file(SYSCTL "/perf_event_max_sample_rate", "1000");
	} else {
		write_file(SYSCTL "/perf_event_max_sample_rate", "1000000");
		write_file(SYSCTL "/perf_cpu_time_max_percent", "0");
	}
}

static void throttle(struct __test_metadata *_metadata, uint64_t config,
		     uint64_t period, int precise, uint64_t consent)
{
	struct throttled throttled = {};
	struct perf_event_attr attr;
	void *map;
	int fd, i;

	init_attr(&attr, config, period, consent);
	attr.precise_ip = precise;
	attr.disabled = 1;
	fd = open_attr(&attr, -1);
	if (fd == -EINVAL && period < 128)
		return;
	ASSERT_GE(fd, 0);
	map = map_event(fd);
	ASSERT_NE(map, NULL);
	limit_samples(true);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < 200 && throttled.unthrottle < 3; i++) {
		work(ROUNDS);
		walk(map, count_throttle, &throttled);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	limit_samples(false);
	TH_LOG("%lu throttled, %lu unthrottled", throttled.throttle,
	       throttled.unthrottle);
	EXPECT_GT(throttled.throttle, 0);
	EXPECT_GT(throttled.unthrottle, 0);
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
	unmap_event(map);
	close(fd);
	EXPECT_TRUE(alive());
}

/* On a fixed and on a general purpose counter. Each branch would be BTS. */
TEST_F(pmi, pmi_10_storm)
{
	throttle(_metadata, EVENT_INSTRUCTIONS, 1, 0, 0);
	throttle(_metadata, EVENT_BRANCHES, 2, 0, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	throttle(_metadata, EVENT_INSTRUCTIONS, 1, 0, CONSENT);
	throttle(_metadata, EVENT_BRANCHES, 2, 0, CONSENT);
}

/*
 * The watchdog's counter is fixed counter 1. It counts on beside a storm that
 * is throttled and, pushed to its overflow, has a PMI whose handler arms it
 * again.
 */
static void watchdog_beside_storm(struct __test_metadata *_metadata,
				  uint64_t consent)
{
	struct throttled throttled = {};
	struct perf_event_attr attr;
	uint64_t before, after;
	void *map;
	int fd, i;

	init_attr(&attr, EVENT_INSTRUCTIONS, 1, consent);
	attr.disabled = 1;
	fd = open_attr(&attr, -1);
	if (fd == -EINVAL) {
		attr.sample_period = 128;
		fd = open_attr(&attr, -1);
	}
	ASSERT_GE(fd, 0);
	map = map_event(fd);
	ASSERT_NE(map, NULL);
	limit_samples(true);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work(1000);
	EXPECT_TRUE(!consent || !strcmp(state(), "active"));
	/* Few enough not to be taken for a clock that stands still */
	for (i = 0; i < 4; i++) {
		before = rdmsr(MSR_FIXED_CTR1);
		work(1000);
		after = rdmsr(MSR_FIXED_CTR1);
		EXPECT_GE(after - before, 1000);
		EXPECT_LT(after, PUSHED);

		/* Not only wrapped, but armed with a new period */
		wrmsr(MSR_FIXED_CTR1, PUSHED);
		work(ROUNDS);
		after = rdmsr(MSR_FIXED_CTR1);
		EXPECT_LT(after, PUSHED);
		EXPECT_GT(after, PUSHED >> 1);
		walk(map, count_throttle, &throttled);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	limit_samples(false);
	EXPECT_GT(throttled.throttle, 0);
	unmap_event(map);
	close(fd);
}

TEST_F(pmi, pmi_10_watchdog_beside_storm)
{
	char old[16];

	if (!pmu.emulated)
		SKIP(return, "not emulated");
	if (read_file(SYSCTL "/nmi_watchdog", old, sizeof(old)))
		SKIP(return, "no watchdog");
	if (write_file(SYSCTL "/nmi_watchdog", "1"))
		SKIP(return, "watchdog cannot be started");
	usleep(10000);
	watchdog_beside_storm(_metadata, 0);
	if (pmu.freeze && !switch_freeze(true))
		watchdog_beside_storm(_metadata, CONSENT);
	write_file(SYSCTL "/nmi_watchdog", old);
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
	EXPECT_TRUE(alive());
}

/*
 * Throttled in the PMI, an event must not write records from its acknowledge
 * on. Nobody else writes PEBS_ENABLE until a tick unthrottles it.
 */
static void pebs_throttle(struct __test_metadata *_metadata, uint64_t consent)
{
	struct throttled throttled = {};
	struct perf_event_attr attr;
	int fd, i, running = 0, stopped = 0;
	uint64_t enabled;
	void *map;

	init_attr(&attr, EVENT_INSTRUCTIONS, 150, consent);
	attr.precise_ip = 1;
	attr.disabled = 1;
	fd = open_attr(&attr, -1);
	ASSERT_GE(fd, 0);
	map = map_event(fd);
	ASSERT_NE(map, NULL);
	limit_samples(true);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	running += rdmsr(MSR_PEBS_ENABLE) != 0;
	for (i = 0; i < 20000 && stopped < 5; i++) {
		work(1000);
		walk(map, count_throttle, &throttled);
		if (throttled.throttle == throttled.unthrottle)
			continue;
		enabled = rdmsr(MSR_PEBS_ENABLE);
		walk(map, count_throttle, &throttled);
		if (throttled.throttle == throttled.unthrottle)
			continue;
		EXPECT_EQ(enabled, 0);
		stopped++;
		EXPECT_TRUE(!consent || !strcmp(state(), "active"));
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	limit_samples(false);
	EXPECT_EQ(running, 1);
	EXPECT_EQ(stopped, 5);
	unmap_event(map);
	close(fd);
}

TEST_F(pmi, pmi_11_pebs_throttled)
{
	if (!pmu.max_precise)
		SKIP(return, "no PEBS");
	throttle(_metadata, EVENT_INSTRUCTIONS, 150, 1, 0);
	pebs_throttle(_metadata, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	throttle(_metadata, EVENT_INSTRUCTIONS, 150, 1, CONSENT);
	pebs_throttle(_metadata, CONSENT);
}

/* A limit disables the event from the PMI; the PMU follows by an interrupt */
static void refresh(struct __test_metadata *_metadata, uint64_t consent)
{
	struct perf_event_attr attr;
	void *map;
	int fd, i;

	init_attr(&attr, EVENT_INSTRUCTIONS, 10007, consent);
	attr.disabled = 1;
	fd = open_attr(&attr, -1);
	ASSERT_GE(fd, 0);
	map = map_event(fd);
	ASSERT_NE(map, NULL);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(ioctl(fd, PERF_EVENT_IOC_REFRESH, 3), 0);
		work(5000);
		EXPECT_EQ(samples(map), 3);
	}
	EXPECT_LT(count(fd), 20 * 4 * 10007);
	unmap_event(map);
	close(fd);
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
	EXPECT_TRUE(alive());
}

TEST_F(pmi, disabled_by_pmi)
{
	refresh(_metadata, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	refresh(_metadata, CONSENT);
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
	uint64_t before;
	int fd, i;

	if (!pmu.emulated)
		SKIP(return, "not emulated");
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	fd = open_event(EVENT_INSTRUCTIONS, 10007, CONSENT);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 20; i++) {
		work(1000);
		wrmsr(MSR_GLOBAL_STATUS_SET, STATUS_CTR_FRZ);
		before = count(fd);
		work(100);
		/* Reading does not enable the PMU */
		EXPECT_LT(count(fd) - before, 100 * ROUND_INSNS);
		restart(fd);
		before = count(fd);
		work(1000);
		EXPECT_GE(count(fd) - before, 1000 * ROUND_INSNS);
	}
	close(fd);
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
}

/* The local APIC of the CPU that this runs on */
static void *map_lapic(void)
{
	int fd = open("/dev/mem", O_RDWR);
	void *map;

	if (fd < 0)
		return NULL;
	map = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		   MAP_SHARED, fd, LAPIC);
	close(fd);

	return map == MAP_FAILED ? NULL : map;
}

static uint32_t read_lvtpc(void *lapic)
{
	uint32_t value;

	asm volatile("movl	%1, %0"
		     : "=r" (value)
		     : "m" (*(uint32_t *)(lapic + LAPIC_LVTPC)));

	return value;
}

static void write_lvtpc(void *lapic, uint32_t value)
{
	asm volatile("movl	%1, %0"
		     : "=m" (*(uint32_t *)(lapic + LAPIC_LVTPC))
		     : "r" (value));
}

/*
 * The PMI of a freeze is lost because LVTPC is masked. It is made up for when
 * the PMU is enabled the next time, and no sample is missing.
 */
TEST_F(pmi, pmi_3_lost_pmi)
{
	struct perf_event_attr attr;
	int fd, other, i;
	uint64_t lost, n;
	void *map, *lapic;

	if (!pmu.emulated)
		SKIP(return, "not emulated");
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	lapic = map_lapic();
	if (!lapic)
		SKIP(return, "no /dev/mem");
	ASSERT_EQ(switch_freeze(true), 0);
	/* Not of a task: switches between tasks would enable the PMU, too */
	init_attr(&attr, EVENT_INSTRUCTIONS, 10007, CONSENT);
	fd = syscall(SYS_perf_event_open, &attr, -1, pmu.cpu, -1, 0);
	ASSERT_GE(fd, 0);
	map = map_event(fd);
	ASSERT_NE(map, NULL);
	for (i = 0; i < 20; i++) {
		work(1000);
		lost = rdmsr(PMUSIM_PMIS_LOST);
		write_lvtpc(lapic, read_lvtpc(lapic) | LAPIC_MASKED);
		work(1000);
		EXPECT_GT(rdmsr(PMUSIM_PMIS_LOST), lost);
		EXPECT_NE(rdmsr(MSR_GLOBAL_STATUS) & STATUS_CTR_FRZ, 0);
		other = open_event(EVENT_BRANCHES, 1000003, CONSENT);
		ASSERT_GE(other, 0);
		EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
		EXPECT_EQ(read_lvtpc(lapic) & LAPIC_MASKED, 0);
		close(other);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	n = samples(map);
	EXPECT_GT(n, 40);
	EXPECT_EQ(n, count(fd) / 10007);
	unmap_event(map);
	close(fd);
	munmap(lapic, sysconf(_SC_PAGESIZE));
	EXPECT_TRUE(alive());
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

static void hotplug(struct __test_metadata *_metadata, int cpu)
{
	struct perf_event_attr attr;
	char path[64], name[64];
	int fd, i, msr;
	uint64_t n;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	snprintf(name, sizeof(name), "/dev/cpu/%d/msr", cpu);

	for (i = 0; i < 5; i++) {
		/* Of the kernel, too: the way off line has PMIs */
		init_attr(&attr, EVENT_INSTRUCTIONS, 10007, CONSENT);
		attr.exclude_kernel = 0;
		fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);
		ASSERT_GE(fd, 0);
		usleep(20000);
		EXPECT_STREQ(state_of(cpu), "active");
		EXPECT_GT(count(fd), 0);
		msr = open(name, O_RDONLY);
		ASSERT_GE(msr, 0);
		ASSERT_EQ(pread(msr, &n, sizeof(n), MSR_DEBUGCTL), 8);
		EXPECT_EQ(n & DEBUGCTL_FREEZE, DEBUGCTL_FREEZE);
		close(msr);
		ASSERT_EQ(write_file(path, "0"), 0);
		ASSERT_EQ(write_file(path, "1"), 0);
		msr = open(name, O_RDONLY);
		ASSERT_GE(msr, 0);
		ASSERT_EQ(pread(msr, &n, sizeof(n), MSR_GLOBAL_STATUS), 8);
		EXPECT_EQ(n & STATUS_CTR_FRZ, 0);
		close(fd);
		usleep(1000);
		ASSERT_EQ(pread(msr, &n, sizeof(n), MSR_DEBUGCTL), 8);
		EXPECT_EQ(n & DEBUGCTL_FREEZE, 0);
		close(msr);
	}
}

TEST_F(pmi, hotplug)
{
	int cpu = pmu.cpu ? pmu.cpu : pmu.other;
	cpu_set_t set;

	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	if (cpu <= 0)
		SKIP(return, "the first CPU stays");
	/* From another CPU, as this one goes away */
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	ASSERT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
	hotplug(_metadata, cpu);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	ASSERT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
	EXPECT_TRUE(alive());
}

/*
 * Precise cycles
 */

static int open_precise(uint64_t config, int precise, int leader)
{
	struct perf_event_attr attr;

	init_attr(&attr, config, 100003, 0);
	attr.precise_ip = precise;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;

	return open_attr(&attr, leader);
}

/* Two that need counter 1 are refused in one group, and take turns else */
static void one_counter(struct __test_metadata *_metadata, uint64_t config1,
			int precise1, uint64_t config2, int precise2)
{
	uint64_t value[3], running = 0;
	void *map[2];
	int fd[2], i;

	fd[0] = open_precise(config1, precise1, -1);
	ASSERT_GE(fd[0], 0);
	EXPECT_EQ(open_precise(config2, precise2, fd[0]), -EINVAL);
	fd[1] = open_precise(config2, precise2, -1);
	ASSERT_GE(fd[1], 0);
	for (i = 0; i < 2; i++) {
		map[i] = map_event(fd[i]);
		ASSERT_NE(map[i], NULL);
	}
	for (i = 0; i < 20; i++)
		work(ROUNDS);
	for (i = 0; i < 2; i++) {
		EXPECT_GT(samples(map[i]), 0);
		unmap_event(map[i]);
		ASSERT_EQ(read(fd[i], value, sizeof(value)), sizeof(value));
		EXPECT_GT(value[2], 0);
		EXPECT_LT(value[2], value[1]);
		running += value[2];
		close(fd[i]);
	}
	/* One at a time, and hardly ever none */
	EXPECT_LT(running, value[1] * 3 / 2);
	EXPECT_GT(running, value[1] * 3 / 4);
}

TEST_F(pmi, pmi_24_cycles_pp_group)
{
	int fd[4], i;

	if (!pmu.skylake)
		SKIP(return, "not Skylake");
	one_counter(_metadata, EVENT_CYCLES, 2, EVENT_CYCLES, 2);
	one_counter(_metadata, EVENT_CYCLES, 3, EVENT_CYCLES, 2);

	/* cycles:p has all four */
	for (i = 0; i < 4; i++) {
		fd[i] = open_precise(EVENT_CYCLES, 1, i ? fd[0] : -1);
		ASSERT_GE(fd[i], 0);
	}
	for (i = 0; i < 4; i++)
		close(fd[i]);
}

TEST_F(pmi, pmi_25_raw_prec_dist)
{
	int precise, fd;

	if (!pmu.skylake)
		SKIP(return, "not Skylake");
	for (precise = 1; precise <= 3; precise++) {
		one_counter(_metadata, EVENT_PREC_DIST, precise,
			    EVENT_PREC_DIST, precise);
		one_counter(_metadata, EVENT_CYCLES, 2, EVENT_PREC_DIST, precise);
		fd = open_precise(EVENT_UOPS_CYCLES, precise, -1);
		EXPECT_GE(fd, 0);
		close(fd);
	}
}

TEST_HARNESS_MAIN
