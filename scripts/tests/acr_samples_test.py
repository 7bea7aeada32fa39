#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The walk through payload: each group that perf records, and its counts."""

import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, TOP + "/scripts")
from checks import acr_samples  # noqa: E402
from checks.acr_samples import ADD, CALL, CALLER, GROUPS, LEAF, REST, Walk  # noqa: E402

CODE = TOP + "/tools/testing/machine/workloads/payload.S"
# Each instruction where its number is, and one place behind the last
ADDRESSES = list(range(LEAF + 2))


class Code(unittest.TestCase):
    def test_numbers_are_those_of_the_program(self):
        with open(CODE, encoding="utf-8") as code:
            text = code.read().partition("_start:\n")[2]
        numbers, number = {}, 0
        for line in text.splitlines():
            label = re.match(r"(\w+):", line)
            if label:
                numbers[label[1]] = number
            if re.search(r"\t[a-z]", line.partition(".")[0]):
                number += 1
        self.assertEqual(numbers, {"1": ADD, "2": CALL, "leaf": LEAF})
        self.assertEqual((CALLER, number), (CALL - 1, LEAF + 1))
        # call, dec, jnz, and what is behind
        self.assertEqual(REST, CALL + 3)


class Groups(unittest.TestCase):
    def test_each_counts_what_the_program_says(self):
        for name, (_, members) in GROUPS.items():
            with self.subTest(name):
                walk = Walk(members, ADDRESSES).run()
                self.assertEqual(walk.total, [30004009, 10003001])
                self.assertGreaterEqual(len(walk.group.samples), 5)
                for member, _ in walk.group.samples:
                    mask = walk.group.members[member].mask
                    self.assertFalse(mask >> member & 1)

    def test_leaving_out_rounds_changes_nothing(self):
        for name, (_, members) in GROUPS.items():
            with self.subTest(name):
                fast = Walk(members, ADDRESSES, 50021, 100).run()
                slow = Walk(members, ADDRESSES, 50021, 100)
                slow.group.rounds = lambda insns: 0
                slow.run()
                self.assertEqual(fast.group.samples, slow.group.samples)
                self.assertEqual(fast.total, slow.total)

    def test_members_are_named_and_numbered_alike(self):
        for name, (events, members) in GROUPS.items():
            with self.subTest(name):
                found = re.findall(r"P/(\w+),name=\w+([^/]*(?:/[0-9])?)/(p*)u", events)
                self.assertEqual(
                    [(event.replace("instructions", "insns"), bool(precise))
                     for event, _, precise in found],
                    [(part.split(":")[0], part.count(":") == 3)
                     for part in members.split(",")])

    def test_masks_stand_for_the_ratio(self):
        for name in "second-loop", "all-precise":
            self.assertEqual(GROUPS[name][1], GROUPS[name + "-mask"][1])
            self.assertIn("acr_mask=0x3", GROUPS[name + "-mask"][0])


class End(unittest.TestCase):
    """What overflows with the system call, which is the last instruction."""

    def samples(self, members):
        walk = Walk(members, ADDRESSES, 1, 1).run()
        # mov, a round of three, mov, call, ret, dec, jnz, and seven
        self.assertEqual(walk.total, [16, 5])
        return walk.group.samples

    def test_there_is_no_sample_of_the_kernel(self):
        self.assertEqual(self.samples("branches:5:0x2,insns:99:0x3"), [])

    def test_one_before_is_found_behind_its_instruction(self):
        self.assertEqual(self.samples("insns:15:0x2,branches:99:0x3"),
                         [(0, LEAF - 1)])

    def test_precise_is_the_instruction_itself(self):
        self.assertEqual(self.samples("insns:15:0x2:2,branches:99:0x3"),
                         [(0, LEAF - 2)])
        self.assertEqual(self.samples("branches:5:0x2:2,insns:99:0x3"),
                         [(0, LEAF - 1)])


class Judge(unittest.TestCase):
    TRUTH = {"instructions": 30004009, "branches": 10003001}

    def text(self, samples):
        return "".join(f"sample  {('branches', 'insns')[i]}/: {at:x} \n"
                       for i, at in samples)

    def test_right_and_wrong_samples(self):
        samples = Walk(GROUPS["second-loop"][1], ADDRESSES).run().group.samples

        def judged(found, truth=self.TRUTH):
            return acr_samples.wrong("second-loop", ADDRESSES, self.text(found), truth)

        self.assertIsNone(judged(samples))
        for found in samples[1:], samples[:-1], [(0, 1)] + samples[1:], []:
            self.assertIsNotNone(judged(found))
        self.assertIsNotNone(judged(samples, {**self.TRUTH, "branches": 1}))


if __name__ == "__main__":
    unittest.main()
