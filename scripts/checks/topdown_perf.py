# SPDX-License-Identifier: GPL-2.0
"""TopDown in perf, in the test machine: what check.py's suite topdown runs.

Programs whose slots go into one category are measured in every way that
perf stat --topdown has, and compared with what the model knows of them.
"""

import re
import time

from checks.harness import BUILD, MACHINE_PARTS, boot
from checks.topdown_scripts import OLD_SCRIPT, SCRIPT
from checks.topdown_verdicts import OldVerdicts, Verdicts

WITHOUT_TABLES = BUILD + "/perf-no-tables/perf"
CPUS = ("icelake", "sapphirerapids", "arrowlake", "lunarlake")
# CPU: what runs on it, who judges that, how it is booted
KINDS = {cpu: (SCRIPT, Verdicts, ("--cpu", cpu)) for cpu in CPUS}
KINDS["skylake"] = (OLD_SCRIPT, OldVerdicts, (
    "--cpu", "skylake", "--qemu-option=-smp", "--qemu-option=2,threads=2"))


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
        except (KeyError, IndexError, ValueError, TypeError,
                AssertionError) as error:
            good, why = False, repr(error)
        check.record("topdown", spelled(test, cpu), "pass" if good else "fail",
                     seconds, log, why)
        seconds = 0.0


def run(check):
    """perf stat --topdown against the model's truth."""
    if not check.need("topdown", *MACHINE_PARTS, "perf-no-tables"):
        return
    for cpu in KINDS:
        run_kind(check, cpu)
