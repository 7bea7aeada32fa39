// SPDX-License-Identifier: GPL-2.0
/*
 * refusals - why are events with auto counter reload refused?
 *
 *	refusals WITH WITHOUT
 *
 * Opens what has to be refused, with events of the PMUs WITH, which has auto
 * counter reload, and WITHOUT, which has not. Prints for each, in the order of the
 * document,
 *
 *	NAME ERROR MESSAGE
 *
 * with the number of the error and what the kernel has said about it: pr_debug()
 * is to be enabled before. Anything that is not refused has ERROR 0.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmu_type.h"

#define MESSAGE		"no auto counter reload: "
#define MEMBERS		10
#define PERIOD		1000

/* PERF_SAMPLE_BRANCH_COUNTERS, which older headers do not have */
#define BRANCH_COUNTS	0x80000

#define INSNS		0xc0
#define BRANCHES	0xc4
#define SLOTS		0x400
#define METRIC		0x8000

/* Of which PMU an event is */
enum pmu {
	WITH,
	WITHOUT,
	SOFTWARE,
};

/**
 * struct event - What is to be opened
 * @pmu:	its PMU
 * @config:	its code, 0: there are no more
 * @mask:	its acr_mask
 * @period:	period, 0: the usual one
 * @counts:	no period at all
 * @freq:	the period is a frequency
 * @precise:	precise_ip
 * @branches:	its branch records have counts
 * @on:		not disabled
 */
struct event {
	enum pmu pmu;
	uint64_t config;
	uint64_t mask;
	uint64_t period;
	int counts;
	int freq;
	int precise;
	int branches;
	int on;
};

/**
 * struct refusal - A group whose last event is refused
 * @name:	what is wrong with it
 * @group:	its events
 */
struct refusal {
	const char *name;
	struct event group[MEMBERS];
};

#define RELOADED		{ WITH, BRANCHES, .mask = 0x2 }
#define ON			{ WITH, BRANCHES, .on = 1 }
#define PLAIN(which, code)	{ .pmu = (which), .config = (code) }

static const struct refusal refusals[] = {
	{ "no-reload", { { WITHOUT, INSNS, .mask = 0x2 } } },
	{ "frequency", { { WITH, INSNS, .mask = 0x2, .freq = 1 } } },
	{ "period", { { WITH, INSNS, .mask = 0x2, .period = 1ull << 31 } } },
	{ "no-period", { { WITH, INSNS, .mask = 0x2, .counts = 1 } } },
	{ "slots", { { WITH, SLOTS, .mask = 0x2 } } },
	{ "pdist", { { WITH, INSNS, .mask = 0x2, .precise = 3 } } },
	{ "silent-pebs", { { WITH, INSNS, .mask = 0x1, .precise = 1 } } },
	{ "foreign-leader", { PLAIN(SOFTWARE, 1), RELOADED } },
	{ "gap", { RELOADED, PLAIN(SOFTWARE, 1), PLAIN(WITH, INSNS) } },
	{ "two-pmus", { PLAIN(WITHOUT, INSNS), RELOADED } },
	{ "two-pmus-later", { RELOADED, PLAIN(WITHOUT, INSNS) } },
	{ "too-many-reloads", { RELOADED, RELOADED, RELOADED, RELOADED, RELOADED,
				RELOADED, RELOADED, RELOADED } },
	{ "too-many-causes", { { WITH, INSNS, .mask = 0x1fe } } },
	{ "metric", { RELOADED, PLAIN(WITH, METRIC) } },
	{ "cause-frequency", { RELOADED, { WITH, INSNS, .freq = 1 } } },
	{ "pdist-cause", { RELOADED, { WITH, INSNS, .precise = 3 } } },
	{ "branch-counts", { { WITH, INSNS, .mask = 0x2, .branches = 1 } } },
	{ "no-counters", { RELOADED, ON, ON, ON, ON, ON, ON, ON, ON } },
};

/* Messages that the kernel prints in five seconds */
#define BURST		8

static unsigned int pmu_types[3] = { [SOFTWARE] = PERF_TYPE_SOFTWARE };

static int open_event(const struct event *event, int group)
{
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.type		= pmu_types[event->pmu],
		.config		= event->pmu == SOFTWARE ? PERF_COUNT_SW_DUMMY :
							   event->config,
		.config2	= event->mask,
		.sample_period	= event->period ? event->period : PERIOD,
		.freq		= event->freq,
		.precise_ip	= event->precise,
		.disabled	= !event->on,
		.exclude_kernel	= 1,
		.exclude_hv	= 1,
	};

	if (event->counts)
		attr.sample_period = 0;
	if (event->branches) {
		attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
					  PERF_SAMPLE_BRANCH_USER |
					  BRANCH_COUNTS;
	}
	return syscall(SYS_perf_event_open, &attr, 0, -1, group, 0);
}

/* Open one after the other until one is refused, and return its error */
static int try_group(const struct event *event)
{
	int fd[MEMBERS], n = 0, error = 0;

	for (; event->config; event++) {
		fd[n] = open_event(event, n ? fd[0] : -1);
		if (fd[n] < 0) {
			/* Not for the reason that is looked for */
			error = event[1].config ? -errno : errno;
			break;
		}
		n++;
	}
	while (n--)
		close(fd[n]);
	return error;
}

/* What was said since the last time */
static void read_messages(int kmsg, char *message, size_t size)
{
	char line[8192];
	ssize_t len;

	message[0] = '\0';
	while ((len = read(kmsg, line, sizeof(line) - 1)) > 0) {
		char *at;

		line[len] = '\0';
		at = strstr(line, MESSAGE);
		if (at)
			snprintf(message, size, "%.*s",
				 (int)strcspn(at + strlen(MESSAGE), "\n"),
				 at + strlen(MESSAGE));
	}
}

int main(int argc, char **argv)
{
	char message[256];
	unsigned int i;
	int kmsg;

	if (argc != 3) {
		fprintf(stderr, "usage: refusals WITH WITHOUT\n");
		return 2;
	}
	pmu_types[WITH] = pmu_type(argv[1]);
	pmu_types[WITHOUT] = pmu_type(argv[2]);
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (kmsg < 0) {
		perror("/dev/kmsg");
		return 1;
	}

	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		int error;

		if (i && i % BURST == 0)
			sleep(6);
		read_messages(kmsg, message, sizeof(message));
		error = try_group(refusals[i].group);
		read_messages(kmsg, message, sizeof(message));
		printf("%s %d %s\n", refusals[i].name, error, message);
	}
	return 0;
}
