// SPDX-License-Identifier: GPL-2.0
/*
 * What perf stat --topdown prints where sysfs has no events for it, from metrics
 * of the tables: Intel before Ice Lake, and AMD.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "color.h"
#include "debug.h"
#include "evlist.h"
#include "evsel.h"
#include "metricgroup.h"
#include "tests.h"
#include "topdown-form.h"
#include "../pmu-events/pmu-events.h"

/**
 * struct event_count - The count of a table's event
 * @name: how its name begins
 * @val: the count
 */
struct event_count {
	const char	*name;
	u64		val;
};

/*
 * 1000 cycles with 4 slots each: 2000 retire, 440 are lost to wrong speculation,
 * 800 the frontend leaves empty, 600 of these while it delivers nothing. The same
 * with hyperthreads as without. 300 slots retire more micro-operations than
 * instructions, 3 of 4 flushes are of mispredicted branches, and half of the stalls
 * wait for memory: (140 + 10) / (200 + 40 + 100 / 2 + 10).
 */
static const struct event_count skylake[] = {
	{ "cpu_clk_unhalted.thread_any", 2000 },
	{ "cpu_clk_unhalted.thread", 1000 },
	{ "cpu_clk_unhalted.one_thread_active", 10 },
	{ "cpu_clk_unhalted.ref_xclk", 10 },
	{ "idq_uops_not_delivered.core", 800 },
	{ "uops_issued.any", 2240 },
	{ "uops_retired.retire_slots", 2000 },
	{ "int_misc.recovery_cycles_any", 100 },
	{ "int_misc.recovery_cycles", 50 },
	{ "inst_retired.any", 1800 },
	{ "uops_retired.macro_fused", 100 },
	{ "br_misp_retired.all_branches", 30 },
	{ "machine_clears.count", 10 },
	{ "idq_uops_not_delivered.cycles_0_uops_deliv.core", 150 },
	{ "cycle_activity.stalls_mem_any", 140 },
	{ "cycle_activity.stalls_total", 200 },
	{ "exe_activity.bound_on_stores", 10 },
	{ "exe_activity.1_ports_util", 40 },
	{ "exe_activity.2_ports_util", 100 },
	{ NULL, 0 },
};

/*
 * 1000 cycles with 6 slots each: 600 go to the other hyperthread. For 150 cycles
 * the frontend delivers nothing. 3 of 4 flushes are of mispredicted branches, 2 of
 * 3 stalls wait for memory, and a tenth of what retires is microcode.
 */
static const struct event_count zen4[] = {
	{ "ls_not_halted_cyc", 1000 },
	{ "cpu/de_no_dispatch_per_slot.no_ops_from_frontend,cmask=0x6/", 150 },
	{ "de_no_dispatch_per_slot.no_ops_from_frontend", 1200 },
	{ "de_no_dispatch_per_slot.backend_stalls", 1200 },
	{ "de_no_dispatch_per_slot.smt_contention", 600 },
	{ "de_src_op_disp.all", 3000 },
	{ "ex_ret_ops", 2400 },
	{ "ex_ret_brn_misp", 30 },
	{ "resyncs_or_nc_redirects", 10 },
	{ "ex_no_retire.load_not_complete", 200 },
	{ "ex_no_retire.not_complete", 300 },
	{ "ex_ret_ucode_ops", 240 },
	{ NULL, 0 },
};

static void set_counts(struct evlist *evlist, int nr __maybe_unused, const void *data)
{
	const struct event_count *count;
	struct evsel *evsel;

	evlist__for_each_entry(evlist, evsel) {
		struct perf_stat_aggr *aggr = evsel->stats->aggr;

		for (count = data; count->name; count++) {
			if (!strncasecmp(evsel__name(evsel), count->name, strlen(count->name)))
				break;
		}
		if (!count->name)
			pr_debug("no count for %s\n", evsel__name(evsel));
		evsel->supported = count->name;
		aggr->counts.val = count->val;
		aggr->counts.ena = 100;
		aggr->counts.run = 100;
		aggr->nr = 1;
	}
}

static int check(const char *cpuid, const char *group, struct topdown_form *form,
		 const struct event_count *counts, const char *expected)
{
	const struct pmu_metrics_table *table = find_core_metrics_table("x86", cpuid);
	struct rblist metric_events = { .nr_entries = 0 };
	struct evlist *evlist;
	int ret = TEST_FAIL;
	char *text = NULL;

	/* perf may be built without tables. */
	if (!table)
		return TEST_SKIP;
	evlist = evlist__new();
	TEST_ASSERT_VAL("no memory", evlist);
	perf_use_color_default = 0;
	if (metricgroup__parse_groups_test(evlist, table, group, &metric_events))
		goto out;
	form->mode = AGGR_GLOBAL;
	form->nr = 1;
	form->metric_events = &metric_events;
	text = topdown_form__print(evlist, form, set_counts, counts);
	if (text && !strcmp(text, expected))
		ret = TEST_OK;
	else
		pr_debug("printed:\n%sexpected:\n%s", text ?: "(nothing)\n", expected);
out:
	free(text);
	metricgroup__rblist_exit(&metric_events);
	evlist__delete(evlist);
	return ret;
}

