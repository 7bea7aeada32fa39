/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting and overflow
 *
 * The executing code subtracts the length of every block of instructions from
 * a budget before it runs the block. The budget is chosen so that no counter
 * can overflow while it lasts, hence one subtraction serves all counters. When
 * it is used up, pmusim_admit() folds what happened into the counters and says
 * how many of the next instructions may run: never past an overflow, so that
 * an overflow always falls on the last instruction that was admitted.
 *
 * A branch ends its block, and so does an access to memory where accesses are
 * reported. Events that only those cause therefore need no limit on the block,
 * only a look at the counters before the next one.
 */
#include <string.h>

#include "pmusim.h"

/* Most memory accesses of one instruction, rounded up generously */
#define ACCESSES_MAX    8

static bool both_classes(const struct pmusim *p, unsigned int i)
{
    return p->active[PMUSIM_OS] & p->active[PMUSIM_USR] & pmusim_bit(i);
}

/* Events until counter @i overflows, at least 1 */
static uint64_t distance(const struct pmusim *p, unsigned int i)
{
    return PMUSIM_COUNTER_MASK + 1 - p->counter[i].value;
}

/* Slots until cycle counter @i overflows, with the cycles begun deducted */
static uint64_t slot_distance(const struct pmusim *p, unsigned int i,
                              uint32_t begun)
{
    uint64_t slots = distance(p, i) * p->pmu->width;

    return slots > begun ? slots - begun : 0;
}

/* Does anything that runs report memory? */
static bool has_memory(const struct pmusim *p)
{
    return pmusim_level_has_memory(pmusim_level_of(p, PMUSIM_OS)) ||
           pmusim_level_has_memory(pmusim_level_of(p, PMUSIM_USR));
}

/* Most slots that one instruction can take: a mispredicted, taken branch */
static unsigned int worst_slots(const struct pmusim *p)
{
    const struct pmusim_pmu *pmu = p->pmu;
    unsigned int cycles = pmu->miss_cycles;

    if (has_memory(p)) {
        cycles += pmu->fetch_cycles + ACCESSES_MAX * pmu->memory_cycles +
                  pmu->divide_cycles;
    }
    return 1 + pmu->taken_slots + cycles * pmu->width;
}

/* Most that one instruction can add to @lane, in events */
static unsigned int worst_events(const struct pmusim *p, enum pmusim_lane lane)
{
    if (lane == PMUSIM_RECOVERY) {
        return p->pmu->miss_cycles;
    }
    if (!pmusim_lane_needs_memory(lane)) {
        return 1;
    }
    /* A fetch gets to the last level, too */
    return lane < PMUSIM_HEAVY ? worst_slots(p) : ACCESSES_MAX + 1;
}

/* Instructions that can retire without a chance that counter @i overflows */
static uint64_t safe_insns(const struct pmusim *p, unsigned int i)
{
    enum pmusim_lane lane = p->counter[i].lane;

    if (lane == PMUSIM_CYCLES) {
        uint32_t begun = p->slot[PMUSIM_OS] + p->slot[PMUSIM_USR];

        return slot_distance(p, i, begun) / worst_slots(p);
    }
    return distance(p, i) / worst_events(p, lane);
}

/*
 * A counter of accesses that is so near its overflow is looked at after each of
 * them, instead of at every instruction in between: they may be rare.
 */
#define NEAR            64

static bool is_watched(const struct pmusim *p, unsigned int i, uint64_t safe)
{
    return safe < NEAR && pmusim_lane_is_access(p->counter[i].lane);
}

/*
 * Choose new budgets. A counter that counts in both classes gets half its
 * distance in each, the odd instruction going to @class, which runs next.
 */
