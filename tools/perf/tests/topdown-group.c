// SPDX-License-Identifier: GPL-2.0
/*
 * How lists of slots and topdown metrics are grouped, and which event samples.
 *
 * A letter stands for an event of a PMU that has slots: s for slots, r and b
 * for topdown-retiring and -bad-spec, i for instructions, c for cycles. The PMU
 * is made of files, and has the type that core PMUs with PERF_METRICS have.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/kernel.h>
#include <linux/list.h>
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

#define PMU_NAME	"topdown-test"

static const char *const pmu_files[][2] = {
	{ "type",			"4\n" },
	{ "format/event",		"config:0-7\n" },
	{ "format/umask",		"config:8-15\n" },
	{ "events/slots",		"event=0x00,umask=0x4\n" },
	{ "events/topdown-retiring",	"event=0x00,umask=0x80\n" },
	{ "events/topdown-bad-spec",	"event=0x00,umask=0x81\n" },
	{ "events/instructions",	"event=0xc0\n" },
	{ "events/cycles",		"event=0x3c\n" },
};

/**
 * struct slots_pmu - A PMU that has slots, on any machine
 * @dir: folder of its files
 * @pmu: what perf sees of them
 */
struct slots_pmu {
	char		dir[32];
	struct perf_pmu	*pmu;
};

static int write_file(int dirfd, const char *name, const char *text)
{
	ssize_t len = strlen(text);
	char path[64];
	int fd, ret;

	scnprintf(path, sizeof(path), PMU_NAME "/%s", name);
	fd = openat(dirfd, path, O_WRONLY | O_CREAT, 0600);
	if (fd < 0)
		return -1;
	ret = write(fd, text, len) == len ? 0 : -1;
	close(fd);
	return ret;
}

static int write_files(int dirfd)
{
	unsigned int i;

	if (mkdirat(dirfd, PMU_NAME, 0755) ||
	    mkdirat(dirfd, PMU_NAME "/format", 0755) ||
	    mkdirat(dirfd, PMU_NAME "/events", 0755))
		return -1;
	for (i = 0; i < ARRAY_SIZE(pmu_files); i++) {
		if (write_file(dirfd, pmu_files[i][0], pmu_files[i][1]))
			return -1;
	}
	return 0;
}

static void slots_pmu__put(struct slots_pmu *slots_pmu)
{
	char command[64];

	if (slots_pmu->pmu) {
		list_del(&slots_pmu->pmu->list);
		perf_pmu__delete(slots_pmu->pmu);
	}
	scnprintf(command, sizeof(command), "rm -fr %s", slots_pmu->dir);
	if (system(command))
		pr_debug("Failed to remove %s\n", slots_pmu->dir);
}

static int slots_pmu__get(struct slots_pmu *slots_pmu)
{
	int dirfd;

	memset(slots_pmu, 0, sizeof(*slots_pmu));
	scnprintf(slots_pmu->dir, sizeof(slots_pmu->dir), "/tmp/perf-topdown-test-XXXXXX");
	if (!mkdtemp(slots_pmu->dir))
		return -1;

	dirfd = open(slots_pmu->dir, O_DIRECTORY);
	if (dirfd >= 0) {
		if (!write_files(dirfd))
			slots_pmu->pmu = perf_pmus__add_test_pmu(dirfd, PMU_NAME);
		close(dirfd);
	}
	if (slots_pmu->pmu)
		return 0;

	slots_pmu__put(slots_pmu);
	return -1;
}

