/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an event selector to what is counted
 *
 * Architectural events: Intel SDM volume 3, table 21-1.
 */
#include "pmusim.h"

#define EVENT(event, umask)     ((umask) << 8 | (event))

enum pmusim_lane pmusim_fixed_event(unsigned int fixed)
{
    switch (fixed) {
    case 0:
        return PMUSIM_INSNS;
    case 1:
    case 2:
        return PMUSIM_CYCLES;
    default:
        return PMUSIM_NOTHING;
    }
}

static enum pmusim_lane plain_event(uint64_t select)
{
    switch (select & (PMUSIM_SEL_EVENT | PMUSIM_SEL_UMASK)) {
    case EVENT(0xc0, 0x00):
        return PMUSIM_INSNS;
    case EVENT(0xc4, 0x00):
        return PMUSIM_BRANCHES;
    case EVENT(0xc5, 0x00):
        return PMUSIM_MISSES;
    case EVENT(0x3c, 0x00):
    case EVENT(0x3c, 0x01):
        return PMUSIM_CYCLES;
    default:
        return PMUSIM_NOTHING;
    }
}

/*
 * A counter mask turns an event into the cycles in which it occurs at least
 * that often. At most @width instructions retire in a cycle, so "fewer than
 * more than @width" holds in every cycle; no other combination is modelled.
 */
enum pmusim_lane pmusim_decode_event(const struct pmusim_pmu *pmu,
                                     uint64_t select)
{
    unsigned int cmask = (select & PMUSIM_SEL_CMASK) >> PMUSIM_SEL_CMASK_SHIFT;
    enum pmusim_lane lane = plain_event(select);

    if (select & (PMUSIM_SEL_EDGE | PMUSIM_SEL_UMASK2 | PMUSIM_SEL_EQ)) {
        return PMUSIM_NOTHING;
    }
    if (!cmask) {
        return lane;
    }
    if (lane == PMUSIM_INSNS && (select & PMUSIM_SEL_INV) &&
        cmask > pmu->width) {
        return PMUSIM_CYCLES;
    }
    return PMUSIM_NOTHING;
}
