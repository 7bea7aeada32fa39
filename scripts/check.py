#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Pass every test; last line "N passed, N failed, N skipped".

Usage: check.py [SUITE...]. TEST=pattern in the environment picks tests:
a shell pattern for "suite/test" or a part of it. LONG=10 makes some tests ten
times as long. Builds what the chosen suites
need (suite "build"). Writes build/results/check.tsv.
"""

import fnmatch
import glob
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import topdowncheck  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MACHINE = TOP + "/tools/testing/machine"
BUILD = TOP + "/build"
LOG = BUILD + "/log"

# What tools/testing/machine/workloads/payload.S says of itself.
INSTRUCTIONS, BRANCHES = 30004009, 10003001
ROOTFS = ["make", "-s", "-C", MACHINE, f"O={BUILD}/machine",
          f"PERF={BUILD}/perf/perf", f"SELFTESTS={BUILD}/selftests"]

# part: (what it needs, how it is made)
PARTS = {
    "series": ((), [TOP + "/scripts/source-tree.sh", "series"]),
    "kernel": (("series",), [TOP + "/scripts/build-kernel.sh", "series"]),
    "stock": ((), [TOP + "/scripts/build-kernel.sh", "stock"]),
    "mainline": ((), [TOP + "/scripts/build-kernel.sh", "mainline"]),
    "perf": (("series",), [TOP + "/scripts/build-perf.sh"]),
    "selftests": (("series",), [TOP + "/scripts/build-selftests.sh"]),
    "rootfs": (("perf", "selftests"), ROOTFS),
    "qemu": ((), [TOP + "/scripts/build-qemu.sh"]),
    "rr": ((), [TOP + "/scripts/fetch.sh", "rr"]),
    "guest": ((), ["make", "-s", "-C", TOP + "/tools/testing/pmusim/guest",
                   f"O={BUILD}/guest"]),
}
IMAGES = {kernel: f"{BUILD}/{folder}/arch/x86/boot/bzImage" for kernel, folder in
          (("series", "kernel-series"), ("stock", "stock/kernel"),
           ("mainline", "mainline/kernel"))}
# LONG=N: N times as much of those tests that could go on forever.
LONG = int(os.environ.get("LONG", "1"))
MACHINE_PARTS = ("kernel", "rootfs", "qemu")
CPUS = ("skylake", "icelake", "sapphirerapids", "arrowlake", "lunarlake",
        "clearwaterforest")

# A test of a numbered requirement has the number in its name; C spells it
# acr_b12_some_thing.
REQUIREMENT = re.compile(r"(?:(.*)\.)?(acr|pmi|topdown)_([bdekr]?)(\d+)_(.*)", re.I)
# A test that runs in several places names them in front, and at the end then.
PLACES = CPUS + ("arrowlake-atom",)


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
        if suite != "build" and not self.wants(suite, test):
            return
        self.rows.append((suite, test, result, seconds))
        print(f"{result:4}  {suite}/{test}  {seconds:.1f} s", flush=True)
        if result == "fail":
            for line in why.strip().splitlines()[:12]:
                print(f"        {line}")
            if log:
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

    def need(self, suite, *parts):
        """Build parts once each; false, and a failure, if one cannot be."""
        for part in parts:
            if not self.build(part):
                self.record(suite, f"needs-{part}", "fail",
                            why=f"build/{part} failed, see above")
                return False
        return True

    def build(self, part):
        if part not in self.built:
            needs, command = PARTS[part]
            ready = all([self.build(other) for other in needs])
            start = time.monotonic()
            if ready:
                print(f"      building {part}", flush=True)
                ready = execute(command) == 0
            self.built[part] = ready
            self.record("build", part, "pass" if ready else "fail",
                        time.monotonic() - start, LOG)
        return self.built[part]

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
        note = (match["note"] or "").upper()
        result = "skip" if note.startswith("SKIP") else \
            "fail" if match["bad"] else "pass"
        check.record(suite, prefix + match["name"].strip(), result, seconds, log,
                     "\n".join(notes))
        notes = []
    return number


def modeltest(check):
    start = time.monotonic()
    log = LOG + "/modeltest.log"
    status, text = captured([TOP + "/scripts/modeltest.sh"], log)
    number = tap(check, "modeltest", text, log)
    if status or not number:
        check.record("modeltest", "all", "fail", time.monotonic() - start, log,
                     tail(text))
    if check.wants("modeltest", "fuzz"):
        fuzz(check)


def fuzz(check):
    """Some seconds of fuzzing from one seed, if there is a fuzzer."""
    start = time.monotonic()
    log = LOG + "/fuzz-model.log"
    status, text = captured([TOP + "/scripts/fuzz-model.sh", "5"], log,
                            env=dict(os.environ, SEED="1"))
    check.record("modeltest", "fuzz", {0: "pass", 4: "skip"}.get(status, "fail"),
                 time.monotonic() - start, log, tail(text))


def unit(check):
    """The scripts' own unit tests."""
    for path in sorted(glob.glob(TOP + "/scripts/tests/*_test.py")):
        check.run("unit", os.path.basename(path)[:-3], [sys.executable, path])


def kunit(check):
    if not check.need("kunit", *MACHINE_PARTS):
        return
    start = time.monotonic()
    status, text, log = boot("kunit", "true", "--append", "kunit.enable=1")
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
	timeout 240 taskset -c {} "$test" </dev/null
	echo "=== status $?"
