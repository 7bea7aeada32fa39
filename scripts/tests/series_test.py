#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of series.py: run with `python3 scripts/tests/series_test.py`."""

import contextlib
import io
import os
import subprocess
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import series  # noqa: E402
from folder import FolderTest  # noqa: E402


MAINTAINERS = """\
die "no patches" unless grep { -f $_ && /0001-/ } @ARGV;
print "Ann <ann\\@localhost> (maintainer:EVENTS)\\n";
print "list\\@localhost (open list:EVENTS)\\n";
print "Ben <ben\\@localhost> (supporter:TESTS)\\n";
print "Ann <ann\\@localhost> (reviewer:TESTS)\\n";
"""
BENCH = """\
scenario\tcpu\tvariant\tmetric\tvalue
pmi-plain\tskylake\tstock\twrmsr\t4.0
pmi-plain\tskylake\tseries\twrmsr\t3.9876
pmi-plain\tskylake\tseries\trdpmc\t1.0
"""


class SeriesTest(FolderTest):
    """A repository with two patches, and a kernel of three files."""

    def setUp(self):
        super().setUp()
        root, series.ROOT = series.ROOT, self.path("repo")
        self.addCleanup(setattr, series, "ROOT", root)
        for name in ("series.py", "hooks.py", "letter.py",
                     "bench_page.py"):
            self.put("repo/scripts/" + name, "x\n")

        self.put("repo/arch/new.c", "new\n")
        self.put("repo/include/new.h", "new\n")
        self.put("repo/series/01-one/message", "one: Add a file\n\nText.\n")
        self.put("repo/series/01-one/files", "arch/new.c\ninclude/new.h\n")
        self.put("repo/series/02-two/message", "two: Edit a file\n\nText.\n")
        self.put("repo/series/02-two/lines",
                 "@ Makefile\nafter 1 ^a$\n+b\n@ arch/new.c\nafter 1 new\n+more\n")
        self.put("repo/series/cover-letter", "a: Cover\n\nWhat it is.\n")

        for name, text in (("Kbuild", "x\n"), ("Makefile", "a\nc\n"), ("other.c", "o\n"),
                           ("scripts/get_maintainer.pl", MAINTAINERS)):
            self.put("linux/" + name, text)
        subprocess.run(["tar", "-cJf", self.path("linux.tar.xz"), "-C", self.top,
                        "linux"], check=True)

    def run_series(self, *more, person="Jane Doe"):
        out, err = io.StringIO(), io.StringIO()
        names = {"GIT_AUTHOR_NAME": person, "GIT_AUTHOR_EMAIL": person and "jane@doe",
                 "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        with mock.patch.dict(os.environ, names), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = series.main(["--series", self.path("repo/series"), *more])
        return status, out.getvalue() + err.getvalue()

    def build(self, *more, patches=True):
        mail = ("--patches", self.path("patches")) if patches else ()
        return self.run_series("--base", self.path("linux.tar.xz"), "--tree",
                               self.path("tree"), *mail, *more)

    def test_mail_is_signed_off_by_somebody(self):
        tree = ("--base", self.path("linux.tar.xz"), "--tree", self.path("tree"))
        status, text = self.run_series(*tree, "--patches", self.path("patches"),
                                       person="")
        self.assertEqual(status, 1)
        self.assertIn("git config user.name", text)
        self.assertFalse(os.path.exists(self.path("patches")))
        self.assertEqual(self.get("tree/arch/new.c"), "new\nmore\n")
        status, text = self.run_series(*tree, person="")
        self.assertEqual(status, 0, text)

    def git(self, *argv):
        return subprocess.run(["git", *argv], cwd=self.path("tree"), check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def refused(self, *words):
        for args in (("--check",), None):
            status, text = self.run_series(*args) if args else self.build()
            self.assertEqual(status, 1, text)
            for word in words:
                self.assertIn(word, text)

    def test_build(self):
        status, text = self.build()
        self.assertEqual(status, 0, text)
        self.assertEqual(self.get("tree/Makefile"), "a\nb\nc\n")
        self.assertEqual(self.get("tree/arch/new.c"), "new\nmore\n")
        self.assertEqual(self.git("show", "base:Makefile"), "a\nc\n")
        self.assertEqual(self.git("log", "--format=%s", "base..series"),
                         "two: Edit a file\none: Add a file\n")
        self.assertIn("Signed-off-by: ", self.git("log", "-1", "--format=%b"))
        self.assertEqual(sorted(os.listdir(self.path("patches"))), [
            "0000-cover-letter.patch", "0001-one-Add-a-file.patch",
            "0002-two-Edit-a-file.patch", "recipients"])
        letter = self.get("patches/0000-cover-letter.patch")
        self.assertIn("[PATCH 0/2] a: Cover", letter)
        self.assertIn("\nWhat it is.\n", letter)
        self.assertNotIn("Changes since", letter)
        self.assertEqual(self.get("patches/recipients"), "To: Ann <ann@localhost>\n"
                         "To: Ben <ben@localhost>\nCc: list@localhost\n")

    def test_numbers(self):
        self.put("bench.tsv", BENCH)
        self.build("--bench", self.path("bench.tsv"))
        lines = self.get("patches/0000-cover-letter.patch").splitlines()
        place = next(n for n, line in enumerate(lines) if "  cpu  " in line)
        self.assertEqual([line.split() for line in lines[place:place + 4]], [
            ["cpu", "metric", "stock", "series"],
            ["skylake", "wrmsr", "4", "3.99"],
            ["skylake", "rdpmc", "-", "1"], []])

    def test_previous(self):
        for words in (["init", "-q"], ["add", "-A"],
                      ["-c", "user.name=a", "-c", "user.email=a@localhost",
                       "commit", "-q", "-m", "first"]):
            subprocess.run(["git", *words], cwd=self.path("repo"), check=True)
        self.put("repo/series/02-two/lines", "@ Makefile\nafter 1 ^a$\n+z\n"
                 "@ arch/new.c\nafter 1 new\n+more\n")
        self.put("repo/series/03-three/message", "three: Edit another\n")
        self.put("repo/series/03-three/lines", "@ other.c\nafter 1 ^o$\n+p\n")
        status, text = self.build("--previous", "HEAD")
        self.assertEqual(status, 0, text)
        written = self.get("patches/v2-0000-cover-letter.patch")
        self.assertIn("[PATCH v2 0/3] a: Cover", written)
        self.assertIn("Changes since v1:\n\n  - changed: two: Edit a file\n"
                      "  - new: three: Edit another\n", written)
        self.assertRegex(self.get("patches/range-diff"), r"(?m)^    \+\+z$")
        self.assertEqual(self.get("tree/other.c"), "o\np\n")
        self.assertIn("patches are up to date", self.build("--previous", "HEAD")[1])

    def test_tree_alone(self):
        """What is built needs no patches, and leaves those that there are alone."""
        status, text = self.build("--version", "3")
        self.assertEqual(status, 0, text)
        before = os.listdir(self.path("patches"))
        self.put("repo/arch/new.c", "new 2\n")
        status, text = self.build(patches=False)
        self.assertEqual(status, 0, text)
        self.assertEqual(self.get("tree/arch/new.c"), "new 2\nmore\n")
        self.assertEqual(os.listdir(self.path("patches")), before)
        self.assertIn("+new\n", self.get("patches/v3-0001-one-Add-a-file.patch"))
        status, text = self.build("--version", "3")
        self.assertEqual(status, 0, text)
        self.assertIn("+new 2\n", self.get("patches/v3-0001-one-Add-a-file.patch"))

    def test_incremental(self):
        self.build()
        times = {n: os.stat(self.path("tree/" + n)).st_mtime_ns
                 for n in ("Makefile", "other.c", "arch/new.c", "include/new.h")}
        status, text = self.build()
        self.assertEqual((status, text), (
            0, "series: up to date\nseries: the patches are up to date in %s\n" %
            self.path("patches")))

        self.put("repo/arch/new.c", "new 2\n")
        status, text = self.build()
        self.assertEqual(status, 0, text)
        self.assertEqual(self.get("tree/arch/new.c"), "new 2\nmore\n")
        for name, before in times.items():
            after = os.stat(self.path("tree/" + name)).st_mtime_ns
            self.assertEqual(after != before, name == "arch/new.c", name)

    def test_edited_tree_is_restored(self):
        self.build()
        self.put("tree/other.c", "edited\n")
        self.build()
        self.assertEqual(self.get("tree/other.c"), "o\n")

    def test_file_in_no_patch(self):
        self.put("repo/Documentation/x.rst", "x\n")
        self.refused("Documentation/x.rst is in no patch")

    def test_file_in_two_patches(self):
        self.put("repo/series/02-two/files", "arch/new.c\n")
        self.refused("arch/new.c is in two patches")

    def test_missing_file(self):
        self.put("repo/series/02-two/files", "arch/none.c\n")
        self.refused("series/02-two/files: arch/none.c does not exist")

    def test_hook_without_match(self):
        self.put("repo/series/02-two/lines", "@ Makefile\nafter 1 ^z$\n+b\n")
        self.assertIn('hooks: series/02-two/lines: "after 1 ^z$" matched 0 times',
                      self.build()[1])

    def test_message_with_author(self):
        self.put("repo/series/01-one/message",
                 "one: Add\n\nSigned-off-by: A <a@localhost>\n")
        status, text = self.build()
        self.assertEqual(status, 1)
        self.assertIn("names an author", text)


if __name__ == "__main__":
    unittest.main()
