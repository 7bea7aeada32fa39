// SPDX-License-Identifier: GPL-2.0
/* Terms of auto counter reload: what they mean and what is refused */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/zalloc.h>
#include "acr.h"
#include "acr-stat.h"
#include "acr-words.h"
#include "debug.h"
#include "evlist.h"
#include "evsel.h"
#include "evsel_config.h"
#include "parse-events.h"
#include "pmu.h"
#include "pmus.h"
#include "record.h"
#include "tests.h"

#define MAX_EVENTS	4

static const char *const pmu_files[] = {
	"type",			"9980\n",
	"format/event",		"config:0-7\n",
	"format/edge",		"config:18\n",
	"events/misses",	"event=0xc5\n",
	"events/branches",	"event=0xc4\n",
	"events/loads",		"event=0xd0\n",
	"events/insns",		"event=0xc0\n",
	/* As in perf's own tables, with a period of theirs */
	"events/tmisses",	"event=0x75,period=200003\n",
	"events/tbranches",	"event=0x74,period=200003\n",
	/* Only the first PMU has the last one */
	"format/acr_mask",	"config2:0-63\n",
};

struct fake_pmus {
	char		dir[32];
	struct perf_pmu	*with;
	struct perf_pmu	*without;
};

static int write_file(int dirfd, const char *pmu, const char *name, const char *text)
{
	ssize_t len = strlen(text);
	char path[64];
	int fd, ret;

	scnprintf(path, sizeof(path), "%s/%s", pmu, name);
	fd = openat(dirfd, path, O_WRONLY | O_CREAT, 0600);
	if (fd < 0)
		return -1;
	ret = write(fd, text, len) == len ? 0 : -1;
	close(fd);
	return ret;
}

static struct perf_pmu *fake_pmu(int dirfd, const char *name, size_t nr_files)
{
	static const char *const folders[] = { "", "/format", "/events" };
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		scnprintf(path, sizeof(path), "%s%s", name, folders[i]);
		if (mkdirat(dirfd, path, 0755) < 0)
			return NULL;
	}
	for (size_t i = 0; i < nr_files; i++) {
		if (write_file(dirfd, name, pmu_files[2 * i], pmu_files[2 * i + 1]))
			return NULL;
	}
	return perf_pmus__add_test_pmu(dirfd, name);
}

static void fake_pmus__put(struct fake_pmus *pmus)
{
	struct perf_pmu *all[] = { pmus->with, pmus->without };
	char command[64];

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (!all[i])
			continue;
		list_del(&all[i]->list);
		perf_pmu__delete(all[i]);
	}
	scnprintf(command, sizeof(command), "rm -fr %s", pmus->dir);
	if (system(command))
		pr_debug("Failed to remove %s\n", pmus->dir);
}

static int fake_pmus__get(struct fake_pmus *pmus)
{
	const size_t nr_files = ARRAY_SIZE(pmu_files) / 2;
	int dirfd;

	memset(pmus, 0, sizeof(*pmus));
	scnprintf(pmus->dir, sizeof(pmus->dir), "/tmp/perf-acr-test-XXXXXX");
	if (!mkdtemp(pmus->dir))
		return -1;

	dirfd = open(pmus->dir, O_DIRECTORY);
	if (dirfd >= 0) {
		pmus->with = fake_pmu(dirfd, "acr-with", nr_files);
		pmus->without = fake_pmu(dirfd, "acr-without", nr_files - 1);
		close(dirfd);
	}
	if (pmus->with && pmus->without)
		return 0;

	fake_pmus__put(pmus);
	return -1;
}

/* Parse, quietly; the error has to contain @error if there is one */
static struct evlist *parse(const char *str, const char *error, bool *found)
{
	struct evlist *evlist = evlist__new();
	struct parse_events_error err;

	if (!evlist)
		return NULL;

	parse_events_error__init(&err);
	if (__parse_events(evlist, str, /*pmu_filter=*/NULL, &err, /*fake_pmu=*/false,
			   /*warn_if_reordered=*/false, /*fake_tp=*/false)) {
		if (error)
			*found = parse_events_error__contains(&err, error);
		if (!error || !*found)
			parse_events_error__print(&err, str);
		evlist__delete(evlist);
		evlist = NULL;
	}
	parse_events_error__exit(&err);
	return evlist;
}

static u64 period_of(struct evsel *evsel)
{
	struct evsel_config_term *term = evsel__get_config_term(evsel, PERIOD);

	return term ? term->val.period : 0;
}

