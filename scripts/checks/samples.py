# SPDX-License-Identifier: GPL-2.0
"""What samples show: the branches before them, and where the cycles are."""

import re
import subprocess

from checks.harness import BUILD, IMAGES, LONG, MACHINE_PARTS, numbers, tail

STACKS = 10000 * LONG
# variant: (options of stacks, the switch for freezing). In frequency mode the
# periods get as short as the way out of the interrupt, so that counters overflow
# again there.
STACK_VARIANTS = {
    "frequency": ("-f 20000", 0),
    "short-period": ("-p 907", 0),
    "frozen": ("-p 907 -c", 1),
}
# place: CPU, its number, PMU
STACK_PLACES = {
    "skylake": ("skylake", 0, "cpu"),
    "icelake": ("icelake", 0, "cpu"),
    "arrowlake": ("arrowlake", 0, "cpu_core"),
    "arrowlake-atom": ("arrowlake", 1, "cpu_atom"),
}
# Without the series the same program finds branches of another sample: half of
# them are on Skylake and Ice Lake, one of 20 on Arrow Lake's P-cores. E-cores
# unmask LVTPC in time.
STALE_PLACES = ("skylake", "icelake", "arrowlake")
STALE = 100


def stacks_script(variant, place, samples=STACKS):
    options, freeze = STACK_VARIANTS[variant]
    _, number, pmu = STACK_PLACES[place]
    script = f"echo {freeze} >/sys/bus/event_source/devices/{pmu}/freeze_counters\n" \
        if freeze else ""
    return f"{script}stacks -s {samples} -P {pmu} -C {number} {options}\n"


def wrong_stacks(variant, found):
    """Why the figures of stacks are not as they must be; none if they are."""
    if not found.get("checked"):
        return ["no samples were checked"]
    reasons = [] if found["stale"] == 0 else [f"{found['stale']} are of another sample"]

    def demand(right, reason):
        if not right:
            reasons.append(reason)

    demand(found["in_loop"] >= STACKS, "too few in the loop")
    # Those in the kernel's entry code are what cannot be checked.
    demand(found["outside"] == 0 and found["entry"] < found["samples"] / 5,
           f"{found['outside'] + found['entry']} of {found['samples']} cannot be checked")
    # A switch between tasks begins the records anew: not for most of them.
    demand(found["begun"] < STACKS / 2 and
           found["jumps"] > 31 * (found["in_loop"] - found["begun"]),
           "too few jumps")
    # What freezes does not count the way out of the interrupt as much.
    demand(found["again"] > (0 if variant == "frozen" else STACKS / 500),
           "no overflow on the interrupt's way out")
    # In frequency mode they adapt. How long they get is a matter of the host's
    # speed; that they are short enough was asked above.
    if variant == "frequency":
        demand(found["changed"] > found["samples"] / 10, "periods that do not adapt")
    else:
        demand(not found["changed"], "a fixed period that changes")
    return reasons


def stacks(check):
    """Branch records are those of the sample, wherever the counter overflows."""
    for place, (cpu, _, _) in STACK_PLACES.items():
        for variant in STACK_VARIANTS:
            case = check.case(f"pmi-1-branch-stacks-{variant}-{place}")
            if not case:
                continue
            text = case.boot(stacks_script(variant, place), "--cpu", cpu,
                             timeout=300 * LONG)
            reasons = wrong_stacks(variant, numbers(text))
            case.judge(not reasons, "\n".join(reasons + [tail(text, 20)]))


def stale(check):
    """What the series mends is there on stock, and the test finds it."""
    for place in STALE_PLACES:
        case = check.case(f"pmi-1-branch-stacks-stock-are-stale-{place}",
                          parts=("stock", *MACHINE_PARTS))
        if not case:
            continue
        text = case.boot(stacks_script("frequency", place), "--cpu",
                         STACK_PLACES[place][0], "--kernel", IMAGES["stock"],
                         timeout=300 * LONG)
        found = numbers(text)
        # The program ends with 1 then.
        case.status = 0 if case.status == 1 else case.status
        case.judge(found.get("in_loop", 0) >= STACKS and found["stale"] > STALE,
                   tail(text, 20))


