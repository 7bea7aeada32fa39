/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Register accesses: what exists, what may be written, what faults
 *
 * An access faults before it has any effect. RDMSR, WRMSR and RDPMC end their
 * block and are the last instruction of it: WRMSR counts under the settings
 * that it replaces, a read does not yet see itself.
 */
#include "pmusim.h"

#define ARRAY_SIZE(a)   (sizeof(a) / sizeof((a)[0]))

/* The part of a counter that a register shows */
enum part {
    PART_NONE,
    /* The counter; a write sign-extends 32 bits */
    PART_LOW,
    /* The counter, all its bits */
    PART_WIDE,
    PART_SELECT,
    PART_CAUSE,
    PART_RELOAD,
};

/**
 * struct place - where a register leads
 * @part:       part of the counter
 * @counter:    index of the counter
 */
struct place {
    enum part part;
    unsigned int counter;
};

/* Registers that only keep what was written */
static const uint32_t storage[] = {
    PMUSIM_MSR_OFFCORE_RSP0,
    PMUSIM_MSR_OFFCORE_RSP0 + 1,
    PMUSIM_MSR_PEBS_FRONTEND,
    PMUSIM_MSR_SNOOP_RSP0,
    PMUSIM_MSR_SNOOP_RSP0 + 1,
};

_Static_assert(ARRAY_SIZE(storage) ==
               ARRAY_SIZE(((struct pmusim *)0)->extra),
               "one slot of storage for each register");

static bool in_range(uint32_t msr, uint32_t first, uint32_t count)
{
    return msr >= first && msr - first < count;
}

static int find_storage(uint32_t msr)
{
    int i;

    for (i = 0; i < (int)ARRAY_SIZE(storage); i++) {
        if (storage[i] == msr) {
            return i;
        }
    }
    return -1;
}

static bool is_v6_range(uint32_t msr)
{
    return in_range(msr, PMUSIM_MSR_V6_GP0_CTR,
                    PMUSIM_MSR_V6_STEP * PMUSIM_GP_MAX) ||
           in_range(msr, PMUSIM_MSR_V6_FX0_CTR,
                    PMUSIM_MSR_V6_STEP * PMUSIM_FIXED_MAX);
}

static struct place find_v6(uint32_t msr)
{
    static const enum part parts[PMUSIM_MSR_V6_STEP] = {
        PART_WIDE, PART_SELECT, PART_CAUSE, PART_RELOAD,
    };
    bool fixed = msr >= PMUSIM_MSR_V6_FX0_CTR;
    uint32_t first = fixed ? PMUSIM_MSR_V6_FX0_CTR : PMUSIM_MSR_V6_GP0_CTR;
    struct place place = {
        .part = parts[(msr - first) % PMUSIM_MSR_V6_STEP],
        .counter = (msr - first) / PMUSIM_MSR_V6_STEP +
                   (fixed ? PMUSIM_FIXED_BASE : 0),
    };

    /* Fixed counters are selected by FIXED_CTR_CTRL alone */
    if (fixed && place.part == PART_SELECT) {
        place.part = PART_NONE;
    }
    return place;
}

/*
 * The architectural ranges hold eight counters each; further ones exist only
 * where the CPU has them, as their numbers belong to others elsewhere.
 */
static bool in_legacy_range(const struct pmusim *p, uint32_t msr,
                            uint32_t first)
{
    return in_range(msr, first, 8) ||
           (in_range(msr, first, PMUSIM_GP_MAX) &&
            (p->existing & pmusim_bit(msr - first)));
}

/*
 * Find the counter register @msr. PMUSIM_FAULT: in a range of counters, but
 * the counter is absent or has no such register.
 */
static enum pmusim_access find_counter(const struct pmusim *p, uint32_t msr,
                                       struct place *place)
{
    if (in_legacy_range(p, msr, PMUSIM_MSR_PMC0)) {
        *place = (struct place) { PART_LOW, msr - PMUSIM_MSR_PMC0 };
    } else if (in_legacy_range(p, msr, PMUSIM_MSR_PERFEVTSEL0)) {
        *place = (struct place) { PART_SELECT, msr - PMUSIM_MSR_PERFEVTSEL0 };
    } else if (in_range(msr, PMUSIM_MSR_FULL_WIDTH_PMC0, PMUSIM_GP_MAX)) {
        *place = (struct place) {
            p->pmu->caps & PMUSIM_CAP_FULL_WIDTH ? PART_WIDE : PART_NONE,
            msr - PMUSIM_MSR_FULL_WIDTH_PMC0,
        };
    } else if (in_range(msr, PMUSIM_MSR_FIXED_CTR0, PMUSIM_FIXED_MAX)) {
        *place = (struct place) {
            PART_WIDE, msr - PMUSIM_MSR_FIXED_CTR0 + PMUSIM_FIXED_BASE,
        };
    } else if (is_v6_range(msr)) {
        *place = find_v6(msr);
        if (p->cpu->version < 6) {
            place->part = PART_NONE;
        }
    } else {
        return PMUSIM_FOREIGN;
    }

