// SPDX-License-Identifier: GPL-2.0-or-later
/* Last branch records: those of the model (0x680) and the architectural ones */
#include "pmu.h"
#include "tap.h"

#define LEGACY_MAX		32
#define LEGACY_CALL_STACK	BIT(9)
#define ARCH_ENABLE		BIT(0)
#define ARCH_OS			BIT(1)
#define ARCH_USR		BIT(2)
#define ARCH_CALL_STACK		BIT(3)
#define INFO_MISPREDICT		BIT(63)
#define NTH			10
#define WARM			200

struct lbr {
	u64 from, to, info;
};

/* A type of branch and the bit by which it is chosen */
static const struct {
	const char *name;
	u32 type;
	/* LBR_SELECT: suppress */
	u32 legacy;
	/* ARCH_LBR_CTL: capture */
	u32 arch;
} filters[] = {
	{ "jcc", LBR_JCC, 2, 16 },
	{ "rel-jmp", LBR_REL_JMP, 7, 17 },
	{ "ind-jmp", LBR_IND_JMP, 6, 18 },
	{ "rel-call", LBR_REL_CALL, 3, 19 },
	{ "ind-call", LBR_IND_CALL, 4, 20 },
	{ "ret", LBR_RET, 5, 21 },
	{ "far", LBR_FAR, 8, 22 },
};

#define ALL_TYPES		((1 << ARRAY_SIZE(filters)) - 1)
#define OS			1
#define USR			2

static u32 entries;

static u32 count_entries(void)
{
	u32 n, deepest = 0;
	u64 value;

	if (pmu.lbr == LBR_ARCH) {
		for (n = 0; n < 8; n++)
			if (pmu.lbr_leaf.a >> n & 1)
				deepest = 8 * (n + 1);
		return deepest;
	}
	for (n = 0; n < LEGACY_MAX; n++)
		if (rdmsr_safe(MSR_LBR_FROM0 + n, &value))
			break;
	return n;
}

static void clear(void)
{
	u32 n;

	if (pmu.lbr == LBR_ARCH) {
		wrmsr(MSR_ARCH_LBR_DEPTH, entries);
		return;
	}
	for (n = 0; n < entries; n++) {
		wrmsr(MSR_LBR_FROM0 + n, 0);
		wrmsr(MSR_LBR_TO0 + n, 0);
		wrmsr(MSR_LBR_INFO0 + n, 0);
	}
}

/* Entry 0 is the newest */
static struct lbr entry(u32 age)
{
	u32 n;

	if (pmu.lbr == LBR_ARCH)
		return (struct lbr){
			rdmsr(MSR_ARCH_LBR_FROM0 + age),
			rdmsr(MSR_ARCH_LBR_TO0 + age),
			rdmsr(MSR_ARCH_LBR_INFO0 + age),
		};
	n = (rdmsr(MSR_LBR_TOS) - age) & (entries - 1);
	return (struct lbr){
		rdmsr(MSR_LBR_FROM0 + n),
		rdmsr(MSR_LBR_TO0 + n),
		rdmsr(MSR_LBR_INFO0 + n),
	};
}

static u32 control(void)
{
	return pmu.lbr == LBR_ARCH ? MSR_ARCH_LBR_CTL : MSR_DEBUGCTL;
}

/*
 * What control() has to be for recording @types (bits over filters[]) in
 * @rings; sets LBR_SELECT where that is another register.
 */
static u64 recording(u32 types, u32 rings, bool call_stack)
{
	u64 arch = ARCH_ENABLE, select = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		if (types >> i & 1)
			arch |= BIT(filters[i].arch);
		else
			select |= BIT(filters[i].legacy);
	}
	arch |= (rings & OS ? ARCH_OS : 0) | (rings & USR ? ARCH_USR : 0);
	select |= (rings & OS ? 0 : 1) | (rings & USR ? 0 : 2);
	if (call_stack) {
		arch |= ARCH_CALL_STACK;
		select |= LEGACY_CALL_STACK;
	}
	if (pmu.lbr == LBR_ARCH)
		return arch;
	wrmsr(MSR_LBR_SELECT, select);
	return DEBUGCTL_LBR;
}

static u64 everything(void)
{
	return recording(ALL_TYPES, OS | USR, false);
}

static u32 types_of(u32 type)
{
	u32 i, types = 0;

	for (i = 0; i < ARRAY_SIZE(filters); i++)
		if (filters[i].type == type)
			types |= 1u << i;
	return types;
}

