// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz - do at random what can be done with events of core PMUs
 *
 *	fuzz SECONDS SEED
 *
 * Starts threads that run a program of which it is known what they do, and
 * opens, changes and closes groups of events for as long as it is told: groups
 * that can be judged (judged.c) and any others (chaos.c), while threads and CPUs
 * are moved, and taken away (disturb.c). Nothing here decides what is right: that
 * is for the kernel's own checks, and for scripts/fuzz_judge.py, which reads what
 * is printed:
 *
 *	K BLOCKS LEAST MOST ...		a kind of block, thousandths of each event
 *	G GROUP TARGET MEMBERS FROM TO	a group is enabled, between two blocks
 *	M GROUP NUMBER LANE PERIOD MASK PRECISE ON
 *					a member of it; the first ones are told
 *	O GROUP BEFORE AFTER WHAT NUMBER VALUE FROM TO
 *					something is done to it, between two times
 *					and two blocks
 *	S GROUP NUMBER TIME BLOCK ENABLED RUNNING INSNS MISSES
 *					a sample of a member
 *	R GROUP TIME FROM TO ENABLED RUNNING INSNS MISSES
 *					its counts are read, between two blocks
 *	N GROUPS REFUSED		of one process at its end
 *	X TEXT				something that must not be
 */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEVICES		"/sys/bus/event_source/devices/"
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct pmu pmus[PMUS_MAX];
int nr_pmus, nr_cpus;
volatile pid_t *targets;
struct position *positions;
static uint64_t random_state;

/*
 * Predictions go wrong where others share an entry, but seldom. One event more or
 * less is a matter of chance, block by block.
 */
const struct kind kinds[KINDS] = {
	{ BLOCKS_STRAIGHT,	{ 32000, 1000, 1000, 1000, 0 },
				{ 32000, 1000, 1000, 1000, 2 } },
	{ BLOCKS_JUMPS,		{ 9000, 6000, 1000, 6000, 0 },
				{ 9000, 6000, 1000, 6000, 2 } },
	{ BLOCKS_TESTS,		{ 10000, 6000, 6000, 1000, 0 },
				{ 10000, 6000, 6000, 1000, 2 } },
	{ BLOCKS_RANDOM,	{ 17000, 3000, 2000, 2000, 0 },
				{ 17000, 3000, 2000, 3000, 1000 } },
};

uint64_t choose(uint64_t first, uint64_t last)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return first + random_state % (last - first + 1);
}

bool once_in(unsigned int n)
{
	return choose(1, n) == 1;
}

static void seed_random(uint64_t seed)
{
	random_state = seed * 0x9e3779b97f4a7c15 + 0x2545f4914f6cdd1d;
	choose(0, 1);
}

uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

void say(const char *format, ...)
{
	char line[512];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	line[len++] = '\n';
	if (write(STDOUT_FILENO, line, len) != len)
		_exit(2);
}

int event_open(struct attr *attr, pid_t pid, int cpu, int group)
{
	attr->base.size = ATTR_SIZE_VER8;
	return syscall(SYS_perf_event_open, attr, pid, cpu, group,
		       PERF_FLAG_FD_CLOEXEC);
}

void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	/* May be refused: the last CPU of its kind, for example */
	if (write(fd, text, strlen(text)) < 0)
		errno = 0;
	close(fd);
}

void pause_us(unsigned int us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000L };

	nanosleep(&ts, NULL);
}

static int read_number(const char *pmu, const char *name)
{
	char path[128];
	int number = -1;
	FILE *file;

	snprintf(path, sizeof(path), DEVICES "%s/%s", pmu, name);
	file = fopen(path, "r");
	if (!file)
		return -1;
	if (fscanf(file, "%d", &number) != 1)
		number = 0;
	fclose(file);
	return number;
}

/* The model number of the CPU */
static int cpu_model(void)
{
	char line[128];
	int model = 0;
	FILE *file;

	file = fopen("/proc/cpuinfo", "r");
	while (file && fgets(line, sizeof(line), file) && !model)
		sscanf(line, "model : %d", &model);
	if (file)
		fclose(file);
	return model;
}

/* How cores spell conditional and taken branches: Skylake, E-cores, others */
static void set_events(struct pmu *pmu)
{
	int model = cpu_model();
	bool atom = !strcmp(pmu->name, "cpu_atom") ||
		    (!strcmp(pmu->name, "cpu") && model == 0xdd);

	pmu->event[INSNS] = 0xc0;
	pmu->event[BRANCHES] = 0xc4;
	pmu->event[CONDITIONALS] = atom ? 0x7ec4 : model == 0x5e ? 0x1c4 : 0x11c4;
	pmu->event[TAKEN] = atom ? 0xc0c4 : 0x20c4;
	pmu->event[MISSES] = 0xc5;
}

static void find_pmus(void)
{
	static const char * const names[] = { "cpu", "cpu_core", "cpu_atom" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		int type = read_number(names[i], "type");
		struct pmu *pmu = &pmus[nr_pmus];

		if (type < 0)
			continue;
		pmu->type = type;
		pmu->acr = read_number(names[i], "format/acr_mask") >= 0;
		pmu->metrics = read_number(names[i], "events/slots") >= 0;
		pmu->freeze = read_number(names[i], "freeze_counters") >= 0;
		snprintf(pmu->name, sizeof(pmu->name), "%s", names[i]);
		set_events(pmu);
		nr_pmus++;
	}
}

static void *be_target(void *arg)
{
	targets[(uintptr_t)arg] = syscall(SYS_gettid);
	target_run(&positions[(uintptr_t)arg].block);
	return NULL;
}

/* Two processes of one thread each, and one of two */
static void start_targets(void)
{
	uintptr_t i;

	for (i = 0; i < TARGETS - 1; i++) {
		pthread_t thread;

		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (i == TARGETS - 2)
			pthread_create(&thread, NULL, be_target, (void *)(i + 1));
		be_target((void *)i);
	}
	for (i = 0; i < TARGETS; i++) {
		while (!targets[i])
			pause_us(1000);
	}
}

static void tell_kinds(void)
{
	int i, lane;

	for (i = 0; i < KINDS; i++) {
		char text[256];
		int len = 0;

		for (lane = 0; lane < LANES; lane++)
			len += snprintf(text + len, sizeof(text) - len, " %d %d",
					kinds[i].least[lane], kinds[i].most[lane]);
		say("K %d%s", kinds[i].blocks, text);
	}
}

int main(int argc, char **argv)
{
	unsigned long seconds, seed, part;
	int status, wrong = 0;
	uint64_t end;

	if (argc != 3) {
		fprintf(stderr, "usage: fuzz SECONDS SEED\n");
		return 2;
	}
	seconds = strtoul(argv[1], NULL, 0);
	seed = strtoul(argv[2], NULL, 0);
	positions = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (positions == MAP_FAILED) {
		perror("fuzz: mmap");
		return 2;
	}
	targets = (pid_t *)&positions[TARGETS];
	nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	find_pmus();
	if (!nr_pmus) {
		fprintf(stderr, "fuzz: no core PMU\n");
		return 2;
	}
	tell_kinds();
	start_targets();

	end = now() + seconds * 1000000000ull;
	for (part = 0; part < 5; part++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		seed_random(seed * 8 + part);
		if (part < 2)
			judged(end, part);
		else if (part < 4)
			chaos(end);
		else
			disturb(end);
		_exit(0);
	}

	/* The targets never end */
	for (part = 0; part < 5; part++) {
		wait(&status);
		if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			say("X a process of the fuzzer ended with %#x", status);
			wrong = 1;
		}
	}
	return wrong;
}