static void arm(struct pmusim *p, enum pmusim_class class)
{
    enum pmusim_class other = PMUSIM_CLASSES - 1 - class;
    uint64_t todo = p->active[PMUSIM_OS] | p->active[PMUSIM_USR];
    uint64_t limit[PMUSIM_CLASSES] = { PMUSIM_BUDGET_MAX, PMUSIM_BUDGET_MAX };
    unsigned int i, c;

    memset(p->watched, 0, sizeof(p->watched));
    for (; todo; todo &= todo - 1) {
        uint64_t safe;

        i = __builtin_ctzll(todo);
        safe = safe_insns(p, i);
        if (is_watched(p, i, safe)) {
            for (c = 0; c < PMUSIM_CLASSES; c++) {
                if (p->active[c] & pmusim_bit(i)) {
                    p->watched[c] |= 1u << p->counter[i].lane;
                }
            }
            continue;
        }
        if (both_classes(p, i)) {
            if (limit[class] > (safe + 1) / 2) {
                limit[class] = (safe + 1) / 2;
            }
            if (limit[other] > safe / 2) {
                limit[other] = safe / 2;
            }
        } else {
            enum pmusim_class only = p->active[PMUSIM_USR] & pmusim_bit(i) ?
                                     PMUSIM_USR : PMUSIM_OS;

            if (limit[only] > safe) {
                limit[only] = safe;
            }
        }
    }
    if (p->due) {
        if (limit[class] > (p->due + 1) / 2) {
            limit[class] = (p->due + 1) / 2;
        }
        if (limit[other] > p->due / 2) {
            limit[other] = p->due / 2;
        }
    }

    for (i = 0; i < PMUSIM_CLASSES; i++) {
        /* An interrupt that waits to be raised is met with the next question */
        if (p->pmi || pmusim_level_is_exact(pmusim_level_of(p, i))) {
            limit[i] = 0;
        }
        p->armed[i] = (int32_t)limit[i];
        p->hot.budget[i] = p->armed[i];
    }
}

static bool counter_enabled(const struct pmusim *p, unsigned int i,
                            enum pmusim_class class)
{
    if (!(p->global_ctrl & pmusim_bit(i))) {
        return false;
    }
    if (i < PMUSIM_FIXED_BASE) {
        uint64_t select = p->counter[i].select;

        return (select & PMUSIM_SEL_EN) &&
               (select & (class == PMUSIM_OS ? PMUSIM_SEL_OS :
                          PMUSIM_SEL_USR));
    }
    return p->fixed_ctrl >> (i - PMUSIM_FIXED_BASE) * PMUSIM_FIXED_FIELD_BITS &
           (class == PMUSIM_OS ? PMUSIM_FIXED_OS : PMUSIM_FIXED_USR);
}

/* The upper half of PEBS_ENABLE need not be about fixed counters, see msr.c */
static uint64_t recording_counters(const struct pmusim *p)
{
    return p->pebs.enable & pmusim_pebs_counters(p->pmu);
}

static bool counter_interrupts(const struct pmusim *p, unsigned int i)
{
    if (i < PMUSIM_FIXED_BASE) {
        return p->counter[i].select & PMUSIM_SEL_INT;
    }
    return p->fixed_ctrl >> (i - PMUSIM_FIXED_BASE) * PMUSIM_FIXED_FIELD_BITS &
           PMUSIM_FIXED_PMI;
}

/* What has to be known of the code of @class */
static enum pmusim_level needed_level(const struct pmusim *p,
                                      enum pmusim_class class)
{
    uint64_t todo = p->active[class];
    bool exact = (todo & p->masked) || pmusim_truth_exact(p, class);
    bool record = pmusim_lbr_records(p) || (todo & recording_counters(p));
    bool insns = todo || p->due || (p->truth.control & PMUSIM_CONTROL_COUNT);
    bool branches = false, memory = false;

    for (; todo; todo &= todo - 1) {
        enum pmusim_lane lane = p->counter[__builtin_ctzll(todo)].lane;

        branches |= pmusim_lane_needs_branches(lane);
        memory |= pmusim_lane_needs_memory(lane) ||
                  (lane == PMUSIM_CYCLES &&
                   (p->truth.control & PMUSIM_CONTROL_MEMORY));
    }

    if (exact) {
        return memory ? PMUSIM_LEVEL_EXACT_MEMORY : PMUSIM_LEVEL_EXACT;
    }
    return memory ? PMUSIM_LEVEL_MEMORY :
           record ? PMUSIM_LEVEL_RECORD :
           branches ? PMUSIM_LEVEL_BRANCHES :
           insns ? PMUSIM_LEVEL_INSNS : PMUSIM_LEVEL_NONE;
}

/*
 * Work out anew which counters count, what the code has to report for them,
 * and the budgets. Everything that happened before must have been folded.
 */
