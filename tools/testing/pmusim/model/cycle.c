/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters that look at whole cycles: counter mask, INV and EDGE
 *
 * Such a counter adds one for each cycle in which its condition holds - the
 * event occurs at least, or with EQ exactly, @threshold times, and the opposite
 * if inverted - or, with EDGE, for each cycle in which it begins to hold. To
 * know what occurs in which cycle the code runs one instruction a block, see
 * PMUSIM_LEVEL_EXACT: the instruction's own slot comes first and has all its
 * events, then the slots that it loses, by reason. Each class has its own
 * cycles; which of them ends first is the earlier one.
 */
#include "pmusim.h"

/**
 * struct walk - one counter's way through an instruction's slots
 * @counter:    the counter
 * @width:      slots of a cycle
 * @used:       slots of the current cycle that are used up
 * @seen:       events in them
 * @count:      what the counter adds
 */
struct walk {
    struct pmusim_counter *counter;
    unsigned int width;
    unsigned int used;
    unsigned int seen;
    uint64_t count;
};

/* @cycles end in which the event occurred @events times each */
static void end_cycles(struct walk *walk, uint64_t cycles, uint64_t events)
{
    struct pmusim_counter *counter = walk->counter;
    bool holds;

    /* It is measured in cycles, however many slots of one it takes */
    if (counter->lane == PMUSIM_RECOVERY) {
        events = !!events;
    }
    holds = counter->equal ? events == counter->threshold :
            events >= counter->threshold;
    holds ^= counter->inverted;
    if (holds) {
        walk->count += counter->edge ? !counter->was : cycles;
    }
    counter->was = holds;
}

/* The next @slots slots have @density events each */
static void pass(struct walk *walk, uint64_t slots, unsigned int density)
{
    unsigned int room = walk->width - walk->used;

    if (slots < room) {
        walk->used += slots;
        walk->seen += slots * density;
        return;
    }
    end_cycles(walk, 1, walk->seen + room * density);
    slots -= room;
    if (slots >= walk->width) {
        end_cycles(walk, slots / walk->width,
                   (uint64_t)walk->width * density);
    }
    walk->used = slots % walk->width;
    walk->seen = walk->used * density;
}

/* Does a slot lost for @reason count in @lane? */
static bool counts(enum pmusim_lane lane, enum pmusim_lane reason)
{
    return lane == PMUSIM_SLOTS || lane == reason ||
           (lane == PMUSIM_FRONTEND && reason == PMUSIM_FETCH_LATENCY) ||
           (lane == PMUSIM_BACKEND && reason == PMUSIM_MEMORY_BOUND) ||
           (lane == PMUSIM_RECOVERY && reason == PMUSIM_BAD_SPEC);
}

/* What the slots of an instruction that retires add to the lane at once */
static uint64_t at_retirement(enum pmusim_lane lane,
                              const struct pmusim_delta *delta)
{
    switch (lane) {
    case PMUSIM_RECOVERY:
    case PMUSIM_BAD_SPEC:
    case PMUSIM_FRONTEND:
    case PMUSIM_FETCH_LATENCY:
    case PMUSIM_BACKEND:
    case PMUSIM_MEMORY_BOUND:
        return 0;
    case PMUSIM_SLOTS:
        return delta->lane[PMUSIM_INSNS];
    default:
        return delta->lane[lane];
    }
}

/* What @counter adds for @delta, the work of at most one instruction */
uint64_t pmusim_masked_events(struct pmusim *p, struct pmusim_counter *counter,
                              const struct pmusim_delta *delta)
{
    static const enum pmusim_lane reasons[] = {
        PMUSIM_FRONTEND, PMUSIM_FETCH_LATENCY, PMUSIM_BAD_SPEC,
        PMUSIM_MEMORY_BOUND, PMUSIM_BACKEND,
    };
    const uint64_t *lane = delta->lane;
    const uint64_t lost[] = {
        lane[PMUSIM_FRONTEND] - lane[PMUSIM_FETCH_LATENCY],
        lane[PMUSIM_FETCH_LATENCY],
        lane[PMUSIM_BAD_SPEC],
        lane[PMUSIM_MEMORY_BOUND],
        lane[PMUSIM_BACKEND] - lane[PMUSIM_MEMORY_BOUND],
    };
    struct walk walk = {
        .counter = counter,
        .width = p->pmu->width,
        .used = delta->before,
        .seen = counter->seen[delta->class] +
                at_retirement(counter->lane, delta),
    };
    unsigned int i;

    pass(&walk, lane[PMUSIM_INSNS], 0);
    for (i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
        pass(&walk, lost[i], counts(counter->lane, reasons[i]));
    }
    counter->seen[delta->class] = walk.seen;
    return walk.count;
}
