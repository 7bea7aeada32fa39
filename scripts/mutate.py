#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Put known faults back into the series: mutate.py [D1 E3 ...]

Each fault of earlier implementations of auto counter reload has a test named after
it. Builds a kernel with one fault at a time, from build/linux, which is as before
when that is done, and runs the tests of that name: one of them at least has to fail.
Needs what make check has built. Writes build/results/mutations.tsv, in which
what was found of other faults before stays.
"""

import fnmatch
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check as suites  # noqa: E402
from checks import acr_trace, harness, names, path_cost  # noqa: E402
from checks.harness import BUILD, TOP  # noqa: E402

TABLE = BUILD + "/results/mutations.tsv"
HEAD = ("fault", "verdict", "seconds", "tests")
TREE = BUILD + "/linux"
IMAGE = BUILD + "/kernel-mutation/arch/x86/boot/bzImage"
OWN = [f"arch/x86/events/{name}" for name in
       ("intel/acr.c", "intel/acr_open.c", "intel/acr.h", "constraint.c")]
# A text is in one of them.
FILES = [*OWN, "arch/x86/events/intel/core.c"]

# name: (place of its tests, (what the series has, the fault) ...)
FAULTS = {
    "D1": ("arrowlake",
           ("\tbool complete = false;\n\tint i;", "\tbool complete = false;\n"
            "\tint i, position = 0;"),
           ("if (!(mask & intel_acr_member_bit(list[i])))",
            "if (!(mask & BIT_ULL(position++)))")),
    "D2": ("arrowlake",
           ("return max(new - (s32)reload, 0LL);",
            "return (new - old) & GENMASK_ULL(47, 0);")),
    "D3": ("arrowlake",
           ("\thwc->dyn_constraint &= counters;\n\n\treturn",
            "\thwc->dyn_constraint &= counters;\n"
            "\tevent->group_leader->hw.flags |= PERF_X86_EVENT_ACR;\n"
            "\tevent->group_leader->hw.dyn_constraint &=\n"
            "\t\tintel_acr_counters(event->group_leader->pmu).reload;\n\n\treturn")),
    "D4": ("arrowlake",
           ("\thwc->dyn_constraint &= counters;\n\n\treturn",
            "\thwc->dyn_constraint &= counters;\n"
            "\tevent->group_leader->hw.flags |= PERF_X86_EVENT_ACR;\n\n\treturn"),
           ("\tif (unlikely(is_acr_event(event)))\n\t\tcpuc->n_late_setup++;",
            "\tif (is_acr_event(event->group_leader))\n\t\tcpuc->n_late_setup++;"),
           ("\tif (unlikely(this_cpu_read(cpu_hw_events.n_late_setup)))\n"
            "\t\tintel_acr_deleted", "\tintel_acr_deleted"),
           ("\tif (is_acr_event(event))\n\t\tcpuc->n_late_setup--;",
            "\tif (is_acr_event(event->group_leader))\n\t\tcpuc->n_late_setup--;")),
    "D5": ("arrowlake",
           ("if (!is_acr_event(event) || leads == !!event->hw.acr_member)",
            "if (!is_acr_event(event) || (leads && 0))")),
    "D6": ("arrowlake",
           ("if (intel_acr_wrmsr_safe(intel_acr_cfg_b_msr(idx), 0)) {",
            "if (intel_acr_cfg_b_msr(idx) == 0) {")),
    "D7": ("arrowlake",
           ("\tcpuc->late_setup_stale = true;\n", "")),
    "D8": ("arrowlake",
           ("if (is_acr_event(event) && !intel_acr_period_valid(value))",
            "if (is_acr_event(event) && !value)")),
    "D9": ("arrowlake",
           ("INTEL_ACR_MAX_PERIOD\tGENMASK_ULL(30, 0)",
            "INTEL_ACR_MAX_PERIOD\tGENMASK_ULL(46, 0)")),
    "D10": ("arrowlake",
            ("\tif (x86_dyn_feature)\n\t\tx86_dyn_feature->constrain",
             "\tif (event->attr.precise_ip < 3)\n\t\tx86_dyn_feature->constrain")),
    "D11": ("arrowlake",
            ("\treturn x86_narrow_constraint(c, &cpuc->constraint_list[idx], mask);",
             "\tstruct event_constraint *entry = cpuc->event_constraint[idx];\n\n"
             "\tif (entry < cpuc->constraint_list ||\n"
             "\t    entry >= cpuc->constraint_list + X86_PMC_IDX_MAX)\n"
             "\t\tentry = &cpuc->constraint_list[idx];\n\n"
             "\treturn x86_narrow_constraint(c, entry, mask);")),
    "D12": ("arrowlake",
            ("return intel_acr_refuse(event, INTEL_ACR_NO_RELOAD);", "return 0;")),
    "D13": ("arrowlake",
            ("if (leader != event) {\n\t\trefusal", "if (0) {\n\t\trefusal")),
    "E1": ("arrowlake",
           ("if (acr->cfg_b[idx] != causes) {",
            "if (acr->cfg_b[causes ? idx % INTEL_PMC_IDX_FIXED : idx] != causes) {"),
           ("\t\tacr->cfg_b[idx] = causes;\n",
            "\t\tacr->cfg_b[idx % INTEL_PMC_IDX_FIXED] = causes;\n")),
    "E2": ("arrowlake",
           ("\t\tif (list[i]->group_leader != leader)\n\t\t\tcontinue;\n", "")),
    "E3": ("arrowlake",
           ("\t\thwc->acr_causes = causes;",
            "\t\tcauses |= hwc->acr_causes;\n\t\thwc->acr_causes = causes;")),
    "E4": ("arrowlake",
           ("\t\telse\n\t\t\tintel_acr_write(acr, idx, causes, hwc->sample_period);",
            "")),
    "E5": ("arrowlake",
           ("hwc->config &= ~ARCH_PERFMON_EVENTSEL_INT;",
            "hwc->config |= ARCH_PERFMON_EVENTSEL_INT;")),
    "E6": ("arrowlake",
           ("\tif (!intel_acr_is_member(event)) {\n\t\tgroup->foreign = true;",
            "\tif (event->group_leader == (void *)1) {\n\t\tgroup->foreign = true;")),
    "E7": ("arrowlake",
           ("\t\tif (intel_acr_is_member(sibling) &&\n\t\t    intel_acr_is_cause",
            "\t\tif (intel_acr_is_cause"),
           ("\t\tif (intel_acr_is_member(sibling))\n\t\t\tlast", "\t\t\tlast"),
           ("\t/* The hardware part of other events belongs to their PMU */\n"
            "\tif (!intel_acr_is_member(event)) {",
            "\tif (event->group_leader == event &&\n"
            "\t    !intel_acr_is_member(event)) {")),
    "E8": ("arrowlake",
           ("if (leader != event) {\n\t\tintel_acr_collect",
            "if (leader) {\n\t\tintel_acr_collect")),
    "E9": ("arrowlake",
           ("event->hw.dyn_constraint &= x86_pmu.lbr_counters;",
            "leader->hw.dyn_constraint &= x86_pmu.lbr_counters;")),
    "E10": ("arrowlake",
            ("return event->hw.flags & PERF_X86_EVENT_ACR;",
             "return intel_acr_counters(event->pmu).reload;")),
    # Its other half: in the way of all events, also while none is reloaded
    "E10-hot-path": ("cost",
                     ("\tx86_pmu.event_join\t= intel_acr_event_join;\n",
                      "\tx86_pmu.event_join\t= intel_acr_event_join;\n"
                      "\tx86_pmu.enable\t\t= intel_acr_enable_event;\n"
                      "\tx86_pmu.add\t\t= intel_acr_add_event;\n"
                      "\tx86_pmu.del\t\t= intel_acr_del_event;\n"
                      "\tx86_pmu.update\t\t= intel_acr_update;\n")),
    "E11": ("trace",
            ("\tbool self = intel_acr_prepare(this_cpu_ptr(&intel_acr_cpu), event);\n"
             "\tint idx = event->hw.idx;\n\n"
             "\tstatic_call(intel_acr_base_enable)(event);\n",
             "\tint idx = event->hw.idx;\n\tbool self;\n\n"
             "\tstatic_call(intel_acr_base_enable)(event);\n"
             "\tself = intel_acr_prepare(this_cpu_ptr(&intel_acr_cpu), event);\n")),
    "E12": ("clearwaterforest",
            ("return x86_pmu.acr_cntr_mask64;", "return false;")),
    "E13": ("arrowlake",
            ("on ? intel_acr_late_setup : NULL);", "NULL);")),
}


# A fault may end the machine before its test has failed. A slow host may, too.
SPLAT = re.compile(r"WARNING:|BUG:|Oops|unchecked MSR|Uhhuh|general protection|stuck!")


class Mutant(harness.Check):
    """Collects results, of what is there already, without a word."""

    def need(self, suite, *parts):
        return True

    def record(self, suite, test, result, seconds=0.0, log="", why=""):
        self.rows.append((suite, harness.spelled(test), result, why))


def git(*words):
    subprocess.run(["git", "-C", TREE, *words], check=True,
                   stdout=subprocess.DEVNULL)


def replace(texts, name):
    """Change {path: text}; a fault has to fit exactly once."""
    for have, fault in FAULTS[name][1:]:
        fits = [path for path, text in texts.items() for _ in range(text.count(have))]
        if len(fits) != 1:
            sys.exit(f"mutate.py: {name} fits {len(fits)} times: {have}")
        texts[fits[0]] = texts[fits[0]].replace(have, fault)


def put_back(name):
    """Change the tree."""
    texts = {}
    for path in FILES:
        with open(f"{TREE}/{path}", encoding="utf-8") as file:
            texts[path] = file.read()
    replace(texts, name)
    for path, text in texts.items():
        with open(f"{TREE}/{path}", "w", encoding="utf-8") as file:
            file.write(text)


def build():
    env = {**os.environ, "NAME": "mutation"}
    # It speaks of the commit, which does not have the fault.
    built = BUILD + "/kernel-mutation/.built"
    if os.path.exists(built):
        os.unlink(built)
    return subprocess.run([TOP + "/scripts/build-kernel.sh", "series"], env=env,
                          check=False, stdout=subprocess.DEVNULL).returncode == 0


def selftests(name):
    """{program: its tests that are named after the fault}"""
    form = re.compile(rf"^TEST(?:_F(?:_TIMEOUT)?\(\w+, |\()(acr_{name.lower()}_\w+)", re.M)
    found = {f"/selftests/{program}": form.findall(text)
             for program, text in names.sources(names.SELFTESTS)}
    return {program: tests for program, tests in found.items() if tests}


def run_tests(name):
    """{test: result} of the tests that are named after the fault."""
    place = FAULTS[name][0]
    mutant = Mutant("")
    if place == "trace":
        acr_trace.on(mutant, "arrowlake", 1)
    elif place == "cost":
        path_cost.hot_path(mutant, "arrowlake-atom")
    else:
        suites.kunit(mutant)
        programs = selftests(name)
        if programs:
            suites.selftests_on(mutant, place, " ".join(programs),
                                sum(programs.values(), []))
    # Only selftests of the name have run: what the kernel complains of is theirs.
    return {f"{suite}/{test}": result for suite, test, result, why in mutant.rows
            if fnmatch.fnmatch(test, f"acr-{name}-*") or
            suite == "selftest" and test.endswith("-all") and SPLAT.search(why)}


def remember(row):
    """Put a row into the table, in the place of the fault's last one."""
    rows = {}
    if os.path.exists(TABLE):
        with open(TABLE, encoding="utf-8") as table:
            for line in table.read().splitlines()[1:]:
                rows[line.split("\t")[0]] = line.split("\t")
    rows[row[0]] = row
    os.makedirs(os.path.dirname(TABLE), exist_ok=True)
    with open(TABLE, "w", encoding="utf-8") as table:
        print(*HEAD, sep="\t", file=table)
        for fault in FAULTS:
            if fault in rows:
                print(*rows[fault], sep="\t", file=table)


