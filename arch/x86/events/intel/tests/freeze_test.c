// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of counter freezing: what makes a CPU do it, what arming and
 * disarming access, and the PMI of frozen counters. They run on any CPU; no MSR
 * is touched.
 */
#define FAKE_PREFIX	freeze_test_
/* Before its header, which pmi_fake.h includes */
#define cpu_emergency_stop_freeze	freeze_test_cpu_emergency_stop_freeze
#include "pmi_fake.h"

/* Names of the copies */
#define intel_freeze_add_tracer		FAKE(intel_freeze_add_tracer)
#define intel_freeze_check_event	FAKE(intel_freeze_check_event)
#define intel_freeze_del_tracer		FAKE(intel_freeze_del_tracer)
#define intel_freeze_format_group	FAKE(intel_freeze_format_group)
#define intel_freeze_group		FAKE(intel_freeze_group)
#define intel_freeze_hw_config		FAKE(intel_freeze_hw_config)
#define intel_freeze_init		FAKE(intel_freeze_init)
#define intel_freeze_update		FAKE(intel_freeze_update)

#include "../freeze.c"

/* What intel_pmi_reset() does where counters could be frozen */
#define RESET	"r1d9 w1d9=0 apic w390=c00000000000000"

/* What intel_freeze_probe() does where DEBUGCTL is 0 */
#define PROBE	"w38f=0 r1d9 w1d9=1000 r1d9 w1d9=0 w390=800000000000000"

/* What intel_freeze_thaw() does about a freeze, and what is around it elsewhere */
#define THAWED	"r38e apic? r38e w390=800000000000000"
#define RUNNING	"r38e r38f w38f=0 "

/* A PMI of a frozen overflow while the PMU is disabled */
#define HANDLED	"w38f=0 r38e lbr h1 apic w390=800000000000001 r38e"

/* The static calls that the switch changes */
#define CALL_ENABLE	"call:x86_pmu_before_enable"
#define CALL_GUEST	"call:x86_pmu_guest_get_msrs"
#define CALL_PMI	"call:intel_pmi_frozen"

#define ARMED	DEBUGCTLMSR_FREEZE_PERFMON_ON_PMI

static int freeze_test_init(struct kunit *test)
{
	int cpu;

	intel_freeze_on = true;
	intel_freeze_down = false;
	for_each_possible_cpu(cpu) {
		struct intel_freeze_cpu *freeze = per_cpu_ptr(&intel_freeze_cpu, cpu);

		memset(freeze, 0, sizeof(*freeze));
		freeze->able = true;
	}

	return fake_init(test);
}

/* A sampled event whose owner consents */
static struct perf_event *run_consenting(int counter)
{
	struct perf_event *event = fake_run(counter);

	event->attr.config3 = INTEL_FREEZE_CONSENT;

	return event;
}

static struct perf_event *run_watchdog(int counter)
{
	fake->watchdog = fake_run(counter);

	return fake->watchdog;
}

/* What x86_pmu_enable() does about it, on this CPU */
static enum intel_freeze_reason update(void)
{
	enum intel_freeze_reason reason;
	unsigned long flags;

	local_irq_save(flags);
	intel_freeze_update(&fake->cpuc);
	reason = this_cpu_ptr(&intel_freeze_cpu)->reason;
	local_irq_restore(flags);

	return reason;
}

static int frozen_pmi(u64 status)
{
	struct intel_freeze_cpu *freeze;
	unsigned long flags;
	int handled = -1;

	fake->status = status;
	local_irq_save(flags);
	freeze = this_cpu_ptr(&intel_freeze_cpu);
	freeze->armed = true;
	if (!intel_freeze_pmi(NULL, &fake->cpuc, &handled))
		handled = -1;
	local_irq_restore(flags);

	return handled;
}

/*
 * The PMI
 */

