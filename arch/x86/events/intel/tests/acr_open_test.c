// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of auto counter reload: the checks of a group when an event is opened
 */
#include "acr_fake.h"

/*
 * Opening
 */

static void group_ok_test(struct kunit *test)
{
	EXPECT_ACCEPTED(test, core_event(test, 0x2));
	add_member(test, 0x2);
	EXPECT_ACCEPTED(test, core_event(test, 0x3));
	EXPECT_ACCEPTED(test, core_event(test, 0));
}

static void acr_b4_software_members(struct kunit *test)
{
	struct perf_event *software;

	/* As leader: fine as long as nobody is reloaded */
	software = add_software(test);
	EXPECT_ACCEPTED(test, core_event(test, 0));
	EXPECT_REFUSED(test, core_event(test, 0x1), FOREIGN_LEADER);
	expect_untouched(test, software);

	/* Between members, also when only an earlier one is reloaded */
	start_group(test);
	add_member(test, 0x2);
	add_software(test);
	EXPECT_REFUSED(test, core_event(test, 0x1), GAP);
	EXPECT_REFUSED(test, core_event(test, 0), GAP);
}

/* Read from the leader's union, its flags would say anything */
static void acr_e6_software_leader(struct kunit *test)
{
	struct perf_event *software = add_software(test);
	struct perf_event *event;

	event = core_event(test, 0);
	EXPECT_ACCEPTED(test, event);
	install(test, event);
	put_on(test, event, 2);
	enable(test);
	EXPECT_NO_WRITE(test);
	KUNIT_EXPECT_TRUE(test, raises_pmi(event));
	expect_untouched(test, software);

	/* This would be an event that is reloaded by itself */
	software->hw.acr_member = 0;
	software->attr.config2 = 0x1;
	EXPECT_ACCEPTED(test, core_event(test, 0));
}

static void acr_e7_software_siblings(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *software[2];

	add_member(test, 0x2);
	add_member(test, 0x3);
	software[0] = add_software(test);
	software[1] = add_software(test);
	EXPECT_REFUSED(test, core_event(test, 0x7), GAP);

	KUNIT_EXPECT_EQ(test, trial_mask(test, group->event[1]), SKYMONT_ACR);
	expect_untouched(test, software[0]);
	expect_untouched(test, software[1]);
}

/* A leader that is being opened has no context to walk siblings under */
static void acr_e8_leader_without_context(struct kunit *test)
{
	struct perf_event *leader = core_event(test, 0x1);
	struct perf_event *stray = add_software(test);

	leader->group_leader = leader;
	list_add(&stray->sibling_list, &leader->sibling_list);
	EXPECT_ACCEPTED(test, leader);

	leader->attr.config2 = 0x2;
	KUNIT_EXPECT_EQ(test, trial_mask(test, leader), ~0ULL);
}

static void acr_b21_two_pmus(struct kunit *test)
{
	struct fake_group *group = test->priv;

	add_member(test, 0x2);
	EXPECT_REFUSED(test, new_event(test, &group->other_core, 0), TWO_PMUS);
	EXPECT_REFUSED(test, new_event(test, &group->other_core, 0x3), TWO_PMUS);

	/* Without reloads it is not for us to say */
	start_group(test);
	add_member(test, 0);
	EXPECT_ACCEPTED(test, new_event(test, &group->other_core, 0));
}

static void acr_d12_pmu_without_reload(struct kunit *test)
{
	struct fake_group *group = test->priv;

	EXPECT_REFUSED(test, new_event(test, &group->plain_core, 0x1), NO_RELOAD);
	EXPECT_ACCEPTED(test, new_event(test, &group->plain_core, 0));
}

