// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of slots and metrics: which groups are refused when they are opened.
 * They run on any CPU; no MSR is touched.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "topdown_fake.h"

/*
 * K6, K7, K9: groups that are refused
 */

/* Open @event into the group, and tell whether the leader has changed */
static int open_metric(struct kunit *test, struct perf_event *event,
		       int nr_metrics)
{
	struct fake_pmu *pmu = test->priv;
	struct perf_event *leader = &pmu->event[0];
	struct hw_perf_event before;
	int ret;

	event->hw.flags = 0;
	event->event_caps = 0;
	memcpy(&before, &leader->hw, sizeof(before));
	ret = intel_topdown_hw_config(event, nr_metrics);
	KUNIT_EXPECT_MEMEQ(test, &before, &leader->hw, sizeof(before));
	KUNIT_EXPECT_EQ(test, is_topdown_count(event), !ret);
	KUNIT_EXPECT_EQ(test, event->event_caps,
			ret ? 0 : PERF_EV_CAP_SIBLING);

	return ret;
}

static void topdown_k6_privilege(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	struct perf_event_attr *leader = &pmu->event[0].attr;
	struct perf_event_attr *attr = &pmu->event[1].attr;
	int a, b;

	for (a = 0; a < 16; a++) {
		for (b = 0; b < 16; b++) {
			leader->exclude_user = a & 1;
			leader->exclude_kernel = a >> 1 & 1;
			leader->exclude_host = a >> 2 & 1;
			leader->exclude_guest = a >> 3 & 1;
			attr->exclude_user = b & 1;
			attr->exclude_kernel = b >> 1 & 1;
			attr->exclude_host = b >> 2 & 1;
			attr->exclude_guest = b >> 3 & 1;
			KUNIT_EXPECT_EQ(test,
					open_metric(test, &pmu->event[1], 4),
					a == b ? 0 : -EINVAL);
		}
	}
}

static void topdown_k7_leader(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	struct perf_event *leader = &pmu->event[0];
	struct perf_event *event = &pmu->event[1];

	KUNIT_EXPECT_EQ(test, open_metric(test, event, 4), 0);

	/* Of another PMU, a number that happens to be that of slots */
	leader->pmu = &pmu->other;
	KUNIT_EXPECT_EQ(test, open_metric(test, event, 4), -EINVAL);
	leader->pmu = &pmu->core;

	leader->attr.config = 0xc0;
	KUNIT_EXPECT_EQ(test, open_metric(test, event, 4), -EINVAL);
	leader->attr.config = INTEL_TD_SLOTS;

	leader->attr.sample_period = 100000;
	KUNIT_EXPECT_EQ(test, open_metric(test, event, 4), -EINVAL);
	leader->attr.sample_period = 0;

	event->attr.sample_period = 100000;
	KUNIT_EXPECT_EQ(test, open_metric(test, event, 4), -EINVAL);
	event->attr.sample_period = 0;

	event->group_leader = event;
	KUNIT_EXPECT_EQ(test, open_metric(test, event, 4), -EINVAL);
}

static void topdown_k9_unavailable(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	struct perf_event *event = &pmu->event[1];
	static const int levels[] = {
		0, INTEL_TOPDOWN_LEVEL1_METRICS, INTEL_TOPDOWN_LEVEL2_METRICS,
	};
	int i, metric;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		for (metric = 0; metric < INTEL_TD_METRIC_NUM; metric++) {
			event->attr.config = INTEL_TD_METRIC_RETIRING +
					     (metric << 8);
			KUNIT_EXPECT_EQ(test,
					open_metric(test, event, levels[i]),
					metric < levels[i] ? 0 : -EINVAL);
		}
	}
}

static void topdown_k9_attributes(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	struct perf_event *event = &pmu->event[1];
	struct perf_event_attr good = event->attr;

	event->attr.config1 = 1;
	KUNIT_EXPECT_EQ(test, open_metric(test, event, 4), -EINVAL);
	event->attr = good;

	event->attr.config2 = 1;
	KUNIT_EXPECT_EQ(test, open_metric(test, event, 4), -EINVAL);
	event->attr = good;

	event->attr.config |= ARCH_PERFMON_EVENTSEL_INV;
	KUNIT_EXPECT_EQ(test, open_metric(test, event, 4), -EINVAL);
	event->attr = good;

	/* Slots alone may sample, but have no filter either */
	pmu->event[0].attr.sample_period = 100000;
	KUNIT_EXPECT_EQ(test, intel_topdown_hw_config(&pmu->event[0], 4), 0);
	KUNIT_EXPECT_FALSE(test, is_topdown_count(&pmu->event[0]));
	pmu->event[0].attr.config |= ARCH_PERFMON_EVENTSEL_EDGE;
	KUNIT_EXPECT_EQ(test, intel_topdown_hw_config(&pmu->event[0], 4),
			-EINVAL);
}

