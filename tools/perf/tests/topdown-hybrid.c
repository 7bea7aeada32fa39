// SPDX-License-Identifier: GPL-2.0
/*
 * What perf stat --topdown prints on hybrids, from counts that are given here: a
 * row for each PMU, whose share of the slots is told.
 */
#include <linux/kernel.h>
#include "stat.h"
#include "tests.h"
#include "topdown-form.h"

/* A task that was on the P-cores for three quarters of its time */
static const struct topdown_form_counts hybrid[] = {
	{ { 4000, 1600, 200, 1000, 1200 }, 100, 75 },
	{ { 100, 200, 300, 400 }, 100, 100 },
};

static int test__hybrid_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1 };

	return topdown_form__check(1, true, &form, hybrid,
"#           time pmu                    retiring      bad speculation       frontend bound        backend bound                slots    share\n"
"     1.000000500 cpu_core                  40.0%                 5.0%                25.0%                30.0%                 3000    75.0%  (75.00%)\n"
"     1.000000500 cpu_atom                  10.0%                20.0%                30.0%                40.0%                 1000    25.0%\n");
}

static int test__hybrid_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .csv = true, .level = 2 };
	const struct topdown_form_counts counts[] = {
		{ { 4000, 1600, 200, 1000, 1200, 0, 200, 1000, 1200 }, 100, 100 },
		{ { 100, 200, 300, 400 }, 100, 100 },
	};

	return topdown_form__check(2, true, &form, counts,
"time,pmu,retiring,bad speculation,frontend bound,backend bound,heavy operations,light operations,branch mispredict,machine clears,fetch latency,fetch bandwidth,memory bound,core bound,slots,share,running,notable\n"
"1.000000500,cpu_core,40.00,5.00,25.00,30.00,0.00,40.00,5.00,0.00,25.00,0.00,30.00,0.00,4000,80.00,100.00,frontend bound|backend bound|fetch latency|memory bound\n"
"1.000000500,cpu_atom,10.00,20.00,30.00,40.00,null,null,null,null,null,null,null,null,1000,20.00,100.00,bad speculation|frontend bound|backend bound\n");
}

static int test__hybrid_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .json = true };

	return topdown_form__check(1, true, &form, hybrid,
"{\"interval\" : 1.000000500, \"pmu\" : \"cpu_core\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 3000, \"share\" : 75.00, \"pcnt-running\" : 75.00, \"notable\" : \"frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"pmu\" : \"cpu_atom\", \"retiring\" : 10.00, \"bad speculation\" : 20.00, \"frontend bound\" : 30.00, \"backend bound\" : 40.00, \"slots\" : 1000, \"share\" : 25.00, \"pcnt-running\" : 100.00, \"notable\" : \"bad speculation|frontend bound|backend bound\"}\n");
}

/* -A: a CPU has a row for its own PMU only. */
static const struct topdown_form_counts hybrid_cpus[] = {
	{ { 4000, 1600, 200, 1000, 1200 }, 100, 100 }, { { 0 }, 0, 0 },
	{ { 0 }, 0, 0 }, { { 100, 200, 300, 400 }, 100, 100 },
};

static int test__hybrid_cpus(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_NONE, .nr = 2 };

	return topdown_form__check(1, true, &form, hybrid_cpus,
"#           time cpu    pmu                    retiring      bad speculation       frontend bound        backend bound                slots    share\n"
"     1.000000500 CPU0   cpu_core                  40.0%                 5.0%                25.0%                30.0%                 4000    80.0%\n"
"     1.000000500 CPU1   cpu_atom                  10.0%                20.0%                30.0%                40.0%                 1000    20.0%\n");
}

static int test__hybrid_cpus_csv(struct test_suite *test __maybe_unused,
				 int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_NONE, .nr = 2, .csv = true };

	return topdown_form__check(1, true, &form, hybrid_cpus,
"time,cpu,pmu,retiring,bad speculation,frontend bound,backend bound,slots,share,running,notable\n"
"1.000000500,CPU0,cpu_core,40.00,5.00,25.00,30.00,4000,80.00,100.00,frontend bound|backend bound\n"
"1.000000500,CPU1,cpu_atom,10.00,20.00,30.00,40.00,1000,20.00,100.00,bad speculation|frontend bound|backend bound\n");
}

