# SPDX-License-Identifier: GPL-2.0
"""Every patch of the series on its own: it builds in silence, and it boots.

A work tree in build/patches walks from the base to the last patch. Object
folders stay, so that make compiles what the next patch touches and no more. A
warning counts if the base does not give it too, whatever its line.
"""

import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import time

from checks import model
from checks.lint import git, series_style
from checks.harness import BUILD, JOBS, LOG, MACHINE, TOP, boot, captured, tail

TREE = BUILD + "/patches/linux"
SERIES = BUILD + "/linux"
COMPILER = [f"CC={TOP}/scripts/cached-gcc.sh", "HOSTCC=ccache gcc"]
# As scripts/lib.sh has it, for the builds that no script of ours makes.
CACHE = (os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) \
    + "/corepmu"
ENVIRONMENT = dict(os.environ, CCACHE_DIR=CACHE + "/ccache", CCACHE_BASEDIR=TOP,
                   CCACHE_NOHASHDIR="1", CCACHE_DEPEND="1", LC_ALL="C")
KBUILD = ["nice", "make", "-C", TREE, *COMPILER, "KBUILD_BUILD_TIMESTAMP=@1",
          "KBUILD_BUILD_USER=corepmu", "KBUILD_BUILD_HOST=corepmu"]
OPTIONS = TREE + "/arch/x86/events/intel/Kconfig"
# What is between the braces of a function
BODY = re.compile(r"^\{\n.*?^\}", re.M | re.S)
# Folders that are built whole, as a header of theirs may have changed.
EVENTS = ("arch/x86/events/", "kernel/events/")

# What else includes the headers that the series changes; the test machine has no
# use for it.
BESIDE = dict.fromkeys((
    "CPU_SUP_AMD", "CPU_SUP_ZHAOXIN", "PERF_EVENTS_AMD_POWER",
    "PERF_EVENTS_AMD_UNCORE", "PERF_EVENTS_AMD_BRS", "PERF_EVENTS_INTEL_UNCORE",
    "PERF_EVENTS_INTEL_RAPL", "PERF_EVENTS_INTEL_CSTATE", "VIRTUALIZATION", "KVM",
    "KVM_INTEL"), "y")
# What a configuration changes in the test machine's with these; the first two are
# built with every patch, the others with the last one.
CONFIGS = {
    "on": {},
    "off": {"OURS": "n"},
    "acr-only": {"PERF_EVENTS_INTEL_FREEZE": "n"},
    "freeze-only": {"PERF_EVENTS_INTEL_ACR": "n"},
    "no-watchdog": {"HARDLOCKUP_DETECTOR": "n"},
    "no-kunit": {"KUNIT": "n"},
    "up": {"SMP": "n", "NR_CPUS": None, "HOTPLUG_CPU": None},
    "i386": {"64BIT": "n", "X86_32": "y"},
    "no-intel": {"CPU_SUP_INTEL": "n", "OURS": "n"},
    "no-amd": {"PERF_EVENTS_AMD_POWER": "n", "PERF_EVENTS_AMD_UNCORE": "n",
               "PERF_EVENTS_AMD_BRS": "n", "CPU_SUP_AMD": "n"},
}
EVERY_PATCH = ("on", "off")
# Others' files that use what the series changes.
USERS = ["arch/x86/kvm/vmx/vmx.o", "arch/x86/kvm/vmx/pmu_intel.o"]
WATCHDOG = "kernel/watchdog_perf.o"
PERF_VARIANTS = {
    "plain": ["NO_LIBTRACEEVENT=1"],
    "traceevent": [],
    "no-jevents": ["NO_LIBTRACEEVENT=1", "NO_JEVENTS=1"],
}
PERF_WITHOUT = [f"NO_{word}=1" for word in (
    "LIBPERL LIBPYTHON SLANG GTK2 LIBLLVM LIBBPF LIBCRYPTO LIBUNWIND LIBNUMA"
    " LIBAUDIT LIBZSTD LIBCAP LIBBABELTRACE LIBPFM4 JVMTI LIBDEBUGINFOD SDT LZMA"
    " CAPSTONE SHELLCHECK").split()]


