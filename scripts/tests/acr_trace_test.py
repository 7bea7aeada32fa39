#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The judge of register writes: each of its complaints, and none without cause."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks.acr_trace import judge, which  # noqa: E402


def trace(*writes, cpu=1, fault=0):
    return "".join(f"pmusim_wrmsr cpu {cpu} msr {msr:#x} value {value:#x}"
                   f" fault {fault}\n" for msr, value in writes)


OFF, ON = (0x38f, 0), (0x38f, 0xff)
START = (0x1909, 0x4300c0)
GOOD = (OFF, (0x190b, 0xffff0000), (0x190a, 0x8), START, ON)


class Judge(unittest.TestCase):
    def complaints(self, text):
        return {kind for kind, lines in judge(text)[0].items() if lines}

    def test_registers(self):
        self.assertEqual(which(0x190a), (2, 2))
        self.assertEqual(which(0x1987), (33, 3))
        self.assertIsNone(which(0x38f))

    def test_good_order(self):
        self.assertEqual(self.complaints(trace(*GOOD)), set())
        self.assertEqual(judge(trace(*GOOD))[1], 1)

    def test_rewrite_in_place(self):
        self.assertEqual(self.complaints(trace(*GOOD, OFF, (0x190a, 0x10), ON)),
                         set())

    def test_fault(self):
        self.assertEqual(self.complaints(trace((0x190a, 1), fault=1)), {"faults"})

    def test_running(self):
        self.assertEqual(self.complaints(trace(ON, (0x190a, 0x8))), {"running"})
        self.assertEqual(self.complaints(trace(OFF) + trace(ON, cpu=0) +
                                         trace((0x190a, 0x8))), set())

    def test_enabled_first(self):
        self.assertEqual(self.complaints(trace(OFF, START, (0x190a, 0x8))),
                         {"order"})
        self.assertEqual(self.complaints(
            trace(OFF, (0x38d, 0xb0), (0x1986, 0x8))), {"order"})

    def test_reload_value_under_a_mask(self):
        self.assertEqual(self.complaints(trace(*GOOD, OFF, (0x190b, 1))),
                         {"reload"})


if __name__ == "__main__":
    unittest.main()
