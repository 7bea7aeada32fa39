# SPDX-License-Identifier: GPL-2.0
"""Auto counter reload: each sample is where it has to be, and none is missing."""

import bisect
import re

from checks.harness import of_attempts, spelled, tail
from checks.power import RESUMES
from checks.reload_oracle import LOOPS, differences, expect, steps_of

# Groups of 2, 3 and 6 members, and one in which both sample.
GROUPS = {
    "two": "insns:20000:0x2,branches:1500:0x3",
    "both": "insns:20000:0x2,branches:1500:0x1",
    "three": "branches:2500:0x6,insns:21001:0x7,branches:3001:0x7",
    "six": "insns:20011:0x22,branches:1500:0x3,insns:70001:0x8,"
           "branches:4001:0xc,branches:9001:0x1,insns:150007:0x3f",
    # By PEBS, that reloads the counter itself or leaves it to the interrupt.
    "precise": "insns:20000:0x2:2,branches:1500:0x3",
    "precise-at-once": "insns:20000:0x2:2:1,branches:1500:0x3",
}
# One step has more instructions a branch than the groups ask for, one fewer.
STEPS = (3, ("many:50000", "few:100000"))
# Two programs that have to wait for each other, with a group each
SWITCHED = (600, ("many:700", "yield", "few:2900", "yield"))
SWITCHED_GROUPS = {"switched": "both", "switched-three": "three",
                   "switched-six": "six"}
# Not all groups fit at once. The first samples where many instructions have one
# branch, the second where few have, and the last members count what the others saw.
INSNS, BRANCHES = 20000, 2000
PLEXED = (f"insns:{INSNS}:0x2,branches:{BRANCHES}:0x3,insns:50021:0x3,"
          "branches:200003:0x3,insns:60013:0x3,insns:0:0",
          f"insns:{INSNS}:0x3,branches:{BRANCHES}:0x1,insns:70001:0x3,"
          "branches:9001:0x3,insns:90001:0x3,insns:0:0")
PLEXED_STEPS = (100, ("many:9000", "few:70000"))
# What leads from one step to the next, see reload_code.S. It is taken as the end of
# the step, so that a place may differ by some instructions.
NEXT_INSNS, NEXT_BRANCHES = 5, 2
BETWEEN = 50

# Reloaded by the second member some 20 instructions after each overflow, that is
# before an interrupt that comes late.
RELOADED_LATE = "insns:20000:0x2,branches:910:0x2"
SKID = 50
# If a tick comes before the interrupt, that finds the kernel, and has no sample for
# who does not look at it. Not so each time.
ATTEMPTS = 3

# CPU, PMU, properties: E-cores as they are; P-cores with more counters of which
# not all can do both; few counters, in sets that overlap.
PLACES = {
    "e-core": ("arrowlake", "cpu_atom", 1, ""),
    "p-core": ("arrowlake", "cpu_core", 0, "pmusim-core-acr-reload=0x2000003fc,"
                                           "pmusim-core-acr-cause=0x3fe"),
    "overlap": ("clearwaterforest", "cpu", 1,
                "pmusim-acr-reload=0xfe,pmusim-acr-cause=0x7f"),
}

SCRIPT = """
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
on() {{ taskset -c {cpu} reload {pmu} "$@"; }}
"""


def words(steps):
    repeat, names = steps
    return f"-- -r {repeat} " + " ".join(names)


def wrong(members, steps, text, switches=0, skid=0):
    """What is wrong with the output of one program, in a line, or None."""
    starts = [int(value) for value in
              re.findall(r"^start \d+ (-?\d+)$", text, re.M)]
    found = [tuple(map(int, sample)) for sample in
             re.findall(r"^sample (\d+) (\d+) (\d+) (\d+)$", text, re.M)]
    left = re.findall(r"^switches (\d+)$", text, re.M)
    if not starts or not left or "throttled" in text:
        return "no result, or throttled: " + tail(text, 3)
    if int(left[0]) < switches:
        return f"only {left[0]} context switches"
    expected = expect(members, starts, steps_of(*steps), skid)
    different = differences(expected, found)
    if len(expected) < 10:
        return f"only {len(expected)} samples are expected"
    return f"of {len(expected)} samples differ: {different[:4]}" \
        if different else None


