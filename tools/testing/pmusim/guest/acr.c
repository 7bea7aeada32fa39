// SPDX-License-Identifier: GPL-2.0-or-later
/* Auto counter reload, CPUID 0x23.2 */
#include "pmu.h"
#include "tap.h"

#define NTH			20
#define RELOAD			1000

/* The counters of which straight code is sure what they count */
static bool counts_insns(u32 c)
{
	return !ctr_is_fixed(c) || c == FIXED_BASE;
}

/* A value far from an overflow, where a counter has not been reloaded */
#define ELSEWHERE		0x5000

/* After @cause wrapped at the Nth of straight()'s instructions */
static void expect_reloaded(u32 c, u64 reload, u32 cause)
{
	u64 value = ctr_read(c);

	if (counts_insns(c) && counts_insns(cause))
		expect(value == ((reload + STRAIGHT_INSNS - NTH) & pmu.mask),
		       "%s is 0x%lx after a reload with 0x%lx", ctr_name(c),
		       value, reload);
	else
		expect(((value - reload) & pmu.mask) <= 16 * STRAIGHT_INSNS,
		       "%s is 0x%lx after a reload with 0x%lx", ctr_name(c),
		       value, reload);
}

static void expect_not_reloaded(u32 c)
{
	expect(ctr_read(c) - ELSEWHERE <= 16 * STRAIGHT_INSNS,
	       "%s is 0x%lx, reloaded?", ctr_name(c), ctr_read(c));
}

/* Counters that count other things wrap at their first event */
static u64 preset(u32 cause)
{
	return -(u64)(counts_insns(cause) ? NTH : 1);
}

static void set_reload(u32 c, u64 causes, u64 value)
{
	wrmsr(ctr_cfg(c, V6_CFG_B), causes);
	wrmsr(ctr_cfg(c, V6_CFG_C), value & 0xffffffff);
}

static void storage(void)
{
	u32 c;

	for_each_counter(c, pmu.reloadable) {
		tap_begin("acr-storage-%s", ctr_name(c));
		expect_eq("CFG_B's exception",
			  wrmsr_safe(ctr_cfg(c, V6_CFG_B), pmu.causes), 0);
		expect_eq("CFG_B", rdmsr(ctr_cfg(c, V6_CFG_B)), pmu.causes);
		expect_eq("CFG_C's exception",
			  wrmsr_safe(ctr_cfg(c, V6_CFG_C), 0xfffffc18), 0);
		expect_eq("CFG_C", rdmsr(ctr_cfg(c, V6_CFG_C)), 0xfffffc18);
		tap_end();
	}
}

/* Every cause on every reloadable counter */
static void pairs(void)
{
	u32 c, cause;

	for_each_counter(cause, pmu.causes) {
		for_each_counter(c, pmu.reloadable) {
			if (c == cause)
				continue;
			tap_begin("acr-%s-reloads-%s", ctr_name(cause),
				  ctr_name(c));
			set_reload(c, BIT(cause), -(u64)RELOAD);
			ctr_start(c, EVENT_INSNS, ELSEWHERE, SEL_OS);
			ctr_start(cause, EVENT_INSNS, preset(cause), SEL_OS);
			straight(BIT(c) | BIT(cause));
			expect_reloaded(c, -(u64)RELOAD, cause);
			expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS),
				  BIT(cause));
			tap_end();
			pmu_reset();
		}
	}
}

static void not_named(void)
{
	u64 both = pmu.causes & pmu.reloadable & gp_mask();
	u32 a = first_of(both), b = first_of(both & (both - 1));

	tap_begin("acr-only-named-causes");
	set_reload(a, BIT(a), -(u64)RELOAD);
	ctr_start(a, EVENT_INSNS, ELSEWHERE, SEL_OS);
	ctr_start(b, EVENT_INSNS, -(u64)NTH, SEL_OS);
	straight(BIT(a) | BIT(b));
	expect_eq("the other counter", ctr_read(a),
		  ELSEWHERE + STRAIGHT_INSNS);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), BIT(b));
	tap_end();
}

static void self(void)
{
	u64 mask = pmu.reloadable & pmu.causes;
	u32 c;

	for_each_counter(c, mask) {
		if (!counts_insns(c))
			continue;
		tap_begin("acr-self-%s", ctr_name(c));
		apic_write(APIC_LVTPC, VECTOR_PMI);
		/* 68 instructions: reloaded at 17, 34, 51 and 68 */
		set_reload(c, BIT(c), -(u64)17);
		ctr_start(c, EVENT_INSNS, -(u64)17, SEL_OS);
		straight(BIT(c));
		expect_eq("counter", ctr_read(c), -(u64)17 & pmu.mask);
		expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), 0);
		irq_window();
		expect_eq("interrupts", pmi.count, 0);
		tap_end();
		pmu_reset();
	}
}

