# SPDX-License-Identifier: GPL-2.0
"""What perf says of auto counter reload that cannot work, to the letter."""

import re
import time

from checks.harness import boot, tail

# $A and $B stand for these in the events below.
EVENTS = {"$A": "cpu_atom/branch-misses", "$B": "cpu_atom/branch-instructions"}

# name: (options of perf record, text that the error points to, error, mend)
REFUSED = {
    "unknown-name": (
        "-e '{$A,period=2,acr=branch/u,$B,period=9/u}'",
        "branch/u,", "No event is called 'branch'",
        "Use the name of an event of the group, or what its name= says"),
    "ambiguous-name": (
        "-e '{$A,period=2,acr=branches/u,$B,period=9/u,$B,period=9/u}'",
        "branches/u,", "'branches' stands for several members of the group",
        "Tell them apart with name="),
    "outside-group": (
        "-e '{$A,period=2,acr=b/u,$B,period=9/u},$B,name=b/'",
        "b/u,", "'b' is not in the group of this event",
        "Put both between the same { and }"),
    "no-group": (
        "-e '$A,period=2,acr=all/u'",
        "all/u", "The event is in no group",
        "Put it between { and } with the events that reload it"),
    "mask-without-member": (
        "-e '{$A,period=2,acr_mask=0x4/u,$B,period=9/u}'",
        "acr_mask=0x4/u,", "The group has 2 members, there is none for bit 2",
        "Bit i of the mask stands for member i, the leader is 0"),
    "mask-negative": (
        "-e '{$A,period=2,acr_mask=-2/u,$B,period=9/u}'",
        "-2/u,", "'-2' is no mask",
        "Write acr_mask=NUMBER, for example acr_mask=0x2"),
    "mask-bare": (
        "-e '{$A,period=2,acr_mask/u,$B,period=9/u}'",
        "acr_mask/u,", "'' is no mask",
        "Write acr_mask=NUMBER, for example acr_mask=0x2"),
    "nobody": (
        "-e '{$A,period=2,acr=others/u,dummy}'",
        "others/u,", "'others' stands for no event",
        "Add the events that reload it to the group"),
    "mask-empty": (
        "-e '{$A,period=2,acr_mask=0/u,$B,period=9/u}'",
        "acr_mask=0/u,", "Nothing is reloaded in the group",
        "Name the events that reload another, for example with acr=others"),
    "no-samples": (
        "-e '{$A,period=2,acr=all/u,$B,period=9,acr=all/u}'",
        "all/u,", "Each event of the group reloads itself, none takes samples",
        "Leave the event that has to sample out of what reloads it"),
    "other-pmu-in-group": (
        "-e '{$A,period=2,acr=others/u,cpu_core/branches/u}'",
        "others/u,", "'cpu_core/branches/u' in its group is of another PMU",
        "All events of the group have to be of one core PMU"),
    "pmu-without": (
        "-e '{cpu_core/branch-misses,period=2,acr=others/u,cpu_core/branches/u}'",
        "others/u,", "cpu_core has no auto counter reload",
        "Use events of cpu_atom: cpu_atom/.../"),
    "software-event": (
        "-e '{$A,period=2/u,cpu-clock/acr=others/}'",
        "others/}", "A software event has no counter to reload",
        "Give the term to an event of the core PMU"),
    "software-name": (
        "-e '{$A,period=2,acr=dummy/u,$B,period=9/u,dummy}'",
        "dummy/u,", "'dummy' is a software event",
        "Only events of the core PMU reload others"),
    "software-between": (
        "-e '{$A,period=2,acr=others/u,dummy,$B,period=9/u}'",
        "others/u,", "'dummy' stands before a member of the group",
        "Put it behind the events of the core PMU"),
    "frequency-term": (
        "-e '{$A,freq=99,acr=others/u,$B,period=9/u}'",
        "others/u,", "'$A,freq=99,acr=others/u' has a frequency, a ratio needs"
        " fixed periods", "Use period= instead of freq="),
    "frequency-option": (
        "-F 99 -e '{$A,ratio-to=branches:20%/u,$B/u}'",
        "branches:20%/u,", "'$A,ratio-to=branches:20%/u' has no period, but a"
        " frequency", "Add period=N to it, or use -c N"),
    "frequency-default": (
        "-e '{$A,period=2,acr=others/u,$B/u}'",
        "others/u,", "'$B/u' has no period, but a frequency",
        "Add period=N to it, or use -c N"),
    "ppp": (
        "-e '{$A,ratio-to=branches:20%/pppu,$B,period=10/u}'",
        "branches:20%/pppu,",
        "'$A,ratio-to=branches:20%/pppu' cannot be reloaded with :ppp",
        "Use :pp"),
    "ppp-cause": (
        "-e '{$A,period=2,acr=branches/u,cpu_atom/branches,period=9/pppu}'",
        "branches/u,", "'cpu_atom/branches,period=9/pppu' cannot be counted where"
        " cpu_atom has auto counter reload", "Use :pp"),
    "ppp-cause-leads": (
        "-e '{$B,period=9/pppu,$A,period=2,acr=branches/u}'",
        "branches/u}", "'$B,period=9/pppu' cannot be counted where"
        " cpu_atom has auto counter reload", "Use :pp"),
    "precise-self": (
        "-e '{$A,ratio-to=branches:20%/u,$B,period=10/ppu}'",
        "branches:20%/u,",
        "'$B,period=10/ppu' reloads itself and takes no samples to be precise",
        "Give :p to the event that samples only"),
    "period-above": (
        "-e '{$A,acr=others,period=2147483648/u,$B,period=9/u}'",
        "others,period", "The period 2147483648 of"
        " '$A,acr=others,period=2147483648/u' is out of range",
        "Periods of reloaded events are 1 to 2147483647"),
    "period-zero": (
        "-e '{$A,acr=others,period=0/u,$B,period=9/u}'",
        "others,period", "The period 0 of '$A,acr=others,period=0/u' is out of"
        " range", "Periods of reloaded events are 1 to 2147483647"),
    "period-zero-cause": (
        "-e '{$A,period=2,acr=branches/u,$B,period=0/u}'",
        "branches/u,", "'$B,period=0/u' never overflows with a period of 0",
        "Give it a period above 0"),
    "period-rounded": (
        "-e '{$A,ratio-to=branches:1/3/u,$B,period=10/u}'",
        "branches:1/3/u,", "The ratio '1/3' becomes 3/10, as periods are integers",
        "Use longer periods"),
    "period-option": (
        "-c 2147483648 -e '{$A,acr=others/u,$B/u}'",
        "others/u,", "The period 2147483648 of '$A,acr=others/u' is out of"
        " range", "Periods of reloaded events are 1 to 2147483647"),
    "period-of-ratio": (
        "-c 100 -e '{$A,ratio-to=branches:1/1000/u,$B/u}'",
        "branches:1/1000/u,", "The period 0 of '$A,ratio-to=branches:1/1000/u'"
        " is out of range", "Periods of reloaded events are 1 to 2147483647"),
    "period-against-ratio": (
        "-e '{$A,period=3,ratio-to=branches:20%/u,$B,period=10/u}'",
        "branches:20%/u,", "The ratio asks for period=2, not 3",
        "Give one period of the two, the other follows"),
    "ratio-zero": (
        "-e '{$A,ratio-to=branches:0%/u,$B,period=10/u}'",
        "branches:0%/u,", "'0%' is no ratio",
        "Write it above 0, as 0.2, 20% or 1/5"),
    "ratio-malformed": (
        "-e '{$A,period=2/u,$B,ratio-to-prev=0.5x/u}'",
        "0.5x/u}", "'0.5x' is no ratio",
        "Write it above 0, as 0.2, 20% or 1/5"),
    "ratio-no-fraction": (
        "-e '{$A,ratio-to=branches:1/x/u,$B,period=10/u}'",
        "branches:1/x/u,", "'1/x' is no ratio",
        "Write it above 0, as 0.2, 20% or 1/5"),
    "ratio-half": (
        "-e '{$A,period=2/u,$B,ratio-to-prev=1/,inherit=1/u}'",
        "1/,inherit", "'1/' is no ratio", "Write it above 0, as 0.2, 20% or 1/5"),
    "ratio-of-three": (
        "-e '{$A,period=2/u,$B,ratio-to-prev=5/1/2/u}'",
        "5/1/2/u}", "'5/1/2' is no ratio",
        "Write it above 0, as 0.2, 20% or 1/5"),
    "ratio-empty": (
        "-e '{$A,period=2/u,$B,ratio-to-prev=/u}'",
        "/u}", "'' is no ratio", "Write it above 0, as 0.2, 20% or 1/5"),
    "ratio-missing": (
        "-e '{$A,ratio-to=branches/u,$B,period=10/u}'",
        "branches/u,", "'branches' has no ratio",
        "Write ratio-to=NAME:RATIO, for example ratio-to=branches:20%"),
    "ratio-to-itself": (
        "-e '{$A,ratio-to=branch-misses:2/u,$B,period=10/u}'",
        "branch-misses:2/u,", "An event has no ratio to itself",
        "Name another event of the group"),
    "no-previous": (
        "-e '{$A,period=2,ratio-to-prev=5/u,$B,period=10/u}'",
        "5/u,", "There is no previous event",
        "Give the term to a later event of the group"),
    "chain": (
        "-e '{$A,period=2/u,$B,ratio-to-prev=5/u,cpu_atom/cycles,ratio-to-prev=5/u}'",
        "5/u}", "'$B,ratio-to-prev=5/u' is the base of a ratio and has a term"
        " of its own",
        "Relate several events to one base with ratio-to=NAME:RATIO"),
    "several-terms": (
        "-e '{$A,acr=others,acr_mask=0x2,period=2/u,$B,period=9/u}'",
        "others,acr_mask", "The event has several terms of this kind",
        "Use one of acr=, acr_mask=, ratio-to= and ratio-to-prev="),
    "config2-and-term": (
        "-e '{$A,config2=2,acr=others,period=2/u,$B,period=9/u}'",
        "others,period", "The event has several terms of this kind",
        "Use one of acr=, acr_mask=, ratio-to= and ratio-to-prev="),
    "config2": (
        "-e '{$A,period=2,config2=0x4/u,$B,period=9/u}'",
        "config2=0x4/u,", "The group has 2 members, there is none for bit 2",
        "Bit i of the mask stands for member i, the leader is 0"),
    "config2-frequency": (
        "-e '{$A,freq=9,config2=2/u,$B,period=9/u}'",
        "config2=2/u,", "'$A,freq=9,config2=2/u' has a frequency, a ratio needs"
        " fixed periods", "Use period= instead of freq="),
    "counters": (
        "-c 100 -e '{" + "$B,acr=others/u," * 7 + "cpu_atom/cycles,acr=others/u}'",
        "others/u,cpu_atom/cycles", "7 events of the group have 6 counters of"
        " cpu_atom to share", "Use smaller groups"),
    "counters-of-all": (
        "-c 100 -e '{$A,acr=branch-instructions/u,$B/u" + ",cpu_atom/cache-misses/u" * 7 + "}'",
        "branch-instructions/u,", "9 events of the group have 8 counters of cpu_atom to share",
        "Use smaller groups"),
    "counters-fixed": (
        "-c 100 -e '{$A,acr=others/u,cpu_atom/event=0,umask=3/u}'",
        "others/u,", "'cpu_atom/event=0,umask=3/u' cannot be counted where cpu_atom has"
        " auto counter reload", "Use another event"),
    "weak": (
        "-e '{$A,ratio-to=branches:20%/u,$B,period=10/u}:W'",
        "branches:20%/u,", "A weak group may be taken apart, and then nothing"
        " reloads", "Leave out :W"),
    "sample-read": (
        "-e '{$A,ratio-to=branches:20%/u,$B,period=10/u}:S'",
        "branches:20%/u,", "Counts of reloaded events are no totals to be read"
        " with a sample", "Leave out :S"),
    "cpus": (
        "-C 0 -e '{$A,ratio-to=branches:20%/u,$B,period=10/u}'",
        "branches:20%/u,", "No CPU of -C is of cpu_atom",
        "Use CPUs of /sys/bus/event_source/devices/cpu_atom/cpus"),
}
# On a CPU without.
NO_ACR = {
    "cpu-without": (
        "-e '{cpu/branch-misses,acr_mask=0x2,period=2/u,branches/period=9/u}'",
        "acr_mask=0x2,", "cpu has no auto counter reload",
        "No core PMU has the format acr_mask: the CPU or the kernel does not"
        " support it"),
    "legacy-name": (
        "-e '{branch-misses/ratio-to=branches:20%/u,branches/period=10/u}'",
        "branches:20%/u,", "cpu has no auto counter reload",
        "No core PMU has the format acr_mask: the CPU or the kernel does not"
        " support it"),
}
# Where the PMU with topdown metrics has the feature, too.
CORE = ["--cpu-option", "pmusim-core-acr-reload=0xfc,pmusim-core-acr-cause=0xfc"]
METRICS = {
    "metric": (
        "-e '{cpu_core/branch-misses,period=2,acr=branches/u,"
        "cpu_core/branches,period=9/u,cpu_core/topdown-retiring/u}'",
        "branches/u,", "'cpu_core/topdown-retiring/u' in its group is a topdown"
        " metric", "Measure topdown metrics in another group, without slots in"
        " this one"),
    # The kernel refuses these. That two events have one counter alike is a better
    # reason than the reloads.
    "precise-group": (
        "-e '{cpu_core/branch-misses,period=2,acr=branches/u,cpu_core/branches,period=9/u,"
        "cpu_core/instructions,period=300/pppu,cpu_core/instructions,period=400/pppu}'",
        None, "Precise event 'cpu_core/instructions,period=400/pppu' needs the same"
        " counter as 'cpu_core/instructions,period=300/pppu' of its group.",
        "Take one of them out of the group, so that they take turns, or give"
        " 'cpu_core/instructions,period=400/pppu' only two 'p'."),
    "kernel": (
        "-e '{cpu_core/branch-misses,period=2,acr=branches/u,cpu_core/branches,period=9/u,"
        "cpu_core/event=0x48,umask=1,period=3/u,cpu_core/event=0x48,umask=1,period=4/u}'",
        None, "The kernel refuses 'cpu_core/event=0x48,umask=1,period=4/u' in a group with"
        " auto counter reload.", "use a smaller one."),
}


