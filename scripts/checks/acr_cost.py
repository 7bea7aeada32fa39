# SPDX-License-Identifier: GPL-2.0
"""What it costs to find a hot spot, with auto counter reload and without.

The program is mispredict, whose second loop mispredicts more than 20 % of its
branches. Classic sampling has samples of both events and of all loops, from
which the ratio can be worked out; with auto counter reload the samples are the
answer. Everything runs on the E-core: perf, too.

Kernel instructions are those of perf record from start to end, less those of a
recording of the same program that counts the same and never samples. Timer
ticks, of which there are as many as the emulator is slow, are taken off as well.
What is left has the noise of how perf starts, some hundred thousand, and with the
long program of its ticks, a million. Figures are medians where the program is
short enough to be recorded more than once.
"""

import re
import statistics

from checks.harness import boot, numbers, tail

# The published example has 5106 samples by classic sampling, 2498 with auto
# counter reload. 32768 elements, 30500 times in each loop, are about as many: 37
# thousand million instructions, a minute each on an idle core.
FULL = "32768 30500"
CLASSIC = "-c {} -e '{{cpu_atom/branch-misses/ppu,cpu_atom/branch-instructions/u}}'"
ACR = ("-e '{{cpu_atom/branch-misses,ratio-to=branch-instructions:20%/ppu,"
       "cpu_atom/branch-instructions,period={}/u}}'")
VARIANTS = ("classic", "acr")
EMPTY = CLASSIC.format(10 ** 12)
# Kernel instructions of a timer tick. Only differences between recordings, which
# take about as long as each other, are multiplied by it.
TICK = 1700
# scenario: (size of the program, how often, {variant: options})
SCENARIOS = {
    "acr-vs-classic": (FULL, 1, {"classic": CLASSIC.format(1000000),
                                 "acr": ACR.format(1000000)}),
    "acr-vs-classic-demo": ("", 9, {"classic": CLASSIC.format(2000),
                                    "acr": ACR.format(10000)}),
}
SCRIPT = r"""
cd /tmp
ticks() { awk '/LOC:/ { print $3 }' /proc/interrupts; }
cost() {
	name=$1 size=$2
	shift 2
	before=$(ticks)
	pmusim 1 clear
	taskset -c 1 perf record -q -o data "$@" -- mispredict $size || exit 1
	pmusim 1 stats >stats
	echo "== $name"
	echo "ticks $(($(ticks) - before))"
	grep kernel_instructions stats
	echo "bytes $(wc -c <data)"
	perf script -i data -F event,ip,sym |
		awk '{ n[$1 " " $3]++ } END { for (s in n) print "samples", s, n[s] }'
}
pmusim 1 count on
cost warm "" -e dummy:u
"""
LIMIT = 1500


def script(scenarios):
    """Record what the scenarios ask for, and without samples."""
    text = SCRIPT
    for name in scenarios:
        size, rounds, variants = SCENARIOS[name]
        text += "".join(f"cost {name}/{variant} '{size}' {options}\n"
                        for variant, options in
                        {"empty": EMPTY, **variants}.items()) * rounds
    return text


def parts_of(text):
    """{recording: [{"ticks": n, "kernel_instructions": n, "bytes": n,
    "samples": {(event, symbol): n}} of each round]}."""
    parts = {}
    for name, part in re.findall(r"^== (\S+)\n((?:(?!==).*\n)*)", text, re.M):
        found = numbers(part)
        found["samples"] = {
            ("misses" if "branch-misses" in event else "branches", symbol): int(number)
            for event, symbol, number in
            re.findall(r"^samples (\S+) (\S+) (\d+)$", part, re.M)}
        parts.setdefault(name, []).append(found)
    return parts


def instructions(rounds):
    """Those in the kernel without ticks."""
    return statistics.median(part["kernel_instructions"] - TICK * part["ticks"]
                             for part in rounds)


def figures(rounds, empty):
    """What a recording costs."""
    return {
        "samples": statistics.median(sum(part["samples"].values())
                                     for part in rounds),
        "bytes": statistics.median(part["bytes"] for part in rounds),
        "kernel_insns": instructions(rounds) - instructions(empty),
    }


def hot_spot(samples):
    """Where the ratio of misses to branches seems to be above 20 %, or all
    places with samples if these are of misses only."""
    misses = {place: number for (event, place), number in samples.items()
              if event == "misses"}
    if len(misses) == len(samples):
        return set(misses)
    # Samples of two events by one period. A stray one says nothing.
    return {place for place, number in misses.items()
            if number > 0.2 * samples.get(("branches", place), 0)
            and number > 0.01 * sum(misses.values())}


def measure(name, scenarios, kernel):
    """{scenario: {variant: {metric: number}}}, or None and what went wrong."""
    status, text, log = boot(name, script(scenarios), "--cpu", "arrowlake",
                             "--kernel", kernel, timeout=LIMIT)
    parts = parts_of(text)
    found = {}
    for scenario in scenarios:
        _, rounds, variants = SCENARIOS[scenario]
        for variant in variants:
            recorded, empty = (parts.get(f"{scenario}/{which}", [])
                               for which in (variant, "empty"))
            if status or len(recorded) != rounds or len(empty) != rounds:
                return None, f"see {log}\n" + tail(text)
            for part in recorded:
                if hot_spot(part["samples"]) != {"loop2"}:
                    return None, (f"{scenario} by {variant} finds"
                                  f" {hot_spot(part['samples'])}, see {log}")
            found.setdefault(scenario, {})[variant] = figures(recorded, empty)
    return found, ""
