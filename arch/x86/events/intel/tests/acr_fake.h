/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A CPU without hardware for the KUnit tests of auto counter reload, and a group
 * of events on it. The tests run on any CPU; no MSR is touched.
 */
#ifndef _PERF_X86_INTEL_TESTS_ACR_FAKE_H
#define _PERF_X86_INTEL_TESTS_ACR_FAKE_H

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
#define SKYMONT_ACR		0x2000000fcULL

#define MAX_MEMBERS		70
#define MAX_WRITES		64

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
	event->hw.interrupts = PERF_MAX_INTERRUPTS;
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

static __maybe_unused struct perf_event *core_event(struct kunit *test, u64 mask)
{
	struct fake_group *group = test->priv;

	return new_event(test, &group->core, mask);
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

static __maybe_unused int join(struct kunit *test, struct perf_event *event)
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
	struct perf_event *event = core_event(test, mask);

	KUNIT_ASSERT_EQ(test, config(test, event), 0);
	install(test, event);

	return event;
}

static __maybe_unused struct perf_event *add_software(struct kunit *test)
{
	struct fake_group *group = test->priv;
	struct perf_event *event = new_event(test, &group->software, 0);

	/* The hardware part is somebody else's union */
	memset(&event->hw, 0xff, sizeof(event->hw));
	install(test, event);

	return event;
}

static __maybe_unused void expect_untouched(struct kunit *test, struct perf_event *software)
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

static __maybe_unused struct perf_event *run_member(struct kunit *test, u64 mask, int idx)
{
	struct perf_event *event = add_member(test, mask);

	put_on(test, event, idx);

	return event;
}

/* Take it off, as x86_pmu_del() does: the others move up */
static __maybe_unused void take_off(struct kunit *test, struct perf_event *event)
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
static __maybe_unused u64 trial_mask(struct kunit *test, struct perf_event *event)
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

/* Take the leader of {0x2, 0x7, 0x7} away as closing it does */
static __maybe_unused void close_leader(struct kunit *test, struct perf_event **member)
{
	struct perf_event *leader = run_member(test, 0x2, 2);
	int i;

	for (i = 0; i < 2; i++)
		member[i] = run_member(test, 0x7, i ? 33 : 3);
	enable(test);
	KUNIT_EXPECT_FALSE(test, raises_pmi(member[0]));

	/* First it is off the list, then it is no leader any more */
	take_off(test, leader);
	enable(test);
	for (i = 0; i < 2; i++)
		list_del_init(&member[i]->sibling_list);
}

static __maybe_unused void expect_writes(struct kunit *test, const struct msr_write *want,
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

#define EXPECT_NO_WRITE(test)	expect_writes(test, NULL, 0)

#endif /* _PERF_X86_INTEL_TESTS_ACR_FAKE_H */
