// SPDX-License-Identifier: GPL-2.0
/*
 * topdown-self - what programs pay for knowing where their own slots go
 *
 *	topdown-self phases [PIECES [BEFORE]]
 *		Spend slots in four phases, in pieces between which other
 *		programs get the CPU. Take snapshots around every ten pieces and
 *		start from zero before each, or around every PIECES of them and
 *		start from zero only once; or before BEFORE pieces of the same
 *		phase that come before these. Print the sums that libperf finds,
 *		"name number", and how many snapshots needed read().
 *	topdown-self snapshots NUMBER
 *		Take snapshots and do nothing else.
 *	topdown-self reads NUMBER
 *		The same with read() of a group.
 *	topdown-self overflow
 *		Add slots to those in the register of CPU 0, so that it is going
 *		to overflow, several times. Print the sums of what was in it, of
 *		what was added and of what is found, "name number".
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <perf/topdown.h>

#include "emulated_msr.h"
#include "phases.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define SLOTS		0x0400
#define METRIC(i)	(0x8000 + ((i) << 8))
#define PIECES		10

#define MSR_SLOTS		0x30c
#define MSR_PERF_METRICS	0x329
#define METRICS_RETIRING	0xff
#define NEAR_OVERFLOW		((1ull << 48) - 10000)

static const struct phase {
	const char	*name;
	void		(*function)(void);
	unsigned int	rounds;
	unsigned int	regions;
} phases[] = {
	{ "retiring", retiring, 200, 480 },
	{ "bad-spec", bad_spec, 400, 411 },
	{ "fe-bound", fe_bound, 1, 141 },
	{ "be-bound", be_bound, 100, 339 },
};

/* What the functions go on with */
static uint64_t state = 1, chain;

static void spend(void (*function)(void), unsigned int rounds)
{
	uint64_t left = rounds;

	asm volatile("call *%[function]"
		     : "+a" (state), "+c" (left), "+D" (chain)
		     : [function] "r" (function)
		     : "rbx", "rdx", "rsi", "r8", "cc", "memory");
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static struct perf_topdown *open_reader(void)
{
	struct perf_topdown *td = perf_topdown__new();

	if (!td)
		die("perf_topdown__new");
	errno = -perf_topdown__open(td);
	if (errno)
		die("perf_topdown__open");
	return td;
}

static void take(struct perf_topdown *td, struct perf_topdown_snapshot *snap)
{
	errno = -perf_topdown__snapshot(td, snap);
	if (errno)
		die("perf_topdown__snapshot");
}

static void spend_pieces(const struct phase *phase, unsigned int pieces)
{
	while (pieces--) {
		spend(phase->function, phase->rounds);
		sched_yield();
	}
}

static void run_phases(unsigned int pieces, unsigned int before, bool resets)
{
	double sum[ARRAY_SIZE(phases)] = { 0 }, slots = 0;
	unsigned int p, n, i, refused = 0, by_read = 0;
	struct perf_topdown_snapshot from, to;
	struct perf_topdown *td;

	spend(link_chain, 0);
	td = open_reader();
	perf_topdown__reset(td);
	for (p = 0; p < ARRAY_SIZE(phases); p++) {
		unsigned int regions = phases[p].regions * PIECES / (pieces + before);

		for (n = 0; n < regions; n++) {
			double share[PERF_TOPDOWN_NR_CATEGORIES];

			if (resets)
				perf_topdown__reset(td);
			spend_pieces(&phases[p], before);
			take(td, &from);
			spend_pieces(&phases[p], pieces);
			take(td, &to);
			by_read += !from.by_rdpmc + !to.by_rdpmc;
			if (perf_topdown__shares(&from, &to, share) < 0) {
				refused++;
			} else {
				for (i = 0; i < ARRAY_SIZE(phases); i++)
					sum[i] += share[i] *
						  (to.slots - from.slots);
				slots += to.slots - from.slots;
			}
		}
	}
	printf("found %.0f\n", slots);
	for (i = 0; i < ARRAY_SIZE(phases); i++)
		printf("%s %.0f\n", phases[i].name, sum[i]);
	printf("refused %u\nby_read %u\n", refused, by_read);
	perf_topdown__delete(td);
}

static void run_snapshots(unsigned int number)
{
	struct perf_topdown *td = open_reader();
	struct perf_topdown_snapshot snap;

	while (number--)
		take(td, &snap);
	perf_topdown__delete(td);
}

static int open_member(uint64_t config, int leader)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_RAW,
		.size		= sizeof(attr),
		.config		= config,
		.exclude_kernel	= 1,
		.read_format	= PERF_FORMAT_GROUP,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);

	if (fd < 0)
		die("perf_event_open");
	return fd;
}

/* Slots and the four categories, mapped or not */
static int open_group(bool mapped)
{
	int fd, i, leader = -1;

	for (i = -1; i < (int)ARRAY_SIZE(phases); i++) {
		fd = open_member(leader < 0 ? SLOTS : METRIC(i), leader);
		if (leader < 0)
			leader = fd;
		if (mapped && mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd,
				   0) == MAP_FAILED)
			die("mmap");
	}
	return leader;
}

/* Returns the slots */
static uint64_t read_group(int leader)
{
	uint64_t count[2 + ARRAY_SIZE(phases)];

	if (read(leader, count, sizeof(count)) != sizeof(count))
		die("read");
	return count[1];
}

static void run_reads(unsigned int number)
{
	int leader = open_group(false);

	while (number--)
		read_group(leader);
}

static void schedule_as(int policy)
{
	struct sched_param param = { .sched_priority = policy == SCHED_FIFO };

	if (sched_setscheduler(0, policy, &param))
		die("sched_setscheduler");
}

static void run_overflow(void)
{
	uint64_t before, held = 0, added = 0;
	int leader = open_group(true);
	int n, i;

	msr_file = open("/dev/cpu/0/msr", O_RDWR);
	if (msr_file < 0)
		die("/dev/cpu/0/msr");
	for (n = 0; n < 50; n++) {
		for (i = 0; i < 20; i++) {
			spend(retiring, 200);
			sched_yield();
		}

		/* It is a matter of one time slice */
		schedule_as(SCHED_FIFO);
		before = rdmsr(MSR_SLOTS);
		wrmsr(MSR_SLOTS, NEAR_OVERFLOW);
		wrmsr(MSR_PERF_METRICS, METRICS_RETIRING);
		spend(retiring, 400);
		schedule_as(SCHED_OTHER);
		held += before;
		added += NEAR_OVERFLOW - before;
	}
	printf("held %llu\n", (unsigned long long)held);
	printf("added %llu\n", (unsigned long long)added);
	printf("found %llu\n", (unsigned long long)read_group(leader));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned int number = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;

	if (!number)
		number = 1;
	if (!strcmp(what, "phases")) {
		run_phases(argc > 2 ? number : PIECES,
			   argc > 3 ? strtoul(argv[3], NULL, 0) : 0, argc != 3);
	} else if (!strcmp(what, "snapshots")) {
		run_snapshots(number);
	} else if (!strcmp(what, "reads")) {
		run_reads(number);
	} else if (!strcmp(what, "overflow")) {
		run_overflow();
	} else {
		fprintf(stderr, "usage: topdown-self phases|snapshots|reads [NUMBER [NUMBER]]\n"
			"       topdown-self overflow\n");
		return 2;
	}
	return 0;
}
