// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of anything: events, masks, periods, modifiers, on threads, on CPUs and
 * inherited by children; then anything that can be done to them, in any order.
 * Most are refused. Whatever is not must not make the kernel complain.
 */
#include "fuzz.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define EVENTS_MAX	12
#define PAGE		4096
/* Newer than Debian's header, like attr.config3 */
#define BRANCH_COUNTERS	0x80000

struct event {
	int fd;
	void *ring;
	size_t size;
};

static struct event events[EVENTS_MAX];
static int nr_events;
static unsigned int groups, refused;

static const uint64_t topdown[] = {
	0x400, 0x8000, 0x8100, 0x8200, 0x8300, 0x8400, 0x8500, 0x8600, 0x8700,
};

/* One of few counters, or what the model counts, or nothing that is known */
static const uint64_t raw[] = {
	0xc0, 0x1c0, 0x3c, 0x13c, 0x300, 0xc4, 0xc5, 0x20c4, 0xc0c4, 0x2c2,
	0x1a4, 0x19c, 0x73, 0x1cd, 0x2cd, 0x5d0, 0x6d0, 0x81d0, 0x82d0, 0x8203,
	0x1b7, 0x2a, 0x1d1, 0x100, 0x1ff,
};

static uint64_t choose_mask(void)
{
	switch (choose(0, 4)) {
	case 0:
		return choose(0, UINT64_MAX - 1);
	case 1:
		return 1ull << choose(0, 63);
	default:
		return choose(0, 15);
	}
}

static uint64_t choose_period(void)
{
	switch (choose(0, 9)) {
	case 0:
		return 1ull << choose(20, 63);
	case 1:
		return (1ull << 31) - choose(0, 2);
	case 2:
		return 0;
	default:
		return choose(1000, 1000000);
	}
}

static void choose_type(struct perf_event_attr *attr)
{
	const struct pmu *pmu = &pmus[choose(0, nr_pmus - 1)];

	switch (choose(0, 9)) {
	case 0:
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = choose(0, 10);
		break;
	case 1:
		attr->type = PERF_TYPE_HARDWARE;
		attr->config = choose(0, 9) | (uint64_t)pmu->type << 32;
		break;
	case 2:
		attr->type = PERF_TYPE_HW_CACHE;
		attr->config = choose(0, 6) | choose(0, 2) << 8 |
			       choose(0, 1) << 16 | (uint64_t)pmu->type << 32;
		break;
	case 3:
	case 4:
		attr->type = pmu->type;
		attr->config = topdown[choose(0, ARRAY_SIZE(topdown) - 1)];
		break;
	default:
		attr->type = once_in(8) ? PERF_TYPE_RAW : pmu->type;
		attr->config = raw[choose(0, ARRAY_SIZE(raw) - 1)];
		break;
	}
	/* AnyThread, and what is reserved */
	if (once_in(25))
		attr->config |= 1ull << choose(once_in(4) ? 21 : 22, 63);
}

static void choose_attr(struct attr *attr)
{
	struct perf_event_attr *base = &attr->base;

	memset(attr, 0, sizeof(*attr));
	choose_type(base);
	base->sample_period = choose_period();
	if (once_in(6)) {
		base->freq = 1;
		base->sample_freq = choose(1, 4000);
	}
	if (!once_in(3))
		base->config2 = choose_mask();
	if (once_in(20))
		base->config1 = choose(0, UINT64_MAX - 1);
	if (once_in(4))
		attr->config3 = once_in(4) ? choose(0, UINT64_MAX - 1) : 1;
	if (once_in(3))
		base->precise_ip = choose(0, 3);
	base->sample_type = once_in(3) ? choose(0, (1 << 25) - 1) :
			    PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	/* Not what blocks or needs more than there is */
	base->sample_type &= ~(uint64_t)PERF_SAMPLE_AUX;
	/* Up to PERF_SAMPLE_BRANCH_COUNTERS, which needs a mode of its own */
	if (base->sample_type & PERF_SAMPLE_BRANCH_STACK) {
		base->branch_sample_type = choose(1, (1 << 20) - 1);
		if (once_in(3))
			base->branch_sample_type =
				PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
				BRANCH_COUNTERS;
	}
	if (base->sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR)) {
		base->sample_regs_user = choose(0, 0xff0fff);
		base->sample_regs_intr = choose(0, 0xff0fff);
	}
	if (base->sample_type & PERF_SAMPLE_STACK_USER)
		base->sample_stack_user = 8 * choose(0, 128);
	base->read_format = choose(0, 31);
	base->disabled = once_in(2);
	base->inherit = once_in(3);
	base->inherit_stat = base->inherit && once_in(3);
	base->inherit_thread = base->inherit && once_in(4);
	base->pinned = once_in(8);
	base->exclusive = once_in(10);
	base->exclude_user = once_in(5);
	base->exclude_kernel = !once_in(3);
	base->exclude_hv = once_in(3);
	base->exclude_idle = once_in(8);
	base->exclude_guest = once_in(4);
	base->exclude_host = once_in(12);
	base->enable_on_exec = once_in(4);
	base->remove_on_exec = !base->enable_on_exec && once_in(6);
	base->task = once_in(4);
	base->mmap = once_in(4);
	base->comm = once_in(4);
	base->watermark = once_in(4);
	base->wakeup_events = choose(0, 4);
	if (once_in(3)) {
		base->use_clockid = 1;
		base->clockid = once_in(2) ? CLOCK_MONOTONIC : CLOCK_MONOTONIC_RAW;
	}
}

