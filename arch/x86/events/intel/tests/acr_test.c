// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of auto counter reload: enumeration, constraints, the translation
 * of masks to counters, register values and the checks of a group. They run on
 * any CPU; no MSR is touched.
 *
 * Expected values are written out, or come from a search that is too simple to
 * be wrong.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>

#include <linux/bitops.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "../../constraint.h"
#include "../../perf_event.h"
#include "../acr.h"
#include "../perfmon_ext.h"

/* E-cores of Arrow Lake: GP2-7 and FX1 on both sides */
#define SKYMONT_GP		0xff
#define SKYMONT_FIXED		0x77
#define SKYMONT_ACR		0x2000000fcULL

#define MAX_MEMBERS		70
#define MAX_WRITES		16

struct msr_write {
	u32	msr;
	u64	value;
};

/* A group of fake events that never come near a PMU */
struct fake_group {
	struct perf_event_context	ctx;
	struct pmu			core;
	struct pmu			other_core;
	struct pmu			software;
	struct perf_event		*event[MAX_MEMBERS];
	int				nr;
	struct msr_write		write[MAX_WRITES];
	int				nr_writes;
};

static struct fake_group *fake(void)
{
	return kunit_get_current_test()->priv;
}

static bool fake_is_member(struct perf_event *event)
{
	return event->pmu != &fake()->software;
}

static void fake_wrmsr(u32 msr, u64 value)
{
	struct fake_group *group = fake();

	KUNIT_ASSERT_LT(kunit_get_current_test(), group->nr_writes, MAX_WRITES);
	group->write[group->nr_writes++] = (struct msr_write){ msr, value };
}

static int acr_test_init(struct kunit *test)
{
	struct fake_group *group;

	group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, group);
	mutex_init(&group->ctx.mutex);
	test->priv = group;

	kunit_activate_static_stub(test, intel_acr_is_member, fake_is_member);
	kunit_activate_static_stub(test, intel_acr_wrmsr, fake_wrmsr);

	return 0;
}

/* Open an event as the next member. It is linked only by install(). */
static struct perf_event *open_event(struct kunit *test, struct pmu *pmu,
				     u64 mask)
{
	struct fake_group *group = test->priv;
	struct perf_event *event;

	event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_LT(test, group->nr, MAX_MEMBERS);

	INIT_LIST_HEAD(&event->sibling_list);
	event->pmu = pmu;
	event->ctx = &group->ctx;
	event->group_leader = group->nr ? group->event[0] : event;
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = 0xc4;
	event->attr.sample_period = 100000;
	event->attr.config2 = mask;
	event->hw.acr_member = group->nr;
	if (mask)
		event->hw.flags = PERF_X86_EVENT_ACR;

	return event;
}

static void install(struct kunit *test, struct perf_event *event)
{
	struct fake_group *group = test->priv;

	if (event->group_leader != event)
		list_add_tail(&event->sibling_list,
			      &event->group_leader->sibling_list);
	group->event[group->nr++] = event;
}

static struct perf_event *add_member(struct kunit *test, u64 mask)
{
	struct fake_group *group = test->priv;
	struct perf_event *event = open_event(test, &group->core, mask);

	install(test, event);

	return event;
}

static int check(struct kunit *test, struct perf_event *event)
{
	struct fake_group *group = test->priv;
	int ret;

	mutex_lock(&group->ctx.mutex);
	ret = intel_acr_check_group(event, SKYMONT_ACR, SKYMONT_ACR);
	mutex_unlock(&group->ctx.mutex);

	return ret;
}

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
 * Constraints and assignment
 */