static void pmi_1_frozen_order(struct kunit *test)
{
	fake_run(0);
	KUNIT_EXPECT_EQ(test, frozen_pmi(0x1 | CTR_FRZ | LBR_FRZ), 1);
	EXPECT_LOG(test, "r38e lbr h1 apic w390=c00000000000001");
	KUNIT_EXPECT_EQ(test, fake->cpuc.enabled, 1);
}

static void pmi_3_frozen_only(struct kunit *test)
{
	fake_run(0);
	KUNIT_EXPECT_EQ(test, frozen_pmi(CTR_FRZ), 0);
	EXPECT_LOG(test, "r38e lbr p0 h0 apic w390=800000000000000");

	fake->counter[0] = 7;
	KUNIT_EXPECT_EQ(test, frozen_pmi(CTR_FRZ), 1);
	EXPECT_LOG(test, "r38e lbr p0 h1 apic w390=800000000000000");
}

static void pmi_4_frozen_state_bits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, frozen_pmi(CTR_FRZ | GLOBAL_STATUS_UNC_OVF), 0);
	EXPECT_LOG(test, "r38e lbr h0 apic w390=2800000000000000");
}

/* Its acknowledge would let counters run that are about to be stopped */
static void pmi_6_frozen_pmu_disabled(struct kunit *test)
{
	fake->cpuc.enabled = 0;
	KUNIT_EXPECT_EQ(test, frozen_pmi(0x1 | CTR_FRZ), -1);
	EXPECT_LOG(test, "");

	/* In the way of all PMIs, with everything acknowledged */
	KUNIT_EXPECT_EQ(test, fake_pmi(), 1);
	EXPECT_LOG(test, "w38f=0 r38e lbr h1 apic w390=800000000000001 r38e");
}

/* DEBUGCTL is 0 in a guest, and what was decided means nothing */
static void pmi_7_not_frozen(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, frozen_pmi(0x1), -1);
	EXPECT_LOG(test, "r38e");
	KUNIT_EXPECT_EQ(test, fake_pmi(), 1);
	EXPECT_LOG(test, "w38f=0 r38e lbr h1 apic w390=1 r38e on");
}

static void enter_guest(void)
{
	unsigned long flags;

	fake->ctrl = FAKE_CTRL;
	local_irq_save(flags);
	intel_freeze_enter_guest(&fake->cpuc);
	local_irq_restore(flags);
}

/* Only the freeze is acknowledged: its PMI is on its way, and not frozen */
static void pmi_7_guest_entry(struct kunit *test)
{
	run_consenting(0);
	update();
	fake->used = 0;
	enter_guest();
	EXPECT_LOG(test, "r38e");

	fake->status = 0x1 | CTR_FRZ;
	enter_guest();
	EXPECT_LOG(test, RUNNING THAWED " w38f=7");
	KUNIT_EXPECT_EQ(test, fake->status, 0x1ULL);
	KUNIT_EXPECT_EQ(test, fake->cpuc.enabled, 1);

	KUNIT_EXPECT_EQ(test, fake_pmi(), 1);
	EXPECT_LOG(test, "w38f=0 r38e lbr h1 apic w390=1 r38e on");
}

/* It was lost, and nothing would stop the guest to raise it again */
static void pmi_7_guest_entry_lost_pmi(struct kunit *test)
{
	run_consenting(0);
	update();
	fake->used = 0;
	fake->masked = true;
	fake->status = 0x1 | CTR_FRZ;
	enter_guest();
	EXPECT_LOG(test, RUNNING THAWED " p0 apic nmi w38f=7");
}

/* Interrupted by the PMI: it must not let the counters run */
static void pmi_at_read(void)
{
	fake->on_apic_read = NULL;
	fake->on_ctrl_read = NULL;
	fake_pmi();
}

static void pmi_7_guest_entry_pmi(struct kunit *test)
{
	run_consenting(0);
	update();
	fake->used = 0;
	fake->status = 0x1 | CTR_FRZ;
	fake->on_apic_read = pmi_at_read;
	enter_guest();
	EXPECT_LOG(test, RUNNING "r38e apic? " HANDLED " r38e w38f=7");
}