static void acr_b13_period_range(struct kunit *test)
{
	static const u64 bad[] = { 0, 1ULL << 31, 1ULL << 32, (1ULL << 47) - 1 };
	static const u64 good[] = { 1, 2, (1ULL << 31) - 1 };
	struct perf_event *event = core_event(test, 0x2);
	int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		event->attr.sample_period = bad[i];
		EXPECT_REFUSED(test, event, PERIOD);
	}
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		event->attr.sample_period = good[i];
		EXPECT_ACCEPTED(test, event);
	}

	/* One that only causes reloads may count */
	event->attr.config2 = 0;
	event->attr.sample_period = 0;
	EXPECT_ACCEPTED(test, event);
}

/* A period of more bits than the register has, and none at all */
static void acr_d9_period_fits_register(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *event = core_event(test, 0x2);

	event->attr.sample_period = (1ULL << 32) + 1000;
	EXPECT_REFUSED(test, event, PERIOD);
	event->attr.sample_period = 0;
	EXPECT_REFUSED(test, event, PERIOD);

	event->attr.sample_period = INTEL_ACR_MAX_PERIOD;
	EXPECT_ACCEPTED(test, event);
	intel_acr_write(&group->acr, 2, 0x8, INTEL_ACR_MAX_PERIOD);
	KUNIT_EXPECT_EQ(test, (s64)(s32)group->cfg_c[2], -0x7fffffffLL);
}

static void acr_b14_frequency(struct kunit *test)
{
	struct perf_event *event;

	event = core_event(test, 0x2);
	event->attr.freq = 1;
	EXPECT_REFUSED(test, event, FREQUENCY);

	/* Named in advance */
	add_member(test, 0x2);
	event = core_event(test, 0);
	event->attr.freq = 1;
	EXPECT_REFUSED(test, event, CAUSE_FREQUENCY);

	/* Not named: no part of the ratio */
	add_member(test, 0);
	event = core_event(test, 0);
	event->attr.freq = 1;
	EXPECT_ACCEPTED(test, event);
}

/* Opened before the first reloaded member */
static void acr_d13_frequency_and_metric_first(struct kunit *test)
{
	struct perf_event *event;

	event = add_member(test, 0);
	event->attr.freq = 1;
	EXPECT_REFUSED(test, core_event(test, 0x1), CAUSE_FREQUENCY);
	EXPECT_ACCEPTED(test, core_event(test, 0x2));

	start_group(test);
	add_member(test, 0);
	event = add_member(test, 0);
	event->attr.config = EVENT_RETIRING;
	EXPECT_REFUSED(test, core_event(test, 0x1), METRIC);
}

static void acr_b20_topdown(struct kunit *test)
{
	struct perf_event *event;

	event = core_event(test, 0x2);
	event->attr.config = EVENT_SLOTS;
	EXPECT_REFUSED(test, event, SLOTS);
	event->attr.config = EVENT_RETIRING;
	EXPECT_REFUSED(test, event, SLOTS);

	add_member(test, 0x1);
	event = core_event(test, 0);
	event->attr.config = EVENT_RETIRING;
	EXPECT_REFUSED(test, event, METRIC);
}

static void group_limits_test(struct kunit *test)
{
	int i;

	/* Seven counters on each side */
	for (i = 0; i < 6; i++)
		add_member(test, 0x1);
	EXPECT_ACCEPTED(test, core_event(test, 0x1));
	add_member(test, 0x1);
	EXPECT_REFUSED(test, core_event(test, 0x1), TOO_MANY_RELOADS);

	start_group(test);
	EXPECT_ACCEPTED(test, core_event(test, 0x7f));
	EXPECT_REFUSED(test, core_event(test, 0xff), TOO_MANY_CAUSES);
	add_member(test, 0x7f);
	EXPECT_REFUSED(test, core_event(test, BIT_ULL(40)), TOO_MANY_CAUSES);
}

