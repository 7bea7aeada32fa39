#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Pass every test; last line "N passed, N failed, N skipped".

Usage: check.py [--list] [SUITE...]. TEST=pattern in the environment picks tests:
a shell pattern for "suite/test" or a part of it. LONG=10 makes some tests ten
times as long. Builds what the chosen suites
need (suite "build"). Writes build/results/check.tsv. --list prints the names of
tests instead: of all suites but those that only run when asked for, without
upstream's own.
"""

import glob
import os
import re
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from checks import (acr, acr_trace, acr_truth, constraints, debug,  # noqa: E402
                    flow, freeze, hotplug, interrupt, lint, model, names, patches,
                    path_cost, pmi_cost, power, samples, stat_shell, switch_cost,
                    topdown, topdown_perf)
from checks.harness import (BUILD, MACHINE_PARTS, TOP, Check, boot,  # noqa: E402
                            spelled, tail, tap)


# Unit tests that look at what the series composes.
COMPOSED = ("call_sites_test",)


def unit(check):
    """The scripts' own unit tests. They pick tests themselves: with nothing picked."""
    env = {name: value for name, value in os.environ.items() if name != "TEST"}
    for path in sorted(glob.glob(TOP + "/scripts/tests/*_test.py")):
        test = os.path.basename(path)[:-3]
        if test not in COMPOSED or check.wants("unit", test) and \
                check.need("unit", "series"):
            check.run("unit", test, [sys.executable, path], env=env)


def kunit(check):
    if not check.need("kunit", *MACHINE_PARTS):
        return
    start = time.monotonic()
    # Before init the kernel still measures how long its interrupts take.
    status, text, log = boot("kunit", "true", "--append",
                             "kunit.enable=1 intel_freeze_counters=1",
                             "--allow", "perf: interrupt took too long")
    with open(BUILD + "/check/kunit/console.log", encoding="utf-8",
              errors="replace") as console:
        lines = [re.sub(r"^\[ *\d+\.\d+\] ", "", line.rstrip("\r\n"))
                 for line in console]
    planned = sum(int(plan) for plan in
                  re.findall(r"^    1\.\.(\d+)$", "\n".join(lines), re.M))
    number, block = 0, []
    for line in lines:
        block.append(line)
        match = re.match(r"(?:not )?ok \d+ (\S+)", line)
        if match:
            number += tap(check, "kunit", "\n".join(block),
                          BUILD + "/check/kunit/console.log", "    ",
                          match[1] + ".")
            block = []
    if status or not number or number != planned:
        check.record("kunit", "all", "fail", time.monotonic() - start, log,
                     text or f"{number} results on the console, {planned} planned")


SELFTESTS = """
for test in {}; do
	echo "=== ${{test##*/}}"
	timeout 240 taskset -c {} "$test" {} </dev/null
	echo "=== status $?"
done
"""
# What has to be skipped where: skylake and icelake have no ACR, and only skylake
# has its precise cycles. clearwaterforest runs without PDist, which 6.12 knows by
# model, and has one PMU. The first CPU cannot go, and is arrowlake's only P-core.
MAY_SKIP = {"skylake": r"acr(?!-D12)",
            "icelake": r"acr(?!-D12)|pmi-2[45]-",
            "clearwaterforest":
            r"acr-(B17|B21|D10|D12|B11-moved|B26-moved|B30-opened)-|pmi-2[45]-",
            "clearwaterforest-wide": r"acr-B17-",
            "arrowlake": r"mmap\.|pmi-2[45]-|pmi\.pmi\.hotplug$",
            "": r"mmap\.|pmi-2[45]-"}
# What has to be right also where interrupts come late, and a freeze costs counts.
LATE = ("pmi_6_pmu_disabled", "pmi_8_event_deleted", "pmi_10_storm",
        "pmi_13_group_values", "pmi_15_independence",
        "pmi_15_joining_and_leaving", "pmi_17_rotation", "pmi_18_switch")
# What depends on which counters are PDist's, branch records', and causes. No other
# CPU has one that is both a cause and PDist's, counters that only cause reloads, nor
# branch records that log none of those that can be reloaded.
WIDE = ("acr_b17_pdist", "acr_b17_pdist_cause", "acr_b18_branch_counters",
        "acr_d10_cause_only_member",
        "acr_d10_disabled_cause", "acr_d10_members_are_on_right_counters",
        "acr_b5_reschedule")
# A place of this kind has other properties, and runs some tests only.
KINDS = {"late": ("pmusim-skid=50", LATE),
         "wide": ("pmusim-acr-reload=0xf0,pmusim-acr-cause=0x1000000ff", WIDE)}
# All of them on arrowlake, those of features on the other kinds of CPU.
SELFTEST_PLACES = (("arrowlake", "/selftests/*"),
                   ("arrowlake-atom", "/selftests/pmi*"),
                   ("arrowlake-atom-late", "/selftests/pmi*"),
                   ("arrowlake-late", "/selftests/pmi*"),
                   ("arrowlake-wide", "/selftests/acr /selftests/acr_run"),
                   ("clearwaterforest", "/selftests/acr* /selftests/pmi"),
                   ("clearwaterforest-wide", "/selftests/acr_run"),
                   ("icelake", "/selftests/acr /selftests/pmi* /selftests/topdown"),
                   ("icelake-late", "/selftests/pmi*"),
                   ("sapphirerapids", "/selftests/topdown"),
                   ("skylake", "/selftests/acr /selftests/pmi*"),
                   ("skylake-late", "/selftests/pmi*"))


