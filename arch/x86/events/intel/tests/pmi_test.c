// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the PMI handler: which registers it accesses, in which order,
 * and what it returns. They run on any CPU; no MSR is touched.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>

#define FAKE_PREFIX	pmi_test_
#include "pmi_fake.h"

/* What a PMI of one overflow does first */
#define HANDLED	"w38f=0 r38e lbr h1 apic w390=1 r38e"

/* LVTPC is open before anything can thaw or count again */
static void pmi_1_unmask_before_restart(struct kunit *test)
{
	fake->status = 0x5;
	KUNIT_EXPECT_EQ(test, fake_pmi(), 2);
	EXPECT_LOG(test, "w38f=0 r38e lbr h5 apic w390=5 r38e on");
	KUNIT_EXPECT_EQ(test, fake->cpuc.enabled, 1);
}

static void pmi_2_status_zero(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, fake_pmi(), 0);
	EXPECT_LOG(test, "w38f=0 r38e apic? apic r38e on");

	/* Its own PMI was lost, as LVTPC was masked */
	fake->late = 0x2;
	KUNIT_EXPECT_EQ(test, fake_pmi(), 1);
	EXPECT_LOG(test, "w38f=0 r38e apic? apic r38e lbr h2 apic w390=2 r38e on");
}

static void pmi_3_frozen_without_overflow(struct kunit *test)
{
	fake->status = LBR_FRZ;
	KUNIT_EXPECT_EQ(test, fake_pmi(), 0);
	EXPECT_LOG(test, "w38f=0 r38e lbr h0 apic w390=400000000000000 r38e on");

	fake->status = LBR_FRZ | CTR_FRZ;
	KUNIT_EXPECT_EQ(test, fake_pmi(), 0);
	EXPECT_LOG(test, "w38f=0 r38e lbr h0 apic w390=c00000000000000 r38e on");
	KUNIT_EXPECT_EQ(test, fake->status, 0ULL);
}

/* The counter that froze it is found by its value */
static void pmi_3_wrapped_counter(struct kunit *test)
{
	fake_run(0);
	fake_run(3);
	fake->counter[3] = 2;

	fake->status = CTR_FRZ;
	KUNIT_EXPECT_EQ(test, fake_pmi(), 1);
	EXPECT_LOG(test, "w38f=0 r38e lbr p0 p3 h8 apic w390=800000000000000 r38e on");

	/* Hardware reloads those of PEBS, which may stand anywhere */
	fake->cpuc.pebs_enabled = BIT_ULL(3);
	fake->status = CTR_FRZ;
	KUNIT_EXPECT_EQ(test, fake_pmi(), 0);
	EXPECT_LOG(test, "w38f=0 r38e lbr p0 h0 apic w390=800000000000000 r38e on");
}

/* No counter is looked at, whatever it would show */
static void pmi_4_state_bits(struct kunit *test)
{
	static const int bits[] = { 60, 61, 63 };
	char expected[64];
	int i;

	fake_run(0);
	fake->counter[0] = 2;
	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		snprintf(expected, sizeof(expected),
			 "w38f=0 r38e lbr apic? apic w390=%llx r38e on",
			 BIT_ULL(bits[i]));
		fake->status = BIT_ULL(bits[i]);
		KUNIT_EXPECT_EQ(test, fake_pmi(), 0);
		EXPECT_LOG(test, expected);
		KUNIT_EXPECT_EQ(test, fake->status, 0ULL);
	}

	/* Nor are they handled in company */
	fake->status = GLOBAL_STATUS_UNC_OVF | GLOBAL_STATUS_COND_CHG |
		       GLOBAL_STATUS_ASIF | 0x1;
	KUNIT_EXPECT_EQ(test, fake_pmi(), 1);
	EXPECT_LOG(test, "w38f=0 r38e lbr h1 apic w390=b000000000000001 r38e on");
}

/* Intel PT, a record or a counter report between the read and the acknowledge */
static void pmi_5_new_bit(struct kunit *test)
{
	static const u64 late[] = {
		GLOBAL_STATUS_TRACE_TOPAPMI, GLOBAL_STATUS_BUFFER_OVF, 0x8,
	};
	char expected[128];
	int i;

	for (i = 0; i < ARRAY_SIZE(late); i++) {
		snprintf(expected, sizeof(expected),
			 HANDLED " h%llx apic w390=%llx r38e on",
			 late[i], late[i]);
		fake->status = 0x1;
		fake->late = late[i];
		KUNIT_EXPECT_EQ(test, fake_pmi(), 2);
		EXPECT_LOG(test, expected);
		KUNIT_EXPECT_EQ(test, fake->status, 0ULL);
	}
}