static int test__hybrid_cpus_json(struct test_suite *test __maybe_unused,
				  int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_NONE, .nr = 2, .json = true };

	return topdown_form__check(1, true, &form, hybrid_cpus,
"{\"interval\" : 1.000000500, \"cpu\" : \"0\", \"pmu\" : \"cpu_core\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 4000, \"share\" : 80.00, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"cpu\" : \"1\", \"pmu\" : \"cpu_atom\", \"retiring\" : 10.00, \"bad speculation\" : 20.00, \"frontend bound\" : 30.00, \"backend bound\" : 40.00, \"slots\" : 1000, \"share\" : 20.00, \"pcnt-running\" : 100.00, \"notable\" : \"bad speculation|frontend bound|backend bound\"}\n");
}

/* A CPU is one of one PMU; the cores of both are in one list. */
static int test__hybrid_cores_std(struct test_suite *test __maybe_unused,
				  int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_CORE, .nr = 2 };

	return topdown_form__check(1, true, &form, hybrid_cpus,
"#           time core               cpus pmu                    retiring      bad speculation       frontend bound        backend bound                slots    share\n"
"     1.000000500 S0-D0-C0              1 cpu_core                  40.0%                 5.0%                25.0%                30.0%                 4000    80.0%\n"
"     1.000000500 S0-D0-C1              1 cpu_atom                  10.0%                20.0%                30.0%                40.0%                 1000    20.0%\n");
}

static int test__hybrid_cores_csv(struct test_suite *test __maybe_unused,
				  int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_CORE, .nr = 2, .csv = true };

	return topdown_form__check(1, true, &form, hybrid_cpus,
"time,core,cpus,pmu,retiring,bad speculation,frontend bound,backend bound,slots,share,running,notable\n"
"1.000000500,S0-D0-C0,1,cpu_core,40.00,5.00,25.00,30.00,4000,80.00,100.00,frontend bound|backend bound\n"
"1.000000500,S0-D0-C1,1,cpu_atom,10.00,20.00,30.00,40.00,1000,20.00,100.00,bad speculation|frontend bound|backend bound\n");
}

static int test__hybrid_cores_json(struct test_suite *test __maybe_unused,
				   int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_CORE, .nr = 2, .json = true };

	return topdown_form__check(1, true, &form, hybrid_cpus,
"{\"interval\" : 1.000000500, \"core\" : \"S0-D0-C0\", \"aggregate-number\" : 1, \"pmu\" : \"cpu_core\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 4000, \"share\" : 80.00, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"core\" : \"S0-D0-C1\", \"aggregate-number\" : 1, \"pmu\" : \"cpu_atom\", \"retiring\" : 10.00, \"bad speculation\" : 20.00, \"frontend bound\" : 30.00, \"backend bound\" : 40.00, \"slots\" : 1000, \"share\" : 20.00, \"pcnt-running\" : 100.00, \"notable\" : \"bad speculation|frontend bound|backend bound\"}\n");
}

/*
 * The first thread was on both kinds of cores, half of its time on each; the
 * second one on P-cores only.
 */
static const struct topdown_form_counts hybrid_threads[] = {
	{ { 4000, 1600, 200, 1000, 1200 }, 100, 50 }, { { 100, 90, 0, 10, 0 }, 100, 100 },
	{ { 200, 400, 600, 800 }, 100, 50 }, { { 0 }, 100, 0 },
};

static int test__hybrid_threads_std(struct test_suite *test __maybe_unused,
				    int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_THREAD, .nr = 2 };

	return topdown_form__check(1, true, &form, hybrid_threads,
"#           time             comm-pid     pmu                    retiring      bad speculation       frontend bound        backend bound                slots    share\n"
"     1.000000500            alpha-101     cpu_core                  40.0%                 5.0%                25.0%                30.0%                 2000    66.7%  (50.00%)\n"
"     1.000000500            alpha-101     cpu_atom                  10.0%                20.0%                30.0%                40.0%                 1000    33.3%  (50.00%)\n"
"     1.000000500             beta-102     cpu_core                  90.0%                 0.0%                10.0%                 0.0%                  100   100.0%\n"
"     1.000000500             beta-102     cpu_atom          <not counted>        <not counted>        <not counted>        <not counted>                    -        -\n");
}

