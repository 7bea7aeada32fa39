// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of dynamic constraints: narrowing, and the assignment of counters
 * where perf_assign_events() finds none.
 *
 * Whether an assignment exists is decided by two oracles that have nothing in
 * common with the search for augmenting paths: the sets of counters that the
 * first events can occupy, and Hall's condition. The tests run on any CPU.
 */
#include <kunit/test.h>

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "../constraint.h"
#include "../perf_event.h"

#define FIXED(n)	BIT_ULL(INTEL_PMC_IDX_FIXED + (n))
#define METRIC(n)	BIT_ULL(INTEL_PMC_IDX_METRIC_BASE + (n))

/* E-cores of Arrow Lake: GP2-7 and FX1 can be reloaded and cause a reload */
#define SKYMONT_ACR	(0xfc | FIXED(1))

#define MAX_EVENTS	10

/*
 * struct schedule - Events that want counters
 * @con:	what x86_schedule_events() knows about each event
 * @list:	the same, as it is passed on
 * @n:		number of events
 * @rnd:	state of the pseudo-random choices
 * @saved:	schedules so far that perf_assign_events() did not find
 * @none:	schedules so far that do not exist
 */
struct schedule {
	struct event_constraint	con[MAX_EVENTS];
	struct event_constraint	*list[MAX_EVENTS];
	int			n;
	struct rnd_state	rnd;
	unsigned int		saved;
	unsigned int		none;
};

static int constraint_test_init(struct kunit *test)
{
	struct schedule *s;

	s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s);
	prandom_seed_state(&s->rnd, 6);
	test->priv = s;

	return 0;
}

static u32 below(struct schedule *s, u32 limit)
{
	return prandom_u32_state(&s->rnd) % limit;
}

static void set_event(struct schedule *s, int i, u64 mask)
{
	s->con[i] = (struct event_constraint){
		.idxmsk64	= mask,
		.weight		= hweight64(mask),
	};
	s->list[i] = &s->con[i];
}

static bool greedy_finds(struct schedule *s)
{
	int i, wmin = X86_PMC_IDX_MAX, wmax = 0;

	for (i = 0; i < s->n; i++) {
		wmin = min(wmin, s->con[i].weight);
		wmax = max(wmax, s->con[i].weight);
	}

	return !perf_assign_events(s->list, s->n, wmin, wmax, X86_PMC_IDX_MAX,
				   NULL);
}

/* No assertion in here unless it fails: there are millions of schedules */
static void expect_match(struct kunit *test, struct schedule *s, bool exists)
{
	int assign[MAX_EVENTS], i, ret;
	u64 used = 0;

	ret = x86_match_events(s->list, s->n, assign);
	if (ret != (exists ? 0 : s->n))
		goto fail;
	if (ret) {
		s->none++;
		return;
	}

	for (i = 0; i < s->n; i++) {
		u64 bit = BIT_ULL(assign[i]);

		if (!(s->con[i].idxmsk64 & bit) || used & bit)
			goto fail;
		used |= bit;
	}

	s->saved += !greedy_finds(s);

	return;
fail:
	for (i = 0; i < s->n; i++)
		kunit_info(test, "event %d: counters %#llx, assigned %d\n", i,
			   s->con[i].idxmsk64, ret ? -1 : assign[i]);
	KUNIT_FAIL_AND_ABORT(test, "%d, but an assignment %s", ret,
			     exists ? "exists" : "does not exist");
}

static void narrow_test(struct kunit *test)
{
	struct event_constraint wide = { .idxmsk64 = 0x2000000ffULL, .weight = 9 };
	struct event_constraint entry = {}, *c;

	c = x86_narrow_constraint(&wide, &entry, ~0ULL);
	KUNIT_EXPECT_PTR_EQ(test, c, &wide);
	KUNIT_EXPECT_EQ(test, entry.weight, 0);

	c = x86_narrow_constraint(&wide, &entry, SKYMONT_ACR);
	KUNIT_ASSERT_PTR_EQ(test, c, &entry);
	KUNIT_EXPECT_EQ(test, c->idxmsk64, 0x2000000fcULL);
	KUNIT_EXPECT_EQ(test, c->weight, 7);
	KUNIT_EXPECT_TRUE(test, c->flags & PERF_X86_EVENT_DYNAMIC);
	KUNIT_EXPECT_EQ(test, wide.idxmsk64, 0x2000000ffULL);
	KUNIT_EXPECT_FALSE(test, wide.flags & PERF_X86_EVENT_DYNAMIC);

	/* Together with the first four counters of the branch counters */
	c = x86_narrow_constraint(c, &entry, 0xf);
	KUNIT_EXPECT_EQ(test, c->idxmsk64, 0xcULL);
	KUNIT_EXPECT_EQ(test, c->weight, 2);

	c = x86_narrow_constraint(c, &entry, 0x3);
	KUNIT_EXPECT_EQ(test, c->weight, 0);
}

