# SPDX-License-Identifier: GPL-2.0
"""TopDown in perf, in the test machine: what check.py's suite topdown runs.

Programs whose slots go into one category are measured in every way that
perf stat --topdown has, and compared with what the model knows of them.
"""

import json
import re
import time

CATEGORIES = ("retiring", "bad speculation", "frontend bound", "backend bound")
PROGRAMS = dict(zip(CATEGORIES, ("retiring", "bad-spec", "fe-bound", "be-bound")))
LEVEL2 = ("heavy operations", "light operations", "branch mispredict",
          "machine clears", "fetch latency", "fetch bandwidth", "memory bound",
          "core bound")
CPUS = ("icelake", "sapphirerapids", "arrowlake", "lunarlake")
HYBRID = ("arrowlake", "lunarlake")

# How far from the model's truth, in percentage points: the program's start is
# not in the truth, and a field of PERF_METRICS has eight bits.
NEAR = 1.0

SCRIPT = r"""
busy() { topdown $1 forever & }
echo "== sysfs"
ls /sys/bus/event_source/devices/cpu*/events | grep topdown | sort -u
for what in retiring bad-spec fe-bound be-bound; do
	echo "== truth $what"
	pmusim 0 forget
	pmusim 0 clear
	pmusim 0 range 0 0 0x7fffffffffff usr
	taskset -c 1 perf stat --topdown --all-user -j taskset -c 0 sh -c \
		"for i in 1 2 3 4 5; do topdown $what; done" 2>&1 | grep '^{'
	pmusim 0 range 0 off
	pmusim 0 truth 0
done
echo "== std"
taskset -c 0 perf stat --topdown topdown be-bound 2>&1
echo "== csv"
taskset -c 0 perf stat --topdown -x, topdown be-bound 2>&1
echo "== level0"
taskset -c 0 perf stat --topdown --td-level 0 -j topdown be-bound 2>&1
echo "== level9"
perf stat --topdown --td-level 9 true 2>&1
echo "== counts"
taskset -c 0 perf stat --topdown --no-metric-only topdown be-bound 2>&1
echo "== record"
taskset -c 0 perf stat record --topdown -o /tmp/data topdown be-bound >/dev/null 2>&1
perf stat report -i /tmp/data 2>&1
taskset -c 0 perf stat record --topdown -a -A -I 200 -o /tmp/data sleep 0.7 >/dev/null 2>&1
perf stat report -i /tmp/data 2>&1
echo "== threads"
busy be-bound
one=$!
busy bad-spec
two=$!
taskset -p 1 $one >/dev/null
taskset -p 1 $two >/dev/null
sleep 0.2
perf stat --topdown --per-thread -j -p $one,$two -I 300 sleep 1 2>&1 | sed "s/-$one\"/-one\"/; s/-$two\"/-two\"/"
echo "== threads-csv"
perf stat --topdown --per-thread -x, -p $one,$two sleep 0.5 2>&1 | sed "s/-$one,/-one,/; s/-$two,/-two,/"
echo "== threads-only"
perf stat --topdown --metric-only --per-thread -t $one,$two sleep 0.5 2>&1 | sed "s/-$one /-one /; s/-$two /-two /"
echo "== process"
perf stat --topdown -j -p $one sleep 0.5 2>&1
echo "== cpus"
perf stat --topdown -j -a -A sleep 0.5 2>&1
echo "== cores"
perf stat --topdown -j -a --per-core sleep 0.5 2>&1
echo "== all"
perf stat --topdown -j -a -I 200 sleep 0.7 2>&1
kill $one $two
wait
echo "== all-threads"
busy be-bound
perf stat --topdown -j --per-thread -a sleep 0.5 2>&1
kill $!
wait
echo "== reads"
pmusim 0 clear
taskset -c 0 perf stat --topdown -o /dev/null -a sleep 0.5
echo "short $(pmusim 0 msr 0x329)"
pmusim 0 clear
taskset -c 0 perf stat --topdown -o /dev/null -a sleep 4.5
echo "long $(pmusim 0 msr 0x329)"
echo "== repeated"
taskset -c 0 perf stat --topdown -r 3 -x, topdown be-bound 2>&1
echo "== groups"
for f in instructions context-switches; do for g in cycles faults; do
	for list in "$f,topdown-retiring,slots" "slots,$f,topdown-retiring" \
		"{$f,topdown-retiring,slots}" "{$f,slots},{topdown-retiring}" \
		"{topdown-retiring},{$f,slots}" "$g,topdown-retiring,{$f,slots}" \
		"{$f,slots},$g,topdown-retiring" "{$f,topdown-retiring},{$g,slots}" \
		"{$f,slots},{$g,topdown-retiring}" "topdown-retiring,{$f,slots}" \
		"{$f,topdown-retiring}" "{$f,r400,r8000}" topdown-retiring slots,slots \
		slots:u,topdown-retiring:k topdown-retiring,topdown-retiring \
		"{topdown-retiring,$f}:W"; do
		echo "list $list"
		taskset -c 0 perf stat -x, -e "$list" topdown bad-spec 2>&1
	done
done; done
echo "== samplers"
for list in '{slots,instructions,topdown-retiring}:S' '{instructions,slots,topdown-retiring}:S' \
	'{slots,topdown-retiring,instructions}:S' '{slots,instructions}:S'; do
	taskset -c 0 perf record -q -o /tmp/data -c 1000003 -e "$list" topdown bad-spec 2>&1
	perf script -i /tmp/data -F event 2>/dev/null | sort | uniq -c | sed "s/^/$list /"
done
echo "== refused"
perf record -q -o /tmp/data -e '{slots,topdown-retiring}:S' true 2>&1
perf record -q -o /tmp/data -e '{slots,topdown-retiring}:S' -a true 2>&1
echo "== end"
true
"""


