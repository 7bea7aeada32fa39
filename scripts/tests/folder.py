# SPDX-License-Identifier: GPL-2.0
"""A folder of its own for each test, which is gone afterwards."""

import os
import shutil
import tempfile
import unittest


class FolderTest(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="corepmu-test-")
        self.addCleanup(shutil.rmtree, self.top)

    def path(self, name):
        return os.path.join(self.top, name)

    def put(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as f:
            f.write(text)

    def get(self, name):
        with open(self.path(name)) as f:
            return f.read()
