# SPDX-License-Identifier: GPL-2.0
"""Counter freezing: what it must not change, over many interrupts."""

import collections
import glob
import os
import re
import subprocess

from checks.harness import (BUILD, IMAGES, LONG, MACHINE_PARTS, TOP, numbers,
                            tail)
from checks.model import BRANCHES, INSTRUCTIONS
from checks.power import FREEZES

# The interrupt comes late, so that a freeze makes others lose what happens
# until then. The last run is to show that: its counter agreed to be frozen.
INDEPENDENT = """
echo 1 >/sys/bus/event_source/devices/cpu/freeze_counters
while :; do
	taskset -c 0 perf record -q -o /dev/null -e cpu/branches,period=10007,freeze=1/u payload
done &
for options in '-s {stops}' '-s {stops} -j' '-s {truth} -j -m' '-s {few} -c'; do
	echo "== $options"
	ticks -r {seed} $options
done
true
"""
INDEPENDENCE = ("alone", "joined", "truth", "consent-loses")


def independence(check):
    """A counter without consent stays exact beside samplers that freeze."""
    tests = [f"pmi-15-independence-{part}" for part in INDEPENDENCE]
    case = check.case(*tests)
    if not case:
        return
    text = case.boot(INDEPENDENT.format(
        stops=2000 * LONG, truth=300 * LONG, few=200, seed=LONG), "--cpu", "skylake",
        "--cpu-option", "pmusim-skid=50", name="pmi-15-independence",
        timeout=300 * LONG)
    parts = re.findall(r"^== .*\n((?:(?!==).*\n)*)", text, re.M)
    for number, test in enumerate(tests):
        found = numbers(parts[number]) \
            if len(parts) == len(tests) and not case.status else {}
        right = "wrong" in found
        if test.endswith("loses"):
            right = right and found["wrong"] > 0 and found["lost"] > 0
        else:
            right = right and found["wrong"] == 0
        if test.endswith(("alone", "joined")):
            right = right and found["pmis"] > 100000 * LONG
        if test.endswith("joined"):
            right = right and found["joined"] > 0 and found["active"] > 0
        case.judge(right, tail(text, 40), test)


COUNTS = """
echo 1 >/sys/bus/event_source/devices/cpu/freeze_counters
while :; do
	taskset -c 0 perf record -q -o /dev/null -e cpu/branches,period=10007,freeze=1/u payload
done &
counts -i {interrupts} -r {seed}
"""


def counts(check):
    """An event that only counts is exact, whoever samples, joins or leaves."""
    case = check.case("pmi-15-counting-event-is-exact")
    if not case:
        return
    interrupts = 100000 * LONG
    text = case.boot(
        COUNTS.format(interrupts=interrupts, seed=LONG), "--cpu", "skylake",
        "--cpu-option", "pmusim-skid=50", timeout=300 * LONG)
    found = numbers(text)
    case.judge(found.get("wrong") == 0 and found["pmis"] >= interrupts and
               found["compared"] > 100 and found["joined"] > 100 and
               found["active"] > 0, tail(text, 40))


# So late that it comes when the PMU has been enabled again, perhaps for others
# than those whose counters the freeze stopped. No NMI may be unknown then.
LATE = """
echo 1 >/sys/bus/event_source/devices/cpu/freeze_counters
while :; do
	taskset -c 0 perf record -q -o /dev/null -e cpu/branches,period=10007,freeze=1/u payload
done &
for run in {runs}; do
	ticks -r $run -s 1000 -p 2503 -j
done
true
"""


def late(check):
    """The end of a freeze does not do the work of a PMI that is still to come."""
    case = check.case("pmi-3-late-pmi")
    if not case:
        return
    runs = range(1, 3 * LONG + 1)
    text = case.boot(
        LATE.format(runs=" ".join(map(str, runs))), "--cpu", "skylake",
        "--cpu-option", "pmusim-skid=400", timeout=300 * LONG)
    found = {name: [int(value) for value in re.findall(rf"^{name} (\d+)$", text, re.M)]
             for name in ("wrong", "active", "joined")}
    # Stops are exact, and CPU 0 has changed its mind often.
    case.judge(found["wrong"] == [0] * len(runs) and min(found["active"]) > 0 and
               min(found["joined"]) > 0, tail(text, 40))