static int test__hybrid_threads_csv(struct test_suite *test __maybe_unused,
				    int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_THREAD, .nr = 2, .csv = true };

	return topdown_form__check(1, true, &form, hybrid_threads,
"time,comm-pid,pmu,retiring,bad speculation,frontend bound,backend bound,slots,share,running,notable\n"
"1.000000500,alpha-101,cpu_core,40.00,5.00,25.00,30.00,2000,66.67,50.00,frontend bound|backend bound\n"
"1.000000500,alpha-101,cpu_atom,10.00,20.00,30.00,40.00,1000,33.33,50.00,bad speculation|frontend bound|backend bound\n"
"1.000000500,beta-102,cpu_core,90.00,0.00,10.00,0.00,100,100.00,100.00,retiring\n"
"1.000000500,beta-102,cpu_atom,null,null,null,null,null,null,0.00,none\n");
}

static int test__hybrid_threads_json(struct test_suite *test __maybe_unused,
				     int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_THREAD, .nr = 2, .json = true };

	return topdown_form__check(1, true, &form, hybrid_threads,
"{\"interval\" : 1.000000500, \"thread\" : \"alpha-101\", \"pmu\" : \"cpu_core\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 2000, \"share\" : 66.67, \"pcnt-running\" : 50.00, \"notable\" : \"frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"thread\" : \"alpha-101\", \"pmu\" : \"cpu_atom\", \"retiring\" : 10.00, \"bad speculation\" : 20.00, \"frontend bound\" : 30.00, \"backend bound\" : 40.00, \"slots\" : 1000, \"share\" : 33.33, \"pcnt-running\" : 50.00, \"notable\" : \"bad speculation|frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"thread\" : \"beta-102\", \"pmu\" : \"cpu_core\", \"retiring\" : 90.00, \"bad speculation\" : 0.00, \"frontend bound\" : 10.00, \"backend bound\" : 0.00, \"slots\" : 100, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"retiring\"}\n"
"{\"interval\" : 1.000000500, \"thread\" : \"beta-102\", \"pmu\" : \"cpu_atom\", \"retiring\" : null, \"bad speculation\" : null, \"frontend bound\" : null, \"backend bound\" : null, \"slots\" : null, \"share\" : null, \"pcnt-running\" : 0.00, \"notable\" : \"none\"}\n");
}

/* Level 2 of the P-cores; E-cores have level 1 */
static const struct topdown_form_counts hybrid_deep[] = {
	{ { 4000, 1600, 200, 1000, 1200, 0, 200, 1000, 1200 }, 100, 100 },
	{ { 100, 200, 300, 400 }, 100, 100 },
};

static int test__hybrid_level2_std(struct test_suite *test __maybe_unused,
				   int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .level = 2 };

	return topdown_form__check(2, true, &form, hybrid_deep,
"#           time pmu                    retiring      bad speculation       frontend bound        backend bound     heavy operations     light operations    branch mispredict       machine clears        fetch latency      fetch bandwidth         memory bound           core bound                slots    share\n"
"     1.000000500 cpu_core                  40.0%                 5.0%                25.0%                30.0%                 0.0%                40.0%                 5.0%                 0.0%                25.0%                 0.0%                30.0%                 0.0%                 4000    80.0%\n"
"     1.000000500 cpu_atom                  10.0%                20.0%                30.0%                40.0%                    -                    -                    -                    -                    -                    -                    -                    -                 1000    20.0%\n");
}

