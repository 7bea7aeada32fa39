/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPU table: one row a CPU, and one a type of core
 *
 * Leaf 0xA is given as the CPU shows it. Numbers of events are those of
 * Intel's lists of events for the core, https://github.com/intel/perfmon.
 */
#include <string.h>

#include "pmusim.h"

#define LEAF_A_EAX(version, gp, events) \
    ((version) | (gp) << 8 | PMUSIM_COUNTER_BITS << 16 | (events) << 24)
/* Contiguous fixed counters, their width, and AnyThread deprecated */
#define LEAF_A_EDX(fixed, no_any) \
    ((fixed) | PMUSIM_COUNTER_BITS << 5 | (uint32_t)(no_any) << 15)

#define CORE_TYPE_ATOM  0x20
#define CORE_TYPE_CORE  0x40

#define EVENT(event, umask)     ((umask) << 8 | (event))
/*
 * Known, and never happens here: no machine clears, nothing that blocks, no
 * fused pairs, and all that is issued comes from the decoded cache
 */
#define NEVER                   PMUSIM_NOTHING

static const struct pmusim_event skylake_events[] = {
    /* INST_RETIRED.PREC_DIST, UOPS_RETIRED.RETIRE_SLOTS, UOPS_ISSUED.ANY */
    { EVENT(0xc0, 0x01), PMUSIM_INSNS },
    { EVENT(0xc2, 0x02), PMUSIM_INSNS },
    { EVENT(0x0e, 0x01), PMUSIM_INSNS },
    /* UOPS_RETIRED.ALL, not on the list: Linux sampled with it on Skylake */
    { EVENT(0xc2, 0x01), PMUSIM_INSNS },
    /* UOPS_RETIRED.MACRO_FUSED */
    { EVENT(0xc2, 0x04), NEVER },
    /* CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE: there is but one */
    { EVENT(0x3c, 0x02), PMUSIM_CYCLES },
    /* INT_MISC.RECOVERY_CYCLES, IDQ_UOPS_NOT_DELIVERED.CORE */
    { EVENT(0x0d, 0x01), PMUSIM_RECOVERY },
    { EVENT(0x9c, 0x01), PMUSIM_FRONTEND },
    /* BR_INST_RETIRED.CONDITIONAL, NEAR_TAKEN, ICACHE_64B.IFTAG_MISS */
    { EVENT(0xc4, 0x01), PMUSIM_CONDITIONALS },
    { EVENT(0xc4, 0x20), PMUSIM_TAKEN },
    { EVENT(0x83, 0x02), PMUSIM_FETCH_MISSES },
    /* MEM_INST_RETIRED.ALL_LOADS, ALL_STORES */
    { EVENT(0xd0, 0x81), PMUSIM_LOADS },
    { EVENT(0xd0, 0x82), PMUSIM_STORES },
    /* MEM_LOAD_RETIRED.L1_HIT, L1_MISS, MEM_TRANS_RETIRED.LOAD_LATENCY */
    { EVENT(0xd1, 0x01), PMUSIM_L1_HITS },
    { EVENT(0xd1, 0x08), PMUSIM_L1_MISSES },
    { EVENT(0xcd, 0x01), PMUSIM_SLOW_LOADS },
    { 0 },
};

static const struct pmusim_event icelake_events[] = {
    /* TOPDOWN.SLOTS_P, BACKEND_BOUND_SLOTS, BR_MISPREDICT_SLOTS */
    { EVENT(0xa4, 0x01), PMUSIM_SLOTS },
    { EVENT(0xa4, 0x02), PMUSIM_BACKEND },
    { EVENT(0xa4, 0x08), PMUSIM_BAD_SPEC },
    /* INST_RETIRED with a condition, UOPS_RETIRED.SLOTS, UOPS_ISSUED.ANY */
    { EVENT(0xc0, 0x01), PMUSIM_INSNS },
    { EVENT(0xc2, 0x02), PMUSIM_INSNS },
    { EVENT(0x0e, 0x01), PMUSIM_INSNS },
    /* CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE: there is but one */
    { EVENT(0x3c, 0x02), PMUSIM_CYCLES },
    /* INT_MISC.RECOVERY_CYCLES (also CLEARS_COUNT), UOP_DROPPING */
    { EVENT(0x0d, 0x01), PMUSIM_RECOVERY },
    { EVENT(0x0d, 0x10), NEVER },
    /* UOPS_DECODED.DEC0, IDQ.MITE_UOPS, MS_UOPS */
    { EVENT(0x56, 0x01), NEVER },
    { EVENT(0x79, 0x04), NEVER },
    { EVENT(0x79, 0x30), NEVER },
    /* IDQ_UOPS_NOT_DELIVERED.CORE */
    { EVENT(0x9c, 0x01), PMUSIM_FRONTEND },
    /* BR_INST_RETIRED.COND, NEAR_TAKEN, ICACHE_64B.IFTAG_MISS */
    { EVENT(0xc4, 0x11), PMUSIM_CONDITIONALS },
    { EVENT(0xc4, 0x20), PMUSIM_TAKEN },
    { EVENT(0x83, 0x02), PMUSIM_FETCH_MISSES },
    /* MEM_INST_RETIRED.ALL_LOADS, ALL_STORES */
    { EVENT(0xd0, 0x81), PMUSIM_LOADS },
    { EVENT(0xd0, 0x82), PMUSIM_STORES },
    /* MEM_LOAD_RETIRED.L1_HIT, L1_MISS, MEM_TRANS_RETIRED.LOAD_LATENCY */
    { EVENT(0xd1, 0x01), PMUSIM_L1_HITS },
    { EVENT(0xd1, 0x08), PMUSIM_L1_MISSES },
    { EVENT(0xcd, 0x01), PMUSIM_SLOW_LOADS },
    { 0 },
};