/* It comes at the last moment that it finds the counters enabled */
static void pmi_7_guest_entry_pmi_before(struct kunit *test)
{
	run_consenting(0);
	update();
	fake->used = 0;
	fake->status = 0x1 | CTR_FRZ;
	fake->on_ctrl_read = pmi_at_read;
	enter_guest();
	KUNIT_EXPECT_EQ(test, fake->ctrl, FAKE_CTRL);
	KUNIT_EXPECT_EQ(test, fake->cpuc.enabled, 1);
	KUNIT_EXPECT_EQ(test, fake->status, 0ULL);
}

/* Whatever the status has is not this CPU's doing */
static void pmi_7_guest_entry_unarmed(struct kunit *test)
{
	run_consenting(0);
	fake_run(1);
	update();
	fake->used = 0;
	fake->status = CTR_FRZ;
	enter_guest();
	EXPECT_LOG(test, "");
}

static void throttle_fixed(void)
{
	fake->cpuc.fixed_ctrl_val = 0xb;
}

/* A stopped fixed counter is only written down until somebody writes it */
static void pmi_10_frozen_throttle(struct kunit *test)
{
	fake->cpuc.fixed_ctrl_val = 0xbb;
	fake->cpuc.active_fixed_ctrl_val = 0xbb;
	fake->on_overflow = throttle_fixed;
	KUNIT_EXPECT_EQ(test, frozen_pmi(BIT_ULL(33) | CTR_FRZ), 1);
	EXPECT_LOG(test, "r38e lbr h200000000 w38d=b apic w390=800000200000000");
	KUNIT_EXPECT_EQ(test, fake->cpuc.active_fixed_ctrl_val, 0xbULL);
}

/* This is where PEBS_ENABLE changes: nothing counts, no PMI can come */
static void throttle_pebs(void)
{
	struct kunit *test = kunit_get_current_test();

	KUNIT_EXPECT_EQ(test, fake->cpuc.enabled, 0);
	KUNIT_EXPECT_TRUE(test, fake->masked);
	KUNIT_EXPECT_EQ(test, fake->status, GLOBAL_STATUS_BUFFER_OVF | CTR_FRZ);
	fake->cpuc.pebs_enabled = 0;
}

static void pmi_11_frozen_throttle_pebs(struct kunit *test)
{
	fake->on_overflow = throttle_pebs;
	fake->masked = true;
	fake->cpuc.pebs_enabled = BIT_ULL(1);
	KUNIT_EXPECT_EQ(test, frozen_pmi(GLOBAL_STATUS_BUFFER_OVF | CTR_FRZ), 1);
	KUNIT_EXPECT_EQ(test, fake->cpuc.pebs_enabled, 0ULL);
	EXPECT_LOG(test, "r38e lbr h4000000000000000 apic w390=4800000000000000");
}

/* The reset has disabled the PMU, and the CPU never freezes again */
static void pmi_21_frozen_stuck(struct kunit *test)
{
	unsigned long flags;
	int i;

	run_consenting(0);
	update();
	fake->no_period = true;
	local_irq_save(flags);
	for (i = 0; i < 1000; i++) {
		int handled;

		fake->used = 0;
		fake->log[0] = 0;
		fake->status = 0x1 | CTR_FRZ;
		this_cpu_ptr(&intel_freeze_cpu)->armed = true;
		intel_freeze_pmi(NULL, &fake->cpuc, &handled);
		if (fake->warnings)
			break;
	}
	local_irq_restore(flags);
	EXPECT_LOG(test, "r38e lbr h1 reset " RESET " apic w390=800000000000001 on");
	KUNIT_EXPECT_EQ(test, this_cpu_ptr(&intel_freeze_cpu)->reason,
			INTEL_FREEZE_STUCK);

	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_STUCK);
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_STUCK);
	KUNIT_EXPECT_EQ(test, fake->debugctl, 0ULL);
}