/* Of four counters each pair keeps to itself */
static void groups(void)
{
	u64 left = pmu.reloadable & pmu.causes & gp_mask();
	u32 c[4], i;

	tap_begin("acr-two-groups");
	for (i = 0; i < 4 && left; i++) {
		c[i] = first_of(left);
		left &= left - 1;
	}
	if (i < 4) {
		tap_skip("fewer than four such counters");
		return;
	}
	/* 0 reloads 1; 2 reloads 3, and itself */
	set_reload(c[1], BIT(c[0]), -(u64)RELOAD);
	set_reload(c[2], BIT(c[2]), -(u64)30);
	set_reload(c[3], BIT(c[2]), -(u64)2 * RELOAD);
	ctr_start(c[0], EVENT_INSNS, -(u64)NTH, SEL_OS);
	ctr_start(c[1], EVENT_INSNS, ELSEWHERE, SEL_OS);
	ctr_start(c[2], EVENT_INSNS, -(u64)30, SEL_OS);
	ctr_start(c[3], EVENT_INSNS, ELSEWHERE, SEL_OS);
	straight(BIT(c[0]) | BIT(c[1]) | BIT(c[2]) | BIT(c[3]));
	expect_eq("the first", ctr_read(c[0]), STRAIGHT_INSNS - NTH);
	expect_eq("reloaded by the first", ctr_read(c[1]),
		  (-(u64)RELOAD + STRAIGHT_INSNS - NTH) & pmu.mask);
	expect_eq("the third", ctr_read(c[2]),
		  (-(u64)30 + STRAIGHT_INSNS - 60) & pmu.mask);
	expect_eq("reloaded by the third", ctr_read(c[3]),
		  (-(u64)2 * RELOAD + STRAIGHT_INSNS - 60) & pmu.mask);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), BIT(c[0]));
	tap_end();
}

/* Ratio sampling: of two that reload each other the faster one never yields */
static void ratio(void)
{
	u64 both = pmu.causes & pmu.reloadable & gp_mask();
	u32 a = first_of(both), b = first_of(both & (both - 1));

	tap_begin("acr-ratio");
	apic_write(APIC_LVTPC, VECTOR_PMI);
	set_reload(a, BIT(a) | BIT(b), -(u64)10);
	set_reload(b, BIT(a) | BIT(b), -(u64)200);
	ctr_start(a, EVENT_BRANCHES, -(u64)10, SEL_OS);
	ctr_start(b, EVENT_INSNS, -(u64)200, SEL_OS | SEL_INT);
	/* Ten instructions a branch: the branches come first */
	spin(BIT(a) | BIT(b), 1000);
	expect_eq("STATUS where branches are frequent",
		  rdmsr(MSR_GLOBAL_STATUS), 0);
	set_reload(b, BIT(a) | BIT(b), -(u64)50);
	ctr_write(a, -(u64)10);
	ctr_write(b, -(u64)50);
	spin(BIT(a) | BIT(b), 1000);
	expect(((ctr_read(a) + 10) & pmu.mask) < 10,
	       "branches stand at 0x%lx", ctr_read(a));
	expect_eq("STATUS of self-reloading counters",
		  rdmsr(MSR_GLOBAL_STATUS), 0);
	tap_end();
}

static void stale(void)
{
	u64 both = pmu.causes & pmu.reloadable & gp_mask();
	u32 a = first_of(both), b = first_of(both & (both - 1));

	tap_begin("acr-stale-cfg-b");
	set_reload(a, BIT(b), -(u64)RELOAD);
	wrmsr(MSR_EVENTSEL0 + a, 0);
	wrmsr(MSR_GLOBAL_CTRL, 0);
	/* The next user of the counter knows nothing of it */
	ctr_start(a, EVENT_INSNS, ELSEWHERE, SEL_OS);
	ctr_start(b, EVENT_INSNS, -(u64)NTH, SEL_OS);
	straight(BIT(a) | BIT(b));
	expect_reloaded(a, -(u64)RELOAD, b);
	wrmsr(ctr_cfg(a, V6_CFG_B), 0);
	ctr_start(a, EVENT_INSNS, ELSEWHERE, SEL_OS);
	ctr_start(b, EVENT_INSNS, -(u64)NTH, SEL_OS);
	straight(BIT(a) | BIT(b));
	expect_not_reloaded(a);
	tap_end();
}