static int test__acr_ratio(struct test_suite *test __maybe_unused,
			   int subtest __maybe_unused)
{
	static const struct {
		const char *str;
		u64 num, den;
	} good[] = {
		{ "0.2", 2, 10 }, { "20%", 20, 100 }, { "1/5", 1, 5 },
		{ "5", 5, 1 }, { "2.50", 250, 100 }, { "0.5%", 5, 1000 },
		{ ".2", 2, 10 }, { "3/2", 3, 2 },
		{ "1e1", 10, 1 }, { "5e-1", 5, 10 }, { "2.5E+2", 2500, 10 },
		{ "2e1%", 20, 100 }, { "1e-12", 1, 1000000000000 }, { "1e003", 1000, 1 },
	};
	static const char *const bad[] = {
		"", "0", "0.0", "0%", "0/5", "1/0", "0.5x", "x", "-1", "+1", "1/",
		"/5", "1/5%", "0.5/2", "20 %", ".", "%", "1.2.3", "nan",
		"99999999999999999999", "0.00000000000000000001",
		"1e", "e1", "1e+", "1e-", "1e 1", "1e1.5", "1e1/5", "1/1e1", "0e1",
		"1e13", "1e-13", "1e4294967297", "1e-99999999999999999999",
	};
	struct acr_ratio ratio;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		TEST_ASSERT_VAL(good[i].str, acr__parse_ratio(good[i].str, &ratio));
		TEST_ASSERT_VAL(good[i].str, ratio.num == good[i].num);
		TEST_ASSERT_VAL(good[i].str, ratio.den == good[i].den);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		TEST_ASSERT_VAL(bad[i], !acr__parse_ratio(bad[i], &ratio));

	TEST_ASSERT_VAL("exact", acr__scale(1000000, 1, 5) == 200000);
	TEST_ASSERT_VAL("nearest, down", acr__scale(10, 1, 3) == 3);
	TEST_ASSERT_VAL("nearest, up", acr__scale(10, 2, 3) == 7);
	TEST_ASSERT_VAL("none", acr__scale(10, 1, 1000) == 0);
	TEST_ASSERT_VAL("large", acr__scale(UINT64_MAX, 1000, 1) == UINT64_MAX);
	return TEST_OK;
}

#define W(terms)	"acr-with/" terms "/"
#define WITHOUT(terms)	"acr-without/" terms "/"

struct acr_case {
	const char *str;
	/* In the order after sorting */
	u64 mask[MAX_EVENTS];
	u64 period[MAX_EVENTS];
};

static const struct acr_case cases[] = {
	/* Names */
	{ "{" W("misses,period=20,acr=branches") "," W("branches,period=100,acr=all") "}",
	  { 0x2, 0x3 }, { 20, 100 } },
	{ "{" W("misses,period=20,acr=others") "u," W("branches,acr=branches+misses,period=9") "k}",
	  { 0x2, 0x3 }, { 20, 9 } },
	{ "{" W("misses,acr=b") "," W("branches,name=b,acr=others+b") ","
	  W("loads,acr=misses+b") "}",
	  { 0x2, 0x7, 0x3 }, { 0 } },
	/* An alias does not hide the name */
	{ "{" W("misses,acr=branches") "," W("branches,name=b") "}", { 0x2, 0 }, { 0 } },
	{ "{" W("misses,acr=MISSES+insns") "," W("branches") "," W("insns") ",dummy}",
	  { 0x5, 0, 0 }, { 0 } },
	{ "{" W("misses,name=x,acr=y") "," W("misses,name=y") "}", { 0x2, 0 }, { 0 } },
	/* As in published examples: blanks, and flags that come before the name */
	{ "{" W("misses,acr=branches") "u, " W("branches,acr=all") "u}", { 0x2, 0x3 }, { 0 } },
	{ "{" W("misses,acr=insns") ",\n\t" W("loads") ", " W("insns") "}", { 0x4, 0, 0 }, { 0 } },
	{ "{" W("edge,misses,acr=branches") "," W("edge,branches,acr=misses") "}",
	  { 0x2, 0x1 }, { 0 } },
	/* Groups have members of their own */
	{ "{" W("loads") "," W("insns,acr=loads") "},{" W("misses,acr=loads") "," W("loads") "}",
	  { 0, 0x1, 0x2, 0 }, { 0 } },
	/* Masks as numbers */
	{ "{" W("misses,acr_mask=0x2,period=1") "," W("branches,acr_mask=0x3,period=2") "}",
	  { 0x2, 0x3 }, { 1, 2 } },
	{ "{" W("misses,config2=0x2") "," W("branches,config2=3") "}", { 0x2, 0x3 }, { 0 } },
	/* Nobody's overflow, which is what leaving out the term says */
	{ "{" W("misses,acr_mask=0") "," W("branches,acr_mask=0x1") "}", { 0, 0x1 }, { 0 } },
	/* Ratio to the previous event, which samples */
	{ "{" W("misses,period=20") "," W("branches,ratio-to-prev=5") "}",
	  { 0x2, 0x3 }, { 20, 100 } },
	{ "{" W("misses") "," W("branches,period=100,ratio-to-prev=5") "}",
	  { 0x2, 0x3 }, { 20, 100 } },
	{ "{" W("insns,period=200000") "," W("loads,ratio-to-prev=0.5") "}",
	  { 0x2, 0x3 }, { 200000, 100000 } },
	{ "{" W("insns") "," W("misses,period=7") "," W("branches,ratio-to-prev=3") "}",
	  { 0, 0x4, 0x6 }, { 0, 7, 21 } },
	/* Rounded by less than one per cent */
	{ "{" W("misses,ratio-to=branches:1/3") "," W("branches,period=100") "}",
	  { 0x2, 0x3 }, { 33, 100 } },
	/* Ratios to a base, which does not */
	{ "{" W("misses,ratio-to=branches:20%") "," W("branches,period=100") "}",
	  { 0x2, 0x3 }, { 20, 100 } },
	{ "{" W("branches,period=100") "," W("misses,ratio-to=branches:1/5") "u}",
	  { 0x3, 0x1 }, { 100, 20 } },
	{ "{" W("misses,ratio-to=branches:0.2,period=20") "," W("branches") "}",
	  { 0x2, 0x3 }, { 20, 100 } },
	{ "{" W("misses,ratio-to=insns:1%") "," W("loads,ratio-to=insns:1/4") ","
	  W("insns,period=1000") "," W("branches,ratio-to=insns:10%") "}",
	  { 0xe, 0xd, 0xf, 0x7 }, { 10, 250, 1000, 100 } },
	{ "{" W("misses,ratio-to=insns:1%") "," W("loads,ratio-to=insns:1/4,period=250") ","
	  W("insns") "}", { 0x6, 0x5, 0x7 }, { 10, 250, 1000 } },
	/* What the user says counts, wherever the name with a period of its own stands */
	{ "{" W("period=20,acr_mask=0x2,tmisses") "," W("tbranches,period=100,acr_mask=0x3") "}",
	  { 0x2, 0x3 }, { 20, 100 } },
	{ "{" W("period=20,ratio-to=branches:20%,tmisses") "," W("branches") "}",
	  { 0x2, 0x3 }, { 20, 100 } },
	{ "{" W("tmisses,ratio-to=tbranches:20%") "," W("period=100,tbranches") "}",
	  { 0x2, 0x3 }, { 20, 100 } },
	{ "{" W("ratio-to=tbranches:20%,tmisses,period=20") "," W("tbranches") "}",
	  { 0x2, 0x3 }, { 20, 100 } },
	{ "{" W("tmisses") "," W("period=100,ratio-to-prev=5,tbranches") "}",
	  { 0x2, 0x3 }, { 20, 100 } },
	{ "{" W("tmisses,ratio-to=insns:1%") "," W("loads,ratio-to=insns:1/4,period=250") ","
	  W("insns") "}", { 0x6, 0x5, 0x7 }, { 10, 250, 1000 } },
	/* A name of a base may have what a ratio has */
	{ "{" W("misses,ratio-to=my.base:1/5") "," W("branches,period=100,name=my.base") "}",
	  { 0x2, 0x3 }, { 20, 100 } },
};

