// SPDX-License-Identifier: GPL-2.0
/*
 * What the cells of perf stat --topdown say, in whatever form: numbers below zero,
 * counts of zero and none, means of runs, odd names, colors; and which events they
 * are of.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <internal/evsel.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/zalloc.h>
#include <perf/event.h>
#include "cgroup.h"
#include "color.h"
#include "debug.h"
#include "evlist.h"
#include "evsel.h"
#include "stat.h"
#include "tests.h"
#include "topdown-event.h"
#include "topdown-form.h"
#include "topdown-stat.h"

#define BOUNDS "bad speculation|frontend bound|backend bound"

static const struct topdown_form_counts threads[] = {
	{ { 1000, 400, 50, 250, 300 }, 100, 100 },
	{ { 100, 90, 0, 10, 0 }, 100, 100 },
};

/*
 * At level 2 some are bottlenecks only where their parent is one: here that is
 * the frontend, not bad speculation.
 */
static int test__classes(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .csv = true, .level = 2 };
	const struct topdown_form_counts counts[] = {
		{ { 10000, 6500, 1000, 2100, 400, 300, 0, 1050, 400 }, 100, 100 },
	};

	return topdown_form__check(2, false, &form, counts,
"time,retiring,bad speculation,frontend bound,backend bound,heavy operations,light operations,branch mispredict,machine clears,fetch latency,fetch bandwidth,memory bound,core bound,slots,running,notable\n"
"1.000000500,65.00,10.00,21.00,4.00,3.00,62.00,0.00,10.00,10.50,10.50,4.00,0.00,10000,100.00,frontend bound|light operations|fetch latency\n");
}

static int test__running(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1 };
	const struct topdown_form_counts counts[] = {
		{ { 1000, 400, 50, 250, 300 }, 100, 50 },
	};

	return topdown_form__check(1, false, &form, counts,
"#           time             retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500                40.0%                 5.0%                25.0%                30.0%                 1000  (50.00%)\n");
}

/* A reader sees 0 to 100, a program the number with its sign. */
static const struct topdown_form_counts negative_counts[] = {
	{ { 1000, 1010, -20, 0, 10 }, 100, 100 },
};

static const struct topdown_form_counts negative_tiny[] = {
	{ { 100000000, 100000000, -1, 0, 0 }, 100, 100 },
};

static int test__negative(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1 };

	return topdown_form__check(1, false, &form, negative_counts,
"#           time             retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500               100.0%                 0.0%                 0.0%                 1.0%                 1000\n");
}

static int test__negative_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .csv = true };

	return topdown_form__check(1, false, &form, negative_counts,
"time,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,101.00,-2.00,0.00,1.00,1000,100.00,retiring\n");
}

static int test__negative_zero(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .csv = true };

	return topdown_form__check(1, false, &form, negative_tiny,
"time,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,100.00,0.00,0.00,0.00,100000000,100.00,retiring\n");
}

/* Counts, and percentages beside them: the same for each of the two */
static int test__negative_counts(struct test_suite *test __maybe_unused,
				 int subtest __maybe_unused)
{
	static const struct {
		struct topdown_form form;
		const char *part;
	} cases[] = {
		{ { .mode = AGGR_GLOBAL, .nr = 1, .counts = true },
		  "                  0  topdown-bad-spec" },
		{ { .mode = AGGR_GLOBAL, .nr = 1, .counts = true, .csv = true },
		  ",-20,,topdown-bad-spec," },
		{ { .mode = AGGR_GLOBAL, .nr = 1, .counts = true, .json = true },
		  "\"-20.000000\", \"unit\" : \"\", \"event\" : \"topdown-bad-spec\"" },
		{ { .mode = AGGR_GLOBAL, .nr = 1, .counts = true },
		  "topdown-bad-spec                 #      0.0% bad speculation" },
		{ { .mode = AGGR_GLOBAL, .nr = 1, .counts = true, .csv = true },
		  ",-2.0,bad speculation\n" },
		{ { .mode = AGGR_GLOBAL, .nr = 1, .counts = true, .json = true },
		  "\"metric-value\" : \"-2.000000\", \"metric-unit\" : \"bad speculation\"}\n" },
	};
	unsigned int i;
	bool found;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct evlist *evlist = topdown_form__new_list(1, false);
		char *text;

		TEST_ASSERT_VAL("no memory", evlist);
		text = topdown_form__print(evlist, &cases[i].form, topdown_form__set_counts,
					   negative_counts);
		evlist__delete(evlist);
		found = text && strstr(text, cases[i].part);
		if (!found)
			pr_debug("printed:\n%s", text ?: "(nothing)\n");
		free(text);
		TEST_ASSERT_VAL("the number with its sign, or not", found);
	}
	return TEST_OK;
}

