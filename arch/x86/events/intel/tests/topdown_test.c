// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of slots and metrics: what they count across time slices, reads,
 * resets and overflows, and what a mapped page says. They run on any CPU; no MSR
 * is touched.
 */
#include <kunit/test.h>

#include <linux/bitops.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "topdown_fake.h"

/* Slots of one time slice */
#define SLICE			1000000ULL

/* A category may be wrong by a step of its byte, and rounded down each time */
#define TOLERANCE(slots)	((slots) / 250 + 2)

/* Categories in percent */
static const unsigned int phase_a[CATEGORIES] = { 60, 5, 15, 20 };
static const unsigned int phase_b[CATEGORIES] = { 7, 10, 10, 73 };

static void fake_spend(struct fake_pmu *pmu, const unsigned int *percent,
		       u64 slots)
{
	u64 left = slots;
	int i;

	for (i = CATEGORIES - 1; i >= 0; i--) {
		u64 part = i ? div_u64(slots * percent[i], 100) : left;

		pmu->category[i] += part;
		pmu->truth[i] += part;
		left -= part;
	}
	pmu->slots = (pmu->slots + slots) & SLOTS_MASK;
}

/* As x86_pmu_start() does it */
static void start_event(struct fake_pmu *pmu, struct perf_event *event)
{
	int idx = event->hw.idx;

	mutex_lock(&pmu->ctx.mutex);
	if (is_topdown_count(event))
		intel_topdown_start(&pmu->cpuc, event);
	else
		pmu->slots = -local64_read(&event->hw.period_left) & SLOTS_MASK;
	mutex_unlock(&pmu->ctx.mutex);

	pmu->cpuc.events[idx] = event;
	__set_bit(idx, pmu->cpuc.active_mask);
}

/* As x86_pmu_stop() does it */
static void stop_event(struct fake_pmu *pmu, struct perf_event *event)
{
	__clear_bit(event->hw.idx, pmu->cpuc.active_mask);
	pmu->cpuc.events[event->hw.idx] = NULL;
	intel_topdown_count(&pmu->cpuc, event);
}

static void switch_in(struct fake_pmu *pmu)
{
	int i;

	for (i = 0; i < MEMBERS; i++)
		start_event(pmu, &pmu->event[i]);
}

static void switch_out(struct fake_pmu *pmu)
{
	int i;

	for (i = 0; i < MEMBERS; i++)
		stop_event(pmu, &pmu->event[i]);
}

/* A slice of another task, which uses the registers for itself */
static void foreign_slice(struct fake_pmu *pmu)
{
	pmu->slots = 7 * SLICE;
	memset(pmu->category, 0, sizeof(pmu->category));
	pmu->category[2] = 7 * SLICE;
}

static void run_slices(struct fake_pmu *pmu, const unsigned int *percent,
		       u64 slots, int nr)
{
	while (nr--) {
		switch_in(pmu);
		fake_spend(pmu, percent, slots);
		switch_out(pmu);
		foreign_slice(pmu);
	}
}

static u64 count_of(struct fake_pmu *pmu, int i)
{
	return local64_read(&pmu->event[i].count);
}

static u64 spent(struct fake_pmu *pmu)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < CATEGORIES; i++)
		sum += pmu->truth[i];

	return sum;
}

static void forget(struct fake_pmu *pmu)
{
	memset(pmu->truth, 0, sizeof(pmu->truth));
}

/* Set the counts to 0, as PERF_EVENT_IOC_RESET does when nothing is active */
static void reset_counts(struct fake_pmu *pmu)
{
	int i;

	for (i = 0; i < MEMBERS; i++)
		local64_set(&pmu->event[i].count, 0);
}

/* User space reads slots and metrics with RDPMC, or it does not */
static void map_events(struct fake_pmu *pmu, int mapped)
{
	atomic_set(&pmu->event[0].mmap_count, mapped);
	atomic_set(&pmu->event[1].mmap_count, mapped);
}

static void expect_near(struct kunit *test, u64 found, u64 expected,
			u64 tolerance)
{
	KUNIT_EXPECT_GE(test, found + tolerance, expected);
	KUNIT_EXPECT_LE(test, found, expected + tolerance);
}

/* Slots are exact, each category is as good as one slice allows */
static void expect_truth(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	u64 slots = spent(pmu);
	int i;

	KUNIT_EXPECT_EQ(test, count_of(pmu, 0), slots);
	for (i = 0; i < CATEGORIES; i++)
		expect_near(test, count_of(pmu, 1 + i), pmu->truth[i],
			    TOLERANCE(slots));
}

