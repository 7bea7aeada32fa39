/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A CPU without hardware for the KUnit tests of slots and metrics, and a group of
 * them. The tests run on any CPU; no MSR is touched.
 *
 * Fixed counter 3 and PERF_METRICS are made of memory: the categories of each
 * slice are added up exactly, PERF_METRICS rounds them to 255ths, and writing
 * it derives the sums from the fractions again.
 */
#ifndef _PERF_X86_INTEL_TESTS_TOPDOWN_FAKE_H
#define _PERF_X86_INTEL_TESTS_TOPDOWN_FAKE_H

#include <kunit/static_stub.h>
#include <kunit/test.h>

#include <linux/limits.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>

#include <asm/msr-index.h>
#include <asm/perf_event.h>

#include "../../perf_event.h"
#include "../topdown.h"

#define RDPMC_SLOTS		(INTEL_PMC_FIXED_RDPMC_BASE | 3)
#define CATEGORIES		4
#define MEMBERS			(1 + CATEGORIES)
#define METRIC_ALL		0xff
#define SLOTS_MASK		GENMASK_ULL(47, 0)

/**
 * struct fake_pmu - Two registers, a CPU, and a group of events
 * @ctx:	context of the events
 * @core:	PMU of the events
 * @other:	another PMU
 * @cpuc:	state of the CPU
 * @event:	slots event and one metric event for each category
 * @slots:	fixed counter 3
 * @category:	slots of each category since PERF_METRICS was written
 * @truth:	slots of each category that were spent while @event counted
 * @taken:	slots, and those of each category, that user space has taken out
 * @rdpmcs:	number of RDPMCs so far
 * @wrmsrs:	number of writes so far
 */
struct fake_pmu {
	struct perf_event_context	ctx;
	struct pmu			core;
	struct pmu			other;
	struct cpu_hw_events		cpuc;
	struct perf_event		event[MEMBERS];
	u64				slots;
	u64				category[CATEGORIES];
	u64				truth[CATEGORIES];
	u64				taken[MEMBERS];
	int				rdpmcs;
	int				wrmsrs;
};

static struct fake_pmu *fake(void)
{
	return kunit_get_current_test()->priv;
}

/* The sums are rounded to the nearest, so that the fractions add up to 255 */
static u64 fake_metrics(struct fake_pmu *pmu)
{
	u64 whole = 0, sum = 0, last = 0, metrics = 0;
	int i;

	for (i = 0; i < CATEGORIES; i++)
		whole += pmu->category[i];
	if (!whole)
		return 0;

	for (i = 0; i < CATEGORIES; i++) {
		u64 here;

		sum += pmu->category[i];
		here = div64_u64(sum * METRIC_ALL + whole / 2, whole);
		metrics |= (here - last) << i * BITS_PER_BYTE;
		last = here;
	}

	return metrics;
}

static u64 fake_rdpmc(u32 counter)
{
	struct fake_pmu *pmu = fake();

	pmu->rdpmcs++;
	if (counter == RDPMC_SLOTS)
		return pmu->slots;

	KUNIT_EXPECT_EQ(kunit_get_current_test(), counter,
			INTEL_PMC_FIXED_RDPMC_METRICS);
	KUNIT_EXPECT_EQ(kunit_get_current_test(), pmu->event[0].attr.config1, 0);

	return fake_metrics(pmu);
}

/* Where RDPMC clears, the driver may read PERF_METRICS only in this way */
static u64 fake_rdmsr(void)
{
	KUNIT_EXPECT_EQ(kunit_get_current_test(),
			fake()->event[0].attr.config1, 1);

	return fake_metrics(fake());
}

static void fake_wrmsr(u32 msr, u64 value)
{
	struct kunit *test = kunit_get_current_test();
	struct fake_pmu *pmu = fake();
	int i;

	/* The counter first, always together */
	KUNIT_EXPECT_EQ(test, msr, pmu->wrmsrs++ & 1 ? MSR_PERF_METRICS :
			MSR_CORE_PERF_FIXED_CTR3);
	KUNIT_EXPECT_EQ(test, value & ~SLOTS_MASK & -(msr != MSR_PERF_METRICS), 0);

	if (msr == MSR_CORE_PERF_FIXED_CTR3) {
		pmu->slots = value;
		return;
	}

	for (i = 0; i < CATEGORIES; i++)
		pmu->category[i] = (value >> i * BITS_PER_BYTE & METRIC_ALL) *
				   pmu->slots / METRIC_ALL;
}

static void fake_event(struct fake_pmu *pmu, struct perf_event *event,
		       struct perf_event *leader, u64 config)
{
	INIT_LIST_HEAD(&event->sibling_list);
	event->pmu = &pmu->core;
	event->ctx = &pmu->ctx;
	event->group_leader = leader;
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = config;
	event->state = PERF_EVENT_STATE_ACTIVE;
	event->hw.idx = config == INTEL_TD_SLOTS ? INTEL_PMC_IDX_FIXED_SLOTS :
			INTEL_PMC_IDX_METRIC_BASE +
			((config - INTEL_TD_METRIC_RETIRING) >> 8);
	/* As for any event that does not sample */
	event->hw.last_period = S64_MAX >> 16;
	local64_set(&event->hw.period_left, S64_MAX >> 16);
}

static int fake_init(struct kunit *test)
{
	struct perf_event *leader;
	struct fake_pmu *pmu;
	int i;

	pmu = kunit_kzalloc(test, sizeof(*pmu), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pmu);
	mutex_init(&pmu->ctx.mutex);
	test->priv = pmu;

	leader = &pmu->event[0];
	fake_event(pmu, leader, leader, INTEL_TD_SLOTS);
	for (i = 0; i < CATEGORIES; i++) {
		struct perf_event *event = &pmu->event[1 + i];

		fake_event(pmu, event, leader,
			   INTEL_TD_METRIC_RETIRING + (i << 8));
		event->hw.flags = PERF_X86_EVENT_TOPDOWN;
		list_add_tail(&event->sibling_list, &leader->sibling_list);
	}

	/* What the task before has left */
	pmu->slots = 123456;
	pmu->category[1] = 123456;

	kunit_activate_static_stub(test, intel_topdown_rdpmc, fake_rdpmc);
	kunit_activate_static_stub(test, intel_topdown_rdmsr, fake_rdmsr);
	kunit_activate_static_stub(test, intel_topdown_wrmsr, fake_wrmsr);

	return 0;
}

#endif /* _PERF_X86_INTEL_TESTS_TOPDOWN_FAKE_H */