/* Errors point to the value of a term */
static int test__acr_columns(struct test_suite *test __maybe_unused,
			     int subtest __maybe_unused)
{
	static const char str[] =
		"{" W("misses,ratio-to=branches:1/5,period=20") "u," W("branches,name=b") ","
		W("loads,acr=b") "}";
	struct evsel_config_term *ratio, *acr;
	struct fake_pmus pmus;
	struct evlist *evlist;
	int ret = TEST_FAIL;

	TEST_ASSERT_VAL("no test PMUs", !fake_pmus__get(&pmus));
	evlist = parse(str, /*error=*/NULL, NULL);
	if (evlist) {
		ratio = evsel__get_config_term(evlist__first(evlist), RATIO_TO);
		acr = evsel__get_config_term(evlist__last(evlist), ACR);
		if (ratio && str + ratio->column == strstr(str, "branches:1/5") &&
		    acr && str + acr->column == strstr(str, "b/}"))
			ret = TEST_OK;
		/* The name is the text of the whole event */
		if (strcmp(evsel__name(evlist__first(evlist)),
			   W("misses,ratio-to=branches:1/5,period=20") "u"))
			ret = TEST_FAIL;
	}
	evlist__delete(evlist);
	fake_pmus__put(&pmus);
	return ret;
}

static int check_case(const struct acr_case *c)
{
	struct evlist *evlist = parse(c->str, /*error=*/NULL, NULL);
	struct evsel *evsel;
	int i = 0, ret = TEST_OK;

	pr_debug("%s\n", c->str);
	TEST_ASSERT_VAL("cannot be parsed", evlist);

	evlist__for_each_entry(evlist, evsel) {
		u64 mask = evsel->core.attr.config2, period = period_of(evsel);

		if (evsel->core.attr.type == PERF_TYPE_SOFTWARE)
			continue;
		if (i == MAX_EVENTS || mask != c->mask[i] || period != c->period[i]) {
			pr_debug("FAILED event %d: mask %#llx, period %llu\n", i,
				 (unsigned long long)mask, (unsigned long long)period);
			ret = TEST_FAIL;
		}
		i++;
	}
	evlist__delete(evlist);
	return ret;
}

/*
 * A name for several PMUs leaves out those without the feature. Events that were
 * written one by one are never left out, whatever they are called.
 */
static const struct acr_case copies[] = {
	{ "{acr-*/misses,period=20,acr=others/,acr-*/branches,period=100,acr=all/}",
	  { 0x2, 0x3 }, { 20, 100 } },
	{ "{acr-*/misses,name=acr-without,acr=others/,acr-*/branches,name=x/}",
	  { 0x2, 0 }, { 0 } },
	{ "{tmisses/period=20,acr_mask=0x2/,tbranches/period=100,acr_mask=0x3/}",
	  { 0x2, 0x3 }, { 20, 100 } },
};

static const char not_copies[] =
	"{" W("misses,name=a,acr=others") "," W("branches,name=b") ","
	WITHOUT("misses,name=a") "," WITHOUT("branches,name=b") "}";

static int test__acr_copies(struct test_suite *test __maybe_unused,
			    int subtest __maybe_unused)
{
	struct fake_pmus pmus;
	struct evlist *evlist;
	bool found = false;
	int ret = TEST_OK;

	TEST_ASSERT_VAL("no test PMUs", !fake_pmus__get(&pmus));
	pmus.without->is_core = true;
	for (size_t i = 0; i < ARRAY_SIZE(copies); i++) {
		if (check_case(&copies[i]))
			ret = TEST_FAIL;
	}
	evlist = parse(not_copies, "is of another PMU", &found);
	if (evlist || !found)
		ret = TEST_FAIL;
	evlist__delete(evlist);
	fake_pmus__put(&pmus);
	return ret;
}

