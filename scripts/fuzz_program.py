# SPDX-License-Identifier: GPL-2.0
"""What the fuzzer's program has done, seen by the clock of a group that counts it.

The program executes blocks of a few kinds in turn, see target.S of the workload.
A group's clock is its counter of instructions: it stands while the group waits.
Each point of which both are known, the clock and the block that was executed, tells
how much the group has missed so far; in between it has missed no less than before,
and no more than behind. From that follows how many events of each kind happened
between two readings of the clock, at least and at most.
"""

import bisect
import collections
import math

INSNS = 0
MISSES = 4
LANES = 5
# Behind the blocks of one kind: what leads to the next, and back to the first one.
BETWEEN = 3
BACK = 1
# What that has of other events, at most, with predictions of what has not been
# executed for long.
BETWEEN_EVENTS = 4
# How much of the whole that is, at most.
SHORT = 1 / 5000
# So many standard deviations are not exceeded by what happens by chance.
SIGMAS = 6

Kind = collections.namedtuple("Kind", "blocks least most")


class Kinds:
    """The program, and its position as a number of instructions."""

    def __init__(self, kinds):
        self.kinds = kinds
        # Where the blocks of each kind begin, as blocks and as instructions
        self.blocks = []
        self.insns = []
        block, insns = 0, BETWEEN
        for kind in kinds:
            self.blocks.append(block)
            self.insns.append(insns)
            block += kind.blocks
            insns += kind.blocks * kind.least[INSNS] // 1000 + BETWEEN
        self.cycle_blocks = block
        self.cycle = insns - BETWEEN + BACK
        # Segments of a cycle: where they begin, rates of each lane, in events an
        # instruction: least, most, and how many of them are a matter of chance
        self.starts = []
        self.rates = []
        for start, kind in zip(self.insns, kinds):
            self.starts += [start - BETWEEN, start]
            length = BETWEEN + (BACK if start == BETWEEN else 0)
            self.rates.append([(1, 1, 0)] + [(0, BETWEEN_EVENTS / length, 0)]
                              * (LANES - 1))
            self.rates.append([self.rate(kind, lane) for lane in range(LANES)])
        # The way back is at the end of the cycle
        self.starts.append(self.cycle - BACK)
        self.rates.append(self.rates[0])

    @staticmethod
    def rate(kind, lane):
        least, most, insns = kind.least[lane], kind.most[lane], kind.least[INSNS]
        # One event, or none
        if most - least == 1000:
            mean = (least + most) / 2 / insns
            return mean, mean, 1000 / insns
        return least / insns, most / insns, 0

    def position(self, block):
        """Instructions at the begin of a block."""
        whole, rest = divmod(block, self.cycle_blocks)
        kind = bisect.bisect_right(self.blocks, rest) - 1
        return whole * self.cycle + self.insns[kind] + \
            (rest - self.blocks[kind]) * self.kinds[kind].least[INSNS] // 1000

    def segment(self, position):
        """Which segment, and how far it is to the next."""
        rest = position % self.cycle
        number = bisect.bisect_right(self.starts, rest) - 1
        end = self.starts[number + 1] if number + 1 < len(self.starts) \
            else self.cycle
        return number, end - rest

    def range(self, segments):
        """Least and most that each lane may have where a position may be in any."""
        rates = [self.rates[number] for number in segments]
        if len(rates) == 1:
            return rates[0]
        # What is between two kinds is short
        blocks = [self.rates[number] for number in segments
                  if number % 2 and self.starts[number] != self.cycle - BACK]
        if blocks:
            rates = blocks
        found = [(min(rate[lane][0] for rate in rates) * (1 - SHORT),
                  max(rate[lane][1] for rate in rates) * (1 + SHORT),
                  max(rate[lane][2] for rate in rates)) for lane in range(LANES)]
        found[INSNS] = rates[0][INSNS]
        return found

    def largest_block(self, lane):
        return max(kind.most[lane] for kind in self.kinds) / 1000