/* Consent or not: what is accessed and returned is as without this file */
static void pmi_26_switched_off(struct kunit *test)
{
	intel_freeze_on = false;
	run_consenting(0);
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_OFF);
	EXPECT_LOG(test, "");

	fake->status = 0x5;
	KUNIT_EXPECT_EQ(test, fake_pmi(), 2);
	EXPECT_LOG(test, "w38f=0 r38e lbr h5 apic w390=5 r38e on");

	/* Of somebody else, who has set the bits by hand */
	fake->status = 0x1 | CTR_FRZ;
	KUNIT_EXPECT_EQ(test, fake_pmi(), 1);
	EXPECT_LOG(test, "w38f=0 r38e lbr h1 apic w390=800000000000001 r38e on");

	KUNIT_EXPECT_EQ(test, fake_pmi(), 0);
	EXPECT_LOG(test, "w38f=0 r38e apic? apic r38e on");
}

static void pmi_28_frozen_handled(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, frozen_pmi(BIT_ULL(32) | CTR_FRZ | LBR_FRZ), 1);
	KUNIT_EXPECT_EQ(test, frozen_pmi(BIT_ULL(32) | CTR_FRZ), 1);
}

/*
 * Eligibility
 */

static void pmi_12_checkpointed(struct kunit *test)
{
	run_consenting(2)->hw.config |= HSW_IN_TX_CHECKPOINTED;
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_CHECKPOINTED);
}

static void pmi_13_group_read(struct kunit *test)
{
	struct perf_event *leader = run_consenting(0), *member = &fake->event[5];
	unsigned long flags;

	leader->attr.sample_type = PERF_SAMPLE_READ;
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_ACTIVE);

	/* A member that is not scheduled now */
	member->group_leader = leader;
	local_irq_save(flags);
	list_add_tail(&member->sibling_list, &leader->sibling_list);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_READ);

	member->attr.config3 = INTEL_FREEZE_CONSENT;
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_ACTIVE);
}

static void pmi_15_counting_event(struct kunit *test)
{
	struct perf_event *event;

	run_consenting(0);
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_ACTIVE);
	event = fake_run(1);
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_NO_CONSENT);
	event->hw.sample_period = 0;
	event->attr.sample_period = 0;
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_NO_CONSENT);

	/* Consent alone does not make it one that can be frozen */
	event->attr.config3 = INTEL_FREEZE_CONSENT;
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_COUNTING);
}

static void pmi_16_watchdog(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_NO_EVENT);
	run_watchdog(0);
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_NO_EVENT);
	run_consenting(1);
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_ACTIVE);

	/* It is known by its owner: this one only looks like it */
	fake_run(2);
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_NO_CONSENT);
}

/* rr: sampling with a fixed period, and what it reads must be exact */
static void pmi_16_rr(struct kunit *test)
{
	run_watchdog(0);
	fake_run(1);
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_NO_CONSENT);
	EXPECT_LOG(test, "");
}

static void frequency_test(struct kunit *test)
{
	run_consenting(0)->attr.freq = 1;
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_FREQUENCY);
}

static void guest_test(struct kunit *test)
{
	run_consenting(0)->attr.exclude_host = 1;
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_GUEST);
}

static void others_test(struct kunit *test)
{
	struct perf_event *event = run_consenting(0);

	event->hw.flags = PERF_X86_EVENT_TOPDOWN;
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_TOPDOWN);
	event->hw.flags = PERF_X86_EVENT_PEBS_VIA_PT;
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_PEBS_PT);
	event->hw.flags = 0;
	fake->bts_event = event;
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_BTS);
}

