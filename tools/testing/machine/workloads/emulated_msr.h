/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers that only the emulated PMU has, and the way to them from programs.
 * They are described in tools/testing/pmusim/README.md.
 */
#ifndef EMULATED_MSR_H
#define EMULATED_MSR_H

#include <stdint.h>
#include <unistd.h>

#define MSR_ID		0x504d5500
#define MSR_CONTROL	0x504d5501
#define MSR_INDEX	0x504d5502
#define MSR_READS	0x504d5503
#define MSR_WRITES	0x504d5504
#define MSR_STATISTIC0	0x504d5510
#define MSR_RANGE0	0x504d5540
#define MSR_TRUTH0	0x504d5600

#define STATISTIC_PMIS	2
#define LANE_CONDITIONALS	3
#define RANGE_OS	1
#define RANGE_USR	2

/* The msr driver's file of the CPU that is meant; the program opens it */
static int msr_file = -1;

/* Of the program: says why, and ends it */
static void die(const char *what);

static uint64_t rdmsr(uint32_t msr)
{
	uint64_t value;

	if (pread(msr_file, &value, sizeof(value), msr) != sizeof(value))
		die("rdmsr");
	return value;
}

static void wrmsr(uint32_t msr, uint64_t value)
{
	if (pwrite(msr_file, &value, sizeof(value), msr) != sizeof(value))
		die("wrmsr");
}

#endif
