# SPDX-License-Identifier: GPL-2.0
"""Branch records of user and kernel: the code between two of them is straight."""

import collections
import re
import subprocess
import tempfile

from checks.harness import IMAGES, LONG, MACHINE_PARTS, numbers, tail
from checks.samples import STACK_PLACES, STALE_PLACES

SAMPLES = 5000 * LONG
# Of all ways from one branch to the next
UNDECIDED = 0.01
# Ways that are wrong on stock: some 130 were on Skylake
STALE = 30

Way = collections.namedtuple("Way", "start end number code before")
WAY = re.compile(r"^code (0x\w+) (0x\w+) (\d+) ([0-9a-f]+|\?)(?: ([0-9a-f]+|\?))?$", re.M)
# What is never passed without a branch
LEAVES = re.compile(r"\b(?:jmp|call|l?ret|iret|ljmp|lcall|syscall|sysret|sysenter|"
                    r"sysexit|int|int3|hlt|ud[0-9])[a-z]{0,2}\b")
WRMSR = b"\x0f\x30"
# More than an instruction has, so that the code behind starts with one
PAD = b"\x90" * 16


def ways_of(text):
    """What flow has printed: ways, and their code, which is None where unreadable."""
    def code(digits):
        return None if not digits or digits == "?" else bytes.fromhex(digits)
    return [Way(int(start, 16), int(end, 16), int(number), code(at), code(before))
            for start, end, number, at, before in WAY.findall(text)]


def disassemble(parts):
    """For each part [(offset, instruction)], by objdump in one go."""
    if not parts:
        return []
    with tempfile.NamedTemporaryFile() as file:
        starts, at = [], 0
        for part in parts:
            starts.append(at)
            file.write(part + PAD)
            at += len(part) + len(PAD)
        file.flush()
        text = subprocess.run(
            ["objdump", "-D", "-z", "-b", "binary", "-m", "i386:x86-64",
             "--no-show-raw-insn", file.name], stdout=subprocess.PIPE, text=True,
            check=True).stdout
    insns = [(int(offset, 16), insn) for offset, insn in
             re.findall(r"^ *([0-9a-f]+):\t(.*)$", text, re.M)]
    found, number = [[] for _ in parts], -1
    for offset, insn in insns:
        while number + 1 < len(starts) and offset >= starts[number + 1]:
            number += 1
        found[number].append((offset - starts[number], insn))
    return found


def reaches(insns, distance):
    """Is there an instruction at a distance, and no branch in front of it?"""
    for offset, insn in insns:
        if offset >= distance:
            return offset == distance
        if LEAVES.search(insn):
            return False
    return False


def passes_wrmsr(insns):
    """Comes a WRMSR before any branch?"""
    for _, insn in insns:
        if insn.startswith("wrmsr"):
            return True
        if LEAVES.search(insn):
            return False
    return False


def judge(ways, entry=range(0)):
    """({"straight", "switched", "undecided", "wrong": number}, the wrong ways). A WRMSR
    stops recording, for a moment with the PMU, and another one starts it again: what is
    behind one is undecided where what it was stopped for is not known. So is the code
    at which exceptions enter the kernel: of architectural records, Linux looks at the
    types, and drops interrupts of the kernel, which are of none that it knows."""
    known = [way for way in ways if way.code]
    behind = [(way.before or b"").rpartition(WRMSR)[2]
              if WRMSR in (way.before or b"") else None for way in known]
    forward = disassemble([way.code for way in known])
    resumed = disassemble([part if part is not None else b"\xcc" for part in behind])
    found = collections.Counter(undecided=sum(way.number for way in ways if not way.code))
    wrong = []
    for way, insns, part, rest in zip(known, forward, behind, resumed):
        if reaches(insns, way.end - way.start):
            kind = "straight"
        elif part is not None and reaches(rest, len(part)):
            kind = "switched" if passes_wrmsr(insns) else "undecided"
        elif way.end in entry:
            kind = "undecided"
        else:
            kind = "wrong"
            wrong.append(way)
        found[kind] += way.number
    return found, wrong


def script(place):
    _, number, pmu = STACK_PLACES[place]
    return f"flow -s {SAMPLES} -P {pmu} -C {number}\n"


def reasons_against(text):
    """Why it is not as it must be; none if it is."""
    counts = numbers(text)
    entry = (counts.get(name, 0) % 2 ** 64 for name in ("entry_begin", "entry_end"))
    found, wrong = judge(ways_of(text), range(*entry))
    total = sum(found.values())
    reasons = [f"{dict(found)} of {total}, {counts}"]
    reasons += [f"{way.number} from {way.start:#x} to {way.end:#x}" for way in wrong[:10]]
    right = counts.get("samples", 0) >= SAMPLES and not found["wrong"] and \
        found["undecided"] < UNDECIDED * total and \
        found["straight"] > 0.9 * total and \
        counts["in_kernel"] > SAMPLES / 5 and \
        counts["kernel"] > counts["branches"] / 5 and counts["gaps"] > SAMPLES / 50
    return right, found, "\n".join(reasons)


def flow(check):
    """The branches of a sample lead to it, those of the kernel, too."""
    for place, (cpu, _, _) in STACK_PLACES.items():
        case = check.case(f"pmi-1-kernel-branches-{place}")
        if not case:
            continue
        text = case.boot(script(place), "--cpu", cpu, timeout=300 * LONG)
        right, _, why = reasons_against(text)
        case.judge(right, why + "\n" + tail(text, 3))


def stale(check):
    """On stock they do not, and the test finds it."""
    for place in STALE_PLACES:
        case = check.case(f"pmi-1-kernel-branches-stock-are-stale-{place}",
                          parts=("stock", *MACHINE_PARTS))
        if not case:
            continue
        text = case.boot(script(place), "--cpu", STACK_PLACES[place][0], "--kernel",
                         IMAGES["stock"], timeout=300 * LONG)
        _, found, why = reasons_against(text)
        case.judge(found["straight"] and found["wrong"] > STALE, why)


def run(check):
    flow(check)
    stale(check)
