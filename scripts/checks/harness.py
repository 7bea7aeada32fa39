# SPDX-License-Identifier: GPL-2.0
"""What every suite of check.py needs: parts to build, the test machine, results."""

import concurrent.futures
import fnmatch
import os
import re
import runpy
import subprocess
import threading
import time
import traceback

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MACHINE = TOP + "/tools/testing/machine"
BUILD = TOP + "/build"
LOG = BUILD + "/log"
JOBS = int(os.environ.get("JOBS", "0")) or os.cpu_count()
ROOTFS = ["make", "-s", "-C", MACHINE, f"O={BUILD}/machine",
          f"PERF={BUILD}/perf/perf", f"SELFTESTS={BUILD}/selftests",
          f"LIBPERF={BUILD}/perf", f"SOURCE={BUILD}/linux"]
# part: (what it needs, how it is made)
PARTS = {
    "series": ((), [TOP + "/scripts/source-tree.sh", "series"]),
    "kernel": (("series",), [TOP + "/scripts/build-kernel.sh", "series"]),
    "fuzz-kernel": (("series",), [
        "env", "NAME=fuzz", f"EXTRA_CONFIG={MACHINE}/fuzz.config",
        TOP + "/scripts/build-kernel.sh", "series"]),
    "stock": ((), [TOP + "/scripts/build-kernel.sh", "stock"]),
    "mainline": ((), [TOP + "/scripts/build-kernel.sh", "mainline"]),
    "perf": (("series",), [TOP + "/scripts/build-perf.sh"]),
    "perf-no-tables": (("series",), [
        "env", f"PERF_OUT={BUILD}/perf-no-tables", "PERF_WITHOUT=JEVENTS",
        TOP + "/scripts/build-perf.sh"]),
    "selftests": (("series",), [TOP + "/scripts/build-selftests.sh"]),
    "rootfs": (("perf", "selftests"), ROOTFS),
    "qemu": ((), [TOP + "/scripts/build-qemu.sh"]),
    "rr": ((), [TOP + "/scripts/fetch.sh", "rr"]),
    "guest": ((), ["make", "-s", "-C", TOP + "/tools/testing/pmusim/guest",
                   f"O={BUILD}/guest"]),
}
IMAGES = {kernel: f"{BUILD}/{folder}/arch/x86/boot/bzImage" for kernel, folder in
          (("series", "kernel-series"), ("fuzz-kernel", "kernel-fuzz"),
           ("stock", "stock/kernel"), ("mainline", "mainline/kernel"))}
# LONG=N: N times as much of those tests that could go on forever.
LONG = int(os.environ.get("LONG", "1"))
MACHINE_PARTS = ("kernel", "rootfs", "qemu")
# What the program that boots the machine knows
RUN = runpy.run_path(MACHINE + "/run")
# CPU: how QEMU is asked for it
CPUS = RUN["CPUS"]
# A test of a numbered requirement has the number in its name; C spells it
# acr_b12_some_thing.
REQUIREMENT = re.compile(r"(?:(.*)\.)?(acr|pmi|topdown)_([bdekr]?)(\d+)_(.*)", re.I)
# A test that runs in several places names them in front, and at the end then.
PLACES = (*CPUS, "arrowlake-atom", "arrowlake-atom-late", "arrowlake-late",
          "arrowlake-wide", "clearwaterforest-wide", "icelake-late", "skylake-late")
# What fails where tests could not be run to their end
BROKEN = "broken-"


def spelled(name):
    match = REQUIREMENT.fullmatch(name)
    if not match:
        return name
    where, room, kind, number, rest = match.groups()
    place = (where or "").split(".")[0]
    return f"{room}-{kind.upper()}{number}-{rest.replace('_', '-')}" + (
        f"-{place}" if place in PLACES else "")


