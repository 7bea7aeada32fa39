#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write the test machine's root file system: a cpio archive ("newc").

Busybox with its applets, init, and programs with the libraries that ldd
names. The archive depends on content only and is left alone when unchanged.
"""

import argparse
import os
import re
import shutil
import stat
import subprocess
import sys

FOLDERS = ("bin", "dev", "etc", "lib64", "proc", "results", "sbin", "sys",
           "tmp", "usr", "usr/bin")
PASSWD = b"root:x:0:0:root:/tmp:/bin/sh\n"


class Archive:
    """A cpio archive in the format that the kernel unpacks."""

    def __init__(self):
        self.parts = []
        self.names = set()

    def add(self, name, mode, data=b"", device=(0, 0)):
        name = name.strip("/")
        if name in self.names:
            return
        self.names.add(name)
        if os.path.dirname(name):
            self.add(os.path.dirname(name), stat.S_IFDIR | 0o755)
        text = name.encode() + b"\0"
        fields = (len(self.names), mode, 0, 0, 1, 0, len(data), 0, 0,
                  device[0], device[1], len(text), 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields)
        self.parts += [pad(head + text), pad(data)]

    def file(self, name, path, mode=0o755):
        with open(path, "rb") as source:
            self.add(name, stat.S_IFREG | mode, source.read())

    def folder(self, name, path):
        for root, folders, files in os.walk(path):
            folders.sort()
            for base in sorted(files):
                source = os.path.join(root, base)
                place = os.path.join(name, os.path.relpath(source, path))
                self.file(place, source, os.stat(source).st_mode & 0o777)

    def text(self):
        trailer = Archive()
        trailer.add("TRAILER!!!", 0)
        return b"".join(self.parts + trailer.parts)


def pad(data):
    return data + b"\0" * (-len(data) % 4)


def libraries(path):
    """What the dynamic loader will open for a program, loader included."""
    run = subprocess.run(["ldd", path], capture_output=True, text=True,
                         check=False)
    if run.returncode:
        return []
    if "not found" in run.stdout:
        sys.exit(f"rootfs: {path}: a library is missing:\n{run.stdout}")
    return re.findall(r"(/\S+) \(0x", run.stdout)


def add_program(archive, name, path):
    archive.file(name, path)
    for library in libraries(path):
        archive.file(library, library)


def add_busybox(archive):
    busybox = shutil.which("busybox") or "/bin/busybox"
    archive.file("bin/busybox", busybox)
    applets = subprocess.run([busybox, "--list"], capture_output=True,
                             text=True, check=True).stdout.split()
    for applet in applets:
        if applet != "busybox":
            archive.add(f"bin/{applet}", stat.S_IFLNK | 0o777, b"busybox")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", required=True)
    parser.add_argument("--init", required=True)
    parser.add_argument("--program", action="append", default=[],
                        help="goes to /usr/bin")
    parser.add_argument("--folder", action="append", default=[],
                        metavar="HOST=GUEST")
    args = parser.parse_args()

    archive = Archive()
    for folder in FOLDERS:
        archive.add(folder, stat.S_IFDIR | 0o755)
    archive.add("dev/console", stat.S_IFCHR | 0o600, device=(5, 1))
    archive.add("etc/passwd", stat.S_IFREG | 0o644, PASSWD)
    archive.file("init", args.init)
    for program in args.program:
        add_program(archive, f"usr/bin/{os.path.basename(program)}", program)
    for pair in args.folder:
        host, guest = pair.split("=", 1)
        archive.folder(guest, host)
    add_busybox(archive)

    text = archive.text()
    try:
        with open(args.output, "rb") as old:
            if old.read() == text:
                return
    except FileNotFoundError:
        pass
    with open(args.output + ".new", "wb") as new:
        new.write(text)
    os.replace(args.output + ".new", args.output)


if __name__ == "__main__":
    main()
