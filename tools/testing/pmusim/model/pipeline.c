/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the slots go
 *
 * A core issues pmu->width slots a cycle. An instruction that retires takes
 * one. The others are lost, each for one reason:
 *
 * - frontend: the slots behind a taken branch in its fetch group, and the
 *   cycles of a fetch that misses L1I (the latency part);
 * - bad speculation: the cycles of a misprediction;
 * - backend: the cycles of a load that misses L1D or the LLC (memory bound),
 *   and those of a division (core bound). Stores never wait.
 *
 * All sums are of integers, so the same instructions give the same counts.
 * Caches are virtually indexed and tagged, and see only code whose level has
 * memory; without it nothing is lost to fetches, loads and divisions.
 */
#include "pmusim.h"

/*
 * Look up a line in a set of @ways and make it the most recently used one.
 * Returns whether it was there.
 */
static bool touch(uint64_t *set, unsigned int ways, uint64_t tag)
{
    uint64_t carried = tag;
    unsigned int way;

    for (way = 0; way < ways; way++) {
        uint64_t here = set[way];

        set[way] = carried;
        if (here == tag) {
            return true;
        }
        carried = here;
    }
    return false;
}

static void drop(uint64_t *set, unsigned int ways, uint64_t tag)
{
    unsigned int way;

    for (way = 0; way < ways; way++) {
        if (set[way] == tag) {
            for (; way + 1 < ways; way++) {
                set[way] = set[way + 1];
            }
            set[way] = 0;
        }
    }
}

static uint64_t *l1_set(uint64_t *cache, uint64_t line)
{
    return cache + (line & (PMUSIM_L1_SETS - 1)) * PMUSIM_L1_WAYS;
}

static uint64_t *llc_set(struct pmusim *p, uint64_t line)
{
    return p->caches.last + (line & (PMUSIM_LLC_SETS - 1)) * PMUSIM_LLC_WAYS;
}

static bool touch_l1(uint64_t *cache, uint64_t line)
{
    return touch(l1_set(cache, line), PMUSIM_L1_WAYS, line + 1);
}

/* An access that missed a first-level cache; did the last level have it? */
static bool touch_llc(struct pmusim *p, struct pmusim_work *work, uint64_t line)
{
    bool hit = touch(llc_set(p, line), PMUSIM_LLC_WAYS, line + 1);

    work->llc_references++;
    work->llc_misses += !hit;
    return hit;
}

/* Data sources that are the same on every core type */
#define SOURCE_UNKNOWN  0
#define SOURCE_L1       1
/* Cycles from a load to the use of its value, when L1D has it */
#define L1_LATENCY      5

#define LANE(lane)      (1u << (lane))

/*
 * What has just been added to @lanes may have been the last that one of them
 * lacked: make the code ask before its next block. Budget and reference move
 * alike, so that no instruction is counted for it.
 */
static void alarm(struct pmusim *p, enum pmusim_class class, uint32_t lanes)
{
    int32_t *budget = &p->hot.budget[class];

    if ((lanes & p->watched[class]) && *budget >= 0) {
        p->armed[class] -= *budget + 1;
        *budget = -1;
    }
}

void pmusim_load(struct pmusim *p, enum pmusim_class class, uint64_t address)
{
    uint32_t lanes = LANE(PMUSIM_LOADS) | LANE(PMUSIM_L1_HITS);
    struct pmusim_last_access *last = &p->last_load;
    struct pmusim_work *work = &p->work[class];
    uint64_t line = address >> PMUSIM_LINE_SHIFT;
    unsigned int stall = 0;

    work->loads++;
    last->source = SOURCE_L1;
    if (!touch_l1(p->caches.data, line)) {
        lanes = LANE(PMUSIM_LOADS) | LANE(PMUSIM_L1_MISSES) |
                LANE(PMUSIM_LLC_REFERENCES) | LANE(PMUSIM_MEMORY_BOUND) |
                LANE(PMUSIM_BACKEND);
        work->l1_misses++;
        if (touch_llc(p, work, line)) {
            stall = p->pmu->llc_cycles;
            last->source = p->pmu->source_llc;
        } else {
            lanes |= LANE(PMUSIM_LLC_MISSES);
            stall = p->pmu->memory_cycles;
            last->source = p->pmu->source_memory;
        }
        work->stall_cycles += stall;
    }
    last->address = address;
    last->latency = L1_LATENCY + stall;
    if (last->latency >= p->latency) {
        lanes |= LANE(PMUSIM_SLOW_LOADS);
        work->slow_loads++;
    }
    alarm(p, class, lanes);
}

