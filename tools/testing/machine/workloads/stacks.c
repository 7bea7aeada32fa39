// SPDX-License-Identifier: GPL-2.0
/*
 * stacks - are the branches of a sample those before it?
 *
 *	stacks [-s SAMPLES] [-f FREQUENCY | -p PERIOD] [-c]
 *
 * Two events, of instructions and of branches, sample this program and the
 * kernel below it, the interrupt's way out included, where they overflow again
 * and again. Samples have the conditional jumps that were taken last and the
 * registers of the program. Which jumps its loop takes depends on one register,
 * so that this tells, sample by sample, what the jumps must have been.
 *
 *	-s	samples that have to be checked (default 10000)
 *	-f	of each event, in Hz (default 20000)
 *	-p	a fixed period of each event instead
 *	-c	the events agree to be frozen
 *
 * Prints "name number" lines; leaves with 1 if a stack was wrong.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEVICES		"/sys/bus/event_source/devices/"
#define EVENT_INSNS	0xc0
#define EVENT_BRANCHES	0xc4
#define CONSENT		1

/* asm/perf_regs.h is no header of every architecture */
#define REG_SI		4
#define REG_IP		8

#define PAGES		256
#define ROUNDS		5000
#define STACK_MAX	32
/* Far more than it takes */
#define RUNS_MAX	40000

/* attr.config3 is newer than Debian's header */
struct attr {
	struct perf_event_attr base;
	uint64_t config3;
};

#define ATTR_SIZE_VER8	136

struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint64_t period;
	uint64_t nr;
	struct perf_branch_entry entry[];
};

/* Behind the branches */
struct user_regs {
	uint64_t abi;
	uint64_t si;
	uint64_t ip;
};

/* A conditional jump of the loop */
struct jump {
	uint64_t from;
	uint64_t to;
};

static struct {
	unsigned long samples, frequency, period;
	bool consent;
} option = { .samples = 10000, .frequency = 20000 };

static struct {
	unsigned long samples, checked, jumps, again, begun, stale, shown, lost;
	unsigned long shortest, longest;
} result = { .shortest = -1UL };

/*
 * The loop. Eight jumps of a round are taken or not by eight bits of a product
 * of %rsi, the number of rounds to go; the ninth begins the next round.
 */
#define FACTOR		0x61c88647
#define FIRST_BIT	16
#define JUMPS		9

asm("	.macro	maybe bit\n"
"	bt	$\\bit, %edx\n"
"1:	jnc	2f\n"
"	nop\n"
"2:\n"
"	.pushsection .data\n"
"	.quad	1b, 2b\n"
"	.popsection\n"
"	.endm\n"
"	.pushsection .data\n"
"	.balign	8\n"
"jump_table:\n"
"	.popsection\n"
"	.text\n"
"round_begin:\n"
"	imul	$0x61c88647, %rsi, %rdx\n"
"	maybe	16\n"
"	maybe	17\n"
"	maybe	18\n"
"	maybe	19\n"
"	maybe	20\n"
"	maybe	21\n"
"	maybe	22\n"
"	maybe	23\n"
"	dec	%rsi\n"
"1:	jnz	round_begin\n"
"	.pushsection .data\n"
"	.quad	1b, round_begin\n"
"	.popsection\n"
"	ret\n");

static const struct jump *jumps;

static void find_jumps(void)
{
	asm("lea	jump_table(%%rip), %0" : "=r" (jumps));
}

static void run_rounds(void)
{
	asm volatile("mov	%0, %%rsi\n\t"
		     "call	round_begin"
		     : : "i" (ROUNDS) : "rsi", "rdx", "cc", "memory");
}

