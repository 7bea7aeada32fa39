// SPDX-License-Identifier: GPL-2.0
/*
 * counts - does an event that only counts stay exact?
 *
 *	counts [-i INTERRUPTS] [-p PERIOD] [-r SEED]
 *
 * Counts what it does itself in user space on CPU 0, by events without a period
 * that do not agree to be frozen, and compares with the emulated PMU's own
 * truth, again and again. A sampler on that CPU agrees, and others join and
 * leave.
 *
 *	-i	PMIs that have to happen meanwhile (default 100000)
 *	-p	period of the sampler, in branches (default 251)
 *	-r	seed of the pseudo-random choices (default 1)
 *
 * Prints "name number" lines; leaves with 1 if a count was wrong.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulated_msr.h"
#include "others.h"

#define EVENTS		3
#define ROUNDS		3000

static const struct {
	const char *name;
	uint64_t config;
	/* Of the truth */
	int lane;
} events[EVENTS] = {
	{ "instructions", EVENT_INSNS, 1 },
	{ "branches", EVENT_BRANCHES, 2 },
	{ "conditionals", EVENT_TICKS, LANE_CONDITIONALS },
};

struct count {
	uint64_t value, enabled, running;
};

/* What is read at one time */
struct look {
	struct count count[EVENTS];
	uint64_t truth[EVENTS];
};

static struct {
	unsigned long interrupts, period, seed;
} option = { .interrupts = 100000, .period = 251, .seed = 1 };

static int fd[EVENTS];

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/* All of this program, in user space: nobody else has its addresses */
static void set_range(void)
{
	uint64_t begin, end;

	/* The linker knows */
	asm("lea __executable_start(%%rip), %0" : "=r" (begin));
	asm("lea etext(%%rip), %0" : "=r" (end));

	wrmsr(MSR_RANGE0 + 3, 0);
	wrmsr(MSR_RANGE0, begin);
	wrmsr(MSR_RANGE0 + 1, end);
	wrmsr(MSR_RANGE0 + 2, 0);
	wrmsr(MSR_RANGE0 + 3, RANGE_USR);
}

static void open_counts(void)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		struct attr attr = {
			.base.config		= events[i].config,
			.base.read_format	= PERF_FORMAT_TOTAL_TIME_ENABLED |
						  PERF_FORMAT_TOTAL_TIME_RUNNING,
			.base.pinned		= 1,
		};

		fd[i] = open_event(&attr, 0, -1);
		if (fd[i] < 0)
			die("counts: perf_event_open");
	}
}

/*
 * The same instructions each time lie between a count and its truth, as there
 * is one call of it.
 */
static void look(struct look *look)
{
	int i;

	for (i = 0; i < EVENTS; i++) {
		if (read(fd[i], &look->count[i], sizeof(look->count[i])) !=
		    sizeof(look->count[i]))
			die("counts: read");
	}
	for (i = 0; i < EVENTS; i++)
		look->truth[i] = rdmsr(MSR_TRUTH0 + events[i].lane);
}

/* Branches of all sorts, and now and then a system call */
static void run_rounds(void)
{
	volatile unsigned long sum = 0;
	unsigned long i;

	for (i = 0; i < ROUNDS; i++) {
		sum += choose(0, i);
		if (!(i % 1000))
			getppid();
	}
}

static unsigned long compare(const struct look *from, const struct look *to)
{
	unsigned long wrong = 0;
	int i;

	for (i = 0; i < EVENTS; i++) {
		uint64_t counted = to->count[i].value - from->count[i].value;
		uint64_t happened = to->truth[i] - from->truth[i];

		if (to->count[i].enabled != to->count[i].running) {
			fprintf(stderr, "counts: not always counted\n");
			exit(2);
		}
		if (counted == happened)
			continue;
		wrong++;
		fprintf(stderr, "%s: %llu, counted %llu\n", events[i].name,
			(unsigned long long)happened, (unsigned long long)counted);
	}
	return wrong;
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "i:p:r:")) != -1) {
		unsigned long number = optarg ? strtoul(optarg, NULL, 0) : 0;

		switch (c) {
		case 'i':
			option.interrupts = number;
			break;
		case 'p':
			option.period = number;
			break;
		case 'r':
			option.seed = number;
			break;
		default:
			exit(2);
		}
	}
	if (optind < argc || !option.period) {
		fprintf(stderr, "counts: see the beginning of counts.c\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	unsigned long looks = 0, wrong = 0;
	struct look first = {}, last = {}, now;
	struct joiner *joiner;
	uint64_t begin, pmis;
	pid_t other;

	parse(argc, argv);
	set_seed(option.seed);
	msr_file = open("/dev/cpu/0/msr", O_RDWR | O_CLOEXEC);
	if (msr_file < 0)
		die("/dev/cpu/0/msr");
	joiner = start_joiner(&other);
	/* Not on CPU 0 any more: it has the addresses of this program */
	while (!__atomic_load_n(&joiner->joined, __ATOMIC_RELAXED))
		usleep(1000);
	pin(0);
	set_range();
	open_counts();
	open_sampler(option.period);

	begin = rdmsr(MSR_STATISTIC0 + STATISTIC_PMIS);
	do {
		look(&now);
		if (looks++)
			wrong += compare(&last, &now);
		else
			first = now;
		last = now;
		run_rounds();
		pmis = rdmsr(MSR_STATISTIC0 + STATISTIC_PMIS) - begin;
	} while (pmis < option.interrupts && wrong < 5);
	wrong += compare(&first, &last);
	kill(other, SIGKILL);
	wrmsr(MSR_RANGE0 + 3, 0);

	printf("compared %lu\npmis %llu\ninstructions %llu\n", looks,
	       (unsigned long long)pmis,
	       (unsigned long long)(last.truth[0] - first.truth[0]));
	printf("joined %lu\nlooks %lu\nactive %lu\nwrong %lu\n", joiner->joined,
	       joiner->looks, joiner->active, wrong);
	return !!wrong;
}
