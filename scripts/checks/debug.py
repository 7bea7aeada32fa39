# SPDX-License-Identifier: GPL-2.0
"""Selftests on the debug kernel of "make fuzz": nothing may be said about locks.

What auto counter reload puts in front of the driver is installed when the first
event needs it, and taken away a second after the last one: code is patched, under
locks that a normal kernel does not look at. The selftests do that several times.
Whether they pass is not asked here, where a tick may take as long as a test.
"""

import re

from checks.harness import IMAGES

SCRIPT = """
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
for test in /selftests/acr*; do
	timeout 600 taskset -c 0 $test 2>&1
	echo "=== ${test##*/} $?"
done
# Until what was installed is gone again.
sleep 3
awk '$NF == "x86_dyn_mutex" { print "known", $NF }' /proc/lockdep
awk '/debug_locks/ { print "alive", $NF }' /proc/lockdep_stats
"""
# The host may have more to do than this.
PATIENCE = "watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120"
PROGRAMS = ["acr", "acr_count", "acr_group", "acr_run"]


def complete(text):
    """Did all programs come to their end, with lockdep at work until then?"""
    ended = re.findall(r"^=== (\w+) [01]$", text, re.M)
    return ended == PROGRAMS and "known x86_dyn_mutex\nalive 1\n" in text


def run(check):
    for cpu in ("arrowlake", "clearwaterforest"):
        case = check.case(f"acr-locks-{cpu}", suite="debug",
                          parts=("fuzz-kernel", "rootfs", "qemu"))
        if case:
            text = case.boot(SCRIPT, "--cpu", cpu, "--kernel", IMAGES["fuzz-kernel"],
                             "--append", PATIENCE, name=f"debug-acr-locks-{cpu}",
                             timeout=1800)
            case.judge(complete(text))