/* A freeze that is reported late is acknowledged as well, or it would last */
static void pmi_5_late_freeze(struct kunit *test)
{
	fake->status = 0x1;
	fake->late = CTR_FRZ | 0x8;
	KUNIT_EXPECT_EQ(test, fake_pmi(), 2);
	EXPECT_LOG(test, HANDLED " h8 apic w390=800000000000008 r38e on");
	KUNIT_EXPECT_EQ(test, fake->status, 0ULL);

	fake->status = 0x1;
	fake->late = CTR_FRZ;
	fake_pmi();
	KUNIT_EXPECT_EQ(test, fake->status, 0ULL);
}

/* The PMI hits x86_pmu_disable() between its two steps */
static void pmi_6_pmu_disabled(struct kunit *test)
{
	fake->cpuc.enabled = 0;
	fake->status = 0x1;
	KUNIT_EXPECT_EQ(test, fake_pmi(), 1);
	EXPECT_LOG(test, HANDLED);
	KUNIT_EXPECT_EQ(test, fake->cpuc.enabled, 0);
}

/* A bit that does not go away: the CPU does */
static void pmi_21_stuck_status(struct kunit *test)
{
	fake->sticky = 0x4;
	fake->debugctl = DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI;
	fake->status = 0x4 | CTR_FRZ;
	KUNIT_EXPECT_EQ(test, fake_pmi(), 100);
	KUNIT_EXPECT_EQ(test, fake->warnings, 1);
	KUNIT_EXPECT_EQ(test, fake->debugctl, 0ULL);
	KUNIT_EXPECT_EQ(test, fake->status, 0x4ULL);
	KUNIT_EXPECT_STREQ(test, strstr(fake->log, " reset"),
			   " reset r1d9 w1d9=0 apic w390=c00000000000000 on");
	fake->used = 0;

	/* Once more, without another warning */
	KUNIT_EXPECT_EQ(test, fake_pmi(), 100);
	KUNIT_EXPECT_EQ(test, fake->warnings, 1);
	KUNIT_EXPECT_STREQ(test, strstr(fake->log, " reset"),
			   " reset r1d9 apic w390=c00000000000000 on");
}

/* A PMI with this status, as hardware delivers it; has it reset the PMU? */
static bool pmi_resets(u64 status)
{
	fake->used = 0;
	fake->log[0] = 0;
	fake->status = status;
	fake->masked = true;
	fake_pmi();

	return strstr(fake->log, " reset");
}

/* How many such PMIs in a row, up to @most, until the PMU is reset? */
static int pmis_until_reset(u64 status, int most)
{
	int i;

	for (i = 1; i <= most; i++) {
		if (pmi_resets(status))
			return i;
	}

	return 0;
}

/* A PMI that comes back and has nothing to do */
static void pmi_21_stuck_interrupt(struct kunit *test)
{
	int i;

	fake->no_period = true;
	KUNIT_EXPECT_EQ(test, pmis_until_reset(0x1, 200), 101);
	KUNIT_EXPECT_EQ(test, pmis_until_reset(0x1, 200), 101);
	KUNIT_EXPECT_EQ(test, pmis_until_reset(LBR_FRZ, 200), 101);

	/* A period now and then is enough */
	for (i = 0; i < 300; i++) {
		fake->no_period = i % 100;
		KUNIT_EXPECT_FALSE(test, pmi_resets(0x1));
	}
}

/* One a tick, or less */
static void pmi_21_stuck_slowly(struct kunit *test)
{
	unsigned long begin = jiffies;
	int i;

	fake->no_period = true;
	for (i = 0; i < 100; i++) {
		KUNIT_EXPECT_FALSE(test, pmi_resets(0x1));
		msleep(jiffies_to_msecs(1));
	}
	KUNIT_EXPECT_TRUE(test, pmi_resets(0x1));
	KUNIT_EXPECT_GE(test, jiffies - begin, 100UL);
}

