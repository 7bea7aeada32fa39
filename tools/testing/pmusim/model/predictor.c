/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branch prediction
 *
 * Conditional branches: PMUSIM_PATTERNS saturating 3-bit counters, indexed by
 * the branch's address (bimodal). Indirect jumps and calls: the last target,
 * PMUSIM_TARGETS entries. Returns: a ring of PMUSIM_RETURNS addresses. Direct
 * jumps and calls are never mispredicted.
 *
 * These functions define what happens; an emulator may generate code that does
 * the same. They return PMUSIM_PACKED_MISS for a misprediction, else 0.
 */
#include "pmusim.h"

unsigned int pmusim_pattern_index(uint64_t pc)
{
    return pc & (PMUSIM_PATTERNS - 1);
}

unsigned int pmusim_target_index(uint64_t pc)
{
    return pc & (PMUSIM_TARGETS - 1);
}

uint64_t pmusim_conditional(struct pmusim_predictor *bp, uint64_t pc,
                            bool taken)
{
    uint8_t *pattern = &bp->pattern[pmusim_pattern_index(pc)];
    bool predicted = *pattern >= PMUSIM_PATTERN_TAKEN;

    if (taken && *pattern < PMUSIM_PATTERN_MAX) {
        (*pattern)++;
    } else if (!taken && *pattern > 0) {
        (*pattern)--;
    }
    return predicted == taken ? 0 : PMUSIM_PACKED_MISS;
}

uint64_t pmusim_indirect(struct pmusim_predictor *bp, uint64_t pc,
                         uint64_t target)
{
    uint64_t *last = &bp->target[pmusim_target_index(pc)];
    uint64_t miss = *last == target ? 0 : PMUSIM_PACKED_MISS;

    *last = target;
    return miss;
}

void pmusim_call(struct pmusim_predictor *bp, uint64_t return_address)
{
    bp->top = (bp->top + 1) & (PMUSIM_RETURNS - 1);
    bp->returns[bp->top] = return_address;
}

uint64_t pmusim_return(struct pmusim_predictor *bp, uint64_t target)
{
    uint64_t miss = bp->returns[bp->top] == target ? 0 : PMUSIM_PACKED_MISS;

    bp->top = (bp->top - 1) & (PMUSIM_RETURNS - 1);
    return miss;
}
