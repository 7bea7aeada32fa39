# SPDX-License-Identifier: GPL-2.0
"""The PMU across suspend, kexec and a lockup, with counters that may freeze."""

import re

from checks.harness import IMAGES, MACHINE_PARTS, tail

SWITCH = "echo 1 >/sys/bus/event_source/devices/cpu/freeze_counters\n"
# Armed for as long as it runs
BUSY = "topdown retiring forever"
SAMPLER = "perf record -q -o /dev/null -e cpu/instructions,period=100003,freeze=1/u"
ACTIVE = """
until grep -q '^active: {}$' /sys/bus/event_source/devices/cpu/freeze_counters_state
do
	usleep 50000
done
"""
FROZEN = 1 << 59
FREEZES = 1 << 12
INSTRUCTIONS = 30004009
PERIOD = 10007

# Of each CPU: registers, and whether it counts and samples.
ALIVE = """
state=/sys/bus/event_source/devices/cpu/freeze_counters_state
for cpu in 0 1; do
	echo "debugctl $(pmusim $cpu read 0x1d9)"
	echo "status $(pmusim $cpu read 0x38e)"
	taskset -c $cpu perf stat -x, -e instructions:u payload 2>&1 |
		sed -n 's/^\\([0-9]*\\),,instr.*/counted \\1/p'
	taskset -c $cpu perf record -q -o /tmp/data -c {period} -e instructions:u payload
	echo "sampled $(perf script -i /tmp/data -F ip | wc -l)"
done
""".format(period=PERIOD)


def values(name, text):
    return [int(value, 0) for value in
            re.findall(rf"^{name} (\w+)$", text, re.M)]