/* Two events that are opened at once see the same group, until they join */
static void acr_b8_numbers_are_given_once(struct kunit *test)
{
	struct perf_event *event[2], *frequency;

	add_member(test, 0x6);
	event[0] = core_event(test, 0);
	event[1] = core_event(test, 0x2);
	event[1]->attr.precise_ip = 1;
	frequency = core_event(test, 0);
	frequency->attr.freq = 1;
	EXPECT_ACCEPTED(test, event[0]);
	EXPECT_REFUSED(test, frequency, CAUSE_FREQUENCY);
	EXPECT_REFUSED(test, event[1], SILENT_PEBS);
	event[1]->attr.config2 = 0x4;
	EXPECT_ACCEPTED(test, event[1]);
	KUNIT_EXPECT_EQ(test, event[1]->hw.acr_member, 1);

	KUNIT_EXPECT_EQ(test, join(test, event[0]), 0);
	install(test, event[0]);

	/* As number 2 it reloads itself, which its own bit did not say before */
	KUNIT_EXPECT_EQ(test, join(test, event[1]), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake()->refusal, INTEL_ACR_SILENT_PEBS);
	event[1]->attr.config2 = 0x1;
	KUNIT_EXPECT_EQ(test, join(test, event[1]), 0);
	KUNIT_EXPECT_EQ(test, event[1]->hw.acr_member, 2);
	install(test, event[1]);

	/* Number 3 is no cause */
	EXPECT_ACCEPTED(test, frequency);
	KUNIT_EXPECT_EQ(test, join(test, frequency), 0);
}

/* A refused event leaves nothing behind */
static void acr_d3_refused_event_leaves_no_trace(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *leader, *sibling, *before, *event;

	leader = add_member(test, 0);
	sibling = add_member(test, 0);
	before = kunit_kcalloc(test, 2, sizeof(*before), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, before);
	before[0] = *leader;
	before[1] = *sibling;

	EXPECT_REFUSED(test, new_event(test, &group->other_core, 0x3), TWO_PMUS);
	EXPECT_REFUSED(test, core_event(test, 0xff), TOO_MANY_CAUSES);
	event = core_event(test, 0x3);
	event->attr.freq = 1;
	EXPECT_REFUSED(test, event, FREQUENCY);
	EXPECT_ACCEPTED(test, core_event(test, 0x3));

	KUNIT_EXPECT_MEMEQ(test, leader, &before[0], sizeof(*leader));
	KUNIT_EXPECT_MEMEQ(test, sibling, &before[1], sizeof(*sibling));
}

static void acr_b22_inherited_member(struct kunit *test)
{
	struct perf_event *parent[3], *child[3];
	int i;

	parent[0] = add_member(test, 0x4);
	parent[1] = add_member(test, 0);
	parent[2] = add_member(test, 0x5);

	/* The second is an orphan, and left out */
	start_group(test);
	for (i = 0; i < 3; i += 2) {
		child[i] = core_event(test, parent[i]->attr.config2);
		child[i]->parent = parent[i];
		EXPECT_ACCEPTED(test, child[i]);
		install(test, child[i]);
	}
	KUNIT_EXPECT_EQ(test, child[2]->hw.acr_member, 2);
	KUNIT_EXPECT_EQ(test, child[2]->hw.dyn_constraint, SKYMONT_ACR);
	put_on(test, child[0], 2);
	put_on(test, child[2], 3);
	enable(test);
	expect_causes(test, 2, 0x8);
	expect_causes(test, 3, 0xc);

	/* Without its leader, each is on its own */
	start_group(test);
	child[1] = core_event(test, parent[2]->attr.config2);
	child[1]->parent = parent[2];
	EXPECT_ACCEPTED(test, child[1]);
	install(test, child[1]);
	put_on(test, child[1], 4);
	enable(test);
	expect_causes(test, 4, 0);
	KUNIT_EXPECT_TRUE(test, raises_pmi(child[1]));
}

