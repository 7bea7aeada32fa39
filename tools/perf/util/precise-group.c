// SPDX-License-Identifier: GPL-2.0
/*
 * Why the kernel refuses a precise event of a group.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>
#include <linux/kernel.h>
#include <perf/cpumap.h>
#include "evlist.h"
#include "evsel.h"
#include "perf-sys.h"
#include "precise-group.h"

/* Returns a file descriptor or the negative error */
static int try_open(const struct evsel *evsel, int leader)
{
	struct perf_event_attr attr = evsel->core.attr;
	int fd;

	attr.disabled = leader < 0;
	attr.enable_on_exec = 0;
	fd = sys_perf_event_open(&attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Both open, but not both in one group */
static bool exclude_each_other(const struct evsel *evsel, const struct evsel *other)
{
	int alone, leader, both;

	alone = try_open(evsel, -1);
	if (alone < 0)
		return false;
	close(alone);

	leader = try_open(other, -1);
	if (leader < 0)
		return false;
	both = try_open(evsel, leader);
	close(leader);
	if (both >= 0)
		close(both);

	return both == -EINVAL;
}

/**
 * evsel__precise_group_error - Say which other event leaves no counter
 * @evsel: the event that was refused with EINVAL
 * @msg: receives the text
 * @size: its size
 *
 * Tries the event with each precise one before it in the group.
 *
 * Return: length of the text, 0 if no pair of precise events is the reason.
 */
int evsel__precise_group_error(struct evsel *evsel, char *msg, size_t size)
{
	struct evsel *pos;

	if (!evsel->core.attr.precise_ip)
		return 0;

	evlist__for_each_entry(evsel->evlist, pos) {
		if (pos == evsel)
			break;
		if (evsel__leader(pos) != evsel__leader(evsel) ||
		    !pos->core.attr.precise_ip || !exclude_each_other(evsel, pos))
			continue;
		return scnprintf(msg, size,
				 "Precise event '%s' needs the same counter as '%s' of its group.\n"
				 "Take one of them out of the group, so that they take turns, or give it one 'p' less.",
				 evsel__name(evsel), evsel__name(pos));
	}

	return 0;
}
