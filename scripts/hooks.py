#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Apply one hook folder to a source tree.

PATCHDIR holds what one patch brings; each part is optional:

files               Files to copy into TREE, one a line: `path` when it is the
                    same below the repository root and below TREE, or
                    `source -> target`. A target must not exist yet.

hooks/PATH.cocci    Semantic patch for TREE/PATH. Its first lines declare what
                    it does to the file, and it is refused when the real
                    numbers differ:

                        // lines: +3 -1

                    Rules should count their anchors themselves as well. In a
                    file with `#spatch --smpl-spacing`, runs of two or more
                    blanks inside added lines become as many tabs; write
                    `// retab: no` to keep them.

lines               Edits for what a semantic patch cannot express:

                        @ path/in/tree
                        in REGEX
                        to REGEX
                        after COUNT REGEX
                        +new text
                        before COUNT REGEX
                        +new text
                        replace COUNT REGEX
                        +new text
                        delete COUNT REGEX

                    REGEX is searched in single lines (Python syntax) and must
                    match exactly COUNT lines; all of them are edited. `in`
                    limits the next edit to the lines from the first match of
                    its REGEX to the next line that is only `}` or `};`, or, with
                    `to` below it, to the next match of that. Empty lines and
                    lines that start with `#` are skipped. A file whose last
                    line is deleted goes.