/* A thread chooses its name, and who makes a cgroup that of the cgroup. */
#define ODD_NAME "a\"b\\c,d\n\x7f"

static int check_named(const struct topdown_form *form, const char *expected)
{
	struct evlist *evlist = topdown_form__new_list(1, false);
	struct evsel *evsel;
	int ret;

	TEST_ASSERT_VAL("no memory", evlist);
	evlist__for_each_entry(evlist, evsel) {
		evsel->cgrp = cgroup__new(ODD_NAME, /*do_open=*/false);
	}
	ret = topdown_form__expect(evlist, form, threads, expected);
	evlist__delete(evlist);
	return ret;
}

static int test__names_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_THREAD, .nr = 2, .csv = true, .comm = ODD_NAME,
		.cgroups = "a,b",
	};

	return check_named(&form,
"time,comm-pid,cgroup,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,a\"b\\c_d__-101,a\"b\\c_d__,40.00,5.00,25.00,30.00,1000,100.00,frontend bound|backend bound\n"
"1.000000500,beta-102,a\"b\\c_d__,90.00,0.00,10.00,0.00,100,100.00,retiring\n");
}

static int test__names_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_THREAD, .nr = 2, .json = true, .comm = ODD_NAME,
		.cgroups = "a,b",
	};

	return check_named(&form,
"{\"interval\" : 1.000000500, \"thread\" : \"a\\\"b\\\\c,d\\u000a\\u007f-101\", \"cgroup\" : \"a\\\"b\\\\c,d\\u000a\\u007f\", \"pmu\" : \"cpu\", \"retiring\" : 40.00, \"bad speculation\" : 5.00, \"frontend bound\" : 25.00, \"backend bound\" : 30.00, \"slots\" : 1000, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"frontend bound|backend bound\"}\n"
"{\"interval\" : 1.000000500, \"thread\" : \"beta-102\", \"cgroup\" : \"a\\\"b\\\\c,d\\u000a\\u007f\", \"pmu\" : \"cpu\", \"retiring\" : 90.00, \"bad speculation\" : 0.00, \"frontend bound\" : 10.00, \"backend bound\" : 0.00, \"slots\" : 100, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"retiring\"}\n");
}

static const struct topdown_form_counts not_counted_counts[] = {
	{ { 0 }, 100, 0 },
};

static int test__not_counted(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1 };

	return topdown_form__check(1, false, &form, not_counted_counts,
"#           time             retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500        <not counted>        <not counted>        <not counted>        <not counted>                    -\n");
}

static int test__uncounted_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .json = true };

	return topdown_form__check(1, false, &form, not_counted_counts,
"{\"interval\" : 1.000000500, \"pmu\" : \"cpu\", \"retiring\" : null, \"bad speculation\" : null, \"frontend bound\" : null, \"backend bound\" : null, \"slots\" : null, \"share\" : null, \"pcnt-running\" : 0.00, \"notable\" : \"none\"}\n");
}

/* Running, and nothing happened: that is known, its division is not. */
static const struct topdown_form_counts zero_counts[] = {
	{ { 0 }, 100, 100 },
};

static int test__zero_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1 };

	return topdown_form__check(1, false, &form, zero_counts,
"#           time             retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500                    -                    -                    -                    -                    0\n");
}