void pmusim_update(struct pmusim *p, enum pmusim_class class)
{
    uint64_t todo = p->existing;
    bool records = pmusim_lbr_records(p);
    bool logged = p->logging;
    unsigned int c, cpl;

    pmusim_lbr_update(p);
    memset(p->active, 0, sizeof(p->active));
    p->masked = 0;
    p->logging = false;
    if (p->global_status & PMUSIM_STATUS_CTR_FRZ) {
        todo = 0;
    }

    for (; todo; todo &= todo - 1) {
        unsigned int i = __builtin_ctzll(todo);

        if (p->counter[i].lane == PMUSIM_NOTHING) {
            continue;
        }
        for (c = 0; c < PMUSIM_CLASSES; c++) {
            if (counter_enabled(p, i, c)) {
                p->active[c] |= pmusim_bit(i);
            }
        }
        if (p->counter[i].threshold) {
            p->masked |= pmusim_bit(i);
        }
        if (records && (p->counter[i].select & PMUSIM_SEL_BR_CNTR)) {
            p->logging = true;
        }
    }
    if (p->logging && !logged) {
        pmusim_lbr_logging_begins(p);
    }
    for (cpl = 0; cpl < PMUSIM_CPLS; cpl++) {
        p->hot.level[cpl] = needed_level(p, pmusim_class_of(cpl));
    }
    arm(p, class);
}

/* A counter is loaded, which is no event that a branch could log */
void pmusim_set_counter(struct pmusim *p, unsigned int i, uint64_t value)
{
    if (i < sizeof(p->lbr.logged) / sizeof(p->lbr.logged[0])) {
        p->lbr.logged[i] += value - p->counter[i].value;
    }
    p->counter[i].value = value;
}

/*
 * An interrupt is raised. It freezes what DEBUGCTL says: from version 4 on by
 * STATUS, before by clearing the enables. SDM volume 3, 19.4.7 and 21.2.4.
 * That is at once, also when the interrupt is on its way for some instructions
 * more.
 */
static void raise_pmi(struct pmusim *p)
{
    if (!p->skid) {
        p->pmi = true;
    } else if (!p->due) {
        p->due = p->skid;
    }
    if (p->debugctl & PMUSIM_DEBUGCTL_FREEZE_LBRS) {
        if (p->cpu->version >= 4) {
            p->global_status |= PMUSIM_STATUS_LBR_FRZ;
        } else {
            p->debugctl &= ~PMUSIM_DEBUGCTL_LBR;
        }
    }
    if (p->debugctl & PMUSIM_DEBUGCTL_FREEZE_PERFMON) {
        if (p->cpu->version >= 4) {
            p->global_status |= PMUSIM_STATUS_CTR_FRZ;
        } else {
            p->global_ctrl = 0;
        }
    }
}

/*
 * Set status bits, reload, write records and interrupt for the counters in
 * @wrapped. A counter that reloads itself leaves no trace in STATUS, and a
 * counter that writes records none either.
 */
static void overflow(struct pmusim *p, uint64_t wrapped)
{
    uint64_t recorded = wrapped & recording_counters(p);
    uint64_t todo;
    bool pmi = false;

    for (todo = wrapped & ~recorded; todo; todo &= todo - 1) {
        unsigned int i = __builtin_ctzll(todo);

        if (!(p->counter[i].cause & pmusim_bit(i))) {
            p->global_status |= pmusim_bit(i);
        }
        pmi |= counter_interrupts(p, i);
    }
    if (recorded) {
        pmi |= pmusim_pebs_record(p, recorded, wrapped);
    }
    pmusim_acr_reload(p, wrapped);
    if (pmi) {
        raise_pmi(p);
    }
}

/* Instructions have retired while an interrupt was on its way */
static void approach(struct pmusim *p, uint64_t insns)
{
    if (!p->due) {
        return;
    }
    if (insns < p->due) {
        p->due -= insns;
    } else {
        p->due = 0;
        p->pmi = true;
    }
}

static bool listens(const struct pmusim *p)
{
    return pmusim_level_of(p, PMUSIM_OS) != PMUSIM_LEVEL_NONE ||
           pmusim_level_of(p, PMUSIM_USR) != PMUSIM_LEVEL_NONE;
}

/*
 * Bring the counters up to date. @unretired instructions of @class have been
 * taken from the budget already but have not retired: they stay for the next
 * fold.
 */
