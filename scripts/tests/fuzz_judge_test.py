#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of fuzz_judge.py: what is right passes, each kind of wrong does not.

A machine of its own counts and reloads block by block, without knowing anything of
how the judge does it. Right runs of it are justified to the last sample. Others are
not: of a machine with a fault, and with a sample moved, left out, or made up.
"""

import os
import random
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from fuzz_judge import Judge  # noqa: E402
from fuzz_program import Clock, Kinds  # noqa: E402

# Blocks of 10 instructions and 1 branch, then of 10 instructions and 5 branches, one
# of which is mispredicted by chance.
RATES = ((10, 1, 1, 0, 0), (10, 5, 1, 2, 0.5))
KINDS = """K 10000 10000 10000 1000 1000 1000 1000 0 0 0 0
K 10000 10000 10000 5000 5000 1000 1000 2000 2000 0 1000
"""
# Member 0 samples each 2000 branches unless 10000 instructions come first.
RATIO = [(1, 2000, 0x2), (0, 10000, 0x3)]


class Machine:
    """One thread of the program, and one group that counts it."""

    def __init__(self, members, faults=()):
        self.members = [list(member) for member in members]
        self.periods = [member[1] for member in members]
        self.active = [len(member) < 4 or member[3] for member in members]
        self.counts = [0] * len(members)
        self.faults = faults
        self.block = self.insns = self.misses = self.time = 0
        self.enabled = self.running = 0
        self.runs = True
        self.misses_of = random.Random(1)
        self.lines = [f"M 1 {i} {m[0]} {m[1]} {m[2]:#x} 0 {int(on)}"
                      for i, (m, on) in enumerate(zip(members, self.active))]
        self.lines.append(f"G 1 0 {len(members)} 0 0")

    def count(self, rates):
        for i, member in enumerate(self.members):
            self.counts[i] += rates[member[0]] if self.active[i] else 0
        over = [i for i, period in enumerate(self.periods)
                if self.active[i] and self.counts[i] >= period]
        for i in over:
            self.counts[i] -= self.periods[i]
        for i in over:
            if not self.members[i][2] >> i & 1 or "samples itself" in self.faults:
                self.sample(i)
            for other, member in enumerate(self.members):
                if member[2] >> i & 1 and other != i and other not in over and \
                        ("deaf", other) not in self.faults:
                    self.counts[other] = 0
                if ("stale", other, i) in self.faults:
                    self.counts[other] = 0

    def sample(self, number):
        self.lines.append(
            f"S 1 {number} {self.time} {self.block} {self.enabled} {self.running}"
            f" {self.insns} {self.misses}")

    def step(self):
        self.time += 10
        self.enabled += 10
        rest = self.block % 20000
        if not rest % 10000 and self.runs:
            self.insns += 3 + (self.block > 0 and not rest)
            self.count([3, 0, 0, 0, 0])
        if self.runs:
            rates = list(RATES[rest >= 10000])
            if rates[4]:
                rates[4] = self.misses_of.randint(0, 1)
            self.running += 10
            self.insns += rates[0]
            self.misses += rates[4]
            self.count(rates)
        self.block += 1

    def run(self, blocks):
        for _ in range(blocks):
            self.step()
        return self

    def wait(self, blocks):
        """Others have the counters."""
        self.runs = False
        self.run(blocks)
        self.runs = True
        return self

    def pause(self, blocks, number, read=False):
        """It is throttled, and may be read meanwhile."""
        self.lines.append(f"O 1 {self.time} {self.time} throttle {number} 0 0 0")
        running = self.running
        for part in (blocks // 3, blocks - blocks // 3):
            self.wait(part)
            self.running = running = running + 10 * part
            if read:
                self.read()
        self.lines.append(f"O 1 {self.time} {self.time} unthrottle {number} 0 0 0")
        return self

    def read(self):
        self.lines.append(f"R 1 {self.time + 5} {self.block} {self.block}"
                          f" {self.enabled} {self.running} {self.insns} {self.misses}")
        return self

    def operate(self, what, number, value=0, before=0, after=0):
        """It takes @before blocks until it is done, and @after then to return."""
        time, block = self.time, self.block
        self.run(before)
        if what in ("on", "off"):
            self.active[number] = what == "on"
        elif what == "period":
            self.periods[number], self.counts[number] = value, 0
        elif what == "restart":
            self.counts = [0] * len(self.counts)
        elif what == "close":
            self.active[number] = False
        self.run(after)
        self.lines.append(f"O 1 {time + 1} {self.time + 2} {what} {number} {value}"
                          f" {block} {self.block}")
        return self

    def judge(self, change=None):
        lines = list(self.lines)
        if change:
            change(lines)
        judge = Judge()
        for line in KINDS.splitlines() + lines:
            judge.feed(line)
        judge.finish()
        return judge

    def samples(self):
        return [i for i, line in enumerate(self.lines) if line[0] == "S"]


class ProgramTest(unittest.TestCase):
    def setUp(self):
        judge = Judge()
        for line in KINDS.splitlines():
            judge.feed(line)
        self.kinds = Kinds(judge.kinds)

    def test_positions(self):
        self.assertEqual(self.kinds.position(0), 3)
        self.assertEqual(self.kinds.position(10000), 100006)
        self.assertEqual(self.kinds.position(20000), 200010)

    def test_counts_across_kinds_and_cycles(self):
        clock = Clock(self.kinds, [(0, 0, 0)], 10**6)
        least, most = clock.between(1, 0, 200007)
        self.assertLessEqual(least, 60000)
        self.assertGreaterEqual(most, 60000)
        self.assertLess(most - least, 20)

    def test_what_was_missed_somewhere(self):
        # Up to 50000 instructions of the first kind or of the second
        clock = Clock(self.kinds, [(0, 0, 50000)], 10**6)
        least, most = clock.between(1, 0, 100000)
        self.assertAlmostEqual(least, 10000, delta=20)
        self.assertAlmostEqual(most, 30000, delta=20)

    def test_when_a_number_is_reached(self):
        clock = Clock(self.kinds, [(0, 0, 0)], 10**6)
        self.assertAlmostEqual(clock.earliest(1, 3, 5000), 50003, delta=20)
        self.assertAlmostEqual(clock.latest(1, 3, 5000), 50003, delta=20)
        self.assertEqual(clock.latest(1, 3, 10**7), float("inf"))

    def test_mispredictions_between_marks(self):
        marks = [(100006, 0), (120006, 1010), (140006, 2000)]
        clock = Clock(self.kinds, [(0, 0, 0)], 10**6, marks)
        self.assertEqual(clock.between(4, 100006, 140006), (2000, 2000))
        least, most = clock.between(4, 100006, 130006)
        self.assertLess(abs(least - 1510), 100)
        self.assertLess(abs(most - 1510), 100)
        self.assertGreater(most - least, 20)


class JudgeTest(unittest.TestCase):
    def right(self, machine, undecided=0):
        judge = machine.judge()
        self.assertGreater(judge.samples, 3)
        self.assertEqual((judge.unjustified, judge.broken), ([], []))
        self.assertEqual(judge.samples - judge.decided, undecided,
                         judge.undecided)

    def wrong(self, machine, change=None):
        judge = machine.judge(change)
        self.assertGreater(len(judge.unjustified), 0)

    def test_where_the_ratio_is_high(self):
        machine = Machine(RATIO).run(50000)
        self.right(machine)
        self.assertTrue(all(int(machine.lines[i].split()[4]) % 20000 >= 10000
                            for i in machine.samples()))

    def test_each_sample_that_is_moved_left_out_or_made_up(self):
        machine = Machine(RATIO).run(25000)
        for i in machine.samples()[:-1]:
            words = machine.lines[i].split()
            late = list(words)
            for word, more in ((3, 300), (4, 30), (5, 300), (6, 300), (7, 300)):
                late[word] = str(int(words[word]) + more)

            def move(lines, at=i, line=" ".join(late)):
                lines[at] = line

            def leave_out(lines, at=i):
                del lines[at]

            def make_up(lines, line=" ".join(late)):
                lines.append(line)

            for change in move, leave_out, make_up:
                with self.subTest(at=i, change=change.__name__):
                    self.wrong(machine, change)

    def test_a_cause_that_does_not_reload(self):
        self.wrong(Machine(RATIO, [("deaf", 0)]).run(25000))

    def test_one_that_reloads_and_is_none(self):
        group = RATIO + [(2, 700, 0)]
        self.right(Machine(group).run(25000))
        self.wrong(Machine(group, [("stale", 1, 2)]).run(25000))

    def test_a_self_reload_never_samples(self):
        self.wrong(Machine(RATIO, ["samples itself"]).run(25000))

    def test_three_members_and_causes_that_others_reload(self):
        group = [(1, 2000, 0x6), (0, 10000, 0x7), (2, 770, 0x6)]
        # One of them when the kinds change, and two are due
        self.right(Machine(group).run(50000), 1)
        for other, cause in ((0, 2), (1, 0), (2, 1)):
            with self.subTest(other=other, cause=cause):
                wrong = [list(member) for member in group]
                wrong[other][2] &= ~(1 << cause)
                machine = Machine(wrong).run(50000)
                if machine.lines[4:] == Machine(group).run(50000).lines[4:]:
                    continue
                machine.lines[:3] = Machine(group).lines[:3]
                self.wrong(machine)

    def test_two_that_always_overflow_together(self):
        self.right(Machine([(1, 2000, 0x2), (1, 2000, 0x3), (0, 9000, 0x7)]
                           ).run(50000))

    def test_throttled_amid_the_samples_of_one_interrupt(self):
        machine = Machine([(1, 2000, 0x2), (1, 2000, 0x1)]).run(8000)

        def throttle(lines):
            i = [i for i, line in enumerate(lines) if line.startswith("S 1 1")][2]
            words = lines[i].split()
            time = int(words[3])
            words[3] = str(time + 4)
            lines[i:i + 1] = [f"O 1 {time + 2} {time + 2} throttle 0 0 0 0",
                              " ".join(words)]
            lines.append(f"O 1 {time + 6} {time + 6} unthrottle 0 0 0 0")

        judge = machine.judge(throttle)
        self.assertEqual(judge.unjustified + judge.broken, [])
        self.assertEqual(judge.decided, len(machine.samples()))

    def test_mispredictions(self):
        machine = Machine([(0, 21000, 0x2), (4, 1000, 0x3)])
        for _ in range(40):
            machine.run(1000).read()
        self.right(machine)
        machine.members[0][2] = 0
        for _ in range(40):
            machine.run(1000).read()
        self.wrong(machine)

    def test_a_group_that_waits(self):
        machine = Machine(RATIO).run(12000)
        for length in (40, 300, 2500, 45000):
            machine.wait(length).run(3000)
        judge = machine.judge()
        self.assertEqual((judge.unjustified, judge.broken), ([], []))
        self.assertGreater(judge.decided, judge.samples * 0.8)
        for number in (0, 4, 9):
            self.wrong(machine, lambda lines, at=machine.samples()[number]:
                       lines.pop(at))

    def test_a_group_that_waited_where_it_cannot_have_sampled(self):
        machine = Machine(RATIO, [("deaf", 0)]).run(2500).wait(2000).run(3000)
        self.wrong(machine)

    def test_a_group_that_pauses(self):
        machine = Machine(RATIO)
        while len(machine.samples()) < 3:
            machine.run(1)
        machine.pause(3333, 0).run(30000)
        self.right(machine)

    def test_a_group_that_is_read_while_it_pauses(self):
        machine = Machine(RATIO)
        while len(machine.samples()) < 3:
            machine.run(1)
        machine.pause(3333, 0, read=True).run(30000)
        self.right(machine)

    def test_operations(self):
        machine = Machine(RATIO).run(18000)
        machine.operate("off", 1, before=5, after=3).run(7000)
        machine.operate("on", 1, before=2, after=9).run(7000)
        machine.operate("period", 1, 30000, 1, 1).run(30000)
        machine.operate("reset", 0).run(3000)
        machine.operate("restart", 0, 0, 3, 3).run(30000)
        self.right(machine)
        for what in "off", "on", "period":
            with self.subTest(what=what):
                self.wrong(machine, lambda lines, what=what: lines.remove(
                    next(line for line in lines if f" {what} " in line)))

    def test_samples_during_an_operation(self):
        machine = Machine(RATIO).run(11000).operate("off", 0, 0, 600, 0)
        machine.run(5).operate("on", 0, 0, 1, 600).run(20000)
        self.right(machine)
        # While its period changes, it cannot be told how much it has counted
        machine = Machine(RATIO).run(11111).operate("period", 0, 2100, 150, 150)
        machine.run(30000)
        judge = machine.judge()
        self.assertEqual(judge.unjustified, [])
        self.assertLess(judge.samples - judge.decided, 3)

    def test_what_reloads_during_an_operation(self):
        # Before it is done, once more
        machine = Machine(RATIO).run(9900).operate("off", 1, 0, 300, 0).run(10000)
        self.right(machine)
        machine = Machine(RATIO, [("deaf", 0)]).run(9900)
        self.wrong(machine.operate("off", 1, 0, 300, 0).run(10000))

    def test_samples_of_a_member_that_is_closed(self):
        # Nobody reads them any more, but they have reloaded
        machine = Machine([(1, 3000, 0x2), (1, 700, 0)]).run(10500)
        first = len(machine.lines)
        machine.operate("close", 1, 0, 700, 0)
        machine.lines[first:] = [line for line in machine.lines[first:]
                                 if not line.startswith("S 1 1")]
        self.right(machine.run(5000))

    def test_samples_one_after_the_other_before_a_pause(self):
        machine = Machine([(1, 2000, 0x2), (1, 2055, 0)]).run(12000).read()
        while not machine.run(1).lines[-1].startswith("S 1 1"):
            pass
        self.right(machine.pause(20000 - machine.block + 1000, 1).run(9000))

    def test_buffers_that_are_read_one_after_the_other(self):
        machine = Machine([(1, 3000, 0x2), (0, 11000, 0)]).run(11000).read().run(9000)
        last = [i for i in machine.samples()
                if machine.lines[i].startswith("S 1 1")][-3]
        del machine.lines[last]
        self.right(machine)

    def test_a_group_that_stays_off(self):
        machine = Machine(RATIO).run(13000)
        machine.active = [False, False]
        machine.runs = False
        machine.operate("off", 0, 0, 5, 5)
        for _ in range(2):
            machine.run(3000)
            machine.enabled = machine.running
            machine.read()
        self.right(machine)

    def test_a_member_that_is_off_from_the_begin(self):
        machine = Machine([RATIO[0], (*RATIO[1], False)]).run(15000)
        self.right(machine)
        self.wrong(machine, lambda lines: lines.__setitem__(1, lines[1][:-1] + "1"))

    def test_what_nothing_reloads(self):
        machine = Machine([(1, 2000, 0), (2, 3000, 0)]).run(50000)
        self.right(machine)
        machine.periods[0] = 1900
        self.wrong(machine.run(50000))

    def test_a_closed_leader_ends_the_group(self):
        machine = Machine([(0, 9000, 0), (1, 2000, 0x6), (2, 500, 0x4)]).run(10500)
        machine.operate("close", 0)
        machine.members[1][2] = 0
        self.right(machine.run(10000))
        machine.periods[1] = 1800
        self.wrong(machine.run(30000))

    def test_lost_records_leave_it_undecided(self):
        machine = Machine(RATIO).run(12500)
        time = machine.time
        del machine.lines[machine.samples()[-1]]
        machine.lines.append(f"O 1 {time} {time} lost 0 0 0 0")
        judge = machine.run(15000).judge()
        self.assertEqual(judge.unjustified, [])
        self.assertGreater(judge.samples, judge.decided)

    def test_a_sample_in_a_system_call(self):
        machine = Machine(RATIO).run(30000)
        at = machine.samples()[2]
        words = machine.lines[at].split()
        words[4] = str(2**64 - 1)
        machine.lines[at] = " ".join(words)
        self.right(machine)

    def test_lost_and_invented_counts(self):
        for more in -400, 400:
            machine = Machine(RATIO).run(11000)
            machine.insns += more
            judge = machine.run(1000).judge()
            self.assertGreater(len(judge.broken), 0)
        machine = Machine(RATIO).run(11000)
        machine.running += 10**6
        self.assertGreater(len(machine.run(1000).judge().broken), 0)

    def test_what_must_not_be(self):
        for lines, broken in (["X something"], 1), (["S 1 nonsense"], 1), \
                (["S 2 0 1 1 1 1 1 1"], 1), (["N 3 4", "perf said this", ""], 0):
            judge = Machine(RATIO).judge(lambda all_lines, lines=lines:
                                         all_lines.extend(lines))
            self.assertEqual(len(judge.broken), broken, judge.broken)


if __name__ == "__main__":
    unittest.main()