def is_alive(text, status=~0):
    """Both CPUs count and sample right, and nothing of a freeze is left."""
    return values("counted", text) == 2 * [INSTRUCTIONS] and \
        values("sampled", text) == 2 * [INSTRUCTIONS // PERIOD] and \
        [value & FREEZES for value in values("debugctl", text)] == [0, 0] and \
        [value & status for value in values("status", text)] == [0, 0]


# SeaBIOS: qboot does not know of a resume. It leaves the registers of power
# management unmapped, which are what PCI configuration 0x40 to 0x47 says.
RESUMES = ("--qemu-option=-bios", "--qemu-option=bios-256k.bin")
SUSPEND = SWITCH + f"""
bridge=/sys/bus/pci/devices/0000:00:1f.0/config
dd if=$bridge of=/tmp/bridge bs=1 skip=64 count=8 2>/dev/null
# One that stays on the CPU while tasks are frozen, and one that counts afterwards
{SAMPLER} -C 0 sleep 1000 &
taskset -c 0 {SAMPLER} {BUSY} &
look() {{
	# Who looks from CPU 0 takes it from the sampled program.
	taskset -p 2 $$ >/dev/null
	{ACTIVE.format("0")}
	echo "$1 $(pmusim 0 read 0x1d9)"
	before=$(pmusim 0 stats | sed -n 's/^pmis //p')
	sleep 0.5
	echo "pmis $(($(pmusim 0 stats | sed -n 's/^pmis //p') - before))"
}}
for round in 1 2; do
	look before
	echo +6 >/sys/class/rtc/rtc0/wakealarm
	echo mem >/sys/power/state
	echo "resumed $?"
	dd if=/tmp/bridge of=$bridge bs=1 seek=64 conv=notrunc 2>/dev/null
	look after
done
killall topdown sleep
wait
""" + ALIVE


def suspend(check):
    """A sleep makes the boot CPU's registers forget what the kernel believes."""
    case = check.case("pmi-suspend-to-ram")
    if not case:
        return
    text = case.boot(SUSPEND, "--cpu", "skylake", *RESUMES)
    armed, pmis = values("(?:before|after)", text), values("pmis", text)
    case.judge(text.count("resumed 0\n") == 2 and len(armed) == 4 and
               all(value & FREEZES for value in armed) and
               len(pmis) == 4 and min(pmis) > 10 and is_alive(text), tail(text, 40))


# The next kernel finds the file system of this one, and what it has to do.
NEXT = """
mkdir /tmp/next
cat >/tmp/next/cmd <<'END'
echo "== next $(uname -r)"
{after}
END
cd /
find . -xdev ! -path './tmp/*' ! -path ./cmd ! -path './boot/*' |
	cpio -o -H newc >/tmp/initrd
cd /tmp/next
echo cmd | cpio -o -H newc >>/tmp/initrd
options=$(sed 's/crashkernel=[^ ]*//' /proc/cmdline)
kexec {load} /boot/bzImage /tmp/initrd "$options no_timer_check" || exit 1
# Output that is still on its way would be torn.
sleep 1
"""
GO = "kexec go\n"
# A kernel that does not know of freezing, behind one that is about to freeze
ARMED = SWITCH + NEXT + f"""
{SAMPLER} -a {BUSY} &
{ACTIVE.format("0-1")}
pmusim 0 write 0x391 {FROZEN:#x}
pmusim 1 write 0x391 {FROZEN:#x}
""" + GO
# Or one that crashes, on a CPU from which the other one can be started
CRASHED = SWITCH + NEXT + f"""
{SAMPLER} -a {BUSY} &
{ACTIVE.format("0-1")}
for cpu in 0 1; do
	pmusim $cpu write 0x391 {FROZEN:#x}
	echo "left $(pmusim $cpu read 0x1d9) $(pmusim $cpu read 0x38e)"
done
sleep 1
taskset -c 0 sh -c 'echo c >/proc/sysrq-trigger'
"""
MEMORY = "crashkernel=384M"
# What a kernel that crashed may have left
LEFT = NEXT + f"""
for cpu in 0 1; do
	pmusim $cpu write 0x1d9 $(($(pmusim $cpu read 0x1d9) | {FREEZES:#x}))
	pmusim $cpu write 0x391 {FROZEN:#x}
	echo "left $(pmusim $cpu read 0x1d9) $(pmusim $cpu read 0x38e)"
done
sleep 1
""" + GO


def kexec(check):
    """A freeze does not get into the next kernel, or does not last there."""
    left = rf"^(left 0x\w*[13579bdf]\w\w\w {FROZEN:#x}\n){{2}}"
    for name, script, before, following in (
            ("armed-into-stock", ARMED, "", "stock"),
            ("crash-into-stock", CRASHED, left, "stock"),
            ("leftovers", LEFT, left, "series")):
        case = check.case(f"pmi-kexec-{name}", parts=(
            following.replace("series", "kernel"), *MACHINE_PARTS))
        if not case:
            continue
        options, load, bits = (), "load", ~0
        if script == CRASHED:
            # What counted when the kernel crashed looks like firmware's to the
            # next, goes on and overflows there, with or without freezing.
            options = ("--append", MEMORY, "--allow", "Kernel panic|Call Trace"
                       "|corrupted hw-PMU resources|Uhhuh. NMI received")
            load, bits = "on-crash", FROZEN
        text = case.boot(
            script.replace("{after}", ALIVE).replace("{load}", load), "--cpu",
            "skylake", "--add", f"{IMAGES[following]}=boot/bzImage", *options)
        first, _, second = text.partition("== next")
        case.judge(re.search(before, first, re.M) and is_alive(second, bits),
                   tail(text, 40))


# A cause mask of each counter that can be reloaded, with the counter's own bit: it
# would not say that it overflows. Events on all counters sample equally often.
CAUSES = 0xfc
COUNTERS = 8
LEFT_CAUSES = NEXT + f"""
for cpu in 0 1; do
	for idx in 2 3 4 5 6 7; do
		msr=$((0x1902 + 4 * idx))
		pmusim $cpu write $msr {CAUSES:#x}
		echo "left $(pmusim $cpu read $msr)"
	done
done
sleep 1
""" + GO
CLEARED = """
for cpu in 0 1; do
	for idx in 2 3 4 5 6 7; do
		echo "mask $(pmusim $cpu read $((0x1902 + 4 * idx)))"
	done
	taskset -c $cpu perf record -q -o /tmp/data -e '{%s}' payload
	perf script -i /tmp/data -F event | sort | uniq -c |
		sed 's/^ *\\([0-9]*\\) .*/each \\1/'
done
""" % ",".join(f"cpu/event=0xc4,name=b{i},period=100003/u" for i in range(COUNTERS)) \
    + ALIVE


def kexec_causes(check):
    """Nor do cause masks of auto counter reload."""
    case = check.case("acr-B25-leftovers-of-kexec")
    if not case:
        return
    text = case.boot(LEFT_CAUSES.replace("{after}", CLEARED).replace("{load}", "load"),
                     "--cpu", "clearwaterforest",
                     "--add", f"{IMAGES['series']}=boot/bzImage")
    first, _, second = text.partition("== next")
    each = values("each", second)
    case.judge(values("left", first) == 12 * [CAUSES] and
               values("mask", second) == 12 * [0] and
               len(each) == 2 * COUNTERS and min(each) > 50 and
               max(each) - min(each) < 3 and is_alive(second))


# The watchdog's counter, fixed counter 1, is pushed towards its overflow, which
# would else take minutes. Its handler arms it again with a write. A CPU whose
# timer is masked in the local APIC is locked up as the detector sees it; nothing
# else may run there then, as nothing is preempted.
WATCHDOG = SWITCH + f"""
echo 1 >/proc/sys/kernel/nmi_watchdog
taskset -c 0 {SAMPLER} {BUSY} &
{ACTIVE.format("0")}
for round in 1 2 3 4 5 6 7 8 9 10; do
	before=$(pmusim 0 msr 0x30a | cut -d' ' -f2)
	pmusim 0 write 0x30a 0xffffffff0000
	sleep 0.1
	echo "pushed $(($(pmusim 0 msr 0x30a | cut -d' ' -f2) - before))"
done
dmesg | grep -c 'hard LOCKUP' | sed 's/^/early /'
killall topdown
wait
echo 1 >/proc/sys/kernel/watchdog_thresh
cat >/tmp/locked <<'END'
timer=$(devmem 0xfee00320 32)
devmem 0xfee00320 32 $((timer | 0x10000))
round=0
while [ $round -lt 100 ]; do
	round=$((round + 1))
	pmusim 0 write 0x30a 0xffffffff0000
done
grep '^active: 0$' /sys/bus/event_source/devices/cpu/freeze_counters_state
devmem 0xfee00320 32 $timer
devmem 0xfee00380 32 1000
END
taskset -c 0 {SAMPLER} sh /tmp/locked
dmesg | grep -c 'hard LOCKUP on cpu 0' | sed 's/^/detected /'
echo 0 >/proc/sys/kernel/nmi_watchdog
""" + ALIVE


def watchdog(check):
    """The hard lockup detector works while its counter is frozen by others."""
    case = check.case("pmi-16-watchdog-detects-lockup")
    if not case:
        return
    # RCU may notice as well that the CPU locks up
    text = case.boot(WATCHDOG, "--cpu", "skylake", "--allow",
                     "hard LOCKUP|Call Trace", "--append",
                     "rcupdate.rcu_cpu_stall_suppress=1")
    # One write is the push, one the handler's.
    case.judge(values("pushed", text) == 10 * [2] and
               values("early", text) == [0] and sum(values("detected", text)) > 0 and
               "\nactive: 0\n" in text and is_alive(text), tail(text, 40))


def run(check):
    suspend(check)
    kexec(check)
    kexec_causes(check)
    watchdog(check)