# Many periods in a loop of some hundred cycles, and prime to its length: each
# cycle of it gets as many samples as any other.
PERIOD = 1009
# Of the run that counts the jump, which takes less than one cycle
MANY_PERIOD = 503
PRECISE = {
    "cycles-pp": "cycles:upp",
    "cycles-ppp": "cycles:uppp",
    "raw-prec-dist": "cpu/event=0xc0,umask=1,inv,cmask=16/upp",
    "raw-uops": "cpu/event=0xc2,umask=1,inv,cmask=16/upp",
}
# The model tells the cycles of so many instructions in one run.
RANGES = 8
# Of the true number, or one sample more or less, of a period that begins or ends
# there. How many cycles the jump has depends on when interrupts come.
TOLERANCE = 0.03
MARGIN = 1.5
FEWEST = 30


def instructions():
    """Addresses of the loop's instructions, and the one behind it."""
    path = BUILD + "/machine/roots"
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    loop = code.partition("<roots>:")[2].partition("<_end_of_roots>:")
    return [int(address, 16) for address in
            re.findall(r"^ *([0-9a-f]+):\t", loop[0], re.M)] + \
        [int(re.search(r"([0-9a-f]+):", loop[2])[1], 16)]


def precise_script(event, addresses):
    """Samples of all instructions, and the cycles that some had meanwhile."""
    pairs = list(zip(addresses, addresses[1:]))
    script = f"echo '== {event}'\n"
    for begin in range(0, len(pairs), RANGES):
        ranges = list(enumerate(pairs[begin:begin + RANGES]))
        script += "pmusim 0 clear\n"
        script += "".join(f"pmusim 0 range {number} {first:#x} {end:#x} usr\n"
                          for number, (first, end) in ranges)
        many = "many" if begin + RANGES >= len(pairs) else ""
        period = MANY_PERIOD if many else PERIOD
        script += f"taskset -c 0 perf record -q -o /tmp/data -c {period}" \
                  f" -e {event} roots {many}\n"
        # Whatever runs is slow while there are ranges.
        for number, (first, _) in ranges:
            script += f"pmusim 0 truth {number} | sed -n 's/^cycles //p'" \
                      f" >/tmp/cycles{number}\n" \
                      f"pmusim 0 range {number} off\n"
        script += "perf script -i /tmp/data -F ip | sort | uniq -c >/tmp/samples\n"
        for number, (first, _) in ranges:
            script += f"echo \"{first:#x} $(($(cat /tmp/cycles{number}) / {period}))" \
                      f" $(sed -n 's/ *{first:x}$//p' /tmp/samples)\"\n"
    return script


def precise(check):
    """Samples of precise cycles are where the cycles are, on Skylake."""
    case = check.case(*(f"pmi-PD-{name}" for name in PRECISE))
    if not case:
        return
    addresses = instructions()
    text = case.boot("pmusim 0 memory on\n" + "".join(
        precise_script(event, addresses) for event in PRECISE.values()),
        "--cpu", "skylake", name="pmi-PD", timeout=600)
    parts = dict(re.findall(r"^== (\S+)\n((?:(?!==).*\n)*)", text, re.M))
    for name, event in PRECISE.items():
        found = [(int(address, 16), int(periods), int(samples or 0))
                 for address, periods, samples in re.findall(
                     r"^(0x\w+) (\d+) *(\d*)$", parts.get(event, ""), re.M)]
        case.judge([row[0] for row in found] == addresses[:-1] and all(
            periods > FEWEST and
            abs(samples - periods) < max(MARGIN, TOLERANCE * periods)
            for _, periods, samples in found),
            f"{parts.get(event)}\n{tail(text, 3)}", f"pmi-PD-{name}")


