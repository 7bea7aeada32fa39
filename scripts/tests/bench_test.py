#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of bench.py's arithmetic."""

import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import bench  # noqa: E402
from checks import acr_cost, pmi_cost  # noqa: E402

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


def figures_of(wrmsr, rdmsr, insns):
    return {"wrmsr": wrmsr, "rdmsr": rdmsr, "apic": 1, "insns": insns,
            "cost": insns + 100 * wrmsr + 30 * rdmsr}


class Compared(unittest.TestCase):
    """Variants with stock, and with what a frozen PMI may cost."""

    def setUp(self):
        self.found = {
            "stock": {name: figures_of(4, 2, 2000) for name in bench.SCENARIOS},
            "series": {name: figures_of(4, 2, 1990) for name in bench.SCENARIOS},
            "series-freeze": {name: figures_of(1, 1, 1980)
                              for name in bench.SCENARIOS},
        }

    def test_ratio(self):
        bench.add_ratios(self.found)
        self.assertEqual(self.found["stock"]["pmi-plain"]["cost_ratio"], 1)
        self.assertAlmostEqual(
            self.found["series-freeze"]["pmi-lbr"]["cost_ratio"], 2110 / 2460)

    def test_no_ratio_without_stock(self):
        del self.found["stock"]
        bench.add_ratios(self.found)
        self.assertNotIn("cost_ratio", self.found["series"]["pmi-plain"])

    def test_within_limits(self):
        self.assertEqual(pmi_cost.excess(self.found), [])

    def test_more_than_stock(self):
        self.found["series"]["pmi-lbr"] = figures_of(4, 3, 2000)
        self.found["series-freeze"]["pmi-fixed"] = figures_of(2, 1, 2001)
        self.assertEqual(len(pmi_cost.excess(self.found)), 2)

    def test_more_than_a_frozen_pmi_may(self):
        self.found["series-freeze"]["pmi-pebs"] = figures_of(2, 1, 1900)
        self.found["series-freeze"]["pmi-plain"] = figures_of(2, 2, 1900)
        self.assertEqual(len(pmi_cost.excess(self.found)), 2)

    def test_more_than_a_frozen_pmi_may_with_branch_records(self):
        for found, wrmsr in (("stock", 4), ("series", 4), ("series-freeze", 2)):
            self.found[found]["pmi-lbr"] = figures_of(wrmsr, 95 + wrmsr, 1900)
        self.assertEqual(len(pmi_cost.excess(self.found)), 0)
        self.found["series-freeze"]["pmi-lbr"] = figures_of(3, 99, 1900)
        self.assertEqual(len(pmi_cost.excess(self.found)), 2)


TRUTH = """10,,context-switches,1,100.00,,
instructions 250
slots 1000
bad_spec 251
frontend 249
backend 250
reads 0
writes 160
rdpmcs 120
"""
COUNTS = """1000,,cpu/slots/,1,100.00,,
260,,cpu/topdown-retiring/,1,100.00,,
240,,cpu/topdown-bad-spec/,1,100.00,,
250,,cpu/topdown-fe-bound/,1,100.00,,
250,,cpu/topdown-be-bound/,1,100.00,,
"""
SELF = """found 1010
retiring 250
bad-spec 251
fe-bound 252
be-bound 257
refused 0
by_read 0
"""
LOOPS = """== reads
reads 0
writes 20000
rdpmcs 10000
== snapshots
reads 0
writes 5
rdpmcs 10000
"""
PHASES = "== stat\n" + COUNTS + TRUTH + "== rdpmc\n" + SELF + TRUTH + \
    "== sample\n" + TRUTH + COUNTS + LOOPS


class TopdownTest(unittest.TestCase):
    """Accesses of a context switch and of a read, and the worst category."""

    def setUp(self):
        self.found = bench.topdown_figures(PHASES)

    def test_switch(self):
        self.assertEqual(self.found["topdown-switch"],
                         {"wrmsr": 8, "rdmsr": 0, "rdpmc": 6})

    def test_read(self):
        self.assertEqual(self.found["topdown-read"],
                         {"wrmsr": 4, "rdmsr": 0, "rdpmc": 2})
        self.assertEqual(self.found["topdown-snapshot"]["rdpmc"], 2)

    def test_accuracy(self):
        for method in ("", "-sample"):
            found = self.found["topdown-accuracy" + method]
            self.assertAlmostEqual(found["error_pp"], 1.1)
            self.assertEqual(found["slots_percent"], 0)
        found = self.found["topdown-accuracy-rdpmc"]
        self.assertAlmostEqual(found["error_pp"], 25700 / 1010 - 25)
        self.assertAlmostEqual(found["slots_percent"], 1)

    def test_none(self):
        found = bench.topdown_figures("== stat\n<not counted>,,cpu/slots/\n")
        self.assertFalse(any(found.values()))


RECORDINGS = """== acr-vs-classic/empty
ticks 500
kernel_instructions 1830000
bytes 4000
== acr-vs-classic/classic
ticks 600
kernel_instructions 2700000
bytes 9000
samples cpu_atom/branch-misses/ppu: loop1 120
samples cpu_atom/branch-misses/ppu: loop2 250
samples cpu_atom/branch-misses/ppu: fill 1
samples cpu_atom/branch-instructions/u: loop1 1000
samples cpu_atom/branch-instructions/u: loop2 1000
"""


class AcrTest(unittest.TestCase):
    """What is left of a recording without its start and its ticks."""

    def setUp(self):
        self.parts = acr_cost.parts_of(RECORDINGS)
        self.part = self.parts["acr-vs-classic/classic"][0]

    def test_figures(self):
        self.assertEqual(acr_cost.figures([self.part],
                                          self.parts["acr-vs-classic/empty"]),
                         {"samples": 2371, "bytes": 9000, "kernel_insns": 700000})

    def test_median_of_rounds(self):
        rounds = [dict(self.part, kernel_instructions=number)
                  for number in (9900000, 2700000, 2600000)]
        self.assertEqual(acr_cost.figures(
            rounds, self.parts["acr-vs-classic/empty"])["kernel_insns"], 700000)

    def test_hot_spot_by_ratio(self):
        self.assertEqual(acr_cost.hot_spot(self.part["samples"]), {"loop2"})
        self.part["samples"]["misses", "loop2"] = 190
        self.assertEqual(acr_cost.hot_spot(self.part["samples"]), set())

    def test_hot_spot_of_one_event(self):
        self.assertEqual(acr_cost.hot_spot({("misses", "loop2"): 9}), {"loop2"})
        self.assertEqual(acr_cost.hot_spot({("misses", "loop2"): 9,
                                            ("misses", "loop1"): 1}),
                         {"loop1", "loop2"})


class Table(unittest.TestCase):
    def test_a_run_of_one_scenario_keeps_the_others(self):
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
            file.write("\t".join(bench.HEAD) + "\n"
                       "a\tskylake\tstock\twrmsr\t4\n"
                       "a\tskylake\tstock\told\t5\n"
                       "b\tskylake\tstock\twrmsr\t6\n")
            file.flush()
            new = bench.table_row("a", "skylake", "stock", "wrmsr", 3)
            self.assertEqual(bench.merge(file.name, [new]), [
                ("b", "skylake", "stock", "wrmsr", "6"), new])
        self.assertEqual(bench.merge(file.name, [new]), [new])


if __name__ == "__main__":
    unittest.main()
