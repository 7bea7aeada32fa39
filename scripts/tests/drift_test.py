#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of drift.py: what it says of hooks that fit and that do not."""

import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import drift  # noqa: E402
import hooks  # noqa: E402

LINES = """\
@ Makefile
after 1 ^a$
+b
@ gone.c
after 1 ^a$
+b
@ other.c
after 1 ^z$
+b
"""


class DriftTest(unittest.TestCase):
    def test_each_hook_by_itself(self):
        with tempfile.TemporaryDirectory() as top:
            hooks.write(top + "/series/01-one/lines", LINES)
            for name in ("Makefile", "other.c"):
                hooks.write(f"{top}/tree/{name}", "a\n")
            found = list(drift.rows(top + "/tree", top + "/series/01-one"))
            self.assertEqual([result for _, result in found], [
                "fits", "gone.c is not there",
                '"after 1 ^z$" matched 0 times in other.c, expected 1'])
            self.assertEqual(hooks.read(top + "/tree/Makefile"), "a\nb\n")
            self.assertEqual(hooks.read(top + "/tree/other.c"), "a\n")


if __name__ == "__main__":
    unittest.main()