def rows(text):
    """The objects of JSON output; a key that comes twice is an error."""
    def unique(pairs):
        assert len({key for key, _ in pairs}) == len(pairs), pairs
        return dict(pairs)
    return [json.loads(line, object_pairs_hook=unique)
            for line in text.splitlines() if line.startswith("{")]


def complete(row, names=CATEGORIES):
    """All categories there, and they add up to 100 %."""
    return all(row.get(name) is not None for name in names) and \
        abs(sum(row[name] for name in CATEGORIES) - 100) < 0.05


def counted(found):
    return [row for row in found if row["slots"] is not None]


def in_category(row, name):
    return complete(row) and row[name] == max(row[other] for other in CATEGORIES)


def true_shares(text):
    """Shares of the slots, from what pmusim says of a range."""
    lane = {name: int(number) for name, number in
            re.findall(r"^(\w+) (\d+)$", text, re.M)}
    if not lane.get("slots"):
        return None
    lost = [lane["bad_spec"], lane["frontend"], lane["backend"]]
    return [100 * part / lane["slots"]
            for part in [lane["slots"] - sum(lost)] + lost]


class Verdicts:
    """Judges the parts of one machine's output."""

    def __init__(self, cpu, text):
        self.cpu = cpu
        self.hybrid = cpu in HYBRID
        self.level2 = cpu != "icelake"
        self.part = dict(re.findall(r"^== (.*)\n((?:(?!== ).*\n)*)", text, re.M))
        self.pmu = "cpu_core" if self.hybrid else "cpu"

    def own(self, name):
        """Counted rows of the PMU of CPU 0."""
        return [row for row in counted(rows(self.part[name]))
                if row["pmu"] == self.pmu]

    def r1_categories(self):
        return all(len(self.own(f"truth {PROGRAMS[name]}")) == 1
                   and in_category(self.own(f"truth {PROGRAMS[name]}")[0], name)
                   for name in CATEGORIES)

    def r1_near_the_truth(self):
        for name in CATEGORIES:
            part = f"truth {PROGRAMS[name]}"
            true = true_shares(self.part[part])
            row = self.own(part)[0]
            if not true or any(abs(row[c] - t) > NEAR
                               for c, t in zip(CATEGORIES, true)):
                return False
        return True

    def r2_columns(self):
        lines = [line for line in self.part["std"].splitlines() if "retiring" in line]
        titles = re.split(r"\s{2,}", lines[0].strip())
        if self.hybrid:
            titles = titles[1:]
        return len(lines) == 1 and titles[:5] == list(CATEGORIES) + ["slots"] and \
            re.search(r"^" + (r"cpu_core " if self.hybrid else "")
                      + r"(\s+\d+\.\d%){4}\s+\d+", self.part["std"], re.M)

    def r2_no_metric_only(self):
        return all(re.search(rf"#\s+\d+\.\d% {name}\b", self.part["counts"])
                   for name in CATEGORIES) and "slots" in self.part["counts"]

    def r3_thread_rows(self):
        found = rows(self.part["threads"])
        one = [row for row in counted(found) if row["thread"] == "topdown-one"]
        two = [row for row in counted(found) if row["thread"] == "topdown-two"]
        return len(one) >= 3 and len(two) >= 3 and \
            all(in_category(row, "backend bound") for row in one) and \
            all(in_category(row, "bad speculation") for row in two) and \
            len({row["interval"] for row in found}) * (2 if not self.hybrid else 4) \
            == len(found)

    def r3_thread_rows_csv(self):
        text = self.part["threads-csv"]
        lines = [line.split(",") for line in text.splitlines() if line]
        width = {len(line) for line in lines}
        cells = [cell for line in lines for cell in line]
        labels = [line[0] for line in lines[1:]]
        return len(width) == 1 and all(cells) and \
            labels.count("topdown-one") == labels.count("topdown-two") \
            == (2 if self.hybrid else 1)

    def r3_explicit_metric_only(self):
        text = self.part["threads-only"]
        return len(re.findall(r"^\s+topdown-one .*%", text, re.M)) == 1 and \
            len(re.findall(r"^\s+topdown-two .*%", text, re.M)) == 1

    def r3_all_threads(self):
        found = rows(self.part["all-threads"])
        busy = [row for row in found if row["thread"].startswith("topdown-")]
        return len(found) == len(counted(found)) and busy and \
            all(in_category(row, "backend bound") for row in busy)

    def r1_process(self):
        return [row for row in self.own("process")
                if in_category(row, "backend bound")]

    def r5_rows_of_pmus(self):
        """-A: each CPU by the events of its own PMU."""
        found = rows(self.part["cpus"])
        pmus = [(row["cpu"], row["pmu"]) for row in found]
        wanted = [("0", "cpu_core"), ("1", "cpu_atom")] if self.hybrid else \
            [("0", "cpu"), ("1", "cpu")]
        cores = rows(self.part["cores"])
        return sorted(pmus) == wanted and all(map(complete, found)) and \
            len(cores) == 2 and all(map(complete, cores)) and \
            abs(sum(row["share"] for row in found) - 100) < 0.05 * len(found) + (
                0 if self.hybrid else 100)

    def r5_shares(self):
        found = rows(self.part["all"])
        by_time = {}
        for row in found:
            by_time.setdefault(row["interval"], []).append(row)
        return len(by_time) >= 3 and all(
            len(part) == (2 if self.hybrid else 1) and all(map(complete, part)) and
            abs(sum(row["share"] for row in part) - 100) < 0.05
            for part in by_time.values())

    def r8_no_empty_cell(self):
        lines = [line.split(",") for line in self.part["csv"].splitlines() if line]
        return len(lines) == (3 if self.hybrid else 2) and \
            len({len(line) for line in lines}) == 1 and all(
                cell for line in lines for cell in line)

    def r10_silent_reads(self):
        """Four more reads in four more seconds, each of which clears the
        register on a CPU where nothing else does."""
        reads = {name: int(writes) for name, writes in
                 re.findall(r"^(short|long) \d+ (\d+)$", self.part["reads"], re.M)}
        return len(reads) == 2 and reads["long"] >= reads["short"] + 3

    def r11_report(self):
        text = self.part["record"]
        return len(re.findall(r"retiring +bad speculation", text)) == 2 and \
            len(re.findall(r"^\s+\d+\.\d+ CPU0 .*%", text, re.M)) >= 3 and \
            re.search(r"^(?!.*CPU)(" + self.pmu + r")?(\s+\d+\.\d%){4}", text, re.M)

    def r12_deepest_level(self):
        row = self.own("level0")[0]
        return all((row.get(name) is not None) == self.level2 for name in LEVEL2) \
            and in_category(row, "backend bound") and \
            (not self.level2 or abs(row["memory bound"] + row["core bound"]
                                    - row["backend bound"]) < 0.5)

    def r12_error(self):
        text = self.part["level9"]
        return "level 9" in text and "GenuineIntel-6-" in text and \
            f"{self.pmu} level {2 if self.level2 else 1}" in text

    def r15_groups(self):
        """Every event of every list counts; E-cores are not where it runs."""
        lists = re.findall(r"^list (.*)\n((?:(?!list ).*\n)*)", self.part["groups"],
                           re.M)
        for _, text in lists:
            lines = [line for line in text.splitlines()
                     if "," in line and "cpu_atom" not in line]
            if len(lines) < 2 or not all(re.match(r"\d+,", line) for line in lines):
                return False
        return len(lists) == 68

    def r16_samplers(self):
        """Instructions sample beside a metric, slots without one."""
        found = re.findall(r"^(\S+):S\s+(\d+)\s+(\S+): *$", self.part["samplers"],
                           re.M)
        number = {}
        for group, samples, event in found:
            number.setdefault(group, {})[event] = int(samples)
        plain = number.pop("{slots,instructions}")
        few = [part for part in number.values()
               if len(part) == 3 and 5 <= min(part.values())
               and max(part.values()) <= 8]
        return len(few) == 3 and len(number) == 3 and min(plain.values()) > 40

    def r17_texts(self):
        text = self.part["refused"]
        return text.count("Add an event that samples") == 2 and "'-a'" not in text

    def r2_repeated(self):
        return re.search(r"^[^\n]*\d+\.\d\d,\d+,", self.part["repeated"], re.M)


def tests():
    return [name for name in vars(Verdicts) if re.match(r"r\d+_", name)]


def spelled(test, cpu):
    number, _, rest = test.partition("_")
    return f"topdown-{number.upper()}-{rest.replace('_', '-')}-{cpu}"


def run(check, boot):
    """The suite: one boot for each CPU, one result for each test."""
    for cpu in CPUS:
        if not any(check.wants("topdown", spelled(test, cpu)) for test in tests()):
            continue
        start = time.monotonic()
        status, text, log = boot(f"topdown-{cpu}", SCRIPT, "--cpu", cpu,
                                 timeout=600)
        seconds = time.monotonic() - start
        verdicts = Verdicts(cpu, text)
        for test in tests():
            try:
                good = not status and bool(getattr(verdicts, test)())
                why = "not as it should be"
            except (KeyError, IndexError, ValueError, AssertionError) as error:
                good, why = False, repr(error)
            check.record("topdown", spelled(test, cpu), "pass" if good else "fail",
                         seconds, log, why)
            seconds = 0.0
