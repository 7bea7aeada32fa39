// SPDX-License-Identifier: GPL-2.0-or-later
/* How many bits a write takes, and the names one counter has */
#include "pmu.h"
#include "tap.h"

/* The legacy names are certain for this many counters */
#define LEGACY_GP		8

static const u64 wide = 0xff0123456789;

/* What a write to the old name makes of @value */
static u64 sign_extended(u64 value)
{
	return (u64)(int32_t)value & pmu.mask;
}

static void old_name(void)
{
	static const u64 values[] = {
		0xff0123456789, 0x89abcdef, 0x7fffffff, 0x80000000, 0,
		0xffffffffffffffff,
	};
	u32 c, i;

	for_each_counter(c, gp_mask() & (BIT(LEGACY_GP) - 1)) {
		tap_begin("width-old-name-%s", ctr_name(c));
		for (i = 0; i < ARRAY_SIZE(values); i++) {
			expect_eq("exception",
				  wrmsr_safe(MSR_PMC0 + c, values[i]), 0);
			expect_eq("RDMSR", rdmsr(MSR_PMC0 + c),
				  sign_extended(values[i]));
			expect_eq("RDPMC", rdpmc(c), sign_extended(values[i]));
		}
		tap_end();
	}
}

static void full_width(void)
{
	u32 c, bit;

	if (!(pmu.caps & CAP_FULL_WIDTH)) {
		tap_skipped("width-full", "not in PERF_CAPABILITIES");
		return;
	}
	for_each_counter(c, gp_mask() & (BIT(LEGACY_GP) - 1)) {
		tap_begin("width-full-%s", ctr_name(c));
		wrmsr(MSR_FULL_WIDTH_PMC0 + c, wide & pmu.mask);
		expect_eq("RDMSR", rdmsr(MSR_FULL_WIDTH_PMC0 + c),
			  wide & pmu.mask);
		expect_eq("RDMSR of the old name", rdmsr(MSR_PMC0 + c),
			  wide & pmu.mask);
		expect_eq("RDPMC", rdpmc(c), wide & pmu.mask);
		for (bit = pmu.width; bit < 64; bit++)
			expect(wrmsr_safe(MSR_FULL_WIDTH_PMC0 + c, BIT(bit))
			       == VECTOR_GP, "no #GP for bit %u", bit);
		expect_eq("exception of 0xffffff0123456789",
			  wrmsr_safe(MSR_FULL_WIDTH_PMC0 + c,
				     0xffffff0123456789), VECTOR_GP);
		expect_eq("value after that", rdpmc(c), wide & pmu.mask);
		/* The old name's write is seen through the new one */
		wrmsr(MSR_PMC0 + c, 0x80000001);
		expect_eq("new name after a write to the old",
			  rdmsr(MSR_FULL_WIDTH_PMC0 + c),
			  sign_extended(0x80000001));
		tap_end();
	}
}

static void full_width_absent(void)
{
	u64 value;

	tap_begin("width-full-absent");
	if (pmu.caps & CAP_FULL_WIDTH) {
		tap_skip("present");
		return;
	}
	expect_eq("RDMSR's exception",
		  rdmsr_safe(MSR_FULL_WIDTH_PMC0, &value), VECTOR_GP);
	expect_eq("WRMSR's exception", wrmsr_safe(MSR_FULL_WIDTH_PMC0, 0),
		  VECTOR_GP);
	tap_end();
}

static void fixed(void)
{
	u32 c;

	for_each_counter(c, pmu.existing & ~gp_mask()) {
		tap_begin("width-%s", ctr_name(c));
		wrmsr(MSR_FIXED_CTR0 + c - FIXED_BASE, wide & pmu.mask);
		expect_eq("RDMSR", rdmsr(MSR_FIXED_CTR0 + c - FIXED_BASE),
			  wide & pmu.mask);
		expect_eq("RDPMC", rdpmc(ctr_rdpmc(c)), wide & pmu.mask);
		tap_end();
	}
}

/* Perfmon 6: 0x1900 + 4n and 0x1980 + 4n are the same counters */
static void aliases(void)
{
	u32 c, msr;

	for_each_counter(c, pmu.existing) {
		if (pmu.version < 6)
			break;
		tap_begin("width-alias-%s", ctr_name(c));
		ctr_write(c, wide);
		if (ctr_is_fixed(c))
			msr = MSR_FIXED_CTR0 + c - FIXED_BASE;
		else
			msr = MSR_PMC0 + c;
		if (ctr_is_fixed(c) || c < LEGACY_GP) {
			expect_eq("old name", rdmsr(msr), wide & pmu.mask);
			wrmsr(msr, 0x1234567);
			expect_eq("new name", ctr_read(c), 0x1234567);
		}
		expect_eq("exception of a bit too many",
			  wrmsr_safe(ctr_msr(c), BIT(pmu.width)), VECTOR_GP);
		if (!ctr_is_fixed(c)) {
			wrmsr(ctr_cfg(c, V6_CFG_A), EVENT_INSNS | SEL_OS);
			expect_eq("EVENTSEL", rdmsr(MSR_EVENTSEL0 + c),
				  EVENT_INSNS | SEL_OS);
			wrmsr(MSR_EVENTSEL0 + c, EVENT_BRANCHES | SEL_USR);
			expect_eq("CFG_A", rdmsr(ctr_cfg(c, V6_CFG_A)),
				  EVENT_BRANCHES | SEL_USR);
		}
		tap_end();
	}
	if (pmu.version < 6)
		tap_skipped("width-alias", "perfmon below version 6");
}

static void aliases_count(void)
{
	tap_begin("width-alias-starts-counting");
	if (pmu.version < 6) {
		tap_skip("perfmon below version 6");
		return;
	}
	wrmsr(ctr_cfg(0, V6_CFG_A), EVENT_INSNS | SEL_OS | SEL_EN);
	payload(1);
	expect_eq("count", rdmsr(MSR_PMC0), PAYLOAD_INSNS);
	tap_end();
}

void tests_width(void)
{
	static const test_fn tests[] = {
		old_name, full_width, full_width_absent, fixed, aliases,
		aliases_count, NULL,
	};

	run_tests(tests);
}
