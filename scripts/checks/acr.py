# SPDX-License-Identifier: GPL-2.0
"""Auto counter reload, recorded by perf in the test machine."""

import re
import subprocess
import time

from checks.harness import BUILD, IMAGES, TOP, boot, tail

# The perf of the distribution, older than the series, knows sysfs only.
DISTRIBUTION_PERF = "/usr/bin/perf"
DISTRIBUTION = r"""
cd /tmp
taskset -c 1 distribution-perf record -q -o data -e \
"{cpu_atom/branch-misses,period=2000,acr_mask=0x2/u,cpu_atom/branch-instructions,period=10000,acr_mask=0x3/u}" mispredict
distribution-perf script -i data -F event,ip,sym | awk '{ print $3 }' | sort | uniq -c
"""
# Ways to record "more than 20 % mispredicted" on PMU P. Each leaves a file of
# its name. mispredict is over before perf could attach, unless it has a lot to do.
ACR_RECORDS = r"""
misses=$P/branch-misses base=$P/branch-instructions
ratio="{$misses,ratio-to=branch-instructions:20%/u,$base,period=10000/u}"
on() { name=$1; shift; taskset -c 1 perf record -q -o $name "$@" 2>&1; }
cd /tmp
on ratio -e "$ratio" mispredict
on fraction -e "{$misses,ratio-to=branches:1/5/u,$base,period=10000/u}" mispredict
on prev -e "{$misses,period=2000/u,$base,ratio-to-prev=5/u}" mispredict
on count -c 10000 -e "{$misses,ratio-to=branches:0.2/u,$base/u}" mispredict
on names -e "{$misses,period=2000,acr=b/u,$base,name=b,period=10000,acr=all/u}" mispredict
on mask -e "{$misses,period=2000,acr_mask=0x2/u,$base,period=10000,acr_mask=0x3/u}" mispredict
on legacy -e "{branch-misses/ratio-to=branches:20%/u,branches/period=10000/u}" mispredict
on legacy-mask -e "{branch-misses/period=2000,acr_mask=0x2/u,branches/period=10000,acr_mask=0x3/u}" mispredict
on moved -e "{$base,period=10000,acr_mask=0x3/u,$misses,period=2000,acr_mask=0x1/u}" mispredict
on two -e "{$misses,ratio-to=branches:20%/u,$P/cache-misses,ratio-to=branches:9/u,$base,period=10000/u}" mispredict
on precise -e "{$misses,ratio-to=branches:20%/ppu,$base,period=10000/u}" mispredict
on precise-max -e "{$misses,ratio-to=branches:20%/Pu,$base,period=10000/u}" mispredict
on per-thread --per-thread -e "$ratio" mispredict
on no-inherit -i -e "$ratio" mispredict
on inherit -e "$ratio" sh -c 'mispredict & wait'
on cpu -C 1 -e "$ratio" mispredict
on all -a -e "$ratio" mispredict
taskset -c 1 mispredict --only 2 40000 1000000 &
busy=$!
perf record -q -o process -e "$ratio" -p $busy sleep 1
perf record -q -o thread -e "$ratio" -t $busy sleep 1
kill $busy
for name in *; do
	[ -f $name ] || continue
	perf script -i $name -F event,ip,sym | awk -v name=$name \
		'{ n[$3]++ } END { for (s in n) print "samples", name, s, n[s] }'
done
perf evlist -v -i ratio | sed -n 's/^/words /; /reloaded/p'
perf report --header-only -i ratio | sed -n 's/^# auto counter reload: /header /p'
perf script --header-only -i ratio | sed -n 's/^# auto counter reload: /script /p'
taskset -c 1 perf stat -e "$ratio" mispredict 2>&1 | sed -n 's/^/stat /; /no totals/p'
perf record -q -e "$ratio:S" true 2>&1 | sed -n "s,^,refused ,; /no totals/p"
"""
ACR_NAMES = ("ratio fraction prev count names mask legacy legacy-mask moved two"
             " precise precise-max per-thread no-inherit inherit cpu all process"
             " thread").split()
ACR_WORDS = ("branch-misses is reloaded by branch-instructions; samples when"
             " branch-misses/branch-instructions > 20 %\n",
             "branch-instructions is reloaded by branch-misses and itself; takes"
             " no samples\n")


def acr_records(check, cpu, pmu):
    """Whatever way the group is written and recorded, it samples in loop2."""
    if not any(check.wants("perftest", f"acr-{name}-{cpu}")
               for name in ACR_NAMES + ["told"]):
        return
    start = time.monotonic()
    status, text, log = boot(f"perftest-acr-{cpu}", f"P={pmu}\n" + ACR_RECORDS,
                             "--cpu", cpu)
    found = {name: {} for name in ACR_NAMES}
    for name, symbol, number in re.findall(r"^samples (\S+) (\S+) (\d+)$", text,
                                           re.M):
        found.setdefault(name, {})[symbol] = int(number)
    for name in ACR_NAMES:
        check.record("perftest", f"acr-{name}-{cpu}", "pass" if
                     list(found[name]) == ["loop2"] and found[name]["loop2"] > 20
                     else "fail", 0, log, f"samples: {found[name]}")
    told = all(word + " " + line in text for word in ("words", "header", "script")
               for line in ACR_WORDS) and "stat WARNING" in text \
        and "\nrefused " in text
    check.record("perftest", f"acr-told-{cpu}",
                 "pass" if told and not status else "fail",
                 time.monotonic() - start, log, tail(text))


def acr_distribution(check):
    """An unmodified perf records with masks in the syntax of PMUs."""
    test = "acr-distribution-perf"
    if not check.wants("perftest", test):
        return
    start = time.monotonic()
    linked = subprocess.run(["ldd", DISTRIBUTION_PERF], capture_output=True,
                            text=True, check=False)
    if linked.returncode:
        check.record("perftest", test, "skip")
        return
    files = [f"--add={DISTRIBUTION_PERF}=/usr/bin/distribution-perf"]
    files += [f"--add={path}={path}" for path in
              re.findall(r"(/\S+) \(0x", linked.stdout)]
    status, text, log = boot(f"perftest-{test}", DISTRIBUTION, *files)
    # An older perf says that it does not know the format of another feature.
    said = re.sub(r"^WARNING: '\S+' format 'freeze' requires .*\n", "", text,
                  flags=re.M)
    right = re.fullmatch(r"\s*\d{2,} loop2\s*", said)
    check.record("perftest", test, "pass" if right and not status else "fail",
                 time.monotonic() - start, log, tail(text))


def mainline(check):
    """Mainline's own driver samples where ours does, on the emulated CPU."""
    test = "acr-mainline-arrowlake"
    if check.wants("machine", test) and check.need("machine", "rootfs", "qemu",
                                                   "mainline"):
        check.run("machine", test, [
            TOP + "/scripts/demo.py", "--out", BUILD + "/check/" + test,
            "--kernel", IMAGES["mainline"], "--strays", "2",
            "--table", f"{BUILD}/check/{test}.tsv"])


def run(check):
    mainline(check)


def run_perf(check):
    acr_records(check, "arrowlake", "cpu_atom")
    acr_records(check, "clearwaterforest", "cpu")
    acr_distribution(check)