static void narrow_test(struct kunit *test)
{
	struct event_constraint wide = { .idxmsk64 = 0x2000000ffULL, .weight = 9 };
	struct event_constraint entry = {}, *c;

	c = x86_narrow_constraint(&wide, &entry, ~0ULL);
	KUNIT_EXPECT_PTR_EQ(test, c, &wide);
	KUNIT_EXPECT_EQ(test, entry.weight, 0);

	c = x86_narrow_constraint(&wide, &entry, SKYMONT_ACR);
	KUNIT_ASSERT_PTR_EQ(test, c, &entry);
	KUNIT_EXPECT_EQ(test, c->idxmsk64, 0x2000000fcULL);
	KUNIT_EXPECT_EQ(test, c->weight, 7);
	KUNIT_EXPECT_TRUE(test, c->flags & PERF_X86_EVENT_DYNAMIC);
	KUNIT_EXPECT_EQ(test, wide.idxmsk64, 0x2000000ffULL);
	KUNIT_EXPECT_FALSE(test, wide.flags & PERF_X86_EVENT_DYNAMIC);

	/* Together with the first four counters of the branch counters */
	c = x86_narrow_constraint(c, &entry, 0xf);
	KUNIT_EXPECT_EQ(test, c->idxmsk64, 0xcULL);
	KUNIT_EXPECT_EQ(test, c->weight, 2);

	c = x86_narrow_constraint(c, &entry, 0x3);
	KUNIT_EXPECT_EQ(test, c->weight, 0);
}

/* Can events @i and up have a counter each when @used is taken? */
static bool try_all(struct event_constraint **c, int n, int i, u64 used)
{
	int idx;

	if (i == n)
		return true;

	for (idx = 0; idx < X86_PMC_IDX_MAX; idx++) {
		if (c[i]->idxmsk64 & ~used & BIT_ULL(idx) &&
		    try_all(c, n, i + 1, used | BIT_ULL(idx)))
			return true;
	}

	return false;
}

static void expect_match(struct kunit *test, struct event_constraint **c, int n)
{
	int assign[8], i, ret = x86_match_events(c, n, assign);
	u64 used = 0;

	KUNIT_ASSERT_EQ(test, ret, try_all(c, n, 0, 0) ? 0 : n);
	KUNIT_ASSERT_EQ(test, ret, x86_match_events(c, n, NULL));
	if (ret)
		return;

	for (i = 0; i < n; i++) {
		KUNIT_ASSERT_TRUE(test, c[i]->idxmsk64 & BIT_ULL(assign[i]));
		KUNIT_ASSERT_FALSE(test, used & BIT_ULL(assign[i]));
		used |= BIT_ULL(assign[i]);
	}
}

static void match_test(struct kunit *test)
{
	struct event_constraint con[5], *c[5];
	u32 seed = 1;
	int round, i;

	for (i = 0; i < ARRAY_SIZE(c); i++)
		c[i] = &con[i];

	/* The greedy search gives counter 2 to the first and has none left */
	con[0].idxmsk64 = 0x0c;
	con[1].idxmsk64 = 0x07;
	con[2].idxmsk64 = 0x07;
	con[3].idxmsk64 = 0x07;
	KUNIT_EXPECT_EQ(test, x86_match_events(c, 4, NULL), 0);
	expect_match(test, c, 4);

	for (round = 0; round < 500; round++) {
		for (i = 0; i < ARRAY_SIZE(c); i++) {
			seed = seed * 1103515245 + 12345;
			con[i].idxmsk64 = (seed >> 16) & 0x3f &
					  (seed >> 22 | seed >> 10);
			if (seed & 0x80000000)
				con[i].idxmsk64 |= BIT_ULL(33);
		}
		expect_match(test, c, ARRAY_SIZE(c));
	}
}

/*
 * Translation of masks
 */

/* Three members, sampled on the first, on counters out of order */
static void causes_test(struct kunit *test)
{
	struct fake_group *group = test->priv;
	static const int assign[] = { 5, 33, 2 };

	add_member(test, 0x6);
	add_member(test, 0x7);
	add_member(test, 0x7);

	KUNIT_EXPECT_EQ(test, intel_acr_causes(group->event[0], group->event,
					       assign, 3), 0x200000004ULL);
	KUNIT_EXPECT_EQ(test, intel_acr_causes(group->event[1], group->event,
					       assign, 3), 0x200000024ULL);
	KUNIT_EXPECT_EQ(test, intel_acr_causes(group->event[2], group->event,
					       assign, 3), 0x200000024ULL);
}

/* A member that is not scheduled must not shift the bits of the others */
static void causes_inactive_test(struct kunit *test)
{
	struct perf_event *list[2];
	static const int assign[] = { 4, 6 };

	list[0] = add_member(test, 0x6);
	add_member(test, 0x7);
	list[1] = add_member(test, 0x5);

	KUNIT_EXPECT_EQ(test, intel_acr_causes(list[0], list, assign, 2), 0x40ULL);
	KUNIT_EXPECT_EQ(test, intel_acr_causes(list[1], list, assign, 2), 0x50ULL);
}

