/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of events, selectors, CPUs and freezing: one test a rule */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "guest.h"

#define USR_INT         (COUNT_USR | PMUSIM_SEL_INT)
#define SELECT(n)       (PMUSIM_MSR_PERFEVTSEL0 + (n))
#define CTR(n)          (PMUSIM_MSR_FULL_WIDTH_PMC0 + (n))
#define SNOOP_RSP       0x1328

static struct guest guest;

/* All that there is, by name and type of core */
static const struct row {
    const char *cpu;
    bool atom;
    /* From the specification: 0x345 without the PEBS format, counters, width */
    uint64_t caps;
    uint32_t gp;
    uint32_t fixed;
    unsigned int width;
    /* Leaf 0xA, and whether 0x23 is there and sub-leaf 0 of it */
    uint32_t leaf_a[4];
    uint32_t leaf_23;
    uint8_t core_type;
} rows[] = {
    { "skylake", false, 0x30c5, 0xf, 0x7, 4,
      { 0x07300404, 0, 0, 0x603 }, 0, 0 },
    { "icelake", false, 0xf0c5, 0xff, 0xf, 5,
      { 0x08300805, 0, 0xf, 0x8604 }, 0, 0 },
    { "sapphirerapids", false, 0xf0ff, 0xff, 0xf, 6,
      { 0x08300805, 0, 0xf, 0x8604 }, 0, 0 },
    { "arrowlake", false, 0xf0ff, 0x3ff, 0xf, 8,
      { 0x08300806, 0, 0x7, 0x8603 }, 0x3, 0x40 },
    { "arrowlake", true, 0x70ff, 0xff, 0x77, 8,
      { 0x08300806, 0, 0x7, 0x8603 }, 0x7, 0x20 },
    { "lunarlake", false, 0xf0ff, 0x3ff, 0xf, 8,
      { 0x08300806, 0, 0x7, 0x8603 }, 0x3, 0x40 },
    { "lunarlake", true, 0x70ff, 0xff, 0x77, 8,
      { 0x08300806, 0, 0x7, 0x8603 }, 0x7, 0x20 },
    { "clearwaterforest", false, 0x70ff, 0xff, 0x77, 8,
      { 0x08300806, 0, 0x77, 0x8603 }, 0x7, 0 },
};

#define ROWS    (sizeof(rows) / sizeof(rows[0]))

static struct guest *make_row(const struct row *row)
{
    guest_init(&guest, row->cpu, row->atom);
    guest.class = PMUSIM_OS;
    return &guest;
}

static struct guest *make(const char *cpu, bool atom)
{
    guest_init(&guest, cpu, atom);
    guest.class = PMUSIM_OS;
    return &guest;
}

static uint64_t status(struct guest *g)
{
    g->class = PMUSIM_OS;
    return guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS);
}

static bool is_atom(const struct row *row)
{
    return row->fixed == 0x77;
}

/* Every row of the table is described above */
static void test_rows(void **state)
{
    const struct pmusim_cpu *cpu;
    unsigned int row, i, types = 0;

    for (row = 0; (cpu = pmusim_cpu_at(row)); row++) {
        for (i = 0; i < ROWS; i++) {
            types += !strcmp(rows[i].cpu, cpu->name);
        }
        assert_ptr_equal(pmusim_find_cpu(cpu->name), cpu);
    }
    assert_int_equal(types, ROWS);
    assert_null(pmusim_cpu_at(row));
    assert_null(pmusim_find_cpu("pentium"));
    assert_null(pmusim_find_cpu(""));
}

/* Events */

/* What the workload below has, in the order of kinds */
enum kind {
    INSNS, CYCLES, BRANCHES, CONDITIONALS, TAKEN, MISSES, RECOVERY, SLOTS,
    BAD_SPEC, FRONTEND, BACKEND, MEMORY_BOUND, HEAVY, LOADS, STORES, L1_HITS,
    L1_MISSES, SLOW_LOADS, LLC, LLC_MISSES, FETCH_MISSES, NEVER, KINDS,
};

/*
 * Every number differs from every other: 100 straight instructions, 9
 * conditional branches taken and missed, 5 not taken, 11 jumps, 7 divisions,
 * 13 loads of new lines and 29 of the last one, 17 stores to new lines, 3
 * fetches of new lines, and an instruction that ends it.
 */
static void run_workload(struct guest *g)
{
    unsigned int i;

    guest_run(g, 100);
    for (i = 0; i < 9; i++) {
        guest_branch(g, 1, i, true);
    }
    for (i = 0; i < 5; i++) {
        guest_branch(g, 1, 100 + i, false);
    }
    for (i = 0; i < 11; i++) {
        guest_jump(g, 1);
    }
    for (i = 0; i < 7; i++) {
        guest_divide(g);
    }
    for (i = 1; i <= 13; i++) {
        guest_load(g, 0x10000 * i);
    }
    for (i = 0; i < 29; i++) {
        guest_load(g, 0x10000 * 13 + i);
    }
    for (i = 0; i < 17; i++) {
        guest_store(g, 0x7000000 + 0x10000 * i);
    }
    for (i = 0; i < 3; i++) {
        guest_fetch(g, 0x9000000 + 0x10000 * i);
        guest_run(g, 1);
    }
}

/* By hand, for a core of @pmu; @memory: something asks for it */
static uint64_t expected(const struct pmusim_pmu *pmu, enum kind kind,
                         bool memory)
{
    uint64_t insns = 100 + 9 + 5 + 11 + 7 + 13 + 29 + 17 + 3;
    uint64_t bad = 9 * 17 * pmu->width;
    uint64_t frontend = 20 * pmu->taken_slots +
                        (memory ? 3 * pmu->fetch_cycles * pmu->width : 0);
    uint64_t bound = memory ? 13 * pmu->llc_cycles * pmu->width : 0;
    uint64_t backend = bound +
                       (memory ? 7 * pmu->divide_cycles * pmu->width : 0);
    uint64_t slots = insns + bad + frontend + backend;

    switch (kind) {
    case INSNS:
        return insns;
    case CYCLES:
        return slots / pmu->width;
    case BRANCHES:
        return 9 + 5 + 11;
    case CONDITIONALS:
        return 9 + 5;
    case TAKEN:
        return 9 + 11;
    case MISSES:
        return 9;
    case RECOVERY:
        return 9 * 17;
    case SLOTS:
        return slots;
    case BAD_SPEC:
        return bad;
    case FRONTEND:
        return frontend;
    case BACKEND:
        return backend;
    case MEMORY_BOUND:
        return bound;
    case HEAVY:
        return 7;
    case LOADS:
    case SLOW_LOADS:
        return 13 + 29;
    case STORES:
        return 17;
    case L1_HITS:
        return 29;
    case L1_MISSES:
        return 13;
    case LLC:
    case LLC_MISSES:
        return 13 + 17 + 3;
    case FETCH_MISSES:
        return 3;
    default:
        return 0;
    }
}

