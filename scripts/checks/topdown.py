# SPDX-License-Identifier: GPL-2.0
"""TopDown counters against the model's truth, across context switches."""

import json
import os
import re
import time

from checks.harness import BUILD, IMAGES, MACHINE_PARTS, boot, code_range, tail

CPUS = ("icelake", "sapphirerapids", "arrowlake")
CATEGORIES = ("retiring", "bad-spec", "fe-bound", "be-bound")
# The model's names of the four, and those of perf stat --topdown.
LANES = ("instructions", "bad_spec", "frontend", "backend")
LEVEL2_LANES = ("heavy", "bad_spec", "fetch_latency", "memory_bound")
COLUMNS = ("retiring", "bad speculation", "frontend bound", "backend bound")
ACCURACY_POINTS = 0.5
ACCURACY_SWITCHES = 10000

# Programs in four phases beside one that has the same events, on one CPU: seen
# by perf stat, by themselves with libperf's reader, and by perf record. Each
# part prints what was found and what is true.
COMPETITOR = """
taskset -c 0 perf stat -x, -o /dev/null -e '{events}' yield &
competitor=$!
"""
# Nobody may yield at the end, or the machine would not stop.
NO_COMPETITOR = """
kill $competitor
killall yield
"""
TRUTH = """
pmusim 0 range 0 off
pmusim 0 truth 0
pmusim 0 stats
"""
METHODS = {
    "stat": """
pmusim 0 range 0 {program} usr
pmusim 0 clear
taskset -c 0 perf stat -x, -e '{events}' -e context-switches topdown phases 2>&1
""" + TRUTH,
    "rdpmc": """
pmusim 0 range 0 {self} usr
pmusim 0 clear
taskset -c 0 perf stat -x, -e context-switches topdown-self phases 2>&1
""" + TRUTH,
    "sample": """
pmusim 0 range 0 {program} usr
pmusim 0 clear
taskset -c 0 perf stat -x, -e context-switches \\
	perf record -q -o /tmp/data -c 100003 -e '{sampling}' topdown phases 2>&1
""" + TRUTH + """
perf script -i /tmp/data -F event,period,metric | awk '
/topdown:/ {{
	weight += slots
	parts = split($0, part, ",")
	for (i = 1; i <= parts; i++) {{
		sub(/^[^0-9]*/, "", part[i])
		percent = part[i] + 0
		sub(/^[^ ]* /, "", part[i])
		share[part[i]] += slots * percent
	}}
	next
}}
/slots/ {{ slots = $1 }}
{{ n[$2] += $1 }}
END {{
	for (name in n)
		printf "%.0f,,%s\\n", n[name], name
	for (name in share)
		printf "share %.4f of %s\\n", share[name] / weight, name
}}'
""",
}
# What is printed of a thread, that of the competitor beside it, which lives on.
# R24: with and without -I the percentages agree.
PRINTED = """
echo "== once"
pmusim 0 range 0 {program} usr
taskset -c 0 sh -c 'kill -STOP $$; exec topdown phases' &
child=$!
while ! grep -q "^State:.*T" /proc/$child/status; do sleep 0.1; done
pmusim 0 clear
perf stat -x, -o /tmp/switches -e context-switches -p $child \\
	perf stat --topdown --per-thread --all-user -j -p $child,$(pidof yield | tr ' ' ,) \\
	sh -c "kill -CONT $child; while readlink /proc/$child/exe >/dev/null; do sleep 0.2; done" 2>&1
cat /tmp/switches
echo "thread $child"
""" + TRUTH + """
echo "== intervals"
taskset -c 0 perf stat --topdown --all-user -j -I 100 topdown phases 2>&1
echo "== bound"
taskset -c 0 topdown-self phases 10 20
"""
# Before each region of that there were about twice its slots since the reset: it is
# right to (2 + 3) / 510 of them, as libperf says.
BOUND_POINTS = 100 * (2 + 3) / 510

