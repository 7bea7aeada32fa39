// SPDX-License-Identifier: GPL-2.0
/*
 * mispredict - two loops that differ in how well their branch is predicted
 *
 * An array of random bytes is summed twice over: loop1 takes what is >= 64,
 * three elements of four; loop2 what is >= 128, every second one. With two
 * branches an element, the random one of which cannot be foreseen, 12.5 % and
 * 25 % of the branches in the loops are mispredicted; with those that fill the
 * array, about 11 % and 21 % of a program that has only the one loop. Built
 * without optimisation, so that the test stays a jump.
 *
 *	mispredict [--rates] [--only 1|2] [elements [passes]]
 *
 * With --rates each loop is counted, and "loop1 branches misses percent" is
 * printed. The events are those of the PMU of the CPU it runs on.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define noinline	__attribute__((noinline))
#define DEVICES		"/sys/bus/event_source/devices/"

static volatile long sum;

/* The C library's generator starts alike in every run */
static noinline void fill(int *array, int elements)
{
	int i;

	for (i = 0; i < elements; i++)
		array[i] = rand() % 256;
}

static noinline void loop1(const int *array, int elements, int passes)
{
	int pass, i;

	for (pass = 0; pass < passes; pass++) {
		for (i = 0; i < elements; i++) {
			if (array[i] >= 64)
				sum += array[i];
		}
	}
}

static noinline void loop2(const int *array, int elements, int passes)
{
	int pass, i;

	for (pass = 0; pass < passes; pass++) {
		for (i = 0; i < elements; i++) {
			if (array[i] >= 128)
				sum += array[i];
		}
	}
}

static int read_file(const char *pmu, const char *name, char *text, size_t size)
{
	char path[128];
	size_t len;
	FILE *file;

	snprintf(path, sizeof(path), DEVICES "%s/%s", pmu, name);
	file = fopen(path, "r");
	if (!file)
		return -1;
	len = fread(text, 1, size - 1, file);
	text[len] = 0;
	fclose(file);
	return len ? 0 : -1;
}

/* Is @cpu in a list like "0-3,8"? */
static int in_list(const char *list, int cpu)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		int first = strtol(list, &end, 10), last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (cpu >= first && cpu <= last)
			return 1;
		list = *end == ',' ? end + 1 : end;
	}
	return 0;
}

static const char *current_pmu(void)
{
	static const char * const pmus[] = { "cpu_core", "cpu_atom" };
	int cpu = sched_getcpu();
	char list[256];
	size_t i;

	for (i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++) {
		if (!read_file(pmus[i], "cpus", list, sizeof(list)) &&
		    in_list(list, cpu))
			return pmus[i];
	}
	return "cpu";
}

static int event_open(const char *pmu, const char *event, int group)
{
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.disabled	= group < 0,
		.exclude_kernel	= 1,
		.exclude_hv	= 1,
		.read_format	= PERF_FORMAT_GROUP,
	};
	char text[256], name[64], *term;
	int fd;

	snprintf(name, sizeof(name), "events/%s", event);
	if (read_file(pmu, "type", text, sizeof(text)))
		goto fail;
	attr.type = atoi(text);
	if (read_file(pmu, name, text, sizeof(text)))
		goto fail;
	for (term = strtok(text, ",\n"); term; term = strtok(NULL, ",\n")) {
		unsigned long value;

		if (sscanf(term, "event=%lx", &value) == 1)
			attr.config |= value;
		else if (sscanf(term, "umask=%lx", &value) == 1)
			attr.config |= value << 8;
	}
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, group, 0);
	if (fd >= 0)
		return fd;
fail:
	fprintf(stderr, "mispredict: %s/%s/: ", pmu, event);
	perror("cannot count");
	exit(1);
}

static void rate(const char *name, void (*loop)(const int *, int, int),
		 const int *array, int elements, int passes)
{
	const char *pmu = current_pmu();
	int group = event_open(pmu, "branch-instructions", -1);
	int member = event_open(pmu, "branch-misses", group);
	uint64_t values[3];

	ioctl(group, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	loop(array, elements, passes);
	ioctl(group, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	if (read(group, values, sizeof(values)) != sizeof(values)) {
		perror("mispredict: read");
		exit(1);
	}
	close(member);
	close(group);
	printf("%s %llu %llu %.2f\n", name, (unsigned long long)values[1],
	       (unsigned long long)values[2], 100.0 * values[2] / values[1]);
}

static void usage(void)
{
	fprintf(stderr,
		"usage: mispredict [--rates] [--only 1|2] [elements [passes]]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "rates",	no_argument,		NULL, 'r' },
		{ "only",	required_argument,	NULL, 'o' },
		{ }
	};
	int rates = 0, only = 0, option, elements, passes;
	int *array;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'r')
			rates = 1;
		else if (option == 'o')
			only = atoi(optarg);
		else
			usage();
	}
	argv += optind;
	argc -= optind;
	elements = argc > 0 ? atoi(argv[0]) : 32768;
	passes = argc > 1 ? atoi(argv[1]) : 50;
	if (elements <= 0 || passes <= 0 || only < 0 || only > 2)
		usage();
	array = calloc(elements, sizeof(*array));
	if (!array) {
		perror("mispredict");
		return 1;
	}
	fill(array, elements);

	if (only != 2) {
		if (rates)
			rate("loop1", loop1, array, elements, passes);
		else
			loop1(array, elements, passes);
	}
	if (only != 1) {
		if (rates)
			rate("loop2", loop2, array, elements, passes);
		else
			loop2(array, elements, passes);
	}
	free(array);
	return 0;
}
