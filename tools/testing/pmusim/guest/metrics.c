// SPDX-License-Identifier: GPL-2.0-or-later
/* PERF_METRICS: bytes of retiring, bad speculation, frontend, backend, ... */
#include "pmu.h"
#include "tap.h"

#define FX_SLOTS		(FIXED_BASE + 3)
#define LEVEL1			4

static u64 ctrl(void)
{
	return BIT(FX_SLOTS) | CTRL_METRICS;
}

static u32 byte(u64 metrics, u32 n)
{
	return metrics >> 8 * n & 0xff;
}

static u32 level1_sum(u64 metrics)
{
	u32 n, sum = 0;

	for (n = 0; n < LEVEL1; n++)
		sum += byte(metrics, n);
	return sum;
}

/* As Linux does it: slots first */
static void zero(void)
{
	ctr_write(FX_SLOTS, 0);
	wrmsr(MSR_PERF_METRICS, 0);
	ctr_select(FX_SLOTS, 0, SEL_OS);
}

static void registers(void)
{
	u64 value;

	tap_begin("metrics-register");
	expect_eq("RDMSR's exception",
		  rdmsr_safe(MSR_PERF_METRICS, &value), 0);
	expect_eq("WRMSR's exception", wrmsr_safe(MSR_PERF_METRICS, 0), 0);
	expect(ctr_exists(FX_SLOTS), "no fixed counter 3");
	tap_end();

	tap_begin("metrics-global-ctrl-bit");
	expect_eq("WRMSR's exception",
		  wrmsr_safe(MSR_GLOBAL_CTRL, CTRL_METRICS), 0);
	expect_eq("GLOBAL_CTRL", rdmsr(MSR_GLOBAL_CTRL), CTRL_METRICS);
	tap_end();
}

static void sums(void)
{
	u64 metrics, slots;

	tap_begin("metrics-level-1-sums-to-0xff");
	zero();
	spin(ctrl(), 10000);
	metrics = rdmsr(MSR_PERF_METRICS);
	slots = ctr_read(FX_SLOTS);
	expect(slots >= 10000 * 10, "%lu slots for 100000 instructions", slots);
	expect_eq("sum", level1_sum(metrics), 0xff);
	expect_eq("RDPMC", rdpmc(RDPMC_METRICS), metrics);
	/* Retiring is what instructions take of the slots */
	expect_range("retiring", byte(metrics, 0),
		     100004 * 255 / slots - 2, 100004 * 255 / slots + 2);
	tap_end();

	tap_begin("metrics-random-branches");
	zero();
	coins(ctrl(), 4000, 5);
	metrics = rdmsr(MSR_PERF_METRICS);
	expect_eq("sum", level1_sum(metrics), 0xff);
	expect(byte(metrics, 1) > 10, "bad speculation is %u of 255",
	       byte(metrics, 1));
	tap_end();
}

/* Heavy operations, mispredictions, fetch latency, memory bound: parts */
static void level2(void)
{
	u64 metrics;
	u32 n;

	tap_begin("metrics-level-2-within-level-1");
	zero();
	coins(ctrl(), 4000, 5);
	metrics = rdmsr(MSR_PERF_METRICS);
	if (!(metrics >> 32)) {
		tap_skip("four metrics only");
		return;
	}
	for (n = 0; n < LEVEL1; n++)
		expect(byte(metrics, LEVEL1 + n) <= byte(metrics, n) + 1,
		       "part %u is %u of %u", n, byte(metrics, LEVEL1 + n),
		       byte(metrics, n));
	tap_end();
}

static void stopped(void)
{
	u64 metrics;

	tap_begin("metrics-need-both-enables");
	zero();
	spin(ctrl(), 1000);
	metrics = rdmsr(MSR_PERF_METRICS);
	/* Other code would change the fractions */
	coins(0, 4000, 5);
	expect_eq("with GLOBAL_CTRL = 0", rdmsr(MSR_PERF_METRICS), metrics);
	wrmsr(MSR_FIXED_CTR_CTRL, 0);
	coins(ctrl(), 4000, 5);
	expect_eq("with fixed counter 3 off", rdmsr(MSR_PERF_METRICS), metrics);
	tap_end();

	tap_begin("metrics-need-global-ctrl-48");
	zero();
	spin(BIT(FX_SLOTS), 1000);
	expect(ctr_read(FX_SLOTS), "no slots");
	expect_eq("PERF_METRICS", rdmsr(MSR_PERF_METRICS), 0);
	tap_end();
}

