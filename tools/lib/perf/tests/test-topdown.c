// SPDX-License-Identifier: GPL-2.0
/* The reader of slots and topdown metrics, as far as the machine has them */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/time64.h>
#include <perf/core.h>
#include <perf/evsel.h>
#include <perf/threadmap.h>
#include <perf/topdown.h>
#include <internal/evsel.h>
#include <internal/tests.h>
#include <internal/topdown.h>
#include "tests.h"

#define SLOTS		0x0400
#define METRIC(i)	(0x8000 + ((i) << 8))

static int libperf_print(enum libperf_print_level level,
			 const char *fmt, va_list ap)
{
	return vfprintf(stderr, fmt, ap);
}

static void spin(int rounds)
{
	while (rounds--)
		barrier();
}

static bool near(double a, double b)
{
	return fabs(a - b) < 0.000001;
}

/*
 * Registers of a CPU with all categories, decoded by hand: 0xff is all of the slots,
 * and a byte of 0x33 (51) a fifth. The lowest byte is the first category. What is
 * left by the division is dropped.
 */
static int test_decode(void)
{
	static const struct {
		__u64 slots, metrics;
		__u64 expected[PERF_TOPDOWN_NR_CATEGORIES];
	} cases[] = {
		{ 255000, 0x4c190a0566334c19,
		  { 25000, 76000, 51000, 102000, 5000, 10000, 25000, 76000 } },
		{ 1000, 0xff01807f00fffe02,
		  { 7, 996, 1000, 0, 498, 501, 3, 1000 } },
		/* The counter is full: 2^48 - 1 is 255 times 0x10101010101 */
		{ 0xffffffffffff, 0x80000000000000ff,
		  { 0xffffffffffff, 0, 0, 0, 0, 0, 0, 0x808080808080 } },
		{ 0, 0x4c190a0566334c19, { 0 } },
	};
	__u64 category[PERF_TOPDOWN_NR_CATEGORIES + 1];
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (n = 0; n <= PERF_TOPDOWN_NR_CATEGORIES; n++)
			category[n] = 12345;
		perf_topdown__decode(cases[i].slots, cases[i].metrics, 8, category);
		for (n = 0; n < PERF_TOPDOWN_NR_CATEGORIES; n++)
			__T("wrong slots of a category", category[n] == cases[i].expected[n]);
		__T("more categories than there are", category[n] == 12345);
	}

	/* Level 1 only: the upper bytes mean nothing, and nothing is written for them */
	category[4] = 12345;
	perf_topdown__decode(255, 0xffffffff01020304, 4, category);
	for (n = 0; n < 4; n++)
		__T("wrong slots of a category", category[n] == 4 - n);
	__T("categories that the CPU lacks", category[4] == 12345);
	return 0;
}

/* Shares of what is known: signed differences, no factor of 255 */
static int test_shares(void)
{
	struct perf_topdown_snapshot from = {
		.slots		= 1000,
		.category	= { 400, 100, 250, 250, 40, 50, 25, 125 },
		.nr_categories	= 8,
	}, to = {
		.slots		= 2000,
		.category	= { 900, 90, 500, 510, 140, 45, 25, 225 },
		.nr_categories	= 8,
	};
	static const double expected[] = {
		0.5, 0, 0.25, 0.26, 0.1, 0, 0, 0.1,
	};
	double share[PERF_TOPDOWN_NR_CATEGORIES];
	unsigned int i;

	__T("wrong number of shares",
	    perf_topdown__shares(&from, &to, share) == 8);
	for (i = 0; i < ARRAY_SIZE(expected); i++)
		__T("wrong share", near(share[i], expected[i]));

	from.nr_categories = 4;
	to.nr_categories = 4;
	__T("shares that the CPU lacks",
	    perf_topdown__shares(&from, &to, share) == 4);

	__T("no slots", perf_topdown__shares(&from, &from, share) == -ENODATA);
	__T("backwards", perf_topdown__shares(&to, &from, share) == -EAGAIN);
	to.missed_ns++;
	__T("slots are missing", perf_topdown__shares(&from, &to, share) == 4);
	to.origin++;
	__T("cleared", perf_topdown__shares(&from, &to, share) == -EAGAIN);
	to.origin--;
	to.era++;
	__T("reset", perf_topdown__shares(&from, &to, share) == -EAGAIN);
	return 0;
}

/* Registers that RDPMC clears are read as a part of the counts */
static bool clears(void)
{
	return !access("/sys/bus/event_source/devices/cpu/format/metrics_clear", F_OK) ||
	       !access("/sys/bus/event_source/devices/cpu_core/format/metrics_clear", F_OK);
}

static void *other_thread(void *td)
{
	static struct perf_topdown_snapshot snap;

	return perf_topdown__snapshot(td, &snap) ? NULL : &snap;
}