/* After lbr_walk(): the branches of @types and no others */
static void expect_walk(u32 types)
{
	const struct lbr_branch *b;
	struct lbr e;
	u32 age = 0;

	for (b = lbr_walk_list_end - 1; b >= lbr_walk_list; b--) {
		if (!(types & types_of(b->type)))
			continue;
		e = entry(age);
		expect(e.from == b->from && e.to == b->to,
		       "entry %u is 0x%lx to 0x%lx, not 0x%lx to 0x%lx", age,
		       e.from, e.to, b->from, b->to);
		age++;
	}
	e = entry(age);
	expect(!e.from && !e.to, "entry %u is 0x%lx to 0x%lx, not empty", age,
	       e.from, e.to);
}

static void expect_empty(const char *when)
{
	u32 n;

	for (n = 0; n < entries; n++)
		expect(!entry(n).from && !entry(n).to,
		       "entry %u is 0x%lx to 0x%lx %s", n, entry(n).from,
		       entry(n).to, when);
}

static void storage(void)
{
	static const u32 legacy[] = {
		MSR_LBR_FROM0, MSR_LBR_TO0, MSR_LBR_INFO0
	};
	static const u32 arch[] = {
		MSR_ARCH_LBR_FROM0, MSR_ARCH_LBR_TO0, MSR_ARCH_LBR_INFO0
	};
	const u32 *base = pmu.lbr == LBR_ARCH ? arch : legacy;
	u32 i, n;

	tap_begin("lbr-storage");
	expect(entries == 8 || entries == 16 || entries == 32, "%u entries",
	       entries);
	for (i = 0; i < 3; i++) {
		for (n = 0; n < entries; n++) {
			expect(!wrmsr_safe(base[i] + n, 0xffff),
			       "WRMSR of 0x%x faults", base[i] + n);
			expect_eq("value read back", rdmsr(base[i] + n),
				  0xffff);
			wrmsr(base[i] + n, 0);
		}
	}
	tap_end();
}

static void tos(void)
{
	u32 i;

	tap_begin("lbr-tos-moves");
	if (pmu.lbr == LBR_ARCH) {
		tap_skip("no TOS");
		return;
	}
	for (i = 0; i < entries; i++) {
		wrmsr(MSR_LBR_TOS, i);
		expect_eq("TOS", rdmsr(MSR_LBR_TOS), i);
		lbr_walk(control(), everything());
		expect_eq("TOS after the walk", rdmsr(MSR_LBR_TOS),
			  (i + (lbr_walk_list_end - lbr_walk_list))
			  & (entries - 1));
	}
	tap_end();
}

static void walk(void)
{
	tap_begin("lbr-walk");
	lbr_walk(control(), everything());
	expect_walk(ALL_TYPES);
	tap_end();

	/* Off: nothing moves */
	tap_begin("lbr-off");
	lbr_walk(control(), 0);
	expect_walk(ALL_TYPES);
	tap_end();
}

static void fills(void)
{
	struct lbr e;
	u32 n;

	tap_begin("lbr-fills");
	lbr_loop(control(), everything(), 100);
	for (n = 0; n < entries; n++) {
		e = entry(n);
		expect(e.from == (uintptr_t)lbr_loop_from &&
		       e.to == (uintptr_t)lbr_loop_to,
		       "entry %u is 0x%lx to 0x%lx", n, e.from, e.to);
	}
	tap_end();
}

static void predicted(void)
{
	u32 n;

	tap_begin("lbr-well-predicted");
	lbr_loop(control(), everything(), WARM);
	for (n = 0; n < 8; n++)
		expect(!(entry(n).info & INFO_MISPREDICT),
		       "entry %u is mispredicted", n);
	tap_end();

	tap_begin("lbr-mispredicted");
	lbr_flip(control(), everything(), WARM);
	expect_eq("FROM", entry(0).from, (uintptr_t)lbr_flip_from);
	expect_eq("TO", entry(0).to, (uintptr_t)lbr_flip_to);
	expect(entry(0).info & INFO_MISPREDICT, "INFO[63] is 0");
	tap_end();
}

static void by_type(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		tap_begin("lbr-filter-only-%s", filters[i].name);
		clear();
		lbr_walk(control(), recording(1u << i, OS | USR, false));
		expect_walk(1u << i);
		tap_end();

		tap_begin("lbr-filter-all-but-%s", filters[i].name);
		clear();
		lbr_walk(control(), recording(ALL_TYPES & ~(1u << i), OS | USR,
					      false));
		expect_walk(ALL_TYPES & ~(1u << i));
		tap_end();
	}
}