static void tracer_test(struct kunit *test)
{
	unsigned long flags;

	run_consenting(0);
	local_irq_save(flags);
	intel_freeze_update(&fake->cpuc);
	EXPECT_LOG(test, "r1d9 w1d9=1000 r38e");

	/* Before it starts, and not again for a second one */
	intel_freeze_add_tracer();
	EXPECT_LOG(test, "off r1d9 w1d9=0 r38e update");
	intel_freeze_update(&fake->cpuc);
	EXPECT_LOG(test, "");
	intel_freeze_add_tracer();
	intel_freeze_del_tracer();
	EXPECT_LOG(test, "");

	/* A freeze from before is handled in the other way */
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, frozen_pmi(0x1 | CTR_FRZ), -1);
	EXPECT_LOG(test, "");
	fake->status = 0;

	local_irq_save(flags);
	intel_freeze_del_tracer();
	EXPECT_LOG(test, "off update");
	local_irq_restore(flags);
}

/* On every event unless sysfs forbids RDPMC: no reader is meant by it */
static void pmi_27_rdpmc(struct kunit *test)
{
	struct perf_event *event = run_consenting(0);

	event->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_ACTIVE);
	event->hw.flags &= ~PERF_EVENT_FLAG_USER_READ_CNT;
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_ACTIVE);
}

/*
 * Arming and disarming
 */

/* One read and one write a change, nothing but a look at the status else */
static void pmi_17_rotation(struct kunit *test)
{
	struct perf_event *event = run_consenting(0);

	update();
	EXPECT_LOG(test, "r1d9 w1d9=1000 r38e");
	update();
	EXPECT_LOG(test, "r38e");
	event->attr.config3 = 0;
	update();
	EXPECT_LOG(test, "r1d9 w1d9=0 r38e");
	update();
	EXPECT_LOG(test, "");
}

static void pmi_18_switch(struct kunit *test)
{
	run_consenting(0);
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_ACTIVE);
	intel_freeze_on = false;
	fake->status = CTR_FRZ;
	KUNIT_EXPECT_EQ(test, update(), INTEL_FREEZE_OFF);
	KUNIT_EXPECT_EQ(test, fake->debugctl, 0ULL);
	KUNIT_EXPECT_EQ(test, fake->status, 0ULL);
}

/* The next kernel is on its way, and whoever is still here cannot undo it */
static void pmi_18_switch_going_down(struct kunit *test)
{
	intel_freeze_on = false;
	KUNIT_EXPECT_EQ(test, intel_freeze_switch(true), 0);
	KUNIT_EXPECT_TRUE(test, intel_freeze_on);
	/* In place before the first decision, and until the last */
	EXPECT_LOG(test, CALL_PMI " " CALL_ENABLE " " CALL_GUEST " all");
	KUNIT_EXPECT_EQ(test, intel_freeze_switch(true), 0);
	EXPECT_LOG(test, "");

	intel_freeze_reboot(NULL, SYS_RESTART, NULL);
	KUNIT_EXPECT_FALSE(test, intel_freeze_on);
	EXPECT_LOG(test, "all " CALL_GUEST " " CALL_ENABLE " " CALL_PMI);

	KUNIT_EXPECT_EQ(test, intel_freeze_switch(true), -EBUSY);
	KUNIT_EXPECT_FALSE(test, intel_freeze_on);
	KUNIT_EXPECT_EQ(test, intel_freeze_switch(false), 0);
	EXPECT_LOG(test, "");
}

/* Bit 11 and all others belong to somebody else */
static void pmi_19_others_in_debugctl(struct kunit *test)
{
	struct perf_event *event = run_consenting(0);

	fake->debugctl = DEBUGCTLMSR_LBR | DEBUGCTLMSR_BTF |
			 DEBUGCTLMSR_FREEZE_IN_SMM;
	update();
	KUNIT_EXPECT_EQ(test, fake->debugctl,
			DEBUGCTLMSR_LBR | DEBUGCTLMSR_BTF |
			DEBUGCTLMSR_FREEZE_IN_SMM | ARMED);
	fake->debugctl |= DEBUGCTLMSR_FREEZE_LBRS_ON_PMI;
	event->attr.config3 = 0;
	update();
	KUNIT_EXPECT_EQ(test, fake->debugctl,
			DEBUGCTLMSR_LBR | DEBUGCTLMSR_BTF |
			DEBUGCTLMSR_FREEZE_IN_SMM |
			DEBUGCTLMSR_FREEZE_LBRS_ON_PMI);
}

