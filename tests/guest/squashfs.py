#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a squashfs image with one file, /file, to standard output: nothing in it is compressed."""
import struct
import sys

TEXT = b"of squashfs"
NONE = 0xFFFFFFFFFFFFFFFF
BLOCK = 131072


def metadata(data):
    return struct.pack("<H", 0x8000 | len(data)) + data


def inode_head(kind, mode, number):
    return struct.pack("<HHHHII", kind, mode, 0, 0, 0, number)


file_inode = inode_head(2, 0o644, 2) + struct.pack("<IIIII", 96, 0xFFFFFFFF, 0, len(TEXT), 1 << 24 | len(TEXT))
entries = struct.pack("<III", 0, 0, 2) + struct.pack("<HhHH", 0, 0, 2, 3) + b"file"
root_at = len(file_inode)
root = inode_head(1, 0o755, 1) + struct.pack("<IIHHI", 0, 2, len(entries) + 3, 0, 3)
inodes, directories, ids = metadata(file_inode + root), metadata(entries), metadata(struct.pack("<I", 0))
inodes_at = 96 + len(TEXT)
directories_at = inodes_at + len(inodes)
ids_at = directories_at + len(directories)
index_at = ids_at + len(ids)
body = TEXT + inodes + directories + ids + struct.pack("<Q", ids_at)
flags = 0x0001 | 0x0002 | 0x0008 | 0x0010 | 0x0200
head = struct.pack("<4sIIIIHHHHHHQQQQQQQQ", b"hsqs", 2, 0, BLOCK, 0, 1, 17, flags, 1, 4, 0, root_at,
                   96 + len(body), index_at, NONE, inodes_at, directories_at, NONE, NONE)
image = head + body
sys.stdout.buffer.write(image + bytes(-len(image) % 4096))