static int test__acr_masks(struct test_suite *test __maybe_unused,
			   int subtest __maybe_unused)
{
	struct fake_pmus pmus;
	int ret = TEST_OK;

	TEST_ASSERT_VAL("no test PMUs", !fake_pmus__get(&pmus));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (check_case(&cases[i]))
			ret = TEST_FAIL;
	}
	fake_pmus__put(&pmus);
	return ret;
}

/* Events with a retire latency are moved behind the others */
static const struct acr_case moved[] = {
	{ "{" W("misses,acr=branches") "R," W("branches,acr=all") "}", { 0x3, 0x1 }, { 0 } },
	{ "{" W("misses,acr_mask=0x2") "R," W("branches,acr_mask=0x3") "}", { 0x3, 0x1 }, { 0 } },
	{ "{" W("misses,acr_mask=0x6") "R," W("branches,acr_mask=0x1") ","
	  W("loads,acr_mask=0x2") "}",
	  { 0x4, 0x1, 0x3 }, { 0 } },
	{ "{" W("misses,period=20") "R," W("branches,period=100,acr=misses") "}",
	  { 0x2, 0 }, { 100, 20 } },
	/* What was written before an event is the previous one, wherever it is now */
	{ "{" W("misses,period=20") "R," W("branches,ratio-to-prev=5") "}",
	  { 0x3, 0x1 }, { 100, 20 } },
	{ "{" W("insns") "," W("loads,period=200") "R," W("branches,ratio-to-prev=0.5") "}",
	  { 0, 0x6, 0x2 }, { 0, 100, 200 } },
};

static bool events_move(void)
{
	struct evlist *evlist = parse("{" W("misses") "R," W("branches") "}",
				      /*error=*/NULL, NULL);
	bool ret = evlist && !strcmp(evsel__name(evlist__first(evlist)), W("branches"));

	evlist__delete(evlist);
	return ret;
}

static int test__acr_order(struct test_suite *test __maybe_unused,
			   int subtest __maybe_unused)
{
	struct fake_pmus pmus;
	int ret = TEST_OK;

	TEST_ASSERT_VAL("no test PMUs", !fake_pmus__get(&pmus));
	/* Some architectures keep the order */
	if (!events_move()) {
		fake_pmus__put(&pmus);
		return TEST_SKIP;
	}
	for (size_t i = 0; i < ARRAY_SIZE(moved); i++) {
		if (check_case(&moved[i]))
			ret = TEST_FAIL;
	}
	fake_pmus__put(&pmus);
	return ret;
}

#define B		W("branches,period=100")

