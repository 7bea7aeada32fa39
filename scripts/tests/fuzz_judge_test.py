#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of fuzz_judge.py: what is right passes, each kind of wrong does not."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from fuzz_judge import Judge, Program  # noqa: E402

# Blocks of 10 instructions and 1 branch, then of 10 instructions and 5 branches.
KINDS = """K 10000 10000 10000 1000 1000 0 0 0 0 0 0
K 10000 10000 10000 5000 5000 0 0 0 0 0 0
"""
# Member 0 samples each 2000 branches unless 10000 instructions come first.
RATIO = """M 1 0 1 2000 0x2 0 1
M 1 1 0 10000 0x3 0 1
G 1 0 2
"""


def sample(block, time=None, number=0, insns=None, waited=0, group=1):
    time = block if time is None else time
    insns = 10 * block if insns is None else insns
    return f"S {group} {number} {time} {block} {time} {time - waited} {insns}\n"


def judged(*lines, group=RATIO):
    judge = Judge()
    for line in (KINDS + group + "".join(lines)).splitlines():
        judge.feed(line)
    judge.finish()
    return judge


class ProgramTest(unittest.TestCase):
    def setUp(self):
        judge = Judge()
        for line in KINDS.splitlines():
            judge.feed(line)
        self.program = Program(judge.kinds)

    def test_counts_across_kinds_and_cycles(self):
        self.assertEqual(self.program.between(0, 0, 20000, True), 200000)
        self.assertEqual(self.program.between(1, 9000, 11000, False), 6000)
        self.assertEqual(self.program.between(1, 5000, 45000, True), 120000)

    def test_begin_of_a_window(self):
        self.assertEqual(self.program.begin_of(1, 5000, 0, 15000), 14000)
        self.assertEqual(self.program.begin_of(1, 60000, 9000, 15000), 9000)

    def test_kinds_between(self):
        self.assertEqual(self.program.kinds_between(100, 9999), {0})
        self.assertEqual(self.program.kinds_between(9000, 10001), {0, 1})
        self.assertEqual(self.program.kinds_between(10001, 19999), {1})
        self.assertEqual(self.program.kinds_between(5, 90000), {0, 1})


class JudgeTest(unittest.TestCase):
    def wrong(self, judge, unjustified, broken=0):
        self.assertEqual(len(judge.unjustified), unjustified, judge.unjustified)
        self.assertEqual(len(judge.broken), broken, judge.broken)

    def test_where_the_ratio_is_high(self):
        judge = judged(sample(10400), sample(10800), sample(11200))
        self.wrong(judge, 0)
        self.assertEqual((judge.samples, judge.decided, judge.undecided.total()), (3, 2, 1))

    def test_where_it_is_low(self):
        self.wrong(judged(sample(2000), sample(4000)), 1)

    def test_once_more_after_a_gap(self):
        self.wrong(judged(sample(10400), sample(19900), sample(30400)), 0)
        self.wrong(judged(sample(10400), sample(19900), sample(29900)), 1)

    def test_too_early(self):
        self.wrong(judged(sample(10400), sample(10700)), 1)

    def test_a_group_that_waits(self):
        # It was away, and counted where the ratio is high, or cannot have.
        away = sample(30500, waited=5000, insns=300000)
        self.wrong(judged(sample(10400), away), 0)
        low = sample(8000, waited=3000, insns=50000)
        self.wrong(judged(sample(100), low), 1)

    def test_a_self_reload_never_samples(self):
        self.wrong(judged(sample(10400, number=1)), 1)

    def test_an_operation_leaves_it_undecided(self):
        judge = judged(sample(2000), "O 1 3000 3001 on 0 0\n", sample(4000))
        self.wrong(judge, 0)
        self.assertEqual(judge.undecided.total(), 2)
        self.wrong(judged(sample(2000), "O 1 3000 3001 on 0 0\n", sample(4000),
                          sample(6000)), 1)

    def test_a_sample_during_an_operation(self):
        judge = judged(sample(2000), "O 1 3000 5000 on 0 0\n", sample(4000),
                       sample(6000))
        self.wrong(judge, 0)
        self.assertEqual(judge.decided, 0)

    def test_the_first_sample_behind_an_operation(self):
        group = RATIO.replace("G 1 0 2", "M 1 2 0 1000 0x0 0 1\nG 1 0 3")
        late = judged(sample(100, number=2), sample(2200), group=group)
        self.wrong(late, 1)
        early = judged(sample(300, number=2), sample(2200), group=group)
        self.wrong(early, 0)
        self.assertEqual(early.undecided["first behind an operation"], 2)

    def test_without_a_cause_that_runs_there_is_nothing_to_decide(self):
        off = judged("O 1 100 101 off 1 0\n", sample(2000), sample(4000))
        self.assertEqual((off.decided, off.undecided.total()), (1, 1))

    def test_who_is_off_reloads_nobody(self):
        off = "O 1 100 101 off 1 0\n"
        self.wrong(judged(off, sample(2000), sample(4000)), 0)
        self.wrong(judged(off, "O 1 102 103 on 1 0\n", sample(2000), sample(4000)), 1)

    def test_who_is_throttled_reloads_nobody(self):
        off = "O 1 100 100 throttle 1 0\n"
        self.wrong(judged(off, sample(2000), sample(4000)), 0)
        self.wrong(judged(off, "O 1 110 110 unthrottle 1 0\n", sample(2000),
                          sample(4000)), 1)

    def test_a_new_period(self):
        longer = "O 1 100 101 period 1 30000\n"
        self.wrong(judged(longer, sample(2000), sample(4000)), 0)

    def test_a_closed_leader_ends_the_group(self):
        close = "O 1 100 101 close 0 0\n"
        self.wrong(judged(close, sample(2000, number=1), sample(3000, number=1)), 0)
        self.wrong(judged(close, sample(2000, number=1), sample(2500, number=1)), 1)

    def test_a_cause_that_others_reload(self):
        group = "M 1 0 1 2000 0x2 0 1\nM 1 1 0 10000 {} 0 1\nM 1 2 0 300 0x1 0 1\n"
        samples = sample(2000), sample(4000)
        self.wrong(judged(*samples, group=group.format("0x7")), 0)
        self.wrong(judged(*samples, group=group.format("0x3")), 1)

    def test_lost_and_invented_counts(self):
        self.wrong(judged(sample(10400), sample(10800, insns=107000)), 0, 1)
        self.wrong(judged(sample(10400), sample(10800, insns=110000)), 0, 1)
        self.wrong(judged(sample(10400), sample(10800, insns=107000, waited=100)),
                   0, 0)

    def test_what_must_not_be(self):
        self.wrong(judged("X something\n"), 0, 1)
        self.wrong(judged("S 1 nonsense\n"), 0, 1)
        self.wrong(judged("N 3 4\n", "perf said this\n", "\n"), 0, 0)


if __name__ == "__main__":
    unittest.main()
