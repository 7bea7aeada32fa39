// SPDX-License-Identifier: GPL-2.0-or-later
/* What a counter counts */
#include "pmu.h"
#include "tap.h"

#define LOOPS			1000000
#define LOOP_INSNS		10
#define COINS			4000

static u64 reset_global_ctrl;

void note_reset(void)
{
	reset_global_ctrl = rdmsr(MSR_GLOBAL_CTRL);
}

void test_reset(void)
{
	tap_begin("counters-global-ctrl-after-reset");
	expect_eq("GLOBAL_CTRL", reset_global_ctrl, gp_mask());
	tap_end();
}

static void enumeration(void)
{
	u32 c;

	tap_begin("counters-enumeration");
	expect(gp_mask(), "no general-purpose counter");
	expect_range("width", pmu.width, 32, 64);
	for_each_counter(c, pmu.existing)
		expect(!rdmsr_safe(ctr_msr(c), &(u64){ 0 }), "%s faults",
		       ctr_name(c));
	tap_end();
}

static void write_read(void)
{
	u64 value;
	u32 c;

	for_each_counter(c, pmu.existing) {
		tap_begin("counters-write-read-%s", ctr_name(c));
		expect_eq("WRMSR's exception",
			  wrmsr_safe(ctr_msr(c), 0xffff), 0);
		expect_eq("RDMSR's exception",
			  rdmsr_safe(ctr_msr(c), &value), 0);
		expect_eq("RDMSR", value, 0xffff);
		expect_eq("RDPMC's exception",
			  rdpmc_safe(ctr_rdpmc(c), &value), 0);
		expect_eq("RDPMC", value, 0xffff);
		tap_end();
	}
}

/* After payload(): what the event must have counted */
static void expect_payload(u32 event, u64 count)
{
	const char *name = arch_events[event].name;

	switch (event) {
	case ARCH_INSNS:
		expect_eq(name, count, PAYLOAD_INSNS);
		break;
	case ARCH_BRANCHES:
		expect_eq(name, count, PAYLOAD_BRANCHES);
		break;
	case ARCH_MISSES:
		expect_range(name, count, 0, PAYLOAD_BRANCHES);
		break;
	case ARCH_SLOTS:
		expect(count >= PAYLOAD_INSNS, "%lu slots", count);
		break;
	default:
		expect(count, "no %s", name);
	}
}

/* @c counts already; then no longer */
static void payload_on(u32 c, u32 event)
{
	u64 value;

	payload(BIT(c));
	value = ctr_read(c);
	expect_payload(event, value);
	expect_eq("RDPMC", rdpmc(ctr_rdpmc(c)), value);

	payload(0);
	expect_eq("after GLOBAL_CTRL = 0", ctr_read(c), value);
	if (ctr_is_fixed(c))
		wrmsr(MSR_FIXED_CTR_CTRL, 0);
	else
		wrmsr(MSR_EVENTSEL0 + c, arch_events[event].select | SEL_OS);
	payload(BIT(c));
	expect_eq("after its own enable bit = 0", ctr_read(c), value);
	ctr_write(c, 0xdead);
	expect_eq("RDPMC after a write", rdpmc(ctr_rdpmc(c)), 0xdead);
}

static void events_on_gp(void)
{
	const struct event *e;
	u32 c, i;

	for (i = 0; i < ARCH_EVENTS; i++) {
		e = &arch_events[i];
		if (!(pmu.events >> i & 1)) {
			tap_begin("counters-event-%s", e->name);
			tap_skip("not in CPUID 0xA");
			continue;
		}
		for_each_counter(c, gp_mask()) {
			tap_begin("counters-event-%s-%s", e->name, ctr_name(c));
			ctr_start(c, e->select, 0, SEL_OS);
			payload_on(c, i);
			tap_end();
		}
	}
}

static void events_on_fixed(void)
{
	const struct event *e;
	u32 c, i;

	for (i = 0; i < ARCH_EVENTS; i++) {
		e = &arch_events[i];
		if (e->fixed < 0)
			continue;
		c = FIXED_BASE + e->fixed;
		tap_begin("counters-event-%s-%s", e->name, ctr_name(c));
		if (!ctr_exists(c)) {
			tap_skip("no such counter");
			continue;
		}
		ctr_start(c, 0, 0, SEL_OS);
		payload_on(c, i);
		tap_end();
	}
}