static int test__hybrid_level2_json(struct test_suite *test __maybe_unused,
				    int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .level = 2, .json = true };

	return topdown_form__check(2, true, &form, hybrid_deep,
"{\"interval\" : 1.000000500, \"pmu\" : \"cpu_core\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"heavy operations\" : 0.00, \"light operations\" : 40.00, \"branch mispredict\" : 5.00, \"machine clears\" : 0.00, \"fetch latency\" : 25.00, \"fetch bandwidth\" : 0.00, \"memory bound\" : 30.00, \"core bound\" : 0.00, \"slots\" : 4000, \"share\" : 80.00, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound|fetch latency|memory bound\"}\n"
"{\"interval\" : 1.000000500, \"pmu\" : \"cpu_atom\", \"retiring\" : 10.00, \"bad speculation\" : 20.00, \"frontend bound\" : 30.00, \"backend bound\" : 40.00, \"heavy operations\" : null, \"light operations\" : null, \"branch mispredict\" : null, \"machine clears\" : null, \"fetch latency\" : null, \"fetch bandwidth\" : null, \"memory bound\" : null, \"core bound\" : null, \"slots\" : 1000, \"share\" : 20.00, \"pcnt-running\" : 100.00, \"notable\" : \"bad speculation|frontend bound|backend bound\"}\n");
}

/* The first cgroup was on both kinds of cores, the second one on P-cores only. */
static const struct topdown_form_counts hybrid_cgroups[] = {
	{ { 4000, 1600, 200, 1000, 1200 }, 100, 100 }, { { 100, 200, 300, 400 }, 100, 100 },
	{ { 100, 90, 0, 10, 0 }, 100, 100 }, { { 0 }, 100, 0 },
};

static int test__hybrid_cgroups_std(struct test_suite *test __maybe_unused,
				    int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_GLOBAL, .nr = 1, .cgroups = "web,db",
	};

	return topdown_form__check_cgroups(1, true, &form, hybrid_cgroups,
"#           time  cgroup           pmu                    retiring      bad speculation       frontend bound        backend bound                slots    share\n"
"     1.000000500  web              cpu_core                  40.0%                 5.0%                25.0%                30.0%                 4000    80.0%\n"
"     1.000000500  web              cpu_atom                  10.0%                20.0%                30.0%                40.0%                 1000    20.0%\n"
"     1.000000500  db               cpu_core                  90.0%                 0.0%                10.0%                 0.0%                  100   100.0%\n"
"     1.000000500  db               cpu_atom          <not counted>        <not counted>        <not counted>        <not counted>                    -        -\n");
}

static int test__hybrid_cgroups_csv(struct test_suite *test __maybe_unused,
				    int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_GLOBAL, .nr = 1, .cgroups = "web,db", .csv = true,
	};

	return topdown_form__check_cgroups(1, true, &form, hybrid_cgroups,
"time,cgroup,pmu,retiring,bad speculation,frontend bound,backend bound,slots,share,running,notable\n"
"1.000000500,web,cpu_core,40.00,5.00,25.00,30.00,4000,80.00,100.00,frontend bound|backend bound\n"
"1.000000500,web,cpu_atom,10.00,20.00,30.00,40.00,1000,20.00,100.00,bad speculation|frontend bound|backend bound\n"
"1.000000500,db,cpu_core,90.00,0.00,10.00,0.00,100,100.00,100.00,retiring\n"
"1.000000500,db,cpu_atom,null,null,null,null,null,null,0.00,none\n");
}

static int test__hybrid_cgroups_json(struct test_suite *test __maybe_unused,
				     int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_GLOBAL, .nr = 1, .cgroups = "web,db", .json = true,
	};

	return topdown_form__check_cgroups(1, true, &form, hybrid_cgroups,
"{\"interval\" : 1.000000500, \"cgroup\" : \"web\", \"pmu\" : \"cpu_core\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 4000, \"share\" : 80.00, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"cgroup\" : \"web\", \"pmu\" : \"cpu_atom\", \"retiring\" : 10.00, \"bad speculation\" : 20.00, \"frontend bound\" : 30.00, \"backend bound\" : 40.00, \"slots\" : 1000, \"share\" : 20.00, \"pcnt-running\" : 100.00, \"notable\" : \"bad speculation|frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"cgroup\" : \"db\", \"pmu\" : \"cpu_core\", \"retiring\" : 90.00, \"bad speculation\" : 0.00, \"frontend bound\" : 10.00, \"backend bound\" : 0.00, \"slots\" : 100, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"retiring\"}\n"
"{\"interval\" : 1.000000500, \"cgroup\" : \"db\", \"pmu\" : \"cpu_atom\", \"retiring\" : null, \"bad speculation\" : null, \"frontend bound\" : null, \"backend bound\" : null, \"slots\" : null, \"share\" : null, \"pcnt-running\" : 0.00, \"notable\" : \"none\"}\n");
}

