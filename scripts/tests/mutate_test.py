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


class Mutate(unittest.TestCase):
    def test_every_fault_is_there(self):
        self.assertEqual(list(mutate.FAULTS), KNOWN)

    def test_faults_fit(self):
        for name, (_, path, *edits) in mutate.FAULTS.items():
            if path == mutate.CORE:
                continue
            with open(f"{mutate.TOP}/{path}", encoding="utf-8") as file:
                text = file.read()
            for have, fault in edits:
                self.assertEqual(text.count(have), 1, f"{name}: {have}")
                self.assertNotEqual(have, fault, name)

    def test_every_fault_has_tests(self):
        found = mutate.names.names(
            {"kunit": None, "selftest": None}, mutate.suites.SELFTEST_PLACES,
            mutate.suites.KINDS)
        for name, (place, *_) in mutate.FAULTS.items():
            if place != "trace":
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
