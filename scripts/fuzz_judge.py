# SPDX-License-Identifier: GPL-2.0
"""Judge the samples of a fuzzer's run by what its program is known to have done.

A group is simulated by its own clock, see fuzz_program.py, from when it is enabled
with whole periods: who overflows first, and whom that reloads. What cannot be told
exactly is a range: when a member was reloaded last, and how much it had counted
then. Where the order of two overflows depends on it, each order is followed. A
member that reloads itself overflows unseen; any other one samples, so what would
have sampled but did not has not happened. A sample is

 - justified if its member overflows then, whatever the order was,
 - not justified if it does so in no order,
 - undecided otherwise.

What is done to a group happens at any time between two points of the program.
Members that nothing reloads, and those of a group without its leader, are judged
by their period alone: there are not fewer events since the last sample. The lines
are described in tools/testing/machine/workloads/fuzz/main.c.
"""

import bisect
import collections
import heapq
import itertools
import math

from fuzz_program import LANES, Clock, Kind, Kinds

# So many blocks may be behind the one that a sample tells, or before it.
SLACK_BLOCKS = 2
# So many instructions two times may differ by that are the same. Interrupts may be
# late by up to 50.
SAME = 150
# So many orders of what happened are followed.
WORLDS = 100
# After so many times that there were more, nothing is known any more.
JOINED = 20
NOWHERE = 2**64 - 1

Sample = collections.namedtuple(
    "Sample", "number time block enabled running insns misses")
Reading = collections.namedtuple(
    "Reading", "time first last enabled running insns misses")
Operation = collections.namedtuple(
    "Operation", "before after what number value first last")
# A member of a world: between @lo and @hi it had counted from @least to @most. If
# that is not @sure, it may be what was in one of several orders.
State = collections.namedtuple("State", "active period lo hi least most sure")
Member = collections.namedtuple("Member", "lane period mask precise active")


class Point:
    """The group's clock, and where in the program it was so late."""

    def __init__(self, counts, number, first, last):
        self.time = counts.time
        self.clock = counts.insns
        self.misses = counts.misses
        # Readings have the times of the leader
        self.sampled = number is not None
        self.number = number or 0
        self.first = first
        self.last = last
        self.waited = counts.enabled - counts.running
        self.throttled = False
        self.unseen = False


class Group:
    """One group, and what happened to it."""

    def __init__(self, name):
        self.name = name
        self.members = {}
        self.enabled = None
        self.samples = []
        self.readings = []
        self.operations = []


class Judge:
    """Takes lines, knows what was wrong with them at the end.

    @skid: so many instructions an interrupt is late at most.
    """

    def __init__(self, skid=0):
        self.skid = skid
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
            except (ValueError, IndexError, KeyError, TypeError):
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
        self.group(words[0]).enabled = int(words[3]), int(words[4])

    def take_O(self, words):
        before, after = int(words[1]), int(words[2])
        self.group(words[0]).operations.append(Operation(
            before, after, words[3], *(int(word) for word in words[4:8])))

    def take_S(self, words):
        self.group(words[0]).samples.append(
            Sample(*(int(word) for word in words[1:9])))

    def take_R(self, words):
        self.group(words[0]).readings.append(
            Reading(*(int(word) for word in words[1:8])))

    def take_N(self, words):
        self.opened += int(words[0])
        self.refused += int(words[1])

    def take_X(self, words):
        self.broken.append(" ".join(words))

    def finish(self):
        """Judge everything that was fed."""
        kinds = Kinds(self.kinds)
        for group in self.groups.values():
            History(self, kinds, group).run()