/* The formulas that user space has to work with */
static void expect_page(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	u64 metrics = fake_metrics(pmu), offset[MEMBERS], value[MEMBERS];
	int i;

	/* perf_event_update_userpage() */
	for (i = 0; i < MEMBERS; i++) {
		struct perf_event *event = &pmu->event[i];

		offset[i] = count_of(pmu, i) -
			    local64_read(&event->hw.prev_count);
		value[i] = i ? div_u64(pmu->slots *
				       (metrics >> (i - 1) * BITS_PER_BYTE &
					METRIC_ALL), METRIC_ALL) : pmu->slots;
	}

	intel_topdown_count(&pmu->cpuc, &pmu->event[0]);
	for (i = 0; i < MEMBERS; i++)
		KUNIT_EXPECT_EQ(test, offset[i] + value[i], count_of(pmu, i));
}

/*
 * K1: differences are signed
 */

static void expect_value(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	int i;

	for (i = 0; i < MEMBERS; i++) {
		u64 value = intel_topdown_value(&pmu->event[i],
						pmu->cpuc.topdown_slots,
						pmu->cpuc.topdown_metrics);

		KUNIT_EXPECT_EQ(test, count_of(pmu, i), value);
	}
	expect_truth(test);
}

static void topdown_k1_steps_back_count(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	int i;

	/* A member that restarts updates all others: bytes go up and down */
	switch_in(pmu);
	for (i = 0; i < 400; i++) {
		fake_spend(pmu, i & 1 ? phase_b : phase_a, SLICE + i);
		stop_event(pmu, &pmu->event[2]);
		start_event(pmu, &pmu->event[2]);
		expect_value(test);
	}
	switch_out(pmu);
	expect_value(test);
}

static void topdown_k1_restored(struct kunit *test)
{
	/* Fractions that lie between two bytes */
	static const unsigned int even[CATEGORIES] = { 25, 25, 25, 25 };
	static const unsigned int odd[CATEGORIES] = { 24, 26, 24, 26 };
	struct fake_pmu *pmu = test->priv;
	int i;

	/* The registers are restored, and are all there is to know */
	map_events(pmu, 1);
	for (i = 0; i < 50; i++) {
		run_slices(pmu, even, SLICE, 1);
		run_slices(pmu, odd, SLICE + 12345, 1);
	}
	expect_value(test);
}

/*
 * K2: each slice starts from zero
 */

static void topdown_k2_phases(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;

	run_slices(pmu, phase_a, SLICE, 500);
	expect_truth(test);

	run_slices(pmu, phase_b, SLICE, 9500);
	expect_truth(test);
}

static void topdown_k2_members_stop_once(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	int i;

	/* The leader last, and a member that starts and stops alone */
	switch_in(pmu);
	fake_spend(pmu, phase_a, SLICE);
	stop_event(pmu, &pmu->event[2]);
	start_event(pmu, &pmu->event[2]);
	fake_spend(pmu, phase_b, SLICE);
	for (i = MEMBERS - 1; i >= 0; i--)
		stop_event(pmu, &pmu->event[i]);
	expect_truth(test);

	/* The leader starts again while the others go on */
	switch_in(pmu);
	fake_spend(pmu, phase_b, SLICE);
	stop_event(pmu, &pmu->event[0]);
	start_event(pmu, &pmu->event[0]);
	fake_spend(pmu, phase_b, SLICE);
	switch_out(pmu);
	expect_truth(test);
}

static void topdown_k2_mapped_restores(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	u64 slots, metrics;
	int i;

	atomic_set(&pmu->event[0].mmap_count, 1);
	for (i = 1; i < MEMBERS; i++) {
		atomic_set(&pmu->event[i].mmap_count, 1);

		run_slices(pmu, phase_a, SLICE, 1);
		slots = pmu->event[0].hw.saved_slots;
		metrics = pmu->event[0].hw.saved_metric;
		KUNIT_EXPECT_EQ(test, slots, SLICE);

		switch_in(pmu);
		KUNIT_EXPECT_EQ(test, pmu->slots, slots);
		KUNIT_EXPECT_EQ(test, fake_metrics(pmu), metrics);
		fake_spend(pmu, phase_a, SLICE);
		switch_out(pmu);
		expect_truth(test);

		/* Nobody looks any more */
		atomic_set(&pmu->event[i].mmap_count, 0);
		switch_in(pmu);
		KUNIT_EXPECT_EQ(test, pmu->slots, 0);
		KUNIT_EXPECT_EQ(test, fake_metrics(pmu), 0);
		switch_out(pmu);
	}
}