static const struct {
	const char *str;
	const char *error;
} refused[] = {
	{ "{" W("misses,acr=foo") "," B "}", "No event is called 'foo'" },
	{ "{" W("misses,acr=branches+") "," B "}", "No event is called ''" },
	{ "{" W("misses,acr=branches") "," W("loads") "}," B, "not in the group" },
	{ "{" W("misses,acr=branches") "," B "," B "}", "several members" },
	{ W("misses,acr=all"), "in no group" },
	{ W("misses,acr_mask=1"), "in no group" },
	{ "{" W("misses,acr_mask") "," B "}", "'' is no mask" },
	{ "{" W("misses,acr_mask,period=20") "," B "}", "'' is no mask" },
	{ "{" W("misses,acr_mask=") "," B "}", "'' is no mask" },
	{ "{" W("misses,acr_mask=-2") "," B "}", "'-2' is no mask" },
	{ "{" W("misses,acr_mask=+2,period=20") "u," B "}", "'+2' is no mask" },
	{ "{" W("misses,acr_mask= 2") "," B "}", "' 2' is no mask" },
	{ "{" W("misses,acr_mask=x2") "," B "}", "'x2' is no mask" },
	{ "{" W("misses,acr_mask=period") "," B "}", "'period' is no mask" },
	{ "{" W("misses,acr_mask=0x5") "," B "}", "none for bit 2" },
	{ "{" W("misses,acr=others") ",dummy}", "'others' stands for no event" },
	{ "{" W("misses,acr_mask=0") "," B "}", "Nothing is reloaded" },
	{ "{" W("misses,acr=all") ",dummy}", "none takes samples" },
	{ "{" W("misses,acr=all") "," W("branches,acr=all") "}", "none takes samples" },
	{ "{" W("misses,acr_mask=1") "," W("branches,acr_mask=2") "," W("loads") "}",
	  "none takes samples" },
	{ "{" W("misses,acr=others,acr_mask=0x2") "," B "}", "several terms" },
	{ "{" W("misses,acr=others,config2=0x2") "," B "}", "several terms" },
	{ "{" W("misses,config2=0x2,acr_mask=0x2") "," B "}", "several terms" },
	{ "{" W("misses,config2=0x4") "," B "}", "none for bit 2" },
	{ "{" W("misses,acr=others,ratio-to=branches:2") "," B "}", "several terms" },
	{ "{" WITHOUT("misses,acr=others") "," WITHOUT("branches") "}",
	  "acr-without has no auto counter reload" },
	{ "{" WITHOUT("misses,acr_mask=2") "," WITHOUT("branches") "}",
	  "acr-without has no auto counter reload" },
	{ "{" W("misses,acr=others") "," WITHOUT("branches") "}", "another PMU" },
	{ "{" W("misses,acr=dummy") ",dummy}", "a software event" },
	{ "{" W("misses,acr=dummy") ",\n\tdummy}", "a software event" },
	{ "{" W("misses,acr=dummy") ", dummy/period=9/}", "a software event" },
	{ "{dummy," W("misses,acr=branches") "," B "}", "stands before a member" },
	{ "{" W("misses,acr=branches") ",dummy," B "}", "stands before a member" },
	{ "{cpu-clock/acr=misses/," W("misses") "}", "software event has no counter" },
	{ "{" W("misses,acr=branches,freq=1") "," B "}", "has a frequency" },
	{ "{" W("misses,acr=branches") "," W("branches,freq=1") "}", "has a frequency" },
	{ "{" W("misses,acr=branches") "ppp," B "}", ":ppp" },
	{ "{" W("misses,acr=all") "p," B "}", "takes no samples" },
	{ "{" W("misses,acr=branches,period=2147483648") "," B "}", "out of range" },
	{ "{" W("misses,acr=branches,period=0") "," B "}", "out of range" },
	{ "{" W("misses,acr=branches") "," W("branches,period=0") "}", "never overflows" },
	{ "{" W("misses,acr=branches") "," B "}:W", "weak group" },
	{ "{" W("misses,acr=branches") "," B "}:S", "no totals" },
	{ "{" W("misses,ratio-to=branches") "," B "}", "has no ratio" },
	{ "{" W("misses,ratio-to=branches:0") "," B "}", "'0' is no ratio" },
	{ "{" W("misses,ratio-to=branches:0.5x") "," B "}", "'0.5x' is no ratio" },
	{ "{" W("misses,ratio-to=branches:1/x") "," B "}", "'1/x' is no ratio" },
	{ "{" W("misses,ratio-to=branches:1/") "u," B "}", "'1/' is no ratio" },
	{ "{" W("misses,ratio-to=branches:1/x,period=9") "u," B "}", "'1/x' is no ratio" },
	{ "{" W("misses,ratio-to=branches:5/1/2") "," B "}", "'5/1/2' is no ratio" },
	{ "{" W("misses,ratio-to=") "," B "}", "'' has no ratio" },
	{ "{" B "," W("misses,ratio-to-prev=") "}", "'' is no ratio" },
	{ "{" B "," W("misses,ratio-to-prev=,period=20") "}", "'' is no ratio" },
	{ "{" B "," W("misses,ratio-to-prev=1/") "}", "'1/' is no ratio" },
	{ "{" B "," W("misses,ratio-to-prev=1/,period=9") "}", "'1/' is no ratio" },
	{ "{" B "," W("misses,ratio-to-prev=/5") "}", "'/5' is no ratio" },
	{ "{" W("misses,ratio-to=foo:1") "," B "}", "No event is called 'foo'" },
	{ "{" W("misses,ratio-to=misses:1") "," B "}", "no ratio to itself" },
	{ "{" W("misses,ratio-to=branches:1/1000") "," B "}", "out of range" },
	{ "{" W("misses,ratio-to=branches:999999999") "," B "}", "out of range" },
	{ "{" W("misses,ratio-to=branches:1/3") "," W("branches,period=10") "}",
	  "'1/3' becomes 3/10" },
	{ "{" W("misses,ratio-to=branches:1/3,period=3") "," W("branches,period=10") "}",
	  "'1/3' becomes 3/10" },
	{ "{" W("misses,period=1") "," W("branches,ratio-to-prev=1.4") "}", "'1.4' becomes 1/1" },
	{ "{" W("misses,ratio-to=branches:20%,period=21") "," B "}", "asks for period=20" },
	{ "{" W("misses,ratio-to=branches:2") "," W("branches,acr=misses") "}", "term of its own" },
	{ "{" W("misses,ratio-to-prev=2") "," B "}", "no previous event" },
	{ "{" W("misses,ratio-to-prev=2") "R," B "}", "no previous event" },
	{ "{" B "," W("misses,ratio-to-prev=0") "}", "'0' is no ratio" },
	{ "{" B "," W("misses,ratio-to-prev=2") "," W("loads,ratio-to-prev=2") "}",
	  "term of its own" },
	{ "{" W("misses,ratio-to=branches:2") "," B "," W("loads,ratio-to-prev=2") "}",
	  "another ratio" },
};

static int test__acr_refused(struct test_suite *test __maybe_unused,
			     int subtest __maybe_unused)
{
	struct fake_pmus pmus;
	int ret = TEST_OK;

	TEST_ASSERT_VAL("no test PMUs", !fake_pmus__get(&pmus));
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		bool found = false;
		struct evlist *evlist = parse(refused[i].str, refused[i].error, &found);

		if (evlist || !found) {
			pr_debug("FAILED %s: %s\n", refused[i].str,
				 evlist ? "accepted" : refused[i].error);
			ret = TEST_FAIL;
		}
		evlist__delete(evlist);
	}
	fake_pmus__put(&pmus);
	return ret;
}

/* As the kernel says it in the folder caps */
static int add_cap(struct perf_pmu *pmu, const char *name, const char *value)
{
	struct perf_pmu_caps *cap = zalloc(sizeof(*cap));

	if (!cap)
		return -1;

	cap->name = strdup(name);
	cap->value = strdup(value);
	list_add_tail(&cap->list, &pmu->caps);
	pmu->nr_caps++;
	pmu->caps_initialized = true;
	return cap->name && cap->value ? 0 : -1;
}