static int test__intel_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	struct topdown_form form = { .no_interval = false };

	return check("GenuineIntel-6-5E-3", "TopdownL1", &form, skylake,
"#           time             retiring      bad speculation       frontend bound        backend bound                slots\n"
"     1.000000500                50.0%                11.0%                20.0%                19.0%                    -\n");
}

static int test__intel_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	struct topdown_form form = { .json = true };

	return check("GenuineIntel-6-5E-3", "TopdownL1", &form, skylake,
"{\"interval\" : 1.000000500, \"pmu\" : \"fake\", \"retiring\" : 50.00, \"bad speculation\" : 11.00, \"frontend bound\" : 20.00, \"backend bound\" : 19.00, \"slots\" : null, \"share\" : null, \"pcnt-running\" : 100.00, \"notable\" : \"bad speculation\"}\n");
}

static int test__intel_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	struct topdown_form form = { .csv = true };

	return check("GenuineIntel-6-5E-3", "TopdownL1", &form, skylake,
"time,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,50.00,11.00,20.00,19.00,null,100.00,bad speculation\n");
}

static int test__intel_level2(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	struct topdown_form form = { .csv = true, .level = 2 };

	return check("GenuineIntel-6-5E-3", "TopdownL1,TopdownL2", &form, skylake,
"time,retiring,bad speculation,frontend bound,backend bound,heavy operations,light operations,branch mispredict,machine clears,fetch latency,fetch bandwidth,memory bound,core bound,slots,running,notable\n"
"1.000000500,50.00,11.00,20.00,19.00,7.50,42.50,8.25,2.75,15.00,5.00,9.50,9.50,null,100.00,bad speculation\n");
}

static int test__amd_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	struct topdown_form form = { .smt = true };

	return check("AuthenticAMD-25-61-1", "PipelineL1", &form, zen4,
"#           time             retiring      bad speculation       frontend bound        backend bound       smt contention                slots\n"
"     1.000000500                40.0%                10.0%                20.0%                20.0%                10.0%                    -\n");
}

static int test__amd_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	struct topdown_form form = { .smt = true, .csv = true };

	return check("AuthenticAMD-25-61-1", "PipelineL1", &form, zen4,
"time,retiring,bad speculation,frontend bound,backend bound,smt contention,slots,running,notable\n"
"1.000000500,40.00,10.00,20.00,20.00,10.00,null,100.00,none\n");
}

/* Level 2 splits four of the five, and needs both groups of metrics. */
static int test__amd_level2(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	struct topdown_form form = { .smt = true, .csv = true, .level = 2 };

	return check("AuthenticAMD-25-61-1", "PipelineL1,PipelineL2", &form, zen4,
"time,retiring,bad speculation,frontend bound,backend bound,smt contention,heavy operations,light operations,branch mispredict,machine clears,fetch latency,fetch bandwidth,memory bound,core bound,slots,running,notable\n"
"1.000000500,40.00,10.00,20.00,20.00,10.00,4.00,36.00,7.50,2.50,15.00,5.00,13.33,6.67,null,100.00,none\n");
}

static int test__amd_level2_std(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	struct topdown_form form = { .smt = true, .level = 2 };

	return check("AuthenticAMD-25-61-1", "PipelineL1,PipelineL2", &form, zen4,
"#           time             retiring      bad speculation       frontend bound        backend bound       smt contention     heavy operations     light operations    branch mispredict       machine clears        fetch latency      fetch bandwidth         memory bound           core bound                slots\n"
"     1.000000500                40.0%                10.0%                20.0%                20.0%                10.0%                 4.0%                36.0%                 7.5%                 2.5%                15.0%                 5.0%                13.3%                 6.7%                    -\n");
}

static int test__amd_level2_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	struct topdown_form form = { .smt = true, .json = true, .level = 2 };

	return check("AuthenticAMD-25-61-1", "PipelineL1,PipelineL2", &form, zen4,
"{\"interval\" : 1.000000500, \"pmu\" : \"fake\", \"retiring\" : 40.00, \"bad speculation\" : 10.00, \"frontend bound\" : 20.00, \"backend bound\" : 20.00, \"smt contention\" : 10.00, \"heavy operations\" : 4.00, \"light operations\" : 36.00, \"branch mispredict\" : 7.50, \"machine clears\" : 2.50, \"fetch latency\" : 15.00, \"fetch bandwidth\" : 5.00, \"memory bound\" : 13.33, \"core bound\" : 6.67, \"slots\" : null, \"share\" : null, \"pcnt-running\" : 100.00, \"notable\" : \"none\"}\n");
}

