# SPDX-License-Identifier: GPL-2.0
"""Auto counter reload: each sample is where it has to be, and none is missing."""

import re
import time

from checks.harness import MACHINE_PARTS, boot, of_attempts, spelled, tail
from checks.power import RESUMES
from checks.reload_oracle import differences, expect, steps_of

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
SWITCHED = (600, ("many:700", "yield", "few:900", "yield"))
# Not all groups fit at once; each but the last member is as above, and the last
# counts what the others saw.
PLEXED = ("insns:20000:0x2,branches:100000:0x3,insns:50021:0x3,branches:200003:0x3,"
          "insns:60013:0x3,insns:0:0",
          "insns:20000:0x2,branches:500:0x3,insns:70001:0x2,branches:1001:0x2,"
          "insns:90001:0x2,insns:0:0")
PLEXED_STEPS = (20, ("many:100000",))

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


def plexed_wrong(text):
    """The first group samples each of its periods, the second none. Their ends are
    as far apart as they have to be, by a counter that nothing reloads."""
    rows = [tuple(map(int, row)) for row in re.findall(
        r"^member (\d+) (\d+) (\d+) (\d+) (\d+) (\d+)$", text, re.M)]
    members = {row[:2]: row[2:] for row in rows}
    if len(members) != 12 or "throttled" in text:
        return "no result, or throttled: " + tail(text, 3)
    for group in (0, 1):
        _, _, enabled, running = members[group, 0]
        if not 0 < running < enabled * 0.9:
            return f"group {group} was not multiplexed: {running} of {enabled}"
    periods = members[0, 5][1] // 20000
    sampled = [members[group, i][0] for group in (0, 1) for i in range(5)]
    if abs(sampled[0] - periods) > 1 or any(sampled[1:]) or periods < 100:
        return f"samples {sampled}, {periods} in the first are expected"
    places = [int(count) for count in re.findall(r"^at 0 0 (\d+)$", text, re.M)]
    gaps = {then - now for now, then in zip(places, places[1:])}
    if len(places) != sampled[0] or gaps != {20000}:
        return f"{len(places)} places, apart by {sorted(gaps)[:9]}"
    return None


def place(check, name):
    cpu, pmu, number, properties = PLACES[name]
    tests = [f"acr-truth-{part}-{name}"
             for part in (*GROUPS, "switched", "multiplexed")]
    if not any(check.wants("machine", test) for test in tests) or \
            not check.need("machine", *MACHINE_PARTS):
        return
    start = time.monotonic()
    script = SCRIPT.format(cpu=number, pmu=pmu)
    for group in GROUPS.values():
        script += f"echo ==\non {group} {words(STEPS)}\n"
    # Two that have to wait for each other: first the one in the background.
    command = f"on {GROUPS['both']} {words(SWITCHED)}"
    script += f"{command} >/tmp/other &\necho ==\n{command}\n"
    script += "wait\necho ==\ncat /tmp/other\n"
    script += "echo ==\non " + " ".join(PLEXED) + f" {words(PLEXED_STEPS)}\n"
    status, text, log = boot(f"acr-truth-{name}", script, "--cpu", cpu,
                             *(["--cpu-option", properties] if properties else []))
    parts = text.split("==\n")[1:]
    parts += [""] * (len(GROUPS) + 3 - len(parts))
    reasons = [wrong(group, STEPS, part)
               for group, part in zip(GROUPS.values(), parts)]
    rest = parts[len(GROUPS):]
    reasons.append(wrong(GROUPS["both"], SWITCHED, rest[0], 1000) or
                   wrong(GROUPS["both"], SWITCHED, rest[1]))
    reasons.append(plexed_wrong(rest[2]))
    seconds = time.monotonic() - start
    for test, reason in zip(tests, reasons):
        if status and not reason:
            reason = f"status {status}: {tail(text, 3)}"
        check.record("machine", test, "fail" if reason else "pass", seconds, log,
                     reason or "")
        seconds = 0.0


def late(check):
    """Between an overflow and its interrupt there is time for a reload. The sample
    is taken all the same."""
    precise = RELOADED_LATE.replace("0x2,", "0x2:2{},")
    groups = {"late": RELOADED_LATE, "late-precise": precise.format(""),
              "late-precise-at-once": precise.format(":1"), **GROUPS}
    tests = [f"acr-B28-skid-{group}" for group in groups]
    if not any(check.wants("machine", test) for test in tests) or \
            not check.need("machine", *MACHINE_PARTS):
        return
    start = time.monotonic()
    script = SCRIPT.format(cpu=1, pmu="cpu_atom")
    for group in groups.values():
        script += f"echo ==\non {group} {words(STEPS)}\n" * ATTEMPTS
    status, text, log = boot("acr-truth-skid", script, "--cpu", "arrowlake",
                             "--cpu-option", f"pmusim-skid={SKID}")
    parts = text.split("==\n")[1:]
    parts += [""] * (ATTEMPTS * len(groups) - len(parts))
    for number, (test, group) in enumerate(zip(tests, groups.values())):
        reason = of_attempts([
            wrong(group, STEPS, part, skid=SKID)
            for part in parts[ATTEMPTS * number:ATTEMPTS * (number + 1)]])
        if status and not reason:
            reason = f"status {status}: {tail(text, 3)}"
        check.record("machine", test, "fail" if reason else "pass",
                     time.monotonic() - start, log, reason or "")


# The boot CPU sleeps while the group runs, and wakes up with empty registers.
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
    test = spelled("acr_b24_suspend")
    if not check.wants("machine", test) or \
            not check.need("machine", *MACHINE_PARTS):
        return
    start = time.monotonic()
    status, text, log = boot("acr-truth-suspend",
                             SCRIPT.format(cpu=0, pmu="cpu") + SLEEP,
                             "--cpu", "clearwaterforest", *RESUMES)
    reason = wrong(SLEPT, SLEPT_STEPS, text)
    if status or "resumed 0\nstill running\n" not in text:
        reason = f"status {status}, {text[:200]}"
    check.record("machine", test, "fail" if reason else "pass",
                 time.monotonic() - start, log, reason or "")


def run(check):
    for name in PLACES:
        place(check, name)
    late(check)
    suspend(check)