/**
 * struct named - an event by its number in Intel's lists
 * @select: event and unit mask
 * @kind:   what it counts
 */
struct named {
    uint16_t select;
    enum kind kind;
};

static const struct named architectural[] = {
    { 0x003c, CYCLES },         /* CPU_CLK_UNHALTED.THREAD */
    { 0x013c, CYCLES },         /* CPU_CLK_UNHALTED.REF_XCLK */
    { 0x00c0, INSNS },          /* INST_RETIRED.ANY */
    { 0x4f2e, LLC },            /* LONGEST_LAT_CACHE.REFERENCE */
    { 0x412e, LLC_MISSES },     /* LONGEST_LAT_CACHE.MISS */
    { 0x00c4, BRANCHES },       /* BR_INST_RETIRED.ALL_BRANCHES */
    { 0x00c5, MISSES },         /* BR_MISP_RETIRED.ALL_BRANCHES */
    { 0, NEVER },
};

static const struct named skylake[] = {
    { 0x01c0, INSNS },          /* INST_RETIRED.PREC_DIST */
    { 0x01c2, INSNS },          /* UOPS_RETIRED.ALL */
    { 0x02c2, INSNS },          /* UOPS_RETIRED.RETIRE_SLOTS */
    { 0x010e, INSNS },          /* UOPS_ISSUED.ANY */
    { 0x04c2, NEVER },          /* UOPS_RETIRED.MACRO_FUSED */
    { 0x023c, CYCLES },         /* CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE */
    { 0x010d, RECOVERY },       /* INT_MISC.RECOVERY_CYCLES */
    { 0x019c, FRONTEND },       /* IDQ_UOPS_NOT_DELIVERED.CORE */
    { 0x20c4, TAKEN },          /* BR_INST_RETIRED.NEAR_TAKEN */
    { 0x01c4, CONDITIONALS },   /* BR_INST_RETIRED.COND */
    { 0x0283, FETCH_MISSES },   /* ICACHE_64B.IFTAG_MISS */
    { 0x81d0, LOADS },          /* MEM_INST_RETIRED.ALL_LOADS */
    { 0x82d0, STORES },         /* MEM_INST_RETIRED.ALL_STORES */
    { 0x01d1, L1_HITS },        /* MEM_LOAD_RETIRED.L1_HIT */
    { 0x08d1, L1_MISSES },      /* MEM_LOAD_RETIRED.L1_MISS */
    { 0x01cd, SLOW_LOADS },     /* MEM_TRANS_RETIRED.LOAD_LATENCY */
    { 0, NEVER },
};

static const struct named icelake[] = {
    { 0x01c0, INSNS },          /* INST_RETIRED.STALL_CYCLES, without cmask */
    { 0x01a4, SLOTS },          /* TOPDOWN.SLOTS_P */
    { 0x02a4, BACKEND },        /* TOPDOWN.BACKEND_BOUND_SLOTS */
    { 0x08a4, BAD_SPEC },       /* TOPDOWN.BR_MISPREDICT_SLOTS */
    { 0x02c2, INSNS },          /* UOPS_RETIRED.SLOTS */
    { 0x010e, INSNS },          /* UOPS_ISSUED.ANY */
    { 0x023c, CYCLES },         /* CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE */
    { 0x010d, RECOVERY },       /* INT_MISC.RECOVERY_CYCLES */
    { 0x100d, NEVER },          /* INT_MISC.UOP_DROPPING */
    { 0x0156, NEVER },          /* UOPS_DECODED.DEC0 */
    { 0x0479, NEVER },          /* IDQ.MITE_UOPS */
    { 0x3079, NEVER },          /* IDQ.MS_UOPS */
    { 0x019c, FRONTEND },       /* IDQ_UOPS_NOT_DELIVERED.CORE */
    { 0x20c4, TAKEN },          /* BR_INST_RETIRED.NEAR_TAKEN */
    { 0x11c4, CONDITIONALS },   /* BR_INST_RETIRED.COND */
    { 0x0283, FETCH_MISSES },   /* ICACHE_64B.IFTAG_MISS */
    { 0x81d0, LOADS },          /* MEM_INST_RETIRED.ALL_LOADS */
    { 0x82d0, STORES },         /* MEM_INST_RETIRED.ALL_STORES */
    { 0x01d1, L1_HITS },        /* MEM_LOAD_RETIRED.L1_HIT */
    { 0x08d1, L1_MISSES },      /* MEM_LOAD_RETIRED.L1_MISS */
    { 0x01cd, SLOW_LOADS },     /* MEM_TRANS_RETIRED.LOAD_LATENCY */
    { 0, NEVER },
};

static const struct named cove[] = {
    { 0x01c0, INSNS },          /* INST_RETIRED.STALL_CYCLES, without cmask */
    { 0x01a4, SLOTS },          /* TOPDOWN.SLOTS_P */
    { 0x02a4, BACKEND },        /* TOPDOWN.BACKEND_BOUND_SLOTS */
    { 0x04a4, BAD_SPEC },       /* TOPDOWN.BAD_SPEC_SLOTS */
    { 0x08a4, BAD_SPEC },       /* TOPDOWN.BR_MISPREDICT_SLOTS */
    { 0x10a4, MEMORY_BOUND },   /* TOPDOWN.MEMORY_BOUND_SLOTS */
    { 0x02c2, INSNS },          /* UOPS_RETIRED.SLOTS */
    { 0x01c2, HEAVY },          /* UOPS_RETIRED.HEAVY */
    { 0x01ae, INSNS },          /* UOPS_ISSUED.ANY */
    { 0x023c, CYCLES },         /* CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE */
    { 0x01ad, RECOVERY },       /* INT_MISC.RECOVERY_CYCLES */
    { 0x10ad, NEVER },          /* INT_MISC.UOP_DROPPING */
    { 0x019c, FRONTEND },       /* IDQ_UOPS_NOT_DELIVERED.CORE */
    { 0x20c4, TAKEN },          /* BR_INST_RETIRED.NEAR_TAKEN */
    { 0x11c4, CONDITIONALS },   /* BR_INST_RETIRED.COND */
    { 0x81d0, LOADS },          /* MEM_INST_RETIRED.ALL_LOADS */
    { 0x82d0, STORES },         /* MEM_INST_RETIRED.ALL_STORES */
    { 0x01d1, L1_HITS },        /* MEM_LOAD_RETIRED.L1_HIT */
    { 0x08d1, L1_MISSES },      /* MEM_LOAD_RETIRED.L1_MISS */
    { 0x01cd, SLOW_LOADS },     /* MEM_TRANS_RETIRED.LOAD_LATENCY */
    { 0x02cd, STORES },         /* MEM_TRANS_RETIRED.STORE_SAMPLE */
    { 0x8203, NEVER },          /* LD_BLOCKS, asked for beside LOAD_LATENCY */
    { 0, NEVER },
};

