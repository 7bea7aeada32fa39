// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of auto counter reload on a CPU's own PMU. Events of the kernel
 * have no group: it is one that reloads itself.
 */
#include <kunit/test.h>

#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include <asm/msr.h>
#include <asm/perf_event.h>

#include "../../perf_event.h"
#include "../acr.h"

#define LIVE_PERIOD		1009
#define LIVE_BRANCHES		20000
#define EVENT_BRANCHES		0xc4

/* By the manual, not by the driver's definitions */
#define LIVE_CFG_B(idx)		(0x1902 + 4 * (idx))
#define LIVE_CFG_C(idx)		(0x1903 + 4 * (idx))
#define LIVE_RELOAD		0xfffffc0fU

static void live_overflow(struct perf_event *event,
			  struct perf_sample_data *data, struct pt_regs *regs)
{
	unsigned int *overflows = event->overflow_handler_context;

	(*overflows)++;
}

static struct perf_event *live_open(struct pmu *pmu, int cpu, u64 mask,
				    unsigned int *overflows)
{
	struct perf_event_attr attr = {
		.type		= pmu->type,
		.config		= EVENT_BRANCHES,
		.config2	= mask,
		.size		= sizeof(attr),
		.sample_period	= LIVE_PERIOD,
		.pinned		= 1,
		.exclude_user	= 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, live_overflow,
						overflows);
}

/* Too few to be throttled */
static void live_branches(void)
{
	unsigned int i;

	for (i = 0; i < LIVE_BRANCHES; i++)
		barrier();
}

/* A CPU that can reload counters, or that many */
static int live_cpu(void)
{
	int cpu;

	for_each_online_cpu(cpu) {
		if (intel_acr_counters(x86_get_pmu(cpu)).reload)
			return cpu;
	}

	return nr_cpu_ids;
}

static u64 live_rdmsr(u32 msr)
{
	u64 value;

	rdmsrl(msr, value);

	return value;
}

static void acr_b15_live_self_reload(struct kunit *test)
{
	unsigned int overflows = 0, i;
	struct perf_event *event;
	u64 count, unused;
	int cpu, idx;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		kunit_skip(test, "no CPU of Intel");
	cpu = live_cpu();
	if (cpu >= nr_cpu_ids)
		kunit_skip(test, "no auto counter reload");
	/* The test has a thread of its own */
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);

	event = live_open(x86_get_pmu(cpu), cpu, 0x1, &overflows);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	live_branches();
	idx = event->hw.idx;
	KUNIT_EXPECT_GE(test, idx, 0);
	KUNIT_EXPECT_LT(test, idx, INTEL_PMC_IDX_FIXED);
	KUNIT_EXPECT_EQ(test, live_rdmsr(LIVE_CFG_B(idx)), BIT_ULL(idx));
	KUNIT_EXPECT_EQ(test, live_rdmsr(LIVE_CFG_C(idx)), LIVE_RELOAD);
	count = perf_event_read_value(event, &unused, &unused);
	perf_event_release_kernel(event);
	KUNIT_EXPECT_GT(test, count, 0);
	KUNIT_EXPECT_EQ(test, overflows, 0);

	/* The last one is gone: that may take a moment */
	for (i = 0; i < 100 && live_rdmsr(LIVE_CFG_B(idx)); i++)
		msleep(20);
	KUNIT_EXPECT_EQ(test, live_rdmsr(LIVE_CFG_B(idx)), 0);

	/* And who comes now is not reloaded */
	event = live_open(x86_get_pmu(cpu), cpu, 0, &overflows);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	live_branches();
	perf_event_disable(event);
	count = perf_event_read_value(event, &unused, &unused);
	perf_event_release_kernel(event);
	KUNIT_EXPECT_GT(test, count, LIVE_BRANCHES / 2);
	KUNIT_EXPECT_EQ(test, overflows, (unsigned int)(count / LIVE_PERIOD));
}

static struct kunit_case acr_live_test_cases[] = {
	KUNIT_CASE(acr_b15_live_self_reload),
	{}
};

static struct kunit_suite acr_live_test_suite = {
	.name		= "intel_acr_live",
	.test_cases	= acr_live_test_cases,
};

kunit_test_suite(acr_live_test_suite);

MODULE_DESCRIPTION("KUnit test of Intel auto counter reload on the PMU itself");
MODULE_LICENSE("GPL");