def commits():
    """(folder's name, commit) of every patch, in order."""
    names = sorted(os.path.basename(os.path.dirname(path)) for path in
                   glob.glob(TOP + "/series/*/message"))
    return list(zip(names, git("rev-list", "--reverse",
                               "base..series").split("\n")))


def checkout(commit):
    """Only files that differ are written, so make sees just those."""
    if not os.path.exists(TREE + "/.git"):
        git("worktree", "prune")
        git("worktree", "add", "-q", "-f", "--detach", TREE, commit)
    git("checkout", "-q", "-f", "--detach", commit, cwd=TREE)


def touched(commit):
    return git("diff", "--name-only", "--diff-filter=AM", commit + "^",
               commit).split("\n")


def sources(paths):
    """Objects of the kernel that come from C files among @paths."""
    return [path[:-2] + ".o" for path in paths if path.endswith(".c")
            and not path.startswith(("tools/", "Documentation/"))]


def elsewhere(config, objects):
    """Those of @objects that a configuration has beside the events' folders."""
    return [path for path in objects if not path.startswith(EVENTS) and
            (path != WATCHDOG or config != "no-watchdog")]


def warnings(text):
    """{text without its line number: the line} of each warning."""
    return {re.sub(r"^\S*?((?:arch|kernel|include|drivers|tools)/\S+?):[\d:]+",
                   r"\1", line): line for line in text.splitlines()
            if re.search(r"\b(warning|error|WARNING|ERROR)\b", line)
            and "make" not in line.split(":")[0]}


class Walk:
    """What the checks of one walk share: where they are, what the base said."""

    def __init__(self, check):
        self.check = check
        self.known = {}
        # Symbols by configuration, of the base
        self.undefined = {}
        self.all = commits()

    def judge(self, test, kind, status, text, seconds, log):
        """Pass, unless the command failed or says what the base did not."""
        new = [line for key, line in warnings(text).items()
               if key not in self.known.get(kind, {})]
        self.check.record("patches", test, "fail" if status or new else "pass",
                          seconds, log, "\n".join(new) or tail(text))

    def run(self, test, kind, command):
        """One command of one patch; with no test, what it says of the base."""
        if test and not self.check.wants("patches", test):
            return
        start = time.monotonic()
        log = f"{LOG}/patches-{test or 'base'}-{kind}.log"
        status, text = captured(command, log, env=ENVIRONMENT)
        if test:
            self.judge(test, kind, status, text, time.monotonic() - start, log)
        else:
            self.known.setdefault(kind, {}).update(warnings(text))
            if status:
                self.check.record("patches", f"base-{kind}", "fail",
                                  time.monotonic() - start, log, tail(text))

    def at(self, number, name, commit):
        print(f"      {number}/{len(self.all)} {name}", flush=True)
        checkout(commit)


def options(config):
    """{option: value} of what a configuration is about; None leaves it to Kconfig."""
    changes = dict(CONFIGS[config])
    ours = changes.pop("OURS", "y")
    tests = changes.get("KUNIT", ours)
    wanted = dict(BESIDE)
    if os.path.exists(OPTIONS):
        with open(OPTIONS, encoding="utf-8") as file:
            for name in re.findall(r"^config (\w+)$", file.read(), re.M):
                wanted[name] = tests if "KUNIT" in name else ours
    wanted.update(changes)
    # What depends on an option that is off goes with it.
    for name in [name for name, value in wanted.items() if value == "n"]:
        for other in wanted:
            if other.startswith(name + "_") or \
                    other.startswith(name.replace("CPU_SUP_", "PERF_EVENTS_") + "_"):
                wanted[other] = "n"
    return wanted


