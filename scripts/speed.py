#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Measure what the emulated PMU costs the emulator.

Boots the stock kernel on QEMU without the PMU and on QEMU with it, in turn, and
takes the emulator's processor time for two programs in the machine: gzip of
18 MB of text, and a loop of four instructions. With the PMU they run with idle
counters, under four events counted in user and kernel mode, under PEBS, with an
event sampled that hardly happens, and with branches recorded. The best of the rounds counts. Writes
build/results/speed.tsv; fails when a ratio is above its limit.
"""

import argparse
import os
import subprocess
import sys

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
EVENTS = "cycles,instructions,branches,branch-misses"
LIMITS = {("gzip", "idle"): 1.03, ("spin", "idle"): 1.03,
          ("gzip", "counting"): 1.5, ("spin", "counting"): 3.0,
          ("gzip", "pebs"): 10.0, ("spin", "pebs"): 10.0,
          ("gzip", "rare"): 10.0, ("spin", "rare"): 10.0,
          ("gzip", "lbr"): 10.0, ("spin", "lbr"): 10.0}

GUEST = """
seq 1 2400000 >/tmp/text
for name in gzip spin; do
    case $name in
    gzip) set -- gzip -c /tmp/text ;;
    spin) set -- spin ;;
    esac
    echo "begin $name"
    {prefix} "$@" >/dev/null
    echo "end $name"
done
"""
PREFIX = {
    "counting": f"perf stat -o /tmp/out -e {EVENTS}",
    "pebs": "perf record -q -o /tmp/out -e instructions:pp -c 1000003",
    "rare": "perf record -q -o /tmp/out -e cache-misses:pp -c 2",
    "lbr": "perf record -q -o /tmp/out -b -e branches -c 1000003",
}


def output_of(*command, **env):
    return subprocess.run(command, cwd=TOP, check=True, text=True,
                          env={**os.environ, **env},
                          stdout=subprocess.PIPE).stdout


def cpu_seconds(run):
    """User and system time of the emulator below the process @run."""
    with open(f"/proc/{run.pid}/task/{run.pid}/children", encoding="utf-8") as f:
        child = f.read().split()[0]
    with open(f"/proc/{child}/stat", encoding="utf-8") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def boot(qemu, kernel, variant):
    plain = variant == "plain"
    command = [
        "tools/testing/machine/run", "--qemu", qemu, "--kernel", kernel,
        "--smp", "1", "--timeout", "900",
        "--out", f"build/speed/{variant}", "--cpu", "clearwaterforest",
        *(["--no-pmu"] if plain else []), "--",
        GUEST.format(prefix=PREFIX.get(variant, ""))]
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    if plain:
        env["QEMU_CPU"] = "Skylake-Client"
    marks, found = {}, {}
    with subprocess.Popen(command, cwd=TOP, text=True, env=env,
                          stdout=subprocess.PIPE) as run:
        for line in run.stdout:
            what, _, name = line.strip().partition(" ")
            if what == "begin":
                marks[name] = cpu_seconds(run)
            elif what == "end":
                found[name] = cpu_seconds(run) - marks[name]
    if run.returncode or len(found) != 2:
        sys.exit(f"speed.py: the machine failed, see build/speed/{variant}")
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kernel", help="another kernel image")
    parser.add_argument("--only", help="variants, with commas between")
    args = parser.parse_args()

    kernel = args.kernel or output_of("scripts/build-kernel.sh",
                                      "stock").strip()
    qemus = {
        "plain": output_of("scripts/build-qemu.sh", "--plain").strip(),
        "idle": output_of("scripts/build-qemu.sh").strip(),
    }
    for variant in PREFIX:
        qemus[variant] = qemus["idle"]
    if args.only:
        qemus = {variant: qemus[variant] for variant in
                 ["plain", *args.only.split(",")]}
    best = {}
    for number in range(args.rounds):
        for variant, qemu in qemus.items():
            for name, seconds in boot(qemu, kernel, variant).items():
                key = name, variant
                best[key] = min(seconds, best.get(key, seconds))
            print(f"round {number + 1} of {args.rounds}: {variant} done",
                  file=sys.stderr)

    failed = 0
    os.makedirs(TOP + "/build/results", exist_ok=True)
    with open(TOP + "/build/results/speed.tsv", "w", encoding="utf-8") as tsv:
        print("program\tvariant\tseconds\tratio\tlimit", file=tsv)
        for (name, variant), seconds in sorted(best.items()):
            ratio = seconds / best[name, "plain"]
            limit = LIMITS.get((name, variant))
            failed += limit is not None and ratio > limit
            row = (name, variant, f"{seconds:.2f}", f"{ratio:.3f}",
                   f"{limit or '-'}")
            print(*row, sep="\t")
            print(*row, sep="\t", file=tsv)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