class Timeline:
    """The points of a group in order, and the clock that they make."""

    def __init__(self, judge, kinds, group, until):
        self.judge = judge
        self.kinds = kinds
        self.group = group
        first, last = group.enabled
        start = Reading(0, first, last, 0, 0, 0, 0)
        self.points = [Point(start, None, kinds.position(first),
                             kinds.position(last + 1))]
        for sample in group.samples:
            if sample.time < until:
                self.points.append(Point(sample, sample.number,
                                         *self.around(sample.block)))
        for reading in group.readings:
            if reading.time < until:
                self.points.append(Point(
                    reading, None, kinds.position(reading.first),
                    kinds.position(reading.last + 1)))
        self.points.sort(key=lambda point: (point.clock, point.time))
        self.clocks = [point.clock for point in self.points]
        self.throttle()
        self.bound()
        self.clock = Clock(kinds, list(self.pieces()), self.points[-1].clock + 1,
                           self.marks())

    def around(self, block):
        """Where a sample's counts are of that tells a block."""
        if block == NOWHERE:
            return None, None
        position = self.kinds.position(block)
        return position - SAME / 2, self.kinds.position(block + 1) + SAME / 2

    def throttle(self):
        """A group pauses where the last sample was taken, and at all points
        that read the same clock. Samples of a member that is being closed are not
        seen."""
        closes = [operation for operation in self.group.operations
                  if operation.what == "close"]
        for operation in self.group.operations:
            if operation.what != "throttle":
                continue
            if any(close.before <= operation.before <= close.after
                   for close in closes):
                last = self.last_before(operation.before)
                last.throttled = last.unseen = True
            else:
                begin = self.throttles(operation).clock
                for point in self.points[bisect.bisect_left(self.clocks, begin):
                                         bisect.bisect(self.clocks, begin + SAME)]:
                    point.throttled = True

    def last_before(self, time):
        return max((point for point in self.points if point.time <= time),
                   key=lambda point: point.time)

    def throttles(self, operation):
        """The sample that throttles a member is told behind that, but for the
        others of its group."""
        until = min((other.before for other in self.group.operations
                     if other.what == "unthrottle" and other.before > operation.before
                     and other.number == operation.number), default=math.inf)
        return min((point for point in self.points if point.sampled
                    and point.number == operation.number
                    and operation.before <= point.time < until),
                   key=lambda point: point.time,
                   default=self.last_before(operation.before))

    def bound(self):
        """What the group has missed at each point: that never gets less."""
        least = None
        for point in self.points:
            point.least = least
            if point.first is not None:
                missed = point.first - point.clock
                point.least = least = missed if least is None \
                    else max(least, missed)
        most = None
        for point in reversed(self.points):
            if point.last is not None:
                missed = point.last - point.clock
                most = missed if most is None else min(most, missed)
            point.most = point.least if most is None else most
            if point.least > point.most:
                if point.least > point.most + SAME:
                    self.lost(point, f"{point.least - point.most:g} instructions"
                              " that did not happen")
                point.least = point.most = (point.least + point.most) / 2

    def lost(self, point, text):
        self.judge.broken.append(
            f"group {self.group.name} at {point.time}: {text}")

    def waited(self):
        """Between which points the group may have waited for its turn."""
        may = [True] * len(self.points)
        last = {}
        for i, point in enumerate(self.points):
            before = last.get(point.number)
            if before is not None and self.points[before].waited == point.waited:
                may[before:i] = [False] * (i - before)
            last[point.number] = i
        return may

    def pauses(self, point, after):
        """Where somebody has stopped the group, as positions in the program."""
        found, off = [], None
        for operation in self.group.operations:
            if operation.what == "off" and operation.number == 0:
                off = off or operation
            elif operation.what == "on" and operation.number == 0 and off:
                found.append((off.before, operation.after, off.first,
                              operation.last))
                off = None
            elif operation.what == "restart":
                found.append(((off or operation).before, operation.after,
                              (off or operation).first, operation.last))
                off = None
        if off:
            found.append((off.before, math.inf, off.first, max(
                [off.last] + [reading.last for reading in self.group.readings])))
        return [(self.kinds.position(first), self.kinds.position(last + 1))
                for before, until, first, last in found
                if before <= after.time and until >= point.time]

    def pieces(self):
        """Times, and what the group has missed from then on, at least and most."""
        may_wait = self.waited()
        for i, point in enumerate(self.points[:-1]):
            after = self.points[i + 1]
            gap = after.least - point.most
            if gap <= 0 or point.clock == after.clock:
                yield point.clock, point.least, after.most
                continue
            pauses = self.pauses(point, after)
            room = sum(last - first for first, last in pauses)
            if point.throttled and not point.unseen and not pauses \
                    and not may_wait[i]:
                yield point.clock, after.least, after.most
            elif pauses and not point.throttled and not may_wait[i] \
                    and after.most - point.least <= room + SAME:
                first, last = pauses[0][0], pauses[-1][1]
                begin = min(max(first - point.most, point.clock), after.clock)
                end = min(max(last - after.least, begin), after.clock)
                if begin > point.clock:
                    yield point.clock, point.least, point.most
                if end > begin:
                    yield begin, point.least, after.most
                if after.clock > end:
                    yield end, after.least, after.most
            else:
                if not (may_wait[i] or pauses or point.throttled) \
                        and gap > SAME:
                    self.lost(after, f"{gap:g} instructions are missing")
                yield point.clock, point.least, after.most

    def marks(self):
        """At which times how many branches had been mispredicted."""
        if not any(point.misses for point in self.points):
            return []
        found = {}
        for point in self.points:
            found.setdefault(point.clock, point.misses)
        return sorted(found.items())

    def time_of(self, operation, begin, end):
        """When something was done, between two times of the clock."""
        if operation.what in ("throttle", "unthrottle", "lost"):
            return begin, end
        i = min(bisect.bisect_right(self.clocks, begin), len(self.clocks)) - 1
        j = min(bisect.bisect_left(self.clocks, end), len(self.clocks) - 1)
        first = self.kinds.position(operation.first) - self.points[j].most
        last = self.kinds.position(operation.last + 1) - self.points[i].least
        first = min(max(first, begin), end)
        return first, max(min(last, end), first)