done
"""
# What has to be skipped where: skylake has no ACR, and only skylake has its
# precise cycles. The first CPU cannot go, and is arrowlake's only P-core.
MAY_SKIP = {"skylake": r"acr\.acr\.",
            "": r"mmap\.|pmi-2[45]-|pmi\.pmi\.hotplug$"}


def selftest(check):
    """All of them on arrowlake, those of features on the other kinds of CPU."""
    if not check.need("selftest", *MACHINE_PARTS):
        return
    for place, tests in (("arrowlake", "/selftests/*"),
                         ("arrowlake-atom", "/selftests/pmi"),
                         ("clearwaterforest", "/selftests/acr"),
                         ("icelake", "/selftests/pmi /selftests/topdown"),
                         ("sapphirerapids", "/selftests/topdown"),
                         ("skylake", "/selftests/acr /selftests/pmi")):
        selftests_on(check, place, tests)


def selftests_on(check, place, tests):
    start = time.monotonic()
    cpu, _, atom = place.partition("-")
    # A generic event, as upstream's tests use, counts on P-cores only.
    status, text, log = boot(f"selftest-{place}",
                             SELFTESTS.format(tests, 1 if atom else 0),
                             "--cpu", cpu, timeout=900)
    prefix = "" if place == "arrowlake" else place + "."
    allowed = re.compile(f"(?:{re.escape(prefix)})?"
                         f"(?:{MAY_SKIP.get(place, MAY_SKIP[''])})")
    number, before = 0, len(check.rows)
    for name, part, code in re.findall(
            r"^=== (\S+)\n(.*?)^=== status (\d+)\n", text, re.M | re.S):
        found = tap(check, "selftest", part, log, prefix=f"{prefix}{name}.")
        number += 1
        if not found or code not in ("0", "1"):
            check.record("selftest", prefix + name,
                         {"0": "pass", "4": "skip"}.get(code, "fail"),
                         0, log, tail(part))
    surprising = [row[1] for row in check.rows[before:]
                  if row[2] == "skip" and not allowed.match(row[1])]
    if status or not number or surprising:
        check.record("selftest", f"{place}-all", "fail",
                     time.monotonic() - start, log,
                     f"skipped: {' '.join(surprising)}" if surprising
                     else tail(text))


def perftest(check):
    """perf's own tests of what the series touches; the rest is upstream's."""
    if not check.need("perftest", *MACHINE_PARTS):
        return
    names = ("Test event parsing", "from sysfs", "with PMU", "event modifiers",
             "hybrid event", "ACR ", "topdown_r")
    script = "".join(f"perf test '{name}' 2>&1\n" for name in names) + "true\n"
    start = time.monotonic()
    status, text, log = boot("perftest", script)
    found = dict(re.findall(r"^\s*[\d.]+: (.*?)\s*: (Ok|FAILED!|Skip)", text, re.M))
    for name, verdict in found.items():
        check.record("perftest", name, {"O": "pass", "F": "fail", "S": "skip"}
                     [verdict[0]], 0, log)
    missing = [name for name in names
               if not any(name in title for title in found)]
    if status or missing:
        check.record("perftest", "all", "fail", time.monotonic() - start, log,
                     f"no test called: {missing}" if missing else tail(text))
    acr_records(check, "arrowlake", "cpu_atom")
    acr_records(check, "clearwaterforest", "cpu")
    acr_distribution(check)


# The perf of the distribution, older than the series, knows sysfs only.
DISTRIBUTION_PERF = "/usr/bin/perf"
DISTRIBUTION = r"""
cd /tmp
taskset -c 1 distribution-perf record -q -o data -e \
"{cpu_atom/branch-misses,period=2000,acr_mask=0x2/u,cpu_atom/branch-instructions,period=10000,acr_mask=0x3/u}" mispredict
distribution-perf script -i data -F event,ip,sym | awk '{ print $3 }' | sort | uniq -c
"""

# Ways to record "more than 20 % mispredicted" on PMU P. Each leaves a file of
# its name. mispredict is over before perf could attach, unless it has a lot to do.
ACR_RECORDS = r"""
misses=$P/branch-misses base=$P/branch-instructions
ratio="{$misses,ratio-to=branch-instructions:20%/u,$base,period=10000/u}"
on() { name=$1; shift; taskset -c 1 perf record -q -o $name "$@" 2>&1; }
cd /tmp
on ratio -e "$ratio" mispredict
on fraction -e "{$misses,ratio-to=branches:1/5/u,$base,period=10000/u}" mispredict
on prev -e "{$misses,period=2000/u,$base,ratio-to-prev=5/u}" mispredict
on count -c 10000 -e "{$misses,ratio-to=branches:0.2/u,$base/u}" mispredict
on names -e "{$misses,period=2000,acr=b/u,$base,name=b,period=10000,acr=all/u}" mispredict
on mask -e "{$misses,period=2000,acr_mask=0x2/u,$base,period=10000,acr_mask=0x3/u}" mispredict
on legacy -e "{branch-misses/ratio-to=branches:20%/u,branches/period=10000/u}" mispredict
on legacy-mask -e "{branch-misses/period=2000,acr_mask=0x2/u,branches/period=10000,acr_mask=0x3/u}" mispredict
on moved -e "{$base,period=10000,acr_mask=0x3/u,$misses,period=2000,acr_mask=0x1/u}" mispredict
on two -e "{$misses,ratio-to=branches:20%/u,$P/cache-misses,ratio-to=branches:9/u,$base,period=10000/u}" mispredict
on precise -e "{$misses,ratio-to=branches:20%/ppu,$base,period=10000/u}" mispredict
on precise-max -e "{$misses,ratio-to=branches:20%/Pu,$base,period=10000/u}" mispredict
on per-thread --per-thread -e "$ratio" mispredict
on no-inherit -i -e "$ratio" mispredict
on inherit -e "$ratio" sh -c 'mispredict & wait'
on cpu -C 1 -e "$ratio" mispredict
on all -a -e "$ratio" mispredict
taskset -c 1 mispredict --only 2 40000 1000000 &
busy=$!
perf record -q -o process -e "$ratio" -p $busy sleep 1
perf record -q -o thread -e "$ratio" -t $busy sleep 1
kill $busy
for name in *; do
	[ -f $name ] || continue
	perf script -i $name -F event,ip,sym | awk -v name=$name \
		'{ n[$3]++ } END { for (s in n) print "samples", name, s, n[s] }'
