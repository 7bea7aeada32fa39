// SPDX-License-Identifier: GPL-2.0
/*
 * Slots and topdown metrics of the calling thread, read with RDPMC.
 *
 * PERF_METRICS tells what became of the slots in fixed counter 3, each byte in
 * fractions of 255. Both registers have to be read in one go, and mean something
 * only while this thread's events are the ones in the registers.
 *
 * Where sysfs has the format metrics_clear, RDPMC of PERF_METRICS can clear both,
 * so that a byte is a fraction of the slots since the last snapshot. What is taken
 * that way is missing in the counts of the kernel, and nothing else is: the
 * offsets in the user pages and what was taken add up to all slots, but for those
 * between the two instructions.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <api/fs/fs.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <internal/mmap.h>
#include <internal/topdown.h>
#include <perf/cpumap.h>
#include <perf/topdown.h>

#define DEVICES		"bus/event_source/devices/"
#define CONFIG_SLOTS	0x0400
#define CONFIG_METRIC	0x8000
#define CONFIG1_CLEAR	0x1
#define INDEX_SLOTS	(BIT(30) | 3)
#define INDEX_METRICS	BIT(29)
#define NR_EVENTS	(1 + PERF_TOPDOWN_NR_CATEGORIES)

/* What read() of the group returns, before the values of its events */
struct group_times {
	__u64	nr;
	__u64	enabled;
	__u64	running;
};

/* Values of all events at one point in time: slots, then each category */
struct values {
	__u64	event[NR_EVENTS];
};

/**
 * struct perf_topdown - Slots and metrics of the thread that opened them
 * @page: user pages of the slots event and of metric events, or NULL
 * @owner: the thread whose events they are
 * @taken: slots, and those of each category, that RDPMC has cleared
 * @slots_fd: slots event, leader of the group
 * @metric_fd: metric events
 * @nr_metrics: number of metrics that the CPU has
 * @nr_pages: number of user pages that it takes to read the registers
 * @forks: how often this process had been forked, in a chain, when they were mapped
 * @era: changes whenever the values start again from zero
 * @by_rdpmc: where the last snapshot is from
 * @clears: RDPMC clears the registers
 */
struct perf_topdown {
	struct perf_event_mmap_page	*page[NR_EVENTS];
	pthread_t			owner;
	struct values			taken;
	int				slots_fd;
	int				metric_fd[PERF_TOPDOWN_NR_CATEGORIES];
	unsigned int			nr_metrics;
	unsigned int			nr_pages;
	unsigned int			forks;
	__u32				era;
	bool				by_rdpmc;
	bool				clears;
};

static bool pmu_has(const char *pmu, const char *file)
{
	char path[128];
	size_t size;
	char *text;

	snprintf(path, sizeof(path), DEVICES "%s/%s", pmu, file);
	if (sysfs__read_str(path, &text, &size))
		return false;
	free(text);
	return true;
}

/* Only one kind of core has slots; the PMU of it has a name of its own on hybrids */
static const char *find_pmu(void)
{
	static const char * const pmus[] = { "cpu_core", "cpu" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pmus); i++) {
		if (pmu_has(pmus[i], "events/slots") &&
		    pmu_has(pmus[i], "events/topdown-retiring"))
			return pmus[i];
	}
	return NULL;
}

static bool allowed_within(struct perf_cpu_map *cpus)
{
	struct perf_cpu cpu;
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return false;
	for (cpu.cpu = 0; cpu.cpu < CPU_SETSIZE; cpu.cpu++) {
		if (CPU_ISSET(cpu.cpu, &allowed) && !perf_cpu_map__has(cpus, cpu))
			return false;
	}
	return true;
}

/*
 * On hybrids the registers exist on some CPUs only, and RDPMC faults on the
 * others. It is allowed while the thread cannot get there.
 */
static bool stays_on_pmu(const char *pmu)
{
	struct perf_cpu_map *cpus;
	char path[PATH_MAX];
	bool stays;
	FILE *file;

	snprintf(path, sizeof(path), "%s/" DEVICES "%s/cpus", sysfs__mountpoint(), pmu);
	file = fopen(path, "r");
	if (!file)
		return errno == ENOENT;
	cpus = perf_cpu_map__read(file);
	fclose(file);
	stays = cpus && allowed_within(cpus);
	perf_cpu_map__put(cpus);
	return stays;
}

