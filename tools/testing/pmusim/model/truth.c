/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics and ground truth, in registers of the model's own
 *
 * What is counted here does not pass through the counters: it is there to
 * judge what software makes of them. Accesses to these registers are not
 * counted themselves.
 */
#include <string.h>

#include "pmusim.h"

static bool is_own(uint32_t msr)
{
    return msr >= PMUSIM_MSR_OWN && msr - PMUSIM_MSR_OWN < PMUSIM_MSR_OWN_COUNT;
}

/* Any number is a register's, 0 too */
static bool is_free(const struct pmusim_accesses *accesses)
{
    return !accesses->reads && !accesses->writes;
}

/* The entry of @msr, or a free one, or NULL if there is neither */
static struct pmusim_accesses *find(struct pmusim_truth *truth, uint32_t msr)
{
    uint32_t slot = (msr ^ msr >> 10) % PMUSIM_STAT_REGISTERS;
    unsigned int tries;

    for (tries = 0; tries < PMUSIM_STAT_REGISTERS; tries++) {
        struct pmusim_accesses *accesses = &truth->accesses[slot];

        if (accesses->msr == msr || is_free(accesses)) {
            return accesses;
        }
        slot = (slot + 1) % PMUSIM_STAT_REGISTERS;
    }
    return NULL;
}

/* Count @statistic, and @in_nmi as well while an NMI is handled */
void pmusim_count_statistic(struct pmusim *p, enum pmusim_statistic statistic,
                            enum pmusim_statistic in_nmi)
{
    p->truth.total[statistic]++;
    p->truth.total[in_nmi] += p->truth.in_nmi;
}

/* Called at every RDMSR and WRMSR, of whatever register */
void pmusim_count_access(struct pmusim *p, uint32_t msr, bool write)
{
    struct pmusim_truth *truth = &p->truth;
    struct pmusim_accesses *accesses;

    if (!p->cpu || is_own(msr)) {
        return;
    }
    if (write) {
        pmusim_count_statistic(p, PMUSIM_STAT_WRITES, PMUSIM_STAT_NMI_WRITES);
    } else {
        pmusim_count_statistic(p, PMUSIM_STAT_READS, PMUSIM_STAT_NMI_READS);
    }
    accesses = find(truth, msr);
    if (accesses) {
        accesses->msr = msr;
        accesses->writes += write;
        accesses->reads += !write;
    }
}

/* An NMI is about to be taken by code of @class */
void pmusim_nmi_begin(struct pmusim *p, enum pmusim_class class)
{
    if (!p->cpu) {
        return;
    }
    p->truth.total[PMUSIM_STAT_NMIS]++;
    pmusim_fold(p, class, 0);
    p->truth.in_nmi = true;
}

/* IRET has retired, at the latest with its own instruction's fold */
void pmusim_nmi_end(struct pmusim *p, enum pmusim_class class)
{
    if (!p->cpu || !p->truth.in_nmi) {
        return;
    }
    pmusim_fold(p, class, 0);
    p->truth.in_nmi = false;
}

static bool in_class(const struct pmusim_range *range, enum pmusim_class class)
{
    return range->control &
           (class == PMUSIM_OS ? PMUSIM_RANGE_OS : PMUSIM_RANGE_USR);
}

/* Ranges need to know which instruction did it */
bool pmusim_truth_exact(const struct pmusim *p, enum pmusim_class class)
{
    unsigned int i;

    for (i = 0; i < PMUSIM_RANGES; i++) {
        if (in_class(&p->truth.range[i], class)) {
            return true;
        }
    }
    return false;
}

static void add_to_ranges(struct pmusim *p, enum pmusim_class class,
                          const struct pmusim_delta *delta)
{
    uint64_t ip = p->hot.ip;
    unsigned int i, lane;

    for (i = 0; i < PMUSIM_RANGES; i++) {
        struct pmusim_range *range = &p->truth.range[i];

        if (!in_class(range, class) || ip < range->first || ip >= range->end ||
            (range->space && range->space != p->host->space(p))) {
            continue;
        }
        for (lane = 0; lane < PMUSIM_LANES; lane++) {
            range->total[lane] += delta->lane[lane];
        }
    }
}

void pmusim_truth_add(struct pmusim *p, enum pmusim_class class,
                      const struct pmusim_delta *delta)
{
    struct pmusim_truth *truth = &p->truth;
    uint64_t insns = delta->lane[PMUSIM_INSNS];

    if (truth->control & PMUSIM_CONTROL_COUNT) {
        truth->total[class == PMUSIM_OS ? PMUSIM_STAT_OS_INSNS :
                     PMUSIM_STAT_USR_INSNS] += insns;
        if (truth->in_nmi) {
            truth->total[PMUSIM_STAT_NMI_INSNS] += insns;
        }
    }
    if (pmusim_level_is_exact(pmusim_level_of(p, class))) {
        add_to_ranges(p, class, delta);
    }
}

/**
 * struct own - a register of the ranges
 * @range:  its range
 * @index:  which of the range's registers
 * @truth:  it is one of the totals
 */
