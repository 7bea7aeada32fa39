/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "pipeline_fixture.h"

static struct guest guest;

struct guest *make(const char *cpu)
{
    struct guest *g = &guest;

    guest_init(g, cpu, false);
    g->class = PMUSIM_OS;
    guest_wrmsr(g, PMUSIM_MSR_GLOBAL_CTRL, g->pmu.existing);
    return g;
}

int setup(void **state)
{
    *state = make("sapphirerapids");
    return 0;
}

void start(struct guest *g, unsigned int n, uint64_t event)
{
    guest_wrmsr(g, SELECT(n), event | COUNT_USR);
}

uint64_t count(struct guest *g, unsigned int n)
{
    enum pmusim_class class = g->class;
    uint64_t value;

    g->class = PMUSIM_OS;
    value = guest_rdmsr(g, CTR(n));
    g->class = class;
    return value;
}
