# SPDX-License-Identifier: GPL-2.0
"""Auto counter reload: the order in which the driver writes its registers."""

import re
import time

from checks.harness import BUILD, MACHINE_PARTS, boot, spelled

GLOBAL_CTRL, FIXED_CTRL = 0x38f, 0x38d
GP, FIXED, LAST = 0x1900, 0x1980, 0x19ff
CFG_A, CFG_B, CFG_C = 1, 2, 3
ENABLE = 1 << 22
FIXED_ENABLE = 3
WRITE = re.compile(r"pmusim_wrmsr cpu (\d+) msr 0x([0-9a-f]+)"
                   r" value 0x([0-9a-f]+) fault (\d)")
# What changes masks in every way there is: all of the selftest, but for the
# tests that write the registers themselves.
SCRIPT = """
for test in run group count; do
	taskset -c {} /selftests/acr_$test -T acr_b25_leftovers \
		-T acr_d6_cache_is_forgotten >/tmp/log || cat /tmp/log
	grep '^# Totals' /tmp/log
done
"""


class Cpu:
    """What the writes so far have made of one CPU."""

    def __init__(self):
        self.on = 0
        self.cause = {}
        self.started = set()
        self.fixed = 0


def which(msr):
    """(counter index, register) of an MSR of version 6, or None."""
    if not GP <= msr <= LAST:
        return None
    base, first = (FIXED, 32) if msr >= FIXED else (GP, 0)
    return first + (msr - base) // 4, (msr - base) % 4


def judge(trace):
    """Complaints by requirement, and how many masks other than 0 were written."""
    cpus, masks = {}, 0
    wrong = {"faults": [], "running": [], "order": [], "reload": []}
    for match in WRITE.finditer(trace):
        number, msr, value, fault = (match[1], int(match[2], 16),
                                     int(match[3], 16), match[4])
        cpu = cpus.setdefault(number, Cpu())
        if msr == GLOBAL_CTRL:
            cpu.on = value
            cpu.started.clear()
        elif msr == FIXED_CTRL:
            new = {32 + i for i in range(16)
                   if value >> 4 * i & FIXED_ENABLE and
                   not cpu.fixed >> 4 * i & FIXED_ENABLE}
            cpu.started |= new
            cpu.fixed = value
        found = which(msr)
        if not found:
            continue
        counter, register = found
        if register == CFG_A and counter < 32 and value & ENABLE:
            cpu.started.add(counter)
        if register not in (CFG_B, CFG_C):
            continue
        if fault != "0":
            wrong["faults"].append(match[0])
        if cpu.on:
            wrong["running"].append(match[0])
        if counter in cpu.started:
            wrong["order"].append(match[0])
        if register == CFG_B:
            cpu.cause[counter] = value
            masks += bool(value)
        elif cpu.cause.get(counter):
            wrong["reload"].append(match[0])
    return wrong, masks


TESTS = {
    "acr_b3_no_write_faults": ("faults",),
    "acr_b27_masks_are_written_while_the_pmu_is_off": ("running", "reload"),
    "acr_e11_mask_before_enable_on_all_counters": ("order",),
}


def on(check, cpu, number):
    tests = {spelled(f"{cpu}.{name}"): kinds for name, kinds in TESTS.items()}
    if not any(check.wants("machine", test) for test in tests) or \
            not check.need("machine", *MACHINE_PARTS):
        return
    start = time.monotonic()
    name = f"acr-trace-{cpu}"
    status, text, log = boot(name, SCRIPT.format(number),
                             "--cpu", cpu, "--qemu-option=-trace",
                             "--qemu-option=pmusim_wrmsr", timeout=600)
    with open(f"{BUILD}/check/{name}/qemu.log", encoding="utf-8",
              errors="replace") as trace:
        wrong, masks = judge(trace.read())
    for test, kinds in tests.items():
        reasons = [line for kind in kinds for line in wrong[kind]]
        if status:
            reasons.append(f"status {status}\n{text}")
        if masks < 50 or text.count("Totals") != 3:
            reasons.append(f"only {masks} masks were written")
        check.record("machine", test, "fail" if reasons else "pass",
                     time.monotonic() - start, log, "\n".join(reasons[:8]))


def run(check):
    on(check, "arrowlake", 1)
    on(check, "clearwaterforest", 0)
