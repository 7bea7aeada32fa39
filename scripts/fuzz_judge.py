# SPDX-License-Identifier: GPL-2.0
"""Judge the samples of a fuzzer's run by what its program is known to have done.

The program executes blocks of a few kinds in turn; a sample has the number of
blocks executed. From that follows how many events of each kind had happened, at
least and at most, without asking any counter. A member of a group samples when
it has counted its period since it was last reloaded, and it is reloaded when one
of its causes has counted the period of its own. So a sample is justified only if

 - the member's events since its last sample are not fewer than its period, and
 - none of its causes had more events than its own period allows while the member
   counted its last period before the sample.

The second is decided exactly when the group counted all the time since the last
sample, which a plain counter in the group tells: that one must not miss anything,
nor count what did not happen. Otherwise there has to be at least one kind of
block since then in which the ratio is high enough. What was done to the group in
between makes a sample undecided, unless the member has counted its whole period
since another one's sample told where the program is. The lines are described in
tools/testing/machine/workloads/fuzz/main.c.
"""

import bisect
import collections

INSNS = 0
LANES = 5
# Blocks by which the position of an event may be off: before or behind the one
# that the interrupt came in, and where two kinds meet.
SLACK_BLOCKS = 2
# Between two kinds a few instructions more, and a branch.
SLACK_EVENTS = 8

Kind = collections.namedtuple("Kind", "blocks least most")
Sample = collections.namedtuple("Sample", "number time block enabled running insns")


class Program:
    """What has happened of each event after a number of blocks."""

    def __init__(self, kinds):
        self.kinds = kinds
        self.starts = [0]
        for kind in kinds:
            self.starts.append(self.starts[-1] + kind.blocks)
        self.cycle = self.starts.pop()

    def kind_at(self, block):
        return bisect.bisect_right(self.starts, block % self.cycle) - 1

    def _until(self, lane, block, most):
        rates = [(kind.most if most else kind.least)[lane] for kind in self.kinds]
        whole, rest = divmod(block, self.cycle)
        total = whole * sum(rate * kind.blocks
                            for rate, kind in zip(rates, self.kinds))
        for rate, kind in zip(rates, self.kinds):
            total += rate * min(rest, kind.blocks)
            rest = max(0, rest - kind.blocks)
        return total / 1000

    def between(self, lane, first, last, most):
        return self._until(lane, last, most) - self._until(lane, first, most)

    def slack(self, lane):
        return SLACK_EVENTS + SLACK_BLOCKS * max(
            kind.most[lane] for kind in self.kinds) / 1000

    def begin_of(self, lane, events, first, last):
        """The block behind which at most so many events happened until @last,
        or @first if there were fewer since that."""
        low, high = first, last
        while low < high:
            middle = (low + high) // 2
            if self.between(lane, middle, last, True) > events:
                low = middle + 1
            else:
                high = middle
        return low

    def kinds_between(self, first, last):
        if last - first >= self.cycle:
            return set(range(len(self.kinds)))
        found, block = set(), first
        while block <= last:
            kind = self.kind_at(block)
            found.add(kind)
            rest = self.kinds[kind].blocks - (block % self.cycle
                                              - self.starts[kind])
            block += rest
        return found


class Member:
    def __init__(self, lane, period, mask, precise, active):
        self.lane = lane
        self.period = period
        self.mask = mask
        self.precise = precise
        self.active = active
        self.open = True
        self.throttled = False
        self.last = None


class Group:
    """One group, its history in the order of time."""

    def __init__(self, name):
        self.name = name
        self.members = {}
        self.events = []


class Judge:
    """Takes lines, knows what was wrong with them at the end."""

    def __init__(self):
        self.kinds = []
        self.groups = collections.OrderedDict()
        self.opened = 0
        self.refused = 0
        self.samples = 0
        self.decided = 0
        # Why others are not, by reason.
        self.undecided = collections.Counter()
        self.unjustified = []
        self.broken = []

    def feed(self, line):
        words = line.split()
        take = getattr(self, "take_" + words[0], None) if words else None
        if take and len(words[0]) == 1:
            try:
                take(words[1:])
            except (ValueError, IndexError, KeyError):
                self.broken.append(f"not understood: {line.strip()}")

    def group(self, name):
        return self.groups.setdefault(name, Group(name))

    def take_K(self, words):
        numbers = [int(word) for word in words]
        rates = numbers[1:1 + 2 * LANES]
        self.kinds.append(Kind(numbers[0], rates[::2], rates[1::2]))

    def take_M(self, words):
        group, number, lane, period = words[:4]
        self.group(group).members[int(number)] = Member(
            int(lane), int(period), int(words[4], 0), int(words[5]),
            words[6] == "1")

    def take_G(self, words):
        self.group(words[0])

    def take_O(self, words):
        group, before, after, what, number, value = words
        self.group(group).events.append(
            (int(before), 0, int(after), what, int(number), int(value)))

    def take_S(self, words):
        group, number = words[:2]
        sample = Sample(*(int(word) for word in words[1:7]))
        self.group(group).events.append((sample.time, 1, int(number), sample))

    def take_N(self, words):
        self.opened += int(words[0])
        self.refused += int(words[1])

    def take_X(self, words):
        self.broken.append(" ".join(words))

    def finish(self):
        """Judge everything that was fed."""
        program = Program(self.kinds)
        for group in self.groups.values():
            History(self, program, group).run()


