/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an event selector to what is counted
 *
 * Architectural events: Intel SDM volume 3, table 21-1. Each core type adds
 * its own, see cpus.c.
 */
#include <string.h>

#include "pmusim.h"

#define EVENT(event, umask)     ((umask) << 8 | (event))

static const struct pmusim_event architectural[] = {
    { EVENT(0xc0, 0x00), PMUSIM_INSNS },
    { EVENT(0x3c, 0x00), PMUSIM_CYCLES },
    { EVENT(0x3c, 0x01), PMUSIM_CYCLES },
    { EVENT(0x2e, 0x4f), PMUSIM_LLC_REFERENCES },
    { EVENT(0x2e, 0x41), PMUSIM_LLC_MISSES },
    { EVENT(0xc4, 0x00), PMUSIM_BRANCHES },
    { EVENT(0xc5, 0x00), PMUSIM_MISSES },
    { 0 },
};

static bool look_up(const struct pmusim_event *events, uint64_t select,
                    enum pmusim_lane *lane)
{
    uint64_t wanted = select & (PMUSIM_SEL_EVENT | PMUSIM_SEL_UMASK);

    for (; events->select; events++) {
        if (events->select == wanted) {
            *lane = events->lane;
            return true;
        }
    }
    return false;
}

/* Most events of a lane in one cycle */
static unsigned int most_in_a_cycle(const struct pmusim_pmu *pmu,
                                    enum pmusim_lane lane)
{
    switch (lane) {
    case PMUSIM_CYCLES:
    case PMUSIM_RECOVERY:
        return 1;
    case PMUSIM_LOADS:
    case PMUSIM_STORES:
    case PMUSIM_L1_HITS:
    case PMUSIM_L1_MISSES:
    case PMUSIM_LLC_REFERENCES:
    case PMUSIM_LLC_MISSES:
    case PMUSIM_SLOW_LOADS:
        return UINT32_MAX;
    default:
        return pmu->width;
    }
}

/*
 * A condition that holds in every cycle, or in none, needs no look at the
 * cycles. "Instructions, inverted, at least 16" is every cycle on all cores.
 * Nor does the number of times that recovery begins: INT_MISC.CLEARS_COUNT is
 * defined so, and counts each misprediction.
 */
static void simplify(const struct pmusim_pmu *pmu,
                     struct pmusim_counter *counter)
{
    bool never = counter->threshold > most_in_a_cycle(pmu, counter->lane);
    bool always = counter->lane == PMUSIM_CYCLES && counter->threshold == 1;
    bool holds = always != counter->inverted;

    if (counter->lane == PMUSIM_RECOVERY && counter->threshold == 1 &&
        counter->edge && !counter->inverted) {
        counter->lane = PMUSIM_MISSES;
        counter->threshold = 0;
        return;
    }
    if (!never && !always) {
        return;
    }
    if (never) {
        holds = counter->inverted;
    }
    counter->lane = holds && !counter->edge ? PMUSIM_CYCLES : PMUSIM_NOTHING;
    counter->threshold = 0;
}

static void report_unknown(struct pmusim *p, uint64_t select)
{
    unsigned int code = select & (PMUSIM_SEL_EVENT | PMUSIM_SEL_UMASK);

    if (!p->host || (p->said[code / 64] & pmusim_bit(code % 64))) {
        return;
    }
    p->said[code / 64] |= pmusim_bit(code % 64);
    p->host->unknown(p, select);
}

void pmusim_decode_event(struct pmusim *p, struct pmusim_counter *counter)
{
    uint64_t select = counter->select;

    counter->threshold = (select & PMUSIM_SEL_CMASK) >> PMUSIM_SEL_CMASK_SHIFT;
    counter->inverted = counter->threshold && (select & PMUSIM_SEL_INV);
    counter->equal = counter->threshold && (select & PMUSIM_SEL_EQ);
    counter->edge = select & PMUSIM_SEL_EDGE;
    memset(counter->seen, 0, sizeof(counter->seen));
    /* What begins to hold must first have been seen not to hold */
    counter->was = true;
    if (counter->edge && !counter->threshold) {
        counter->threshold = 1;
    }

    counter->lane = PMUSIM_NOTHING;
    /* No core has an event with a second unit mask */
    if ((select & PMUSIM_SEL_UMASK2) ||
        (!look_up(architectural, select, &counter->lane) &&
         !look_up(p->pmu->events, select, &counter->lane))) {
        if (select & PMUSIM_SEL_EN) {
            report_unknown(p, select);
        }
        counter->threshold = 0;
        return;
    }
    if (counter->threshold) {
        simplify(p->pmu, counter);
    }
}
