#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The oracle of auto counter reload, against examples done by hand."""

import os
import re
import sys
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, TOP + "/scripts")
from checks import reload_oracle as oracle  # noqa: E402

CODE = TOP + "/tools/testing/machine/workloads/reload_code.S"


def instructions():
    """(label in front, text) of each instruction that has a number."""
    found, label, repeat = [], None, 1
    with open(CODE, encoding="utf-8") as code:
        lines = code.readlines()
    for line in lines:
        line = line.split("#")[0].strip()
        if line.endswith(":"):
            label = line[:-1]
        elif line.startswith(".rept"):
            repeat = int(line.split()[1])
        elif line == ".endr":
            repeat = 1
        elif line.startswith("insn"):
            for _ in range(repeat):
                found.append((label, line.split(None, 1)[1]))
                label = None
    return found


class Code(unittest.TestCase):
    def test_numbers_are_those_of_the_program(self):
        listed = {label: number for number, (label, _) in
                  enumerate(instructions()) if label}
        self.assertEqual(listed, {
            "read": 0, "next": oracle.NEXT, "reload_many": oracle.MANY,
            "reload_few": oracle.FEW, "reload_yield": oracle.YIELD})

    def test_loops_have_one_branch_at_their_end(self):
        code = [text for _, text in instructions()]
        for first, length in oracle.LOOPS.values():
            branches = [bool(re.match("j|syscall", text))
                        for text in code[first:first + length]]
            self.assertEqual(branches, [False] * (length - 1) + [True])


class Samples(unittest.TestCase):
    def test_software_restarts_a_member_without_a_mask(self):
        # 12 instructions in front, then one of four, three times
        steps = oracle.steps_of(1, ["few:3"])
        samples = oracle.expect("insns:5:0", [-15], steps)
        # -15 + 8 of reading, 4 to get there: -3, a round of three
        self.assertEqual(samples[0], (0, oracle.FEW, 2, 1))
        self.assertEqual(samples[1], (0, oracle.FEW + 2, 0, 1))

    def test_interrupt_comes_late(self):
        # As above, two instructions later
        steps = oracle.steps_of(1, ["few:3"])
        samples = oracle.expect("insns:5:0", [-15], steps, 2)
        self.assertEqual(samples[0], (0, oracle.FEW + 2, 1, 1))
        self.assertEqual(samples[1], (0, oracle.NEXT, 0, 1))

    def test_precise_members_name_the_instruction(self):
        # Wherever the interrupt comes
        steps = oracle.steps_of(1, ["few:3"])
        for skid in 0, 2:
            samples = oracle.expect("insns:5:0:2", [-15], steps, skid)
            self.assertEqual(samples[0], (0, oracle.FEW + 2, 2, 1))
            self.assertEqual(samples[1], (0, oracle.FEW + 1, 0, 1))

    def test_reload_before_the_interrupt_loses_no_sample(self):
        # The branch is one instruction behind the overflow, and reloads it
        steps = oracle.steps_of(1, ["few:50"])
        samples = oracle.expect("insns:29:0x2,branches:10:0x2", [-48, -13],
                                steps, 2)
        at_once = oracle.expect("insns:29:0x2,branches:10:0x2", [-48, -13],
                                steps)
        self.assertEqual(len(samples), len(at_once))
        self.assertGreater(len(samples), 3)

    def test_the_first_to_overflow_reloads_the_other(self):
        # 22 instructions a branch: 100 of them before 6 branches
        many = oracle.steps_of(1, ["many:100"])
        few = oracle.steps_of(1, ["few:100"])
        group = "insns:100:0x2,branches:6:0x3"
        self.assertGreaterEqual(len(oracle.expect(group, [-100, -6], many)), 20)
        self.assertEqual(oracle.expect(group, [-100, -6], few), [])

    def test_a_member_in_its_own_mask_takes_no_samples(self):
        many = oracle.steps_of(1, ["many:100"])
        self.assertEqual(oracle.expect("insns:100:0x1", [-100], many), [])

    def test_leaving_out_rounds_changes_nothing(self):
        steps = oracle.steps_of(2, ["many:300", "yield", "few:500"])
        group = "insns:211:0x6,branches:31:0x3,insns:501:0x1"
        fast = oracle.expect(group, [-211, -31, -501], steps)
        self.addCleanup(setattr, oracle.Group, "rounds", oracle.Group.rounds)
        oracle.Group.rounds = lambda group, insns: 0
        self.assertEqual(fast, oracle.expect(group, [-211, -31, -501], steps))
        self.assertGreater(len(fast), 10)


class Differences(unittest.TestCase):
    def test_order_between_members_does_not_matter(self):
        one, two = (0, 14, 7, 1), (1, 15, 8, 1)
        self.assertEqual(oracle.differences([one, two], [two, one]), [])

    def test_moved_missing_and_additional_samples_are_found(self):
        one, two = (0, 14, 7, 1), (0, 15, 7, 1)
        self.assertEqual(len(oracle.differences([one], [two])), 1)
        self.assertEqual(len(oracle.differences([one, two], [one])), 1)
        self.assertEqual(len(oracle.differences([], [one])), 1)

    def test_a_register_that_holds_something_else(self):
        self.assertEqual(oracle.differences([(0, 9, None, 2)], [(0, 9, 99, 2)]),
                         [])


if __name__ == "__main__":
    unittest.main()
