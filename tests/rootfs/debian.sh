#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: debian.sh OUT.tar
#
# Makes a small Debian 12 with a compiler, make, python3, perl, openssl, git and sqlite3, as a tarball that
# `rewind run --root` takes. The mirror is the one this machine's apt uses. The result is kept in the
# user's cache directory under a key of everything that it is made from, so only the first call takes
# minutes. Needs root, debootstrap and, for the first call, the Debian mirror.
set -euo pipefail
export LC_ALL=C

suite=bookworm
packages=(
    bash bc bzip2 diffutils file findutils gawk gcc g++ git gzip libc6-dev make openssl patch perl
    procps python3 sed sqlite3 time util-linux xz-utils zstd
)

die() {
    echo "debian.sh: $*" >&2
    exit 1
}

# The mirror of the suite's main component, as apt is set up here.
find_mirror() {
    apt-get indextargets --format '$(CREATED_BY) $(CODENAME) $(COMPONENT) $(REPO_URI)' |
        awk -v suite="$suite" '$1 == "Packages" && $2 == suite && $3 == "main" { print $4; exit }'
}

# What differs from one build to the next, or is dead weight in a guest.
trim() {
    local root=$1
    rm -rf "$root"/usr/share/{doc,man,info,locale,lintian,bug,bash-completion,i18n,gitweb,doc-base} \
        "$root"/usr/share/git-core/contrib "$root"/var/lib/apt/lists/* "$root"/var/cache/* \
        "$root"/var/log/* "$root"/debootstrap "${root:?}"/dev/* "$root"/tmp/* "$root"/run/* "$root"/proc/* \
        "$root"/var/lib/dpkg/*-old "$root"/etc/*- "$root"/usr/lib/x86_64-linux-gnu/gconv/IBM* \
        "$root"/etc/resolv.conf "$root"/usr/bin/*lto-dump* "$root"/usr/lib/x86_64-linux-gnu/lib{a,l,t,ub}san.so.*
    mkdir -p "$root"/usr/share/man/man1 "$root"/var/cache/apt/archives/partial \
        "$root"/var/lib/apt/lists/partial "$root"/var/log/apt
    : >"$root"/etc/machine-id
    echo rewind >"$root"/etc/hostname
    printf '127.0.0.1\tlocalhost rewind\n::1\tlocalhost ip6-localhost\n' >"$root"/etc/hosts
    # The lists of installed files name paths that are gone now; nothing in a guest reads them.
    rm -f "$root"/var/lib/dpkg/info/*.md5sums
}

# The newest time a file may have: that of the archive's Release file. Compiled Python files hold the time
# of their source, so it must not be older than any package.
release_time() {
    local release
    release=$(find "$1"/var/lib/apt/lists -name '*Release' | head -n 1)
    [ -n "$release" ] || die "debootstrap left no Release file"
    date -u -d "$(sed -n 's/^Date: //p' "$release")" +%s
}

build() {
    local out=$1 mirror=$2 root when
    # Memory instead of a disk: dpkg syncs each of some 20,000 files. Gone with this mount namespace.
    root=$(dirname "$out")/root
    mkdir -p "$root"
    mount -t tmpfs -o size=3g,mode=755 rewind-debian "$root"
    debootstrap --variant=minbase --include="$(IFS=,; echo "${packages[*]}")" "$suite" "$root" "$mirror" \
        >"$(dirname "$out")/log" 2>&1 || die "debootstrap failed: $(tail -n 3 "$(dirname "$out")/log")"
    when=$(release_time "$root")
    trim "$root"
    tar --format=pax --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime --sort=name \
        --numeric-owner --mtime="@$when" --clamp-mtime -C "$root" -cf "$out" .
    umount "$root"
    rmdir "$root"
}

if [ "${1-}" = --in-namespace ]; then
    build "$2" "$3"
    exit
fi
[ $# = 1 ] || die "usage: debian.sh OUT.tar"
mirror=$(find_mirror)
[ -n "$mirror" ] || die "apt knows no mirror of $suite main: add one to its sources and run apt-get update"
key=$({ cat "$0"; echo "$mirror"; } | sha256sum | cut -c 1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/rewind/rootfs
if [ ! -f "$cache/debian-$key.tar" ]; then
    [ "$(id -u)" = 0 ] || die "needs root to run debootstrap"
    command -v debootstrap >/dev/null || die "needs debootstrap: apt-get install debootstrap"
    mkdir -p "$cache"
    scratch=$(mktemp -d "$cache/making-XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    unshare --mount --propagation private "$0" --in-namespace "$scratch/debian.tar" "$mirror"
    mv "$scratch/debian.tar" "$cache/debian-$key.tar"
fi
cp --reflink=auto "$cache/debian-$key.tar" "$1.part"
mv "$1.part" "$1"