/* Masks that overlap without one being a subset of the other */
static void acr_b30_match_overlap(struct kunit *test)
{
	struct schedule *s = test->priv;

	/* The greedy search gives counter 2 to the first and has none left */
	set_event(s, 0, 0xc);
	set_event(s, 1, 0x7);
	set_event(s, 2, 0x7);
	set_event(s, 3, 0x7);
	s->n = 4;
	KUNIT_EXPECT_FALSE(test, greedy_finds(s));
	expect_match(test, s, true);
	KUNIT_EXPECT_EQ(test, x86_match_events(s->list, s->n, NULL), 0);

	/* One more than there are counters, and not even one counter */
	set_event(s, 4, 0xf);
	s->n = 5;
	expect_match(test, s, false);
	KUNIT_EXPECT_EQ(test, x86_match_events(s->list, s->n, NULL), s->n);

	set_event(s, 0, 0);
	s->n = 1;
	expect_match(test, s, false);
}

/* Counters of the exhaustive tests, and sets of sets of them: 64 bits */
#define FEW		6

/*
 * Bit u of @sets: the events so far can occupy exactly the counters in u. One
 * more event adds one counter to each.
 */
static u64 occupy(u64 sets, u64 mask)
{
	static const u64 without[FEW] = {
		0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
		0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff,
	};
	u64 more = 0;
	int i;

	for (i = 0; i < FEW; i++) {
		if (mask & BIT_ULL(i))
			more |= (sets & without[i]) << BIT_ULL(i);
	}

	return more;
}

/* Up to four events on four counters, in each order of both */
static void acr_b30_match_all_orders(struct kunit *test)
{
	struct schedule *s = test->priv;
	u32 masks;
	u64 sets;
	int i;

	for (s->n = 1; s->n <= 4; s->n++) {
		for (masks = 0; masks < BIT(4 * s->n); masks++) {
			sets = BIT_ULL(0);
			for (i = 0; i < s->n; i++) {
				set_event(s, i, (masks >> 4 * i) & 0xf);
				sets = occupy(sets, s->con[i].idxmsk64);
			}
			expect_match(test, s, sets);
		}
	}

	KUNIT_EXPECT_NE(test, s->none, 0);
	KUNIT_EXPECT_NE(test, s->saved, 0);
}

/*
 * The first @n events are chosen, and counters with a bit in @same equal to
 * that of their upper neighbour are in the same masks. Choose one more event.
 */
struct choice {
	u64	mask[FEW];
	int	n;
	u64	same;
};

/* Events and counters in an order of their own for each choice */
static void expect_shuffled(struct kunit *test, const struct choice *choice,
			    bool exists)
{
	struct schedule *s = test->priv;
	int counter[FEW], event[FEW], i, j;

	for (i = 0; i < FEW; i++) {
		j = below(s, i + 1);
		counter[i] = counter[j];
		counter[j] = i;
	}
	for (i = 0; i < choice->n; i++) {
		j = below(s, i + 1);
		event[i] = event[j];
		event[j] = i;
	}

	for (i = 0; i < choice->n; i++) {
		u64 mask = 0;

		for (j = 0; j < FEW; j++) {
			if (choice->mask[event[i]] & BIT_ULL(j))
				mask |= BIT_ULL(counter[j]);
		}
		set_event(s, i, mask);
	}
	s->n = choice->n;
	expect_match(test, s, exists);
}

/*
 * Masks that differ in the names of events and counters only are tried once:
 * any of them can be sorted so that no mask is below the one before, and among
 * counters that the masks before do not tell apart the lower ones come first.
 */
static void choose_events(struct kunit *test, const struct choice *before,
			  u64 sets)
{
	struct choice choice = *before;
	int n = before->n;
	u64 mask;

	if (n)
		expect_shuffled(test, before, sets);
	if (n == FEW)
		return;

	choice.n++;
	for (mask = n ? before->mask[n - 1] : 0; mask < BIT(FEW); mask++) {
		if (before->same & ~mask & (mask >> 1))
			continue;
		choice.mask[n] = mask;
		choice.same = before->same & ~(mask ^ (mask >> 1));
		choose_events(test, &choice, occupy(sets, mask));
	}
}

