/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A PMU that is not there, for the tests of pmi.c and freeze.c
 *
 * Both files run in an NMI and on the way to it. Static stubs, the usual way to
 * take hardware away from code, would reach into the NMIs that hit a test. So
 * the tests compile a second copy of the files, with other names, whose
 * register accesses end up here. The real ones stay what they are.
 *
 * Everything that happens is written down as a line of words:
 *
 *	r38e		an MSR was read
 *	w390=1		an MSR was written
 *	p2		counter 2 was read by RDPMC
 *	apic		LVTPC was unmasked
 *	apic?		LVTPC was read
 *	lbr		the branch records were read
 *	h5		overflows of counters 0 and 2 were handled
 *	on		the PMU was enabled
 *	bts-, bts+	branch trace was stopped and started
 *	reset		the PMU was reset
 *	nmi		an NMI was raised
 *	call:name	a static call was changed
 *	off, update	the PMU was disabled and enabled, to decide anew
 *	all		and so were those of all CPUs
 */
#ifndef _ARCH_X86_EVENTS_INTEL_TESTS_PMI_FAKE_H
#define _ARCH_X86_EVENTS_INTEL_TESTS_PMI_FAKE_H

#include <kunit/test-bug.h>
#include <kunit/test.h>

#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/cleanup.h>
#include <linux/compiler.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/kstrtox.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/nmi.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/reboot.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/syscore_ops.h>
#include <linux/sysfs.h>

#include <asm/apic.h>
#include <asm/cpu_device_id.h>
#include <asm/debugreg.h>
#include <asm/intel-family.h>
#include <asm/intel_freeze.h>
#include <asm/intel_ds.h>
#include <asm/msr.h>
#include <asm/perf_event.h>

#include "../../perf_event.h"

#define FAKE_COUNTERS	8
#define FAKE_LOG	4096
#define FAKE_EVENTS	8

#define STATUS		MSR_CORE_PERF_GLOBAL_STATUS
#define STATUS_RESET	MSR_CORE_PERF_GLOBAL_OVF_CTRL
#define LBR_FRZ		GLOBAL_STATUS_LBRS_FROZEN
#define CTR_FRZ		GLOBAL_STATUS_COUNTERS_FROZEN

/* GLOBAL_CTRL of an enabled PMU */
#define FAKE_CTRL	0x7ULL

/**
 * struct fake_pmu - The PMU that is not there
 * @version:		of perfmon
 * @cntval_bits:	width of a counter
 * @status:		GLOBAL_STATUS
 * @ctrl:		GLOBAL_CTRL, FAKE_CTRL while the PMU is enabled
 * @debugctl:		DEBUGCTL
 * @debugctl_valid:	bits of DEBUGCTL that exist
 * @sticky:		bits of @status that cannot be acknowledged
 * @late:		bits of @status that come with the next unmasking
 * @masked:		LVTPC is masked
 * @on_apic_read:	called after LVTPC was read, or NULL
 * @on_ctrl_read:	called before GLOBAL_CTRL is read, or NULL
 * @counter:		the counters
 * @cpuc:		state of the CPU
 * @ds:			debug store of the CPU
 * @event:		events that can be put on the CPU
 * @watchdog:		the one of @event that is the watchdog's
 * @bts_event:		the one of @event that is a branch trace
 * @bts_empty:		the buffer of the branch trace has nothing
 * @vfm:		vendor, family and model of the processor
 * @guest:		what was interrupted is a guest
 * @no_period:		handling an overflow starts no new period
 * @on_overflow:	called while overflows are handled, or NULL
 * @warnings:		number of warnings
 * @log:		what happened
 * @used:		length of @log
 */
struct fake_pmu {
	int			version;
	int			cntval_bits;
	u64			status;
	u64			ctrl;
	u64			debugctl;
	u64			debugctl_valid;
	u64			sticky;
	u64			late;
	bool			masked;
	void			(*on_apic_read)(void);
	void			(*on_ctrl_read)(void);
	u64			counter[FAKE_COUNTERS];
	struct cpu_hw_events	cpuc;
	struct debug_store	ds;
	struct perf_event	event[FAKE_EVENTS];
	struct perf_event	*watchdog;
	struct perf_event	*bts_event;
	bool			bts_empty;
	u32			vfm;
	bool			guest;
	bool			no_period;
	void			(*on_overflow)(void);
	int			warnings;
	char			log[FAKE_LOG];
	int			used;
};

static struct fake_pmu *fake;

/* What the copies know as x86_pmu */
static struct {
	int			version;
	int			cntval_bits;
	bool			pebs_ept;
	int			(*handle_irq)(struct pt_regs *regs);
	void			(*cpu_starting)(int cpu);
	void			(*cpu_dying)(int cpu);
	struct perf_guest_switch_msr *(*guest_get_msrs)(int *nr, void *data);
} fake_x86_pmu;