static void again(void)
{
	u64 first, second;

	tap_begin("metrics-zeroed-counts-afresh");
	zero();
	coins(ctrl(), 4000, 5);
	first = rdmsr(MSR_PERF_METRICS);
	zero();
	expect_eq("after zeroing", rdmsr(MSR_PERF_METRICS), 0);
	expect_eq("slots after zeroing", ctr_read(FX_SLOTS), 0);
	spin(ctrl(), 10000);
	second = rdmsr(MSR_PERF_METRICS);
	expect_eq("sum", level1_sum(second), 0xff);
	expect(byte(second, 1) < byte(first, 1),
	       "bad speculation is still %u, was %u", byte(second, 1),
	       byte(first, 1));
	tap_end();
}

/* Saved and restored, as a context switch does */
static void restored(void)
{
	u64 metrics, slots, after;
	u32 n;

	tap_begin("metrics-save-and-restore");
	zero();
	coins(ctrl(), 4000, 5);
	metrics = rdmsr(MSR_PERF_METRICS);
	slots = ctr_read(FX_SLOTS);
	zero();
	spin(ctrl(), 100);
	ctr_write(FX_SLOTS, slots);
	wrmsr(MSR_PERF_METRICS, metrics);
	expect_eq("slots", ctr_read(FX_SLOTS), slots);
	after = rdmsr(MSR_PERF_METRICS);
	for (n = 0; n < LEVEL1; n++)
		expect_range("a byte", byte(after, n),
			     byte(metrics, n) ? byte(metrics, n) - 1 : 0,
			     byte(metrics, n) + 1);
	tap_end();
}

static void user(void)
{
	tap_begin("metrics-rdpmc-at-cpl-3");
	zero();
	spin(ctrl(), 1000);
	write_cr4(read_cr4() | CR4_PCE);
	expect_eq("RDPMC", user_rdpmc(RDPMC_METRICS),
		  rdmsr(MSR_PERF_METRICS));
	write_cr4(read_cr4() & ~CR4_PCE);
	expect_eq("RDPMC without CR4.PCE", user_rdpmc(RDPMC_METRICS),
		  BIT(63) | VECTOR_GP);
	tap_end();
}

static void slots_overflow(void)
{
	tap_begin("metrics-slots-overflow");
	zero();
	apic_write(APIC_LVTPC, VECTOR_PMI);
	ctr_start(FX_SLOTS, 0, -(u64)1000, SEL_OS | SEL_INT);
	spin(ctrl(), 1000);
	irq_window();
	expect(rdmsr(MSR_GLOBAL_STATUS) & BIT(FX_SLOTS), "STATUS is 0x%lx",
	       rdmsr(MSR_GLOBAL_STATUS));
	expect_range("interrupts", pmi.count, 1, 1);
	tap_end();
}

static void absent(void)
{
	u64 value;

	tap_begin("metrics-absent-rdpmc");
	expect_eq("RDPMC's exception", rdpmc_safe(RDPMC_METRICS, &value),
		  VECTOR_GP);
	tap_end();

	tap_begin("metrics-absent-global-ctrl-bit");
	expect_eq("WRMSR's exception",
		  wrmsr_safe(MSR_GLOBAL_CTRL, CTRL_METRICS), VECTOR_GP);
	tap_end();
}

void tests_metrics(void)
{
	static const test_fn none[] = { absent, NULL };
	static const test_fn tests[] = {
		registers, sums, level2, stopped, again, restored, user,
		slots_overflow, NULL,
	};

	if (pmu.caps & CAP_METRICS) {
		run_tests(tests);
		return;
	}
	run_tests(none);
	tap_skipped("metrics", "not in PERF_CAPABILITIES");
}
