#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: fresh.sh DIRECTORY [TARGET...]
#
# The README's commands as somebody runs them on a new machine: a Debian 12 made by debootstrap in DIRECTORY, with
# nothing installed but what `apt-get install make` brings, this commit's files without its history, an empty home,
# and nothing in the environment but PATH and HOME. Runs `make TARGET` for each (demo, app, check by default) and
# prints a row of a table: the target, its status, minutes, and its last line. Needs root, debootstrap, the mirror
# that apt is set up for, some 12 GB, and an hour: by hand or nightly. What each target printed is in DIRECTORY.log/.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/rootfs/clean-root.sh
. "$here/tests/rootfs/clean-root.sh"

inside() { # inside LOG COMMAND...
    local log=$1
    shift
    inside_clean_root "$root" /root/rewind "$@" >"$logs/$log" 2>&1
}

run_targets() {
    local target status start failed=0
    mount_clean_root "$root"
    inside make-itself sh -c 'apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends make' ||
        die "apt-get failed in the root: $(tail -n 3 "$logs/make-itself")"
    printf '| `make` | status | minutes | last line |\n|---|---:|---:|---|\n'
    for target in "$@"; do
        start=$SECONDS status=0
        inside "$target" make "$target" || status=$?
        [ "$status" = 0 ] || failed=1
        printf '| %s | %s | %s | %s |\n' "$target" "$status" \
            "$(awk -v s=$((SECONDS - start)) 'BEGIN { printf "%.1f", s / 60 }')" "$(tail -n 1 "$logs/$target")"
    done
    return "$failed"
}

[ $# -ge 1 ] || die "usage: fresh.sh DIRECTORY [TARGET...]"
if [ "$1" = --in-namespace ]; then
    root=$2
    logs=$2.log
    shift 2
    run_targets "$@"
    exit
fi
need_root
[ ! -e "$1" ] || die "$1 is there: name a directory that is not"
mkdir -p "$1" "$1.log"
root=$(realpath "$1")
logs=$root.log
shift
[ $# -gt 0 ] || set -- demo app check
make_clean_root "$root" "$logs/debootstrap"
mkdir "$root/root/rewind"
(cd "$here" && git archive HEAD) | tar -x -C "$root/root/rewind"
unshare --mount --propagation private "$0" --in-namespace "$root" "$@"