static __printf(1, 2) void fake_note(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fake->used += vscnprintf(fake->log + fake->used,
				 FAKE_LOG - fake->used, fmt, args);
	va_end(args);
}

static u64 fake_rdmsr(u32 msr)
{
	fake_note(" r%x", msr);
	if (msr == MSR_CORE_PERF_GLOBAL_CTRL && fake->on_ctrl_read)
		fake->on_ctrl_read();

	return msr == STATUS ? fake->status :
	       msr == MSR_CORE_PERF_GLOBAL_CTRL ? fake->ctrl :
	       msr == MSR_IA32_DEBUGCTLMSR ? fake->debugctl : 0;
}

static void fake_wrmsr(u32 msr, u64 value)
{
	fake_note(" w%x=%llx", msr, value);

	switch (msr) {
	case MSR_CORE_PERF_GLOBAL_CTRL:
		fake->ctrl = value;
		break;
	case STATUS_RESET:
		fake->status &= ~value | fake->sticky;
		break;
	case MSR_CORE_PERF_GLOBAL_STATUS_SET:
		fake->status |= value;
		break;
	case MSR_IA32_DEBUGCTLMSR:
		fake->debugctl = value & fake->debugctl_valid;
		break;
	}
}

static u64 fake_rdpmc(int counter)
{
	fake_note(" p%d", counter);

	return fake->counter[counter];
}

static void fake_apic_write(u32 reg, u32 value)
{
	fake_note(" apic");
	fake->masked = false;
	fake->status |= fake->late;
	fake->late = 0;
}

static u32 fake_apic_read(u32 reg)
{
	u32 value = APIC_DM_NMI | (fake->masked ? APIC_LVT_MASKED : 0);

	fake_note(" apic?");
	if (fake->on_apic_read)
		fake->on_apic_read();

	return value;
}

static void __maybe_unused fake_send_ipi(int cpu, int vector)
{
	fake_note(" nmi");
}

static void fake_enable_bts(u64 config)
{
	fake_note(" bts+");
}

static void __maybe_unused fake_pmu_disable(struct pmu *pmu)
{
	fake_note(" off");
}

static void __maybe_unused fake_pmu_enable(struct pmu *pmu)
{
	fake_note(" update");
}

static int __maybe_unused fake_is_x86_event(struct perf_event *event)
{
	return 1;
}

static __maybe_unused const struct x86_cpu_id *
fake_match_cpu(const struct x86_cpu_id *match)
{
	for (; match->flags & X86_CPU_ID_FLAG_ENTRY_VALID; match++) {
		if (VFM_MAKE(match->vendor, match->family, match->model) ==
		    fake->vfm)
			return match;
	}

	return NULL;
}

static void fake_new_period(void);

static void fake_enable_all(int added, bool pmi)
{
	fake_note(" on");
	fake->ctrl = FAKE_CTRL;
}

static int fake_handle_overflows(struct pt_regs *regs, u64 status)
{
	fake_note(" h%llx", status);
	if (fake->on_overflow)
		fake->on_overflow();
	if (status && !fake->no_period)
		fake_new_period();

	return hweight64(status);
}

/* Names of the copies: the file that includes this says how they begin */
#define FAKE(name)			__PASTE(FAKE_PREFIX, name)
#define intel_pmi_cpu			FAKE(intel_pmi_cpu)
#define intel_pmi_cpu_starting		FAKE(intel_pmi_cpu_starting)
#define intel_pmi_frozen		FAKE(intel_pmi_frozen)
#define intel_pmi_handle_irq		FAKE(intel_pmi_handle_irq)
#define intel_pmi_handle_status		FAKE(intel_pmi_handle_status)
#define intel_pmi_init			FAKE(intel_pmi_init)
#define intel_pmi_reset			FAKE(intel_pmi_reset)
#define intel_pmi_unmask		FAKE(intel_pmi_unmask)
#define intel_pmi_wrapped		FAKE(intel_pmi_wrapped)

