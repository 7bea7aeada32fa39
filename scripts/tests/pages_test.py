#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What README.md and house.md point to is there: files, functions, tests."""

import glob
import os
import re
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import check  # noqa: E402

TOP = os.path.dirname(os.path.dirname(HERE))
PAGES = ("README.md", "Documentation/corepmu/house.md",
         "Documentation/corepmu/bench.md", "Documentation/corepmu/mainline.md",
         "tools/testing/pmusim/README.md")
# Folders whose names begin a path; build/ is what comes later, and upstream's
# part of the tree is not here.
ROOMS = ("arch", "tools", "scripts", "series", "Documentation", "include")
# Which rows of a suite a target of make runs, where they differ in name
SUITES = {"check": list(check.SUITES), "vm": [], "lint": ["lint"]}


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as page:
        return page.read()


def braced(path):
    """Paths that {a,b} stands for."""
    match = re.search(r"\{([^}]*)\}", path)
    if not match:
        return [path]
    return [other for word in match[1].split(",") for other in
            braced(path[:match.start()] + word + path[match.end():])]


def mentioned(text):
    """Paths in backticks, and folders of a table's rows."""
    for words in re.findall(r"`([^`\n]+)`", text):
        if re.fullmatch(rf"(?:{'|'.join(ROOMS)})/[^\s`()]*", words) and \
                "PATH" not in words and "NN" not in words:
            yield words


class Pages(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for page in PAGES:
            for link in re.findall(r"\]\(([^)#:]+)\)", read(page)):
                path = os.path.join(TOP, os.path.dirname(page), link)
                self.assertTrue(os.path.exists(path), f"{page}: {link}")

    def test_paths_exist(self):
        number = 0
        for page in PAGES:
            for words in mentioned(read(page)):
                for path in braced(words):
                    number += 1
                    self.assertTrue(glob.glob(os.path.join(TOP, path)),
                                    f"{page}: {path}")
        self.assertGreater(number, 30)

    def test_functions_are_where_the_row_says(self):
        number, files = 0, []
        for page in PAGES[:2]:
            for row in re.findall(r"^\| .*\|$", read(page), re.M):
                files = [path for path in mentioned(row) if path.endswith(".c")] or files
                for name in re.findall(r"`(\w+)\(\)`", row):
                    number += 1
                    self.assertTrue(any(re.search(rf"^[a-z].*\b{name}\([^;]*$",
                                                  read(path), re.M)
                                        for path in files if "{" not in path),
                                    f"{page}: {name}() in {files}")
        self.assertGreater(number, 15)

    def test_targets_of_make(self):
        targets = re.findall(r"^([a-z-]+):", read("Makefile"), re.M)
        for page in PAGES:
            for target in re.findall(r"(?:`|^ {4})make ([a-z-]+)", read(page), re.M):
                self.assertIn(target, targets, page)

    def test_patterns_pick_tests(self):
        number = 0
        for page in PAGES:
            for target, pattern in re.findall(
                    r"make ([a-z]+) TEST='([^'.]+)'", read(page)):
                number += 1
                suites = SUITES.get(target, [target])
                with mock.patch.dict(os.environ, TEST=pattern):
                    self.assertTrue(check.listed({suite: check.SUITES[suite]
                                                  for suite in suites}) or
                                    pattern == "suite/test",
                                    f"{page}: make {target} TEST='{pattern}'")
        self.assertGreater(number, 5)


if __name__ == "__main__":
    unittest.main()