static const struct named mont[] = {
    { 0x02c2, INSNS },          /* TOPDOWN_RETIRING.ALL_P */
    { 0x00c2, INSNS },          /* the same of Crestmont */
    { 0x0072, INSNS },          /* and as Linux has it */
    { 0x0073, BAD_SPEC },       /* TOPDOWN_BAD_SPECULATION.ALL_P */
    { 0x019c, FRONTEND },       /* TOPDOWN_FE_BOUND.ALL_P */
    { 0x0071, FRONTEND },       /* the same of Crestmont */
    { 0x02a4, BACKEND },        /* TOPDOWN_BE_BOUND.ALL_P */
    { 0x0074, BACKEND },        /* the same of Crestmont */
    { 0x01a4, SLOTS },          /* the architectural event */
    { 0xc0c4, TAKEN },          /* BR_INST_RETIRED.NEAR_TAKEN */
    { 0x7ec4, CONDITIONALS },   /* BR_INST_RETIRED.COND */
    { 0x0280, FETCH_MISSES },   /* ICACHE.MISSES */
    { 0x05d0, SLOW_LOADS },     /* MEM_UOPS_RETIRED.LOAD_LATENCY */
    { 0x06d0, STORES },         /* MEM_UOPS_RETIRED.STORE_LATENCY */
    { 0x81d0, LOADS },          /* MEM_UOPS_RETIRED.ALL_LOADS */
    { 0x82d0, STORES },         /* MEM_UOPS_RETIRED.ALL_STORES */
    { 0x01d1, L1_HITS },        /* MEM_LOAD_UOPS_RETIRED.L1_HIT */
    { 0x40d1, L1_MISSES },      /* MEM_LOAD_UOPS_RETIRED.L1_MISS */
    { 0, NEVER },
};

static const struct named *events_of(const struct row *row)
{
    return is_atom(row) ? mont : !strcmp(row->cpu, "skylake") ? skylake :
           !strcmp(row->cpu, "icelake") ? icelake : cove;
}

static const struct named *find(const struct named *events, unsigned int select)
{
    for (; events->select; events++) {
        if (events->select == select) {
            return events;
        }
    }
    return NULL;
}

static void check_event(const struct row *row, const struct named *event)
{
    bool memory = event->kind >= SLOTS && event->kind != NEVER;
    struct guest *g = make_row(row);

    guest_wrmsr(g, SELECT(1), event->select | COUNT_USR);
    assert_int_equal(g->unknown, 0);
    g->class = PMUSIM_USR;
    run_workload(g);
    g->class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(g, CTR(1)),
                     expected(g->pmu.pmu, event->kind, memory));
}

static void test_events_count_what_they_say(void **state)
{
    const struct named *event;
    unsigned int i;

    for (i = 0; i < ROWS; i++) {
        for (event = architectural; event->select; event++) {
            check_event(&rows[i], event);
        }
        for (event = events_of(&rows[i]); event->select; event++) {
            check_event(&rows[i], event);
        }
    }
}

/* Of all 65536, those are known, in the table or above, that both have */
static void test_no_other_events(void **state)
{
    unsigned int i, select;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        unsigned int unknown = 0;

        for (select = 1; select < 0x10000; select++) {
            bool known = find(architectural, select) ||
                         find(events_of(&rows[i]), select);

            guest_wrmsr(g, SELECT(0), select | COUNT_USR);
            unknown += !known;
            assert_int_equal(g->unknown, unknown);
        }
    }
}

static void test_fixed_counters_count_what_they_say(void **state)
{
    static const enum kind kinds[2][7] = {
        { INSNS, CYCLES, CYCLES, SLOTS, NEVER, NEVER, NEVER },
        { INSNS, CYCLES, CYCLES, NEVER, BAD_SPEC, FRONTEND, INSNS },
    };
    unsigned int i, n;

    for (i = 0; i < ROWS; i++) {
        for (n = 0; n < 7; n++) {
            struct guest *g = make_row(&rows[i]);
            enum kind kind = kinds[is_atom(&rows[i])][n];

            if (!(rows[i].fixed & 1u << n)) {
                guest_rdmsr_faults(g, PMUSIM_MSR_FIXED_CTR0 + n);
                continue;
            }
            guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, FIXED_BIT(n));
            guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL,
                        PMUSIM_FIXED_USR << 4 * n);
            g->class = PMUSIM_USR;
            run_workload(g);
            g->class = PMUSIM_OS;
            assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_FIXED_CTR0 + n),
                             expected(g->pmu.pmu, kind, kind >= SLOTS));
        }
    }
}

/* Once a number, as long as the machine is on */
static void test_unknown_is_reported_once(void **state)
{
    struct guest *g = make("arrowlake", true);

    guest_wrmsr(g, SELECT(0), 0x1234 | PMUSIM_SEL_USR);
    assert_int_equal(g->unknown, 0);
    guest_wrmsr(g, SELECT(0), 0x1234 | COUNT_USR);
    assert_int_equal(g->unknown, 1);
    guest_wrmsr(g, SELECT(0), 0x1234 | COUNT_USR);
    guest_wrmsr(g, SELECT(1), 0x1234 | COUNT_OS | PMUSIM_SEL_INT);
    assert_int_equal(g->unknown, 1);
    guest_wrmsr(g, SELECT(1), 0x1235 | COUNT_OS);
    guest_wrmsr(g, SELECT(2), 0xffff | COUNT_OS);
    assert_int_equal(g->unknown, 3);
    guest_wrmsr(g, SELECT(2), 0xffff | COUNT_OS);
    assert_int_equal(g->unknown, 3);
}

static void test_no_event_has_a_second_unit_mask(void **state)
{
    struct guest *g = make("arrowlake", false);

    guest_wrmsr(g, SELECT(0), EVENT_INSNS | COUNT_USR | UINT64_C(1) << 40);
    assert_int_equal(g->unknown, 1);
    g->class = PMUSIM_USR;
    guest_run(g, 100);
    g->class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(g, CTR(0)), 0);
}