# What reads cost, with nobody else there.
COSTS = "".join(f"""
echo "== {what}"
pmusim 0 clear
taskset -c 0 topdown-self {what} {{number}}
pmusim 0 stats
""" for what in ("reads", "snapshots"))
COST_NUMBER = 5000


def topdown_events(pmu="cpu", between=()):
    """The group of slots and the four categories of one PMU."""
    names = ["slots", *between, *("topdown-" + category for category in CATEGORIES)]
    return "{{{}}}".format(",".join(f"{pmu}/{name}/" for name in names))


def core_pmu(cpu):
    return "cpu_core" if cpu == "arrowlake" else "cpu"


def accuracy_script(pmu, methods=tuple(METHODS), more=""):
    script = COMPETITOR + "".join(f"echo '== {name}'\n{METHODS[name]}"
                                  for name in methods) + more + NO_COMPETITOR
    return script.format(
        events=topdown_events(pmu) + ":u",
        sampling=topdown_events(pmu, ["cycles"]) + ":Su",
        program=code_range("topdown", "_start"),
        self=code_range("topdown-self", "retiring"))


def parts_of(text):
    return dict(re.findall(r"^== (\S+)\n((?:(?!== ).*\n)*)", text, re.M))


def numbers_of(text):
    return {name: int(number) for name, number in
            re.findall(r"^([\w-]+) (\d+)$", text, re.M)}


def percent(numbers, whole):
    return [100 * number / whole if whole else 0 for number in numbers]


def found_by(method, text):
    """Slots and the four categories, or None."""
    if method == "rdpmc":
        numbers = numbers_of(text)
        names = ("found", *CATEGORIES)
    else:
        numbers = {name: int(number) for number, name in re.findall(
            r"^(\d+),,\S*?(slots|topdown-[\w-]+)", text, re.M)}
        names = ("slots", *("topdown-" + category for category in CATEGORIES))
    found = [numbers.get(name) for name in names]
    return None if None in found else found


def accuracy_of(method, text):
    """Figures of one method: {name: number}, points are the worst category's."""
    true = numbers_of(text)
    found = found_by(method, text)
    switches = re.search(r"^(\d+),,context-switches", text, re.M)
    if not found or not switches or not true.get("slots"):
        return None
    pairs = zip(percent(found[1:], found[0]),
                percent([true[lane] for lane in LANES], true["slots"]))
    return {
        "error_pp": max(abs(a - b) for a, b in pairs),
        "slots_percent": 100 * abs(found[0] / true["slots"] - 1),
        "switches": int(switches[1]),
        **{name: true[name] for name in ("writes", "reads", "rdpmcs")},
        **{name: true[name] for name in ("by_read", "refused") if name in true},
    }


def topdown_rows(text):
    """Percentages of all rows of perf stat --topdown -j, by their slots; where rows
    are of threads, of the one that the text names."""
    thread = re.search(r"^thread (\d+)$", text, re.M)
    rows = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    rows = [row for row in rows if row.get("slots") and
            row.get("pmu", "cpu") != "cpu_atom" and
            (not thread or row["thread"].endswith("-" + thread[1]))]
    slots = sum(row["slots"] for row in rows)
    return slots and [sum(row[name] * row["slots"] for row in rows) / slots
                      for name in COLUMNS]


def shares_of_samples(text):
    """What perf script prints with each sample, by the slots of the sample."""
    shares = {name: float(share) for share, name in
              re.findall(r"^share ([\d.]+) of ([a-z ]+)$", text, re.M)}
    return shares and [shares.get(name, 0) for name in COLUMNS]


def printed(text, shares):
    """How far percentages that somebody reads are from the truth, or None."""
    true = numbers_of(text)
    switches = re.search(r"^(\d+),,context-switches", text, re.M)
    if not shares or not switches or int(switches[1]) < ACCURACY_SWITCHES or \
            not true.get("slots"):
        return None
    pairs = zip(shares, percent([true[lane] for lane in LANES], true["slots"]))
    return max(abs(a - b) for a, b in pairs)


