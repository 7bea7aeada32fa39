#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Boot kernels that others wrote on every emulated CPU, and run perf there.

One boot for each kernel and CPU; on a hybrid every test runs on either kind of
core. Prints results as they come, a table of them at the end, and writes
build/results/pmusim.tsv; exit 0 if nothing failed.

What a kernel or a CPU cannot do stands in UNSUPPORTED. Such a test runs all
the same, and counts as skipped only if it does not pass.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from checks import harness, model  # noqa: E402
import demo  # noqa: E402

CPUS = harness.CPUS
KERNELS = ("stock", "debian", "series", "mainline")
LINUX_6_12 = ("stock", "debian", "series")
NO_SLOTS = ("skylake",)
# perf 6.12 has tables of metrics for these, so "perf stat --topdown" works.
METRICS = ("skylake", "icelake", "sapphirerapids")
# Where no counter counts slots: how many of them a cycle has.
WIDTH = 8

# (test, kernels, CPUs, why), None is all of them
UNSUPPORTED = (
    ("topdown", LINUX_6_12, ("clearwaterforest",),
     "Linux 6.12 does not know the model and has no topdown events for it"),
    ("acr", None, ("skylake", "icelake", "sapphirerapids"),
     "the CPU has no auto counter reload"),
    ("acr", ("stock", "debian"), None, "Linux 6.12 has no auto counter reload"),
)

Core = collections.namedtuple("Core", "cpu number pmu")


def cores(cpu):
    """The kinds of core of a CPU; on hybrids CPU 0 is a P- and 1 an E-core."""
    if "pmusim-atoms=" in CPUS[cpu]:
        return [Core(cpu, 0, "cpu_core"), Core(cpu, 1, "cpu_atom")]
    return [Core(cpu, 0, "cpu")]


def has_slots(core):
    return core.pmu != "cpu_atom" and \
        core.cpu not in NO_SLOTS + ("clearwaterforest",)


def unsupported(test, kernel, cpu):
    """Why a test cannot pass, or None."""
    for name, kernels, cpus, why in UNSUPPORTED:
        if test == name and (not kernels or kernel in kernels) and \
                (not cpus or cpu in cpus):
            return why
    return None


# The tests: what the machine's shell runs on a core. "on" is taskset to it.

BY_SYMBOL = "perf script -i data -F ip,sym | awk '{ print $2 }' | sort | uniq -c"


def stat_script(_):
    return """
on perf stat -x, -e cycles:u,instructions:u,branches:u,branch-misses:u payload
echo default
on perf stat -x, payload
"""


def record_script(_):
    return f"""
on perf record -q -o data -e cycles:u mispredict 32768 200
{BY_SYMBOL}
"""


def record_pp_script(_):
    return """
on perf record -q -o data -e cycles:pp -c 20011 mispredict
perf evlist -i data -v | grep -o 'precise_ip: [0-9]*'
perf script -i data -D | grep -o 'SAMPLE(IP, 0x[0-9a-f]*)' | sort | uniq -c
perf script -i data -F ip,sym,dso | sed 's/^ *[0-9a-f]* //' | sort | uniq -c
"""


def record_b_script(_):
    return """
on perf record -q -o data -b -e branches:u -c 100003 mispredict
perf script -i data --show-mmap-events | grep 'MMAP.*/mispredict'
perf script -i data -F brstack
"""


def topdown_script(core):
    members = "".join(f",{core.pmu}/topdown-{name}/" for name in
                      ("retiring", "bad-spec", "fe-bound", "be-bound"))
    script = ""
    if has_slots(core):
        script += f"on perf stat -x, -e '{{{core.pmu}/slots/{members}}}' mispredict\n"
    elif core.cpu not in METRICS:
        script += f"on perf stat -x, -e {core.pmu}/cycles/{members} mispredict\n"
    if core.cpu in NO_SLOTS:
        # Here perf is right for whole cores only, and its formula takes every
        # counter: the watchdog of some kernels has to give back the one it has.
        script += ("dog=/proc/sys/kernel/nmi_watchdog\n"
                   "[ ! -e $dog ] || echo 0 >$dog\n"
                   "on perf stat -a --topdown -j mispredict\n")
    elif core.cpu in METRICS:
        script += "on perf stat --topdown -j mispredict\n"
    return script


