// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of auto counter reload: enumeration, the translation of masks to
 * counters, register values and the checks of a group. They run on any CPU; no
 * MSR is touched.
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
#define MAX_WRITES		64
#define MAX_REFUSALS		8

#define EVENT_BRANCHES		0xc4
#define EVENT_SLOTS		0x0400
#define EVENT_RETIRING		0x8000

struct msr_write {
	u32	msr;
	u64	value;
};

/**
 * struct fake_group - A CPU without hardware, and a group of events on it
 * @ctx:		context of the events
 * @core:		PMU with the counters of Skymont
 * @other_core:		another core PMU with these
 * @plain_core:		core PMU without auto counter reload
 * @software:		PMU of another kind
 * @event:		members of the group in the order of opening
 * @nr:			number of members
 * @cpuc:		what is scheduled
 * @acr:		what the driver remembers of the registers
 * @cfg_b:		content of the registers by counter index
 * @cfg_c:		content of the registers by counter index
 * @write:		writes in their order
 * @nr_writes:		number of writes
 * @broken_msr:		register whose write faults, or 0
 * @restarts:		events whose control was written again, as a mask of
 *			counter indexes
 * @pauses:		events that were throttled together with another one
 * @refusal:		reason of the last refusal
 */
struct fake_group {
	struct perf_event_context	ctx;
	struct pmu			core;
	struct pmu			other_core;
	struct pmu			plain_core;
	struct pmu			software;
	struct perf_event		*event[MAX_MEMBERS];
	int				nr;
	struct cpu_hw_events		cpuc;
	struct intel_acr_cpu		acr;
	u64				cfg_b[X86_PMC_IDX_MAX];
	u64				cfg_c[X86_PMC_IDX_MAX];
	struct msr_write		write[MAX_WRITES];
	int				nr_writes;
	u32				broken_msr;
	u64				restarts;
	u64				pauses;
	enum intel_acr_refusal		refusal;
};

static struct fake_group *fake(void)
{
	return kunit_get_current_test()->priv;
}

static bool fake_is_member(struct perf_event *event)
{
	return event->pmu != &fake()->software;
}

static struct intel_acr_counters fake_counters(struct pmu *pmu)
{
	struct intel_acr_counters counters = {};

	if (pmu == &fake()->core || pmu == &fake()->other_core) {
		counters.reload = SKYMONT_ACR;
		counters.cause = SKYMONT_ACR;
	}

	return counters;
}

/* Hardware: refuses what would be a general protection fault */
static void fake_wrmsr(u32 msr, u64 value)
{
	struct kunit *test = kunit_get_current_test();
	struct fake_group *group = fake();
	int idx = (msr - 0x1900) / 4, kind = msr % 4;

	if (msr >= 0x1980)
		idx = INTEL_PMC_IDX_FIXED + (msr - 0x1980) / 4;

	KUNIT_ASSERT_LT(test, group->nr_writes, MAX_WRITES);
	group->write[group->nr_writes++] = (struct msr_write){ msr, value };

	KUNIT_ASSERT_GE(test, idx, 0);
	KUNIT_ASSERT_LT(test, idx, X86_PMC_IDX_MAX);
	KUNIT_EXPECT_TRUE(test, SKYMONT_ACR & BIT_ULL(idx));
	if (kind == 2) {
		KUNIT_EXPECT_EQ(test, value & ~SKYMONT_ACR, 0ULL);
		group->cfg_b[idx] = value;
	} else {
		KUNIT_ASSERT_EQ(test, kind, 3);
		KUNIT_EXPECT_EQ(test, value >> 32, 0ULL);
		/* A reload in between would take the wrong value */
		KUNIT_EXPECT_EQ(test, group->cfg_b[idx], 0ULL);
		group->cfg_c[idx] = value;
	}
}

static int fake_wrmsr_safe(u32 msr, u64 value)
{
	if (msr == fake()->broken_msr)
		return -EIO;

	fake_wrmsr(msr, value);

	return 0;
}