static void pmi_22_bit_dropped(struct kunit *test)
{
	fake->debugctl = DEBUGCTLMSR_LBR;
	fake->ctrl = FAKE_CTRL;
	KUNIT_EXPECT_TRUE(test, intel_freeze_probe());
	KUNIT_EXPECT_EQ(test, fake->debugctl, DEBUGCTLMSR_LBR);
	/* Whoever schedules events enables the counters */
	KUNIT_EXPECT_EQ(test, fake->ctrl, 0ULL);
	EXPECT_LOG(test, "w38f=0 r1d9 w1d9=1001 r1d9 w1d9=1 w390=800000000000000");

	fake->debugctl_valid = ~(u64)ARMED;
	KUNIT_EXPECT_FALSE(test, intel_freeze_probe());

	run_consenting(0);
	preempt_disable();
	this_cpu_ptr(&intel_freeze_cpu)->able = false;
	intel_freeze_update(&fake->cpuc);
	KUNIT_EXPECT_EQ(test, this_cpu_ptr(&intel_freeze_cpu)->reason,
			INTEL_FREEZE_UNABLE);
	preempt_enable();
}

static void run_two_consenting(void)
{
	run_consenting(0);
	run_consenting(1);
	update();
	fake->used = 0;
	fake->log[0] = 0;
}

/* Its PMI was lost. The overflows wait for another one. */
static void pmi_3_lost_pmi(struct kunit *test)
{
	run_two_consenting();
	fake->masked = true;
	fake->status = CTR_FRZ | 0x2;
	fake->counter[1] = 3;
	update();
	EXPECT_LOG(test, "r38e apic? r38e w390=800000000000000 p0 p1 apic nmi");
	KUNIT_EXPECT_EQ(test, fake->status, 0x2ULL);

	/* Even one that has left no bit */
	fake->masked = true;
	fake->status = CTR_FRZ;
	update();
	EXPECT_LOG(test, "r38e apic? r38e w390=800000000000000 p0 p1 w391=2 apic nmi");

	/* And nobody is called for nothing */
	fake->masked = true;
	fake->counter[1] = fake->counter[0];
	fake->status = CTR_FRZ;
	update();
	EXPECT_LOG(test, "r38e apic? r38e w390=800000000000000 p0 p1 apic");
}

/* Its PMI is still to come, and would find nothing after another one */
static void pmi_3_late_pmi(struct kunit *test)
{
	run_two_consenting();
	fake->status = CTR_FRZ | 0x2;
	fake->counter[1] = 3;
	update();
	EXPECT_LOG(test, "r38e apic? r38e w390=800000000000000");
	KUNIT_EXPECT_EQ(test, fake->status, 0x2ULL);
}

static void handle_all(void)
{
	fake->status = 0;
	fake->masked = false;
}

/* Its PMI has been delivered, and comes when LVTPC has been read */
static void pmi_3_delivered_pmi(struct kunit *test)
{
	run_two_consenting();
	fake->masked = true;
	fake->status = CTR_FRZ | 0x2;
	fake->on_apic_read = handle_all;
	update();
	EXPECT_LOG(test, "r38e apic? r38e");
}

/* DEBUGCTL has lost the bit while the system was suspended */
static void resume_test(struct kunit *test)
{
	unsigned long flags;

	run_consenting(0);
	local_irq_save(flags);
	intel_freeze_update(&fake->cpuc);
	fake->debugctl = 0;
	intel_freeze_resume(NULL);
	intel_freeze_update(&fake->cpuc);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, fake->debugctl, (u64)ARMED);
}

static void fake_starting(int cpu)
{
	fake_note(" base");
}

static void fake_base_starting(int cpu)
{
	fake_note(" base");
	intel_pmi_cpu_starting();
}