/* Without an error: the group is accepted */
static const struct {
	const char *str;
	const char *error;
} precise[] = {
	{ "{" W("misses,acr=branches") "," B "ppp}",
	  "'" B "ppp' cannot be counted where acr-with has" },
	{ "{" B "ppp," W("misses,acr=branches") "}",
	  "'" B "ppp' cannot be counted where acr-with has" },
	{ "{" W("misses,acr=branches") "," W("insns,period=9") "ppp," B "}", NULL },
	{ "{" W("misses,acr=insns") "," W("insns,period=9") "ppp}",
	  "' cannot be counted where acr-with has" },
	{ "{" W("misses,acr=branches") "," B "pp}", NULL },
	{ "{" B "P," W("misses,acr=branches") "P}", NULL },
};

static int check_precise(size_t i)
{
	bool found = false;
	struct evlist *evlist = parse(precise[i].str, precise[i].error, &found);
	struct record_opts opts = {
		.user_freq = UINT_MAX,
		.default_interval = 4000,
		.user_interval = 4000,
	};
	int ret = TEST_OK;

	if (!evlist != !!precise[i].error || (!evlist && !found))
		ret = TEST_FAIL;
	if (evlist && !ret) {
		struct evsel *evsel;

		if (evlist__acr_config(evlist, &opts))
			ret = TEST_FAIL;
		evlist__for_each_entry(evlist, evsel) {
			evsel__config(evsel, &opts, /*callchain=*/NULL);
			if (evsel->precise_max && evsel->core.attr.precise_ip != 2)
				ret = TEST_FAIL;
		}
	}
	if (ret)
		pr_debug("FAILED %s\n", precise[i].str);
	evlist__delete(evlist);
	return ret;
}

/* Only x86 knows which counters an event has */
static bool counters_are_known(void)
{
	struct evlist *evlist = parse(W("misses") "ppp", /*error=*/NULL, NULL);
	bool ret = evlist && arch_acr__event_counters(evlist__first(evlist)) != UINT64_MAX;

	evlist__delete(evlist);
	return ret;
}

static int test__acr_precise(struct test_suite *test __maybe_unused,
			     int subtest __maybe_unused)
{
	struct fake_pmus pmus;
	int ret = TEST_OK;

	TEST_ASSERT_VAL("no test PMUs", !fake_pmus__get(&pmus));
	/* As on E-cores of Arrow Lake */
	pmus.with->is_core = true;
	if (add_cap(pmus.with, "acr_reload_counters", "0x2000000fc") ||
	    add_cap(pmus.with, "acr_cause_counters", "0x2000000fc"))
		ret = TEST_FAIL;
	else if (!counters_are_known())
		ret = TEST_SKIP;
	for (size_t i = 0; !ret && i < ARRAY_SIZE(precise); i++)
		ret = check_precise(i);
	fake_pmus__put(&pmus);
	return ret;
}

/* Options that become known after the events */
static const struct {
	const char *str;
	u64 interval;
	unsigned int freq;
	int ret;
	u64 period[2];
} options[] = {
	{ "{" W("misses") "," W("branches,ratio-to-prev=5") "}", 20, 0, 0, { 20, 100 } },
	{ "{" W("misses,ratio-to=branches:20%") "," W("branches") "}", 100, 0, 0, { 20, 100 } },
	{ "{" W("misses,period=20,acr=others") "," W("branches,acr=all") "}", 100, 0, 0,
	  { 20, 100 } },
	{ "{" W("misses,period=2,ratio-to=branches:20%") "," W("branches") "}", 99, 0, 0,
	  { 2, 10 } },
	{ "{" W("misses") "," W("branches,ratio-to-prev=5") "}", 0, 0, -EINVAL, { 0 } },
	{ "{" W("misses,ratio-to=branches:20%") "," W("branches") "}", 0, 0, -EINVAL, { 0 } },
	{ "{" W("misses,acr=others") "," W("branches") "}", 0, 0, -EINVAL, { 0 } },
	{ "{" W("misses,acr=others,period=1") "," W("branches") "}", 0, 0, -EINVAL, { 0 } },
	{ "{" W("misses,ratio-to=branches:20%") "," W("branches") "}", 1, 0, -EINVAL, { 0 } },
	{ "{" W("misses,acr=others") "," W("branches") "}", 1ULL << 31, 0, -EINVAL, { 0 } },
	/* Tables come last */
	{ "{" W("tmisses,acr=others") "," W("tbranches") "}", 0, 0, 0, { 200003, 200003 } },
	{ "{" W("tmisses,acr=others") "," W("tbranches") "}", 300, 0, 0, { 300, 300 } },
	{ "{" W("tmisses,acr=others") "," W("tbranches") "}", 3000000000, 0, -EINVAL, { 0 } },
	{ "{" W("tmisses,acr=others") "," W("tbranches") "}", 0, 99, -EINVAL, { 0 } },
	{ "{" W("tmisses,acr=others") "," B "}", 0, 99, -EINVAL, { 0 } },
	{ "{" W("period=20,acr=others,tmisses") "," B "}", 0, 99, 0, { 20, 100 } },
	{ "{" W("tmisses,ratio-to=tbranches:20%") "," W("tbranches") "}", 0, 0, 0,
	  { 40001, 200003 } },
	{ "{" W("tmisses,ratio-to=tbranches:20%") "," W("tbranches") "}", 100, 0, 0, { 20, 100 } },
	{ "{" W("tmisses") "," W("tbranches,ratio-to-prev=5") "}", 20, 0, 0, { 20, 100 } },
	{ "{" W("tmisses") "," W("tbranches,ratio-to-prev=5") "}", 0, 0, 0, { 200003, 1000015 } },
	{ "{" W("tmisses,ratio-to=branches:20%") "," W("branches") "}", 0, 0, 0,
	  { 200003, 1000015 } },
	{ "{" W("tmisses,ratio-to=branches:20%") "," W("branches") "}", 100, 0, 0, { 20, 100 } },
	{ "{" W("tmisses,ratio-to=tbranches:20%") "," W("tbranches") "}", 0, 99, -EINVAL, { 0 } },
	{ "{" W("tmisses,ratio-to=tbranches:20%") "," W("period=100,tbranches") "}", 0, 99, 0,
	  { 20, 100 } },
};