def configure(config):
    """Write the configuration; make sees whether it is another."""
    out = f"{BUILD}/patches/{config}"
    os.makedirs(out, exist_ok=True)
    wanted = options(config)
    with open(MACHINE + "/kernel.config", encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines()
                 if line.partition("=")[0].removeprefix("CONFIG_") not in wanted]
    lines += [f"CONFIG_{name}={value}" for name, value in wanted.items() if value]
    with open(out + "/fragment", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    arch = ["ARCH=i386"] if config == "i386" else []
    status, text = captured([*KBUILD, *arch, "O=" + out,
                             f"KCONFIG_ALLCONFIG={out}/fragment", "allnoconfig"],
                            f"{LOG}/patches-config-{config}.log",
                            env=ENVIRONMENT)
    if status:
        sys.exit(tail(text))
    with open(out + "/.config", encoding="utf-8") as file:
        took = dict(re.findall(r"^CONFIG_(\w+)=(.*)$", file.read(), re.M))
    other = [name for name, value in wanted.items()
             if value and took.get(name, "n") != value]
    if other:
        sys.exit(f"{config}: did not take: {' '.join(other)}")
    return [*KBUILD, *arch, "O=" + out]


def build(walk, name, config, objects=()):
    """Compile with all warnings what a patch touches or may have changed."""
    make = configure(config)
    walk.run(name and f"{name}-build-{config}", "build-" + config,
             [*make, f"-j{JOBS}", "W=1", *EVENTS, *elsewhere(config, objects)])
    return make


def symbols(config, objects):
    """(defined, undefined) of what was built in a configuration."""
    out = f"{BUILD}/patches/{config}/"
    files = [out + path for path in (*(folder + "built-in.a" for folder in EVENTS),
                                     *elsewhere(config, objects))
             if os.path.exists(out + path)]
    text = subprocess.run(["nm", *files], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    found = set(re.findall(r"^ {17}[Uw] (\S+)$", text, re.M))
    defined = set(re.findall(r"^[0-9a-f]+ [A-Za-z] (\S+)$", text, re.M))
    return defined, found - defined


def missing(undefined, before, full):
    """What is used and was not before, of all that a full configuration defines:
    here nobody does."""
    return sorted((undefined - before) & full)


def linked(walk, objects):
    """No configuration leaves out what another part of it calls."""
    full, _ = symbols("on", objects)
    for config in CONFIGS:
        start = time.monotonic()
        found = missing(symbols(config, objects)[1], walk.undefined[config], full)
        walk.check.record("patches", f"last-symbols-{config}",
                          "fail" if found else "pass", time.monotonic() - start,
                          why="undefined: " + " ".join(found) if found else "")


def perf(walk, name, variant):
    out = f"{BUILD}/patches/perf-{variant}"
    os.makedirs(out, exist_ok=True)
    walk.run(name and f"{name}-perf-{variant}", "perf-" + variant, [
        "nice", "make", "-C", TREE + "/tools/perf", "O=" + out, f"-j{JOBS}",
        *COMPILER, "BUILD_BPF_SKEL=0", "PYTHON=python3", "PYTHON_CONFIG=true",
        *PERF_WITHOUT, *PERF_VARIANTS[variant], out + "/perf"])


def shown(revision, path):
    """A file of a revision, empty where there is none."""
    return subprocess.run(["git", "show", f"{revision}:{path}"], cwd=SERIES,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=False).stdout


def export(folder, name, revision, paths, other):
    """Put a revision's C files below a folder of the patch's name.

    Functions that the other revision has as well are left empty: what is said of
    them is nothing new, and they are by far the most.
    """
    for path in paths:
        text = shown(revision, path)
        if not text:
            continue
        known = set(BODY.findall(shown(other, path)))
        place = f"{folder}/{name}/{path}"
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(BODY.sub(lambda body, known=known: "{\n}"
                                if body[0] in known else body[0], text))


def semantic_patch(script, folder):
    """What one of the kernel's semantic patches reports of a folder."""
    with open(script, encoding="utf-8") as file:
        text = file.read()
    if "virtual report" not in text:
        return ""
    options = re.search(r"^//.*Options:(.*)$", text, re.M)
    done = subprocess.run(
        ["nice", "spatch", "-D", "report", "--no-show-diff", "--very-quiet",
         "--cocci-file", script, *(options[1].split() if options else []),
         "--dir", folder], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{script}: {tail(done.stderr)}")
    return done.stdout


def cocci(check, all_commits):
    """All revisions of all files at once."""
    if not any(check.wants("patches", name + "-coccicheck")
               for name, _ in all_commits):
        return
    start = time.monotonic()
    folder = BUILD + "/patches/cocci"
    shutil.rmtree(folder, ignore_errors=True)
    every = set()
    for name, commit in all_commits:
        paths = [path for path in touched(commit) if path.endswith(".c")]
        every.update(paths)
        export(folder, name, commit, paths, "base")
    export(folder, "base", "base", sorted(every), "series")
    scripts = sorted(glob.glob(SERIES + "/scripts/coccinelle/*/*.cocci"))
    said = ""
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for number, text in enumerate(
                pool.map(lambda script: semantic_patch(script, folder), scripts), 1):
            said += text
            if not number % 10:
                print(f"      coccicheck {number}/{len(scripts)}", flush=True)
    log = LOG + "/patches-coccicheck.log"
    with open(log, "w", encoding="utf-8") as file:
        file.write(said)
    lines = {}
    for name, path, text in re.findall(
            re.escape(folder) + r"/([^/]+)/(\S+?\.c):[\d:-]+ (.*)$", said, re.M):
        lines.setdefault(name, set()).add(f"{path}: {text}")
    for name, _ in all_commits:
        if os.path.isdir(f"{folder}/{name}"):
            new = lines.get(name, set()) - lines.get("base", set())
            check.record("patches", name + "-coccicheck",
                         "fail" if new else "pass", time.monotonic() - start, log,
                         "\n".join(sorted(new)))
            start = time.monotonic()


def sparse(walk, name, make, objects):
    walk.run(name and name + "-sparse", "sparse",
             [*make, f"-j{JOBS}", "C=2", "CF=-D__CHECK_ENDIAN__", *objects])


def selftests(walk, name):
    """The compiler's words are in the log of the build."""
    walk.run(name + "-selftests", "selftests", [
        "env", "SELFTESTS_TREE=" + TREE,
        f"SELFTESTS_OUT={BUILD}/patches/selftests", "sh", "-c",
        f"'{TOP}/scripts/build-selftests.sh' && cat '{LOG}/selftests.log'"])


def style(check):
    """checkpatch and kernel-doc, a row a patch."""
    status, text, log = series_style(check)
    rows = re.findall(r"^(ok|FAIL)\t(.*)$", text, re.M)
    for (result, _), (name, _) in zip(rows, commits()):
        check.record("patches", name + "-style",
                     "pass" if result == "ok" else "fail", 0, log)
    if status and all(result == "ok" for result, _ in rows):
        check.record("patches", "style", "fail", why=tail(text))


def naming(pages, text):
    """Lines that are about one of some files."""
    return [line for line in text.splitlines()
            if any(os.path.basename(page) in line for page in pages)]


def documentation(check):
    """No new warning about the pages that the series brings."""
    checkout("series")
    pages = [path for path in git("diff", "--name-only", "base..series", "--",
                                  "Documentation/*.rst").split("\n") if path]
    start = time.monotonic()
    log = LOG + "/patches-htmldocs.log"
    status, text = captured(
        [*KBUILD, f"O={BUILD}/patches/docs", "SPHINXDIRS=admin-guide/perf",
         "htmldocs"], log, env=ENVIRONMENT)
    about = [line for line in naming(pages, text)
             if re.search("warning|error", line, re.I)]
    check.record("patches", "htmldocs", "fail" if status or about else "pass",
                 time.monotonic() - start, log, "\n".join(about) or tail(text))

    pages = git("diff", "--name-only", "base..series", "--",
                "Documentation/ABI").split()
    log = LOG + "/patches-abi.log"
    status, text = captured(["sh", "-c", f"cd {TREE} && perl scripts/get_abi.pl validate"],
                            log)
    about = naming(pages, text)
    check.record("patches", "abi", "fail" if status or about or not pages else "pass",
                 0, log, "\n".join(about) or tail(text))


def kernel_patch(paths):
    return any(path.startswith(("arch/", "include/", "kernel/")) for path in paths)


def suites():
    """How many KUnit suites the events of the checked out patch have."""
    found = glob.glob(TREE + "/arch/x86/events/**/tests/*.c", recursive=True)
    number = 0
    for path in found:
        with open(path, encoding="utf-8") as file:
            number += len(re.findall(r"^kunit_test(?:_init_section)?_suites?\(",
                                     file.read(), re.M))
    return number


def wrong_suites(console, expected):
    """What is not as it should be about KUnit's results on a console."""
    ran = len(re.findall(r"\] ok \d+ ", console))
    return re.findall(r"\] +(not ok .*)$", console, re.M) + (
        [f"{ran} of {expected} KUnit suites passed"] if ran != expected else [])


def bisect(check):
    """Every patch that touches the kernel boots, counts, and passes KUnit."""
    if not check.need("bisect", "series", "rootfs", "qemu"):
        return
    walk = Walk(check)
    for number, (name, commit) in enumerate(walk.all, 1):
        if not kernel_patch(touched(commit)) or not check.wants("bisect", name):
            continue
        walk.at(number, name, commit)
        start = time.monotonic()
        log = f"{LOG}/bisect-{name}.log"
        status, text = captured(
            ["env", "TREE=" + TREE, "NAME=bisect",
             TOP + "/scripts/build-kernel.sh", "series"], log)
        if not status:
            status, text, log = boot(
                "bisect-" + name, model.PAYLOAD, "--append", "kunit.enable=1",
                "--kernel", BUILD + "/kernel-bisect/arch/x86/boot/bzImage")
            with open(f"{BUILD}/check/bisect-{name}/console.log",
                      encoding="utf-8", errors="replace") as console:
                bad = wrong_suites(console.read(), suites())
            counted = re.findall(r"^cpu\d,(\d+),", text, re.M)
            if counted != [str(model.INSTRUCTIONS), str(model.BRANCHES)] * 2:
                bad.append(f"counted: {counted}")
            if bad:
                status, text = 1, "\n".join(bad)
        check.record("bisect", name, "fail" if status else "pass",
                     time.monotonic() - start, log, tail(text))


def run(check):
    """Each patch by itself, then the last one in every configuration."""
    if not check.need("patches", "series"):
        return
    walk = Walk(check)
    style(check)
    cocci(check, walk.all)
    paths = {commit: touched(commit) for _, commit in walk.all}
    kernel = sorted({target for found in paths.values()
                     for target in sources(found)})
    print("      the base", flush=True)
    checkout("base")
    there = [target for target in kernel
             if os.path.exists(f"{TREE}/{target[:-2]}.c")]
    for config in CONFIGS:
        make = build(walk, None, config,
                     there + USERS if config == "on" else there)
        walk.undefined[config] = symbols(config, there)[1]
        if config == "on":
            sparse(walk, None, make, there)
    for variant in PERF_VARIANTS:
        perf(walk, None, variant)
    for number, (name, commit) in enumerate(walk.all, 1):
        walk.at(number, name, commit)
        found = paths[commit]
        objects = sources(found)
        if kernel_patch(found):
            for config in EVERY_PATCH:
                make = build(walk, name, config, objects)
                if config == "on" and objects:
                    sparse(walk, name, make, objects)
        if any(path.startswith(("tools/perf/", "tools/lib/")) for path in found):
            for variant in PERF_VARIANTS:
                perf(walk, name, variant)
        if any(path.startswith("tools/testing/selftests/") for path in found):
            selftests(walk, name)
    for config in CONFIGS:
        if config not in EVERY_PATCH:
            build(walk, "last", config, kernel)
    build(walk, "last-users", "on", USERS)
    linked(walk, kernel)
    documentation(check)