# The emulator links blocks of code when they follow each other for the first time.
# Those before an overflow must not be linked to what is executed while the counters
# are frozen, of which only instructions are counted: afterwards, both are counted.
# Each copy of a program is code of its own. With a range, no links are used.
PERIODS = (31, 61, 97, 113)
LINKED = """
echo 0 >/proc/sys/kernel/randomize_va_space
freeze=/sys/bus/event_source/devices/cpu/freeze_counters
counted()
{
	echo "$1 $(taskset -c 0 perf stat -x, -e branches:u /tmp/busybox$period seq 1000 2>&1 \
		>/dev/null | sed -n 's/,.*//p')"
}
for period in %s; do
	cp /bin/busybox /tmp/busybox$period
	echo 1 >$freeze
	taskset -c 0 perf record -q -o /dev/null -e cpu/branches,period=$period,freeze=1/u \
		/tmp/busybox$period seq 1000 >/dev/null
	echo 0 >$freeze
	counted linked
	pmusim 0 range 0 0x1000 0x2000 usr
	counted alone
	pmusim 0 range 0 off
done
""" % " ".join(map(str, PERIODS))


def linked(check):
    """What was executed while counters were frozen is counted afterwards."""
    case = check.case("frozen-code-is-counted-afterwards")
    if not case:
        return
    text = case.boot(LINKED, "--cpu", "skylake", "--cpu-option", "pmusim-skid=50")
    found = {name: re.findall(rf"^{name} (\d+)$", text, re.M)
             for name in ("linked", "alone")}
    # A few depend on where the stack is
    case.judge(len(found["alone"]) == len(PERIODS) and
               min(map(int, found["alone"])) > 100000 and
               all(abs(int(linked) - int(alone)) < 20 for linked, alone in
                   zip(found["linked"], found["alone"])), tail(text))


# CPU 0 may freeze for a sampler that is far from an overflow, which would be progress.
FAR = """
pmu=/sys/bus/event_source/devices/cpu
echo 1 >$pmu/freeze_counters
perf record -q -o /tmp/data -C 0 -e cpu/instructions,period=0x10000000000,freeze=1/u sleep 1000 &
until grep -q '^active: 0$' $pmu/freeze_counters_state; do
	usleep 50000
done
"""
# PMIs of a counter that nobody uses, one a shell's loop: an NMI of the local APIC
# to itself, as none comes by itself. The machine's complaint is what the test is about.
STUCK = FAR + """
cat >/tmp/stuck <<'END'
number=0
while [ $number -lt $1 ]; do
	number=$((number + 1))
	pmusim 0 write 0x391 4
	devmem 0xfee00300 32 0x44400
done
END
for number in 100 1; do
	taskset -c 0 sh /tmp/stuck $number
	echo "warned $(dmesg | grep -c 'irq loop stuck')"
done
echo "debugctl $(pmusim 0 read 0x1d9)"
echo "status $(pmusim 0 read 0x38e)"
killall sleep
wait
taskset -c 0 perf stat -x, -e instructions:u payload 2>&1 |
	sed -n 's/,,instr.*//; s/^/counted /p'
cat $pmu/freeze_counters_state
"""


def stuck(check):
    """PMIs without progress are counted in a row, however slow, and stopped."""
    case = check.case("pmi-21-stuck-interrupt")
    if not case:
        return
    text = case.boot(STUCK, "--cpu", "skylake", "--allow",
                     "irq loop stuck|WARNING: .*intel_pmi|Call Trace")
    debugctl = re.search(r"^debugctl (\w+)$", text, re.M)
    case.judge(text.startswith("warned 0\nwarned 1\n") and
               debugctl and not int(debugctl[1], 0) & FREEZES and
               f"\nstatus 0\ncounted {INSTRUCTIONS}\n" in text and
               "\nstopped by a stuck interrupt: 0\n" in text, tail(text, 40))


