#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of the harness and demo.py: what they read and how they judge."""

import contextlib
import io
import os
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import harness  # noqa: E402
import check  # noqa: E402
import demo  # noqa: E402

KTAP = """\
    # Subtest: acr
    1..3
    ok 1 acr_b12_mask_is_kept
        ok 1 - a parameter
    # acr_counts: EXPECTATION FAILED at x.c:1
    not ok 2 acr_counts
    ok 3 acr_needs_cpu # SKIP one CPU only
"""


class Results(unittest.TestCase):
    def rows(self, pattern="", text=KTAP):
        checked = harness.Check(pattern)
        with contextlib.redirect_stdout(io.StringIO()):
            harness.tap(checked, "kunit", text, "log", "    ", "acr.")
        return [row[1:3] for row in checked.rows]

    def test_one_level_of_ktap_is_read(self):
        self.assertEqual(self.rows(), [("acr-B12-mask-is-kept", "pass"),
                                       ("acr.acr_counts", "fail"),
                                       ("acr.acr_needs_cpu", "skip")])

    def test_a_skip_says_why(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            harness.tap(harness.Check(""), "kunit", KTAP, "log", "    ", "acr.")
        self.assertRegex(printed.getvalue(), r"acr_needs_cpu.*\n +one CPU only\n")

    def test_pattern_picks(self):
        self.assertEqual(self.rows("acr-B12"), [("acr-B12-mask-is-kept", "pass")])
        self.assertEqual(len(self.rows("kunit/acr.*")), 2)
        self.assertEqual(self.rows("lint/*"), [])

    def test_suites_that_cannot_match_do_not_run(self):
        picky = harness.Check("kunit/acr*")
        self.assertTrue(picky.wants("kunit"))
        self.assertFalse(picky.wants("machine"))

    def test_nothing_passed_is_a_failure(self):
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(harness.Check("").finish(os.devnull), 1)


class Exceptions(unittest.TestCase):
    """One in a test is a failure of its suite, and of no other."""

    def rows(self, pattern, *functions):
        checked = harness.Check(pattern)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            for function in functions:
                checked.attempt("machine", function)
            self.assertEqual(checked.finish(os.devnull), 1)
        return [row[:3] for row in checked.rows], out.getvalue()

    @staticmethod
    def good(checked):
        checked.record("machine", "good", "pass")

    @staticmethod
    def bad(_):
        raise KeyError("nothing there")

    @staticmethod
    def leaves(_):
        sys.exit("no way")

    def test_others_go_on(self):
        name = "broken-" + __name__
        for bad, said in ((self.bad, "nothing there"), (self.leaves, "no way")):
            rows, text = self.rows("", self.good, bad, self.good)
            self.assertEqual(rows, [("machine", "good", "pass"),
                                    ("machine", name, "fail"),
                                    ("machine", "good", "pass")])
            self.assertIn(said, text)

    def test_a_pattern_does_not_hide_it(self):
        rows, _ = self.rows("machine/good", self.good, self.bad)
        self.assertEqual(len(rows), 2)

    def test_all_suites_are_run(self):
        ran = []

        def broken(_):
            raise ValueError
        suites = {"one": broken, "two": lambda checked: ran.append(checked)}
        with contextlib.redirect_stdout(io.StringIO()), \
                mock.patch.object(check, "SUITES", suites), \
                mock.patch.object(check, "BUILD", os.devnull), \
                mock.patch.object(harness.Check, "finish", return_value=1) as end, \
                mock.patch.object(sys, "argv", ["check.py"]):
            self.assertEqual(check.main(), 1)
        self.assertEqual([row[:3] for row in ran[0].rows],
                         [("one", "broken-" + __name__, "fail")])
        end.assert_called_once()


class Cases(unittest.TestCase):
    """One boot for several tests: whether it is wanted, and how they are judged."""

    def rows(self, pattern, built=True, status=0):
        checked = harness.Check(pattern)
        with contextlib.redirect_stdout(io.StringIO()), \
                mock.patch.object(checked, "build", return_value=built), \
                mock.patch.object(harness, "boot",
                                  return_value=(status, "said", "log")) as boot:
            case = checked.case("one", "two")
            if case:
                self.assertEqual(case.boot("script", "--cpu", "skylake"), "said")
                boot.assert_called_once_with("one", "script", "--cpu", "skylake",
                                             timeout=300)
                case.judge(True)
                case.judge(False, "why", "two")
        return [row[:3] for row in checked.rows]

    def test_each_is_judged(self):
        self.assertEqual(self.rows(""), [("machine", "one", "pass"),
                                         ("machine", "two", "fail")])

    def test_a_failed_boot_fails_all(self):
        self.assertEqual([row[2] for row in self.rows("", status=1)], ["fail"] * 2)

    def test_one_that_is_wanted_is_enough(self):
        self.assertEqual(self.rows("machine/two"), [("machine", "two", "fail")])

    def test_nobody_wants_it(self):
        self.assertEqual(self.rows("lint/*"), [])

    def test_what_cannot_be_built_is_a_failure(self):
        self.assertEqual(self.rows("", built=False),
                         [("machine", "needs-kernel", "fail")])


class Demo(unittest.TestCase):
    CLASSIC = ("   200 cpu_atom/branch-misses/u: loop1\n"
               "   400 cpu_atom/branch-misses/u: loop2\n"
               "     3 cpu_atom/branch-instructions/u: fill\n")
    ACR = "     9 cpu_atom/branch-misses,period=2000,acr_mask=0x2/u: {}\n"

    RATES = {"program-loop1": (0, 0, 11.0), "program-loop2": (0, 0, 21.0)}

    # perf annotate of two events, the second of which never samples.
    CODE = ("         :   5        000000001000174c <loop2>:\n"
            "       0       0 :   10001780:       mov    (%rax),%eax\n"
            "       0       0 :   10001782:       cmp    $0x7f,%eax\n"
            "       {}       0 :   10001785:       jle    100017b1 <loop2+0x65>\n"
            "       0       0 :   100017b8:       cmp    -0x1c(%rbp),%eax\n"
            "       {}       0 :   100017bb:       jl     1000176c <loop2+0x20>\n"
            "       {}       0 :   100017bd:       addl   $0x1,-0x4(%rbp)\n")

    AT = "cpu_atom/branch-misses,period=2000,acr_mask=0x2/u:  10001785 \n"

    def judge(self, place, rates=None, more="", by_masks=None, code=(9, 0, 0),
              masks=demo.MASKS):
        at = self.AT * 9 + more.count("\n") * \
            "cpu_atom/branch-instructions/u:   10001782\n"
        return demo.judge({"classic": demo.count(self.CLASSIC),
                           "acr": demo.count(self.ACR.format(place) + more)},
                          rates or self.RATES,
                          demo.annotated(self.CODE.format(*code)),
                          {"acr": demo.addresses(at),
                           "masks": demo.addresses(at if by_masks is None else
                                                   by_masks)}, masks)

    def test_samples_are_counted_by_place(self):
        self.assertEqual(demo.count(self.CLASSIC), {
            "branch-misses": {"loop1": 200, "loop2": 400, "other": 0},
            "branch-instructions": {"loop1": 0, "loop2": 0, "other": 3}})

    def test_loop2_only_is_right(self):
        self.assertEqual(self.judge("loop2"), [])

    def test_samples_elsewhere_are_wrong(self):
        self.assertIn("ACR has 9 samples outside loop2", self.judge("loop1"))
        self.assertIn("ACR has 9 samples outside loop2", self.judge("main"))

    def test_samples_behind_the_jump_are_wrong(self):
        wrong = self.judge("loop2", code=(8, 0, 1))
        self.assertEqual(len(wrong), 1)
        self.assertRegex(wrong[0], "^1 samples are not on the compare and jump")

    def test_a_sample_on_another_jump_is_wrong(self):
        self.assertEqual(len(self.judge("loop2", code=(8, 1, 0))), 1)

    def test_samples_that_are_not_annotated_are_wrong(self):
        self.assertEqual(len(self.judge("loop2", code=(8, 0, 0))), 1)

    def test_no_samples_are_wrong(self):
        nothing = {"classic": demo.count(""), "acr": demo.count("")}
        self.assertEqual(len(demo.judge(nothing, self.RATES, [],
                                        {"acr": [], "masks": []})), 3)

    def test_samples_of_a_self_reload_are_wrong(self):
        more = "     1 cpu_atom/branch-instructions,acr_mask=0x3/u: loop2\n"
        self.assertEqual(len(self.judge("loop2", more=more, code=(10, 0, 0))), 1)

    def test_other_samples_by_masks_are_wrong(self):
        for by_masks in ("", self.AT * 8, self.AT * 10,
                         self.AT * 8 + self.AT.replace("785", "782")):
            self.assertEqual(len(self.judge("loop2", by_masks=by_masks)), 1)

    def test_other_masks_are_wrong(self):
        other = demo.MASKS.replace("0x3", "0x2")
        self.assertEqual(len(self.judge("loop2", masks=other)), 1)

    def test_other_rates_are_wrong(self):
        rates = dict(self.RATES, **{"program-loop1": (0, 0, 17.0)})
        self.assertEqual(len(self.judge("loop2", rates)), 1)


if __name__ == "__main__":
    unittest.main()
