// SPDX-License-Identifier: GPL-2.0-or-later
/* PEBS: registers, buffer, threshold, memory that is not there */
#include "pebs.h"
#include "tap.h"

static void enable_bits(void)
{
	u64 legal = pebs_counters(), latency = gp_mask() << 32;
	u64 illegal = ~(legal | gp_mask() | BIT(63));
	u32 bit;

	if (pmu.version < 5 && !pmu.baseline) {
		legal |= latency;
		illegal &= ~latency;
	}
	tap_begin("pebs-enable-bits");
	for (bit = 0; bit < 64; bit++) {
		if (legal >> bit & 1) {
			expect(!wrmsr_safe(MSR_PEBS_ENABLE, BIT(bit)),
			       "#GP for bit %u", bit);
			expect(rdmsr(MSR_PEBS_ENABLE) == BIT(bit),
			       "bit %u reads 0x%lx", bit,
			       rdmsr(MSR_PEBS_ENABLE));
		}
		if (illegal >> bit & 1)
			expect(wrmsr_safe(MSR_PEBS_ENABLE, BIT(bit))
			       == VECTOR_GP, "no #GP for bit %u", bit);
	}
	wrmsr(MSR_PEBS_ENABLE, 0);
	tap_end();

	tap_begin("pebs-data-cfg-bits");
	if (!pmu.baseline) {
		tap_skip("not adaptive");
		return;
	}
	for (bit = 0; bit < 64; bit++)
		expect(wrmsr_safe(MSR_PEBS_DATA_CFG, BIT(bit))
		       == (CFG_LEGAL >> bit & 1 ? 0 : VECTOR_GP),
		       "bit %u is %s", bit,
		       CFG_LEGAL >> bit & 1 ? "refused" : "accepted");
	wrmsr(MSR_PEBS_DATA_CFG, 0);
	tap_end();
}

static void ds_area(void)
{
	static const u64 legal[] = {
		0, 0x7fffffffffff, 0xffff800000000000, 0xfffffe0000001000,
	};
	static const u64 illegal[] = {
		0x800000000000, 0xffff7fffffffffff, 0x8000000000000000,
	};
	u32 i;

	tap_begin("pebs-ds-area-is-canonical");
	for (i = 0; i < ARRAY_SIZE(legal); i++) {
		expect(!wrmsr_safe(MSR_DS_AREA, legal[i]), "#GP for 0x%lx",
		       legal[i]);
		expect_eq("DS_AREA", rdmsr(MSR_DS_AREA), legal[i]);
	}
	for (i = 0; i < ARRAY_SIZE(illegal); i++)
		expect(wrmsr_safe(MSR_DS_AREA, illegal[i]) == VECTOR_GP,
		       "no #GP for 0x%lx", illegal[i]);
	tap_end();
}

/* 68 instructions, a record at every fourth */
static void threshold(void)
{
	struct setup s = {
		.counters = 1, .start = -(u64)4, .reset = -(u64)4,
		.threshold = 3,
	};
	u64 before = rdtsc();

	tap_begin("pebs-threshold");
	arm(&s);
	straight(1);
	irq_window();
	expect_eq("records", expect_records(1, before), STRAIGHT_INSNS / 4);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), STATUS_OVF_BUF);
	expect_eq("interrupts", pmi.count, 1);
	status_clear(STATUS_OVF_BUF);
	expect_eq("STATUS after its reset", rdmsr(MSR_GLOBAL_STATUS), 0);
	tap_end();

	tap_begin("pebs-below-threshold");
	pebs_again();
	s.threshold = STRAIGHT_INSNS / 4 + 1;
	arm(&s);
	straight(1);
	irq_window();
	expect_eq("records", expect_records(1, before), STRAIGHT_INSNS / 4);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), 0);
	expect_eq("interrupts", pmi.count, 0);
	tap_end();

	/* The interrupt comes with the record, not at the end */
	tap_begin("pebs-threshold-nmi");
	pebs_again();
	s.threshold = 3;
	arm(&s);
	apic_write(APIC_LVTPC, APIC_LVT_NMI);
	straight(1);
	expect_eq("interrupts", pmi.count, 1);
	expect_eq("STATUS", pmi.status, STATUS_OVF_BUF);
	expect_eq("instructions before it",
		  pmi.ip[0] - (uintptr_t)straight_first, 12);
	/* The handler's first instructions count as well */
	expect_range("records", expect_records(1, before), 3,
		     STRAIGHT_INSNS / 4);
	tap_end();
}