class Check:
    """Collects results, prints them as they come."""

    def __init__(self, pattern):
        self.pattern = pattern
        self.rows = []
        self.built = {}
        # Tests may run beside each other; what they need is built once.
        self.printing = threading.Lock()
        self.building = threading.RLock()

    def wants(self, suite, test="*"):
        """Is a test picked? With "*", can any test of the suite be?"""
        if not self.pattern:
            return True
        head, slash, tail = self.pattern.partition("/")
        if slash and not fnmatch.fnmatch(suite, head):
            return False
        return test == "*" or fnmatch.fnmatch(
            test if slash else f"{suite}/{test}", f"*{tail if slash else head}*")

    def record(self, suite, test, result, seconds=0.0, log="", why=""):
        test = spelled(test)
        if suite != "build" and not test.startswith(BROKEN) and \
                not self.wants(suite, test):
            return
        with self.printing:
            self.rows.append((suite, test, result, seconds))
            print(f"{result:4}  {suite}/{test}  {seconds:.1f} s", flush=True)
            if result != "pass":
                for line in why.strip().splitlines()[:12]:
                    print(f"        {line}")
            if result == "fail" and log:
                print(f"        log: {os.path.relpath(log)}", flush=True)

    def run(self, suite, test, command, log=None, **options):
        """A test that is one command: passed when it exits 0."""
        if not self.wants(suite, test):
            return
        start = time.monotonic()
        log = log or f"{LOG}/{suite}-{test.replace('/', '_')}.log"
        status, text = captured(command, log, **options)
        self.record(suite, test, "fail" if status else "pass",
                    time.monotonic() - start, log, tail(text))

    def attempt(self, suite, function):
        """Run tests; those behind an exception are missing, but no others."""
        start = time.monotonic()
        try:
            function(self)
        except (Exception, SystemExit):
            self.record(suite, BROKEN + function.__module__.rpartition(".")[2],
                        "fail", time.monotonic() - start,
                        why=tail(traceback.format_exc()))

    def attempt_all(self, suite, functions):
        """The same for several that know nothing of each other: one a core, as an
        emulated machine takes one."""
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            list(pool.map(lambda function: self.attempt(suite, function), functions))

    def need(self, suite, *parts):
        """Build parts once each; false, and a failure, if one cannot be."""
        for part in parts:
            if not self.build(part):
                self.record(suite, f"needs-{part}", "fail",
                            why=f"build/{part} failed, see above")
                return False
        return True

    def case(self, *tests, suite="machine", parts=MACHINE_PARTS):
        """What tests have in common that one boot decides; None if nobody wants
        any of them, or the parts are not to be had."""
        if any([self.wants(suite, test) for test in tests]) and \
                self.need(suite, *parts):
            return Case(self, suite, tests)
        return None

    def build(self, part):
        if part not in self.built:
            with self.building:
                self.build_now(part)
        return self.built[part]

    def build_now(self, part):
        if part in self.built:
            return
        needs, command = PARTS[part]
        ready = all([self.build(other) for other in needs])
        start = time.monotonic()
        if ready:
            print(f"      building {part}", flush=True)
            ready = execute(command) == 0
        self.built[part] = ready
        self.record("build", part, "pass" if ready else "fail",
                    time.monotonic() - start, LOG)

    def finish(self, table):
        os.makedirs(os.path.dirname(table), exist_ok=True)
        with open(table, "w", encoding="utf-8") as out:
            print("suite", "test", "result", "seconds", sep="\t", file=out)
            for suite, test, result, seconds in self.rows:
                print(suite, test, result, f"{seconds:.1f}", sep="\t", file=out)
        number = {result: sum(row[2] == result for row in self.rows)
                  for result in ("pass", "fail", "skip")}
        for suite, test, result, _ in self.rows:
            if result == "fail":
                print(f"failed: {suite}/{test}")
        print(f"{number['pass']} passed, {number['fail']} failed,"
              f" {number['skip']} skipped", flush=True)
        tested = any(row[0] != "build" for row in self.rows)
        return 1 if number["fail"] or not tested else 0


class Case:
    """Tests of one boot, or of some. The first that is judged has its seconds."""

    def __init__(self, check, suite, tests):
        self.check, self.suite, self.tests = check, suite, tests
        self.start, self.status, self.text, self.log = time.monotonic(), 0, "", ""

    def boot(self, script, *options, name="", timeout=300):
        """As below, under the first test's name if there is none; the output."""
        self.status, self.text, self.log = boot(name or self.tests[0], script,
                                                *options, timeout=timeout)
        return self.text

    def judge(self, right, why="", test=""):
        """Passed, if the machine has done its work, too."""
        now = time.monotonic()
        self.check.record(self.suite, test or self.tests[0],
                          "pass" if right and not self.status else "fail",
                          now - self.start, self.log, why or tail(self.text))
        self.start = now


def execute(command):
    try:
        return subprocess.run(command, cwd=TOP, stdout=subprocess.DEVNULL,
                              check=False).returncode
    except OSError as error:
        print(f"        {error}", flush=True)
        return 127


def captured(command, log, **options):
    """Run with output to a log; (status, text)."""
    os.makedirs(os.path.dirname(log), exist_ok=True)
    with open(log, "w+", encoding="utf-8", errors="replace") as out:
        try:
            status = subprocess.run(command, cwd=TOP, stdout=out, check=False,
                                    stderr=subprocess.STDOUT, **options).returncode
        except OSError as error:
            out.write(f"{error}\n")
            status = 127
        out.seek(0)
        return status, out.read()


def tail(text, lines=12):
    return "\n".join(text.splitlines()[-lines:])


def of_attempts(reasons):
    """Why a test failed that may be tried several times: None if it passed once."""
    return None if None in reasons else reasons[0]


def numbers(text):
    """{name: number} of the lines "name number", as the workloads print."""
    return {name: int(value) for name, value in
            re.findall(r"^(\w+) (-?\d+)$", text, re.M)}


def code_range(program, first):
    """"FIRST END" of the code that a program spends its slots in."""
    symbols = subprocess.run(["nm", "-S", f"{BUILD}/machine/{program}"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
    where = {name: (int(address, 16), int(size or "0", 16)) for address, size, name
             in re.findall(r"^(\w+) (?:(\w+) )?[Tt] (\w+)$", symbols, re.M)}
    end = where.get("_end_of_code") or (sum(where[first]),)
    return f"{where[first][0]:#x} {end[0]:#x}"


def boot(name, script, *options, timeout=300):
    """Run a script in the test machine; (status, output, log)."""
    out = f"{BUILD}/check/{name}"
    log = f"{LOG}/boot-{name}.log"
    status, text = captured(
        [MACHINE + "/run", "--out", out, "--timeout", str(timeout), *options, "-"],
        log, input=script, text=True)
    return status, text, log


def tap(check, suite, text, log, indent="", prefix="", seconds=0.0):
    """Record the lines "ok N name" at one level of indentation."""
    form = re.compile(indent + r"(?P<bad>not )?ok \d+(?: - | )?(?P<name>[^#]*)"
                      r"(?:#\s*(?P<note>.*))?$")
    notes, number = [], 0
    for line in text.splitlines():
        match = form.match(line)
        if not match:
            notes = (notes + [line])[-12:]
            continue
        number += 1
        note = match["note"] or ""
        result = "skip" if note.upper().startswith("SKIP") else \
            "fail" if match["bad"] else "pass"
        check.record(suite, prefix + match["name"].strip(), result, seconds, log,
                     note[4:] if result == "skip" else "\n".join(notes))
        notes = []
    return number


def emulator():
    return subprocess.run([TOP + "/scripts/build-qemu.sh"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()
