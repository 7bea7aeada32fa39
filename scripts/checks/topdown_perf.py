# SPDX-License-Identifier: GPL-2.0
"""TopDown in perf, in the test machine: what check.py's suite topdown runs.

Programs whose slots go into one category are measured in every way that
perf stat --topdown has, and compared with what the model knows of them.
"""

import re
import time

from checks.harness import BUILD, MACHINE_PARTS, boot
from checks.topdown_old import OLD_SCRIPT, OldVerdicts
from checks.topdown_output import CATEGORIES, parts_of
from checks.topdown_scripts import RECORD, SCRIPT, TELL
from checks.topdown_verdicts import Verdicts

WITHOUT_TABLES = BUILD + "/perf-no-tables/perf"
CPUS = ("icelake", "sapphirerapids", "arrowlake", "lunarlake")
# CPU: what runs on it, who judges that, how it is booted
KINDS = {cpu: (SCRIPT, Verdicts, ("--cpu", cpu)) for cpu in CPUS}
KINDS["skylake"] = (OLD_SCRIPT, OldVerdicts, (
    "--cpu", "skylake", "--qemu-option=-smp", "--qemu-option=2,threads=2"))
# What the parts of a recorded file have to show
TITLES = {"script": ("topdown: ", "retiring"), "report": CATEGORIES, "counts": CATEGORIES}


def tests(judge):
    return [name for name in vars(judge) if re.match(r"[rf]\d+_", name)]


def spelled(test, cpu):
    number, _, rest = test.partition("_")
    return f"topdown-{number.upper()}-{rest.replace('_', '-')}-{cpu}"


def run_kind(check, cpu):
    """One boot, one result for each test"""
    script, judge, options = KINDS[cpu]
    if not any(check.wants("topdown", spelled(test, cpu)) for test in tests(judge)):
        return
    start = time.monotonic()
    status, text, log = boot(f"topdown-{cpu}", script, *options, "--add",
                             f"{WITHOUT_TABLES}=usr/bin/perf-no-tables", timeout=600)
    seconds = time.monotonic() - start
    verdicts = judge(cpu, text)
    for test in tests(judge):
        try:
            good = not status and bool(getattr(verdicts, test)())
            why = "not as it should be" if not status else f"status {status}"
        except (KeyError, IndexError, ValueError, TypeError, ArithmeticError,
                AssertionError) as error:
            good, why = False, repr(error)
        check.record("topdown", spelled(test, cpu), "pass" if good else "fail",
                     seconds, log, why)
        seconds = 0.0


def moved(check):
    """What was recorded tells the same on a CPU without slots and their events."""
    for cpu in ("icelake", "arrowlake"):
        tests_here = {part: f"topdown-{number}-moved-{part}-{cpu}" for part, number in
                      (("script", "R18"), ("report", "R18"), ("counts", "R11"))}
        if not any(check.wants("topdown", test) for test in tests_here.values()):
            continue
        start = time.monotonic()
        status, home, log = boot(f"topdown-recorded-{cpu}", RECORD + TELL, "--cpu", cpu)
        files = [f"{BUILD}/check/topdown-recorded-{cpu}/{name}"
                 for name in ("samples", "counts")]
        if not status:
            status, away, log = boot(
                f"topdown-moved-{cpu}", "cd /\n" + TELL, "--cpu", "skylake",
                *(word for path in files for word in ("--add", path)))
        seconds = time.monotonic() - start
        for part, test in tests_here.items():
            here, there = (parts_of(text).get(part, "") for text in (home, away)) \
                if not status else ("", "")
            # The program spends its time in four ways, and there is a row for each.
            good = here == there and all(title in here for title in TITLES[part]) and \
                len(re.findall(r"\d+\.\d\d?%", here)) >= 8
            check.record("topdown", test, "pass" if good else "fail", seconds, log,
                         difference(here, there))
            seconds = 0.0


def difference(here, there):
    lines = set(here.splitlines()) ^ set(there.splitlines())
    return "\n".join(sorted(lines)) or "no such output"


def run(check):
    """perf stat --topdown against the model's truth."""
    if not check.need("topdown", *MACHINE_PARTS, "perf-no-tables"):
        return
    check.attempt_all("topdown", [lambda check, cpu=cpu: run_kind(check, cpu)
                                  for cpu in KINDS])
    moved(check)
