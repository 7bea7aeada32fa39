/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FUZZ_H
#define FUZZ_H

/* How often each kind of block of target.S is executed in its turn */
#define BLOCKS_STRAIGHT	5000
#define BLOCKS_JUMPS	20000
#define BLOCKS_TESTS	20000
#define BLOCKS_RANDOM	8000

#ifndef __ASSEMBLER__

#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../attr.h"

/* Events of which a block has a known number */
enum lane {
	INSNS,
	BRANCHES,
	CONDITIONALS,
	TAKEN,
	MISSES,
	LANES,
};

/* A core PMU, and how it spells the events */
struct pmu {
	char name[16];
	int type;
	bool acr;
	bool metrics;
	bool freeze;
	uint32_t event[LANES];
};

/* How many blocks are behind a thread, in a cache line of its own */
struct position {
	volatile uint64_t block;
	uint64_t unused[7];
};

/* What a kind of block has of each event, at least and at most, in thousandths */
struct kind {
	int blocks;
	int least[LANES];
	int most[LANES];
};

#define PMUS_MAX	2
#define TARGETS		4
#define KINDS		4

extern struct pmu pmus[PMUS_MAX];
extern int nr_pmus;
extern const struct kind kinds[KINDS];
/* Threads that run target.S, in memory that all processes share */
extern volatile pid_t *targets;
extern struct position *positions;
extern int nr_cpus;

/* Pseudo-random: from @first to @last; true once in @n times */
uint64_t choose(uint64_t first, uint64_t last);
bool once_in(unsigned int n);

/* CLOCK_MONOTONIC, in ns */
uint64_t now(void);
/* One line to the judge */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
int event_open(struct attr *attr, pid_t pid, int cpu, int group);
void write_text(const char *path, const char *text);
void pause_us(unsigned int us);

void target_run(volatile uint64_t *block);

/* The parts of the fuzzer, a process each, until @end of now() */
void judged(uint64_t end, unsigned int number);
void chaos(uint64_t end);
void disturb(uint64_t end);

#endif
#endif