# PMIs of a counter whose event has gone, the latter ones with the counters frozen.
# Too few to be taken for stuck.
DELETED = FAR + """
cat >/tmp/deleted <<'END'
for bits in 0x4 0x0800000000000004; do
	number=0
	while [ $number -lt {number} ]; do
		number=$((number + 1))
		pmusim 0 write 0x391 $bits
		devmem 0xfee00300 32 0x44400
		echo "status $(pmusim 0 read 0x38e)"
	done
done
END
nmis() {{
	sed -n 's/^ *NMI: *\\([0-9]*\\) .*/\\1/p' /proc/interrupts
}}
before=$(nmis)
taskset -c 0 sh /tmp/deleted
echo "nmis $(($(nmis) - before))"
killall sleep
wait
echo "samples $(perf script -i /tmp/data | wc -l)"
taskset -c 0 perf stat -x, -e instructions:u payload 2>&1 |
	sed -n 's/,,instr.*//; s/^/counted /p'
"""


def deleted(check):
    """A PMI whose event has gone is acknowledged and claimed, and samples nothing:
    the machine complains about NMIs that nobody claims."""
    case = check.case("pmi-8-event-is-gone")
    if not case:
        return
    number = 20
    text = case.boot(DELETED.format(number=number), "--cpu", "skylake")
    nmis = re.search(r"^nmis (\d+)$", text, re.M)
    case.judge(re.findall(r"^status (\w+)$", text, re.M) == ["0"] * 2 * number and
               nmis and int(nmis[1]) >= 2 * number and
               f"\nsamples 0\ncounted {INSTRUCTIONS}\n" in text, tail(text, 40))


# Nothing in it depends on time: a loop of its own, fixed periods, one CPU, and
# nobody who takes it. The samples of a task that migrates move, those of PEBS by
# an event or a whole period. They move when it is switched out with one event to
# go, too, as perf sets no shorter period than two. On a slow host that may be, as
# the kernel lends some time to those who wait for long: try again then.
SAME = """
for event in instructions:u branches:u instructions:up; do
	alone 0 perf stat -x, -e ${event%p} payload 2>&1 | cut -d, -f1,3
	for attempt in 1 2 3 4 5; do
		alone 0 perf record -q --switch-events -o /tmp/data -c 10007 -e $event payload
		perf script -i /tmp/data --show-switch-events -F period,ip >/tmp/all
		grep -q 'OUT preempt' /tmp/all || break
	done
	grep -v PERF_RECORD_SWITCH /tmp/all >/tmp/samples
	echo "$event $(wc -l </tmp/samples) samples $(md5sum </tmp/samples)"
	echo "preempted $(grep -c 'OUT preempt' /tmp/all)"
done
"""


def same(check):
    """With the switch off, counts and samples are those of stock, one by one. Where
    an interrupt comes right behind an overflow, the PMI finds the kernel at work, and
    perf drops the sample: which one that is, the host decides. So there are more
    tries, and one of each kernel has to be without, event by event."""
    for cpu in ("skylake", "icelake"):
        case = check.case(f"pmi-26-counts-and-samples-as-stock-{cpu}",
                          parts=("stock", *MACHINE_PARTS))
        if not case:
            continue
        kernels = {"stock": collections.defaultdict(set),
                   "series": collections.defaultdict(set)}
        for _ in range(4):
            failed = 0
            for kernel, found in kernels.items():
                text = case.boot(SAME, "--cpu", cpu, "--kernel", IMAGES[kernel])
                failed |= case.status
                for number, event in re.findall(r"^(\d+),(\S+)$", text, re.M):
                    found["count of " + event].add(number)
                for event, number, digest in re.findall(
                        r"^(\S+) (\d+) samples (\w+)", text, re.M):
                    found[event].add((int(number), digest))
            stock, series = kernels.values()
            samples = [name for name in series if not name.startswith("count")]
            right = not failed and len(samples) == 3 and \
                stock.keys() == series.keys() and all(
                    min(series[name])[0] > 100 and stock[name] & series[name]
                    if name in samples else stock[name] == series[name] and
                    len(series[name]) == 1 for name in series)
            if right:
                break
        case.status = failed
        case.judge(right, f"stock: {dict(stock)}\nseries: {dict(series)}")


