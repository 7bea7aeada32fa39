# SPDX-License-Identifier: GPL-2.0
"""TopDown counters against the model's truth, across context switches."""

import re
import subprocess
import time

from checks.harness import BUILD, MACHINE_PARTS, boot, tail

CATEGORIES = ("retiring", "bad-spec", "fe-bound", "be-bound")
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


def run(check):
    accuracy(check)
