#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of check.py --list."""

import os
import re
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import check  # noqa: E402
from checks import names  # noqa: E402


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with mock.patch("subprocess.Popen", side_effect=AssertionError) as ran, \
                mock.patch("checks.lint.own_files", return_value=["a.sh"]):
            cls.found = check.listed(check.SUITES)
        assert not ran.called

    def of(self, suite):
        return [name for name in self.found if name.startswith(suite + "/")]

    def test_every_suite_has_tests(self):
        for suite in check.SUITES:
            self.assertTrue(self.of(suite), suite)

    def test_every_name_is_one_test(self):
        self.assertEqual(len(self.found), len(set(self.found)))

    def test_no_case_of_kunit_is_overlooked(self):
        cases = sum(len(re.findall(r"\bKUNIT_CASE\w*\(", text))
                    for _, text in names.sources(*names.KUNIT))
        self.assertEqual(len(self.of("kunit")), cases)

    def test_no_selftest_is_overlooked(self):
        tests = sum(len(re.findall(r"^TEST(?:_F)?(?:_\w+)?\(", text, re.M))
                    for _, text in names.sources(names.SELFTESTS))
        self.assertEqual(len(list(names.selftest(check.SELFTEST_PLACES[:1], {}))),
                         tests)

    def test_requirements_have_their_spelling(self):
        for name in ("kunit/acr-B12-new-period", "selftest/acr-B12-changed-period",
                     "perftest/topdown-R14-amd", "machine/pmi-3-late-pmi",
                     "kunit/intel_pmi.bts_pmu_test",
                     "topdown/topdown-R3-all-threads-lunarlake"):
            self.assertIn(name, self.found)

    def test_selftests_have_their_places(self):
        places = {name.replace("selftest/topdown-K1-sum", "")
                  for name in self.of("selftest") if "topdown-K1-sum" in name}
        self.assertEqual(places, {"", "-icelake", "-sapphirerapids"})
        for place in ("skylake-late", "icelake-late", "arrowlake-atom-late"):
            late = [name for name in self.found if name.endswith("-" + place)]
            self.assertEqual(len(late), len(check.LATE))
        wide = [name for name in self.found if name.endswith("-arrowlake-wide")]
        self.assertEqual(len(wide), len(check.WIDE))

    def test_pattern_picks(self):
        with mock.patch.dict(os.environ, TEST="kunit/acr-D2-*"):
            self.assertEqual(check.listed({"kunit": check.kunit}),
                             ["kunit/acr-D2-no-jump-through-width"])


if __name__ == "__main__":
    unittest.main()
