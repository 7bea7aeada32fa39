// SPDX-License-Identifier: GPL-2.0
/* Where the slots of one region go: topdown [PMU] */
#include <stdio.h>
#include <string.h>
#include <perf/topdown.h>

static const char * const names[PERF_TOPDOWN_NR_LEVEL1] = {
	"retiring", "bad speculation", "frontend bound", "backend bound",
};

/* A chain of divisions: nothing else can be done before one is finished. */
static double region(double divisor)
{
	double value = 1e9;
	int i;

	for (i = 0; i < 3000000; i++)
		value = value / divisor;
	return value;
}

int main(int argc, char **argv)
{
	struct perf_topdown_snapshot from, to;
	double share[PERF_TOPDOWN_NR_METRICS];
	struct perf_topdown td;
	double result;
	int err, i;

	err = perf_topdown__open(&td, argc > 1 ? argv[1] : NULL);
	if (err) {
		fprintf(stderr, "cannot count slots: %s\n", strerror(-err));
		return 1;
	}
	err = perf_topdown__reset(&td) ?: perf_topdown__snapshot(&td, &from);
	result = region(1 + argc / 1e9);
	err = err ?: perf_topdown__snapshot(&td, &to);
	err = err ?: perf_topdown__shares(&from, &to, share);
	if (err) {
		fprintf(stderr, "cannot compare: %s\n", strerror(-err));
		return 1;
	}
	printf("%f, by %s\n", result, to.width ? "rdpmc" : "read");
	for (i = 0; i < PERF_TOPDOWN_NR_LEVEL1; i++)
		printf("%5.1f%% %s\n", 100 * share[i], names[i]);
	perf_topdown__close(&td);
	return 0;
}