static void fake_restart(struct perf_event *event)
{
	struct fake_group *group = fake();

	group->restarts |= BIT_ULL(event->hw.idx);
	intel_acr_prepare(&group->acr, event);
}

static void fake_pause(struct perf_event *event)
{
	struct fake_group *group = fake();

	group->pauses |= BIT_ULL(event->hw.idx);
	group->cpuc.events[event->hw.idx] = NULL;
	event->hw.interrupts = MAX_INTERRUPTS;
}

static int fake_refuse(const struct perf_event *event,
		       enum intel_acr_refusal refusal)
{
	fake()->refusal = refusal;

	return -EINVAL;
}

static int acr_test_init(struct kunit *test)
{
	struct fake_group *group;

	group = kunit_kzalloc(test, sizeof(*group), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, group);
	mutex_init(&group->ctx.mutex);
	test->priv = group;

	kunit_activate_static_stub(test, intel_acr_is_member, fake_is_member);
	kunit_activate_static_stub(test, intel_acr_counters, fake_counters);
	kunit_activate_static_stub(test, intel_acr_wrmsr, fake_wrmsr);
	kunit_activate_static_stub(test, intel_acr_wrmsr_safe, fake_wrmsr_safe);
	kunit_activate_static_stub(test, intel_acr_restart, fake_restart);
	kunit_activate_static_stub(test, intel_acr_pause, fake_pause);
	kunit_activate_static_stub(test, intel_acr_refuse, fake_refuse);

	intel_acr_reset(&group->acr, fake_counters(&group->core));
	group->nr_writes = 0;

	return 0;
}

/* An event that wants to be the next member; not checked and not linked */
static struct perf_event *new_event(struct kunit *test, struct pmu *pmu,
				    u64 mask)
{
	struct fake_group *group = test->priv;
	struct perf_event *event;

	event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_LT(test, group->nr, MAX_MEMBERS);

	INIT_LIST_HEAD(&event->sibling_list);
	event->pmu = pmu;
	event->group_leader = group->nr ? group->event[0] : event;
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = EVENT_BRANCHES;
	event->attr.sample_period = 100000;
	event->attr.config2 = mask;
	event->hw.sample_period = 100000;
	event->hw.config = EVENT_BRANCHES | ARCH_PERFMON_EVENTSEL_INT;
	event->hw.dyn_constraint = ~0ULL;
	event->hw.idx = -1;

	return event;
}

/* Set an event up as perf_event_open() does. Return its error. */
static int config(struct kunit *test, struct perf_event *event)
{
	struct fake_group *group = test->priv;
	int ret;

	group->refusal = INTEL_ACR_ACCEPTED;
	mutex_lock(&group->ctx.mutex);
	ret = intel_acr_hw_config(event);
	mutex_unlock(&group->ctx.mutex);

	return ret;
}

static int join(struct kunit *test, struct perf_event *event)
{
	struct fake_group *group = test->priv;
	int ret;

	group->refusal = INTEL_ACR_ACCEPTED;
	mutex_lock(&group->ctx.mutex);
	ret = intel_acr_event_join(event);
	mutex_unlock(&group->ctx.mutex);

	return ret;
}

static void install(struct kunit *test, struct perf_event *event)
{
	struct fake_group *group = test->priv;

	event->ctx = &group->ctx;
	if (event->group_leader != event)
		list_add_tail(&event->sibling_list,
			      &event->group_leader->sibling_list);
	group->event[group->nr++] = event;
}

static struct perf_event *add_member(struct kunit *test, u64 mask)
{
	struct fake_group *group = test->priv;
	struct perf_event *event = new_event(test, &group->core, mask);

	KUNIT_ASSERT_EQ(test, config(test, event), 0);
	install(test, event);

	return event;
}

static struct perf_event *add_software(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *event = new_event(test, &group->software, 0);

	/* The hardware part is somebody else's union */
	memset(&event->hw, 0xff, sizeof(event->hw));
	install(test, event);

	return event;
}

static void expect_untouched(struct kunit *test, struct perf_event *software)
{
	KUNIT_EXPECT_NULL(test, memchr_inv(&software->hw, 0xff,
					   sizeof(software->hw)));
}

