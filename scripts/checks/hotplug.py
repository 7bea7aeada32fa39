# SPDX-License-Identifier: GPL-2.0
"""A CPU that was offline counts as it did before."""

import re

PEBS = """
cd /tmp
record()
{{
	taskset -c 1 perf record -q -c 100003 -e {pmu}/instructions/upp \\
		--intr-regs=ip,ax,r12 -o data payload || exit 1
	perf script -i data -F ip,iregs
}}
record >before
echo 0 >/sys/devices/system/cpu/cpu1/online
echo 1 >/sys/devices/system/cpu/cpu1/online
record >after
echo "samples $(wc -l <before)"
cmp before after && echo same
"""


def pebs(check):
    """Records have the registers that they had before the CPU went."""
    for cpu, pmu in (("arrowlake", "cpu_atom"), ("icelake", "cpu")):
        case = check.case(f"pebs-after-hotplug-{cpu}")
        if not case:
            continue
        text = case.boot(PEBS.format(pmu=pmu), "--cpu", cpu)
        samples = re.search(r"^samples (\d+)$", text, re.M)
        case.judge(samples and int(samples[1]) > 10 and text.endswith("\nsame\n"))


def run(check):
    pebs(check)