/* Half of the time on each kind of cores, and always on E-cores */
static const struct topdown_form_counts hybrid_deep_threads[] = {
	{ { 4000, 1600, 200, 1000, 1200, 400, 120, 600, 800 }, 100, 50 }, { { 0 }, 100, 0 },
	{ { 200, 400, 600, 800 }, 100, 50 }, { { 100, 200, 300, 400 }, 100, 100 },
};

static int test__hybrid_level2_threads_std(struct test_suite *test __maybe_unused,
					   int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_THREAD, .nr = 2, .level = 2,
	};

	return topdown_form__check(2, true, &form, hybrid_deep_threads,
"#           time             comm-pid     pmu                    retiring      bad speculation       frontend bound        backend bound     heavy operations     light operations    branch mispredict       machine clears        fetch latency      fetch bandwidth         memory bound           core bound                slots    share\n"
"     1.000000500            alpha-101     cpu_core                  40.0%                 5.0%                25.0%                30.0%                10.0%                30.0%                 3.0%                 2.0%                15.0%                10.0%                20.0%                10.0%                 2000    66.7%  (50.00%)\n"
"     1.000000500            alpha-101     cpu_atom                  10.0%                20.0%                30.0%                40.0%                    -                    -                    -                    -                    -                    -                    -                    -                 1000    33.3%  (50.00%)\n"
"     1.000000500             beta-102     cpu_core          <not counted>        <not counted>        <not counted>        <not counted>        <not counted>        <not counted>        <not counted>        <not counted>        <not counted>        <not counted>        <not counted>        <not counted>                    -        -\n"
"     1.000000500             beta-102     cpu_atom                  10.0%                20.0%                30.0%                40.0%                    -                    -                    -                    -                    -                    -                    -                    -                 1000   100.0%\n");
}

static int test__hybrid_level2_threads_csv(struct test_suite *test __maybe_unused,
					   int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_THREAD, .nr = 2, .level = 2, .csv = true,
	};

	return topdown_form__check(2, true, &form, hybrid_deep_threads,
"time,comm-pid,pmu,retiring,bad speculation,frontend bound,backend bound,heavy operations,light operations,branch mispredict,machine clears,fetch latency,fetch bandwidth,memory bound,core bound,slots,share,running,notable\n"
"1.000000500,alpha-101,cpu_core,40.00,5.00,25.00,30.00,10.00,30.00,3.00,2.00,15.00,10.00,20.00,10.00,2000,66.67,50.00,frontend bound|backend bound|fetch latency\n"
"1.000000500,alpha-101,cpu_atom,10.00,20.00,30.00,40.00,null,null,null,null,null,null,null,null,1000,33.33,50.00,bad speculation|frontend bound|backend bound\n"
"1.000000500,beta-102,cpu_core,null,null,null,null,null,null,null,null,null,null,null,null,null,null,0.00,none\n"
"1.000000500,beta-102,cpu_atom,10.00,20.00,30.00,40.00,null,null,null,null,null,null,null,null,1000,100.00,100.00,bad speculation|frontend bound|backend bound\n");
}

