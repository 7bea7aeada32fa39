// SPDX-License-Identifier: GPL-2.0
/*
 * What perf stat --topdown prints, from counts that are given here: standard
 * output, CSV and JSON, for all, for each thread, for each CPU.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "cgroup.h"
#include "color.h"
#include "debug.h"
#include "evlist.h"
#include "evsel.h"
#include "stat.h"
#include "tests.h"
#include "topdown-event.h"
#include "topdown-form.h"

static const struct topdown_form_counts plain[] = {
	{ { 1000, 400, 50, 250, 300 }, 100, 100 },
};

static int test__columns_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1 };

	return topdown_form__check(1, false, &form, plain,
"#           time             retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500                40.0%                 5.0%                25.0%                30.0%                 1000\n");
}

static int test__columns_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .csv = true };

	return topdown_form__check(1, false, &form, plain,
"time,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,40.00,5.00,25.00,30.00,1000,100.00,frontend bound|backend bound\n");
}

static int test__columns_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .json = true };

	return topdown_form__check(1, false, &form, plain,
"{\"interval\" : 1.000000500, \"pmu\" : \"cpu\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 1000, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound\"}\n");
}

static const struct topdown_form_counts threads[] = {
	{ { 1000, 400, 50, 250, 300 }, 100, 100 },
	{ { 100, 90, 0, 10, 0 }, 100, 100 },
};

static int test__cgroup_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .cgroups = "web,db" };

	return topdown_form__check_cgroups(1, false, &form, threads,
"#           time  cgroup                      retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500  web                            40.0%                 5.0%                25.0%                30.0%                 1000\n"
"     1.000000500  db                             90.0%                 0.0%                10.0%                 0.0%                  100\n");
}

static int test__cgroup_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_GLOBAL, .nr = 1, .cgroups = "web,db", .csv = true,
	};

	return topdown_form__check_cgroups(1, false, &form, threads,
"time,cgroup,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,web,40.00,5.00,25.00,30.00,1000,100.00,frontend bound|backend bound\n"
"1.000000500,db,90.00,0.00,10.00,0.00,100,100.00,retiring\n");
}

static int test__cgroup_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_GLOBAL, .nr = 1, .cgroups = "web,db", .json = true,
	};

	return topdown_form__check_cgroups(1, false, &form, threads,
"{\"interval\" : 1.000000500, \"cgroup\" : \"web\", \"pmu\" : \"cpu\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 1000, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"cgroup\" : \"db\", \"pmu\" : \"cpu\", \"retiring\" : 90.00, \"bad speculation\" : 0.00, \"frontend bound\" : 10.00, \"backend bound\" : 0.00, \"slots\" : 100, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"retiring\"}\n");
}

/* Without -I, with a frame around it */
static int test__whole_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .no_interval = true };

	return topdown_form__check(1, false, &form, plain,
"\n"
" Performance counter stats for thread id '1':\n"
"\n"
"            retiring      bad speculation       frontend bound        backend bound                slots\n"
"               40.0%                 5.0%                25.0%                30.0%                 1000\n"
"\n"
"       0.000000000 seconds time elapsed\n"
"\n");
}

static int test__whole_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_GLOBAL, .nr = 1, .no_interval = true, .csv = true,
	};

	return topdown_form__check(1, false, &form, plain,
"retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"40.00,5.00,25.00,30.00,1000,100.00,frontend bound|backend bound\n");
}

static int test__whole_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_GLOBAL, .nr = 1, .no_interval = true, .json = true,
	};

	return topdown_form__check(1, false, &form, plain,
"{\"pmu\" : \"cpu\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 1000, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound\"}\n");
}

static int test__core_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_CORE, .nr = 2 };

	return topdown_form__check(1, false, &form, threads,
"#           time core               cpus             retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500 S0-D0-C0              1                40.0%                 5.0%                25.0%                30.0%                 1000\n"
"     1.000000500 S0-D0-C1              1                90.0%                 0.0%                10.0%                 0.0%                  100\n");
}

static int test__core_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_CORE, .nr = 2, .csv = true };

	return topdown_form__check(1, false, &form, threads,
"time,core,cpus,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,S0-D0-C0,1,40.00,5.00,25.00,30.00,1000,100.00,frontend bound|backend bound\n"
"1.000000500,S0-D0-C1,1,90.00,0.00,10.00,0.00,100,100.00,retiring\n");
}