/* What they use */
#define x86_pmu				fake_x86_pmu
#undef rdmsrl
#define rdmsrl(msr, value)		((value) = fake_rdmsr(msr))
#undef wrmsrl
#define wrmsrl(msr, value)		fake_wrmsr(msr, value)
#undef rdmsrl_safe
#define rdmsrl_safe(msr, value)		(*(value) = fake_rdmsr(msr), 0)
#undef wrmsrl_safe
#define wrmsrl_safe(msr, value)		(fake_wrmsr(msr, value), 0)
#undef rdpmcl
#define rdpmcl(counter, value)		((value) = fake_rdpmc(counter))
#define apic_write			fake_apic_write
#define apic_read			fake_apic_read
#undef __apic_send_IPI
#define __apic_send_IPI			fake_send_ipi
#define intel_pmu_lbr_read()		fake_note(" lbr")
#define intel_pmu_disable_bts()		fake_note(" bts-")
#define intel_pmu_enable_bts		fake_enable_bts
#define intel_bts_disable_local()	fake_note(" bts-")
#define intel_bts_enable_local()	fake_note(" bts+")
#define intel_pmu_drain_bts_buffer()	(fake_note(" drain"), !fake->bts_empty)
#define intel_bts_interrupt()		0
#define perf_guest_state()		(fake->guest ? PERF_GUEST_ACTIVE : 0)
#define perf_event_print_debug()	do { } while (0)
#define x86_match_cpu			fake_match_cpu
#undef static_call_update
#define static_call_update(name, func)					\
	((void)(func), fake_note(" call:%s", #name))
#undef on_each_cpu
#define on_each_cpu(func, arg, wait)					\
	((void)(func), (void)(arg), fake_note((wait) ? " all" : " some"))
#define register_syscore(syscore)	(fake_note(" syscore"), (void)(syscore))
#define register_reboot_notifier(nb)	(fake_note(" reboot"), (void)(nb))
#define perf_pmu_disable		fake_pmu_disable
#define perf_pmu_enable			fake_pmu_enable
#define is_x86_event			fake_is_x86_event
#define hardlockup_detector_owns(event)	((event) == fake->watchdog)
#define intel_pmu_has_bts(event)	((event) == fake->bts_event)
#undef WARN
#define WARN(condition, format...)	(fake->warnings += !!(condition))
#undef __setup
#define __setup(name, function)						\
	static int (*fake_setup)(char *) __initdata __maybe_unused =	\
		(name) ? (function) : NULL
#undef device_initcall
#define device_initcall(function)					\
	static int (*fake_initcall)(void) __initdata __maybe_unused = (function)
#define intel_pmu_handle_overflows	fake_handle_overflows
#define __intel_pmu_enable_all		fake_enable_all
#define intel_pmu_reset			fake_pmu_reset

static void fake_pmu_reset(void);

#include "../pmi.c"

static void fake_new_period(void)
{
	intel_pmi_new_period();
}

static void fake_pmu_reset(void)
{
	fake_note(" reset");
	intel_pmi_reset();
}

/* The copy of the handler, as if in an NMI */
static int fake_pmi(void)
{
	unsigned long flags;
	int handled;

	local_irq_save(flags);
	handled = intel_pmi_handle(NULL, &fake->cpuc);
	local_irq_restore(flags);

	return handled;
}

/* A running event on general purpose counter @counter, far from its overflow */
static struct perf_event *fake_run(int counter)
{
	struct perf_event *event = &fake->event[fake->cpuc.n_events];

	event->group_leader = event;
	INIT_LIST_HEAD(&event->sibling_list);
	event->attr.sample_period = 100000;
	event->hw.sample_period = 100000;
	event->hw.event_base_rdpmc = counter;
	event->hw.idx = counter;
	fake->counter[counter] = -1000ULL & GENMASK_ULL(fake->cntval_bits - 1, 0);
	fake->cpuc.events[counter] = event;
	fake->cpuc.event_list[fake->cpuc.n_events++] = event;
	__set_bit(counter, fake->cpuc.active_mask);

	return event;
}

static int fake_init(struct kunit *test)
{
	int cpu;

	/* Each test has a thread of its own, and what it looks at is per CPU */
	cpu = raw_smp_processor_id();
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);

	fake = kunit_kzalloc(test, sizeof(*fake), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fake);
	test->priv = fake;

	fake->version = 4;
	fake->cntval_bits = 48;
	fake->debugctl_valid = ~0ULL;
	fake->cpuc.enabled = 1;
	fake_x86_pmu.version = fake->version;
	fake_x86_pmu.cntval_bits = fake->cntval_bits;
	fake_x86_pmu.pebs_ept = true;
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&intel_pmi_cpu, cpu), 0,
		       sizeof(struct intel_pmi_cpu));

	return 0;
}

/* Take down the words of one action, and compare */
#define EXPECT_LOG(test, expected)					\
do {									\
	KUNIT_EXPECT_STREQ(test, fake->used ? fake->log + 1 : "",	\
			   expected);					\
	fake->used = 0;							\
	fake->log[0] = 0;						\
} while (0)

#endif /* _ARCH_X86_EVENTS_INTEL_TESTS_PMI_FAKE_H */
