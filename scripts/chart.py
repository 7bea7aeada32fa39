#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Draw the bench's table: an SVG for each scenario.

usage: chart.py TABLE FOLDER

TABLE is what bench.py writes. FOLDER receives bench-SCENARIO.svg: a panel for
each metric, a group of bars for each CPU, a bar for each variant. Every panel
has a scale of its own that starts at zero; a bar's number stands above it.
"""

import collections
import os
import sys
from xml.sax.saxutils import escape

COLOURS = {"stock": "#8c8c8c", "series": "#2a6fbb", "series-freeze": "#7fb2e5",
           "mainline": "#d98c2b", "classic": "#8c8c8c", "acr": "#2a6fbb"}
OTHER = "#b04a4a"
MEANING = {
    "wrmsr": "WRMSR", "rdmsr": "RDMSR", "rdpmc": "RDPMC", "apic": "APIC writes",
    "insns": "instructions", "cost": "modelled cost", "samples": "samples",
    "bytes": "bytes of perf.data", "kernel_insns": "instructions in the kernel",
    "error_pp": "error, percentage points",
}
HEIGHT, BAR, GAP, PANEL = 150, 34, 18, 230
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
    return f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def panel(top, metric, cpus):
    """One metric's bars; (elements, width)."""
    top += 30
    most = max((value for row in cpus.values() for value in row.values()),
               default=0) or 1
    parts = [text(10, top - 12, MEANING.get(metric, metric),
                  ' font-weight="bold"')]
    x = 20
    for cpu, row in cpus.items():
        first = x
        for variant, value in row.items():
            tall = HEIGHT * value / most
            parts.append(
                f'<rect x="{x}" y="{top + HEIGHT - tall:.1f}" width="{BAR - 4}" '
                f'height="{tall:.1f}" fill="{COLOURS.get(variant, OTHER)}">'
                f'<title>{escape(f"{cpu} {variant}: {value:g}")}</title></rect>')
            parts.append(text(x + BAR / 2 - 2, top + HEIGHT - tall - 3,
                              short(value), ' class="n" text-anchor="middle"'))
            x += BAR
        parts.append(text((first + x) / 2, top + HEIGHT + 16, cpu,
                          ' text-anchor="middle"'))
        x += GAP
    return parts, x


def draw(scenario, metrics):
    """One scenario as SVG."""
    variants = list(collections.OrderedDict.fromkeys(
        variant for cpus in metrics.values() for row in cpus.values()
        for variant in row))
    parts, width, top = [text(10, 20, scenario, ' font-size="16"')], 420, 50
    x = 10
    for variant in variants:
        parts.append(f'<rect x="{x}" y="32" width="12" height="12" '
                     f'fill="{COLOURS.get(variant, OTHER)}"/>')
        parts.append(text(x + 17, 43, variant))
        x += 40 + 8 * len(variant)
    width = max(width, x)
    for metric, cpus in metrics.items():
        more, wide = panel(top, metric, cpus)
        parts += more
        width = max(width, wide)
        top += PANEL - 10
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{top}"><style>{STYLE}</style>'
            f'<rect width="100%" height="100%" fill="white"/>\n'
            + "\n".join(parts) + "\n</svg>\n")


def main(argv):
    if len(argv) != 2:
        print(__doc__.strip())
        return 2
    for scenario, metrics in read(argv[0]).items():
        name = os.path.join(argv[1], f"bench-{scenario}.svg")
        with open(name, "w", encoding="utf-8") as file:
            file.write(draw(scenario, metrics))
        print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
