// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of slots and metrics between the ones that are printed.
 *
 * A field of PERF_METRICS has eight bits: the more slots were counted since the
 * registers were last cleared, the coarser it is. The kernel clears them when
 * it is asked for the count of a running event, and keeps the sum. So ask once
 * a second.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>
#include <internal/xyarray.h>
#include "debug.h"
#include "evlist.h"
#include "evsel.h"
#include "stat.h"
#include "topdown-event.h"
#include "topdown-stat.h"

#define READ_INTERVAL_MS	1000
/* The number of members, two times, and an identifier and a count for each */
#define READ_SIZE		(3 + 2 * 64)

static struct topdown_reader {
	pthread_t	thread;
	pthread_mutex_t	lock;
	pthread_cond_t	cond;
	struct evlist	*evlist;
	bool		running;
	bool		stop;
} reader = {
	.lock	= PTHREAD_MUTEX_INITIALIZER,
};

/* Nobody sets this clock. */
static void init_cond(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

static void read_group(struct evsel *leader)
{
	struct xyarray *fds = leader->core.fd;
	unsigned int x, y;
	u64 buf[READ_SIZE];

	if (!fds)
		return;
	for (x = 0; x < (unsigned int)xyarray__max_x(fds); x++) {
		for (y = 0; y < (unsigned int)xyarray__max_y(fds); y++) {
			int *fd = xyarray__entry(fds, x, y);

			/* The last read of all reports what is wrong. */
			if (*fd >= 0 && read(*fd, buf, sizeof(buf)) < 0)
				pr_debug2("topdown: read: %d\n", errno);
		}
	}
}

static void *read_thread(void *arg)
{
	struct topdown_reader *r = arg;
	struct timespec until;
	struct evsel *pos;

	pthread_mutex_lock(&r->lock);
	while (!r->stop) {
		/* What was missed while the machine was suspended is not made up for. */
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += READ_INTERVAL_MS / 1000;
		while (!r->stop &&
		       pthread_cond_timedwait(&r->cond, &r->lock, &until) != ETIMEDOUT)
			;
		if (r->stop)
			break;
		evlist__for_each_entry(r->evlist, pos) {
			if (evsel__leader(pos) == pos && evsel__is_topdown_slots(pos))
				read_group(pos);
		}
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/**
 * topdown_stat__start_reads - Read slots and metrics once a second from now on
 * @evlist: the events, which are open
 * @config: says whether there are intervals anyway
 */
void topdown_stat__start_reads(struct evlist *evlist, struct perf_stat_config *config)
{
	sigset_t all, before;

	if (reader.running ||
	    (config->interval && config->interval <= READ_INTERVAL_MS))
		return;

	reader.evlist = evlist;
	reader.stop = false;
	init_cond(&reader.cond);
	/* Signals are for the thread that waits for them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	reader.running = !pthread_create(&reader.thread, NULL, read_thread, &reader);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!reader.running)
		pr_warning("Topdown accuracy may decrease when measuring long periods.\n"
			   "Please print the result regularly, e.g. -I1000\n");
}

/**
 * topdown_stat__stop_reads - End what topdown_stat__start_reads() began
 */
void topdown_stat__stop_reads(void)
{
	if (!reader.running)
		return;
	pthread_mutex_lock(&reader.lock);
	reader.stop = true;
	pthread_cond_signal(&reader.cond);
	pthread_mutex_unlock(&reader.lock);
	pthread_join(reader.thread, NULL);
	pthread_cond_destroy(&reader.cond);
	reader.running = false;
}