def filled(text):
    for short, event in EVENTS.items():
        text = text.replace(short, event)
    return text


def script(cases):
    """Run perf with each; what it says, how it ends, what it left."""
    return "cd /tmp\n" + "".join(
        f"echo '== {name}'\nrm -f data\n"
        f"perf record -o data {filled(options)} true 2>&1 </dev/null\n"
        "echo \"== status $?\"\n[ ! -s data ] || echo '== recorded'\n"
        for name, (options, *_) in cases.items()) + "true\n"


def judge(said, case):
    """What is wrong with what perf said, or None."""
    _, place, error, mend = (part and filled(part) for part in case)
    # That perf sorts events is another matter.
    lines = [line for line in said.splitlines() if not line.startswith("WARNING: ")]
    # Of what the kernel alone knows there is no position, and one reason.
    if place is None:
        return None if error in lines and mend in lines and \
            said.count("refuses '") + said.count("needs the same") == 1 \
            else f"expected '{error}'"
    if len(lines) < 4 or not lines[0].startswith("event syntax error: '"):
        return "no error with a position"
    column = lines[1].find("\\___ ")
    if column < 0 or lines[1][column + 5:] != error:
        return f"expected '{error}'"
    # Long texts end with two dots.
    there = lines[0][column:].rstrip(".'")
    if not there or not (there.startswith(place) or place.startswith(there)):
        return f"points to '{there}', expected '{place}'"
    if lines[2] or lines[3] != mend:
        return f"expected '{mend}'"
    return None


def refused(check, cpu, cases, options=()):
    """Each of the cases is refused with its reason, and records nothing."""
    names = {name: f"acr-refused-{name}-{cpu}" for name in cases}
    if not any(check.wants("perftest", test) for test in names.values()):
        return
    start = time.monotonic()
    status, text, log = boot(f"perftest-acr-refused-{cpu}{'-core' if options else ''}",
                             script(cases), "--cpu", cpu, *options)
    found = {name: (said, int(code), end) for name, said, code, end in re.findall(
        r"^== (\S+)\n(.*?)^== status (\d+)\n(== recorded\n)?", text, re.M | re.S)}
    for name, test in names.items():
        said, code, end = found.get(name, ("", 0, ""))
        wrong = judge(said, cases[name])
        if not code or end:
            wrong = "perf recorded"
        check.record("perftest", test, "fail" if wrong or status else "pass",
                     time.monotonic() - start, log,
                     f"{wrong}\n{said or tail(text)}")


def run(check):
    refused(check, "arrowlake", REFUSED)
    refused(check, "arrowlake", METRICS, CORE)
    refused(check, "skylake", NO_ACR)