/* PDist is done by GP0, GP1 and FX0 only */
static void acr_b17_pdist(struct kunit *test)
{
	struct event_constraint pdist = { .idxmsk64 = 0x100000003ULL, .weight = 3 };
	struct event_constraint entry, *c;
	struct perf_event *event;

	event = core_event(test, 0x2);
	event->attr.precise_ip = 3;
	EXPECT_REFUSED(test, event, PDIST);

	/* As a cause it would have no counter, which is found out on trial */
	add_member(test, 0x2);
	event = core_event(test, 0);
	event->attr.precise_ip = 3;
	EXPECT_ACCEPTED(test, event);
	c = x86_narrow_constraint(&pdist, &entry, trial_mask(test, event));
	KUNIT_EXPECT_EQ(test, c->weight, 0);
}

/* The mask of a cause holds whatever the tables say, and for causes only */
static void acr_d10_cause_only_member(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct cpu_hw_events *cpuc = &group->cpuc;
	u64 mask = ~0ULL;
	int i;

	add_member(test, 0x2);
	add_member(test, 0);
	add_member(test, 0x4);
	KUNIT_EXPECT_EQ(test, trial_mask(test, group->event[0]), ~0ULL);
	KUNIT_EXPECT_EQ(test, trial_mask(test, group->event[1]), SKYMONT_ACR);
	KUNIT_EXPECT_EQ(test, trial_mask(test, group->event[2]), SKYMONT_ACR);

	/* When it runs, masks of members that are disabled do not count */
	memset(cpuc, 0, sizeof(*cpuc));
	for (i = 1; i < 3; i++)
		put_on(test, group->event[i], i);
	cpuc->n_late_setup = 1;
	intel_acr_group_constraint(cpuc, group->event[1], &mask);
	KUNIT_EXPECT_EQ(test, mask, ~0ULL);
	put_on(test, group->event[0], 0);
	intel_acr_group_constraint(cpuc, group->event[1], &mask);
	KUNIT_EXPECT_EQ(test, mask, SKYMONT_ACR);
}

/* Branch counters are the first four; both masks count */
static void acr_b18_branch_counters(struct kunit *test)
{
	struct event_constraint all = { .idxmsk64 = 0x2000000ffULL, .weight = 9 };
	struct event_constraint entry, *c;
	struct perf_event *event = core_event(test, 0x2);

	EXPECT_ACCEPTED(test, event);
	event->hw.dyn_constraint &= 0xf;
	c = x86_narrow_constraint(&all, &entry, event->hw.dyn_constraint);
	KUNIT_EXPECT_EQ(test, c->idxmsk64, 0xcULL);
	KUNIT_EXPECT_EQ(test, c->weight, 2);
}

static struct kunit_case acr_open_test_cases[] = {
	KUNIT_CASE(group_ok_test),
	KUNIT_CASE(group_limits_test),
	KUNIT_CASE(acr_b4_software_members),
	KUNIT_CASE(acr_b8_numbers_are_given_once),
	KUNIT_CASE(acr_b13_period_range),
	KUNIT_CASE(acr_b14_frequency),
	KUNIT_CASE(acr_b17_pdist),
	KUNIT_CASE(acr_b18_branch_counters),
	KUNIT_CASE(acr_b20_topdown),
	KUNIT_CASE(acr_b21_two_pmus),
	KUNIT_CASE(acr_b22_inherited_member),
	KUNIT_CASE(acr_e6_software_leader),
	KUNIT_CASE(acr_e7_software_siblings),
	KUNIT_CASE(acr_e8_leader_without_context),
	KUNIT_CASE(acr_d3_refused_event_leaves_no_trace),
	KUNIT_CASE(acr_d9_period_fits_register),
	KUNIT_CASE(acr_d10_cause_only_member),
	KUNIT_CASE(acr_d12_pmu_without_reload),
	KUNIT_CASE(acr_d13_frequency_and_metric_first),
	{}
};

static struct kunit_suite acr_open_test_suite = {
	.name		= "intel_acr_open",
	.init		= acr_test_init,
	.test_cases	= acr_open_test_cases,
};

kunit_test_suite(acr_open_test_suite);

MODULE_DESCRIPTION("KUnit tests of Intel auto counter reload");
MODULE_LICENSE("GPL");
