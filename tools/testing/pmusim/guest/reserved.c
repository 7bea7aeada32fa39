// SPDX-License-Identifier: GPL-2.0-or-later
/* What does not exist faults, what exists holds its value */
#include "pmu.h"
#include "tap.h"

/* Up to here the numbers are certain to be counters or nothing */
#define LEGACY_GP		8
#define LEGACY_FIXED		7
#define V6_GP			16

static void expect_no_msr(u32 msr, const char *name)
{
	u64 value;

	expect(rdmsr_safe(msr, &value) == VECTOR_GP,
	       "no #GP from RDMSR of %s 0x%x", name, msr);
	expect(wrmsr_safe(msr, 0) == VECTOR_GP, "no #GP from WRMSR of %s 0x%x",
	       name, msr);
}

static void no_msr(const char *test, u32 msr, bool exists)
{
	tap_begin("%s", test);
	if (exists) {
		tap_skip("present");
		return;
	}
	expect_no_msr(msr, "it");
	tap_end();
}

static void absent(void)
{
	u32 n;

	tap_begin("counters-absent-gp");
	for (n = 0; n < FIXED_BASE; n++) {
		if (ctr_exists(n))
			continue;
		if (n < LEGACY_GP) {
			expect_no_msr(MSR_PMC0 + n, "PMC");
			expect_no_msr(MSR_FULL_WIDTH_PMC0 + n, "full PMC");
			expect_no_msr(MSR_EVENTSEL0 + n, "EVENTSEL");
		}
		if (pmu.version >= 6 && n < V6_GP) {
			expect_no_msr(ctr_cfg(n, 0), "CTR");
			expect_no_msr(ctr_cfg(n, V6_CFG_A), "CFG_A");
		}
	}
	tap_end();

	tap_begin("counters-absent-fixed");
	for (n = 0; n < CTR_MAX - FIXED_BASE; n++) {
		if (ctr_exists(FIXED_BASE + n))
			continue;
		if (n < LEGACY_FIXED)
			expect_no_msr(MSR_FIXED_CTR0 + n, "FIXED_CTR");
		if (pmu.version >= 6)
			expect_no_msr(ctr_cfg(FIXED_BASE + n, 0), "CTR");
	}
	tap_end();

	tap_begin("counters-absent-v6-names");
	if (pmu.version >= 6) {
		tap_skip("present");
		return;
	}
	expect_no_msr(MSR_V6_GP0_CTR, "CTR");
	expect_no_msr(MSR_V6_GP0_CTR + V6_CFG_A, "CFG_A");
	expect_no_msr(MSR_V6_FX0_CTR, "CTR");
	tap_end();
}

/*
 * Every bit for itself: those of @legal are accepted and read back, those of
 * @illegal fault and change nothing, the others are not tested.
 */
static void each_bit(u32 msr, u64 legal, u64 illegal)
{
	u64 before = rdmsr(msr);
	u32 bit;
	int fault;

	for (bit = 0; bit < 64; bit++) {
		if (illegal >> bit & 1) {
			fault = wrmsr_safe(msr, before | BIT(bit));
			expect(fault == VECTOR_GP, "no #GP for bit %u of 0x%x",
			       bit, msr);
			if (!fault)
				wrmsr(msr, before);
			expect(rdmsr(msr) == before,
			       "bit %u changes 0x%x to 0x%lx", bit, msr,
			       rdmsr(msr));
		}
		if (legal >> bit & 1) {
			fault = wrmsr_safe(msr, BIT(bit));
			expect(!fault, "exception %d for bit %u of 0x%x", fault,
			       bit, msr);
			expect(fault || rdmsr(msr) == BIT(bit),
			       "bit %u of 0x%x reads 0x%lx", bit, msr,
			       rdmsr(msr));
			wrmsr(msr, before);
		}
	}
}

static void eventsel(void)
{
	u64 legal = 0xffdfffff & ~BIT(22), illegal = (u64)0xffff << 48;
	bool umask2 = pmu.leaf_23.b & BIT(0), eq = pmu.leaf_23.b & BIT(1);
	bool logging = pmu.lbr == LBR_ARCH && pmu.lbr_leaf.c & 0xf0000;
	u32 c;

	/* Pin control is gone or not, nobody says */
	legal &= ~BIT(19);
	if (pmu.no_anythread)
		illegal |= BIT(21);
	if (!pmu.rtm)
		illegal |= BIT(32) | BIT(33);
	*(pmu.baseline ? &legal : &illegal) |= SEL_ADAPTIVE;
	if (!logging)
		illegal |= BIT(35);
	*(eq ? &legal : &illegal) |= BIT(36);
	illegal |= (u64)7 << 37;
	*(umask2 ? &legal : &illegal) |= (u64)0xff << 40;

	for_each_counter(c, gp_mask()) {
		tap_begin("counters-reserved-eventsel-%s", ctr_name(c));
		if (c < LEGACY_GP)
			each_bit(MSR_EVENTSEL0 + c, legal, illegal);
		if (pmu.version >= 6)
			each_bit(ctr_cfg(c, V6_CFG_A), legal, illegal);
		tap_end();
	}
}