static int open_event(int type, __u64 config, bool clears, int group_fd)
{
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.type		= type,
		.config		= config,
		.config1	= clears ? CONFIG1_CLEAR : 0,
		.disabled	= group_fd < 0,
		.exclude_kernel	= 1,
		.exclude_hv	= 1,
		.read_format	= PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				  PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return syscall(__NR_perf_event_open, &attr, 0, -1, group_fd, PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_mmap_page *map_page(int fd)
{
	void *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

/* Without them there is read(). */
static void map_pages(struct perf_topdown *td)
{
	unsigned int i;

	for (i = 0; i < td->nr_pages; i++)
		td->page[i] = map_page(i ? td->metric_fd[i - 1] : td->slots_fd);
}

/* A child has neither the pages nor the registers of its parent */
static unsigned int forks;

static void count_fork(void)
{
	forks++;
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, count_fork);
}

static void unmap_page(struct perf_event_mmap_page *page)
{
	if (page)
		munmap(page, sysconf(_SC_PAGESIZE));
}

static void init_closed(struct perf_topdown *td)
{
	unsigned int i;

	memset(td, 0, sizeof(*td));
	td->slots_fd = -1;
	for (i = 0; i < PERF_TOPDOWN_NR_CATEGORIES; i++)
		td->metric_fd[i] = -1;
}

/**
 * perf_topdown__new - Make a reader of slots, without events yet
 *
 * Return: the reader, or NULL without memory.
 */
struct perf_topdown *perf_topdown__new(void)
{
	struct perf_topdown *td = malloc(sizeof(*td));

	if (td)
		init_closed(td);
	return td;
}

/**
 * perf_topdown__delete - Close the events of a reader and free it
 * @td: reader, or NULL
 */
void perf_topdown__delete(struct perf_topdown *td)
{
	if (td)
		perf_topdown__close(td);
	free(td);
}

/**
 * perf_topdown__close - Stop counting and close the events
 * @td: reader, open or not
 */
void perf_topdown__close(struct perf_topdown *td)
{
	unsigned int i;

	/* In a child, something else may be there */
	for (i = 0; i < NR_EVENTS && td->forks == forks; i++)
		unmap_page(td->page[i]);
	for (i = 0; i < PERF_TOPDOWN_NR_CATEGORIES; i++) {
		if (td->metric_fd[i] >= 0)
			close(td->metric_fd[i]);
	}
	if (td->slots_fd >= 0)
		close(td->slots_fd);
	init_closed(td);
}

static int open_group(struct perf_topdown *td, const char *pmu)
{
	char path[128];
	unsigned int i;
	int type;

	snprintf(path, sizeof(path), DEVICES "%s/type", pmu);
	if (sysfs__read_int(path, &type))
		return -EOPNOTSUPP;

	td->slots_fd = open_event(type, CONFIG_SLOTS, td->clears, -1);
	if (td->slots_fd < 0)
		return -errno;
	for (i = 0; i < td->nr_metrics; i++) {
		td->metric_fd[i] = open_event(type, CONFIG_METRIC + (i << 8),
					      false, td->slots_fd);
		if (td->metric_fd[i] < 0)
			return -errno;
	}
	return 0;
}

/**
 * perf_topdown__open - Count what the calling thread does in user space from now on
 * @td: reader that is closed
 *
 * Only this thread reads registers, others and children of fork() get its counts
 * from the kernel. On hybrids it has to stay on CPUs that have slots for as long as
 * @td is open: RDPMC faults elsewhere, and between looking where the thread is and
 * RDPMC it can be moved. Asking for its affinity each time would cost more than
 * the read() that is avoided, and not close that gap.
 *
 * Return: 0, or a negative error number: -EBUSY if it is open, -EOPNOTSUPP if no
 * PMU has slots, -EXDEV if the thread may run on CPUs of another PMU, or what
 * perf_event_open() says.
 */
int perf_topdown__open(struct perf_topdown *td)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const char *pmu = find_pmu();
	int err;

	if (td->slots_fd >= 0)
		return -EBUSY;
	if (!pmu)
		return -EOPNOTSUPP;
	if (!stays_on_pmu(pmu))
		return -EXDEV;

	td->nr_metrics = pmu_has(pmu, "events/topdown-heavy-ops") ?
			 PERF_TOPDOWN_NR_CATEGORIES : PERF_TOPDOWN_NR_LEVEL1;
	td->clears = pmu_has(pmu, "format/metrics_clear");
	/* One metric tells where the registers are, each what the kernel has counted */
	td->nr_pages = 1 + (td->clears ? td->nr_metrics : 1);
	pthread_once(&once, watch_forks);
	td->forks = forks;
	td->owner = pthread_self();
	err = open_group(td, pmu);
	if (!err) {
		map_pages(td);
		if (ioctl(td->slots_fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP))
			err = -errno;
	}
	if (err)
		perf_topdown__close(td);
	return err;
}

/**
 * perf_topdown__reset - Start from zero
 * @td: open reader
 *
 * A byte of PERF_METRICS says how many 255ths of the slots since the last reset
 * are in a category. A region of dS slots between snapshots @from and @to is
 * right to (@from->slots + @to->slots) / (510 * dS). So reset between regions
 * every few seconds, and before regions that are short. Where RDPMC clears, they
 * are as right as can be without that.
 *
 * Return: 0 or a negative error number.
 */
int perf_topdown__reset(struct perf_topdown *td)
{
	td->era++;
	memset(&td->taken, 0, sizeof(td->taken));
	return ioctl(td->slots_fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) ? -errno : 0;
}

/* What the registers mean for each event */
static void decode(const struct perf_topdown *td, __u64 slots, __u64 metrics,
		   struct values *values)
{
	values->event[0] = slots;
	perf_topdown__decode(slots, metrics, td->nr_metrics, &values->event[1]);
}

static void add(const struct perf_topdown *td, const struct values *more,
		struct values *values)
{
	unsigned int i;

	for (i = 0; i <= td->nr_metrics; i++)
		values->event[i] += more->event[i];
}

static bool readable(const struct perf_topdown *td)
{
	unsigned int i;

	for (i = 0; i < td->nr_pages; i++) {
		const struct perf_event_mmap_page *page = td->page[i];

		if (!page->cap_user_rdpmc ||
		    READ_ONCE(page->index) != (i ? INDEX_METRICS : INDEX_SLOTS) + 1)
			return false;
	}
	return true;
}

static void read_locks(const struct perf_topdown *td, __u32 *lock)
{
	unsigned int i;

	for (i = 0; i < td->nr_pages; i++)
		lock[i] = READ_ONCE(td->page[i]->lock);
	barrier();
}

/* False if the kernel has changed a page since read_locks(). */
static bool unchanged(const struct perf_topdown *td, const __u32 *lock)
{
	unsigned int i;

	barrier();
	for (i = 0; i < td->nr_pages; i++) {
		if (READ_ONCE(td->page[i]->lock) != lock[i])
			return false;
	}
	return true;
}

static bool may_read_registers(const struct perf_topdown *td)
{
	unsigned int i;

	for (i = 0; i < td->nr_pages; i++) {
		if (!td->page[i])
			return false;
	}
	return td->forks == forks && pthread_equal(pthread_self(), td->owner);
}

/* Both times stand still while the thread does not run. */
static __u64 missed_ns(const struct perf_event_mmap_page *page)
{
	return READ_ONCE(page->time_enabled) - READ_ONCE(page->time_running);
}

/*
 * False if the events are not in the registers of this CPU.
 *
 * The offset in the page of slots is what was counted without the registers. It
 * stays when their values are restored after a context switch, and grows by these
 * values when the kernel clears them: for whoever reads the events, or as a metric
 * overflowed.
 */
static bool read_registers(const struct perf_topdown *td,
			   struct perf_topdown_snapshot *snap, struct values *values)
{
	__u64 slots, metrics;
	__u32 lock[NR_EVENTS];

	do {
		read_locks(td, lock);
		if (!readable(td))
			return false;
		snap->origin = READ_ONCE(td->page[0]->offset);
		snap->missed_ns = missed_ns(td->page[0]);
		slots = perf_mmap__read_counter(INDEX_SLOTS);
		metrics = perf_mmap__read_counter(INDEX_METRICS);
	} while (!unchanged(td, lock));

	decode(td, slots, metrics, values);
	return true;
}

static __u64 read_offset(const struct perf_event_mmap_page *page)
{
	__u64 offset;
	__u32 lock;

	do {
		lock = READ_ONCE(page->lock);
		barrier();
		offset = READ_ONCE(page->offset);
		barrier();
	} while (READ_ONCE(page->lock) != lock);
	return offset;
}

/*
 * Take what is in the registers out of them. The page of slots tells whether the
 * kernel was faster if it came in between: it has counted as many slots then, and
 * those that were taken are a few of its next slice.
 */
static void take_registers(struct perf_topdown *td, __u64 slots, __u64 offset,
			   const __u32 *lock)
{
	__u64 metrics = perf_mmap__read_counter(INDEX_METRICS);
	struct values taken;

	if (!unchanged(td, lock) && read_offset(td->page[0]) - offset >= slots)
		return;
	decode(td, slots, metrics, &taken);
	add(td, &taken, &td->taken);
}

/*
 * The same as read_registers() where RDPMC clears: values are those of the kernel,
 * whose offsets are a part of them. It may clear the registers as well.
 */
static bool clear_registers(struct perf_topdown *td, struct perf_topdown_snapshot *snap,
			    struct values *values)
{
	__u32 lock[NR_EVENTS];
	unsigned int i;
	__u64 slots;

	do {
		read_locks(td, lock);
		if (!readable(td))
			return false;
		for (i = 0; i < td->nr_pages; i++)
			values->event[i] = READ_ONCE(td->page[i]->offset);
		snap->missed_ns = missed_ns(td->page[0]);
		slots = perf_mmap__read_counter(INDEX_SLOTS);
		/* Nothing is lost yet */
		if (!unchanged(td, lock))
			continue;
		take_registers(td, slots, values->event[0], lock);
	} while (!unchanged(td, lock));
	return true;
}

static int read_counts(struct perf_topdown *td, struct perf_topdown_snapshot *snap,
		       struct values *values)
{
	struct {
		struct group_times	times;
		struct values		values;
	} group;
	ssize_t size = (1 + td->nr_metrics) * sizeof(values->event[0]);
	ssize_t len = read(td->slots_fd, &group, sizeof(group));

	if (len < 0)
		return -errno;
	if (len != (ssize_t)sizeof(group.times) + size)
		return -EIO;
	memcpy(values->event, group.values.event, size);
	snap->missed_ns = group.times.enabled - group.times.running;
	snap->origin = 0;
	return 0;
}

/**
 * perf_topdown__snapshot - Take slots and metrics at one point in time
 * @td: open reader
 * @snap: filled in, also where it fails
 *
 * Uses RDPMC, or read() where that is not possible: the events are not in the
 * registers, sysfs forbids RDPMC, or another thread asks.
 *
 * Return: 0 or a negative error number.
 */
int perf_topdown__snapshot(struct perf_topdown *td, struct perf_topdown_snapshot *snap)
{
	struct values values = { .event = { 0 } };
	bool by_rdpmc = false;
	int err = 0;

	memset(snap, 0, sizeof(*snap));
	if (may_read_registers(td))
		by_rdpmc = td->clears ? clear_registers(td, snap, &values) :
					read_registers(td, snap, &values);
	if (!by_rdpmc)
		err = read_counts(td, snap, &values);
	if (td->clears && !err)
		add(td, &td->taken, &values);

	/* Else registers are not counts, and read() clears them */
	if (by_rdpmc != td->by_rdpmc && !td->clears)
		td->era++;
	td->by_rdpmc = by_rdpmc;

	snap->slots = values.event[0];
	memcpy(snap->category, &values.event[1], td->nr_metrics * sizeof(values.event[0]));
	snap->by_rdpmc = by_rdpmc;
	snap->nr_categories = td->nr_metrics;
	snap->era = td->era;
	return err;
}

/**
 * perf_topdown__shares - Divide the slots between two snapshots among categories
 * @from: the snapshot before
 * @to: the snapshot behind
 * @share: shares of the categories, each 0 to 1
 *
 * Return: number of valid shares, 4 or 8, or a negative error number: -EAGAIN if
 * the snapshots cannot be compared as there was a reset, a read(), of whomever, or
 * an overflow in between; -ENODATA if there are no slots between them.
 */
int perf_topdown__shares(const struct perf_topdown_snapshot *from,
			 const struct perf_topdown_snapshot *to,
			 double share[PERF_TOPDOWN_NR_CATEGORIES])
{
	__s64 delta[PERF_TOPDOWN_NR_CATEGORIES], sum = 0;
	unsigned int i;

	if (from->era != to->era || from->origin != to->origin || to->slots < from->slots)
		return -EAGAIN;
	for (i = 0; i < to->nr_categories; i++) {
		/* May be a little less than nothing, by rounding */
		delta[i] = to->category[i] - from->category[i];
		if (i < PERF_TOPDOWN_NR_LEVEL1)
			sum += delta[i];
	}
	if (sum <= 0)
		return -ENODATA;
	for (i = 0; i < to->nr_categories; i++) {
		share[i] = (double)delta[i] / sum;
		if (share[i] < 0)
			share[i] = 0;
		if (share[i] > 1)
			share[i] = 1;
	}
	return to->nr_categories;
}
