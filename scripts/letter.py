# SPDX-License-Identifier: GPL-2.0
"""What goes with the patches when they are mailed: numbers, changes, recipients.

Used by series.py, which writes the cover letter.
"""

import collections
import os
import re
import subprocess
import textwrap

import bench_page

# What a table in mail has room for, and in what order it is read.
VARIANTS = ("stock", "series", "series-freeze", "mainline", "classic", "acr")
WIDTH = 75


def number(text):
    """Shortest form that still tells what was measured."""
    value = float(text)
    return "%d" % value if value == int(value) or abs(value) >= 1000 \
        else "%.3g" % value


def scenario_lines(title, rows):
    """One scenario, variants side by side: {(cpu, metric): {variant: text}}."""
    variants = [name for name in VARIANTS
                if any(name in row for row in rows.values())]
    table = [("cpu", "metric", *variants)]
    table += [(*key, *(row.get(name, "-") for name in variants))
              for key, row in rows.items()]
    widths = [max(map(len, column)) for column in zip(*table)]
    lines = textwrap.wrap(title, WIDTH, subsequent_indent="  ",
                          break_on_hyphens=False) + [""]
    for row in table:
        cells = [cell.ljust(width) for cell, width in zip(row[:2], widths)]
        cells += [cell.rjust(width) for cell, width in zip(row[2:], widths[2:])]
        lines.append(("  " + "  ".join(cells)).rstrip())
    return lines + [""]


def metric_lines(metrics, words):
    """What the metrics are."""
    width = max(map(len, metrics))
    for name in metrics:
        metric = words.metrics.get(name, bench_page.NO_METRIC)
        text = ": ".join(part for part in (metric.what, metric.unit) if part)
        yield from textwrap.wrap(text, WIDTH, initial_indent=f"  {name:{width}}  ",
                                 subsequent_indent=" " * (width + 4))


def numbers(table, words=None):
    """The bench's table as text; "" without one."""
    words = words or bench_page.Words()
    if not os.path.isfile(table):
        return ""
    found = collections.OrderedDict()
    with open(table, encoding="utf-8") as file:
        for line in file.read().splitlines()[1:]:
            scenario, cpu, variant, metric, value = line.split("\t")
            if variant in VARIANTS:
                found.setdefault(scenario, collections.OrderedDict()) \
                    .setdefault((cpu, metric), {})[variant] = number(value)
    if not found:
        return ""
    metrics = list(collections.OrderedDict.fromkeys(
        metric for rows in found.values() for _, metric in rows))
    other = [name for name in metrics if not words.lower(name)]
    lines = ["Measured in the emulator; less is better"
             + (", but for " + ", ".join(other) if other else "") + ":", "",
             *metric_lines(metrics, words), ""]
    for scenario, rows in found.items():
        title = words.scenario(scenario)
        event = words.scenarios.get(scenario, bench_page.NO_SCENARIO).event
        if event:
            title += f" (event: {event})"
        lines += scenario_lines(title, rows)
    return "\n".join(lines).rstrip("\n")


def changes(tree, old, new):
    """What range-diff says of two versions: a summary, then all of it."""
    text = subprocess.run(
        ["git", "range-diff", "--no-color", "--creation-factor=95",
         f"base..{old}", f"base..{new}"],
        cwd=tree, check=True, text=True, stdout=subprocess.PIPE).stdout
    words = {"!": "changed", "<": "dropped", ">": "new"}
    lines = ["  - %s: %s" % (words[sign], subject) for sign, subject in re.findall(
        r"^ *(?:\d+|-):  *\S+ ([!<>]) *(?:\d+|-):  *\S+ (.*)$", text, re.M)]
    return "\n".join(lines) or "  - none", text


def recipients(tree, patches):
    """Lines "To:" for maintainers, "Cc:" for the rest, as get_maintainer knows."""
    names = sorted(os.path.join(patches, name) for name in os.listdir(patches)
                   if re.match(r"(v\d+-)?(?!0000)\d{4}-.*\.patch$", name))
    text = subprocess.run(
        ["perl", "scripts/get_maintainer.pl", "--nogit", "--nogit-fallback",
         "--norolestats", "--roles", *names],
        cwd=tree, check=True, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL).stdout
    found = collections.OrderedDict()
    for line in text.splitlines():
        address, _, role = line.partition(" (")
        found.setdefault(address, "To" if role.startswith(
            ("maintainer", "supporter")) else "Cc")
    return "".join("%s: %s\n" % (kind, address) for kind in ("To", "Cc")
                   for address, its in found.items() if its == kind)