/* Bits beyond the group, and counters that are none, are dropped */
static void causes_beyond_test(struct kunit *test)
{
	struct fake_group *group = test->priv;
	static const int assign[] = { 2, 3, 48, 63, -1 };
	int i;

	for (i = 0; i < 5; i++)
		add_member(test, ~0ULL);

	KUNIT_EXPECT_EQ(test, intel_acr_causes(group->event[0], group->event,
					       assign, 5), 0xcULL);

	/* Members without a bit */
	group->event[1]->hw.acr_member = 64;
	KUNIT_EXPECT_EQ(test, intel_acr_causes(group->event[0], group->event,
					       assign, 2), 0x4ULL);
}

/* Two groups at once: each stays inside itself */
static void causes_groups_test(struct kunit *test)
{
	struct fake_group *group = test->priv;
	static const int assign[] = { 2, 3, 4, 5 };
	struct perf_event *list[4];

	list[0] = add_member(test, 0x2);
	list[1] = add_member(test, 0x3);
	group->nr = 0;
	list[2] = add_member(test, ~0ULL);
	list[3] = add_member(test, 0x1);

	KUNIT_EXPECT_EQ(test, intel_acr_causes(list[0], list, assign, 4), 0x08ULL);
	KUNIT_EXPECT_EQ(test, intel_acr_causes(list[1], list, assign, 4), 0x0cULL);
	KUNIT_EXPECT_EQ(test, intel_acr_causes(list[2], list, assign, 4), 0x30ULL);
	KUNIT_EXPECT_EQ(test, intel_acr_causes(list[3], list, assign, 4), 0x10ULL);
}

/* The leader is closed: first off the list, then no leader any more */
static void causes_orphan_test(struct kunit *test)
{
	static const int assign[] = { 2, 3 };
	struct perf_event *list[2], *leader;

	leader = add_member(test, 0x6);
	list[0] = add_member(test, 0x7);
	list[1] = add_member(test, 0x7);
	KUNIT_EXPECT_EQ(test, intel_acr_causes(list[0], list, assign, 2), 0ULL);
	KUNIT_EXPECT_EQ(test, intel_acr_causes(list[1], list, assign, 2), 0ULL);

	list[0]->group_leader = list[0];
	list[1]->group_leader = list[1];
	KUNIT_EXPECT_EQ(test, intel_acr_causes(list[0], list, assign, 2), 0ULL);
	KUNIT_EXPECT_EQ(test, intel_acr_causes(list[1], list, assign, 2), 0ULL);
	KUNIT_EXPECT_FALSE(test, intel_acr_is_cause(list[1], list, 2));

	/* A leader from the start may reload itself */
	leader->attr.config2 = 0x1;
	list[0] = leader;
	KUNIT_EXPECT_EQ(test, intel_acr_causes(leader, list, assign, 1), 0x4ULL);
}

static void is_cause_test(struct kunit *test)
{
	struct perf_event *list[4] = {};

	list[0] = add_member(test, 0x2);
	list[1] = add_member(test, 0);
	list[2] = add_member(test, 0x4);

	KUNIT_EXPECT_FALSE(test, intel_acr_is_cause(list[0], list, 4));
	KUNIT_EXPECT_TRUE(test, intel_acr_is_cause(list[1], list, 4));
	KUNIT_EXPECT_TRUE(test, intel_acr_is_cause(list[2], list, 4));

	/* On its own, as when a single event is validated */
	KUNIT_EXPECT_TRUE(test, intel_acr_is_cause(list[2], list + 3, 1));
	KUNIT_EXPECT_FALSE(test, intel_acr_is_cause(list[1], list + 3, 1));
}

/*
 * Registers
 */

static void expect_writes(struct kunit *test, const struct msr_write *want,
			  int n)
{
	struct fake_group *group = test->priv;
	int i;

	KUNIT_ASSERT_EQ(test, group->nr_writes, n);
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_EQ(test, group->write[i].msr, want[i].msr);
		KUNIT_EXPECT_EQ(test, group->write[i].value, want[i].value);
	}
	group->nr_writes = 0;
}