static void full(void)
{
	struct setup s = {
		.counters = 1, .start = -(u64)4, .reset = -(u64)4,
		.threshold = 1000, .maximum = 5,
	};
	u64 before = rdtsc();

	tap_begin("pebs-full-buffer-drops");
	arm(&s);
	straight(1);
	expect_eq("records", expect_records(1, before), 5);
	tap_end();

	tap_begin("pebs-almost-full-buffer-drops");
	pebs_again();
	arm(&s);
	ds->maximum += record_size(0) - 1;
	straight(1);
	expect_eq("records", expect_records(1, before), 5);
	tap_end();
}

static u64 own_reset(u32 c)
{
	return -(u64)(1000 * (c + 1)) & pmu.mask;
}

static void reset_values(void)
{
	u32 c;

	tap_begin("pebs-reset-values");
	for_each_counter(c, exact_counters()) {
		struct setup s = {
			.counters = exact_counters(), .start = -(u64)NTH,
			.threshold = 1000,
		};
		u32 other;

		arm(&s);
		for_each_counter(other, s.counters)
			reset_value(other)[0] = own_reset(other);
		straight(BIT(c));
		expect_eq(ctr_name(c), ctr_read(c),
			  own_reset(c) + STRAIGHT_INSNS - NTH);
		pebs_again();
	}
	tap_end();
}

static void freezing(void)
{
	struct setup s = {
		.counters = 1, .start = -(u64)4, .reset = -(u64)4,
		.threshold = 1000,
	};
	u64 before = rdtsc();

	tap_begin("pebs-own-overflow-does-not-freeze");
	if (pmu.version < 4) {
		tap_skip("perfmon below version 4");
		return;
	}
	arm(&s);
	wrmsr(MSR_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON);
	straight(1);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), 0);
	expect_eq("records", expect_records(1, before), STRAIGHT_INSNS / 4);
	tap_end();

	tap_begin("pebs-threshold-freezes");
	pebs_again();
	s.threshold = 2;
	arm(&s);
	wrmsr(MSR_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON);
	straight(1);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS),
		  STATUS_OVF_BUF | STATUS_CTR_FRZ);
	expect_eq("records", expect_records(1, before), 2);
	tap_end();
}

/* Disabled while the counter still runs: the overflow is an ordinary one */
static void disabled(void)
{
	struct setup s = {
		.counters = 1, .start = -(u64)5000, .threshold = 1,
	};
	u32 i;

	tap_begin("pebs-disabled-before-global-ctrl");
	arm(&s);
	wrmsr(MSR_GLOBAL_CTRL, 1);
	wrmsr(MSR_PEBS_ENABLE, 0);
	for (i = 0; i < 10000; i++)
		cpu_relax();
	wrmsr(MSR_GLOBAL_CTRL, 0);
	expect_eq("index", ds->index, BUFFER);
	expect_eq("buffer", *(u64 *)BUFFER, UNTOUCHED);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), 1);
	tap_end();
}

static void beside_others(void)
{
	struct setup s = {
		.counters = 1, .start = -(u64)4, .reset = -(u64)4,
		.threshold = 1000,
	};
	u64 before = rdtsc();

	tap_begin("pebs-beside-an-ordinary-counter");
	arm(&s);
	ctr_start(1, EVENT_INSNS, -(u64)NTH, SEL_OS);
	straight(3);
	expect_eq("ordinary counter", ctr_read(1), STRAIGHT_INSNS - NTH);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), 2);
	expect_eq("records", expect_records(3, before), STRAIGHT_INSNS / 4);
	tap_end();
}