static int test__zero_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .csv = true };

	return topdown_form__check(1, false, &form, zero_counts,
"time,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,null,null,null,null,0,100.00,none\n");
}

static int test__zero_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .json = true };

	return topdown_form__check(1, false, &form, zero_counts,
"{\"interval\" : 1.000000500, \"pmu\" : \"cpu\", \"retiring\" : null, \"bad speculation\" : null, \"frontend bound\" : null, \"backend bound\" : null, \"slots\" : 0, \"share\" : null, \"pcnt-running\" : 100.00, \"notable\" : \"none\"}\n");
}

/* Idle E-cores, which have no event slots, half of the time; then idle P-cores */
static const struct topdown_form_counts zero_hybrid[] = {
	{ { 4000, 1600, 200, 1000, 1200 }, 100, 100 }, { { 0 }, 100, 50 },
	{ { 0 }, 100, 50 }, { { 100, 200, 300, 400 }, 100, 100 },
};

static int test__zero_hybrid_std(struct test_suite *test __maybe_unused,
				 int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_SOCKET, .nr = 2 };

	return topdown_form__check(1, true, &form, zero_hybrid,
"#           time socket cpus pmu                    retiring      bad speculation       frontend bound        backend bound                slots    share\n"
"     1.000000500 S0        1 cpu_core                  40.0%                 5.0%                25.0%                30.0%                 4000   100.0%\n"
"     1.000000500 S0        1 cpu_atom                      -                    -                    -                    -                    0     0.0%  (50.00%)\n"
"     1.000000500 S1        1 cpu_core                      -                    -                    -                    -                    0     0.0%  (50.00%)\n"
"     1.000000500 S1        1 cpu_atom                  10.0%                20.0%                30.0%                40.0%                 1000   100.0%\n");
}

static int test__zero_hybrid_csv(struct test_suite *test __maybe_unused,
				 int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_SOCKET, .nr = 2, .csv = true };

	return topdown_form__check(1, true, &form, zero_hybrid,
"time,socket,cpus,pmu,retiring,bad speculation,frontend bound,backend bound,slots,share,running,notable\n"
"1.000000500,S0,1,cpu_core,40.00,5.00,25.00,30.00,4000,100.00,100.00,frontend bound|backend bound\n"
"1.000000500,S0,1,cpu_atom,null,null,null,null,0,0.00,50.00,none\n"
"1.000000500,S1,1,cpu_core,null,null,null,null,0,0.00,50.00,none\n"
"1.000000500,S1,1,cpu_atom,10.00,20.00,30.00,40.00,1000,100.00,100.00," BOUNDS "\n");
}

/* Events that the kernel does not know */
static int check_unsupported(const struct topdown_form *form, const char *expected)
{
	struct evlist *evlist = topdown_form__new_list(1, false);
	struct evsel *evsel;
	int ret;

	TEST_ASSERT_VAL("no memory", evlist);
	evlist__for_each_entry(evlist, evsel)
		evsel->supported = false;
	ret = topdown_form__expect(evlist, form, not_counted_counts, expected);
	evlist__delete(evlist);
	return ret;
}

static int test__unsupported_std(struct test_suite *test __maybe_unused,
				 int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1 };

	return check_unsupported(&form,
"#           time             retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500      <not supported>      <not supported>      <not supported>      <not supported>                    -\n");
}

static int test__unsupported_csv(struct test_suite *test __maybe_unused,
				 int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .csv = true };

	return check_unsupported(&form,
"time,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,null,null,null,null,null,0.00,none\n");
}

static int test__unsupported_json(struct test_suite *test __maybe_unused,
				  int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1, .json = true };

	return check_unsupported(&form,
"{\"interval\" : 1.000000500, \"pmu\" : \"cpu\", \"retiring\" : null, \"bad speculation\" : null, \"frontend bound\" : null, \"backend bound\" : null, \"slots\" : null, \"share\" : null, \"pcnt-running\" : 0.00, \"notable\" : \"none\"}\n");
}

