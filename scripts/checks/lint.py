# SPDX-License-Identifier: GPL-2.0
"""Static checks of what is not the kernel's: scripts, programs, the model."""

import glob
import os
import re
import subprocess
import sys
import time

from checks.harness import BUILD, LOG, TOP, captured, tail

def own_files(*patterns):
    """Files of the repository, committed or about to be."""
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others",
         "--exclude-standard", *patterns],
        cwd=TOP, capture_output=True, text=True, check=False).stdout
    return [path for path in listed.split("\0")
            if path and os.path.exists(os.path.join(TOP, path))]


# checkpatch's advice that a program cannot follow.
KERNEL_ONLY = ("ARRAY_SIZE,PREFER_DEFINED_ATTRIBUTE_MACRO,VOLATILE,"
               "EMBEDDED_FUNCTION_NAME")


# A definition that others see: a global function, or an inline one of a header.
FUNCTION = re.compile(r"^(?:static (?:__always_)?inline )?"
                      r"(?!static|\s|#|/|\}|DEFINE|DECLARE|typedef|struct \w+ \{)"
                      r"(?:[\w*]+[ \t\n]+\*?)+?(\w+)\([^;{}]*?\)\n\{", re.M)


def undocumented(texts):
    """Functions that others use, in {path: text of a kernel file}, without
    kernel-doc. Of the two of an option, on and off, one has it."""
    documented = {name for text in texts.values() for name in
                  re.findall(r"^/\*\*\n \* (\w+) - ", text, re.M)}
    missing = []
    for path, text in texts.items():
        for found in FUNCTION.finditer(text):
            if found[0].startswith("static") and not path.endswith(".h"):
                continue
            if found[1] not in documented:
                missing.append(f"{path}: {found[1]}")
    return missing


def git(*words, cwd=BUILD + "/linux"):
    """What git says, by default of the tree with the series."""
    return subprocess.run(["git", *words], cwd=cwd, check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def kernel_doc(check):
    """Every function of the driver that other files use has kernel-doc: ours, and
    those of the base that are global now."""
    if not check.wants("lint", "kernel-doc-is-there") or \
            not check.need("lint", "series"):
        return
    texts = {}
    for path in own_files("arch/x86/events/*.[ch]"):
        with open(f"{TOP}/{path}", encoding="utf-8") as file:
            texts[path] = file.read()
    missing = undocumented(texts)
    changed = git("diff", "--name-only", "--diff-filter=M", "base..series", "--",
                  "arch/*.[ch]", "kernel/*.[ch]", "include/*.h").split()
    base, series = ({path: git("show", f"{revision}:{path}") for path in changed}
                    for revision in ("base", "series"))
    before = undocumented(base)
    missing += [line for line in undocumented(series) if line not in before]
    check.record("lint", "kernel-doc-is-there", "fail" if missing else "pass",
                 why="\n".join(missing))


def series_style(check):
    """(status, text, log) of check-series.sh, which takes a while: once a run."""
    if not hasattr(check, "style"):
        log = LOG + "/lint-series.log"
        check.style = (*captured([TOP + "/scripts/check-series.sh",
                                  BUILD + "/linux"], log), log)
    return check.style


def lint(check):
    kernel_doc(check)
    for path in own_files("*.sh", ".ci/run"):
        check.run("lint", f"shellcheck-{path}", ["shellcheck", path])
    for path in own_files("*.py", "tools/testing/machine/run",
                          "tools/testing/pmusim/guest/run"):
        check.run("lint", f"python-{path}", [
            sys.executable, "-W", "error", "-c",
            "import sys; compile(open(sys.argv[1]).read(), sys.argv[1], 'exec')",
            path])
    texts = own_files("*.md", "*.rst", "*.sh", "*.py", "*.[chS]", "*/message",
                      "series/*", "Makefile", "Kconfig")
    check.run("lint", "codespell", ["codespell", "-L", "nin", *texts])
    checkpatch = BUILD + "/linux/scripts/checkpatch.pl"
    for path in own_files("tools/testing/machine/*.c"):
        if check.wants("lint", f"checkpatch-{path}") and check.need("lint", "series"):
            check.run("lint", f"checkpatch-{path}", [
                checkpatch, "--no-tree", "--strict", "--terse", "--ignore",
                KERNEL_ONLY, "-f", path])
    if check.wants("lint", "series") and check.need("lint", "series"):
        start = time.monotonic()
        status, text, log = series_style(check)
        check.record("lint", "series", "fail" if status else "pass",
                     time.monotonic() - start, log, tail(text))


def manuals():
    """Manuals of perf that the series touches."""
    pages = set()
    for path in glob.glob(TOP + "/series/*/lines"):
        with open(path, encoding="utf-8") as lines:
            pages.update(re.findall(r"^@ (tools/perf/Documentation/perf-.*\.txt)$",
                                    lines.read(), re.M))
    return sorted(pages)


# asciidoc says what it does not understand, and goes on.
MANUAL = """
PATH=/usr/bin:/bin asciidoc -b xhtml11 -d manpage -f asciidoc.conf \\
	-a perf_version=- -o - "$1" >/dev/null 2>"$2" || echo "status $?" >>"$2"
cat "$2"
[ ! -s "$2" ]
"""


def asciidoc(check):
    """perf's manuals can be built, without a warning."""
    pages = [page for page in manuals() if
             check.wants("static", f"asciidoc-{os.path.basename(page)[:-4]}")]
    if not pages or not check.need("static", "series"):
        return
    for page in pages:
        folder, name = os.path.split(page)
        said = f"{BUILD}/log/{name}.asciidoc"
        check.run("static", f"asciidoc-{name[:-4]}", [
            "sh", "-c", f"cd '{BUILD}/linux/{folder}' && " + MANUAL.strip(),
            "asciidoc", name, said])


def static(check):
    """What needs programs that no test does: scripts/deps.sh lint has them."""
    asciidoc(check)
    check.run("static", "pyflakes", ["pyflakes3", *own_files(
        "*.py", "tools/testing/machine/run", "tools/testing/pmusim/guest/run")])
    for path in sorted(glob.glob(TOP + "/tools/testing/pmusim/model/*.c")):
        check.run("static", f"clang-tidy-{os.path.basename(path)[:-2]}", [
            "clang-tidy", "--quiet", path, "--", "-std=c11"])
