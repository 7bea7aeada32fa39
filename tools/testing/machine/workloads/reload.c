// SPDX-License-Identifier: GPL-2.0
/*
 * reload - where do groups with auto counter reload take samples?
 *
 *	reload [-f] PMU GROUP... -- [-r REPEAT] STEP...
 *
 * GROUP is a list of members, EVENT:PERIOD:MASK[:PRECISE[:WAKEUP]][,...], of which
 * EVENT is insns or branches and MASK the acr_mask; a period of 0 counts. PRECISE is
 * the precise_ip; with WAKEUP each of its samples has an interrupt. STEP is many:N, N times
 * 22 instructions with one branch, few:N, N times 3 instructions with one branch,
 * or yield. REPEAT repeats all steps. With -f, all of them consent to be frozen.
 *
 * Runs the steps with the groups enabled and prints
 *
 *	start MEMBER VALUE		its counter when the steps began
 *	sample MEMBER INSN LEFT STEP	what was about to be done when it was taken,
 *					or had been, if it is precise
 *	at GROUP MEMBER COUNT INSN LEFT STEP
 *					the same, and how far the last of the group is
 *	member GROUP MEMBER SAMPLES COUNT ENABLED RUNNING
 *	switches NUMBER			how often it left the CPU meanwhile
 *	throttled GROUP MEMBER		a sample was refused
 *
 * with start and sample for a single group, whose counters can be read, and at for
 * more than one. INSN counts those of reload_code.S; samples outside are left out.
 */
#define _GNU_SOURCE
#include <asm/perf_regs.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attr.h"
#include "pmu_type.h"
#include "reload_code.h"

#define GROUPS		4
#define MEMBERS		8
#define BUFFER_PAGES	256
#define COUNTER_BITS	48

/**
 * struct sample - What a sample begins with
 * @header:	type and size
 * @ip:		instruction
 * @counts:	of several groups and of precise members, their number, two times and
 *		the counts; behind them, if any, the registers
 */
struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint64_t counts[];
};

/**
 * struct registers - What a sample ends with
 * @abi:	whether there are registers
 * @bx:		the next step
 * @cx:		rounds that are left
 */
struct registers {
	uint64_t abi;
	uint64_t bx;
	uint64_t cx;
};

#define REG(name)	(1u << PERF_REG_X86_##name)
#define SAMPLE_REGS	(REG(BX) | REG(CX))

/**
 * struct member - An event
 * @fd:		its descriptor
 * @counts:	its samples have counts: large PEBS would not let its counter be read
 * @page:	its mapping
 */
struct member {
	int fd;
	bool counts;
	struct perf_event_mmap_page *page;
};

static struct member members[GROUPS][MEMBERS];
static unsigned int nr_groups, nr_members[GROUPS];
static struct step *steps;
static unsigned int nr_steps;
static bool several, consent;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void usage(void)
{
	fprintf(stderr, "usage: reload [-f] PMU GROUP... -- [-r REPEAT] STEP...\n");
	exit(2);
}

static void open_member(unsigned int type, char *text)
{
	unsigned int n = nr_members[nr_groups];
	struct member *member = &members[nr_groups][n];
	struct attr attr = {
		.base.size		= ATTR_SIZE_VER8,
		.base.type		= type,
		.base.sample_type	= PERF_SAMPLE_IP | PERF_SAMPLE_REGS_INTR,
		.base.sample_regs_intr	= SAMPLE_REGS,
		.base.read_format	= PERF_FORMAT_GROUP |
					  PERF_FORMAT_TOTAL_TIME_ENABLED |
					  PERF_FORMAT_TOTAL_TIME_RUNNING,
		.base.disabled		= !n,
		.base.exclude_kernel	= 1,
		.base.exclude_hv	= 1,
		.config3		= consent,
	};
	char *event = strsep(&text, ":"), *period = strsep(&text, ":");
	char *mask = strsep(&text, ":"), *precise = strsep(&text, ":");

	if (!mask || n == MEMBERS)
		usage();
	attr.base.config = strcmp(event, "insns") ? 0xc4 : 0xc0;
	attr.base.sample_period = strtoull(period, NULL, 0);
	attr.base.config2 = strtoull(mask, NULL, 0);
	attr.base.precise_ip = precise ? strtoul(precise, NULL, 0) : 0;
	attr.base.wakeup_events = !!text;
	member->counts = several || precise;
	if (member->counts)
		attr.base.sample_type |= PERF_SAMPLE_READ;
	member->fd = syscall(SYS_perf_event_open, &attr, 0, -1,
			     n ? members[nr_groups][0].fd : -1, 0);
	if (member->fd < 0)
		die("perf_event_open");
	member->page = mmap(NULL, (1 + BUFFER_PAGES) * sysconf(_SC_PAGESIZE),
			    PROT_READ | PROT_WRITE, MAP_SHARED, member->fd, 0);
	if (member->page == MAP_FAILED)
		die("mmap");
	nr_members[nr_groups]++;
}

/*
 * Counters that are reloaded do not allow RDPMC by themselves. An event that is
 * mapped does, if it counts or not.
 */
static void allow_rdpmc(unsigned int type)
{
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.type		= type,
		.config		= 0xc0,
		.disabled	= 1,
		.exclude_kernel	= 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		die("perf_event_open");
	if (mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0) ==
	    MAP_FAILED)
		die("mmap");
}