# In percent. Samples leave out what comes behind the last one, and a program that
# looks at itself counts what that takes, which is not in its phases.
SLOTS_ROOM = {"stat": 0.1, "rdpmc": 0.5, "sample": 0.5}


def accurate(method, found):
    return bool(found) and found["error_pp"] <= ACCURACY_POINTS and \
        found["slots_percent"] < SLOTS_ROOM[method] and found["switches"] >= ACCURACY_SWITCHES and \
        not found.get("by_read") and not found.get("refused")


def within_bound(text, truth):
    """Regions that begin long after the reset, against the truth of the same ones
    by themselves. Each of them counts, from the registers."""
    found, true = found_by("rdpmc", text), numbers_of(truth)
    numbers = numbers_of(text)
    if not found or not true.get("slots") or numbers["refused"] or numbers["by_read"]:
        return None
    pairs = zip(percent(found[1:], found[0]),
                percent([true[lane] for lane in LANES], true["slots"]))
    return max(abs(a - b) for a, b in pairs)


def accuracy(check):
    """What a program spends its slots on, in four phases, is right although
    it shares the CPU and its counters with another; and the same by -I."""
    for cpu in CPUS:
        tests = {method: f"topdown-R24-accuracy-{method}-{cpu}"
                 for method in [*METHODS, "per-thread", "script", "intervals", "bound"]}
        if not any(check.wants("machine", test) for test in tests.values()) or \
                not check.need("machine", *MACHINE_PARTS):
            continue
        start = time.monotonic()
        status, text, log = boot(f"topdown-accuracy-{cpu}", accuracy_script(
            core_pmu(cpu), more=PRINTED), "--cpu", cpu)
        parts = parts_of(text)
        seconds = time.monotonic() - start
        for method in METHODS:
            found = accuracy_of(method, parts.get(method, ""))
            check.record("machine", tests[method], "pass" if not status and
                         accurate(method, found) else "fail", seconds, log,
                         f"{found}\n{tail(text)}")
            seconds = 0.0
        once, intervals = (topdown_rows(parts.get(name, ""))
                           for name in ("once", "intervals"))
        for test, part, shares in (("per-thread", "once", once),
                                   ("script", "sample", shares_of_samples(
                                       parts.get("sample", "")))):
            found = printed(parts.get(part, ""), shares)
            check.record("machine", tests[test], "pass" if not status and
                         found is not None and found <= ACCURACY_POINTS else "fail",
                         0, log, f"{found} points: {shares}\n{tail(text)}")
        found = within_bound(parts.get("bound", ""), parts.get("rdpmc", ""))
        check.record("machine", tests["bound"], "pass" if not status and
                     found is not None and found <= BOUND_POINTS else "fail", 0, log,
                     f"{found} points\n{parts.get('bound', tail(text))}")
        agree = once and intervals and all(
            abs(a - b) <= 1 for a, b in zip(once, intervals))
        check.record("machine", tests["intervals"], "pass" if agree and not status
                     else "fail", 0, log, f"{once} {intervals}")


def costs_of(text):
    """{"reads": accesses for each, "snapshots": ...}, or None."""
    costs = {}
    for what, part in parts_of(text).items():
        stats = numbers_of(part)
        if what in ("reads", "snapshots") and "rdpmcs" in stats:
            costs[what] = {metric: stats[name] / COST_NUMBER for metric, name in
                           (("wrmsr", "writes"), ("rdmsr", "reads"),
                            ("rdpmc", "rdpmcs"))}
    return costs if len(costs) == 2 else None


def switch_costs(found):
    """Accesses for each context switch; the competitor has as many."""
    return {metric: found[name] / (2 * found["switches"]) for metric, name in
            (("wrmsr", "writes"), ("rdmsr", "reads"), ("rdpmc", "rdpmcs"))}


def cost_script(pmu):
    return accuracy_script(pmu, ["stat", "rdpmc"]) + COSTS.format(number=COST_NUMBER)


# Ticks come by time, and cost as well. One access more in ten switches shows.
COST_ROOM = 1.01
# Every other switch is to the task with mapped events: PERF_METRICS is cleared. A
# tenth is for how often that task is interrupted in its phases.
MAPPED_WRITES = 0.6