/* Golden Cove and later */
static const struct pmusim_event cove_events[] = {
    /* TOPDOWN.SLOTS_P, BACKEND_BOUND_SLOTS, BAD_SPEC_SLOTS */
    { EVENT(0xa4, 0x01), PMUSIM_SLOTS },
    { EVENT(0xa4, 0x02), PMUSIM_BACKEND },
    { EVENT(0xa4, 0x04), PMUSIM_BAD_SPEC },
    /* TOPDOWN.BR_MISPREDICT_SLOTS, MEMORY_BOUND_SLOTS */
    { EVENT(0xa4, 0x08), PMUSIM_BAD_SPEC },
    { EVENT(0xa4, 0x10), PMUSIM_MEMORY_BOUND },
    /* INST_RETIRED with a condition, UOPS_RETIRED.SLOTS, HEAVY */
    { EVENT(0xc0, 0x01), PMUSIM_INSNS },
    { EVENT(0xc2, 0x02), PMUSIM_INSNS },
    { EVENT(0xc2, 0x01), PMUSIM_HEAVY },
    /* UOPS_ISSUED.ANY */
    { EVENT(0xae, 0x01), PMUSIM_INSNS },
    /* CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE: there is but one */
    { EVENT(0x3c, 0x02), PMUSIM_CYCLES },
    /* INT_MISC.RECOVERY_CYCLES (also CLEARS_COUNT), UOP_DROPPING */
    { EVENT(0xad, 0x01), PMUSIM_RECOVERY },
    { EVENT(0xad, 0x10), NEVER },
    /* IDQ_UOPS_NOT_DELIVERED.CORE, BR_INST_RETIRED.COND, NEAR_TAKEN */
    { EVENT(0x9c, 0x01), PMUSIM_FRONTEND },
    { EVENT(0xc4, 0x11), PMUSIM_CONDITIONALS },
    { EVENT(0xc4, 0x20), PMUSIM_TAKEN },
    /* MEM_INST_RETIRED.ALL_LOADS, ALL_STORES */
    { EVENT(0xd0, 0x81), PMUSIM_LOADS },
    { EVENT(0xd0, 0x82), PMUSIM_STORES },
    /* MEM_LOAD_RETIRED.L1_HIT, L1_MISS */
    { EVENT(0xd1, 0x01), PMUSIM_L1_HITS },
    { EVENT(0xd1, 0x08), PMUSIM_L1_MISSES },
    /* MEM_TRANS_RETIRED.LOAD_LATENCY, STORE_SAMPLE, and its companion */
    { EVENT(0xcd, 0x01), PMUSIM_SLOW_LOADS },
    { EVENT(0xcd, 0x02), PMUSIM_STORES },
    { EVENT(0x03, 0x82), NEVER },
    { 0 },
};