static int test__cpu_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_NONE, .nr = 2, .json = true };

	return topdown_form__check(1, false, &form, threads,
"{\"interval\" : 1.000000500, \"cpu\" : \"0\", \"pmu\" : \"cpu\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 1000, \"share\" : 90.91, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"cpu\" : \"1\", \"pmu\" : \"cpu\", \"retiring\" : 90.00, \"bad speculation\" : 0.00, \"frontend bound\" : 10.00, \"backend bound\" : 0.00, \"slots\" : 100, \"share\" : 9.09, \"pcnt-running\" : 100.00, \"notable\" : \"retiring\"}\n");
}

/* Complements are what is left of the parent, and not less than nothing. */
static int test__level2(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .csv = true, .level = 2 };
	const struct topdown_form_counts counts[] = {
		{ { 1000, 400, 50, 250, 300, 100, 60, 200, 120 }, 100, 100 },
	};

	return topdown_form__check(2, false, &form, counts,
"time,retiring,bad speculation,frontend bound,backend bound,heavy operations,light operations,branch mispredict,machine clears,fetch latency,fetch bandwidth,memory bound,core bound,slots,running,notable\n"
"1.000000500,40.00,5.00,25.00,30.00,10.00,30.00,6.00,0.00,20.00,5.00,12.00,18.00,1000,100.00,frontend bound|backend bound|fetch latency|core bound\n");
}

static int test__thread_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_THREAD, .nr = 2 };

	return topdown_form__check(1, false, &form, threads,
"#           time             comm-pid                 retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500            alpha-101                    40.0%                 5.0%                25.0%                30.0%                 1000\n"
"     1.000000500             beta-102                    90.0%                 0.0%                10.0%                 0.0%                  100\n");
}

static int test__thread_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_THREAD, .nr = 2, .csv = true };

	return topdown_form__check(1, false, &form, threads,
"time,comm-pid,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,alpha-101,40.00,5.00,25.00,30.00,1000,100.00,frontend bound|backend bound\n"
"1.000000500,beta-102,90.00,0.00,10.00,0.00,100,100.00,retiring\n");
}

static int test__thread_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_THREAD, .nr = 2, .json = true };

	return topdown_form__check(1, false, &form, threads,
"{\"interval\" : 1.000000500, \"thread\" : \"alpha-101\", \"pmu\" : \"cpu\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 1000, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"thread\" : \"beta-102\", \"pmu\" : \"cpu\", \"retiring\" : 90.00, \"bad speculation\" : 0.00, \"frontend bound\" : 10.00, \"backend bound\" : 0.00, \"slots\" : 100, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"retiring\"}\n");
}

/* With -a, a thread that did nothing has no row; without, it says so. */
static const struct topdown_form_counts thread_idle_counts[] = {
	{ { 0 }, 0, 0 },
	{ { 100, 90, 0, 10, 0 }, 100, 100 },
};

static int test__thread_idle(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_THREAD, .nr = 2, .csv = true };

	return topdown_form__check(1, false, &form, thread_idle_counts,
"time,comm-pid,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,alpha-101,null,null,null,null,null,0.00,none\n"
"1.000000500,beta-102,90.00,0.00,10.00,0.00,100,100.00,retiring\n");
}

static int test__thread_idle_all(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode		= AGGR_THREAD,
		.nr		= 2,
		.csv		= true,
		.system_wide	= true,
	};

	return topdown_form__check(1, false, &form, thread_idle_counts,
"time,comm-pid,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,beta-102,90.00,0.00,10.00,0.00,100,100.00,retiring\n");
}

/* The busiest thread comes first, of a whole system's. */
static int test__thread_order(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode		= AGGR_THREAD,
		.nr		= 2,
		.csv		= true,
		.system_wide	= true,
	};
	const struct topdown_form_counts counts[] = {
		{ { 100, 90, 0, 10, 0 }, 100, 100 },
		{ { 1000, 400, 50, 250, 300 }, 100, 100 },
	};

	return topdown_form__check(1, false, &form, counts,
"time,comm-pid,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,beta-102,40.00,5.00,25.00,30.00,1000,100.00,frontend bound|backend bound\n"
"1.000000500,alpha-101,90.00,0.00,10.00,0.00,100,100.00,retiring\n");
}