/* "{s:u,r}:S" to what perf takes on the command line */
static void spell(struct strbuf *sb, const char *letters)
{
	bool group = false;
	unsigned int i;

	for (; *letters; letters++) {
		for (i = 0; i < ARRAY_SIZE(events); i++) {
			if (events[i].letter == *letters)
				break;
		}
		if (i < ARRAY_SIZE(events)) {
			strbuf_addf(sb, PMU_NAME "/%s/", events[i].name);
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

/* Lists that are separated by blanks are parsed one by one, as options -e are. */
static int parse_lists(struct evlist *evlist, const char *letters)
{
	char *copy = strdup(letters), *rest = copy, *list;
	int ret = copy ? 0 : -ENOMEM;

	while (!ret && (list = strsep(&rest, " ")) != NULL) {
		struct parse_events_error err;
		struct strbuf sb;

		strbuf_init(&sb, 0);
		spell(&sb, list);
		parse_events_error__init(&err);
		ret = parse_events(evlist, sb.buf, &err);
		if (ret)
			parse_events_error__print(&err, sb.buf);
		parse_events_error__exit(&err);
		strbuf_release(&sb);
	}
	free(copy);
	return ret;
}

static struct evlist *parse(const char *letters)
{
	struct evlist *evlist = evlist__new();

	if (evlist && parse_lists(evlist, letters)) {
		evlist__delete(evlist);
		evlist = NULL;
	}
	return evlist;
}

/**
 * struct grouping - What becomes of a list
 * @list: as the user writes it
 * @groups: as it is opened
 * @how: what is asked for in between, if anything
 */
struct grouping {
	const char	*list;
	const char	*groups;
	const char	*how;
};

/* What is opened of a list, which is parsed and maybe changed by @change */
static bool becomes(const char *list, const char *groups,
		    int (*change)(struct evlist *evlist, const char *how), const char *how)
{
	struct evlist *evlist = parse(list);
	struct evsel *pos;
	bool same = false;
	struct strbuf sb;
	int nr = 0;

	if (!evlist) {
		pr_debug("%s is not parsed\n", list);
		return false;
	}
	strbuf_init(&sb, 0);
	if (!change || !change(evlist, how)) {
		describe(&sb, evlist);
		same = !strcmp(sb.buf, groups);
	}
	evlist__for_each_entry(evlist, pos) {
		/* What only a leader may have is with the leader. */
		if (pos->core.attr.pinned && evsel__leader(pos) != pos)
			same = false;
		nr++;
	}
	if (nr != evlist->core.nr_entries)
		same = false;
	if (!same)
		pr_debug("%s became %s, not %s\n", list, sb.buf, groups);
	strbuf_release(&sb);
	evlist__delete(evlist);
	return same;
}

static int check_groupings(const struct grouping *groupings, unsigned int nr,
			   int (*change)(struct evlist *evlist, const char *how))
{
	struct slots_pmu slots_pmu;
	int ret = TEST_OK;
	unsigned int i;

	TEST_ASSERT_VAL("PMU made of files", !slots_pmu__get(&slots_pmu));
	for (i = 0; i < nr; i++) {
		if (!becomes(groupings[i].list, groupings[i].groups, change, groupings[i].how))
			ret = TEST_FAIL;
	}
	slots_pmu__put(&slots_pmu);
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

	return check_groupings(groupings, ARRAY_SIZE(groupings), NULL);
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

	return check_groupings(groupings, ARRAY_SIZE(groupings), NULL);
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

	return check_groupings(groupings, ARRAY_SIZE(groupings), NULL);
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

	return check_groupings(groupings, ARRAY_SIZE(groupings), NULL);
}

/* As perf stat and perf record do once all options are parsed */
static int regroup(struct evlist *evlist, const char *how __maybe_unused)
{
	return topdown_written__restore(evlist) ? parse_events__regroup(evlist) : 0;
}

/* Several lists are one; what is done to one list may be done again. */
static int test__lists(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	static const struct grouping groupings[] = {
		{ "r b", "{s,r,b}" },
		{ "s r", "{s,r}" },
		{ "r s", "{s,r}" },
		{ "i r c b", "i,{s,r,b},c" },
		{ "{i,r} {c,b}", "{s,i,r,c,b}" },
		{ "{s,i} {s,c}", "{s,i},{s,c}" },
		{ "{c,i} r", "{c,i},{s,r}" },
		{ "{i,s} c r", "{s,i,r},c" },
		{ "r:u b:k b:u", "{s:u,r:u,b:u},{s:k,b:k}" },
		{ "r r", "{s,r},{s,r}" },
		{ "r b:X", "{s,r},b" },
		{ "{s,i}:D r", "{s,i,r}" },
		{ "s i", "s,i" },
		{ "r,b", "{s,r,b}" },
	};

	return check_groupings(groupings, ARRAY_SIZE(groupings), regroup);
}

/* As option -G does it, without looking for the cgroups */
static int give_cgroups_once(struct evlist *evlist, const char *letters)
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

static int give_cgroups(struct evlist *evlist, const char *letters)
{
	return give_cgroups_once(evlist, letters) ?: give_cgroups_once(evlist, "");
}

/*
 * A letter for each event that was written, - for none: each cgroup has its
 * slots, and gets the events that were meant, also when asked again.
 */
static int test__cgroups(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	static const struct grouping groupings[] = {
		{ "r,c", "{s@a,r@a},c@b", "ab" },
		{ "r,b", "{s@a,r@a},{s@b,b@b}", "ab" },
		{ "r,b", "{s@a,r@a,b@a}", "aa" },
		{ "r,b", "{s@a,r@a},{s,b}", "a" },
		{ "r,c,b", "{s@a,r@a,b@a},c@b", "aba" },
		{ "r c b", "{s@a,r@a,b@a},c@b", "aba" },
		{ "s,i,r", "{s@a,r@a},i@b", "aba" },
		{ "s,i,r", "s@a,i@b,{s@b,r@b}", "abb" },
		{ "{i,r},b", "{s@a,i@a,r@a,b@a}", "aaa" },
		{ "{i,r},b", "{s@a,i@a,r@a},{s@b,b@b}", "aab" },
		{ "{i,s},{c,r}", "{i@a,s@a},{s@b,c@b,r@b}", "aabb" },
		{ "r,r", "{s@a,r@a},{s@b,r@b}", "ab" },
		{ "r:u,b:k", "{s:u@a,r:u@a},{s:k@a,b:k@a}", "aa" },
		{ "i,c", "i@a,c@b", "ab" },
		{ "{i,r}:D,{s,c}", "{s@a,i@a,r@a},{s@b,c@b}", "aabb" },
	};

	return check_groupings(groupings, ARRAY_SIZE(groupings), give_cgroups);
}

/* Names without a PMU, which is the same for all */
static void strip_pmu(char *text)
{
	char *from = text, *to = text;

	while (*from) {
		if (strstarts(from, PMU_NAME "/"))
			from += strlen(PMU_NAME "/");
		else if (*from == '/')
			from++;
		else
			*to++ = *from++;
	}
	*to = '\0';
}

/* What is told of the groups; nothing if they are as they were written */
static int test__told(struct test_suite *test __maybe_unused, int subtest __maybe_unused)
{
	static const struct {
		const char *list, *cgroups, *told;
	} cases[] = {
		{ "r", "", "{slots,topdown-retiring}" },
		{ "i,r c", "", "instructions,{slots,topdown-retiring},cycles" },
		{ "r b", "", "{slots,topdown-retiring,topdown-bad-spec}" },
		{ "{i:u,s:u},r:u", "", "{slotsu,instructionsu,topdown-retiringu}" },
		{ "s,i,r", "", "{slots,topdown-retiring},instructions" },
		{ "r,b", "ab",
		  "{slots of a,topdown-retiring of a},{slots of b,topdown-bad-spec of b}" },
		{ "{s,r}", "", NULL },
		{ "{s,r},i c", "", NULL },
		{ "{s,r,b},c", "aaaa", NULL },
		{ "r:X", "", NULL },
		{ "i c", "", NULL },
	};
	struct slots_pmu slots_pmu;
	int ret = TEST_OK;
	unsigned int i;

	TEST_ASSERT_VAL("PMU made of files", !slots_pmu__get(&slots_pmu));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct evlist *evlist = parse(cases[i].list);
		char *told;

		if (!evlist || give_cgroups(evlist, cases[i].cgroups)) {
			ret = TEST_FAIL;
			evlist__delete(evlist);
			continue;
		}
		told = topdown_written__changed(evlist);
		if (told)
			strip_pmu(told);
		if (strcmp(told ?: "", cases[i].told ?: "")) {
			pr_debug("of %s is told: %s\n", cases[i].list, told ?: "nothing");
			ret = TEST_FAIL;
		}
		free(told);
		evlist__delete(evlist);
	}
	slots_pmu__put(&slots_pmu);
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
	struct slots_pmu slots_pmu;
	int ret = TEST_OK;
	unsigned int i;

	TEST_ASSERT_VAL("PMU made of files", !slots_pmu__get(&slots_pmu));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct evlist *evlist = parse(cases[i].list);
		char sampler;

		if (!evlist) {
			ret = TEST_FAIL;
			continue;
		}
		sampler = letter_of(topdown_group__sampler(evlist, evlist__first(evlist)));
		if (sampler != cases[i].sampler) {
			pr_debug("%s is sampled by %c\n", cases[i].list, sampler ?: '-');
			ret = TEST_FAIL;
		}
		evlist__delete(evlist);
	}
	slots_pmu__put(&slots_pmu);
	return ret;
}

static struct test_case topdown_group_tests[] = {
	TEST_CASE("topdown_r15_completed", completed),
	TEST_CASE("topdown_r15_joined", joined),
	TEST_CASE("topdown_r15_apart", apart),
	TEST_CASE("topdown_r15_lists", lists),
	TEST_CASE("topdown_r15_cgroups", cgroups),
	TEST_CASE("topdown_r15_as_written", as_written),
	TEST_CASE("topdown_r15_told", told),
	TEST_CASE("topdown_r16_sampler", sampler),
	{ .name = NULL, }
};

struct test_suite suite__topdown_group = {
	.desc = "TopDown groups",
	.test_cases = topdown_group_tests,
};
