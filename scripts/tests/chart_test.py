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

    def test_words(self):
        words = [text.text for text in
                 self.drawings["bench-pmi-plain.svg"].iter(SVG + "text")]
        for word in ("pmi-plain", "stock", "series", "WRMSR", "instructions",
                     "skylake", "icelake", "2150"):
            self.assertIn(word, words)


if __name__ == "__main__":
    unittest.main()
