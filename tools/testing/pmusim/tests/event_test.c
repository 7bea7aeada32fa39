/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests of events, by CPU */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "cpu_fixture.h"

/* What the workload has; what needs memory to be modelled is behind SLOTS */
enum kind {
    INSNS, CYCLES, BRANCHES, CONDITIONALS, TAKEN, MISSES, RECOVERY, SLOTS,
    BAD_SPEC, FRONTEND, BACKEND, MEMORY_BOUND, HEAVY, LOADS, STORES, L1_HITS,
    L1_MISSES, SLOW_LOADS, LLC, LLC_MISSES, FETCH_MISSES, NEVER,
};

/* By hand, for a core of @pmu; @memory: something asks for it */
static uint64_t expected(const struct pmusim_pmu *pmu, enum kind kind,
                         bool memory)
{
    uint64_t insns = 100 + 9 + 5 + 11 + 7 + 13 + 29 + 17 + 3;
    uint64_t bad = 9 * 17 * pmu->width;
    uint64_t frontend = 20 * pmu->taken_slots +
                        (memory ? 3 * pmu->fetch_cycles * pmu->width : 0);
    uint64_t bound = memory ? 13 * pmu->memory_cycles * pmu->width : 0;
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

#define rule(name) cmocka_unit_test(test_##name)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        rule(events_count_what_they_say),
        rule(no_other_events),
        rule(fixed_counters_count_what_they_say),
        rule(unknown_is_reported_once),
        rule(no_event_has_a_second_unit_mask),
        rule(unknown_with_inverted_threshold),
    };

    return cmocka_run_group_tests_name("event", tests, NULL, NULL);
}
