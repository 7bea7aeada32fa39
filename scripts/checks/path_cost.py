# SPDX-License-Identifier: GPL-2.0
"""What the driver executes for events without auto counter reload, to the instruction.

A program whose events are counted takes turns with one that has none, on a CPU of
their own. Each time the same events go and come to the same counters, so that the
driver executes the same instructions: no more of them than stock's. Counted is all
code of arch/x86/events, as compilers lay it out as they like.
"""

import glob
import os
import re
import subprocess
from fractions import Fraction

from checks.harness import IMAGES, MACHINE_PARTS
from checks.switch_cost import ACR_CORES, CORES, PLAIN, USED, machine, script

PAGE = 4096
# Called once for each event that goes.
LEAVES = "x86_pmu_del"
WINDOWS = 3
# So many have to go in each window.
LEAVING = 50

# What is counted begins and ends while both programs are stopped: as many events come
# as go. The last range is the first instruction of LEAVES.
PART = """
both {tool} ''
for window in $(seq {windows}); do
	kill -STOP $(pidof yield)
	usleep 200000
{ranges}	pmusim 1 clear
	kill -CONT $(pidof yield)
	for try in $(seq 20); do
		sleep 1
		gone=$(pmusim 1 truth {last} | sed -n 's/^instructions //p')
		[ "$gone" -lt {leaving} ] || break
	done
	kill -STOP $(pidof yield)
	usleep 200000
	echo "== {name}"
	for range in {numbers}; do
		pmusim 1 truth $range | grep '^instructions'
		pmusim 1 range $range off
	done
	kill -CONT $(pidof yield)
done
end
"""


def code_of(kernel, objects):
    """[(first, end)] of the functions of some objects, and LEAVES behind them."""
    place = os.path.dirname(IMAGES[kernel]).partition("/arch/x86/boot")[0]
    files = glob.glob(f"{place}/arch/x86/events/{objects}", recursive=True)
    names = subprocess.run(["nm", *files], stdout=subprocess.PIPE, text=True,
                           stderr=subprocess.DEVNULL, check=False).stdout
    own = set(re.findall(r"^\w+ [tT] (\S+)$", names, re.M))
    with open(place + "/System.map", encoding="ascii") as table:
        symbols = [(int(address, 16), name) for address, name in
                   re.findall(r"^(\w+) [tT] (\S+)$", table.read(), re.M)]
    found = []
    for (first, name), (end, _) in zip(symbols, symbols[1:]):
        if name not in own or name.startswith("__SCT__"):
            continue
        if found and first - found[-1][1] < 2 * PAGE:
            found[-1][1] = end
        else:
            found.append([first, end])
    # Others have functions of the same name, one here and one there
    found = [(first, end) for first, end in found if end - first > 1024]
    leaves = next(address for address, name in symbols if name == LEAVES)
    return found + [(leaves, leaves + 1)]


def part(ranges, name, events):
    return PART.format(
        name=name, tool=f'"perf stat -o /dev/null -e {events}"', windows=WINDOWS,
        last=len(ranges) - 1, leaving=LEAVING,
        numbers=" ".join(map(str, range(len(ranges)))), ranges="".join(
            f"\tpmusim 1 range {number} {first:#x} {end:#x} os\n"
            for number, (first, end) in enumerate(ranges)))


def figures(text, name):
    """(instructions, events that went) in each window."""
    blocks = re.findall(rf"^== {name}\n((?:instructions \d+\n)+)", text, re.M)
    counts = [[int(number) for number in re.findall(r" (\d+)$", block, re.M)]
              for block in blocks]
    return [(sum(insns), gone) for *insns, gone in counts]


def wrong(stock, series):
    """What is wrong with the figures of one set of events, or None."""
    if min(len(stock), len(series)) < WINDOWS or \
            min(gone for _, gone in stock + series) < LEAVING:
        return "too little has happened"
    if max(Fraction(*found) for found in series) > \
            min(Fraction(*found) for found in stock):
        return "more than stock"
    return None


def take_turns(stock):
    """Events that do not all have a counter take turns, more or less often."""
    return len({Fraction(*found) for found in stock}) > 1


def hot_path(check, core):
    case = check.case(f"acr-E10-hot-path-{core}", parts=("stock", *MACHINE_PARTS))
    if not case:
        return
    found, bad = {name: [] for name in PLAIN}, 0
    for kernel in ("stock", "series"):
        used = USED if core in ACR_CORES and kernel == "series" else ""
        text = case.boot(script(core, used, *(
            part(code_of(kernel, "**/*.o"), name, events)
            for name, events in PLAIN.items())),
            *machine(core, kernel), name=f"acr-cost-path-{core}-{kernel}")
        bad |= case.status
        for name in PLAIN:
            found[name].append(figures(text, name))
    case.status = bad
    # Skylake has too few counters for the last set
    compared = [name for name in PLAIN if not take_turns(found[name][0])]
    reasons = [f"{name}: {reason}: stock, series {found[name]}" for name, reason in
               ((name, wrong(*found[name])) for name in compared) if reason]
    if len(compared) < 2:
        reasons.append(f"only {compared} always find their counters")
    case.judge(not reasons, "\n".join(reasons))


# While somebody has an event of the one kind, and of the other. Not a child of this
# shell, which waits for all of them.
BESIDE = """
beside() {{ ("$@" sleep 1000 & echo $! >/tmp/beside); sleep 2; kill -0 $(cat /tmp/beside); }}
beside perf record -q -o /tmp/data -j any,counter -e PMU/branches/u && echo "open {counters}"
{counted}kill $(cat /tmp/beside)
beside perf record -q -o /tmp/data -e \
'{{PMU/instructions,period=1000003,acr_mask=0x2/u,PMU/branches,period=100003/u}}' &&
echo "open {reloaded}"
{reloads}kill $(cat /tmp/beside)
"""


def others(check, core):
    """Events with branch counters have a dynamic constraint, as reloaded ones have;
    auto counter reload is in nobody's way for them."""
    case = check.case(f"acr-E10-not-for-branch-counters-{core}")
    if not case:
        return
    ranges, names = code_of("series", "intel/acr.o"), ("counters", "reloads")
    counted, reloads = (part(ranges, name, PLAIN["group"]) for name in names)
    text = case.boot(script(core, BESIDE.format(
        counters=names[0], reloaded=names[1], counted=counted, reloads=reloads)),
        *machine(core, "series"), name=f"acr-cost-others-{core}")
    found = {name: figures(text, name) for name in names}
    good = all(f"open {name}\n" in text and len(found[name]) == WINDOWS and
               min(gone for _, gone in found[name]) >= LEAVING for name in names)
    case.judge(good and not any(insns for insns, _ in found["counters"]) and
               all(insns for insns, _ in found["reloads"]), f"{found}")


def run(check):
    for core in CORES:
        hot_path(check, core)
    for core in ACR_CORES:
        others(check, core)