/* @event is accepted, and not installed */
#define EXPECT_ACCEPTED(test, event)					\
do {									\
	struct kunit *__test = (test);					\
									\
	KUNIT_EXPECT_EQ(__test, config(__test, event), 0);		\
} while (0)

/* @event is refused for the reason INTEL_ACR_@why */
#define EXPECT_REFUSED(test, event, why)				\
do {									\
	struct kunit *__test = (test);					\
									\
	KUNIT_EXPECT_EQ(__test, config(__test, event), -EINVAL);	\
	KUNIT_EXPECT_EQ(__test, fake()->refusal, INTEL_ACR_##why);	\
} while (0)

/* A new group: the members of the old one are not on any list here */
static void start_group(struct kunit *test)
{
	struct fake_group *group = test->priv;

	group->nr = 0;
}

/* Put an event on the list of those that are scheduled */
static void put_on(struct kunit *test, struct perf_event *event, int idx)
{
	struct cpu_hw_events *cpuc = &fake()->cpuc;
	int i;

	for (i = 0; i < cpuc->n_events && cpuc->event_list[i] != event; i++)
		;
	KUNIT_ASSERT_LT(test, i, X86_PMC_IDX_MAX);
	cpuc->event_list[i] = event;
	cpuc->assign[i] = idx;
	cpuc->n_events = max(cpuc->n_events, i + 1);
}

/* Take it off, as x86_pmu_del() does: the others move up */
static void take_off(struct kunit *test, struct perf_event *event)
{
	struct cpu_hw_events *cpuc = &fake()->cpuc;
	int i;

	for (i = 0; i < cpuc->n_events && cpuc->event_list[i] != event; i++)
		;
	KUNIT_ASSERT_LT(test, i, cpuc->n_events);
	cpuc->events[event->hw.idx] = NULL;
	for (i++; i < cpuc->n_events; i++) {
		cpuc->event_list[i - 1] = cpuc->event_list[i];
		cpuc->assign[i - 1] = cpuc->assign[i];
	}
	cpuc->n_events--;
}

/* What x86_pmu_enable() does: translate, stop what moves, start the rest */
static void enable(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct cpu_hw_events *cpuc = &group->cpuc;
	int i;

	group->restarts = 0;
	intel_acr_translate(cpuc, &group->acr);

	for (i = 0; i < cpuc->n_events; i++) {
		struct perf_event *event = cpuc->event_list[i];
		int idx = event->hw.idx;

		if (idx >= 0 && idx != cpuc->assign[i] &&
		    cpuc->events[idx] == event)
			cpuc->events[idx] = NULL;
	}

	for (i = 0; i < cpuc->n_events; i++) {
		struct perf_event *event = cpuc->event_list[i];
		int idx = cpuc->assign[i];

		if (cpuc->events[idx] == event)
			continue;

		event->hw.idx = idx;
		cpuc->events[idx] = event;
		intel_acr_prepare(&group->acr, event);
	}
}

static void expect_causes(struct kunit *test, int idx, u64 want)
{
	KUNIT_EXPECT_EQ_MSG(test, fake()->cfg_b[idx], want, "counter %d", idx);
}

/* What @event can run on when its group is scheduled on trial */
static u64 trial_mask(struct kunit *test, struct perf_event *event)
{
	struct fake_group *group = test->priv;
	u64 mask = ~0ULL;

	memset(&group->cpuc, 0, sizeof(group->cpuc));
	group->cpuc.is_fake = 1;
	group->cpuc.event_list[0] = event;
	mutex_lock(&group->ctx.mutex);
	intel_acr_group_constraint(&group->cpuc, event, &mask);
	mutex_unlock(&group->ctx.mutex);

	return mask;
}

/* Does the event raise a PMI? Precise events never do. */
static bool raises_pmi(const struct perf_event *event)
{
	return event->hw.config & ARCH_PERFMON_EVENTSEL_INT;
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
 * Translation of masks
 */

/* Three members, sampled on the first, on counters out of order */
static void three_members_test(struct kunit *test)
{
	put_on(test, add_member(test, 0x6), 5);
	put_on(test, add_member(test, 0x7), 33);
	put_on(test, add_member(test, 0x7), 2);
	enable(test);

	expect_causes(test, 5, 0x200000004ULL);
	expect_causes(test, 33, 0x200000024ULL);
	expect_causes(test, 2, 0x200000024ULL);
}

/* A member that is not scheduled must not shift the bits of the others */
static void acr_b1_disabled_member(struct kunit *test)
{
	put_on(test, add_member(test, 0x6), 4);
	add_member(test, 0x7);
	put_on(test, add_member(test, 0x5), 6);
	enable(test);

	expect_causes(test, 4, 0x40);
	expect_causes(test, 6, 0x50);
}

/* Counted among the scheduled ones, bit 2 would be the fourth member */
static void acr_d1_disabled_member_shifts_no_bit(struct kunit *test)
{
	put_on(test, add_member(test, 0x4), 2);
	add_member(test, 0);
	put_on(test, add_member(test, 0), 3);
	put_on(test, add_member(test, 0), 4);
	enable(test);

	expect_causes(test, 2, 0x8);
}

static void acr_b2_bits_beyond_group(struct kunit *test)
{
	struct fake_group *group = test->priv;
	int i;

	/* A bit may become valid later */
	EXPECT_ACCEPTED(test, new_event(test, &group->core, BIT_ULL(63)));
	EXPECT_REFUSED(test, new_event(test, &group->core, ~0ULL),
		       TOO_MANY_CAUSES);

	put_on(test, add_member(test, 0xcb), 2);
	put_on(test, add_member(test, 0), 3);
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

	put_on(test, add_member(test, 0xcb), 33);
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
	struct perf_event *first = add_member(test, 0x2);
	struct perf_event *second = add_member(test, 0x3);

	put_on(test, first, 2);
	put_on(test, second, 3);
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
	struct perf_event *first = add_member(test, 0x2);
	struct perf_event *second = add_member(test, 0x2);
	int idx;

	put_on(test, first, 2);
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
	struct perf_event *first = add_member(test, 0x2);
	struct perf_event *second = add_member(test, 0);

	put_on(test, first, 2);
	put_on(test, second, 3);
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
	EXPECT_ACCEPTED(test, new_event(test, &group->core, 0));
	enable(test);
	expect_causes(test, 2, 0x14);
	put_on(test, add_member(test, 0), 5);
	KUNIT_EXPECT_EQ(test, group->event[3]->hw.acr_member, 3);
	enable(test);
	expect_causes(test, 2, 0x14);
}

static void acr_d7_freed_counter_is_not_named(struct kunit *test)
{
	struct perf_event *first = add_member(test, 0x2);
	struct perf_event *second = add_member(test, 0x3);

	put_on(test, first, 2);
	put_on(test, second, 3);
	enable(test);
	take_off(test, second);
	enable(test);
	expect_causes(test, 2, 0);
}

/* Take the leader of {0x2, 0x7, 0x7} away as closing it does */
static void close_leader(struct kunit *test, struct perf_event **member)
{
	struct perf_event *leader = add_member(test, 0x2);
	int i;

	put_on(test, leader, 2);
	for (i = 0; i < 2; i++) {
		member[i] = add_member(test, 0x7);
		put_on(test, member[i], i ? 33 : 3);
	}
	enable(test);
	KUNIT_EXPECT_FALSE(test, raises_pmi(member[0]));

	/* First it is off the list, then it is no leader any more */
	take_off(test, leader);
	enable(test);
	for (i = 0; i < 2; i++)
		list_del_init(&member[i]->sibling_list);
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
	put_on(test, add_member(test, 0x3), 4);
	KUNIT_EXPECT_EQ(test, group->event[1]->hw.acr_member, 1);
	enable(test);
	expect_causes(test, 3, 0);
	expect_causes(test, 4, 0x18);
}

static void acr_d5_closed_leader_leaves_no_mask(struct kunit *test)
{
	struct perf_event *member[2];

	close_leader(test, member);
	expect_causes(test, 3, 0);
	expect_causes(test, 33, 0);
	KUNIT_EXPECT_TRUE(test, raises_pmi(member[0]));
	KUNIT_EXPECT_TRUE(test, raises_pmi(member[1]));
}

/* A leader from the start may reload itself */
static void self_reloading_leader_test(struct kunit *test)
{
	put_on(test, add_member(test, 0x1), 2);
	enable(test);
	expect_causes(test, 2, 0x4);
}

static void acr_b31_two_groups(struct kunit *test)
{
	struct fake_group *group = test->priv;

	put_on(test, add_member(test, 0x2), 2);
	put_on(test, add_member(test, 0x3), 3);
	start_group(test);
	put_on(test, add_member(test, 0x7f), 4);
	put_on(test, add_member(test, 0x1), 5);
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
	put_on(test, add_member(test, 0), 3);
	enable(test);

	memset(group->cfg_b, 0xff, sizeof(group->cfg_b));
	memset(group->cfg_c, 0, sizeof(group->cfg_c));
	intel_acr_reset(there, group->acr.counters);
	expect_causes(test, 2, 0);
	intel_acr_prepare(there, first);
	expect_causes(test, 2, 0x8);
	KUNIT_EXPECT_EQ(test, group->cfg_c[2], (u32)-100000);
}

/*
 * Control and registers
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
	struct perf_event *first = add_member(test, 0x2);

	put_on(test, first, 2);
	put_on(test, add_member(test, 0), 3);
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

static void acr_b15_self_reload_has_no_pmi(struct kunit *test)
{
	struct perf_event *first = add_member(test, 0x2);
	struct perf_event *second = add_member(test, 0x3);

	put_on(test, first, 2);
	put_on(test, second, 3);
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
	struct perf_event *event = new_event(test, &group->core, 0x2);

	event->attr.precise_ip = 2;
	EXPECT_ACCEPTED(test, event);
	install(test, event);

	/* What PEBS does when it is enabled */
	event->hw.config &= ~ARCH_PERFMON_EVENTSEL_INT;
	put_on(test, event, 2);
	put_on(test, add_member(test, 0), 3);
	enable(test);
	KUNIT_EXPECT_FALSE(test, raises_pmi(event));
	KUNIT_EXPECT_EQ(test, group->cfg_c[2], (u32)-event->hw.sample_period);

	event = new_event(test, &group->core, 0x4);
	event->attr.precise_ip = 1;
	EXPECT_REFUSED(test, event, SILENT_PEBS);
}

/* Two questions: can the PMU reload, and is the event reloaded? */
static void acr_e10_plain_event_is_not_reloaded(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *event = new_event(test, &group->core, 0);

	EXPECT_ACCEPTED(test, event);
	KUNIT_EXPECT_FALSE(test, event->hw.flags & PERF_X86_EVENT_ACR);
	KUNIT_EXPECT_EQ(test, event->hw.dyn_constraint, ~0ULL);

	install(test, event);
	put_on(test, event, 0);
	enable(test);
	EXPECT_NO_WRITE(test);

	event = new_event(test, &group->core, 0x1);
	EXPECT_ACCEPTED(test, event);
	KUNIT_EXPECT_TRUE(test, event->hw.flags & PERF_X86_EVENT_ACR);
	KUNIT_EXPECT_EQ(test, event->hw.dyn_constraint, SKYMONT_ACR);
}

static void acr_b24_cpu_starts(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *first = add_member(test, 0x2);

	put_on(test, first, 2);
	put_on(test, add_member(test, 0), 3);
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
	struct perf_event *plain = add_member(test, 0);

	put_on(test, plain, 2);
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

/*
 * Throttling
 */

static void acr_b11_group_pauses(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct cpu_hw_events *cpuc = &group->cpuc;
	struct perf_event *event[6];

	event[0] = add_member(test, 0x2);
	event[1] = add_member(test, 0x1);
	event[2] = add_member(test, 0);
	start_group(test);
	event[3] = add_member(test, 0x1);
	start_group(test);
	event[4] = add_member(test, 0);
	event[5] = add_member(test, 0);
	put_on(test, event[0], 2);
	put_on(test, event[1], 3);
	put_on(test, event[2], 4);
	put_on(test, event[3], 5);
	put_on(test, event[4], 6);
	put_on(test, event[5], 7);
	enable(test);
	KUNIT_EXPECT_EQ(test, intel_acr_unpaused(cpuc, 0), cpuc->n_events);

	/* In a group without reloads nothing depends on anybody */
	event[5]->hw.interrupts = MAX_INTERRUPTS;
	KUNIT_EXPECT_EQ(test, intel_acr_unpaused(cpuc, 0), cpuc->n_events);

	/* The core has stopped it already */
	event[1]->hw.interrupts = MAX_INTERRUPTS;
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

/* The values that gave 281474976610656 */
static void acr_d2_no_jump_through_width(struct kunit *test)
{
	struct perf_event *event = add_member(test, 0x2);

	intel_acr_account(event, -50000, -150000, (u32)-150000);
	KUNIT_EXPECT_EQ(test, local64_read(&event->count), 0LL);
	KUNIT_EXPECT_EQ(test, local64_read(&event->hw.period_left), 150000LL);
}

/*
 * Opening
 */

static void group_ok_test(struct kunit *test)
{
	struct fake_group *group = test->priv;

	EXPECT_ACCEPTED(test, new_event(test, &group->core, 0x2));
	add_member(test, 0x2);
	EXPECT_ACCEPTED(test, new_event(test, &group->core, 0x3));
	EXPECT_ACCEPTED(test, new_event(test, &group->core, 0));
}

static void acr_b4_software_members(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *software;

	/* As leader: fine as long as nobody is reloaded */
	software = add_software(test);
	EXPECT_ACCEPTED(test, new_event(test, &group->core, 0));
	EXPECT_REFUSED(test, new_event(test, &group->core, 0x1), FOREIGN_LEADER);
	expect_untouched(test, software);

	/* Between members, also when only an earlier one is reloaded */
	start_group(test);
	add_member(test, 0x2);
	add_software(test);
	EXPECT_REFUSED(test, new_event(test, &group->core, 0x1), GAP);
	EXPECT_REFUSED(test, new_event(test, &group->core, 0), GAP);
}

/* Read from the leader's union, its flags would say anything */
static void acr_e6_software_leader(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *software = add_software(test);
	struct perf_event *event;

	event = new_event(test, &group->core, 0);
	EXPECT_ACCEPTED(test, event);
	install(test, event);
	put_on(test, event, 2);
	enable(test);
	EXPECT_NO_WRITE(test);
	KUNIT_EXPECT_TRUE(test, raises_pmi(event));
	expect_untouched(test, software);
}

static void acr_e7_software_siblings(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *software[2];

	add_member(test, 0x2);
	add_member(test, 0x3);
	software[0] = add_software(test);
	software[1] = add_software(test);
	EXPECT_REFUSED(test, new_event(test, &group->core, 0x7), GAP);

	KUNIT_EXPECT_EQ(test, trial_mask(test, group->event[1]), SKYMONT_ACR);
	expect_untouched(test, software[0]);
	expect_untouched(test, software[1]);
}

/* A leader that is being opened has no context to walk siblings under */
static void acr_e8_leader_without_context(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *leader = new_event(test, &group->core, 0x1);
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
	struct fake_group *group = test->priv;
	struct perf_event *event = new_event(test, &group->core, 0x2);
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
	struct perf_event *event = new_event(test, &group->core, 0x2);

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
	struct fake_group *group = test->priv;
	struct perf_event *event;

	event = new_event(test, &group->core, 0x2);
	event->attr.freq = 1;
	EXPECT_REFUSED(test, event, FREQUENCY);

	/* Named in advance */
	add_member(test, 0x2);
	event = new_event(test, &group->core, 0);
	event->attr.freq = 1;
	EXPECT_REFUSED(test, event, CAUSE_FREQUENCY);

	/* Not named: no part of the ratio */
	add_member(test, 0);
	event = new_event(test, &group->core, 0);
	event->attr.freq = 1;
	EXPECT_ACCEPTED(test, event);
}

/* Opened before the first reloaded member */
static void acr_d13_frequency_and_metric_first(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *event;

	event = add_member(test, 0);
	event->attr.freq = 1;
	EXPECT_REFUSED(test, new_event(test, &group->core, 0x1),
		       CAUSE_FREQUENCY);
	EXPECT_ACCEPTED(test, new_event(test, &group->core, 0x2));

	start_group(test);
	add_member(test, 0);
	event = add_member(test, 0);
	event->attr.config = EVENT_RETIRING;
	EXPECT_REFUSED(test, new_event(test, &group->core, 0x1), METRIC);
}

static void acr_b20_topdown(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *event;

	event = new_event(test, &group->core, 0x2);
	event->attr.config = EVENT_SLOTS;
	EXPECT_REFUSED(test, event, SLOTS);
	event->attr.config = EVENT_RETIRING;
	EXPECT_REFUSED(test, event, SLOTS);

	add_member(test, 0x1);
	event = new_event(test, &group->core, 0);
	event->attr.config = EVENT_RETIRING;
	EXPECT_REFUSED(test, event, METRIC);
}

static void group_limits_test(struct kunit *test)
{
	struct fake_group *group = test->priv;
	int i;

	/* Seven counters on each side */
	for (i = 0; i < 6; i++)
		add_member(test, 0x1);
	EXPECT_ACCEPTED(test, new_event(test, &group->core, 0x1));
	add_member(test, 0x1);
	EXPECT_REFUSED(test, new_event(test, &group->core, 0x1),
		       TOO_MANY_RELOADS);

	start_group(test);
	EXPECT_ACCEPTED(test, new_event(test, &group->core, 0x7f));
	EXPECT_REFUSED(test, new_event(test, &group->core, 0xff),
		       TOO_MANY_CAUSES);
	add_member(test, 0x7f);
	EXPECT_REFUSED(test, new_event(test, &group->core, BIT_ULL(40)),
		       TOO_MANY_CAUSES);
}

/* Two events that are opened at once see the same group, until they join */
static void acr_b8_numbers_are_given_once(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *event[2], *frequency;

	add_member(test, 0x6);
	event[0] = new_event(test, &group->core, 0);
	event[1] = new_event(test, &group->core, 0x2);
	event[1]->attr.precise_ip = 1;
	frequency = new_event(test, &group->core, 0);
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
	EXPECT_REFUSED(test, new_event(test, &group->core, 0xff),
		       TOO_MANY_CAUSES);
	event = new_event(test, &group->core, 0x3);
	event->attr.freq = 1;
	EXPECT_REFUSED(test, event, FREQUENCY);
	EXPECT_ACCEPTED(test, new_event(test, &group->core, 0x3));

	KUNIT_EXPECT_MEMEQ(test, leader, &before[0], sizeof(*leader));
	KUNIT_EXPECT_MEMEQ(test, sibling, &before[1], sizeof(*sibling));
}

static void acr_b22_inherited_member(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *parent[3], *child[3];
	int i;

	parent[0] = add_member(test, 0x4);
	parent[1] = add_member(test, 0);
	parent[2] = add_member(test, 0x5);

	/* The second is an orphan, and left out */
	start_group(test);
	for (i = 0; i < 3; i += 2) {
		child[i] = new_event(test, &group->core, parent[i]->attr.config2);
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
	child[1] = new_event(test, &group->core, parent[2]->attr.config2);
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
	struct fake_group *group = test->priv;
	struct perf_event *event;

	event = new_event(test, &group->core, 0x2);
	event->attr.precise_ip = 3;
	EXPECT_REFUSED(test, event, PDIST);

	/* As a cause it would have no counter, which is found out on trial */
	add_member(test, 0x2);
	event = new_event(test, &group->core, 0);
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
	struct fake_group *group = test->priv;
	struct perf_event *event = new_event(test, &group->core, 0x2);

	EXPECT_ACCEPTED(test, event);
	event->hw.dyn_constraint &= 0xf;
	c = x86_narrow_constraint(&all, &entry, event->hw.dyn_constraint);
	KUNIT_EXPECT_EQ(test, c->idxmsk64, 0xcULL);
	KUNIT_EXPECT_EQ(test, c->weight, 2);
}

static struct kunit_case acr_test_cases[] = {
	KUNIT_CASE_PARAM(leaf_test, leaf_gen_params),
	KUNIT_CASE(three_members_test),
	KUNIT_CASE(self_reloading_leader_test),
	KUNIT_CASE(group_ok_test),
	KUNIT_CASE(group_limits_test),
	KUNIT_CASE(acr_b1_disabled_member),
	KUNIT_CASE(acr_b2_bits_beyond_group),
	KUNIT_CASE(acr_b3_no_write_faults),
	KUNIT_CASE(acr_b4_software_members),
	KUNIT_CASE(acr_b5_mask_follows_peer),
	KUNIT_CASE(acr_b6_removed_member),
	KUNIT_CASE(acr_b7_closed_leader),
	KUNIT_CASE(acr_b8_numbers_are_given_once),
	KUNIT_CASE(acr_b9_other_cpu),
	KUNIT_CASE(acr_b10_count_is_lower_bound),
	KUNIT_CASE(acr_b11_group_pauses),
	KUNIT_CASE(acr_b12_new_period),
	KUNIT_CASE(acr_b13_period_range),
	KUNIT_CASE(acr_b14_frequency),
	KUNIT_CASE(acr_b15_self_reload_has_no_pmi),
	KUNIT_CASE(acr_b16_precise_member),
	KUNIT_CASE(acr_b17_pdist),
	KUNIT_CASE(acr_b18_branch_counters),
	KUNIT_CASE(acr_b19_fixed_counter),
	KUNIT_CASE(acr_b20_topdown),
	KUNIT_CASE(acr_b21_two_pmus),
	KUNIT_CASE(acr_b22_inherited_member),
	KUNIT_CASE(acr_b23_missing_registers),
	KUNIT_CASE(acr_b24_cpu_starts),
	KUNIT_CASE(acr_b25_leftovers),
	KUNIT_CASE(acr_b26_plain_event_clears_mask),
	KUNIT_CASE(acr_b27_write_order),
	KUNIT_CASE(acr_b28_reload_before_pmi),
	KUNIT_CASE(acr_b31_two_groups),
	KUNIT_CASE(acr_b32_no_write_faults_anywhere),
	KUNIT_CASE(acr_e1_fixed_cache_slot),
	KUNIT_CASE(acr_e2_stale_assignment),
	KUNIT_CASE(acr_e3_mask_starts_from_zero),
	KUNIT_CASE(acr_e4_unchanged_counter_is_rewritten),
	KUNIT_CASE(acr_e5_pmi_follows_group),
	KUNIT_CASE(acr_e6_software_leader),
	KUNIT_CASE(acr_e7_software_siblings),
	KUNIT_CASE(acr_e8_leader_without_context),
	KUNIT_CASE(acr_e10_plain_event_is_not_reloaded),
	KUNIT_CASE(acr_d1_disabled_member_shifts_no_bit),
	KUNIT_CASE(acr_d2_no_jump_through_width),
	KUNIT_CASE(acr_d3_refused_event_leaves_no_trace),
	KUNIT_CASE(acr_d5_closed_leader_leaves_no_mask),
	KUNIT_CASE(acr_d6_leftover_under_known_zero),
	KUNIT_CASE(acr_d7_freed_counter_is_not_named),
	KUNIT_CASE(acr_d9_period_fits_register),
	KUNIT_CASE(acr_d10_cause_only_member),
	KUNIT_CASE(acr_d12_pmu_without_reload),
	KUNIT_CASE(acr_d13_frequency_and_metric_first),
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