class Clock:
    """Events that happened between two times of a group's clock.

    @pieces: (begin, least missed, most missed), in order, up to @end; @marks: times
    at which the number of mispredicted branches is known, and that number.
    """

    def __init__(self, kinds, pieces, end, marks=()):
        self.kinds = kinds
        self.end = end
        self.marks = [mark[0] for mark in marks]
        self.misses = [mark[1] for mark in marks]
        self.times = []
        # For each time and lane: events so far, least, most, by chance
        self.sums = [[] for _ in range(LANES)]
        self.rates = []
        self.last = [[0.0, 0.0, 0.0] for _ in range(LANES)]
        for number, (begin, least, most) in enumerate(pieces):
            last = pieces[number + 1][0] if number + 1 < len(pieces) else end
            self.add(begin, last, least, most)
        self.add_time(end, None)

    def add(self, begin, end, least, most):
        while begin < end:
            found, step = self.segments(begin + least, begin + most)
            self.add_time(begin, self.kinds.range(found))
            step = min(step, end - begin)
            for lane, rate in enumerate(self.rates[-1]):
                for i in range(3):
                    self.last[lane][i] += rate[i] * step
            begin += step

    def add_time(self, time, rates):
        self.times.append(time)
        self.rates.append(rates or [(0, 0, 0)] * LANES)
        for lane in range(LANES):
            self.sums[lane].append(tuple(self.last[lane]))

    def segments(self, first, last):
        """All segments between two positions, and how long that stays so."""
        number, step = self.kinds.segment(first)
        if last - first >= self.kinds.cycle:
            return range(len(self.kinds.starts)), math.inf
        final, to_next = self.kinds.segment(last)
        found, position = {number}, first + step
        while position <= last:
            number, length = self.kinds.segment(position)
            found.add(number)
            position += length
        found.add(final)
        return found, max(1, min(step, to_next))

    def until(self, lane, time):
        i = max(0, bisect.bisect_right(self.times, time) - 1)
        least, most, chance = self.sums[lane][i]
        rates = self.rates[i][lane]
        time -= self.times[i]
        return least + rates[0] * time, most + rates[1] * time, \
            chance + rates[2] * time

    def estimate(self, lane, begin, end):
        """Least and most events, from nothing but what the program does."""
        first, last = self.until(lane, begin), self.until(lane, end)
        chance = SIGMAS / 2 * math.sqrt(max(0, last[2] - first[2]))
        return max(0, last[0] - first[0] - chance), last[1] - first[1] + chance

    def between(self, lane, begin, end):
        """Least and most events between two times."""
        least, most = self.estimate(lane, begin, end)
        if lane != MISSES or not self.marks:
            return least, most
        before = bisect.bisect_right(self.marks, begin) - 1
        first = bisect.bisect_left(self.marks, begin)
        last = bisect.bisect_right(self.marks, end) - 1
        after = bisect.bisect_left(self.marks, end)
        if first > last:
            # Between two marks, or beyond them
            if before < 0 or after == len(self.marks):
                return least, most
            inner = self.within(before, after, begin, end)
        else:
            begins = self.within(before, first, begin, self.marks[first]) \
                if before >= 0 else self.estimate(lane, begin, self.marks[first])
            ends = self.within(last, after, self.marks[last], end) \
                if after < len(self.marks) else \
                self.estimate(lane, self.marks[last], end)
            known = self.misses[last] - self.misses[first]
            inner = begins[0] + known + ends[0], begins[1] + known + ends[1]
        return max(least, inner[0]), min(most, inner[1])

    def within(self, before, after, begin, end):
        """Mispredicted branches between two times between two marks."""
        if before == after:
            return 0, 0
        least, most = self.estimate(MISSES, begin, end)
        known = self.misses[after] - self.misses[before]
        head = self.estimate(MISSES, self.marks[before], begin)
        tail = self.estimate(MISSES, end, self.marks[after])
        return max(least, known - head[1] - tail[1]), \
            min(most, known - head[0] - tail[0])

    def earliest(self, lane, begin, events):
        """When at most so many events may have happened since @begin."""
        return self.reach(lane, begin, events, 1)

    def latest(self, lane, begin, events):
        """When at least so many events must have happened since @begin."""
        return self.reach(lane, begin, events, 0)

    def reach(self, lane, begin, events, bound):
        if events <= 0:
            return begin
        if lane == INSNS:
            return begin + events
        if self.between(lane, begin, self.end)[bound] < events:
            return math.inf
        # First among the times at which something changes, then in between
        low = bisect.bisect_right(self.times, begin)
        high, step = low, 1
        while high < len(self.times) - 1 and \
                self.between(lane, begin, self.times[high])[bound] < events:
            low, high, step = high + 1, high + step, 2 * step
        high = min(high, len(self.times) - 1)
        while low < high:
            middle = (low + high) // 2
            if self.between(lane, begin, self.times[middle])[bound] < events:
                low = middle + 1
            else:
                high = middle
        first, last = max(begin, self.times[low - 1]), self.times[low]
        while last - first > 1:
            middle = (first + last) / 2
            if self.between(lane, begin, middle)[bound] < events:
                first = middle
            else:
                last = middle
        return last