/* An unknown event with a threshold is not "never", which inverted is always */
static void test_unknown_with_inverted_threshold(void **state)
{
    struct guest *g = make("arrowlake", false);

    guest_wrmsr(g, SELECT(0), 0x1234 | COUNT_USR | PMUSIM_SEL_INV |
                UINT64_C(200) << 24);
    g->class = PMUSIM_USR;
    guest_run(g, 100);
    g->class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(g, CTR(0)), 0);
}

/* Selector bits by CPU */

static uint64_t valid_select(const struct row *row)
{
    /* Event, unit mask, USR, OS, EDGE, PC, INT, EN, INV, CMASK */
    uint64_t valid = UINT64_C(0xffdfffff);

    /* ANY, where leaf 0xA does not say deprecated */
    if (!(row->leaf_a[3] & 1 << 15)) {
        valid |= UINT64_C(1) << 21;
    }
    /* ADAPTIVE with baseline records */
    if (row->caps & 1 << 14) {
        valid |= UINT64_C(1) << 34;
    }
    /* BR_CNTR where LBRs log events; EQ and UMASK2 by leaf 0x23 */
    if (row->leaf_23) {
        valid |= UINT64_C(1) << 35 | UINT64_C(1) << 36 |
                 UINT64_C(0xff) << 40;
    }
    return valid;
}

static void test_reserved_bits_of_selectors(void **state)
{
    unsigned int i, bit;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        uint64_t valid = valid_select(&rows[i]);

        for (bit = 0; bit < 64; bit++) {
            if (valid & pmusim_bit(bit)) {
                guest_wrmsr(g, SELECT(0), pmusim_bit(bit));
                assert_int_equal(guest_rdmsr(g, SELECT(0)), pmusim_bit(bit));
            } else {
                guest_wrmsr_faults(g, SELECT(0), pmusim_bit(bit));
            }
        }
        guest_wrmsr(g, SELECT(0), valid);
        guest_wrmsr(g, SELECT(0), 0);
    }
}

static void test_reserved_bits_of_control_registers(void **state)
{
    unsigned int i, bit;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        uint64_t counters = rows[i].gp | (uint64_t)rows[i].fixed << 32;
        uint64_t metrics = rows[i].caps & 1 << 15 ? UINT64_C(1) << 48 : 0;
        /* LBR and counters frozen, ASCI, uncore, buffer, CondChgd */
        uint64_t reset = counters | metrics | UINT64_C(0x3f) << 58;
        bool any = !(rows[i].leaf_a[3] & 1 << 15);

        for (bit = 0; bit < 64; bit++) {
            uint64_t value = pmusim_bit(bit);
            bool fixed = bit < 64 && (rows[i].fixed & 1u << bit / 4) &&
                         bit < 32 && (bit % 4 != 2 || any);
            bool adaptive = bit >= 32 && bit % 4 == 0 &&
                            (rows[i].fixed & 1u << (bit - 32) / 4) &&
                            (rows[i].caps & 1 << 14);

            (fixed || adaptive ? guest_wrmsr : guest_wrmsr_faults)
                (g, PMUSIM_MSR_FIXED_CTR_CTRL, value);
            (value & (counters | metrics) ? guest_wrmsr : guest_wrmsr_faults)
                (g, PMUSIM_MSR_GLOBAL_CTRL, value);
            (value & reset ? guest_wrmsr : guest_wrmsr_faults)
                (g, PMUSIM_MSR_GLOBAL_STATUS_RESET, value);
            (value & reset ? guest_wrmsr : guest_wrmsr_faults)
                (g, PMUSIM_MSR_GLOBAL_STATUS_SET, value);
            /* 0 LBR, 1 BTF, 6 to 12, 14 */
            (value & 0x5fc3 ? guest_wrmsr : guest_wrmsr_faults)
                (g, PMUSIM_MSR_DEBUGCTL, value);
        }
        /* All that STATUS can show can be written back */
        assert_int_equal(status(g), reset);
        guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, reset);
        assert_int_equal(status(g), 0);
        guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_STATUS, 0);
        guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_INUSE, 0);
        guest_wrmsr_faults(g, PMUSIM_MSR_PERF_CAPABILITIES, rows[i].caps);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET), 0);
    }
}

/* Registers that Linux probes and restores, and that only keep a value */
static void test_storage(void **state)
{
    static const uint32_t msrs[] = {
        PMUSIM_MSR_OFFCORE_RSP0, PMUSIM_MSR_OFFCORE_RSP0 + 1,
        PMUSIM_MSR_PEBS_FRONTEND, SNOOP_RSP, SNOOP_RSP + 1,
    };
    unsigned int i, n;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        /* Bit 3 from Golden Cove on */
        bool cove = strcmp(rows[i].cpu, "skylake") &&
                    strcmp(rows[i].cpu, "icelake");

        for (n = 0; n < 5; n++) {
            assert_int_equal(guest_rdmsr(g, msrs[n]), 0);
            guest_wrmsr(g, msrs[n], 0x11 + n % 2);
        }
        for (n = 0; n < 5; n++) {
            assert_int_equal(guest_rdmsr(g, msrs[n]), 0x11 + n % 2);
        }
        guest_wrmsr(g, PMUSIM_MSR_OFFCORE_RSP0, UINT64_MAX);
        guest_wrmsr(g, PMUSIM_MSR_PEBS_FRONTEND, 0x7fff17);
        guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_FRONTEND, 0x800000);
        guest_wrmsr_faults(g, PMUSIM_MSR_PEBS_FRONTEND, 0x20);
        (cove ? guest_wrmsr : guest_wrmsr_faults)
            (g, PMUSIM_MSR_PEBS_FRONTEND, 0x8);
    }
}

