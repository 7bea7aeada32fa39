// SPDX-License-Identifier: GPL-2.0
/*
 * Test of the PMI of Intel core PMUs: its order, and what may come between.
 */
#define _GNU_SOURCE

#include "pmi.h"

/* A counter shortly before its overflow */
#define PUSHED			0xffffffff0000ULL

#define LAPIC			0xfee00000
#define LAPIC_LVTPC		0x340
#define LAPIC_MASKED		0x10000U

/*
 * The order
 */

struct stale {
	unsigned long	samples;
	unsigned long	checked;
	unsigned long	late;
	unsigned long	stale;
	uint64_t	last_ip;
	uint64_t	stale_ip;
	uint64_t	stale_to;
};

/*
 * From the last branch on, code is straight: its target is not far back. In the
 * first round that is where the call led to. Or the counter has overflowed on
 * the way out of the PMI before, which delivers this one right behind its
 * return. The branches are those of the way out then, and the code has not come
 * any further.
 */
static void check_branches(struct perf_event_header *header, void *arg)
{
	struct {
		struct perf_event_header header;
		uint64_t ip;
		uint64_t nr;
		struct perf_branch_entry entry[];
	} *sample = (void *)header;
	struct stale *stale = arg;
	uint64_t to, last_ip = stale->last_ip;

	if (header->type != PERF_RECORD_SAMPLE)
		return;
	stale->samples++;
	stale->last_ip = sample->ip;
	if (!sample->nr || sample->ip < (uintptr_t)work_start ||
	    sample->ip >= (uintptr_t)work_end)
		return;

	stale->checked++;
	to = sample->entry[0].to;
	if (to >= (uintptr_t)work && to <= sample->ip)
		return;
	stale->late++;
	if (sample->ip == last_ip && (int64_t)to < 0)
		return;
	stale->stale++;
	stale->stale_ip = sample->ip;
	stale->stale_to = to;
}

/*
 * Two samplers with short periods, user and kernel: one overflows again while
 * the PMI of the other ends. Branch records must be those of the sample, and
 * no PMI lost.
 */
static void storm(struct __test_metadata *_metadata, uint64_t consent)
{
	struct perf_event_attr attr;
	struct stale stale = {};
	uint64_t pmis, lost;
	void *map;
	int fd[2], i;

	for (i = 0; i < 2; i++) {
		init_attr(&attr, i ? EVENT_BRANCHES : EVENT_INSTRUCTIONS,
			  i ? 1009 : 6007, consent);
		attr.exclude_kernel = 0;
		attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
					  PERF_SAMPLE_BRANCH_USER |
					  PERF_SAMPLE_BRANCH_KERNEL;
		attr.disabled = 1;
		fd[i] = open_attr(&attr, -1);
		ASSERT_GE(fd[i], 0);
	}
	/* One buffer, so that samples come in their order */
	map = map_event(fd[0]);
	ASSERT_NE(map, NULL);
	ASSERT_EQ(ioctl(fd[1], PERF_EVENT_IOC_SET_OUTPUT, fd[0]), 0);

	pmis = rdmsr(PMUSIM_PMIS);
	lost = rdmsr(PMUSIM_PMIS_LOST);
	for (i = 0; i < 400 && stale.samples < 10000; i++) {
		ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
		ioctl(fd[1], PERF_EVENT_IOC_ENABLE, 0);
		work(20000);
		ioctl(fd[1], PERF_EVENT_IOC_DISABLE, 0);
		ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
		walk(map, check_branches, &stale);
	}
	pmis = rdmsr(PMUSIM_PMIS) - pmis;
	lost = rdmsr(PMUSIM_PMIS_LOST) - lost;

	TH_LOG("%llu PMIs, %llu merged; %lu samples, %lu checked, %lu late, %lu stale",
	       (unsigned long long)pmis, (unsigned long long)lost,
	       stale.samples, stale.checked, stale.late, stale.stale);
	EXPECT_GE(stale.samples, 10000);
	EXPECT_GE(stale.checked, 1000);
	/* Without the order of the PMI it is one in a hundred */
	EXPECT_EQ(stale.stale, 0) {
		TH_LOG("the last at %#llx, its last branch to %#llx",
		       (unsigned long long)stale.stale_ip,
		       (unsigned long long)stale.stale_to);
	}
	/* A PMI that is lost is one with a PMI on its way: no sample is missing */
	EXPECT_TRUE(!pmu.emulated || stale.samples >= pmis + lost);
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);

	unmap_event(map);
	close(fd[1]);
	close(fd[0]);
	EXPECT_TRUE(alive());
}

