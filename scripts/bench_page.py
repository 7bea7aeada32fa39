# SPDX-License-Identifier: GPL-2.0
"""The words of Documentation/corepmu/bench.md, for charts and the cover letter."""

import collections
import os
import re

PAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                    "Documentation/corepmu/bench.md")

# unit: of one "event" where it is per event; lower: whether less is better
Metric = collections.namedtuple("Metric", "what unit lower")
# what: what runs; event: what the figures are per, "" if they are of all of it
Scenario = collections.namedtuple("Scenario", "what event")
NO_METRIC, NO_SCENARIO = Metric("", "", False), Scenario("", "")


def rows(text, title):
    """{name: other cells} of the table whose first column has that title."""
    found = re.search(rf"^\| {title} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.M)
    lines = [line.replace("`", "").strip("| ").split(" | ")
             for line in (found[1] if found else "").splitlines()]
    return {name: [cell.strip() for cell in cells] for name, *cells in lines}


class Words:
    """What to call scenarios and metrics; unknown ones by their names."""

    def __init__(self, page=PAGE):
        text = ""
        if os.path.isfile(page):
            with open(page, encoding="utf-8") as file:
                text = file.read()
        self.metrics = {name: Metric(what, unit, better == "lower")
                        for name, (what, unit, better) in rows(text, "metric").items()}
        self.scenarios = {name: Scenario(what, "" if event == "-" else event)
                          for name, (what, event) in rows(text, "scenario").items()}

    def scenario(self, name):
        """One line about a scenario."""
        what = self.scenarios.get(name, NO_SCENARIO).what
        return f"{name}: {what}" if what else name

    def metric(self, name):
        """What a metric is, as a title."""
        return self.metrics.get(name, NO_METRIC).what or name

    def lower(self, name):
        """Is less of this better?"""
        return self.metrics.get(name, NO_METRIC).lower

    def unit(self, scenario, metric):
        """What one of a metric is, in that scenario."""
        event = self.scenarios.get(scenario, NO_SCENARIO).event or "event"
        return re.sub(r"\bevent\b", event,
                      self.metrics.get(metric, NO_METRIC).unit)