def within(found, more=0):
    """No more accesses than on stock, but for @more writes"""
    return all(found.values()) and all(
        found["series"][metric] <= found["stock"][metric] * COST_ROOM + 0.01
        + (more if metric == "wrmsr" else 0) for metric in found["stock"])


def no_more_in_all(found):
    """No more accesses than on stock, whatever they are"""
    return all(found.values()) and sum(found["series"].values()) <= \
        sum(found["stock"].values()) * COST_ROOM + 0.01


def costs(check):
    """A context switch and a read cost no more accesses than on stock, of each kind
    except for clearing what another task could read, and in all in any case; a
    snapshot of libperf's reader costs two RDPMCs."""
    for cpu in CPUS:
        tests = [f"topdown-R24-{what}-cost-{cpu}"
                 for what in ("switch", "mapped-switch", "read")]
        tests.append(f"topdown-R19-snapshot-cost-{cpu}")
        if not any(check.wants("machine", test) for test in tests) or \
                not check.need("machine", *MACHINE_PARTS, "stock"):
            continue
        start = time.monotonic()
        switch, mapped, others, logs = {}, {}, {}, []
        for kernel in ("stock", "series"):
            _, text, log = boot(f"topdown-cost-{cpu}-{kernel}",
                                cost_script(core_pmu(cpu)), "--cpu", cpu,
                                "--kernel", IMAGES[kernel])
            for method, costs_by in (("stat", switch), ("rdpmc", mapped)):
                found = accuracy_of(method, parts_of(text).get(method, ""))
                costs_by[kernel] = found and switch_costs(found)
            others[kernel] = costs_of(text)
            logs.append(log)
        seconds = time.monotonic() - start
        reads = {kernel: found and found["reads"] for kernel, found in others.items()}
        for test, found, more in zip(tests, (switch, mapped, reads), (0, MAPPED_WRITES, 0)):
            good = within(found, more) and no_more_in_all(found)
            check.record("machine", test, "pass" if good else "fail", seconds,
                         logs[-1], str(found))
            seconds = 0.0
        found = others["series"] and others["series"]["snapshots"]
        good = found and 2 <= found["rdpmc"] < 2.1 and found["wrmsr"] < 0.1
        check.record("machine", tests[3], "pass" if good else "fail", 0, logs[-1],
                     str(found))


EXAMPLE = "tools/lib/perf/Documentation/examples/topdown.c"
READER = """
echo "== tests"
libperf-tests -v 2>&1
echo "== anywhere"
topdown-example 2>&1
echo "== example"
pmusim 0 range 0 {region} usr
pmusim 0 clear
topdown-example 0
pmusim 0 range 0 off
pmusim 0 truth 0
echo "== denied"
echo 0 >/sys/bus/event_source/devices/{pmu}/rdpmc
topdown-example 0
echo "== clear"
ls /sys/bus/event_source/devices/{pmu}/format
perf stat -x, -e {pmu}/config=0x400/ -e {pmu}/config=0x400,config1=1/ taskset -c 0 true 2>&1
"""


def example_of(text):
    """The percentages that the example prints."""
    return [float(number) for number in re.findall(r"^ *([\d.]+)% ", text, re.M)]


def close(found, expected):
    return len(found) == len(expected) and all(
        abs(a - b) < ACCURACY_POINTS for a, b in zip(found, expected))


