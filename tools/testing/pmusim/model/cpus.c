/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPU table: one row a CPU
 *
 * Leaf 0xA is given as the CPU shows it. Bits set in its EBX declare events
 * that the model does not count: LLC reference and miss (bits 3 and 4) and
 * slots (bit 7).
 */
#include <stddef.h>
#include <string.h>

#include "pmusim.h"

#define LEAF_A_EAX(version, gp, events) \
    ((version) | (gp) << 8 | PMUSIM_COUNTER_BITS << 16 | (events) << 24)
/* Contiguous fixed counters, their width, and AnyThread deprecated */
#define LEAF_A_EDX(fixed, no_any) \
    ((fixed) | PMUSIM_COUNTER_BITS << 5 | (uint32_t)(no_any) << 15)
#define NO_LLC          (1u << 3 | 1u << 4)
#define NO_SLOTS        (1u << 7)

#define CORE_TYPE_ATOM  0x20
#define CORE_TYPE_CORE  0x40

/*
 * Skymont and Darkmont: general-purpose counters 0 and 1 take no part in
 * reloading, fixed counter 1 does.
 */
#define ATOM_PMU(type) {                                \
    .core_type = (type),                                \
    .gp = 0xff,                                         \
    .fixed = 0x77,                                      \
    .caps = PMUSIM_CAP_FULL_WIDTH,                      \
    .acr = true,                                        \
    .reload_gp = 0xfc,                                  \
    .reload_fixed = 0x2,                                \
    .cause_gp = 0xfc,                                   \
    .cause_fixed = 0x2,                                 \
    .width = 8,                                         \
    .miss_cycles = 17,                                  \
    .taken_slots = 2,                                   \
}

/* Lion Cove */
#define CORE_PMU {                                      \
    .core_type = CORE_TYPE_CORE,                        \
    .gp = 0x3ff,                                        \
    .fixed = 0xf,                                       \
    .caps = PMUSIM_CAP_FULL_WIDTH,                      \
    .width = 8,                                         \
    .miss_cycles = 17,                                  \
    .taken_slots = 2,                                   \
}

static const struct pmusim_cpu cpus[] = {
    {
        .name = "skylake",
        .model = 0x5e,
        .stepping = 3,
        .version = 4,
        .leaf_a = { LEAF_A_EAX(4, 4, 7), NO_LLC, 0, LEAF_A_EDX(3, false) },
        .pmu = {
            .gp = 0xf,
            .fixed = 0x7,
            .caps = PMUSIM_CAP_FULL_WIDTH,
            .width = 4,
            .miss_cycles = 17,
            .taken_slots = 1,
        },
    },
    {
        .name = "arrowlake",
        .model = 0xc6,
        .stepping = 2,
        .version = 6,
        .leaf_a = { LEAF_A_EAX(6, 8, 8), NO_LLC | NO_SLOTS, 0x7,
                    LEAF_A_EDX(3, true) },
        .leaf_23 = true,
        .hybrid = true,
        .pmu = CORE_PMU,
        .atom = ATOM_PMU(CORE_TYPE_ATOM),
    },
    {
        .name = "lunarlake",
        .model = 0xbd,
        .stepping = 1,
        .version = 6,
        .leaf_a = { LEAF_A_EAX(6, 8, 8), NO_LLC | NO_SLOTS, 0x7,
                    LEAF_A_EDX(3, true) },
        .leaf_23 = true,
        .hybrid = true,
        .pmu = CORE_PMU,
        .atom = ATOM_PMU(CORE_TYPE_ATOM),
    },
    {
        .name = "clearwaterforest",
        .model = 0xdd,
        .stepping = 0,
        .version = 6,
        .leaf_a = { LEAF_A_EAX(6, 8, 8), NO_LLC | NO_SLOTS, 0x77,
                    LEAF_A_EDX(3, true) },
        .leaf_23 = true,
        .pmu = ATOM_PMU(0),
    },
};

const struct pmusim_cpu *pmusim_cpu_at(unsigned int row)
{
    if (row >= sizeof(cpus) / sizeof(cpus[0])) {
        return NULL;
    }
    return &cpus[row];
}

const struct pmusim_cpu *pmusim_find_cpu(const char *name)
{
    const struct pmusim_cpu *cpu;
    unsigned int row;

    for (row = 0; (cpu = pmusim_cpu_at(row)); row++) {
        if (!strcmp(cpu->name, name)) {
            return cpu;
        }
    }
    return NULL;
}