def selftest(check):
    if not check.need("selftest", *MACHINE_PARTS):
        return
    check.attempt_all("selftest", [
        lambda check, place=place, tests=tests: selftests_on(check, place, tests)
        for place, tests in SELFTEST_PLACES])


def selftests_on(check, place, tests, only=()):
    start = time.monotonic()
    cpu, *kinds = place.split("-")
    options = ("--cpu", cpu)
    for kind in set(kinds) & set(KINDS):
        properties, only = KINDS[kind]
        options += ("--cpu-option", properties)
    chosen = " ".join(f"-t {name}" for name in only)
    # A generic event, as upstream's tests use, counts on P-cores only.
    status, text, log = boot(
        f"selftest-{place}",
        SELFTESTS.format(tests, 1 if "atom" in kinds else 0, chosen), *options,
        timeout=900)
    prefix = "" if place == "arrowlake" else place + "."
    allowed = re.compile(f"(?:{re.escape(prefix)})?"
                         f"(?:{MAY_SKIP.get(place, MAY_SKIP[''])})")
    number, skipped = 0, []
    for name, part, code in re.findall(
            r"^=== (\S+)\n(.*?)^=== status (\d+)\n", text, re.M | re.S):
        found = tap(check, "selftest", part, log, prefix=f"{prefix}{name}.")
        number += 1
        skipped += [prefix + name + "." + test for test in
                    re.findall(r"^ok \d+(?: -)? (\S+) *# *SKIP", part, re.M)]
        if not found and code == "4":
            skipped.append(prefix + name)
        if not found or code not in ("0", "1"):
            check.record("selftest", prefix + name,
                         {"0": "pass", "4": "skip"}.get(code, "fail"),
                         0, log, tail(part))
    surprising = [test for test in map(spelled, skipped)
                  if check.wants("selftest", test) and not allowed.match(test)]
    if status or not number or surprising:
        check.record("selftest", f"{place}-all", "fail",
                     time.monotonic() - start, log,
                     f"skipped: {' '.join(surprising)}" if surprising
                     else tail(text))


# Of perf's tests, what has to be skipped on arrowlake: none of its events in sysfs
# stands for another.
PERF_MAY_SKIP = {"Parsing of aliased events from sysfs"}


def perftest(check):
    """perf's own tests of what the series touches; the rest is upstream's."""
    if not check.need("perftest", *MACHINE_PARTS):
        return
    names = ("Test event parsing", "from sysfs", "with PMU", "event modifiers",
             "hybrid event", "ACR ", "topdown_r")
    script = "".join(f"perf test '{name}' 2>&1\n" for name in names) + "true\n"
    start = time.monotonic()
    status, text, log = boot("perftest", script)
    found = {name: (verdict, why) for name, verdict, why in re.findall(
        r"^\s*[\d.]+: (.*?)\s*: (Ok|FAILED!|Skip)(.*)$", text, re.M)}
    for name, (verdict, why) in found.items():
        check.record("perftest", name, {"O": "pass", "F": "fail", "S": "skip"}
                     [verdict[0]], 0, log, why)
    missing = [name for name in names
               if not any(name in title for title in found)]
    surprising = [name for name, (verdict, _) in found.items()
                  if verdict == "Skip" and name not in PERF_MAY_SKIP]
    if status or missing or surprising:
        check.record("perftest", "all", "fail", time.monotonic() - start, log,
                     f"no test called: {missing}" if missing else
                     f"skipped: {surprising}" if surprising else tail(text))
    check.attempt("perftest", acr.run_perf)
    check.attempt("perftest", stat_shell.run)


def machine(check):
    check.attempt_all("machine", [suite.run for suite in (
        model, acr, acr_trace, acr_truth, hotplug, constraints, switch_cost, path_cost,
        freeze, interrupt, pmi_cost, power, samples, flow, topdown)])


def demo(check):
    if check.need("demo", *MACHINE_PARTS):
        check.run("demo", "acr-loop2-only", [TOP + "/scripts/demo.py"])


SUITES = {"modeltest": model.modeltest, "unit": unit, "kunit": kunit,
          "selftest": selftest, "perftest": perftest, "topdown": topdown_perf.run,
          "machine": machine, "demo": demo, "lint": lint.lint}
# These take long: only when asked for.
ON_DEMAND = {"static": lint.static, "patches": patches.run,
             "bisect": patches.bisect, "debug": debug.run}


def listed(suites):
    """"suite/test" of all tests of suites that are picked."""
    check = Check(os.environ.get("TEST", ""))
    return [name for name in names.names(suites, SELFTEST_PLACES, KINDS)
            if check.wants(*name.split("/", 1))]


def main():
    chosen = sys.argv[1:]
    if "--list" in chosen:
        print("\n".join(listed({suite: function for suite, function in SUITES.items()
                                if chosen == ["--list"] or suite in chosen})))
        return 0
    chosen = chosen or list(SUITES)
    known = {**SUITES, **ON_DEMAND}
    for suite in chosen:
        if suite not in known:
            sys.exit(f"check: unknown suite '{suite}'; known: {' '.join(known)}")
    check = Check(os.environ.get("TEST", ""))
    for suite in chosen:
        if check.wants(suite):
            print(f"----  {suite}", flush=True)
            check.attempt(suite, known[suite])
    return check.finish(BUILD + "/results/check.tsv")


if __name__ == "__main__":
    sys.exit(main())