class Steps:
    """Instructions and branches of a program that takes its steps."""

    def __init__(self, steps):
        self.lengths = [LOOPS[name][1] for name, _ in steps]
        self.firsts = [LOOPS[name][0] for name, _ in steps]
        self.counts = [count for _, count in steps]
        # Where each step begins, in both events
        self.insns = [0]
        self.branches = [0]
        for length, count in zip(self.lengths, self.counts):
            self.insns.append(self.insns[-1] + length * count + NEXT_INSNS)
            self.branches.append(self.branches[-1] + count + NEXT_BRANCHES)

    def place(self, insn, left, step):
        """Instructions up to a sample, which names the step that is next, or None
        between two of them."""
        step -= 1
        if not 0 <= step < len(self.counts) or \
                not 0 <= insn - self.firsts[step] < self.lengths[step]:
            return None
        return self.insns[step] + insn - self.firsts[step] + \
            (self.counts[step] - left) * self.lengths[step]

    def step(self, place):
        return min(bisect.bisect_right(self.insns, place), len(self.counts)) - 1

    def overflows(self, place):
        """Where as many instructions have passed, and as many branches."""
        step = self.step(place)
        until = self.branches[step] + BRANCHES + \
            (place - self.insns[step]) / self.lengths[step]
        step = min(bisect.bisect_right(self.branches, until),
                   len(self.counts)) - 1
        return place + INSNS, self.insns[step] + \
            (until - self.branches[step]) * self.lengths[step]

    def next_sample(self, place, sampling):
        """Where the next one has to be, or None where that is too close to tell."""
        while place < self.insns[-1]:
            ends = self.overflows(place)
            if abs(ends[0] - ends[1]) <= BETWEEN:
                return None
            place = min(ends)
            if place == ends[sampling]:
                return place
        return None


def windows_wrong(steps, sampling, places):
    """What is wrong with the windows before samples at (place, clock) of a group.

    Where the group counted from one sample to the next, the ratio tells where that
    has to be. Otherwise the window may not be in a step without that ratio."""
    decided = 0
    length = (22, 3)[sampling]
    for (before, first), (place, last) in zip(places, places[1:]):
        if before is None or place is None:
            continue
        missed = place - before - (last - first)
        step = steps.step(place)
        if abs(missed) <= BETWEEN:
            want = steps.next_sample(before, sampling)
            decided += want is not None
            if want is not None and abs(place - want) > BETWEEN:
                return f"at {place} behind {before}, not at {want:g}"
        elif steps.lengths[step] != length and \
                place - steps.insns[step] > INSNS + missed:
            return f"at {place}, {missed} missed, where the ratio is too low"
    if len(places) < 100 or decided < len(places) * 0.75:
        return f"{decided} of {len(places)} samples decided"
    return None


def plexed_wrong(text):
    """Each group samples where it has to, by its ratio, and nobody else does."""
    rows = [tuple(map(int, row)) for row in re.findall(
        r"^member (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)$", text, re.M)]
    members = {row[:2]: row[2:] for row in rows}
    if len(members) != 12 or "throttled" in text:
        return "no result, or throttled: " + tail(text, 3)
    steps = Steps(steps_of(*PLEXED_STEPS))
    for group in (0, 1):
        _, _, enabled, running = members[group, 0]
        if not 0 < running < enabled * 0.9:
            return f"group {group} was not multiplexed: {running} of {enabled}"
        sampled = [members[group, i][0] for i in range(6)]
        if sum(sampled) != sampled[group]:
            return f"samples {sampled} of group {group}"
        found = [tuple(map(int, row)) for row in re.findall(
            rf"^at {group} {group} (\d+) (\d+) (\d+) (\d+)$", text, re.M)]
        wrong_one = windows_wrong(steps, group, [
            (steps.place(*where), clock) for clock, *where in found])
        if wrong_one:
            return f"group {group}: {wrong_one}"
    return None


def parts_of(text, number):
    """The output of so many programs; those that are missing said nothing."""
    parts = text.split("==\n")[1:]
    return parts + [""] * (number - len(parts))


def judge(case, reasons):
    for test, reason in zip(case.tests, reasons):
        case.judge(not reason, reason or "", test)


def place(check, name):
    cpu, pmu, number, properties = PLACES[name]
    case = check.case(*(f"acr-truth-{part}-{name}"
                        for part in (*GROUPS, *SWITCHED_GROUPS, "multiplexed")))
    if not case:
        return
    script = SCRIPT.format(cpu=number, pmu=pmu)
    for group in GROUPS.values():
        script += f"echo ==\non {group} {words(STEPS)}\n"
    for group in SWITCHED_GROUPS.values():
        # First the one in the background
        command = f"on {GROUPS[group]} {words(SWITCHED)}"
        script += f"{command} >/tmp/other &\necho ==\n{command}\n"
        script += "wait\necho ==\ncat /tmp/other\n"
    script += "echo ==\non " + " ".join(PLEXED) + f" {words(PLEXED_STEPS)}\n"
    text = case.boot(script, "--cpu", cpu,
                     *(["--cpu-option", properties] if properties else []),
                     name=f"acr-truth-{name}")
    rest = iter(parts_of(text, len(GROUPS) + 2 * len(SWITCHED_GROUPS) + 1))
    reasons = [wrong(group, STEPS, next(rest)) for group in GROUPS.values()]
    reasons += [wrong(GROUPS[group], SWITCHED, next(rest), 1000) or
                wrong(GROUPS[group], SWITCHED, next(rest))
                for group in SWITCHED_GROUPS.values()]
    reasons.append(plexed_wrong(next(rest)))
    judge(case, reasons)