    if (place->part == PART_NONE ||
        !(p->existing & pmusim_bit(place->counter))) {
        return PMUSIM_FAULT;
    }
    if ((place->part == PART_CAUSE || place->part == PART_RELOAD) &&
        !(pmusim_acr_reloadable(p->pmu) & pmusim_bit(place->counter))) {
        return PMUSIM_FAULT;
    }
    return PMUSIM_DONE;
}

static bool any_thread(const struct pmusim *p)
{
    return !(p->cpu->leaf_a[3] & 1u << 15);
}

static bool has_baseline(const struct pmusim *p)
{
    return p->pmu->caps & PMUSIM_CAP_BASELINE;
}

static uint64_t writable_select(const struct pmusim *p)
{
    uint64_t bits = PMUSIM_SEL_EVENT | PMUSIM_SEL_UMASK | PMUSIM_SEL_USR |
                    PMUSIM_SEL_OS | PMUSIM_SEL_EDGE | PMUSIM_SEL_PC |
                    PMUSIM_SEL_INT | PMUSIM_SEL_EN | PMUSIM_SEL_INV |
                    PMUSIM_SEL_CMASK;

    if (any_thread(p)) {
        bits |= PMUSIM_SEL_ANY;
    }
    if (has_baseline(p)) {
        bits |= PMUSIM_SEL_ADAPTIVE;
    }
    if (p->pmu->lbr_counters) {
        bits |= PMUSIM_SEL_BR_CNTR;
    }
    if (p->cpu->leaf_23) {
        bits |= PMUSIM_SEL_EQ | PMUSIM_SEL_UMASK2;
    }
    return bits;
}

static uint64_t writable_fixed_ctrl(const struct pmusim *p)
{
    uint64_t field = PMUSIM_FIXED_OS | PMUSIM_FIXED_USR | PMUSIM_FIXED_PMI |
                     (any_thread(p) ? PMUSIM_FIXED_ANY : 0);
    uint64_t bits = 0;
    unsigned int i;

    for (i = 0; i < PMUSIM_FIXED_MAX; i++) {
        if (p->existing & pmusim_bit(PMUSIM_FIXED_BASE + i)) {
            bits |= field << i * PMUSIM_FIXED_FIELD_BITS;
            if (has_baseline(p)) {
                bits |= PMUSIM_FIXED_ADAPTIVE << i * PMUSIM_FIXED_FIELD_BITS;
            }
        }
    }
    if (p->pmu->caps & PMUSIM_CAP_METRICS_CLEAR) {
        bits |= PMUSIM_FIXED_METRICS_CLEAR;
    }
    return bits;
}

static uint64_t writable_global_ctrl(const struct pmusim *p)
{
    return p->pmu->metrics ? p->existing | PMUSIM_GLOBAL_METRICS : p->existing;
}

/* Without adaptive records, the upper half enables load latency sampling */
static uint64_t writable_pebs_enable(const struct pmusim *p)
{
    uint64_t counters = pmusim_pebs_counters(p->pmu);

    return has_baseline(p) ? counters :
           counters | counters << PMUSIM_FIXED_BASE;
}

static uint64_t writable_status(const struct pmusim *p)
{
    uint64_t bits = writable_global_ctrl(p) | PMUSIM_STATUS_OVF_BUF |
                    PMUSIM_STATUS_COND_CHGD | PMUSIM_STATUS_UNCORE;

    if (p->cpu->version >= 4) {
        bits |= PMUSIM_STATUS_LBR_FRZ | PMUSIM_STATUS_CTR_FRZ |
                PMUSIM_STATUS_ASCI;
    }
    return bits;
}

static uint64_t writable_storage(const struct pmusim *p, uint32_t msr)
{
    return msr == PMUSIM_MSR_PEBS_FRONTEND ? p->pmu->frontend : ~UINT64_C(0);
}

