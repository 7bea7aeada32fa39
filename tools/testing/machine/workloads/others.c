// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "others.h"

#define DEVICE		"/sys/bus/event_source/devices/cpu/"

static uint64_t random_state = 1;

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

void set_seed(uint64_t seed)
{
	random_state = seed * 0x9e3779b97f4a7c15 + 1;
}

unsigned long choose(unsigned long first, unsigned long last)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return first + random_state % (last - first + 1);
}

void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("sched_setaffinity");
}

static int read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -1;
	len = read(fd, text, size - 1);
	close(fd);
	if (len < 0)
		return -1;
	text[len] = '\0';
	return 0;
}

int open_event(struct attr *attr, pid_t pid, int cpu)
{
	static int type = -1;
	char text[64];

	if (type < 0) {
		if (read_text(DEVICE "type", text, sizeof(text)))
			fail(DEVICE "type");
		type = atoi(text);
	}
	attr->base.type = type;
	attr->base.size = ATTR_SIZE_VER8;
	attr->base.exclude_kernel = 1;
	return syscall(SYS_perf_event_open, attr, pid, cpu, -1,
		       PERF_FLAG_FD_CLOEXEC);
}

void open_sampler(unsigned long period)
{
	struct attr attr = {
		.base.config		= EVENT_BRANCHES,
		.base.sample_period	= period,
		.base.sample_type	= PERF_SAMPLE_IP | PERF_SAMPLE_TID,
		.base.watermark		= 1,
		.base.wakeup_watermark	= 1 << 30,
		.config3		= CONSENT,
	};
	size_t size = 9 * sysconf(_SC_PAGESIZE);
	int fd = open_event(&attr, -1, 0);

	if (fd < 0)
		fail("sampler");
	/* What is not written is never full */
	if (mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
		fail("mmap");
}

static void join_and_leave(struct joiner *joiner)
{
	static const uint64_t configs[] = {
		EVENT_BRANCHES, EVENT_INSNS, EVENT_TICKS,
	};
	char text[256];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(1);
	random_state += 0x9e3779b97f4a7c15;
	for (;;) {
		struct attr attr = { .base.disabled = choose(0, 1) };
		int fd;

		attr.base.config = configs[choose(0, 2)];
		attr.config3 = choose(0, 1) ? CONSENT : 0;
		switch (choose(0, 3)) {
		case 0:
			break;
		case 1:
			attr.base.freq = 1;
			attr.base.sample_freq = choose(100, 5000);
			break;
		default:
			attr.base.sample_period = choose(300, 20000);
		}
		fd = open_event(&attr, -1, 0);
		if (fd < 0)
			fail("joiner");
		joiner->joined++;
		usleep(choose(0, 2000));
		if (attr.base.disabled)
			ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		usleep(choose(0, 3000));
		close(fd);
		usleep(choose(0, 5000));
		if (!read_text(DEVICE "freeze_counters_state", text, sizeof(text))) {
			joiner->looks++;
			joiner->active += !!strstr(text, "active: 0");
		}
	}
}

struct joiner *start_joiner(pid_t *pid)
{
	struct joiner *joiner;

	joiner = mmap(NULL, sizeof(*joiner), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (joiner == MAP_FAILED)
		fail("mmap");
	*pid = fork();
	if (!*pid)
		join_and_leave(joiner);
	if (*pid < 0)
		fail("fork");
	return joiner;
}
