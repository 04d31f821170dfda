#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: test-debian.sh determinism|native-equal REWIND
#
# Makes the Debian root with the workloads (kept in the cache after the first time) and runs one of the two
# suites on it, by default with two recordings of each workload; REWIND_TEST_RUNS=5 makes it five, of more workloads and
# all of them with replays, and records small workloads once more under QEMU. Needs root, for debootstrap and chroot.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
kind=$1
rewind=$2
runs=${REWIND_TEST_RUNS:-2}

skip() {
    echo "1..0 # SKIP $*"
    exit 0
}

[ "$(id -u)" = 0 ] || skip "debootstrap and chroot need root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/rewind/tests
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$here/../rootfs/debian.sh" "$scratch/debian.tar" >&2
"$here/pack.sh" "$scratch/debian.tar" "$scratch/workloads.tar" >&2
flock -u 9
rm "$scratch/debian.tar"

case $kind in
determinism)
    options="--emulated none --quick"
    [ "$runs" -lt 5 ] || options="--emulated small"
    # shellcheck disable=SC2086
    python3 "$here/../determinism.py" "$rewind" "$scratch/workloads.tar" --runs "$runs" $options
    ;;
native-equal)
    python3 "$here/../native-equal.py" "$rewind" "$scratch/workloads.tar"
    ;;
*)
    echo "usage: test-debian.sh determinism|native-equal REWIND" >&2
    exit 2
    ;;
esac
