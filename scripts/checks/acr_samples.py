# SPDX-License-Identifier: GPL-2.0
"""Auto counter reload by perf: each sample of perf.data where it has to be.

payload has no startup code: perf counts it from its first instruction, which is
where the oracle begins. What the model knows of the program has to be what the
oracle goes through.
"""

import collections
import re
import subprocess
import time

from checks.harness import BUILD, boot, numbers, of_attempts, tail
from checks.reload_oracle import Group

# Numbers of payload's instructions: where its loops begin, what comes behind
ADD, CALLER, CALL, REST, LEAF = 1, 4, 5, 8, 15
ROUNDS, CALLS = 10000000, 1000
# Of each CPU, the PMU that has the feature and a CPU of it
PLACES = {"arrowlake": ("cpu_atom", 1), "clearwaterforest": ("cpu", 0)}

# name: (group for perf, the same for the oracle). Of the instructions of the
# first loop, a third are branches, of those of the second three quarters.
B, I = "P/branches,name=branches", "P/instructions,name=insns"
GROUPS = {
    "second-loop": (f"{{{B},ratio-to=insns:1/2/u,{I},period=1000/u}}",
                    "branches:500:0x2,insns:1000:0x3"),
    "second-loop-mask": (
        f"{{{B},period=500,acr_mask=0x2/u,{I},period=1000,acr_mask=0x3/u}}",
        "branches:500:0x2,insns:1000:0x3"),
    "all-precise": (f"{{{B},ratio-to=insns:30%/ppu,{I},period=20000/u}}",
                    "branches:6000:0x2:2,insns:20000:0x3"),
    "all-precise-mask": (
        f"{{{B},period=6000,acr_mask=0x2/ppu,{I},period=20000,acr_mask=0x3/u}}",
        "branches:6000:0x2:2,insns:20000:0x3"),
    "base-first": (f"{{{I},period=20000/u,{B},ratio-to=insns:0.3/u}}",
                   "insns:20000:0x3,branches:6000:0x1"),
    "previous": (f"{{{I},period=20011/u,{B},ratio-to-prev=0.35/u}}",
                 "insns:20011:0x2,branches:7004:0x3"),
    "both": (f"{{{I},period=20011,acr=others/u,{B},period=7013,acr=others/u}}",
             "insns:20011:0x2,branches:7013:0x1"),
    "three": (f"{{{B},period=4001,acr=insns+more/u,{I},period=21001,acr=all/u,"
              "P/instructions,name=more,period=15013,acr=branches/u}",
              "branches:4001:0x6,insns:21001:0x7,insns:15013:0x1"),
}

# A counter that has one event to go when its task is switched out gets two: the
# kernel starts no counter with less. Of 1000 switches it happens to one or two.
ATTEMPTS = 3

SCRIPT = """
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
cd /tmp
record() {{
	taskset -c {cpu} perf record -q -o data -e "$1" payload || exit 1
	perf script -i data -F event,ip | sed 's/^/sample /'
}}
# To know the truth about each instruction takes its time.
pmusim {cpu} range 0 {first:#x} {end:#x} usr
taskset -c {cpu} payload
echo == truth
pmusim {cpu} truth 0
pmusim {cpu} range 0 off
"""


def code():
    """Addresses of payload's instructions, and of what is behind them."""
    path = BUILD + "/machine/payload"
    text = subprocess.run(["objdump", "-d", "-w", path], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    found = re.findall(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+)", text, re.M)
    addresses = [int(address, 16) for address, _ in found]
    return addresses + [addresses[-1] + len(found[-1][1].split())]


class Walk:
    """payload, instruction by instruction."""

    def __init__(self, members, addresses, rounds=ROUNDS, calls=CALLS):
        self.group = Group(members)
        for member in self.group.members:
            member.value = -member.period
        self.addresses = addresses
        self.rounds, self.calls = rounds, calls
        self.total = [0, 0]

    def step(self, number, branch=False, to=None):
        after = self.addresses[number + 1 if to is None else to]
        self.retire(number, branch, after)

    def retire(self, number, branch, after):
        self.group.retire(self.addresses[number], int(branch), (after,))
        self.total = [self.total[0] + 1, self.total[1] + branch]

    def first_loop(self):
        left = self.rounds
        while left:
            skipped = min(self.group.rounds(3), left - 1)
            self.group.count(3 * skipped, skipped)
            self.total = [self.total[0] + 3 * skipped, self.total[1] + skipped]
            left -= skipped + 1
            self.step(ADD)
            self.step(ADD + 1)
            self.step(ADD + 2, True, ADD if left else None)

    def run(self):
        self.step(0)
        self.first_loop()
        self.step(CALLER)
        for left in reversed(range(self.calls)):
            self.step(CALL, True, LEAF)
            self.step(LEAF, True, CALL + 1)
            self.step(CALL + 1)
            self.step(CALL + 2, True, CALL if left else None)
        for number in range(REST, LEAF - 1):
            self.step(number)
        # The system call: the interrupt would find the kernel
        self.retire(LEAF - 1, True, None)
        return self


def wrong(group, addresses, text, truth):
    """What is wrong with the samples of a recording, in a line, or None."""
    events, members = GROUPS[group]
    order = re.findall(r"name=(\w+)", events)
    walk = Walk(members, addresses).run()
    counted = [truth.get("instructions"), truth.get("branches")]
    if counted != walk.total:
        return f"the model counted {counted}, the oracle {walk.total}"
    found = [(order.index(event), int(address, 16)) for event, address in
             re.findall(r"^sample .*?(\w+)/?: +([0-9a-f]+)\s*$", text, re.M)]
    expected = walk.group.samples
    if len(found) != text.count("sample ") or len(expected) < 5:
        return f"{text.count('sample ')} samples, {len(expected)} expected: " \
            + tail(text, 3)
    if found == expected:
        return None
    first = next((n for n, pair in enumerate(zip(expected, found))
                  if pair[0] != pair[1]), min(len(expected), len(found)))
    return f"{len(found)} samples, {len(expected)} expected; from number {first}" \
        f" on expected {[(m, hex(a)) for m, a in expected[first:first + 3]]}," \
        f" found {[(m, hex(a)) for m, a in found[first:first + 3]]}"


def run(check):
    for cpu, (pmu, number) in PLACES.items():
        tests = {group: f"acr-samples-{group}-{cpu}" for group in GROUPS}
        if not any(check.wants("perftest", test) for test in tests.values()):
            continue
        start = time.monotonic()
        addresses = code()
        script = SCRIPT.format(cpu=number, first=addresses[0], end=addresses[-1])
        for group, (events, _) in GROUPS.items():
            script += (f"echo '== {group}'\n"
                       f"record '{events.replace('P/', pmu + '/')}'\n") * ATTEMPTS
        status, text, log = boot(f"perftest-acr-samples-{cpu}", script, "--cpu", cpu)
        parts = collections.defaultdict(list)
        for name, part in re.findall(r"^== (\S+)\n((?:(?!==).*\n)*)", text, re.M):
            parts[name].append(part)
        truth = numbers("".join(parts["truth"]))
        for group, test in tests.items():
            reason = of_attempts([wrong(group, addresses, part, truth)
                                  for part in parts[group] or [""]])
            if status and not reason:
                reason = f"status {status}: {tail(text, 3)}"
            check.record("perftest", test, "fail" if reason else "pass",
                         time.monotonic() - start, log, reason or "")
            start = time.monotonic()
