/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Auto counter reload, Intel SDM volume 3, 21.9.11 */
#include "pmusim.h"

uint64_t pmusim_acr_causes(const struct pmusim_pmu *pmu)
{
    if (!pmu->acr) {
        return 0;
    }
    return pmu->acr->cause_gp |
           (uint64_t)pmu->acr->cause_fixed << PMUSIM_FIXED_BASE;
}

uint64_t pmusim_acr_reloadable(const struct pmusim_pmu *pmu)
{
    if (!pmu->acr) {
        return 0;
    }
    return pmu->acr->reload_gp |
           (uint64_t)pmu->acr->reload_fixed << PMUSIM_FIXED_BASE;
}

/*
 * The counters in @wrapped have just overflowed. A counter that overflowed
 * itself has counted on from 0 and keeps what it counted since then on top of
 * its reload value; the modulus stands for the further overflows of a period
 * that is shorter than what one instruction can add.
 *
 * CFG_B alone decides: neither the enable bit of the reloaded counter nor that
 * of any other matters.
 */
void pmusim_acr_reload(struct pmusim *p, uint64_t wrapped)
{
    unsigned int i;

    if (!(p->causes & wrapped)) {
        return;
    }

    for (i = 0; i < PMUSIM_COUNTERS; i++) {
        struct pmusim_counter *counter = &p->counter[i];
        uint64_t value = (uint64_t)(int64_t)(int32_t)counter->reload;

        if (!(counter->cause & wrapped)) {
            continue;
        }
        value &= PMUSIM_COUNTER_MASK;
        if (wrapped & pmusim_bit(i)) {
            value += counter->value % (PMUSIM_COUNTER_MASK + 1 - value);
        }
        pmusim_set_counter(p, i, value);
    }
}
