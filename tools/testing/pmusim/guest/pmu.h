/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What CPUID and MSRs say about this CPU's PMU, and how to use its counters */
#ifndef PMU_H
#define PMU_H

#include "cpu.h"

#define MSR_PMC0			0x0c1
#define MSR_EVENTSEL0			0x186
#define MSR_MISC_ENABLE			0x1a0
#define MSR_LBR_SELECT			0x1c8
#define MSR_LBR_TOS			0x1c9
#define MSR_DEBUGCTL			0x1d9
#define MSR_FIXED_CTR0			0x309
#define MSR_PERF_METRICS		0x329
#define MSR_PERF_CAPABILITIES		0x345
#define MSR_FIXED_CTR_CTRL		0x38d
#define MSR_GLOBAL_STATUS		0x38e
#define MSR_GLOBAL_CTRL			0x38f
#define MSR_GLOBAL_STATUS_RESET		0x390
#define MSR_GLOBAL_STATUS_SET		0x391
#define MSR_GLOBAL_INUSE		0x392
#define MSR_PEBS_ENABLE			0x3f1
#define MSR_PEBS_DATA_CFG		0x3f2
#define MSR_FULL_WIDTH_PMC0		0x4c1
#define MSR_DS_AREA			0x600
#define MSR_LBR_FROM0			0x680
#define MSR_LBR_TO0			0x6c0
#define MSR_LBR_INFO0			0xdc0
#define MSR_ARCH_LBR_INFO0		0x1200
#define MSR_ARCH_LBR_CTL		0x14ce
#define MSR_ARCH_LBR_DEPTH		0x14cf
#define MSR_ARCH_LBR_FROM0		0x1500
#define MSR_ARCH_LBR_TO0		0x1600
/* Perfmon 6: four registers a counter */
#define MSR_V6_GP0_CTR			0x1900
#define MSR_V6_FX0_CTR			0x1980
#define V6_STEP				4
#define V6_CFG_A			1
#define V6_CFG_B			2
#define V6_CFG_C			3

#define SEL_USR				BIT(16)
#define SEL_OS				BIT(17)
#define SEL_EDGE			BIT(18)
#define SEL_INT				BIT(20)
#define SEL_EN				BIT(22)
#define SEL_INV				BIT(23)
#define SEL_CMASK(n)			((u64)(n) << 24)
#define SEL_ADAPTIVE			BIT(34)

#define EVENT_CYCLES			0x003c
#define EVENT_REF_CYCLES		0x013c
#define EVENT_INSNS			0x00c0
#define EVENT_BRANCHES			0x00c4
#define EVENT_MISSES			0x00c5

#define STATUS_METRICS			BIT(48)
#define STATUS_LBR_FRZ			BIT(58)
#define STATUS_CTR_FRZ			BIT(59)
#define STATUS_OVF_BUF			BIT(62)
#define CTRL_METRICS			BIT(48)

#define DEBUGCTL_LBR			BIT(0)
#define DEBUGCTL_FREEZE_LBRS		BIT(11)
#define DEBUGCTL_FREEZE_PERFMON		BIT(12)

#define RDPMC_FIXED			0x40000000
#define RDPMC_METRICS			0x20000000
/* No counter */
#define RDPMC_NOWHERE			64

#define CAP_LBR_FORMAT			0x3f
#define CAP_SMM_FREEZE			BIT(12)
#define CAP_FULL_WIDTH			BIT(13)
#define CAP_BASELINE			BIT(14)
#define CAP_METRICS			BIT(15)

/* A counter's number is its bit in GLOBAL_STATUS */
#define FIXED_BASE			32
#define CTR_MAX				48

enum lbr_kind {
	LBR_NONE,
	LBR_LEGACY,
	LBR_ARCH,
};