def reader(check):
    """libperf's own tests, and its example against the truth."""
    for cpu in CPUS:
        tests = [f"topdown-R19-libperf-{cpu}", f"topdown-R19-affinity-{cpu}",
                 f"topdown-R21-example-{cpu}", f"topdown-R19-read-{cpu}",
                 f"topdown-R20-index-{cpu}", f"topdown-R23-no-clear-{cpu}"]
        if not any(check.wants("machine", test) for test in tests) or \
                not check.need("machine", *MACHINE_PARTS):
            continue
        start = time.monotonic()
        _, text, log = boot(f"topdown-reader-{cpu}", READER.format(
            pmu=core_pmu(cpu), region=code_range("topdown-example", "region")), "--cpu", cpu)
        parts = parts_of(text)
        seconds = time.monotonic() - start

        good = re.search(r"test-topdown\.c\.\.\.(?:\n.* (?:slots|ns))*\s*OK", parts.get("tests", "")) and \
            "no slots" not in parts["tests"] and \
            "another process cleared the slots" in parts["tests"]
        check.record("machine", tests[0], "pass" if good else "fail", seconds, log,
                     tail(parts.get("tests", text)))

        # The categories of a thread add up to its slots, unless they are bytes.
        found = re.search(r"categories (\d+) of (\d+) slots", parts.get("tests", ""))
        good = found and abs(int(found[1]) / int(found[2]) - 1) < 0.1
        check.record("machine", tests[4], "pass" if good else "fail", 0, log,
                     tail(parts.get("tests", text)))

        # On a hybrid, who may run on an E-core is refused.
        said = parts.get("anywhere", "")
        good = re.search("cross-device|link" if cpu == "arrowlake" else "by rdpmc",
                         said)
        check.record("machine", tests[1], "pass" if good else "fail", 0, log, said)

        said = parts.get("example", "")
        true = numbers_of(said)
        lanes = LANES if cpu == "icelake" else LANES + LEVEL2_LANES
        found = example_of(said)
        good = "by rdpmc" in said and true.get("slots") and close(
            found, percent([true[lane] for lane in lanes], true["slots"]))
        check.record("machine", tests[2], "pass" if good else "fail", 0, log, said)

        # Where reading cannot clear the registers, nobody is told that it can.
        said = parts.get("clear", "")
        counts = re.findall(r"^(\d+|<not supported>),", said, re.M)
        good = "event\n" in said and "\nmetrics_clear\n" not in said and \
            len(counts) == 2 and counts[0].isdigit() and counts[1] == "<not supported>"
        check.record("machine", tests[5], "pass" if good else "fail", 0, log, said)

        good = "by read" in parts.get("denied", "") and found and \
            close(example_of(parts["denied"]), found)
        check.record("machine", tests[3], "pass" if good else "fail", 0, log,
                     parts.get("denied", text))


CLEARS = COMPETITOR + """
echo "== stat"
pmusim 0 range 0 {program} usr
pmusim 0 clear
taskset -c 0 perf stat -x, -e '{clearing}' -e context-switches topdown phases 2>&1
""" + TRUTH + """
echo "== rdpmc"
pmusim 0 range 0 {self} usr
pmusim 0 clear
taskset -c 0 perf stat -x, -e context-switches topdown-self phases 100 2>&1
""" + TRUTH + """
echo "== bits"
taskset -c 0 topdown-self snapshots 300000 &
sleep 0.2
for n in 1 2 3 4 5 6 7 8; do
	echo "control $(($(pmusim 0 read 0x38d)))"
done
wait $!
echo "control $(($(pmusim 0 read 0x38d)))"
echo "== users"
cd /sys/bus/event_source/devices
grep -H . */format/metrics_clear
slots={pmu}/config=0x400,config1=1/
taskset -c 0 perf stat -x, -e $slots true 2>&1 | cut -d, -f1
perf stat -a -C 0 -x, -e $slots true 2>&1
perf record -o /dev/null -c 100003 -e $slots true 2>&1
taskset -c 0 libperf-tests -v 2>&1
""" + NO_COMPETITOR
# FIXED_CTR_CTRL, of fixed counter 3: it counts in user code, RDPMC clears
SLOTS_USER, SLOTS_CLEAR = 0x2000, 0x4000