static int check_options(size_t i)
{
	struct evlist *evlist = parse(options[i].str, /*error=*/NULL, NULL);
	struct record_opts opts = {
		.freq = options[i].interval ? 0 : options[i].freq ?: 4000,
		.user_freq = options[i].freq ?: UINT_MAX,
		.default_interval = options[i].interval ?: 4000,
		.user_interval = options[i].interval ?: ULLONG_MAX,
	};
	struct evsel *evsel;
	int k = 0, ret;

	TEST_ASSERT_VAL(options[i].str, evlist);
	ret = evlist__acr_config(evlist, &opts) == options[i].ret ? TEST_OK : TEST_FAIL;
	if (!options[i].ret) {
		evlist__for_each_entry(evlist, evsel) {
			evsel__config(evsel, &opts, /*callchain=*/NULL);
			if (evsel->core.attr.freq ||
			    evsel->core.attr.sample_period != options[i].period[k++])
				ret = TEST_FAIL;
		}
	}
	if (ret)
		pr_debug("FAILED %s\n", options[i].str);
	evlist__delete(evlist);
	return ret;
}

static int test__acr_options(struct test_suite *test __maybe_unused,
			     int subtest __maybe_unused)
{
	struct fake_pmus pmus;
	int ret = TEST_OK;

	TEST_ASSERT_VAL("no test PMUs", !fake_pmus__get(&pmus));
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (check_options(i))
			ret = TEST_FAIL;
	}
	fake_pmus__put(&pmus);
	return ret;
}

static const struct {
	const char *str;
	const char *words;
} told[] = {
	{ "{" W("misses,ratio-to=branches:20%") "," B "}",
	  "# misses is reloaded by branches; samples when misses/branches > 20 %\n"
	  "# branches is reloaded by misses and itself; takes no samples\n" },
	{ "{" W("insns,period=200") "," W("loads,ratio-to-prev=0.5") "u}",
	  "# insns is reloaded by loads; samples when insns/loads > 2\n"
	  "# loads is reloaded by insns and itself; takes no samples\n" },
	/* Periods are no ratio where the two do not start together */
	{ "{" W("misses,period=20,acr=branches") "," B "}",
	  "# misses is reloaded by branches;"
	  " samples when it counts 20 before branches overflows\n" },
	/* What reloads one of them alone */
	{ "{" W("misses,period=20,acr=branches") "," W("branches,period=100,acr=all") ","
	  W("loads,period=9") "}",
	  "# misses is reloaded by branches;"
	  " samples when it counts 20 before branches overflows\n"
	  "# branches is reloaded by misses and loads and itself; takes no samples\n" },
	{ "{" W("misses,period=20,acr=branches") "," W("branches,period=100,acr=misses") "}",
	  "# misses is reloaded by branches; samples when misses/branches > 20 %\n"
	  "# branches is reloaded by misses; samples when branches/misses > 5\n" },
	{ "{" W("misses,ratio-to=insns:1%") "," W("loads,ratio-to=insns:1/4") ","
	  W("insns,period=1000") "}",
	  "# misses is reloaded by loads and insns;"
	  " samples when misses/loads > 4 % and misses/insns > 1 %\n"
	  "# loads is reloaded by misses and insns;"
	  " samples when loads/misses > 25 and loads/insns > 25 %\n"
	  "# insns is reloaded by misses and loads and itself; takes no samples\n" },
	{ "{" W("misses,period=20") "," B "}", "" },
	{ "{" W("misses,ratio-to=branches:20%") ", " B "}",
	  "# misses is reloaded by branches; samples when misses/branches > 20 %\n"
	  "# branches is reloaded by misses and itself; takes no samples\n" },
};

static int check_told(struct evlist *evlist, const char *expected)
{
	char *words = NULL;
	size_t size;
	FILE *fp;
	int ret;

	fp = open_memstream(&words, &size);
	TEST_ASSERT_VAL("no memory", fp);
	evlist__fprintf_acr(evlist, "# ", fp);
	fclose(fp);
	ret = strcmp(words, expected) ? TEST_FAIL : TEST_OK;
	if (ret)
		pr_debug("FAILED: expected %s, found %s", expected, words);
	free(words);
	return ret;
}

static int check_words(size_t i)
{
	struct evlist *evlist = parse(told[i].str, /*error=*/NULL, NULL);
	struct evsel *evsel;
	char msg[512];
	int ret;

	TEST_ASSERT_VAL(told[i].str, evlist);
	evlist__for_each_entry(evlist, evsel)
		evsel->core.attr.sample_period = period_of(evsel);
	ret = check_told(evlist, told[i].words);
	evlist__for_each_entry(evlist, evsel) {
		if (!evsel__acr_error(evsel, msg, sizeof(msg)) != !*told[i].words)
			ret = TEST_FAIL;
	}

	/* Then nothing reloads, and is no reason for the kernel to refuse */
	evlist__acr_drop(evlist);
	evlist__for_each_entry(evlist, evsel) {
		if (evsel->core.attr.config2 ||
		    evsel__acr_error(evsel, msg, sizeof(msg)))
			ret = TEST_FAIL;
	}
	evlist__delete(evlist);
	return ret;
}

