#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The document explains each reason for which auto counter reload is refused."""

import os
import re
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CODE = TOP + "/arch/x86/events/intel/acr_open.c"
HEADER = TOP + "/arch/x86/events/intel/acr.h"
DOCUMENT = TOP + "/Documentation/admin-guide/perf/intel-acr.rst"


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def messages():
    """{name of the reason: message}, in the order of the code."""
    table = re.search(r"intel_acr_refusals\[\] = \{\n(.*?)\n\};", read(CODE), re.S)
    return dict(re.findall(r"\[(INTEL_ACR_\w+)\]\s*= \"(.*)\",", table[1]))


class Refusals(unittest.TestCase):
    def test_each_reason_has_a_message(self):
        listed = re.search(r"enum intel_acr_refusal \{\n(.*?)\n\};", read(HEADER),
                           re.S)
        names = re.findall(r"INTEL_ACR_\w+", listed[1])
        self.assertEqual(names[0], "INTEL_ACR_ACCEPTED")
        self.assertEqual(names[1:], list(messages()))

    def test_each_reason_is_given_somewhere(self):
        code = read(CODE)
        for name in messages():
            self.assertGreater(len(re.findall(rf"\b{name}\b", code)), 1, name)

    def test_document_has_the_same_messages(self):
        rows = re.search(r"^Message +Meaning\n(=+) =+\n(.*?)\n=+ =+$",
                         read(DOCUMENT), re.S | re.M)
        width = len(rows[1])
        documented = [row[:width].strip() for row in rows[2].splitlines()]
        self.assertEqual([text for text in documented if text],
                         list(messages().values()))


if __name__ == "__main__":
    unittest.main()