static int test__colors(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = { .mode = AGGR_GLOBAL, .nr = 1 };
	const struct {
		struct topdown_form_counts counts;
		const char *retiring, *bad_spec, *fe_bound, *be_bound;
	} cases[] = {
		{ { { 1000, 701, 99, 100, 100 }, 1, 1 }, PERF_COLOR_GREEN, "", "", "" },
		{ { { 1000, 500, 100, 200, 200 }, 1, 1 }, "", "", "", "" },
		{ { { 1000, 497, 101, 201, 201 }, 1, 1 },
		  "", PERF_COLOR_RED, PERF_COLOR_RED, PERF_COLOR_RED },
	};
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const char * const colors[] = { cases[i].retiring, cases[i].bad_spec,
					 cases[i].fe_bound, cases[i].be_bound };
		struct evlist *evlist = topdown_form__new_list(1, false);
		char *text, *rest, *row, *cell;

		TEST_ASSERT_VAL("no memory", evlist);
		perf_use_color_default = 1;
		text = topdown_form__print(evlist, &form, topdown_form__set_counts,
					   &cases[i].counts);
		perf_use_color_default = 0;
		evlist__delete(evlist);
		TEST_ASSERT_VAL("no text", text);
		row = strchr(text, '\n');
		TEST_ASSERT_VAL("no row", row);
		/* Behind the time, four cells */
		rest = strstr(row, "500 ");
		TEST_ASSERT_VAL("no time", rest);
		rest += 4;
		for (n = 0; n < ARRAY_SIZE(colors); n++) {
			char *end = strchr(rest, '%');

			TEST_ASSERT_VAL("no cell", end);
			*end = '\0';
			cell = strchr(rest, '\033');
			if (n && cell && strstarts(cell, PERF_COLOR_RESET))
				cell = strchr(cell + 1, '\033');
			TEST_ASSERT_EQUAL("a color", !!cell, !!*colors[n]);
			TEST_ASSERT_VAL("the color", !cell || strstarts(cell, colors[n]));
			rest = end + 1;
		}
		free(text);
	}
	return TEST_OK;
}

/* -r: the mean of the runs, of which the last one is unlike the others */
static const struct topdown_form_counts runs[] = {
	{ { 1000, 400, 50, 250, 300 }, 100, 100 },
	{ { 1000, 400, 50, 250, 300 }, 100, 100 },
	{ { 4000, 4000, 0, 0, 0 }, 100, 100 },
};

static void set_counts_of_runs(struct evlist *evlist, int nr, const void *data)
{
	const struct topdown_form_counts *counts = data;
	struct evsel *evsel;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(runs); i++) {
		topdown_form__set_counts(evlist, nr, &counts[i]);
		evlist__for_each_entry(evlist, evsel)
			update_stats(&evsel->stats->res_stats,
				     evsel->stats->aggr[0].counts.val);
	}
}

static int check_runs(const struct topdown_form *form, const char *expected)
{
	struct evlist *evlist = topdown_form__new_list(1, false);
	int ret = TEST_OK;
	char *text;

	TEST_ASSERT_VAL("no memory", evlist);
	text = topdown_form__print(evlist, form, set_counts_of_runs, runs);
	evlist__delete(evlist);
	if (!text || strcmp(text, expected)) {
		pr_debug("printed:\n%sexpected:\n%s", text ?: "(nothing)\n", expected);
		ret = TEST_FAIL;
	}
	free(text);
	return ret;
}

static int test__runs_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_GLOBAL, .nr = 1, .runs = 3, .no_interval = true,
	};

	return check_runs(&form,
"\n"
" Performance counter stats for thread id '1' (3 runs):\n"
"\n"
"            retiring      bad speculation       frontend bound        backend bound                slots\n"
"               80.0%                 1.7%                 8.3%                10.0%                 2000\n"
"\n"
"              0.00 +- 0.00 seconds time elapsed\n"
"\n");
}

static int test__runs_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_GLOBAL, .nr = 1, .runs = 3, .no_interval = true, .csv = true,
	};

	return check_runs(&form,
"retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"80.04,1.65,8.30,10.01,2000,100.00,retiring\n");
}