/* The mapping of one event is for samples: nobody subtracts */
static void topdown_k2_mapped_alone(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	int i;

	for (i = 0; i < MEMBERS; i++) {
		atomic_set(&pmu->event[i].mmap_count, 1);
		run_slices(pmu, phase_a, SLICE, 300);
		run_slices(pmu, phase_b, SLICE, 700);
		expect_truth(test);
		atomic_set(&pmu->event[i].mmap_count, 0);
	}
}

/* An event whose number is not known, or of another PMU, is not looked at */
static void topdown_k2_mapped_strangers(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;

	pmu->event[3].pmu = &pmu->other;
	atomic_set(&pmu->event[0].mmap_count, 1);
	atomic_set(&pmu->event[3].mmap_count, 1);
	run_slices(pmu, phase_a, SLICE, 1);
	switch_in(pmu);
	KUNIT_EXPECT_EQ(test, pmu->slots, 0);
}

/*
 * K3: the overflow of a metric
 */

static void topdown_k3_overflow(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	int i;

	map_events(pmu, 1);
	for (i = 0; i < 3; i++) {
		run_slices(pmu, phase_a, SLICE, 2);

		switch_in(pmu);
		fake_spend(pmu, phase_b, SLICE);
		intel_topdown_overflow(&pmu->cpuc, false);
		KUNIT_EXPECT_EQ(test, pmu->slots, 0);
		KUNIT_EXPECT_EQ(test, fake_metrics(pmu), 0);
		expect_truth(test);

		fake_spend(pmu, phase_b, SLICE);
		switch_out(pmu);
		expect_truth(test);
	}
}

/* As intel_pmu_save_and_restart() does it */
static void overflow_slots(struct fake_pmu *pmu)
{
	intel_topdown_overflow(&pmu->cpuc, true);
	intel_topdown_count(&pmu->cpuc, &pmu->event[0]);
	intel_topdown_start(&pmu->cpuc, &pmu->event[0]);
}

/* The counter is all the way around since its slice began from zero */
static void topdown_k3_slots_around(struct kunit *test)
{
	static const u64 behind[] = { 0, 1, SLICE, SLOTS_MASK / 2 };
	struct fake_pmu *pmu = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(behind); i++) {
		switch_in(pmu);
		fake_spend(pmu, phase_a, SLOTS_MASK / 2);
		fake_spend(pmu, phase_a, SLOTS_MASK / 2 + 2 + behind[i]);
		overflow_slots(pmu);
		KUNIT_EXPECT_EQ(test, pmu->slots, 0);
		KUNIT_EXPECT_EQ(test, count_of(pmu, 0), spent(pmu));

		/* Known in between */
		fake_spend(pmu, phase_a, 3 * SLICE);
		stop_event(pmu, &pmu->event[CATEGORIES]);
		fake_spend(pmu, phase_a, SLOTS_MASK / 2);
		fake_spend(pmu, phase_a, SLOTS_MASK / 2);
		overflow_slots(pmu);
		KUNIT_EXPECT_EQ(test, count_of(pmu, 0), spent(pmu));
		start_event(pmu, &pmu->event[CATEGORIES]);
		switch_out(pmu);
	}
}

/* The counter's own overflow: counted, then given a new period */
static void topdown_k3_slots_overflow(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;

	map_events(pmu, 1);
	run_slices(pmu, phase_a, SLICE, 1);
	switch_in(pmu);
	fake_spend(pmu, phase_a, SLOTS_MASK / 4);
	switch_out(pmu);
	switch_in(pmu);
	fake_spend(pmu, phase_a, SLOTS_MASK - pmu->slots + 1000);
	overflow_slots(pmu);
	KUNIT_EXPECT_EQ(test, pmu->slots, 0);
	fake_spend(pmu, phase_a, SLICE);
	switch_out(pmu);
	expect_truth(test);
}

/*
 * K4: resets of events that are not active, and nothing to restore
 */