static void open_group(unsigned int type, char *text)
{
	char *member;

	if (nr_groups == GROUPS)
		usage();
	while ((member = strsep(&text, ",")))
		open_member(type, member);
	nr_groups++;
}

static void add_step(const void *code, uint64_t count)
{
	steps = realloc(steps, (nr_steps + 1) * sizeof(*steps));
	if (!steps)
		die("realloc");
	steps[nr_steps++] = (struct step){ code, count };
}

static void parse_step(char *text)
{
	char *name = strsep(&text, ":");

	if (!strcmp(name, "yield"))
		add_step(reload_yield, 0);
	else if (!text || !strtoull(text, NULL, 0))
		usage();
	else if (!strcmp(name, "many"))
		add_step(reload_many, strtoull(text, NULL, 0));
	else if (!strcmp(name, "few"))
		add_step(reload_few, strtoull(text, NULL, 0));
	else
		usage();
}

static void parse(int argc, char **argv)
{
	unsigned int type, repeat = 1, once;
	int i;

	if (argc > 1 && !strcmp(argv[1], "-f")) {
		consent = true;
		argc--;
		argv++;
	}
	if (argc < 2)
		usage();
	type = pmu_type(argv[1]);
	allow_rdpmc(type);
	several = argc > 3 && strcmp(argv[3], "--");
	for (i = 2; i < argc && strcmp(argv[i], "--"); i++)
		open_group(type, argv[i]);
	if (++i + 1 < argc && !strcmp(argv[i], "-r")) {
		repeat = atoi(argv[i + 1]);
		i += 2;
	}
	for (; i < argc; i++)
		parse_step(argv[i]);
	if (!nr_groups || !nr_steps)
		usage();
	for (once = nr_steps; repeat > 1; repeat--) {
		unsigned int k;

		for (k = 0; k < once; k++)
			add_step(steps[k].code, steps[k].count);
	}
	add_step(reload_done, 0);
}

/* Number of the instruction at @ip, or -1 */
static int insn_number(uint64_t ip)
{
	const uint64_t *at;

	for (at = reload_insns; at < reload_insns_end; at++) {
		if (*at == ip)
			return at - reload_insns;
	}
	return -1;
}

/* Lost samples are a fault of this program: the buffer is too small */
static unsigned int print_samples(unsigned int group, unsigned int number)
{
	const struct member *member = &members[group][number];
	size_t page = sysconf(_SC_PAGESIZE), size = BUFFER_PAGES * page;
	const char *data = (const char *)member->page + page;
	uint64_t head = __atomic_load_n(&member->page->data_head,
					__ATOMIC_ACQUIRE), at = 0;
	unsigned int n = 0;

	while (at < head) {
		const struct sample *sample = (const void *)(data + at);
		const struct registers *regs;

		at += sample->header.size;
		if (sample->header.type == PERF_RECORD_THROTTLE)
			printf("throttled %u %u\n", group, number);
		if (sample->header.type != PERF_RECORD_SAMPLE)
			continue;
		n++;
		if (several)
			printf("at %u %u %llu", group, number, (unsigned long long)
			       sample->counts[2 + sample->counts[0]]);
		else if (insn_number(sample->ip) >= 0)
			printf("sample %u", number);
		else
			continue;
		regs = (const void *)(sample->counts + (member->counts ?
						3 + sample->counts[0] : 0));
		printf(" %d %llu %d\n", insn_number(sample->ip),
		       (unsigned long long)regs->cx,
		       (int)((regs->bx - (uint64_t)steps) / sizeof(*steps)));
	}
	if (head + 512 > size) {
		fprintf(stderr, "reload: too many samples\n");
		exit(1);
	}
	return n;
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

int main(int argc, char **argv)
{
	uint32_t counter[MEMBERS] = {};
	uint64_t value[MEMBERS] = {};
	unsigned int g, i;
	long n = 1, left;

	parse(argc, argv);

	for (g = 0; g < nr_groups; g++) {
		if (ioctl(members[g][0].fd, PERF_EVENT_IOC_ENABLE, 0))
			die("enable");
	}
	if (!several) {
		n = nr_members[0];
		for (i = 0; i < n; i++)
			counter[i] = members[0][i].page->index - 1;
	}
	left = switches();
	reload_run(steps, counter, value, n);
	left = switches() - left;
	for (g = 0; g < nr_groups; g++) {
		if (ioctl(members[g][0].fd, PERF_EVENT_IOC_DISABLE, 0))
			die("disable");
	}

	printf("switches %ld\n", left);
	for (i = 0; i < n && !several; i++)
		printf("start %u %lld\n", i, (long long)
		       (value[i] << (64 - COUNTER_BITS)) >> (64 - COUNTER_BITS));
	for (g = 0; g < nr_groups; g++) {
		for (i = 0; i < nr_members[g]; i++) {
			unsigned int found = print_samples(g, i);
			uint64_t count[3 + MEMBERS];

			/* Their number, two times, and each member */
			if (read(members[g][i].fd, count, sizeof(count)) < 0)
				die("read");
			printf("member %u %u %u %llu %llu %llu\n", g, i, found,
			       (unsigned long long)count[3 + i],
			       (unsigned long long)count[1],
			       (unsigned long long)count[2]);
		}
	}
	return 0;
}