static bool is_user(u64 address)
{
	return address >= (uintptr_t)lbr_user_code &&
		address < (uintptr_t)lbr_user_code_end;
}

static void by_ring(void)
{
	u32 n, inner;
	struct lbr e;
	u32 rings;

	for (rings = OS; rings <= (OS | USR); rings++) {
		tap_begin("lbr-filter-ring-%s%s", rings & OS ? "os" : "",
			  rings & USR ? "usr" : "");
		clear();
		lbr_user(control(), recording(ALL_TYPES, rings, false));
		inner = 0;
		for (n = 0; n < entries; n++) {
			e = entry(n);
			if (is_user(e.from) && is_user(e.to))
				inner++;
			if (e.from && !is_user(e.from) && !is_user(e.to))
				expect(rings & OS, "0x%lx to 0x%lx at CPL 0",
				       e.from, e.to);
		}
		expect_eq("branches at CPL 3", inner, rings & USR ? 3 : 0);
		tap_end();
	}

	tap_begin("lbr-filter-ring-usr-at-cpl-0");
	clear();
	lbr_walk(control(), recording(ALL_TYPES, USR, false));
	expect_empty("at CPL 0");
	tap_end();
}

/* Where an exception and an NMI come from and go to */
static void handlers(void)
{
	u64 value, on = recording(types_of(LBR_FAR), OS | USR, false);
	const u8 *from;

	tap_begin("lbr-exception-is-far");
	wrmsr(control(), on);
	rdpmc_safe(RDPMC_NOWHERE, &value);
	wrmsr(control(), 0);
	from = (const u8 *)(uintptr_t)entry(1).from;
	expect_eq("TO", entry(1).to,
		  (uintptr_t)trap_entries + VECTOR_GP * TRAP_ENTRY_SIZE);
	expect(from && from[0] == 0x0f && from[1] == 0x33,
	       "FROM 0x%lx is no RDPMC", (uintptr_t)from);
	expect_eq("TO of the IRET", entry(0).to, (uintptr_t)from + 2);
	tap_end();

	tap_begin("lbr-nmi-is-far");
	clear();
	on = recording(types_of(LBR_FAR), OS | USR, false);
	apic_write(APIC_LVTPC, APIC_LVT_NMI);
	ctr_start(0, EVENT_INSNS, -(u64)NTH, SEL_OS | SEL_INT);
	wrmsr(control(), on);
	straight(1);
	wrmsr(control(), 0);
	expect_eq("FROM", entry(1).from, (uintptr_t)straight_first + NTH);
	expect_eq("TO", entry(1).to,
		  (uintptr_t)trap_entries + VECTOR_NMI * TRAP_ENTRY_SIZE);
	expect_eq("TO of the IRET", entry(0).to,
		  (uintptr_t)straight_first + NTH);
	tap_end();
}

static void select_bits(void)
{
	u32 bit;

	tap_begin("lbr-select-bits");
	if (pmu.lbr == LBR_ARCH) {
		tap_skip("no LBR_SELECT");
		return;
	}
	for (bit = 0; bit < 64; bit++)
		expect(wrmsr_safe(MSR_LBR_SELECT, BIT(bit))
		       == (bit < 10 ? 0 : VECTOR_GP), "bit %u is %s", bit,
		       bit < 10 ? "refused" : "accepted");
	tap_end();
}

static void frozen(void)
{
	tap_begin("lbr-frozen-by-status-58");
	if (pmu.version < 4) {
		tap_skip("perfmon below version 4");
		return;
	}
	wrmsr(MSR_GLOBAL_STATUS_SET, STATUS_LBR_FRZ);
	lbr_walk(control(), everything());
	expect_empty("while STATUS[58] is set");
	status_clear(STATUS_LBR_FRZ);
	lbr_walk(control(), everything());
	expect_walk(ALL_TYPES);
	tap_end();
}

static void frozen_by_pmi(void)
{
	u64 on = everything();

	tap_begin("lbr-frozen-by-pmi");
	if (pmu.version < 4) {
		tap_skip("perfmon below version 4");
		return;
	}
	if (pmu.lbr == LBR_LEGACY)
		on |= DEBUGCTL_FREEZE_LBRS;
	wrmsr(MSR_DEBUGCTL, DEBUGCTL_FREEZE_LBRS);
	ctr_start(0, EVENT_INSNS, -(u64)NTH, SEL_OS | SEL_INT);
	straight(1);
	lbr_walk(control(), on);
	expect_eq("STATUS", rdmsr(MSR_GLOBAL_STATUS), BIT(0) | STATUS_LBR_FRZ);
	expect_empty("after a PMI");
	status_clear(BIT(0) | STATUS_LBR_FRZ);
	lbr_walk(control(), on);
	expect_walk(ALL_TYPES);
	tap_end();
}