void pmusim_fold(struct pmusim *p, enum pmusim_class class,
                 unsigned int unretired)
{
    uint64_t todo = p->active[PMUSIM_OS] | p->active[PMUSIM_USR];
    struct pmusim_delta delta[PMUSIM_CLASSES];
    uint64_t wrapped = 0;
    bool metrics = false;
    unsigned int c;

    if (!listens(p)) {
        return;
    }

    for (c = 0; c < PMUSIM_CLASSES; c++) {
        pmusim_collect(p, c, c == class ? unretired : 0, &delta[c]);
        pmusim_truth_add(p, c, &delta[c]);
        if (pmusim_metrics_count(p, c)) {
            metrics |= pmusim_metrics_add(p, &delta[c]);
        }
    }

    for (; todo; todo &= todo - 1) {
        unsigned int i = __builtin_ctzll(todo);
        struct pmusim_counter *counter = &p->counter[i];

        for (c = 0; c < PMUSIM_CLASSES; c++) {
            if (p->active[c] & pmusim_bit(i)) {
                counter->value += counter->threshold ?
                    pmusim_masked_events(p, counter, &delta[c]) :
                    delta[c].lane[counter->lane];
            }
        }
        if (counter->value > PMUSIM_COUNTER_MASK) {
            counter->value &= PMUSIM_COUNTER_MASK;
            wrapped |= pmusim_bit(i);
        }
    }

    approach(p, delta[PMUSIM_OS].lane[PMUSIM_INSNS] +
                delta[PMUSIM_USR].lane[PMUSIM_INSNS]);
    if (wrapped) {
        overflow(p, wrapped);
    }
    if (metrics) {
        p->global_status |= PMUSIM_GLOBAL_METRICS;
        raise_pmi(p);
    }
    if (p->pmi || p->due) {
        pmusim_update(p, class);
    } else {
        arm(p, class);
    }
    p->hot.budget[class] -= (int32_t)unretired;
}

/*
 * The instruction that retired last has halted the CPU. An interrupt on its way
 * comes now: there are no instructions that it could wait for.
 */
void pmusim_halt(struct pmusim *p, enum pmusim_class class)
{
    pmusim_fold(p, class, 0);
    if (p->due) {
        p->due = 0;
        p->pmi = true;
        pmusim_update(p, class);
    }
}

/*
 * The instruction that retired last leads from @class to @next. It is @class
 * that had the budget for it, and @next may never ask: look here whether a
 * counter has overflowed.
 */
void pmusim_leave(struct pmusim *p, enum pmusim_class class,
                  enum pmusim_class next)
{
    if (next != class && p->hot.budget[class] <= 0) {
        pmusim_fold(p, next, 0);
    }
}

/*
 * Ask to run the next @insns instructions of @class, at most
 * PMUSIM_BLOCK_MAX, all but the last of them no branches. The budget must be
 * as it was before the question.
 *
 * Returns how many of them may run, in one go and without another question;
 * the caller takes that many from the budget, which may get negative. 0: an
 * interrupt is due, and with it hot.level may have changed, so that the caller
 * has to look at both and ask again.
 */
unsigned int pmusim_admit(struct pmusim *p, enum pmusim_class class,
                          unsigned int insns)
{
    enum pmusim_class other = PMUSIM_CLASSES - 1 - class;
    bool memory = has_memory(p);
    uint64_t todo;

    pmusim_fold(p, class, 0);
    if (p->pmi) {
        return 0;
    }

    for (todo = p->active[class]; todo; todo &= todo - 1) {
        unsigned int i = __builtin_ctzll(todo);
        enum pmusim_lane lane = p->counter[i].lane;
        uint64_t limit = UINT64_MAX;

        if (lane == PMUSIM_INSNS) {
            limit = distance(p, i);
        } else if (lane == PMUSIM_CYCLES && !memory) {
            limit = slot_distance(p, i, p->slot[class]);
        } else if (lane == PMUSIM_CYCLES || lane == PMUSIM_SLOTS) {
            /* Near the overflow one by one: each may be the one */
            limit = safe_insns(p, i);
        }
        if (insns > limit) {
            insns = limit ? limit : 1;
        }
    }
    if (p->due && insns > p->due) {
        insns = p->due;
    }
    if (pmusim_level_is_exact(pmusim_level_of(p, class))) {
        insns = 1;
    }

    if ((int32_t)insns > p->hot.budget[class]) {
        /* Nothing is left that the other class could use unasked */
        p->armed[other] = 0;
        p->hot.budget[other] = 0;
    }
    return insns;
}

/* Power-on state */
void pmusim_init(struct pmusim *p, const struct pmusim_cpu *cpu, bool atom,
                 const struct pmusim_host *host)
{
    unsigned int i;

    memset(p, 0, sizeof(*p));
    if (!cpu) {
        return;
    }

    p->cpu = cpu;
    p->pmu = cpu->hybrid && atom ? cpu->atom : cpu->pmu;
    p->host = host;
    p->existing = p->pmu->gp | (uint64_t)p->pmu->fixed << PMUSIM_FIXED_BASE;
    p->global_ctrl = p->pmu->gp;
    for (i = 0; i < PMUSIM_FIXED_MAX; i++) {
        p->counter[PMUSIM_FIXED_BASE + i].lane = p->pmu->fixed_lane[i];
    }
    pmusim_lbr_init(p);
    pmusim_update(p, PMUSIM_OS);
}