/* Which numbers are registers of counters, by CPU */
static void test_counter_registers(void **state)
{
    unsigned int i, n;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        bool v6 = rows[i].leaf_23;
        uint64_t value;

        for (n = 0; n < 16; n++) {
            bool gp = rows[i].gp & 1u << n, fixed = rows[i].fixed & 1u << n;
            bool acr = (rows[i].leaf_23 & 1 << 2) && n >= 2 && n < 8;
            bool acr_fixed = (rows[i].leaf_23 & 1 << 2) && n == 1;

            if (gp) {
                guest_wrmsr(g, PMUSIM_MSR_PMC0 + n, 0xffff);
                assert_int_equal(guest_rdmsr(g, CTR(n)), 0xffff);
                assert_int_equal(guest_rdpmc(g, n), 0xffff);
                guest_wrmsr(g, SELECT(n), 0);
            } else if (n < 8) {
                guest_rdmsr_faults(g, PMUSIM_MSR_PMC0 + n);
                guest_wrmsr_faults(g, PMUSIM_MSR_PMC0 + n, 0);
                guest_wrmsr_faults(g, SELECT(n), 0);
            } else {
                /* Not of this PMU: 0xce is PLATFORM_INFO */
                assert_int_equal(pmusim_rdmsr(&g->pmu, PMUSIM_OS,
                                              PMUSIM_MSR_PMC0 + n, &value),
                                 PMUSIM_FOREIGN);
                assert_int_equal(pmusim_wrmsr(&g->pmu, PMUSIM_OS, SELECT(n),
                                              0), PMUSIM_FOREIGN);
            }
            if (!gp) {
                guest_rdmsr_faults(g, CTR(n));
                guest_rdpmc_faults(g, n);
            }
            if (fixed) {
                guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + n, 0x1234);
                assert_int_equal(guest_rdpmc(g, PMUSIM_RDPMC_FIXED | n),
                                 0x1234);
            } else {
                guest_wrmsr_faults(g, PMUSIM_MSR_FIXED_CTR0 + n, 0);
                guest_rdpmc_faults(g, PMUSIM_RDPMC_FIXED | n);
            }
            (v6 && gp ? guest_wrmsr : guest_wrmsr_faults)
                (g, V6_GP_CTR(n), 0);
            (v6 && gp ? guest_wrmsr : guest_wrmsr_faults)
                (g, V6_GP_CFG_A(n), 0);
            (acr ? guest_wrmsr : guest_wrmsr_faults)(g, V6_GP_CFG_B(n), 0);
            (acr ? guest_wrmsr : guest_wrmsr_faults)(g, V6_GP_CFG_C(n), 0);
            (v6 && fixed ? guest_wrmsr : guest_wrmsr_faults)
                (g, V6_FX_CTR(n), 0);
            guest_wrmsr_faults(g, V6_FX_CTR(n) + 1, 0);
            (acr_fixed ? guest_wrmsr : guest_wrmsr_faults)
                (g, V6_FX_CFG_B(n), 0);
            (acr_fixed ? guest_wrmsr : guest_wrmsr_faults)
                (g, V6_FX_CFG_C(n), 0);
        }
        guest_rdpmc_faults(g, 0x80000000);
        guest_rdpmc_faults(g, 16);
        guest_rdpmc_faults(g, PMUSIM_RDPMC_FIXED | 16);
    }
}

/* Without the capability there are no full-width writes */
static void test_full_width_is_a_capability(void **state)
{
    static const struct pmusim_event none[] = { { 0 } };
    static const struct pmusim_pmu pmu = {
        .gp = 0xff, .events = none, .width = 4,
    };
    static const struct pmusim_cpu cpu = {
        .name = "narrow", .version = 2, .pmu = &pmu,
    };
    struct guest *g = &guest;

    guest_init_row(g, &cpu, false);
    guest_wrmsr_faults(g, CTR(0), 0);
    guest_rdmsr_faults(g, CTR(0));
    guest_wrmsr(g, PMUSIM_MSR_PMC0, 0x80000000);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_PMC0),
                     UINT64_C(0xffff80000000));
}

static void test_power_on(void **state)
{
    unsigned int i, n;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);

        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_CTRL), rows[i].gp);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL), 0);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS), 0);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_INUSE), 0);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_DEBUGCTL), 0);
        for (n = 0; n < 16; n++) {
            if (rows[i].gp & 1u << n) {
                assert_int_equal(guest_rdmsr(g, SELECT(n)), 0);
                assert_int_equal(guest_rdmsr(g, CTR(n)), 0);
            }
        }
    }
}

/* GLOBAL_INUSE: by event number, by fixed field, and bit 63 for any INT */
static void test_inuse(void **state)
{
    struct guest *g = make("arrowlake", false);
    unsigned int n;

    for (n = 0; n < 10; n++) {
        guest_wrmsr(g, SELECT(n), 0xff00 | COUNT_USR);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_INUSE), 0);
        guest_wrmsr(g, SELECT(n), 0x80);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_INUSE), 1u << n);
        guest_wrmsr(g, SELECT(n), PMUSIM_SEL_INT);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_INUSE),
                         UINT64_C(1) << 63);
        guest_wrmsr(g, SELECT(n), 0);
    }
    for (n = 0; n < 4; n++) {
        guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 1 << 4 * n);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_INUSE),
                         FIXED_BIT(n));
        guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 2 << 4 * n);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_INUSE),
                         FIXED_BIT(n));
        guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL, 8 << 4 * n);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_INUSE),
                         UINT64_C(1) << 63);
    }
}

/* Freezing */

static const struct pmusim_event no_events[] = { { 0 } };

static const struct pmusim_pmu old_pmu = {
    .gp = 0xf,
    .fixed = 0x7,
    .caps = PMUSIM_CAP_LBR_INFO_TSX | PMUSIM_CAP_FULL_WIDTH,
    .lbrs = 16,
    .events = no_events,
    .fixed_lane = { PMUSIM_INSNS, PMUSIM_CYCLES, PMUSIM_CYCLES },
    .width = 4,
    .miss_cycles = 15,
    .taken_slots = 1,
};

static const struct pmusim_cpu old_cpu = {
    .name = "old", .version = 3, .pmu = &old_pmu,
};

static struct guest *make_freezing(const struct pmusim_cpu *cpu, bool atom,
                                   uint64_t debugctl)
{
    struct guest *g = &guest;

    guest_init_row(g, cpu, atom);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, debugctl);
    guest_wrmsr(g, SELECT(1), EVENT_INSNS | COUNT_USR);
    guest_wrmsr(g, CTR(0), WRAP(100));
    guest_wrmsr(g, SELECT(0), EVENT_INSNS | USR_INT);
    g->class = PMUSIM_USR;
    return g;
}

/* Before version 4 the interrupt clears the enables */
static void test_old_freeze_of_counters(void **state)
{
    struct guest *g = make_freezing(&old_cpu, false, 1 << 12);

    guest_run(g, 200);
    assert_int_equal(g->pmis, 1);
    assert_int_equal(status(g), 1);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_CTRL), 0);
    assert_int_equal(guest_rdmsr(g, CTR(0)), 0);
    assert_int_equal(guest_rdmsr(g, CTR(1)), 100);
    /* Acknowledging starts nothing, enabling does */
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, 1);
    g->class = PMUSIM_USR;
    guest_run(g, 10);
    g->class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(g, CTR(0)), 0);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, 3);
    g->class = PMUSIM_USR;
    guest_run(g, 10);
    g->class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(g, CTR(0)), 10);
}