/* Others than perf may open events with bits that stand for nobody */
static int check_strange_words(void)
{
	struct evlist *evlist = parse(W("misses") ",{" W("misses") "," W("branches") "}",
				      /*error=*/NULL, NULL);
	struct evsel *evsel;
	u64 mask = 0x2;
	int ret;

	TEST_ASSERT_VAL("cannot be parsed", evlist);
	evlist__for_each_entry(evlist, evsel) {
		evsel->core.attr.config2 = mask;
		evsel->core.attr.sample_period = 20;
		mask = mask == 0x2 ? 0x6 : 0xc;
	}
	ret = check_told(evlist,
			 "# misses is reloaded by branches;"
			 " samples when it counts 20 before branches overflows\n");
	evlist__delete(evlist);
	return ret;
}

static int test__acr_words(struct test_suite *test __maybe_unused,
			   int subtest __maybe_unused)
{
	struct fake_pmus pmus;
	int ret = TEST_OK;

	TEST_ASSERT_VAL("no test PMUs", !fake_pmus__get(&pmus));
	for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
		if (check_words(i))
			ret = TEST_FAIL;
	}
	if (check_strange_words())
		ret = TEST_FAIL;
	fake_pmus__put(&pmus);
	return ret;
}

/* Legacy names stand for all core PMUs; those without the feature are left out */
static int test__acr_legacy(struct test_suite *test __maybe_unused,
			    int subtest __maybe_unused)
{
	static const char *const strs[] = {
		"{branch-misses/period=20,acr_mask=0x2/u,branches/period=100,acr_mask=0x3/u}",
		"{branch-misses/period=20,acr=branch-instructions/u,branches/period=100,acr=all/u}",
		"{branch-misses/ratio-to=branches:20%/u,branch-instructions/period=100/u}",
		"{branch-misses/period=20/u,branches/ratio-to-prev=5/u}",
	};
	struct perf_pmu *pmu = NULL;
	int nr_pmus = 0;

	while ((pmu = perf_pmus__scan_core(pmu)) != NULL)
		nr_pmus += perf_pmu__has_format(pmu, "acr_mask");
	if (!nr_pmus)
		return TEST_SKIP;

	for (size_t i = 0; i < ARRAY_SIZE(strs); i++) {
		struct evlist *evlist = parse(strs[i], /*error=*/NULL, NULL);
		struct evsel *evsel;
		int k = 0;

		TEST_ASSERT_VAL(strs[i], evlist);
		TEST_ASSERT_EQUAL("number of events", evlist->core.nr_entries, 2 * nr_pmus);
		evlist__for_each_entry(evlist, evsel) {
			bool first = !(k++ % 2);

			TEST_ASSERT_VAL(strs[i],
					evsel->core.attr.config2 == (first ? 0x2 : 0x3));
			TEST_ASSERT_VAL(strs[i], period_of(evsel) == (first ? 20 : 100));
			TEST_ASSERT_VAL(strs[i], evsel__is_group_leader(evsel) == first);
		}
		evlist__delete(evlist);
	}
	return TEST_OK;
}

/* Events and the counters that they can use; who has too few, and of which */
static const struct {
	u64 can[4];
	u64 crowded, counters;
} places[] = {
	{ { 0x1, 0x2, 0x4, 0x8 }, 0, 0 },
	/* The first ones have to give way */
	{ { 0x3, 0x7, 0xf, 0x1 }, 0, 0 },
	{ { 0xf, 0x7, 0x3, 0x1 }, 0, 0 },
	{ { 1ULL << 63 | 1, 1, 2, 4 }, 0, 0 },
	{ { 0x7, 0x7, 0x7, 0x7 }, 0xf, 0x7 },
	{ { 0x3, 0x4, 0x3, 0x3 }, 0xd, 0x3 },
	{ { 0xf, 0x4, 0x8, 0x0 }, 0x8, 0 },
	{ { 0x1, 0x1, 0x8, 0x8 }, 0xf, 0x9 },
};

static int test__acr_counters(struct test_suite *test __maybe_unused,
			      int subtest __maybe_unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		u64 counters, crowded;

		crowded = acr__crowded(places[i].can, ARRAY_SIZE(places[i].can),
				       &counters);
		pr_debug("%zu: events %#llx share %#llx\n", i, (unsigned long long)crowded,
			 (unsigned long long)counters);
		TEST_ASSERT_VAL("events", crowded == places[i].crowded);
		TEST_ASSERT_VAL("counters", counters == places[i].counters);
	}
	return TEST_OK;
}

static struct test_case tests__acr[] = {
	TEST_CASE("ACR ratios", acr_ratio),
	TEST_CASE("ACR masks and periods", acr_masks),
	TEST_CASE("ACR names for several PMUs", acr_copies),
	TEST_CASE("ACR columns of terms", acr_columns),
	TEST_CASE("ACR order of members", acr_order),
	TEST_CASE("ACR refused groups", acr_refused),
	TEST_CASE_REASON("ACR counters of precise events", acr_precise,
			 "not known to perf which counters an event can use"),
	TEST_CASE("ACR options after events", acr_options),
	TEST_CASE("ACR relation in words", acr_words),
	TEST_CASE("ACR counters of a group", acr_counters),
	TEST_CASE_REASON("ACR legacy names", acr_legacy, "no PMU with auto counter reload"),
	{ .name = NULL, }
};

struct test_suite suite__acr = {
	.desc = "Auto counter reload",
	.test_cases = tests__acr,
};
