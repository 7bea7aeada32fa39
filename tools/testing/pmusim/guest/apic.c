// SPDX-License-Identifier: GPL-2.0-or-later
/* The way of the interrupt */
#include "pmu.h"
#include "tap.h"

#define NTH			20

static void mask_on_delivery(void)
{
	tap_begin("apic-mask-on-delivery");
	apic_write(APIC_LVTPC, VECTOR_PMI);
	expect_eq("LVTPC", apic_read(APIC_LVTPC), VECTOR_PMI);
	ctr_start(0, EVENT_INSNS, -(u64)NTH, SEL_OS | SEL_INT);
	payload(1);
	irq_window();
	expect_eq("interrupts", pmi.count, 1);
	expect_eq("vector", pmi.vector, VECTOR_PMI);
	expect_eq("LVTPC in the handler", pmi.lvtpc & APIC_LVT_MASKED,
		  APIC_LVT_MASKED);
	expect_eq("STATUS in the handler", pmi.status, 1);
	tap_end();
}

/* One after the other, with time for the interrupt of each */
static void overflow_five_times(void)
{
	u32 i;

	for (i = 0; i < 5; i++) {
		status_clear(rdmsr(MSR_GLOBAL_STATUS));
		ctr_start(0, EVENT_INSNS, -(u64)NTH, SEL_OS | SEL_INT);
		payload(1);
		irq_window();
	}
}

static void one_only(void)
{
	tap_begin("apic-never-unmasked-one-pmi");
	apic_write(APIC_LVTPC, VECTOR_PMI);
	overflow_five_times();
	expect_eq("interrupts", pmi.count, 1);
	tap_end();
}

static void one_each(void)
{
	tap_begin("apic-unmasked-one-pmi-each");
	pmi.unmask = true;
	apic_write(APIC_LVTPC, VECTOR_PMI);
	overflow_five_times();
	expect_eq("interrupts", pmi.count, 5);
	tap_end();
}

static void masked(void)
{
	tap_begin("apic-masked-pmi-is-dropped");
	apic_write(APIC_LVTPC, VECTOR_PMI | APIC_LVT_MASKED);
	ctr_start(0, EVENT_INSNS, -(u64)NTH, SEL_OS | SEL_INT);
	payload(1);
	irq_window();
	expect_eq("interrupts while masked", pmi.count, 0);
	apic_write(APIC_LVTPC, VECTOR_PMI);
	irq_window();
	expect_eq("interrupts after unmasking", pmi.count, 0);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), 1);
	tap_end();
}

static void status_set_is_silent(void)
{
	tap_begin("apic-status-set-raises-nothing");
	if (pmu.version < 4) {
		tap_skip("perfmon below version 4");
		return;
	}
	apic_write(APIC_LVTPC, VECTOR_PMI);
	ctr_select(0, EVENT_INSNS, SEL_OS | SEL_INT);
	wrmsr(MSR_GLOBAL_STATUS_SET, 1);
	irq_window();
	expect_eq("interrupts", pmi.count, 0);
	tap_end();
}

static void nmi(void)
{
	u32 c;

	for_each_counter(c, gp_mask() | (pmu.existing & BIT(FIXED_BASE))) {
		tap_begin("apic-nmi-%s", ctr_name(c));
		apic_write(APIC_LVTPC, APIC_LVT_NMI);
		ctr_start(c, EVENT_INSNS, -(u64)NTH, SEL_OS | SEL_INT);
		straight(BIT(c));
		expect_eq("interrupts", pmi.count, 1);
		expect_eq("vector", pmi.vector, VECTOR_NMI);
		expect_eq("LVTPC's mask", pmi.lvtpc & APIC_LVT_MASKED,
			  APIC_LVT_MASKED);
		expect_eq("STATUS", pmi.status, BIT(c));
		tap_end();

		/* The emulator's promise: no skid */
		tap_begin("apic-nmi-exact-ip-%s", ctr_name(c));
		expect_eq("instructions before the NMI",
			  pmi.ip[0] - (uintptr_t)straight_first, NTH);
		tap_end();
		pmu_reset();
	}
}

/* The interrupt stack is another one, the frame says CPL 3 */
static void nmi_at_user(void)
{
	tap_begin("apic-nmi-at-cpl-3");
	apic_write(APIC_LVTPC, APIC_LVT_NMI);
	ctr_start(0, EVENT_INSNS, -(u64)NTH, SEL_USR | SEL_INT);
	user_payload(1);
	expect_eq("interrupts", pmi.count, 1);
	expect_eq("STATUS", pmi.status, 1);
	tap_end();
}

/* lbr_flip() writes whatever register it is given, this one too */
static void after_mispredict(void)
{
	tap_begin("apic-nmi-after-mispredicted-branch");
	ctr_start(0, EVENT_MISSES, 0, SEL_OS);
	lbr_flip(MSR_GLOBAL_CTRL, 1, 200);
	ctr_start(0, EVENT_MISSES, -(u64)1, SEL_OS | SEL_INT);
	apic_write(APIC_LVTPC, APIC_LVT_NMI);
	lbr_flip(MSR_GLOBAL_CTRL, 1, 200);
	expect_eq("interrupts", pmi.count, 1);
	expect_eq("where", pmi.ip[0], (uintptr_t)lbr_flip_to);
	tap_end();
}

/*
 * The overflow and another interrupt fall on the same instruction: the NMI has
 * the higher priority, so the other one's handler does not see it.
 */
static void before_another(void)
{
	tap_begin("apic-nmi-before-another-interrupt");
	apic_write(APIC_LVTPC, APIC_LVT_NMI);
	apic_write(APIC_ICR, APIC_ICR_SELF | VECTOR_PMI);
	ctr_start(0, EVENT_INSNS, -(u64)2, SEL_OS | SEL_INT);
	race(1);
	expect_eq("interrupts", pmi.count, 2);
	expect_eq("where the first came", pmi.ip[0], (uintptr_t)race_there);
	expect_eq("the last one's vector", pmi.vector, VECTOR_PMI);
	tap_end();
}

/* The handler unmasks and leaves counting on: floor(N / P) samples */
static void samples(void)
{
	const u32 period = 1000, loops = 10000;
	u64 n;

	tap_begin("apic-nmi-while-running");
	pmi.keep = true;
	pmi.unmask = true;
	apic_write(APIC_LVTPC, APIC_LVT_NMI);
	ctr_start(0, EVENT_INSNS, -(u64)period, SEL_USR | SEL_INT);
	ctr_start(1, EVENT_BRANCHES, -(u64)loops / 4, SEL_OS | SEL_INT);
	spin(3, loops);
	n = ctr_read(1);
	expect(pmi.count >= 1, "no interrupt in %lu branches", n);
	expect_eq("interrupts of a counter for CPL 3",
		  rdmsr(MSR_GLOBAL_STATUS) & 1, 0);
	tap_end();
}

void tests_apic(void)
{
	static const test_fn tests[] = {
		mask_on_delivery, one_only, one_each, masked,
		status_set_is_silent, nmi, nmi_at_user,
		after_mispredict, before_another, samples, NULL,
	};

	run_tests(tests);
}
