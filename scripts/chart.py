#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Draw the bench's table: an SVG for each scenario.

usage: chart.py TABLE FOLDER

TABLE is what bench.py writes. FOLDER receives bench-SCENARIO.svg: a panel for
each metric, a group of bars for each CPU, a bar for each variant. Every panel
has an axis of its own that starts at zero; a bar's number stands above it. What
scenario, metric and unit are called is said in Documentation/corepmu/bench.md.
"""

import collections
import math
import os
import sys
import textwrap
from xml.sax.saxutils import escape

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench_page  # noqa: E402

COLOURS = {"stock": "#8c8c8c", "series": "#2a6fbb", "series-freeze": "#7fb2e5",
           "mainline": "#d98c2b", "classic": "#8c8c8c", "acr": "#2a6fbb"}
OTHER = "#b04a4a"
HEIGHT, BAR, GAP, PANEL, AXIS = 150, 34, 18, 230, 70
# About what a character of STYLE's text takes, and how many a title has in a line
LETTER, TITLE = 7, 58
STYLE = "text { font: 12px sans-serif; fill: #222 } .n { font-size: 10px }"


def read(table):
    """{scenario: {metric: {cpu: {variant: value}}}}, in the table's order."""
    found = collections.OrderedDict()
    with open(table, encoding="utf-8") as file:
        for line in file.read().splitlines()[1:]:
            scenario, cpu, variant, metric, value = line.split("\t")
            found.setdefault(scenario, collections.OrderedDict()) \
                .setdefault(metric, collections.OrderedDict()) \
                .setdefault(cpu, collections.OrderedDict())[variant] = float(value)
    return found


def text(x, y, words, more=""):
    return f'<text x="{x:.0f}" y="{y:.0f}"{more}>{escape(words)}</text>'


def short(value):
    if value >= 1e5:
        return f"{value / 1e6:.3g}M" if value >= 999500 else f"{value / 1e3:.0f}k"
    return f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def steps(most):
    """Round numbers from 0 to the largest bar."""
    step = 10 ** math.floor(math.log10(most))
    step = next(step * part for part in (0.2, 0.5, 1, 2, 5) if most / step / part < 6)
    return [round(number * step, 9) for number in range(int(most / step + 1e-6) + 1)]


def axis(top, most, unit, right):
    """The scale and what it is in."""
    middle = top + HEIGHT / 2
    yield text(14, middle, unit, ' text-anchor="middle" class="n" '
               f'transform="rotate(-90 14 {middle:.0f})"')
    for value in steps(most):
        y = top + HEIGHT * (1 - value / most)
        yield (f'<line x1="{AXIS - 10}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" '
               f'stroke="{"#ddd" if value else "#222"}"/>')
        yield text(AXIS - 14, y + 4, short(value), ' class="n" text-anchor="end"')


def bars(x, top, most, cpu, row):
    """The bars of one CPU, from x to the right."""
    for variant, value in row.items():
        tall = HEIGHT * value / most
        yield (f'<rect x="{x:.1f}" y="{top + HEIGHT - tall:.1f}" width="{BAR - 4}" '
               f'height="{tall:.1f}" fill="{COLOURS.get(variant, OTHER)}">'
               f'<title>{escape(f"{cpu} {variant}: {value:g}")}</title></rect>')
        yield text(x + BAR / 2 - 2, top + HEIGHT - tall - 3, short(value),
                   ' class="n" text-anchor="middle"')
        x += BAR


def panel(top, title, unit, cpus):
    """One metric's bars; (elements, width)."""
    top += 30
    most = max((value for row in cpus.values() for value in row.values()),
               default=0) or 1
    parts, x = [], AXIS
    for cpu, row in cpus.items():
        # As wide as the name below at least
        wide = max(len(row) * BAR, len(cpu) * LETTER)
        parts += bars(x + (wide - len(row) * BAR) / 2, top, most, cpu, row)
        parts.append(text(x + wide / 2, top + HEIGHT + 16, cpu,
                          ' text-anchor="middle"'))
        x += wide + GAP
    return [text(10, top - 18, title, ' style="font-weight: bold"'),
            *axis(top, most, unit, x - GAP), *parts], x


def draw(scenario, metrics, words):
    """One scenario as SVG."""
    variants = list(collections.OrderedDict.fromkeys(
        variant for cpus in metrics.values() for row in cpus.values()
        for variant in row))
    parts, top, x = [], 20, 10
    for line in textwrap.wrap(words.scenario(scenario), TITLE,
                              break_on_hyphens=False):
        parts.append(text(10, top, line, ' style="font-size: 16px"'))
        top += 20
    for variant in variants:
        parts.append(f'<rect x="{x}" y="{top - 8}" width="12" height="12" '
                     f'fill="{COLOURS.get(variant, OTHER)}"/>')
        parts.append(text(x + 17, top + 3, variant))
        x += 40 + 8 * len(variant)
    width, top = max(520, x), top + 14
    for metric, cpus in metrics.items():
        title = words.metric(metric) + (" (lower is better)" if words.lower(metric)
                                        else "")
        more, wide = panel(top, title, words.unit(scenario, metric), cpus)
        parts += more
        width = max(width, wide)
        top += PANEL - 10
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
            f'height="{top}"><style>{STYLE}</style>'
            f'<rect width="100%" height="100%" fill="white"/>\n'
            + "\n".join(parts) + "\n</svg>\n")


def main(argv):
    if len(argv) != 2:
        print(__doc__.strip())
        return 2
    words = bench_page.Words()
    for scenario, metrics in read(argv[0]).items():
        name = os.path.join(argv[1], f"bench-{scenario}.svg")
        with open(name, "w", encoding="utf-8") as file:
            file.write(draw(scenario, metrics, words))
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
