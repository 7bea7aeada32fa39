/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "ecore_fixture.h"

#define ALL_GP          0xff

int setup(void **state)
{
    static struct guest g;

    guest_init(&g, "arrowlake", true);
    guest_wrmsr(&g, PMUSIM_MSR_GLOBAL_CTRL, ALL_GP | FIXED_BIT(0) |
                FIXED_BIT(1) | FIXED_BIT(2));
    *state = &g;
    return 0;
}

void start(struct guest *g, unsigned int n, uint64_t select, uint64_t value)
{
    guest_wrmsr(g, V6_GP_CTR(n), value);
    guest_wrmsr(g, V6_GP_CFG_A(n), select);
}

uint64_t status(struct guest *g)
{
    return guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS);
}
