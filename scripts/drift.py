#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Which hooks of the series fit which kernel source that Debian serves.

usage: drift.py [BASE...]

BASE is what fetch.sh knows: linux-oldest and linux-newest, the first and last
6.12.y of Debian, and mainline, its newest kernel (default: all three). Every
hook is tried by itself on what the hooks before it left, so one that does not
fit hides no other. The result is a table, build/results/drift.tsv; a hook that
does not fit is no failure, a base that cannot be had is.
"""

import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hooks  # noqa: E402
import series  # noqa: E402

BASES = ("linux-oldest", "linux-newest", "mainline")
TABLE = os.path.join(series.ROOT, "build/results/drift.tsv")


def fetch(base):
    """(tarball, version) of a base."""
    tarball = subprocess.run([os.path.join(series.ROOT, "scripts/fetch.sh"), base],
                             env={**os.environ, "RECENT": "1"},
                             check=True, text=True,
                             stdout=subprocess.PIPE).stdout.strip()
    version = hooks.read(os.path.join(os.path.dirname(tarball), "version"))
    return tarball, version.split()[1]


def unpack(tarball, tree, paths):
    """Take the files that hooks edit out of a tarball; some may be missing."""
    listed = subprocess.run(["tar", "-taf", tarball], check=True, text=True,
                            stdout=subprocess.PIPE).stdout.split("\n")
    top = listed[0].split("/")[0]
    there = {f"{top}/{path}" for path in paths} & set(listed)
    subprocess.run(["tar", "-xaf", tarball, "-C", tree, "--strip-components=1",
                    "-T", "-"], check=True, text=True,
                   input="\n".join(sorted(there)))


def steps(patchdir):
    """(name, path, function from text to text) of each hook of a patch."""
    for path, rule in hooks.find_hooks(patchdir):
        where = hooks.label(patchdir, os.path.relpath(rule, patchdir))
        yield where, path, lambda text, path=path, rule=rule, where=where: \
            hooks.apply_cocci(rule, text, path, where, None)
    for path, edits in hooks.parse_lines(patchdir):
        where = hooks.label(patchdir, "lines")

        def edit(text, path=path, edits=edits, where=where):
            lines = text.split("\n")
            for one in edits:
                hooks.apply_edit(lines, one, where, path)
            return "\n".join(lines)
        yield f"{where} {path}", path, edit


def attempt(tree, path, step):
    """Apply one hook if it fits; "fits", or why it does not."""
    name = os.path.join(tree, path)
    if not os.path.isfile(name):
        return f"{path} is not there"
    try:
        hooks.write(name, step(hooks.read(name)))
    except hooks.HookError as error:
        return str(error).split(": ", 1)[-1].split("\n")[0]
    return "fits"


def rows(tree, patchdir):
    """(hook, result) for everything that a patch does to a tree."""
    for where, path, step in steps(patchdir):
        yield where, attempt(tree, path, step)
    for source, target in hooks.parse_files(patchdir):
        name = os.path.join(tree, target)
        if os.path.exists(name):
            yield hooks.label(patchdir, "files"), f"{target} is there already"
        else:
            os.makedirs(os.path.dirname(name), exist_ok=True)
            shutil.copy(os.path.join(series.ROOT, source), name)


def main(argv):
    if set(argv) - set(BASES):
        print(__doc__.strip())
        return 2
    folder = os.path.join(series.ROOT, "series")
    patches = series.folders(folder)
    # What another patch of ours brings is no file of the base.
    paths = {path for name in patches
             for path in hooks.touched(os.path.join(folder, name))}
    own = {target for name in patches
           for _, target in hooks.parse_files(os.path.join(folder, name))}
    lines = ["base\tversion\tpatch\thook\tresult"]
    for base in argv or BASES:
        tarball, version = fetch(base)
        with tempfile.TemporaryDirectory(prefix="drift-") as tree:
            unpack(tarball, tree, paths | own)
            fit = whole = total = 0
            for name in patches:
                found = list(rows(tree, os.path.join(folder, name)))
                good = [row for row in found if row[1] == "fits"]
                fit, total = fit + len(good), total + len(found)
                whole += len(good) == len(found)
                lines += [f"{base}\t{version}\t{name}\t{hook}\t{result}"
                          for hook, result in found]
                for hook, result in found:
                    if result != "fits":
                        print(f"{version:22} {hook}: {result}", flush=True)
        print(f"{version:22} {fit} of {total} hooks fit, {whole} of "
              f"{len(patches)} patches whole", flush=True)
    hooks.write(TABLE, "\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