/* A store waits for nothing; bit 0 of its source says that L1D had the line */
void pmusim_store(struct pmusim *p, enum pmusim_class class, uint64_t address)
{
    struct pmusim_last_access *last = &p->last_store;
    struct pmusim_work *work = &p->work[class];
    uint64_t line = address >> PMUSIM_LINE_SHIFT;
    uint32_t lanes = LANE(PMUSIM_STORES);

    work->stores++;
    last->source = SOURCE_L1;
    if (!touch_l1(p->caches.data, line)) {
        lanes |= LANE(PMUSIM_LLC_REFERENCES);
        if (touch_llc(p, work, line)) {
            last->source = p->pmu->source_llc;
        } else {
            lanes |= LANE(PMUSIM_LLC_MISSES);
            last->source = SOURCE_UNKNOWN;
        }
    }
    last->address = address;
    last->latency = L1_LATENCY;
    alarm(p, class, lanes);
}

/* A block begins at @pc; what is fetched behind it comes in time */
void pmusim_fetch(struct pmusim *p, enum pmusim_class class, uint64_t pc)
{
    uint32_t lanes = LANE(PMUSIM_FETCH_MISSES) | LANE(PMUSIM_FETCH_LATENCY) |
                     LANE(PMUSIM_LLC_REFERENCES);
    struct pmusim_work *work = &p->work[class];
    uint64_t line = pc >> PMUSIM_LINE_SHIFT;

    if (!touch_l1(p->caches.fetch, line)) {
        work->fetch_misses++;
        if (!touch_llc(p, work, line)) {
            lanes |= LANE(PMUSIM_LLC_MISSES);
        }
        alarm(p, class, lanes);
    }
}

/* A division or a square root */
void pmusim_divide(struct pmusim *p, enum pmusim_class class)
{
    p->work[class].divisions++;
    alarm(p, class, LANE(PMUSIM_DIVISIONS) | LANE(PMUSIM_HEAVY) |
          LANE(PMUSIM_BACKEND));
}

/* CLFLUSH and its like */
void pmusim_flush(struct pmusim *p, uint64_t address)
{
    uint64_t line = address >> PMUSIM_LINE_SHIFT;

    drop(l1_set(p->caches.data, line), PMUSIM_L1_WAYS, line + 1);
    drop(l1_set(p->caches.fetch, line), PMUSIM_L1_WAYS, line + 1);
    drop(llc_set(p, line), PMUSIM_LLC_WAYS, line + 1);
}

bool pmusim_lane_needs_memory(enum pmusim_lane lane)
{
    return lane >= PMUSIM_SLOTS;
}

/* Nothing but accesses, fetches and divisions adds to it */
bool pmusim_lane_is_access(enum pmusim_lane lane)
{
    return pmusim_lane_needs_memory(lane) && lane != PMUSIM_SLOTS &&
           lane != PMUSIM_BAD_SPEC && lane != PMUSIM_FRONTEND;
}

bool pmusim_lane_needs_branches(enum pmusim_lane lane)
{
    return lane > PMUSIM_INSNS;
}

static uint64_t insns_since_fold(const struct pmusim *p,
                                 enum pmusim_class class)
{
    return p->armed[class] - p->hot.budget[class];
}

static uint64_t packed_taken(uint64_t packed)
{
    return packed >> PMUSIM_PACKED_TAKEN_SHIFT & PMUSIM_PACKED_MASK;
}

/*
 * Take what the code reported for @class since the last fold, but for
 * @unretired instructions.
 */