static void every_fixed_counts(void)
{
	u32 c;

	for_each_counter(c, pmu.existing & ~gp_mask()) {
		tap_begin("counters-fixed-counts-%s", ctr_name(c));
		ctr_start(c, 0, 0, SEL_OS);
		coins(BIT(c), COINS, 1);
		expect(ctr_read(c), "zero after %u random branches", COINS);
		tap_end();
		ctr_select(c, 0, 0);
	}
}

static void all_at_once(void)
{
	u32 c;

	tap_begin("counters-all-at-once");
	for_each_counter(c, pmu.existing)
		ctr_start(c, EVENT_INSNS, 0, SEL_OS);
	payload(pmu.existing);
	for_each_counter(c, gp_mask())
		expect_eq(ctr_name(c), ctr_read(c), PAYLOAD_INSNS);
	if (ctr_exists(FIXED_BASE))
		expect_eq("fx0", ctr_read(FIXED_BASE), PAYLOAD_INSNS);
	for_each_counter(c, pmu.existing & (u64)6 << FIXED_BASE)
		expect(ctr_read(c), "%s is zero", ctr_name(c));
	tap_end();
}

static void ranges(void)
{
	static const struct {
		u64 low, high;
	} range[ARCH_EVENTS] = {
		{ LOOPS, 50 * LOOPS },
		{ LOOP_INSNS * LOOPS + 4, LOOP_INSNS * LOOPS + 4 },
		{ LOOPS, 30 * LOOPS },
		{ 1, 2 * LOOPS },
		{ 1, LOOPS },
		{ LOOPS, LOOPS },
		{ 0, LOOPS / 10 },
		{ LOOP_INSNS * LOOPS, 10000 * (u64)LOOPS },
	};
	const struct event *e;
	u32 c, i;

	for (i = 0; i < ARCH_EVENTS; i++) {
		e = &arch_events[i];
		if (!(pmu.events >> i & 1))
			continue;
		tap_begin("counters-million-loops-%s", e->name);
		for_each_counter(c, gp_mask())
			ctr_start(c, e->select, 0, SEL_OS);
		c = FIXED_BASE + e->fixed;
		if (e->fixed >= 0 && ctr_exists(c))
			ctr_start(c, 0, 0, SEL_OS);
		spin(pmu.existing, LOOPS);
		for_each_counter(c, pmu.existing)
			if (!ctr_is_fixed(c) ||
			    (int)(c - FIXED_BASE) == e->fixed)
				expect_range(ctr_name(c), ctr_read(c),
					     range[i].low, range[i].high);
		tap_end();
		pmu_reset();
	}
}

static void mispredictions(void)
{
	tap_begin("counters-random-branches-mispredict");
	ctr_start(0, EVENT_MISSES, 0, SEL_OS);
	ctr_start(1, EVENT_BRANCHES, 0, SEL_OS);
	coins(3, COINS, 0x12345);
	expect_eq("branches", ctr_read(1), 2 * COINS);
	expect_range("misses of the random ones", ctr_read(0), COINS * 3 / 10,
		     COINS * 7 / 10);
	tap_end();
}

/* Each access follows a flush of its line: none of them can hit */
static void cache_misses(void)
{
	static void (*const code[])(u64) = { loads, locked };
	static const char *const name[] = { "loads", "locked" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(code); i++) {
		tap_begin("counters-cache-misses-%s", name[i]);
		if (!(pmu.events >> ARCH_LLC_REFS & 1) ||
		    !(pmu.events >> ARCH_LLC_MISSES & 1)) {
			tap_skip("not in CPUID 0xA");
			continue;
		}
		ctr_start(0, arch_events[ARCH_LLC_REFS].select, 0, SEL_OS);
		ctr_start(1, arch_events[ARCH_LLC_MISSES].select, 0, SEL_OS);
		code[i](3);
		expect_range("references", ctr_read(0), LOCKED_ACCESSES,
			     3 * LOCKED_ACCESSES);
		expect_range("misses", ctr_read(1), LOCKED_ACCESSES,
			     3 * LOCKED_ACCESSES);
		tap_end();
	}
}

