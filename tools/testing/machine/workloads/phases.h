/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of phases.S. They use registers in their own way: call them from
 * assembly.
 */
#ifndef PHASES_H
#define PHASES_H

void retiring(void);
void bad_spec(void);
void fe_bound(void);
void be_bound(void);
void link_chain(void);

#endif