void pmusim_collect(struct pmusim *p, enum pmusim_class class,
                    unsigned int unretired, struct pmusim_delta *delta)
{
    const struct pmusim_pmu *pmu = p->pmu;
    struct pmusim_work *work = &p->work[class];
    uint64_t packed = p->hot.packed[class];
    uint64_t insns = insns_since_fold(p, class) - unretired;
    uint64_t *lane = delta->lane;
    uint64_t slots;

    delta->class = class;
    lane[PMUSIM_NOTHING] = 0;
    lane[PMUSIM_INSNS] = insns;
    lane[PMUSIM_BRANCHES] = packed & PMUSIM_PACKED_MASK;
    lane[PMUSIM_CONDITIONALS] = packed >> PMUSIM_PACKED_COND_SHIFT &
                                PMUSIM_PACKED_MASK;
    lane[PMUSIM_TAKEN] = packed_taken(packed);
    lane[PMUSIM_MISSES] = packed >> PMUSIM_PACKED_MISS_SHIFT;
    lane[PMUSIM_RECOVERY] = lane[PMUSIM_MISSES] * pmu->miss_cycles;

    lane[PMUSIM_BAD_SPEC] = lane[PMUSIM_RECOVERY] * pmu->width;
    lane[PMUSIM_FETCH_LATENCY] = work->fetch_misses * pmu->fetch_cycles *
                                 pmu->width;
    lane[PMUSIM_FRONTEND] = lane[PMUSIM_FETCH_LATENCY] +
                            lane[PMUSIM_TAKEN] * pmu->taken_slots;
    lane[PMUSIM_MEMORY_BOUND] = work->stall_cycles * pmu->width;
    lane[PMUSIM_BACKEND] = lane[PMUSIM_MEMORY_BOUND] +
                           work->divisions * pmu->divide_cycles * pmu->width;
    slots = insns + lane[PMUSIM_BAD_SPEC] + lane[PMUSIM_FRONTEND] +
            lane[PMUSIM_BACKEND];
    lane[PMUSIM_SLOTS] = slots;
    lane[PMUSIM_HEAVY] = work->divisions < insns ? work->divisions : insns;

    lane[PMUSIM_LOADS] = work->loads;
    lane[PMUSIM_STORES] = work->stores;
    lane[PMUSIM_L1_HITS] = work->loads - work->l1_misses;
    lane[PMUSIM_L1_MISSES] = work->l1_misses;
    lane[PMUSIM_LLC_REFERENCES] = work->llc_references;
    lane[PMUSIM_LLC_MISSES] = work->llc_misses;
    lane[PMUSIM_SLOW_LOADS] = work->slow_loads;
    lane[PMUSIM_DIVISIONS] = work->divisions;
    lane[PMUSIM_FETCH_MISSES] = work->fetch_misses;

    delta->before = p->slot[class];
    p->slots[class] += slots;
    slots += delta->before;
    lane[PMUSIM_CYCLES] = slots / pmu->width;
    p->slot[class] = slots % pmu->width;
    p->hot.packed[class] = 0;
    *work = (struct pmusim_work) { 0 };
}

/* Slots since the last fold */
static uint64_t slots_since_fold(const struct pmusim *p,
                                 enum pmusim_class class)
{
    const struct pmusim_work *work = &p->work[class];
    const struct pmusim_pmu *pmu = p->pmu;
    uint64_t packed = p->hot.packed[class];
    uint64_t cycles = (packed >> PMUSIM_PACKED_MISS_SHIFT) * pmu->miss_cycles;

    if (pmusim_level_has_memory(pmusim_level_of(p, class))) {
        cycles += work->fetch_misses * pmu->fetch_cycles + work->stall_cycles +
                  work->divisions * pmu->divide_cycles;
    }
    return insns_since_fold(p, class) +
           packed_taken(packed) * pmu->taken_slots + cycles * pmu->width;
}

/* Slots up to now, of both classes */
uint64_t pmusim_clock(const struct pmusim *p)
{
    uint64_t slots = 0;
    unsigned int c;

    for (c = 0; c < PMUSIM_CLASSES; c++) {
        slots += p->slots[c];
        /* Without a block announced, nothing has happened */
        if (p->armed[c] != p->hot.budget[c]) {
            slots += slots_since_fold(p, c);
        }
    }
    return slots;
}