def acr_script(core):
    events = (f"{core.pmu}/branch-misses,period=2000,acr_mask=0x2/u,"
              f"{core.pmu}/branch-instructions,period=10000,acr_mask=0x3/u")
    return f"""
on perf record -q -o data -e '{{{events}}}' mispredict
perf script -i data -F event,ip,sym | awk '{{ print $1, $3 }}' | sort | uniq -c
"""


# And how it is judged: each function takes the output and the core and gives a
# list of what is wrong.

COUNTED = ["cycles", "instructions", "branches", "branch-misses"]
TALLY = re.compile(r"^ *(\d+) (\S.*?) *$", re.M)


def tally(text):
    """{what: number} of the lines that "uniq -c" wrote."""
    return {what: int(number) for number, what in TALLY.findall(text)}


def counted(text):
    """What was counted of COUNTED, as pairs in the order of the lines."""
    found = re.findall(r"^(\d+),,(?:\w+/)?(cycles|instructions|branches"
                       r"|branch-misses)[:/,]", text, re.M)
    return [(event, int(number)) for number, event in found]


def judge_stat(text, _):
    picked, _, default = text.partition("default\n")
    if [event for event, _ in counted(picked)] != COUNTED:
        return ["not each event was counted once"]
    counts = dict(counted(picked))
    wrong = []
    for event, right in (("instructions", model.INSTRUCTIONS),
                         ("branches", model.BRANCHES)):
        if counts[event] != right:
            wrong.append(f"{counts[event]} {event}, not {right}")
    if not counts["cycles"]:
        wrong.append("no cycles")
    if counts["branch-misses"] > counts["branches"]:
        wrong.append("more misses than branches")
    if [event for event, _ in counted(default)] != COUNTED:
        wrong.append("without -e: not each event was counted once")
    elif dict(counted(default))["instructions"] < model.INSTRUCTIONS:
        wrong.append("without -e: too few instructions")
    return wrong


def both_loops(samples):
    """Are most of {symbol: samples} in the loops, and some in either?"""
    loops = [samples.get(name, 0) for name in ("loop1", "loop2")]
    if min(loops) == 0 or sum(loops) < sum(samples.values()) / 2:
        return [f"of {sum(samples.values())} samples {loops[0]} are in loop1"
                f" and {loops[1]} in loop2"]
    return []


def judge_record(text, _):
    return both_loops(tally(text))


def judge_record_pp(text, _):
    wrong = []
    if set(re.findall(r"precise_ip: (\d+)", text)) != {"2"}:
        wrong.append("the event was not opened with precise_ip 2")
    kinds = {int(misc, 16): int(number) for number, misc in
             re.findall(r"(\d+) SAMPLE\(IP, (0x[0-9a-f]+)\)", text)}
    exact = sum(number for misc, number in kinds.items() if misc & 0x4000)
    if not exact or exact != sum(kinds.values()):
        wrong.append(f"{exact} of {sum(kinds.values())} samples are exact")
    # The event samples the kernel, too.
    places = re.findall(r"^ *(\d+) (\S+) \((.*)\)$", text, re.M)
    inside = collections.Counter()
    for number, symbol, where in places:
        if where.endswith("/mispredict"):
            inside[symbol] += int(number)
        elif "[kernel" not in where:
            wrong.append(f"{number} samples in {where}")
    return wrong + both_loops(inside)


BRANCH = re.compile(r"0x([0-9a-f]+)/0x([0-9a-f]+)/\S+")
DEPTH = 32


def judge_record_b(text, _):
    ranges = [(int(start, 16), int(start, 16) + int(size, 16)) for start, size in
              re.findall(r"MMAP.*\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\)", text)]
    stacks = [[(int(start, 16), int(end, 16)) for start, end in pairs]
              for pairs in map(BRANCH.findall, text.splitlines()) if pairs]
    number = sum(map(len, stacks))
    if not number:
        return ["no branches"]

    def inside(address):
        return any(start <= address < end for start, end in ranges)

    wrong = []
    if max(map(len, stacks)) != DEPTH:
        wrong.append(f"up to {max(map(len, stacks))} branches a sample, not {DEPTH}")
    # A return from the kernel is a branch of the program, by its target.
    stray = sum(not inside(end) or not (inside(start) or start >> 47)
                for stack in stacks for start, end in stack)
    own = sum(inside(start) and inside(end) for stack in stacks
              for start, end in stack)
    if stray:
        wrong.append(f"{stray} of {number} branches are not the program's")
    if own < 0.9 * number:
        wrong.append(f"only {own} of {number} branches lie in the program")
    # The newest is first; between two branches the code is straight.
    broken = sum(not 0 <= newer[0] - older[1] < 4096 for stack in stacks
                 for newer, older in zip(stack, stack[1:]) if inside(newer[0]))
    if broken:
        wrong.append(f"{broken} of {number} branches do not start behind where"
                     " the one before went")
    return wrong


