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

die() {
    echo "fresh.sh: $*" >&2
    exit 1
}

here=$(cd "$(dirname "$0")/../.." && pwd)

# An address of apt's sources: that of suite $1, component main.
mirror_of() {
    apt-get indextargets --format '$(CREATED_BY) $(CODENAME) $(COMPONENT) $(REPO_URI)' |
        awk -v suite="$1" '$1 == "Packages" && $2 == suite && $3 == "main" { print $4; exit }'
}

make_root() {
    local root=$1 suite address
    debootstrap --variant=minbase bookworm "$root" "$(mirror_of bookworm)" >"$logs/debootstrap" 2>&1 ||
        die "debootstrap failed: $(tail -n 3 "$logs/debootstrap")"
    : >"$root/etc/apt/sources.list"
    for suite in bookworm bookworm-updates bookworm-security; do
        address=$(mirror_of "$suite")
        [ -z "$address" ] || echo "deb $address $suite main" >>"$root/etc/apt/sources.list"
    done
    # dpkg syncs each file that it writes; nobody needs this root after a power cut.
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/fresh"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    mkdir "$root/root/rewind"
    (cd "$here" && git archive HEAD) | tar -x -C "$root/root/rewind"
}

# Runs a command in the root, as a login on a new machine has it; $1 is the log's name.
inside() {
    local log=$1
    shift
    chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -c 'cd /root/rewind && exec "$@"' sh "$@" >"$logs/$log" 2>&1 </dev/null
}

run_targets() {
    local target status start failed=0
    # A root that is no mount's refuses the name spaces that tests make.
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
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
[ "$(id -u)" = 0 ] || die "needs root to run debootstrap and chroot"
command -v debootstrap >/dev/null || die "needs debootstrap: apt-get install debootstrap"
[ ! -e "$1" ] || die "$1 is there: name a directory that is not"
mkdir -p "$1" "$1.log"
root=$(realpath "$1")
logs=$root.log
shift
[ $# -gt 0 ] || set -- demo app check
make_root "$root"
unshare --mount --propagation private "$0" --in-namespace "$root" "$@"