static void topdown_k4_reset_off_cpu(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	int i;

	map_events(pmu, 1);
	for (i = 0; i < MEMBERS; i++) {
		run_slices(pmu, phase_a, SLICE, 2);

		/* The whole group, then each member alone */
		if (i)
			local64_set(&pmu->event[i].count, 0);
		else
			reset_counts(pmu);

		switch_in(pmu);
		KUNIT_EXPECT_EQ(test, pmu->slots, 0);
		KUNIT_EXPECT_EQ(test, fake_metrics(pmu), 0);
		forget(pmu);
		fake_spend(pmu, phase_b, SLICE);
		if (!i)
			expect_page(test);
		switch_out(pmu);
		KUNIT_EXPECT_LE(test, count_of(pmu, i), SLICE);

		reset_counts(pmu);
	}
}

static void topdown_k4_nothing_saved(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;

	map_events(pmu, 1);

	/* The first slice, and one behind a slice without a single slot */
	run_slices(pmu, phase_a, 0, 1);
	run_slices(pmu, phase_a, SLICE, 1);
	expect_truth(test);

	/* A slice that begins right after a read, and ends there */
	switch_in(pmu);
	intel_topdown_count(&pmu->cpuc, &pmu->event[0]);
	switch_out(pmu);
	foreign_slice(pmu);
	run_slices(pmu, phase_a, SLICE, 1);
	expect_truth(test);
}

/*
 * K5: what the pages of mapped events say
 */

static void topdown_k5_page(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	int mapped, i;

	for (mapped = 0; mapped < 2; mapped++) {
		map_events(pmu, mapped);
		for (i = 0; i < 20; i++) {
			run_slices(pmu, phase_a, SLICE + i, i);

			switch_in(pmu);
			fake_spend(pmu, phase_b, SLICE + 3 * i);
			/* Reads */
			expect_page(test);
			fake_spend(pmu, phase_a, SLICE + 7 * i);
			expect_page(test);
			expect_page(test);
			fake_spend(pmu, phase_a, SLICE);
			switch_out(pmu);
			foreign_slice(pmu);
		}
	}
	KUNIT_EXPECT_EQ(test, count_of(pmu, 0), spent(pmu));
}

/* PERF_IOC_FLAG_GROUP enables the leader while the others are still off */
static void topdown_k5_leader_first(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	int i;

	map_events(pmu, 1);
	run_slices(pmu, phase_a, SLICE, 1);

	for (i = 1; i < MEMBERS; i++)
		pmu->event[i].state = PERF_EVENT_STATE_OFF;
	start_event(pmu, &pmu->event[0]);
	KUNIT_EXPECT_EQ(test, pmu->slots, SLICE);
}

/*
 * K7: what a leader becomes
 */

/* The leader is an ordinary event until its first metric event starts */
static void topdown_k7_leader_converts(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	struct perf_event *leader = &pmu->event[0];

	start_event(pmu, leader);
	KUNIT_EXPECT_FALSE(test, is_topdown_count(leader));
	KUNIT_EXPECT_EQ(test, pmu->wrmsrs, 0);
	KUNIT_EXPECT_NE(test, pmu->slots, 0);

	start_event(pmu, &pmu->event[1]);
	KUNIT_EXPECT_TRUE(test, is_topdown_count(leader));
	KUNIT_EXPECT_EQ(test, pmu->slots, 0);

	start_event(pmu, &pmu->event[2]);
	start_event(pmu, &pmu->event[3]);
	start_event(pmu, &pmu->event[4]);
	KUNIT_EXPECT_EQ(test, pmu->wrmsrs, 2);
	fake_spend(pmu, phase_a, SLICE);
	switch_out(pmu);
	expect_truth(test);
}

/*
 * K8: an overflow that no metric event is to blame for
 */

static void topdown_k8_no_metrics(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	u64 slots = pmu->slots;

	intel_topdown_overflow(&pmu->cpuc, false);

	/* An ordinary event on the counter of the slots */
	__set_bit(INTEL_PMC_IDX_FIXED_SLOTS, pmu->cpuc.active_mask);
	pmu->cpuc.events[INTEL_PMC_IDX_FIXED_SLOTS] = &pmu->event[0];
	intel_topdown_overflow(&pmu->cpuc, false);

	KUNIT_EXPECT_EQ(test, pmu->rdpmcs, 0);
	KUNIT_EXPECT_EQ(test, pmu->wrmsrs, 0);
	KUNIT_EXPECT_EQ(test, pmu->slots, slots);
	KUNIT_EXPECT_EQ(test, count_of(pmu, 0), 0);
}

