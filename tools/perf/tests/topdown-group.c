// SPDX-License-Identifier: GPL-2.0
/*
 * How lists of slots and topdown metrics are grouped, and which event samples.
 *
 * A letter stands for an event of the PMU that has slots: s for slots, r and b
 * for topdown-retiring and -bad-spec, i for instructions, c for cycles.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "cgroup.h"
#include "debug.h"
#include "evlist.h"
#include "evsel.h"
#include "parse-events.h"
#include "pmu.h"
#include "pmus.h"
#include "strbuf.h"
#include "tests.h"
#include "topdown-event.h"
#include "topdown-group.h"
#include "topdown-written.h"

static const struct {
	char letter;
	const char *name;
} events[] = {
	{ 's', "slots" },
	{ 'r', "topdown-retiring" },
	{ 'b', "topdown-bad-spec" },
	{ 'i', "instructions" },
	{ 'c', "cycles" },
};

static const char *pmu_with_slots(void)
{
	struct perf_pmu *pmu = NULL;

	while ((pmu = perf_pmus__scan_core(pmu)) != NULL) {
		if (perf_pmu__have_event(pmu, "slots"))
			return pmu->name;
	}
	return NULL;
}

/* "{s:u,r}:S" to what perf takes on the command line */
static void spell(struct strbuf *sb, const char *pmu, const char *letters)
{
	bool group = false;
	unsigned int i;

	for (; *letters; letters++) {
		for (i = 0; i < ARRAY_SIZE(events); i++) {
			if (events[i].letter == *letters)
				break;
		}
		if (i < ARRAY_SIZE(events)) {
			strbuf_addf(sb, "%s/%s/", pmu, events[i].name);
			group = false;
			continue;
		}
		if (*letters == '}')
			group = true;
		if (*letters == ':') {
			size_t len = strcspn(letters, ",}");

			strbuf_add(sb, group ? letters : letters + 1, group ? len : len - 1);
			letters += len - 1;
			continue;
		}
		strbuf_addch(sb, *letters);
	}
}

static char letter_of(struct evsel *evsel)
{
	unsigned int i;

	if (!evsel)
		return 0;
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (strstr(evsel__name(evsel), events[i].name))
			return events[i].letter;
	}
	return '?';
}

/* The other way round */
static void describe(struct strbuf *sb, struct evlist *evlist)
{
	const char *sep = "";
	struct evsel *pos, *next;

	evlist__for_each_entry(evlist, pos) {
		const struct perf_event_attr *attr = &pos->core.attr;
		struct evsel *leader = evsel__leader(pos);

		strbuf_addstr(sb, sep);
		if (pos == leader && pos->core.nr_members > 1)
			strbuf_addch(sb, '{');
		strbuf_addch(sb, letter_of(pos));
		if (attr->exclude_user || attr->exclude_kernel)
			strbuf_addstr(sb, attr->exclude_user ? ":k" : ":u");
		if (pos->cgrp)
			strbuf_addf(sb, "@%s", pos->cgrp->name);
		next = evsel__next(pos);
		if (leader->core.nr_members > 1 &&
		    (pos == evlist__last(evlist) || evsel__leader(next) != leader))
			strbuf_addch(sb, '}');
		sep = ",";
	}
}

static struct evlist *parse(const char *letters)
{
	struct evlist *evlist = evlist__new();
	struct parse_events_error err;
	struct strbuf sb;

	if (!evlist)
		return NULL;
	strbuf_init(&sb, 0);
	spell(&sb, pmu_with_slots(), letters);
	parse_events_error__init(&err);
	if (parse_events(evlist, sb.buf, &err)) {
		parse_events_error__print(&err, sb.buf);
		evlist__delete(evlist);
		evlist = NULL;
	}
	parse_events_error__exit(&err);
	strbuf_release(&sb);
	return evlist;
}

/**
 * struct grouping - What becomes of a list
 * @list: as the user writes it
 * @groups: as it is opened
 */
struct grouping {
	const char	*list;
	const char	*groups;
};

