#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Measure what drivers cost, on the emulated CPUs.

Boots stock 6.12, the series and mainline in turn and has the model count what
happens between an NMI's entry and its IRET: accesses to registers, writes of
the local APIC's LVTPC, instructions. The figures are means over all NMIs of a
run; they are counts, not times.

"cost" weighs them: instructions count 1, RDMSR and RDPMC 30, WRMSR and a write
of LVTPC 100, which is about what they take in cycles on the modelled cores.
"cost_ratio" is what of stock's cost it is.

Two scenarios look at the branch records of 10000 samples or more, of counters
that overflow on the interrupt's way out as well: "stale" are those that are not
of the sample. In pmi-stacks the frequency is fixed, in pmi-stacks-period the
period; counters freeze with a fixed period only.

The others are about slots and metrics, of a program in four phases that yields
to a competitor with counters of its own: topdown-switch has the accesses for
each context switch, topdown-read and topdown-snapshot for each read() of a group
and for each use of libperf's reader. topdown-accuracy has by how many percentage
points the worst of four categories is wrong, and the slots by how many percent:
as perf stat counts it, -rdpmc as the program itself finds with libperf, -sample
as perf record has it in samples.

acr-switch and plain-switch have what a context switch costs the kernel, between
two programs of which each is sampled by a ratio, or has its events counted. See
checks/switch_cost.py.

acr-vs-classic is about one kernel, the series: samples, bytes of perf.data and
kernel instructions of two recordings that find the same hot spot, by classic
sampling and by auto counter reload, with the periods of the published example,
and acr-vs-classic-demo with those of the demo. See checks/acr_cost.py.

Writes build/results/bench.tsv. --scenario, --cpu and --variant pick rows.
"""

import argparse
import collections
import os
import re
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench_page  # noqa: E402
from checks import acr_cost, harness, samples, switch_cost, topdown  # noqa: E402

PERIOD = 10007
WEIGHTS = {"insns": 1, "rdmsr": 30, "rdpmc": 30, "wrmsr": 100, "apic": 100}

HEAD = ("scenario", "cpu", "variant", "metric", "value")

# variant: the kernel it boots
VARIANTS = {"stock": "stock", "series": "series", "series-freeze": "series",
            "mainline": "mainline"}

Core = collections.namedtuple("Core", "cpu number pmu")
CORES = {
    "skylake": Core("skylake", 0, "cpu"),
    "icelake": Core("icelake", 0, "cpu"),
    "arrowlake": Core("arrowlake", 0, "cpu_core"),
    "arrowlake-atom": Core("arrowlake", 1, "cpu_atom"),
}

# scenario: (options of perf record, event, modifier). Instructions are counted
# by a fixed counter, branches by a general-purpose one. Stamped by another clock
# than the CPU's, every PEBS record interrupts; else a full buffer of them would.
Scenario = collections.namedtuple("Scenario", "options event modifier")
SCENARIOS = {
    "pmi-plain": Scenario("", "branches", "u"),
    "pmi-fixed": Scenario("", "instructions", "u"),
    "pmi-pebs": Scenario("-k monotonic", "branches", "upp"),
    "pmi-lbr": Scenario("-b", "branches", "u"),
}

# Who has a scenario, its script, and the counters that each program has.
Switch = collections.namedtuple("Switch", "variants cores part counters")
SWITCHES = {
    "acr-switch": Switch(("series", "mainline"), switch_cost.ACR_CORES,
                         switch_cost.acr_part("acr-switch", 20011, 20011),
                         switch_cost.ACR_COUNTERS),
    "plain-switch": Switch(("stock", "series", "mainline"), switch_cost.CORES,
                           switch_cost.plain_part("plain-switch",
                                                  switch_cost.stat_events(True)),
                           len(switch_cost.STAT_EVENTS)),
}
# Where not all scenarios are measured.
OTHER_CORES = [core for core in switch_cost.CORES if core not in CORES]

ACR_CORE = "arrowlake-atom"
TOPDOWN = ("topdown-switch", "topdown-read", "topdown-snapshot",
           "topdown-accuracy", "topdown-accuracy-rdpmc", "topdown-accuracy-sample")
TOPDOWN_CORES = {
    "icelake": CORES["icelake"],
    "sapphirerapids": Core("sapphirerapids", 0, "cpu"),
    "arrowlake": CORES["arrowlake"],
}
# scenario: the variant of stacks
STACKS = {"pmi-stacks": "frequency", "pmi-stacks-period": "short-period"}
STACKS_CORES = tuple(samples.STACK_PLACES)

SCRIPT = """
scenario='{name}'
event='{pmu}/{event},period={period}{freeze}/{modifier}'
record() {{
	taskset -c {number} perf record -q -o /tmp/data {options} -e "$event" payload
}}
record || exit 1
pmusim {number} count on
pmusim {number} clear
record || exit 1
pmusim {number} count off
echo "== $scenario"
pmusim {number} stats
echo "samples $(perf script -i /tmp/data -F event | wc -l)"
"""
SWITCH = "echo 1 >/sys/bus/event_source/devices/{pmu}/freeze_counters || exit 1\n"

# metric: the model's name for it
STATISTICS = {"wrmsr": "nmi_writes", "rdmsr": "nmi_reads", "rdpmc": "nmi_rdpmcs",
              "apic": "nmi_lvtpc_writes", "insns": "nmi_instructions"}


def figures(text):
    """Means over the NMIs of one scenario, or None if there were none."""
    stats = harness.numbers(text)
    nmis = stats.get("nmis", 0)
    if not nmis:
        return None
    found = {metric: stats[name] / nmis for metric, name in STATISTICS.items()}
    found["cost"] = sum(WEIGHTS[metric] * found[metric] for metric in WEIGHTS)
    found["samples"] = stats["samples"]
    return found


def measure(core_name, variant, scenarios):
    """One boot; {scenario: figures}."""
    core = CORES[core_name]
    freeze = variant == "series-freeze"
    script = SWITCH.format(pmu=core.pmu) if freeze else ""
    for name in scenarios:
        scenario = SCENARIOS[name]
        script += SCRIPT.format(
            name=name, pmu=core.pmu, number=core.number, period=PERIOD,
            event=scenario.event, options=scenario.options,
            modifier=scenario.modifier, freeze=",freeze=1" if freeze else "")
    status, text, log = harness.boot(
        f"bench-{core_name}-{variant}", script, "--cpu", core.cpu, "--kernel",
        harness.IMAGES[VARIANTS[variant]])
    parts = dict(re.findall(r"^== (\S+)\n((?:(?!==).*\n)*)", text, re.M))
    found = {name: figures(parts.get(name, "")) for name in scenarios}
    missing = [name for name in scenarios if not found[name]]
    if status or missing:
        sys.exit(f"bench.py: {core_name} {variant}: no figures for"
                 f" {' '.join(missing) or 'the boot'}, see {log}\n"
                 + harness.tail(text))
    return found


def measure_stacks(core_name, variant, scenarios):
    """One boot; {scenario: figures}."""
    core = CORES[core_name]
    freeze = variant == "series-freeze"
    script = ""
    for name in scenarios:
        kind = "frozen" if freeze else STACKS[name]
        script += f"echo == {name}\n" + samples.stacks_script(kind, core_name)
    status, text, log = harness.boot(
        f"bench-stacks-{core_name}-{variant}", script + "true\n", "--cpu", core.cpu,
        "--kernel", harness.IMAGES[VARIANTS[variant]])
    parts = dict(re.findall(r"^== (\S+)\n((?:(?!==).*\n)*)", text, re.M))
    found = {}
    for name in scenarios:
        numbers = harness.numbers(parts.get(name, ""))
        if status or "stale" not in numbers:
            sys.exit(f"bench.py: {core_name} {variant}: no figures for {name},"
                     f" see {log}\n" + harness.tail(text))
        found[name] = {"samples": numbers["checked"], "stale": numbers["stale"]}
    return found


def add_ratios(results):
    """Compare the cost with stock's, {variant: {scenario: figures}}."""
    for scenarios in results.values():
        for scenario, found in scenarios.items():
            stock = results.get("stock", {}).get(scenario, {}).get("cost")
            if stock and "cost" in found:
                found["cost_ratio"] = found["cost"] / stock


