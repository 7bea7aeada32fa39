/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "cpu_fixture.h"

static struct guest guest;

const struct row rows[ROWS] = {
    { "skylake", false, 0x30c5, 0xf, 0x7, 4,
      { 0x07300404, 0, 0, 0x603 }, 0, 0 },
    { "icelake", false, 0xf0c5, 0xff, 0xf, 5,
      { 0x08300805, 0, 0xf, 0x8604 }, 0, 0 },
    { "sapphirerapids", false, 0xf0ff, 0xff, 0xf, 6,
      { 0x08300805, 0, 0xf, 0x8604 }, 0, 0 },
    { "arrowlake", false, 0xf0ff, 0x3ff, 0xf, 8,
      { 0x08300806, 0, 0x7, 0x8603 }, 0x3, 0x40 },
    { "arrowlake", true, 0x70ff, 0xff, 0x77, 8,
      { 0x08300806, 0, 0x7, 0x8603 }, 0x7, 0x20 },
    { "lunarlake", false, 0xf0ff, 0x3ff, 0xf, 8,
      { 0x08300806, 0, 0x7, 0x8603 }, 0x3, 0x40 },
    { "lunarlake", true, 0x70ff, 0xff, 0x77, 8,
      { 0x08300806, 0, 0x7, 0x8603 }, 0x7, 0x20 },
    { "clearwaterforest", false, 0x70ff, 0xff, 0x77, 8,
      { 0x08300806, 0, 0x77, 0x8603 }, 0x7, 0 },
};

struct guest *make_row(const struct row *row)
{
    guest_init(&guest, row->cpu, row->atom);
    guest.class = PMUSIM_OS;
    return &guest;
}

struct guest *make(const char *cpu, bool atom)
{
    guest_init(&guest, cpu, atom);
    guest.class = PMUSIM_OS;
    return &guest;
}

uint64_t status(struct guest *g)
{
    g->class = PMUSIM_OS;
    return guest_rdmsr(g, PMUSIM_MSR_GLOBAL_STATUS);
}

bool is_atom(const struct row *row)
{
    return row->fixed == 0x77;
}

void run_workload(struct guest *g)
{
    unsigned int i;

    guest_run(g, 100);
    for (i = 0; i < 9; i++) {
        guest_branch(g, 1, i, true);
    }
    for (i = 0; i < 5; i++) {
        guest_branch(g, 1, 100 + i, false);
    }
    for (i = 0; i < 11; i++) {
        guest_jump(g, 1);
    }
    for (i = 0; i < 7; i++) {
        guest_divide(g);
    }
    for (i = 1; i <= 13; i++) {
        guest_load(g, 0x10000 * i);
    }
    for (i = 0; i < 29; i++) {
        guest_load(g, 0x10000 * 13 + i);
    }
    for (i = 0; i < 17; i++) {
        guest_store(g, 0x7000000 + 0x10000 * i);
    }
    for (i = 0; i < 3; i++) {
        guest_fetch(g, 0x9000000 + 0x10000 * i);
        guest_run(g, 1);
    }
}
