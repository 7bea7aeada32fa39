# SPDX-License-Identifier: GPL-2.0
"""What auto counter reload costs who uses it, and who does not.

Two programs take turns on a CPU of their own, each with events of its own, so
that each context switch takes the events of one off the counters and brings back
those of the other. All figures are counts of the emulated PMU.
"""

import collections
import re

from checks.harness import IMAGES, MACHINE_PARTS, numbers, tail

Core = collections.namedtuple("Core", "cpu pmu options")
# The programs run on CPU 1, the shell on CPU 0.
CORES = {
    "skylake": Core("skylake", "cpu", ()),
    "icelake": Core("icelake", "cpu", ()),
    "sapphirerapids": Core("sapphirerapids", "cpu", ()),
    "arrowlake": Core("arrowlake", "cpu_core", ("pmusim-atoms=0x1",)),
    "arrowlake-atom": Core("arrowlake", "cpu_atom", ("pmusim-atoms=0x2",)),
    "clearwaterforest": Core("clearwaterforest", "cpu", ()),
}
ACR_CORES = ("arrowlake-atom", "clearwaterforest")
ACR_COUNTERS = 2
# Of the instructions of a switch. It cannot be 0: seconds of the same kernel differ by
# up to 1.6 %, by their ticks and by how many switches take both programs' events. On
# six cores the series had 1.4 % less to 0.3 % more than stock.
NOISE = 0.01

STAT_EVENTS = ("cycles", "instructions", "branches", "branch-misses",
               "cache-references", "cache-misses")
# Those of "perf stat -d", as far as the core has them.
DETAILED_EVENTS = ("cycles", "instructions", "branches", "branch-misses",
                   "L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads",
                   "LLC-load-misses")
REGISTERS = [first + 4 * number for first, count in ((0x1902, 10), (0x1903, 10),
                                                     (0x1982, 7), (0x1983, 7))
             for number in range(count)]

PREPARE = """
cd /tmp
taskset -p 1 $$ >/dev/null
both()
{{
	pmusim 1 clear
	for tool; do
		taskset -c 1 $tool yield &
	done
	while [ "$(pidof yield | wc -w)" -lt $# ]; do
		usleep 100000
	done
	sleep 1
	pmusim 1 count on
}}
# How often the programs have left the CPU, more or less at a time.
switched()
{{
	for number in $(pidof yield); do
		cat /proc/$number/status
	done | awk '/ctxt_switches/ {{ n += $2 }} END {{ print n }}'
}}
ticks() {{ awk '/LOC:/ {{ print $3 }}' /proc/interrupts; }}
# Prints what happens within a second, {windows} times.
look()
{{
	for window in $(seq {windows}); do
		before=$(switched)
		first=$(ticks)
		pmusim 1 clear
		sleep 1
		echo "== $1"
		pmusim 1 stats
		echo "ticks $(($(ticks) - first))"
		echo "switched $(($(switched) - before))"
	done
}}
registers()
{{
	for number in {registers}; do
		pmusim 1 msr $number
	done | awk '{{ writes += $2 }} END {{ print "reload", writes }}'
}}
end()
{{
	killall yield
	wait
}}
"""

def script(core, *parts, windows=3):
    """Shell text with what the parts need in front."""
    registers = " ".join(f"{number:#x}" for number in REGISTERS)
    text = PREPARE.format(windows=windows, registers=registers)
    return text + "".join(parts).replace("PMU", CORES[core].pmu)


def acr_part(name, *periods):
    """Two programs that are sampled by ratio, with a threshold each."""
    tools = " ".join(
        f'"perf record -q -o /tmp/{name}-{number} -e '
        "{PMU/branch-misses,period=" + str(period) + ",acr_mask=0x2/u,"
        'PMU/branch-instructions,period=1000003,acr_mask=0x3/u}"'
        for number, period in enumerate(periods))
    return f"both {tools}\nregisters\nlook {name}\nregisters\nend\n"


def plain_part(name, events):
    """Two programs whose events are counted."""
    tool = f'"perf stat -o /dev/null -e {events}"'
    return f"both {tool} {tool}\nlook {name}\nend\n"


def stat_events(group, names=STAT_EVENTS):
    events = ",".join(f"PMU/{event}/" for event in names)
    return "{" + events + "}" if group else events


