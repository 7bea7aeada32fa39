// SPDX-License-Identifier: GPL-2.0-or-later
#include "pmu.h"
#include "tap.h"

struct pmu pmu;

const struct event arch_events[ARCH_EVENTS] = {
	{ "cycles", EVENT_CYCLES, 1 },
	{ "instructions", EVENT_INSNS, 0 },
	{ "ref-cycles", EVENT_REF_CYCLES, 2 },
	{ "llc-references", 0x4f2e, -1 },
	{ "llc-misses", 0x412e, -1 },
	{ "branches", EVENT_BRANCHES, -1 },
	{ "branch-misses", EVENT_MISSES, -1 },
	{ "slots", 0x01a4, 3 },
};

static void detect_counters(void)
{
	struct cpuid a = cpuid(0xa, 0), one;
	u32 fixed, gp, i;

	pmu.version = a.a & 0xff;
	pmu.width = a.a >> 16 & 0xff;
	pmu.mask = BIT(pmu.width) - 1;
	pmu.events = 0;
	for (i = 0; i < ARCH_EVENTS && i < a.a >> 24; i++)
		if (!(a.b >> i & 1))
			pmu.events |= 1u << i;
	pmu.no_anythread = a.d >> 15 & 1;
	gp = BIT(a.a >> 8 & 0xff) - 1;
	fixed = BIT(a.d & 0x1f) - 1;
	if (pmu.version >= 5)
		fixed |= a.c;

	if (cpuid(7, 0).a >= 1 && cpuid(7, 1).a & BIT(8)) {
		pmu.leaf_23 = cpuid(0x23, 0);
		if (pmu.leaf_23.a & BIT(1)) {
			one = cpuid(0x23, 1);
			gp = one.a;
			fixed = one.b;
		}
		if (pmu.leaf_23.a & BIT(2)) {
			one = cpuid(0x23, 2);
			pmu.reloadable = one.a | (u64)one.b << FIXED_BASE;
			pmu.causes = one.c | (u64)one.d << FIXED_BASE;
		}
	}
	pmu.existing = gp | (u64)fixed << FIXED_BASE;
}

void pmu_detect(void)
{
	struct cpuid one = cpuid(1, 0), seven = cpuid(7, 0);
	u32 format;

	pmu = (struct pmu){ 0 };
	pmu.model = (one.a >> 4 & 0xf) | (one.a >> 12 & 0xf0);
	if (seven.d & BIT(15))
		pmu.core_type = cpuid(0x1a, 0).a >> 24;
	pmu.rtm = seven.b & BIT(11);
	if (cpuid(0, 0).a >= 0xa)
		detect_counters();
	if (one.c & BIT(15))
		pmu.caps = rdmsr(MSR_PERF_CAPABILITIES);

	format = pmu.caps & CAP_LBR_FORMAT;
	if (seven.d & BIT(19)) {
		pmu.lbr = LBR_ARCH;
		pmu.lbr_leaf = cpuid(0x1c, 0);
	} else if (format == 5 || format == 7) {
		pmu.lbr = LBR_LEGACY;
	}

	pmu.ds = one.d & BIT(21);
	if (pmu.ds && one.c & BIT(2) && !(rdmsr(MSR_MISC_ENABLE) & BIT(12)))
		pmu.pebs_format = pmu.caps >> 8 & 0xf;
	pmu.baseline = pmu.pebs_format >= 4 && pmu.caps & CAP_BASELINE;
}

static char *append_number(char *s, u32 n)
{
	if (n >= 10)
		*s++ = '0' + n / 10;
	*s++ = '0' + n % 10;
	return s;
}

const char *ctr_name(u32 c)
{
	static char names[4][8];
	static u32 next;
	char *s = names[next++ % 4];

	s[0] = ctr_is_fixed(c) ? 'f' : 'g';
	s[1] = ctr_is_fixed(c) ? 'x' : 'p';
	*append_number(s + 2, c % FIXED_BASE) = '\0';
	return s;
}

