/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tests of all CPUs share: an independent copy of what each has, and code
 * that does some of everything
 */
#ifndef CPU_FIXTURE_H
#define CPU_FIXTURE_H

#include "guest.h"

/* All that there is, by name and type of core */
#define ROWS    8

/**
 * struct row - what the specification says of a type of core
 * @cpu:        name of its CPU
 * @atom:       an E-core of a hybrid one
 * @caps:       PERF_CAPABILITIES without the PEBS format
 * @gp:         general-purpose counters
 * @fixed:      fixed counters
 * @width:      slots of a cycle
 * @leaf_a:     CPUID leaf 0xA
 * @leaf_23:    EAX of sub-leaf 0 of leaf 0x23; 0: there is none
 * @core_type:  of leaf 0x1A
 */
struct row {
    const char *cpu;
    bool atom;
    uint64_t caps;
    uint32_t gp;
    uint32_t fixed;
    unsigned int width;
    uint32_t leaf_a[4];
    uint32_t leaf_23;
    uint8_t core_type;
};

extern const struct row rows[ROWS];

bool is_atom(const struct row *row);
/* A guest on such a core, in the kernel */
struct guest *make_row(const struct row *row);
struct guest *make(const char *cpu, bool atom);
/* GLOBAL_STATUS, read in the kernel, where the guest then is */
uint64_t status(struct guest *g);
/*
 * Every number differs from every other: 100 straight instructions, 9
 * conditional branches taken and missed, 5 not taken, 11 jumps, 7 divisions,
 * 13 loads of new lines and 29 of the last one, 17 stores to new lines, 3
 * fetches of new lines, and an instruction that ends it.
 */
void run_workload(struct guest *g);

#endif