/* Nothing stands in the status at all */
static void pmi_21_stuck_without_status(struct kunit *test)
{
	int i;

	KUNIT_EXPECT_EQ(test, pmis_until_reset(0, 200), 101);

	/* Taking turns with another that achieves nothing */
	fake->no_period = true;
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_FALSE(test, pmi_resets(i % 2));
	KUNIT_EXPECT_TRUE(test, pmi_resets(0));

	/* The second of two merged ones is no reason */
	fake->no_period = false;
	for (i = 0; i < 300; i++)
		KUNIT_EXPECT_FALSE(test, pmi_resets(i % 2));

	/* Nor are NMIs of others, which leave LVTPC alone */
	fake->used = 0;
	for (i = 0; i < 300; i++) {
		fake->used = 0;
		fake_pmi();
		EXPECT_LOG(test, "w38f=0 r38e apic? apic r38e on");
	}

	/* Not even if they find a bit that tells a state, of SGX for example */
	for (i = 0; i < 300; i++) {
		fake->status = GLOBAL_STATUS_ASIF;
		fake_pmi();
		EXPECT_LOG(test,
			   "w38f=0 r38e lbr apic? apic w390=1000000000000000 r38e on");
	}
}

/* Branch trace has no bit in the status */
static void pmi_21_bts_is_progress(struct kunit *test)
{
	__set_bit(INTEL_PMC_IDX_FIXED_BTS, fake->cpuc.active_mask);
	fake->cpuc.events[INTEL_PMC_IDX_FIXED_BTS] = &fake->event[0];
	KUNIT_EXPECT_EQ(test, pmis_until_reset(0, 300), 0);
	fake->bts_empty = true;
	KUNIT_EXPECT_EQ(test, pmis_until_reset(0, 300), 101);
}

/* A full PEBS buffer starts no period; the records do, wherever they are */
static void pmi_7_guest_records(struct kunit *test)
{
	const u64 full = GLOBAL_STATUS_BUFFER_OVF;

	fake->no_period = true;
	fake->cpuc.pebs_enabled = BIT_ULL(1);

	/* There are none */
	KUNIT_EXPECT_EQ(test, pmis_until_reset(full, 300), 101);

	/* In the buffer of the host */
	fake->cpuc.ds = &fake->ds;
	fake->ds.pebs_index = fake->ds.pebs_buffer_base + 1;
	KUNIT_EXPECT_EQ(test, pmis_until_reset(full, 300), 0);
	fake->cpuc.ds = NULL;

	/* In that of a guest */
	fake->guest = true;
	KUNIT_EXPECT_EQ(test, pmis_until_reset(full, 300), 0);

	/* A guest without events of its own has no records */
	fake->cpuc.intel_ctrl_host_mask = BIT_ULL(1);
	KUNIT_EXPECT_EQ(test, pmis_until_reset(full, 300), 101);
	fake->cpuc.intel_ctrl_host_mask = 0;
	fake_x86_pmu.pebs_ept = false;
	KUNIT_EXPECT_EQ(test, pmis_until_reset(full, 300), 101);
}

/* Without branch records, and where there is nothing to be reset */
static void pmi_21_reset(struct kunit *test)
{
	fake->debugctl = DEBUGCTLMSR_BTF | DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI;
	fake->status = CTR_FRZ | LBR_FRZ;
	intel_pmi_reset();
	EXPECT_LOG(test, "r1d9 w1d9=2 apic w390=c00000000000000");
	KUNIT_EXPECT_EQ(test, fake->status, 0ULL);

	fake_x86_pmu.version = 3;
	intel_pmi_reset();
	EXPECT_LOG(test, "");
}

/* What firmware or the kernel before has left, and nothing else */
static void cpu_starting_test(struct kunit *test)
{
	fake->debugctl = DEBUGCTLMSR_BTF | DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI;
	fake->status = CTR_FRZ | LBR_FRZ | 0x1;
	intel_pmi_cpu_starting();
	/* Nothing counts that may have been left running */
	EXPECT_LOG(test, "w38f=0 r1d9 w1d9=2 r38e w390=c00000000000000");
	KUNIT_EXPECT_EQ(test, fake->status, 0x1ULL);

	intel_pmi_cpu_starting();
	EXPECT_LOG(test, "w38f=0 r1d9 r38e");
	/* It was no stuck PMI */
	KUNIT_EXPECT_EQ(test, this_cpu_ptr(&intel_pmi_cpu)->resets, 0U);

	fake_x86_pmu.version = 3;
	intel_pmi_cpu_starting();
	EXPECT_LOG(test, "");
}

