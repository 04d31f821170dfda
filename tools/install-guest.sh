#!/bin/sh
# SPDX-License-Identifier: MIT
# For `meson install`: the guest of REWIND_GUEST_DIR, else the one that was built into the build directory, goes
# where the installed program looks for it. usage: install-guest.sh DATADIR
set -eu

guest=${REWIND_GUEST_DIR:-$MESON_BUILD_ROOT/guest}
target=$MESON_INSTALL_DESTDIR_PREFIX/$1/rewind/guest
if [ ! -e "$guest/vmlinux" ]; then
    echo "No guest in $guest: build one with \`make guest\`, or set REWIND_GUEST_DIR, and install again" >&2
    exit 0
fi
mkdir -p "$target"
for file in vmlinux initrd.cpio cmdline System.map; do
    [ ! -e "$guest/$file" ] || install -m 644 "$guest/$file" "$target/$file"
done