/* SDM volume 3, 21.2.4.3 */
static uint64_t global_inuse(const struct pmusim *p)
{
    uint64_t inuse = 0;
    unsigned int i;

    for (i = 0; i < PMUSIM_FIXED_BASE; i++) {
        if (p->counter[i].select & PMUSIM_SEL_EVENT) {
            inuse |= pmusim_bit(i);
        }
        if (p->counter[i].select & PMUSIM_SEL_INT) {
            inuse |= pmusim_bit(63);
        }
    }
    for (i = 0; i < PMUSIM_FIXED_MAX; i++) {
        uint64_t field = p->fixed_ctrl >> i * PMUSIM_FIXED_FIELD_BITS;

        if (field & (PMUSIM_FIXED_OS | PMUSIM_FIXED_USR)) {
            inuse |= pmusim_bit(PMUSIM_FIXED_BASE + i);
        }
        if (field & PMUSIM_FIXED_PMI) {
            inuse |= pmusim_bit(63);
        }
    }
    return inuse;
}

/* The reading instruction is in the budget where anything is counted */
static void fold_before_read(struct pmusim *p, enum pmusim_class class)
{
    pmusim_fold(p, class, pmusim_level_of(p, class) != PMUSIM_LEVEL_NONE);
}

static uint64_t read_place(const struct pmusim *p, struct place place)
{
    const struct pmusim_counter *counter = &p->counter[place.counter];

    switch (place.part) {
    case PART_SELECT:
        return counter->select;
    case PART_CAUSE:
        return counter->cause;
    case PART_RELOAD:
        return counter->reload;
    default:
        return counter->value;
    }
}

/* The registers of PEBS exist with PEBS, DATA_CFG with adaptive records */
static enum pmusim_access rdmsr_pebs(const struct pmusim *p, uint32_t msr,
                                     uint64_t *value)
{
    bool exists = pmusim_pebs_counters(p->pmu);

    switch (msr) {
    case PMUSIM_MSR_DS_AREA:
        *value = p->pebs.area;
        break;
    case PMUSIM_MSR_PEBS_ENABLE:
        *value = p->pebs.enable;
        break;
    case PMUSIM_MSR_PEBS_DATA_CFG:
        *value = p->pebs.data;
        exists = exists && has_baseline(p);
        break;
    case PMUSIM_MSR_PEBS_LD_LAT:
        *value = p->latency;
        break;
    default:
        return PMUSIM_FOREIGN;
    }
    return exists ? PMUSIM_DONE : PMUSIM_FAULT;
}

static enum pmusim_access rdmsr_control(struct pmusim *p,
                                        enum pmusim_class class, uint32_t msr,
                                        uint64_t *value)
{
    int slot;

    switch (msr) {
    case PMUSIM_MSR_FIXED_CTR_CTRL:
        *value = p->fixed_ctrl;
        return PMUSIM_DONE;
    case PMUSIM_MSR_GLOBAL_STATUS:
        fold_before_read(p, class);
        *value = p->global_status;
        return PMUSIM_DONE;
    case PMUSIM_MSR_GLOBAL_CTRL:
        *value = p->global_ctrl;
        return PMUSIM_DONE;
    case PMUSIM_MSR_GLOBAL_STATUS_RESET:
        *value = 0;
        return PMUSIM_DONE;
    case PMUSIM_MSR_GLOBAL_STATUS_SET:
        *value = 0;
        return p->cpu->version < 4 ? PMUSIM_FAULT : PMUSIM_DONE;
    case PMUSIM_MSR_GLOBAL_INUSE:
        *value = global_inuse(p);
        return p->cpu->version < 4 ? PMUSIM_FAULT : PMUSIM_DONE;
    case PMUSIM_MSR_PERF_CAPABILITIES:
        *value = p->pmu->caps;
        return PMUSIM_DONE;
    case PMUSIM_MSR_DEBUGCTL:
        *value = p->debugctl;
        return PMUSIM_DONE;
    case PMUSIM_MSR_PERF_METRICS:
        if (!p->pmu->metrics) {
            return PMUSIM_FAULT;
        }
        fold_before_read(p, class);
        *value = pmusim_metrics_read(p);
        return PMUSIM_DONE;
    }

    slot = find_storage(msr);
    if (slot < 0) {
        return PMUSIM_FOREIGN;
    }
    *value = p->extra[slot];
    return PMUSIM_DONE;
}