static void test_old_freeze_of_branches(void **state)
{
    struct guest *g = make_freezing(&old_cpu, false, 1 << 11 | 1);

    guest_run(g, 50);
    guest_go(g, PMUSIM_BRANCH_JUMP, 0x1000, false);
    guest_run(g, 100);
    assert_int_equal(status(g), 1);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_DEBUGCTL), 1 << 11);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_LBR_TO0 + 1), 0x1000);
    g->class = PMUSIM_USR;
    guest_go(g, PMUSIM_BRANCH_JUMP, 0x2000, false);
    guest_run(g, 10);
    g->class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_LBR_TOS), 1);
    /* Counting goes on */
    assert_int_equal(guest_rdmsr(g, CTR(1)), 50 + 1 + 100 + 1 + 10);
}

static void test_old_has_no_freeze_status(void **state)
{
    struct guest *g = &guest;

    guest_init_row(g, &old_cpu, false);
    guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_STATUS_SET, 0);
    guest_rdmsr_faults(g, PMUSIM_MSR_GLOBAL_STATUS_SET);
    guest_rdmsr_faults(g, PMUSIM_MSR_GLOBAL_INUSE);
    guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_STATUS_RESET,
                       PMUSIM_STATUS_CTR_FRZ);
    guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_STATUS_RESET,
                       PMUSIM_STATUS_LBR_FRZ);
    guest_wrmsr_faults(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, PMUSIM_STATUS_ASCI);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, PMUSIM_STATUS_OVF_BUF |
                PMUSIM_STATUS_COND_CHGD | PMUSIM_STATUS_UNCORE);
}

/* Version 4: by STATUS, and the registers stay as they are */
static void test_freeze_of_counters(void **state)
{
    unsigned int i;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_freezing(pmusim_find_cpu(rows[i].cpu),
                                        rows[i].atom, 1 << 12);

        guest_run(g, 200);
        assert_int_equal(g->pmis, 1);
        assert_int_equal(status(g), 1 | UINT64_C(1) << 59);
        assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_CTRL), rows[i].gp);
        assert_int_equal(guest_rdmsr(g, CTR(0)), 0);
        assert_int_equal(guest_rdmsr(g, CTR(1)), 100);
        /* It stays when DEBUGCTL lets go, and until it is cleared itself */
        guest_wrmsr(g, PMUSIM_MSR_DEBUGCTL, 0);
        guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, 1);
        assert_int_equal(status(g), UINT64_C(1) << 59);
        g->class = PMUSIM_USR;
        guest_run(g, 10);
        g->class = PMUSIM_OS;
        assert_int_equal(guest_rdmsr(g, CTR(0)), 0);
        guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, UINT64_C(1) << 59);
        g->class = PMUSIM_USR;
        guest_run(g, 10);
        g->class = PMUSIM_OS;
        assert_int_equal(guest_rdmsr(g, CTR(0)), 10);
    }
}

static void test_freeze_of_branches(void **state)
{
    struct guest *g = make_freezing(pmusim_find_cpu("skylake"), false,
                                    1 << 11 | 1);

    guest_run(g, 50);
    guest_go(g, PMUSIM_BRANCH_JUMP, 0x1000, false);
    guest_run(g, 100);
    assert_int_equal(status(g), 1 | UINT64_C(1) << 58);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_DEBUGCTL), 1 << 11 | 1);
    g->class = PMUSIM_USR;
    guest_go(g, PMUSIM_BRANCH_JUMP, 0x2000, false);
    guest_run(g, 10);
    g->class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_LBR_TOS), 1);
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_RESET, UINT64_C(1) << 58);
    g->class = PMUSIM_USR;
    guest_go(g, PMUSIM_BRANCH_JUMP, 0x3000, false);
    guest_run(g, 10);
    g->class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_LBR_TOS), 2);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_LBR_TO0 + 2), 0x3000);
    /* Its time was not measured while it was frozen */
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_LBR_INFO0 + 2) & 0xffff, 0);
}

/* No interrupt, no freezing */
static void test_wrap_without_interrupt_does_not_freeze(void **state)
{
    struct guest *g = make_freezing(pmusim_find_cpu("icelake"), false,
                                    1 << 12 | 1 << 11);

    g->class = PMUSIM_OS;
    guest_wrmsr(g, SELECT(0), EVENT_INSNS | COUNT_USR);
    g->class = PMUSIM_USR;
    guest_run(g, 200);
    assert_int_equal(status(g), 1);
    assert_int_equal(g->pmis, 0);
}

static void test_status_set_freezes(void **state)
{
    struct guest *g = make_freezing(pmusim_find_cpu("icelake"), false, 0);

    guest_run(g, 10);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_STATUS_SET, UINT64_C(1) << 59);
    assert_int_equal(guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS_SET), 0);
    g->class = PMUSIM_USR;
    guest_run(g, 500);
    assert_int_equal(status(g), UINT64_C(1) << 59);
    assert_int_equal(guest_rdmsr(g, CTR(1)), 10);
    assert_int_equal(g->pmis, 0);
}

static void test_second_wrap_interrupts_again(void **state)
{
    struct guest *g = make_freezing(pmusim_find_cpu("icelake"), false, 0);

    guest_run(g, 101);
    assert_int_equal(g->pmis, 1);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, CTR(0), WRAP(50));
    g->class = PMUSIM_USR;
    guest_run(g, 51);
    assert_int_equal(g->pmis, 2);
    assert_int_equal(status(g), 1);
}

/* CPUID */

static struct pmusim_cpuid cpuid(struct guest *g, uint32_t leaf,
                                 uint32_t subleaf, uint32_t before)
{
    struct pmusim_cpuid regs = { before, before, before, before };

    pmusim_cpuid(&g->pmu, leaf, subleaf, &regs);
    return regs;
}

static void test_leaf_1(void **state)
{
    unsigned int i;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        struct pmusim_cpuid regs = cpuid(g, 1, 0, 0);

        /* DTES64 and PDCM, DS; nothing else changes */
        assert_int_equal(regs.ecx, 1 << 2 | 1 << 15);
        assert_int_equal(regs.edx, 1 << 21);
        assert_int_equal(regs.eax | regs.ebx, 0);
        guest_rdmsr(g, PMUSIM_MSR_PERF_CAPABILITIES);
        guest_rdmsr(g, PMUSIM_MSR_DS_AREA);
        regs = cpuid(g, 1, 0, UINT32_MAX);
        assert_int_equal(regs.ecx & regs.edx & regs.eax & regs.ebx,
                         UINT32_MAX);
    }
}

