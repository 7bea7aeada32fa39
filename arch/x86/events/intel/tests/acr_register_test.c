// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of auto counter reload: what is written into registers, throttling and counts
 */
#include "acr_fake.h"

/*
 * Control and registers
 */

#define EXPECT_WRITES(test, ...)					\
do {									\
	const struct msr_write __w[] = { __VA_ARGS__ };			\
									\
	expect_writes(test, __w, ARRAY_SIZE(__w));			\
} while (0)

/* The mask is cleared first, and comes back last; nothing is written twice */
static void acr_b27_write_order(struct kunit *test)
{
	struct intel_acr_cpu *acr = &fake()->acr;

	intel_acr_write(acr, 2, 0x8, 200000);
	EXPECT_WRITES(test, { 0x190b, 0xfffcf2c0 }, { 0x190a, 0x8 });

	/* The same again, and other causes alone */
	intel_acr_write(acr, 2, 0x8, 200000);
	EXPECT_NO_WRITE(test);
	intel_acr_write(acr, 2, 0x18, 200000);
	EXPECT_WRITES(test, { 0x190a, 0x18 });

	/* Another period never meets the old causes */
	intel_acr_write(acr, 2, 0x18, 0x7fffffff);
	EXPECT_WRITES(test, { 0x190a, 0 }, { 0x190b, 0x80000001 },
		      { 0x190a, 0x18 });

	/* A plain event clears the causes and leaves the reload value */
	intel_acr_write(acr, 2, 0, 1ULL << 47);
	EXPECT_WRITES(test, { 0x190a, 0 });
	intel_acr_write(acr, 2, 0, 12345);
	EXPECT_NO_WRITE(test);
	intel_acr_write(acr, 2, 0x8, 0x7fffffff);
	EXPECT_WRITES(test, { 0x190a, 0x8 });
}

/* IOC_PERIOD stops and starts the event */
static void acr_b12_new_period(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *first = run_member(test, 0x2, 2);

	run_member(test, 0, 3);
	enable(test);
	group->nr_writes = 0;

	group->cpuc.events[2] = NULL;
	first->hw.sample_period = 5000;
	enable(test);
	EXPECT_WRITES(test, { 0x190a, 0 }, { 0x190b, (u32)-5000 },
		      { 0x190a, 0x8 });
}

static void acr_b19_fixed_counter(struct kunit *test)
{
	struct intel_acr_cpu *acr = &fake()->acr;

	intel_acr_write(acr, 33, BIT_ULL(33) | 0x4, 1);
	EXPECT_WRITES(test, { 0x1987, 0xffffffff }, { 0x1986, 0x200000004ULL });
	intel_acr_write(acr, 33, 0, 1);
	EXPECT_WRITES(test, { 0x1986, 0 });
}

/* Fixed counter 1 and general purpose counter 1 do not share what is known */
static void acr_e1_fixed_cache_slot(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct intel_acr_cpu *acr = &group->acr;
	struct perf_event *plain = add_member(test, 0);

	intel_acr_write(acr, 33, 0x4, 1000);
	KUNIT_EXPECT_EQ(test, acr->cfg_b[33], 0x4ULL);
	KUNIT_EXPECT_EQ(test, acr->cfg_b[1], INTEL_ACR_UNKNOWN);

	put_on(test, plain, 33);
	enable(test);
	expect_causes(test, 33, 0);
}

static void acr_b26_plain_event_clears_mask(struct kunit *test)
{
	static const int counters[] = { 2, 7, 33 };
	struct fake_group *group = test->priv;
	struct perf_event *plain = add_member(test, 0);
	int i;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		intel_acr_write(&group->acr, counters[i], 0xfc, 1000);
		expect_causes(test, counters[i], 0xfc);
		put_on(test, plain, counters[i]);
		enable(test);
		expect_causes(test, counters[i], 0);
	}
}

/* Who is throttled goes on from what the counter holds */
static void acr_b26_stopped_event_is_not_reloaded(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *first = run_member(test, 0x2, 2);
	struct perf_event *plain;

	run_member(test, 0x3, 3);
	enable(test);
	expect_causes(test, 2, 0x8);

	/* On its counter, and on one that somebody else has left */
	intel_acr_write(&group->acr, 7, 0xfc, 1000);
	plain = run_member(test, 0, 7);
	plain->hw.state = PERF_HES_STOPPED;
	first->hw.state = PERF_HES_STOPPED;
	group->cpuc.events[2] = NULL;
	intel_acr_translate(&group->cpuc, &group->acr);
	expect_causes(test, 2, 0);
	expect_causes(test, 3, 0xc);
	expect_causes(test, 7, 0);

	plain->hw.state = 0;
	first->hw.state = 0;
	enable(test);
	expect_causes(test, 2, 0x8);
	expect_causes(test, 7, 0);
}