static int test__process_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode		= AGGR_GLOBAL,
		.nr		= 1,
		.no_interval	= true,
		.pid		= "4321",
	};

	return topdown_form__check(1, false, &form, plain,
"\n"
" Performance counter stats for process id '4321':\n"
"\n"
"            retiring      bad speculation       frontend bound        backend bound                slots\n"
"               40.0%                 5.0%                25.0%                30.0%                 1000\n"
"\n"
"       0.000000000 seconds time elapsed\n"
"\n");
}

static int test__core_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_CORE, .nr = 2, .json = true };

	return topdown_form__check(1, false, &form, threads,
"{\"interval\" : 1.000000500, \"core\" : \"S0-D0-C0\", \"aggregate-number\" : 1, \"pmu\" : \"cpu\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 1000, \"share\" : 90.91, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"core\" : \"S0-D0-C1\", \"aggregate-number\" : 1, \"pmu\" : \"cpu\", \"retiring\" : 90.00, \"bad speculation\" : 0.00, \"frontend bound\" : 10.00, \"backend bound\" : 0.00, \"slots\" : 100, \"share\" : 9.09, \"pcnt-running\" : 100.00, \"notable\" : \"retiring\"}\n");
}

static int test__cpu_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_NONE, .nr = 2 };

	return topdown_form__check(1, false, &form, threads,
"#           time cpu                retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500 CPU0                  40.0%                 5.0%                25.0%                30.0%                 1000\n"
"     1.000000500 CPU1                  90.0%                 0.0%                10.0%                 0.0%                  100\n");
}

static int test__cpu_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_NONE, .nr = 2, .csv = true };

	return topdown_form__check(1, false, &form, threads,
"time,cpu,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,CPU0,40.00,5.00,25.00,30.00,1000,100.00,frontend bound|backend bound\n"
"1.000000500,CPU1,90.00,0.00,10.00,0.00,100,100.00,retiring\n");
}

/* Level 2: of bad speculation, more is said to be mispredicted than there is. */
static const struct topdown_form_counts deep[] = {
	{ { 1000, 400, 50, 250, 300, 100, 60, 200, 120 }, 100, 100 },
};

static int test__level2_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .level = 2 };

	return topdown_form__check(2, false, &form, deep,
"#           time             retiring      bad speculation       frontend bound        backend bound     heavy operations     light operations    branch mispredict       machine clears        fetch latency      fetch bandwidth         memory bound           core bound                slots\n"
"     1.000000500                40.0%                 5.0%                25.0%                30.0%                10.0%                30.0%                 6.0%                 0.0%                20.0%                 5.0%                12.0%                18.0%                 1000\n");
}

static int test__level2_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .json = true, .level = 2 };

	return topdown_form__check(2, false, &form, deep,
"{\"interval\" : 1.000000500, \"pmu\" : \"cpu\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"heavy operations\" : 10.00, \"light operations\" : 30.00, \"branch mispredict\" : 6.00, \"machine clears\" : 0.00, \"fetch latency\" : 20.00, \"fetch bandwidth\" : 5.00, \"memory bound\" : 12.00, \"core bound\" : 18.00, \"slots\" : 1000, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound|fetch latency|core bound\"}\n");
}

static int test__socket_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_SOCKET, .nr = 2, .csv = true };

	return topdown_form__check(1, false, &form, threads,
"time,socket,cpus,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,S0,1,40.00,5.00,25.00,30.00,1000,100.00,frontend bound|backend bound\n"
"1.000000500,S1,1,90.00,0.00,10.00,0.00,100,100.00,retiring\n");
}

static int test__socket_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_SOCKET, .nr = 2, .json = true };

	return topdown_form__check(1, false, &form, threads,
"{\"interval\" : 1.000000500, \"socket\" : \"S0\", \"aggregate-number\" : 1, \"pmu\" : \"cpu\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 1000, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"socket\" : \"S1\", \"aggregate-number\" : 1, \"pmu\" : \"cpu\", \"retiring\" : 90.00, \"bad speculation\" : 0.00, \"frontend bound\" : 10.00, \"backend bound\" : 0.00, \"slots\" : 100, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"retiring\"}\n");
}

static int test__die_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_DIE, .nr = 2, .csv = true };

	return topdown_form__check(1, false, &form, threads,
"time,die,cpus,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,S0-D0,1,40.00,5.00,25.00,30.00,1000,100.00,frontend bound|backend bound\n"
"1.000000500,S0-D1,1,90.00,0.00,10.00,0.00,100,100.00,retiring\n");
}

