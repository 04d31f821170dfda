#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: root.sh [PACKAGES]
#
# Makes the root that the programs run in, a Debian 12 with all of packages.txt (or of another such file), and
# prints its directory. It is kept in the user's cache directory under a key of what it is made from. Needs
# root, debootstrap, the mirror that this machine's apt uses, some 3 GB of disk and, the first time, a quarter of an hour.
set -euo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

here=$(cd "$(dirname "$0")" && pwd)
suite=bookworm

die() {
    echo "root.sh: $*" >&2
    exit 1
}

find_mirror() {
    apt-get indextargets --format '$(CREATED_BY) $(CODENAME) $(COMPONENT) $(REPO_URI)' |
        awk -v suite="$suite" '$1 == "Packages" && $2 == suite && $3 == "main" { print $4; exit }'
}

packages() { # packages binary|source
    awk -v kind="$1" '!/^#/ && NF { if (kind == "source" ? /^source / : !/^source /) print $NF }' "$list"
}

inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }

# No service is started, and nothing is synced: who is interrupted starts again.
set_up_apt() {
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe"
    echo 'path-exclude /usr/share/doc/*
path-exclude /usr/share/man/*
path-exclude /usr/share/locale/*' >"$root/etc/dpkg/dpkg.cfg.d/lean"
    echo 'Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
APT::Install-Recommends "false";' >"$root/etc/apt/apt.conf.d/lean"
    echo "deb $mirror $suite main
deb-src $mirror $suite main" >"$root/etc/apt/sources.list"
    cp /etc/resolv.conf "$root/etc/"
}

build() {
    debootstrap --variant=minbase "$suite" "$root" "$mirror" || die "debootstrap failed"
    set_up_apt
    mount -t proc proc "$root/proc"
    inside apt-get update
    # shellcheck disable=SC2046
    inside apt-get -y install $(packages binary)
    mkdir -p "$root/usr/src/programs"
    sources=$(packages source | tr '\n' ' ')
    [ -z "$sources" ] || inside sh -c "cd /usr/src/programs && apt-get source $sources"
    inside apt-get clean
    umount "$root/proc"
    rm -rf "$root"/var/lib/apt/lists/* "$root"/var/log/* "$root"/run/* "$root"/tmp/* "$root"/dev/* "$root/etc/resolv.conf"
    printf '127.0.0.1\tlocalhost rewind\n::1\tlocalhost\n' >"$root/etc/hosts"
}

if [ "${1-}" = --in-namespace ]; then
    root=$2 mirror=$3 list=$4
    build
    exit
fi
list=$(realpath "${1:-$here/packages.txt}")
mirror=$(find_mirror)
[ -n "$mirror" ] || die "apt knows no mirror of $suite main: add one to its sources and run apt-get update"
key=$({ cat "$0" "$list"; echo "$mirror"; } | sha256sum | cut -c 1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/rewind/programs
if [ ! -d "$cache/$key" ]; then
    [ "$(id -u)" = 0 ] || die "needs root to run debootstrap"
    command -v debootstrap >/dev/null || die "needs debootstrap: apt-get install debootstrap"
    mkdir -p "$cache"
    scratch=$(mktemp -d "$cache/making-XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    unshare --mount --propagation private "$0" --in-namespace "$scratch/root" "$mirror" "$list" >"$scratch/log" 2>&1 ||
        die "the root could not be made: $(tail -n 5 "$scratch/log")"
    mv -T "$scratch/root" "$cache/$key" 2>/dev/null || [ -d "$cache/$key" ] || die "cannot put the root at $cache/$key" # another one made it meanwhile
fi
echo "$cache/$key"
