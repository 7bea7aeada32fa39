#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The kernels' compiler: an object is never that of other bytes."""

import os
import re
import subprocess
import sys
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from folder import FolderTest  # noqa: E402


class CachedGcc(FolderTest):
    def compile(self, *compiler):
        env = dict(os.environ, CCACHE_DIR=self.path("ccache"), CCACHE_DEPEND="1",
                   CCACHE_BASEDIR=self.top, CCACHE_NOHASHDIR="1")
        env.pop("CCACHE_DISABLE", None)
        subprocess.run([*compiler, "-MD", "-MF", "object.d", "-c", "source.S", "-o",
                        "object.o"], cwd=self.top, env=env, check=True)
        with open(self.path("object.o"), "rb") as file:
            return file.read()

    def objects(self, *compiler):
        self.put("source.S", '.incbin "image"\n')
        found = []
        for image in ("one kernel", "or another"):
            self.put("image", image)
            found.append(image.encode() in self.compile(*compiler))
        return found

    def test_includes_what_is_there(self):
        self.assertEqual(self.objects(TOP + "/scripts/cached-gcc.sh"), [True, True])

    def test_is_for_a_reason(self):
        """If ccache has learned it, the script can go."""
        self.assertEqual(self.objects("ccache", "gcc"), [True, False])

    def test_kernels_are_built_with_it(self):
        for name in ("build-kernel.sh", "build-deb.sh", "checks/patches.py"):
            with open(f"{TOP}/scripts/{name}", encoding="utf-8") as file:
                compilers = re.findall(r"\bCC=(\S+)", file.read())
            self.assertEqual({re.sub(r".*/|\W*$", "", words) for words in compilers},
                             {"cached-gcc.sh"}, name)


if __name__ == "__main__":
    unittest.main()