static int test__die_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_DIE, .nr = 2, .json = true };

	return topdown_form__check(1, false, &form, threads,
"{\"interval\" : 1.000000500, \"die\" : \"S0-D0\", \"aggregate-number\" : 1, \"pmu\" : \"cpu\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 1000, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"die\" : \"S0-D1\", \"aggregate-number\" : 1, \"pmu\" : \"cpu\", \"retiring\" : 90.00, \"bad speculation\" : 0.00, \"frontend bound\" : 10.00, \"backend bound\" : 0.00, \"slots\" : 100, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"retiring\"}\n");
}

static int test__node_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_NODE, .nr = 2, .csv = true };

	return topdown_form__check(1, false, &form, threads,
"time,node,cpus,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,N0,1,40.00,5.00,25.00,30.00,1000,100.00,frontend bound|backend bound\n"
"1.000000500,N1,1,90.00,0.00,10.00,0.00,100,100.00,retiring\n");
}

static int test__node_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_NODE, .nr = 2, .json = true };

	return topdown_form__check(1, false, &form, threads,
"{\"interval\" : 1.000000500, \"node\" : \"N0\", \"aggregate-number\" : 1, \"pmu\" : \"cpu\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 1000, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"node\" : \"N1\", \"aggregate-number\" : 1, \"pmu\" : \"cpu\", \"retiring\" : 90.00, \"bad speculation\" : 0.00, \"frontend bound\" : 10.00, \"backend bound\" : 0.00, \"slots\" : 100, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"retiring\"}\n");
}

/* Level 2 of threads, the second of which was on no CPU */
static const struct topdown_form_counts deep_threads[] = {
	{ { 1000, 400, 50, 250, 300, 100, 60, 200, 120 }, 100, 100 },
	{ { 0 }, 0, 0 },
};

static int test__level2_threads_std(struct test_suite *test __maybe_unused,
				    int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_THREAD, .nr = 2, .level = 2 };

	return topdown_form__check(2, false, &form, deep_threads,
"#           time             comm-pid                 retiring      bad speculation       frontend bound        backend bound     heavy operations     light operations    branch mispredict       machine clears        fetch latency      fetch bandwidth         memory bound           core bound                slots\n"
"     1.000000500            alpha-101                    40.0%                 5.0%                25.0%                30.0%                10.0%                30.0%                 6.0%                 0.0%                20.0%                 5.0%                12.0%                18.0%                 1000\n"
"     1.000000500             beta-102            <not counted>        <not counted>        <not counted>        <not counted>        <not counted>        <not counted>        <not counted>        <not counted>        <not counted>        <not counted>        <not counted>        <not counted>                    -\n");
}

static int test__level2_threads_csv(struct test_suite *test __maybe_unused,
				    int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_THREAD, .nr = 2, .csv = true, .level = 2,
	};

	return topdown_form__check(2, false, &form, deep_threads,
"time,comm-pid,retiring,bad speculation,frontend bound,backend bound,heavy operations,light operations,branch mispredict,machine clears,fetch latency,fetch bandwidth,memory bound,core bound,slots,running,notable\n"
"1.000000500,alpha-101,40.00,5.00,25.00,30.00,10.00,30.00,6.00,0.00,20.00,5.00,12.00,18.00,1000,100.00,frontend bound|backend bound|fetch latency|core bound\n"
"1.000000500,beta-102,null,null,null,null,null,null,null,null,null,null,null,null,null,0.00,none\n");
}

static int test__level2_threads_json(struct test_suite *test __maybe_unused,
				     int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_THREAD, .nr = 2, .json = true, .level = 2,
	};

	return topdown_form__check(2, false, &form, deep_threads,
"{\"interval\" : 1.000000500, \"thread\" : \"alpha-101\", \"pmu\" : \"cpu\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"heavy operations\" : 10.00, \"light operations\" : 30.00, \"branch mispredict\" : 6.00, \"machine clears\" : 0.00, \"fetch latency\" : 20.00, \"fetch bandwidth\" : 5.00, \"memory bound\" : 12.00, \"core bound\" : 18.00, \"slots\" : 1000, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound|fetch latency|core bound\"}\n"
"{\"interval\" : 1.000000500, \"thread\" : \"beta-102\", \"pmu\" : \"cpu\", \"retiring\" : null, \"bad speculation\" : null, \"frontend bound\" : null, \"backend bound\" : null, \"heavy operations\" : null, \"light operations\" : null, \"branch mispredict\" : null, \"machine clears\" : null, \"fetch latency\" : null, \"fetch bandwidth\" : null, \"memory bound\" : null, \"core bound\" : null, \"slots\" : null, \"share\" : null, \"pcnt-running\" : 0.00, \"notable\" : \"none\"}\n");
}

