# SPDX-License-Identifier: GPL-2.0
"""Judges what the suite topdown ran: a method for each test of a requirement.

A method is called after the number of the requirement or of the command that
stock perf fails on, and is true if the output is as it should be.
"""

import re

from checks.topdown_output import (CATEGORIES, HYBRID, LEVEL2, PROGRAMS, SYMBOLS,
                                   all_count, classes, complete, counted, event_of,
                                   in_category, lists_of, parts_of, rows, sums_of,
                                   true_shares)

TABLES_NOT_RECORDED = """\
perf stat report will show the counts only: level {level} is from metric tables, which a
file does not hold. With the events in sysfs it shows percentages up to level \
{offered}: --td-level {offered}
"""

# How far from the model's truth, in percentage points: the program's start is
# not in the truth, and a field of PERF_METRICS has eight bits.
NEAR = 1.0


class Verdicts:
    """Judges the parts of one machine's output."""

    def __init__(self, cpu, text):
        self.cpu = cpu
        self.hybrid = cpu in HYBRID
        self.level2 = cpu != "icelake"
        self.part = parts_of(text)
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

    def r2_others_beside(self):
        """Events that have no column are named, with what shows them."""
        hidden, shown = self.part["beside"], self.part["beside and shown"]
        said = "--topdown prints its own columns only"
        return said in hidden and "cycles" not in hidden and \
            said not in self.part["std"] and said not in shown and \
            re.search(r"^ +[\d,]+ +\S*cycles", shown, re.M) and \
            re.search(r"#\s+\d+\.\d% retiring\b", shown)

    def r3_thread_rows(self):
        found = rows(self.part["threads"])
        one = [row for row in counted(found) if row["thread"] == "topdown-one"]
        two = [row for row in counted(found) if row["thread"] == "topdown-two"]
        return len(one) >= 2 and len(two) >= 2 and \
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
        text, refused = self.part["threads-only"], self.part["threads-refused"]
        return "--metric-only is not supported with --per-thread" in refused and \
            "status 0" not in refused and \
            len(re.findall(r"^\s+topdown-one .*%", text, re.M)) == 1 and \
            len(re.findall(r"^\s+topdown-two .*%", text, re.M)) == 1

    def r3_all_threads(self):
        """On a slow machine, a thread may not get to the cores of both PMUs."""
        found = rows(self.part["all-threads"])
        busy = [row for row in found
                if row["thread"].startswith("topdown-") and row["slots"]]
        slots = {}
        for row in found:
            slots[row["thread"]] = slots.get(row["thread"], 0) + (row["slots"] or 0)
        return len(found) == len(counted(found)) and busy and \
            all(in_category(row, "backend bound") for row in busy) and \
            list(slots.values()) == sorted(slots.values(), reverse=True)

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
            all(abs(sum(row["share"] for row in part) - 100) < 0.05
                for part in (found, cores))

    def r5_shares(self):
        found = rows(self.part["all"])
        by_time = {}
        for row in found:
            by_time.setdefault(row["interval"], []).append(row)
        # Nothing happens on an idle core, which is 0 slots.
        return len(by_time) >= 3 and all(
            len(part) == (2 if self.hybrid else 1) and
            all(row["slots"] is not None and row["pcnt-running"] == 100
                and complete(row) == bool(row["slots"]) for row in part) and
            abs(sum(row["share"] or 0 for row in part) - 100) < 0.05
            for part in by_time.values())

    def r8_no_empty_cell(self):
        lines = [line.split(",") for line in self.part["csv"].splitlines() if line]
        return len(lines) == (3 if self.hybrid else 2) and \
            len({len(line) for line in lines}) == 1 and all(
                cell for line in lines for cell in line)

    def r10_silent_reads(self):
        """Three more reads at least in four more seconds, as the machine may be slow,
        each of which clears the register on a CPU where nothing else does."""
        reads = {name: int(writes) for name, writes in
                 re.findall(r"^(short|long|rare) \d+ (\d+)$", self.part["reads"], re.M)}
        return len(reads) == 3 and reads["long"] >= reads["short"] + 3 and \
            reads["rare"] >= reads["short"] + 3

    def r10_reader_of_long_intervals(self):
        """Only where nobody reads once a second anyway"""
        return re.findall(r"^reader (\d+) (\d+)$", self.part["reads"], re.M) == [
            ("1000", "0"), ("1001", "1")]

    def r11_report(self):
        """What is reported is what was printed when it was recorded."""
        modes = {name: text for name, text in self.part.items()
                 if name.startswith("record ")}
        for text in modes.values():
            printed, _, reported = text.partition("report\n")
            if "%" not in printed or printed != reported:
                return False
        return len(modes) == 10

    def r11_report_forms(self):
        """The same in CSV and JSON."""
        forms = {name: text for name, text in self.part.items()
                 if name.startswith("recorded form ")}
        for name, text in forms.items():
            printed, _, reported = text.partition("report\n")
            whole = rows(printed) if " -j " in name else sums_of("-x,", printed)
            if not whole or printed != reported:
                return False
        return len(forms) == 12

    def r11_report_otherwise(self):
        """By CPU as recorded, and by socket from the same file."""
        text = self.part["report again"]
        return len(re.findall(r"^ *CPU\d .*%", text, re.M)) == 2 and \
            len(re.findall(r"^ *S0 +\d .*%", text, re.M)) == (2 if self.hybrid else 1)

    def r11_clusters_are_not_recorded(self):
        """Which is said, and what is reported are the rows of dies."""
        printed, _, reported = self.part["clusters"].partition("report\n")
        found = re.findall(r"^S0-D0(?:-CLS0)? +(\d .*%.*)$", reported, re.M)
        return "a row for each die: a file does not hold clusters" in printed and \
            re.search(r"^S0-D0-CLS0 .*%", printed, re.M) and \
            len(found) == 2 * (1 + self.hybrid) and found[:len(found) // 2] == \
            found[len(found) // 2:]

    def r11_tables_are_not_recorded(self):
        """Where percentages of a file are not to be had, and how they are"""
        text = self.part["deeper recorded"]
        if self.hybrid:
            return "counts only" not in text and "level 3 was asked for" in text
        offered = 2 if self.level2 else 1
        said = [TABLES_NOT_RECORDED.format(level=level, offered=offered)
                for level in (2, 3)]
        return said[1] in text and (said[0] in text) != self.level2 and \
            text.count("counts only") == 3 - offered

    def r12_refusals_offer(self):
        """What was not given is not named, what there is instead is."""
        text = self.part["deep refused"]
        if self.hybrid:
            return text.count("level 3 was asked for") == 2 and "status 0" not in text
        return "Levels 3 and deeper are not averaged over the runs of -r" in text and \
            "Levels 3 and deeper have no rows of threads" in text and \
            "--metric-only" not in text.replace("--no-metric-only", "") and \
            len(re.findall(r"CPU GenuineIntel-6-\S+ offers\n.*in sysfs: cpu level \d\n"
                           r".*TopdownL\*: up to level \d", text)) == 2 and \
            "status 0" not in text

    def r11_what_was_asked_for(self):
        """Events that the user chose have counts, whatever the program is told;
        and --topdown is known however it was spelled."""
        counts, short = self.part["recorded otherwise"], self.part["recorded in short"]
        return re.search(r"^ +[\d,]+ +\S*topdown-bad-spec", counts, re.M) and \
            "bad speculation" not in counts and \
            re.search(r"bad speculation", short) and re.search(r"\d+\.\d%", short) and \
            "topdown-bad-spec" not in short

    def r2_sums_in_all_forms(self):
        """The categories of each row add up to 100 %, within rounding."""
        forms = {name: text for name, text in self.part.items()
                 if name.startswith("form ")}
        for name, text in forms.items():
            sums = sums_of(name.split()[-1], text)
            if not sums or any(abs(total - 100) > room for total, room in sums):
                return False
        return len(forms) == 15

    def r12_deepest_level(self):
        """Of sysfs and of tables, which have columns of their own"""
        tables = re.search(r"TopdownL\*: up to level (\d)", self.part["level9"])
        zero, deepest = rows(self.part["level0"]), rows(self.part["deepest"])
        return bool(tables) != self.hybrid and zero and \
            [list(row) for row in zero] == [list(row) for row in deepest] and \
            (not tables or int(tables[1]) > 2 and
             all("tma_" in name for name in zero[0]))

    def r12_level_of_sysfs(self):
        row = self.own("of sysfs")[0]
        return all((row.get(name) is not None) == self.level2 for name in LEVEL2) \
            and in_category(row, "backend bound") and \
            (not self.level2 or abs(row["memory bound"] + row["core bound"]
                                    - row["backend bound"]) < 0.5)

    def r2_runs_refused(self):
        """Who is not averaged over the runs of -r"""
        text = self.part["runs refused"]
        offers = re.findall(r"^What works .*: +perf stat --topdown -r 2\n"
                            r"or the rows .*: +perf stat --topdown (\S.*)$", text, re.M)
        return text.count("averages the runs of -r for all CPUs and threads") == 4 and \
            offers == ["-a -A", "-a --per-core", "-a --per-socket", "--per-thread"] and \
            "status 0" not in text and "%" not in text

    def r15_twice_beside_topdown(self):
        """The group of --topdown and a metric of the user's take turns."""
        said = r"'\S*topdown-retiring\S*' is there twice"
        return len(re.findall(said, self.part["beside itself"])) == 1 and \
            not re.search(said, self.part["counts"] + self.part["beside and shown"])

    def r15_slots_twice_beside_topdown(self):
        return re.findall(r"'(\S+)' is there twice", self.part["beside slots"]) == [
            f"{self.pmu}/slots/" if self.hybrid else "slots"]

    def r11_cgroups_are_not_recorded(self):
        said = "a row for each cgroup, without its name"
        return self.part["cgroups recorded"].count(said) == 1 and not any(
            said in self.part[name] for name in ("each cgroup", "deeper recorded"))

    def r12_error(self):
        text = self.part["level9"]
        return "level 9" in text and "GenuineIntel-6-" in text and \
            f"{self.pmu} level {2 if self.level2 else 1}" in text

    def r15_groups(self):
        lists = lists_of(self.part["groups"])
        return len(lists) == 34 and all(all_count(text) for _, text in lists)

    def r15_twice_is_named(self):
        """Only what the user asked for twice, once"""
        said = [(name, event) for name, text in lists_of(self.part["groups"])
                for event in re.findall(r"'(\S+)' is there twice", text)]
        return said == 2 * [("slots,slots", "slots"),
                            ("topdown-retiring,topdown-retiring", "topdown-retiring")]

    def r15_several_lists(self):
        """Of several options -e, too, slots serve all metrics of a modifier."""
        found = lists_of(self.part["several lists"])
        slots, retiring, bad = "slots", "topdown-retiring", "topdown-bad-spec"
        names = [[re.sub(r"^\w+/(.*)/(\w*)$", r"\1:\2", line.split(",")[2]).rstrip(":")
                  for line in text.splitlines() if re.match(r"\d+,", line)]
                 for _, text in found[:-1]]
        recorded = re.findall(r"\w+/([\w-]+)/", found[-1][1])
        return all(all_count(text) and "twice" not in text for _, text in found[:-1]) and \
            names == [[slots, retiring, bad], [slots, retiring],
                      [slots, "cycles", retiring, "instructions", bad],
                      ["slots:u", "topdown-retiring:u", "topdown-be-bound:u",
                       "slots:k", "topdown-bad-spec:k"],
                      ["cycles", "instructions"]] and \
            recorded == [slots, "instructions", retiring, bad] and \
            re.match(r"\{[^{}]*\}:?\w*$", found[-1][1].strip())

    def r15_regrouped_is_told(self):
        """With -v, the groups that are opened, if the user wrote others"""
        found = [re.findall(r"^Topdown events were regrouped: (.*)$", text, re.M)
                 for _, text in lists_of(self.part["regrouped"])]
        found.append(re.findall(r"regrouped: (.*)$", self.part["cgroups regrouped"], re.M))
        wanted = ["{slots,topdown-retiring}", "{slots,topdown-retiring,topdown-bad-spec}",
                  "cycles,{slots:u,instructions:u,topdown-retiring:u}", None, None, None,
                  "{slots,instructions,topdown-retiring}", None,
                  "{slots of b,topdown-be-bound of b},{slots of a,topdown-bad-spec of a}"]
        return [[re.sub(r"\w+/([\w-]+)/(\w*)", lambda match: ":".join(
            filter(None, match.groups())), text) for text in part] for part in found] == [
                [text] if text else [] for text in wanted]

    def r15_cgroups(self):
        """Each event counts in the cgroup that is at its place, with slots."""
        found = [(cgroups, [line.split(",") for line in text.splitlines() if line])
                 for cgroups, text in lists_of(self.part["cgroups"])]
        shares, places = [], []
        for _, lines in found:
            counts = {(event_of(line), line[3]): int(line[0]) for line in lines}
            places.append([(event_of(line), line[3]) for line in lines])
            shares.append({key: count / counts["slots", key[1]]
                           for key, count in counts.items() if "topdown" in key[0]})
        backend, bad = "topdown-be-bound", "topdown-bad-spec"
        own = {(backend, "a"): shares[0][backend, "a"], (bad, "b"): shares[0][bad, "b"]}
        return len(found) == 5 and min(own.values()) > 0.5 and \
            max(shares[1].values()) < 0.3 and \
            shares[2][backend, "a"] > 0.5 > 0.3 > shares[2][bad, "a"] and \
            min(shares[3].values()) > 0.5 and min(shares[4].values()) > 0.5 and \
            places == [
                [("slots", "a"), (backend, "a"), ("slots", "b"), (bad, "b")],
                [("slots", "b"), (backend, "b"), ("slots", "a"), (bad, "a")],
                [("slots", "a"), (backend, "a"), (bad, "a")],
                [("slots", "a"), ("cycles", "a"), (backend, "a"),
                 ("instructions", "b"), ("slots", "b"), (bad, "b")],
                [("instructions", "a"), ("slots", "b"), (bad, "b"), ("slots", "a")]]

    def r15_each_cgroup(self):
        """perf stat --topdown has rows of each cgroup"""
        found = {row["cgroup"]: row for row in self.own("each cgroup")}
        return set(found) == {"a", "b"} and \
            in_category(found["a"], "backend bound") and \
            in_category(found["b"], "bad speculation")

    def r15_as_written(self):
        """A metric that must not get slots cannot count."""
        text = self.part["as written"]
        return "slots" not in text.replace("needs a group that slots", "") and \
            "<not supported>" in text and text.count("needs a group that slots") == 1

    def r16_samplers(self):
        """Instructions sample beside a metric, slots without one."""
        found = re.findall(r"^(\S+):S\s+(\d+)\s+(\S+): *$", self.part["samplers"],
                           re.M)
        number = {}
        for group, samples, event in found:
            number.setdefault(group, {})[event] = int(samples)
        plain = number.pop("{slots,instructions}")
        few = [group for group, part in number.items()
               if len(part) == len(group.split(",")) and 5 <= min(part.values())
               and max(part.values()) <= 8]
        return len(few) == 5 and len(number) == 5 and min(plain.values()) > 40

    def r16_places(self):
        """Slots lead, the others stay in order, and the one that is neither
        slots nor a metric samples, of a thread as of a system."""
        found = {}
        for group, event, attr in re.findall(r"^(\S+):S event (\S+?): (.*)$",
                                             self.part["samplers"], re.M):
            if "cpu_atom" in event or event.startswith("dummy"):
                continue
            name = re.sub(r"^\w+/(.*?)/\w*$|:\w*$", r"\1", event)
            found.setdefault(group, []).append(
                (name, "sample_freq }: 1000003" in attr))
        for group, events in found.items():
            names = group.strip("{}").split(",")
            names.remove("slots")
            sampler = "instructions" if "topdown-retiring" in names else "slots"
            wanted = [(name, name == sampler) for name in ["slots", *names]]
            if events != 2 * wanted:
                return False
        return len(found) == 6

    def r17_texts(self):
        text = self.part["refused"]
        lists = dict(lists_of(text))
        offer = re.search(r"has no event topdown-mem-bound\.\nOn CPU GenuineIntel-6-"
                          r"\S+ it offers topdown-retiring, topdown-bad-spec, "
                          r"topdown-fe-bound, topdown-be-bound\.", text)
        return text.count("Add an event that samples") == 2 and "'-a'" not in text \
            and self.level2 == (not offer) \
            and text.count("needs a group that slots") == 1 \
            and text.count("is twice in one group") == 1 \
            and text.count("needs the same modifiers") == 1 and len(lists) == 4

    def r17_texts_of_stat(self):
        """perf stat goes on without what is refused, and says why."""
        deep, alone, twice, modifiers, turns = (
            text for _, text in lists_of(self.part["refused in stat"]))
        refused = [len(re.findall(r"^<not supported>,", text, re.M))
                   for text in (deep, alone, twice, modifiers, turns)]
        return refused == [int(not self.level2), 1, 1, 1, 0] and \
            self.level2 == ("has no event topdown-mem-bound" not in deep) and \
            "needs a group that slots" in alone and \
            "is twice in one group" in twice and "is there twice in one group" in twice and \
            "needs the same modifiers" in modifiers and \
            re.findall(r"'\w+/(\S+)/' is there twice\. ", turns) == [
                "topdown-retiring", "topdown-bad-spec"]

    def r17_weak_groups(self):
        """Taken apart once: slots go, and what is refused again is named."""
        text = self.part["weak"]
        slots, deep = re.findall(r"^status (\d+)$", text, re.M)
        return slots == "0" and deep not in ("124", "137") and \
            re.search(r"^\d+,,\S*slots", text, re.M) and \
            (deep != "0" and "On CPU" in text if not self.level2 else "On CPU" not in text)

    def r17_features_stay(self):
        """Nothing is switched off because of a topdown event that is refused."""
        text = self.part["features"]
        found = {event_of(["", "", name]): attr for name, attr in
                 re.findall(r"^(\S+?): (.*)$", text, re.M) if "dummy" not in name}
        return len(found) == 3 and text.count("refused 1\n") == 2 and \
            text.count("clearing 1\n") == 3 and \
            "switching off" not in text and all(
                "LOST" in attr and "sample_id_all: 1" in attr for attr in found.values())

    def r2_repeated(self):
        """The mean of runs that are 1, 2 and 6 times as long as one is"""
        one, mean = self.own("repeated")
        return complete(one) and complete(mean) and \
            abs(mean["slots"] / one["slots"] - 3) < 0.5

    def r10_clock_is_set(self):
        """Reads go on, and are no more than one a second."""
        reads = [int(number) for number in
                 re.findall(r"^stepped \d+ (\d+)$", self.part["clock"], re.M)]
        short, = re.findall(r"^short \d+ (\d+)$", self.part["reads"], re.M)
        return len(reads) == 2 and all(3 <= number - int(short) < 20 for number in reads)

    def r1_without_tables(self):
        """perf that was built without metric tables"""
        level1, deepest = self.own("no tables")
        return in_category(level1, "backend bound") and \
            in_category(deepest, "backend bound") and \
            (deepest.get("memory bound") is not None) == self.level2

    def r6_fixed_counters_only(self):
        """Others have all general-purpose counters of the CPU to themselves."""
        own = self.own("beside others")
        return len(own) == 1 and complete(own[0]) and own[0]["pcnt-running"] == 100

    def r7_weight(self):
        """Slots tell that the busy CPU weighs more, or the longer interval."""
        own = self.own("all")
        return all(row["slots"] > 0 for row in own) and \
            self.own("of sysfs")[0]["slots"] > 1e6

    def r7_running(self):
        found = re.findall(r"^.*\((\d+\.\d+)%\)$", self.part["in turns"], re.M)
        return found and all(5 < float(number) < 95 for number in found)

    def r9_classes(self):
        found = [row for name in ("process", "of sysfs", "all", "threads")
                 for row in rows(self.part[name]) if row["slots"] is not None]
        return len(found) > 5 and all(
            {*row["notable"].split("|")} == (classes(row) or {"none"}) for row in found)

    def r10_no_hint(self):
        return "may decrease" not in self.part["reads"] and \
            re.search(r"\d+\.\d%", self.part["reads"])

    def r13_hidden_events(self):
        """As in a guest: the CPU has PERF_METRICS, its events are not there."""
        text = self.part["hidden"]
        topdown, plain = re.findall(r"^status (\d+)$", text, re.M)
        return topdown != "0" and plain == "0" and \
            "no event slots is in sysfs" in text and "the hypervisor exposes it" in text and \
            re.search(r"CPU GenuineIntel-6-\S+ offers", text) and \
            re.search(rf"in sysfs: .*\b{self.pmu} none", text) and \
            "Bad event" not in text and "instructions" in text

    def r18_samples(self):
        """Samples in a loop show what that loop spends its slots on."""
        found = re.findall(r"^ *\S*instructions\S*:? +[0-9a-f]+ (\S+).*\n\s*topdown: (.*)$",
                           self.part["samples"], re.M)
        for category, symbol in SYMBOLS.items():
            shares = [dict((name, float(number)) for number, name in
                           re.findall(r"(\d+\.\d)% ([a-z ]+)", text))
                      for name, text in found if name == symbol]
            good = [part for part in shares if len(part) == 4
                    and abs(sum(part.values()) - 100) < 0.3
                    and part[category] == max(part.values())]
            if len(shares) < 3 or len(good) < 0.8 * len(shares):
                return False
        return int(self.part["default samples"]) == self.part["samples"].count("topdown:")

    def r18_report(self):
        """Lines of the report, too"""
        lines = [[cell.strip() for cell in line.split(",")] for line in
                 self.part["sample report"].splitlines() if line[:1] != "#"]
        found = {line[-1].split()[-1]: line[-5:-1] for line in lines if len(line) > 5}
        titles = [cell.strip() for line in self.part["sample report"].splitlines()
                  for cell in line.split(",") if "retiring" in line and line[0] == "#"]
        for place, (category, symbol) in enumerate(SYMBOLS.items()):
            shares = [float(cell.rstrip("%")) for cell in found[symbol]]
            if max(shares) != shares[place] or abs(sum(shares) - 100) > 0.3:
                return False
        return titles[-5:-1] == list(CATEGORIES)

    def r18_report_columns(self):
        """Titles as wide as documented, cells below them, none if not wanted"""
        text = self.part["sample report whole"]
        lines = text.splitlines()
        titles = "   retiring   bad speculation   frontend bound   backend bound  Symbol"
        dots = "  .........  ................  ...............  ..............  ......"
        place, = [number for number, line in enumerate(lines) if titles in line]
        start = lines[place].index(titles)
        found = [line[start:] for line in lines
                 if line.split()[-1:] and line.split()[-1] in SYMBOLS.values()]
        cells = [(line[2:11], line[13:29], line[31:46], line[48:62]) for line in found]
        return lines[place + 1][start:].startswith(dots) and len(found) == 4 and all(
            re.fullmatch(r" *\d+\.\d%", cell) for line in cells for cell in line) and \
            re.findall(r"^without (\d+)$", text, re.M) == ["0", "0"]

    def r18_report_level2(self):
        """Its columns come behind those of level 1, and what is in a phase is."""
        text = self.part["sample report of level 2"]
        titles = "".join("   " + name for name in (*CATEGORIES, *LEVEL2)) + "  Symbol"
        cells = re.findall(r"((?: +\d+\.\d%){12})  \[\.\] (\w+) *$", text, re.M)
        found = {symbol: [float(cell) for cell in re.findall(r"[\d.]+", part)]
                 for part, symbol in cells}
        return not self.level2 and not text or "status 0\n" in text and \
            titles in text and all(
                abs(sum(found[symbol][:4]) - 100) < 0.3 and
                abs(found[symbol][place] - sum(found[symbol][4 + 2 * place:6 + 2 * place]))
                < 0.3 for place, symbol in enumerate(SYMBOLS.values()))

    # The commands of which stock perf fails

    def f1_no_metric_groups(self):
        return self.r1_categories() and self.r1_without_tables()

    def f2_sampling_groups(self):
        return self.r16_samplers() and self.r16_places() and self.r17_texts()

    def f3_rows_of_threads(self):
        return self.r3_thread_rows() and self.r3_explicit_metric_only()

    def f4_metric_alone(self):
        text = lists_of(self.part["commands"])[0]
        return text[0] == "topdown-retiring" and all_count(text[1])

    def f5_metric_leads(self):
        found = lists_of(self.part["commands"])[1:5]
        return len(found) == 4 and all(all_count(text) for _, text in found)

    def f6_apart_and_raw(self):
        found = lists_of(self.part["commands"])[5:8]
        return len(found) == 3 and all(all_count(text) for _, text in found)

    def f7_names(self):
        found = lists_of(self.part["commands"])[8:10]
        return "name=TOPDOWN" in found[0][0] and "name=foo" in found[1][0] and \
            all(all_count(text) for _, text in found)

    def f8_slots_sample(self):
        return self.r16_samplers()

    def f9_slots_twice(self):
        name, text = lists_of(self.part["commands"])[10]
        return name == "slots,slots" and all_count(text)

    def f10_levels(self):
        return self.r12_deepest_level() and self.r12_error()

    def f11_guest(self):
        return self.r13_hidden_events()

    def f12_report(self):
        return self.r11_report()

    def f13_cells(self):
        """Nor in what stock prints, where a CPU has tables for deeper levels; some
        of their metrics have no number there."""
        found = rows(self.part["deep json"])
        if self.hybrid:
            return self.r8_no_empty_cell() and not found and \
                "level 3 was asked for" in self.part["deep json"]
        titles, cells = (line.split(",")[:-1] for line in
                         self.part["deep csv"].splitlines() if "," in line)
        row, = found
        return self.r8_no_empty_cell() and len(titles) == len(cells) > 10 and \
            all(cells) and "null" in cells and None in row.values() and \
            list(row) == titles

    def f14_hybrid(self):
        """rows() sees that no key comes twice."""
        found = [row["pmu"] for row in rows(self.part["all"])]
        return set(found) == ({"cpu_core", "cpu_atom"} if self.hybrid else {"cpu"}) and \
            ("cpu_core" in self.part["std"]) == self.hybrid

    def f15_hint(self):
        return self.r10_no_hint() and self.r10_silent_reads()