done
perf evlist -v -i ratio | sed -n 's/^/words /; /reloaded/p'
perf report --header-only -i ratio | sed -n 's/^# auto counter reload: /header /p'
perf script --header-only -i ratio | sed -n 's/^# auto counter reload: /script /p'
taskset -c 1 perf stat -e "$ratio" mispredict 2>&1 | sed -n 's/^/stat /; /no totals/p'
perf record -q -e "$ratio:S" true 2>&1 | sed -n "s,^,refused ,; /no totals/p"
"""
ACR_NAMES = ("ratio fraction prev count names mask legacy legacy-mask moved two"
             " precise precise-max per-thread no-inherit inherit cpu all process"
             " thread").split()
ACR_WORDS = ("branch-misses is reloaded by branch-instructions; samples when"
             " branch-misses/branch-instructions > 20 %\n",
             "branch-instructions is reloaded by branch-misses and itself; takes"
             " no samples\n")


def acr_records(check, cpu, pmu):
    """Whatever way the group is written and recorded, it samples in loop2."""
    if not any(check.wants("perftest", f"acr-{name}-{cpu}")
               for name in ACR_NAMES + ["told"]):
        return
    start = time.monotonic()
    status, text, log = boot(f"perftest-acr-{cpu}", f"P={pmu}\n" + ACR_RECORDS,
                             "--cpu", cpu)
    found = {name: {} for name in ACR_NAMES}
    for name, symbol, number in re.findall(r"^samples (\S+) (\S+) (\d+)$", text,
                                           re.M):
        found.setdefault(name, {})[symbol] = int(number)
    for name in ACR_NAMES:
        check.record("perftest", f"acr-{name}-{cpu}", "pass" if
                     list(found[name]) == ["loop2"] and found[name]["loop2"] > 20
                     else "fail", 0, log, f"samples: {found[name]}")
    told = all(word + " " + line in text for word in ("words", "header", "script")
               for line in ACR_WORDS) and "stat WARNING" in text \
        and "\nrefused " in text
    check.record("perftest", f"acr-told-{cpu}",
                 "pass" if told and not status else "fail",
                 time.monotonic() - start, log, tail(text))


def acr_distribution(check):
    """An unmodified perf records with masks in the syntax of PMUs."""
    test = "acr-distribution-perf"
    if not check.wants("perftest", test):
        return
    start = time.monotonic()
    linked = subprocess.run(["ldd", DISTRIBUTION_PERF], capture_output=True,
                            text=True, check=False)
    if linked.returncode:
        check.record("perftest", test, "skip")
        return
    files = [f"--add={DISTRIBUTION_PERF}=/usr/bin/distribution-perf"]
    files += [f"--add={path}={path}" for path in
              re.findall(r"(/\S+) \(0x", linked.stdout)]
    status, text, log = boot(f"perftest-{test}", DISTRIBUTION, *files)
    # An older perf says that it does not know the format of another feature.
    said = re.sub(r"^WARNING: '\S+' format 'freeze' requires .*\n", "", text,
                  flags=re.M)
    right = re.fullmatch(r"\s*\d{2,} loop2\s*", said)
    check.record("perftest", test, "pass" if right and not status else "fail",
                 time.monotonic() - start, log, tail(text))


PAYLOAD = """
for cpu in 0 1; do
	taskset -c $cpu perf stat -x, -e instructions:u,branches:u payload 2>&1 |
		sed "s/^/cpu$cpu,/"
done
"""


def payload(check, kernel, cpu):
    """Boot a kernel on a CPU; every core counts the payload exactly."""
    name = f"{kernel}-{cpu}"
    tests = [f"payload-{name}-cpu{n}" for n in (0, 1)]
    if not any(check.wants("machine", test)
               for test in tests + [f"console-{name}"]):
        return
    if not check.need("machine", "rootfs", "qemu",
                      "kernel" if kernel == "series" else kernel):
        return
    start = time.monotonic()
    status, text, log = boot(name, PAYLOAD, "--cpu", cpu, "--kernel",
                             IMAGES[kernel])
    seconds = time.monotonic() - start
    check.record("machine", f"console-{name}", "fail" if status else "pass",
                 seconds, log, tail(text))
    for number, test in enumerate(tests):
        found = re.findall(rf"^cpu{number},(\d+),", text, re.M)
        right = found == [str(INSTRUCTIONS), str(BRANCHES)]
        check.record("machine", test, "pass" if right else "fail", 0, log,
                     f"instructions and branches: {' '.join(found) or 'none'},"
                     f" expected {INSTRUCTIONS} {BRANCHES}")


EXACT = """
cd /tmp
taskset -c 1 perf stat -x, -o stat -e cpu_atom/instructions/u,cpu_atom/branches/u \\
	-e cpu_atom/branch-misses/u,cpu_atom/cycles/u mispredict 3000 5
awk -F, '/cpu_atom/ { print "count", $3, $1 }' stat
for period in 10007 100000; do
	taskset -c 1 perf record -q -o data -c $period -e cpu_atom/instructions/u payload
	echo "samples $period $(perf script -i data -F event | wc -l)"
