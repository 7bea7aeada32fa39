#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Fuzz the perf events of the core PMU: fuzz.py [--seconds 600] [--seed 1]

Boots the debug kernel (tools/testing/machine/fuzz.config) on an emulated CPU that
the seed chooses, and runs the workload "fuzz" and random lines of perf in it. Any
of these fails the run: a complaint on the console, an access of the kernel to a
register of the PMU that faulted, a sample that is not justified or a count that
got lost (fuzz_judge.py), a perf that died of a signal.

Samples are judged of groups that count a thread's known program in user mode, with
up to four members that are reloaded. All else, kernel mode, CPUs, inherited events
and freezing among it, is there to disturb them, and is watched for complaints.

Adds a row to build/results/fuzz.tsv. Logs are in build/fuzz/SEED.
"""

import argparse
import os
import random
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from checks import harness  # noqa: E402
from fuzz_judge import Judge  # noqa: E402

COLUMNS = ("seed", "seconds", "groups", "samples", "splats", "gp", "unjustified")
COMPLAINTS = harness.RUN["COMPLAINTS"]
# Beside a P-core two E-cores, so that one can go and threads can move.
HYBRID = "pmusim-atoms=0x6"
# What the seed chooses from, in turn: CPU, and more properties of it. Masks of
# auto counter reload other than those of real ones overlap and leave little. The
# last ones have no reload: refusals, and everything else.
MACHINES = (
    ("arrowlake", HYBRID),
    ("clearwaterforest", ""),
    ("lunarlake", HYBRID),
    ("clearwaterforest", "pmusim-acr-reload=0x20000003f,pmusim-acr-cause=0x1000000f8"),
    ("arrowlake", HYBRID + ",pmusim-core-acr-reload=0x3f0,pmusim-core-acr-cause=0x7c"),
    ("clearwaterforest", "pmusim-skid=50"),
    ("arrowlake", HYBRID + ",pmusim-acr-reload=0x7,pmusim-acr-cause=0xc"),
    ("arrowlake", HYBRID + ",pmusim-skid=50"),
    ("lunarlake", HYBRID + ",pmusim-skid=20"),
    ("clearwaterforest", "pmusim-acr-reload=0xf0,pmusim-acr-cause=0x1000000ff"),
    ("skylake", ""),
    ("icelake", ""),
    ("sapphirerapids", ""),
)
# Of the samples: so many have to be decided, whatever was done to the groups and
# however often they had to wait for their turn.
DECIDED = 0.95

# The host may have more to do than this.
PATIENCE = "watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120"

# Runs until the fuzzer has ended, and tells if perf died.
SCRIPT = """
cd /proc/sys/kernel
# A debug kernel is slow, the slower the more is counted: a tick has to be over
# before the next one, with all samples that are taken during one.
echo 25 >perf_cpu_time_max_percent
echo 750 >perf_event_max_sample_rate
echo 0 >perf_cpu_time_max_percent
cd /tmp
fuzz {seconds} {seed} &
fuzzer=$!
line()
{{
	kill -0 $fuzzer 2>/dev/null || return
	timeout -s KILL 30 sh -c "$1" >/dev/null 2>/tmp/said
	code=$?
	case $code in
	132 | 134 | 135 | 136 | 139) echo "X status $code: $1" ;;
	esac
}}
while kill -0 $fuzzer 2>/dev/null; do
{lines}
done
wait $fuzzer
"""

EVENTS = ("cycles", "instructions", "branches", "branch-misses",
          "cache-references", "cache-misses", "branch-instructions")
WORK = ("mispredict 2000 4", "payload", "true", "sh -c 'true; true'")


def perf_event(rng, pmus, group):
    terms = []
    if rng.random() < 0.7:
        terms.append(f"period={rng.choice((1000, 20000, 100003, 2**31 - 1, 2**32))}")
    if rng.random() < 0.5:
        terms.append(f"acr_mask={rng.choice((1, 2, 3, 4, 6, 7, 0x80, 2**63)):#x}")
    elif rng.random() < 0.3:
        terms.append(rng.choice((
            "ratio-to=branches:20%", "ratio-to=instructions:1/3",
            "ratio-to-prev=0.5", "acr=all", "acr=none", "name=b", "freq=999",
            "ratio-to=cycles:0")))
    if rng.random() < 0.2:
        terms.append("freeze=1")
    name = "/".join((rng.choice(pmus), ",".join([rng.choice(EVENTS), *terms]), ""))
    if group and rng.random() < 0.1:
        name = rng.choice(("cpu-clock", "dummy", "slots", "topdown-retiring"))
        return name
    return name + rng.choice(("u", "u", "k", "", "pu", "ppu", "pppu", "P", "S"))


def perf_line(rng, pmus):
    events = [perf_event(rng, pmus, True) for _ in range(rng.randint(1, 5))]
    text = ",".join(events)
    if rng.random() < 0.8:
        text = "{" + text + "}" + rng.choice(("", "", ":W", ":S", ":D"))
    who = rng.choice(("", "", "-a ", "-C 0 ", "-i ", "--per-thread "))
    what = rng.choice(WORK)
    command = rng.choice((
        f"perf stat {who}-e '{text}' {what}",
        f"perf stat {who}-d {what}",
        f"perf stat --topdown {what}",
        f"perf record -q -o /tmp/data {who}-e '{text}' {what}",
        f"perf record -q -o /tmp/data {who}-e '{text}' {what}",
        f"perf record -q -o /tmp/data {who}-b -e '{text}' {what}",
        "perf script -i /tmp/data",
    ))
    return 'line "' + command.replace('"', '\\"') + '"'


def perf_lines(rng, cpu):
    pmus = ("cpu_core", "cpu_atom", "cpu_atom") if cpu in ("arrowlake", "lunarlake") \
        else ("cpu",)
    return "\n".join(perf_line(rng, pmus) for _ in range(60))


def faults(path):
    """How many accesses of the kernel faulted; None if nobody wrote that down."""
    try:
        with open(path, encoding="utf-8") as file:
            found = re.findall(r"^\d+\tfaults\t(\d+)$", file.read(), re.M)
    except FileNotFoundError:
        return None
    return sum(int(number) for number in found) if found else None


def splats(path):
    with open(path, encoding="utf-8", errors="replace") as console:
        return [line.strip() for line in console if COMPLAINTS.search(line)]


def add_row(path, row):
    """One row a run: earlier runs stay."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    new = not os.path.exists(path)
    with open(path, "a", encoding="utf-8") as table:
        if new:
            print(*COLUMNS, sep="\t", file=table)
        print(*row, sep="\t", file=table)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", default=harness.BUILD + "/results/fuzz.tsv")
    parser.add_argument("--kernel", help="another kernel than the debug kernel")
    parser.add_argument("--then", default="", help="shell text to run at the end")
    args = parser.parse_args()

    builder = harness.Check("")
    for part in ("rootfs", "qemu", *(() if args.kernel else ("fuzz-kernel",))):
        if not builder.build(part):
            sys.exit(f"fuzz.py: cannot build {part}")

    cpu, option = MACHINES[(args.seed - 1) % len(MACHINES)]
    print(f"seed {args.seed}: {args.seconds} s on {cpu} {option}", flush=True)
    rng = random.Random(args.seed)
    place = f"fuzz-{args.seed}"
    out = f"{harness.BUILD}/check/{place}"
    stats = f"{out}-stats.tsv"
    if os.path.exists(stats):
        os.unlink(stats)
    status, text, log = harness.boot(
        place, SCRIPT.format(seconds=args.seconds, seed=args.seed,
                             lines=perf_lines(rng, cpu)) + args.then,
        "--cpu", cpu, "--quiet", "--smp", "3" if HYBRID in option else "2",
        "--cpu-option", ",".join(filter(None, (f"pmusim-stats={stats}", option))),
        "--append", f"oops=panic {PATIENCE}", "--kernel",
        args.kernel or harness.IMAGES["fuzz-kernel"],
        timeout=args.seconds + 300)

    skid = re.search(r"pmusim-skid=(\d+)", option)
    judge = Judge(int(skid[1]) if skid else 0)
    with open(out + "/output.log", encoding="utf-8", errors="replace") as output:
        for line in output:
            judge.feed(line)
    judge.finish()
    complaints = splats(out + "/console.log")
    faulted = faults(stats)
    add_row(args.table, (
        args.seed, args.seconds, judge.opened, judge.samples, len(complaints),
        "-" if faulted is None else faulted, len(judge.unjustified)))

    wrong = complaints + judge.broken + judge.unjustified
    if judge.decided < DECIDED * judge.samples or not judge.decided:
        wrong.append(f"only {judge.decided} of {judge.samples} samples decided")
    if faulted:
        wrong.append(f"{faulted} accesses of the kernel faulted")
    if faulted is None or status or not judge.opened:
        wrong.append(f"the run did not end well: {harness.tail(text, 3)}")
    print(f"seed {args.seed}: {judge.opened} groups opened, {judge.refused} events"
          f" refused, {judge.samples} samples, {judge.decided} of them decided"
          f" (else {dict(judge.undecided)}),"
          f" {len(complaints)} splats, {faulted} faults,"
          f" {len(judge.unjustified)} unjustified, {len(judge.broken)} broken")
    for line in wrong[:20]:
        print(f"  {line}")
    if wrong:
        print(f"  logs: {os.path.relpath(out)}, {os.path.relpath(log)};"
              f" again with SECONDS={args.seconds} SEED={args.seed}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
