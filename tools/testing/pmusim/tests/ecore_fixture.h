/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tests of counters share: an E-core, by its perfmon 6 registers */
#ifndef ECORE_FIXTURE_H
#define ECORE_FIXTURE_H

#include "guest.h"

/* With everything enabled in GLOBAL_CTRL, running user code */
int setup(void **state);
/* Counter @n starts at @value */
void start(struct guest *g, unsigned int n, uint64_t select, uint64_t value);
/* GLOBAL_STATUS, read where the guest is */
uint64_t status(struct guest *g);

#endif