RR = """
pmu=/sys/bus/event_source/devices/cpu
echo 1 >$pmu/freeze_counters
perf record -q -o /dev/null -a -C 0 -e cpu/branches,period=10007,freeze=1/u sleep 10000 &
while :; do
	taskset -c 0 perf record -q -o /dev/null -e cpu/branches,period=10007,freeze=1/u payload
done &
renice -n 19 -p $!
while :; do
	cat $pmu/freeze_counters_state
	usleep 200000
done >/tmp/states &
run=0
while [ $run -lt {runs} ]; do
	run=$((run + 1))
	rr record --bind-to-cpu=0 -c 20000 -o /tmp/trace threads 2 >/tmp/recorded
	echo "recorded $? $(cat /tmp/recorded)"
	rr replay -a /tmp/trace >/tmp/replayed
	echo "replayed $? $(cat /tmp/replayed)"
	rm -rf /tmp/trace
done
echo "active $(grep -c 'active: 0' /tmp/states)"
echo "objected $(grep -c 'without consent: 0' /tmp/states)"
"""


def rr_files():
    """Options that put rr and its libraries into the machine."""
    program = subprocess.run([TOP + "/scripts/fetch.sh", "rr"], check=True,
                             text=True, stdout=subprocess.PIPE).stdout.strip()
    folder = os.path.dirname(os.path.dirname(program))
    listed = subprocess.run(
        ["ldd", program], check=True, text=True, stdout=subprocess.PIPE,
        env=dict(os.environ, LD_LIBRARY_PATH=":".join(
            glob.glob(folder + "/lib/*-linux-gnu")))).stdout
    options = ["--add", folder + "=usr"]
    for library in re.findall(r"(/\S+) \(0x", listed):
        if not library.startswith(folder):
            options += ["--add", f"{library}={library}"]
    return options


def record_replay(check):
    """rr replays what it recorded while everybody else lets counters freeze."""
    case = check.case("pmi-15-rr-replays", parts=("rr", *MACHINE_PARTS))
    if not case:
        return
    runs = 20 * LONG
    text = case.boot(
        RR.format(runs=runs), "--cpu", "skylake", "--cpu-option",
        "pmusim-skid=50", *rr_files(), timeout=900 * LONG)
    recorded = re.findall(r"^recorded 0 (total .*)$", text, re.M)
    replayed = re.findall(r"^replayed 0 (total .*)$", text, re.M)
    states = dict(re.findall(r"^(active|objected) (\d+)$", text, re.M))
    # Hardly two runs alike: there was something to get wrong.
    case.judge(len(recorded) == runs and recorded == replayed and
               len(set(recorded)) > runs / 2 and
               int(states.get("active", 0)) > 0 and
               int(states.get("objected", 0)) > 0, tail(text, 40))


# KUnit has no PMU that interrupts late; the test takes its snapshots there, too.
SNAPSHOT = "kunit.enable=1 kunit.filter_glob=intel_freeze_live intel_freeze_counters=1"


def snapshot(check):
    """Snapshots of branch records between an overflow and its PMI."""
    test = "pmi-20-branch-snapshot-late"
    case = check.case(test)
    if not case:
        return
    text = case.boot("true", "--cpu", "skylake", "--cpu-option", "pmusim-skid=400",
                     "--append", SNAPSHOT, "--allow", "perf: interrupt took too long")
    with open(f"{BUILD}/check/{test}/console.log", encoding="utf-8",
              errors="replace") as console:
        said = console.read()
    case.judge(re.search(r"ok 1 pmi_20_branch_snapshot\s*$", said, re.M),
               text + tail(said))


def run(check):
    independence(check)
    linked(check)
    counts(check)
    late(check)
    snapshot(check)
    stuck(check)
    deleted(check)
    same(check)
    record_replay(check)