static void acr_b15_self_reload_has_no_pmi(struct kunit *test)
{
	struct perf_event *first = run_member(test, 0x2, 2);
	struct perf_event *second = run_member(test, 0x3, 3);

	enable(test);
	KUNIT_EXPECT_TRUE(test, raises_pmi(first));
	KUNIT_EXPECT_FALSE(test, raises_pmi(second));
	KUNIT_EXPECT_TRUE(test, intel_acr_prepare(&fake()->acr, second));

	/* On a counter that is no cause its own bit has no effect */
	put_on(test, second, 1);
	enable(test);
	KUNIT_EXPECT_TRUE(test, raises_pmi(second));
	KUNIT_EXPECT_FALSE(test, intel_acr_prepare(&fake()->acr, second));

	put_on(test, second, 33);
	enable(test);
	KUNIT_EXPECT_FALSE(test, raises_pmi(second));
}

static void acr_e5_pmi_follows_group(struct kunit *test)
{
	struct perf_event *member[2];

	close_leader(test, member);
	KUNIT_EXPECT_TRUE(test, raises_pmi(member[0]));
	KUNIT_EXPECT_FALSE(test, intel_acr_prepare(&fake()->acr, member[0]));
}

static void acr_b16_precise_member(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *event = core_event(test, 0x2);

	event->attr.precise_ip = 2;
	EXPECT_ACCEPTED(test, event);
	install(test, event);

	/* What PEBS does when it is enabled */
	event->hw.config &= ~ARCH_PERFMON_EVENTSEL_INT;
	put_on(test, event, 2);
	run_member(test, 0, 3);
	enable(test);
	KUNIT_EXPECT_FALSE(test, raises_pmi(event));
	KUNIT_EXPECT_EQ(test, group->cfg_c[2], (u32)-event->hw.sample_period);

	event = core_event(test, 0x4);
	event->attr.precise_ip = 1;
	EXPECT_REFUSED(test, event, SILENT_PEBS);
}

/* Two questions: can the PMU reload, and is the event reloaded? */
static void acr_e10_plain_event_is_not_reloaded(struct kunit *test)
{
	struct perf_event *event = core_event(test, 0);

	EXPECT_ACCEPTED(test, event);
	KUNIT_EXPECT_FALSE(test, event->hw.flags & PERF_X86_EVENT_ACR);
	KUNIT_EXPECT_EQ(test, event->hw.dyn_constraint, ~0ULL);

	install(test, event);
	put_on(test, event, 0);
	enable(test);
	EXPECT_NO_WRITE(test);

	/* It may do what reloaded events may not */
	start_group(test);
	event = core_event(test, 0);
	event->attr.freq = 1;
	EXPECT_ACCEPTED(test, event);
	event->attr.freq = 0;
	event->attr.sample_period = 0;
	EXPECT_ACCEPTED(test, event);

	event = core_event(test, 0x1);
	EXPECT_ACCEPTED(test, event);
	KUNIT_EXPECT_TRUE(test, event->hw.flags & PERF_X86_EVENT_ACR);
	KUNIT_EXPECT_EQ(test, event->hw.dyn_constraint, SKYMONT_ACR);
}

static void acr_b24_cpu_starts(struct kunit *test)
{
	struct fake_group *group = test->priv;

	run_member(test, 0x2, 2);
	run_member(test, 0, 3);
	enable(test);

	/* Suspended: the registers are zero, the event is still on the list */
	memset(group->cfg_b, 0, sizeof(group->cfg_b));
	memset(group->cfg_c, 0, sizeof(group->cfg_c));
	intel_acr_reset(&group->acr, group->acr.counters);
	enable(test);
	expect_causes(test, 2, 0x8);
	KUNIT_EXPECT_EQ(test, group->cfg_c[2], (u32)-100000);
}

