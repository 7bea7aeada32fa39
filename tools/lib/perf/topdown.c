// SPDX-License-Identifier: GPL-2.0
/*
 * Slots and topdown metrics of the calling thread, read with RDPMC.
 *
 * PERF_METRICS tells what became of the slots in fixed counter 3, each field in
 * fractions of 255. Both registers have to be read in one go, and mean something
 * only while this thread's events are the ones in the registers.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/perf_event.h>
#include <internal/mmap.h>
#include <perf/topdown.h>

#define CONFIG_SLOTS	0x0400
#define CONFIG_METRIC	0x8000
#define INDEX_SLOTS	(BIT(30) | 3)
#define INDEX_METRICS	BIT(29)
#define METRICS_FULL	0xff

static int open_event(__u64 config, int group_fd)
{
	struct perf_event_attr attr = {
		.size		= sizeof(attr),
		.type		= PERF_TYPE_RAW,
		.config		= config,
		.disabled	= group_fd < 0,
		.exclude_kernel	= 1,
		.exclude_hv	= 1,
		.read_format	= PERF_FORMAT_GROUP,
	};

	return syscall(__NR_perf_event_open, &attr, 0, -1, group_fd, 0);
}

static struct perf_event_mmap_page *map_page(int fd)
{
	void *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

/*
 * On hybrids the registers exist on some CPUs only, and RDPMC faults on the
 * others. It is allowed while the thread cannot get there.
 */
static bool stays_on_pmu(const char *pmu)
{
	char path[256], text[1024], *pos = text;
	cpu_set_t cpus, allowed;
	FILE *file;

	if (!pmu)
		return true;
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/cpus", pmu);
	file = fopen(path, "r");
	if (!file)
		return false;
	pos = fgets(text, sizeof(text), file);
	fclose(file);
	CPU_ZERO(&cpus);
	while (pos && *pos >= '0' && *pos <= '9') {
		unsigned long first = strtoul(pos, &pos, 10), last = first;

		if (*pos == '-')
			last = strtoul(pos + 1, &pos, 10);
		for (; first <= last && first < CPU_SETSIZE; first++)
			CPU_SET(first, &cpus);
		if (*pos == ',')
			pos++;
	}
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return false;
	CPU_AND(&cpus, &cpus, &allowed);
	return CPU_EQUAL(&cpus, &allowed);
}

void perf_topdown__close(struct perf_topdown *td)
{
	int i;

	if (td->metric_page)
		munmap(td->metric_page, sysconf(_SC_PAGESIZE));
	if (td->slots_page)
		munmap(td->slots_page, sysconf(_SC_PAGESIZE));
	td->metric_page = NULL;
	td->slots_page = NULL;
	for (i = 0; i < PERF_TOPDOWN_NR_LEVEL1; i++) {
		if (td->metric_fd[i] >= 0)
			close(td->metric_fd[i]);
		td->metric_fd[i] = -1;
	}
	if (td->slots_fd >= 0)
		close(td->slots_fd);
	td->slots_fd = -1;
}

/*
 * Count the calling thread from now on. @pmu is NULL, or on hybrids the PMU
 * that has the events: cpu_core. Returns 0 or a negative error number, -EXDEV
 * if the thread may run on CPUs of another PMU.
 */
int perf_topdown__open(struct perf_topdown *td, const char *pmu)
{
	int err, i;

	memset(td, 0, sizeof(*td));
	for (i = 0; i < PERF_TOPDOWN_NR_LEVEL1; i++)
		td->metric_fd[i] = -1;
	td->slots_fd = -1;
	if (!stays_on_pmu(pmu))
		return -EXDEV;

	td->slots_fd = open_event(CONFIG_SLOTS, -1);
	if (td->slots_fd < 0)
		return -errno;
	for (i = 0; i < PERF_TOPDOWN_NR_LEVEL1; i++) {
		td->metric_fd[i] = open_event(CONFIG_METRIC + 0x100 * i, td->slots_fd);
		if (td->metric_fd[i] < 0)
			goto error;
	}
	/* Without them there is read(). */
	td->slots_page = map_page(td->slots_fd);
	td->metric_page = map_page(td->metric_fd[0]);
	if (!ioctl(td->slots_fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP))
		return 0;
error:
	err = -errno;
	perf_topdown__close(td);
	return err;
}

