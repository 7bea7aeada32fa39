// SPDX-License-Identifier: GPL-2.0-or-later
/* DEBUGCTL's freezing on a PMI, GLOBAL_STATUS 58 and 59 */
#include "pmu.h"
#include "tap.h"

#define NTH			10

/* Some instructions at CPL 0 that leave GLOBAL_CTRL alone */
static void work(void)
{
	u32 i;

	for (i = 0; i < 100; i++)
		cpu_relax();
}

static void start_all(u64 flags)
{
	u32 c;

	for_each_counter(c, pmu.existing)
		ctr_start(c, EVENT_INSNS, 0, SEL_OS);
	ctr_start(0, EVENT_INSNS, -(u64)NTH, SEL_OS | flags);
}

static void expect_all_still(const char *when)
{
	u64 before[CTR_MAX];
	u32 c;

	for_each_counter(c, pmu.existing)
		before[c] = ctr_read(c);
	work();
	for_each_counter(c, pmu.existing)
		expect(ctr_read(c) == before[c], "%s counts %s", ctr_name(c),
		       when);
}

static void expect_counting(u32 c, const char *when)
{
	u64 before = ctr_read(c);

	work();
	expect(ctr_read(c) > before, "%s stands still %s", ctr_name(c), when);
}

static void on_pmi(void)
{
	u64 frozen;

	tap_begin("freeze-counters-on-pmi");
	wrmsr(MSR_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON);
	start_all(SEL_INT);
	wrmsr(MSR_GLOBAL_CTRL, pmu.existing);
	work();
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), BIT(0) | STATUS_CTR_FRZ);
	expect_eq("GLOBAL_CTRL", rdmsr(MSR_GLOBAL_CTRL), pmu.existing);
	frozen = ctr_read(0);
	expect_range("events after the wrap", frozen, 0, 2);
	expect_all_still("while frozen");
	status_clear(BIT(0));
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), STATUS_CTR_FRZ);
	expect_all_still("with its own bit cleared only");
	status_clear(STATUS_CTR_FRZ);
	expect_counting(0, "after STATUS[59] is cleared");
	expect_counting(1, "after STATUS[59] is cleared");
	expect_eq("STATUS at the end", rdmsr(MSR_GLOBAL_STATUS), 0);
	tap_end();
}

/* What straight code counts before it is frozen is known */
static void exact(void)
{
	u32 c;

	tap_begin("freeze-exact");
	wrmsr(MSR_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON);
	for_each_counter(c, gp_mask())
		ctr_start(c, EVENT_INSNS, 0, SEL_OS);
	ctr_start(0, EVENT_INSNS, -(u64)NTH, SEL_OS | SEL_INT);
	straight(gp_mask());
	expect_eq("gp0", ctr_read(0), 0);
	for_each_counter(c, gp_mask() & ~BIT(0))
		expect_eq(ctr_name(c), ctr_read(c), NTH);
	tap_end();
}

static void every_counter(void)
{
	u64 mask = gp_mask() | (pmu.existing & BIT(FIXED_BASE));
	u32 c;

	for_each_counter(c, mask) {
		tap_begin("freeze-by-%s", ctr_name(c));
		wrmsr(MSR_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON);
		ctr_start(c, EVENT_INSNS, -(u64)NTH, SEL_OS | SEL_INT);
		straight(BIT(c));
		expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS),
			  BIT(c) | STATUS_CTR_FRZ);
		expect_range("events after the wrap", ctr_read(c), 0, 2);
		tap_end();
		pmu_reset();
	}
}

static void interrupt(void)
{
	tap_begin("freeze-interrupts-too");
	wrmsr(MSR_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON);
	pmi.keep = true;
	apic_write(APIC_LVTPC, APIC_LVT_NMI);
	ctr_start(0, EVENT_INSNS, -(u64)NTH, SEL_OS | SEL_INT);
	straight(1);
	expect_eq("interrupts", pmi.count, 1);
	expect_eq("STATUS in the handler", pmi.status,
		  BIT(0) | STATUS_CTR_FRZ);
	expect_range("events after the wrap, handler included", ctr_read(0), 0,
		     2);
	tap_end();
}

