#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of check.py: how it runs tests of scripts, and judges perf's own."""

import contextlib
import io
import os
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import check  # noqa: E402
from checks import acr, harness, stat_shell  # noqa: E402

TESTS = """\
  6: Parse event definition strings        :
  6.1: Test event parsing                  : Ok
  6.2: Parsing of all PMU events from sysfs: {}
  6.7: Parsing of aliased events from sysfs: {}
  6.3: Parsing of given PMU events from sysfs with PMU: Ok
  6.4: Parsing of event modifiers          : Ok
  6.5: Parsing of a hybrid event           : Ok
 90.1: ACR ratios                          : {}
 91.1: topdown_r2_columns_std              : {}
"""


class PerfTests(unittest.TestCase):
    def rows(self, *verdicts):
        checked = harness.Check("")
        text = TESTS.format(*verdicts)
        with contextlib.redirect_stdout(io.StringIO()), \
                mock.patch.object(checked, "need", return_value=True), \
                mock.patch.object(acr, "run_perf"), \
                mock.patch.object(stat_shell, "run"), \
                mock.patch.object(check, "boot", return_value=(0, text, "log")):
            check.perftest(checked)
        return {row[1]: row[2] for row in checked.rows}

    def test_all_pass(self):
        rows = self.rows("Ok", "Ok", "Ok", "Ok")
        self.assertEqual(set(rows.values()), {"pass"})
        self.assertEqual(len(rows), 8)

    def test_what_the_machine_lacks_is_skipped(self):
        self.assertNotIn("all", self.rows("Ok", "Skip (no aliases)", "Ok", "Ok"))

    def test_what_else_is_skipped_is_a_failure(self):
        for place in 0, 2, 3:
            verdicts = ["Ok"] * 4
            verdicts[place] = "Skip"
            self.assertEqual(self.rows(*verdicts)["all"], "fail")

    def test_without_a_perf_of_the_distribution_it_fails(self):
        checked = harness.Check("")
        with contextlib.redirect_stdout(io.StringIO()), \
                mock.patch.object(acr, "DISTRIBUTION_PERF", os.devnull):
            acr.acr_distribution(checked)
        self.assertEqual([row[2] for row in checked.rows], ["fail"])


class UnitTests(unittest.TestCase):
    def test_what_is_picked_is_not_picked_in_them(self):
        checked = harness.Check("unit/check_test")
        with mock.patch.dict(os.environ, TEST="unit/check_test"), \
                mock.patch.object(harness, "captured", return_value=(0, "")) as ran, \
                contextlib.redirect_stdout(io.StringIO()):
            check.unit(checked)
        self.assertEqual([row[:3] for row in checked.rows],
                         [("unit", "check_test", "pass")])
        self.assertNotIn("TEST", ran.call_args.kwargs["env"])
        self.assertIn("PATH", ran.call_args.kwargs["env"])


if __name__ == "__main__":
    unittest.main()
