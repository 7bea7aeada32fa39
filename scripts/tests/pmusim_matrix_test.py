#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of pmusim_matrix.py: how it judges what perf printed."""

import contextlib
import io
import os
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import model  # noqa: E402
import pmusim_matrix as matrix  # noqa: E402

BIG, SMALL = matrix.cores("arrowlake")
SKYLAKE, = matrix.cores("skylake")

STAT = f"""\
22504121,,{{0}}cycles{{1}}u,9000000,100.00,,
<not counted>,,cpu_none/cycles/u,0,100.00,,
{model.INSTRUCTIONS},,{{0}}instructions{{1}}u,9000000,100.00,1.33,insn per cycle
{model.BRANCHES},,{{0}}branches{{1}}u,9000000,100.00,,
1009,,{{0}}branch-misses{{1}}u,9000000,100.00,0.01,of all branches
default
9.10,msec,task-clock,9100000,100.00,0.9,CPUs utilized
22604121,,{{0}}cycles{{2}},9100000,100.00,2.4,GHz
30044009,,{{0}}instructions{{2}},9100000,100.00,1.33,insn per cycle
10013001,,{{0}}branches{{2}},9100000,100.00,,M/sec
1300,,{{0}}branch-misses{{2}},9100000,100.00,0.01,of all branches
"""

PP = """\
precise_ip: 2
    900 SAMPLE(IP, 0x4002)
     10 SAMPLE(IP, 0x4001)
    500 loop1 (/usr/bin/mispredict)
    390 loop2 (/usr/bin/mispredict)
     10 fill (/usr/bin/mispredict)
     10 clear_page ([kernel.kallsyms])
"""

MAP = ("perf 7 0.1: PERF_RECORD_MMAP2 7/7: [0x401000(0x1000) @ 0x1000 00:02 9 0]:"
       " r-xp /usr/bin/mispredict\n")


def stack(*branches, depth=32):
    """A line of perf script of a loop, the given branches being the newest."""
    loop = ("0x401080/0x401000",) * (depth - len(branches))
    return " ".join(f"{branch}/P/-/-/1//-" for branch in branches + loop) + "\n"


def slots(*shares, leader="cpu_core/slots/", total=1000):
    names = ("retiring", "bad-spec", "fe-bound", "be-bound")
    lines = [f"{total},,{leader},1,100.00,,"] + [
        f"{share},,cpu_core/topdown-{name}/,1,100.00,,"
        for name, share in zip(names, shares)]
    return "\n".join(lines) + "\n"


class Judges(unittest.TestCase):
    def test_stat_is_exact(self):
        for text in (STAT.format("", ":", ""), STAT.format("cpu_core/", "/", "/")):
            self.assertEqual(matrix.judge_stat(text, BIG), [])
            wrong = text.replace(str(model.BRANCHES), str(model.BRANCHES + 1))
            self.assertEqual(matrix.judge_stat(wrong, BIG),
                             [f"{model.BRANCHES + 1} branches, not {model.BRANCHES}"])
            self.assertEqual(len(matrix.judge_stat(
                text.replace("22504121", "<not supported>"), BIG)), 1)
            self.assertEqual(len(matrix.judge_stat(
                text.replace("22604121", "<not counted>"), BIG)), 1)

    def test_record_needs_both_loops(self):
        self.assertEqual(matrix.judge_record("  9 loop1\n  8 loop2\n 2 fill\n", BIG),
                         [])
        for text in ("", "  9 loop1\n", "  9 loop1\n  8 loop2\n  99 [unknown]\n"):
            self.assertEqual(len(matrix.judge_record(text, BIG)), 1)

    def test_precise_samples_are_all_exact(self):
        self.assertEqual(matrix.judge_record_pp(PP, BIG), [])
        self.assertEqual(matrix.judge_record_pp(PP.replace("x4001", "x1"), BIG),
                         ["900 of 910 samples are exact"])
        self.assertEqual(len(matrix.judge_record_pp(PP[14:], BIG)), 1)
        self.assertEqual(matrix.judge_record_pp(PP.replace("10 fill (/usr/bin/mis",
                                                           "10 fill (/lib/"), BIG),
                         ["10 samples in /lib/predict"])
        self.assertEqual(len(matrix.judge_record_pp("", BIG)), 3)

    def test_branches_lie_in_the_program(self):
        def judge(*branches, **options):
            return matrix.judge_record_b(MAP + stack(*branches, **options), BIG)

        self.assertEqual(judge(), [])
        # Back from the kernel, then on.
        self.assertEqual(judge("0x401044/0x401000", "0xffffffff81000000/0x401040"),
                         [])
        self.assertEqual(judge("0x401044/0x501000"),
                         ["1 of 32 branches are not the program's"])
        self.assertEqual(len(judge("0x401044/0x401000", "0x401044/0x401048")), 1)
        self.assertEqual(judge(depth=16),
                         ["up to 16 branches a sample, not 32"])
        self.assertEqual(matrix.judge_record_b(MAP, BIG), ["no branches"])

    def test_slots_are_shared_among_four(self):
        self.assertEqual(matrix.judge_topdown(slots(400, 200, 100, 300), BIG), [])
        small = slots(3200, 1600, 800, 2400, leader="cpu_atom/cycles/")
        self.assertEqual(matrix.judge_topdown(small, SMALL), [])
        for shares in ((400, 200, 100, 200), (0, 200, 500, 300), (400, 200, 400),
                       (400, 0, 300, 300), ()):
            self.assertEqual(len(matrix.judge_topdown(slots(*shares), BIG)), 1)

    def test_topdown_by_metrics(self):
        form = ('{{"%  tma_backend_bound" : "{}", "%  tma_bad_speculation" : "{}",'
                ' "%  tma_frontend_bound" : "{}", "%  tma_retiring" : "{}"}}')
        self.assertEqual(matrix.judge_topdown(form.format(30, 20.5, 9.7, 39.9),
                                              SKYLAKE), [])
        self.assertEqual(matrix.judge_topdown(form.format(100, 0, 0, 0), SKYLAKE), [
            "--topdown: retiring 0.0, bad 0.0, frontend 0.0, backend 100.0"])
        self.assertEqual(len(matrix.judge_topdown("", SKYLAKE)), 1)

    def test_reloading_samples_loop2_only(self):
        line = "     9 cpu_atom/branch-misses,acr_mask=0x2/u: {}\n"
        self.assertEqual(matrix.judge_acr(line.format("loop2") + "a word\n", SMALL),
                         [])
        self.assertEqual(matrix.judge_acr(line.format("loop1"), SMALL),
                         ["no samples in loop2", "9 samples outside loop2"])
        self.assertEqual(matrix.judge_acr("", SMALL), ["no samples in loop2"])


