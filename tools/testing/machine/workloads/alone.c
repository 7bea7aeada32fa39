// SPDX-License-Identifier: GPL-2.0
/*
 * alone - run a program from which nobody takes the CPU
 *
 *	alone CPU PROGRAM [ARGUMENT...]
 *
 * It and its children have the highest real-time priority, and no limit but what
 * the kernel's deadline server lends to those who wait for long.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT	"/proc/sys/kernel/sched_rt_runtime_us"

static void die(const char *what)
{
	perror(what);
	exit(126);
}

int main(int argc, char **argv)
{
	struct sched_param param = {
		.sched_priority = sched_get_priority_max(SCHED_FIFO),
	};
	cpu_set_t set;
	int fd;

	if (argc < 3) {
		fprintf(stderr, "usage: alone CPU PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	fd = open(LIMIT, O_WRONLY);
	if (fd < 0 || write(fd, "-1", 2) != 2)
		die(LIMIT);
	close(fd);

	CPU_ZERO(&set);
	CPU_SET(atoi(argv[1]), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("alone: sched_setaffinity");
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("alone: sched_setscheduler");

	execvp(argv[2], argv + 2);
	die(argv[2]);
}
