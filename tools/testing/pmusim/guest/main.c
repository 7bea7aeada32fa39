// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order of things: all tests on the boot CPU; INIT on the second CPU; all
 * tests there too if it is a core of another type. Whoever is last ends the
 * machine, the others are halted.
 */
#include "cpu.h"
#include "pmu.h"
#include "tap.h"

#define PIC_MASTER_MASK		0x21
#define PIC_SLAVE_MASK		0xa1
#define ICR_INIT		0x4500
#define ICR_STARTUP		0x4600
#define ICR_PENDING		0x1000
#define AP_APIC_ID		1
#define AP_DELAY		20000000
#define AP_PATIENCE		((u64)4000000000)

#define CORE_ATOM		0x20
#define CORE_CORE		0x40

static void (*volatile ap_function)(void);
static volatile bool ap_done;
static volatile bool ap_other_type;
static u32 boot_core_type;

static __attribute__((noreturn)) void die(void)
{
	struct {
		u16 limit;
		u64 base;
	} __attribute__((packed)) nothing = { 0, 0 };

	tap_drain();
	outb(0xcf9, 0x02);
	outb(0xcf9, 0x06);
	asm volatile("lidt %0; int3" : : "m" (nothing));
	for (;;)
		cpu_relax();
}

static void delay(u64 ticks)
{
	u64 end = rdtsc() + ticks;

	while (rdtsc() < end)
		cpu_relax();
}

static void apic_send(u32 command)
{
	apic_write(APIC_ICR2, AP_APIC_ID << 24);
	apic_write(APIC_ICR, command);
	while (apic_read(APIC_ICR) & ICR_PENDING)
		cpu_relax();
}

static void ap_kick(void (*fn)(void))
{
	u8 *to = (u8 *)(uintptr_t)AP_START;
	const u8 *from;

	for (from = ap_start; from < ap_end; from++)
		*to++ = *from;
	ap_function = fn;
	ap_done = false;
	apic_send(ICR_INIT);
	delay(AP_DELAY);
	apic_send(ICR_STARTUP | AP_START >> 12);
}

/* INIT and SIPI; false if no second CPU says anything */
static bool ap_run(void (*fn)(void))
{
	u64 end;

	ap_kick(fn);
	end = rdtsc() + AP_PATIENCE;
	while (!ap_done && rdtsc() < end)
		cpu_relax();
	return ap_done;
}

static void set_prefix(void)
{
	if (pmu.core_type == CORE_CORE)
		tap_prefix = "core-";
	else if (pmu.core_type == CORE_ATOM)
		tap_prefix = "atom-";
}

static void run_all(void)
{
	tap_note("model 0x%x core type 0x%x perfmon %u", pmu.model,
		 pmu.core_type, pmu.version);
	tap_note("counters 0x%lx capabilities 0x%lx", pmu.existing, pmu.caps);
	tap_note("reloadable 0x%lx by 0x%lx", pmu.reloadable, pmu.causes);
	test_reset();
	tests_counters();
	tests_reserved();
	tests_overflow();
	tests_rdpmc();
	tests_width();
	tests_apic();
	tests_freeze();
	tests_acr();
	tests_lbr();
	tests_pebs();
	tests_metrics();
}

static void ap_first(void)
{
	pmu_detect();
	set_prefix();
	note_reset();
	ap_other_type = pmu.core_type != boot_core_type;
	init_before();
}

static void ap_all(void)
{
	run_all();
	tap_plan();
	die();
}

static void boot_cpu(void)
{
	pmu_detect();
	set_prefix();
	boot_core_type = pmu.core_type;
	if (pmu.version < 2) {
		tap_skipped("everything", "CPUID 0xA: perfmon below version 2");
		tap_plan();
		die();
	}
	note_reset();
	run_all();

	if (!ap_run(ap_first)) {
		tap_skipped("init-keeps-registers", "no second CPU");
	} else if (!ap_run(init_after)) {
		tap_begin("init-keeps-registers");
		expect(false, "no answer after the second INIT");
		tap_end();
	} else if (ap_other_type) {
		ap_kick(ap_all);
		for (;;)
			asm volatile("cli; hlt");
	}
	tap_plan();
	die();
}

void cpu_main(u32 cpu)
{
	if (!cpu) {
		traps_init();
		/* The firmware's timer interrupt would come as an exception */
		outb(PIC_MASTER_MASK, 0xff);
		outb(PIC_SLAVE_MASK, 0xff);
	}
	traps_load(cpu);
	apic_write(APIC_SVR, 0x100 | VECTOR_SPURIOUS);
	if (!cpu) {
		boot_cpu();
		return;
	}
	if (!context_save(&test_context))
		ap_function();
	ap_done = true;
}
