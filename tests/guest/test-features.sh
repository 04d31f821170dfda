#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What programs may ask of the guest's kernel: each feature tried by a probe, as root, and all of it the
# same run again.
. "$(dirname "$0")/../app/lib.sh"
PATH=$PATH:/usr/sbin:/sbin

root=$work/root
mkdir -p "$root/bin" "$root/opt"
cp /bin/busybox "$root/bin/"
cp "$GUEST_FEATURES" "$root/bin/features"
ln -s busybox "$root/bin/cat"
echo old >"$root/opt/old"
python3 "$(dirname "$0")/squashfs.py" >"$root/opt/squashfs.img"
truncate -s 4M "$root/opt/ext4.img"
if command -v mke2fs >/dev/null; then
    mke2fs -q -t ext4 "$root/opt/ext4.img"
else
    no_ext4="no mke2fs"
fi

"$REWIND" run --root "$root" -- features >"$work/out" 2>"$work/err"
for feature in fuse squashfs tmpfile xattrs direct links tun packet keys landlock bpf mempolicy secret huge \
    cgroup binfmt; do
    has out "$feature" "^$feature: ok$"
done
if [ "${no_ext4:-}" ]; then
    skip ext4 "$no_ext4"
else
    has out ext4 '^ext4: ok$'
fi
run 0 "the same again" "$REWIND" replay @
has out "identical" identical

finish
