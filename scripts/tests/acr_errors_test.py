#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of how perf's errors are judged."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from checks import acr_errors  # noqa: E402

CASE = ("-e '{$A,acr=x/u,$B/u}'", "x/u,$B/u}", "No event is called 'x'", "Name one")
RIGHT = """event syntax error: '{cpu_atom/branch-misses,acr=x/u,cpu_atom/bra..'
                                                 \\___ No event is called 'x'

Name one
Run 'perf list' for a list of valid events
"""


class Judge(unittest.TestCase):
    def test_right(self):
        self.assertIsNone(acr_errors.judge(RIGHT, CASE))

    def test_wrong_place(self):
        for moved in (RIGHT.replace(" \\___", "\\___"), RIGHT.replace("\\___", " \\___"),
                      RIGHT.replace("\\___", 40 * " " + "\\___")):
            self.assertRegex(acr_errors.judge(moved, CASE), "^points to")

    def test_wrong_texts(self):
        for old, new in (("No event", "An event"), ("Name one", "Name two"),
                         ("\n\nName one", ""), ("event syntax error", "error")):
            self.assertIsNotNone(acr_errors.judge(RIGHT.replace(old, new), CASE))

    def test_nothing_said(self):
        self.assertIsNotNone(acr_errors.judge("", CASE))


if __name__ == "__main__":
    unittest.main()
