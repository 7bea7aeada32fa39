// SPDX-License-Identifier: GPL-2.0
/* Where the slots of a region of this program go */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <perf/topdown.h>

static const char * const names[PERF_TOPDOWN_NR_CATEGORIES] = {
	"retiring", "bad speculation", "frontend bound", "backend bound",
	"heavy operations", "branch mispredict", "fetch latency", "memory bound",
};

/* A chain of divisions: nothing else can be done before one is finished. */
static double region(double divisor)
{
	double value = 1e9;
	int i;

	for (i = 0; i < 300000; i++)
		value = value / divisor;
	return value;
}

/* Measure until nothing but the region has touched the registers. */
static int measure(struct perf_topdown *td, double *share)
{
	struct perf_topdown_snapshot from, to;
	int err;

	do {
		err = perf_topdown__reset(td);
		if (!err)
			err = perf_topdown__snapshot(td, &from);
		if (err)
			return err;

		printf("%g", region(1.0001));

		err = perf_topdown__snapshot(td, &to);
		if (!err)
			err = perf_topdown__shares(&from, &to, share);
	} while (err == -EAGAIN);

	printf(", by %s\n", to.by_rdpmc ? "rdpmc" : "read");
	return err;
}

int main(int argc, char **argv)
{
	double share[PERF_TOPDOWN_NR_CATEGORIES];
	struct perf_topdown *td;
	cpu_set_t cpus;
	int i, nr;

	/* Hybrids have slots on P-cores only: say which CPU is one. */
	if (argc > 1) {
		CPU_ZERO(&cpus);
		CPU_SET(atoi(argv[1]), &cpus);
		if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
			perror("sched_setaffinity");
			return 1;
		}
	}

	td = perf_topdown__new();
	if (!td)
		return 1;
	nr = perf_topdown__open(td);
	if (!nr)
		nr = measure(td, share);
	perf_topdown__delete(td);
	if (nr < 0) {
		fprintf(stderr, "topdown: %s\n", strerror(-nr));
		return 1;
	}

	for (i = 0; i < nr; i++)
		printf("%6.1f%% %s\n", 100 * share[i], names[i]);
	return 0;
}