/**
 * struct pmu - the PMU of the CPU that runs
 * @model:		family 6 model
 * @core_type:		CPUID 0x1A, 0 where the CPU is not hybrid
 * @version:		perfmon version
 * @existing:		counters
 * @width:		bits of a general-purpose counter
 * @mask:		these bits as a mask
 * @events:		architectural events that are available
 * @no_anythread:	the ANY bits do not exist
 * @rtm:		transactional memory
 * @caps:		PERF_CAPABILITIES; 0 where it is absent
 * @leaf_23:		CPUID 0x23.0, 0 where it is absent
 * @reloadable:		counters that can be reloaded
 * @causes:		counters that can cause a reload
 * @lbr:		what kind of LBR
 * @lbr_leaf:		CPUID 0x1C
 * @ds:			DS_AREA exists
 * @pebs_format:	0: no PEBS
 * @baseline:		adaptive PEBS
 */
struct pmu {
	u32 model;
	u32 core_type;
	u32 version;
	u64 existing;
	u32 width;
	u64 mask;
	u32 events;
	bool no_anythread;
	bool rtm;
	u64 caps;
	struct cpuid leaf_23;
	u64 reloadable;
	u64 causes;
	enum lbr_kind lbr;
	struct cpuid lbr_leaf;
	bool ds;
	u32 pebs_format;
	bool baseline;
};

/* One architectural event, by its bit in CPUID 0xA EBX */
struct event {
	const char *name;
	u64 select;
	/* Fixed counter of the same event, or -1 */
	int fixed;
};

#define ARCH_EVENTS			8
#define ARCH_INSNS			1
#define ARCH_LLC_REFS			3
#define ARCH_LLC_MISSES			4
#define ARCH_BRANCHES			5
#define ARCH_MISSES			6
#define ARCH_SLOTS			7

extern struct pmu pmu;
extern const struct event arch_events[ARCH_EVENTS];

void pmu_detect(void);
/* Everything off, zero and masked; no interrupt left over */
void pmu_reset(void);

static inline bool ctr_is_fixed(u32 c)
{
	return c >= FIXED_BASE;
}

static inline bool ctr_exists(u32 c)
{
	return pmu.existing >> c & 1;
}

static inline u32 ctr_rdpmc(u32 c)
{
	return ctr_is_fixed(c) ? RDPMC_FIXED | (c - FIXED_BASE) : c;
}

static inline u64 gp_mask(void)
{
	return pmu.existing & 0xffffffff;
}

const char *ctr_name(u32 c);
u32 ctr_msr(u32 c);
/* CFG_B or CFG_C */
u32 ctr_cfg(u32 c, u32 which);
u64 ctr_read(u32 c);
void ctr_write(u32 c, u64 value);
/* @flags: SEL_ bits without EN; a fixed counter ignores @event */
void ctr_select(u32 c, u64 event, u64 flags);
/* Event of @c that counts instructions, or where it is fixed its own */
void ctr_start(u32 c, u64 event, u64 value, u64 flags);
void status_clear(u64 bits);

#define CR4_PCE				BIT(8)
/* RDPMC at CPL 3; if it faults, bit 63 and the vector */
u64 user_rdpmc(u32 index);

/* Lowest counter of @mask from @c up, or CTR_MAX */
static inline u32 next_of(u64 mask, u32 c)
{
	while (c < CTR_MAX && !(mask >> c & 1))
		c++;
	return c;
}

#define for_each_counter(c, mask)	\
	for (c = next_of(mask, 0); c < CTR_MAX; c = next_of(mask, c + 1))

/* Lowest counter of @mask */
static inline u32 first_of(u64 mask)
{
	return __builtin_ctzll(mask);
}

/* A list of tests ends with NULL; an exception ends the test it comes in */
typedef void (*test_fn)(void);
void run_tests(const test_fn *tests);
/* With something to do before each */
void run_tests_after(test_fn setup, const test_fn *tests);

void tests_counters(void);
void tests_reserved(void);
void tests_overflow(void);
void tests_rdpmc(void);
void tests_width(void);
void tests_apic(void);
void tests_freeze(void);
void tests_acr(void);
void tests_lbr(void);
void tests_pebs(void);
void tests_metrics(void);
/* On the second CPU: before and after INIT */
void init_before(void);
void init_after(void);
/* First thing on each CPU */
void note_reset(void);
void test_reset(void);

#endif
