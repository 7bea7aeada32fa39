# SPDX-License-Identifier: GPL-2.0
"""The emulated PMU: unit tests, promises of the manual, real kernels on it."""

import os
import re
import subprocess
import time

from checks.harness import (BUILD, CPUS, IMAGES, LOG, TOP, captured, emulator,
    numbers, tail, tap)

# What tools/testing/machine/workloads/payload.S says of itself.
INSTRUCTIONS, BRANCHES = 30004009, 10003001


def modeltest(check):
    start = time.monotonic()
    log = LOG + "/modeltest.log"
    status, text = captured([TOP + "/scripts/modeltest.sh"], log)
    number = tap(check, "modeltest", text, log)
    if status or not number:
        check.record("modeltest", "all", "fail", time.monotonic() - start, log,
                     tail(text))
    if check.wants("modeltest", "fuzz"):
        fuzz(check)


def fuzz(check):
    """Some seconds of fuzzing from one seed, if there is a fuzzer."""
    start = time.monotonic()
    log = LOG + "/fuzz-model.log"
    status, text = captured([TOP + "/scripts/fuzz-model.sh", "5"], log,
                            env=dict(os.environ, SEED="1"))
    check.record("modeltest", "fuzz", {0: "pass", 4: "skip"}.get(status, "fail"),
                 time.monotonic() - start, log, tail(text))


PAYLOAD = """
for cpu in 0 1; do
	taskset -c $cpu perf stat -x, -e instructions:u,branches:u payload 2>&1 |
		sed "s/^/cpu$cpu,/"
done
"""


def payload(check, kernel, cpu):
    """Boot a kernel on a CPU; every core counts the payload exactly."""
    name = f"{kernel}-{cpu}"
    tests = [f"payload-{name}-cpu{n}" for n in (0, 1)]
    case = check.case(f"console-{name}", *tests, parts=(
        "rootfs", "qemu", "kernel" if kernel == "series" else kernel))
    if not case:
        return
    text = case.boot(PAYLOAD, "--cpu", cpu, "--kernel", IMAGES[kernel], name=name)
    case.judge(True)
    for number, test in enumerate(tests):
        found = re.findall(rf"^cpu{number},(\d+),", text, re.M)
        right = found == [str(INSTRUCTIONS), str(BRANCHES)]
        check.record("machine", test, "pass" if right else "fail", 0, case.log,
                     f"instructions and branches: {' '.join(found) or 'none'},"
                     f" expected {INSTRUCTIONS} {BRANCHES}")


EXACT = """
cd /tmp
taskset -c 1 perf stat -x, -o stat -e cpu_atom/instructions/u,cpu_atom/branches/u \\
	-e cpu_atom/branch-misses/u,cpu_atom/cycles/u mispredict 3000 5
awk -F, '/cpu_atom/ { print "count", $3, $1 }' stat
for period in 10007 100000; do
	taskset -c 1 perf record -q -o data -c $period -e cpu_atom/instructions/u payload
	echo "samples $period $(perf script -i data -F event | wc -l)"
done
"""