static void test_leaf_7(void **state)
{
    unsigned int i;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        bool hybrid = rows[i].core_type;
        bool arch_lbr = (rows[i].caps & 0x3f) == 0x3f;
        struct pmusim_cpuid regs = cpuid(g, 7, 0, 0);

        assert_int_equal(regs.edx, (uint32_t)hybrid << 15 |
                         (uint32_t)arch_lbr << 19);
        assert_int_equal(regs.ebx, 0);
        assert_int_equal(regs.eax, !!rows[i].leaf_23);
        /* HLE, RTM, PT, and what else is refused */
        regs = cpuid(g, 7, 0, UINT32_MAX);
        assert_int_equal(regs.ebx, ~(1u << 4 | 1u << 11 | 1u << 25));
        assert_int_equal(regs.edx, ~(1u << 13 | (hybrid ? 0 : 1u << 15) |
                                     (arch_lbr ? 0 : 1u << 19)));
        assert_int_equal(regs.eax, UINT32_MAX);
        assert_int_equal(cpuid(g, 7, 1, 0).eax,
                         rows[i].leaf_23 ? 1 << 8 : 0);
        assert_int_equal(cpuid(g, 7, 2, 0).eax, 0);
        /* The registers exist where the bits are */
        if (arch_lbr) {
            guest_rdmsr(g, PMUSIM_MSR_ARCH_LBR_CTL);
            guest_rdmsr_faults(g, PMUSIM_MSR_LBR_TOS);
        } else {
            guest_rdmsr_faults(g, PMUSIM_MSR_ARCH_LBR_CTL);
            guest_rdmsr(g, PMUSIM_MSR_LBR_TOS);
        }
    }
}

static void test_leaf_a(void **state)
{
    unsigned int i, n;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        struct pmusim_cpuid a = cpuid(g, 0xa, 0, 0x55555555);
        uint32_t fixed;

        assert_int_equal(a.eax, rows[i].leaf_a[0]);
        assert_int_equal(a.ebx, rows[i].leaf_a[1]);
        assert_int_equal(a.ecx, rows[i].leaf_a[2]);
        assert_int_equal(a.edx, rows[i].leaf_a[3]);

        /* Whatever it says is there is there, 48 bits wide */
        for (n = 0; n < (a.eax >> 8 & 0xff); n++) {
            guest_wrmsr(g, CTR(n), PMUSIM_COUNTER_MASK);
            guest_wrmsr_faults(g, CTR(n), PMUSIM_COUNTER_MASK + 1);
        }
        fixed = a.ecx | ((1u << (a.edx & 0x1f)) - 1);
        for (n = 0; n < 16; n++) {
            if (fixed & 1u << n) {
                guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR0 + n,
                            PMUSIM_COUNTER_MASK);
                guest_wrmsr(g, PMUSIM_MSR_FIXED_CTR_CTRL,
                            UINT64_C(0xb) << 4 * n);
            } else if (!rows[i].leaf_23) {
                guest_wrmsr_faults(g, PMUSIM_MSR_FIXED_CTR0 + n, 0);
            }
        }
        /* Each architectural event that is not refused counts */
        for (n = 0; n < a.eax >> 24; n++) {
            static const uint16_t events[] = {
                0x003c, 0x00c0, 0x013c, 0x4f2e, 0x412e, 0x00c4, 0x00c5, 0x01a4,
            };

            g->class = PMUSIM_OS;
            guest_wrmsr(g, CTR(0), 0);
            guest_wrmsr(g, SELECT(0), events[n] | COUNT_USR);
            g->class = PMUSIM_USR;
            run_workload(g);
            /* Branches that it has not learnt yet */
            guest_branch(g, 1, 500 + n, true);
            guest_load(g, 0x40000000 + 64 * n);
            g->class = PMUSIM_OS;
            assert_true(guest_rdmsr(g, CTR(0)) > 0);
        }
        assert_int_equal(g->unknown, 0);
    }
}

static void test_leaf_1a(void **state)
{
    unsigned int i;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);

        assert_int_equal(cpuid(g, 0x1a, 0, 0x77).eax,
                         (uint32_t)rows[i].core_type << 24);
        assert_int_equal(cpuid(g, 0x1a, 1, 0x77).eax, 0);
        assert_int_equal(cpuid(g, 0x1a, 0, 0x77).ebx, 0);
    }
}

static void test_leaf_1c(void **state)
{
    unsigned int i;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        struct pmusim_cpuid regs = cpuid(g, 0x1c, 0, 0x77);
        unsigned int depth;

        assert_int_equal(cpuid(g, 0x1c, 1, 0x77).eax, 0);
        if ((rows[i].caps & 0x3f) != 0x3f) {
            assert_int_equal(regs.eax | regs.ebx | regs.ecx | regs.edx, 0);
            continue;
        }
        /* Depths, IP linear; all filters; mispredictions, time, types */
        assert_int_equal(regs.eax, 0x8000000f);
        assert_int_equal(regs.ebx, 7);
        assert_int_equal(regs.ecx & 0xffff, 7);
        assert_int_equal(regs.edx, 0);
        for (depth = 1; depth <= 64; depth++) {
            bool valid = depth % 8 == 0 && depth <= 64 &&
                         (regs.eax & 0xff & 1u << (depth / 8 - 1));

            (valid ? guest_wrmsr : guest_wrmsr_faults)
                (g, PMUSIM_MSR_ARCH_LBR_DEPTH, depth);
        }
        /* A counter can be logged where its selector has the bit */
        (regs.ecx >> 16 & 0xf ? guest_wrmsr : guest_wrmsr_faults)
            (g, SELECT(0), PMUSIM_SEL_BR_CNTR);
        assert_int_equal(regs.ecx >> 16, rows[i].leaf_23 ? 0xf : 0);
    }
}

