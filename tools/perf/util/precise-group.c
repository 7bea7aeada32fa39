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

/* Opens the event with another precise level; a file descriptor or the negative error */
static int try_open(const struct evsel *evsel, int level, int leader)
{
	struct perf_event_attr attr = evsel->core.attr;
	int fd;

	attr.precise_ip = level;
	attr.disabled = leader < 0;
	attr.enable_on_exec = 0;
	fd = sys_perf_event_open(&attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static bool opens(const struct evsel *evsel)
{
	int fd = try_open(evsel, evsel->core.attr.precise_ip, -1);

	if (fd >= 0)
		close(fd);

	return fd >= 0;
}

/* Returns 0, or the negative error of opening both in one group */
static int try_pair(const struct evsel *first, int first_level,
		    const struct evsel *second, int second_level)
{
	int leader, both;

	leader = try_open(first, first_level, -1);
	if (leader < 0)
		return leader;
	both = try_open(second, second_level, leader);
	close(leader);
	if (both < 0)
		return both;
	close(both);

	return 0;
}

/* Both open, but not both in one group */
static bool exclude_each_other(const struct evsel *evsel, const struct evsel *other)
{
	return opens(evsel) && opens(other) &&
	       try_pair(other, other->core.attr.precise_ip,
			evsel, evsel->core.attr.precise_ip) == -EINVAL;
}

/* Which of the two may be less precise, so that they fit; NULL if that is no help */
static struct evsel *less_precise(struct evsel *evsel, struct evsel *other, int *level)
{
	int own = evsel->core.attr.precise_ip, others = other->core.attr.precise_ip;

	for (*level = own - 1; *level >= 0; --*level) {
		if (!try_pair(other, others, evsel, *level))
			return evsel;
	}
	for (*level = others - 1; *level >= 0; --*level) {
		if (!try_pair(other, *level, evsel, own))
			return other;
	}

	return NULL;
}

static int print_error(struct evsel *evsel, struct evsel *other, char *msg, size_t size)
{
	static const char * const levels[] = { "no", "one", "two" };
	struct evsel *less;
	int level, printed;

	less = less_precise(evsel, other, &level);
	printed = scnprintf(msg, size,
			    "Precise event '%s' needs the same counter as '%s' of its group.\n"
			    "Take one of them out of the group, so that they take turns",
			    evsel__name(evsel), evsel__name(other));
	if (less)
		printed += scnprintf(msg + printed, size - printed,
				     ", or give '%s' only %s 'p'",
				     evsel__name(less), levels[level]);

	return printed + scnprintf(msg + printed, size - printed, ".");
}

/**
 * evsel__precise_group_error - Say which other event leaves no counter
 * @evsel: the event that was refused with EINVAL
 * @msg: receives the text
 * @size: its size
 *
 * Tries the event with each precise one before it in the group, and which level
 * would let both be in it.
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
		return print_error(evsel, pos, msg, size);
	}

	return 0;
}
