# SPDX-License-Identifier: GPL-2.0
"""What goes with the patches when they are mailed: numbers, changes, recipients.

Used by series.py, which writes the cover letter.
"""

import collections
import os
import re
import subprocess

# What a table in mail has room for, and in what order it is read.
VARIANTS = ("stock", "series", "series-freeze", "mainline", "classic", "acr")
METRICS = ("wrmsr", "rdmsr", "apic", "insns", "cost", "samples", "bytes",
           "kernel_insns", "error_pp")


def number(text):
    """Shortest form that still tells what was measured."""
    value = float(text)
    return "%d" % value if value == int(value) or abs(value) >= 1000 \
        else "%.3g" % value


def numbers(table):
    """The bench's table as text, variants side by side; "" without one."""
    if not os.path.isfile(table):
        return ""
    found = collections.defaultdict(dict)
    with open(table, encoding="utf-8") as file:
        for line in file.read().splitlines()[1:]:
            scenario, cpu, variant, metric, value = line.split("\t")
            if metric in METRICS:
                found[scenario, cpu, metric][variant] = number(value)
    variants = [name for name in VARIANTS
                if any(name in row for row in found.values())]
    if not found:
        return ""
    form = "  %-16s %-15s %-8s" + " %13s" * len(variants)
    lines = [form % ("scenario", "cpu", "metric", *variants)]
    for (scenario, cpu, metric), row in found.items():
        lines.append(form % (scenario, cpu, metric,
                             *(row.get(name, "-") for name in variants)))
    return "Measured in the emulator, per event of the scenario:\n\n" + \
        "\n".join(line.rstrip() for line in lines)


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
