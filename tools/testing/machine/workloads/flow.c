// SPDX-License-Identifier: GPL-2.0
/*
 * flow - do the branches of a sample lead to where it is, in the kernel, too?
 *
 *	flow [-s SAMPLES] [-f FREQUENCY | -p PERIOD] [-P PMU] [-C CPU]
 *
 * Two events, of instructions and of branches, sample this program and the
 * kernel below it with all branches of both. From where a branch went to where
 * the next one started, and from the last one to the sample, the code is
 * straight. Which code is told by "code START END NUMBER BYTES BEFORE" lines, for
 * somebody who can disassemble: the bytes from START on, the instruction at END
 * included if it is near, and those before END.
 *
 *	-s	samples (default 10000)
 *	-f	of each event, in Hz (default 20000)
 *	-p	a fixed period of each event instead
 *	-P	the PMU of the events (default cpu)
 *	-C	the CPU to run on (default 0)
 *
 * No branch is recorded in an interrupt that takes a sample, up to its
 * acknowledge. The records in front of this gap are those of that sample: with
 * all of them it is a gap that is known. A sample whose counter overflows on the
 * interrupt's way out is "again" where the one before is. Its last branch is one of
 * the way out, and does not lead there.
 *
 * Prints "name number" lines besides.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/elf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmu_type.h"
#include "records.h"

#define EVENT_INSNS	0xc0
#define EVENT_BRANCHES	0xc4

#define STACK_MAX	32
#define RUNS_MAX	40000
#define CALLS		50
/* A power of two, and far more than there is code */
#define RANGES		65536
#define RANGE_MAX	4096
#define INSN_MAX	15
/* Of code that does not lead to the next branch, and before that */
#define SOME		64
#define BEFORE		64

struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint64_t nr;
	struct perf_branch_entry entry[];
};

static struct {
	unsigned long samples, frequency, period;
	const char *pmu;
	int cpu;
} option = { .samples = 10000, .frequency = 20000, .pmu = "cpu" };

static struct {
	unsigned long samples, in_kernel, branches, kernel, gaps, again, first;
	unsigned long lost, unread, ranges;
} result;

static struct range {
	uint64_t start, end;
	unsigned long number;
} ranges[RANGES];

/* The sample before, if it is known */
static struct {
	bool known;
	uint64_t ip, nr;
	struct perf_branch_entry entry[STACK_MAX];
} last;

static void note(uint64_t start, uint64_t end)
{
	uint64_t at = (start * 31 + end) * 0x9e3779b97f4a7c15ULL >> 48;

	while (ranges[at].number && (ranges[at].start != start || ranges[at].end != end))
		at = (at + 1) % RANGES;
	if (!ranges[at].number && ++result.ranges > RANGES / 2) {
		fprintf(stderr, "flow: too much code\n");
		exit(2);
	}
	ranges[at].start = start;
	ranges[at].end = end;
	ranges[at].number++;
}

static bool is_kernel(uint64_t address)
{
	return address >> 63;
}

/* Are the records from @i on the first ones of the sample before? */
static bool is_gap(const struct sample *sample, uint64_t i)
{
	uint64_t nr = sample->nr - i, n;

	if (!last.known || (sample->nr < STACK_MAX ? nr != last.nr : nr > last.nr))
		return false;
	for (n = 0; n < nr; n++) {
		if (sample->entry[i + n].from != last.entry[n].from ||
		    sample->entry[i + n].to != last.entry[n].to)
			return false;
	}
	return true;
}

static void check(const struct sample *sample)
{
	bool again = last.known && sample->ip == last.ip, same = again && is_gap(sample, 0);
	uint64_t i, gap = 0;

	result.samples++;
	result.in_kernel += is_kernel(sample->ip);
	result.branches += sample->nr;
	for (i = 0; i < sample->nr; i++)
		result.kernel += is_kernel(sample->entry[i].from) ||
				 is_kernel(sample->entry[i].to);
	/* Behind the first record there is nothing, or the gap */
	for (i = 1; !same && !gap && i < sample->nr; i++) {
		if (is_kernel(sample->entry[i - 1].from) && is_gap(sample, i))
			gap = i;
	}
	result.gaps += !!gap;
	result.again += again && !same;
	result.first += !last.known;

	/* What is behind the gap was looked at with the sample before. */
	for (i = 1; !same && i < (gap ?: sample->nr); i++)
		note(sample->entry[i].to, sample->entry[i - 1].from);
	if (sample->nr && !again)
		note(sample->entry[0].to, sample->ip);

	last.known = true;
	last.ip = sample->ip;
	last.nr = sample->nr;
	memcpy(last.entry, sample->entry, sample->nr * sizeof(*last.entry));
}

static void take(const struct perf_event_header *header,
		 __attribute__((unused)) void *arg)
{
	if (header->type == PERF_RECORD_SAMPLE) {
		check((void *)header);
	} else if (header->type == PERF_RECORD_LOST) {
		/* A slow host samples too often; the others are right. */
		result.lost++;
		last.known = false;
	}
}