u32 ctr_msr(u32 c)
{
	u32 n = c % FIXED_BASE;

	if (pmu.version >= 6)
		return (ctr_is_fixed(c) ? MSR_V6_FX0_CTR : MSR_V6_GP0_CTR)
			+ V6_STEP * n;
	if (ctr_is_fixed(c))
		return MSR_FIXED_CTR0 + n;
	return (pmu.caps & CAP_FULL_WIDTH ? MSR_FULL_WIDTH_PMC0 : MSR_PMC0) + n;
}

u32 ctr_cfg(u32 c, u32 which)
{
	return (ctr_is_fixed(c) ? MSR_V6_FX0_CTR : MSR_V6_GP0_CTR)
		+ V6_STEP * (c % FIXED_BASE) + which;
}

u64 ctr_read(u32 c)
{
	return rdmsr(ctr_msr(c));
}

void ctr_write(u32 c, u64 value)
{
	wrmsr(ctr_msr(c), value & pmu.mask);
}

void ctr_select(u32 c, u64 event, u64 flags)
{
	u32 n = c % FIXED_BASE, shift = 4 * n;
	u64 ctrl, field;

	if (!ctr_is_fixed(c)) {
		wrmsr(MSR_EVENTSEL0 + n, event | flags | SEL_EN);
		return;
	}
	field = (flags & SEL_OS ? 1 : 0) | (flags & SEL_USR ? 2 : 0)
		| (flags & SEL_INT ? 8 : 0);
	ctrl = rdmsr(MSR_FIXED_CTR_CTRL);
	ctrl &= ~((u64)0xf << shift | BIT(32 + shift));
	ctrl |= field << shift;
	if (flags & SEL_ADAPTIVE)
		ctrl |= BIT(32 + shift);
	wrmsr(MSR_FIXED_CTR_CTRL, ctrl);
}

void ctr_start(u32 c, u64 event, u64 value, u64 flags)
{
	ctr_write(c, value);
	ctr_select(c, event, flags);
}

void status_clear(u64 bits)
{
	wrmsr(MSR_GLOBAL_STATUS_RESET, bits);
}

static unsigned long user_read(unsigned long index)
{
	u64 value = 0;
	int fault = rdpmc_safe(index, &value);

	return fault ? BIT(63) | fault : value;
}

u64 user_rdpmc(u32 index)
{
	return user_call(user_read, index);
}

void pmu_reset(void)
{
	u32 c;

	apic_write(APIC_LVTPC, APIC_LVT_MASKED);
	wrmsr(MSR_GLOBAL_CTRL, 0);
	if (pmu.pebs_format)
		wrmsr(MSR_PEBS_ENABLE, 0);
	wrmsr(MSR_DEBUGCTL, 0);
	if (pmu.lbr == LBR_ARCH)
		wrmsr(MSR_ARCH_LBR_CTL, 0);
	if (pmu.lbr == LBR_LEGACY)
		wrmsr(MSR_LBR_SELECT, 0);
	wrmsr(MSR_FIXED_CTR_CTRL, 0);
	for_each_counter(c, pmu.reloadable) {
		wrmsr(ctr_cfg(c, V6_CFG_B), 0);
		wrmsr(ctr_cfg(c, V6_CFG_C), 0);
	}
	for_each_counter(c, pmu.existing) {
		if (!ctr_is_fixed(c))
			wrmsr(MSR_EVENTSEL0 + c, 0);
		ctr_write(c, 0);
	}
	if (pmu.caps & CAP_METRICS)
		wrmsr(MSR_PERF_METRICS, 0);
	status_clear(rdmsr(MSR_GLOBAL_STATUS));
	irq_window();
	pmi = (struct pmi){ 0 };
}

void run_tests_after(test_fn setup, const test_fn *tests)
{
	/* Survives the return of context_save() by an exception */
	static const test_fn *volatile next;

	for (next = tests; *next; next++) {
		if (context_save(&test_context))
			continue;
		pmu_reset();
		if (setup)
			setup();
		(*next)();
	}
}

void run_tests(const test_fn *tests)
{
	run_tests_after(NULL, tests);
}