def late(check):
    """Between an overflow and its interrupt there is time for a reload. The sample
    is taken all the same."""
    precise = RELOADED_LATE.replace("0x2,", "0x2:2{},")
    groups = {"late": RELOADED_LATE, "late-precise": precise.format(""),
              "late-precise-at-once": precise.format(":1"), **GROUPS}
    case = check.case(*(f"acr-B28-skid-{group}" for group in groups))
    if not case:
        return
    script = SCRIPT.format(cpu=1, pmu="cpu_atom")
    for group in groups.values():
        script += f"echo ==\non {group} {words(STEPS)}\n" * ATTEMPTS
    text = case.boot(script, "--cpu", "arrowlake", "--cpu-option",
                     f"pmusim-skid={SKID}", name="acr-truth-skid")
    rest = iter(parts_of(text, ATTEMPTS * len(groups)))
    judge(case, [of_attempts([wrong(group, STEPS, next(rest), skid=SKID)
                              for _ in range(ATTEMPTS)])
                 for group in groups.values()])


# All that runs on the CPU consents to be frozen. A reload by itself has no interrupt,
# and freezes nothing.
FROZEN = ("two", "both", "three", "six", "precise", "precise-at-once")
FROZEN_STEPS = (12, ("many:50000", "few:100000"))
FREEZE = """
pmu=/sys/bus/event_source/devices/cpu_atom
echo 1 >$pmu/freeze_counters
frozen() {{
	taskset -c {cpu} reload -f {pmu} "$@" >/tmp/out &
	state=0
	while kill -0 $! 2>/dev/null; do
		grep -q '^active: {cpu}$' $pmu/freeze_counters_state && state=1
	done
	wait $!
	echo "=="
	cat /tmp/out
	echo "frozen $state"
}}
"""
SELF = "insns:20000:0x1"
SELF_FREEZES = f"""
pmusim {{cpu}} clear
frozen {SELF} {{steps}}
pmusim {{cpu}} stats | grep '^pmis '
echo "status $(pmusim {{cpu}} read 0x38e)"
"""


def frozen(check):
    """With counters that freeze, samples are the same."""
    case = check.case(*(f"acr-B28-frozen-{group}"
                        for group in (*FROZEN, "self-reload")))
    if not case:
        return
    script = (SCRIPT + FREEZE).format(cpu=1, pmu="cpu_atom")
    for group in FROZEN:
        script += f"frozen {GROUPS[group]} {words(FROZEN_STEPS)}\n"
    script += SELF_FREEZES.format(cpu=1, steps=words(FROZEN_STEPS))
    text = case.boot(script, "--cpu", "arrowlake", name="acr-truth-frozen")
    parts = parts_of(text, len(case.tests))
    reasons = [wrong(GROUPS[group], FROZEN_STEPS, part)
               for group, part in zip(FROZEN, parts)]
    reasons.append(None if re.search(
        r"^member 0 0 0 [1-9].*\n(?:.*\n)*pmis 0\nstatus 0$", parts[-1], re.M)
        else tail(parts[-1], 5))
    judge(case, [reason or ("" if "frozen 1\n" in part else "the CPU was not armed")
                 for reason, part in zip(reasons, parts)])


# The boot CPU sleeps while the group runs, and wakes up with empty registers. Out
# of hibernation, for which the machine has no disk, it comes the same way.
SLEPT = "insns:1000000:0x2,branches:75000:0x3"
SLEPT_STEPS = (1, ("many:100000000",))
SLEEP = f"""
bridge=/sys/bus/pci/devices/0000:00:1f.0/config
dd if=$bridge of=/tmp/bridge bs=1 skip=64 count=8 2>/dev/null
on {SLEPT} {words(SLEPT_STEPS)} >/tmp/out &
taskset -p 2 $$ >/dev/null
usleep 300000
echo +6 >/sys/class/rtc/rtc0/wakealarm
echo mem >/sys/power/state
echo "resumed $?"
dd if=/tmp/bridge of=$bridge bs=1 seek=64 conv=notrunc 2>/dev/null
[ -s /tmp/out ] || echo still running
wait
cat /tmp/out
"""


def suspend(check):
    """A resumed CPU goes on in the middle of the periods."""
    case = check.case(spelled("acr_b24_suspend"))
    if not case:
        return
    text = case.boot(SCRIPT.format(cpu=0, pmu="cpu") + SLEEP, "--cpu",
                     "clearwaterforest", *RESUMES, name="acr-truth-suspend")
    reason = wrong(SLEPT, SLEPT_STEPS, text)
    if "resumed 0\nstill running\n" not in text:
        reason = text[:200] or "no output"
    judge(case, [reason])


def run(check):
    for name in PLACES:
        place(check, name)
    late(check)
    frozen(check)
    suspend(check)