static void hotplug_test(struct kunit *test)
{
	unsigned long flags;

	intel_freeze_base_cpu_starting = fake_base_starting;
	intel_freeze_base_cpu_dying = fake_starting;
	run_consenting(0);

	local_irq_save(flags);
	intel_freeze_update(&fake->cpuc);
	fake->used = 0;
	fake->status = CTR_FRZ;
	intel_freeze_cpu_dying(smp_processor_id());
	EXPECT_LOG(test, "w38f=0 r1d9 w1d9=0 w390=800000000000000 base");

	/* Left by firmware or another kernel, with counters that run */
	fake->ctrl = FAKE_CTRL;
	fake->debugctl = ARMED;
	fake->status = CTR_FRZ;
	this_cpu_ptr(&intel_freeze_cpu)->stuck = true;
	intel_freeze_cpu_starting(smp_processor_id());
	EXPECT_LOG(test, "base w38f=0 r1d9 w1d9=0 r38e w390=800000000000000 " PROBE);
	KUNIT_EXPECT_FALSE(test, this_cpu_ptr(&intel_freeze_cpu)->stuck);
	KUNIT_EXPECT_EQ(test, this_cpu_ptr(&intel_freeze_cpu)->reason,
			INTEL_FREEZE_NO_EVENT);

	/* Why it does not freeze is known before there are events */
	intel_freeze_on = false;
	intel_freeze_cpu_starting(smp_processor_id());
	KUNIT_EXPECT_EQ(test, this_cpu_ptr(&intel_freeze_cpu)->reason,
			INTEL_FREEZE_OFF);
	intel_freeze_on = true;
	fake->debugctl_valid = ~(u64)ARMED;
	intel_freeze_cpu_starting(smp_processor_id());
	KUNIT_EXPECT_EQ(test, this_cpu_ptr(&intel_freeze_cpu)->reason,
			INTEL_FREEZE_UNABLE);
	local_irq_restore(flags);
}

/* The kernel crashes, on this CPU or with an NMI to it */
static void crash_test(struct kunit *test)
{
	unsigned long flags;

	run_consenting(0);
	local_irq_save(flags);
	cpu_emergency_stop_freeze();
	EXPECT_LOG(test, "");

	intel_freeze_update(&fake->cpuc);
	fake->used = 0;
	fake->status = CTR_FRZ;
	cpu_emergency_stop_freeze();
	EXPECT_LOG(test, "w38f=0 r1d9 w1d9=0 w390=800000000000000");
	cpu_emergency_stop_freeze();
	EXPECT_LOG(test, "");
	local_irq_restore(flags);
}

static void config3_test(struct kunit *test)
{
	struct perf_event *event = &fake->event[0];
	int bit;

	intel_freeze_possible = true;
	for (bit = 0; bit < 64; bit++) {
		event->attr.config3 = BIT_ULL(bit);
		KUNIT_EXPECT_EQ(test, intel_freeze_hw_config(event),
				bit ? -EINVAL : 0);
	}

	intel_freeze_possible = false;
	event->attr.config3 = INTEL_FREEZE_CONSENT;
	KUNIT_EXPECT_EQ(test, intel_freeze_hw_config(event), -EINVAL);
	event->attr.config3 = 0;
	KUNIT_EXPECT_EQ(test, intel_freeze_hw_config(event), 0);
}

/* Others in the kernel that get to know of it, and the processor's model */
static void __init expect_possible(struct kunit *test, u32 vfm, int version,
				   bool possible)
{
	fake->vfm = vfm;
	fake_x86_pmu.version = version;
	fake_x86_pmu.cpu_starting = fake_starting;
	intel_freeze_possible = false;
	intel_freeze_init();
	KUNIT_EXPECT_EQ(test, intel_freeze_possible, possible);
	KUNIT_EXPECT_EQ(test, fake_x86_pmu.cpu_starting == intel_freeze_cpu_starting,
			possible);
	KUNIT_EXPECT_EQ(test, fake->debugctl, 0ULL);
	fake->used = 0;
	fake->log[0] = 0;
}