#define EXPECT_WRITES(test, ...)					\
do {									\
	const struct msr_write __w[] = { __VA_ARGS__ };			\
									\
	expect_writes(test, __w, ARRAY_SIZE(__w));			\
} while (0)

#define EXPECT_NO_WRITE(test)	expect_writes(test, NULL, 0)

static struct intel_acr_cpu *new_cpu(struct kunit *test)
{
	struct intel_acr_cpu *acr;

	acr = kunit_kzalloc(test, sizeof(*acr), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, acr);
	intel_acr_invalidate(acr, SKYMONT_ACR, SKYMONT_ACR);

	return acr;
}

static void write_gp_test(struct kunit *test)
{
	struct intel_acr_cpu *acr = new_cpu(test);

	/* Unknown content: clear, reload value, causes */
	intel_acr_write(acr, 2, 0x8, 200000);
	EXPECT_WRITES(test, { 0x190a, 0 }, { 0x190b, 0xfffcf2c0 },
		      { 0x190a, 0x8 });

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

static void write_fixed_test(struct kunit *test)
{
	struct intel_acr_cpu *acr = new_cpu(test);

	intel_acr_write(acr, 33, BIT_ULL(33) | 0x4, 1);
	EXPECT_WRITES(test, { 0x1986, 0 }, { 0x1987, 0xffffffff },
		      { 0x1986, 0x200000004ULL });
	KUNIT_EXPECT_EQ(test, acr->cfg_b[33], 0x200000004ULL);
	KUNIT_EXPECT_EQ(test, acr->cfg_b[1], INTEL_ACR_UNKNOWN);

	intel_acr_write(acr, 33, 0, 1);
	EXPECT_WRITES(test, { 0x1986, 0 });
}

/* What would fault is not written */
static void write_illegal_test(struct kunit *test)
{
	struct intel_acr_cpu *acr = new_cpu(test);
	int idx;

	/* The combination that was seen to fault on hardware: GP0 as a cause */
	intel_acr_write(acr, 33, 0x200000001ULL, 1000);
	EXPECT_WRITES(test, { 0x1986, 0 }, { 0x1987, 0xfffffc18 },
		      { 0x1986, 0x200000000ULL });

	for (idx = 0; idx < X86_PMC_IDX_MAX; idx++) {
		if (!(SKYMONT_ACR & BIT_ULL(idx)))
			intel_acr_write(acr, idx, ~0ULL, 1000);
	}
	EXPECT_NO_WRITE(test);

	intel_acr_invalidate(acr, 0, 0);
	intel_acr_write(acr, 2, ~0ULL, 1000);
	EXPECT_NO_WRITE(test);
}

static void delta_test(struct kunit *test)
{
	/* Forward, through the overflow, and not at all */
	KUNIT_EXPECT_EQ(test, intel_acr_delta(-1000, -400, (u32)-1000), 600LL);
	KUNIT_EXPECT_EQ(test, intel_acr_delta(-1000, 25, (u32)-1000), 1025LL);
	KUNIT_EXPECT_EQ(test, intel_acr_delta(-1000, -1000, (u32)-1000), 0LL);

	/* Reloaded in between: what came after. Not 281474976610656. */
	KUNIT_EXPECT_EQ(test, intel_acr_delta(-50000, -150000, (u32)-200000),
			50000LL);
	KUNIT_EXPECT_EQ(test, intel_acr_delta(-1, -0x7fffffffLL, 0x80000001), 0LL);

	/* Reloaded with a residue of a longer period: nothing is known */
	KUNIT_EXPECT_EQ(test, intel_acr_delta(-50000, -150000, (u32)-100000), 0LL);
}

/*
 * Checks of a group
 */

static void group_ok_test(struct kunit *test)
{
	struct fake_group *group = test->priv;

	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core, 0x2)), 0);
	add_member(test, 0x2);
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core, 0x3)), 0);
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core, 0)), 0);

	/* A bit that may become valid later */
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core,
						     BIT_ULL(63))), 0);
}

static void group_software_test(struct kunit *test)
{
	struct fake_group *group = test->priv;

	/* As leader: fine as long as nobody is reloaded */
	install(test, open_event(test, &group->software, 0));
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core, 0)), 0);
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core, 0x1)),
			-EINVAL);

	/* Between members, also when only an earlier one is reloaded */
	group->nr = 0;
	add_member(test, 0x2);
	install(test, open_event(test, &group->software, 0));
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core, 0x1)),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core, 0)),
			-EINVAL);
}