def main():
    chosen = sys.argv[1:] or list(FAULTS)
    unknown = set(chosen) - set(FAULTS)
    if unknown:
        sys.exit(f"mutate.py: unknown fault {sorted(unknown)}")
    boot = harness.boot

    def use(image):
        suites.boot = acr_trace.boot = lambda label, script, *options, **more: boot(
            label, script, "--kernel", image, *options, **more)
        # That compares it with stock
        harness.IMAGES["series"] = image

    series = harness.IMAGES["series"]
    missed = []
    for name in chosen:
        start = time.monotonic()
        use(series)
        anyway = [test for test, result in run_tests(name).items() if result == "fail"]
        if anyway:
            sys.exit(f"mutate.py: fails without {name}: {' '.join(anyway)}")
        use(IMAGE)
        try:
            put_back(name)
            built = build()
        finally:
            git("checkout", "-q", "--", *FILES)
        tests = run_tests(name) if built else None
        if tests is None:
            verdict = "does not build"
        else:
            failed = [test for test, result in tests.items() if result == "fail"]
            verdict = "found" if failed else \
                "missed" if "pass" in tests.values() else "no tests"
        row = (name, verdict, f"{time.monotonic() - start:.0f}",
               ",".join(failed if tests else ()))
        print(*row, flush=True)
        remember(row)
        if verdict != "found":
            missed.append(name)
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
