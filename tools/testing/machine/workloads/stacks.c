// SPDX-License-Identifier: GPL-2.0
/*
 * stacks - are the branches of a sample those before it?
 *
 *	stacks [-s SAMPLES] [-f FREQUENCY | -p PERIOD] [-c] [-P PMU] [-C CPU]
 *
 * Two events, of instructions and of branches, sample this program and the
 * kernel below it, the interrupt's way out included, where they overflow again
 * and again. Samples have the conditional jumps that were taken last and the
 * registers of the program. Which jumps its loop takes depends on one register,
 * so that this tells, sample by sample, what the jumps must have been.
 *
 *	-s	samples in the loop that have to be checked (default 10000)
 *	-f	of each event, in Hz (default 20000)
 *	-p	a fixed period of each event instead
 *	-c	the events agree to be frozen
 *	-P	the PMU of the events (default cpu)
 *	-C	the CPU to run on (default 0)
 *
 * The events are enabled and disabled by system calls around the loop, without a
 * conditional jump in between: the jumps of a sample there are the last ones that
 * the loop took. One kind of sample cannot be checked, and counts as "entry": in
 * the kernel's entry code the program's registers may not be stored yet, and
 * perf takes those of an earlier entry for them. None should be "outside" of all
 * that.
 *
 * Prints "name number" lines; leaves with 1 if a stack was wrong.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attr.h"
#include "pmu_type.h"
#include "records.h"

#define EVENT_INSNS	0xc0
#define EVENT_BRANCHES	0xc4
#define CONSENT		1

/* asm/perf_regs.h is no header of every architecture */
#define REG_SI		4
#define REG_IP		8

#define ROUNDS		5000
#define STACK_MAX	32
/* Far more than it takes */
#define RUNS_MAX	40000

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
	const char *pmu;
	int cpu;
} option = { .samples = 10000, .frequency = 20000, .pmu = "cpu" };

static struct {
	unsigned long runs, samples, outside, entry, checked, in_loop, in_kernel;
	unsigned long jumps, again, begun, stale, shown, lost;
	unsigned long shortest, longest, changed;
} result = { .shortest = -1UL };

/* Kernel code in which the registers of the program may not be stored yet */
static struct {
	uint64_t begin, end;
} entry[2];

/*
 * The loop. Eight jumps of a round are taken or not by eight bits of a product
 * of %rsi, the number of rounds to go; the ninth begins the next round. What is
 * around it takes no conditional jump.
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
"	.macro	ioctl fd, request\n"
"	mov	\\fd, %edi\n"
"	mov	$\\request, %esi\n"
"	xor	%edx, %edx\n"
"	mov	$16, %eax\n"
"	syscall\n"
"	.endm\n"
"	.pushsection .data\n"
"	.balign	8\n"
"jump_table:\n"
"	.popsection\n"
"	.text\n"
"code_begin:\n"
"	push	%rbx\n"
"	push	%rbp\n"
"	mov	%edi, %ebx\n"
"	mov	%esi, %ebp\n"
"	mov	%rdx, %r8\n"
"	ioctl	%ebx, 0x2400\n"
"	ioctl	%ebp, 0x2400\n"
"	mov	%r8, %rsi\n"
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
"	ioctl	%ebp, 0x2401\n"
"	ioctl	%ebx, 0x2401\n"
"code_end:\n"
"	pop	%rbp\n"
"	pop	%rbx\n"
"	ret\n");

static_assert(PERF_EVENT_IOC_ENABLE == 0x2400 && PERF_EVENT_IOC_DISABLE == 0x2401 &&
	      SYS_ioctl == 16, "what the code above has");

static const struct jump *jumps;
static uint64_t sampled_begin, sampled_end;
/* Enable two events, do some rounds, disable the events */
static void (*sampled_rounds)(int first, int second, unsigned long rounds);

static void find_code(void)
{
	asm("lea	jump_table(%%rip), %0" : "=r" (jumps));
	asm("lea	code_begin(%%rip), %0" : "=r" (sampled_rounds));
	asm("lea	round_begin(%%rip), %0" : "=r" (sampled_begin));
	asm("lea	code_end(%%rip), %0" : "=r" (sampled_end));
}

