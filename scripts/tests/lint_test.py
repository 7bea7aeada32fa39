#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of what looks at patches and files."""

import os
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import lint, patches  # noqa: E402

DOCUMENTED = "/**\n * f - Do it\n * @x:\tnumber\n */\n"
GLOBAL = "u64 __init f(int x,\n\t      int y)\n{\n\treturn x;\n}\n"
INLINE = "static inline struct a *f(int x)\n{\n\treturn x;\n}\n"


class KernelDoc(unittest.TestCase):
    def test_global_functions(self):
        self.assertEqual(lint.undocumented({"a.c": DOCUMENTED + GLOBAL}), [])
        self.assertEqual(lint.undocumented({"a.c": GLOBAL, "b.c": DOCUMENTED}), [])
        for before in ("", "/* f - Do it */\n", DOCUMENTED.replace("f -", "g -")):
            self.assertEqual(lint.undocumented({"a.c": before + GLOBAL}), ["a.c: f"])

    def test_inlines_of_headers(self):
        self.assertEqual(lint.undocumented({"a.h": INLINE}), ["a.h: f"])
        self.assertEqual(lint.undocumented({"a.h": DOCUMENTED + INLINE}), [])
        self.assertEqual(lint.undocumented({"a.c": INLINE}), [])

    def test_no_definitions(self):
        self.assertEqual(lint.undocumented({
            "a.c": "u64 f(int x);\nstatic int f(int x)\n{\n}\n"
            "struct f {\n\tint x;\n};\nDEFINE_F(a, f(int x));\n"}), [])


class Suites(unittest.TestCase):
    RAN = "[    1.0] ok 1 a\n[    1.0]     ok 1 b\n[    2.0] ok 2 c\n"

    def test_all_suites_have_to_pass(self):
        self.assertEqual(patches.wrong_suites(self.RAN, 2), [])
        self.assertEqual(patches.wrong_suites("", 0), [])
        self.assertTrue(patches.wrong_suites(self.RAN, 3))
        self.assertTrue(patches.wrong_suites(self.RAN + "[ 3.0]   not ok 1 d\n", 2))
        self.assertTrue(patches.wrong_suites("", 1))


class Configurations(unittest.TestCase):
    def options(self, config):
        kconfig = "config PERF_EVENTS_INTEL_ACR\nconfig PERF_EVENTS_INTEL_ACR_KUNIT_TEST\n"
        with mock.patch.object(patches, "OPTIONS", __file__), \
                mock.patch("builtins.open", mock.mock_open(read_data=kconfig)):
            return patches.options(config)

    def test_tests_go_with_what_they_test(self):
        for config, feature, test in (("on", "y", "y"), ("off", "n", "n"),
                                      ("freeze-only", "n", "n"),
                                      ("no-kunit", "y", "n")):
            wanted = self.options(config)
            self.assertEqual((wanted["PERF_EVENTS_INTEL_ACR"],
                              wanted["PERF_EVENTS_INTEL_ACR_KUNIT_TEST"]),
                             (feature, test), config)

    def test_drivers_go_with_their_processor(self):
        self.assertEqual(self.options("no-intel")["PERF_EVENTS_INTEL_UNCORE"], "n")
        self.assertEqual(self.options("no-amd")["PERF_EVENTS_AMD_BRS"], "n")
        self.assertEqual(self.options("no-amd")["PERF_EVENTS_INTEL_ACR"], "y")


class Symbols(unittest.TestCase):
    OWN = {"acr_init", "acr_read"}

    def test_what_a_configuration_leaves_out_is_not_called(self):
        self.assertEqual(patches.missing({"printk", "old"}, {"old"}, self.OWN), [])
        self.assertEqual(patches.missing({"acr_init"}, set(), self.OWN), ["acr_init"])

    def test_what_the_base_lacks_as_well(self):
        self.assertEqual(patches.missing({"old"}, {"old"}, {"old"}), [])


class Functions(unittest.TestCase):
    BASE = "static int f(int x)\n{\n\treturn x;\n}\n\nint g(void)\n{\n}\n"

    def exported(self, text):
        def shown(revision, path):
            return {"base": self.BASE, "series": text}[revision] if path == "a.c" \
                else ""

        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.object(patches, "shown", shown):
            patches.export(folder, "patch", "series", ["a.c", "b.c"], "base")
            self.assertFalse(os.path.exists(folder + "/patch/b.c"))
            with open(folder + "/patch/a.c", encoding="utf-8") as file:
                return file.read()

    def test_only_what_a_patch_changes_is_looked_at(self):
        self.assertEqual(self.exported(self.BASE.replace("return x", "return 1")),
                         "static int f(int x)\n{\n\treturn 1;\n}\n\n"
                         "int g(void)\n{\n}\n")
        self.assertEqual(self.exported(self.BASE + "int h;\n"),
                         "static int f(int x)\n{\n}\n\nint g(void)\n{\n}\nint h;\n")


if __name__ == "__main__":
    unittest.main()
