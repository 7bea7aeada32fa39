# SPDX-License-Identifier: GPL-2.0
"""What perf stat --topdown and others print in the test machine, taken apart."""

import json
import re

from checks.harness import numbers

CATEGORIES = ("retiring", "bad speculation", "frontend bound", "backend bound")
PROGRAMS = dict(zip(CATEGORIES, ("retiring", "bad-spec", "fe-bound", "be-bound")))
SYMBOLS = dict(zip(CATEGORIES, ("retiring", "bad_spec", "fe_bound", "be_bound")))
LEVEL2 = ("heavy operations", "light operations", "branch mispredict",
          "machine clears", "fetch latency", "fetch bandwidth", "memory bound",
          "core bound")
# Above which percentage a column is in color, and whose parent has to be, too;
# see perf's topdown.txt.
ABOVE = {"retiring": 70, "bad speculation": 10, "frontend bound": 20,
         "backend bound": 20, "heavy operations": 10, "light operations": 60,
         "branch mispredict": 10, "machine clears": 10, "fetch latency": 10,
         "fetch bandwidth": 20, "memory bound": 20, "core bound": 10}
PARENTS = {"branch mispredict": "bad speculation",
           "machine clears": "bad speculation", "fetch latency": "frontend bound",
           "memory bound": "backend bound", "core bound": "backend bound"}
HYBRID = ("arrowlake", "lunarlake")


def rows(text):
    """The objects of JSON output; a key that comes twice is an error."""
    def unique(pairs):
        assert len({key for key, _ in pairs}) == len(pairs), pairs
        return dict(pairs)
    return [json.loads(line, object_pairs_hook=unique)
            for line in text.splitlines() if line.startswith("{")]


def complete(row, names=CATEGORIES):
    """All categories there, and they add up to 100 %."""
    return all(row.get(name) is not None for name in names) and \
        abs(sum(row[name] for name in CATEGORIES) - 100) < 0.05


def counted(found):
    return [row for row in found if row["slots"]]


def in_category(row, name):
    return complete(row) and row[name] == max(row[other] for other in CATEGORIES)


def classes(row):
    """The columns that are worth a color, by the documented thresholds."""
    high = {name for name, least in ABOVE.items() if (row.get(name) or 0) > least}
    return {name for name in high if PARENTS.get(name, name) in high}


def parts_of(text):
    return dict(re.findall(r"^== (.*)\n((?:(?!== ).*\n)*)", text, re.M))


def lists_of(text):
    return re.findall(r"^list (.*)\n((?:(?!list ).*\n)*)", text, re.M)


def event_of(line):
    """The name of an event in a line of CSV, without its PMU"""
    return re.sub(r"^\w+/(.*)/$", r"\1", line[2])


def retiring_shares(lines):
    """Of the last slots before it with the same modifiers; what the kernel does is
    not known."""
    shares, slots = [], {}
    for line in lines:
        count, _, event = line.split(",")[:3]
        name, _, modifiers = re.sub(r"^\w+/(.*)/", r"\1:", event).partition(":")
        if name in ("slots", "r400", "foo"):
            slots[modifiers] = int(count)
        elif name in ("topdown-retiring", "r8000") and "k" not in modifiers:
            shares.append(int(count) / slots[modifiers])
    return shares


def all_count(text):
    """Every event of a list counts what it should, of a program that retires;
    E-cores are not where it runs."""
    lines = [line for line in text.splitlines()
             if "," in line and "cpu_atom" not in line]
    return len(lines) > 1 and all(re.match(r"\d+,", line) for line in lines) and \
        all(0.5 < share < 1.1 for share in retiring_shares(lines))


def true_shares(text):
    """Shares of the slots, from what pmusim says of a range."""
    lane = numbers(text)
    if not lane.get("slots"):
        return None
    lost = [lane["bad_spec"], lane["frontend"], lane["backend"]]
    return [100 * part / lane["slots"]
            for part in [lane["slots"] - sum(lost)] + lost]


def sums_of(form, text):
    """Of each row, the sum of its categories and by how much it may be off."""
    if form == "-j":
        return [(sum(row[name] for name in CATEGORIES), 0.025)
                for row in counted(rows(text))]
    if form == "-x,":
        lines = [line.split(",") for line in text.splitlines() if line]
        first = lines[0].index(CATEGORIES[0])
        return [(sum(map(float, line[first:first + 4])), 0.025)
                for line in lines[1:] if line[first] != "null"]
    return [(sum(map(float, numbers)), 0.25) for numbers in
            re.findall(r"(\d+\.\d)%" + r"\s+(\d+\.\d)%" * 3 + r"\s+\d", text)]
