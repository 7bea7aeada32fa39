#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of mutate.py."""

import os
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import mutate  # noqa: E402

# D14 has no place in 6.12, D15 is of a document; E14 is of style.
KNOWN = [f"D{i}" for i in range(1, 14)] + [f"E{i}" for i in range(1, 14)]
# One of them has two halves
KNOWN.insert(KNOWN.index("E11"), "E10-hot-path")
# Faults of functions that the series only calls into.
IN_BASE = {"E9"}


class Mutate(unittest.TestCase):
    def test_every_fault_is_there(self):
        self.assertEqual(list(mutate.FAULTS), KNOWN)

    def test_faults_fit(self):
        texts = {}
        for path in mutate.OWN:
            with open(f"{mutate.TOP}/{path}", encoding="utf-8") as file:
                texts[path] = file.read()
        for name in set(mutate.FAULTS) - IN_BASE:
            changed = dict(texts)
            mutate.replace(changed, name)
            self.assertNotEqual(changed, texts, name)

    def test_a_fault_fits_once(self):
        with mock.patch.dict(mutate.FAULTS, {"D1": ("arrowlake", ("one", "two"))}):
            for texts in ({"a": "one", "b": "one"}, {"a": "one one"}, {"a": "two"}):
                with self.assertRaises(SystemExit):
                    mutate.replace(texts, "D1")

    def test_every_fault_has_tests(self):
        found = mutate.names.names(
            {"kunit": None, "selftest": None}, mutate.suites.SELFTEST_PLACES,
            mutate.suites.KINDS)
        for name, (place, *_) in mutate.FAULTS.items():
            if place not in ("trace", "cost"):
                self.assertTrue([test for test in found
                                 if f"/acr-{name}-" in test], name)

    def test_selftests_of_one_fault_only(self):
        self.assertEqual(mutate.selftests("D1"), {
            "/selftests/acr_group": ["acr_d1_disabled_member_shifts_no_bit"]})

    def test_rows_of_other_faults_stay(self):
        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.object(mutate, "TABLE", folder + "/results/table"):
            mutate.remember(("E1", "found", "7", "a,b"))
            mutate.remember(("D4", "missed", "8", ""))
            mutate.remember(("D4", "found", "9", "c"))
            with open(mutate.TABLE, encoding="utf-8") as table:
                self.assertEqual([line.split() for line in table], [
                    ["fault", "verdict", "seconds", "tests"],
                    ["D4", "found", "9", "c"], ["E1", "found", "7", "a,b"]])


if __name__ == "__main__":
    unittest.main()