def topdown_figures(text):
    """The topdown scenarios of one boot, None for those without figures."""
    parts = topdown.parts_of(text)
    accuracy = {method: topdown.accuracy_of(method, parts.get(method, ""))
                for method in topdown.METHODS}
    costs = topdown.costs_of(text) or {}
    figures = {
        "topdown-switch": accuracy["stat"] and topdown.switch_costs(accuracy["stat"]),
        "topdown-read": costs.get("reads"),
        "topdown-snapshot": costs.get("snapshots"),
    }
    for method, found in accuracy.items():
        name = "topdown-accuracy" + ("" if method == "stat" else "-" + method)
        figures[name] = found and {metric: found[metric] for metric in
                                   ("error_pp", "slots_percent")}
    return figures


def measure_topdown(core_name, variant):
    """One boot; {scenario: figures}."""
    core = TOPDOWN_CORES[core_name]
    script = topdown.accuracy_script(core.pmu) + \
        topdown.COSTS.format(number=topdown.COST_NUMBER)
    status, text, log = harness.boot(
        f"bench-topdown-{core_name}-{variant}", script, "--cpu", core.cpu,
        "--kernel", harness.IMAGES[VARIANTS[variant]])
    figures = topdown_figures(text)
    if status or not all(figures.values()):
        sys.exit(f"bench.py: {core_name} {variant}: no figures for TopDown,"
                 f" see {log}\n" + harness.tail(text))
    return figures


