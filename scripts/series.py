#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Turn the folders of series/ into a kernel git tree and a set of patches.

Each folder is one patch: `message` is its commit message, the rest is described
by `hooks.py --help`. Author and Signed-off-by are git's identity of whoever
runs this. Nothing is done when nothing changed since the last run. DIR of
--tree is generated: edits inside are thrown away.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hooks  # noqa: E402
import letter  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Where the overlay lives: every file below is part of exactly one patch.
ROOMS = ("arch", "include", "tools/lib", "tools/perf",
         "tools/testing/selftests", "Documentation")
# Pages about this repository are not for the kernel.
NO_OVERLAY = ("__pycache__", "corepmu")

NEUTRAL = ("corepmu", "corepmu@localhost")


class SeriesError(Exception):
    """The series cannot be made; the text says why."""


def say(text):
    print("series: %s" % text, flush=True)


def run(*argv, cwd=None, env=None, text=None):
    """Run a command and return what it prints, or stop with its message."""
    done = subprocess.run(argv, cwd=cwd, env=env, input=text, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    if done.returncode:
        raise SeriesError("%s failed with status %d\n%s" % (
            " ".join(argv[:4]), done.returncode, done.stderr.strip()))
    return done.stdout.rstrip("\n")


def identity():
    """Name and address of whoever runs this."""
    found = []
    for key, default in zip(("user.name", "user.email"), NEUTRAL):
        done = subprocess.run(["git", "config", key], cwd=ROOT, text=True,
                              stdout=subprocess.PIPE, check=False)
        env = os.environ.get("GIT_AUTHOR_" + key.split(".")[1].upper())
        found.append(env or done.stdout.strip() or default)
    return tuple(found)


def folders(series):
    """Return the patch folders in order."""
    names = []
    for name in sorted(os.listdir(series)):
        if not os.path.isdir(os.path.join(series, name)):
            continue
        if not re.fullmatch(r"\d\d-[a-z0-9-]+", name):
            raise SeriesError("series/%s: not a folder of the form NN-slug" % name)
        if not os.path.isfile(os.path.join(series, name, "message")):
            raise SeriesError("series/%s: no message" % name)
        names.append(name)
    if not names:
        raise SeriesError("%s: no patches" % series)
    return names


def overlay():
    """Return every file of ours that belongs to the kernel tree."""
    found = []
    for room in ROOMS:
        for folder, dirs, names in os.walk(os.path.join(ROOT, room)):
            dirs[:] = [d for d in dirs if d not in NO_OVERLAY]
            for name in names:
                if name.endswith(("~", ".swp", ".rej", ".orig")):
                    continue
                path = os.path.join(folder, name)
                found.append(os.path.relpath(path, ROOT))
    return sorted(found)


def check_overlay(series, names):
    """Every overlay file must be in exactly one patch."""
    owner = {}
    for name in names:
        for source, _ in hooks.parse_files(os.path.join(series, name)):
            if not os.path.isfile(os.path.join(ROOT, source)):
                raise SeriesError("series/%s/files: %s does not exist" % (name, source))
            if source in owner:
                raise SeriesError("%s is in two patches: series/%s and series/%s" % (
                    source, owner[source], name))
            owner[source] = name
    for path in overlay():
        if path not in owner:
            raise SeriesError("%s is in no patch" % path)
    return sorted(owner)


def digest(paths):
    """Hash of names, modes and contents."""
    total = hashlib.sha256()
    for path in sorted(paths):
        with open(path, "rb") as f:
            data = f.read()
        mode = os.stat(path).st_mode & 0o111
        total.update(("%s\0%d\0%d\0" % (path, mode, len(data))).encode())
        total.update(data)
    return total.hexdigest()


def hash_tarball(path):
    total = hashlib.sha256()
    with open(path, "rb") as f:
        while block := f.read(1 << 20):
            total.update(block)
    return total.hexdigest()


def slurp(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as f:
        return f.read()


def make_base(tarball, tree):
    """Unpack and commit the base once for each tarball."""
    stamp = os.path.join(tree, ".git", "corepmu-base")
    info = os.stat(tarball)
    quick = "%d %d" % (info.st_size, info.st_mtime_ns)
    have = slurp(stamp).split("\n")
    if have[0] == quick:
        return have[1]
    key = hash_tarball(tarball)
    if len(have) > 1 and have[1] == key:
        hooks.write(stamp, "%s\n%s" % (quick, key))
        return key

    say("unpacking %s" % os.path.basename(tarball))
    fresh = tree + ".new"
    shutil.rmtree(fresh, ignore_errors=True)
    os.makedirs(fresh)
    run("tar", "-xaf", os.path.abspath(tarball), "--strip-components=1",
        "-C", fresh)
    if not os.path.exists(os.path.join(fresh, "Kbuild")):
        raise SeriesError("%s: not a kernel source tree" % tarball)
    say("committing the base")
    run("git", "init", "-q", "-b", "series", cwd=fresh)
    run("git", "config", "gc.auto", "0", cwd=fresh)
    # One pack instead of 80,000 loose objects
    run("git", "-c", "core.bigFileThreshold=1", "-c", "core.compression=1",
        "add", "-A", "-f", cwd=fresh)
    env = dict(os.environ, **dates(info.st_mtime))
    env.update(who(NEUTRAL))
    run("git", "commit", "-q", "-m", "base", cwd=fresh, env=env)
    run("git", "tag", "base", cwd=fresh)
    hooks.write(os.path.join(fresh, ".git", "corepmu-base"),
                "%s\n%s" % (quick, key))
    shutil.rmtree(tree, ignore_errors=True)
    os.rename(fresh, tree)
    return key


def who(person):
    name, mail = person
    return {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail,
            "GIT_COMMITTER_NAME": name, "GIT_COMMITTER_EMAIL": mail}


def dates(when):
    stamp = "%d +0000" % int(os.environ.get("SOURCE_DATE_EPOCH", when))
    return {"GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}


def message(series, name, person):
    text = hooks.read(os.path.join(series, name, "message")).strip("\n")
    if re.search(r"^(Signed-off-by|Author|From|Co-developed-by):", text, re.M):
        raise SeriesError("series/%s/message: names an author" % name)
    if "\n" in text and text.split("\n")[1]:
        raise SeriesError("series/%s/message: no empty line below the subject" % name)
    return "%s\n\nSigned-off-by: %s <%s>\n" % ((text,) + person)


def commit_patch(tree, stage, root, name, parent, env, cache, person):
    """Commit one folder of @root/series on @parent and return the new commit.

    Only the files that the patch edits are written, into the folder @stage,
    and the commit is made from a private index: the work tree of @tree is not
    involved.
    """
    series = os.path.join(root, "series")
    patchdir = os.path.join(series, name)
    shutil.rmtree(stage, ignore_errors=True)
    os.makedirs(stage)
    env = dict(env, GIT_DIR=os.path.join(tree, ".git"), GIT_WORK_TREE=stage,
               GIT_INDEX_FILE=stage + ".index")
    there = run("git", "ls-tree", "-r", "--name-only", parent, "--",
                *hooks.touched(patchdir),
                *[t for _, t in hooks.parse_files(patchdir)],
                env=env).split("\n")
    run("git", "read-tree", parent, env=env)
    run("git", "checkout-index", "-q", "-z", "--stdin", env=env, cwd=stage,
        text="\0".join(p for p in there if p))
    changed = hooks.apply(stage, patchdir, root, cache)
    run("git", "add", "-f", "--", *changed, env=env, cwd=stage)
    content = run("git", "write-tree", env=env)
    if content == run("git", "rev-parse", parent + "^{tree}", env=env):
        raise SeriesError("series/%s: changes nothing" % name)
    return run("git", "commit-tree", content, "-p", parent, env=env,
               text=message(series, name, person))


def commit_all(tree, root, env, cache, person):
    """Commit every folder of @root/series on the base and return the last."""
    tip = run("git", "rev-parse", "base", cwd=tree)
    names = folders(os.path.join(root, "series"))
    with tempfile.TemporaryDirectory(prefix="series-") as tmp:
        for number, name in enumerate(names, 1):
            say("%d/%d %s" % (number, len(names), name))
            tip = commit_patch(tree, os.path.join(tmp, "stage"), root, name,
                               tip, env, cache, person)
    return tip


def commit_previous(tree, revision, env, cache, person):
    """Make the series that a revision of this repository had."""
    with tempfile.TemporaryDirectory(prefix="previous-") as tmp:
        archive = os.path.join(tmp, "archive.tar")
        run("git", "archive", "-o", archive, revision, cwd=ROOT)
        run("tar", "-xf", archive, "-C", tmp)
        return commit_all(tree, tmp, env, cache, person)


def cover_letter(series, patches, numbers, changes, version):
    """Fill in subject and text from series/cover-letter, then what was found."""
    text = slurp(os.path.join(series, "cover-letter")).strip("\n")
    subject, _, blurb = text.partition("\n")
    name = os.path.join(patches, ("v%d-" % version if version > 1 else "")
                        + "0000-cover-letter.patch")
    if changes:
        changes = "Changes since v%d:\n\n%s" % (version - 1, changes)
    blurb = "\n\n".join(part.strip("\n") for part in (blurb, numbers, changes)
                        if part)
    written = hooks.read(name)
    if text:
        written = written.replace("*** SUBJECT HERE ***", subject)
        written = written.replace("*** BLURB HERE ***", blurb)
    hooks.write(name, written)


def write_patches(tree, series, patches, env, opts, previous):
    """The set to mail, and what goes with it."""
    version = opts.version or (2 if previous else 1)
    os.makedirs(patches, exist_ok=True)
    for name in os.listdir(patches):
        if name.endswith(".patch") or name in ("range-diff", "recipients"):
            os.remove(os.path.join(patches, name))
    run("git", "format-patch", "-q", "--cover-letter", "-o", patches,
        *(["-v%d" % version] if version > 1 else []), "base..series", cwd=tree,
        env=env)
    summary = ""
    if previous:
        summary, whole = letter.changes(tree, previous, "series")
        hooks.write(os.path.join(patches, "range-diff"), whole)
    figures = letter.numbers(opts.bench)
    if not figures:
        say("no figures for the letter: make bench")
    cover_letter(series, patches, figures, summary, version)
    hooks.write(os.path.join(patches, "recipients"),
                letter.recipients(tree, patches))


def make_series(opts):
    series = opts.series
    names = folders(series)
    ours = check_overlay(series, names)
    if opts.check:
        say("%d patches, %d files" % (len(names), len(ours)))
        return

    tree = os.path.abspath(opts.tree)
    patches = os.path.abspath(opts.patches) if opts.patches else None
    base = make_base(opts.base, tree)

    person = identity()
    inputs = [os.path.join(ROOT, p) for p in ours]
    inputs += [os.path.join(ROOT, "scripts", p) for p in
               ("series.py", "hooks.py", "letter.py", "bench_page.py")]
    for folder, _, files in os.walk(series):
        inputs += [os.path.join(folder, f) for f in files]
    key = "%s %s %s" % (base, digest(inputs), " ".join(person))

    cache = opts.cache or os.path.join(tree, ".git", "corepmu-cache")
    when = run("git", "log", "-1", "--format=%ct", "base", cwd=tree)
    env = dict(os.environ, **dates(int(when)))
    env.update(who(person))
    update_tree(tree, series, key, env, cache, person)
    if patches and NEUTRAL[1] in person:
        raise SeriesError("patches to mail are signed off: please set"
                          " git config user.name and user.email")
    if patches:
        update_patches(tree, series, patches, key, env, opts, cache, person)


def update_tree(tree, series, key, env, cache, person):
    stamp = os.path.join(tree, ".git", "corepmu-series")
    have = slurp(stamp).split("\n")
    if have[0] == key and \
            run("git", "rev-parse", "HEAD", cwd=tree) == have[1] and \
            not run("git", "status", "--porcelain", "-uno", cwd=tree):
        say("up to date")
        return

    tip = commit_all(tree, os.path.dirname(series), env, cache, person)
    if run("git", "symbolic-ref", "-q", "HEAD", cwd=tree) != "refs/heads/series":
        run("git", "symbolic-ref", "HEAD", "refs/heads/series", cwd=tree)
    run("git", "reset", "-q", "--hard", tip, cwd=tree)
    hooks.write(stamp, "%s\n%s" % (key, tip))
    say("the tree is in %s" % tree)


def update_patches(tree, series, patches, key, env, opts, cache, person):
    stamp = os.path.join(tree, ".git", "corepmu-patches")
    key = "%s %s %s %s" % (
        key, opts.version or "",
        digest(path for path in (opts.bench, letter.bench_page.PAGE)
               if os.path.isfile(path)),
        run("git", "rev-parse", opts.previous, cwd=ROOT) if opts.previous else "")
    if slurp(stamp) == key and os.path.exists(os.path.join(patches, "recipients")):
        say("the patches are up to date in %s" % patches)
        return

    previous = None
    if opts.previous:
        say("the series of %s" % opts.previous)
        previous = commit_previous(tree, opts.previous, env, cache, person)
        run("git", "tag", "-f", "previous", previous, cwd=tree)
    write_patches(tree, series, patches, env, opts, previous)
    hooks.write(stamp, key)
    say("%d patches in %s" % (len(folders(series)), patches))


def arguments(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    def option(name, metavar, text, **more):
        parser.add_argument(name, metavar=metavar, help=text, **more)

    option("--base", "TARBALL",
           "kernel source package, for example linux-source-6.12.tar.xz")
    option("--tree", "DIR",
           "git tree to create or bring up to date: tag `base` is the unpacked"
           " tarball, branch `series` has one commit for each folder"
           " series/NN-slug. Files whose content does not change keep their"
           " times, so that make rebuilds only what must be")
    option("--patches", "DIR",
           "receives the set to mail: what `git format-patch` writes, its cover"
           " letter, and `recipients`, as the kernel's get_maintainer.pl knows"
           " them")
    option("--bench", "FILE",
           "numbers for the cover letter, as bench.py writes them", default="")
    option("--previous", "REV",
           "compare with the series of that revision of this repository: its"
           " changes go into the cover letter, all of them to `range-diff`, and"
           " the patches are called v2 or what --version says")
    option("--version", "N", "which version this is", type=int)
    option("--series", "DIR",
           "the folders to use (default: series/ of this repository)",
           default=os.path.join(ROOT, "series"))
    option("--cache", "DIR",
           "results of semantic patches (default: inside the git folder)")
    parser.add_argument("--check", action="store_true", help="only check that"
                        " every file of ours is in exactly one patch")
    opts = parser.parse_args(argv)
    if not opts.check and not (opts.base and opts.tree):
        parser.error("--base and --tree, or --check, are needed")
    return opts


def main(argv):
    opts = arguments(argv)
    try:
        make_series(opts)
    except hooks.HookError as e:
        print("hooks: %s" % e, file=sys.stderr)
        return 1
    except (SeriesError, OSError) as e:
        print("series: %s" % e, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