static void no_int(void)
{
	tap_begin("freeze-not-without-int");
	wrmsr(MSR_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON);
	ctr_start(0, EVENT_INSNS, -(u64)NTH, SEL_OS);
	straight(1);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), BIT(0));
	expect_eq("counter", ctr_read(0), STRAIGHT_INSNS - NTH);
	tap_end();
}

static void not_asked(void)
{
	tap_begin("freeze-not-without-debugctl");
	ctr_start(0, EVENT_INSNS, -(u64)NTH, SEL_OS | SEL_INT);
	straight(1);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), BIT(0));
	expect_eq("counter", ctr_read(0), STRAIGHT_INSNS - NTH);
	tap_end();
}

static void status_set(void)
{
	tap_begin("freeze-status-set-59-stops");
	start_all(0);
	wrmsr(MSR_GLOBAL_CTRL, pmu.existing);
	expect_counting(0, "at first");
	wrmsr(MSR_GLOBAL_STATUS_SET, STATUS_CTR_FRZ);
	expect(rdmsr(MSR_GLOBAL_STATUS) & STATUS_CTR_FRZ, "STATUS[59] is 0");
	expect_all_still("with STATUS[59]");
	expect_eq("GLOBAL_CTRL", rdmsr(MSR_GLOBAL_CTRL), pmu.existing);
	status_clear(STATUS_CTR_FRZ);
	expect_counting(0, "after STATUS[59] is cleared");
	tap_end();
}

static void stays(void)
{
	tap_begin("freeze-outlives-debugctl");
	wrmsr(MSR_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON);
	start_all(SEL_INT);
	wrmsr(MSR_GLOBAL_CTRL, pmu.existing);
	work();
	wrmsr(MSR_DEBUGCTL, 0);
	expect(rdmsr(MSR_GLOBAL_STATUS) & STATUS_CTR_FRZ,
	       "STATUS[59] is 0 after DEBUGCTL[12] is");
	expect_all_still("with STATUS[59] and without DEBUGCTL[12]");
	/* Enabling does not help either */
	wrmsr(MSR_GLOBAL_CTRL, 0);
	wrmsr(MSR_GLOBAL_CTRL, pmu.existing);
	expect_all_still("after GLOBAL_CTRL is written");
	tap_end();
}

static void lbr_on_pmi(void)
{
	tap_begin("freeze-lbr-on-pmi");
	if (pmu.lbr == LBR_NONE) {
		tap_skip("no LBR");
		return;
	}
	wrmsr(MSR_DEBUGCTL, DEBUGCTL_FREEZE_LBRS);
	ctr_start(0, EVENT_INSNS, -(u64)NTH, SEL_OS | SEL_INT);
	straight(1);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), BIT(0) | STATUS_LBR_FRZ);
	expect_eq("counter", ctr_read(0), STRAIGHT_INSNS - NTH);
	expect_eq("DEBUGCTL", rdmsr(MSR_DEBUGCTL), DEBUGCTL_FREEZE_LBRS);
	status_clear(STATUS_LBR_FRZ);
	expect_eq("STATUS after its reset", rdmsr(MSR_GLOBAL_STATUS), BIT(0));
	tap_end();

	tap_begin("freeze-lbr-not-without-int");
	pmu_reset();
	wrmsr(MSR_DEBUGCTL, DEBUGCTL_FREEZE_LBRS);
	ctr_start(0, EVENT_INSNS, -(u64)NTH, SEL_OS);
	straight(1);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), BIT(0));
	tap_end();
}

static void both(void)
{
	tap_begin("freeze-both-on-pmi");
	if (pmu.lbr == LBR_NONE) {
		tap_skip("no LBR");
		return;
	}
	wrmsr(MSR_DEBUGCTL, DEBUGCTL_FREEZE_LBRS | DEBUGCTL_FREEZE_PERFMON);
	ctr_start(0, EVENT_INSNS, -(u64)NTH, SEL_OS | SEL_INT);
	straight(1);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS),
		  BIT(0) | STATUS_LBR_FRZ | STATUS_CTR_FRZ);
	tap_end();
}

static const test_fn tests[] = {
	on_pmi, exact, every_counter, interrupt, no_int, not_asked, status_set,
	stays, lbr_on_pmi, both, NULL,
};

void tests_freeze(void)
{
	if (pmu.version < 4) {
		tap_skipped("freeze", "perfmon below version 4");
		return;
	}
	run_tests(tests);
}