static void expect_entry(u32 age, const u8 *from, const u8 *to)
{
	struct lbr e = entry(age);

	expect(e.from == (uintptr_t)from && e.to == (uintptr_t)to,
	       "entry %u is 0x%lx to 0x%lx, not 0x%lx to 0x%lx", age, e.from,
	       e.to, (uintptr_t)from, (uintptr_t)to);
}

static void call_stack(void)
{
	u32 calls = types_of(LBR_REL_CALL) | types_of(LBR_IND_CALL) |
		types_of(LBR_RET);
	u64 on = recording(calls, OS | USR, true);

	tap_begin("lbr-call-stack-push");
	if (pmu.lbr == LBR_ARCH && !(pmu.lbr_leaf.b & BIT(2))) {
		tap_skip("not in CPUID 0x1C");
		return;
	}
	lbr_nested(control(), on);
	expect_entry(0, nested_c, nested_c_to);
	expect_entry(1, nested_b, nested_b_to);
	expect_entry(2, nested_a, nested_a_to);
	tap_end();

	tap_begin("lbr-call-stack-pop");
	clear();
	on = recording(calls, OS | USR, true);
	lbr_popped(control(), on);
	expect_entry(0, popped_a, popped_a_to);
	tap_end();
}

static void arch_depth(void)
{
	u32 depth;
	bool legal;

	tap_begin("lbr-arch-depth-clears");
	lbr_walk(control(), everything());
	expect(entry(0).from, "nothing recorded");
	wrmsr(MSR_ARCH_LBR_DEPTH, entries);
	expect_empty("after a write of DEPTH");
	expect_eq("DEPTH", rdmsr(MSR_ARCH_LBR_DEPTH), entries);
	tap_end();

	tap_begin("lbr-arch-depth-legal");
	for (depth = 0; depth <= 72; depth++) {
		legal = depth && depth % 8 == 0 && depth <= 64 &&
			pmu.lbr_leaf.a >> (depth / 8 - 1) & 1;
		expect_eq("exception", wrmsr_safe(MSR_ARCH_LBR_DEPTH, depth),
			  legal ? 0 : VECTOR_GP);
		if (legal)
			expect_eq("DEPTH", rdmsr(MSR_ARCH_LBR_DEPTH), depth);
	}
	wrmsr(MSR_ARCH_LBR_DEPTH, entries);
	tap_end();
}

static void arch_control(void)
{
	u64 legal = 0x7f000f;
	u32 bit;

	tap_begin("lbr-arch-ctl-bits");
	for (bit = 0; bit < 64; bit++) {
		expect(wrmsr_safe(MSR_ARCH_LBR_CTL, BIT(bit))
		       == (legal >> bit & 1 ? 0 : VECTOR_GP),
		       "bit %u is %s", bit,
		       legal >> bit & 1 ? "refused" : "accepted");
		wrmsr(MSR_ARCH_LBR_CTL, 0);
	}
	tap_end();
}

static void arch_type(void)
{
	const struct lbr_branch *b;
	u32 age = 0, type;

	tap_begin("lbr-arch-info-type");
	if (!(pmu.lbr_leaf.c & BIT(2))) {
		tap_skip("not in CPUID 0x1C");
		return;
	}
	lbr_walk(control(), everything());
	for (b = lbr_walk_list_end - 1; b >= lbr_walk_list; b--) {
		type = entry(age).info >> 56 & 0xf;
		expect(b->type == LBR_FAR ? type >= LBR_FAR : type == b->type,
		       "entry %u has type %u, not %lu", age, type, b->type);
		age++;
	}
	tap_end();
}

/* Every test begins with empty registers */
static void empty(void)
{
	if (!entries)
		entries = count_entries();
	clear();
}

void tests_lbr(void)
{
	static const test_fn common[] = {
		storage, tos, walk, fills, predicted, by_type, by_ring, handlers,
		select_bits, frozen, frozen_by_pmi, call_stack, NULL,
	};
	static const test_fn arch[] = {
		arch_depth, arch_control, arch_type, NULL,
	};

	entries = 0;
	if (pmu.lbr == LBR_NONE) {
		tap_skipped("lbr", "neither model-specific nor architectural");
		return;
	}
	run_tests_after(empty, common);
	if (pmu.lbr == LBR_ARCH)
		run_tests_after(empty, arch);
	else
		tap_skipped("lbr-arch", "not in CPUID 7");
}
