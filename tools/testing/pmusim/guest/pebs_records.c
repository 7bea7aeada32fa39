// SPDX-License-Identifier: GPL-2.0-or-later
/* PEBS: when a record is written and what it says */
#include "pebs.h"
#include "tap.h"

/* One counter, one start value */
static void start_value(u32 c, int start)
{
	struct setup s = {
		.counters = BIT(c), .start = start, .threshold = 1,
	};
	struct record r;
	u64 position = BUFFER, before = rdtsc();
	u32 n;

	tap_begin("pebs-%s-start-%d", ctr_name(c), start);
	arm(&s);
	straight(BIT(c));
	n = expect_records(BIT(c), before);
	irq_window();
	expect_eq("records", n, start != 0);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS),
		  start ? STATUS_OVF_BUF : 0);
	expect_eq("interrupts", pmi.count, start != 0);
	expect_eq("counter", ctr_read(c), STRAIGHT_INSNS + start);
	if (n && next_record(&position, &r))
		expect_eq("instructions up to the record's",
			  r.ip - (uintptr_t)straight_first + 1, -start);
	tap_end();
	pebs_again();
}

/* What a fixed counter counts is not known to the instruction */
static void start_value_vague(u32 c, int start)
{
	struct setup s = {
		.counters = BIT(c), .start = start, .threshold = 1,
	};
	u64 before = rdtsc();
	u32 n;

	tap_begin("pebs-%s-start-%d", ctr_name(c), start);
	arm(&s);
	coins(BIT(c), 4000, 3);
	n = expect_records(BIT(c), before);
	expect_eq("records", n, start != 0);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS),
		  start ? STATUS_OVF_BUF : 0);
	tap_end();
	pebs_again();
}

static void start_values(void)
{
	static const int starts[] = { 0, -16, -2, -1 };
	u32 c, i;

	for_each_counter(c, pebs_counters()) {
		for (i = 0; i < ARRAY_SIZE(starts); i++) {
			if (exact_counters() >> c & 1)
				start_value(c, starts[i]);
			else
				start_value_vague(c, starts[i]);
		}
	}
}

/* Format 3 has one layout; for it the list is one long */
static void groups(void)
{
	u32 c, i, adaptive, n;
	u64 before, config;

	for (i = 0; i < 32; i++) {
		/* Sixteen groups with one LBR entry, sixteen with eight */
		config = (i & 0xf) | CFG_LBR_ENTRIES(i & 0x10 ? 8 : 1);
		if (i & 0x10 && !(i & CFG_LBR))
			continue;
		tap_begin("pebs-groups-0x%lx", config);
		for (adaptive = 0; adaptive <= 1; adaptive++) {
			for_each_counter(c, pebs_counters()) {
				struct setup s = {
					.counters = BIT(c), .start = -NTH,
					.config = config, .threshold = 1,
					.flags = adaptive ? SEL_ADAPTIVE : 0,
				};

				before = rdtsc();
				arm(&s);
				if (exact_counters() >> c & 1)
					straight(BIT(c));
				else
					coins(BIT(c), 4000, 3);
				n = expect_records(BIT(c), before);
				expect_eq("records", n, 1);
				pebs_again();
			}
		}
		tap_end();
	}
}

static void several(void)
{
	static const int starts[] = { 0, -16, -2, -1 };
	u64 before, position, applicable;
	u32 i, n, config;
	struct record r;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		tap_begin("pebs-all-at-once-start-%d", starts[i]);
		for (config = 0; config < (pmu.baseline ? 8 : 1); config++) {
			struct setup s = {
				.counters = exact_counters(),
				.start = starts[i], .config = config,
				.flags = pmu.baseline ? SEL_ADAPTIVE : 0,
				.threshold = 1,
			};

			before = rdtsc();
			arm(&s);
			straight(s.counters);
			n = expect_records(s.counters, before);
			irq_window();
			expect((n != 0) == (starts[i] != 0), "%u records", n);
			expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS),
				  starts[i] ? STATUS_OVF_BUF : 0);
			expect_eq("interrupts", pmi.count, starts[i] != 0);
			applicable = 0;
			position = BUFFER;
			while (next_record(&position, &r)) {
				applicable |= r.applicable;
				expect_eq("instructions up to the record's",
					  r.ip - (uintptr_t)straight_first + 1,
					  -starts[i]);
			}
			expect_eq("counters with a record", applicable,
				  starts[i] ? s.counters : 0);
			pebs_again();
		}
		tap_end();
	}
}

