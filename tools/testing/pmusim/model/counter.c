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
 * A branch ends its block. Events that only branches cause therefore need no
 * limit on the block, only a look at the counters before the next one.
 */
#include <string.h>

#include "pmusim.h"

/**
 * struct delta - what happened in one class since the last fold
 * @lane: events by enum pmusim_lane
 */
struct delta {
    uint64_t lane[PMUSIM_LANES];
};

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

/* Most slots that one instruction can take: a mispredicted, taken branch */
static unsigned int worst_slots(const struct pmusim_pmu *pmu)
{
    return 1 + pmu->taken_slots + pmu->miss_cycles * pmu->width;
}

/* Instructions that can retire without a chance that counter @i overflows */
static uint64_t safe_insns(const struct pmusim *p, unsigned int i)
{
    if (p->counter[i].lane == PMUSIM_CYCLES) {
        uint32_t begun = p->slot[PMUSIM_OS] + p->slot[PMUSIM_USR];

        return slot_distance(p, i, begun) / worst_slots(p->pmu);
    }
    return distance(p, i);
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
    unsigned int i;

    for (; todo; todo &= todo - 1) {
        uint64_t safe;

        i = __builtin_ctzll(todo);
        safe = safe_insns(p, i);
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

    for (i = 0; i < PMUSIM_CLASSES; i++) {
        p->armed[i] = limit[i];
        p->hot.budget[i] = limit[i];
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

static bool counter_interrupts(const struct pmusim *p, unsigned int i)
{
    if (i < PMUSIM_FIXED_BASE) {
        return p->counter[i].select & PMUSIM_SEL_INT;
    }
    return p->fixed_ctrl >> (i - PMUSIM_FIXED_BASE) * PMUSIM_FIXED_FIELD_BITS &
           PMUSIM_FIXED_PMI;
}

/*
 * Work out anew which counters count, what the code has to report for them,
 * and the budgets. Everything that happened before must have been folded.
 */
void pmusim_update(struct pmusim *p, enum pmusim_class class)
{
    uint64_t todo = p->existing;
    unsigned int c;

    memset(p->active, 0, sizeof(p->active));
    memset(p->hot.count, 0, sizeof(p->hot.count));
    if (p->global_status & PMUSIM_STATUS_CTR_FRZ) {
        todo = 0;
    }

    for (; todo; todo &= todo - 1) {
        unsigned int i = __builtin_ctzll(todo);
        enum pmusim_lane lane = p->counter[i].lane;

        if (lane == PMUSIM_NOTHING) {
            continue;
        }
        for (c = 0; c < PMUSIM_CLASSES; c++) {
            if (!counter_enabled(p, i, c)) {
                continue;
            }
            p->active[c] |= pmusim_bit(i);
            p->hot.count[c] |= PMUSIM_COUNT_INSNS;
            if (lane != PMUSIM_INSNS) {
                p->hot.count[c] |= PMUSIM_COUNT_BRANCHES;
            }
        }
    }
    arm(p, class);
}

/* Take what the code reported for @class since the last fold */
static void collect(struct pmusim *p, enum pmusim_class class,
                    unsigned int unretired, struct delta *delta)
{
    const struct pmusim_pmu *pmu = p->pmu;
    uint64_t packed = p->hot.lane[class];
    uint64_t taken, slots;

    delta->lane[PMUSIM_NOTHING] = 0;
    delta->lane[PMUSIM_INSNS] = p->armed[class] - p->hot.budget[class] -
                                (int32_t)unretired;
    delta->lane[PMUSIM_BRANCHES] = packed & PMUSIM_LANE_MASK;
    delta->lane[PMUSIM_MISSES] = packed >> PMUSIM_LANE_MISS_SHIFT;
    taken = packed >> PMUSIM_LANE_BITS & PMUSIM_LANE_MASK;

    slots = p->slot[class] + delta->lane[PMUSIM_INSNS] +
            taken * pmu->taken_slots +
            delta->lane[PMUSIM_MISSES] * pmu->miss_cycles * pmu->width;
    delta->lane[PMUSIM_CYCLES] = slots / pmu->width;
    p->slot[class] = slots % pmu->width;
    p->hot.lane[class] = 0;
}

/*
 * Set status bits, reload, interrupt and freeze for the counters in @wrapped.
 * A counter that reloads itself leaves no trace in STATUS.
 */
static void overflow(struct pmusim *p, uint64_t wrapped)
{
    uint64_t todo;
    bool pmi = false;

    for (todo = wrapped; todo; todo &= todo - 1) {
        unsigned int i = __builtin_ctzll(todo);

        if (!(p->counter[i].cause & pmusim_bit(i))) {
            p->global_status |= pmusim_bit(i);
        }
        pmi |= counter_interrupts(p, i);
    }
    pmusim_acr_reload(p, wrapped);

    if (!pmi) {
        return;
    }
    p->pmi = true;
    if (p->cpu->version < 4) {
        return;
    }
    if (p->debugctl & PMUSIM_DEBUGCTL_FREEZE_LBRS) {
        p->global_status |= PMUSIM_STATUS_LBR_FRZ;
    }
    if (p->debugctl & PMUSIM_DEBUGCTL_FREEZE_PERFMON) {
        p->global_status |= PMUSIM_STATUS_CTR_FRZ;
    }
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
    struct delta delta[PMUSIM_CLASSES];
    uint64_t wrapped = 0;
    unsigned int c;

    if (!todo) {
        return;
    }

    for (c = 0; c < PMUSIM_CLASSES; c++) {
        collect(p, c, c == class ? unretired : 0, &delta[c]);
    }

    for (; todo; todo &= todo - 1) {
        unsigned int i = __builtin_ctzll(todo);
        struct pmusim_counter *counter = &p->counter[i];

        for (c = 0; c < PMUSIM_CLASSES; c++) {
            if (p->active[c] & pmusim_bit(i)) {
                counter->value += delta[c].lane[counter->lane];
            }
        }
        if (counter->value > PMUSIM_COUNTER_MASK) {
            counter->value &= PMUSIM_COUNTER_MASK;
            wrapped |= pmusim_bit(i);
        }
    }

    if (wrapped) {
        overflow(p, wrapped);
    }
    if (p->global_status & PMUSIM_STATUS_CTR_FRZ) {
        pmusim_update(p, class);
    } else {
        arm(p, class);
    }
    p->hot.budget[class] -= unretired;
}

/*
 * Ask to run the next @insns instructions of @class, at most
 * PMUSIM_BLOCK_MAX, all but the last of them no branches. The budget must be
 * as it was before the question.
 *
 * Returns how many of them may run, in one go and without another question;
 * the caller takes that many from the budget, which may get negative. 0: an
 * interrupt is due, and with it hot.count may have changed, so that the caller
 * has to look at both and ask again.
 */
unsigned int pmusim_admit(struct pmusim *p, enum pmusim_class class,
                          unsigned int insns)
{
    enum pmusim_class other = PMUSIM_CLASSES - 1 - class;
    uint64_t todo;

    pmusim_fold(p, class, 0);
    if (p->pmi) {
        return 0;
    }

    for (todo = p->active[class]; todo; todo &= todo - 1) {
        unsigned int i = __builtin_ctzll(todo);
        enum pmusim_lane lane = p->counter[i].lane;

        if (lane == PMUSIM_INSNS && insns > distance(p, i)) {
            insns = distance(p, i);
        } else if (lane == PMUSIM_CYCLES &&
                   insns > slot_distance(p, i, p->slot[class])) {
            insns = slot_distance(p, i, p->slot[class]);
        }
    }

    if ((int32_t)insns > p->hot.budget[class]) {
        /* Nothing is left that the other class could use unasked */
        p->armed[other] = 0;
        p->hot.budget[other] = 0;
    }
    return insns;
}

/* Power-on state */
void pmusim_init(struct pmusim *p, const struct pmusim_cpu *cpu, bool atom)
{
    unsigned int i;

    memset(p, 0, sizeof(*p));
    if (!cpu) {
        return;
    }

    p->cpu = cpu;
    p->pmu = cpu->hybrid && atom ? &cpu->atom : &cpu->pmu;
    p->existing = p->pmu->gp | (uint64_t)p->pmu->fixed << PMUSIM_FIXED_BASE;
    p->global_ctrl = p->pmu->gp;
    for (i = 0; i < PMUSIM_FIXED_MAX; i++) {
        p->counter[PMUSIM_FIXED_BASE + i].lane = pmusim_fixed_event(i);
    }
    pmusim_update(p, PMUSIM_OS);
}