/* Pages are not inherited, nor are the events. 0 if the kernel gave the counts. */
static int in_child(struct perf_topdown *td, const struct perf_topdown_snapshot *before)
{
	struct perf_topdown_snapshot snap;
	int status = -1;
	pid_t child;

	child = fork();
	if (!child) {
		status = perf_topdown__snapshot(td, &snap) || snap.by_rdpmc ||
			 snap.slots < before->slots;
		perf_topdown__close(td);
		_exit(status);
	}
	waitpid(child, &status, 0);
	return status;
}

/* Reads on another CPU than this one until it is killed, counts how often */
static void read_elsewhere(struct perf_topdown *td, int cpu, int *reads)
{
	struct perf_topdown_snapshot snap;
	cpu_set_t others;
	int i;

	CPU_ZERO(&others);
	for (i = 0; i < CPU_SETSIZE; i++)
		CPU_SET(i, &others);
	CPU_CLR(cpu, &others);
	if (sched_setaffinity(0, sizeof(others), &others))
		_exit(1);
	while (!perf_topdown__snapshot(td, &snap))
		WRITE_ONCE(*reads, *reads + 1);
	_exit(1);
}

/* Spin while a child reads. False if it could not, as there is no other CPU. */
static bool read_while_spinning(struct perf_topdown *td)
{
	int *reads = mmap(NULL, sizeof(*reads), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool read = false;
	cpu_set_t before, here;
	pid_t child;

	if (reads == MAP_FAILED || sched_getaffinity(0, sizeof(before), &before))
		return false;
	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	sched_setaffinity(0, sizeof(here), &here);

	child = fork();
	if (!child)
		read_elsewhere(td, sched_getcpu(), reads);
	while (!read && !waitpid(child, NULL, WNOHANG)) {
		spin(1000);
		/* At least one of these has been all the way */
		read = READ_ONCE(*reads) > 2;
	}
	if (read) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	sched_setaffinity(0, sizeof(before), &before);
	munmap(reads, sizeof(*reads));
	return read;
}

/*
 * R21: a read() of another process clears the registers, and more slots follow it
 * than came before.
 */
static int test_cleared(struct perf_topdown *td)
{
	struct perf_topdown_snapshot first, second;
	double share[PERF_TOPDOWN_NR_CATEGORIES];
	bool cleared;
	int nr;

	__T("failed to reset", !perf_topdown__reset(td));
	__T("failed to take a snapshot", !perf_topdown__snapshot(td, &first));
	cleared = read_while_spinning(td) && first.by_rdpmc && !clears();
	if (cleared)
		__T_VERBOSE("another process cleared the slots\n");
	spin(3000000);
	__T("failed to take a snapshot", !perf_topdown__snapshot(td, &second));
	__T("source", second.by_rdpmc == first.by_rdpmc);
	__T("slots", second.slots > first.slots + 3000000);
	nr = perf_topdown__shares(&first, &second, share);
	__T("cleared by another process", cleared ? nr == -EAGAIN : nr > 0);

	/* It is no matter for what comes behind it */
	spin(1000000);
	__T("failed to take a snapshot", !perf_topdown__snapshot(td, &first));
	__T("cleared before", perf_topdown__shares(&second, &first, share) > 0);
	return 0;
}

/* Returns what was missed of some time that this thread had */
static __u64 missed_of(struct perf_topdown *td, __u64 ns)
{
	struct perf_topdown_snapshot first, second;
	struct timespec now;
	__u64 end = 0;

	if (perf_topdown__snapshot(td, &first))
		return -1;
	do {
		spin(10000);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		if (!end)
			end = now.tv_sec * NSEC_PER_SEC + now.tv_nsec + ns;
	} while (now.tv_sec * NSEC_PER_SEC + now.tv_nsec < end);
	return perf_topdown__snapshot(td, &second) ? (__u64)-1 :
	       second.missed_ns - first.missed_ns;
}

/* Slots are missing between snapshots when another group had the counter. */
static int test_missed(struct perf_topdown *td)
{
	struct perf_topdown *other = perf_topdown__new();
	__u64 ns = NSEC_PER_SEC / 5, alone, in_turns;

	__T("failed to create a reader", other);
	alone = missed_of(td, ns);
	__T("failed to open", !perf_topdown__open(other));
	in_turns = missed_of(td, ns);
	perf_topdown__delete(other);
	__T_VERBOSE("missed %llu ns, in turns %llu ns\n", (unsigned long long)alone,
		    (unsigned long long)in_turns);
	__T("missed alone", alone < ns / 10);
	__T("missed in turns", in_turns > ns / 10 && in_turns < ns * 10);
	return 0;
}

/* What is opened counts, in registers if that is allowed */
static int test_reader(struct perf_topdown *td)
{
	struct perf_topdown_snapshot first, second, *other;
	double share[PERF_TOPDOWN_NR_CATEGORIES], sum;
	pthread_t thread;
	void *result;
	int i, nr;

	__T("opened twice", perf_topdown__open(td) == -EBUSY);
	__T("failed to reset", !perf_topdown__reset(td));
	__T("failed to take a snapshot", !perf_topdown__snapshot(td, &first));
	spin(1000000);
	__T("failed to take a snapshot", !perf_topdown__snapshot(td, &second));
	nr = perf_topdown__shares(&first, &second, share);
	__T("failed to compare", nr == 4 || nr == 8);
	__T("slots", second.slots - first.slots > 1000000);
	for (i = 0, sum = 0; i < PERF_TOPDOWN_NR_LEVEL1; i++)
		sum += share[i];
	__T("sum", sum > 0.99 && sum < 1.01);
	__T("retiring", share[PERF_TOPDOWN_RETIRING] > 0.02);

	/* A reset is noticed although there are more slots behind it */
	__T("failed to reset", !perf_topdown__reset(td));
	spin(3000000);
	__T("failed to take a snapshot", !perf_topdown__snapshot(td, &first));
	__T("slots", first.slots > second.slots);
	__T("reset", perf_topdown__shares(&second, &first, share) == -EAGAIN);

	/* The registers that another thread could read are not ours */
	__T("failed to create a thread",
	    !pthread_create(&thread, NULL, other_thread, td));
	pthread_join(thread, &result);
	other = result;
	__T("failed in another thread", other);
	__T("registers of another thread", !other->by_rdpmc);
	__T("slots in another thread", other->slots >= first.slots);
	__T("mixed", !first.by_rdpmc || clears() ||
	    perf_topdown__shares(&first, other, share) == -EAGAIN);
	__T("registers of the parent", !in_child(td, &first));
	__T("failed to take a snapshot", !perf_topdown__snapshot(td, &second));
	__T("source", second.by_rdpmc == first.by_rdpmc);
	nr = perf_topdown__shares(&first, &second, share);
	__T("mixed", !first.by_rdpmc || (clears() ? nr > 0 : nr == -EAGAIN));

	perf_topdown__close(td);
	__T("failed to open again", !perf_topdown__open(td));
	if (test_cleared(td) || test_missed(td))
		return -1;

	/* Others may have the counter now */
	perf_topdown__close(td);
	return 0;
}

/* The packed bytes of a metric are not its count */
static int test_index(void)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_RAW,
		.config		= SLOTS,
		.exclude_kernel	= 1,
	};
	struct perf_counts_values slots, metric, sum = { .val = 0 };
	struct perf_evsel *evsel[1 + PERF_TOPDOWN_NR_LEVEL1];
	struct perf_thread_map *threads;
	int i;

	threads = perf_thread_map__new_dummy();
	__T("failed to create threads", threads);
	perf_thread_map__set_pid(threads, 0, 0);

	for (i = 0; i <= PERF_TOPDOWN_NR_LEVEL1; i++) {
		if (i)
			attr.config = METRIC(i - 1);
		evsel[i] = perf_evsel__new(&attr);
		__T("failed to create evsel", evsel[i]);
		evsel[i]->leader = evsel[0];
		__T("failed to open evsel",
		    !perf_evsel__open(evsel[i], NULL, threads));
		__T("failed to mmap evsel", !perf_evsel__mmap(evsel[i], 0));
	}

	spin(1000000);
	for (i = 1; i <= PERF_TOPDOWN_NR_LEVEL1; i++) {
		__T("failed to read",
		    !perf_evsel__read(evsel[i], 0, 0, &metric));
		sum.val += metric.val;
	}
	__T("failed to read", !perf_evsel__read(evsel[0], 0, 0, &slots));
	__T_VERBOSE("categories %llu of %llu slots\n", (unsigned long long)sum.val,
		    (unsigned long long)slots.val);
	__T("slots", slots.val > 1000000);
	/* Each is read a little later than the one before */
	__T("categories are less than slots", sum.val > slots.val / 10 * 9);
	__T("categories are more than slots", sum.val < slots.val / 10 * 11);

	for (i = PERF_TOPDOWN_NR_LEVEL1; i >= 0; i--) {
		perf_evsel__munmap(evsel[i]);
		perf_evsel__close(evsel[i]);
		perf_evsel__delete(evsel[i]);
	}
	perf_thread_map__put(threads);
	return 0;
}

/* Bind the thread to the first CPU where it may count slots. */
static int open_somewhere(struct perf_topdown *td)
{
	cpu_set_t allowed, one;
	int cpu, err;

	err = perf_topdown__open(td);
	if (err != -EXDEV || sched_getaffinity(0, sizeof(allowed), &allowed))
		return err;
	for (cpu = 0; err == -EXDEV && cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (!sched_setaffinity(0, sizeof(one), &one))
			err = perf_topdown__open(td);
	}
	return err;
}

int test_topdown(int argc, char **argv)
{
	struct perf_topdown *td;
	int err;

	__T_START;

	libperf_init(libperf_print);
	test_decode();
	test_shares();

	td = perf_topdown__new();
	__T("failed to create a reader", td);
	err = open_somewhere(td);
	if (!err) {
		if (!test_reader(td))
			test_index();
	} else {
		__T_VERBOSE("no slots: %s\n", strerror(-err));
		__T("wrong error", err == -EOPNOTSUPP || err == -EACCES);
	}
	perf_topdown__delete(td);

	__T_END;
	return tests_failed == 0 ? 0 : -1;
}