enum pmusim_access pmusim_rdmsr(struct pmusim *p, enum pmusim_class class,
                                uint32_t msr, uint64_t *value)
{
    enum pmusim_access access;
    struct place place;

    if (!p->cpu) {
        return PMUSIM_FOREIGN;
    }

    access = find_counter(p, msr, &place);
    if (access == PMUSIM_DONE) {
        fold_before_read(p, class);
        *value = read_place(p, place);
    }
    if (access == PMUSIM_FOREIGN) {
        access = rdmsr_control(p, class, msr, value);
    }
    if (access == PMUSIM_FOREIGN) {
        access = rdmsr_pebs(p, msr, value);
    }
    if (access == PMUSIM_FOREIGN) {
        access = pmusim_lbr_rdmsr(p, msr, value);
    }
    if (access == PMUSIM_FOREIGN) {
        access = pmusim_truth_rdmsr(p, msr, value);
        if (access == PMUSIM_DONE) {
            fold_before_read(p, class);
            pmusim_truth_rdmsr(p, msr, value);
        }
    }
    return access;
}

/* Is @value allowed in the counter register @place? */
static bool place_accepts(const struct pmusim *p, struct place place,
                          uint64_t value)
{
    switch (place.part) {
    case PART_WIDE:
        return !(value & ~PMUSIM_COUNTER_MASK);
    case PART_SELECT:
        return !(value & ~writable_select(p));
    case PART_CAUSE:
        return !(value & ~pmusim_acr_causes(p->pmu));
    case PART_RELOAD:
        return value <= UINT32_MAX;
    default:
        return true;
    }
}

static void write_place(struct pmusim *p, struct place place, uint64_t value)
{
    struct pmusim_counter *counter = &p->counter[place.counter];
    unsigned int i;

    switch (place.part) {
    case PART_LOW:
        pmusim_set_counter(p, place.counter,
                           (uint64_t)(int64_t)(int32_t)value &
                           PMUSIM_COUNTER_MASK);
        break;
    case PART_SELECT:
        counter->select = value;
        pmusim_decode_event(p, counter);
        break;
    case PART_CAUSE:
        counter->cause = value;
        p->causes = 0;
        for (i = 0; i < PMUSIM_COUNTERS; i++) {
            p->causes |= p->counter[i].cause;
        }
        break;
    case PART_RELOAD:
        counter->reload = value;
        break;
    default:
        pmusim_set_counter(p, place.counter, value);
        break;
    }
}

static bool is_canonical(uint64_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}

/* What may be written to the control register @msr */
static enum pmusim_access control_accepts(const struct pmusim *p, uint32_t msr,
                                          uint64_t value)
{
    bool exists = true;
    uint64_t writable;

    switch (msr) {
    case PMUSIM_MSR_FIXED_CTR_CTRL:
        writable = writable_fixed_ctrl(p);
        break;
    case PMUSIM_MSR_GLOBAL_CTRL:
        writable = writable_global_ctrl(p);
        break;
    case PMUSIM_MSR_GLOBAL_STATUS_SET:
        exists = p->cpu->version >= 4;
        writable = writable_status(p);
        break;
    case PMUSIM_MSR_GLOBAL_STATUS_RESET:
        writable = writable_status(p);
        break;
    case PMUSIM_MSR_DEBUGCTL:
        writable = PMUSIM_DEBUGCTL_VALID;
        break;
    case PMUSIM_MSR_PERF_METRICS:
        exists = p->pmu->metrics;
        writable = ~UINT64_C(0);
        break;
    case PMUSIM_MSR_DS_AREA:
        exists = pmusim_pebs_counters(p->pmu) && is_canonical(value);
        writable = ~UINT64_C(0);
        break;
    case PMUSIM_MSR_PEBS_ENABLE:
        exists = pmusim_pebs_counters(p->pmu);
        writable = writable_pebs_enable(p);
        break;
    case PMUSIM_MSR_PEBS_DATA_CFG:
        exists = pmusim_pebs_counters(p->pmu) && has_baseline(p);
        writable = PMUSIM_PEBS_DATA_VALID;
        break;
    case PMUSIM_MSR_PEBS_LD_LAT:
        exists = pmusim_pebs_counters(p->pmu);
        writable = 0xffff;
        break;
    case PMUSIM_MSR_GLOBAL_STATUS:
    case PMUSIM_MSR_GLOBAL_INUSE:
    case PMUSIM_MSR_PERF_CAPABILITIES:
        return PMUSIM_FAULT;
    default:
        if (find_storage(msr) < 0) {
            return PMUSIM_FOREIGN;
        }
        writable = writable_storage(p, msr);
        break;
    }
    return exists && !(value & ~writable) ? PMUSIM_DONE : PMUSIM_FAULT;
}