def clears(check):
    """Where RDPMC can clear, slots that it took and those that the kernel has
    counted are all of them, as precise as without, for the whole program."""
    for cpu in CPUS:
        tests = {part: f"topdown-R23-clear-{part}-{cpu}"
                 for part in ("stat", "rdpmc", "bits", "users")}
        if not any(check.wants("machine", test) for test in tests.values()) or \
                not check.need("machine", *MACHINE_PARTS):
            continue
        start = time.monotonic()
        pmu = core_pmu(cpu)
        status, text, log = boot(
            f"topdown-clear-{cpu}", CLEARS.format(
                pmu=pmu, events=topdown_events(pmu) + ":u",
                clearing=topdown_events(pmu).replace(
                    "slots/", "slots,metrics_clear=1/") + ":u",
                program=code_range("topdown", "_start"),
                self=code_range("topdown-self", "retiring")),
            "--cpu", cpu, "--cpu-option", "pmusim-metrics-clear=on")
        parts = parts_of(text)
        seconds = time.monotonic() - start
        for method in ("stat", "rdpmc"):
            found = accuracy_of(method, parts.get(method, ""))
            check.record("machine", tests[method], "pass" if not status and
                         accurate(method, found) else "fail", seconds, log,
                         f"{found}\n{tail(text)}")
            seconds = 0.0

        # Now and then the competitor, whose slots nobody clears, is found.
        *during, after = map(int, re.findall(r"^control (\d+)$", parts.get("bits", ""),
                                             re.M)) or [SLOTS_CLEAR]
        good = not after & SLOTS_CLEAR and any(
            control & SLOTS_CLEAR and control & SLOTS_USER for control in during)
        check.record("machine", tests["bits"], "pass" if good else "fail", 0, log,
                     parts.get("bits", text))

        said = parts.get("users", "")
        good = re.search(rf"^{pmu}/format/metrics_clear:config1:0\n\d+\n", said) and \
            said.count("format/metrics_clear") == 1 and \
            re.search(r"test-topdown\.c\.\.\.(?:\n.* (?:slots|ns))*\s*OK", said) and \
            len(re.findall("metrics_clear is for slots of a thread", said)) == 2
        check.record("machine", tests["users"], "pass" if good else "fail", 0, log, said)


OVERFLOW = COMPETITOR + """
pmusim 0 range 0 {program} usr
pmusim 0 clear
taskset -c 0 topdown-self overflow 2>&1
pmusim 0 range 0 off
pmusim 0 truth 0
pmusim 0 stats
""" + NO_COMPETITOR


def overflow(check):
    """The interrupt of an overflow loses no slots and counts none twice,
    although the registers had been restored."""
    for cpu in CPUS:
        test = f"topdown-K3-overflow-{cpu}"
        if not check.wants("machine", test) or \
                not check.need("machine", *MACHINE_PARTS):
            continue
        start = time.monotonic()
        status, text, log = boot(test, OVERFLOW.format(
            events=topdown_events(core_pmu(cpu)) + ":u",
            program=code_range("topdown-self", "retiring")), "--cpu", cpu)
        found = numbers_of(text)
        good = not status and found.get("pmis", 0) >= 1 and "found" in found and \
            found["held"] > 0.2 * found["slots"] and \
            0 <= found["found"] - found["added"] - found["slots"] \
            < 0.05 * found["slots"]
        check.record("machine", test, "pass" if good else "fail",
                     time.monotonic() - start, log, tail(text))


def document(check):
    """topdown.txt includes the example that the test machine runs, and has no
    other."""
    test = "topdown-R21-document"
    if not check.wants("machine", test) or not check.need("machine", "series"):
        return
    folder = BUILD + "/linux/tools/perf/Documentation/"
    text = document_text()
    included = [os.path.realpath(folder + path) for path in
                re.findall(r"^include::(\S+)\[\]$", text, re.M)]
    good = included == [os.path.realpath(BUILD + "/linux/" + EXAMPLE)] and \
        os.path.exists(included[0]) and "#include" not in text
    check.record("machine", test, "pass" if good else "fail", 0, "", str(included))