class History:
    """What happened to one group, event by event."""

    def __init__(self, judge, program, group):
        self.judge = judge
        self.program = program
        self.group = group
        # Up to when somebody may still have been at work on it.
        self.touched = 0
        # The first and the last sample of any member since then.
        self.begin = None
        self.last = None
        # Without its leader a group is none any more.
        self.whole = True

    def run(self):
        for event in sorted(self.group.events, key=self.order):
            if event[1]:
                self.sample(event[2], event[3])
            else:
                self.operation(*event[2:])

    @staticmethod
    def order(event):
        """By time; the program tells the order of samples of the same time."""
        return (*event[:2], event[3].block if event[1] else 0)

    def operation(self, after, what, number, value):
        self.touched = max(self.touched, after)
        self.begin = self.last = None
        for member in self.group.members.values():
            member.last = None
        if what == "close" and number == 0:
            self.whole = False
        member = self.group.members.get(number)
        if not member:
            return
        if what in ("on", "off"):
            member.active = what == "on"
        elif what in ("throttle", "unthrottle"):
            member.throttled = what == "throttle"
        elif what == "period":
            member.period = value
        elif what == "close":
            member.open = member.active = False

    def complain(self, sample, number, text):
        self.judge.unjustified.append(
            f"group {self.group.name} member {number} at {sample.time}"
            f" block {sample.block}: {text}")

    def lost(self, sample, text):
        self.judge.broken.append(
            f"group {self.group.name} at {sample.time}: {text}")

    def slack(self, lane, first, last):
        """How many events the program's position does not tell."""
        turns = (last.block - first.block) // self.program.cycle + 1
        return self.program.slack(lane) + \
            SLACK_EVENTS * turns * len(self.program.kinds)

    def missing(self, first, last):
        """Instructions that the group did not count, or fewer than none."""
        happened = self.program.between(INSNS, first.block, last.block, True)
        missing = happened - (last.insns - first.insns)
        return missing if abs(missing) > self.slack(INSNS, first, last) else 0

    def check_counter(self, sample):
        if sample.running > sample.enabled:
            self.lost(sample, f"runs {sample.running} of {sample.enabled} ns")
        # The counter of instructions is not of a former member's group
        if not self.last or not self.whole:
            return
        missing = self.missing(self.last, sample)
        waited = sample.enabled - self.last.enabled \
            - (sample.running - self.last.running)
        if missing < 0:
            self.lost(sample, f"{-missing:g} instructions that did not happen")
        elif missing and not waited and self.same_clock(sample):
            self.lost(sample, f"{missing:g} instructions are missing")

    def same_clock(self, sample):
        """Each member has its own times: one that joined late, for example."""
        return self.last.number == sample.number

    def sample(self, number, sample):
        judge, program = self.judge, self.program
        member = self.group.members[number]
        judge.samples += 1
        if sample.time <= self.touched:
            judge.undecided["during an operation"] += 1
            return
        self.check_counter(sample)
        last, member.last, self.last = member.last, sample, sample
        self.begin = self.begin or sample

        if self.whole and member.mask & 1 << number:
            judge.decided += 1
            self.complain(sample, number, "reloads itself, but samples")
        elif not last and self.counted(member, sample) < member.period:
            judge.undecided["first behind an operation"] += 1
        elif not last:
            self.compare(number, member, self.begin, sample)
        else:
            happened = program.between(member.lane, last.block, sample.block, True)
            if happened + self.slack(member.lane, last, sample) < member.period:
                judge.decided += 1
                self.complain(
                    sample, number, f"{happened:g} events since the last sample,"
                    f" the period is {member.period}")
            else:
                self.compare(number, member, last, sample)

    def counted(self, member, sample):
        """Events of a member since the first sample of any, at least."""
        return self.program.between(member.lane, self.begin.block, sample.block,
                                    False) \
            - self.slack(member.lane, self.begin, sample)

    def compare(self, number, member, last, sample):
        """Look at each cause of a member for itself."""
        causes = list(self.causes(number, member))
        decided = not self.reloads(number, member)
        whole_time = not self.missing(last, sample)
        for other, cause in causes:
            if whole_time:
                decided = True
                self.exact(number, member, last, sample, other, cause)
            elif not self.possible(member, last, sample, cause):
                decided = True
                self.complain(sample, number, f"member {other} must have come"
                              " first, all the time since the last sample")
        self.judge.decided += decided
        if not decided:
            self.judge.undecided["causes are reloaded by others" if not causes else
                                 "the group has waited"] += 1

    def reloads(self, number, member):
        """May anything reload this member?"""
        return self.whole and any(
            member.mask & 1 << other and cause.active
            for other, cause in self.group.members.items() if other != number)

    def causes(self, number, member):
        """Members that reload this one, and are themselves reloaded by nothing
        that does not reload this one, too."""
        if not self.whole:
            return
        reloads = member.mask | 1 << number
        existing = sum(1 << other for other, cause in self.group.members.items()
                       if cause.open)
        for other, cause in self.group.members.items():
            more = cause.mask & existing & ~(reloads | 1 << other)
            if other != number and member.mask & 1 << other and cause.active \
                    and not cause.throttled and not more:
                yield other, cause

    def exact(self, number, member, last, sample, other, cause):
        program = self.program
        begin = program.begin_of(
            member.lane, member.period - program.slack(member.lane), last.block,
            sample.block)
        events = program.between(cause.lane, begin, sample.block, False)
        if events > cause.period + self.slack(cause.lane, last, sample):
            self.complain(
                sample, number, f"{events:g} events of member {other} in the last"
                f" {member.period}, more than its period {cause.period}")

    def possible(self, member, last, sample, cause):
        """Was there a kind of block in which the member comes first?"""
        program = self.program
        for kind in program.kinds_between(last.block, sample.block):
            rates = program.kinds[kind]
            needed = (member.period - program.slack(member.lane)) \
                * rates.least[cause.lane]
            if needed <= (cause.period + program.slack(cause.lane)) \
                    * rates.most[member.lane]:
                return True
        return False
