#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Measure what the emulated PMU costs the emulator.

Boots the stock kernel on QEMU without the PMU and on QEMU with it, in turn, and
times two programs in the machine: gzip of 18 MB of text, and a loop of four
instructions. With the PMU they run twice, with idle counters and under four
events counted in user and kernel mode. The best of the rounds counts. Writes
build/results/speed.tsv; fails when a ratio is above its limit.
"""

import argparse
import os
import subprocess
import sys

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
EVENTS = "cycles,instructions,branches,branch-misses"
LIMITS = {("gzip", "idle"): 1.03, ("spin", "idle"): 1.03,
          ("gzip", "counting"): 1.5, ("spin", "counting"): 3.0}

GUEST = """
now() {{ cut -d' ' -f1 /proc/uptime; }}
seq 1 2400000 >/tmp/text
measure() {{
    a=$(now); "$@" >/dev/null; b=$(now)
    echo "$a $b" | awk -v n="$name" '{{ print "time", n, $2 - $1 }}'
}}
for name in gzip spin; do
    case $name in
    gzip) set -- gzip -c /tmp/text ;;
    spin) set -- spin ;;
    esac
    measure {prefix} "$@"
done
"""


def output_of(*command, **env):
    return subprocess.run(command, cwd=TOP, check=True, text=True,
                          env={**os.environ, **env},
                          stdout=subprocess.PIPE).stdout


def boot(qemu, kernel, variant):
    prefix = f"perf stat -o /tmp/stat -e {EVENTS}" if variant == "counting" \
        else ""
    plain = variant == "plain"
    output_of(
        "tools/testing/machine/run", "--qemu", qemu, "--kernel", kernel,
        "--smp", "1", "--append", "nmi_watchdog=0", "--quiet",
        "--out", f"build/speed/{variant}", "--cpu", "clearwaterforest",
        *(["--no-pmu"] if plain else []), "--", GUEST.format(prefix=prefix),
        **({"QEMU_CPU": "Skylake-Client"} if plain else {}))
    with open(f"{TOP}/build/speed/{variant}/output.log", encoding="utf-8") as f:
        rows = [line.split() for line in f if line.startswith("time ")]
    return {row[1]: float(row[2]) for row in rows}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kernel", help="another kernel image")
    args = parser.parse_args()

    kernel = args.kernel or output_of("scripts/build-kernel.sh",
                                      "stock").strip()
    qemus = {
        "plain": output_of("scripts/build-qemu.sh", "--plain").strip(),
        "idle": output_of("scripts/build-qemu.sh").strip(),
    }
    qemus["counting"] = qemus["idle"]
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