/* IP: each instruction in turn is the one that overflows */
static void exact_ip(void)
{
	u64 position;
	struct record r;
	u32 nth;

	tap_begin("pebs-exact-ip");
	for (nth = 1; nth <= STRAIGHT_NOPS; nth++) {
		struct setup s = {
			.counters = 1, .start = -(u64)nth, .threshold = 1,
		};

		arm(&s);
		straight(1);
		position = BUFFER;
		if (expect(next_record(&position, &r), "no record"))
			expect_eq("instructions up to the record's",
				  r.ip - (uintptr_t)straight_first + 1, nth);
		pebs_again();
	}
	tap_end();
}

static void expect_one(const u8 *ip, const u8 *next)
{
	u64 position = BUFFER;
	struct record r;

	if (!expect(next_record(&position, &r), "no record"))
		return;
	expect_eq("eventing IP", r.ip, (uintptr_t)ip);
	if (pmu.baseline)
		expect_eq("IP", ((const struct gprs *)(r.data + BASIC_SIZE))->ip,
			  (uintptr_t)next);
	else
		expect_eq("IP", ((const struct format3 *)r.data)->ip,
			  (uintptr_t)next);
}

/* lbr_loop() and lbr_flip() start and stop the counters here */
static void branches(void)
{
	struct setup s = {
		.counters = 1, .start = -(u64)5, .config = CFG_GPRS,
		.flags = pmu.baseline ? SEL_ADAPTIVE : 0, .threshold = 1,
	};
	u64 flags = SEL_OS | s.flags;

	tap_begin("pebs-branch");
	arm(&s);
	ctr_select(0, EVENT_BRANCHES, flags);
	lbr_loop(MSR_GLOBAL_CTRL, 1, 50);
	expect_one(lbr_loop_from, lbr_loop_to);
	tap_end();

	tap_begin("pebs-mispredicted-branch");
	pebs_again();
	ctr_start(0, EVENT_MISSES, 0, SEL_OS);
	lbr_flip(MSR_GLOBAL_CTRL, 1, 200);
	s.start = -(u64)1;
	arm(&s);
	ctr_select(0, EVENT_MISSES, flags);
	lbr_flip(MSR_GLOBAL_CTRL, 1, 200);
	expect_one(lbr_flip_from, lbr_flip_to);
	tap_end();
}

/* What Skylake's cycles:p counts */
static void cycles(void)
{
	struct setup s = {
		.counters = 1, .start = -(u64)5, .threshold = 1,
		.flags = SEL_INV | SEL_CMASK(16),
	};
	u64 before = rdtsc();

	tap_begin("pebs-inv-cmask16-cycles");
	arm(&s);
	straight(1);
	expect_eq("records", expect_records(1, before), 1);
	tap_end();
}