done
"""


def exact(check):
    """Samples are as many as periods fit, and blocks of code do not matter:
    the emulator counts the same when it runs instruction by instruction."""
    tests = ("samples-exact", "singlestep-equal")
    if not any(check.wants("machine", test) for test in tests):
        return
    if not check.need("machine", *MACHINE_PARTS):
        return
    start = time.monotonic()
    status, text, log = boot("exact", EXACT)
    found = dict(re.findall(r"^samples (\d+) (\d+)$", text, re.M))
    expected = {str(period): str(INSTRUCTIONS // period)
                for period in (10007, 100000)}
    check.record("machine", tests[0], "pass" if not status and found == expected
                 else "fail", time.monotonic() - start, log,
                 f"samples by period: {found}, expected {expected}")

    start = time.monotonic()
    again, single, log = boot("singlestep", EXACT, "--qemu-option=-singlestep",
                              timeout=600)
    number = len(re.findall(r"^count ", text, re.M))
    same = not status and not again and number == 4 and text == single
    check.record("machine", tests[1], "pass" if same else "fail",
                 time.monotonic() - start, log,
                 f"in blocks:\n{tail(text)}\nsingle:\n{tail(single)}")


# Other auto counter reload than the table's: none, on the P-core only, causes
# that are fewer than what they reload, masks that overlap without nesting.
# Last the pairs of cause and reloaded counter that the program has to have tried.
OTHER_ACR = {
    "none": ("arrowlake", "pmusim-acr-reload=0", 0),
    "core-only": ("arrowlake", "pmusim-acr-reload=0,pmusim-core-acr-reload=0xfc,"
                  "pmusim-core-acr-cause=0xfc", 6 * 5),
    "few-causes": ("clearwaterforest", "pmusim-acr-cause=0xc", 2 * 6),
    "overlap": ("clearwaterforest",
                "pmusim-acr-reload=0x7,pmusim-acr-cause=0xc", 2 * 3 - 1),
}


def checklists(check):
    """The manual's promises, tried without a kernel."""
    image = BUILD + "/guest/guest.elf"
    for name, (cpu, option, pairs) in OTHER_ACR.items():
        test = f"checklist-acr-{name}"
        if not check.wants("machine", test) or \
                not check.need("machine", "qemu", "guest"):
            continue
        start = time.monotonic()
        log = f"{LOG}/machine-{test}.log"
        status, text = captured([
            TOP + "/tools/testing/pmusim/guest/run", "--cpu", cpu, "--image",
            image, "--qemu", emulator(), "--cpu-option", option], log)
        tried = len(re.findall(r"^ok .*acr-\w+-reloads-\w+$", text, re.M))
        check.record("machine", test, "fail" if status or tried != pairs
                     else "pass", time.monotonic() - start, log,
                     f"{tried} pairs tried, {pairs} expected\n{tail(text)}")
    for cpu in CPUS:
        test = f"checklist-{cpu}"
        if not check.wants("machine", test) or \
                not check.need("machine", "qemu", "guest"):
            continue
        check.run("machine", test, [
            TOP + "/tools/testing/pmusim/guest/run", "--cpu", cpu, "--image",
            image, "--qemu", emulator()])