static void map(struct event *event)
{
	size_t size = PAGE * (1 + (once_in(4) ? 0 : 1 << choose(0, 4)));

	event->ring = mmap(NULL, size, PROT_READ | (once_in(8) ? 0 : PROT_WRITE),
			   MAP_SHARED, event->fd, 0);
	event->size = size;
	if (event->ring == MAP_FAILED)
		event->ring = NULL;
}

static void close_event(int i)
{
	if (events[i].ring && !once_in(8))
		munmap(events[i].ring, events[i].size);
	close(events[i].fd);
	events[i] = events[--nr_events];
}

static void open_group(void)
{
	int n = choose(1, 5), i, group = -1, cpu = -1;
	pid_t pid = 0;

	/* Itself and its children, a thread that computes, a CPU */
	if (once_in(2))
		pid = targets[choose(0, TARGETS - 1)];
	if (once_in(5)) {
		cpu = choose(0, nr_cpus - 1);
		pid = once_in(3) ? pid : -1;
	}
	for (i = 0; i < n && nr_events < EVENTS_MAX; i++) {
		struct event *event = &events[nr_events];
		struct attr attr;

		choose_attr(&attr);
		event->ring = NULL;
		event->fd = event_open(&attr, pid, cpu, group);
		if (event->fd < 0) {
			refused++;
			continue;
		}
		if (group < 0)
			groups++;
		if (group < 0 || once_in(20))
			group = event->fd;
		nr_events++;
		if (once_in(2))
			map(event);
	}
}

static void do_ioctl(int fd)
{
	uint64_t period = choose_period();
	int group = once_in(3) ? PERF_IOC_FLAG_GROUP : 0;

	switch (choose(0, 7)) {
	case 0:
	case 1:
		ioctl(fd, PERF_EVENT_IOC_ENABLE, group);
		break;
	case 2:
	case 3:
		ioctl(fd, PERF_EVENT_IOC_DISABLE, group);
		break;
	case 4:
		ioctl(fd, PERF_EVENT_IOC_REFRESH, choose(0, 10));
		break;
	case 5:
		ioctl(fd, PERF_EVENT_IOC_RESET, group);
		break;
	case 6:
		ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
		break;
	case 7:
		ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, once_in(2) ? -1 :
		      events[choose(0, nr_events - 1)].fd);
		break;
	}
}

static void look(const struct event *event)
{
	uint64_t counts[64];
	struct pollfd poller = { .fd = event->fd, .events = POLLIN };

	if (once_in(3)) {
		poll(&poller, 1, choose(0, 3));
	} else if (event->ring && once_in(2)) {
		struct perf_event_mmap_page *page = event->ring;

		/* Take over what there is, if the page can be written at all */
		if (madvise(event->ring, PAGE, MADV_POPULATE_WRITE) == 0)
			page->data_tail = page->data_head;
	} else if (read(event->fd, counts, sizeof(counts)) < 0) {
		/* In error, or the buffer is too small for the group */
		return;
	}
}

static void *compute(void *arg)
{
	volatile unsigned long n = (uintptr_t)arg;

	while (n--)
		;
	return NULL;
}

/* Children inherit: of this process, of a thread, and beyond exec */
static void multiply(void)
{
	pthread_t thread;
	pid_t child;

	switch (choose(0, 2)) {
	case 0:
		if (!pthread_create(&thread, NULL, compute, (void *)20000))
			pthread_join(thread, NULL);
		return;
	case 1:
		child = fork();
		if (!child) {
			if (once_in(2) && !fork())
				compute((void *)5000);
			compute((void *)choose(1000, 50000));
			_exit(0);
		}
		break;
	default:
		child = fork();
		if (!child) {
			execl("/bin/true", "true", NULL);
			_exit(0);
		}
		break;
	}
	if (child > 0)
		waitpid(child, NULL, 0);
}

void chaos(uint64_t end)
{
	while (now() < end) {
		if (nr_events < EVENTS_MAX / 2 || once_in(8))
			open_group();
		if (!nr_events)
			continue;

		switch (choose(0, 9)) {
		case 0:
		case 1:
			close_event(choose(0, nr_events - 1));
			break;
		case 2:
		case 3:
		case 4:
			do_ioctl(events[choose(0, nr_events - 1)].fd);
			break;
		case 5:
		case 6:
			look(&events[choose(0, nr_events - 1)]);
			break;
		case 7:
			multiply();
			break;
		case 8:
			compute((void *)choose(100, 100000));
			break;
		case 9:
			pause_us(choose(0, 10000));
			break;
		}
	}
	while (nr_events)
		close_event(0);
	say("N %u %u", groups, refused);
}
