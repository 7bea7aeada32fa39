# SPDX-License-Identifier: GPL-2.0
"""What the PMI costs: no more than stock's, and less where counters freeze."""

import math

import bench
from checks.harness import MACHINE_PARTS, tail

CPUS = ("skylake", "icelake", "arrowlake", "arrowlake-atom")
VARIANTS = ("stock", "series", "series-freeze")
# scenario: most WRMSR and RDMSR of a PMI that found the counters frozen. What it
# reads of the branch records is what stock reads of them, and stock reads the
# status once more.
FROZEN = {"pmi-plain": (2, 1), "pmi-fixed": (2, 1), "pmi-pebs": (1, 1),
          "pmi-lbr": (2, None)}


def excess(found):
    """Why figures of the variants, {variant: {scenario: {metric: n}}}, are too high."""
    reasons = []

    def limit(scenario, variant, metric, most, what):
        value = found[variant][scenario][metric]
        if value > most:
            reasons.append(f"{scenario} {variant}: {metric} {value:.2f}, {what}"
                           f" {most:.2f}")

    for scenario in bench.SCENARIOS:
        stock = dict(found["stock"][scenario])
        # A context switch empties the branch records: some PMIs read fewer
        if scenario == "pmi-lbr":
            stock["rdmsr"] = math.ceil(stock["rdmsr"])
        for metric in ("wrmsr", "rdmsr", "apic", "insns"):
            limit(scenario, "series", metric, stock[metric], "stock")
        limit(scenario, "series-freeze", "insns", stock["insns"], "stock")
        limit(scenario, "series-freeze", "apic", 1, "limit")
    for scenario, (writes, reads) in FROZEN.items():
        if reads is None:
            reads = math.ceil(found["stock"][scenario]["rdmsr"]) - 1
        limit(scenario, "series-freeze", "wrmsr", writes, "limit")
        limit(scenario, "series-freeze", "rdmsr", reads, "limit")
    return reasons


def run(check):
    for cpu in CPUS:
        case = check.case(f"pmi-cost-{cpu}", parts=("stock", *MACHINE_PARTS))
        if not case:
            continue
        try:
            why = excess({variant: bench.measure(cpu, variant, list(bench.SCENARIOS))
                          for variant in VARIANTS})
        except SystemExit as error:
            why = [str(error)]
        case.judge(not why, tail("\n".join(why)))
