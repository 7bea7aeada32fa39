// SPDX-License-Identifier: GPL-2.0
/*
 * Groups that can be judged: some events of which a block of target.S has a known
 * number, reloaded by each other at random, and behind them a counter of
 * instructions, which is the group's own clock. Where it is a matter of chance how
 * many branches are mispredicted, another one counts them. They count one thread
 * that runs target.S. Each sample has the number of blocks that the thread had
 * executed, and what is done to a group is told with the blocks that the thread
 * executed in the meantime.
 */
#include "fuzz.h"

#include <asm/perf_regs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define RELOADED_MAX	4
#define DATA_PAGES	8
#define PERIOD_MIN	1000
#define PAGE		4096

struct member {
	int fd;
	uint64_t id, period, mask;
	enum lane lane;
	int precise;
	bool on;
	struct perf_event_mmap_page *ring;
};

struct group {
	unsigned int number;
	const struct pmu *pmu;
	pid_t target;
	const struct position *position;
	/* The first of those that only count */
	int plain;
	int n;
	struct member member[RELOADED_MAX + 2];
};

/* A time and a place in the program */
struct moment {
	uint64_t time, block;
};

static unsigned int groups, refused;

/*
 * Periods between which ratio decides: so many of a reference event, as thousands
 * of instructions, in a kind of block chosen for the whole group.
 */
static uint64_t choose_period(enum lane lane, uint64_t reference)
{
	const struct kind *kind = &kinds[choose(0, KINDS - 1)];
	int rate = (kind->least[lane] + kind->most[lane]) / 2;
	uint64_t period = reference * rate / kind->least[INSNS];

	return period > PERIOD_MIN ? period : PERIOD_MIN;
}

static void choose_members(struct group *group)
{
	uint64_t reference = choose(50000, 400000);
	bool usual = once_in(3), misses = false;
	int i;

	group->plain = choose(1, RELOADED_MAX);
	for (i = 0; i < group->plain; i++) {
		struct member *member = &group->member[i];

		member->lane = choose(0, LANES - 1);
		member->period = choose_period(member->lane, reference);
		member->mask = choose(0, (1 << group->plain) - 1);
		if (usual)
			member->mask = ((1 << group->plain) - 1) & ~(i ? 0 : 1);
		/* Not of this group, or of nobody: means nothing */
		if (once_in(8))
			member->mask |= choose(1, UINT64_MAX) <<
				(group->plain + 2);
		if (once_in(5) && !(member->mask & 1 << i))
			member->precise = choose(1, 2);
		if (!group->pmu->acr)
			member->mask = 0;
		member->on = !once_in(8);
		misses |= member->mask && member->lane == MISSES;
	}
	/* What the group has counted in all */
	group->n = group->plain;
	group->member[group->n++] = (struct member){ .lane = INSNS, .on = true };
	if (misses)
		group->member[group->n++] =
			(struct member){ .lane = MISSES, .on = true };
}

static bool open_member(struct group *group, int i)
{
	struct member *member = &group->member[i];
	struct attr attr = {
		.base = {
			.type = group->pmu->type,
			.config = group->pmu->event[member->lane],
			.config2 = member->mask,
			.sample_period = member->period,
			.sample_type = PERF_SAMPLE_IDENTIFIER |
				       PERF_SAMPLE_TIME | PERF_SAMPLE_READ |
				       PERF_SAMPLE_REGS_USER,
			.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
				       PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING,
			.sample_regs_user = 1ull << PERF_REG_X86_R12,
			.precise_ip = member->precise,
			.disabled = !i || !member->on,
			.exclude_kernel = 1,
			.exclude_hv = 1,
			.use_clockid = 1,
			.clockid = CLOCK_MONOTONIC,
			.wakeup_events = 1,
		},
	};

	member->fd = event_open(&attr, group->target, -1,
				i ? group->member[0].fd : -1);
	if (member->fd < 0)
		return false;
	if (ioctl(member->fd, PERF_EVENT_IOC_ID, &member->id))
		say("X no id");
	if (!member->period)
		return true;
	member->ring = mmap(NULL, (1 + DATA_PAGES) * PAGE,
			    PROT_READ | PROT_WRITE, MAP_SHARED, member->fd, 0);
	return member->ring != MAP_FAILED;
}