/* Behind blanks */
#define EOL "\n"

/* --no-metric-only: counts, and what they mean beside them */
static int test__counts_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_GLOBAL, .nr = 1, .counts = true, .no_interval = true,
	};

	return topdown_form__check(1, false, &form, plain,
"\n"
" Performance counter stats for thread id '1':\n"
"\n"
"              1000  slots                                                                 " EOL
"               400  topdown-retiring                 #     40.0% retiring                 " EOL
"                50  topdown-bad-spec                 #      5.0% bad speculation          " EOL
"               250  topdown-fe-bound                 #     25.0% frontend bound           " EOL
"               300  topdown-be-bound                 #     30.0% backend bound            " EOL
"\n"
"       0.000000000 seconds time elapsed\n"
"\n");
}

static int test__counts_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_GLOBAL, .nr = 1, .counts = true, .csv = true,
	};

	return topdown_form__check(1, false, &form, plain,
"1.000000500,1000,,slots,100,100.00,,\n"
"1.000000500,400,,topdown-retiring,100,100.00,40.0,retiring\n"
"1.000000500,50,,topdown-bad-spec,100,100.00,5.0,bad speculation\n"
"1.000000500,250,,topdown-fe-bound,100,100.00,25.0,frontend bound\n"
"1.000000500,300,,topdown-be-bound,100,100.00,30.0,backend bound\n");
}

static int test__counts_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_GLOBAL, .nr = 1, .counts = true, .json = true,
	};

	return topdown_form__check(1, false, &form, plain,
"{\"interval\" : 1.000000500, \"counter-value\" : \"1000.000000\", \"unit\" : \"\", \"event\" : \"slots\", \"event-runtime\" : 100, \"pcnt-running\" : 100.00, \"metric-value\" : \"0.000000\", \"metric-unit\" : \"(null)\"}\n"
"{\"interval\" : 1.000000500, \"counter-value\" : \"400.000000\", \"unit\" : \"\", \"event\" : \"topdown-retiring\", \"event-runtime\" : 100, \"pcnt-running\" : 100.00, \"metric-value\" : \"40.000000\", \"metric-unit\" : \"retiring\"}\n"
"{\"interval\" : 1.000000500, \"counter-value\" : \"50.000000\", \"unit\" : \"\", \"event\" : \"topdown-bad-spec\", \"event-runtime\" : 100, \"pcnt-running\" : 100.00, \"metric-value\" : \"5.000000\", \"metric-unit\" : \"bad speculation\"}\n"
"{\"interval\" : 1.000000500, \"counter-value\" : \"250.000000\", \"unit\" : \"\", \"event\" : \"topdown-fe-bound\", \"event-runtime\" : 100, \"pcnt-running\" : 100.00, \"metric-value\" : \"25.000000\", \"metric-unit\" : \"frontend bound\"}\n"
"{\"interval\" : 1.000000500, \"counter-value\" : \"300.000000\", \"unit\" : \"\", \"event\" : \"topdown-be-bound\", \"event-runtime\" : 100, \"pcnt-running\" : 100.00, \"metric-value\" : \"30.000000\", \"metric-unit\" : \"backend bound\"}\n");
}

static int test__socket_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_SOCKET, .nr = 2 };

	return topdown_form__check(1, false, &form, threads,
"#           time socket cpus             retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500 S0        1                40.0%                 5.0%                25.0%                30.0%                 1000\n"
"     1.000000500 S1        1                90.0%                 0.0%                10.0%                 0.0%                  100\n");
}

static int test__die_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_DIE, .nr = 2 };

	return topdown_form__check(1, false, &form, threads,
"#           time die          cpus             retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500 S0-D0           1                40.0%                 5.0%                25.0%                30.0%                 1000\n"
"     1.000000500 S0-D1           1                90.0%                 0.0%                10.0%                 0.0%                  100\n");
}

