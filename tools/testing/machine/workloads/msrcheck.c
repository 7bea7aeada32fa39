// SPDX-License-Identifier: GPL-2.0
/*
 * msrcheck - do the PMU's registers fault where hardware does?
 *
 *	msrcheck CPU core|atom
 *
 * Accesses them through the msr driver, which turns #GP into EIO. Expects an
 * Arrow Lake P-core, or an E-core of it or a Clearwater Forest; no counter may
 * be in use. The expectations are written down here and do not come from
 * CPUID. Prints TAP.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BIT(n)		(1ULL << (n))
#define GP_CTR(n)	(0x1900 + 4 * (n))
#define GP_CFG_A(n)	(0x1901 + 4 * (n))
#define GP_CFG_B(n)	(0x1902 + 4 * (n))
#define GP_CFG_C(n)	(0x1903 + 4 * (n))
#define FX_CTR(n)	(0x1980 + 4 * (n))
#define FX_CFG_B(n)	(0x1982 + 4 * (n))
#define FX_CFG_C(n)	(0x1983 + 4 * (n))

static int msr, tests, failures;

static void verdict(int right, const char *what, uint32_t reg, uint64_t value)
{
	failures += !right;
	printf("%sok %d - %s %x %llx\n", right ? "" : "not ", ++tests, what, reg,
	       (unsigned long long)value);
}

static void reads(uint32_t reg, int works)
{
	uint64_t value;
	int done = pread(msr, &value, sizeof(value), reg) == sizeof(value);

	verdict(done == works, works ? "reads" : "read faults", reg, 0);
}

static void faults(uint32_t reg, uint64_t value)
{
	int done = pwrite(msr, &value, sizeof(value), reg) == sizeof(value);

	verdict(!done, "write faults", reg, value);
}

/* Write @value, expect to read @result, leave 0 behind */
static void becomes(uint32_t reg, uint64_t value, uint64_t result)
{
	uint64_t zero = 0, back = ~result;
	int right;

	right = pwrite(msr, &value, sizeof(value), reg) == sizeof(value) &&
		pread(msr, &back, sizeof(back), reg) == sizeof(back) &&
		back == result &&
		pwrite(msr, &zero, sizeof(zero), reg) == sizeof(zero);
	verdict(right, "keeps", reg, value);
}

static void counters(int atom)
{
	uint64_t gp = atom ? 0xff : 0x3ff, fixed = atom ? 0x77 : 0xf;
	int i;

	for (i = 0; i < 16; i++) {
		reads(GP_CTR(i), gp >> i & 1);
		reads(GP_CFG_A(i), gp >> i & 1);
		reads(FX_CTR(i), fixed >> i & 1);
		/* Fixed counters have no selector */
		reads(FX_CTR(i) + 1, 0);
	}
	becomes(0xc1, 0x80000000, 0xffff80000000);
	becomes(0xc1, 0xffffffff12345678, 0x12345678);
	becomes(0x4c1, 0x123456789abc, 0x123456789abc);
	becomes(GP_CTR(1), 0xffffffffffff, 0xffffffffffff);
	becomes(0x309, 0xffffffffffff, 0xffffffffffff);
	faults(0x4c1, BIT(48));
	faults(GP_CTR(0), BIT(48));
	faults(FX_CTR(0), BIT(48));
}

static void controls(int atom)
{
	static const int absent[] = { 0x1c8, 0x1c9, 0x329, 0x3f1, 0x600, 0x14ce };
	static const int reserved[] = { 21, 32, 34, 35, 36, 40, 48, 63 };
	size_t i;

	for (i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		faults(GP_CFG_A(0), BIT(reserved[i]));
	for (i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
		reads(absent[i], 0);
	faults(0x38d, 4);
	faults(0x38d, BIT(32));
	faults(0x38d, atom ? 0x1000 : 0x10000);
	faults(0x38e, 0);
	faults(0x38f, BIT(10));
	faults(0x38f, BIT(48));
	faults(0x345, 0);
	faults(0x390, ~0ULL);
	faults(0x392, 0);
	faults(0x1d9, BIT(2));
	reads(0x390, 1);
	reads(0x391, 1);
	reads(0x392, 1);
}

static void reload(int atom)
{
	uint64_t gp = atom ? 0xfc : 0, fixed = atom ? 0x2 : 0;
	int i;

	for (i = 0; i < 16; i++) {
		reads(GP_CFG_B(i), gp >> i & 1);
		reads(GP_CFG_C(i), gp >> i & 1);
		reads(FX_CFG_B(i), fixed >> i & 1);
		reads(FX_CFG_C(i), fixed >> i & 1);
	}
	if (!atom)
		return;

	becomes(GP_CFG_B(2), BIT(33) | 0xfc, BIT(33) | 0xfc);
	becomes(FX_CFG_B(1), BIT(33) | 0xfc, BIT(33) | 0xfc);
	becomes(GP_CFG_C(7), 0xffffffff, 0xffffffff);
	faults(GP_CFG_B(2), BIT(0));
	faults(GP_CFG_B(2), BIT(8));
	faults(GP_CFG_B(2), BIT(32));
	faults(FX_CFG_B(1), 0x200000001);
	faults(GP_CFG_C(7), BIT(32));
}

int main(int argc, char **argv)
{
	char path[64];
	cpu_set_t cpus;
	int cpu, atom;

	if (argc != 3) {
		fprintf(stderr, "usage: msrcheck CPU core|atom\n");
		return 2;
	}
	cpu = atoi(argv[1]);
	atom = !strcmp(argv[2], "atom");
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	msr = open(path, O_RDWR);
	if (msr < 0) {
		perror(path);
		return 2;
	}
	counters(atom);
	controls(atom);
	reload(atom);
	printf("1..%d\n", tests);
	return failures != 0;
}