static void fixed_ctr_ctrl(void)
{
	u64 legal = 0, illegal = 0;
	u32 n;

	tap_begin("counters-reserved-fixed-ctr-ctrl");
	for (n = 0; n < CTR_MAX - FIXED_BASE; n++) {
		if (ctr_exists(FIXED_BASE + n)) {
			legal |= (u64)0xb << 4 * n;
			if (pmu.no_anythread)
				illegal |= (u64)4 << 4 * n;
			if (n < 8)
				*(pmu.baseline ? &legal : &illegal) |=
					BIT(32 + 4 * n);
		} else if (n < 8) {
			illegal |= (u64)0xf << 4 * n | BIT(32 + 4 * n);
		}
	}
	each_bit(MSR_FIXED_CTR_CTRL, legal, illegal);
	tap_end();
}

static void global(void)
{
	u64 legal = pmu.existing, illegal = ~pmu.existing, value;
	u64 clearable = pmu.existing | STATUS_OVF_BUF | BIT(63);
	u64 absent = ~pmu.existing & (BIT(48) - 1);
	u32 bit;

	if (pmu.caps & CAP_METRICS) {
		legal |= CTRL_METRICS;
		illegal &= ~CTRL_METRICS;
		clearable |= STATUS_METRICS;
	} else {
		absent |= STATUS_METRICS;
	}
	tap_begin("counters-reserved-global-ctrl");
	each_bit(MSR_GLOBAL_CTRL, legal, illegal);
	tap_end();

	tap_begin("counters-global-status-is-read-only");
	expect_eq("WRMSR's exception", wrmsr_safe(MSR_GLOBAL_STATUS, 0),
		  VECTOR_GP);
	tap_end();

	if (pmu.version >= 4)
		clearable |= STATUS_LBR_FRZ | STATUS_CTR_FRZ;
	absent |= (u64)0x3f << 49 | BIT(56) | BIT(57);
	tap_begin("counters-reserved-status-reset");
	for (bit = 0; bit < 64; bit++) {
		if (clearable >> bit & 1)
			expect(!wrmsr_safe(MSR_GLOBAL_STATUS_RESET, BIT(bit)),
			       "#GP for bit %u", bit);
		if (absent >> bit & 1)
			expect(wrmsr_safe(MSR_GLOBAL_STATUS_RESET, BIT(bit))
			       == VECTOR_GP, "no #GP for bit %u", bit);
	}
	expect_eq("RDMSR's exception",
		  rdmsr_safe(MSR_GLOBAL_STATUS_RESET, &value), 0);
	expect_eq("value", value, 0);
	tap_end();

	tap_begin("counters-status-set");
	if (pmu.version < 4) {
		tap_skip("perfmon below version 4");
		return;
	}
	for (bit = 0; bit < 64; bit++) {
		if (absent >> bit & 1)
			expect(wrmsr_safe(MSR_GLOBAL_STATUS_SET, BIT(bit))
			       == VECTOR_GP, "no #GP for bit %u", bit);
		if (!(clearable >> bit & 1) || bit == 63)
			continue;
		expect(!wrmsr_safe(MSR_GLOBAL_STATUS_SET, BIT(bit)),
		       "#GP for bit %u", bit);
		expect(rdmsr(MSR_GLOBAL_STATUS) == BIT(bit),
		       "STATUS is 0x%lx after bit %u", rdmsr(MSR_GLOBAL_STATUS),
		       bit);
		wrmsr_safe(MSR_GLOBAL_STATUS_RESET, BIT(bit));
		expect(!rdmsr(MSR_GLOBAL_STATUS), "bit %u stays", bit);
	}
	tap_end();
}

static void inuse(void)
{
	u64 value;
	u32 c;

	tap_begin("counters-global-inuse");
	if (pmu.version < 4) {
		tap_skip("perfmon below version 4");
		return;
	}
	expect_eq("RDMSR's exception",
		  rdmsr_safe(MSR_GLOBAL_INUSE, &value), 0);
	expect_eq("WRMSR's exception", wrmsr_safe(MSR_GLOBAL_INUSE, 0),
		  VECTOR_GP);
	expect_eq("idle", value, 0);
	for_each_counter(c, pmu.existing) {
		ctr_select(c, EVENT_INSNS, SEL_OS);
		expect(rdmsr(MSR_GLOBAL_INUSE) & BIT(c), "no bit for %s",
		       ctr_name(c));
		expect(!(rdmsr(MSR_GLOBAL_INUSE) & BIT(63)),
		       "bit 63 without INT of %s", ctr_name(c));
		ctr_select(c, EVENT_INSNS, SEL_OS | SEL_INT);
		expect(rdmsr(MSR_GLOBAL_INUSE) == (BIT(c) | BIT(63)),
		       "INUSE is 0x%lx with %s and INT",
		       rdmsr(MSR_GLOBAL_INUSE), ctr_name(c));
		if (ctr_is_fixed(c))
			wrmsr(MSR_FIXED_CTR_CTRL, 0);
		else
			wrmsr(MSR_EVENTSEL0 + c, 0);
	}
	tap_end();
}

