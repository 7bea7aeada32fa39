// SPDX-License-Identifier: GPL-2.0
/*
 * pmusim - statistics and ground truth of the emulated PMU
 *
 *	pmusim CPU count on|off		count instructions, also those of NMIs
 *	pmusim CPU memory on|off	cycles include what memory costs
 *	pmusim CPU clear		start all counts from 0
 *	pmusim CPU forget		empty the predictor and the caches
 *	pmusim CPU stats		"name number" for each statistic
 *	pmusim CPU msr NUMBER		"reads writes" of one register
 *	pmusim CPU read NUMBER		its value, hexadecimal
 *	pmusim CPU write NUMBER VALUE
 *	pmusim CPU range N FIRST END [os|usr]
 *					know the truth about code in a range
 *	pmusim CPU range N off
 *	pmusim CPU truth N		"name number" of what happened there
 *
 * The registers are described in tools/testing/pmusim/README.md.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulated_msr.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define ID		0x01006d6973756d70ull
#define CONTROL_COUNT	1
#define CONTROL_CLEAR	2
#define CONTROL_FORGET	4
#define CONTROL_MEMORY	8
#define RANGES		8

static const char * const statistics[] = {
	"reads", "writes", "pmis", "pmis_lost", "lvtpc_writes", "pebs_records",
	"pebs_lost", "nmis", "nmi_instructions", "kernel_instructions",
	"user_instructions", "rdpmcs", "nmi_reads", "nmi_writes",
	"nmi_lvtpc_writes", "nmi_rdpmcs", "faults",
};

static const char * const lanes[] = {
	"nothing", "instructions", "branches", "conditionals", "taken",
	"misses", "cycles", "recovery", "slots", "bad_spec", "frontend",
	"fetch_latency", "backend", "memory_bound", "heavy", "loads", "stores",
	"l1_hits", "l1_misses", "llc_references", "llc_misses", "slow_loads",
	"divisions", "fetch_misses",
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void usage(void)
{
	fprintf(stderr,
		"usage: pmusim CPU count|memory on|off | clear | forget | stats |\n"
		"                  msr|read NUMBER | write NUMBER VALUE |\n"
		"                  range N FIRST END [os|usr] | range N off |\n"
		"                  truth N\n");
	exit(2);
}

static void set_range(int argc, char **argv)
{
	uint64_t which = RANGE_OS | RANGE_USR;
	unsigned int n = atoi(argv[0]);
	uint32_t msr = MSR_RANGE0 + 4 * n;

	if (n >= RANGES)
		usage();
	wrmsr(msr + 3, 0);
	if (!strcmp(argv[1], "off"))
		return;
	if (argc < 3)
		usage();
	if (argc > 3)
		which = !strcmp(argv[3], "os") ? RANGE_OS : RANGE_USR;
	wrmsr(msr, strtoull(argv[1], NULL, 0));
	wrmsr(msr + 1, strtoull(argv[2], NULL, 0));
	wrmsr(msr + 2, 0);
	wrmsr(msr + 3, which);
}

static void print(const char * const *names, unsigned int number, uint32_t first)
{
	unsigned int i;

	for (i = 0; i < number; i++)
		printf("%s %llu\n", names[i], (unsigned long long)rdmsr(first + i));
}

static uint64_t switched(uint64_t control, uint64_t bit, const char *state)
{
	return strcmp(state, "on") ? control & ~bit : control | bit;
}

int main(int argc, char **argv)
{
	uint64_t control;
	char path[64];

	if (argc < 3)
		usage();
	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", atoi(argv[1]));
	msr_file = open(path, O_RDWR);
	if (msr_file < 0)
		die(path);
	if (rdmsr(MSR_ID) != ID) {
		fprintf(stderr, "pmusim: this CPU is not emulated by pmusim\n");
		return 1;
	}
	control = rdmsr(MSR_CONTROL);

	if (!strcmp(argv[2], "clear")) {
		wrmsr(MSR_CONTROL, control | CONTROL_CLEAR);
	} else if (!strcmp(argv[2], "forget")) {
		wrmsr(MSR_CONTROL, control | CONTROL_FORGET);
	} else if (!strcmp(argv[2], "stats")) {
		print(statistics, ARRAY_SIZE(statistics), MSR_STATISTIC0);
	} else if (argc < 4) {
		usage();
	} else if (!strcmp(argv[2], "count")) {
		wrmsr(MSR_CONTROL, switched(control, CONTROL_COUNT, argv[3]));
	} else if (!strcmp(argv[2], "memory")) {
		wrmsr(MSR_CONTROL, switched(control, CONTROL_MEMORY, argv[3]));
	} else if (!strcmp(argv[2], "truth")) {
		print(lanes + 1, ARRAY_SIZE(lanes) - 1,
		      MSR_TRUTH0 + 32 * atoi(argv[3]) + 1);
	} else if (!strcmp(argv[2], "msr")) {
		wrmsr(MSR_INDEX, strtoul(argv[3], NULL, 0));
		printf("%llu %llu\n", (unsigned long long)rdmsr(MSR_READS),
		       (unsigned long long)rdmsr(MSR_WRITES));
	} else if (!strcmp(argv[2], "read")) {
		printf("%#llx\n", (unsigned long long)
		       rdmsr(strtoul(argv[3], NULL, 0)));
	} else if (!strcmp(argv[2], "write") && argc > 4) {
		wrmsr(strtoul(argv[3], NULL, 0), strtoull(argv[4], NULL, 0));
	} else if (!strcmp(argv[2], "range") && argc > 4) {
		set_range(argc - 3, argv + 3);
	} else {
		usage();
	}
	return 0;
}