static void expect_all_cleared(struct kunit *test)
{
	struct fake_group *group = test->priv;
	int idx;

	memset(group->cfg_b, 0xff, sizeof(group->cfg_b));
	KUNIT_EXPECT_TRUE(test, intel_acr_reset(&group->acr,
						fake_counters(&group->core)));
	for (idx = 0; idx < X86_PMC_IDX_MAX; idx++) {
		if (SKYMONT_ACR & BIT_ULL(idx))
			expect_causes(test, idx, 0);
	}
}

static void acr_b25_leftovers(struct kunit *test)
{
	expect_all_cleared(test);
}

/* A mask of 0 is written although the last one known was 0, too */
static void acr_d6_leftover_under_known_zero(struct kunit *test)
{
	struct fake_group *group = test->priv;

	run_member(test, 0, 2);
	enable(test);
	KUNIT_EXPECT_EQ(test, group->acr.cfg_b[2], 0ULL);
	expect_all_cleared(test);
	KUNIT_EXPECT_EQ(test, group->acr.cfg_c[2], INTEL_ACR_UNKNOWN);
}

/* A hypervisor may show the CPUID bits and have no registers */
static void acr_b23_missing_registers(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *event = add_member(test, 0x1);

	group->broken_msr = 0x1986;
	KUNIT_EXPECT_FALSE(test, intel_acr_reset(&group->acr,
						 fake_counters(&group->core)));
	group->nr_writes = 0;
	put_on(test, event, 2);
	enable(test);
	EXPECT_NO_WRITE(test);
	KUNIT_EXPECT_TRUE(test, raises_pmi(event));
}

/* A cause that was open when a CPU without registers came goes on counting */
static void acr_b23_registers_found_missing(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *event = run_member(test, 0x1, 2);
	u64 mask = ~0ULL;

	group->cpuc.n_late_setup = 1;
	intel_acr_group_constraint(&group->cpuc, event, &mask);
	KUNIT_EXPECT_EQ(test, mask, SKYMONT_ACR);

	mask = ~0ULL;
	event->pmu = &group->plain_core;
	intel_acr_group_constraint(&group->cpuc, event, &mask);
	KUNIT_EXPECT_EQ(test, mask, ~0ULL);
}

/*
 * Throttling
 */

static void acr_b11_group_pauses(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct cpu_hw_events *cpuc = &group->cpuc;
	struct perf_event *event[6];

	event[0] = run_member(test, 0x2, 2);
	event[1] = run_member(test, 0x1, 3);
	event[2] = run_member(test, 0, 4);
	start_group(test);
	event[3] = run_member(test, 0x1, 5);
	start_group(test);
	event[4] = run_member(test, 0, 6);
	event[5] = run_member(test, 0, 7);
	enable(test);
	KUNIT_EXPECT_EQ(test, intel_acr_unpaused(cpuc, 0), cpuc->n_events);

	/* In a group without reloads nothing depends on anybody */
	event[5]->hw.interrupts = PERF_MAX_INTERRUPTS;
	KUNIT_EXPECT_EQ(test, intel_acr_unpaused(cpuc, 0), cpuc->n_events);

	/* The core has stopped it already */
	event[1]->hw.interrupts = PERF_MAX_INTERRUPTS;
	cpuc->events[3] = NULL;
	KUNIT_EXPECT_EQ(test, intel_acr_unpaused(cpuc, 0), 0);
	KUNIT_EXPECT_EQ(test, intel_acr_unpaused(cpuc, 1), 2);
	intel_acr_throttle(cpuc);
	KUNIT_EXPECT_EQ(test, group->pauses, BIT_ULL(2) | BIT_ULL(4));

	/* Until the tick nobody is left, whatever others interrupt for */
	KUNIT_EXPECT_EQ(test, intel_acr_unpaused(cpuc, 0), cpuc->n_events);

	/* The peer moves while they are stopped; then all are started */
	group->pauses = 0;
	intel_acr_throttle(cpuc);
	KUNIT_EXPECT_EQ(test, group->pauses, 0ULL);
	put_on(test, event[1], 33);
	event[0]->hw.interrupts = 0;
	event[1]->hw.interrupts = 0;
	enable(test);
	expect_causes(test, 2, BIT_ULL(33));
	expect_causes(test, 33, BIT_ULL(2));
}

/*
 * Counting
 */