/* Recording starts anew: what was timed before does not count */
static void write_debugctl(struct pmusim *p, uint64_t value)
{
    if (~p->debugctl & value & PMUSIM_DEBUGCTL_LBR) {
        pmusim_lbr_interrupted(p);
    }
    p->debugctl = value;
}

static void write_control(struct pmusim *p, uint32_t msr, uint64_t value)
{
    switch (msr) {
    case PMUSIM_MSR_FIXED_CTR_CTRL:
        p->fixed_ctrl = value;
        break;
    case PMUSIM_MSR_GLOBAL_CTRL:
        p->global_ctrl = value;
        break;
    case PMUSIM_MSR_GLOBAL_STATUS_RESET:
        if (p->global_status & value & PMUSIM_STATUS_LBR_FRZ) {
            pmusim_lbr_interrupted(p);
        }
        p->global_status &= ~value;
        break;
    case PMUSIM_MSR_GLOBAL_STATUS_SET:
        p->global_status |= value;
        break;
    case PMUSIM_MSR_DEBUGCTL:
        write_debugctl(p, value);
        break;
    case PMUSIM_MSR_PERF_METRICS:
        pmusim_metrics_write(p, value);
        break;
    case PMUSIM_MSR_DS_AREA:
        p->pebs.area = value;
        break;
    case PMUSIM_MSR_PEBS_ENABLE:
        p->pebs.enable = value;
        break;
    case PMUSIM_MSR_PEBS_DATA_CFG:
        p->pebs.data = value;
        break;
    case PMUSIM_MSR_PEBS_LD_LAT:
        p->latency = value;
        break;
    default:
        p->extra[find_storage(msr)] = value;
        break;
    }
}

enum pmusim_access pmusim_wrmsr(struct pmusim *p, enum pmusim_class class,
                                uint32_t msr, uint64_t value)
{
    void (*write)(struct pmusim *, uint32_t, uint64_t) = NULL;
    enum pmusim_access access;
    struct place place;

    if (!p->cpu) {
        return PMUSIM_FOREIGN;
    }

    access = find_counter(p, msr, &place);
    if (access == PMUSIM_DONE && !place_accepts(p, place, value)) {
        access = PMUSIM_FAULT;
    }
    if (access == PMUSIM_FOREIGN) {
        access = control_accepts(p, msr, value);
        write = write_control;
    }
    if (access == PMUSIM_FOREIGN) {
        access = pmusim_lbr_accepts(p, msr, value);
        write = pmusim_lbr_wrmsr;
    }
    if (access == PMUSIM_FOREIGN) {
        access = pmusim_truth_accepts(msr, value);
        write = pmusim_truth_wrmsr;
    }
    if (access != PMUSIM_DONE) {
        return access;
    }

    pmusim_fold(p, class, 0);
    if (write) {
        write(p, msr, value);
    } else {
        write_place(p, place, value);
    }
    pmusim_update(p, class);
    return PMUSIM_DONE;
}

static void count_rdpmc(struct pmusim *p)
{
    pmusim_count_statistic(p, PMUSIM_STAT_RDPMCS, PMUSIM_STAT_NMI_RDPMCS);
}

/* The caller has checked CR4.PCE */
enum pmusim_access pmusim_rdpmc(struct pmusim *p, enum pmusim_class class,
                                uint32_t index, uint64_t *value)
{
    uint32_t number = index & ~PMUSIM_RDPMC_FIXED;
    unsigned int counter = number;

    if (!p->cpu) {
        return PMUSIM_FOREIGN;
    }
    if (index == PMUSIM_RDPMC_METRICS && p->pmu->metrics) {
        fold_before_read(p, class);
        *value = pmusim_metrics_read(p);
        if (p->pmu->caps & PMUSIM_CAP_METRICS_CLEAR &&
            p->fixed_ctrl & PMUSIM_FIXED_METRICS_CLEAR) {
            pmusim_metrics_clear(p);
        }
        count_rdpmc(p);
        return PMUSIM_DONE;
    }
    if (number >= PMUSIM_GP_MAX) {
        return PMUSIM_FAULT;
    }
    if (index & PMUSIM_RDPMC_FIXED) {
        counter += PMUSIM_FIXED_BASE;
    }
    if (!(p->existing & pmusim_bit(counter))) {
        return PMUSIM_FAULT;
    }

    fold_before_read(p, class);
    *value = p->counter[counter].value;
    count_rdpmc(p);
    return PMUSIM_DONE;
}
