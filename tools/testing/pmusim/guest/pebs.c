// SPDX-License-Identifier: GPL-2.0-or-later
/* PEBS: what its tests share */
#include "pebs.h"
#include "tap.h"

/* PEBS_DATA_CFG in force for what has been armed */
static u64 groups_in_force;

void set_page(u64 address, u64 flags)
{
	page_small[(address - SMALL_PAGES) >> 12] = (address & ~0xfff) | flags;
	invlpg(address);
}

void pebs_fresh(void)
{
	u64 *word = (u64 *)BUFFER, address;
	u32 i;

	wrmsr(MSR_PEBS_ENABLE, 0);
	if (pmu.baseline)
		wrmsr(MSR_PEBS_DATA_CFG, 0);
	for (address = BUFFER; address < SMALL_PAGES + 0x200000; address += 4096)
		set_page(address, PTE_SUPERVISOR);
	for (i = 0; i < (BUFFER_SIZE + 4096) / 8; i++)
		word[i] = UNTOUCHED;
	*ds = (struct ds_area){ .base = 0 };
	wrmsr(MSR_DS_AREA, (uintptr_t)ds);
}

/* Below format 5 the DS area has reset values for eight */
static u64 pebs_gp(void)
{
	return pmu.pebs_format < 5 ? gp_mask() & 0xff : gp_mask();
}

u64 pebs_counters(void)
{
	return pmu.baseline ? pebs_gp() | (pmu.existing & ~gp_mask())
			    : pebs_gp();
}

u64 exact_counters(void)
{
	return pebs_counters() & (pebs_gp() | BIT(FIXED_BASE));
}

u64 *reset_value(u32 c)
{
	u32 n = c % FIXED_BASE;

	if (!ctr_is_fixed(c))
		return &ds->reset[n];
	return &ds->reset[(pmu.pebs_format < 5 ? 8 : 32) + n];
}

static u32 lbr_entries(u64 groups)
{
	return groups & CFG_LBR ? (groups >> 24 & 0xff) + 1 : 0;
}

u64 record_size(u64 groups)
{
	if (!pmu.baseline)
		return FORMAT3_SIZE;
	return BASIC_SIZE
		+ (groups & CFG_MEMORY ? MEMORY_SIZE : 0)
		+ (groups & CFG_GPRS ? GPRS_SIZE : 0)
		+ (groups & CFG_XMM ? XMM_SIZE : 0)
		+ lbr_entries(groups) * LBR_SIZE;
}

void arm(const struct setup *s)
{
	u64 flags = s->flags & (SEL_OS | SEL_USR) ? s->flags
						  : s->flags | SEL_OS;
	u64 size;
	u32 c;

	groups_in_force = flags & SEL_ADAPTIVE ? s->config : 0;
	size = record_size(groups_in_force);
	ds->base = BUFFER;
	ds->index = BUFFER;
	ds->maximum = BUFFER + (s->maximum ? s->maximum * size : BUFFER_SIZE);
	ds->threshold = BUFFER + s->threshold * size;
	if (pmu.baseline)
		wrmsr(MSR_PEBS_DATA_CFG, s->config);
	for_each_counter(c, s->counters) {
		*reset_value(c) = s->reset & pmu.mask;
		ctr_start(c, EVENT_INSNS, s->start, flags);
	}
	wrmsr(MSR_PEBS_ENABLE, s->counters);
	apic_write(APIC_LVTPC, VECTOR_PMI);
}

bool next_record(u64 *position, struct record *r)
{
	const struct format3 *f = (const struct format3 *)*position;
	const struct basic *b = (const struct basic *)*position;

	if (*position >= ds->index)
		return false;
	if (pmu.baseline)
		*r = (struct record){
			b->format & 0xffffffff, b->format >> 48, b->ip,
			b->applicable, b->tsc, (const u8 *)b
		};
	else
		*r = (struct record){
			0, FORMAT3_SIZE, f->real_ip, f->status, f->tsc,
			(const u8 *)f
		};
	if (!expect_eq("size of a record", r->size,
		       record_size(groups_in_force)))
		return false;
	*position += r->size;
	return true;
}

u32 expect_records(u64 counters, u64 before)
{
	u64 position = BUFFER, after = rdtsc();
	struct record r;
	u32 n = 0;

	while (next_record(&position, &r)) {
		n++;
		expect_eq("groups of a record", r.groups, groups_in_force);
		expect(r.applicable && !(r.applicable & ~counters),
		       "record %u is of counters 0x%lx", n, r.applicable);
		expect(r.tsc >= before && r.tsc <= after,
		       "record %u's TSC is 0x%lx, not 0x%lx to 0x%lx", n, r.tsc,
		       before, after);
	}
	expect_eq("index", ds->index, BUFFER + n * record_size(groups_in_force));
	expect_eq("what follows the records", *(u64 *)ds->index, UNTOUCHED);
	return n;
}

void pebs_again(void)
{
	pmu_reset();
	pebs_fresh();
}

void tests_pebs(void)
{
	if (!pmu.pebs_format) {
		tap_skipped("pebs", "CPUID or MISC_ENABLE says there is none");
		return;
	}
	if (pmu.pebs_format < 3) {
		tap_skipped("pebs", "format below 3");
		return;
	}
	run_tests_after(pebs_fresh, pebs_records_tests);
	run_tests_after(pebs_fresh, pebs_buffer_tests);
	if (pmu.baseline)
		run_tests_after(pebs_fresh, pebs_groups_tests);
	else
		tap_skipped("pebs-groups", "not adaptive");
}
