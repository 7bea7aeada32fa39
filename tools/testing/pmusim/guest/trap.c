// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptor tables, exceptions, the performance interrupt */
#include "cpu.h"
#include "pmu.h"
#include "tap.h"

#define GATE_KERNEL		0x8e
#define GATE_USER		0xee
#define TSS_AVAILABLE		0x89
#define STACK_NMI			1
#define STACK_SIZE		0x2000

struct gate {
	u16 offset0;
	u16 selector;
	u8 stack;
	u8 type;
	u16 offset16;
	u32 offset32;
	u32 zero;
} __attribute__((packed));

struct tss {
	u32 zero0;
	u64 rsp[3];
	u64 zero1;
	u64 interrupt_stack[8];
	u16 zero2[4];
	u16 zero3;
	u16 iomap;
} __attribute__((packed));

volatile struct pmi pmi;
struct context test_context;

static struct gate idt[256];
static struct tss tss[2];
/* Where CPL 3 is left, and where the NMI runs */
static u8 trap_stacks[2][2][STACK_SIZE] __attribute__((aligned(16)));

static void set_gate(u8 vector, const u8 *entry, u8 type, u8 stack)
{
	u64 offset = (uintptr_t)entry;

	idt[vector] = (struct gate){
		.offset0 = offset,
		.selector = SEL_CODE,
		.stack = stack,
		.type = type,
		.offset16 = offset >> 16,
		.offset32 = offset >> 32,
	};
}

void traps_init(void)
{
	unsigned int v;

	for (v = 0; v < 32; v++)
		set_gate(v, trap_entries + v * TRAP_ENTRY_SIZE, GATE_KERNEL,
			 v == VECTOR_NMI ? STACK_NMI : 0);
	set_gate(VECTOR_PMI, pmi_entry, GATE_KERNEL, 0);
	set_gate(VECTOR_USER_RETURN, user_return_entry, GATE_USER, 0);
	set_gate(VECTOR_USER_PAYLOAD, user_payload_entry, GATE_USER, 0);
	set_gate(VECTOR_LBR_USER, lbr_user_entry, GATE_USER, 0);
	set_gate(VECTOR_SPURIOUS, spurious_entry, GATE_KERNEL, 0);
}

void traps_load(u32 cpu)
{
	struct {
		u16 limit;
		u64 base;
	} __attribute__((packed)) idtr = { sizeof(idt) - 1, (uintptr_t)idt };
	u64 *descriptor = &gdt[SEL_TSS / 8 + 2 * cpu];
	u64 base = (uintptr_t)&tss[cpu];

	tss[cpu].rsp[0] = (uintptr_t)trap_stacks[cpu][0] + STACK_SIZE;
	tss[cpu].interrupt_stack[STACK_NMI - 1] = (uintptr_t)trap_stacks[cpu][1] + STACK_SIZE;
	tss[cpu].iomap = sizeof(struct tss);
	descriptor[0] = (sizeof(struct tss) - 1) | (base & 0xffffff) << 16
		| (u64)TSS_AVAILABLE << 40 | (base >> 24 & 0xff) << 56;
	descriptor[1] = base >> 32;
	asm volatile("lidt %0" : : "m" (idtr));
	asm volatile("ltr %w0" : : "r" (SEL_TSS + 16 * cpu));
}

static void performance_interrupt(struct regs *r)
{
	if (!pmi.keep)
		wrmsr(MSR_GLOBAL_CTRL, 0);
	if (pmi.count < PMI_LOG)
		pmi.ip[pmi.count] = r->ip;
	pmi.count++;
	pmi.vector = r->vector;
	pmi.lvtpc = apic_read(APIC_LVTPC);
	pmi.status = rdmsr(MSR_GLOBAL_STATUS);
	if (pmi.unmask)
		apic_write(APIC_LVTPC, pmi.lvtpc & ~APIC_LVT_MASKED);
	if (r->vector == VECTOR_PMI)
		apic_write(APIC_EOI, 0);
}

void trap(struct regs *r)
{
	const struct fixup *f;

	if (r->vector == VECTOR_NMI || r->vector == VECTOR_PMI) {
		performance_interrupt(r);
		return;
	}
	for (f = _fixups; f < _fixups_end; f++) {
		if (f->from == r->ip) {
			r->ip = f->to;
			r->r9 = r->vector;
			return;
		}
	}
	tap_abort("exception %lu at 0x%lx, code 0x%lx, CX 0x%lx DX:AX 0x%x:0x%x",
		  r->vector, r->ip, r->code, r->cx, (u32)r->dx, (u32)r->ax);
	context_restore(&test_context);
}