CATEGORIES = {"retiring": "retiring", "bad": "bad.spec", "frontend":
              "(?:fe|front.?end).bound", "backend": "(?:be|back.?end).bound"}


def categories(pairs):
    """{category: value} of pairs of (event or column, value)."""
    return {category: float(value) for category, pattern in CATEGORIES.items()
            for name, value in pairs if re.search(pattern, name)}


def judge_shares(title, shares):
    """Four percentages of a program that retires and mispredicts?"""
    if len(shares) != len(CATEGORIES):
        return [f"{title}: {len(shares)} of 4 categories"]
    text = ", ".join(f"{name} {share:.1f}" for name, share in shares.items())
    if not 98 <= sum(shares.values()) <= 102 or min(shares.values()) < -0.5 or \
            min(shares["retiring"], shares["bad"]) < 1:
        return [f"{title}: {text}"]
    return []


def judge_topdown(text, core):
    wrong = []
    if has_slots(core) or core.cpu not in METRICS:
        counts = re.findall(r"^(\d+),,([^,]*)", text, re.M)
        total = sum(int(number) * (1 if "slots" in event else WIDTH)
                    for number, event in counts if re.search("slots|cycles", event))
        shares = categories([(event, 100 * int(number) / max(total, 1))
                             for number, event in counts])
        wrong += judge_shares("events", shares)
    if core.cpu in METRICS:
        pairs = re.findall(r'"([^"]*)" *: *"?(-?[\d.]+)', text)
        wrong += judge_shares("--topdown", categories(pairs))
    return wrong


def judge_acr(text, _):
    samples = demo.count("\n".join(line for line in text.splitlines()
                                   if demo.SAMPLES.fullmatch(line)))
    wrong = []
    if not samples["branch-misses"]["loop2"]:
        wrong.append("no samples in loop2")
    elsewhere = sum(places["loop1"] + places["other"]
                    for places in samples.values())
    if elsewhere:
        wrong.append(f"{elsewhere} samples outside loop2")
    if sum(samples["branch-instructions"].values()):
        wrong.append("samples of the event that reloads itself")
    return wrong


TESTS = {
    "stat": (stat_script, judge_stat),
    "record": (record_script, judge_record),
    "record-pp": (record_pp_script, judge_record_pp),
    "record-b": (record_b_script, judge_record_b),
    "topdown": (topdown_script, judge_topdown),
    "acr": (acr_script, judge_acr),
}


def places(test, cpu):
    """The cores on which a test runs: P-cores reload no counters."""
    return [core for core in cores(cpu)
            if test != "acr" or core.pmu != "cpu_core"]


def guest_script(cpu):
    text = "cd /tmp\non() { timeout 120 taskset -c $core \"$@\"; }\n"
    for test, (script, _) in TESTS.items():
        for core in places(test, cpu):
            text += (f"core={core.number}\necho '=== {test} {core.pmu}'\n"
                     f"(\nset -e -o pipefail\n{script(core)}) 2>&1\n"
                     'echo "=== status $?"\n')
    return text + "true\n"


def reason(output):
    """What a command that failed said first of an error."""
    found = re.search(r"(?:error|cannot|failed|not found).*(?:\n.*)?", output, re.I)
    return (found.group() if found else harness.tail(output, 2)).strip()


SECTION = re.compile(r"^=== (\S+) (\S+)\n(.*?)^=== status (\d+)$", re.M | re.S)