static void slots_and_cycles(void)
{
	u64 cycles, width = pmu.leaf_23.c & 0xff;
	u32 slots = FIXED_BASE + 3;

	tap_begin("counters-slots-are-cycles-times-width");
	if (!ctr_exists(slots))
		slots = 1;
	if (slots == 1 && !(pmu.events >> ARCH_SLOTS & 1)) {
		tap_skip("no slots");
		return;
	}
	if (!width) {
		tap_skip("no width in CPUID 0x23");
		return;
	}
	ctr_start(0, EVENT_CYCLES, 0, SEL_OS);
	ctr_start(slots, arch_events[ARCH_SLOTS].select, 0, SEL_OS);
	spin(BIT(0) | BIT(slots), 1000);
	cycles = ctr_read(0);
	expect_range("slots", ctr_read(slots), (cycles - 2) * width,
		     (cycles + 2) * width);
	tap_end();
}

static void unknown_event(void)
{
	tap_begin("counters-unknown-event-is-zero");
	ctr_start(0, 0xffff, 0, SEL_OS);
	payload(1);
	expect_eq("count", ctr_read(0), 0);
	tap_end();
}

#define CONDITIONS		4

/* Counts one piece of code by several conditions at once */
static void by_conditions(const u64 *select, u64 *count)
{
	u32 i;

	for (i = 0; i < CONDITIONS; i++)
		ctr_start(i, select[i], 0, SEL_OS);
	spin(BIT(CONDITIONS) - 1, 1000);
	for (i = 0; i < CONDITIONS; i++)
		count[i] = ctr_read(i);
}

static void cmask(void)
{
	static const u64 select[CONDITIONS] = {
		EVENT_CYCLES, EVENT_INSNS, EVENT_INSNS | SEL_CMASK(1),
		EVENT_INSNS | SEL_CMASK(2),
	};
	static const u64 limits[CONDITIONS] = {
		EVENT_CYCLES, EVENT_CYCLES | SEL_CMASK(2),
		EVENT_INSNS | SEL_CMASK(255), EVENT_INSNS | SEL_CMASK(16),
	};
	u64 n[CONDITIONS];

	tap_begin("counters-cmask");
	by_conditions(select, n);
	expect(n[2] > 0 && n[2] <= n[0], "cmask 1 gives %lu of %lu cycles",
	       n[2], n[0]);
	expect(n[3] > 0 && n[3] <= n[2] && n[3] < n[1],
	       "cmask 2 gives %lu, cmask 1 %lu, no cmask %lu", n[3], n[2],
	       n[1]);
	by_conditions(limits, n);
	expect_eq("cycles with cmask 2", n[1], 0);
	expect_eq("instructions with cmask 255", n[2], 0);
	expect_eq("instructions with cmask 16", n[3], 0);
	tap_end();
}

static void inverted(void)
{
	static const u64 select[CONDITIONS] = {
		EVENT_CYCLES, EVENT_INSNS | SEL_INV | SEL_CMASK(16),
		EVENT_INSNS | SEL_CMASK(2),
		EVENT_INSNS | SEL_INV | SEL_CMASK(2),
	};
	static const u64 without[CONDITIONS] = {
		EVENT_INSNS, EVENT_INSNS | SEL_INV, EVENT_BRANCHES,
		EVENT_BRANCHES | SEL_INV,
	};
	u64 n[CONDITIONS];

	tap_begin("counters-inv-cmask16-is-cycles");
	by_conditions(select, n);
	expect(n[0], "no cycles");
	expect_eq("count", n[1], n[0]);
	tap_end();

	tap_begin("counters-inv-is-the-complement");
	expect_range("sum of both", n[2] + n[3], n[0] - 1, n[0] + 1);
	tap_end();

	tap_begin("counters-inv-without-cmask-is-ignored");
	by_conditions(without, n);
	expect_eq("instructions", n[1], n[0]);
	expect_eq("branches", n[3], n[2]);
	tap_end();
}