/* One overflow is one, whatever else stands in the status */
static void pmi_28_handled(struct kunit *test)
{
	fake->status = 0x1 | LBR_FRZ;
	KUNIT_EXPECT_EQ(test, fake_pmi(), 1);
	fake->status = BIT_ULL(INTEL_PMC_IDX_FIXED + 1) | LBR_FRZ | CTR_FRZ;
	KUNIT_EXPECT_EQ(test, fake_pmi(), 1);
}

/* Branch trace is stopped after the counters, and started after them */
static void bts_event_test(struct kunit *test)
{
	__set_bit(INTEL_PMC_IDX_FIXED_BTS, fake->cpuc.active_mask);
	fake->cpuc.events[INTEL_PMC_IDX_FIXED_BTS] = &fake->event[0];
	KUNIT_EXPECT_EQ(test, fake_pmi(), 1);
	EXPECT_LOG(test, "w38f=0 bts- bts- drain r38e apic? apic r38e on bts+");
}

static void bts_pmu_test(struct kunit *test)
{
	unsigned long flags;

	local_irq_save(flags);
	intel_pmi_add_bts();
	fake->status = 0x1;
	KUNIT_EXPECT_EQ(test, intel_pmi_handle(NULL, &fake->cpuc), 2);
	EXPECT_LOG(test, "w38f=0 bts- drain r38e lbr h1 apic w390=1 r38e on bts+");

	intel_pmi_del_bts();
	KUNIT_EXPECT_EQ(test, intel_pmi_handle(NULL, &fake->cpuc), 0);
	EXPECT_LOG(test, "w38f=0 r38e apic? apic r38e on");
	local_irq_restore(flags);
}

static int fake_old_handler(struct pt_regs *regs)
{
	return 0;
}

/*
 * Versions without status bits of a freeze keep the handler that the model has
 * chosen, and with it its flags. A hypervisor shows them for new models, too.
 */
static void __init pmi_26_old_versions(struct kunit *test)
{
	int version;

	for (version = 0; version <= 6; version++) {
		fake_x86_pmu.version = version;
		fake_x86_pmu.handle_irq = fake_old_handler;
		intel_pmi_init();
		KUNIT_EXPECT_PTR_EQ_MSG(test, fake_x86_pmu.handle_irq,
					version < 4 ? fake_old_handler :
						      intel_pmi_handle_irq,
					"version %d", version);
	}
}

static struct kunit_case __refdata pmi_init_test_cases[] = {
	KUNIT_CASE(pmi_26_old_versions),
	{}
};

static struct kunit_suite pmi_init_test_suite = {
	.name		= "intel_pmi_init",
	.init		= fake_init,
	.test_cases	= pmi_init_test_cases,
};

kunit_test_init_section_suites(&pmi_init_test_suite);

static struct kunit_case pmi_test_cases[] = {
	KUNIT_CASE(pmi_1_unmask_before_restart),
	KUNIT_CASE(pmi_2_status_zero),
	KUNIT_CASE(pmi_3_frozen_without_overflow),
	KUNIT_CASE(pmi_3_wrapped_counter),
	KUNIT_CASE(pmi_4_state_bits),
	KUNIT_CASE(pmi_5_new_bit),
	KUNIT_CASE(pmi_5_late_freeze),
	KUNIT_CASE(pmi_6_pmu_disabled),
	/* The first of those that warn, as it is done once */
	KUNIT_CASE(pmi_21_stuck_status),
	KUNIT_CASE(pmi_21_stuck_interrupt),
	KUNIT_CASE_SLOW(pmi_21_stuck_slowly),
	KUNIT_CASE(pmi_21_stuck_without_status),
	KUNIT_CASE(pmi_21_bts_is_progress),
	KUNIT_CASE(pmi_7_guest_records),
	KUNIT_CASE(pmi_21_reset),
	KUNIT_CASE(cpu_starting_test),
	KUNIT_CASE(pmi_28_handled),
	KUNIT_CASE(bts_event_test),
	KUNIT_CASE(bts_pmu_test),
	{}
};

static struct kunit_suite pmi_test_suite = {
	.name		= "intel_pmi",
	.init		= fake_init,
	.test_cases	= pmi_test_cases,
};

kunit_test_suite(pmi_test_suite);

MODULE_DESCRIPTION("KUnit tests of the PMI of Intel core PMUs");
MODULE_LICENSE("GPL");