def measure_switches(core_name, variant, chosen):
    """One boot; {scenario: figures}."""
    parts = {name: switch for name, switch in SWITCHES.items()
             if name in chosen and variant in switch.variants
             and core_name in switch.cores}
    if not parts:
        return {}
    kernel = VARIANTS[variant]
    status, text, log = harness.boot(
        f"acr-cost-bench-{core_name}-{kernel}", switch_cost.script(
            core_name, *(switch.part for switch in parts.values())),
        *switch_cost.machine(core_name, kernel))
    found = {name: switch_cost.per_switch(text, name, switch.counters)
             for name, switch in parts.items()}
    if status or not all(found.values()):
        sys.exit(f"bench.py: {core_name} {variant}: no figures for switches,"
                 f" see {log}\n" + harness.tail(text))
    return {name: {metric: figures[metric] for metric in
                   ("wrmsr", "rdmsr", "rdpmc", "insns")}
            for name, figures in found.items()}


def acr_rows(chosen, variants):
    """Rows of the scenarios that compare two recordings."""
    scenarios = [name for name in chosen if name in acr_cost.SCENARIOS]
    if not scenarios:
        return []
    found, wrong = acr_cost.measure("bench-acr", scenarios,
                                    harness.IMAGES["series"])
    if not found:
        sys.exit(f"bench.py: no figures for auto counter reload: {wrong}")
    return [table_row(scenario, ACR_CORE, variant, metric, value)
            for scenario in scenarios
            for variant, metrics in found[scenario].items() if variant in variants
            for metric, value in metrics.items()]


def table_row(scenario, core, variant, metric, value):
    return scenario, core, variant, metric, f"{value:.2f}".rstrip("0").rstrip(".")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--scenario", action="append",
                        choices=[*SCENARIOS, *STACKS, *TOPDOWN, *SWITCHES,
                                 *acr_cost.SCENARIOS])
    parser.add_argument("--cpu", action="append", choices=[*CORES, *OTHER_CORES])
    parser.add_argument("--variant", action="append",
                        choices=[*VARIANTS, *acr_cost.VARIANTS])
    parser.add_argument("--table", default=harness.BUILD + "/results/bench.tsv")
    args = parser.parse_args()
    chosen = args.scenario or [*SCENARIOS, *STACKS, *TOPDOWN, *SWITCHES,
                               *acr_cost.SCENARIOS]
    scenarios = [name for name in chosen if name in SCENARIOS]

    builder = harness.Check("")
    compared = [name for name in args.variant or acr_cost.VARIANTS
                if name in acr_cost.VARIANTS]
    variants = [name for name in args.variant or VARIANTS if name in VARIANTS
                and not set(chosen) <= set(acr_cost.SCENARIOS)]
    kernels = {"series", *(VARIANTS[name] for name in variants)}
    for part in ["qemu", "rootfs", *{"kernel" if name == "series" else name
                                     for name in kernels}]:
        if not builder.build(part):
            sys.exit(f"bench.py: cannot build {part}")

    rows = []
    for core in args.cpu or [*CORES, *OTHER_CORES]:
        measured = {}
        for variant in variants:
            start = time.monotonic()
            results = measure(core, variant, scenarios) \
                if scenarios and core in CORES else {}
            results.update(measure_switches(core, variant, chosen))
            stacks = [name for name in STACKS if name in chosen and
                      core in STACKS_CORES and
                      (variant != "series-freeze" or name == "pmi-stacks-period")]
            if stacks:
                results.update(measure_stacks(core, variant, stacks))
            if any(name in TOPDOWN for name in chosen) and \
                    core in TOPDOWN_CORES and variant != "series-freeze":
                results.update((name, found) for name, found in
                               measure_topdown(core, variant).items() if name in chosen)
            measured[variant] = results
            print(f"      {core} {variant}: {time.monotonic() - start:.1f} s",
                  flush=True)
        add_ratios(measured)
        rows += [table_row(scenario, core, variant, metric, value)
                 for variant, results in measured.items()
                 for scenario, found in results.items()
                 for metric, value in found.items()]

    if compared and ACR_CORE in (args.cpu or CORES):
        rows += acr_rows(chosen, compared)

    os.makedirs(os.path.dirname(args.table), exist_ok=True)
    merged = merge(args.table, rows)
    with open(args.table, "w", encoding="utf-8") as out:
        print(*HEAD, sep="\t", file=out)
        for row in merged:
            print(*row, sep="\t", file=out)
    show(rows)


def merge(table, rows):
    """Rows of earlier runs, but for what was measured again, and these."""
    if not os.path.exists(table):
        return rows
    again = {tuple(row[:3]) for row in rows}
    with open(table, encoding="utf-8") as file:
        old = [tuple(line.rstrip("\n").split("\t")) for line in file]
    return [row for row in old[1:] if row[:3] not in again] + rows


def show(rows):
    """A line for each scenario, CPU and variant."""
    metrics = [name for name in bench_page.Words().metrics
               if any(row[3] == name for row in rows)]
    print(f"{'scenario':24} {'cpu':14} {'variant':13}"
          + "".join(f" {metric:>8}" for metric in metrics))
    table = collections.defaultdict(dict)
    for scenario, cpu, variant, metric, value in rows:
        table[scenario, cpu, variant][metric] = value
    for key in sorted(table):
        print(f"{key[0]:24} {key[1]:14} {key[2]:13}"
              + "".join(f" {table[key].get(metric, '-'):>{max(8, len(metric))}}"
                        for metric in metrics))


if __name__ == "__main__":
    main()