/* The buffer's pages are the supervisor's */
static void user(void)
{
	struct setup s = {
		.counters = 1, .start = -(u64)NTH, .threshold = 1,
		.flags = SEL_USR,
	};
	u64 before = rdtsc();

	tap_begin("pebs-at-cpl-3");
	arm(&s);
	user_payload(1);
	expect_eq("records", expect_records(1, before), 1);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), STATUS_OVF_BUF);
	tap_end();
}

/* Without SMAP the supervisor may write where CPL 3 may */
static void user_pages(void)
{
	struct setup s = {
		.counters = 1, .start = -(u64)NTH, .threshold = 1,
	};
	u64 before = rdtsc(), page;

	tap_begin("pebs-user-pages-without-smap");
	for (page = BUFFER; page < BUFFER + BUFFER_SIZE; page += 4096)
		set_page(page, PTE_ALL);
	set_page((uintptr_t)ds, PTE_ALL);
	arm(&s);
	straight(1);
	expect_eq("records", expect_records(1, before), 1);
	tap_end();
}

/* An exception would end the test, see trap() */
static void bad_memory(void)
{
	struct setup s = {
		.counters = 1, .start = -(u64)4, .reset = -(u64)4,
		.threshold = 2,
	};

	tap_begin("pebs-unmapped-buffer");
	arm(&s);
	set_page(BUFFER, 0);
	straight(1);
	set_page(BUFFER, PTE_SUPERVISOR);
	expect_eq("buffer", *(u64 *)BUFFER, UNTOUCHED);
	tap_end();

	tap_begin("pebs-read-only-buffer");
	pebs_again();
	arm(&s);
	set_page(BUFFER, PTE_PRESENT);
	straight(1);
	set_page(BUFFER, PTE_SUPERVISOR);
	expect_eq("buffer", *(u64 *)BUFFER, UNTOUCHED);
	tap_end();

	tap_begin("pebs-half-mapped-record");
	pebs_again();
	arm(&s);
	ds->base = BUFFER + 4096 - 8;
	ds->index = ds->base;
	ds->threshold = ds->base + 4096;
	set_page(BUFFER + 4096, 0);
	straight(1);
	set_page(BUFFER + 4096, PTE_SUPERVISOR);
	expect_eq("second page", *(u64 *)(BUFFER + 4096), UNTOUCHED);
	tap_end();

	tap_begin("pebs-record-over-two-pages");
	pebs_again();
	arm(&s);
	ds->base = BUFFER + 4096 - 8;
	ds->index = ds->base;
	ds->threshold = ds->base + 8192;
	straight(1);
	expect_eq("index", ds->index,
		  ds->base + (STRAIGHT_INSNS / 4) * record_size(0));
	expect(*(u64 *)(BUFFER + 4096) != UNTOUCHED, "second page untouched");
	tap_end();

	tap_begin("pebs-unmapped-ds-area");
	pebs_again();
	arm(&s);
	set_page((uintptr_t)ds, 0);
	straight(1);
	set_page((uintptr_t)ds, PTE_SUPERVISOR);
	expect_eq("index", ds->index, BUFFER);
	expect_eq("buffer", *(u64 *)BUFFER, UNTOUCHED);
	tap_end();

	tap_begin("pebs-read-only-ds-area");
	pebs_again();
	arm(&s);
	set_page((uintptr_t)ds, PTE_PRESENT);
	straight(1);
	set_page((uintptr_t)ds, PTE_SUPERVISOR);
	expect_eq("index", ds->index, BUFFER);
	tap_end();

	tap_begin("pebs-non-canonical-buffer");
	pebs_again();
	arm(&s);
	ds->base = 0x800000000000;
	ds->index = ds->base;
	ds->maximum = ds->base + 0x10000;
	ds->threshold = ds->base + 0x1000;
	straight(1);
	expect_eq("index", ds->index, 0x800000000000);
	tap_end();

	/* All that has done no harm */
	tap_begin("pebs-works-after-bad-memory");
	pebs_again();
	arm(&s);
	straight(1);
	expect_eq("records", expect_records(1, 0), STRAIGHT_INSNS / 4);
	tap_end();
}

const test_fn pebs_buffer_tests[] = {
	enable_bits, ds_area, threshold, full, reset_values, freezing,
	disabled, beside_others, user, user_pages, bad_memory, NULL,
};