/*
 * R23: RDPMC clears both registers
 */

static void clear_events(struct fake_pmu *pmu)
{
	pmu->event[0].attr.config1 = 1;
	pmu->event[0].hw.flags |= PERF_X86_EVENT_TOPDOWN;
	map_events(pmu, 1);
}

/* User space reads the registers with RDPMC, which clears them */
static void take(struct fake_pmu *pmu)
{
	int i;

	pmu->taken[0] += pmu->slots;
	for (i = 0; i < CATEGORIES; i++)
		pmu->taken[1 + i] += pmu->category[i];
	pmu->slots = 0;
	memset(pmu->category, 0, sizeof(pmu->category));
}

/* The pages and what was taken tell all that happened, but for the registers */
static void expect_whole(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	int i;

	for (i = 0; i < MEMBERS; i++) {
		u64 offset = count_of(pmu, i) -
			     local64_read(&pmu->event[i].hw.prev_count);

		if (i)
			expect_near(test, offset + pmu->taken[i],
				    pmu->truth[i - 1] - pmu->category[i - 1],
				    TOLERANCE(spent(pmu)));
		else
			KUNIT_EXPECT_EQ(test, offset + pmu->taken[0],
					spent(pmu) - pmu->slots);
	}
}

static void topdown_r23_taken_once(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	int i;

	clear_events(pmu);
	for (i = 0; i < 20; i++) {
		run_slices(pmu, phase_a, SLICE + i, 1);

		switch_in(pmu);
		KUNIT_EXPECT_EQ(test, pmu->slots, 0);
		expect_whole(test);
		fake_spend(pmu, phase_b, 2 * SLICE);
		take(pmu);
		expect_whole(test);

		/* More than was taken, and less */
		fake_spend(pmu, phase_a, i & 1 ? 3 * SLICE : SLICE);
		expect_whole(test);
		intel_topdown_count(&pmu->cpuc, &pmu->event[i % MEMBERS]);
		KUNIT_EXPECT_EQ(test, pmu->slots, 0);
		expect_whole(test);

		fake_spend(pmu, phase_a, SLICE / 2);
		take(pmu);
		take(pmu);
		fake_spend(pmu, phase_a, SLICE / 3);
		if (i & 2) {
			intel_topdown_overflow(&pmu->cpuc, false);
			KUNIT_EXPECT_EQ(test, pmu->slots, 0);
			expect_whole(test);
		}
		switch_out(pmu);
		foreign_slice(pmu);
		KUNIT_EXPECT_EQ(test, count_of(pmu, 0) + pmu->taken[0],
				spent(pmu));
	}
}

/* One member is disabled, and user space goes on to take the others' slots */
static void topdown_r23_member_stops(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	int i;

	clear_events(pmu);
	switch_in(pmu);
	fake_spend(pmu, phase_a, 3 * SLICE);
	stop_event(pmu, &pmu->event[CATEGORIES]);
	fake_spend(pmu, phase_a, SLICE);
	take(pmu);
	fake_spend(pmu, phase_a, SLICE);
	for (i = 0; i < MEMBERS - 1; i++)
		stop_event(pmu, &pmu->event[i]);
	KUNIT_EXPECT_EQ(test, count_of(pmu, 0), 4 * SLICE);
	KUNIT_EXPECT_EQ(test, pmu->taken[0], SLICE);
	for (i = 0; i < CATEGORIES; i++)
		expect_near(test, count_of(pmu, 1 + i),
			    phase_a[i] * (i < CATEGORIES - 1 ? 4 : 3) * SLICE / 100,
			    TOLERANCE(4 * SLICE));
}

/*
 * A late PMI takes a sample of the group in the middle of a read or a switch
 */

struct late_pmi {
	int	left;
	bool	inside;
};

static struct late_pmi late_pmi;

static bool late_is_torn(void)
{
	return late_pmi.inside;
}

/* After the register access that was chosen */
static void late_access(void)
{
	struct fake_pmu *pmu = fake();
	int i;

	if (late_pmi.inside || late_pmi.left-- != 0)
		return;

	late_pmi.inside = true;
	for (i = 0; i < MEMBERS; i++)
		intel_topdown_count(&pmu->cpuc, &pmu->event[i]);
	intel_topdown_overflow(&pmu->cpuc, false);
	late_pmi.inside = false;
}