def manual(check):
    """Every command of topdown.txt works, and what the text said wrongly before
    is not said any more."""
    for cpu in CPUS:
        test = f"topdown-R22-commands-{cpu}"
        if not check.wants("machine", test) or \
                not check.need("machine", *MACHINE_PARTS):
            continue
        start = time.monotonic()
        commands = [command.replace("cpu/", core_pmu(cpu) + "/")
                    for command in commands_of(document_text())
                    if cpu not in NO_TABLES or " -M " not in command]
        script = MANUAL + "".join(
            f"echo '== {number}'\n{command} 2>&1\necho status $?\n"
            for number, command in enumerate(commands)) + "kill $server $database\n"
        _, text, log = boot(test, script, "--cpu", cpu)
        parts = parts_of(text)
        bad = [command for number, command in enumerate(commands)
               if not works(parts.get(str(number), ""))]
        check.record("machine", test, "pass" if len(commands) >= 8 and not bad else "fail",
                     time.monotonic() - start, log, "\n".join(bad) or tail(text))

    test = "topdown-R22-faults"
    if check.wants("machine", test) and check.need("machine", "series"):
        text = " ".join((document_text() + document_text("perf-stat.txt")).split())
        bad = [f"says {fault}" for fault in FAULTS if re.search(fault, text)] + \
            [f"does not say {fact}" for fact in FACTS if fact not in text]
        check.record("machine", test, "fail" if bad else "pass", 0, "", "\n".join(bad))


MANUAL = """
mount -t cgroup -o perf_event none /sys/fs/cgroup
mkdir /sys/fs/cgroup/web /sys/fs/cgroup/db
cp $(which topdown) /tmp/program
cd /tmp
pidof() { echo $server; }
# On a P-core, and all the measured programs with it
taskset -p 1 $$ >/dev/null
./program be-bound forever &
server=$!
echo $server >/sys/fs/cgroup/web/cgroup.procs
./program retiring forever &
database=$!
echo $database >/sys/fs/cgroup/db/cgroup.procs
"""
# What the example and the text of 6.12 had, see perf's topdown.txt
FAULTS = (r"_rdpmd", r"slota_", r"jevents", r"reset after each system call",
          r"resets? on every read", r"[Pp]er core mode is automatically enabled", r"slots_p == NULL", r"\* ?255\b(?!th)",
          r"All events of a group have the same modifiers")
FACTS = ("Slots and the metrics of a group have the same privilege",
         "fractions of 255", "slots * byte / 255", "PERF_IOC_FLAG_GROUP",
         "when a count is read while the event is on a CPU",
         "It works on events that are disabled or off the CPU",
         "Do not mix read() into a region", "On hybrids, RDPMC of these registers faults",
         "Rows of what shares a core are refused: those of --per-thread, -A, -G and",
         "--per-thread, -A and cgroups are refused there",
         "Rows from metric tables (before Ice Lake, AMD, levels that sysfs does not have)",
         "5 x INT_MISC.CLEARS_COUNT", "nobody looks again")
# 6.12 has metrics of the others
NO_TABLES = ("arrowlake",)


def document_text(name="topdown.txt"):
    with open(f"{BUILD}/linux/tools/perf/Documentation/{name}",
              encoding="utf-8") as source:
        return source.read()


def commands_of(text):
    """The commands of the page, each with an end; those with placeholders have
    none."""
    found = []
    for command in re.findall(r"^ +(?:# )?(perf (?:stat|record) .*)$", text, re.M):
        if re.search(r"\b[A-Z]{5,}\b", command):
            continue
        if command.startswith("perf record"):
            # At 4000 samples a second an emulator may do nothing else.
            command = command.replace("perf record", "perf record -c 1000003 -o /tmp/data") \
                .replace("./program", "./program be-bound")
        elif not re.search(r" (true|sleep \d+)$", command):
            command += " ./program be-bound"
        found.append(command)
    return found


def works(text):
    """It ended well, and counted everything that is not an E-core's."""
    return re.search(r"^status 0$", text, re.M) and not [
        line for line in text.splitlines()
        if re.search(r"<not|[Ee]rror", line) and "cpu_atom" not in line]


def run(check):
    manual(check)
    accuracy(check)
    overflow(check)
    costs(check)
    reader(check)
    clears(check)
    document(check)