static void __init pmi_22_no_support(struct kunit *test)
{
	expect_possible(test, INTEL_SKYLAKE, 4, true);
	expect_possible(test, INTEL_BROADWELL, 3, false);

	/* A hypervisor that drops the bit */
	fake->debugctl_valid = ~(u64)ARMED;
	expect_possible(test, INTEL_SKYLAKE, 4, false);
}

static void __init pmi_23_goldmont(struct kunit *test)
{
	expect_possible(test, INTEL_ATOM_GOLDMONT, 4, false);
	expect_possible(test, INTEL_ATOM_GOLDMONT_D, 4, false);
	expect_possible(test, INTEL_ATOM_GOLDMONT_PLUS, 4, false);
	expect_possible(test, INTEL_ATOM_TREMONT, 5, true);
}

static struct kunit_case __refdata freeze_init_test_cases[] = {
	KUNIT_CASE(pmi_22_no_support),
	KUNIT_CASE(pmi_23_goldmont),
	{}
};

static struct kunit_suite freeze_init_test_suite = {
	.name		= "intel_freeze_init",
	.init		= freeze_test_init,
	.test_cases	= freeze_init_test_cases,
};

kunit_test_init_section_suites(&freeze_init_test_suite);

static struct kunit_case freeze_test_cases[] = {
	KUNIT_CASE(pmi_1_frozen_order),
	KUNIT_CASE(pmi_3_frozen_only),
	KUNIT_CASE(pmi_3_lost_pmi),
	KUNIT_CASE(pmi_3_late_pmi),
	KUNIT_CASE(pmi_3_delivered_pmi),
	KUNIT_CASE(pmi_4_frozen_state_bits),
	KUNIT_CASE(pmi_6_frozen_pmu_disabled),
	KUNIT_CASE(pmi_7_not_frozen),
	KUNIT_CASE(pmi_7_guest_entry),
	KUNIT_CASE(pmi_7_guest_entry_lost_pmi),
	KUNIT_CASE(pmi_7_guest_entry_pmi),
	KUNIT_CASE(pmi_7_guest_entry_pmi_before),
	KUNIT_CASE(pmi_7_guest_entry_unarmed),
	KUNIT_CASE(pmi_10_frozen_throttle),
	KUNIT_CASE(pmi_11_frozen_throttle_pebs),
	KUNIT_CASE(pmi_12_checkpointed),
	KUNIT_CASE(pmi_13_group_read),
	KUNIT_CASE(pmi_15_counting_event),
	KUNIT_CASE(pmi_16_watchdog),
	KUNIT_CASE(pmi_16_rr),
	KUNIT_CASE(pmi_17_rotation),
	KUNIT_CASE(pmi_18_switch),
	KUNIT_CASE(pmi_18_switch_going_down),
	KUNIT_CASE(pmi_19_others_in_debugctl),
	KUNIT_CASE(pmi_21_frozen_stuck),
	KUNIT_CASE(pmi_22_bit_dropped),
	KUNIT_CASE(pmi_26_switched_off),
	KUNIT_CASE(pmi_27_rdpmc),
	KUNIT_CASE(pmi_28_frozen_handled),
	KUNIT_CASE(frequency_test),
	KUNIT_CASE(guest_test),
	KUNIT_CASE(others_test),
	KUNIT_CASE(tracer_test),
	KUNIT_CASE(resume_test),
	KUNIT_CASE(hotplug_test),
	KUNIT_CASE(crash_test),
	KUNIT_CASE(config3_test),
	{}
};

static struct kunit_suite freeze_test_suite = {
	.name		= "intel_freeze",
	.init		= freeze_test_init,
	.test_cases	= freeze_test_cases,
};

kunit_test_suite(freeze_test_suite);

MODULE_DESCRIPTION("KUnit tests of Intel counter freezing");
MODULE_LICENSE("GPL");