static void edge(void)
{
	static const u64 select[CONDITIONS] = {
		EVENT_CYCLES, EVENT_INSNS | SEL_CMASK(1),
		EVENT_INSNS | SEL_CMASK(1) | SEL_EDGE,
		EVENT_INSNS | SEL_CMASK(16) | SEL_INV | SEL_EDGE,
	};
	u64 n[CONDITIONS];
	u32 i;

	/* Every misprediction is followed by cycles without instructions */
	tap_begin("counters-edge");
	for (i = 0; i < CONDITIONS; i++)
		ctr_start(i, select[i], 0, SEL_OS);
	coins(BIT(CONDITIONS) - 1, 1000, 1);
	for (i = 0; i < CONDITIONS; i++)
		n[i] = ctr_read(i);
	expect_range("changes of cmask 1", n[2], 1, n[1]);
	expect(n[2] <= n[0] / 2 + 1, "%lu changes in %lu cycles", n[2], n[0]);
	expect_range("changes of what is always true", n[3], 0, 1);
	tap_end();
}

/* Precisely distributed instructions are instructions */
static void prec_dist(void)
{
	tap_begin("counters-prec-dist");
	if (pmu.model != 0x5e) {
		tap_skip("known of Skylake only");
		return;
	}
	ctr_start(1, 0x01c0, 0, SEL_OS);
	payload(2);
	expect_eq("count", ctr_read(1), PAYLOAD_INSNS);
	tap_end();
}

static void filter_of(u32 c)
{
	tap_begin("counters-filter-%s", ctr_name(c));
	ctr_start(c, EVENT_INSNS, 0, SEL_OS);
	user_payload(BIT(c));
	expect_eq("OS", ctr_read(c), USER_PAYLOAD_OS);
	ctr_start(c, EVENT_INSNS, 0, SEL_USR);
	user_payload(BIT(c));
	expect_eq("USR", ctr_read(c), USER_PAYLOAD_USR);
	ctr_start(c, EVENT_INSNS, 0, SEL_OS | SEL_USR);
	user_payload(BIT(c));
	expect_eq("both", ctr_read(c), USER_PAYLOAD_OS + USER_PAYLOAD_USR);
	ctr_start(c, EVENT_INSNS, 0, 0);
	user_payload(BIT(c));
	expect_eq("neither", ctr_read(c), 0);
	ctr_start(c, EVENT_INSNS, 0, SEL_USR);
	payload(BIT(c));
	expect_eq("USR at CPL 0", ctr_read(c), 0);
	tap_end();
	ctr_start(c, 0, 0, 0);
}

static void filters(void)
{
	u32 c;

	for_each_counter(c, gp_mask() | (pmu.existing & BIT(FIXED_BASE)))
		filter_of(c);

	pmu_reset();
	tap_begin("counters-filter-branches");
	ctr_start(0, EVENT_BRANCHES, 0, SEL_OS);
	ctr_start(1, EVENT_BRANCHES, 0, SEL_USR);
	user_payload(3);
	expect_eq("OS", ctr_read(0), USER_PAYLOAD_OS_BRANCHES);
	expect_eq("USR", ctr_read(1), USER_PAYLOAD_USR_BRANCHES);
	tap_end();
}

static void running_rewrite(void)
{
	u32 c;

	for_each_counter(c, gp_mask() | (pmu.existing & BIT(FIXED_BASE))) {
		tap_begin("counters-rewrite-while-running-%s", ctr_name(c));
		ctr_start(c, EVENT_INSNS, 0, SEL_OS);
		rewrite(BIT(c), ctr_msr(c), 0);
		expect_eq("count from 0", ctr_read(c), REWRITE_INSNS_AFTER);
		ctr_start(c, EVENT_INSNS, 0, SEL_OS);
		rewrite(BIT(c), ctr_msr(c), 1000);
		expect_eq("count from 1000", ctr_read(c),
			  1000 + REWRITE_INSNS_AFTER);
		tap_end();
	}
}

void tests_counters(void)
{
	static const test_fn tests[] = {
		enumeration, write_read, events_on_gp, events_on_fixed,
		every_fixed_counts, all_at_once, ranges, mispredictions,
		cache_misses, slots_and_cycles, unknown_event, cmask, inverted,
		edge, prec_dist, filters, running_rewrite, NULL,
	};

	run_tests(tests);
}