static void registers(void)
{
	struct setup s = {
		.counters = 1, .start = -(u64)(PEBS_REGS_BEFORE + 10),
		.config = CFG_GPRS, .threshold = 1,
		.flags = pmu.baseline ? SEL_ADAPTIVE : 0,
	};
	const struct format3 *f;
	u64 position = BUFFER;
	struct record record;
	struct gprs r;
	u32 i;

	tap_begin("pebs-registers");
	arm(&s);
	pebs_regs(1);
	if (!expect(next_record(&position, &record), "no record")) {
		tap_end();
		return;
	}
	if (pmu.baseline) {
		r = *(const struct gprs *)(record.data + BASIC_SIZE);
	} else {
		f = (const struct format3 *)record.data;
		r = (struct gprs){
			f->flags, f->ip, f->ax, f->cx, f->dx, f->bx, f->sp,
			f->bp, f->si, f->di, { 0 }
		};
		for (i = 0; i < 8; i++)
			r.r[i] = f->r[i];
	}
	expect_eq("eventing IP", record.ip, (uintptr_t)pebs_regs_first + 9);
	expect_eq("IP", r.ip, (uintptr_t)pebs_regs_first + 10);
	expect_eq("CX", r.cx, REGS_VALUE(1));
	expect_eq("DX", r.dx, REGS_VALUE(2));
	expect_eq("BX", r.bx, REGS_VALUE(3));
	expect_eq("AX", r.ax, REGS_VALUE(4));
	expect_eq("BP", r.bp, REGS_VALUE(5));
	expect_eq("SI", r.si, REGS_VALUE(6));
	expect_eq("DI", r.di, REGS_VALUE(7));
	expect_eq("SP", r.sp, pebs_regs_rsp);
	for (i = 0; i < 8; i++)
		expect(r.r[i] == REGS_VALUE(8 + i), "R%u is 0x%lx", 8 + i,
		       r.r[i]);
	/* Bit 1 is always 1, interrupts are off */
	expect_eq("FLAGS 9 and 1", r.flags & 0x202, 2);
	tap_end();
}

static void xmm(void)
{
	struct setup s = {
		.counters = 1, .start = -(u64)(PEBS_REGS_BEFORE + 10),
		.config = CFG_XMM, .threshold = 1, .flags = SEL_ADAPTIVE,
	};
	u64 position = BUFFER;
	struct record record;
	const u64 *x;

	tap_begin("pebs-xmm");
	if (!pmu.baseline) {
		tap_skip("not adaptive");
		return;
	}
	arm(&s);
	pebs_regs(1);
	if (expect(next_record(&position, &record), "no record")) {
		x = (const u64 *)(record.data + BASIC_SIZE);
		expect_eq("XMM0 low", x[0], REGS_VALUE(16));
		expect_eq("XMM0 high", x[1], REGS_VALUE(16));
		expect_eq("XMM15 low", x[30], REGS_VALUE(15));
		expect_eq("XMM15 high", x[31], REGS_VALUE(15));
	}
	tap_end();
}

static void lbrs(void)
{
	struct setup s = {
		.counters = 1, .start = -(u64)NTH,
		.config = CFG_LBR | CFG_LBR_ENTRIES(4), .threshold = 1,
		.flags = SEL_ADAPTIVE,
	};
	u64 position = BUFFER;
	struct record record;
	const u64 *l;
	u32 i;

	tap_begin("pebs-lbr-off-is-zero");
	if (!pmu.baseline || pmu.lbr == LBR_NONE) {
		tap_skip("not adaptive, or no LBR");
		return;
	}
	arm(&s);
	straight(1);
	if (expect(next_record(&position, &record), "no record")) {
		l = (const u64 *)(record.data + BASIC_SIZE);
		for (i = 0; i < 12; i++)
			expect(!l[i], "word %u is 0x%lx", i, l[i]);
	}
	tap_end();

	tap_begin("pebs-lbr");
	pebs_again();
	arm(&s);
	position = BUFFER;
	if (pmu.lbr == LBR_ARCH)
		wrmsr(MSR_ARCH_LBR_CTL, 0x7f0007);
	else
		wrmsr(MSR_DEBUGCTL, DEBUGCTL_LBR);
	straight(1);
	wrmsr(MSR_DEBUGCTL, 0);
	if (pmu.lbr == LBR_ARCH)
		wrmsr(MSR_ARCH_LBR_CTL, 0);
	if (expect(next_record(&position, &record), "no record")) {
		l = (const u64 *)(record.data + BASIC_SIZE);
		expect(l[0], "FROM of the newest is 0");
		expect_eq("TO of the newest", l[1], (uintptr_t)straight);
	}
	tap_end();
}

const test_fn pebs_records_tests[] = {
	start_values, several, exact_ip, branches, cycles, registers, xmm,
	lbrs, NULL,
};

const test_fn pebs_groups_tests[] = { groups, NULL };