/* Up to six events on six counters */
static void acr_b30_match_exhaustive(struct kunit *test)
{
	const struct choice none = { .same = BIT(FEW - 1) - 1 };
	struct schedule *s = test->priv;

	choose_events(test, &none, BIT_ULL(0));

	KUNIT_EXPECT_NE(test, s->none, 0);
	KUNIT_EXPECT_NE(test, s->saved, 0);
}

/*
 * struct core - Masks of counters that can meet on one type of core
 * @name:	of the test
 * @events:	constraints of single events
 * @dynamic:	what narrows some of them
 * @hard:	perf_assign_events() is known not to find everything here
 */
struct core {
	const char	*name;
	u64		events[8];
	u64		dynamic[4];
	bool		hard;
};

static const struct core cores[] = {
	{
		.name		= "skymont",
		.events		= { 0xff, 0xff | FIXED(0), 0xff | FIXED(1),
				    0xff | FIXED(2), 0x3, 0xff | FIXED(4),
				    0x1 | FIXED(0), 0xff | FIXED(5) },
		/* Auto counter reload, branch counters, both, and none */
		.dynamic	= { SKYMONT_ACR, 0xf, 0xf & SKYMONT_ACR, ~0ULL },
		.hard		= true,
	}, {
		.name		= "lion cove",
		.events		= { 0x3ff, 0x3fc, 0xf, 0x3, 0x1, 0x100,
				    0x3ff | FIXED(0), FIXED(3) },
		.dynamic	= { 0xf, 0x7c, 0x3f0, ~0ULL },
	}, {
		.name		= "golden cove",
		.events		= { 0xff, 0xf, 0x1, 0xff | FIXED(0), FIXED(3),
				    METRIC(0), METRIC(1), 0x2 },
		.dynamic	= { 0xf, 0x3c, 0xf0, ~0ULL },
	}, {
		.name		= "separate sets",
		.events		= { 0xff, 0x3f, 0xff | FIXED(0), 0xf0, 0x3c,
				    0xff | FIXED(1), 0xff, 0xfe },
		.dynamic	= { 0x7, 0xc, 0x70 | FIXED(1), 0x1c },
		.hard		= true,
	}
};

KUNIT_ARRAY_PARAM_DESC(core, cores, name);

/* Hall: each set of events needs at least as many counters */
static bool hall_holds(const struct schedule *s)
{
	u32 set;
	int i;

	for (set = 1; set < BIT(s->n); set++) {
		u64 counters = 0;

		for (i = 0; i < s->n; i++) {
			if (set & BIT(i))
				counters |= s->con[i].idxmsk64;
		}
		if (hweight64(counters) < hweight32(set))
			return false;
	}

	return true;
}

static void acr_b30_match_real_masks(struct kunit *test)
{
	const struct core *core = test->param_value;
	struct schedule *s = test->priv;
	int round, i;

	for (round = 0; round < 3000; round++) {
		s->n = 1 + below(s, MAX_EVENTS);
		for (i = 0; i < s->n; i++) {
			u64 mask = core->events[below(s, ARRAY_SIZE(core->events))];

			if (below(s, 2))
				mask &= core->dynamic[below(s, ARRAY_SIZE(core->dynamic))];
			set_event(s, i, mask);
		}
		expect_match(test, s, hall_holds(s));
	}

	KUNIT_EXPECT_NE(test, s->none, 0);
	KUNIT_EXPECT_TRUE(test, s->saved || !core->hard);
}

static struct kunit_case constraint_test_cases[] = {
	KUNIT_CASE(narrow_test),
	KUNIT_CASE(acr_b30_match_overlap),
	KUNIT_CASE(acr_b30_match_all_orders),
	KUNIT_CASE_SLOW(acr_b30_match_exhaustive),
	KUNIT_CASE_PARAM(acr_b30_match_real_masks, core_gen_params),
	{}
};

static struct kunit_suite constraint_test_suite = {
	.name		= "x86_constraint",
	.init		= constraint_test_init,
	.test_cases	= constraint_test_cases,
};

kunit_test_suite(constraint_test_suite);

MODULE_DESCRIPTION("KUnit tests of dynamic constraints and counter assignment");
MODULE_LICENSE("GPL");