def section(name, text, status=0):
    return f"=== {name}\n{text}=== status {status}\n"


class Rows(unittest.TestCase):
    RECORD = "  9 loop1\n  8 loop2\n"

    def judge(self, text, kernel, cpu, test):
        row, = [row for row in matrix.judge(text, kernel, cpu) if row[0] == test]
        return row[1:]

    def test_every_kind_of_core_has_to_pass(self):
        big = section("record cpu_core", self.RECORD)
        small = section("record cpu_atom", self.RECORD)
        bad = section("record cpu_atom", "  9 loop2\n")
        self.assertEqual(self.judge(big + small, "stock", "arrowlake", "record")[0],
                         "pass")
        self.assertEqual(self.judge(big + bad, "stock", "arrowlake", "record"), (
            "fail", ["cpu_atom: of 9 samples 0 are in loop1 and 9 in loop2"]))
        self.assertEqual(self.judge(big, "stock", "arrowlake", "record")[0], "fail")

    def test_exit_status_counts(self):
        text = section("record cpu", self.RECORD + "oops\n", 1)
        self.assertEqual(self.judge(text, "stock", "skylake", "record")[0], "fail")

    def test_skip_is_not_for_what_passes_or_did_not_run(self):
        acr = "     9 cpu_atom/branch-misses,acr_mask=0x2/u: loop2\n"
        for text, stock, mainline in (
                (section("acr cpu_atom", "invalid event\n", 129), "skip", "fail"),
                (section("acr cpu_atom", acr), "fail", "pass"),
                ("", "fail", "fail")):
            self.assertEqual(self.judge(text, "stock", "arrowlake", "acr")[0], stock)
            self.assertEqual(self.judge(text, "mainline", "arrowlake", "acr")[0],
                             mainline)

    def test_runner_complaint_is_found(self):
        self.assertEqual(
            matrix.said_by_run("=== stat cpu\nrun: the kernel complained\n  WARNING:"
                               " x\nmore\n"),
            ["run: the kernel complained\n  WARNING: x"])

    def test_table(self):
        done = matrix.Matrix()
        with contextlib.redirect_stdout(io.StringIO()):
            done.record("stock", "skylake", "boot", "pass")
            done.record("stock", "skylake", "acr", "skip", ["none"])
            done.record("debian", "skylake", "boot", "fail", ["why"], "log")
        self.assertEqual(done.table(), ["        skylake",
                                        "stock   1 pass, 1 skip",
                                        "debian  fail: boot"])


class Script(unittest.TestCase):
    def test_shell_can_read_it(self):
        for cpu in matrix.CPUS:
            done = subprocess.run(["busybox", "sh", "-n"], text=True, check=False,
                                  input=matrix.guest_script(cpu))
            self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