struct own {
    unsigned int range;
    unsigned int index;
    bool truth;
};

static bool find_own(uint32_t msr, struct own *own)
{
    if (msr >= PMUSIM_MSR_OWN_TRUTH0) {
        msr -= PMUSIM_MSR_OWN_TRUTH0;
        own->truth = true;
        own->range = msr / PMUSIM_MSR_OWN_TRUTH_STEP;
        own->index = msr % PMUSIM_MSR_OWN_TRUTH_STEP;
        return own->index < PMUSIM_LANES;
    }
    if (msr < PMUSIM_MSR_OWN_RANGE0) {
        return false;
    }
    msr -= PMUSIM_MSR_OWN_RANGE0;
    own->truth = false;
    own->range = msr / PMUSIM_MSR_OWN_RANGE_STEP;
    own->index = msr % PMUSIM_MSR_OWN_RANGE_STEP;
    return own->range < PMUSIM_RANGES;
}

static uint64_t *range_register(struct pmusim_range *range, unsigned int index)
{
    uint64_t *registers[PMUSIM_MSR_OWN_RANGE_STEP] = {
        &range->first, &range->end, &range->space, &range->control,
    };

    return registers[index];
}

enum pmusim_access pmusim_truth_rdmsr(const struct pmusim *p, uint32_t msr,
                                      uint64_t *value)
{
    /* Looking does not change anything: find() and the ranges are shared */
    struct pmusim_truth *truth = (struct pmusim_truth *)&p->truth;
    const struct pmusim_accesses *accesses;
    struct own own;

    if (!is_own(msr)) {
        return PMUSIM_FOREIGN;
    }
    if (msr >= PMUSIM_MSR_OWN_STATISTIC0 &&
        msr - PMUSIM_MSR_OWN_STATISTIC0 < PMUSIM_STATISTICS) {
        *value = truth->total[msr - PMUSIM_MSR_OWN_STATISTIC0];
        return PMUSIM_DONE;
    }

    switch (msr) {
    case PMUSIM_MSR_OWN_ID:
        *value = PMUSIM_ID;
        return PMUSIM_DONE;
    case PMUSIM_MSR_OWN_CONTROL:
        *value = truth->control;
        return PMUSIM_DONE;
    case PMUSIM_MSR_OWN_INDEX:
        *value = truth->index;
        return PMUSIM_DONE;
    case PMUSIM_MSR_OWN_READS:
    case PMUSIM_MSR_OWN_WRITES:
        accesses = find(truth, truth->index);
        *value = !accesses ? 0 :
                 msr == PMUSIM_MSR_OWN_READS ? accesses->reads :
                 accesses->writes;
        return PMUSIM_DONE;
    }
    if (!find_own(msr, &own)) {
        return PMUSIM_FAULT;
    }
    *value = own.truth ? truth->range[own.range].total[own.index] :
             *range_register(&truth->range[own.range], own.index);
    return PMUSIM_DONE;
}

enum pmusim_access pmusim_truth_accepts(uint32_t msr, uint64_t value)
{
    struct own own;
    uint64_t valid;

    if (!is_own(msr)) {
        return PMUSIM_FOREIGN;
    }
    if (msr == PMUSIM_MSR_OWN_CONTROL) {
        valid = PMUSIM_CONTROL_KEPT | PMUSIM_CONTROL_CLEAR |
                PMUSIM_CONTROL_FORGET;
    } else if (msr == PMUSIM_MSR_OWN_INDEX) {
        valid = UINT32_MAX;
    } else if (!find_own(msr, &own) || own.truth) {
        return PMUSIM_FAULT;
    } else {
        valid = own.index == 3 ? PMUSIM_RANGE_OS | PMUSIM_RANGE_USR :
                ~UINT64_C(0);
    }
    return value & ~valid ? PMUSIM_FAULT : PMUSIM_DONE;
}

static void clear(struct pmusim_truth *truth)
{
    unsigned int i;

    memset(truth->total, 0, sizeof(truth->total));
    memset(truth->accesses, 0, sizeof(truth->accesses));
    for (i = 0; i < PMUSIM_RANGES; i++) {
        memset(truth->range[i].total, 0, sizeof(truth->range[i].total));
    }
}

void pmusim_truth_wrmsr(struct pmusim *p, uint32_t msr, uint64_t value)
{
    struct own own;

    if (msr == PMUSIM_MSR_OWN_CONTROL) {
        if (value & PMUSIM_CONTROL_CLEAR) {
            clear(&p->truth);
        }
        if (value & PMUSIM_CONTROL_FORGET) {
            memset(&p->hot.predictor, 0, sizeof(p->hot.predictor));
            memset(&p->caches, 0, sizeof(p->caches));
        }
        p->truth.control = value & PMUSIM_CONTROL_KEPT;
    } else if (msr == PMUSIM_MSR_OWN_INDEX) {
        p->truth.index = value;
    } else if (find_own(msr, &own)) {
        *range_register(&p->truth.range[own.range], own.index) = value;
    }
}