static void acr_b10_count_is_lower_bound(struct kunit *test)
{
	/* Forward, through the overflow, and not at all */
	KUNIT_EXPECT_EQ(test, intel_acr_delta(-1000, -400, (u32)-1000), 600LL);
	KUNIT_EXPECT_EQ(test, intel_acr_delta(-1000, 25, (u32)-1000), 1025LL);
	KUNIT_EXPECT_EQ(test, intel_acr_delta(-1000, -1000, (u32)-1000), 0LL);

	/* Reloaded in between: what came after */
	KUNIT_EXPECT_EQ(test, intel_acr_delta(-50000, -150000, (u32)-200000),
			50000LL);
	KUNIT_EXPECT_EQ(test, intel_acr_delta(-1, -0x7fffffffLL, 0x80000001), 0LL);

	/* Reloaded with a residue of a longer period: nothing is known */
	KUNIT_EXPECT_EQ(test, intel_acr_delta(-50000, -150000, (u32)-100000), 0LL);
}

/* Reloaded between its overflow and the interrupt that comes late */
static void acr_b28_reload_before_pmi(struct kunit *test)
{
	struct perf_event *event = add_member(test, 0x2);

	intel_acr_account(event, -100000, 7, (u32)-100000);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 100007LL);
	KUNIT_EXPECT_EQ(test, local64_read(&event->hw.period_left), -7LL);

	intel_acr_account(event, -50, -99997, (u32)-100000);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 100010LL);
	KUNIT_EXPECT_EQ(test, local64_read(&event->hw.period_left), 99997LL);
}

/* What is reloaded by nobody else has only overflows that it looks over, too */
static void acr_b28_only_peers_hide_an_overflow(struct kunit *test)
{
	struct perf_event *event = add_member(test, 0x3);

	event->hw.idx = 2;
	event->hw.acr_causes = BIT_ULL(2) | BIT_ULL(3);
	KUNIT_EXPECT_TRUE(test, intel_acr_hides_overflow(event));
	event->hw.acr_causes = BIT_ULL(2);
	KUNIT_EXPECT_FALSE(test, intel_acr_hides_overflow(event));
	event->hw.acr_causes = 0;
	KUNIT_EXPECT_FALSE(test, intel_acr_hides_overflow(event));
}

/* The values that gave 281474976610656 */
static void acr_d2_no_jump_through_width(struct kunit *test)
{
	struct perf_event *event = add_member(test, 0x2);

	intel_acr_account(event, -50000, -150000, (u32)-150000);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 0LL);
	KUNIT_EXPECT_EQ(test, local64_read(&event->hw.period_left), 150000LL);
}

static struct kunit_case acr_registers_test_cases[] = {
	KUNIT_CASE(acr_b10_count_is_lower_bound),
	KUNIT_CASE(acr_b11_group_pauses),
	KUNIT_CASE(acr_b12_new_period),
	KUNIT_CASE(acr_b15_self_reload_has_no_pmi),
	KUNIT_CASE(acr_b16_precise_member),
	KUNIT_CASE(acr_b19_fixed_counter),
	KUNIT_CASE(acr_b23_missing_registers),
	KUNIT_CASE(acr_b23_registers_found_missing),
	KUNIT_CASE(acr_b24_cpu_starts),
	KUNIT_CASE(acr_b25_leftovers),
	KUNIT_CASE(acr_b26_plain_event_clears_mask),
	KUNIT_CASE(acr_b26_stopped_event_is_not_reloaded),
	KUNIT_CASE(acr_b27_write_order),
	KUNIT_CASE(acr_b28_reload_before_pmi),
	KUNIT_CASE(acr_b28_only_peers_hide_an_overflow),
	KUNIT_CASE(acr_e1_fixed_cache_slot),
	KUNIT_CASE(acr_e5_pmi_follows_group),
	KUNIT_CASE(acr_e10_plain_event_is_not_reloaded),
	KUNIT_CASE(acr_d2_no_jump_through_width),
	KUNIT_CASE(acr_d6_leftover_under_known_zero),
	{}
};

static struct kunit_suite acr_registers_test_suite = {
	.name		= "intel_acr_registers",
	.init		= acr_test_init,
	.test_cases	= acr_registers_test_cases,
};

kunit_test_suite(acr_registers_test_suite);

MODULE_DESCRIPTION("KUnit tests of Intel auto counter reload");
MODULE_LICENSE("GPL");
