// SPDX-License-Identifier: GPL-2.0
/*
 * What became of the slots between samples of a group, from counts that are
 * given here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <internal/evsel.h>
#include <linux/kernel.h>
#include "color.h"
#include "debug.h"
#include "evlist.h"
#include "evsel.h"
#include "sample.h"
#include "tests.h"
#include "topdown-event.h"
#include "topdown-sample.h"
#include "topdown-share.h"

/* Slots, an event that samples, and the metrics of level 1 */
#define NR_MEMBERS	6
#define SAMPLER		1
#define READ_FORMAT	(PERF_FORMAT_GROUP | PERF_FORMAT_ID)

static int test__step(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const u64 counts[] = { 10, 8, 9, 12, 12 };
	const u64 steps[] = { 10, 0, 0, 2, 0 };
	u64 last = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counts); i++)
		TEST_ASSERT_VAL("step", topdown_sample__step(&last, counts[i]) == steps[i]);
	TEST_ASSERT_VAL("the steps add up to the highest count", last == 12);
	return TEST_OK;
}

static int add_member(struct evlist *evlist, u64 config, u64 period)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_RAW,
		.config		= config,
		.sample_period	= period,
		.read_format	= READ_FORMAT,
	};
	struct evsel *evsel = evsel__new(&attr);

	if (!evsel)
		return -ENOMEM;
	evlist__add(evlist, evsel);
	evsel__set_leader(evsel, evlist__first(evlist));
	if (perf_evsel__alloc_id(&evsel->core, 1, 1))
		return -ENOMEM;
	perf_evlist__id_add(&evlist->core, &evsel->core, 0, 0, evsel->core.idx + 1);
	return 0;
}

static struct evlist *new_group(void)
{
	struct evlist *evlist = evlist__new();
	int i, ret;

	if (!evlist)
		return NULL;
	ret = add_member(evlist, 0x400, 0) ?: add_member(evlist, 0xc0, 1000);
	for (i = 0; !ret && i < TOPDOWN_NR_LEVEL1; i++)
		ret = add_member(evlist, 0x8000 + 0x100 * i, 0);
	if (ret) {
		evlist__delete(evlist);
		return NULL;
	}
	return evlist;
}

/* As a session does with a sample of a group */
static void deliver(struct evlist *evlist, const u64 *counts)
{
	u64 buf[2 * NR_MEMBERS];
	struct perf_sample sample = {
		.read.group.nr		= NR_MEMBERS,
		.read.group.values	= (struct sample_read_value *)buf,
	};
	unsigned int i;

	for (i = 0; i < NR_MEMBERS; i++) {
		buf[2 * i] = counts[i];
		buf[2 * i + 1] = i + 1;
	}
	topdown_sample__take(evlist, &sample, READ_FORMAT);
	for (i = 0; i < NR_MEMBERS; i++)
		topdown_sample__step(&evlist__id2sid(evlist, i + 1)->period, counts[i]);
}

static int expect(struct evlist *evlist, const char *expected)
{
	struct topdown_shares shares;
	struct evsel *pos;
	size_t size;
	char *text;
	FILE *fp;
	int ret;

	evlist__for_each_entry(evlist, pos) {
		TEST_ASSERT_VAL("one result a sample", topdown_sample__shares(&shares, pos) ==
						       (pos->core.idx == SAMPLER));
		if (pos->core.idx == SAMPLER)
			break;
	}
	fp = open_memstream(&text, &size);
	TEST_ASSERT_VAL("no memory", fp);
	perf_use_color_default = 0;
	topdown_sample__fprintf(&shares, fp);
	fclose(fp);
	ret = strcmp(text, expected) ? TEST_FAIL : TEST_OK;
	if (ret)
		pr_debug("printed: %sexpected: %s", text, expected);
	free(text);
	return ret;
}

static int test__shares(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const u64 first[] = { 1000, 500, 400, 50, 250, 300 };
	/* 1000 slots more; bad speculation is less than before by rounding. */
	const u64 second[] = { 2000, 1500, 1200, 40, 350, 400 };
	struct evlist *evlist = new_group();
	int ret;

	TEST_ASSERT_VAL("no memory", evlist);
	deliver(evlist, first);
	ret = expect(evlist,
		     "40.0% retiring, 5.0% bad speculation, 25.0% frontend bound, 30.0% backend bound\n");
	deliver(evlist, second);
	ret = ret ?: expect(evlist,
			    "80.0% retiring, 0.0% bad speculation, 10.0% frontend bound, 10.0% backend bound\n");
	evlist__delete(evlist);
	return ret;
}

/* Nothing between two samples is no result. */
static int test__nothing(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	const u64 counts[] = { 1000, 500, 400, 50, 250, 300 };
	struct evlist *evlist = new_group();
	struct topdown_shares shares;
	struct evsel *pos;

	TEST_ASSERT_VAL("no memory", evlist);
	deliver(evlist, counts);
	deliver(evlist, counts);
	evlist__for_each_entry(evlist, pos)
		TEST_ASSERT_VAL("a result", !topdown_sample__shares(&shares, pos));
	evlist__delete(evlist);
	return TEST_OK;
}

static struct test_case topdown_sample_tests[] = {
	TEST_CASE("topdown_r18_steps", step),
	TEST_CASE("topdown_r18_shares", shares),
	TEST_CASE("topdown_r18_nothing_between", nothing),
	{ .name = NULL, }
};

struct test_suite suite__topdown_sample = {
	.desc = "TopDown of samples",
	.test_cases = topdown_sample_tests,
};
