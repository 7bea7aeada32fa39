/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the PMI of Intel core PMUs have in common.
 *
 * They test the PMU of the CPU that they are started on; choose one with taskset.
 * They need root and /dev/cpu/N/msr. What has to be counted in the hardware is
 * skipped unless the CPU is emulated by pmusim.
 */
#ifndef __PERF_EVENTS_PMI_H
#define __PERF_EVENTS_PMI_H

/* Includers define _GNU_SOURCE before their first header */
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

#define BUFFER_PAGES		256

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

static inline int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = write(fd, text, strlen(text));
	close(fd);

	return len < 0 ? -errno : 0;
}

static inline int read_pmu(const char *name, char *text, size_t size)
{
	return read_text(pmu.name, name, text, size);
}

static inline int switch_freeze(bool on)
{
	char path[256];

	snprintf(path, sizeof(path), DEVICES "/%s/freeze_counters", pmu.name);

	return write_file(path, on ? "1" : "0");
}

static inline uint64_t rdmsr(uint32_t msr)
{
	uint64_t value = ~0ULL;

	if (pread(pmu.msr, &value, sizeof(value), msr) != sizeof(value))
		perror("rdmsr");

	return value;
}

static inline void wrmsr(uint32_t msr, uint64_t value)
{
	if (pwrite(pmu.msr, &value, sizeof(value), msr) != sizeof(value))
		perror("wrmsr");
}

/* Is @cpu in a list like "0-2,5"? */
static inline bool in_list(const char *list, int cpu)
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

static inline bool find_pmu(const char *name)
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
static void work(unsigned long rounds)
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

static inline void init_attr(struct perf_event_attr *attr, uint64_t config,
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

static inline int open_event(uint64_t config, uint64_t period, uint64_t consent)
{
	struct perf_event_attr attr;

	init_attr(&attr, config, period, consent);

	return open_attr(&attr, -1);
}

static inline uint64_t count(int fd)
{
	uint64_t value = 0;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		perror("read");

	return value;
}

static inline void *map_event(int fd)
{
	return map_pages(fd, BUFFER_PAGES);
}

static inline void unmap_event(void *map)
{
	munmap(map, (1 + BUFFER_PAGES) * sysconf(_SC_PAGESIZE));
}

/* Call @each for every record since the last call */
static inline void walk(void *map, void (*each)(struct perf_event_header *, void *),
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

static inline void count_sample(struct perf_event_header *header, void *arg)
{
	*(unsigned long *)arg += header->type == PERF_RECORD_SAMPLE;
}

static inline unsigned long samples(void *map)
{
	unsigned long n = 0;

	walk(map, count_sample, &n);

	return n;
}

/* Does an event without consent still count and sample on this CPU? */
static inline bool alive(void)
{
	unsigned long n;
	uint64_t counted;
	void *map;
	int fd;

	fd = open_event(EVENT_INSTRUCTIONS, 10007, 0);
	if (fd < 0)
		return false;
	map = map_event(fd);
	if (!map) {
		close(fd);
		return false;
	}
	work(10000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	counted = count(fd);
	n = samples(map);
	unmap_event(map);
	close(fd);

	/* One is not taken where the interrupt comes in the kernel */
	return counted >= 10000 * ROUND_INSNS && n + 1 >= counted / 10007 &&
	       n <= counted / 10007;
}

static inline void restart(int fd)
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

struct accessed {
	uint64_t	reads;
	uint64_t	writes;
};

/* Accesses of a register by the kernel, since @before if there is one */
static inline struct accessed accessed(uint32_t msr, const struct accessed *before)
{
	struct accessed now;

	wrmsr(PMUSIM_INDEX, msr);
	now.reads = rdmsr(PMUSIM_INDEX_READS) - (before ? before->reads : 0);
	now.writes = rdmsr(PMUSIM_INDEX_WRITES) - (before ? before->writes : 0);

	return now;
}

/* Per PMI: what the CPU has accessed between two points, nothing left out */
static inline void accesses(struct __test_metadata *_metadata, uint64_t config,
			    int precise, uint64_t consent, uint64_t reads,
			    uint64_t writes)
{
	struct accessed ctrl, status, reset, debugctl, pebs;
	static const uint32_t msrs[] = {
		PMUSIM_READS, PMUSIM_WRITES, PMUSIM_PMIS, PMUSIM_LVTPC_WRITES,
	};
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
		before[i] = rdmsr(msrs[i]);
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
		after[i] = rdmsr(msrs[i]) - before[i];
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

/* Samples are as many as periods fit, whatever else stands in the status */
static inline void inject(struct __test_metadata *_metadata, uint64_t bits,
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

#endif /* __PERF_EVENTS_PMI_H */