static int test__runs_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_GLOBAL, .nr = 1, .runs = 3, .no_interval = true, .json = true,
	};

	return check_runs(&form,
"{\"pmu\" : \"cpu\", \"retiring\" : 80.04, \"bad speculation\" : 1.65, \"frontend bound\" : 8.30, \"backend bound\" : 10.01, \"slots\" : 2000, \"share\" : 100.00, \"pcnt-running\" : 100.00, \"notable\" : \"retiring\"}\n");
}

/* Recorded events have codes, and the file tells what they are for. */
static int test__report(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	struct perf_stat_config config = { .topdown_recorded = 2 };
	struct evlist *evlist = topdown_form__new_list(2, false);
	struct evsel *evsel;

	TEST_ASSERT_VAL("no memory", evlist);
	evlist__for_each_entry(evlist, evsel) {
		zfree(&evsel->name);
		zfree(&evsel->pmu_name);
	}
	TEST_ASSERT_VAL("a recorded file", topdown_stat__detect(evlist, &config));
	TEST_ASSERT_VAL("percentages", config.topdown && config.metric_only);
	TEST_ASSERT_EQUAL("level", config.topdown_level, 2);

	memset(&config, 0, sizeof(config));
	TEST_ASSERT_VAL("another command", !topdown_stat__detect(evlist, &config));
	TEST_ASSERT_VAL("counts", !config.topdown && !config.metric_only);
	evlist__delete(evlist);
	return TEST_OK;
}

/* Codes, not names: what looks like slots is not, and the other way round. */
static int test__codes(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	static const struct {
		u32 type;
		u64 config, config1;
		enum topdown_part part;
	} cases[] = {
		{ PERF_TYPE_RAW, 0x400, 0, TOPDOWN_SLOTS },
		{ PERF_TYPE_RAW, 0x400, 1, TOPDOWN_SLOTS },
		{ PERF_TYPE_RAW, 0x400, 2, TOPDOWN_NONE },
		{ PERF_TYPE_RAW, 0x10400, 0, TOPDOWN_NONE },
		{ PERF_TYPE_RAW, 0x4a4, 0, TOPDOWN_NONE },
		{ PERF_TYPE_HARDWARE, 0x400, 0, TOPDOWN_NONE },
		{ PERF_TYPE_RAW, 0x8000, 0, TOPDOWN_RETIRING },
		{ PERF_TYPE_RAW, 0x8300, 0, TOPDOWN_BE_BOUND },
		{ PERF_TYPE_RAW, 0x8700, 0, TOPDOWN_MEM_BOUND },
		{ PERF_TYPE_RAW, 0x8000, 1, TOPDOWN_NONE },
		{ PERF_TYPE_RAW, 0x8800, 0, TOPDOWN_NONE },
		{ PERF_TYPE_RAW, 0x8001, 0, TOPDOWN_NONE },
		{ TOPDOWN_FORM_ATOM_TYPE, 0x8000, 0, TOPDOWN_NONE },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_event_attr attr = {
			.type		= cases[i].type,
			.config		= cases[i].config,
			.config1	= cases[i].config1,
		};

		TEST_ASSERT_EQUAL("part", topdown_part_of_attr(&attr), cases[i].part);
	}
	return TEST_OK;
}

/* perf stat --per-thread -a keeps no times of a member that has counted nothing. */
static void set_counts_without_zeroes(struct evlist *evlist, int nr, const void *data)
{
	struct evsel *evsel;
	int i;

	topdown_form__set_counts(evlist, nr, data);
	evlist__for_each_entry(evlist, evsel) {
		for (i = 0; i < nr; i++) {
			struct perf_stat_aggr *aggr = &evsel->stats->aggr[i];

			if (!aggr->counts.val)
				memset(aggr, 0, sizeof(*aggr));
		}
	}
}

