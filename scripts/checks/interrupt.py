# SPDX-License-Identifier: GPL-2.0
"""The interrupt itself: how late it comes, and which ones it leaves to others."""

import collections
import re
import subprocess

from checks.harness import BUILD, tail

# The straight program: its branches, and the instructions of a round, of which
# all but two have one byte.
ROUNDS = 200000
ROUND = 251
SKID = 50
# As late as it may be, no branch is in between: the counter loses none by a
# freeze, and both settings have the same samples.
BRANCHES = 37
INSTRUCTIONS = 10007
PERIODS = {"branches": BRANCHES, "instructions": INSTRUCTIONS}
# A timer's interrupt in between is part of how late it is, and the kernel no
# place to look at.
DISTURBED = 0.02

LATE = """
cd /tmp
for freeze in 0 1; do
	echo $freeze >/sys/bus/event_source/devices/cpu/freeze_counters
	for event in branches,period={branches} instructions,period={instructions}; do
		echo "== $freeze ${{event%,*}}"
		before=$(pmusim 0 msr 0x38f | cut -d' ' -f2)
		taskset -c 0 perf record -q -o data -e cpu/$event,freeze=1/u straight
		echo "switched $(($(pmusim 0 msr 0x38f | cut -d' ' -f2) - before))"
		perf script -i data -F ip
	done
done
""".format(branches=BRANCHES, instructions=INSTRUCTIONS)


def begin_of(program, symbol):
    table = subprocess.run(["nm", f"{BUILD}/machine/{program}"], check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    return int(re.search(rf"^(\w+) \w {symbol}$", table, re.M)[1], 16)


def places(text):
    """{(freeze, event): (writes of GLOBAL_CTRL, instructions of the loop)} of the
    samples, in their order; None is elsewhere."""
    begin, found = begin_of("straight", "straight"), {}
    for freeze, event, switched, part in re.findall(
            r"^== (\d) (\w+)\nswitched (\d+)\n((?:(?!==).*\n)*)", text, re.M):
        at = [int(ip, 16) - begin for ip in re.findall(r"^ *(\w+)$", part, re.M)]
        # The last instruction is behind one of two bytes.
        found[freeze == "1", event] = int(switched), [
            min(place, ROUND - 1) if 0 <= place <= ROUND else None for place in at]
    return found


def late_by(at, steps):
    """How many instructions samples are late, {n: samples}.

    Of branches, all of which are the last instruction of a round: where they are.
    Of instructions, as each period begins where the counter has been started
    again: by how much more than a period they are apart.
    """
    if not steps:
        return collections.Counter(at)
    return collections.Counter(
        (second - first - INSTRUCTIONS) % ROUND
        for first, second in zip(at, at[1:]) if None not in (first, second))


def wrong_skid(text, skid):
    """What is wrong with the samples: a reason for each, none if nothing is."""
    found, reasons = places(text), []
    if len(found) != 2 * len(PERIODS):
        return ["no samples"]
    for (freeze, event), (switched, at) in found.items():
        total = ROUNDS if event == "branches" else ROUNDS * ROUND
        # A frozen counter does not count on the way to its interrupt.
        apart = skid if freeze and event == "instructions" else 0
        number = total // (PERIODS[event] + apart)
        late = late_by(at, event == "instructions")
        expected = apart if event == "instructions" else skid
        where = f"{event}, {'frozen' if freeze else 'running'}: "
        if abs(len(at) - number) > DISTURBED * number or number < 500:
            reasons.append(f"{where}{len(at)} samples, not {number}")
        if late[expected] < (1 - DISTURBED) * len(at):
            reasons.append(f"{where}{late[expected]} of {len(at)} are {expected}"
                           f" late, others {late.most_common(4)}")
        # What freezes leaves the switch of all counters alone.
        if (switched < number / 2) != freeze:
            reasons.append(f"{where}{switched} writes of GLOBAL_CTRL")
    # What both have in common is compared sample by sample, too.
    running, frozen = (collections.Counter(found[freeze, "branches"][1])
                       for freeze in (False, True))
    if sum(((running - frozen) + (frozen - running)).values()) > \
            2 * DISTURBED * sum(running.values()):
        reasons.append(f"{running.most_common(4)} became {frozen.most_common(4)}")
    return reasons


def skid(check):
    """Samples of frozen counters are where those of others are, as late."""
    for name, value in (("late", SKID), ("at-once", 0)):
        case = check.case(f"pmi-14-same-addresses-{name}")
        if not case:
            continue
        text = case.boot(LATE, "--cpu", "skylake", "--cpu-option",
                         f"pmusim-skid={value}")
        reasons = wrong_skid(text, value)
        case.judge(not reasons, "\n".join(reasons) or tail(text))


# CPU 1 sends NMIs that nobody waits for to CPU 0, on which a program has one
# address only: what the PMI before has said of itself decides whether they are
# taken for what is left of it. One that comes together with a PMI is no NMI of its
# own. Few enough for the kernel to report each.
NMIS = 5
UNKNOWN = f"""
pmu=/sys/bus/event_source/devices/cpu
taskset -p 2 $$ >/dev/null
statistic() {{
	pmusim 0 stats | sed -n "s/^$1 //p"
}}
before=0
for freeze in 0 1; do
	echo $freeze >$pmu/freeze_counters
	pmusim 0 clear
	taskset -c 0 perf record -q -o /dev/null -e cpu/instructions,period=20000003,freeze=1/u stay &
	for number in {" ".join(map(str, range(NMIS)))}; do
		pmis=$(statistic pmis)
		until [ $(($(statistic pmis) - pmis)) -gt 2 ]; do
			usleep 20000
		done
		devmem 0xfee00310 32 0
		devmem 0xfee00300 32 0x4400
	done
	usleep 200000
	# Not while somebody else is on the CPU
	for look in 1 2 3 4 5 6 7 8 9 10; do
		active=$(grep -c '^active: 0$' $pmu/freeze_counters_state)
		[ $active -eq $freeze ] && break
		usleep 20000
	done
	killall stay
	wait
	unknown=$(dmesg | grep -c 'NMI received for unknown reason .* on CPU 0')
	echo "== $freeze $active $(statistic pmis) $(statistic nmis) $((unknown - before))"
	before=$unknown
done
"""


def unknown(check):
    """An NMI behind a PMI of one event is none of the PMU's, and reported."""
    modes = ("running", "frozen")
    case = check.case(*[f"pmi-28-unknown-nmi-behind-{mode}-pmi" for mode in modes])
    if not case:
        return
    text = case.boot(UNKNOWN, "--cpu", "skylake", "--allow", "Uhhuh. NMI received")
    found = [[int(word) for word in line.split()] for line in
             re.findall(r"^== ([\d -]+)$", text, re.M)]
    for number, test in enumerate(case.tests):
        right = False
        if len(found) == len(modes):
            freeze, active, pmis, nmis, reported = found[number]
            right = freeze == active == number and pmis > 2 * NMIS and \
                NMIS / 2 < reported == nmis - pmis <= NMIS
        case.judge(right, test=test)


def run(check):
    skid(check)
    unknown(check)
