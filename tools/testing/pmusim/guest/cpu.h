/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions that C has no words for; the safe ones return the exception */
#ifndef CPU_H
#define CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "layout.h"

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;

#define BIT(n)			((u64)1 << (n))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

/*
 * An exception at label 1 goes on at label 2 with its vector in R9, see
 * trap().
 */
#define FIXUP						\
	".pushsection .fixups, \"a\"\n"			\
	"	.quad 1b, 2b\n"				\
	".popsection\n"

static inline int rdmsr_safe(u32 msr, u64 *value)
{
	register u64 fault asm("r9") = 0;
	u32 low = 0, high = 0;

	asm volatile("1:	rdmsr\n"
		     "2:\n" FIXUP
		     : "+a" (low), "+d" (high), "+r" (fault)
		     : "c" (msr) : "memory");
	*value = (u64)high << 32 | low;
	return fault;
}

static inline int wrmsr_safe(u32 msr, u64 value)
{
	register u64 fault asm("r9") = 0;

	asm volatile("1:	wrmsr\n"
		     "2:\n" FIXUP
		     : "+r" (fault)
		     : "c" (msr), "a" ((u32)value), "d" ((u32)(value >> 32))
		     : "memory");
	return fault;
}

static inline int rdpmc_safe(u32 index, u64 *value)
{
	register u64 fault asm("r9") = 0;
	u32 low = 0, high = 0;

	asm volatile("1:	rdpmc\n"
		     "2:\n" FIXUP
		     : "+a" (low), "+d" (high), "+r" (fault)
		     : "c" (index) : "memory");
	*value = (u64)high << 32 | low;
	return fault;
}

/* For what must not fault; if it does, the test ends there, see trap() */
static inline u64 rdmsr(u32 msr)
{
	u32 low, high;

	asm volatile("rdmsr" : "=a" (low), "=d" (high) : "c" (msr) : "memory");
	return (u64)high << 32 | low;
}

static inline void wrmsr(u32 msr, u64 value)
{
	asm volatile("wrmsr" : : "c" (msr), "a" ((u32)value),
		     "d" ((u32)(value >> 32)) : "memory");
}

static inline u64 rdpmc(u32 index)
{
	u32 low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (index) : "memory");
	return (u64)high << 32 | low;
}

struct cpuid {
	u32 a, b, c, d;
};

static inline struct cpuid cpuid(u32 leaf, u32 subleaf)
{
	struct cpuid r = { leaf, 0, subleaf, 0 };

	asm volatile("cpuid" : "+a" (r.a), "=b" (r.b), "+c" (r.c), "=d" (r.d));
	return r;
}

static inline u64 rdtsc(void)
{
	u32 low, high;

	asm volatile("rdtsc" : "=a" (low), "=d" (high) : : "memory");
	return (u64)high << 32 | low;
}

static inline void outb(u16 port, u8 value)
{
	asm volatile("outb %0, %1" : : "a" (value), "d" (port));
}

static inline u8 inb(u16 port)
{
	u8 value;

	asm volatile("inb %1, %0" : "=a" (value) : "d" (port));
	return value;
}

static inline u64 read_cr4(void)
{
	u64 value;

	asm volatile("mov %%cr4, %0" : "=r" (value));
	return value;
}

static inline void write_cr4(u64 value)
{
	asm volatile("mov %0, %%cr4" : : "r" (value) : "memory");
}

static inline void invlpg(u64 address)
{
	asm volatile("invlpg (%0)" : : "r" (address) : "memory");
}

static inline void cpu_relax(void)
{
	asm volatile("pause" : : : "memory");
}

/* Lets a pending interrupt in; the guest runs with interrupts off otherwise */
static inline void irq_window(void)
{
	asm volatile("sti\n\tnop\n\tnop\n\tcli" : : : "memory");
}

#define APIC_BASE		0xfee00000
#define APIC_EOI		0x0b0
#define APIC_SVR		0x0f0
#define APIC_ICR		0x300
#define APIC_ICR2		0x310
#define APIC_ICR_SELF		0x40000
#define APIC_LVTPC		0x340
#define APIC_LVT_NMI		0x400
#define APIC_LVT_MASKED		0x10000

static inline u32 apic_read(u32 reg)
{
	return *(volatile u32 *)(uintptr_t)(APIC_BASE + reg);
}

static inline void apic_write(u32 reg, u32 value)
{
	*(volatile u32 *)(uintptr_t)(APIC_BASE + reg) = value;
}

/* start.S */

struct regs {
	u64 r15, r14, r13, r12, r11, r10, r9, r8;
	u64 bp, di, si, dx, cx, bx, ax;
	u64 vector, code, ip, cs, flags, sp, ss;
};

struct context {
	u64 words[8];
};

extern u64 gdt[];
extern u64 page_small[];
extern const u8 trap_entries[], pmi_entry[], spurious_entry[];
extern const u8 user_return_entry[], user_payload_entry[];
extern const u8 ap_start[], ap_end[];

unsigned long user_call(unsigned long (*fn)(unsigned long), unsigned long arg);
void user_payload(u64 ctrl);
int context_save(struct context *c) __attribute__((returns_twice));
void context_restore(struct context *c) __attribute__((noreturn));

/* payload.S */

extern const u8 straight_first[], straight_end[], race_there[];
extern const u8 pebs_regs_first[];
extern u64 pebs_regs_rsp;

void payload(u64 ctrl);
void locked(u64 ctrl);
void loads(u64 ctrl);
void straight(u64 ctrl);
void race(u64 ctrl);
void spin(u64 ctrl, u32 iterations);
u32 coins(u64 ctrl, u32 iterations, u32 seed);
void rewrite(u64 ctrl, u32 msr, u64 value);
u64 rdpmc_pair(u64 ctrl, u32 index);
void pebs_regs(u64 ctrl);

/* lbr_code.S */

struct lbr_branch {
	u64 from, to, type;
};

extern const struct lbr_branch lbr_walk_list[], lbr_walk_list_end[];
extern const u8 lbr_loop_from[], lbr_loop_to[], lbr_flip_from[], lbr_flip_to[];
extern const u8 nested_a[], nested_b[], nested_c[];
extern const u8 nested_a_to[], nested_b_to[], nested_c_to[];
extern const u8 popped_a[], popped_a_to[];
extern const u8 lbr_user_entry[], lbr_user_code[], lbr_user_code_end[];

void lbr_walk(u32 msr, u64 value);
void lbr_loop(u32 msr, u64 value, u32 count);
void lbr_flip(u32 msr, u64 value, u32 count);
void lbr_nested(u32 msr, u64 value);
void lbr_popped(u32 msr, u64 value);
void lbr_user(u32 msr, u64 value);

/* guest.lds */

struct fixup {
	u64 from;
	u64 to;
};

extern const struct fixup _fixups[], _fixups_end[];

/* trap.c */

#define PMI_LOG			64

/**
 * struct pmi - what performance interrupts came
 * @count:	how many
 * @keep:	the handler leaves the counters running
 * @unmask:	the handler unmasks LVTPC
 * @vector:	of the last one
 * @lvtpc:	LVTPC as the last one's handler found it
 * @status:	GLOBAL_STATUS likewise
 * @ip:		where they came
 */
struct pmi {
	u32 count;
	bool keep;
	bool unmask;
	u32 vector;
	u32 lvtpc;
	u64 status;
	u64 ip[PMI_LOG];
};

extern volatile struct pmi pmi;
extern struct context test_context;

void traps_init(void);
void traps_load(u32 cpu);
void trap(struct regs *r);

/* main.c */

void cpu_main(u32 cpu);

#endif
