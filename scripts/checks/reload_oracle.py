# SPDX-License-Identifier: GPL-2.0
"""Where a group with auto counter reload has to take samples.

Goes through the instructions of tools/testing/machine/workloads/reload_code.S
with counters of its own. Knows the manual (SDM 085, volume 3, 21.9.11) and what
a sample is, and nothing of the driver or of the emulated PMU.
"""

import itertools
import re

# Numbers of the instructions with which its parts begin.
NEXT, MANY, FEW, YIELD = 9, 13, 36, 40
LOOPS = {"many": (MANY, 22), "few": (FEW, 3)}
EVENTS = ("insns", "branches")


class Member:
    """One event of the group: what it counts, its period and its causes."""

    def __init__(self, text):
        event, period, mask, *precise = text.split(":")
        self.event = EVENTS.index(event)
        self.period = int(period, 0)
        self.mask = int(mask, 0)
        self.precise = bool(precise)
        self.value = 0


class Group:
    """Counters that reload each other, and the samples that they take.

    The interrupt comes @skid instructions behind the overflow, for all that have
    overflowed until then. It finds the program where it is; the period has begun
    with the overflow. A precise member names the instruction that overflowed it.
    """

    def __init__(self, text, skid=0):
        self.members = [Member(part) for part in text.split(",")]
        self.skid = skid
        self.due = 0
        self.overflown = []
        self.samples = []

    def rounds(self, insns):
        """How many loops of @insns with one branch pass without an overflow or
        an interrupt."""
        left = min((-member.value - 1) // (insns, 1)[member.event]
                   for member in self.members)
        return min(left, (self.due - 1) // insns) if self.due else left

    def count(self, insns, branches):
        self.due = max(0, self.due - insns)
        for member in self.members:
            member.value += (insns, branches)[member.event]

    def interrupt(self, after):
        # None is the kernel, of which there are no samples.
        if after[0] is not None:
            self.samples += [(i, *after) for i in sorted(self.overflown)]
        self.overflown = []

    def retire(self, insn, branch, after):
        """One instruction; @after is where a sample finds the program."""
        late = self.due == 1
        self.count(1, branch)
        full = [i for i, member in enumerate(self.members) if member.value >= 0]
        sampled = [i for i in full if not self.members[i].mask >> i & 1]
        self.samples += [(i, insn, *after[1:]) for i in sampled
                         if self.members[i].precise]
        sampled = [i for i in sampled if not self.members[i].precise]
        self.overflown += sampled
        if late or (sampled and not self.skid):
            self.interrupt(after)
        elif sampled and not self.due:
            self.due = self.skid
        for i, member in enumerate(self.members):
            # Without a mask, software starts the next period.
            if i in full or any(member.mask >> k & 1 for k in full):
                member.value = -member.period


def steps_of(repeat, steps):
    return [(name, int(count or 0)) for name, count in
            re.findall(r"(\w+)(?::(\d+))?", " ".join(steps))] * repeat


def loop(group, first, length, count, index):
    """@count times @length instructions, of which the last is a branch."""
    while count:
        skipped = min(group.rounds(length), count - 1)
        group.count(skipped * length, skipped)
        count -= skipped
        for insn in range(first, first + length - 2):
            group.retire(insn, 0, (insn + 1, count, index))
        count -= 1
        group.retire(first + length - 2, 0, (first + length - 1, count, index))
        group.retire(first + length - 1, 1,
                     (first if count else first + length, count, index))
    group.retire(first + length, 1, (NEXT, 0, index))


def expect(members, starts, steps, skid=0):
    """The samples as (member, instruction, rounds left, next step).

    @starts are the values of the counters when RDPMC read them, one after the
    other, which is where the program begins. Rounds left is None where the
    register holds something else.
    """
    group = Group(members, skid)
    n = len(group.members)
    for i, (member, start) in enumerate(zip(group.members, starts)):
        # From RDPMC itself to the end of reading
        left = n - i
        member.value = start + (8 + 9 * (left - 1), left)[member.event]
        if member.value >= 0:
            raise ValueError(f"member {i} began {-start} before its overflow")
    for index, (name, count) in enumerate(steps):
        group.retire(NEXT, 0, (NEXT + 1, None, index))
        group.retire(NEXT + 1, 0, (NEXT + 2, count, index))
        group.retire(NEXT + 2, 0, (NEXT + 3, count, index + 1))
        if name in LOOPS:
            first, length = LOOPS[name]
            group.retire(NEXT + 3, 1, (first, count, index + 1))
            loop(group, first, length, count, index + 1)
        else:
            group.retire(NEXT + 3, 1, (YIELD, count, index + 1))
            group.retire(YIELD, 0, (YIELD + 1, count, index + 1))
            group.retire(YIELD + 1, 1, (None, None, index + 1))
            group.retire(YIELD + 2, 1, (NEXT, None, index + 1))
    # What follows finds its end, and leaves.
    end = len(steps)
    group.retire(NEXT, 0, (NEXT + 1, None, end))
    group.retire(NEXT + 1, 0, (NEXT + 2, 0, end))
    group.retire(NEXT + 2, 0, (NEXT + 3, 0, end + 1))
    return group.samples


def differences(expected, found):
    """Pairs of samples, in their order for each member, that are not the same."""
    different = []
    for i in sorted({sample[0] for sample in expected + found}):
        pairs = itertools.zip_longest(
            [sample[1:] for sample in expected if sample[0] == i],
            [sample[1:] for sample in found if sample[0] == i])
        different += [(i, *pair) for pair in pairs
                      if None in pair or any(want not in (None, have) for
                                             want, have in zip(*pair))]
    return different