static int test__node_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_NODE, .nr = 2 };

	return topdown_form__check(1, false, &form, threads,
"#           time node   cpus             retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500 N0        1                40.0%                 5.0%                25.0%                30.0%                 1000\n"
"     1.000000500 N1        1                90.0%                 0.0%                10.0%                 0.0%                  100\n");
}

static int test__cache_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_CACHE, .nr = 2 };

	return topdown_form__check(1, false, &form, threads,
"#           time cache                  cpus             retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500 S0-D0-L3-ID0              1                40.0%                 5.0%                25.0%                30.0%                 1000\n"
"     1.000000500 S0-D0-L3-ID1              1                90.0%                 0.0%                10.0%                 0.0%                  100\n");
}

static int test__cache_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_CACHE, .nr = 2, .csv = true };

	return topdown_form__check(1, false, &form, threads,
"time,cache,cpus,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,S0-D0-L3-ID0,1,40.00,5.00,25.00,30.00,1000,100.00,frontend bound|backend bound\n"
"1.000000500,S0-D0-L3-ID1,1,90.00,0.00,10.00,0.00,100,100.00,retiring\n");
}

static int test__cache_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_CACHE, .nr = 2, .json = true };

	return topdown_form__check(1, false, &form, threads,
"{\"interval\" : 1.000000500, \"cache\" : \"S0-D0-L3-ID0\", \"aggregate-number\" : 1, \"pmu\" : \"cpu\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 1000, \"share\" : 90.91, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"cache\" : \"S0-D0-L3-ID1\", \"aggregate-number\" : 1, \"pmu\" : \"cpu\", \"retiring\" : 90.00, \"bad speculation\" : 0.00, \"frontend bound\" : 10.00, \"backend bound\" : 0.00, \"slots\" : 100, \"share\" : 9.09, \"pcnt-running\" : 100.00, \"notable\" : \"retiring\"}\n");
}

static int test__cluster_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_CLUSTER, .nr = 2 };

	return topdown_form__check(1, false, &form, threads,
"#           time cluster              cpus             retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500 S0-D0-CLS0              1                40.0%                 5.0%                25.0%                30.0%                 1000\n"
"     1.000000500 S0-D0-CLS1              1                90.0%                 0.0%                10.0%                 0.0%                  100\n");
}

static int test__cluster_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_CLUSTER, .nr = 2, .csv = true };

	return topdown_form__check(1, false, &form, threads,
"time,cluster,cpus,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,S0-D0-CLS0,1,40.00,5.00,25.00,30.00,1000,100.00,frontend bound|backend bound\n"
"1.000000500,S0-D0-CLS1,1,90.00,0.00,10.00,0.00,100,100.00,retiring\n");
}

static int test__cluster_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_CLUSTER, .nr = 2, .json = true };

	return topdown_form__check(1, false, &form, threads,
"{\"interval\" : 1.000000500, \"cluster\" : \"S0-D0-CLS0\", \"aggregate-number\" : 1, \"pmu\" : \"cpu\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 1000, \"share\" : 90.91, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"cluster\" : \"S0-D0-CLS1\", \"aggregate-number\" : 1, \"pmu\" : \"cpu\", \"retiring\" : 90.00, \"bad speculation\" : 0.00, \"frontend bound\" : 10.00, \"backend bound\" : 0.00, \"slots\" : 100, \"share\" : 9.09, \"pcnt-running\" : 100.00, \"notable\" : \"retiring\"}\n");
}

static int check_aligned(enum aggr_mode mode, bool no_interval)
{
	const struct topdown_form form = { .mode = mode, .nr = 1, .no_interval = no_interval };
	struct evlist *evlist = topdown_form__new_list(1, false);
	char *text, *titles, *row, *end;
	int ret = TEST_OK;

	TEST_ASSERT_VAL("no memory", evlist);
	text = topdown_form__print(evlist, &form, topdown_form__set_counts, plain);
	evlist__delete(evlist);
	TEST_ASSERT_VAL("no text", text);
	row = strstr(text, "slots\n");
	TEST_ASSERT_VAL("no titles", row);
	row += strlen("slots\n");
	for (titles = row - 1; titles > text && titles[-1] != '\n'; titles--)
		;
	end = strchr(row, '\n');
	if (!end || row - titles != end + 1 - row) {
		pr_debug("mode %d:\n%s", mode, text);
		ret = TEST_FAIL;
	}
	free(text);
	return ret;
}