static int check_groupings(const struct grouping *groupings, unsigned int nr)
{
	int ret = TEST_OK;
	unsigned int i;

	if (!pmu_with_slots())
		return TEST_SKIP;

	for (i = 0; i < nr; i++) {
		struct evlist *evlist = parse(groupings[i].list);
		struct strbuf sb;

		TEST_ASSERT_VAL(groupings[i].list, evlist);
		strbuf_init(&sb, 0);
		describe(&sb, evlist);
		if (strcmp(sb.buf, groupings[i].groups)) {
			pr_debug("%s became %s, not %s\n", groupings[i].list, sb.buf,
				 groupings[i].groups);
			ret = TEST_FAIL;
		}
		strbuf_release(&sb);
		evlist__delete(evlist);
	}
	return ret;
}

static int test__completed(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	static const struct grouping groupings[] = {
		{ "r", "{s,r}" },
		{ "r,b", "{s,r,b}" },
		{ "{i,r}", "{s,i,r}" },
		{ "{i,r,s}", "{s,i,r}" },
		{ "{i,s},r", "{s,i,r}" },
		{ "i,r,s", "i,{s,r}" },
		{ "s,i,r", "{s,r},i" },
		{ "s:u,r:u", "{s:u,r:u}" },
	};

	return check_groupings(groupings, ARRAY_SIZE(groupings));
}

/* Whole groups are joined, and keep their order. */
static int test__joined(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	static const struct grouping groupings[] = {
		{ "{i,s},{r}", "{s,i,r}" },
		{ "{r},{i,s}", "{s,i,r}" },
		{ "c,r,{i,s}", "c,{s,i,r}" },
		{ "{i,s},c,r", "{s,i,r},c" },
		{ "{i,r},{c,s}", "{s,c,i,r}" },
		{ "{i,s},{c,r}", "{s,i,c,r}" },
	};

	return check_groupings(groupings, ARRAY_SIZE(groupings));
}

/* One slots for each set of modifiers, and for each metric that is twice */
static int test__apart(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	static const struct grouping groupings[] = {
		{ "s,s", "s,s" },
		{ "{s,i},{s,c}", "{s,i},{s,c}" },
		{ "s:u,r:k", "s:u,{s:k,r:k}" },
		{ "r:u,r:k", "{s:u,r:u},{s:k,r:k}" },
		{ "r,r", "{s,r},{s,r}" },
		{ "{r:u,b:k}", "{r:u,b:k}" },
		{ "{s:u,r:k}", "{s:u,r:k}" },
	};

	return check_groupings(groupings, ARRAY_SIZE(groupings));
}

static int test__as_written(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	static const struct grouping groupings[] = {
		{ "r:X", "r" },
		{ "{i,r}:X", "{i,r}" },
		{ "{i,s,r}:X", "{i,s,r}" },
		{ "{i,s},r:X", "{i,s},r" },
		{ "{s:X,i},r", "{s,i},{s,r}" },
		{ "{s,i:X},r", "{s,i},{s,r}" },
	};

	return check_groupings(groupings, ARRAY_SIZE(groupings));
}

/* As option -G does it, without looking for the cgroups */
static int give_cgroups(struct evlist *evlist, const char *letters)
{
	bool regroup = topdown_written__restore(evlist);
	struct evsel *pos, *before;

	evlist__for_each_entry(evlist, pos) {
		char name[] = { *letters, '\0' };

		if (!*letters)
			break;
		letters++;
		evlist__for_each_entry(evlist, before) {
			if (before->cgrp && !strcmp(before->cgrp->name, name))
				pos->cgrp = cgroup__get(before->cgrp);
			if (before == pos)
				break;
		}
		if (!pos->cgrp && *name != '-')
			pos->cgrp = cgroup__new(name, /*do_open=*/false);
	}
	return regroup ? parse_events__regroup(evlist) : 0;
}

/*
 * A letter for each event that was written, - for none: each cgroup has its
 * slots, and gets the events that were meant, also when asked again.
 */