static int test__hybrid_level2_threads_json(struct test_suite *test __maybe_unused,
					    int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_THREAD, .nr = 2, .level = 2, .json = true,
	};

	return topdown_form__check(2, true, &form, hybrid_deep_threads,
"{\"interval\" : 1.000000500, \"thread\" : \"alpha-101\", \"pmu\" : \"cpu_core\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"heavy operations\" : 10.00, \"light operations\" : 30.00, \"branch mispredict\" : 3.00, \"machine clears\" : 2.00, \"fetch latency\" : 15.00, \"fetch bandwidth\" : 10.00, \"memory bound\" : 20.00, \"core bound\" : 10.00, \"slots\" : 2000, \"share\" : 66.67, \"pcnt-running\" : 50.00, \"notable\" : \"frontend bound|backend bound|fetch latency\"}\n"
"{\"interval\" : 1.000000500, \"thread\" : \"alpha-101\", \"pmu\" : \"cpu_atom\", \"retiring\" : 10.00, \"bad speculation\" : 20.00, \"frontend bound\" : 30.00, \"backend bound\" : 40.00, \"heavy operations\" : null, \"light operations\" : null, \"branch mispredict\" : null, \"machine clears\" : null, \"fetch latency\" : null, \"fetch bandwidth\" : null, \"memory bound\" : null, \"core bound\" : null, \"slots\" : 1000, \"share\" : 33.33, \"pcnt-running\" : 50.00, \"notable\" : \"bad speculation|frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"thread\" : \"beta-102\", \"pmu\" : \"cpu_core\", \"retiring\" : null, \"bad speculation\" : null, \"frontend bound\" : null, \"backend bound\" : null, \"heavy operations\" : null, \"light operations\" : null, \"branch mispredict\" : null, \"machine clears\" : null, \"fetch latency\" : null, \"fetch bandwidth\" : null, \"memory bound\" : null, \"core bound\" : null, \"slots\" : null, \"share\" : null, \"pcnt-running\" : 0.00, \"notable\" : \"none\"}\n"
"{\"interval\" : 1.000000500, \"thread\" : \"beta-102\", \"pmu\" : \"cpu_atom\", \"retiring\" : 10.00, \"bad speculation\" : 20.00, \"frontend bound\" : 30.00, \"backend bound\" : 40.00, \"heavy operations\" : null, \"light operations\" : null, \"branch mispredict\" : null, \"machine clears\" : null, \"fetch latency\" : null, \"fetch bandwidth\" : null, \"memory bound\" : null, \"core bound\" : null, \"slots\" : 1000, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"bad speculation|frontend bound|backend bound\"}\n");
}

static struct test_case topdown_hybrid_tests[] = {
	TEST_CASE("topdown_r5_hybrid_std", hybrid_std),
	TEST_CASE("topdown_r5_hybrid_csv", hybrid_csv),
	TEST_CASE("topdown_r5_hybrid_json", hybrid_json),
	TEST_CASE("topdown_r5_hybrid_cpus", hybrid_cpus),
	TEST_CASE("topdown_r5_hybrid_cpus_csv", hybrid_cpus_csv),
	TEST_CASE("topdown_r5_hybrid_cpus_json", hybrid_cpus_json),
	TEST_CASE("topdown_r5_hybrid_threads_std", hybrid_threads_std),
	TEST_CASE("topdown_r5_hybrid_threads_csv", hybrid_threads_csv),
	TEST_CASE("topdown_r5_hybrid_threads_json", hybrid_threads_json),
	TEST_CASE("topdown_r5_hybrid_cores_std", hybrid_cores_std),
	TEST_CASE("topdown_r5_hybrid_cores_csv", hybrid_cores_csv),
	TEST_CASE("topdown_r5_hybrid_cores_json", hybrid_cores_json),
	TEST_CASE("topdown_r5_hybrid_level2_std", hybrid_level2_std),
	TEST_CASE("topdown_r5_hybrid_level2_json", hybrid_level2_json),
	TEST_CASE("topdown_r5_hybrid_cgroups_std", hybrid_cgroups_std),
	TEST_CASE("topdown_r5_hybrid_cgroups_csv", hybrid_cgroups_csv),
	TEST_CASE("topdown_r5_hybrid_cgroups_json", hybrid_cgroups_json),
	TEST_CASE("topdown_r5_hybrid_level2_threads_std", hybrid_level2_threads_std),
	TEST_CASE("topdown_r5_hybrid_level2_threads_csv", hybrid_level2_threads_csv),
	TEST_CASE("topdown_r5_hybrid_level2_threads_json", hybrid_level2_threads_json),
	{ .name = NULL, }
};

struct test_suite suite__topdown_hybrid = {
	.desc = "TopDown output of hybrids",
	.test_cases = topdown_hybrid_tests,
};
