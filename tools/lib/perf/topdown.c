// SPDX-License-Identifier: GPL-2.0
/*
 * Slots and topdown metrics of the calling thread, read with RDPMC.
 *
 * PERF_METRICS tells what became of the slots in fixed counter 3, each byte in
 * fractions of 255. Both registers have to be read in one go, and mean something
 * only while this thread's events are the ones in the registers.
 *
 * Where PERF_CAPABILITIES has bit 19, PERF_METRICS can be set up to be cleared by
 * RDPMC. The kernel does not offer it, as its own counts would lose what was
 * cleared, so regions are differences.
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
#include <perf/cpumap.h>
#include <perf/topdown.h>

#define DEVICES		"bus/event_source/devices/"
#define CONFIG_SLOTS	0x0400
#define CONFIG_METRIC	0x8000
#define INDEX_SLOTS	(BIT(30) | 3)
#define INDEX_METRICS	BIT(29)
#define METRIC_BITS	8
#define METRIC_FULL	0xff

/**
 * struct perf_topdown - Slots and metrics of the thread that opened them
 * @slots_page: user page of the slots event, or NULL
 * @metric_page: user page of the first metric event, or NULL
 * @owner: the thread whose events they are
 * @slots_fd: slots event, leader of the group
 * @metric_fd: metric events
 * @nr_metrics: number of metrics that the CPU has
 * @era: changes whenever the values start again from zero
 * @by_rdpmc: where the last snapshot is from
 */
struct perf_topdown {
	struct perf_event_mmap_page	*slots_page;
	struct perf_event_mmap_page	*metric_page;
	pthread_t			owner;
	int				slots_fd;
	int				metric_fd[PERF_TOPDOWN_NR_CATEGORIES];
	unsigned int			nr_metrics;
	__u32				era;
	bool				by_rdpmc;
};

static bool pmu_has(const char *pmu, const char *event)
{
	char path[128];
	size_t size;
	char *text;

	snprintf(path, sizeof(path), DEVICES "%s/events/%s", pmu, event);
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
		if (pmu_has(pmus[i], "slots") && pmu_has(pmus[i], "topdown-retiring"))
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

static int open_event(int type, __u64 config, int group_fd)
{
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.type		= type,
		.config		= config,
		.disabled	= group_fd < 0,
		.exclude_kernel	= 1,
		.exclude_hv	= 1,
		.read_format	= PERF_FORMAT_GROUP,
	};

	return syscall(__NR_perf_event_open, &attr, 0, -1, group_fd, PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_mmap_page *map_page(int fd)
{
	void *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
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

	unmap_page(td->metric_page);
	unmap_page(td->slots_page);
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

	td->slots_fd = open_event(type, CONFIG_SLOTS, -1);
	if (td->slots_fd < 0)
		return -errno;
	for (i = 0; i < td->nr_metrics; i++) {
		td->metric_fd[i] = open_event(type, CONFIG_METRIC + (i << METRIC_BITS),
					      td->slots_fd);
		if (td->metric_fd[i] < 0)
			return -errno;
	}
	return 0;
}

/**
 * perf_topdown__open - Count what the calling thread does in user space from now on
 * @td: reader that is closed
 *
 * Only this thread reads registers, others get its counts from the kernel. On
 * hybrids it has to stay on CPUs that have slots for as long as @td is open. A
 * child of fork() has to open its own.
 *
 * Return: 0, or a negative error number: -EBUSY if it is open, -EOPNOTSUPP if no
 * PMU has slots, -EXDEV if the thread may run on CPUs of another PMU, or what
 * perf_event_open() says.
 */
int perf_topdown__open(struct perf_topdown *td)
{
	const char *pmu = find_pmu();
	int err;

	if (td->slots_fd >= 0)
		return -EBUSY;
	if (!pmu)
		return -EOPNOTSUPP;
	if (!stays_on_pmu(pmu))
		return -EXDEV;

	td->nr_metrics = pmu_has(pmu, "topdown-heavy-ops") ? PERF_TOPDOWN_NR_CATEGORIES :
							     PERF_TOPDOWN_NR_LEVEL1;
	td->owner = pthread_self();
	err = open_group(td, pmu);
	if (!err) {
		/* Without them there is read(). */
		td->slots_page = map_page(td->slots_fd);
		td->metric_page = map_page(td->metric_fd[0]);
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
 * every few seconds, and before regions that are short.
 *
 * Return: 0 or a negative error number.
 */
int perf_topdown__reset(struct perf_topdown *td)
{
	td->era++;
	return ioctl(td->slots_fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) ? -errno : 0;
}

static bool readable(const struct perf_event_mmap_page *page, __u32 index)
{
	return page->cap_user_rdpmc && READ_ONCE(page->index) == index + 1;
}

/* False if the events are not in the registers of this CPU. */
static bool read_registers(struct perf_topdown *td, __u64 *slots, __u64 *metrics)
{
	struct perf_event_mmap_page *slots_page = td->slots_page;
	struct perf_event_mmap_page *metric_page = td->metric_page;
	__u32 seq_slots, seq_metric;

	if (!slots_page || !metric_page || !pthread_equal(pthread_self(), td->owner))
		return false;
	do {
		seq_slots = READ_ONCE(slots_page->lock);
		seq_metric = READ_ONCE(metric_page->lock);
		barrier();
		if (!readable(slots_page, INDEX_SLOTS) ||
		    !readable(metric_page, INDEX_METRICS))
			return false;
		*slots = perf_mmap__read_counter(INDEX_SLOTS);
		*metrics = perf_mmap__read_counter(INDEX_METRICS);
		barrier();
	} while (READ_ONCE(slots_page->lock) != seq_slots ||
		 READ_ONCE(metric_page->lock) != seq_metric);
	return true;
}

static int read_counts(struct perf_topdown *td, struct perf_topdown_snapshot *snap)
{
	/* Number of events, slots, metrics */
	__u64 group[2 + PERF_TOPDOWN_NR_CATEGORIES];
	ssize_t size = (2 + td->nr_metrics) * sizeof(group[0]);
	ssize_t len = read(td->slots_fd, group, sizeof(group));

	if (len < 0)
		return -errno;
	if (len != size)
		return -EIO;
	snap->slots = group[1];
	memcpy(snap->category, &group[2], td->nr_metrics * sizeof(group[0]));
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
	__u64 slots, metrics;
	unsigned int i;
	bool by_rdpmc;
	int err = 0;

	memset(snap, 0, sizeof(*snap));
	by_rdpmc = read_registers(td, &slots, &metrics);
	if (by_rdpmc) {
		snap->slots = slots;
		for (i = 0; i < td->nr_metrics; i++) {
			__u64 share = metrics >> i * METRIC_BITS & METRIC_FULL;

			snap->category[i] = slots * share / METRIC_FULL;
		}
	} else {
		err = read_counts(td, snap);
	}

	/* Registers are not counts, and read() clears them */
	if (by_rdpmc != td->by_rdpmc)
		td->era++;
	td->by_rdpmc = by_rdpmc;
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
 * the snapshots cannot be compared as there was a reset, a read() or an overflow
 * in between; -ENODATA if there are no slots between them.
 */
int perf_topdown__shares(const struct perf_topdown_snapshot *from,
			 const struct perf_topdown_snapshot *to,
			 double share[PERF_TOPDOWN_NR_CATEGORIES])
{
	__s64 delta[PERF_TOPDOWN_NR_CATEGORIES], sum = 0;
	unsigned int i;

	if (from->era != to->era || to->slots < from->slots)
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
