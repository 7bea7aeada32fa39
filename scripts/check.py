#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Pass every test; last line "N passed, N failed, N skipped".

Usage: check.py [SUITE...]. TEST=pattern in the environment picks tests:
a shell pattern for "suite/test" or a part of it. Builds what the chosen suites
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
    "guest": ((), ["make", "-s", "-C", TOP + "/tools/testing/pmusim/guest",
                   f"O={BUILD}/guest"]),
}
IMAGES = {kernel: f"{BUILD}/{folder}/arch/x86/boot/bzImage" for kernel, folder in
          (("series", "kernel-series"), ("stock", "stock/kernel"),
           ("mainline", "mainline/kernel"))}
MACHINE_PARTS = ("kernel", "rootfs", "qemu")
CPUS = ("skylake", "icelake", "sapphirerapids", "arrowlake", "lunarlake",
        "clearwaterforest")

# A test of a numbered requirement has the number in its name; C spells it
# acr_b12_some_thing.
REQUIREMENT = re.compile(r"(?:.*\.)?(acr|pmi|topdown)_([bdekr]?)(\d+)_(.*)", re.I)


def spelled(name):
    match = REQUIREMENT.fullmatch(name)
    if not match:
        return name
    room, kind, number, rest = match.groups()
    return f"{room}-{kind.upper()}{number}-{rest.replace('_', '-')}"


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
	timeout 120 taskset -c 0 "$test" </dev/null
	echo "=== status $?"
done
"""
# What has to be skipped where: the emulated CPUs have no PEBS, and skylake has
# no ACR either.
MAY_SKIP = {"skylake": r"acr\.acr\.", "": r"acr\.acr\.precise$|mmap\."}


def selftest(check):
    """All of them on arrowlake, those of ACR on the other kinds of CPU."""
    if not check.need("selftest", *MACHINE_PARTS):
        return
    for cpu, tests in (("arrowlake", "/selftests/*"),
                       ("clearwaterforest", "/selftests/acr"),
                       ("skylake", "/selftests/acr")):
        selftests_on(check, cpu, tests)


def selftests_on(check, cpu, tests):
    start = time.monotonic()
    # A generic event, as upstream's tests use, counts on P-cores only.
    status, text, log = boot(f"selftest-{cpu}", SELFTESTS.format(tests),
                             "--cpu", cpu, timeout=900)
    prefix = "" if cpu == "arrowlake" else cpu + "."
    allowed = re.compile(prefix.replace(".", r"\.")
                         + f"(?:{MAY_SKIP.get(cpu, MAY_SKIP[''])})")
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
        check.record("selftest", f"{cpu}-all", "fail", time.monotonic() - start,
                     log, f"skipped: {' '.join(surprising)}" if surprising
                     else tail(text))


def perftest(check):
    """perf's own tests of what the series touches; the rest is upstream's."""
    if not check.need("perftest", *MACHINE_PARTS):
        return
    names = ("Test event parsing", "from sysfs", "with PMU", "event modifiers",
             "hybrid event", "topdown_r")
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


def checklists(check):
    """The manual's promises, tried without a kernel."""
    image = BUILD + "/guest/guest.elf"
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


PRECISE = r"""
perf record -q -o /tmp/data -c 10007 -e instructions:upp payload
perf script -i /tmp/data -F ip | sed 's/^/ip /'
perf record -q -b -o /tmp/data -c 100003 -e branches:u payload
perf script -i /tmp/data -F brstack | tr ' ' '\n' | sed -n 's,^\(0x[^/]*/0x[^/]*\)/.*,edge \1,p' | sort -u
"""


def precise(check):
    """PEBS names the instruction; every recorded branch is one of the
    program's. Where what lies stands in the program's disassembly."""
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
        right = len(addresses) == INSTRUCTIONS // 10007 and \
            all(ip in starts for ip in addresses)
        check.record("machine", f"pebs-exact-{cpu}",
                     "pass" if right and not status else "fail",
                     time.monotonic() - start, log,
                     f"{len(addresses)} samples, expected "
                     f"{INSTRUCTIONS // 10007}, at instructions of the program")
        wrong = [(hex(a), hex(b)) for a, b in edges
                 if a not in jumps or b not in starts]
        check.record("machine", f"lbr-edges-{cpu}",
                     "pass" if len(edges) > 3 and not wrong and not status
                     else "fail", 0, log, f"{len(edges)} edges, wrong: {wrong}")


def machine(check):
    checklists(check)
    exact(check)
    topdown(check)
    truth(check)
    observed(check)
    precise(check)
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
            "--kernel", IMAGES["mainline"],
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
SUITES["topdown"] = topdown_perf


def main():
    chosen = sys.argv[1:] or list(SUITES)
    for suite in chosen:
        if suite not in SUITES:
            sys.exit(f"check: unknown suite '{suite}'; known: {' '.join(SUITES)}")
    check = Check(os.environ.get("TEST", ""))
    for suite in chosen:
        if check.wants(suite):
            print(f"----  {suite}", flush=True)
            SUITES[suite](check)
    return check.finish(BUILD + "/results/check.tsv")


if __name__ == "__main__":
    sys.exit(main())