static void interrupts(void)
{
	u64 both = pmu.causes & pmu.reloadable & gp_mask();
	u32 a = first_of(both), b = first_of(both & (both - 1));

	tap_begin("acr-cause-interrupts");
	apic_write(APIC_LVTPC, VECTOR_PMI);
	set_reload(a, BIT(b), -(u64)RELOAD);
	ctr_start(a, EVENT_INSNS, ELSEWHERE, SEL_OS);
	ctr_start(b, EVENT_INSNS, -(u64)NTH, SEL_OS | SEL_INT);
	straight(BIT(a) | BIT(b));
	irq_window();
	expect_eq("interrupts", pmi.count, 1);
	expect_eq("STATUS", pmi.status, BIT(b));
	tap_end();
}

static void sign(void)
{
	u64 both = pmu.causes & pmu.reloadable & gp_mask();
	u32 a = first_of(both), b = first_of(both & (both - 1));
	u64 reload;

	tap_begin("acr-reload-is-negative");
	for (reload = 1; reload < BIT(31); reload <<= 5) {
		set_reload(a, BIT(b), -reload);
		ctr_start(a, EVENT_BRANCHES, 0, SEL_OS);
		ctr_start(b, EVENT_INSNS, -(u64)NTH, SEL_OS);
		straight(BIT(a) | BIT(b));
		expect_eq("counter", ctr_read(a), -reload & pmu.mask);
	}
	tap_end();
}

static void illegal(void)
{
	u32 c, bit;

	for_each_counter(c, pmu.reloadable) {
		tap_begin("acr-illegal-%s", ctr_name(c));
		for (bit = 0; bit < 64; bit++)
			if (!(pmu.causes >> bit & 1))
				expect(wrmsr_safe(ctr_cfg(c, V6_CFG_B),
						  BIT(bit)) == VECTOR_GP,
				       "no #GP for bit %u of CFG_B", bit);
		expect_eq("CFG_B", rdmsr(ctr_cfg(c, V6_CFG_B)), 0);
		for (bit = 32; bit < 64; bit++)
			expect(wrmsr_safe(ctr_cfg(c, V6_CFG_C), BIT(bit))
			       == VECTOR_GP, "no #GP for bit %u of CFG_C", bit);
		expect_eq("CFG_C", rdmsr(ctr_cfg(c, V6_CFG_C)), 0);
		tap_end();
	}
}

/* With ACR and without it */
static void absent(void)
{
	u64 value;
	u32 c, which;

	tap_begin("acr-absent-registers");
	for_each_counter(c, pmu.existing & ~pmu.reloadable) {
		for (which = V6_CFG_B; which <= V6_CFG_C; which++) {
			expect(rdmsr_safe(ctr_cfg(c, which), &value)
			       == VECTOR_GP, "no #GP from RDMSR of %s CFG %u",
			       ctr_name(c), which);
			expect(wrmsr_safe(ctr_cfg(c, which), 0) == VECTOR_GP,
			       "no #GP from WRMSR of %s CFG %u", ctr_name(c),
			       which);
		}
	}
	tap_end();
}

static void enumeration(void)
{
	tap_begin("acr-enumeration");
	expect(!(pmu.reloadable & ~pmu.existing),
	       "0x%lx can be reloaded but does not exist",
	       pmu.reloadable & ~pmu.existing);
	expect(!(pmu.causes & ~pmu.existing),
	       "0x%lx can be causes but does not exist",
	       pmu.causes & ~pmu.existing);
	tap_end();
}

void tests_acr(void)
{
	static const test_fn always[] = { absent, NULL };
	static const test_fn tests[] = {
		enumeration, storage, pairs, self, groups, illegal, NULL,
	};
	static const test_fn of_two[] = {
		not_named, ratio, stale, interrupts, sign, NULL,
	};
	u64 both = pmu.causes & pmu.reloadable & gp_mask();

	run_tests(always);
	if (!pmu.reloadable) {
		tap_skipped("acr", "not in CPUID 0x23");
		return;
	}
	run_tests(tests);
	if (both & (both - 1))
		run_tests(of_two);
	else
		tap_skipped("acr-two-counters",
			    "fewer than two can both cause and be reloaded");
}