/* A fork does not fail because the leader is closed just then */
static void topdown_r26_inherited_alone(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	struct perf_event *event = &pmu->event[2];

	event->group_leader = event;
	KUNIT_EXPECT_EQ(test, open_metric(test, event, 4), -EINVAL);
	event->parent = &pmu->event[1];
	KUNIT_EXPECT_EQ(test, open_metric(test, event, 4), 0);
}

/*
 * R23: who may have RDPMC clear both registers
 */

static bool can_clear(struct pmu *pmu)
{
	return pmu == &fake()->core;
}

static int open_slots(struct perf_event *event, u64 config1)
{
	event->attr.config1 = config1;
	event->hw.flags = 0;

	return intel_topdown_hw_config(event, INTEL_TOPDOWN_LEVEL1_METRICS);
}

static void topdown_r23_who_may(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	struct perf_event *event = &pmu->event[0];

	/* This machine's own PMU may be one that can */
	kunit_activate_static_stub(test, intel_topdown_can_clear, can_clear);

	event->attach_state = PERF_ATTACH_TASK;
	KUNIT_EXPECT_EQ(test, open_slots(event, 1), 0);
	KUNIT_EXPECT_TRUE(test, is_topdown_count(event));
	KUNIT_EXPECT_EQ(test, intel_topdown_fixed_bits(event), BIT_ULL(2));
	KUNIT_EXPECT_EQ(test, intel_topdown_fixed_bits(&pmu->event[1]),
			BIT_ULL(2));

	/* Without the bit, all is as ever */
	KUNIT_EXPECT_EQ(test, open_slots(event, 0), 0);
	KUNIT_EXPECT_FALSE(test, is_topdown_count(event));
	KUNIT_EXPECT_EQ(test, intel_topdown_fixed_bits(event), 0);

	/* Other bits, and the rest of the conditions one by one */
	KUNIT_EXPECT_EQ(test, open_slots(event, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, open_slots(event, 3), -EINVAL);
	event->attach_state = 0;
	KUNIT_EXPECT_EQ(test, open_slots(event, 1), -EINVAL);
	KUNIT_EXPECT_FALSE(test, is_topdown_count(event));
	event->attach_state = PERF_ATTACH_TASK;
	event->attr.sample_period = 1000;
	KUNIT_EXPECT_EQ(test, open_slots(event, 1), -EINVAL);
	event->attr.sample_period = 0;
	event->group_leader = &pmu->event[1];
	KUNIT_EXPECT_EQ(test, open_slots(event, 1), -EINVAL);
	event->group_leader = event;
	event->pmu = &pmu->other;
	KUNIT_EXPECT_EQ(test, open_slots(event, 1), -EINVAL);
	event->pmu = &pmu->core;

	/* A metric event never, and no leader of another PMU decides */
	pmu->event[1].attach_state = PERF_ATTACH_TASK;
	KUNIT_EXPECT_EQ(test, open_slots(&pmu->event[1], 1), -EINVAL);
	event->attr.config1 = 1;
	event->pmu = &pmu->other;
	KUNIT_EXPECT_EQ(test, intel_topdown_fixed_bits(&pmu->event[1]), 0);
}

static struct kunit_case topdown_open_test_cases[] = {
	KUNIT_CASE(topdown_k6_privilege),
	KUNIT_CASE(topdown_k7_leader),
	KUNIT_CASE(topdown_k9_unavailable),
	KUNIT_CASE(topdown_k9_attributes),
	KUNIT_CASE(topdown_r26_inherited_alone),
	KUNIT_CASE(topdown_r23_who_may),
	{}
};

static struct kunit_suite topdown_open_test_suite = {
	.name		= "intel_topdown_open",
	.init		= fake_init,
	.test_cases	= topdown_open_test_cases,
};

kunit_test_suite(topdown_open_test_suite);