def exact(check):
    """Samples are as many as periods fit, and blocks of code do not matter:
    the emulator counts the same when it runs instruction by instruction."""
    tests = ("samples-exact", "singlestep-equal")
    case = check.case(*tests)
    if not case:
        return
    text = case.boot(EXACT, name="exact")
    found = dict(re.findall(r"^samples (\d+) (\d+)$", text, re.M))
    expected = {str(period): str(INSTRUCTIONS // period)
                for period in (10007, 100000)}
    case.judge(found == expected,
               f"samples by period: {found}, expected {expected}")

    status = case.status
    single = case.boot(EXACT, "--qemu-option=-singlestep", name="singlestep",
                       timeout=600)
    number = len(re.findall(r"^count ", text, re.M))
    case.judge(not status and number == 4 and text == single,
               f"in blocks:\n{tail(text)}\nsingle:\n{tail(single)}", tests[1])


# Other auto counter reload than the table's: none, on the P-core only, causes
# that are fewer than what they reload, masks that overlap without nesting.
# Last the pairs of cause and reloaded counter that the program has to have tried.
OTHER_ACR = {
    "none": ("arrowlake", "pmusim-acr-reload=0", 0),
    "core-only": ("arrowlake", "pmusim-acr-reload=0,pmusim-core-acr-reload=0xfc,"
                  "pmusim-core-acr-cause=0xfc", 6 * 5),
    "few-causes": ("clearwaterforest", "pmusim-acr-cause=0xc", 2 * 6),
    "overlap": ("clearwaterforest",
                "pmusim-acr-reload=0x7,pmusim-acr-cause=0xc", 2 * 3 - 1),
}


def checklists(check):
    """The manual's promises, tried without a kernel."""
    image = BUILD + "/guest/guest.elf"
    for name, (cpu, option, pairs) in OTHER_ACR.items():
        test = f"checklist-acr-{name}"
        if not check.case(test, parts=("qemu", "guest")):
            continue
        start = time.monotonic()
        log = f"{LOG}/machine-{test}.log"
        status, text = captured([
            TOP + "/tools/testing/pmusim/guest/run", "--cpu", cpu, "--image",
            image, "--qemu", emulator(), "--cpu-option", option], log)
        tried = len(re.findall(r"^ok .*acr-\w+-reloads-\w+$", text, re.M))
        check.record("machine", test, "fail" if status or tried != pairs
                     else "pass", time.monotonic() - start, log,
                     f"{tried} pairs tried, {pairs} expected\n{tail(text)}")
    for cpu in CPUS:
        test = f"checklist-{cpu}"
        if not check.case(test, parts=("qemu", "guest")):
            continue
        check.run("machine", test, [
            TOP + "/tools/testing/pmusim/guest/run", "--cpu", cpu, "--image",
            image, "--qemu", emulator()])


CATEGORIES = ("retiring", "bad-spec", "fe-bound", "be-bound")
# How a CPU's perf asks for the four categories, in this order; skylake has no
# event for the last: what the others leave of four slots a cycle.
TOPDOWN_GROUP = "{{slots,{}}}:u".format(
    ",".join("topdown-" + name for name in CATEGORIES))
TOPDOWN_RAW = "cpu/event={},umask={}/u"
TOPDOWN_EVENTS = {
    "skylake": [TOPDOWN_RAW.format(*code) for code in (
        ("0xc2", "2"), ("0x0d", "1"), ("0x9c", "1"))] + ["cycles:u"],
    "icelake": [TOPDOWN_GROUP],
    "sapphirerapids": [TOPDOWN_GROUP],
    "arrowlake": [TOPDOWN_GROUP],
    "lunarlake-atom": [f"cpu_atom/topdown-{name}/u" for name in CATEGORIES],
    "clearwaterforest": [TOPDOWN_RAW.format(*code) for code in (
        ("0xc2", "2"), ("0x73", "0"), ("0x9c", "1"), ("0xa4", "2"))],
}
TOPDOWN = """
for what in {}; do
	echo "== $what"
	taskset -c {} perf stat -x, -e {} topdown $what 2>&1
done
"""


def shares(cpu, text):
    """Each category's share of the slots, from perf stat -x,."""
    numbers = [int(number) for number in re.findall(r"^(\d+),", text, re.M)]
    if cpu == "skylake" and len(numbers) == 4:
        retiring, recovery, frontend, cycles = numbers
        numbers = [retiring, 4 * recovery, frontend]
        numbers.append(4 * cycles - sum(numbers))
    elif len(numbers) == 5:
        numbers = numbers[1:]
    return [number / sum(numbers) for number in numbers] \
        if len(numbers) == 4 and sum(numbers) else []


def topdown(check):
    """Four programs, each of which spends its slots on one category."""
    for machine_name, events in TOPDOWN_EVENTS.items():
        case = check.case(f"topdown-categories-{machine_name}")
        if not case:
            continue
        cpu, _, atom = machine_name.partition("-")
        text = case.boot(TOPDOWN.format(
            " ".join(CATEGORIES), 1 if atom else 0,
            " -e ".join(f"'{event}'" for event in events)), "--cpu", cpu)
        found = {what: shares(cpu, part) for what, part in
                 re.findall(r"^== (\S+)\n((?:(?!==).*\n)*)", text, re.M)}
        wrong = [what for what in CATEGORIES
                 if not found.get(what)
                 or found[what][CATEGORIES.index(what)] < 0.5]
        case.judge(not wrong, f"not in their category: {wrong}; shares: {found}")


TRUTH = """
set -- $(nm_loops)
for mode in rates truth; do
	pmusim 1 forget
	case $mode in
	rates) taskset -c 1 mispredict --rates --only 2 3000 5 ;;
	truth) pmusim 1 clear
		pmusim 1 range 0 $1 $2 usr
		taskset -c 1 mispredict --only 2 3000 5
		pmusim 1 range 0 off
		pmusim 1 truth 0 ;;
	esac
done
"""


def truth(check):
    """The truth about a function agrees with counters around its call."""
    case = check.case("truth-of-a-range")
    if not case:
        return
    symbols = subprocess.run(["nm", "-S", BUILD + "/machine/mispredict"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
    first, size = (int(word, 16) for word in
                   re.search(r"^(\w+) (\w+) t loop2$", symbols, re.M).groups())
    text = case.boot(TRUTH.replace("$(nm_loops)", f"{first:#x} {first + size:#x}"))
    counted = re.search(r"^loop2 (\d+) (\d+) ", text, re.M)
    happened = numbers(text)
    # Around the call: the return from ioctl, the call itself and its like.
    near = bool(counted) and 0 < int(counted[1]) \
        - happened.get("branches", 0) < 20 \
        and 0 <= int(counted[2]) - happened.get("misses", 0) < 10
    case.judge(near, tail(text, 40))


OBSERVED = """
taskset -c 1 perf stat -e instructions:u payload
pmusim 1 msr 0x38f | sed 's/^/accesses /'
dd if=/dev/cpu/1/msr of=/dev/null bs=8 count=1 iflag=skip_bytes skip=$((0x1902)) 2>/dev/null
pmusim 1 stats
"""


def observed(check):
    """The trace, the file at exit and the registers tell the same."""
    test = "trace-and-statistics-agree"
    case = check.case(test)
    if not case:
        return
    stats = f"{BUILD}/check/{test}.tsv"
    text = case.boot(OBSERVED, "--cpu-option", f"pmusim-stats={stats}",
                     "--qemu-option=-trace", "--qemu-option=pmusim_*msr")
    with open(f"{BUILD}/check/{test}/qemu.log", encoding="utf-8") as file:
        trace = file.read()
    traced = len(re.findall(r"pmusim_wrmsr cpu 1 msr 0x38f ", trace))
    faults = len(re.findall(r"msr cpu 1 .* fault 1$", trace, re.M))
    with open(stats, encoding="utf-8") as file:
        table = file.read()
    dumped = dict(re.findall(r"^1\twrmsr (0x\w+)\t(\d+)$", table, re.M))
    read = re.search(r"^accesses \d+ (\d+)$", text, re.M)
    right = read and int(read[1]) == traced == int(dumped.get("0x38f", 0)) > 0 \
        and faults == 1 and "\nfaults 1\n" in text and "\n1\tfaults\t1\n" in table
    case.judge(right, f"traced {traced}, at exit {dumped.get('0x38f')}, in the guest"
               f" {read and read[1]}; faults traced: {faults}")


MEMORY = r"""
taskset -c {core} perf mem record -q --ldlat 30 -t load -o /tmp/data topdown be-bound
perf script -i /tmp/data -F weight,data_src | sed 's/.*|LVL \([^|]*\)|.* \([0-9]*\)$/load \2 \1/' |
	sort | uniq -c
taskset -c {core} perf record -q --call-graph lbr -e branches:u -c 20011 -o /tmp/data mispredict 3000 5
perf script -i /tmp/data -F ip,sym | awk '
	NF {{ chain = chain " " $2; next }}
	{{ print "chain" chain; chain = "" }}'
"""


def memory(check):
    """Loads are sampled by latency, and say where the data came from; call
    chains come from the last branches."""
    for name in ("skylake", "icelake", "sapphirerapids", "arrowlake",
                 "arrowlake-atom", "clearwaterforest"):
        tests = f"load-latency-{name}", f"call-chains-{name}"
        case = check.case(*tests)
        if not case:
            continue
        cpu, _, atom = name.partition("-")
        text = case.boot(MEMORY.format(core=1 if atom else 0), "--cpu", cpu,
                         name=f"memory-{name}")
        loads = re.findall(r"^ *(\d+) load (\d+) (.*)$", text, re.M)
        good = sum(int(number) for number, latency, level in loads
                   if int(latency) >= 30 and level == "RAM hit")
        bad = sum(int(number) for number, latency, _ in loads if int(latency) < 30)
        # 6.12 takes this CPU for a generic one, which has no memory events.
        if cpu == "clearwaterforest" and "memory events not supported" in text:
            check.record("machine", tests[0], "skip",
                         why="6.12 knows no memory events of this CPU")
        else:
            case.judge(good > 100 and not bad,
                       f"{good} loads from memory, {bad} too fast: {loads[:5]}")
        chains = re.findall(r"^chain (\S+) main __libc", text, re.M)
        case.judge({"loop1", "loop2"} <= set(chains),
                   f"called from main: {set(chains)}", tests[1])


UNKNOWN = """
perf stat true
perf stat -M TopdownL1 true
perf stat -a --topdown true
true
"""


def unknown_events(check):
    """perf's default events and metrics ask for none that the model lacks."""
    for cpu in CPUS:
        test = f"no-unknown-event-{cpu}"
        case = check.case(test)
        if not case:
            continue
        text = case.boot(UNKNOWN, "--cpu", cpu, "--qemu-option=-trace",
                         "--qemu-option=pmusim_unknown_event")
        with open(f"{BUILD}/check/{test}/qemu.log", encoding="utf-8") as trace:
            found = sorted(set(re.findall(r"pmusim_unknown_event.*select (\w+)",
                                          trace.read())))
        case.judge(not found, f"unknown: {found}\n{tail(text)}")


def breakpoint_stayed(test):
    """A fault of QEMU 7.2 with threads: one of them may keep its translation
    of a breakpoint that the kernel, patching itself, has taken back meanwhile, as
    code is read before its page is locked."""
    with open(f"{BUILD}/check/{test}/console.log", encoding="utf-8",
              errors="replace") as console:
        return re.search(r"Oops: int3: .*(?:\n.*)*?Code: .* <(?!cc)", console.read())


def otherwise(check):
    """Without a hypervisor, and with a host thread for each CPU."""
    for name, options in (("hardware", ["--cpu-option=-hypervisor"]),
                          ("threads", ["--accel", "multi"])):
        for cpu in CPUS:
            test = f"payload-{name}-{cpu}"
            case = check.case(test)
            if not case:
                continue
            for _ in range(3):
                text = case.boot(PAYLOAD, "--cpu", cpu, *options)
                if name != "threads" or not breakpoint_stayed(test):
                    break
            found = re.findall(r"^cpu\d,(\d+),", text, re.M)
            case.judge(found == [str(INSTRUCTIONS), str(BRANCHES)] * 2,
                       f"instructions and branches: {found}\n{tail(text)}")


PRECISE = r"""
perf record -q -o /tmp/data -c 10007 -e instructions:upp payload
perf script -i /tmp/data -F ip | sed 's/^/ip /'
perf record -q -o /tmp/data -c 10007 -e instructions:u payload
perf script -i /tmp/data -F ip | sed 's/^/next /'
perf record -q -b -o /tmp/data -c 100003 -e branches:u payload
perf script -i /tmp/data -F brstack | tr ' ' '\n' | sed -n 's,^\(0x[^/]*/0x[^/]*\)/.*,edge \1,p' | sort -u
"""


def disassembled(program):
    """(address, instruction) of all of a program of the machine."""
    listing = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", f"{BUILD}/machine/{program}"],
        stdout=subprocess.PIPE, text=True, check=True).stdout
    return [(int(address, 16), text) for address, text in
            re.findall(r"^ *([0-9a-f]+):\t(.*)$", listing, re.M)]


def precise(check):
    """PEBS names the instruction that an interrupt without skid comes behind;
    every recorded branch is one of the program's. Where what lies stands in the
    program's disassembly."""
    for cpu in CPUS:
        case = check.case(f"pebs-exact-{cpu}", f"lbr-edges-{cpu}")
        if not case:
            continue
        code = disassembled("payload")
        starts = {address for address, _ in code}
        jumps = {address for address, text in code
                 if re.match(r"(j|call|ret|loop|syscall)", text)}
        text = case.boot(PRECISE, "--cpu", cpu, "--smp", "1", name=f"precise-{cpu}")
        addresses = [int(ip, 16) for ip in re.findall(r"^ip +(\w+)$", text, re.M)]
        edges = [(int(a, 16), int(b, 16)) for a, b in
                 re.findall(r"^edge (0x\w+)/(0x\w+)$", text, re.M)]
        behind = [int(ip, 16) for ip in
                  re.findall(r"^next +(\w+)$", text, re.M)]
        after = dict(zip([ip for ip, _ in code], [ip for ip, _ in code][1:]))
        strays = [hex(ip) for ip, then in zip(addresses, behind)
                  if after.get(ip) != then and ip not in jumps]
        # An interrupt that waits lets one more instruction by, rarely.
        right = len(addresses) == len(behind) == INSTRUCTIONS // 10007 and \
            len(strays) < 5 and len(set(addresses)) > 1
        case.judge(right, f"{len(addresses)} and {len(behind)} samples, expected "
                   f"{INSTRUCTIONS // 10007}; not the one before: {strays[:9]}")
        wrong = [(hex(a), hex(b)) for a, b in edges
                 if a not in jumps or b not in starts]
        case.judge(len(edges) > 3 and not wrong,
                   f"{len(edges)} edges, wrong: {wrong}", f"lbr-edges-{cpu}")


SHORT = """
for run in $(seq 50); do
	perf stat -x, -e page-faults:u -e instructions:u true 2>&1
done
cat /sys/devices/system/clocksource/clocksource0/current_clocksource
"""


def short_programs(check):
    """Time is finer than a tick: what lives less than one is counted."""
    case = check.case("short-programs-are-counted")
    if not case:
        return
    text = case.boot(SHORT, "--cpu", "skylake")
    counted = len(re.findall(r"^[1-9]\d*,", text, re.M))
    case.judge(counted == 100 and text.rstrip().endswith("tsc"),
               f"{counted} of 100 counted\n{tail(text, 3)}")


def run(check):
    short_programs(check)
    checklists(check)
    exact(check)
    topdown(check)
    truth(check)
    observed(check)
    precise(check)
    memory(check)
    unknown_events(check)
    otherwise(check)
    for cpu in CPUS:
        payload(check, "series", cpu)
    for cpu in ("arrowlake", "skylake"):
        payload(check, "stock", cpu)
    payload(check, "mainline", "arrowlake")
