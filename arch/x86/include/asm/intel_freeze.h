/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_X86_INTEL_FREEZE_H
#define _ASM_X86_INTEL_FREEZE_H

#ifdef CONFIG_PERF_EVENTS_INTEL_FREEZE
void cpu_emergency_stop_freeze(void);
#else
static inline void cpu_emergency_stop_freeze(void) {}
#endif

#endif /* _ASM_X86_INTEL_FREEZE_H */
