#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of letter.py: the letter has all figures, and fits into mail."""

import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import bench  # noqa: E402
import bench_page  # noqa: E402
import letter  # noqa: E402
from folder import FolderTest  # noqa: E402
from mainline_page_test import bench_rows  # noqa: E402

VALUES = {"bytes": "1198108", "kernel_insns": "123456789", "insns": "18206.25"}


class LetterTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.rows = []
        for scenario, metrics in bench_rows().items():
            recorded = scenario in bench.acr_cost.SCENARIOS
            for variant in bench.acr_cost.VARIANTS if recorded else bench.VARIANTS:
                for cpu in ("sapphirerapids", "arrowlake-atom"):
                    self.rows += [(scenario, cpu, variant, metric,
                                   VALUES.get(metric, "0.12345"))
                                  for metric in metrics]
        self.put("bench.tsv", "".join("\t".join(row) + "\n" for row in
                                      [("scenario",), *self.rows]))
        self.text = letter.numbers(self.path("bench.tsv"))

    def test_lines_fit(self):
        for line in self.text.splitlines():
            self.assertLessEqual(len(line), letter.WIDTH, line)
            self.assertEqual(line, line.rstrip())

    def test_nothing_is_left_out(self):
        lines, scenario, found = self.text.splitlines(), None, set()
        for line in lines:
            title = re.match(r"([a-z-]+): ", line)
            scenario = title[1] if title else scenario
            cells = line.split()
            if cells[:2] == ["cpu", "metric"]:
                variants = cells[2:]
            elif scenario and line.startswith("  ") and cells[0] in (
                    "sapphirerapids", "arrowlake-atom"):
                self.assertEqual(len(cells), 2 + len(variants), line)
                found |= {(scenario, cells[0], variant, cells[1], value)
                          for variant, value in zip(variants, cells[2:])}
        self.assertEqual(found, {(*row[:4], letter.number(row[4]))
                                 for row in self.rows})

    def test_metrics_have_their_unit(self):
        words = bench_page.Words()
        for metric in {row[3] for row in self.rows}:
            entry = re.search(rf"^  {metric}  +(.*(?:\n {{8}}.*)*)", self.text, re.M)
            self.assertIn(words.metrics[metric].unit,
                          re.sub(r"\s+", " ", entry[1]))
        self.assertIn("less is better, but for samples:\n", self.text)

    def test_what_an_event_is(self):
        self.assertRegex(self.text, r"(?m)^pmi-pebs: .*\(event: interrupt\)$")
        self.assertRegex(self.text, r"plain-switch: [^:]*\(event: context\s+switch\)")

    def test_without_figures(self):
        self.assertEqual(letter.numbers(self.path("none.tsv")), "")
        self.put("bench.tsv", "scenario\n")
        self.assertEqual(letter.numbers(self.path("bench.tsv")), "")


class Words(unittest.TestCase):
    def test_of_the_page(self):
        words = bench_page.Words()
        self.assertEqual(words.unit("pmi-plain", "wrmsr"), "accesses per interrupt")
        self.assertEqual(words.unit("topdown-read", "rdpmc"), "accesses per read()")
        self.assertEqual(words.unit("pmi-stacks", "stale"), "samples")
        self.assertTrue(words.lower("cost_ratio"))
        self.assertFalse(words.lower("samples"))
        self.assertTrue(words.scenario("pmi-lbr").startswith("pmi-lbr: each "))

    def test_unknown(self):
        words = bench_page.Words("/nowhere")
        self.assertEqual((words.scenario("a"), words.metric("b"),
                          words.unit("a", "b")), ("a", "b", ""))


if __name__ == "__main__":
    unittest.main()
