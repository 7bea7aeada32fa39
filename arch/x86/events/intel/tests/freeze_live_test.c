// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of counter freezing on the CPU's own PMU: what only the kernel
 * can do to it. Freezing has to be on, by intel_freeze_counters=1 on the command
 * line.
 */
#include <kunit/test.h>

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/static_call.h>

#include <asm/msr.h>
#include <asm/perf_event.h>

#include "../../perf_event.h"
#include "../freeze.h"

#define LIVE_PERIOD	1009
#define LIVE_ROUNDS	5000
#define LIVE_ENTRIES	16

/**
 * struct live - A sampled event that consents
 * @event:	the event, on the first CPU
 * @overflows:	how often it has overflowed
 */
struct live {
	struct perf_event	*event;
	unsigned int		overflows;
};

static void live_overflow(struct perf_event *event,
			  struct perf_sample_data *data, struct pt_regs *regs)
{
	struct live *live = event->overflow_handler_context;

	live->overflows++;
}

static struct perf_event *live_open(struct live *live)
{
	struct perf_event_attr attr = {
		.type			= PERF_TYPE_HARDWARE,
		.config			= PERF_COUNT_HW_INSTRUCTIONS,
		.config3		= INTEL_FREEZE_CONSENT,
		.size			= sizeof(attr),
		.sample_period		= LIVE_PERIOD,
		.sample_type		= PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type	= PERF_SAMPLE_BRANCH_ANY |
					  PERF_SAMPLE_BRANCH_KERNEL,
		.pinned			= 1,
		.exclude_user		= 1,
	};

	return perf_event_create_kernel_counter(&attr, 0, NULL,
						live_overflow, live);
}

static bool live_is_armed(void)
{
	u64 debugctl;

	rdmsrl(MSR_IA32_DEBUGCTLMSR, debugctl);

	return debugctl & DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI;
}

/*
 * BPF programs read the branch records at any time, also between an overflow
 * and its PMI. They stop and start the counters for it and write DEBUGCTL.
 */
static void pmi_20_branch_snapshot(struct kunit *test)
{
	static struct perf_branch_entry entries[LIVE_ENTRIES];
	unsigned int i, taken = 0, disarmed = 0;
	struct live live = {};
	u64 count, unused;

	/* The test has a thread of its own */
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(0)), 0);
	live.event = live_open(&live);
	if (IS_ERR(live.event))
		kunit_skip(test, "no event with branch records");
	if (!live_is_armed()) {
		perf_event_release_kernel(live.event);
		kunit_skip(test, "needs intel_freeze_counters=1");
	}

	for (i = 0; i < LIVE_ROUNDS; i++) {
		taken += static_call(perf_snapshot_branch_stack)(entries,
							 LIVE_ENTRIES) > 0;
		disarmed += !live_is_armed();
	}

	perf_event_disable(live.event);
	count = perf_event_read_value(live.event, &unused, &unused);
	perf_event_release_kernel(live.event);

	KUNIT_EXPECT_EQ(test, taken, LIVE_ROUNDS);
	KUNIT_EXPECT_EQ(test, disarmed, 0);
	KUNIT_EXPECT_GT(test, live.overflows, LIVE_ROUNDS / 100);
	/* No PMI was lost */
	KUNIT_EXPECT_EQ(test, live.overflows, (unsigned int)(count / LIVE_PERIOD));
}

static struct kunit_case freeze_live_test_cases[] = {
	KUNIT_CASE(pmi_20_branch_snapshot),
	{}
};

static struct kunit_suite freeze_live_test_suite = {
	.name		= "intel_freeze_live",
	.test_cases	= freeze_live_test_cases,
};

kunit_test_suite(freeze_live_test_suite);

MODULE_DESCRIPTION("KUnit tests of Intel counter freezing on the PMU itself");
MODULE_LICENSE("GPL");