static bool is_taken(uint64_t rounds, int jump)
{
	if (jump == JUMPS - 1)
		return rounds > 1;

	return !(rounds * FACTOR >> (FIRST_BIT + jump) & 1);
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void show(const struct sample *sample, const struct user_regs *regs,
		 uint64_t i, const struct jump *expected)
{
	if (result.shown++ >= 5)
		return;
	printf("at %#llx, %llu to go: jump %llu of %llu is %#llx to %#llx",
	       (unsigned long long)regs->ip, (unsigned long long)regs->si,
	       (unsigned long long)i, (unsigned long long)sample->nr,
	       i < sample->nr ? (unsigned long long)sample->entry[i].from : 0,
	       i < sample->nr ? (unsigned long long)sample->entry[i].to : 0);
	printf(", was %#llx to %#llx\n", (unsigned long long)expected->from,
	       (unsigned long long)expected->to);
}

/*
 * Where the records have begun anew: with the first sample behind it. A round
 * has at least one jump that is taken, so that there are more with each.
 */
struct begin {
	bool seen;
	uint64_t nr, rounds;
};

static uint64_t rounds_to_go(const struct user_regs *regs)
{
	/* The jump back has not been reached, but the count is down already */
	return regs->si + (regs->ip == jumps[JUMPS - 1].from);
}

/* The fewest jumps that a sample must have now */
static uint64_t at_least(const struct begin *begin, const struct sample *sample,
			 const struct user_regs *regs)
{
	uint64_t nr;

	if (!begin->seen)
		return sample->nr;
	nr = begin->nr + begin->rounds - rounds_to_go(regs);

	return nr < STACK_MAX ? nr : STACK_MAX;
}

/*
 * Back from where the registers are, for @limit jumps at least, until the
 * records or the rounds end.
 */
static bool is_right(const struct sample *sample, const struct user_regs *regs,
		     uint64_t limit)
{
	int jump = JUMPS - 1;
	uint64_t rounds = rounds_to_go(regs), i = 0;

	if (limit < sample->nr)
		limit = sample->nr;

	while (jump >= 0 && jumps[jump].from >= regs->ip)
		jump--;

	while (i < limit) {
		if (jump < 0) {
			jump = JUMPS - 1;
			rounds++;
		}
		if (rounds > ROUNDS)
			return true;
		if (is_taken(rounds, jump)) {
			if (i >= sample->nr ||
			    sample->entry[i].from != jumps[jump].from ||
			    sample->entry[i].to != jumps[jump].to) {
				show(sample, regs, i, &jumps[jump]);
				return false;
			}
			i++;
			result.jumps++;
		}
		jump--;
	}

	return true;
}

static void check(const struct sample *sample, struct begin *begin)
{
	static struct user_regs last;
	const struct user_regs *regs = (void *)&sample->entry[sample->nr];

	result.samples++;
	if (sample->period < result.shortest)
		result.shortest = sample->period;
	if (sample->period > result.longest)
		result.longest = sample->period;
	/* In the kernel's entry code the registers are those of an earlier one */
	if ((sample->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) !=
	    PERF_RECORD_MISC_USER ||
	    regs->ip < jumps[JUMPS - 1].to || regs->ip > jumps[JUMPS - 1].from)
		return;

	result.checked++;
	result.again += regs->si == last.si && regs->ip == last.ip;
	last = *regs;
	result.stale += !is_right(sample, regs, at_least(begin, sample, regs));
	if (sample->nr < STACK_MAX)
		result.begun++;
	if (!begin->seen) {
		begin->seen = true;
		begin->nr = sample->nr;
		begin->rounds = rounds_to_go(regs);
	}
}

/* Branches are recorded anew behind each switch to this program */
static void walk(void *map)
{
	size_t page = sysconf(_SC_PAGESIZE), size = PAGES * page;
	struct perf_event_mmap_page *control = map;
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = control->data_tail;
	char *data = (char *)map + page;
	struct begin begin = {};

	while (at < head) {
		static char copy[65536] __attribute__((aligned(8)));
		struct perf_event_header *header = (void *)(data + at % size);
		size_t len = header->size, part = size - at % size;

		if (len > part) {
			memcpy(copy, header, part);
			memcpy(copy + part, data, len - part);
			header = (void *)copy;
		}
		if (header->type == PERF_RECORD_SAMPLE) {
			check((void *)header, &begin);
		} else if (header->type == PERF_RECORD_SWITCH) {
			begin.seen = false;
		} else if (header->type == PERF_RECORD_LOST) {
			/* A slow host samples too often; the others are right */
			result.lost++;
		}
		at += len;
	}
	__atomic_store_n(&control->data_tail, at, __ATOMIC_RELEASE);
}

/* The core PMU of CPU 0 */
static int pmu_type(void)
{
	static const char * const names[] = { "cpu_core", "cpu" };
	unsigned int i;
	FILE *file;
	int type;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), DEVICES "%s/type", names[i]);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fscanf(file, "%d", &type) != 1)
			die(path);
		fclose(file);
		return type;
	}
	die("stacks: no core PMU");
	return -1;
}

static int open_event(uint64_t config)
{
	struct attr attr = {
		.base.type		= pmu_type(),
		.base.size		= ATTR_SIZE_VER8,
		.base.config		= config,
		.base.sample_type	= PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD |
					  PERF_SAMPLE_BRANCH_STACK |
					  PERF_SAMPLE_REGS_USER,
		.base.branch_sample_type = PERF_SAMPLE_BRANCH_USER |
					   PERF_SAMPLE_BRANCH_COND,
		.base.sample_regs_user	= 1 << REG_SI | 1 << REG_IP,
		.base.disabled		= 1,
		.base.context_switch	= 1,
		.base.exclude_hv	= 1,
		.config3		= option.consent ? CONSENT : 0,
	};
	int fd;

	if (option.period) {
		attr.base.sample_period = option.period;
	} else {
		attr.base.freq = 1;
		attr.base.sample_freq = option.frequency;
	}
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		die("stacks: perf_event_open");

	return fd;
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "s:f:p:c")) != -1) {
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
		case 'c':
			option.consent = true;
			break;
		default:
			exit(2);
		}
	}
	if (optind < argc) {
		fprintf(stderr, "stacks: see the beginning of stacks.c\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	cpu_set_t set;
	int fd[2], i;
	void *map;

	parse(argc, argv);
	find_jumps();
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("stacks: sched_setaffinity");

	fd[0] = open_event(EVENT_INSNS);
	fd[1] = open_event(EVENT_BRANCHES);
	map = mmap(NULL, (1 + PAGES) * sysconf(_SC_PAGESIZE),
		   PROT_READ | PROT_WRITE, MAP_SHARED, fd[0], 0);
	if (map == MAP_FAILED)
		die("stacks: mmap");
	/* One buffer, so that samples come in their order */
	if (ioctl(fd[1], PERF_EVENT_IOC_SET_OUTPUT, fd[0]))
		die("stacks: PERF_EVENT_IOC_SET_OUTPUT");

	for (i = 0; i < RUNS_MAX && result.checked < option.samples; i++) {
		ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
		ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0);
		run_rounds();
		ioctl(fd[1], PERF_EVENT_IOC_DISABLE, 0);
		ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
		walk(map);
	}

	printf("samples %lu\nchecked %lu\njumps %lu\nagain %lu\nbegun %lu\n",
	       result.samples, result.checked, result.jumps, result.again,
	       result.begun);
	printf("shortest %lu\nlongest %lu\nlost %lu\nstale %lu\n",
	       result.shortest, result.longest, result.lost, result.stale);
	return !!result.stale;
}