static u64 late_rdpmc(u32 counter)
{
	u64 value = fake_rdpmc(counter);

	late_access();

	return value;
}

static void late_wrmsr(u32 msr, u64 value)
{
	fake_wrmsr(msr, value);
	late_access();
}

static void topdown_r24_late_pmi(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;
	int at, i;

	kunit_activate_static_stub(test, intel_topdown_is_torn, late_is_torn);
	kunit_activate_static_stub(test, intel_topdown_rdpmc, late_rdpmc);
	kunit_activate_static_stub(test, intel_topdown_wrmsr, late_wrmsr);

	/* Accesses of switch in, read, switch out: some 14 */
	for (at = 0; at < 20; at++) {
		memset(&pmu->cpuc, 0, sizeof(pmu->cpuc));
		reset_counts(pmu);
		late_pmi.left = at;
		switch_in(pmu);
		fake_spend(pmu, phase_a, SLICE);
		intel_topdown_count(&pmu->cpuc, &pmu->event[0]);
		fake_spend(pmu, phase_a, SLICE);
		switch_out(pmu);

		KUNIT_EXPECT_EQ(test, count_of(pmu, 0), 2 * SLICE);
		for (i = 0; i < CATEGORIES; i++)
			expect_near(test, count_of(pmu, 1 + i),
				    phase_a[i] * 2 * SLICE / 100,
				    TOLERANCE(2 * SLICE));
	}
	KUNIT_EXPECT_LT(test, late_pmi.left, 10);
	foreign_slice(pmu);
}

/*
 * R24: accuracy, for no more accesses than before
 */

static void topdown_r24_accesses(struct kunit *test)
{
	struct fake_pmu *pmu = test->priv;

	run_slices(pmu, phase_a, SLICE, 1);
	pmu->rdpmcs = 0;
	pmu->wrmsrs = 0;
	run_slices(pmu, phase_a, SLICE, 1);
	KUNIT_EXPECT_EQ(test, pmu->rdpmcs, MEMBERS + 1);
	KUNIT_EXPECT_EQ(test, pmu->wrmsrs, 2);

	/* The first read of a group in a sample, and the other members' */
	switch_in(pmu);
	fake_spend(pmu, phase_a, SLICE);
	pmu->rdpmcs = 0;
	pmu->wrmsrs = 0;
	intel_topdown_count(&pmu->cpuc, &pmu->event[0]);
	KUNIT_EXPECT_EQ(test, pmu->rdpmcs, 2);
	KUNIT_EXPECT_EQ(test, pmu->wrmsrs, 2);
	intel_topdown_count(&pmu->cpuc, &pmu->event[1]);
	KUNIT_EXPECT_EQ(test, pmu->rdpmcs, 3);
	KUNIT_EXPECT_EQ(test, pmu->wrmsrs, 2);
}

static struct kunit_case topdown_test_cases[] = {
	KUNIT_CASE(topdown_k1_steps_back_count),
	KUNIT_CASE(topdown_k1_restored),
	KUNIT_CASE(topdown_k2_phases),
	KUNIT_CASE(topdown_k2_members_stop_once),
	KUNIT_CASE(topdown_k2_mapped_restores),
	KUNIT_CASE(topdown_k2_mapped_alone),
	KUNIT_CASE(topdown_k2_mapped_strangers),
	KUNIT_CASE(topdown_k3_overflow),
	KUNIT_CASE(topdown_k3_slots_around),
	KUNIT_CASE(topdown_k3_slots_overflow),
	KUNIT_CASE(topdown_k4_reset_off_cpu),
	KUNIT_CASE(topdown_k4_nothing_saved),
	KUNIT_CASE(topdown_k5_page),
	KUNIT_CASE(topdown_k5_leader_first),
	KUNIT_CASE(topdown_k7_leader_converts),
	KUNIT_CASE(topdown_k8_no_metrics),
	KUNIT_CASE(topdown_r23_taken_once),
	KUNIT_CASE(topdown_r23_member_stops),
	KUNIT_CASE(topdown_r24_accesses),
	KUNIT_CASE(topdown_r24_late_pmi),
	{}
};

static struct kunit_suite topdown_test_suite = {
	.name		= "intel_topdown",
	.init		= fake_init,
	.test_cases	= topdown_test_cases,
};

kunit_test_suite(topdown_test_suite);