static bool is_taken(uint64_t rounds, int jump)
{
	if (jump == JUMPS - 1)
		return rounds > 1;

	return !(rounds * FACTOR >> (FIRST_BIT + jump) & 1);
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
 * has at least one jump that is taken, so that there are more with each. Samples
 * between the two records of a switch may be of the time before or behind it.
 */
struct begin {
	bool seen, switching;
	uint64_t nr, rounds;
};

/* Is the program in the loop, rather than in what is around it? */
static bool is_in_loop(const struct user_regs *regs)
{
	return regs->ip >= jumps[JUMPS - 1].to && regs->ip <= jumps[JUMPS - 1].from;
}

/* No jump has been recorded yet */
static bool is_before(const struct user_regs *regs)
{
	return !result.runs && regs->ip < sampled_begin;
}

/* Around the loop it is what the last round has left, this time or the time before */
static uint64_t rounds_to_go(const struct user_regs *regs)
{
	if (!is_in_loop(regs))
		return 1;

	/* The jump back has not been reached, but the count is down already */
	return regs->si + (regs->ip == jumps[JUMPS - 1].from);
}

/* The last jump that the program has come to, if it is one of this round */
static int last_jump(const struct user_regs *regs)
{
	int jump = JUMPS - 1;

	while (is_in_loop(regs) && jump >= 0 && jumps[jump].from >= regs->ip)
		jump--;

	return jump;
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
	uint64_t rounds = rounds_to_go(regs), i = 0;
	int jump = last_jump(regs);

	if (is_before(regs))
		return !sample->nr;
	if (limit < sample->nr)
		limit = sample->nr;

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

static void find_entry(void)
{
	unsigned long long address;
	bool sync = false;
	char name[512];
	FILE *file;

	file = fopen("/proc/kallsyms", "r");
	if (!file)
		die("/proc/kallsyms");
	while (fscanf(file, "%llx %*c %511[^\n]", &address, name) == 2) {
		/* It copies them, and ends where the next symbol begins */
		if (sync && address != entry[1].begin) {
			entry[1].end = address;
			sync = false;
		}
		if (!strcmp(name, "__entry_text_start")) {
			entry[0].begin = address;
		} else if (!strcmp(name, "__entry_text_end")) {
			entry[0].end = address;
		} else if (!strcmp(name, "sync_regs")) {
			entry[1].begin = address;
			sync = true;
		}
	}
	fclose(file);
	if (!entry[0].begin || !entry[0].end || !entry[1].begin || !entry[1].end) {
		fprintf(stderr, "stacks: no entry code in /proc/kallsyms\n");
		exit(2);
	}
}

static bool is_entry(uint64_t ip)
{
	return (ip >= entry[0].begin && ip < entry[0].end) ||
	       (ip >= entry[1].begin && ip < entry[1].end);
}

static void take_period(uint64_t period)
{
	static uint64_t last;

	if (period < result.shortest)
		result.shortest = period;
	if (period > result.longest)
		result.longest = period;
	result.changed += last && period != last;
	last = period;
}

static void check(const struct sample *sample, struct begin *begin)
{
	bool user = (sample->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		    PERF_RECORD_MISC_USER;
	static struct user_regs last;
	const struct user_regs *regs = (void *)&sample->entry[sample->nr];

	result.samples++;
	take_period(sample->period);
	if (regs->abi == PERF_SAMPLE_REGS_ABI_NONE ||
	    (!user && is_entry(sample->ip))) {
		result.entry++;
		return;
	}
	if (regs->ip < (uintptr_t)sampled_rounds || regs->ip > sampled_end) {
		result.outside++;
		return;
	}

	result.checked++;
	result.in_loop += is_in_loop(regs);
	result.in_kernel += !user;
	/* An overflow on the way out of the interrupt: there was no other way */
	result.again += user && regs->si == last.si && regs->ip == last.ip;
	last = *regs;
	result.stale += !is_right(sample, regs, at_least(begin, sample, regs));
	result.begun += is_in_loop(regs) && sample->nr < STACK_MAX;
	if (!begin->seen && !begin->switching) {
		begin->seen = true;
		begin->nr = sample->nr;
		begin->rounds = rounds_to_go(regs);
	}
}

/* Branches are recorded anew behind each switch to this program */
static void take(const struct perf_event_header *header, void *arg)
{
	struct begin *begin = arg;

	if (header->type == PERF_RECORD_SAMPLE) {
		check((void *)header, begin);
	} else if (header->type == PERF_RECORD_SWITCH) {
		begin->seen = false;
		begin->switching = header->misc & PERF_RECORD_MISC_SWITCH_OUT;
	} else if (header->type == PERF_RECORD_LOST) {
		/* A slow host samples too often; the others are right */
		result.lost++;
	}
}

static int open_event(uint64_t config)
{
	struct attr attr = {
		.base.type		= pmu_type(option.pmu),
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

	while ((c = getopt(argc, argv, "s:f:p:cP:C:")) != -1) {
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
		fprintf(stderr, "stacks: see the beginning of stacks.c\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	void *map;
	int fd[2];

	parse(argc, argv);
	find_code();
	find_entry();
	run_on(option.cpu);
	fd[0] = open_event(EVENT_INSNS);
	fd[1] = open_event(EVENT_BRANCHES);
	map = map_records(fd[0], fd[1]);

	while (result.runs < RUNS_MAX && result.in_loop < option.samples) {
		struct begin begin = {};

		sampled_rounds(fd[0], fd[1], ROUNDS);
		walk_records(map, take, &begin);
		result.runs++;
	}

	printf("runs %lu\nsamples %lu\noutside %lu\nentry %lu\n", result.runs,
	       result.samples, result.outside, result.entry);
	printf("checked %lu\nin_loop %lu\nin_kernel %lu\n", result.checked,
	       result.in_loop, result.in_kernel);
	printf("jumps %lu\nagain %lu\nbegun %lu\nshortest %lu\nlongest %lu\n",
	       result.jumps, result.again, result.begun, result.shortest,
	       result.longest);
	printf("changed %lu\nlost %lu\nstale %lu\n", result.changed, result.lost,
	       result.stale);
	return !!result.stale;
}