/* Skymont and Darkmont */
static const struct pmusim_event mont_events[] = {
    /* TOPDOWN_RETIRING.ALL_P, of Crestmont, and as Linux asks for it */
    { EVENT(0xc2, 0x02), PMUSIM_INSNS },
    { EVENT(0xc2, 0x00), PMUSIM_INSNS },
    { EVENT(0x72, 0x00), PMUSIM_INSNS },
    /* TOPDOWN_BAD_SPECULATION.ALL_P */
    { EVENT(0x73, 0x00), PMUSIM_BAD_SPEC },
    /* TOPDOWN_FE_BOUND.ALL_P, and of Crestmont */
    { EVENT(0x9c, 0x01), PMUSIM_FRONTEND },
    { EVENT(0x71, 0x00), PMUSIM_FRONTEND },
    /* TOPDOWN_BE_BOUND.ALL_P, and of Crestmont */
    { EVENT(0xa4, 0x02), PMUSIM_BACKEND },
    { EVENT(0x74, 0x00), PMUSIM_BACKEND },
    /* The architectural SLOTS */
    { EVENT(0xa4, 0x01), PMUSIM_SLOTS },
    /* BR_INST_RETIRED.COND, NEAR_TAKEN, ICACHE.MISSES */
    { EVENT(0xc4, 0x7e), PMUSIM_CONDITIONALS },
    { EVENT(0xc4, 0xc0), PMUSIM_TAKEN },
    { EVENT(0x80, 0x02), PMUSIM_FETCH_MISSES },
    /* MEM_UOPS_RETIRED.LOAD_LATENCY, STORE_LATENCY, ALL_LOADS, ALL_STORES */
    { EVENT(0xd0, 0x05), PMUSIM_SLOW_LOADS },
    { EVENT(0xd0, 0x06), PMUSIM_STORES },
    { EVENT(0xd0, 0x81), PMUSIM_LOADS },
    { EVENT(0xd0, 0x82), PMUSIM_STORES },
    /* MEM_LOAD_UOPS_RETIRED.L1_HIT, L1_MISS */
    { EVENT(0xd1, 0x01), PMUSIM_L1_HITS },
    { EVENT(0xd1, 0x40), PMUSIM_L1_MISSES },
    { 0 },
};

#define CAPS(lbr, pebs) \
    ((lbr) | PMUSIM_CAP_PEBS_TRAP | PMUSIM_CAP_PEBS_REGS | \
     (uint64_t)(pebs) << PMUSIM_CAP_PEBS_SHIFT | PMUSIM_CAP_FREEZE_SMM | \
     PMUSIM_CAP_FULL_WIDTH)

static const struct pmusim_pmu skylake = {
    .gp = 0xf,
    .fixed = 0x7,
    .caps = CAPS(PMUSIM_CAP_LBR_INFO_TSX, 3),
    .pebs_gp = 0xf,
    .frontend = 0x7fff17,
    .lbrs = 32,
    .events = skylake_events,
    .fixed_lane = { PMUSIM_INSNS, PMUSIM_CYCLES, PMUSIM_CYCLES },
    .width = 4,
    .miss_cycles = 17,
    .taken_slots = 1,
    .fetch_cycles = 12,
    .llc_cycles = 12,
    .memory_cycles = 60,
    .divide_cycles = 20,
    .source_llc = 0x04,
    .source_memory = 0x0a,
};

static const struct pmusim_pmu icelake = {
    .gp = 0xff,
    .fixed = 0xf,
    .caps = CAPS(PMUSIM_CAP_LBR_INFO_TSX, 4) | PMUSIM_CAP_BASELINE |
            PMUSIM_CAP_METRICS,
    .pebs_gp = 0xff,
    .pebs_fixed = 0xf,
    .frontend = 0x7fff17,
    .lbrs = 32,
    .metrics = 4,
    .events = icelake_events,
    .fixed_lane = { PMUSIM_INSNS, PMUSIM_CYCLES, PMUSIM_CYCLES, PMUSIM_SLOTS },
    .width = 5,
    .miss_cycles = 17,
    .taken_slots = 1,
    .fetch_cycles = 12,
    .llc_cycles = 12,
    .memory_cycles = 60,
    .divide_cycles = 12,
    .source_llc = 0x04,
    .source_memory = 0x0a,
};

static const struct pmusim_pmu golden_cove = {
    .gp = 0xff,
    .fixed = 0xf,
    .caps = CAPS(PMUSIM_CAP_LBR_ARCH, 4) | PMUSIM_CAP_BASELINE |
            PMUSIM_CAP_METRICS,
    .pebs_gp = 0xff,
    .pebs_fixed = 0xf,
    .frontend = 0x7fff1f,
    .lbrs = 32,
    .metrics = 8,
    .events = cove_events,
    .fixed_lane = { PMUSIM_INSNS, PMUSIM_CYCLES, PMUSIM_CYCLES, PMUSIM_SLOTS },
    .width = 6,
    .miss_cycles = 17,
    .taken_slots = 2,
    .fetch_cycles = 12,
    .llc_cycles = 14,
    .memory_cycles = 70,
    .divide_cycles = 12,
    .source_llc = 0x04,
    .source_memory = 0x0a,
    .two_latencies = true,
};