/* A count that is missing leaves no number behind. */
static int test__missing(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const struct event_count none[] = { { NULL, 0 } };
	struct topdown_form form = { .csv = true };

	return check("GenuineIntel-6-5E-3", "TopdownL1", &form, none,
"time,retiring,bad speculation,frontend bound,backend bound,slots,running,notable\n"
"1.000000500,null,null,null,null,null,100.00,none\n");
}

static int test__amd_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	struct topdown_form form = { .smt = true, .json = true };

	return check("AuthenticAMD-25-61-1", "PipelineL1", &form, zen4,
"{\"interval\" : 1.000000500, \"pmu\" : \"fake\", \"retiring\" : 40.00, \"bad speculation\" : 10.00, \"frontend bound\" : 20.00, \"backend bound\" : 20.00, \"smt contention\" : 10.00, \"slots\" : null, \"share\" : null, \"pcnt-running\" : 100.00, \"notable\" : \"none\"}\n");
}

/*
 * Other metrics than --topdown's. More micro-operations were issued than there are
 * slots: what is left for the backend is negative.
 */
static const struct event_count skylake_negative[] = {
	{ "cpu_clk_unhalted.thread_any", 2000 },
	{ "cpu_clk_unhalted.thread", 1000 },
	{ "cpu_clk_unhalted.one_thread_active", 10 },
	{ "cpu_clk_unhalted.ref_xclk", 10 },
	{ "idq_uops_not_delivered.core", 800 },
	{ "uops_issued.any", 3200 },
	{ "uops_retired.retire_slots", 2000 },
	{ "int_misc.recovery_cycles_any", 100 },
	{ "int_misc.recovery_cycles", 50 },
	{ NULL, 0 },
};

static const struct event_count skylake_zeros[] = {
	{ "", 0 },
	{ NULL, 0 },
};

static int check_plain(struct topdown_form *form, const struct event_count *counts,
		       const char *expected)
{
	form->plain = true;
	return check("GenuineIntel-6-5E-3", "tma_backend_bound", form, counts, expected);
}

static int test__negative_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	struct topdown_form form = { .csv = true };

	return check_plain(&form, skylake_negative,
"time,%  tma_backend_bound,\n"
"1.000000500,-5.0,\n");
}

static int test__negative_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	struct topdown_form form = { .json = true };

	return check_plain(&form, skylake_negative,
"{\"interval\" : 1.000000500, \"%  tma_backend_bound\" : \"-5.0\"}\n");
}

/* Nothing divided by nothing */
static int test__no_number_csv(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	struct topdown_form form = { .csv = true };

	return check_plain(&form, skylake_zeros,
"time,%  tma_backend_bound,\n"
"1.000000500,null,\n");
}

static int test__no_number_json(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	struct topdown_form form = { .json = true };

	return check_plain(&form, skylake_zeros,
"{\"interval\" : 1.000000500, \"%  tma_backend_bound\" : null}\n");
}

static struct test_case topdown_metric_tests[] = {
	TEST_CASE("topdown_r2_columns_of_tables", intel_std),
	TEST_CASE("topdown_r2_columns_of_tables_json", intel_json),
	TEST_CASE("topdown_r2_columns_of_tables_csv", intel_csv),
	TEST_CASE("topdown_r2_level2_of_tables", intel_level2),
	TEST_CASE("topdown_r8_missing_in_tables", missing),
	TEST_CASE("topdown_r14_amd", amd_std),
	TEST_CASE("topdown_r8_negative_metric_csv", negative_csv),
	TEST_CASE("topdown_r8_negative_metric_json", negative_json),
	TEST_CASE("topdown_r8_no_number_csv", no_number_csv),
	TEST_CASE("topdown_r8_no_number_json", no_number_json),
	TEST_CASE("topdown_r14_amd_csv", amd_csv),
	TEST_CASE("topdown_r14_amd_json", amd_json),
	TEST_CASE("topdown_r14_amd_level2", amd_level2),
	TEST_CASE("topdown_r14_amd_level2_std", amd_level2_std),
	TEST_CASE("topdown_r14_amd_level2_json", amd_level2_json),
	{ .name = NULL, }
};

struct test_suite suite__topdown_metric = {
	.desc = "TopDown output from metric tables",
	.test_cases = topdown_metric_tests,
};