def machine(core, kernel):
    """Options of the test machine that has such a core for the programs alone."""
    place = CORES[core]
    options = [word for option in place.options for word in ("--cpu-option", option)]
    return ["--cpu", place.cpu, "--append", "isolcpus=1", "--kernel", IMAGES[kernel],
            *options]


def per_switch(text, name, counters):
    """Figures of the second in which the programs were disturbed least. A program
    that leaves has each of its counters read once; not each yield is a switch."""
    best = None
    for block in re.findall(rf"^== {name}\n((?:\w+ \d+\n)+)", text, re.M):
        stats = numbers(block)
        switches = stats["rdpmcs"] / counters
        if switches and (not best or switches > best["switches"]):
            best = {"switches": switches,
                    "wrmsr": stats["writes"] / switches,
                    "rdmsr": stats["reads"] / switches,
                    "rdpmc": counters,
                    "insns": stats["kernel_instructions"] / switches}
    return best


def reload_writes(text):
    """Writes of CFG_B and CFG_C before and during each look."""
    return [int(number) for number in re.findall(r"^reload (\d+)$", text, re.M)]


def steady(check):
    """Groups that find their counters as they left them write no register of
    auto counter reload; with other periods they do, so it would be seen."""
    for core in ACR_CORES:
        tests = [f"acr-cost-{test}-{core}" for test in ("steady", "change-is-seen")]
        case = check.case(*tests)
        if not case:
            continue
        text = case.boot(script(
            core, acr_part("steady", 20011, 20011),
            acr_part("change", 20011, 20021), windows=1),
            *machine(core, "series"), name=f"acr-cost-steady-{core}-series")
        steady_switch, change = (per_switch(text, name, ACR_COUNTERS)
                                 for name in ("steady", "change"))
        writes = reload_writes(text)
        ran = len(writes) == 4 and steady_switch and change and \
            min(steady_switch["switches"], change["switches"]) > 1000 and \
            steady_switch["wrmsr"] > 2
        for test, right in zip(tests, (
                ran and writes[0] > 0 and writes[1] == 0,
                ran and writes[3] > change["switches"] / 2)):
            case.judge(right, f"writes {writes}, {steady_switch}, {change}\n"
                       f"{tail(text)}", test)


PLAIN = {
    "group": stat_events(True),
    "single": stat_events(False),
    "detailed": stat_events(False, DETAILED_EVENTS),
}


def counters_of(core, name):
    """How many counters a switch reads. E-cores do not count misses of L1."""
    if name != "detailed":
        return len(STAT_EVENTS)
    return len(DETAILED_EVENTS) - (core in ACR_CORES)


# Somebody had reloaded events, a second ago and longer.
USED = """
taskset -c 1 perf record -q -o /tmp/used -e \
'{PMU/branch-misses,period=20011,acr_mask=0x2/u,PMU/branches,period=100003,acr_mask=0x3/u}' \
mispredict
sleep 3
"""


def compare_plain(case, core, found):
    """The figures of both kernels by the second with the most switches so far, as on a
    busy host each of few switches has a larger part of the ticks; the status."""
    bad = 0
    for kernel in ("stock", "series"):
        used = USED if core in ACR_CORES and kernel == "series" else ""
        text = case.boot(script(core, used, *(
            plain_part(name, events) for name, events in PLAIN.items())),
            *machine(core, kernel), name=f"acr-cost-plain-{core}-{kernel}")
        bad |= case.status
        for name in PLAIN:
            figures = per_switch(text, name, counters_of(core, name))
            before = found.get((kernel, name))
            if not before or figures and figures["switches"] > before["switches"]:
                found[kernel, name] = figures
    return bad


def plain(check):
    """Who does not use auto counter reload pays nothing for it, also where others
    have used it."""
    for core in CORES:
        case = check.case(f"acr-cost-plain-{core}", parts=("stock", *MACHINE_PARTS))
        if not case:
            continue
        found, right = {}, False
        for _ in range(3):
            case.status = compare_plain(case, core, found)
            right = not case.status and all(found.values()) and all(
                abs(found["series", name]["wrmsr"] - found["stock", name]["wrmsr"]) < 1
                and found["series", name]["insns"] <=
                found["stock", name]["insns"] * (1 + NOISE) for name in PLAIN)
            if right:
                break
        why = "\n".join(f"{kernel} {name}: {figures}"
                        for (kernel, name), figures in found.items())
        case.judge(right, why)


def run(check):
    steady(check)
    plain(check)
