// SPDX-License-Identifier: GPL-2.0-or-later
#include "pmu.h"
#include "tap.h"

static void absent(void)
{
	u64 value;
	u32 n;

	tap_begin("rdpmc-absent-gp");
	for (n = 0; n < FIXED_BASE; n++)
		if (!ctr_exists(n))
			expect(rdpmc_safe(n, &value) == VECTOR_GP,
			       "no #GP for index %u", n);
	tap_end();

	tap_begin("rdpmc-absent-fixed");
	for (n = 0; n < CTR_MAX - FIXED_BASE; n++)
		if (!ctr_exists(FIXED_BASE + n))
			expect(rdpmc_safe(RDPMC_FIXED | n, &value) == VECTOR_GP,
			       "no #GP for fixed %u", n);
	tap_end();
}

static void illegal(void)
{
	u64 value;
	u32 c;

	tap_begin("rdpmc-index-64");
	expect_eq("exception", rdpmc_safe(RDPMC_NOWHERE, &value), VECTOR_GP);
	tap_end();

	tap_begin("rdpmc-bit-31");
	for_each_counter(c, pmu.existing)
		expect(rdpmc_safe(0x80000000 | ctr_rdpmc(c), &value)
		       == VECTOR_GP, "no #GP with %s", ctr_name(c));
	tap_end();
}

static void user(void)
{
	u32 c;

	tap_begin("rdpmc-user-with-pce");
	write_cr4(read_cr4() | CR4_PCE);
	for_each_counter(c, pmu.existing) {
		ctr_write(c, 0x123456789abc);
		expect_eq(ctr_name(c), user_rdpmc(ctr_rdpmc(c)),
			  0x123456789abc & pmu.mask);
	}
	expect_eq("absent counter", user_rdpmc(RDPMC_NOWHERE),
		  BIT(63) | VECTOR_GP);
	tap_end();

	tap_begin("rdpmc-user-without-pce");
	write_cr4(read_cr4() & ~CR4_PCE);
	for_each_counter(c, pmu.existing) {
		expect_eq(ctr_name(c), user_rdpmc(ctr_rdpmc(c)),
			  BIT(63) | VECTOR_GP);
		expect_eq("at CPL 0", rdpmc(ctr_rdpmc(c)),
			  0x123456789abc & pmu.mask);
	}
	tap_end();
}

static void running(void)
{
	u32 c;

	for_each_counter(c, gp_mask() | (pmu.existing & BIT(FIXED_BASE))) {
		tap_begin("rdpmc-running-%s", ctr_name(c));
		ctr_start(c, EVENT_INSNS, 0, SEL_OS);
		expect_eq("between two reads",
			  rdpmc_pair(BIT(c), ctr_rdpmc(c)), RDPMC_PAIR_DISTANCE);
		tap_end();
		pmu_reset();
	}
}

void tests_rdpmc(void)
{
	static const test_fn tests[] = { absent, illegal, user, running, NULL };

	run_tests(tests);
}
