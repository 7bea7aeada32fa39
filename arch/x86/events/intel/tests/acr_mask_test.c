// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of auto counter reload: enumeration, and the translation of masks to counters
 */
#include "acr_fake.h"

/*
 * Enumeration
 */

struct leaf_case {
	const char		*name;
	struct intel_acr_leaf	leaf;
	u64			cntr;
	u64			fixed;
	u64			reload;
	u64			cause;
};

static const struct leaf_case leaf_cases[] = {
	{
		.name	= "skymont",
		.leaf	= { 0xfc, 0x2, 0xfc, 0x2 },
		.cntr	= 0xff,
		.fixed	= 0x77,
		.reload	= 0x2000000fcULL,
		.cause	= 0x2000000fcULL,
	},
	{
		.name	= "different sets",
		.leaf	= { 0x0f, 0x0, 0xf0, 0x7 },
		.cntr	= 0xff,
		.fixed	= 0x7,
		.reload	= 0x00000000fULL,
		.cause	= 0x7000000f0ULL,
	},
	{
		.name	= "counters that do not exist",
		.leaf	= { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
		.cntr	= 0x3,
		.fixed	= 0x5,
		.reload	= 0x500000003ULL,
		.cause	= 0x500000003ULL,
	},
	{
		.name	= "nothing to cause a reload",
		.leaf	= { 0xfc, 0x2, 0x0, 0x0 },
		.cntr	= 0xff,
		.fixed	= 0x77,
	},
	{
		.name	= "nothing to reload",
		.leaf	= { 0x0, 0x8, 0xfc, 0x2 },
		.cntr	= 0xff,
		.fixed	= 0x77,
	},
};

KUNIT_ARRAY_PARAM_DESC(leaf, leaf_cases, name);

static void leaf_test(struct kunit *test)
{
	const struct leaf_case *c = test->param_value;
	u64 reload = ~0ULL, cause = ~0ULL;

	KUNIT_EXPECT_EQ(test, intel_acr_decode_leaf(&c->leaf, c->cntr, c->fixed,
						    &reload, &cause), !!c->reload);
	KUNIT_EXPECT_EQ(test, reload, c->reload);
	KUNIT_EXPECT_EQ(test, cause, c->cause);
}

/*
 * Translation of masks
 */

/* Three members, sampled on the first, on counters out of order */
static void three_members_test(struct kunit *test)
{
	run_member(test, 0x6, 5);
	run_member(test, 0x7, 33);
	run_member(test, 0x7, 2);
	enable(test);

	expect_causes(test, 5, 0x200000004ULL);
	expect_causes(test, 33, 0x200000024ULL);
	expect_causes(test, 2, 0x200000024ULL);
}

/* A member that is not scheduled must not shift the bits of the others */
static void acr_b1_disabled_member(struct kunit *test)
{
	run_member(test, 0x6, 4);
	add_member(test, 0x7);
	run_member(test, 0x5, 6);
	enable(test);

	expect_causes(test, 4, 0x40);
	expect_causes(test, 6, 0x50);
}

/* Counted among the scheduled ones, bit 2 would be the fourth member */
static void acr_d1_disabled_member_shifts_no_bit(struct kunit *test)
{
	run_member(test, 0x4, 2);
	add_member(test, 0);
	run_member(test, 0, 3);
	run_member(test, 0, 4);
	enable(test);

	expect_causes(test, 2, 0x8);
}

static void acr_b2_bits_beyond_group(struct kunit *test)
{
	struct fake_group *group = test->priv;
	int i;

	/* A bit may become valid later */
	EXPECT_ACCEPTED(test, core_event(test, BIT_ULL(63)));
	EXPECT_REFUSED(test, core_event(test, ~0ULL), TOO_MANY_CAUSES);

	run_member(test, 0xcb, 2);
	run_member(test, 0, 3);
	enable(test);
	expect_causes(test, 2, 0xc);

	/* The members behind the last bit have none */
	for (i = 2; i < 66; i++)
		add_member(test, 0);
	KUNIT_EXPECT_EQ(test, group->event[63]->hw.acr_member, 63);
	KUNIT_EXPECT_EQ(test, group->event[64]->hw.acr_member, 64);
	KUNIT_EXPECT_EQ(test, group->event[65]->hw.acr_member, 64);
	put_on(test, group->event[65], 4);
	enable(test);
	expect_causes(test, 2, 0xc);
}

/* What the last pass left behind the end of the list is nobody's */
static void acr_e2_stale_assignment(struct kunit *test)
{
	struct fake_group *group = test->priv;
	int i;

	for (i = 0; i < X86_PMC_IDX_MAX; i++)
		group->cpuc.assign[i] = i % 8;

	/* The members of another group have the same numbers */
	for (i = 0; i < 2; i++)
		run_member(test, 0, 2 + i);

	start_group(test);
	run_member(test, 0xcb, 33);
	enable(test);
	expect_causes(test, 33, BIT_ULL(33));
}

static void acr_b3_no_write_faults(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct intel_acr_cpu *acr = &group->acr;
	int idx;

	/* The combination that was seen to fault on hardware: GP0 as a cause */
	intel_acr_write(acr, 33, 0x200000001ULL, 1000);
	expect_causes(test, 33, 0x200000000ULL);

	for (idx = 0; idx < X86_PMC_IDX_MAX; idx++)
		intel_acr_write(acr, idx, ~0ULL, 1000);
	for (idx = 0; idx < X86_PMC_IDX_MAX; idx++)
		expect_causes(test, idx, SKYMONT_ACR & BIT_ULL(idx) ?
					 SKYMONT_ACR : 0);

	/* A CPU without the registers */
	intel_acr_invalidate(acr, (struct intel_acr_counters){});
	group->nr_writes = 0;
	for (idx = 0; idx < X86_PMC_IDX_MAX; idx++)
		intel_acr_write(acr, idx, ~0ULL, 1000);
	KUNIT_EXPECT_EQ(test, group->nr_writes, 0);
}

/* Members on counters that cannot take part, as if nothing was checked */
static void acr_b32_no_write_faults_anywhere(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *event[6];
	u32 seed = 1;
	int round, i;

	for (i = 0; i < ARRAY_SIZE(event); i++) {
		event[i] = add_member(test, 0);
		event[i]->hw.flags |= PERF_X86_EVENT_ACR;
	}

	for (round = 0; round < 500; round++) {
		group->cpuc.n_events = 0;
		memset(group->cpuc.events, 0, sizeof(group->cpuc.events));
		for (i = 0; i < ARRAY_SIZE(event); i++) {
			seed = seed * 1103515245 + 12345;
			event[i]->attr.config2 = seed >> 16;
			event[i]->hw.acr_member = i ? seed >> 24 & 0x7f : 0;
			event[i]->hw.sample_period = seed;
			event[i]->hw.idx = -1;
			put_on(test, event[i], seed >> 8 & 0x3f);
		}
		enable(test);
		group->nr_writes = 0;
	}
}

/* The peer moves: the mask of the event that stays is rewritten in place */
static void acr_b5_mask_follows_peer(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *second;

	run_member(test, 0x2, 2);
	second = run_member(test, 0x3, 3);
	enable(test);
	expect_causes(test, 2, 0x8);
	expect_causes(test, 3, 0xc);

	group->nr_writes = 0;
	enable(test);
	KUNIT_EXPECT_EQ(test, group->nr_writes, 0);

	put_on(test, second, 4);
	enable(test);
	expect_causes(test, 2, 0x10);
	expect_causes(test, 4, 0x14);
	KUNIT_EXPECT_EQ(test, group->restarts, 0ULL);
	KUNIT_EXPECT_EQ(test, group->write[0].msr, 0x190aU);
	KUNIT_EXPECT_EQ(test, group->write[0].value, 0x10ULL);
}

static void acr_e3_mask_starts_from_zero(struct kunit *test)
{
	struct perf_event *second;
	int idx;

	run_member(test, 0x2, 2);
	second = add_member(test, 0x2);
	for (idx = 3; idx < 8; idx++) {
		put_on(test, second, idx);
		enable(test);
		expect_causes(test, 2, BIT_ULL(idx));
		expect_causes(test, idx, BIT_ULL(idx));
	}
}

/* The mask of an event on an unchanged counter names the moved peer */
static void acr_e4_unchanged_counter_is_rewritten(struct kunit *test)
{
	struct perf_event *second;

	run_member(test, 0x2, 2);
	second = run_member(test, 0, 3);
	enable(test);
	put_on(test, second, 33);
	enable(test);
	expect_causes(test, 2, BIT_ULL(33));
}

static void acr_b6_removed_member(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *event[3];
	int i;

	for (i = 0; i < 3; i++) {
		event[i] = add_member(test, 0x7);
		put_on(test, event[i], 2 + i);
	}
	enable(test);
	expect_causes(test, 2, 0x1c);

	take_off(test, event[1]);
	enable(test);
	expect_causes(test, 2, 0x14);
	expect_causes(test, 4, 0x14);

	/* Closed: the others keep their numbers, the next gets a new one */
	list_del(&event[1]->sibling_list);
	EXPECT_ACCEPTED(test, core_event(test, 0));
	enable(test);
	expect_causes(test, 2, 0x14);
	run_member(test, 0, 5);
	KUNIT_EXPECT_EQ(test, group->event[3]->hw.acr_member, 3);
	enable(test);
	expect_causes(test, 2, 0x14);
}

/* Nothing is added when it is freed, and all the same there is something to do */
static void acr_d7_freed_counter_is_not_named(struct kunit *test)
{
	struct perf_event *first = add_member(test, 0x2);
	struct perf_event *second = add_member(test, 0);
	struct cpu_hw_events *cpuc = &fake()->cpuc;

	intel_acr_added(cpuc, first);
	intel_acr_added(cpuc, second);
	put_on(test, first, 2);
	put_on(test, second, 3);
	enable(test);
	expect_causes(test, 2, 0x8);

	intel_acr_deleted(cpuc, second);
	KUNIT_EXPECT_TRUE(test, cpuc->late_setup_stale);
	take_off(test, second);
	enable(test);
	expect_causes(test, 2, 0);
}

static void acr_b7_closed_leader(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *member[2];
	int i;

	close_leader(test, member);
	KUNIT_EXPECT_EQ(test, group->restarts, BIT_ULL(3) | BIT_ULL(33));

	for (i = 0; i < 2; i++)
		member[i]->group_leader = member[i];
	enable(test);
	KUNIT_EXPECT_EQ(test, group->restarts, 0ULL);
	expect_causes(test, 3, 0);
	expect_causes(test, 33, 0);

	/* A new group around a former member; its own mask is void */
	group->event[0] = member[0];
	group->nr = 1;
	run_member(test, 0x3, 4);
	KUNIT_EXPECT_EQ(test, group->event[1]->hw.acr_member, 1);
	enable(test);
	expect_causes(test, 3, 0);
	expect_causes(test, 4, 0x18);
}

static void expect_counted(struct kunit *test, int want)
{
	KUNIT_EXPECT_EQ(test, fake()->cpuc.n_late_setup, want);
}

/* Scheduled, and out again */
static void add_events(struct perf_event **event, int n)
{
	while (n--)
		intel_acr_added(&fake()->cpuc, *event++);
}

static void delete_events(struct perf_event **event, int n)
{
	while (n--)
		intel_acr_deleted(&fake()->cpuc, *event++);
}

/*
 * A leader that runs before its first member with a mask is opened, and goes before
 * that one: if it was counted by what the group is at that time, the count would go
 * down each time, and be 0 one day for a group that needs the setup.
 */
static void acr_d4_count_of_setups_does_not_drift(struct kunit *test)
{
	struct perf_event *event[2];
	int round;

	for (round = 0; round < 3; round++) {
		start_group(test);
		event[0] = add_member(test, 0);
		add_events(event, 1);
		expect_counted(test, 0);

		/* All are scheduled anew when there is another one */
		event[1] = add_member(test, 0x1);
		delete_events(event, 1);
		expect_counted(test, 0);
		add_events(event, 2);
		expect_counted(test, 1);

		/* Closed, which leaves the other one alone */
		delete_events(event, 1);
		expect_counted(test, 1);
		list_del_init(&event[1]->sibling_list);
		event[1]->group_leader = event[1];
		delete_events(event + 1, 1);
		expect_counted(test, 0);

		/* The leader counts as well, and it comes and goes first */
		start_group(test);
		event[0] = add_member(test, 0x2);
		event[1] = add_member(test, 0);
		add_events(event, 1);
		expect_counted(test, 1);
		add_events(event + 1, 1);
		expect_counted(test, 1);
		delete_events(event, 2);
		expect_counted(test, 0);
	}
}

static void acr_d5_closed_leader_leaves_no_mask(struct kunit *test)
{
	struct perf_event *member[2];
	int round, i;

	/* While the group is taken apart, and when each is a leader itself */
	close_leader(test, member);
	for (round = 0; round < 2; round++) {
		expect_causes(test, 3, 0);
		expect_causes(test, 33, 0);
		for (i = 0; i < 2; i++) {
			KUNIT_EXPECT_TRUE(test, raises_pmi(member[i]));
			member[i]->group_leader = member[i];
		}
		enable(test);
	}
}

/* A leader from the start may reload itself */
static void self_reloading_leader_test(struct kunit *test)
{
	run_member(test, 0x1, 2);
	enable(test);
	expect_causes(test, 2, 0x4);
}

static void acr_b31_two_groups(struct kunit *test)
{
	struct fake_group *group = test->priv;

	run_member(test, 0x2, 2);
	run_member(test, 0x3, 3);
	start_group(test);
	run_member(test, 0x7f, 4);
	run_member(test, 0x1, 5);
	enable(test);

	expect_causes(test, 2, 0x08);
	expect_causes(test, 3, 0x0c);
	expect_causes(test, 4, 0x30);
	expect_causes(test, 5, 0x10);

	/* One without its leader does not stop the other */
	take_off(test, group->event[0]);
	put_on(test, group->event[1], 6);
	enable(test);
	expect_causes(test, 2, 0x08);
	expect_causes(test, 3, 0x0c);
	expect_causes(test, 6, 0);
}

/* The registers of another CPU are unknown to the event that comes there */
static void acr_b9_other_cpu(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *first = add_member(test, 0x2);
	struct intel_acr_cpu *there;

	there = kunit_kzalloc(test, sizeof(*there), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, there);

	put_on(test, first, 2);
	run_member(test, 0, 3);
	enable(test);

	memset(group->cfg_b, 0xff, sizeof(group->cfg_b));
	memset(group->cfg_c, 0, sizeof(group->cfg_c));
	intel_acr_reset(there, group->acr.counters);
	expect_causes(test, 2, 0);
	intel_acr_prepare(there, first);
	expect_causes(test, 2, 0x8);
	KUNIT_EXPECT_EQ(test, group->cfg_c[2], (u32)-100000);
}

static struct kunit_case acr_masks_test_cases[] = {
	KUNIT_CASE_PARAM(leaf_test, leaf_gen_params),
	KUNIT_CASE(three_members_test),
	KUNIT_CASE(self_reloading_leader_test),
	KUNIT_CASE(acr_b1_disabled_member),
	KUNIT_CASE(acr_b2_bits_beyond_group),
	KUNIT_CASE(acr_b3_no_write_faults),
	KUNIT_CASE(acr_b5_mask_follows_peer),
	KUNIT_CASE(acr_b6_removed_member),
	KUNIT_CASE(acr_b7_closed_leader),
	KUNIT_CASE(acr_b9_other_cpu),
	KUNIT_CASE(acr_b31_two_groups),
	KUNIT_CASE(acr_b32_no_write_faults_anywhere),
	KUNIT_CASE(acr_e2_stale_assignment),
	KUNIT_CASE(acr_e3_mask_starts_from_zero),
	KUNIT_CASE(acr_e4_unchanged_counter_is_rewritten),
	KUNIT_CASE(acr_d1_disabled_member_shifts_no_bit),
	KUNIT_CASE(acr_d4_count_of_setups_does_not_drift),
	KUNIT_CASE(acr_d5_closed_leader_leaves_no_mask),
	KUNIT_CASE(acr_d7_freed_counter_is_not_named),
	{}
};

static struct kunit_suite acr_masks_test_suite = {
	.name		= "intel_acr_masks",
	.init		= acr_test_init,
	.test_cases	= acr_masks_test_cases,
};

kunit_test_suite(acr_masks_test_suite);

MODULE_DESCRIPTION("KUnit tests of Intel auto counter reload");
MODULE_LICENSE("GPL");