class History:
    """What happened to one group, event by event."""

    def __init__(self, judge, kinds, group):
        self.judge = judge
        self.kinds = kinds
        self.group = group
        # At which block a member began to count its period, at the earliest
        self.since = {}
        self.periods = {number: (member.period, member.period)
                        for number, member in group.members.items()}
        # Without its leader a group is none any more. Behind the last reading,
        # buffers are read one after the other while it may still run.
        self.end = min([operation.before for operation in group.operations
                        if operation.what == "close" and operation.number == 0] +
                       [reading.time for reading in group.readings[-1:]],
                       default=float("inf"))
        self.reloads = any(member.mask for member in group.members.values())
        self.line = None
        self.now = 0
        # Each has states of all members, and whether the last operation is done
        self.worlds = []
        # Who is being closed, with samples that nobody has read
        self.closing = set()
        # When members overflow, by what was asked before
        self.known = {}

    def run(self):
        group = self.group
        if not group.samples:
            return
        group.samples.sort(key=lambda sample: (sample.time, sample.insns))
        if group.enabled is None:
            self.judge.broken.append(f"group {group.name} samples, but is off")
            return
        self.since = dict.fromkeys(group.members, group.enabled[0])
        self.line = Timeline(self.judge, self.kinds, group, self.end)
        self.worlds = {(tuple(
            State(member.active, member.period, 0, 0, 0, 0, True)
            for _, member in sorted(group.members.items())), True)}
        # That a member is throttled is said amid the samples of one interrupt.
        done = [operation for operation in group.operations
                if operation.what not in ("throttle", "unthrottle")]
        todo = sorted([(operation.before, 0, operation) for operation in done] +
                      [(operation.after, 2, operation) for operation in done] +
                      [(sample.time, 1, sample) for sample in group.samples])
        pending = []
        while todo:
            time, what, item = todo.pop(0)
            if what == 0:
                self.limits(item)
                if self.matters(item):
                    pending.append(item)
                    self.close(pending)
                    self.worlds = {(states, False) for states, _ in self.worlds}
            elif what == 2:
                if item in pending:
                    pending.remove(item)
                    self.operate(item, self.next_sample(todo))
                    self.close(pending)
                if item.what == "restart":
                    for number in self.since:
                        self.since[number] = max(self.since[number], item.first)
            else:
                samples = [item]
                while todo and todo[0][1] == 1 and time < self.end and \
                        todo[0][2].insns - item.insns <= SAME:
                    samples.append(todo.pop(0)[2])
                self.look(samples, pending)

    def close(self, pending):
        self.closing = {operation.number for operation in pending
                        if operation.what == "close"}

    @staticmethod
    def next_sample(todo):
        return next((item.insns for _, what, item in todo if what == 1), None)

    def matters(self, operation):
        """Does it change what the members have counted, or which of them do?"""
        return self.reloads and operation.before < self.end and not (
            operation.what == "reset" or
            operation.what in ("on", "off") and operation.number == 0)

    # What can be said of each member for itself

    def limits(self, operation):
        """The period may be the old or the new one from now on."""
        number = operation.number
        if operation.what == "period":
            old = self.periods[number]
            self.periods[number] = min(old[0], operation.value), operation.value
            self.since[number] = min(self.since[number], operation.first)

    def too_early(self, sample):
        member = self.group.members[sample.number]
        since, period = self.since[sample.number], self.periods[sample.number][0]
        if sample.block == NOWHERE:
            return None
        self.since[sample.number] = sample.block
        # The next one is that of the new period, unless it is still to come
        if not any(operation.what == "period" and operation.number == sample.number
                   and operation.before <= sample.time <= operation.after
                   for operation in self.group.operations):
            self.periods[sample.number] = (self.periods[sample.number][1],) * 2
        first = max(0, self.kinds.position(since) - SAME)
        last = self.kinds.position(sample.block)
        clock = Clock(self.kinds, [(first, 0, 0)], last + 1)
        most = clock.estimate(member.lane, first, last)[1] + self.slack(member.lane)
        if most < period:
            return f"{most:g} events since the last sample, the period is {period}"
        return None

    def slack(self, lane):
        """How many events the program's position does not tell."""
        return SLACK_BLOCKS * (1 + self.kinds.largest_block(lane))

    def complain(self, sample, text):
        self.judge.unjustified.append(
            f"group {self.group.name} member {sample.number} at {sample.time}"
            f" block {sample.block}: {text}")

    def look(self, samples, pending):
        """Judge samples that were taken at one time."""
        judge = self.judge
        judge.samples += len(samples)
        for sample in samples:
            if sample.running > sample.enabled:
                judge.broken.append(
                    f"group {self.group.name} at {sample.time}: runs"
                    f" {sample.running} of {sample.enabled} ns")
        early = [self.too_early(sample) for sample in samples]
        whole = samples[0].time < self.end
        if whole and self.reloads:
            self.simulate(samples, early, pending)
            return
        self.verdict(samples, early)

    def verdict(self, samples, wrong):
        self.judge.decided += len(samples)
        for sample, text in zip(samples, wrong):
            if text:
                self.complain(sample, text)

    # What happened to the group

    def mask(self, number):
        return self.group.members[number].mask

    def silent(self, number):
        return self.mask(number) >> number & 1

    def due(self, number, state):
        """When a member overflows, at the earliest and the latest."""
        found = self.known.get((number, state))
        if not found:
            lane = self.group.members[number].lane
            slack = self.slack(lane)
            clock = self.line.clock
            found = self.known[number, state] = (
                clock.earliest(lane, state.lo, state.period - state.most - slack),
                clock.latest(lane, state.hi, state.period - state.least + slack))
        return found

    def alike(self, states, number):
        """Members that count the same since the same time, up to no more."""
        state = states[number]
        if state.hi - state.lo > SAME:
            return []
        return [other for other, its in enumerate(states)
                if other != number and its.active and its.period <= state.period
                and its[2:] == state[2:] and
                self.group.members[other].lane == self.group.members[number].lane]

    def together(self, states, number):
        """Who overflows at the same time; None if somebody comes first, or would
        have sampled."""
        found = self.alike(states, number)
        if any(states[other].period < states[number].period or
               not self.silent(other) for other in found):
            return None
        return set(found)

    def overflow(self, states, numbers, lo, hi):
        """Some have overflowed at one time."""
        causes = sum(1 << number for number in numbers)
        lo, hi = round(lo), round(hi)
        new = list(states)
        for number, state in enumerate(states):
            others = self.mask(number) & causes & ~(1 << number)
            if number in numbers and not others and state.least == state.most \
                    and hi - lo > state.hi - state.lo + SAME:
                # Not when it was is known best, but how much it has counted
                new[number] = state._replace(least=state.least - state.period,
                                             most=state.most - state.period)
            elif state.active and (number in numbers or others):
                new[number] = State(True, state.period, lo, hi, 0, 0, True)
        return tuple(new)

    def advance(self, worlds, until, since=None):
        """What may have happened unseen before a sample at @until, or before
        something between @since and @until."""
        if since is None:
            since = until
        out, seen, joined = set(), set(worlds), 0
        # By when something happened last, so that orders meet again
        todo = [(self.now, world) for world in worlds]
        while todo:
            if len(todo) > WORLDS:
                todo = [(max(todo)[0], world) for world in
                        self.join(world for _, world in todo)]
                joined += 1
            if joined > JOINED:
                return {(self.unknown(states, until), done)
                        for _, (states, done) in todo}
            _, (states, done) = heapq.heappop(todo)
            due = {number: self.due(number, state)
                   for number, state in enumerate(states) if state.active}
            must = min((last for _, last in due.values()), default=float("inf"))
            if must >= since - SAME:
                out.add((states, done))
            unseen = [number for number in due
                      if (self.silent(number) or number in self.closing)
                      and due[number][1] >= self.now - SAME]
            for number in unseen:
                first, last = due[number]
                first, last = max(first, self.now), min(last, must, until)
                alike = self.together(states, number)
                if first > must + SAME or first >= until - SAME or alike is None:
                    continue
                last = max(first, last)
                others = [other for other in unseen if other > number
                          and due[other][0] <= last + SAME
                          and due[other][1] >= first - SAME]
                for more in subsets(others):
                    world = self.overflow(states, alike | {number, *more},
                                          first, last), done
                    if world not in seen:
                        seen.add(world)
                        heapq.heappush(todo, (first, world))
        return out if len(out) <= WORLDS else set(self.join(out))

    @staticmethod
    def join(worlds):
        """Fewer worlds, in which all of what may be in these may be."""
        found = {}
        for states, done in worlds:
            key = done, tuple((state.active, state.period) for state in states)
            found.setdefault(key, []).append(states)
        return [(tuple(
            State(same[0].active, same[0].period,
                  min(state.lo for state in same), max(state.hi for state in same),
                  min(state.least for state in same),
                  max(state.most for state in same),
                  same[0].sure and len(set(same)) == 1)
            for same in zip(*group)), key[0]) for key, group in found.items()]

    def possible(self, states, samples, clock, sure=False):
        """Do those that have sampled overflow in this world, for certain?"""
        for sample in samples:
            state = states[sample.number]
            if sure and not state.sure:
                return False
            if not state.active or self.silent(sample.number):
                return False
            first, last = self.due(sample.number, state)
            if first > clock + SAME or last < clock - SAME:
                return False
        return True

    def simulate(self, samples, early, pending):
        judge = self.judge
        clock = samples[0].insns
        numbers = {sample.number for sample in samples}
        worlds = self.operated(pending, clock)
        if not any(self.reloading(states) for states, _ in worlds):
            self.alone(samples, early, worlds)
            return
        before = self.advance(worlds, clock)
        agree = {world for world in before
                 if self.possible(world[0], samples, clock)}
        for sample, text in zip(samples, early):
            if self.silent(sample.number):
                text = "reloads itself, but samples"
            elif not text and not before:
                text = "others ought to have sampled before"
            elif not text and not agree:
                text = "is not due"
            if text:
                self.complain(sample, text)
        if not agree or all(self.possible(world[0], samples, clock, True)
                            for world in before):
            judge.decided += len(samples)
        else:
            judge.undecided["of operations" if pending else
                            self.reason(before)] += len(samples)
        self.now = clock
        after = set()
        any_world = next(iter(self.worlds))[0]
        for states, done in agree or {(self.unknown(any_world, clock),
                                       not pending)}:
            certain, ties = self.ties(states, numbers, clock)
            for more in subsets(ties):
                after.add((self.overflow(states, certain | set(more), clock - judge.skid,
                                         samples[-1].insns), done))
        self.worlds = after

    def reloading(self, states):
        """Is anybody reloaded? Then all pause with who is throttled."""
        return any(state.active and self.mask(number)
                   for number, state in enumerate(states))

    def alone(self, samples, early, worlds):
        """Each counts for itself, and may have paused."""
        self.verdict(samples, early)
        self.now = samples[0].insns
        self.worlds = {(self.overflow(self.unknown(states, self.now),
                                      {sample.number for sample in samples},
                                      self.now, self.now), done)
                       for states, done in worlds}

    def ties(self, states, numbers, clock):
        """Who overflows with those that have sampled, and who may."""
        certain, ties = set(numbers), []
        for number, state in enumerate(states):
            if not state.active or not self.silent(number) or \
                    self.due(number, state)[0] > clock + SAME:
                continue
            first = {states[other].period for other in self.alike(states, number)
                     if other in numbers}
            if state.period in first:
                certain.add(number)
            elif not first:
                ties.append(number)
        return certain, ties

    def reason(self, worlds):
        """What cannot be told exactly."""
        if any(not state.sure for states, _ in worlds for state in states):
            return "state is not known"
        line = self.line
        i = bisect.bisect_left(line.clocks, self.now)
        j = bisect.bisect_right(line.clocks, max(
            state.hi for states, _ in worlds for state in states))
        if any(after.least - point.most > SAME and not point.throttled
               for point, after in zip(line.points[i:j + 1],
                                       line.points[i + 1:j + 2])):
            return "the group has waited"
        return "the order is not known"

    @staticmethod
    def unknown(states, clock):
        """Nothing is known of what has been counted."""
        return tuple(State(state.active, state.period, clock, clock, 0, state.period,
                           False) for state in states)

    # What was done to it

    def operated(self, pending, until):
        """Operations that are being done may be done already."""
        worlds = self.worlds
        for operation in pending:
            worlds = worlds | self.apply(worlds, operation, until)
        return worlds

    def operate(self, operation, until):
        """It is done at last, where it was not yet."""
        if until is None:
            until = self.line.clocks[-1]
        for reading in self.group.readings:
            if reading.time > operation.after:
                until = min(until, reading.insns)
        any_world = next(iter(self.worlds))[0]
        worlds = {world for world in self.worlds if world[1]} | \
            self.apply(self.worlds, operation, until)
        if not worlds:
            worlds = self.change(self.unknown(any_world, self.now), operation,
                                 self.now, until)
        if all(world not in self.worlds for world in worlds):
            self.now = max(self.now, self.begin_of(operation))
        self.worlds = worlds

    def apply(self, worlds, operation, until):
        """What is done happens between the last sample and the next."""
        worlds = {world for world in worlds if not world[1]}
        begin = self.begin_of(operation)
        begin, end = self.line.time_of(operation, begin, max(begin, until))
        found = set()
        for states, _ in self.advance(worlds, end, begin):
            found |= self.change(states, operation, begin, end)
        return found

    def begin_of(self, operation):
        """The clock before it."""
        begin = self.now
        for reading in self.group.readings:
            if reading.time <= operation.before:
                begin = max(begin, reading.insns)
        return begin

    def change(self, states, operation, begin, end):
        """Worlds in which it is done."""
        number, what = operation.number, operation.what
        begin, end = round(begin), round(end)
        new = list(states)
        if what == "restart":
            new = [State(state.active, state.period, begin, end, 0, 0, True)
                   for state in states]
        elif what == "lost":
            new = self.unknown(states, end)
        elif number not in self.group.members:
            pass
        elif what == "period":
            new[number] = State(states[number].active, operation.value, begin, end,
                                0, 0, True)
        elif what == "on" and not states[number].active:
            new[number] = states[number]._replace(active=True, lo=begin, hi=end)
        elif what in ("off", "close") and states[number].active:
            new[number] = self.stopped(number, states[number], begin, end)
        return {(tuple(new), True)}

    def stopped(self, number, state, begin, end):
        """A member keeps what it has counted of its period."""
        lane = self.group.members[number].lane
        clock = self.line.clock
        least = clock.between(lane, min(state.hi, begin), begin)[0]
        most = clock.between(lane, state.lo, max(end, state.lo))[1]
        return State(False, state.period, begin, end,
                     max(0, int(state.least + least - self.slack(lane))),
                     min(state.period, int(state.most + most + self.slack(lane))),
                     state.sure)


def subsets(numbers):
    return itertools.chain.from_iterable(
        itertools.combinations(numbers, size) for size in range(len(numbers) + 1))