TEST_F(pmi, pmi_1_no_pmi_lost)
{
	if (!pmu.branches)
		SKIP(return, "no branch records");
	storm(_metadata, 0);
}

TEST_F(pmi, pmi_1_no_pmi_lost_frozen)
{
	if (!pmu.branches)
		SKIP(return, "no branch records");
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	storm(_metadata, CONSENT);
}

/* As many as ever, by fixed and general purpose counter, and by PEBS */
TEST_F(pmi, pmi_26_accesses)
{
	if (!pmu.emulated)
		SKIP(return, "not emulated");
	accesses(_metadata, EVENT_INSTRUCTIONS, 0, 0, 2, 4);
	accesses(_metadata, EVENT_BRANCHES, 0, 0, 2, 4);
	if (pmu.max_precise)
		accesses(_metadata, EVENT_INSTRUCTIONS, 1, 0, 2, 3);

	/* Nor does the switch alone change anything */
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	accesses(_metadata, EVENT_INSTRUCTIONS, 0, 0, 2, 4);
}

TEST_F(pmi, pmi_4_state_bits)
{
	inject(_metadata, STATUS_ASIF, 0);
	inject(_metadata, STATUS_UNC_OVF, 0);
	inject(_metadata, STATUS_COND_CHG, 0);
	inject(_metadata, STATUS_ASIF | STATUS_UNC_OVF | STATUS_COND_CHG, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	inject(_metadata, STATUS_ASIF | STATUS_UNC_OVF | STATUS_COND_CHG,
	       CONSENT);
}

/* PMIs all over the code that disables the PMU */
static void disable_storm(struct __test_metadata *_metadata, uint64_t consent)
{
	struct perf_event_attr attr;
	int fd, i;

	init_attr(&attr, EVENT_INSTRUCTIONS, 997, consent);
	attr.exclude_kernel = 0;
	fd = open_attr(&attr, -1);
	ASSERT_GE(fd, 0);
	for (i = 0; i < 2000; i++) {
		restart(fd);
		/* Let the distance to the overflow drift */
		work(1 + i % 5);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_GT(count(fd), 1000 * 997);
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
	close(fd);
	EXPECT_TRUE(alive());
}

TEST_F(pmi, pmi_6_pmu_disabled)
{
	disable_storm(_metadata, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	disable_storm(_metadata, CONSENT);
}

static void delete_storm(struct __test_metadata *_metadata, uint64_t consent)
{
	struct perf_event_attr attr;
	int fd, i;

	for (i = 0; i < 300; i++) {
		init_attr(&attr, i % 2 ? EVENT_BRANCHES : EVENT_INSTRUCTIONS,
			  2003 + i % 7, consent);
		attr.exclude_kernel = 0;
		fd = open_attr(&attr, -1);
		ASSERT_GE(fd, 0);
		work(1 + i % 11);
		close(fd);
	}
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
	EXPECT_TRUE(alive());
}

TEST_F(pmi, pmi_8_event_deleted)
{
	delete_storm(_metadata, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	delete_storm(_metadata, CONSENT);
}

/* Periods out of any range, and back */
static void odd_periods(struct __test_metadata *_metadata, uint64_t consent)
{
	static const uint64_t odd[] = { 1, 2, 3, 1ULL << 31, 1ULL << 47, 1ULL << 62 };
	uint64_t period;
	unsigned long n;
	size_t i;
	void *map;
	int fd;

	fd = open_event(EVENT_INSTRUCTIONS, 10007, consent);
	ASSERT_GE(fd, 0);
	map = map_event(fd);
	ASSERT_NE(map, NULL);
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		period = odd[i];
		/* Some CPUs have a minimum */
		if (ioctl(fd, PERF_EVENT_IOC_PERIOD, &period))
			continue;
		work(20);
		period = 10007;
		ASSERT_EQ(ioctl(fd, PERF_EVENT_IOC_PERIOD, &period), 0);
		samples(map);
		work(10000);
		n = samples(map);
		EXPECT_GE(n, 10000 * ROUND_INSNS / 10007 - 1);
		EXPECT_LE(n, 10000 * ROUND_INSNS / 10007 + 2);
	}
	unmap_event(map);
	close(fd);
	EXPECT_TRUE(alive());
}

TEST_F(pmi, pmi_9_periods)
{
	odd_periods(_metadata, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	odd_periods(_metadata, CONSENT);
}

/*
 * Throttling
 */

struct throttled {
	unsigned long throttle;
	unsigned long unthrottle;
};

static void count_throttle(struct perf_event_header *header, void *arg)
{
	struct throttled *throttled = arg;

	throttled->throttle += header->type == PERF_RECORD_THROTTLE;
	throttled->unthrottle += header->type == PERF_RECORD_UNTHROTTLE;
}

/*
 * A limit that the emulated CPU is able to exceed. The rate can only be written
 * while the time of interrupts is limited, which is of no interest here.
 */
static void limit_samples(bool low)
{
	write_file(SYSCTL "/perf_cpu_time_max_percent", "99");
	write_file(SYSCTL "/perf_event_max_sample_rate", low ? "1000" : "1000000");
	write_file(SYSCTL "/perf_cpu_time_max_percent", "0");
}

/* Some CPUs have a minimum, which throttles as well. Skylake takes any period. */
static int open_storm(struct perf_event_attr *attr)
{
	int fd = open_attr(attr, -1);

	if (fd == -EINVAL && !pmu.skylake && attr->sample_period < 128) {
		attr->sample_period = 128;
		fd = open_attr(attr, -1);
	}

	return fd;
}

static void throttle(struct __test_metadata *_metadata, uint64_t config,
		     uint64_t period, int precise, uint64_t consent)
{
	struct throttled throttled = {};
	struct perf_event_attr attr;
	void *map;
	int fd, i;

	init_attr(&attr, config, period, consent);
	attr.precise_ip = precise;
	attr.disabled = 1;
	fd = open_storm(&attr);
	ASSERT_GE(fd, 0);
	map = map_event(fd);
	ASSERT_NE(map, NULL);
	limit_samples(true);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < 200 && throttled.unthrottle < 3; i++) {
		work(ROUNDS);
		walk(map, count_throttle, &throttled);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	limit_samples(false);
	TH_LOG("%lu throttled, %lu unthrottled", throttled.throttle,
	       throttled.unthrottle);
	EXPECT_GT(throttled.throttle, 0);
	EXPECT_GT(throttled.unthrottle, 0);
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
	unmap_event(map);
	close(fd);
	EXPECT_TRUE(alive());
}

/* On a fixed and on a general purpose counter. Each branch would be BTS. */
TEST_F(pmi, pmi_10_storm)
{
	throttle(_metadata, EVENT_INSTRUCTIONS, 1, 0, 0);
	throttle(_metadata, EVENT_BRANCHES, 2, 0, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	throttle(_metadata, EVENT_INSTRUCTIONS, 1, 0, CONSENT);
	throttle(_metadata, EVENT_BRANCHES, 2, 0, CONSENT);
}

/*
 * The watchdog's counter is fixed counter 1. It counts on beside a storm that
 * is throttled and, pushed to its overflow, has a PMI whose handler arms it
 * again.
 */
static void watchdog_beside_storm(struct __test_metadata *_metadata,
				  uint64_t consent)
{
	struct throttled throttled = {};
	struct perf_event_attr attr;
	uint64_t before, after;
	void *map;
	int fd, i;

	init_attr(&attr, EVENT_INSTRUCTIONS, 1, consent);
	attr.disabled = 1;
	fd = open_storm(&attr);
	ASSERT_GE(fd, 0);
	map = map_event(fd);
	ASSERT_NE(map, NULL);
	limit_samples(true);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work(1000);
	EXPECT_TRUE(!consent || !strcmp(state(), "active"));
	/* Few enough not to be taken for a clock that stands still */
	for (i = 0; i < 4; i++) {
		before = rdmsr(MSR_FIXED_CTR1);
		work(1000);
		after = rdmsr(MSR_FIXED_CTR1);
		EXPECT_GE(after - before, 1000);
		EXPECT_LT(after, PUSHED);

		/* Not only wrapped, but armed with a new period */
		wrmsr(MSR_FIXED_CTR1, PUSHED);
		work(ROUNDS);
		after = rdmsr(MSR_FIXED_CTR1);
		EXPECT_LT(after, PUSHED);
		EXPECT_GT(after, PUSHED >> 1);
		walk(map, count_throttle, &throttled);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	limit_samples(false);
	EXPECT_GT(throttled.throttle, 0);
	unmap_event(map);
	close(fd);
}

TEST_F(pmi, pmi_10_watchdog_beside_storm)
{
	char old[16];

	if (!pmu.emulated)
		SKIP(return, "not emulated");
	if (read_file(SYSCTL "/nmi_watchdog", old, sizeof(old)))
		SKIP(return, "no watchdog");
	if (write_file(SYSCTL "/nmi_watchdog", "1"))
		SKIP(return, "watchdog cannot be started");
	usleep(10000);
	watchdog_beside_storm(_metadata, 0);
	if (pmu.freeze && !switch_freeze(true))
		watchdog_beside_storm(_metadata, CONSENT);
	write_file(SYSCTL "/nmi_watchdog", old);
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
	EXPECT_TRUE(alive());
}

/*
 * Throttled in the PMI, an event must not write records from its acknowledge
 * on. Nobody else writes PEBS_ENABLE until a tick unthrottles it.
 */
static void pebs_throttle(struct __test_metadata *_metadata, uint64_t consent)
{
	struct throttled throttled = {};
	struct perf_event_attr attr;
	int fd, i, running = 0, stopped = 0;
	uint64_t enabled;
	void *map;

	init_attr(&attr, EVENT_INSTRUCTIONS, 150, consent);
	attr.precise_ip = 1;
	attr.disabled = 1;
	fd = open_attr(&attr, -1);
	ASSERT_GE(fd, 0);
	map = map_event(fd);
	ASSERT_NE(map, NULL);
	limit_samples(true);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	running += rdmsr(MSR_PEBS_ENABLE) != 0;
	for (i = 0; i < 20000 && stopped < 5; i++) {
		work(1000);
		walk(map, count_throttle, &throttled);
		if (throttled.throttle == throttled.unthrottle)
			continue;
		enabled = rdmsr(MSR_PEBS_ENABLE);
		walk(map, count_throttle, &throttled);
		if (throttled.throttle == throttled.unthrottle)
			continue;
		EXPECT_EQ(enabled, 0);
		stopped++;
		EXPECT_TRUE(!consent || !strcmp(state(), "active"));
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	limit_samples(false);
	EXPECT_EQ(running, 1);
	EXPECT_EQ(stopped, 5);
	unmap_event(map);
	close(fd);
}

TEST_F(pmi, pmi_11_pebs_throttled)
{
	if (!pmu.max_precise)
		SKIP(return, "no PEBS");
	throttle(_metadata, EVENT_INSTRUCTIONS, 150, 1, 0);
	pebs_throttle(_metadata, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	throttle(_metadata, EVENT_INSTRUCTIONS, 150, 1, CONSENT);
	pebs_throttle(_metadata, CONSENT);
}

/* A limit disables the event from the PMI; the PMU follows by an interrupt */
static void refresh(struct __test_metadata *_metadata, uint64_t consent)
{
	struct perf_event_attr attr;
	void *map;
	int fd, i;

	init_attr(&attr, EVENT_INSTRUCTIONS, 10007, consent);
	attr.disabled = 1;
	fd = open_attr(&attr, -1);
	ASSERT_GE(fd, 0);
	map = map_event(fd);
	ASSERT_NE(map, NULL);
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(ioctl(fd, PERF_EVENT_IOC_REFRESH, 3), 0);
		work(5000);
		EXPECT_EQ(samples(map), 3);
	}
	EXPECT_LT(count(fd), 20 * 4 * 10007);
	unmap_event(map);
	close(fd);
	EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
	EXPECT_TRUE(alive());
}

TEST_F(pmi, disabled_by_pmi)
{
	refresh(_metadata, 0);
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	refresh(_metadata, CONSENT);
}

/* The local APIC of the CPU that this runs on */
static void *map_lapic(void)
{
	int fd = open("/dev/mem", O_RDWR);
	void *map;

	if (fd < 0)
		return NULL;
	map = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		   MAP_SHARED, fd, LAPIC);
	close(fd);

	return map == MAP_FAILED ? NULL : map;
}

static uint32_t read_lvtpc(void *lapic)
{
	uint32_t value;

	asm volatile("movl	%1, %0"
		     : "=r" (value)
		     : "m" (*(uint32_t *)(lapic + LAPIC_LVTPC)));

	return value;
}

static void write_lvtpc(void *lapic, uint32_t value)
{
	asm volatile("movl	%1, %0"
		     : "=m" (*(uint32_t *)(lapic + LAPIC_LVTPC))
		     : "r" (value));
}

/*
 * The PMI of a freeze is lost because LVTPC is masked. It is made up for when
 * the PMU is enabled the next time, and no sample is missing.
 */
TEST_F(pmi, pmi_3_lost_pmi)
{
	struct perf_event_attr attr;
	int fd, other, i;
	uint64_t lost, n;
	void *map, *lapic;

	if (!pmu.emulated)
		SKIP(return, "not emulated");
	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	lapic = map_lapic();
	if (!lapic)
		SKIP(return, "no /dev/mem");
	ASSERT_EQ(switch_freeze(true), 0);
	/* Not of a task: switches between tasks would enable the PMU, too */
	init_attr(&attr, EVENT_INSTRUCTIONS, 10007, CONSENT);
	fd = syscall(SYS_perf_event_open, &attr, -1, pmu.cpu, -1, 0);
	ASSERT_GE(fd, 0);
	map = map_event(fd);
	ASSERT_NE(map, NULL);
	for (i = 0; i < 20; i++) {
		work(1000);
		lost = rdmsr(PMUSIM_PMIS_LOST);
		write_lvtpc(lapic, read_lvtpc(lapic) | LAPIC_MASKED);
		work(1000);
		EXPECT_GT(rdmsr(PMUSIM_PMIS_LOST), lost);
		EXPECT_NE(rdmsr(MSR_GLOBAL_STATUS) & STATUS_CTR_FRZ, 0);
		other = open_event(EVENT_BRANCHES, 1000003, CONSENT);
		ASSERT_GE(other, 0);
		EXPECT_EQ(rdmsr(MSR_GLOBAL_STATUS), 0);
		EXPECT_EQ(read_lvtpc(lapic) & LAPIC_MASKED, 0);
		close(other);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	n = samples(map);
	EXPECT_GT(n, 40);
	EXPECT_EQ(n, count(fd) / 10007);
	unmap_event(map);
	close(fd);
	munmap(lapic, sysconf(_SC_PAGESIZE));
	EXPECT_TRUE(alive());
}

static void hotplug(struct __test_metadata *_metadata, int cpu)
{
	struct perf_event_attr attr;
	char path[64], name[64];
	int fd, i, msr;
	uint64_t n;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	snprintf(name, sizeof(name), "/dev/cpu/%d/msr", cpu);

	for (i = 0; i < 5; i++) {
		/* Of the kernel, too: the way off line has PMIs */
		init_attr(&attr, EVENT_INSTRUCTIONS, 10007, CONSENT);
		attr.exclude_kernel = 0;
		fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);
		ASSERT_GE(fd, 0);
		usleep(20000);
		EXPECT_STREQ(state_of(cpu), "active");
		EXPECT_GT(count(fd), 0);
		msr = open(name, O_RDONLY);
		ASSERT_GE(msr, 0);
		ASSERT_EQ(pread(msr, &n, sizeof(n), MSR_DEBUGCTL), 8);
		EXPECT_EQ(n & DEBUGCTL_FREEZE, DEBUGCTL_FREEZE);
		close(msr);
		ASSERT_EQ(write_file(path, "0"), 0);
		ASSERT_EQ(write_file(path, "1"), 0);
		/* The switch is on, and was so while the CPU was away */
		EXPECT_STREQ(state_of(cpu), "no event");
		msr = open(name, O_RDONLY);
		ASSERT_GE(msr, 0);
		ASSERT_EQ(pread(msr, &n, sizeof(n), MSR_GLOBAL_STATUS), 8);
		EXPECT_EQ(n & STATUS_CTR_FRZ, 0);
		close(fd);
		usleep(1000);
		ASSERT_EQ(pread(msr, &n, sizeof(n), MSR_DEBUGCTL), 8);
		EXPECT_EQ(n & DEBUGCTL_FREEZE, 0);
		close(msr);
	}
}

TEST_F(pmi, hotplug)
{
	int cpu = pmu.cpu ? pmu.cpu : pmu.other;
	cpu_set_t set;

	if (!pmu.freeze)
		SKIP(return, "no counter freezing");
	ASSERT_EQ(switch_freeze(true), 0);
	if (cpu <= 0)
		SKIP(return, "the first CPU stays");
	/* From another CPU, as this one goes away */
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	ASSERT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
	hotplug(_metadata, cpu);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	ASSERT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
	EXPECT_TRUE(alive());
}

/*
 * Precise cycles
 */

static int open_precise(uint64_t config, int precise, int leader)
{
	struct perf_event_attr attr;

	init_attr(&attr, config, 100003, 0);
	attr.precise_ip = precise;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;

	return open_attr(&attr, leader);
}

/* Two that need counter 1 are refused in one group, and take turns else */
static void one_counter(struct __test_metadata *_metadata, uint64_t config1,
			int precise1, uint64_t config2, int precise2)
{
	uint64_t value[3], running = 0;
	void *map[2];
	int fd[2], i;

	fd[0] = open_precise(config1, precise1, -1);
	ASSERT_GE(fd[0], 0);
	EXPECT_EQ(open_precise(config2, precise2, fd[0]), -EINVAL);
	fd[1] = open_precise(config2, precise2, -1);
	ASSERT_GE(fd[1], 0);
	for (i = 0; i < 2; i++) {
		map[i] = map_event(fd[i]);
		ASSERT_NE(map[i], NULL);
	}
	for (i = 0; i < 20; i++)
		work(ROUNDS);
	for (i = 0; i < 2; i++) {
		EXPECT_GT(samples(map[i]), 0);
		unmap_event(map[i]);
		ASSERT_EQ(read(fd[i], value, sizeof(value)), sizeof(value));
		EXPECT_GT(value[2], 0);
		EXPECT_LT(value[2], value[1]);
		running += value[2];
		close(fd[i]);
	}
	/* One at a time, and hardly ever none */
	EXPECT_LT(running, value[1] * 3 / 2);
	EXPECT_GT(running, value[1] * 3 / 4);
}

TEST_F(pmi, pmi_24_cycles_pp_group)
{
	int fd[4], i;

	if (!pmu.skylake)
		SKIP(return, "not Skylake");
	one_counter(_metadata, EVENT_CYCLES, 2, EVENT_CYCLES, 2);
	one_counter(_metadata, EVENT_CYCLES, 3, EVENT_CYCLES, 2);

	/* cycles:p has all four */
	for (i = 0; i < 4; i++) {
		fd[i] = open_precise(EVENT_CYCLES, 1, i ? fd[0] : -1);
		ASSERT_GE(fd[i], 0);
	}
	for (i = 0; i < 4; i++)
		close(fd[i]);
}

TEST_F(pmi, pmi_25_raw_prec_dist)
{
	int precise, fd;

	if (!pmu.skylake)
		SKIP(return, "not Skylake");
	for (precise = 1; precise <= 3; precise++) {
		one_counter(_metadata, EVENT_PREC_DIST, precise,
			    EVENT_PREC_DIST, precise);
		one_counter(_metadata, EVENT_CYCLES, 2, EVENT_PREC_DIST, precise);
		fd = open_precise(EVENT_UOPS_CYCLES, precise, -1);
		EXPECT_GE(fd, 0);
		close(fd);
	}
}

TEST_HARNESS_MAIN