Everything is prepared beside the tree and written only when every part
matched, so a failure leaves TREE as it was. Applying a folder twice is an
error. Status: 0 applied, 1 refused (the reason is on stderr), 2 usage.
"""

import argparse
import difflib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

EDITS = ("after", "before", "replace", "delete")


class HookError(Exception):
    """A hook that does not fit; the text names hook, edit and count."""


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        return f.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write(text)


def label(patchdir, name):
    """Short name of a hook for messages: series/05-acr/lines."""
    parts = os.path.normpath(os.path.abspath(patchdir)).split(os.sep)
    return "/".join(parts[-2:] + [name])


def inside(path, where):
    """Return @path when it stays below the tree, else stop."""
    norm = os.path.normpath(path)
    if not path or os.path.isabs(norm) or norm.split(os.sep)[0] == "..":
        raise HookError("%s: \"%s\" leaves the tree" % (where, path))
    return norm


def parse_files(patchdir):
    """Return [(source, target)] of the `files` list."""
    name = os.path.join(patchdir, "files")
    if not os.path.exists(name):
        return []
    where = label(patchdir, "files")
    pairs = []
    for line in read(name).splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        source, arrow, target = line.partition("->")
        source = inside(source.strip(), where)
        target = inside(target.strip(), where) if arrow else source
        pairs.append((source, target))
    return pairs


def parse_lines(patchdir):
    """Return [(path, [edit])] of the `lines` file."""
    name = os.path.join(patchdir, "lines")
    if not os.path.exists(name):
        return []
    where = label(patchdir, "lines")
    targets = []
    scope = None
    for number, line in enumerate(read(name).splitlines(), 1):
        def bad(why):
            return HookError("%s:%d: %s" % (where, number, why))

        if line.startswith("+"):
            if not targets or not targets[-1][1] or scope is not None:
                raise bad("new text without an edit")
            targets[-1][1][-1]["text"].append(line[1:])
            continue
        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word == "@":
            if scope is not None:
                raise bad("\"in\" without an edit")
            targets.append((inside(rest, where), []))
            continue
        if not targets:
            raise bad("edit without a file")
        try:
            if word == "in":
                if scope is not None:
                    raise bad("\"in\" without an edit")
                scope = (re.compile(rest), re.compile("^};?$"))
            elif word == "to":
                if scope is None:
                    raise bad("\"to\" without an \"in\"")
                scope = (scope[0], re.compile(rest))
            elif word in EDITS:
                count, _, regex = rest.partition(" ")
                if not count.isdigit() or int(count) < 1 or not regex:
                    raise bad("expected \"%s COUNT REGEX\"" % word)
                targets[-1][1].append({
                    "kind": word, "count": int(count), "scope": scope,
                    "regex": re.compile(regex), "text": [],
                    "name": "%s %s" % (word, rest)})
                scope = None
            else:
                raise bad("unknown edit \"%s\"" % word)
        except re.error as e:
            raise bad("bad expression: %s" % e) from None
    if scope is not None:
        raise HookError("%s: \"in\" without an edit" % where)
    for path, edits in targets:
        if not edits:
            raise HookError("%s: no edit for %s" % (where, path))
        for edit in edits:
            if bool(edit["text"]) == (edit["kind"] == "delete"):
                raise HookError("%s: \"%s\" %s new text" % (
                    where, edit["name"],
                    "takes no" if edit["text"] else "needs"))
    return targets


def find_hooks(patchdir):
    """Return [(target path, rule file)] in a fixed order."""
    top = os.path.join(patchdir, "hooks")
    found = []
    for folder, _, names in os.walk(top):
        for name in names:
            rule = os.path.join(folder, name)
            if not name.endswith(".cocci"):
                raise HookError("%s: not a .cocci file" % label(
                    patchdir, os.path.relpath(rule, patchdir)))
            found.append((os.path.relpath(rule, top)[:-len(".cocci")], rule))
    return sorted(found)


def touched(patchdir):
    """Return the tree paths that exist already and that the folder edits."""
    paths = [path for path, _ in find_hooks(patchdir)]
    paths += [path for path, _ in parse_lines(patchdir)]
    return sorted(set(paths))


def apply_edit(lines, edit, where, path):
    first, last = 0, len(lines)
    if edit["scope"]:
        begin, end = edit["scope"]
        starts = [i for i, l in enumerate(lines) if begin.search(l)]
        if not starts:
            raise HookError("%s: \"in %s\" matched 0 times in %s, expected 1" % (
                where, begin.pattern, path))
        first = starts[0]
        ends = [i for i in range(first + 1, last) if end.search(lines[i])]
        if ends:
            last = ends[0] + 1
    hits = [i for i in range(first, last) if edit["regex"].search(lines[i])]
    if len(hits) != edit["count"]:
        raise HookError("%s: \"%s\" matched %d times in %s, expected %d" % (
            where, edit["name"], len(hits), path, edit["count"]))
    text = edit["text"]
    for i in reversed(hits):
        if edit["kind"] == "after":
            start, stop = i + 1, i + 1
            beside = lines[start:start + len(text)]
        elif edit["kind"] == "before":
            start, stop = i, i
            beside = lines[max(0, i - len(text)):i]
        else:
            start, stop = i, i + 1
            beside = lines[i:i + 1] if edit["kind"] == "replace" else None
        if beside == text:
            raise HookError("%s: \"%s\" is already applied in %s" % (
                where, edit["name"], path))
        lines[start:stop] = text


def declared(text, where):
    """Return the (added, removed) counts that a rule file promises."""
    m = re.search(r"^// lines: \+(\d+) -(\d+)$", text, re.M)
    if not m:
        raise HookError("%s: no \"// lines: +N -N\" header" % where)
    return int(m.group(1)), int(m.group(2))


def spatch(rule, before, path, where, cache):
    """Run one semantic patch over the text of one file."""
    key = None
    if cache:
        data = "\0".join((read(rule), path, before))
        digest = hashlib.sha256(data.encode("utf-8", "surrogateescape"))
        key = os.path.join(cache, digest.hexdigest())
        if os.path.exists(key):
            return read(key)
    with tempfile.TemporaryDirectory(prefix="hooks-") as tmp:
        name = os.path.join(tmp, os.path.basename(path))
        write(name, before)
        run = subprocess.run(
            ["spatch", "--very-quiet", "--no-includes", "--in-place",
             "--sp-file", os.path.abspath(rule), name], cwd=tmp, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if run.returncode:
            output = run.stdout.strip().splitlines()[-12:]
            raise HookError("%s: spatch failed on %s with status %d%s" % (
                where, path, run.returncode, "".join("\n  " + l for l in output)))
        after = read(name)
    if key:
        os.makedirs(cache, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=cache, delete=False,
                                         encoding="utf-8",
                                         errors="surrogateescape") as f:
            f.write(after)
        os.replace(f.name, key)
    return after


def tabs(line):
    """Turn runs of blanks behind the first word back into tabs."""
    body = line.lstrip()
    lead = line[:len(line) - len(body)]
    return lead + re.sub(r" {2,}", lambda m: "\t" * len(m.group()), body)


def apply_cocci(rule, before, path, where, cache):
    text = read(rule)
    want = declared(text, where)
    retab = re.search(r"^#spatch.*--smpl-spacing", text, re.M) and \
        not re.search(r"^// retab: no$", text, re.M)

    old = before.split("\n")
    new = spatch(rule, before, path, where, cache).split("\n")
    added = removed = 0
    twice = True
    result = []
    match = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for op, i1, i2, j1, j2 in match.get_opcodes():
        part = new[j1:j2]
        if op != "equal":
            part = [l.rstrip() for l in part]
            if retab:
                part = [tabs(l) for l in part]
            added += j2 - j1
            removed += i2 - i1
            if i1 != i2 or part not in (old[i1:i1 + len(part)],
                                        old[i1 - len(part):i1]):
                twice = False
        result += part
    if (added, removed) != want:
        raise HookError("%s: changed +%d -%d lines of %s, expected +%d -%d" % (
            where, added, removed, path, *want))
    if added and twice:
        raise HookError("%s: is already applied in %s" % (where, path))
    return "\n".join(result)


def prepare(tree, patchdir, root, cache=None):
    """Return ({path: text}, [(source file, target path)]) or raise."""
    if not os.path.isdir(patchdir):
        raise HookError("%s: no such folder" % patchdir)
    if not os.path.isdir(tree):
        raise HookError("%s: no such folder" % tree)

    copies = []
    for source, target in parse_files(patchdir):
        where = label(patchdir, "files")
        if not os.path.isfile(os.path.join(root, source)):
            raise HookError("%s: %s does not exist" % (where, source))
        if os.path.lexists(os.path.join(tree, target)):
            raise HookError("%s: %s is already in the tree" % (where, target))
        copies.append((os.path.join(root, source), target))

    texts = {}

    def current(path, where):
        if path not in texts:
            name = os.path.join(tree, path)
            if not os.path.isfile(name):
                raise HookError("%s: %s is not in the tree" % (where, path))
            texts[path] = read(name)
        return texts[path]

    for path, rule in find_hooks(patchdir):
        where = label(patchdir, os.path.relpath(rule, patchdir))
        before = current(path, where)
        texts[path] = apply_cocci(rule, before, path, where, cache)

    for path, edits in parse_lines(patchdir):
        where = label(patchdir, "lines")
        lines = current(path, where).split("\n")
        for edit in edits:
            apply_edit(lines, edit, where, path)
        texts[path] = "\n".join(lines)

    if not copies and not texts:
        raise HookError("%s: nothing to do" % label(patchdir, ""))
    return texts, copies


def apply(tree, patchdir, root, cache=None):
    """Apply one folder and return the paths that changed."""
    texts, copies = prepare(tree, patchdir, root, cache)
    for path, text in texts.items():
        if text:
            write(os.path.join(tree, path), text)
        else:
            os.remove(os.path.join(tree, path))
    for source, target in copies:
        name = os.path.join(tree, target)
        os.makedirs(os.path.dirname(name), exist_ok=True)
        shutil.copy(source, name)
    return sorted(set(texts) | {target for _, target in copies})


def main(argv):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", metavar="DIR", default=os.path.dirname(
        os.path.dirname(os.path.abspath(__file__))),
        help="repository root for `files` (default: the folder above scripts/)")
    parser.add_argument("--cache", metavar="DIR", help="keep results of spatch"
                        " there and reuse them for equal inputs")
    parser.add_argument("--check", action="store_true",
                        help="prepare everything, write nothing")
    parser.add_argument("tree", metavar="TREE")
    parser.add_argument("patchdir", metavar="PATCHDIR")
    opts = parser.parse_args(argv)
    work = prepare if opts.check else apply
    try:
        work(opts.tree, opts.patchdir, opts.root, opts.cache)
    except (HookError, OSError) as e:
        print("hooks: %s" % e, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
