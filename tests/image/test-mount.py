#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernel's own erofs sees in an image what was in the directory and in its tarball; fsck.erofs agrees.
TAP output. usage: test-mount.py PREPARE-IMAGE"""
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile


def make_tree(top):
    """A bit of everything that this user and file system allow."""
    os.makedirs(f"{top}/many")
    for i in range(700):
        with open(f"{top}/many/{'name' * (i % 60)}-{i}", "wb") as f:
            f.write(os.urandom(1) * (i * 37 % 9000))
    os.makedirs("/".join([top] + ["deep"] * 200))
    for size in (4095, 4096, 4097, 0, 1 << 20):
        with open(f"{top}/size-{size}", "wb") as f:
            f.write(b"\0" * (size // 2) + b"x" * (size - size // 2))
    with open(f"{top}/sparse", "wb") as f:
        for at in (5 << 20, 5000 << 20, 50000 << 20):
            f.seek(at)
            f.write(b"here")
        f.truncate(70000 << 20)
    for size in (1, 59, 60, 3900, 4031, 4032, 4033, 4095):
        os.symlink("y" * size, f"{top}/link-{size}")
    os.link(f"{top}/size-4096", f"{top}/many/again")
    os.mkfifo(f"{top}/fifo")
    here = os.getcwd()
    os.chdir(top)
    socket.socket(socket.AF_UNIX).bind("socket")
    os.chdir(here)
    os.makedirs(os.fsencode(top) + b"/bytes\xff\n/\xc3\xa9e\xcc\x81")
    for mode in (0o4755, 0o2711, 0o1600, 0):
        path = f"{top}/mode-{mode:o}"
        with open(path, "w", encoding="ascii") as f:
            f.write(path)
        os.chmod(path, mode)
    make_privileged(top)
    make_attributes(top)
    os.utime(top, ns=(1, 1234567890123456789))
    os.utime(f"{top}/fifo", ns=(1, -2000000000))


def make_privileged(top):
    if os.geteuid() != 0:
        return
    for name, kind, device in (("null", stat.S_IFCHR, (1, 3)), ("disk", stat.S_IFBLK, (259, 1048575))):
        try:
            os.mknod(f"{top}/{name}", kind | 0o640, os.makedev(*device))
        except PermissionError:
            return
    os.chown(f"{top}/size-0", 4000000000, 65536)
    os.lchown(f"{top}/link-1", 5, 6)


def make_attributes(top):
    capability = bytes.fromhex("0100000200200000000000000000000000000000")
    acl = bytes.fromhex("0200000001000600ffffffff0200040007000000"
                        "04000400ffffffff10000400ffffffff20000000ffffffff")
    for path, name, value in (
            ("size-4097", "user.note", b"n" * 3000), ("size-4097", "user.empty", b""),
            ("many", "user.on-directory", b"d"), ("mode-4755", "security.capability", capability),
            ("size-0", "trusted.x", b"\0\1\2"), ("size-1048576", "system.posix_acl_access", acl),
            ("many", "system.posix_acl_default", acl)):
        try:
            os.setxattr(f"{top}/{path}", name, value)
        except OSError:
            print(f"# this file system keeps no {name}")


def attributes(path):
    try:
        return {n: os.getxattr(path, n, follow_symlinks=False)
                for n in os.listxattr(path, follow_symlinks=False) if n != "security.selinux"}
    except OSError:
        return {}


def data_of(path, st):
    """Enough of a file to tell it from another: all of it, or around where data may be."""
    with open(path, "rb") as f:
        if st.st_size < 10 << 20:
            return f.read()
        return [os.pread(f.fileno(), 8192, at) for at in
                [(m << 20) - 4096 for m in (5, 5000, 50000, 70000)] + [0, 10 << 30]]


def describe(top):
    """Everything about a tree, by path."""
    found, first = {}, {}

    def visit(path, name):
        st = os.lstat(path)
        kind = stat.S_IFMT(st.st_mode)
        entry = [oct(st.st_mode), st.st_uid, st.st_gid, st.st_mtime_ns, attributes(path)]
        if kind == stat.S_IFDIR:
            found[name] = entry + [st.st_nlink]
            for child in sorted(os.listdir(path)):
                visit(path + b"/" + child, name + b"/" + child)
            return
        entry += [st.st_nlink, first.setdefault(st.st_ino, name)]
        if kind == stat.S_IFREG:
            entry += [st.st_size, data_of(path, st)]
        elif kind == stat.S_IFLNK:
            entry += [os.readlink(path)]
        elif kind in (stat.S_IFCHR, stat.S_IFBLK):
            entry += [st.st_rdev]
        found[name] = entry

    visit(os.fsencode(top), b"")
    return found


def check(number, ok, what):
    print(f"{'ok' if ok else 'not ok'} {number} {what}")
    return ok


def compare(a, b):
    # Not every file system counts a directory's links as Linux's own do.
    for tree in (a, b):
        for entry in tree.values():
            if entry[0].startswith("0o4"):
                entry.pop()
    wrong = sorted(k for k in a.keys() | b.keys() if a.get(k) != b.get(k))
    for name in wrong[:10]:
        print(f"# {name}: {str(a.get(name))[:300]} is not {str(b.get(name))[:300]}")
    return not wrong


def prepare(program, root, work):
    done = subprocess.run([program, root, f"{work}/images"], capture_output=True, text=True)
    if done.returncode:
        print(f"# {done.stderr}")
    return done.stdout.strip()


def with_mount(image, work, tree):
    where = f"{work}/mnt"
    os.mkdir(where)
    mounted = subprocess.run(["mount", "-t", "erofs", "-o", "loop,ro", image, where], capture_output=True)
    if mounted.returncode:
        print("ok 2 mounted # SKIP no right to mount, or no erofs in this kernel")
        return True
    try:
        return check(2, compare(describe(tree), describe(where)), "mounted")
    finally:
        subprocess.run(["umount", where], check=True)


def with_fsck(image):
    if not shutil.which("fsck.erofs"):
        print("ok 3 fsck.erofs # SKIP not installed")
        return True
    done = subprocess.run(["fsck.erofs", "--extract", image], capture_output=True, text=True)
    return check(3, done.returncode == 0, "fsck.erofs")


def with_tar(program, image, work, tree):
    """The directory packed by tar gives the same image. A socket cannot be packed."""
    os.unlink(f"{tree}/socket")
    os.utime(tree, ns=(1, 1234567890123456789))
    alone = prepare(program, tree, work)
    tar = ["tar", "--format=pax", "--sparse", "--xattrs", "--xattrs-include=*", "-C", tree, "-cf", f"{work}/t.tar", "."]
    subprocess.run(tar, check=True, env={**os.environ, "LC_ALL": "C"})
    return check(4, alone != image and prepare(program, f"{work}/t.tar", work) == alone, "tar gives the same")


def main():
    work = tempfile.mkdtemp(prefix="rw-mount-")
    tree = f"{work}/tree"
    try:
        print("1..4")
        make_tree(tree)
        image = prepare(sys.argv[1], tree, work)
        ok = check(1, image.endswith(".erofs"), "prepared")
        ok = ok and with_mount(image, work, tree)
        ok = ok and with_fsck(image) and with_tar(sys.argv[1], image, work, tree)
    finally:
        shutil.rmtree(work)
    return 0 if ok else 1


sys.exit(main())