def judge(text, kernel, cpu):
    """[(test, result, why)] of what the machine printed."""
    sections = {(test, pmu): (output, int(status))
                for test, pmu, output, status in SECTION.findall(text)}
    rows = []
    for test, (_, judge_test) in TESTS.items():
        wrong = []
        for core in places(test, cpu):
            output, status = sections.get((test, core.pmu), ("", None))
            if status is None:
                wrong.append(f"{core.pmu}: the boot did not come to it")
                continue
            if status:
                wrong.append(f"{core.pmu}: exit status {status}: {reason(output)}")
            else:
                wrong += [f"{core.pmu}: {what}"
                          for what in judge_test(output, core)]
        why = unsupported(test, kernel, cpu)
        if not why:
            rows.append((test, "fail" if wrong else "pass", wrong))
        elif not wrong:
            rows.append((test, "fail", [f"passes, but UNSUPPORTED says: {why}"]))
        elif any("did not come" in what for what in wrong):
            rows.append((test, "fail", wrong))
        else:
            rows.append((test, "skip", [why]))
    return rows


def said_by_run(text):
    """What the machine's runner complained of."""
    return re.findall(r"^run: .*(?:\n  .*)*", text, re.M)


class Matrix:
    """Collects results, prints them as they come."""

    def __init__(self):
        self.rows = []

    def record(self, kernel, cpu, test, result, why=(), log=""):
        self.rows.append((kernel, cpu, test, result))
        note = "  " + why[0] if result == "skip" else ""
        print(f"{result:4}  {kernel}/{cpu}/{test}{note}", flush=True)
        if result == "fail":
            for line in "\n".join(why).splitlines()[:12]:
                print(f"        {line}")
            print(f"        log: {os.path.relpath(log)}", flush=True)

    def boot(self, kernel, image, cpu):
        start = time.monotonic()
        status, text, log = harness.boot(
            f"matrix-{kernel}-{cpu}", guest_script(cpu), "--cpu", cpu,
            "--kernel", image, timeout=900)
        self.record(kernel, cpu, "boot", "fail" if status else "pass",
                    said_by_run(text) or [harness.tail(text)], log)
        for test, result, why in judge(text, kernel, cpu):
            self.record(kernel, cpu, test, result, why, log)
        print(f"      {kernel} on {cpu} took {time.monotonic() - start:.0f} s",
              flush=True)

    def cell(self, kernel, cpu):
        mine = [row[2:] for row in self.rows if row[:2] == (kernel, cpu)]
        failed = [test for test, result in mine if result == "fail"]
        skipped = sum(result == "skip" for _, result in mine)
        if failed:
            return "fail: " + " ".join(failed)
        return f"{len(mine) - skipped} pass" + f", {skipped} skip" * bool(skipped)

    def table(self):
        """Kernel by CPU, as lines."""
        kernels = list(dict.fromkeys(row[0] for row in self.rows))
        cpus = list(dict.fromkeys(row[1] for row in self.rows))
        lines = [["", *cpus]] + [
            [kernel, *(self.cell(kernel, cpu) for cpu in cpus)]
            for kernel in kernels]
        widths = [max(map(len, column)) for column in zip(*lines)]
        return ["  ".join(f"{word:{width}}" for word, width in
                          zip(line, widths)).rstrip() for line in lines]

    def finish(self, path):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            for row in [("kernel", "cpu", "test", "result"), *self.rows]:
                print(*row, sep="\t", file=out)
        print("\n" + "\n".join(self.table()))
        number = collections.Counter(row[3] for row in self.rows)
        print(f"{number['pass']} passed, {number['fail']} failed,"
              f" {number['skip']} skipped; {os.path.relpath(path)}", flush=True)
        return 1 if number["fail"] or not number["pass"] else 0


def image_of(kernel):
    """Build or fetch a kernel: the path of its image, or None."""
    print(f"      getting {kernel}", flush=True)
    built = subprocess.run([harness.TOP + "/scripts/build-kernel.sh", kernel],
                           stdout=subprocess.PIPE, text=True, check=False)
    return None if built.returncode else built.stdout.strip()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kernel", action="append", choices=KERNELS,
                        help="only this one (may be repeated)")
    parser.add_argument("--cpu", action="append", choices=CPUS,
                        help="only this one (may be repeated)")
    parser.add_argument("--table",
                        default=harness.BUILD + "/results/pmusim.tsv")
    args = parser.parse_args()

    matrix = Matrix()
    for kernel in args.kernel or KERNELS:
        image = image_of(kernel)
        for cpu in args.cpu or CPUS:
            if image:
                matrix.boot(kernel, image, cpu)
            else:
                matrix.record(kernel, cpu, "boot", "fail",
                              ["the kernel could not be built"], harness.LOG)
    return matrix.finish(args.table)


if __name__ == "__main__":
    sys.exit(main())