/* Such a member is 0, not unknown: its group has run. On E-cores it may lead. */
static int test__thread_zero(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct topdown_form form = {
		.mode = AGGR_THREAD, .nr = 2, .csv = true, .system_wide = true,
	};
	static const struct topdown_form_counts counts[] = {
		{ { 1000, 400, 50, 250, 300 }, 100, 100 },
		{ { 100, 90, 0, 10, 0 }, 100, 50 },
		{ { 0 }, 0, 0 },
		{ { 0, 50, 25, 25 }, 100, 50 },
	};
	static const char expected[] =
"time,comm-pid,pmu,retiring,bad speculation,frontend bound,backend bound,slots,share,running,notable\n"
"1.000000500,alpha-101,cpu_core,40.00,5.00,25.00,30.00,1000,100.00,100.00,frontend bound|backend bound\n"
"1.000000500,beta-102,cpu_core,90.00,0.00,10.00,0.00,50,50.00,50.00,retiring\n"
"1.000000500,beta-102,cpu_atom,0.00,50.00,25.00,25.00,50,50.00,50.00," BOUNDS "\n";
	struct evlist *evlist = topdown_form__new_list(1, true);
	bool equal;
	char *text;

	TEST_ASSERT_VAL("no memory", evlist);
	text = topdown_form__print(evlist, &form, set_counts_without_zeroes, counts);
	evlist__delete(evlist);
	equal = text && !strcmp(text, expected);
	if (!equal)
		pr_debug("printed:\n%sexpected:\n%s", text ?: "(nothing)\n", expected);
	free(text);
	TEST_ASSERT_VAL("categories of 0", equal);
	return TEST_OK;
}

/* Multiplexing scales a number below zero as well. */
static int test__negative_scaled(struct test_suite *test __maybe_unused,
				 int subtest __maybe_unused)
{
	struct perf_counts_values count = { .val = -20, .ena = 100, .run = 50 };

	perf_counts_values__scale(&count, /*scale=*/true, /*pscaled=*/NULL);
	TEST_ASSERT_VAL("twice as many", (s64)count.val == -40);
	return TEST_OK;
}

static struct test_case topdown_values_tests[] = {
	TEST_CASE("topdown_r2_runs_std", runs_std),
	TEST_CASE("topdown_r2_runs_csv", runs_csv),
	TEST_CASE("topdown_r2_runs_json", runs_json),
	TEST_CASE("topdown_r3_zero_counts_of_threads", thread_zero),
	TEST_CASE("topdown_r7_slots_and_running", running),
	TEST_CASE("topdown_r8_negative", negative),
	TEST_CASE("topdown_r8_negative_csv", negative_csv),
	TEST_CASE("topdown_r8_negative_zero", negative_zero),
	TEST_CASE("topdown_r8_negative_beside_counts", negative_counts),
	TEST_CASE("topdown_r8_negative_scaled", negative_scaled),
	TEST_CASE("topdown_r8_names_csv", names_csv),
	TEST_CASE("topdown_r8_names_json", names_json),
	TEST_CASE("topdown_r8_not_counted", not_counted),
	TEST_CASE("topdown_r8_not_counted_json", uncounted_json),
	TEST_CASE("topdown_r8_zero_std", zero_std),
	TEST_CASE("topdown_r8_zero_csv", zero_csv),
	TEST_CASE("topdown_r8_zero_json", zero_json),
	TEST_CASE("topdown_r8_zero_hybrid_std", zero_hybrid_std),
	TEST_CASE("topdown_r8_zero_hybrid_csv", zero_hybrid_csv),
	TEST_CASE("topdown_r8_not_supported_std", unsupported_std),
	TEST_CASE("topdown_r8_not_supported_csv", unsupported_csv),
	TEST_CASE("topdown_r8_not_supported_json", unsupported_json),
	TEST_CASE("topdown_r9_colors", colors),
	TEST_CASE("topdown_r9_classes_of_level2", classes),
	TEST_CASE("topdown_r11_recorded", report),
	TEST_CASE("topdown_r15_codes", codes),
	{ .name = NULL, }
};

struct test_suite suite__topdown_values = {
	.desc = "TopDown values",
	.test_cases = topdown_values_tests,
};