# Two that need counter 1: they take turns on a CPU, and are refused in a group.
# What one has for itself is seen in the order of their samples.
PEBS_ENABLE = 0x3f1
SHARED_PERIOD = 10007
SHARED = f"""
taskset -c 0 spin &
for number in 1 2; do
	perf record -q -o /tmp/data$number -C 0 -c {SHARED_PERIOD} -e cycles:pp sleep 3 &
	sessions="$sessions $!"
done
until [ $(pmusim 0 read {PEBS_ENABLE:#x}) != 0 ]; do
	usleep 50000
done
for look in 1 2 3 4 5 6 7 8 9 10; do
	echo "counters $(pmusim 0 read {PEBS_ENABLE:#x})"
	usleep 100000
done
wait $sessions
kill %1
for number in 1 2; do
	perf script -i /tmp/data$number -F time |
		sed "s/^ *\\([0-9.]*\\):.*/\\1 $number/"
done | sort -n | cut -d' ' -f2 | tr -d '\\n' | tr 12 AB | sed 's/^/turns /'
echo
"""
GROUP = """
echo "== {number}"
perf record -o /dev/null -e '{{{pair}}}' true 2>&1
echo "status $?"
perf record -o /dev/null -e '{{{mended}}}' true >/dev/null 2>&1
echo "mended $?"
"""
REFUSED = "Precise event '{}' needs the same counter as '{}' of its group.\n" \
    "Take one of them out of the group, so that they take turns{}.\n"
RAW = "cpu/event=0xc0,umask=1,inv,cmask=16/{}"
# Pairs that need one counter, and what perf advises. The levels pp and ppp of cycles
# are the same event; the raw one needs its counter without any p, too.
GROUPS = (
    ("cycles:pp", "cycles:pp", "cycles:pp,cycles:p",
     ", or give 'cycles:pp' only one 'p'"),
    ("cycles:ppp", "cycles:ppp", "cycles:ppp,cycles:p",
     ", or give 'cycles:ppp' only one 'p'"),
    ("cycles:pp", RAW.format("pp"), "cycles:p," + RAW.format("pp"),
     ", or give 'cycles:pp' only one 'p'"),
    (RAW.format("pp"), RAW.format("p"), RAW.format("pp"), ""))


def shared(check):
    """Two sessions that need the one counter of precise cycles take turns."""
    case = check.case("pmi-PD-sessions-take-turns")
    if not case:
        return
    text = case.boot(SHARED, "--cpu", "skylake")
    turns = re.search(r"^turns ([AB]+)$", text, re.M)
    turns = turns[1] if turns else ""
    # One at a time has counter 1, for many samples. Were it both, they would
    # alternate. On a slow machine the sessions are over before the last look.
    counters = re.findall(r"^counters (\w+)$", text, re.M)
    case.judge(counters.count("0x2") >= 5 and set(counters) <= {"0", "0x2"} and
               min(turns.count("A"), turns.count("B")) > 100 and
               10 < turns.count("AB") < len(turns) / 10,
               f"{len(turns)} samples, {turns.count('AB')} turns\n"
               f"{tail(text[:1000])}")


def grouped(check):
    """Two of them in one group are refused, and what perf advises works."""
    case = check.case("pmi-24-group-is-refused")
    if not case:
        return
    text = case.boot("".join(
        GROUP.format(number=number, pair=f"{first},{second}", mended=mended)
        for number, (first, second, mended, _) in enumerate(GROUPS)),
        "--cpu", "skylake")
    parts = re.split(r"^== \d+\n", text, flags=re.M)[1:]
    case.judge(len(parts) == len(GROUPS) and all(
        REFUSED.format(second, first, advice) in part and
        "status 0" not in part and "mended 0" in part
        for part, (first, second, _, advice) in zip(parts, GROUPS)), tail(text, 40))


def run(check):
    stacks(check)
    stale(check)
    precise(check)
    shared(check)
    grouped(check)