static const struct pmusim_pmu lion_cove = {
    .core_type = CORE_TYPE_CORE,
    .gp = 0x3ff,
    .fixed = 0xf,
    .caps = CAPS(PMUSIM_CAP_LBR_ARCH, 5) | PMUSIM_CAP_BASELINE |
            PMUSIM_CAP_METRICS,
    .pebs_gp = 0x3ff,
    .pebs_fixed = 0xf,
    .frontend = 0x7fff1f,
    .lbrs = 32,
    .lbr_counters = 0xf,
    .metrics = 8,
    .events = cove_events,
    .fixed_lane = { PMUSIM_INSNS, PMUSIM_CYCLES, PMUSIM_CYCLES, PMUSIM_SLOTS },
    .width = 8,
    .miss_cycles = 17,
    .taken_slots = 2,
    .fetch_cycles = 12,
    .llc_cycles = 14,
    .memory_cycles = 70,
    .divide_cycles = 10,
    .source_llc = 0x08,
    .source_memory = 0x11,
    .two_latencies = true,
};

/*
 * General-purpose counters 0 and 1 take no part in reloading, fixed counter 1
 * does.
 */
static const struct pmusim_acr mont_acr = {
    .reload_gp = 0xfc,
    .reload_fixed = 0x2,
    .cause_gp = 0xfc,
    .cause_fixed = 0x2,
};

#define MONT(type) {                                                    \
    .core_type = (type),                                                \
    .gp = 0xff,                                                         \
    .fixed = 0x77,                                                      \
    .caps = CAPS(PMUSIM_CAP_LBR_ARCH, 5) | PMUSIM_CAP_BASELINE,         \
    .acr = &mont_acr,                                                   \
    .pebs_gp = 0xff,                                                    \
    .pebs_fixed = 0x77,                                                 \
    .frontend = 0x7fff1f,                                               \
    .lbrs = 32,                                                         \
    .lbr_counters = 0xf,                                                \
    .events = mont_events,                                              \
    .fixed_lane = {                                                     \
        PMUSIM_INSNS, PMUSIM_CYCLES, PMUSIM_CYCLES, PMUSIM_NOTHING,     \
        PMUSIM_BAD_SPEC, PMUSIM_FRONTEND, PMUSIM_INSNS,                 \
    },                                                                  \
    .width = 8,                                                         \
    .miss_cycles = 17,                                                  \
    .taken_slots = 2,                                                   \
    .fetch_cycles = 12,                                                 \
    .llc_cycles = 14,                                                   \
    .memory_cycles = 70,                                                \
    .divide_cycles = 10,                                                \
    .source_llc = 0x04,                                                 \
    .source_memory = 0x0a,                                              \
    .two_latencies = true,                                              \
}

static const struct pmusim_pmu skymont = MONT(CORE_TYPE_ATOM);
static const struct pmusim_pmu darkmont = MONT(0);

static const struct pmusim_cpu cpus[] = {
    {
        .name = "skylake",
        .model = 0x5e,
        .stepping = 3,
        .version = 4,
        .leaf_a = { LEAF_A_EAX(4, 4, 7), 0, 0, LEAF_A_EDX(3, false) },
        .pmu = &skylake,
    },
    {
        .name = "icelake",
        .model = 0x7d,
        .stepping = 5,
        .version = 5,
        .leaf_a = { LEAF_A_EAX(5, 8, 8), 0, 0xf, LEAF_A_EDX(4, true) },
        .pmu = &icelake,
    },
    {
        .name = "sapphirerapids",
        .model = 0x8f,
        .stepping = 8,
        .version = 5,
        .leaf_a = { LEAF_A_EAX(5, 8, 8), 0, 0xf, LEAF_A_EDX(4, true) },
        .pmu = &golden_cove,
    },
    {
        .name = "arrowlake",
        .model = 0xc6,
        .stepping = 2,
        .version = 6,
        .leaf_a = { LEAF_A_EAX(6, 8, 8), 0, 0x7, LEAF_A_EDX(3, true) },
        .leaf_23 = true,
        .hybrid = true,
        .pmu = &lion_cove,
        .atom = &skymont,
    },
    {
        .name = "lunarlake",
        .model = 0xbd,
        .stepping = 1,
        .version = 6,
        .leaf_a = { LEAF_A_EAX(6, 8, 8), 0, 0x7, LEAF_A_EDX(3, true) },
        .leaf_23 = true,
        .hybrid = true,
        .pmu = &lion_cove,
        .atom = &skymont,
    },
    {
        .name = "clearwaterforest",
        .model = 0xdd,
        .stepping = 0,
        .version = 6,
        .leaf_a = { LEAF_A_EAX(6, 8, 8), 0, 0x77, LEAF_A_EDX(3, true) },
        .leaf_23 = true,
        .pmu = &darkmont,
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
