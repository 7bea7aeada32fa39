# SPDX-License-Identifier: GPL-2.0
"""The shell test of perf stat that the kernel has, in the test machine."""

import re

from checks.harness import BUILD

# perf looks for its tests below the folder that it runs in. The one of weak groups
# has an option that needs -a, without which it skips itself anywhere.
SCRIPT = "tests/shell/stat.sh"
RUN = f"""
cd /
perf test 'perf stat tests' 2>&1
sed 's/--no-merge/-a &/' {SCRIPT} >/tmp/stat.sh
sh /tmp/stat.sh 2>&1
echo "status $?"
true
"""
# CPU: how many of the script's tests skip there
CPUS = {"arrowlake": 0, "skylake": 2}


def right(text, skips):
    """It passes, none of its tests fails, and only those that need slots skip."""
    said = re.findall(r"^(.* test) \[(\w+).*\]$", text, re.M)
    skipped = [name for name, verdict in said if verdict == "Skipped"]
    return re.search(r"perf stat tests\s*: Ok$", text, re.M) and \
        re.search(r"^status 0$", text, re.M) and len(said) >= 8 and \
        {verdict for _, verdict in said} <= {"Success", "Skipped"} and \
        len(skipped) == skips and all(name.startswith("Topdown") for name in skipped)


def run(check):
    for cpu, skips in CPUS.items():
        case = check.case(f"stat-shell-{cpu}", suite="perftest")
        if not case:
            continue
        text = case.boot(RUN, "--cpu", cpu,
                         f"--add={BUILD}/linux/tools/perf/{SCRIPT}=/{SCRIPT}")
        case.judge(right(text, skips))
