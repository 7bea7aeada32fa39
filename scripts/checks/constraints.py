# SPDX-License-Identifier: GPL-2.0
"""Groups that get their counters only if the assignment looks for them."""

import re

from checks.harness import tail

# Counters 0 to 2 can be reloaded, 2 and 3 cause it. The cause is the one with the
# least choice; given counter 2, it leaves two for the other three.
PLACES = {
    "clearwaterforest": ("cpu", 1, "pmusim-acr-reload=0x7,pmusim-acr-cause=0xc"),
    "arrowlake": ("cpu_core", 0,
                  "pmusim-core-acr-reload=0x7,pmusim-core-acr-cause=0xc"),
}
# The loops of mispredict have 12.5 % and 25 %.
OVERLAP = r"""
cd /tmp
misses={pmu}/branch-misses,acr_mask=0x8
group="{{$misses,period=2000,name=20percent/u,$misses,period=1000,name=10percent/u,$misses,period=3000,name=30percent/u,{pmu}/branch-instructions,period=10000,name=cause/u}}"
taskset -c {cpu} perf stat -x, -e {pmu}/branches/u mispredict 2>&1 | sed 's/,.*//; s/^/branches /'
taskset -c {cpu} perf record -q -o data -e "$group" mispredict || exit 1
perf script -i data -F event,ip,sym | awk '{{ print "samples", $1, $3 }}' | sort | uniq -c
"""


def overlap(check):
    """Masks that overlap without one being part of the other: the group opens,
    counts and samples."""
    for cpu, (pmu, number, option) in PLACES.items():
        case = check.case(f"acr-B30-overlap-{cpu}")
        if not case:
            continue
        text = case.boot(OVERLAP.format(pmu=pmu, cpu=number), "--cpu", cpu,
                         "--cpu-option", option)
        found = {}
        for samples, event, symbol in re.findall(
                r"^ *(\d+) samples (?:\w+/)?(\w+)/?: (\S+)$", text, re.M):
            found.setdefault(event, {})[symbol] = int(samples)
        branches = re.search(r"^branches (\d+)$", text, re.M)
        total = sum(found.get("cause", {}).values())
        case.judge(branches and "30percent" not in found and
                   list(found.get("20percent", {})) == ["loop2"] and
                   {"loop1", "loop2"} <= set(found.get("10percent", {})) and
                   abs(total - int(branches[1]) / 10000) < 2,
                   f"{found}\n{tail(text)}")


def run(check):
    overlap(check)
