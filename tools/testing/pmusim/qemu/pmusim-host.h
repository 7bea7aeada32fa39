/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef I386_PMUSIM_HOST_H
#define I386_PMUSIM_HOST_H

extern const struct pmusim_host x86_pmusim_host;

/* Write the statistics of all CPUs to the file that the property names */
void x86_pmusim_dump_at_exit(X86CPU *cpu);

#endif