/* The hardware part of a software event is somebody else's union */
static void group_foreign_union_test(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *software;

	software = open_event(test, &group->software, ~0ULL);
	memset(&software->hw, 0xff, sizeof(software->hw));
	install(test, software);
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core, 0)), 0);
	KUNIT_EXPECT_NULL(test, memchr_inv(&software->hw, 0xff,
					   sizeof(software->hw)));
}

static void group_other_pmu_test(struct kunit *test)
{
	struct fake_group *group = test->priv;

	add_member(test, 0x2);
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->other_core, 0)),
			-EINVAL);
}

static void group_freq_test(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *event;

	/* Opened before the first reloaded member */
	event = add_member(test, 0);
	event->attr.freq = 1;
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core, 0x1)),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core, 0x2)), 0);

	/* Named in advance */
	group->nr = 0;
	add_member(test, 0x2);
	event = open_event(test, &group->core, 0);
	event->attr.freq = 1;
	KUNIT_EXPECT_EQ(test, check(test, event), -EINVAL);
}

static void group_metric_test(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *event;

	event = add_member(test, 0);
	event->attr.config = 0x8000;
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core, 0x2)),
			-EINVAL);

	group->nr = 0;
	add_member(test, 0x1);
	event = open_event(test, &group->core, 0);
	event->attr.config = 0x8000;
	KUNIT_EXPECT_EQ(test, check(test, event), -EINVAL);
}

static void group_limits_test(struct kunit *test)
{
	struct fake_group *group = test->priv;
	int i;

	/* Seven counters on each side */
	for (i = 0; i < 6; i++)
		add_member(test, 0x1);
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core, 0x1)), 0);
	add_member(test, 0x1);
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core, 0x1)),
			-EINVAL);

	group->nr = 0;
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core, 0x7f)), 0);
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core, 0xff)),
			-EINVAL);
	add_member(test, 0x7f);
	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->core,
						     BIT_ULL(40))), -EINVAL);
}

/* A refused event leaves nothing behind */
static void group_untouched_test(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *leader, *sibling, *before;

	leader = add_member(test, 0);
	sibling = add_member(test, 0);
	before = kunit_kcalloc(test, 2, sizeof(*before), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, before);
	before[0] = *leader;
	before[1] = *sibling;

	KUNIT_EXPECT_EQ(test, check(test, open_event(test, &group->other_core,
						     0x3)), -EINVAL);
	KUNIT_EXPECT_MEMEQ(test, leader, &before[0], sizeof(*leader));
	KUNIT_EXPECT_MEMEQ(test, sibling, &before[1], sizeof(*sibling));
}

static struct kunit_case acr_test_cases[] = {
	KUNIT_CASE_PARAM(leaf_test, leaf_gen_params),
	KUNIT_CASE(narrow_test),
	KUNIT_CASE(match_test),
	KUNIT_CASE(causes_test),
	KUNIT_CASE(causes_inactive_test),
	KUNIT_CASE(causes_beyond_test),
	KUNIT_CASE(causes_groups_test),
	KUNIT_CASE(causes_orphan_test),
	KUNIT_CASE(is_cause_test),
	KUNIT_CASE(write_gp_test),
	KUNIT_CASE(write_fixed_test),
	KUNIT_CASE(write_illegal_test),
	KUNIT_CASE(delta_test),
	KUNIT_CASE(group_ok_test),
	KUNIT_CASE(group_software_test),
	KUNIT_CASE(group_foreign_union_test),
	KUNIT_CASE(group_other_pmu_test),
	KUNIT_CASE(group_freq_test),
	KUNIT_CASE(group_metric_test),
	KUNIT_CASE(group_limits_test),
	KUNIT_CASE(group_untouched_test),
	{}
};

static struct kunit_suite acr_test_suite = {
	.name		= "intel_acr",
	.init		= acr_test_init,
	.test_cases	= acr_test_cases,
};

kunit_test_suite(acr_test_suite);

MODULE_DESCRIPTION("KUnit tests of Intel auto counter reload");
MODULE_LICENSE("GPL");