/*
 * Start from zero. A field of PERF_METRICS has eight bits: its step grows with
 * the slots since the last reset, so do this between regions every few seconds.
 */
int perf_topdown__reset(struct perf_topdown *td)
{
	return ioctl(td->slots_fd, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) ? -errno : 0;
}

static bool readable(const struct perf_event_mmap_page *page, unsigned int index)
{
	return page->cap_user_rdpmc && READ_ONCE(page->index) == index + 1;
}

/* False if the events are not in the registers. */
static bool snapshot_registers(struct perf_topdown *td, struct perf_topdown_snapshot *snap)
{
	struct perf_event_mmap_page *slots = td->slots_page, *metric = td->metric_page;
	__u32 seq_slots, seq_metric;
	__u64 metrics;
	int i;

	if (!slots || !metric)
		return false;
	do {
		seq_slots = READ_ONCE(slots->lock);
		seq_metric = READ_ONCE(metric->lock);
		barrier();
		if (!readable(slots, INDEX_SLOTS) || !readable(metric, INDEX_METRICS))
			return false;
		snap->width = slots->pmc_width;
		snap->slots = perf_mmap__read_counter(INDEX_SLOTS);
		metrics = perf_mmap__read_counter(INDEX_METRICS);
		barrier();
	} while (READ_ONCE(slots->lock) != seq_slots || READ_ONCE(metric->lock) != seq_metric);

	for (i = 0; i < PERF_TOPDOWN_NR_METRICS; i++)
		snap->part[i] = snap->slots * (metrics >> 8 * i & 0xff) / METRICS_FULL;
	return true;
}

/*
 * Take slots and metrics at one point in time: by RDPMC, or with read() where
 * that is not possible. Returns 0 or a negative error number.
 */
int perf_topdown__snapshot(struct perf_topdown *td, struct perf_topdown_snapshot *snap)
{
	__u64 group[2 + PERF_TOPDOWN_NR_LEVEL1];

	memset(snap, 0, sizeof(*snap));
	if (snapshot_registers(td, snap))
		return 0;
	memset(snap, 0, sizeof(*snap));
	if (read(td->slots_fd, group, sizeof(group)) != sizeof(group))
		return -EIO;
	snap->slots = group[1];
	memcpy(snap->part, &group[2], PERF_TOPDOWN_NR_LEVEL1 * sizeof(group[0]));
	return 0;
}

/*
 * Shares of the slots between two snapshots, each 0 to 1. Returns -EAGAIN when
 * they cannot be compared: the registers were cleared in between, by a reset, a
 * read() or an overflow, or one snapshot is from read().
 */
int perf_topdown__shares(const struct perf_topdown_snapshot *from,
			 const struct perf_topdown_snapshot *to,
			 double share[PERF_TOPDOWN_NR_METRICS])
{
	__s64 delta[PERF_TOPDOWN_NR_METRICS], sum = 0;
	int i;

	if (from->width != to->width || to->slots <= from->slots)
		return -EAGAIN;
	for (i = 0; i < PERF_TOPDOWN_NR_METRICS; i++) {
		/* May be a little less than nothing, by rounding */
		delta[i] = to->part[i] - from->part[i];
		if (i < PERF_TOPDOWN_NR_LEVEL1)
			sum += delta[i];
	}
	if (sum <= 0)
		return -EAGAIN;
	for (i = 0; i < PERF_TOPDOWN_NR_METRICS; i++) {
		share[i] = (double)delta[i] / sum;
		if (share[i] < 0)
			share[i] = 0;
		if (share[i] > 1)
			share[i] = 1;
	}
	return 0;
}