static void test_leaf_23(void **state)
{
    unsigned int i, n;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        struct pmusim_cpuid regs = cpuid(g, 0x23, 0, 0x77);
        bool acr = rows[i].leaf_23 & 1 << 2;

        assert_int_equal(regs.eax, rows[i].leaf_23);
        assert_int_equal(regs.ebx, rows[i].leaf_23 ? 3 : 0);
        assert_int_equal(regs.ecx, rows[i].leaf_23 ? rows[i].width : 0);
        assert_int_equal(regs.edx, 0);
        regs = cpuid(g, 0x23, 1, 0x77);
        assert_int_equal(regs.eax, rows[i].leaf_23 ? rows[i].gp : 0);
        assert_int_equal(regs.ebx, rows[i].leaf_23 ? rows[i].fixed : 0);
        assert_int_equal(regs.ecx | regs.edx, 0);
        regs = cpuid(g, 0x23, 2, 0x77);
        assert_int_equal(regs.eax, acr ? 0xfc : 0);
        assert_int_equal(regs.ebx, acr ? 0x2 : 0);
        assert_int_equal(regs.ecx, acr ? 0xfc : 0);
        assert_int_equal(regs.edx, acr ? 0x2 : 0);
        /* And so do the masks of causes */
        for (n = 0; n < 64 && acr; n++) {
            uint64_t causes = regs.ecx | (uint64_t)regs.edx << 32;

            (causes & pmusim_bit(n) ? guest_wrmsr : guest_wrmsr_faults)
                (g, V6_GP_CFG_B(2), pmusim_bit(n));
        }
        regs = cpuid(g, 0x23, 3, 0x77);
        assert_int_equal(regs.eax | regs.ebx | regs.ecx | regs.edx, 0);
    }
}

/* Masks of reloading that overlap and are no subsets of each other */
static void test_any_masks_of_reloading(void **state)
{
    static const struct pmusim_acr acr = {
        .reload_gp = 0x7, .reload_fixed = 0x1,
        .cause_gp = 0xc, .cause_fixed = 0x2,
    };
    struct guest *g = &guest;
    struct pmusim_cpu cpu = *pmusim_find_cpu("arrowlake");
    struct pmusim_pmu pmu = *cpu.pmu;
    struct pmusim_cpuid regs;
    unsigned int n;

    pmu.acr = &acr;
    cpu.pmu = &pmu;
    guest_init_row(g, &cpu, false);
    g->class = PMUSIM_OS;
    assert_int_equal(cpuid(g, 0x23, 0, 0).eax, 7);
    regs = cpuid(g, 0x23, 2, 0);
    assert_int_equal(regs.eax, 0x7);
    assert_int_equal(regs.ebx, 0x1);
    assert_int_equal(regs.ecx, 0xc);
    assert_int_equal(regs.edx, 0x2);
    for (n = 0; n < 10; n++) {
        (n < 3 ? guest_wrmsr : guest_wrmsr_faults)(g, V6_GP_CFG_B(n), 0);
        (n < 3 ? guest_wrmsr : guest_wrmsr_faults)(g, V6_GP_CFG_C(n), 0);
    }
    for (n = 0; n < 4; n++) {
        (n < 1 ? guest_wrmsr : guest_wrmsr_faults)(g, V6_FX_CFG_B(n), 0);
    }
    for (n = 0; n < 64; n++) {
        (n == 2 || n == 3 || n == 33 ? guest_wrmsr : guest_wrmsr_faults)
            (g, V6_GP_CFG_B(1), pmusim_bit(n));
    }
    /* A cause need not be reloadable itself */
    guest_wrmsr(g, V6_GP_CFG_B(1), 1 << 3);
    guest_wrmsr(g, V6_GP_CFG_C(1), (uint32_t)-90);
    guest_wrmsr(g, V6_GP_CTR(3), WRAP(20));
    guest_wrmsr(g, V6_GP_CFG_A(1), EVENT_INSNS | COUNT_USR);
    guest_wrmsr(g, V6_GP_CFG_A(3), EVENT_INSNS | COUNT_USR);
    g->class = PMUSIM_USR;
    guest_run(g, 25);
    g->class = PMUSIM_OS;
    assert_int_equal(guest_rdmsr(g, V6_GP_CTR(1)), WRAP(90) + 5);
    assert_int_equal(status(g), 1 << 3);
}

static void test_other_leaves_pass(void **state)
{
    struct guest *g = make("arrowlake", true);
    struct pmusim p;
    struct pmusim_cpuid regs = { 1, 2, 3, 4 };

    assert_int_equal(cpuid(g, 0xb, 0, 0x77).eax, 0x77);
    assert_int_equal(cpuid(g, 0, 0, 0x77).ebx, 0x77);
    assert_int_equal(cpuid(g, 0xd, 1, 0x77).edx, 0x77);
    /* Without a PMU all do */
    pmusim_init(&p, NULL, false, NULL);
    pmusim_cpuid(&p, 0xa, 0, &regs);
    pmusim_cpuid(&p, 1, 0, &regs);
    assert_int_equal(regs.eax, 1);
    assert_int_equal(regs.ecx, 3);
    assert_int_equal(regs.edx, 4);
}

/* The format of PEBS apart, which has tests of its own */
static void test_capabilities(void **state)
{
    unsigned int i;

    for (i = 0; i < ROWS; i++) {
        struct guest *g = make_row(&rows[i]);
        uint64_t caps = guest_rdmsr(g, PMUSIM_MSR_PERF_CAPABILITIES);
        uint64_t format = caps >> 8 & 0xf;

        assert_int_equal(caps & ~UINT64_C(0xf00), rows[i].caps);
        /* Adaptive records from format 4 on */
        assert_int_equal(format >= 4, rows[i].caps >> 14 & 1);
        assert_in_range(format, 3, 5);
    }
}

#define rule(name) cmocka_unit_test(test_##name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(rows),
        rule(events_count_what_they_say),
        rule(no_other_events),
        rule(fixed_counters_count_what_they_say),
        rule(unknown_is_reported_once),
        rule(no_event_has_a_second_unit_mask),
        rule(unknown_with_inverted_threshold),
        rule(reserved_bits_of_selectors),
        rule(reserved_bits_of_control_registers),
        rule(storage),
        rule(counter_registers),
        rule(full_width_is_a_capability),
        rule(power_on),
        rule(inuse),
        rule(old_freeze_of_counters),
        rule(old_freeze_of_branches),
        rule(old_has_no_freeze_status),
        rule(freeze_of_counters),
        rule(freeze_of_branches),
        rule(wrap_without_interrupt_does_not_freeze),
        rule(status_set_freezes),
        rule(second_wrap_interrupts_again),
        rule(leaf_1),
        rule(leaf_7),
        rule(leaf_a),
        rule(leaf_1a),
        rule(leaf_1c),
        rule(leaf_23),
        rule(any_masks_of_reloading),
        rule(other_leaves_pass),
        rule(capabilities),
    };

    return cmocka_run_group_tests_name("event", tests, NULL, NULL);
}
