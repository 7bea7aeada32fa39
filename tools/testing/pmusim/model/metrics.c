/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PERF_METRICS: fractions of the slots, a byte each
 *
 * Bytes 0 to 3: retiring, bad speculation, frontend bound, backend bound,
 * which together are 0xff. Bytes 4 to 7, where a core type has them, are parts
 * of those: heavy operations, branch mispredictions, fetch latency, memory
 * bound. Intel SDM volume 3, 21.3.9.3.
 */
#include "pmusim.h"

#define LEVEL_1         4
#define BYTE_MAX        0xff

/* The lanes of the bytes */
static const enum pmusim_lane lanes[] = {
    PMUSIM_INSNS, PMUSIM_BAD_SPEC, PMUSIM_FRONTEND, PMUSIM_BACKEND,
    PMUSIM_HEAVY, PMUSIM_BAD_SPEC, PMUSIM_FETCH_LATENCY, PMUSIM_MEMORY_BOUND,
};

/* They count while SLOTS does */
bool pmusim_metrics_count(const struct pmusim *p, enum pmusim_class class)
{
    return p->pmu->metrics && (p->global_ctrl & PMUSIM_GLOBAL_METRICS) &&
           (p->active[class] &
            pmusim_bit(PMUSIM_FIXED_BASE + PMUSIM_FIXED_SLOTS));
}

/* Returns true when a sum overflowed, which makes the fractions invalid */
bool pmusim_metrics_add(struct pmusim *p, const struct pmusim_delta *delta)
{
    bool overflowed = false;
    unsigned int i;

    for (i = 0; i < p->pmu->metrics; i++) {
        p->metric[i] += delta->lane[lanes[i]];
        overflowed |= p->metric[i] > PMUSIM_COUNTER_MASK;
        p->metric[i] &= PMUSIM_COUNTER_MASK;
    }
    return overflowed;
}

/* @part of @whole in 255ths, to the nearest */
static uint64_t fraction(uint64_t part, uint64_t whole)
{
    return (part * BYTE_MAX + whole / 2) / whole;
}

uint64_t pmusim_metrics_read(const struct pmusim *p)
{
    uint64_t whole = 0, sum = 0, last = 0, value = 0;
    unsigned int i;

    for (i = 0; i < LEVEL_1; i++) {
        whole += p->metric[i];
    }
    if (!whole) {
        return 0;
    }

    /* Rounding the sums up to each byte makes the four add up to 0xff */
    for (i = 0; i < LEVEL_1; i++) {
        uint64_t here;

        sum += p->metric[i];
        here = fraction(sum, whole);
        value |= (here - last) << 8 * i;
        last = here;
    }
    for (; i < p->pmu->metrics; i++) {
        uint64_t parent = value >> 8 * (i - LEVEL_1) & BYTE_MAX;
        uint64_t here = fraction(p->metric[i], whole);

        value |= (here < parent ? here : parent) << 8 * i;
    }
    return value;
}

/* Both registers start again from zero, farther from any overflow than before */
void pmusim_metrics_clear(struct pmusim *p)
{
    pmusim_set_counter(p, PMUSIM_FIXED_BASE + PMUSIM_FIXED_SLOTS, 0);
    pmusim_metrics_write(p, 0);
}

/* Each category gets its fraction of what SLOTS holds */
void pmusim_metrics_write(struct pmusim *p, uint64_t value)
{
    uint64_t slots =
        p->counter[PMUSIM_FIXED_BASE + PMUSIM_FIXED_SLOTS].value;
    unsigned int i;

    for (i = 0; i < p->pmu->metrics; i++) {
        p->metric[i] = (value >> 8 * i & BYTE_MAX) * slots / BYTE_MAX;
    }
}
