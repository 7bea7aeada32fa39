#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of chart.py: the drawing says what the table says."""

import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import chart  # noqa: E402

TABLE = """\
scenario\tcpu\tvariant\tmetric\tvalue
pmi-plain\tskylake\tstock\twrmsr\t4
pmi-plain\tskylake\tseries\twrmsr\t3
pmi-plain\ticelake\tseries\tinsns\t2150.25
pmi-lbr\tskylake\tstock\twrmsr\t0
acr-vs-classic\tarrowlake-atom\tclassic\tsamples\t4757
acr-vs-classic\tsapphirerapids\tclassic\tsamples\t1
acr-vs-classic\tsapphirerapids\tacr\tsamples\t2
acr-vs-classic\tsapphirerapids\tacr\tkernel_insns\t10234567
other\tskylake\tstock\tnew\t1
"""
SVG = "{http://www.w3.org/2000/svg}"


class ChartTest(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as top:
            with open(top + "/bench.tsv", "w", encoding="utf-8") as file:
                file.write(TABLE)
            chart.main([top + "/bench.tsv", top])
            self.drawings = {
                name: ElementTree.parse(f"{top}/{name}").getroot()
                for name in os.listdir(top) if name.endswith(".svg")}

    def bars(self, name):
        """{what a bar says of itself: its height}"""
        return {bar.find(SVG + "title").text: float(bar.get("height"))
                for bar in self.drawings[name].iter(SVG + "rect")
                if bar.find(SVG + "title") is not None}

    def test_heights(self):
        bars = self.bars("bench-pmi-plain.svg")
        self.assertEqual(set(bars), {"skylake stock: 4", "skylake series: 3",
                                     "icelake series: 2150.25"})
        self.assertEqual(bars["skylake stock: 4"], chart.HEIGHT)
        self.assertEqual(bars["skylake series: 3"], 0.75 * chart.HEIGHT)

    def test_zero(self):
        self.assertEqual(self.bars("bench-pmi-lbr.svg"), {"skylake stock: 0": 0})

    def words(self, name):
        return [text.text for text in self.drawings[name].iter(SVG + "text")
                if text.text]

    def test_words(self):
        words = self.words("bench-pmi-plain.svg")
        for word in ("stock", "series", "skylake", "icelake", "2150",
                     "WRMSR (lower is better)", "accesses per interrupt",
                     "instructions per interrupt"):
            self.assertIn(word, words)
        self.assertEqual(" ".join(words[:2]), "pmi-plain: a general-purpose counter"
                         " with a fixed period interrupts")

    def test_no_way_is_better(self):
        words = self.words("bench-acr-vs-classic.svg")
        self.assertIn("samples recorded, or checked", words)
        self.assertIn("10.2M", words)

    def test_unknown_names(self):
        self.assertEqual(self.words("bench-other.svg")[:3], ["other", "stock", "new"])

    def test_axis(self):
        """Its numbers stand where bars of that value end."""
        drawing = self.drawings["bench-pmi-plain.svg"]
        lines = [float(line.get("y1")) for line in drawing.iter(SVG + "line")]
        self.assertEqual(lines[:5], [lines[0] - step * chart.HEIGHT / 4
                                     for step in range(5)])
        top = next(float(bar.get("y")) for bar in drawing.iter(SVG + "rect")
                   if bar.find(SVG + "title") is not None)
        self.assertEqual(lines[4], top)
        self.assertEqual(chart.steps(4757), [0, 1000, 2000, 3000, 4000])
        self.assertEqual(chart.steps(1), [0, 0.2, 0.4, 0.6, 0.8, 1])

    def test_nothing_overlaps(self):
        """Names of CPUs and numbers of bars keep clear of their neighbours."""
        for name, drawing in self.drawings.items():
            rows, width = {}, float(drawing.get("width"))
            for text in drawing.iter(SVG + "text"):
                if text.get("text-anchor") == "middle" and not text.get("transform"):
                    middle, half = float(text.get("x")), \
                        len(text.text) * (6 if text.get("class") else 7) / 2
                    self.assertLessEqual(middle + half, width, text.text)
                    rows.setdefault(text.get("y"), []).append((middle, half))
            for row in rows.values():
                row.sort()
                for (left, half), (right, other) in zip(row, row[1:]):
                    self.assertLessEqual(half + other, right - left, name)


if __name__ == "__main__":
    unittest.main()
