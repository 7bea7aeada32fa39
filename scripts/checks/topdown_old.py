# SPDX-License-Identifier: GPL-2.0
"""TopDown before Ice Lake, from metric tables: what runs there, and its judge."""

import re

from checks.topdown_output import CATEGORIES, LEVEL2, complete, parts_of, rows

# With hyperthreads
OLD_SCRIPT = r"""
echo "== smt"
cat /sys/devices/system/cpu/smt/active
echo "== per thread"
perf stat --topdown --per-thread -a true 2>&1
echo "status $?"
echo "== rows of hyperthreads"
mount -t cgroup -o perf_event none /sys/fs/cgroup
mkdir /sys/fs/cgroup/web
for rows in "-a -A" "-C 0,1 -A" "-a --for-each-cgroup web" "-a -e cycles -G web" \
	"-a --per-core --for-each-cgroup web"; do
	perf stat --topdown $rows true 2>&1
	echo "status $?"
done
echo "== deep threads"
echo off >/sys/devices/system/cpu/smt/control
perf stat --topdown --td-level 3 --per-thread -a true 2>&1
echo "status $?"
echo "== one hyperthread"
perf stat --topdown -j -a -A topdown be-bound 2>&1
perf stat --topdown -j -a --for-each-cgroup web topdown be-bound 2>&1
echo on >/sys/devices/system/cpu/smt/control
echo "== per core"
perf stat --topdown -j -a --per-core topdown be-bound 2>&1
echo "== std"
perf stat --topdown topdown be-bound 2>&1
echo "== process"
topdown bad-spec forever &
perf stat --topdown -j -p $! sleep 0.5 2>&1
kill $!
wait
echo "== level2"
perf stat --topdown --td-level 2 -j -a topdown be-bound 2>&1
echo "== record"
perf stat record --topdown -a -o /tmp/data topdown be-bound 2>&1
echo "== guest"
PERF_CPUID=GenuineIntel-6-6A-6 perf stat --topdown true 2>&1
echo "status $?"
PERF_CPUID=GenuineIntel-6-6A-6 perf stat true 2>&1
echo "status $?"
amd() { PERF_CPUID=AuthenticAMD-25-61-1 perf stat --topdown "$@" 2>&1; echo "status $?"; }
echo "== amd"
amd -a true
echo "== amd level3"
amd --td-level 3 -a true
echo "== tests"
perf test TopDown 2>&1
echo "== end"
true
"""


class OldVerdicts:
    """Judges a CPU whose slots are those of a core, and in tables only."""

    def __init__(self, _, text):
        self.part = parts_of(text)

    def r2_columns_of_tables(self):
        lines = [line for line in self.part["std"].splitlines() if "retiring" in line]
        return len(lines) == 1 and \
            re.split(r"\s{2,}", lines[0].strip()) == [*CATEGORIES, "slots"] and \
            re.search(r"^(\s+\d+\.\d%){4}", self.part["std"], re.M)

    def r2_level2_of_tables(self):
        """Memory bound takes events that the emulator does not count."""
        row, = rows(self.part["level2"])
        return all(name in row for name in LEVEL2) and complete(row) and \
            all(row[name] is not None for name in LEVEL2[:-2])

    def r4_threads_refused(self):
        text = self.part["per thread"]
        return self.part["smt"] == "1\n" and "--topdown -a --per-core" in text and \
            "hyperthreads" in text and "status 0" not in text and \
            re.search(r"CPU GenuineIntel-6-5E-\S+ offers.*cpu none.*"
                      r"TopdownL\*: up to level \d", text, re.S)

    def r4_parts_of_cores_refused(self):
        """The slots of one CPU or cgroup: those of the core are not."""
        text = self.part["rows of hyperthreads"]
        return text.count("CPUs cannot be told apart") == 2 and \
            text.count("Cgroups cannot be told apart") == 3 and \
            text.count("Measure cores: perf stat --topdown -a --per-core") == 5 and \
            len(re.findall(r"^status (?!0)", text, re.M)) == 5 and "%" not in text

    def r4_one_hyperthread_measured(self):
        """Without hyperthreads nothing is shared, and nothing refused."""
        cpu, cgroup = rows(self.part["one hyperthread"])
        return complete(cpu) and cpu["cpu"] == "0" and cgroup["cgroup"] == "web" and \
            "cannot be told apart" not in self.part["one hyperthread"]

    def r3_deep_threads_refused(self):
        """Without hyperthreads threads could be told apart, but not their lines."""
        text = self.part["deep threads"]
        return "have no rows of threads: use --td-level 2" in text and \
            re.search(r"offers\n.*cpu none\n.*TopdownL\*: up to level \d", text) and \
            "status 0" not in text and "%" not in text

    def r4_cores_measured(self):
        found = rows(self.part["per core"])
        return len(found) == 1 and found[0]["core"].endswith("C0") and \
            complete(found[0]) and "approximate" not in self.part["per core"]

    def r11_tables_are_not_recorded(self):
        return re.search(r"report will show the counts only: level 1 is.*\n.*here none are",
                         self.part["record"])

    def r4_process_approximate(self):
        row, = rows(self.part["process"])
        return complete(row) and "approximate" in self.part["process"]

    def r13_guest(self):
        """The tables are those of Ice Lake, the events are not there."""
        topdown, plain = re.findall(r"^status (\d+)$", self.part["guest"], re.M)
        return topdown != "0" and plain == "0" and \
            "no event slots is in sysfs" in self.part["guest"] and \
            re.search(r"CPU GenuineIntel-6-6A-6 offers.*cpu none.*"
                      r"TopdownL\*: none, as they need slots", self.part["guest"], re.S)

    def r14_amd_tables(self):
        """An AMD CPU gets metrics of the pipeline, whose events are not Intel's."""
        text, deep = self.part["amd"], self.part["amd level3"]
        return "de_no_dispatch_per_slot" in text and "No top-down" not in text and \
            "level 3 was asked for. CPU AuthenticAMD-25-61-1 offers" in deep and \
            "PipelineL*: up to level 2" in deep and "status 0" not in text + deep

    def r27_unit_tests_anywhere(self):
        """None of them needs a PMU that has slots."""
        found = dict(re.findall(r"^ *[\d.]+: (topdown_r\w+) *: (.*)$",
                                self.part["tests"], re.M))
        groups = {name for name in found if re.match("topdown_r1[56]_", name)} - {
            "topdown_r15_codes"}
        return len(groups) >= 7 and len(found) - len(groups) >= 40 and \
            all("Ok" in verdict for verdict in found.values())