/* Titles are as wide as the rows below, whatever the label, with and without -I. */
static int test__aligned(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	static const enum aggr_mode modes[] = {
		AGGR_GLOBAL, AGGR_THREAD, AGGR_NONE, AGGR_CORE, AGGR_SOCKET, AGGR_NODE, AGGR_DIE,
		AGGR_CLUSTER, AGGR_CACHE,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		if (check_aligned(modes[i], false) || check_aligned(modes[i], true))
			return TEST_FAIL;
	}
	return TEST_OK;
}

static struct test_case topdown_stat_tests[] = {
	TEST_CASE("topdown_r2_columns_std", columns_std),
	TEST_CASE("topdown_r2_columns_csv", columns_csv),
	TEST_CASE("topdown_r2_columns_json", columns_json),
	TEST_CASE("topdown_r2_columns_whole", whole_std),
	TEST_CASE("topdown_r2_columns_whole_csv", whole_csv),
	TEST_CASE("topdown_r2_columns_whole_json", whole_json),
	TEST_CASE("topdown_r2_cores_std", core_std),
	TEST_CASE("topdown_r2_cores_csv", core_csv),
	TEST_CASE("topdown_r2_cpus_json", cpu_json),
	TEST_CASE("topdown_r2_cgroups_std", cgroup_std),
	TEST_CASE("topdown_r2_cgroups_csv", cgroup_csv),
	TEST_CASE("topdown_r2_cgroups_json", cgroup_json),
	TEST_CASE("topdown_r2_level2", level2),
	TEST_CASE("topdown_r2_titles_aligned", aligned),
	TEST_CASE("topdown_r3_threads_std", thread_std),
	TEST_CASE("topdown_r3_threads_csv", thread_csv),
	TEST_CASE("topdown_r3_threads_json", thread_json),
	TEST_CASE("topdown_r3_idle_threads", thread_idle),
	TEST_CASE("topdown_r3_idle_threads_of_all", thread_idle_all),
	TEST_CASE("topdown_r2_cores_json", core_json),
	TEST_CASE("topdown_r2_cpus_std", cpu_std),
	TEST_CASE("topdown_r2_cpus_csv", cpu_csv),
	TEST_CASE("topdown_r2_process_std", process_std),
	TEST_CASE("topdown_r2_level2_std", level2_std),
	TEST_CASE("topdown_r2_level2_json", level2_json),
	TEST_CASE("topdown_r3_threads_by_slots", thread_order),
	TEST_CASE("topdown_r2_sockets_csv", socket_csv),
	TEST_CASE("topdown_r2_sockets_json", socket_json),
	TEST_CASE("topdown_r2_dies_csv", die_csv),
	TEST_CASE("topdown_r2_dies_json", die_json),
	TEST_CASE("topdown_r2_nodes_csv", node_csv),
	TEST_CASE("topdown_r2_nodes_json", node_json),
	TEST_CASE("topdown_r3_level2_threads_std", level2_threads_std),
	TEST_CASE("topdown_r3_level2_threads_csv", level2_threads_csv),
	TEST_CASE("topdown_r3_level2_threads_json", level2_threads_json),
	TEST_CASE("topdown_r2_counts_std", counts_std),
	TEST_CASE("topdown_r2_counts_csv", counts_csv),
	TEST_CASE("topdown_r2_counts_json", counts_json),
	TEST_CASE("topdown_r2_sockets_std", socket_std),
	TEST_CASE("topdown_r2_dies_std", die_std),
	TEST_CASE("topdown_r2_nodes_std", node_std),
	TEST_CASE("topdown_r2_caches_std", cache_std),
	TEST_CASE("topdown_r2_caches_csv", cache_csv),
	TEST_CASE("topdown_r2_caches_json", cache_json),
	TEST_CASE("topdown_r2_clusters_std", cluster_std),
	TEST_CASE("topdown_r2_clusters_csv", cluster_csv),
	TEST_CASE("topdown_r2_clusters_json", cluster_json),
	{ .name = NULL, }
};

struct test_suite suite__topdown_stat = {
	.desc = "TopDown output",
	.test_cases = topdown_stat_tests,
};
