#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Show what auto counter reload does, on the emulated Arrow Lake.

A program has two loops: of all branches, about 11 % are mispredicted with
loop1 and 21 % with loop2. "Where are more than 20 % mispredicted?" is what the
ACR group asks: 2000 misses before 10000 branches. Writes demo.tsv; exit 0 if
classic sampling hit both loops, every ACR sample lies in loop2, on its compare
and jump, and masks and periods by hand give samples at the same addresses as the
ratio that perf derives them from.
"""

import argparse
import collections
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MACHINE = TOP + "/tools/testing/machine"
PLACES = ("loop1", "loop2", "other")
RUNS = ("classic", "acr")
# What perf has to make of the ratio
MASKS = ("{cpu_atom/branch-misses,period=2000,acr_mask=0x2/ppu,"
         "cpu_atom/branch-instructions,period=10000,acr_mask=0x3/u}")
# Misses of all branches, in per cent, on the model's predictor
EXPECTED = {"program-loop1": (10, 12.5), "program-loop2": (20, 23)}

# demo.sh leaves lines like "   615 cpu_atom/branch-misses/u: loop2"
SAMPLES = re.compile(r"\s*(?P<number>\d+) (?P<event>\S+): ?(?P<symbol>\S*)")

# and of each sample its event and address
ADDRESS = re.compile(r"\s*(?P<event>\S+):\s+(?P<address>[0-9a-f]+)\s*")
# perf annotate has lines like "     413       0 :   10001785:       jle    10..."
ANNOTATED = re.compile(r"(?P<samples>[\d ]+) :\s+[0-9a-f]+:\s+(?P<code>\S.*)")
# What mispredicts in loop2: "if (array[i] >= 128)", an element each turn.
COMPARE = re.compile(r"cmp +\$0x7f,")
JUMP = re.compile(r"j[a-z]+ ")


def read(path):
    with open(path, encoding="utf-8") as source:
        return source.read()


def short(event):
    """branch-misses of cpu_atom/branch-misses,period=2000,.../u."""
    match = re.search(r"branch-[a-z]+", event)
    return match.group() if match else event


def count(text):
    """{event: {place: samples}} of a .samples file."""
    events = collections.defaultdict(lambda: dict.fromkeys(PLACES, 0))
    for line in text.splitlines():
        match = SAMPLES.fullmatch(line)
        if not match:
            sys.exit(f"demo: cannot read '{line}'")
        place = match["symbol"] if match["symbol"] in PLACES else "other"
        events[short(match["event"])][place] += int(match["number"])
    return events


def addresses(text):
    """[(event, address)] of an .addresses file, in the order of the samples."""
    found = [ADDRESS.fullmatch(line) for line in text.splitlines()]
    if None in found:
        sys.exit("demo: cannot read the addresses of samples")
    return [(short(match["event"]), match["address"]) for match in found]


def boot(kernel, out, cpu):
    command = [MACHINE + "/run", "--cpu", cpu, "--out", out, "--timeout", "120"]
    if kernel:
        command += ["--kernel", kernel]
    with open(MACHINE + "/demo.sh", encoding="utf-8") as script:
        return subprocess.run(command + ["-"], stdin=script, check=False).returncode


def measured(out):
    """{name: (branches, misses, percent)} of the rates file."""
    rows = (line.split() for line in read(out + "/rates").splitlines())
    return {name: (branches, misses, float(percent))
            for name, branches, misses, percent in rows}


def annotated(text):
    """[(samples, instruction)] of perf annotate, in the order of the code."""
    return [(sum(map(int, match["samples"].split())), match["code"])
            for match in map(ANNOTATED.match, text.splitlines()) if match]


def misplaced(code):
    """Samples that are neither on the compare nor on the jump behind it."""
    before, wrong = "", 0
    for samples, text in code:
        if not COMPARE.match(text) and not (COMPARE.match(before) and
                                            JUMP.match(text)):
            wrong += samples
        before = text
    return wrong


def judge(counts, rates, code, places, masks=MASKS, strays=0):
    """What is wrong, as a list of sentences. @places has the addresses of "acr"
    and "masks"."""
    wrong = []
    for name, (low, high) in EXPECTED.items():
        if not low <= rates[name][2] <= high:
            wrong.append(f"{name} mispredicts {rates[name][2]} %, expected"
                         f" {low} to {high} %")
    if sum(counts["acr"]["branch-instructions"].values()):
        wrong.append("ACR has samples of branch-instructions, which reloads"
                     " itself")
    for place in ("loop1", "loop2"):
        if not sum(event[place] for event in counts["classic"].values()):
            wrong.append(f"classic sampling has no sample in {place}")
    acr = counts["acr"].values()
    in_loop2 = sum(event["loop2"] for event in acr)
    if not in_loop2:
        wrong.append("ACR has no sample in loop2")
    elsewhere = sum(event["loop1"] + event["other"] for event in acr)
    if elsewhere > strays:
        wrong.append(f"ACR has {elsewhere} samples outside loop2")
    if sum(samples for samples, _ in code) != in_loop2:
        wrong.append(f"perf annotate does not show the {in_loop2} samples in loop2")
    off_test = misplaced(code)
    # Where there are strays, they shift what comes behind them.
    slack = max(strays, in_loop2 // 100) if strays else 0
    if off_test > slack:
        wrong.append(f"{off_test} samples are not on the compare and jump of loop2")
    if masks != MASKS:
        wrong.append(f"perf made '{masks}' of the ratio, expected '{MASKS}'")
    if len(places["acr"]) != sum(sum(event.values()) for event in acr):
        wrong.append(f"perf script has addresses of {len(places['acr'])} samples")
    by_ratio, by_masks = (collections.Counter(places[run])
                          for run in ("acr", "masks"))
    other = sum(((by_ratio - by_masks) + (by_masks - by_ratio)).values())
    if other > slack:
        wrong.append(f"{len(places['acr'])} samples by ratio, {len(places['masks'])}"
                     f" by masks, of which {other} have no counterpart")
    return wrong


def write(path, counts, sizes):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as table:
        print("run", "event", *PLACES, "bytes", sep="\t", file=table)
        for run in RUNS:
            for event, places in sorted(counts[run].items()):
                print(run, event, *places.values(), sizes[run], sep="\t",
                      file=table)


def show(out, counts, sizes):
    print("\nBranches mispredicted, counted on the E-core:")
    for name, (branches, misses, percent) in measured(out).items():
        what = name.replace("program-", "a program with only ")
        print(f"  {what}: {misses} of {branches} = {percent} %")
    for run, title in (("classic", "Classic sampling, a sample each 2000:"),
                       ("acr", "Auto counter reload, a sample only where 2000"
                               " misses come before 10000 branches:")):
        print(f"\n{title}")
        for line in read(f"{out}/{run}.report").splitlines():
            if "%" in line:
                print(f"  {line.strip()}")
        for event, places in sorted(counts[run].items()):
            spread = ", ".join(f"{n} in {place}" for place, n in places.items())
            print(f"  samples of {event}: {spread}")
        print(f"  perf.data: {sizes[run]} bytes")
    print("  perf annotate:")
    before = ""
    for samples, text in annotated(read(out + "/annotated")):
        if samples:
            print(f"            {before}\n    {samples:7} {text}")
        before = text
    by_masks = sum(sum(places.values()) for places in counts["masks"].values())
    print(f"  The ratio stands for  perf record -e '{read(out + '/masks').strip()}'")
    print(f"  which takes {by_masks} samples. perf explains:")
    for line in read(out + "/words").splitlines():
        print(f"    {line}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel", help="another kernel image")
    parser.add_argument("--cpu", default="arrowlake")
    parser.add_argument("--strays", type=int, default=0,
                        help="ACR samples outside loop2 that another driver may"
                             " have")
    parser.add_argument("--out", default=TOP + "/build/demo")
    parser.add_argument("--table", default=TOP + "/build/results/demo.tsv")
    args = parser.parse_args()

    status = boot(args.kernel, args.out, args.cpu)
    if status:
        print(f"demo: the test machine ended with {status}; logs are in"
              f" {args.out}", file=sys.stderr)
        return 1
    counts = {run: count(read(f"{args.out}/{run}.samples"))
              for run in RUNS + ("masks",)}
    sizes = {run: int(read(f"{args.out}/{run}.bytes")) for run in RUNS}
    write(args.table, counts, sizes)
    show(args.out, counts, sizes)

    wrong = judge(counts, measured(args.out),
                  annotated(read(args.out + "/annotated")),
                  {run: addresses(read(f"{args.out}/{run}.addresses"))
                   for run in ("acr", "masks")},
                  read(args.out + "/masks").strip(), args.strays)
    if wrong:
        print("\ndemo: " + "; ".join(wrong), file=sys.stderr)
        return 1
    samples = {run: sum(sum(places.values()) for places in counts[run].values())
               for run in RUNS}
    print(f"\nFound: all {samples['acr']} ACR samples lie in loop2, the loop"
          f" above 20 %; classic sampling took {samples['classic']} samples in"
          f" both\nloops and {sizes['classic'] / sizes['acr']:.1f} times the"
          f" data, and does not tell them apart. Table:"
          f" {os.path.relpath(args.table)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