static void close_member(struct member *member)
{
	if (member->ring && member->ring != MAP_FAILED)
		munmap(member->ring, (1 + DATA_PAGES) * PAGE);
	if (member->fd >= 0)
		close(member->fd);
	member->ring = NULL;
	member->fd = -1;
}

static void close_group(struct group *group)
{
	int i;

	for (i = 0; i < group->n; i++)
		close_member(&group->member[i]);
}

static bool open_group(struct group *group)
{
	int i;

	for (i = 0; i < group->n; i++)
		group->member[i].fd = -1;
	for (i = 0; i < group->n; i++) {
		if (!open_member(group, i)) {
			close_group(group);
			return false;
		}
	}
	return true;
}

static struct moment moment(const struct group *group)
{
	return (struct moment){ now(), group->position->block };
}

static void tell(const struct group *group, struct moment before,
		 struct moment after, const char *what, int number,
		 uint64_t value)
{
	say("O %u %llu %llu %s %d %llu %llu %llu", group->number,
	    (unsigned long long)before.time, (unsigned long long)after.time,
	    what, number, (unsigned long long)value,
	    (unsigned long long)before.block, (unsigned long long)after.block);
}

/* Of the values that are read of a group, behind their number, those of plain */
static void find_plain(const struct group *group, const uint64_t *values,
		       uint64_t *insns, uint64_t *misses)
{
	uint64_t i;

	*insns = *misses = 0;
	for (i = 0; i < values[0]; i++) {
		uint64_t value = values[3 + 2 * i], id = values[4 + 2 * i];

		if (id == group->member[group->plain].id)
			*insns = value;
		else if (id == group->member[group->n - 1].id)
			*misses = value;
	}
}

/* Behind the header: id, time, the group's counts, the user's registers */
static void tell_sample(const struct group *group, int number,
			const uint64_t *data)
{
	uint64_t time = data[1], nr = data[2], insns, misses;
	const uint64_t *regs = data + 5 + 2 * nr;
	uint64_t block = UINT64_MAX;

	find_plain(group, data + 2, &insns, &misses);
	/* All ones: not known, where the interrupt came in a system call */
	if (regs[0] != PERF_SAMPLE_REGS_ABI_NONE)
		block = regs[1];
	say("S %u %d %llu %llu %llu %llu %llu %llu", group->number, number,
	    (unsigned long long)time, (unsigned long long)block,
	    (unsigned long long)data[3], (unsigned long long)data[4],
	    (unsigned long long)insns, (unsigned long long)misses);
}

/* Read the group's counts, which may stop and start its counters */
static void tell_counts(const struct group *group)
{
	uint64_t values[3 + 2 * (RELOADED_MAX + 2)], insns, misses;
	struct moment before = moment(group), after;

	if (group->member[0].fd < 0 ||
	    read(group->member[0].fd, values, sizeof(values)) < 0)
		return;
	after = moment(group);
	find_plain(group, values, &insns, &misses);
	say("R %u %llu %llu %llu %llu %llu %llu %llu", group->number,
	    (unsigned long long)after.time, (unsigned long long)before.block,
	    (unsigned long long)after.block, (unsigned long long)values[1],
	    (unsigned long long)values[2], (unsigned long long)insns,
	    (unsigned long long)misses);
}

/* Records of which nobody knows where the thread was */
static void tell_record(const struct group *group, uint64_t time,
			const char *what, int number)
{
	struct moment then = { .time = time };

	tell(group, then, then, what, number, 0);
}

static void drain(const struct group *group, int number)
{
	struct perf_event_mmap_page *ring = group->member[number].ring;
	const uint8_t *data = (uint8_t *)ring + PAGE;
	uint64_t head, tail;

	if (!ring)
		return;
	head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	for (tail = ring->data_tail; tail < head;) {
		uint64_t record[128], i;
		struct perf_event_header header;
		size_t size = DATA_PAGES * PAGE;

		/* Records are made of whole words */
		memcpy(&header, data + tail % size, sizeof(header));
		if (header.size > sizeof(record) || !header.size) {
			say("X a record of %u bytes", header.size);
			break;
		}
		for (i = 0; i < header.size / 8; i++)
			memcpy(&record[i], data + (tail + 8 * i) % size, 8);
		if (header.type == PERF_RECORD_SAMPLE)
			tell_sample(group, number, record + 1);
		/* In between, this one does nothing to others */
		if (header.type == PERF_RECORD_THROTTLE ||
		    header.type == PERF_RECORD_UNTHROTTLE)
			tell_record(group, record[1],
				    header.type == PERF_RECORD_THROTTLE ?
				    "throttle" : "unthrottle", number);
		if (header.type == PERF_RECORD_LOST)
			tell_record(group, now(), "lost", number);
		tail += header.size;
	}
	__atomic_store_n(&ring->data_tail, head, __ATOMIC_RELEASE);
}