def emulator():
    return subprocess.run([TOP + "/scripts/build-qemu.sh"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


CATEGORIES = ("retiring", "bad-spec", "fe-bound", "be-bound")
# How a CPU's perf asks for the four categories, in this order; skylake has no
# event for the last: what the others leave of four slots a cycle.
TOPDOWN_GROUP = "{{slots,{}}}:u".format(
    ",".join("topdown-" + name for name in CATEGORIES))
TOPDOWN_RAW = "cpu/event={},umask={}/u"
TOPDOWN_EVENTS = {
    "skylake": [TOPDOWN_RAW.format(*code) for code in (
        ("0xc2", "2"), ("0x0d", "1"), ("0x9c", "1"))] + ["cycles:u"],
    "icelake": [TOPDOWN_GROUP],
    "sapphirerapids": [TOPDOWN_GROUP],
    "arrowlake": [TOPDOWN_GROUP],
    "lunarlake-atom": [f"cpu_atom/topdown-{name}/u" for name in CATEGORIES],
    "clearwaterforest": [TOPDOWN_RAW.format(*code) for code in (
        ("0xc2", "2"), ("0x73", "0"), ("0x9c", "1"), ("0xa4", "2"))],
}
TOPDOWN = """
for what in {}; do
	echo "== $what"
	taskset -c {} perf stat -x, -e {} topdown $what 2>&1
done
"""


def shares(cpu, text):
    """Each category's share of the slots, from perf stat -x,."""
    numbers = [int(number) for number in re.findall(r"^(\d+),", text, re.M)]
    if cpu == "skylake" and len(numbers) == 4:
        retiring, recovery, frontend, cycles = numbers
        numbers = [retiring, 4 * recovery, frontend]
        numbers.append(4 * cycles - sum(numbers))
    elif len(numbers) == 5:
        numbers = numbers[1:]
    return [number / sum(numbers) for number in numbers] \
        if len(numbers) == 4 and sum(numbers) else []


def topdown(check):
    """Four programs, each of which spends its slots on one category."""
    for machine_name, events in TOPDOWN_EVENTS.items():
        test = f"topdown-categories-{machine_name}"
        if not check.wants("machine", test) or \
                not check.need("machine", *MACHINE_PARTS):
            continue
        cpu, _, atom = machine_name.partition("-")
        start = time.monotonic()
        status, text, log = boot(test, TOPDOWN.format(
            " ".join(CATEGORIES), 1 if atom else 0,
            " -e ".join(f"'{event}'" for event in events)), "--cpu", cpu)
        found = {what: shares(cpu, part) for what, part in
                 re.findall(r"^== (\S+)\n((?:(?!==).*\n)*)", text, re.M)}
        wrong = [what for what in CATEGORIES
                 if not found.get(what)
                 or found[what][CATEGORIES.index(what)] < 0.5]
        check.record("machine", test, "fail" if status or wrong else "pass",
                     time.monotonic() - start, log,
                     f"not in their category: {wrong}; shares: {found}")


ACCURACY_POINTS = 0.5
ACCURACY_SWITCHES = 10000
PHASES = """
taskset -c 0 perf stat -x, -o /dev/null -e '{events}' yield &
pmusim 0 range 0 {first:#x} {end:#x} usr
pmusim 0 clear
taskset -c 0 perf stat -x, -e '{events}' -e context-switches topdown phases 2>&1
pmusim 0 range 0 off
pmusim 0 truth 0
"""
# Nobody may yield at the end, or the machine would not stop.
ACCURACY = PHASES + """
echo "== intervals"
taskset -c 0 perf stat -x, -I 100 -e '{events}' topdown phases 2>&1
kill $!
killall yield
"""
# The model's names of the four categories.
LANES = ("instructions", "bad_spec", "frontend", "backend")


def topdown_events(pmu="cpu"):
    """The group of slots and the four categories of one PMU."""
    return "{{{}}}:u".format(",".join(
        f"{pmu}/{name}/" for name in
        ["slots", *("topdown-" + category for category in CATEGORIES)]))


def phases_range():
    """Where the code of the workload topdown lies."""
    symbols = subprocess.run(["nm", BUILD + "/machine/topdown"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
    where = {name: int(address, 16) for address, name in
             re.findall(r"^(\w+) T (\w+)$", symbols, re.M)}
    return where["_start"], where["_end_of_code"]


def percent(numbers, whole):
    return [100 * number / whole if whole else 0 for number in numbers]


def accuracy_of(text):
    """Figures of ACCURACY: {name: number}, points are the worst category's."""
    once, _, intervals = text.partition("== intervals\n")
    counted = [int(number) for number in
               re.findall(r"^(\d+),,\S*(?:slots|topdown)", once, re.M)]
    happened = dict(re.findall(r"^(\w+) (\d+)$", once, re.M))
    switches = re.search(r"^(\d+),,context-switches", once, re.M)
    sums = [sum(int(number) for number in re.findall(
        rf"^ *[\d.]+,(\d+),,\S*{name}/", intervals, re.M))
        for name in ["slots", *("topdown-" + name for name in CATEGORIES)]]
    if len(counted) != 5 or not switches or not int(happened.get("slots", 0)):
        return None
    true = percent([int(happened[lane]) for lane in LANES], int(happened["slots"]))
    found = percent(counted[1:], counted[0])
    summed = percent(sums[1:], sums[0])
    return {
        "error_pp": max(abs(a - b) for a, b in zip(found, true)),
        "interval_pp": max(abs(a - b) for a, b in zip(found, summed)),
        "slots_percent": 100 * abs(counted[0] / int(happened["slots"]) - 1),
        "switches": int(switches[1]),
    }


def accuracy(check):
    """What a program spends its slots on, in four phases, is right although
    it shares the CPU and its counters with another, and the same by -I."""
    for cpu in ("icelake", "sapphirerapids", "arrowlake"):
        test = f"topdown-R24-accuracy-{cpu}"
        if not check.wants("machine", test) or \
                not check.need("machine", *MACHINE_PARTS):
            continue
        first, end = phases_range()
        start = time.monotonic()
        status, text, log = boot(test, ACCURACY.format(
            first=first, end=end, events=topdown_events(
                "cpu_core" if cpu == "arrowlake" else "cpu")), "--cpu", cpu)
        found = accuracy_of(text)
        right = found and found["error_pp"] <= ACCURACY_POINTS and \
            found["interval_pp"] <= 1 and found["slots_percent"] < 0.1 and \
            found["switches"] >= ACCURACY_SWITCHES
        check.record("machine", test, "pass" if right and not status else "fail",
                     time.monotonic() - start, log, f"{found}\n{tail(text)}")


TRUTH = """
set -- $(nm_loops)
for mode in rates truth; do
	pmusim 1 forget
	case $mode in
	rates) taskset -c 1 mispredict --rates --only 2 3000 5 ;;
	truth) pmusim 1 clear
		pmusim 1 range 0 $1 $2 usr
		taskset -c 1 mispredict --only 2 3000 5
		pmusim 1 range 0 off
		pmusim 1 truth 0 ;;
	esac
done
"""


def truth(check):
    """The truth about a function agrees with counters around its call."""
    test = "truth-of-a-range"
    if not check.wants("machine", test) or \
            not check.need("machine", *MACHINE_PARTS):
        return
    start = time.monotonic()
    symbols = subprocess.run(["nm", "-S", BUILD + "/machine/mispredict"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
    first, size = (int(word, 16) for word in
                   re.search(r"^(\w+) (\w+) t loop2$", symbols, re.M).groups())
    status, text, log = boot(test, TRUTH.replace(
        "$(nm_loops)", f"{first:#x} {first + size:#x}"))
    counted = re.search(r"^loop2 (\d+) (\d+) ", text, re.M)
    happened = dict(re.findall(r"^(\w+) (\d+)$", text, re.M))
    # Around the call: the return from ioctl, the call itself and its like.
    near = bool(counted) and 0 < int(counted[1]) \
        - int(happened.get("branches", 0)) < 20 \
        and 0 <= int(counted[2]) - int(happened.get("misses", 0)) < 10
    check.record("machine", test, "pass" if near and not status else "fail",
                 time.monotonic() - start, log, tail(text, 40))


OBSERVED = """
taskset -c 1 perf stat -e instructions:u payload
pmusim 1 msr 0x38f | sed 's/^/accesses /'
"""


def observed(check):
    """The trace, the file at exit and the registers tell the same."""
    test = "trace-and-statistics-agree"
    if not check.wants("machine", test) or \
            not check.need("machine", *MACHINE_PARTS):
        return
    start = time.monotonic()
    stats = f"{BUILD}/check/{test}.tsv"
    status, text, log = boot(
        test, OBSERVED, "--cpu-option", f"pmusim-stats={stats}",
        "--qemu-option=-trace", "--qemu-option=pmusim_wrmsr")
    with open(f"{BUILD}/check/{test}/qemu.log", encoding="utf-8") as trace:
        traced = len(re.findall(r"pmusim_wrmsr cpu 1 msr 0x38f ", trace.read()))
    with open(stats, encoding="utf-8") as table:
        dumped = dict(re.findall(r"^1\twrmsr (0x\w+)\t(\d+)$", table.read(), re.M))
    read = re.search(r"^accesses \d+ (\d+)$", text, re.M)
    right = read and int(read[1]) == traced == int(dumped.get("0x38f", 0)) > 0
    check.record("machine", test, "pass" if right and not status else "fail",
                 time.monotonic() - start, log, f"traced {traced}, at exit "
                 f"{dumped.get('0x38f')}, in the guest {read and read[1]}")


MEMORY = r"""
taskset -c {core} perf mem record -q --ldlat 30 -t load -o /tmp/data topdown be-bound
perf script -i /tmp/data -F weight,data_src | sed 's/.*|LVL \([^|]*\)|.* \([0-9]*\)$/load \2 \1/' |
	sort | uniq -c
taskset -c {core} perf record -q --call-graph lbr -e branches:u -c 20011 -o /tmp/data mispredict 3000 5
perf script -i /tmp/data -F ip,sym | awk '
	NF {{ chain = chain " " $2; next }}
	{{ print "chain" chain; chain = "" }}'
"""


def memory(check):
    """Loads are sampled by latency, and say where the data came from; call
    chains come from the last branches."""
    for name in ("skylake", "icelake", "sapphirerapids", "arrowlake",
                 "arrowlake-atom", "clearwaterforest"):
        tests = f"load-latency-{name}", f"call-chains-{name}"
        if not any(check.wants("machine", test) for test in tests) or \
                not check.need("machine", *MACHINE_PARTS):
            continue
        cpu, _, atom = name.partition("-")
        start = time.monotonic()
        status, text, log = boot(f"memory-{name}", MEMORY.format(
            core=1 if atom else 0), "--cpu", cpu)
        loads = re.findall(r"^ *(\d+) load (\d+) (.*)$", text, re.M)
        good = sum(int(number) for number, latency, level in loads
                   if int(latency) >= 30 and level == "RAM hit")
        bad = sum(int(number) for number, latency, _ in loads if int(latency) < 30)
        # 6.12 takes this CPU for a generic one, which has no memory events.
        result = "skip" if cpu == "clearwaterforest" and \
            "memory events not supported" in text else \
            "pass" if good > 100 and not bad and not status else "fail"
        check.record("machine", tests[0], result, time.monotonic() - start, log,
                     f"{good} loads from memory, {bad} too fast: {loads[:5]}")
        chains = re.findall(r"^chain (\S+) main __libc", text, re.M)
        right = {"loop1", "loop2"} <= set(chains)
        check.record("machine", tests[1], "pass" if right and not status
                     else "fail", 0, log, f"called from main: {set(chains)}")


UNKNOWN = """
perf stat true
perf stat -M TopdownL1 true
perf stat -a --topdown true
true
"""


def unknown_events(check):
    """perf's default events and metrics ask for none that the model lacks."""
    for cpu in CPUS:
        test = f"no-unknown-event-{cpu}"
        if not check.wants("machine", test) or \
                not check.need("machine", *MACHINE_PARTS):
            continue
        start = time.monotonic()
        status, text, log = boot(test, UNKNOWN, "--cpu", cpu,
                                 "--qemu-option=-trace",
                                 "--qemu-option=pmusim_unknown_event")
        with open(f"{BUILD}/check/{test}/qemu.log", encoding="utf-8") as trace:
            found = sorted(set(re.findall(r"pmusim_unknown_event.*select (\w+)",
                                          trace.read())))
        check.record("machine", test, "fail" if status or found else "pass",
                     time.monotonic() - start, log, f"unknown: {found}\n{tail(text)}")


def otherwise(check):
    """Without a hypervisor, and with a host thread for each CPU."""
    for name, options in (("hardware", ["--cpu-option=-hypervisor"]),
                          ("threads", ["--accel", "multi"])):
        for cpu in CPUS:
            test = f"payload-{name}-{cpu}"
            if not check.wants("machine", test) or \
                    not check.need("machine", *MACHINE_PARTS):
                continue
            start = time.monotonic()
            status, text, log = boot(test, PAYLOAD, "--cpu", cpu, *options)
            found = re.findall(r"^cpu\d,(\d+),", text, re.M)
            right = found == [str(INSTRUCTIONS), str(BRANCHES)] * 2
            check.record("machine", test, "pass" if right and not status
                         else "fail", time.monotonic() - start, log,
                         f"instructions and branches: {found}\n{tail(text)}")


PRECISE = r"""
perf record -q -o /tmp/data -c 10007 -e instructions:upp payload
perf script -i /tmp/data -F ip | sed 's/^/ip /'
perf record -q -o /tmp/data -c 10007 -e instructions:u payload
perf script -i /tmp/data -F ip | sed 's/^/next /'
perf record -q -b -o /tmp/data -c 100003 -e branches:u payload
perf script -i /tmp/data -F brstack | tr ' ' '\n' | sed -n 's,^\(0x[^/]*/0x[^/]*\)/.*,edge \1,p' | sort -u
"""


def precise(check):
    """PEBS names the instruction that an interrupt without skid comes behind;
    every recorded branch is one of the program's. Where what lies stands in the
    program's disassembly."""
    cpus = [cpu for cpu in CPUS
            if any(check.wants("machine", f"{kind}-{cpu}")
                   for kind in ("pebs-exact", "lbr-edges"))]
    if not cpus or not check.need("machine", *MACHINE_PARTS):
        return
    listing = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", BUILD + "/machine/payload"],
        stdout=subprocess.PIPE, text=True, check=True).stdout
    code = [(int(address, 16), text) for address, text in
            re.findall(r"^ *([0-9a-f]+):\t(.*)$", listing, re.M)]
    starts = {address for address, _ in code}
    jumps = {address for address, text in code
             if re.match(r"(j|call|ret|loop|syscall)", text)}
    for cpu in cpus:
        start = time.monotonic()
        status, text, log = boot(f"precise-{cpu}", PRECISE, "--cpu", cpu,
                                 "--smp", "1")
        addresses = [int(ip, 16) for ip in re.findall(r"^ip +(\w+)$", text, re.M)]
        edges = [(int(a, 16), int(b, 16)) for a, b in
                 re.findall(r"^edge (0x\w+)/(0x\w+)$", text, re.M)]
        behind = [int(ip, 16) for ip in
                  re.findall(r"^next +(\w+)$", text, re.M)]
        after = dict(zip([ip for ip, _ in code], [ip for ip, _ in code][1:]))
        strays = [hex(ip) for ip, then in zip(addresses, behind)
                  if after.get(ip) != then and ip not in jumps]
        # An interrupt that waits lets one more instruction by, rarely.
        right = len(addresses) == len(behind) == INSTRUCTIONS // 10007 and \
            len(strays) < 5 and len(set(addresses)) > 1
        check.record("machine", f"pebs-exact-{cpu}",
                     "pass" if right and not status else "fail",
                     time.monotonic() - start, log,
                     f"{len(addresses)} and {len(behind)} samples, expected "
                     f"{INSTRUCTIONS // 10007}; not the one before: {strays[:9]}")
        wrong = [(hex(a), hex(b)) for a, b in edges
                 if a not in jumps or b not in starts]
        check.record("machine", f"lbr-edges-{cpu}",
                     "pass" if len(edges) > 3 and not wrong and not status
                     else "fail", 0, log, f"{len(edges)} edges, wrong: {wrong}")


# The interrupt comes late, so that a freeze makes others lose what happens
# until then. The last run is to show that: its counter agreed to be frozen.
INDEPENDENT = """
echo 1 >/sys/bus/event_source/devices/cpu/freeze_counters
while :; do
	taskset -c 0 perf record -q -o /dev/null -e cpu/branches,period=10007,freeze=1/u payload
done &
for options in '-s {stops}' '-s {stops} -j' '-s {truth} -j -m' '-s {few} -c'; do
	echo "== $options"
	ticks -r {seed} $options
done
true
"""
INDEPENDENCE = ("alone", "joined", "truth", "consent-loses")


def independence(check):
    """A counter without consent stays exact beside samplers that freeze."""
    tests = [f"pmi-independence-{part}" for part in INDEPENDENCE]
    if not any(check.wants("machine", test) for test in tests) or \
            not check.need("machine", *MACHINE_PARTS):
        return
    start = time.monotonic()
    status, text, log = boot(
        "pmi-independence", INDEPENDENT.format(
            stops=2000 * LONG, truth=300 * LONG, few=200, seed=LONG),
        "--cpu", "skylake", "--cpu-option", "pmusim-skid=50",
        timeout=300 * LONG)
    parts = re.findall(r"^== .*\n((?:(?!==).*\n)*)", text, re.M)
    seconds = time.monotonic() - start
    for number, test in enumerate(tests):
        found = {name: int(value) for name, value in re.findall(
            r"^(\w+) (-?\d+)$", parts[number], re.M)} \
            if len(parts) == len(tests) and not status else {}
        right = "wrong" in found
        if test.endswith("loses"):
            right = right and found["wrong"] > 0 and found["lost"] > 0
        else:
            right = right and found["wrong"] == 0
        if test.endswith(("alone", "joined")):
            right = right and found["pmis"] > 100000 * LONG
        if test.endswith("joined"):
            right = right and found["joined"] > 0 and found["active"] > 0
        check.record("machine", test, "pass" if right else "fail",
                     0 if number else seconds, log, tail(text, 40))


RR = """
pmu=/sys/bus/event_source/devices/cpu
echo 1 >$pmu/freeze_counters
perf record -q -o /dev/null -a -C 0 -e cpu/branches,period=10007,freeze=1/u sleep 10000 &
while :; do
	taskset -c 0 perf record -q -o /dev/null -e cpu/branches,period=10007,freeze=1/u payload
done &
renice -n 19 -p $!
while :; do
	cat $pmu/freeze_counters_state
	usleep 200000
done >/tmp/states &
run=0
while [ $run -lt {runs} ]; do
	run=$((run + 1))
	rr record --bind-to-cpu=0 -c 20000 -o /tmp/trace threads 2 >/tmp/recorded
	echo "recorded $? $(cat /tmp/recorded)"
	rr replay -a /tmp/trace >/tmp/replayed
	echo "replayed $? $(cat /tmp/replayed)"
	rm -rf /tmp/trace
done
echo "active $(grep -c 'active: 0' /tmp/states)"
echo "objected $(grep -c 'without consent: 0' /tmp/states)"
"""


def rr_files():
    """Options that put rr and its libraries into the machine."""
    program = subprocess.run([TOP + "/scripts/fetch.sh", "rr"], check=True,
                             text=True, stdout=subprocess.PIPE).stdout.strip()
    folder = os.path.dirname(os.path.dirname(program))
    listed = subprocess.run(
        ["ldd", program], check=True, text=True, stdout=subprocess.PIPE,
        env=dict(os.environ, LD_LIBRARY_PATH=":".join(
            glob.glob(folder + "/lib/*-linux-gnu")))).stdout
    options = ["--add", folder + "=usr"]
    for library in re.findall(r"(/\S+) \(0x", listed):
        if not library.startswith(folder):
            options += ["--add", f"{library}={library}"]
    return options


def record_replay(check):
    """rr replays what it recorded while everybody else lets counters freeze."""
    test = "pmi-rr-replays"
    if not check.wants("machine", test) or \
            not check.need("machine", "rr", *MACHINE_PARTS):
        return
    start = time.monotonic()
    runs = 5 * LONG
    status, text, log = boot(
        test, RR.format(runs=runs), "--cpu", "skylake",
        "--cpu-option", "pmusim-skid=50", *rr_files(), timeout=300 * LONG)
    recorded = re.findall(r"^recorded 0 (total .*)$", text, re.M)
    replayed = re.findall(r"^replayed 0 (total .*)$", text, re.M)
    states = dict(re.findall(r"^(active|objected) (\d+)$", text, re.M))
    # Hardly two runs alike: there was something to get wrong.
    right = len(recorded) == runs and recorded == replayed and \
        len(set(recorded)) > runs / 2 and \
        int(states.get("active", 0)) > 0 and int(states.get("objected", 0)) > 0
    check.record("machine", test, "pass" if right and not status else "fail",
                 time.monotonic() - start, log, tail(text, 40))


def machine(check):
    checklists(check)
    exact(check)
    topdown(check)
    accuracy(check)
    truth(check)
    observed(check)
    precise(check)
    memory(check)
    unknown_events(check)
    otherwise(check)
    independence(check)
    record_replay(check)
    for cpu in CPUS:
        payload(check, "series", cpu)
    for cpu in ("arrowlake", "skylake"):
        payload(check, "stock", cpu)
    payload(check, "mainline", "arrowlake")
    test = "acr-mainline-arrowlake"
    if check.wants("machine", test) and check.need("machine", "rootfs", "qemu",
                                                   "mainline"):
        check.run("machine", test, [
            TOP + "/scripts/demo.py", "--out", BUILD + "/check/" + test,
            "--kernel", IMAGES["mainline"], "--strays", "2",
            "--table", f"{BUILD}/check/{test}.tsv"])


def topdown_perf(check):
    """perf stat --topdown against the model's truth."""
    if check.need("topdown", *MACHINE_PARTS):
        topdowncheck.run(check, boot)


def demo(check):
    if check.need("demo", *MACHINE_PARTS):
        check.run("demo", "acr-loop2-only", [TOP + "/scripts/demo.py"])


def own_files(*patterns):
    """Files of the repository, committed or about to be."""
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others",
         "--exclude-standard", *patterns],
        cwd=TOP, capture_output=True, text=True, check=False).stdout
    return [path for path in listed.split("\0")
            if path and os.path.exists(os.path.join(TOP, path))]


# checkpatch's advice that a program cannot follow.
KERNEL_ONLY = ("ARRAY_SIZE,PREFER_DEFINED_ATTRIBUTE_MACRO,VOLATILE,"
               "EMBEDDED_FUNCTION_NAME")


def lint(check):
    for path in own_files("*.sh", ".ci/run"):
        check.run("lint", f"shellcheck-{path}", ["shellcheck", path])
    for path in own_files("*.py", "tools/testing/machine/run"):
        check.run("lint", f"python-{path}", [
            sys.executable, "-W", "error", "-c",
            "import sys; compile(open(sys.argv[1]).read(), sys.argv[1], 'exec')",
            path])
    texts = own_files("*.md", "*.rst", "*.sh", "*.py", "*.[chS]", "*/message",
                      "series/*", "Makefile", "Kconfig")
    check.run("lint", "codespell", ["codespell", "-L", "nin", *texts])
    checkpatch = BUILD + "/linux/scripts/checkpatch.pl"
    for path in own_files("tools/testing/machine/*.c"):
        if check.wants("lint", f"checkpatch-{path}") and check.need("lint", "series"):
            check.run("lint", f"checkpatch-{path}", [
                checkpatch, "--no-tree", "--strict", "--terse", "--ignore",
                KERNEL_ONLY, "-f", path])
    if os.path.exists(TOP + "/scripts/check-series.sh") and \
            check.wants("lint", "series") and check.need("lint", "series"):
        check.run("lint", "series", [TOP + "/scripts/check-series.sh",
                                    BUILD + "/linux"])


SUITES = {suite.__name__: suite for suite in
          (modeltest, unit, kunit, selftest, perftest, machine, demo, lint)}
# Minutes a CPU, and not all of it passes yet: only when asked for.
ON_DEMAND = {"topdown": topdown_perf}


def main():
    chosen = sys.argv[1:] or list(SUITES)
    known = {**SUITES, **ON_DEMAND}
    for suite in chosen:
        if suite not in known:
            sys.exit(f"check: unknown suite '{suite}'; known: {' '.join(known)}")
    check = Check(os.environ.get("TEST", ""))
    for suite in chosen:
        if check.wants(suite):
            print(f"----  {suite}", flush=True)
            known[suite](check)
    return check.finish(BUILD + "/results/check.tsv")


if __name__ == "__main__":
    sys.exit(main())
