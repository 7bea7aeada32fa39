#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of bench.py's arithmetic."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import bench  # noqa: E402

TEXT = """reads 900
nmis 10
nmi_instructions 20005
nmi_reads 20
nmi_writes 40
nmi_lvtpc_writes 10
nmi_rdpmcs 5
samples 12
"""


class Figures(unittest.TestCase):
    def test_means_over_the_nmis(self):
        found = bench.figures(TEXT)
        self.assertEqual(found["wrmsr"], 4)
        self.assertEqual(found["rdmsr"], 2)
        self.assertEqual(found["apic"], 1)
        self.assertEqual(found["rdpmc"], 0.5)
        self.assertEqual(found["insns"], 2000.5)
        self.assertEqual(found["samples"], 12)

    def test_cost_weighs_them(self):
        self.assertEqual(bench.figures(TEXT)["cost"],
                         2000.5 + 100 * 4 + 30 * 2 + 30 * 0.5 + 100)

    def test_no_nmi_is_no_figure(self):
        self.assertIsNone(bench.figures(TEXT.replace("nmis 10", "nmis 0")))
        self.assertIsNone(bench.figures("record: cannot open the event\n"))


if __name__ == "__main__":
    unittest.main()
