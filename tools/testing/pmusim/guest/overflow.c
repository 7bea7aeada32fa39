// SPDX-License-Identifier: GPL-2.0-or-later
#include "pmu.h"
#include "tap.h"

static u64 insns_counters(void)
{
	return gp_mask() | (pmu.existing & BIT(FIXED_BASE));
}

/* The counter is measured, then preset so that it ends at 1 */
static void ends_at_one(u32 c, bool with_int)
{
	u64 n;

	tap_begin("overflow-%s-%s", with_int ? "int" : "no-int", ctr_name(c));
	apic_write(APIC_LVTPC, VECTOR_PMI);
	ctr_start(c, EVENT_INSNS, 0, SEL_OS);
	payload(BIT(c));
	n = ctr_read(c);
	expect_eq("STATUS without an overflow", rdmsr(MSR_GLOBAL_STATUS), 0);

	ctr_start(c, EVENT_INSNS, 1 - n, SEL_OS | (with_int ? SEL_INT : 0));
	payload(BIT(c));
	expect_eq("counter", ctr_read(c), 1);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), BIT(c));
	status_clear(BIT(c));
	expect_eq("STATUS after its reset", rdmsr(MSR_GLOBAL_STATUS), 0);
	irq_window();
	expect_eq("interrupts", pmi.count, with_int);
	tap_end();
	pmu_reset();
}

static void every_counter(void)
{
	u32 c;

	for_each_counter(c, insns_counters()) {
		ends_at_one(c, false);
		ends_at_one(c, true);
	}
}

/* One below and one beyond: exact to the instruction */
static void exact(void)
{
	u32 c;

	for_each_counter(c, insns_counters()) {
		tap_begin("overflow-exact-%s", ctr_name(c));
		ctr_start(c, EVENT_INSNS, -(u64)PAYLOAD_INSNS - 1, SEL_OS);
		payload(BIT(c));
		expect_eq("one too few: counter", ctr_read(c), pmu.mask);
		expect_eq("one too few: STATUS", rdmsr(MSR_GLOBAL_STATUS), 0);
		ctr_start(c, EVENT_INSNS, -(u64)PAYLOAD_INSNS, SEL_OS);
		payload(BIT(c));
		expect_eq("just enough: counter", ctr_read(c), 0);
		expect_eq("just enough: STATUS", rdmsr(MSR_GLOBAL_STATUS),
			  BIT(c));
		tap_end();
		pmu_reset();
	}
}

/* Every fixed counter sets its bit, whatever it counts */
static void fixed_status(void)
{
	u32 c;

	for_each_counter(c, pmu.existing & ~gp_mask()) {
		tap_begin("overflow-status-%s", ctr_name(c));
		ctr_start(c, 0, -(u64)1, SEL_OS);
		coins(BIT(c), 4000, 7);
		expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), BIT(c));
		tap_end();
		pmu_reset();
	}
}

static void branches(void)
{
	tap_begin("overflow-branches");
	ctr_start(0, EVENT_BRANCHES, 1 - (u64)PAYLOAD_BRANCHES, SEL_OS);
	payload(1);
	expect_eq("counter", ctr_read(0), 1);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), 1);
	tap_end();
}

static void all_ones(void)
{
	u32 c;

	for_each_counter(c, insns_counters()) {
		tap_begin("overflow-all-ones-while-running-%s", ctr_name(c));
		ctr_start(c, EVENT_INSNS, 0, SEL_OS);
		rewrite(BIT(c), ctr_msr(c), pmu.mask);
		expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), BIT(c));
		expect_eq("counter", ctr_read(c), REWRITE_INSNS_AFTER - 1);
		tap_end();
		pmu_reset();
	}
}

static void together(void)
{
	u32 c;

	tap_begin("overflow-all-at-once");
	for_each_counter(c, insns_counters())
		ctr_start(c, EVENT_INSNS, 1 - (u64)PAYLOAD_INSNS, SEL_OS);
	payload(insns_counters());
	for_each_counter(c, insns_counters())
		expect_eq(ctr_name(c), ctr_read(c), 1);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), insns_counters());
	status_clear(1);
	expect_eq("STATUS after one bit's reset", rdmsr(MSR_GLOBAL_STATUS),
		  insns_counters() & ~BIT(0));
	tap_end();
}

static void user(void)
{
	tap_begin("overflow-user");
	ctr_start(0, EVENT_INSNS, 1 - (u64)USER_PAYLOAD_USR, SEL_USR);
	ctr_start(1, EVENT_INSNS, -(u64)USER_PAYLOAD_USR - 2, SEL_USR | SEL_OS);
	user_payload(3);
	expect_eq("USR", ctr_read(0), 1);
	expect_eq("USR and OS", ctr_read(1), USER_PAYLOAD_OS - 2);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), 3);
	tap_end();
}

/* A second wrap while the bit is set raises another interrupt */
static void again(void)
{
	tap_begin("overflow-again-with-status-set");
	apic_write(APIC_LVTPC, VECTOR_PMI);
	ctr_start(0, EVENT_INSNS, -(u64)10, SEL_OS | SEL_INT);
	payload(1);
	irq_window();
	expect_eq("interrupts", pmi.count, 1);
	apic_write(APIC_LVTPC, VECTOR_PMI);
	ctr_write(0, -(u64)10);
	payload(1);
	irq_window();
	expect_eq("interrupts after the second wrap", pmi.count, 2);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), 1);
	tap_end();
}

void tests_overflow(void)
{
	static const test_fn tests[] = {
		every_counter, exact, fixed_status, branches, all_ones,
		together, user, again, NULL,
	};

	run_tests(tests);
}