static void drain_all(const struct group *group)
{
	int i;

	for (i = 0; i < group->n; i++)
		drain(group, i);
}

/* Bring a group to a known state: all periods are whole */
static void restart_group(const struct group *group)
{
	int i;

	ioctl(group->member[0].fd, PERF_EVENT_IOC_DISABLE, 0);
	for (i = 0; i < group->plain; i++) {
		const struct member *member = &group->member[i];

		if (member->fd >= 0 &&
		    ioctl(member->fd, PERF_EVENT_IOC_PERIOD, &member->period))
			say("X a period is refused that was taken");
	}
	ioctl(group->member[0].fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* Do something to a member, or the whole group by its leader */
static void disturb_group(struct group *group)
{
	int number = choose(0, group->n - 1);
	struct member *member = &group->member[number];
	const char *what = NULL;
	struct moment before = moment(group);
	uint64_t value = 0;

	if (member->fd < 0)
		return;

	/* By the plain ones, the group is judged */
	switch (number >= group->plain ? 6 : choose(0, 5)) {
	case 0:
		what = "off";
		ioctl(member->fd, PERF_EVENT_IOC_DISABLE, 0);
		break;
	case 1:
	case 2:
		what = "on";
		ioctl(member->fd, PERF_EVENT_IOC_ENABLE, 0);
		break;
	case 3:
		value = member->period * choose(1, 16) / 4;
		if (value < PERIOD_MIN)
			return;
		what = "period";
		if (ioctl(member->fd, PERF_EVENT_IOC_PERIOD, &value))
			return;
		member->period = value;
		break;
	case 4:
		what = "reset";
		ioctl(member->fd, PERF_EVENT_IOC_RESET, 0);
		break;
	case 5:
		if (!once_in(6))
			return;
		what = "close";
		drain(group, number);
		close_member(member);
		break;
	case 6:
		if (group->member[0].fd < 0)
			return;
		what = "restart";
		restart_group(group);
		break;
	}
	tell(group, before, moment(group), what, number, value);
}

static void tell_members(const struct group *group)
{
	int i;

	for (i = 0; i < group->plain; i++) {
		const struct member *member = &group->member[i];

		say("M %u %d %d %llu %#llx %d %d", group->number, i, member->lane,
		    (unsigned long long)member->period,
		    (unsigned long long)member->mask, member->precise,
		    !i || member->on);
	}
}

static void run_group(struct group *group, uint64_t end)
{
	uint64_t last = now() + choose(200, 2000) * 1000000;
	uint64_t before = group->position->block;

	ioctl(group->member[0].fd, PERF_EVENT_IOC_ENABLE, 0);
	say("G %u %d %d %llu %llu", group->number,
	    (int)(group->position - positions), group->plain,
	    (unsigned long long)before,
	    (unsigned long long)group->position->block);
	while (now() < end && now() < last) {
		pause_us(choose(3000, 20000));
		drain_all(group);
		tell_counts(group);
		if (once_in(16))
			disturb_group(group);
	}
	if (!once_in(4))
		ioctl(group->member[0].fd, PERF_EVENT_IOC_DISABLE,
		      once_in(2) ? PERF_IOC_FLAG_GROUP : 0);
	drain_all(group);
}

void judged(uint64_t end, unsigned int number)
{
	while (now() < end) {
		struct group group = {};
		int target = choose(0, TARGETS - 1);

		group.pmu = &pmus[choose(0, nr_pmus - 1)];
		if (!group.pmu->acr)
			group.pmu = &pmus[choose(0, nr_pmus - 1)];
		group.target = targets[target];
		group.position = &positions[target];
		group.number = groups * 2 + number;
		choose_members(&group);
		if (!open_group(&group)) {
			refused++;
			continue;
		}
		groups++;
		tell_members(&group);
		run_group(&group, end);
		close_group(&group);
	}
	say("N %u %u", groups, refused);
}
