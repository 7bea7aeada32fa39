// SPDX-License-Identifier: GPL-2.0
/* Move threads between CPUs, take CPUs away, let counters freeze or not */
#include "fuzz.h"

#include <sched.h>
#include <stdio.h>

static void move(pid_t tid)
{
	int cpu, first = choose(0, nr_cpus - 1);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(first, &set);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		if (once_in(4))
			CPU_SET(cpu, &set);
	}
	/* Refused when all of them are offline */
	sched_setaffinity(tid, sizeof(set), &set);
}

static void set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	write_text(path, online ? "1" : "0");
}

static void set_freeze(const struct pmu *pmu)
{
	char path[96];

	snprintf(path, sizeof(path),
		 "/sys/bus/event_source/devices/%s/freeze_counters", pmu->name);
	write_text(path, once_in(2) ? "1" : "0");
}

void disturb(uint64_t end)
{
	int cpu;

	while (now() < end) {
		pause_us(choose(20000, 200000));
		switch (choose(0, 9)) {
		case 0:
			cpu = choose(1, nr_cpus - 1);
			set_online(cpu, false);
			pause_us(choose(1000, 300000));
			set_online(cpu, true);
			break;
		case 1:
			set_freeze(&pmus[choose(0, nr_pmus - 1)]);
			break;
		default:
			move(targets[choose(0, TARGETS - 1)]);
			break;
		}
	}
	for (cpu = 1; cpu < nr_cpus; cpu++)
		set_online(cpu, true);
}
