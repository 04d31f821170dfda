# SPDX-License-Identifier: MIT
"""Prints the SHA-256 of a path as a Nix archive, from the format's description alone."""
import hashlib
import os
import stat
import struct
import sys


def text(data):
    return struct.pack("<Q", len(data)) + data + b"\0" * (-len(data) % 8)


def words(*items):
    return b"".join(text(item) for item in items)


def content(path, mode):
    if stat.S_ISLNK(mode):
        return words(b"symlink", b"target", os.readlink(path))
    if stat.S_ISDIR(mode):
        return words(b"directory") + b"".join(entry(path, name) for name in sorted(os.listdir(path)))
    with open(path, "rb") as file:
        executable = words(b"executable", b"") if mode & 0o100 else b""
        return words(b"regular") + executable + words(b"contents", file.read())


def entry(path, name):
    return words(b"entry", b"(", b"name", name, b"node") + node(os.path.join(path, name)) + text(b")")


def node(path):
    return words(b"(", b"type") + content(path, os.lstat(path).st_mode) + text(b")")


print(hashlib.sha256(text(b"nix-archive-1") + node(os.fsencode(sys.argv[1]))).hexdigest())
