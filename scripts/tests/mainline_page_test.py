#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The evidence of Documentation/corepmu's pages exists."""

import fnmatch
import os
import re
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import bench  # noqa: E402
import bench_test  # noqa: E402
import check  # noqa: E402
import pmusim_matrix  # noqa: E402
from checks import acr_cost  # noqa: E402

PAGES = os.path.dirname(os.path.dirname(HERE)) + "/Documentation/corepmu/"


def bench_rows():
    """{scenario: metrics} of bench.tsv."""
    pmi = {*bench.figures(bench_test.TEXT), "cost_ratio"}
    recordings = acr_cost.parts_of(bench_test.RECORDINGS)
    return {
        **{name: pmi for name in bench.SCENARIOS},
        **{name: {"samples", "stale"} for name in bench.STACKS},
        **{name: {"wrmsr", "rdmsr", "rdpmc", "insns"} for name in bench.SWITCHES},
        **bench.topdown_figures(bench_test.PHASES),
        **{name: set(acr_cost.figures(recordings["acr-vs-classic/classic"],
                                      recordings["acr-vs-classic/empty"]))
           for name in acr_cost.SCENARIOS},
    }


def of_mainline(reference):
    """Does what a reference stands for boot mainline?"""
    where, _, rest = reference.partition("/")
    name = rest.split("/")[0]
    if where == "bench":
        return name not in acr_cost.SCENARIOS and (
            name not in bench.SWITCHES or "mainline" in bench.SWITCHES[name].variants)
    return "mainline" in rest


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.names = check.listed(check.SUITES)
        cls.names += [f"bench/{scenario}/{metric}"
                      for scenario, metrics in bench_rows().items()
                      for metric in metrics]
        cls.names += [f"pmusim/{kernel}/{cpu}/{test}"
                      for kernel in pmusim_matrix.KERNELS
                      for cpu in pmusim_matrix.CPUS
                      for test in ("boot", *pmusim_matrix.TESTS)]
        with open(PAGES + "mainline.md", encoding="utf-8") as page:
            cls.tables = re.findall(r"^(\|.*)\n\|[-|]+\n((?:\|.*\n)+)", page.read(),
                                    re.M)

    def lines(self):
        """(known, references) of each line that has evidence."""
        for head, body in self.tables:
            titles = head.strip("| ").split(" | ")
            if titles[-1] != "evidence":
                continue
            for line in body.splitlines():
                cells = line.strip("| ").split(" | ")
                self.assertEqual(len(cells), len(titles), line)
                yield cells[titles.index("known")], \
                    re.findall(r"`([^`]*)`", cells[-1]), line

    def test_every_line_has_evidence(self):
        lines = list(self.lines())
        self.assertGreater(len(lines), 50)
        for _, references, line in lines:
            self.assertTrue(references, line)

    def test_evidence_exists(self):
        for _, references, line in self.lines():
            for reference in references:
                self.assertTrue(fnmatch.filter(self.names, reference),
                                f"{reference}: {line}")

    def test_what_was_run_boots_mainline(self):
        for known, references, line in self.lines():
            self.assertIn(known, ("run", "read", "-"), line)
            if known == "run":
                self.assertTrue(any(map(of_mainline, references)), line)


class Bench(unittest.TestCase):
    """bench.md explains each scenario and metric, and no other."""

    def setUp(self):
        with open(PAGES + "bench.md", encoding="utf-8") as page:
            tables = re.findall(r"^\| (\w+)[^\n]*\n\|[-|]+\n((?:\|.*\n)+)",
                                page.read(), re.M)
        self.first = {title: set(re.findall(r"`([^`]+)`", " ".join(
            line.split("|")[1] for line in body.splitlines())))
            for title, body in tables}

    def test_scenarios(self):
        self.assertEqual(self.first["scenario"], set(bench_rows()))

    def test_metrics(self):
        self.assertEqual(self.first["metric"],
                         set().union(*map(set, bench_rows().values())))


if __name__ == "__main__":
    unittest.main()