static int open_event(uint64_t config)
{
	struct perf_event_attr attr = {
		.type			= pmu_type(option.pmu),
		.size			= sizeof(attr),
		.config			= config,
		.freq			= !option.period,
		.sample_freq		= option.period ?: option.frequency,
		.sample_type		= PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type	= PERF_SAMPLE_BRANCH_USER |
					  PERF_SAMPLE_BRANCH_KERNEL |
					  PERF_SAMPLE_BRANCH_ANY,
		.disabled		= 1,
		.exclude_hv		= 1,
	};
	int fd;

	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die("flow: perf_event_open");

	return fd;
}

/* Where exceptions and system calls enter the kernel */
static void print_entry(void)
{
	unsigned long address;
	char name[512];
	FILE *file;

	file = fopen("/proc/kallsyms", "r");
	if (!file)
		die("/proc/kallsyms");
	while (fscanf(file, "%lx %*c %511[^\n]", &address, name) == 2) {
		if (!strcmp(name, "__entry_text_start"))
			printf("entry_begin %ld\n", (long)address);
		else if (!strcmp(name, "__entry_text_end"))
			printf("entry_end %ld\n", (long)address);
	}
	fclose(file);
}

/* What the kernel runs now, with whatever it has patched */
static ssize_t read_kernel(uint64_t address, unsigned char *code, size_t size)
{
	static int fd = -1;
	struct elf64_hdr header;
	struct elf64_phdr part;
	int i;

	if (fd < 0)
		fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		die("flow: /proc/kcore");
	for (i = 0; i < header.e_phnum; i++) {
		if (pread(fd, &part, sizeof(part), header.e_phoff + i * sizeof(part)) !=
		    sizeof(part))
			die("flow: /proc/kcore");
		if (part.p_type == PT_LOAD && address >= part.p_vaddr &&
		    address + size <= part.p_vaddr + part.p_memsz)
			return pread(fd, code, size, part.p_offset + address -
				     part.p_vaddr);
	}
	return -1;
}

/* The program, and what the kernel has mapped for it */
static ssize_t read_user(uint64_t address, unsigned char *code, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("flow: /proc/self/mem");

	return pread(fd, code, size, address);
}

static ssize_t print_code(uint64_t address, size_t size)
{
	static unsigned char code[RANGE_MAX + INSN_MAX];
	ssize_t length, i;

	length = is_kernel(address) ? read_kernel(address, code, size) :
		 read_user(address, code, size);
	printf(" ");
	if (length < (ssize_t)size) {
		printf("?");
		return -1;
	}
	for (i = 0; i < length; i++)
		printf("%02x", code[i]);

	return 0;
}

static void print_range(const struct range *range)
{
	bool near = range->end >= range->start && range->end - range->start < RANGE_MAX;

	printf("code %#llx %#llx %lu", (unsigned long long)range->start,
	       (unsigned long long)range->end, range->number);
	if (print_code(range->start, near ? range->end - range->start + INSN_MAX : SOME) ||
	    print_code(range->end - BEFORE, BEFORE))
		result.unread += range->number;
	printf("\n");
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "s:f:p:P:C:")) != -1) {
		unsigned long number = optarg ? strtoul(optarg, NULL, 0) : 0;

		switch (c) {
		case 's':
			option.samples = number;
			break;
		case 'f':
			option.frequency = number;
			break;
		case 'p':
			option.period = number;
			break;
		case 'P':
			option.pmu = optarg;
			break;
		case 'C':
			option.cpu = number;
			break;
		default:
			exit(2);
		}
	}
	if (optind < argc) {
		fprintf(stderr, "flow: see the beginning of flow.c\n");
		exit(2);
	}
}

/* System calls, page faults, and a loop */
static void work(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	unsigned int i;
	char *map;

	for (i = 0; i < CALLS; i++) {
		unsigned int n;

		syscall(SYS_getppid);
		map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
		if (map == MAP_FAILED)
			die("flow: mmap");
		*map = 1;
		munmap(map, page);
		for (n = 0; n < 100; n++)
			asm volatile("");
	}
}

int main(int argc, char **argv)
{
	unsigned long runs = 0;
	int fd[2], i;
	void *map;

	parse(argc, argv);
	run_on(option.cpu);
	fd[0] = open_event(EVENT_INSNS);
	fd[1] = open_event(EVENT_BRANCHES);
	map = map_records(fd[0], fd[1]);

	for (i = 0; i < 2; i++)
		ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0);
	while (runs < RUNS_MAX && result.samples < option.samples) {
		work();
		walk_records(map, take, NULL);
		runs++;
	}
	/* Not disabled yet: with the events goes code that was patched for them. */
	for (i = 0; i < RANGES; i++) {
		if (ranges[i].number)
			print_range(&ranges[i]);
	}

	print_entry();
	printf("runs %lu\nsamples %lu\nin_kernel %lu\n", runs, result.samples,
	       result.in_kernel);
	printf("branches %lu\nkernel %lu\ngaps %lu\nagain %lu\n", result.branches,
	       result.kernel, result.gaps, result.again);
	printf("first %lu\nlost %lu\nunread %lu\n", result.first, result.lost,
	       result.unread);
	return 0;
}