static void debugctl(void)
{
	u64 legal = BIT(1), illegal = ~(u64)0xffff | 0x38;

	tap_begin("counters-reserved-debugctl");
	if (pmu.lbr == LBR_LEGACY)
		legal |= DEBUGCTL_LBR;
	if (pmu.version >= 2)
		legal |= DEBUGCTL_FREEZE_LBRS | DEBUGCTL_FREEZE_PERFMON;
	if (pmu.caps & CAP_SMM_FREEZE)
		legal |= BIT(14);
	if (!(cpuid(7, 0).c & BIT(24)))
		illegal |= BIT(2);
	if (!pmu.rtm)
		illegal |= BIT(15);
	each_bit(MSR_DEBUGCTL, legal, illegal);
	tap_end();
}

static void capabilities(void)
{
	u64 before;

	tap_begin("counters-capabilities-are-read-only");
	if (!(cpuid(1, 0).c & BIT(15))) {
		tap_skip("no PERF_CAPABILITIES");
		return;
	}
	before = rdmsr(MSR_PERF_CAPABILITIES);
	expect_eq("WRMSR's exception", wrmsr_safe(MSR_PERF_CAPABILITIES, before),
		  VECTOR_GP);
	expect_eq("value", rdmsr(MSR_PERF_CAPABILITIES), before);
	tap_end();
}

static void misc_enable(void)
{
	u64 value = rdmsr(MSR_MISC_ENABLE);

	tap_begin("counters-misc-enable");
	expect(value & BIT(0), "fast strings are off");
	expect(value & BIT(7), "no performance monitoring");
	expect(!(value & BIT(22)), "CPUID is limited");
	expect_eq("exception of changing bit 11",
		  wrmsr_safe(MSR_MISC_ENABLE, value ^ BIT(11)), VECTOR_GP);
	expect_eq("exception of changing bit 12",
		  wrmsr_safe(MSR_MISC_ENABLE, value ^ BIT(12)), VECTOR_GP);
	expect_eq("exception of changing bit 7",
		  wrmsr_safe(MSR_MISC_ENABLE, value & ~BIT(7)), 0);
	expect_eq("value", rdmsr(MSR_MISC_ENABLE), value);
	tap_end();
}

/* Not to be refused by CPUID: Linux writes them whenever an event needs it */
static void extra(void)
{
	static const u32 msrs[] = { 0x1a6, 0x1a7, 0x3f6, 0x3f7 };
	u64 value;
	u32 i;

	tap_begin("counters-extra-registers");
	for (i = 0; i < ARRAY_SIZE(msrs); i++) {
		if (msrs[i] > 0x1a7 && !pmu.pebs_format)
			continue;
		expect(!rdmsr_safe(msrs[i], &value), "RDMSR of 0x%x faults",
		       msrs[i]);
		expect(!wrmsr_safe(msrs[i], value ^ 0x11),
		       "WRMSR of 0x%x faults", msrs[i]);
		expect(rdmsr(msrs[i]) == (value ^ 0x11), "0x%x reads 0x%lx",
		       msrs[i], rdmsr(msrs[i]));
		wrmsr(msrs[i], value);
	}
	tap_end();
}

static void features(void)
{
	no_msr("pebs-absent-ds-area", MSR_DS_AREA, pmu.ds);
	no_msr("pebs-absent-enable", MSR_PEBS_ENABLE, pmu.pebs_format);
	no_msr("pebs-absent-data-cfg", MSR_PEBS_DATA_CFG, pmu.baseline);
	no_msr("metrics-absent", MSR_PERF_METRICS, pmu.caps & CAP_METRICS);
	no_msr("lbr-absent-arch-ctl", MSR_ARCH_LBR_CTL, pmu.lbr == LBR_ARCH);
	no_msr("lbr-absent-arch-depth", MSR_ARCH_LBR_DEPTH,
	       pmu.lbr == LBR_ARCH);
	no_msr("lbr-absent-arch-from", MSR_ARCH_LBR_FROM0,
	       pmu.lbr == LBR_ARCH);
}

void tests_reserved(void)
{
	static const test_fn tests[] = {
		absent, eventsel, fixed_ctr_ctrl, global, inuse, debugctl,
		capabilities, misc_enable, extra, features, NULL,
	};

	run_tests(tests);
}
