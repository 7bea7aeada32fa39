# SPDX-License-Identifier: GPL-2.0
"""Auto counter reload, recorded by perf in the test machine."""

import re
import subprocess
import time

from checks import acr_errors, acr_samples
from checks.harness import BUILD, IMAGES, MACHINE_PARTS, TOP, boot, code_range, \
    numbers, spelled, tail

# The perf of the distribution, older than the series, knows sysfs only.
DISTRIBUTION_PERF = "/usr/bin/perf"
DISTRIBUTION = r"""
cd /tmp
taskset -c 1 distribution-perf record -q -o data -e \
"{cpu_atom/branch-misses,period=2000,acr_mask=0x2/u,cpu_atom/branch-instructions,period=10000,acr_mask=0x3/u}" mispredict
distribution-perf script -i data -F event,ip,sym | awk '{ print $3 }' | sort | uniq -c
"""
BOTH = r"""
cd /tmp
for cpu in 0 1; do
	for way in task cpu; do
		[ $way = task ] && option= || option="-C $cpu"
		perf record -q -o $way$cpu $option \
			-e '{branch-misses/ratio-to=branches:20%/u,branches/period=10000/u}' \
			taskset -c $cpu mispredict 2>/dev/null
	done
done
for name in task0 task1 cpu0 cpu1; do
	perf script -i $name -F event,ip,sym | awk '{ print $3 }' | sort | uniq -c |
		sed "s/^ */samples $name /"
done
"""
# Events of perf's own tables have a period, which is no wish of the user's.
TABLED = r"""
misses=br_misp_retired.all_branches base=br_inst_retired.all_branches
on() { name=$1; shift; taskset -c 1 perf record -q -o $name "$@" 2>&1; }
cd /tmp
on mask -e "{$misses/period=2000,acr_mask=0x2/u,$base/period=10000,acr_mask=0x3/u}" mispredict
on ratio -e "{cpu_atom/$misses,ratio-to=$base:20%/u,cpu_atom/$base,period=10000/u}" mispredict
on prev -e "{cpu_atom/$misses/u,cpu_atom/$base,ratio-to-prev=5,period=10000/u}" mispredict
on count -c 2000 -e "{cpu_atom/$misses/u,cpu_atom/$base,ratio-to-prev=5/u}" mispredict
on table -e "{cpu_atom/$misses,ratio-to=$base:20%/u,cpu_atom/$base/u}" mispredict 40000 100
for name in mask ratio prev count table; do
	perf evlist -v -i $name | grep -o 'sample_freq }: [0-9]*' |
		sed "s/.*:/period $name/"
	perf script -i $name -F event,ip,sym | awk '{ print $3 }' | sort | uniq -c |
		sed "s/^ */samples $name /"
done
on frequency -F 99 -e "{cpu_atom/$misses,ratio-to=$base:20%/u,cpu_atom/$base/u}" true
[ -e frequency ] && echo recorded
true
"""
TABLED_PERIODS = {**{name: ["2000", "10000"] for name in ("mask", "ratio", "prev", "count")},
                  "table": ["40001", "200003"]}
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
on prev-base -e "{$misses/u,$base,period=10000,ratio-to-prev=500%/u}" mispredict
on prev-count -c 2000 -e "{$misses/u,$base,ratio-to-prev=5/u}" mispredict
on ipc-above-2 -e "{$P/instructions,period=20000/u,$P/cycles,ratio-to-prev=0.5/u}" mispredict
on ipc-above-10 -e "{$P/instructions,period=20000/u,$P/cycles,ratio-to-prev=0.1/u}" mispredict
on ipc-below-10 -e "{$P/cycles,ratio-to=instructions:10%/u,$P/instructions,period=20000/u}" mispredict
on acceptance-a -e "{$P/instructions,period=200000,acr_mask=0x2/,$P/cycles,period=100000,acr_mask=0x3/}" mispredict
on acceptance-b -e "{$P/instructions,period=40000,acr_mask=0x2/u,$P/cycles,period=20000,acr_mask=0x3/u}" mispredict
on acceptance-b-precise -e "{$P/instructions,period=40000,acr_mask=0x2/pu,$P/cycles,period=20000,acr_mask=0x3/u}" mispredict
on acceptance-c -e "{$P/instructions,period=20000,acr_mask=0x2/u,$P/cycles,period=40000,acr_mask=0x3/u}" mispredict
on count -c 10000 -e "{$misses,ratio-to=branches:0.2/u,$base/u}" mispredict
on names -e "{$misses,period=2000,acr=b/u,$base,name=b,period=10000,acr=all/u}" mispredict
on mask -e "{$misses,period=2000,acr_mask=0x2/u,$base,period=10000,acr_mask=0x3/u}" mispredict
on legacy -e "{branch-misses/ratio-to=branches:20%/u,branches/period=10000/u}" mispredict
on legacy-mask -e "{branch-misses/period=2000,acr_mask=0x2/u,branches/period=10000,acr_mask=0x3/u}" mispredict
on blanks -e "{branch-misses/period=2000,acr=branches/u, branches/period=10000,acr=all/u}" mispredict
on published -e "{$misses,period=2000,acr_mask=0x2/u, $base,period=10000,acr_mask=0x3/u}" mispredict
on moved -e "{$base,period=10000,acr_mask=0x3/u,$misses,period=2000,acr_mask=0x1/u}" mispredict
on two -e "{$misses,ratio-to=branches:20%/u,$P/cache-misses,ratio-to=branches:9/u,$base,period=10000/u}" mispredict
on precise -e "{$misses,ratio-to=branches:20%/ppu,$base,period=10000/u}" mispredict
on precise-max -e "{$misses,ratio-to=branches:20%/Pu,$base,period=10000/u}" mispredict
on per-thread --per-thread -e "$ratio" mispredict
on no-inherit -i -e "$ratio" mispredict
on inherit -e "$ratio" sh -c 'mispredict & wait'
on cpu -C 1 -e "$ratio" mispredict
on cpus -C 0,1 -e "$ratio" mispredict >/dev/null
on all -a -e "$ratio" mispredict
on cause-max -e "{$base,period=10000/Pu,$misses,period=2000,acr=branch-instructions/Pu}" mispredict
on branch-stack -b -e "$ratio" mispredict
taskset -c 1 mispredict --only 1 40000 1000000 &
calm=$!
taskset -c 1 mispredict --only 2 40000 1000000 &
busy=$calm,$!
# Either of them runs, and mispredicts, while perf is attached.
perf record -q -o both-loops -c 2000 -e "$misses/u" -p $busy sleep 2
perf record -q -o process -e "$ratio" -p $busy sleep 1
perf record -q -o thread -e "$ratio" -t $busy sleep 1
perf record -q -o delay -D 200 -e "$ratio" -p $busy sleep 1
mkfifo ctl ack
say() { echo "$*" >ctl; read -r answer <ack; }
controlled() {
	perf record -o $1 -k CLOCK_MONOTONIC -D -1 --control fifo:ctl,ack -p $busy \
		-e "{$misses,ratio-to=Base:20%,name=Miss/u,$base,period=10000,name=Base/u}" \
		sleep 60 >$1.log 2>&1 &
}
# perf puts the PMU before a name where there are several.
named() { [ $P = cpu ] && echo $1 || echo $P/$1/; }
# On, off and on again as a whole, and by the leader's name; samples before, while
# it is off, and later.
switched() {
	say enable $2; sleep 1; say disable $2
	read -r off rest </proc/uptime
	sleep 1
	read -r on rest </proc/uptime
	say enable $2; sleep 1; say stop
	wait $!
	perf script -i $1 -F time,event,sym | awk -v name=$1 -v off=$off -v on=$on '
		{ if ($1 + 0 < off + 0.01) before++
		else if ($1 + 0 <= on) between++
		else after++ }
		END { print "switched", name, before + 0, between + 0, after + 0 }'
}
controlled control
switched control
controlled leader
switched leader $(named Miss)
# A member by itself cannot be switched.
controlled member
say enable $(named Base); sleep 1; say stop
wait $!
kill $calm ${busy#*,}
sed -n 's/^/member /; /failed/p' member.log
rm -f ./*.log
for name in *; do
	[ -f $name ] || continue
	perf script -i $name -F event,ip,sym | awk -v name=$name \
		'{ match($1, /branch-[a-z]+|cache-misses|cycles|instructions|Miss|Base/)
		n[substr($1, RSTART, RLENGTH) " " $3]++ }
		END { for (s in n) print "samples", name, s, n[s] }'
done
taskset -c 1 perf record -v -o verbose -e "$ratio" mispredict 2>&1 | sed -n 's/^/record /; /reloaded/p'
perf evlist -v -i ratio | sed -n 's/^/evlist /; /reloaded/p
	s/.*sample_freq }: \([0-9]*\),.*config2 }: \([^,]*\).*/evlist \1 \2/p'
perf report --header-only -i ratio | sed -n 's/^# auto counter reload: /report /p'
perf script --header-only -i ratio | sed -n 's/^# auto counter reload: /header /p'
perf script -i ratio | sed -n 's/^# auto counter reload: /script /p'
perf script -i ratio -F event,ip | sed -n 's/^# auto/fields &/p'
taskset -c 1 perf record -q -o - -e "$ratio" mispredict 2>/dev/null | perf script -i - |
	sed -n '1,/loop2/s/^# auto counter reload: /pipe /p'
perf list 2>/dev/null | sed -n 's/^ */list /; /ratio-to/p'
# mispredict has these addresses for itself.
pmusim 1 range 0 0x10000000 0x20000000 usr
pmusim 1 clear
taskset -c 1 perf stat -x '|' -e "$ratio" mispredict 2>&1 |
	sed -n 's/^/stat /; /no totals/p; s/^stat \([0-9]*\)||[^,]*-\([a-z]*\).*/count \2 \1/p'
pmusim 1 range 0 off
pmusim 1 truth 0 | sed -n 's/^branches/truth instructions/p; s/^misses/truth misses/p'
perf top --stdio -e "{$misses,ratio-to=branches:20%/u,$base/u}" 2>&1 </dev/null |
	sed -n 's/^/top /; /no period/p'
"""
ACR_NAMES = ("ratio fraction prev prev-base prev-count count names mask blanks published legacy legacy-mask moved"
             " two precise precise-max per-thread no-inherit inherit cpu cpus all"
             " branch-stack process thread delay control leader").split()
# Switched off for a second, and on again
SWITCHED = ("control", "leader")
ACR_WORDS = ("branch-misses is reloaded by branch-instructions; samples when"
             " branch-misses/branch-instructions > 20 %\n",
             "branch-instructions is reloaded by branch-misses and itself; takes"
             " no samples\n")
# What samples, or nothing. A core retires up to eight instructions a cycle. An
# event that only reloads another takes samples as without.
ACR_EVENTS = {"cause-max": {"branch-instructions", "branch-misses"},
              "both-loops": {"branch-misses"},
              "ipc-above-2": {"instructions"}, "ipc-above-10": set(),
              "ipc-below-10": {"cycles"},
              # What public suites record, at more than two and than one half
              "acceptance-a": {"instructions"}, "acceptance-b": {"instructions"},
              "acceptance-b-precise": {"instructions"},
              "acceptance-c": {"instructions"}}
# What has to be said, by whom.
ACR_TOLD = {
    **{who: [f"{who} {line}" for line in ACR_WORDS]
       for who in ("record", "report", "header", "script", "pipe")},
    "evlist": [f"evlist {line}" for line in
               ("2000 0x2\n", "10000 0x3\n", *ACR_WORDS)],
    "list": ["list {P/A,ratio-to=B:20%/,P/B,period=N/}"],
    "stat": ["stat WARNING: counts of reloaded events are no totals: counting"
             " without auto counter reload\n"],
    "top": ["P/branch-misses,ratio-to=branches:20%/u' has no period, but a frequency"],
    "member": ["reloads with its group, switch '"],
}


def acr_records(check, cpu, pmu):
    """Whatever way the group is written and recorded, it samples in loop2."""
    if not any(check.wants("perftest", f"acr-{name}-{cpu}")
               for name in [*ACR_NAMES, *ACR_EVENTS, "member",
                            *(f"told-{who}" for who in ACR_TOLD)]):
        return
    status, text, log = boot(f"perftest-acr-{cpu}", f"P={pmu}\n" + ACR_RECORDS,
                             "--cpu", cpu)
    found = {name: {} for name in [*ACR_NAMES, *ACR_EVENTS, "member"]}
    for name, event, symbol, number in re.findall(
            r"^samples (\S+) (\S+) (\S+) (\d+)$", text, re.M):
        found[name][event, symbol] = int(number)
    switched = {name: [int(number) for number in rest.split()] for name, rest in
                re.findall(r"^switched (\S+) (.*)$", text, re.M)}
    for name in ACR_NAMES:
        right = set(found[name]) in ({("branch-misses", "loop2")}, {("Miss", "loop2")}) \
            and sum(found[name].values()) > 20
        if name in SWITCHED:
            before, between, after = switched.get(name, (0, 0, 0))
            right = right and before > 20 and not between and after > 20
        check.record("perftest", f"acr-{name}-{cpu}", "pass" if right else "fail",
                     0, log, f"samples: {found[name]}, before, between and after"
                     f" being off: {switched.get(name)}")
    for name, events in ACR_EVENTS.items():
        # Of unknown NMIs the machine complains.
        right = {event for event, _ in found[name]} == events and not status
        if name == "both-loops":
            right = right and {"loop1", "loop2"} <= {place for _, place in found[name]}
        check.record("perftest", f"acr-{name}-{cpu}", "pass" if right else "fail",
                     0, log, f"samples: {found[name]}")
    for who, said in ACR_TOLD.items():
        right = all(line.replace("P/", pmu + "/") in text for line in said) \
            and "fields # auto" not in text
        if who == "stat":
            counts, truth = (dict(re.findall(rf"^{what} (\w+) (\d+)$", text, re.M))
                             for what in ("count", "truth"))
            right = right and len(counts) == 2 and counts == truth
        check.record("perftest", f"acr-told-{who}-{cpu}",
                     "pass" if right and not status else "fail", 0, log, tail(text))
    # Of an event that was never enabled there is no sample.
    check.record("perftest", f"acr-member-{cpu}",
                 "fail" if found["member"] or status else "pass", 0, log,
                 f"samples: {found['member']}")


def acr_both(check):
    """With the feature on both kinds of core, a legacy name stands for both."""
    test = "acr-legacy-both-arrowlake"
    if not check.wants("perftest", test):
        return
    start = time.monotonic()
    status, text, log = boot(f"perftest-{test}", BOTH, "--cpu", "arrowlake",
                             "--cpu-option", "pmusim-core-acr-reload=0xfc,"
                             "pmusim-core-acr-cause=0xfc")
    found = re.findall(r"^samples (\S+) (\d+) (\S+)$", text, re.M)
    right = [name for name, *_ in found] == ["task0", "task1", "cpu0", "cpu1"] \
        and all(int(number) > 20 and symbol == "loop2" for _, number, symbol in found)
    check.record("perftest", test, "pass" if right and not status else "fail",
                 time.monotonic() - start, log, tail(text))


def acr_tabled(check):
    """Periods of perf's own tables give way to all others."""
    test = "acr-tabled-events-lunarlake"
    if not check.wants("perftest", test):
        return
    start = time.monotonic()
    status, text, log = boot(f"perftest-{test}", TABLED, "--cpu", "lunarlake")
    wrong = []
    for name, periods in TABLED_PERIODS.items():
        found = re.findall(rf"^period {name} (\d+)$", text, re.M)
        samples = re.findall(rf"^samples {name} (\d+) (\S+)$", text, re.M)
        if found[:2] != periods:
            wrong.append(f"{name}: periods {found}")
        if [place for _, place in samples] != ["loop2"] or int(samples[0][0]) <= 20:
            wrong.append(f"{name}: samples {samples}")
    right = not status and not wrong and "recorded" not in text and \
        "has no period, but a frequency" in text
    check.record("perftest", test, "pass" if right else "fail",
                 time.monotonic() - start, log, f"{wrong}\n{tail(text, 20)}")


def acr_distribution(check):
    """An unmodified perf records with masks in the syntax of PMUs."""
    test = "acr-distribution-perf"
    if not check.wants("perftest", test):
        return
    start = time.monotonic()
    linked = subprocess.run(["ldd", DISTRIBUTION_PERF], capture_output=True,
                            text=True, check=False)
    if linked.returncode:
        check.record("perftest", test, "fail", why=f"no {DISTRIBUTION_PERF}:"
                     " install linux-perf, see scripts/deps.sh")
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


# Each phase of the program "topdown", and what the model knows of it, recorded as
# the document's examples do it.
EXAMPLE = r"""
echo "== {number} {phase}"
pmusim 1 memory {memory}
pmusim 1 range 0 {code} usr
pmusim 1 clear
{command} 2>&1
pmusim 1 range 0 off
pmusim 1 truth 0
perf script -i /tmp/data -F event | sed 's/^ */sample /' | sort | uniq -c
"""
PHASES = ("retiring", "bad-spec", "be-bound")
LANE_OF = {"branch-misses": "misses", "branch-instructions": "branches",
           "cache-misses": "llc_misses", "cache-references": "llc_references",
           "instructions": "instructions", "cycles": "cycles"}


def documented_examples():
    """Commands of the document, each with rules: (event that samples, its base,
    above which ratio, period)."""
    with open(TOP + "/tools/perf/Documentation/intel-acr.txt",
              encoding="utf-8") as document:
        commands = re.findall(r"^  (perf record -e '\{.*\}' -- )\./program$",
                              document.read(), re.M)
    for command in commands:
        members = re.findall(r"cpu_atom/([\w-]+)((?:,[\w-]+=[^,/]+)*)/", command)
        terms = [(name, dict(re.findall(r",([\w-]+)=([^,]+)", text)))
                 for name, text in members]
        rules = []
        for number, (name, its) in enumerate(terms):
            if "ratio-to" in its:
                base, _, ratio = its["ratio-to"].partition(":")
                ratio = float(ratio[:-1]) / 100 if ratio[-1] == "%" else float(ratio)
                period = int(dict(terms)[base]["period"]) * ratio
                rules.append((name, base, ratio, period))
            elif "ratio-to-prev" in its:
                before = terms[number - 1]
                rules.append((before[0], name, 1 / float(its["ratio-to-prev"]),
                              int(before[1]["period"])))
        yield command, rules


def wrong_samples(rules, truth, samples):
    """What is not as the ratios of a program that does one thing all the time say."""
    wrong = [f"{name} sampled" for name in samples
             if name not in [rule[0] for rule in rules]]
    for name, base, limit, period in rules:
        count, found = truth[LANE_OF[name]], samples.get(name, 0)
        ratio = count / (truth[LANE_OF[base]] or 1)
        if ratio < 0.8 * limit and found > 2 + count / period / 50:
            wrong.append(f"{found} of {name}, {ratio:.3f} of {base}")
        if ratio > 1.2 * limit and len(rules) == 1 and \
                abs(found - count / period) > 1 + count / period / 10:
            wrong.append(f"{found} of {count / period:.0f} of {name},"
                         f" {ratio:.3f} of {base}")
    return wrong


def acr_examples(check):
    """Each example of the document, in programs on either side of its ratio."""
    test = "acr-document-examples"
    if not check.wants("perftest", test):
        return
    start = time.monotonic()
    examples = list(documented_examples())
    # Cycles know of the caches only where they are followed, which takes time.
    script = "".join(
        EXAMPLE.format(number=number, phase=phase, code=code_range("topdown", "_start"),
                       memory="on" if rules[0][0] == "cycles" else "off",
                       command=f"taskset -c 1 {command.replace('record', 'record -q -o /tmp/data')}"
                               f"topdown {phase}")
        for number, (command, rules) in enumerate(examples) for phase in PHASES)
    status, text, log = boot(f"perftest-{test}", script, timeout=600)
    wrong, above = [], set()
    for number, phase, part in re.findall(r"^== (\d+) (\S+)\n((?:(?!== ).*\n)*)", text,
                                          re.M):
        rules = examples[int(number)][1]
        samples = {name.partition("/")[2].partition("/")[0].partition(",")[0]: int(found)
                   for found, name in re.findall(r"^ *(\d+) sample (\S+?):? *$", part, re.M)}
        wrong += [f"{number} {phase}: {reason}"
                  for reason in wrong_samples(rules, numbers(part), samples)]
        above.update((number, name) for name in samples)
    # Each event that an example can sample is sampled in one of the programs.
    missing = {(str(number), rule[0]) for number, (_, rules) in enumerate(examples)
               for rule in rules} - above
    right = not status and len(examples) == 5 and not wrong and not missing
    check.record("perftest", test, "pass" if right else "fail",
                 time.monotonic() - start, log, f"{wrong} {missing}\n{tail(text, 20)}")


# perf looks for its tests below the folder that it runs in.
SHELL = "tests/shell/record_acr.sh"
SHELL_CPUS = {"arrowlake": "Ok", "clearwaterforest": "Ok", "skylake": "Skip"}


def acr_shell(check):
    """perf's own recording test passes, and skips without the feature."""
    for cpu, verdict in SHELL_CPUS.items():
        test = f"acr-shell-{cpu}"
        if not check.wants("perftest", test):
            continue
        start = time.monotonic()
        status, text, log = boot(
            f"perftest-{test}", "cd /\nperf test -v 'perf record ACR tests' 2>&1\ntrue\n",
            "--cpu", cpu, f"--add={TOP}/tools/perf/{SHELL}=/{SHELL}")
        right = re.search(rf"perf record ACR tests\s*: {verdict}$", text, re.M)
        check.record("perftest", test, "pass" if right and not status else "fail",
                     time.monotonic() - start, log, tail(text, 20))


def mainline(check):
    """Mainline's own driver samples where ours does, on the emulated CPU."""
    test = "acr-mainline-arrowlake"
    if check.wants("machine", test) and check.need("machine", "rootfs", "qemu",
                                                   "mainline"):
        check.run("machine", test, [
            TOP + "/scripts/demo.py", "--out", BUILD + "/check/" + test,
            "--kernel", IMAGES["mainline"], "--strays", "2",
            "--table", f"{BUILD}/check/{test}.tsv"])


# The command is the one of the document. None of the counters that can be reloaded
# is one that branch records log, and there are as many as there are causes.
RELOADABLE = "pmusim-acr-reload=0x7000000f0"
REFUSALS = """
dmesg -n 1
echo 'file acr_open.c +p' > /proc/dynamic_debug/control
refusals cpu_atom cpu_core
"""
EINVAL = 22


def documented_refusals():
    """Messages of the document, in its order."""
    with open(TOP + "/Documentation/admin-guide/perf/intel-acr.rst",
              encoding="utf-8") as document:
        rows = re.search(r"^Message +Meaning\n(=+) =+\n(.*?)\n=+ =+$",
                         document.read(), re.S | re.M)
    texts = [row[:len(rows[1])].strip() for row in rows[2].splitlines()]
    return [text for text in texts if text]


def refusals(check):
    """Who is refused finds the reason where the document says, and each reason of
    the document is given."""
    test = "acr-B32-each-refusal-has-its-reason"
    if not check.wants("machine", test) or \
            not check.need("machine", *MACHINE_PARTS):
        return
    start = time.monotonic()
    status, text, log = boot(test, REFUSALS, "--cpu", "arrowlake",
                             "--cpu-option", RELOADABLE)
    found = re.findall(r"^(\S+) (-?\d+) (.*)$", text, re.M)
    said = list(dict.fromkeys(message for _, _, message in found))
    wrong = [row for row in found if row[1] != str(EINVAL)]
    right = not status and not wrong and said == documented_refusals()
    check.record("machine", test, "pass" if right else "fail",
                 time.monotonic() - start, log,
                 f"{wrong}, {set(said) ^ set(documented_refusals())}\n{tail(text, 20)}")


# A hypervisor may show the bits of CPUID and not have the registers. The emulator
# never does, but its second CPU can be another one than that whose CPUID is read.
MISSING = ("--cpu", "clearwaterforest",
           "--qemu-option=-smp", "--qemu-option=1,maxcpus=2",
           "--qemu-option=-device", "--qemu-option=Skylake-Client-x86_64-cpu,"
           "pmusim-acr-reload=0,socket-id=0,core-id=1,thread-id=0")
MISSING_SCRIPT = """
dmesg | grep -o 'CPU1: auto counter reload.*'
(cd /sys/bus/event_source/devices/cpu; ls format caps | grep acr)
cd /tmp
for cpu in 0 1; do
	for mask in '' ,config2=0x1; do
		taskset -c $cpu perf record -q -o data \\
			-e "cpu/event=0xc4,period=10000$mask/u" mispredict >/dev/null 2>log
		grep -o '^Invalid event' log
		echo "cpu$cpu$mask $(perf script -i data -F event 2>/dev/null | wc -l)"
		rm -f data
	done
done
"""
MISSING_TEXT = r"""CPU1: auto counter reload does not work, disabled
cpu0 \d{2,}
Invalid event
cpu0,config2=0x1 0
cpu1 \d{2,}
Invalid event
cpu1,config2=0x1 0
"""


def missing(check):
    """Of KVM, all that a machine without its processor extension can show: guests
    that lack the registers. Members that a guest stops at different times are the
    document's, its counters are host events like those of acr-B26."""
    case = check.case(spelled("acr_b23_missing_registers"))
    if case:
        text = case.boot(MISSING_SCRIPT, *MISSING)
        case.judge(re.fullmatch(MISSING_TEXT, text))


def run(check):
    mainline(check)
    refusals(check)
    missing(check)


def run_perf(check):
    acr_records(check, "arrowlake", "cpu_atom")
    acr_records(check, "clearwaterforest", "cpu")
    acr_both(check)
    acr_tabled(check)
    acr_distribution(check)
    acr_examples(check)
    acr_shell(check)
    acr_errors.run(check)
    acr_samples.run(check)
