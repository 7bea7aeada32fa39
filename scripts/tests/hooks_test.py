#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of hooks.py: run with `python3 scripts/tests/hooks_test.py`."""

import os
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from folder import FolderTest  # noqa: E402

HOOKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hooks.py")

BASE = """\
struct room {
	int	doors;
	int	windows;
};

static int open_door(struct room *r)
{
	int ret = 0;

	ret = check(r);
	return ret;
}

static int open_window(struct room *r)
{
	int ret = 0;

	ret = check(r);
	return ret;
}
"""

FIELD = """\
// lines: +%d -0
#spatch --smpl-spacing
@@ @@
struct room {
	...
	int doors;
+	int		keys;
	...
};
"""

CALL = """\
// lines: +1 -0
@@ @@
 %s(...) {
	<...
	ret = check(r);
+	log_door(r);
	...>
 }
"""


class HooksTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.put("tree/a/room.c", BASE)

    def run_hooks(self, *more):
        run = subprocess.run(
            [sys.executable, HOOKS, "--root", self.top, *more,
             self.path("tree"), self.path("series/01-x")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return run.returncode, run.stderr

    def refused(self, *words):
        before = self.get("tree/a/room.c")
        status, err = self.run_hooks()
        self.assertEqual(status, 1, err)
        for word in words:
            self.assertIn(word, err)
        self.assertTrue(err.startswith("hooks: "), err)
        self.assertEqual(self.get("tree/a/room.c"), before)
        return err

    def lines(self, text):
        self.put("series/01-x/lines", text)

    def accepted(self, *more):
        status, err = self.run_hooks(*more)
        self.assertEqual((status, err), (0, ""))

    # files

    def test_files_are_copied(self):
        self.put("arch/new.c", "new\n")
        self.put("sim/b.c", "b\n")
        self.put("series/01-x/files",
                 "# comment\narch/new.c\nsim/b.c -> hw/b2.c\n")
        self.accepted()
        self.assertEqual(self.get("tree/arch/new.c"), "new\n")
        self.assertEqual(self.get("tree/hw/b2.c"), "b\n")
        self.refused("arch/new.c is already in the tree")

    def test_missing_source(self):
        self.put("series/01-x/files", "arch/none.c\n")
        self.refused("series/01-x/files: arch/none.c does not exist")

    def test_path_outside_the_tree(self):
        self.put("series/01-x/files", "../x.c\n")
        self.refused("leaves the tree")

    # line edits

    def test_all_kinds_of_edits(self):
        self.lines("# comment\n"
                   "@ a/room.c\n"
                   "after 1 ^\\tint\\twindows;\n+\tint\tkeys;\n+\n"
                   "before 1 ^struct room\n+/* A room */\n"
                   "replace 2 ret = check\\(r\\);\n+\tret = look(r);\n"
                   "in ^static int open_window\n"
                   "delete 1 return ret;\n")
        self.accepted()
        self.assertEqual(
            self.get("tree/a/room.c"),
            BASE.replace("\tint\twindows;\n", "\tint\twindows;\n\tint\tkeys;\n\n")
                .replace("struct room {", "/* A room */\nstruct room {")
                .replace("check(r)", "look(r)")[:-len("\treturn ret;\n}\n")]
            + "}\n")

    def test_edit_matches_never(self):
        self.lines("@ a/room.c\nafter 1 chimney\n+x\n")
        self.assertEqual(self.refused(),
                         'hooks: series/01-x/lines: "after 1 chimney" matched '
                         '0 times in a/room.c, expected 1\n')

    def test_edit_matches_twice(self):
        self.lines("@ a/room.c\nafter 1 check\n+x\n")
        self.refused('"after 1 check" matched 2 times in a/room.c, expected 1')

    def test_deleted_file(self):
        self.put("tree/a/old.h", "#ifndef OLD\n\n#endif\n")
        self.lines("@ a/old.h\ndelete 2 ^#\n")
        self.accepted()
        self.assertEqual(self.get("tree/a/old.h"), "\n")
        self.put("tree/a/old.h", "#ifndef OLD\n\n#endif\n")
        self.lines("@ a/old.h\ndelete 4 ^\n")
        self.accepted()
        self.assertFalse(os.path.exists(self.path("tree/a/old.h")))

    def test_scope(self):
        self.lines("@ a/room.c\nin ^static int open_door\nafter 1 check\n+\tx();\n")
        self.accepted()
        self.assertEqual(self.get("tree/a/room.c").count("x();"), 1)

    def test_lines_in_to(self):
        self.lines("@ a/room.c\nin ^struct room\nto ^static int open_window\n"
                   "after 1 check\n+\tx();\n")
        self.accepted()
        self.assertIn("check(r);\n\tx();\n\treturn ret;\n}\n\nstatic int open_w",
                      self.get("tree/a/room.c"))

    def test_scope_matches_never(self):
        self.lines("@ a/room.c\nin ^static int close\nafter 1 check\n+x\n")
        self.refused('"in ^static int close" matched 0 times')

    def test_edit_twice(self):
        self.lines("@ a/room.c\nafter 1 ^struct room\n+\tint a;\n")
        self.accepted()
        self.refused("is already applied in a/room.c")

    def test_missing_file(self):
        self.lines("@ a/house.c\nafter 1 x\n+x\n")
        self.refused("series/01-x/lines: a/house.c is not in the tree")

    def test_bad_edits(self):
        for text, why in (("after 1 x\n+x\n", "edit without a file"),
                          ("@ a/room.c\n", "no edit for a/room.c"),
                          ("@ a/room.c\nafter x\n+x\n", "COUNT"),
                          ("@ a/room.c\nafter 0 x\n+x\n", "COUNT"),
                          ("@ a/room.c\nafter 1 (\n+x\n", "bad expression"),
                          ("@ a/room.c\nafter 1 x\n", "needs new text"),
                          ("@ a/room.c\ndelete 1 x\n+x\n", "takes no new text"),
                          ("@ a/room.c\nin x\n", "without an edit"),
                          ("@ a/room.c\nabove 1 x\n+x\n", "unknown edit")):
            with self.subTest(text):
                self.lines(text)
                self.refused(why)

    def test_one_bad_part_stops_all(self):
        self.put("arch/new.c", "new\n")
        self.put("series/01-x/files", "arch/new.c\n")
        self.lines("@ a/room.c\nafter 1 windows\n+x\nafter 1 chimney\n+x\n")
        self.refused("chimney")
        self.assertFalse(os.path.exists(self.path("tree/arch/new.c")))

    def test_nothing_to_do(self):
        self.put("series/01-x/message", "x\n")
        self.refused("nothing to do")

    # semantic patches

    def cocci(self, text, path="a/room.c"):
        self.put("series/01-x/hooks/%s.cocci" % path, text)

    @unittest.skipUnless(shutil.which("spatch"), "no spatch")
    def test_cocci(self):
        self.cocci(FIELD % 1)
        self.accepted("--check")
        self.assertEqual(self.get("tree/a/room.c"), BASE)
        cache = self.path("cache")
        for _ in range(2):
            self.put("tree/a/room.c", BASE)
            self.accepted("--cache", cache)
            self.assertEqual(
                self.get("tree/a/room.c"),
                BASE.replace("\tint\tdoors;\n", "\tint\tdoors;\n\tint\t\tkeys;\n"))
        self.assertEqual(len(os.listdir(cache)), 1)
        self.refused("room.c.cocci: is already applied")

    @unittest.skipUnless(shutil.which("spatch"), "no spatch")
    def test_cocci_wrong_count(self):
        self.cocci(FIELD % 2)
        self.refused("changed +1 -0 lines of a/room.c, expected +2 -0")

    @unittest.skipUnless(shutil.which("spatch"), "no spatch")
    def test_cocci_matches_never(self):
        self.cocci(CALL % "close_door")
        self.refused("series/01-x/hooks/a/room.c.cocci: changed +0 -0 lines")

    @unittest.skipUnless(shutil.which("spatch"), "no spatch")
    def test_cocci_matches_twice(self):
        self.put("tree/a/room.c", BASE + BASE[BASE.index("static int open_window"):]
                 .replace("open_window", "open_door2"))
        self.cocci((CALL % "f").replace("@@ @@", "@@ identifier f; @@"))
        self.refused("changed +3 -0 lines of a/room.c, expected +1 -0")

    @unittest.skipUnless(shutil.which("spatch"), "no spatch")
    def test_cocci_counts_itself(self):
        self.cocci(FIELD % 1 + "@finalize:python@ @@\n"
                   "import os, sys\nsys.stderr.write('anchor matched 7 times')\n"
                   "sys.stderr.flush()\nos._exit(3)\n")
        self.refused("status 3", "anchor matched 7 times")

    @unittest.skipUnless(shutil.which("spatch"), "no spatch")
    def test_cocci_syntax_error(self):
        self.cocci("// lines: +1 -0\n@@\nfoo(\n")
        self.refused("spatch failed on a/room.c")

    def test_cocci_without_header(self):
        self.cocci("@@ @@\n- a\n+ b\n")
        self.refused('no "// lines: +N -N" header')

    def test_cocci_missing_file(self):
        self.cocci(FIELD % 1, "a/house.c")
        self.refused("a/house.c is not in the tree")

    def test_other_file_among_hooks(self):
        self.put("series/01-x/hooks/a/room.c", "x\n")
        self.refused("not a .cocci file")

    def test_usage(self):
        run = subprocess.run([sys.executable, HOOKS, "--what", "a", "b"],
                             stderr=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("usage:", run.stderr)


if __name__ == "__main__":
    unittest.main()