static int test__cgroups(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	static const struct {
		const char *list, *cgroups, *groups;
	} cases[] = {
		{ "r,c", "ab", "{s@a,r@a},c@b" },
		{ "r,b", "ab", "{s@a,r@a},{s@b,b@b}" },
		{ "r,b", "aa", "{s@a,r@a,b@a}" },
		{ "r,b", "a", "{s@a,r@a},{s,b}" },
		{ "r,c,b", "aba", "{s@a,r@a,b@a},c@b" },
		{ "s,i,r", "aba", "{s@a,r@a},i@b" },
		{ "s,i,r", "abb", "s@a,i@b,{s@b,r@b}" },
		{ "{i,r},b", "aaa", "{s@a,i@a,r@a,b@a}" },
		{ "{i,r},b", "aab", "{s@a,i@a,r@a},{s@b,b@b}" },
		{ "{i,s},{c,r}", "aabb", "{i@a,s@a},{s@b,c@b,r@b}" },
		{ "r,r", "ab", "{s@a,r@a},{s@b,r@b}" },
		{ "r:u,b:k", "aa", "{s:u@a,r:u@a},{s:k@a,b:k@a}" },
		{ "i,c", "ab", "i@a,c@b" },
		{ "{i,r}:D,{s,c}", "aabb", "{s@a,i@a,r@a},{s@b,c@b}" },
	};
	unsigned int i;
	int ret = TEST_OK;

	if (!pmu_with_slots())
		return TEST_SKIP;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct evlist *evlist = parse(cases[i].list);
		struct strbuf sb;
		struct evsel *pos;
		int nr = 0;

		TEST_ASSERT_VAL(cases[i].list, evlist);
		TEST_ASSERT_VAL("regrouped", !give_cgroups(evlist, cases[i].cgroups));
		TEST_ASSERT_VAL("regrouped again", !give_cgroups(evlist, ""));
		strbuf_init(&sb, 0);
		describe(&sb, evlist);
		evlist__for_each_entry(evlist, pos) {
			/* What only a leader may have is with the leader. */
			if (pos->core.attr.pinned && evsel__leader(pos) != pos)
				ret = TEST_FAIL;
			nr++;
		}
		if (strcmp(sb.buf, cases[i].groups) || nr != evlist->core.nr_entries) {
			pr_debug("%s became %s, not %s\n", cases[i].list, sb.buf,
				 cases[i].groups);
			ret = TEST_FAIL;
		}
		strbuf_release(&sb);
		evlist__delete(evlist);
	}
	return ret;
}

static int test__sampler(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	static const struct {
		const char *list;
		char sampler;
	} cases[] = {
		{ "{s,i,r}:S", 'i' },
		{ "{i,s,r}:S", 'i' },
		{ "{s,r,i}:S", 'i' },
		{ "{s,r,b,i}:S", 'i' },
		{ "{r,s,i}:S", 'i' },
		{ "{r,i,s}:S", 'i' },
		{ "{r,i}:S", 'i' },
		{ "{s,r,c,i}:S", 'c' },
		{ "{i,r,c,s}:S", 'i' },
		{ "{s,i}:S", 0 },
		{ "{s,r}:S", 0 },
		{ "{i,c}:S", 0 },
	};
	unsigned int i;

	if (!pmu_with_slots())
		return TEST_SKIP;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct evlist *evlist = parse(cases[i].list);
		struct evsel *sampler;

		TEST_ASSERT_VAL(cases[i].list, evlist);
		sampler = topdown_group__sampler(evlist, evlist__first(evlist));
		TEST_ASSERT_EQUAL(cases[i].list, letter_of(sampler), cases[i].sampler);
		evlist__delete(evlist);
	}
	return TEST_OK;
}

static struct test_case topdown_group_tests[] = {
	TEST_CASE_REASON("topdown_r15_completed", completed, "no PMU has slots"),
	TEST_CASE_REASON("topdown_r15_joined", joined, "no PMU has slots"),
	TEST_CASE_REASON("topdown_r15_apart", apart, "no PMU has slots"),
	TEST_CASE_REASON("topdown_r15_cgroups", cgroups, "no PMU has slots"),
	TEST_CASE_REASON("topdown_r15_as_written", as_written, "no PMU has slots"),
	TEST_CASE_REASON("topdown_r16_sampler", sampler, "no PMU has slots"),
	{ .name = NULL, }
};

struct test_suite suite__topdown_group = {
	.desc = "TopDown groups",
	.test_cases = topdown_group_tests,
};
