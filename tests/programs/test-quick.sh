#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: test-quick.sh REWIND
#
# The few programs that the small Debian root of the workloads has: the quick part of nightly.sh.
set -eu

here=$(cd "$(dirname "$0")" && pwd)

skip() {
    echo "1..0 # SKIP $*"
    exit 0
}

[ "$(id -u)" = 0 ] || skip "debootstrap and chroot need root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
unshare --mount --net --pid --fork true 2>/dev/null || skip "no namespaces here"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/rewind/tests
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$here/../rootfs/debian.sh" "$scratch/debian.tar" >&2
flock -u 9
mkdir "$scratch/root" "$scratch/layers"
tar -xpf "$scratch/debian.tar" -C "$scratch/root"
rm "$scratch/debian.tar"
export REWIND_HOME="$scratch/home"
python3 "$here/run.py" --rewind "$1" --root "$scratch/root" --scratch "$scratch/layers" \
    bash gcc git perl sqlite
