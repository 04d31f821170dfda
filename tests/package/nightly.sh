#!/bin/bash
# SPDX-License-Identifier: MIT
#
# usage: nightly.sh DIRECTORY
#
# The Debian packages as somebody makes and uses them: built of this commit in DIRECTORY/source, checked by lintian, then
# installed in a Debian 12 made by debootstrap, used as debian/tests says, and purged: nothing of them may be left. The guest in the
# package is compared with one that was built apart from it. Needs root, what `tools/deps.sh app` installs, debhelper, dpkg-dev,
# lintian, debootstrap, the mirror that apt is set up for, 3 GB and half an hour; REWIND_GUEST_CACHE (debian/README.source)
# saves the kernel's build, and the comparison's meaning with it. Packages that DIRECTORY has already are not built again.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/rootfs/clean-root.sh
. "$here/tests/rootfs/clean-root.sh"
packages=(rewind rewind-app rewind-guest)

say() { echo "nightly: $*"; }

build_packages() {
    rm -rf "$out/source"
    mkdir "$out/source"
    (cd "$here" && git archive HEAD) | tar -x -C "$out/source"
    (cd "$out/source" && dpkg-buildpackage -us -uc) >"$out/build.log" 2>&1 || die "dpkg-buildpackage failed: see $out/build.log"
}

check_packages() {
    lintian --allow-root --fail-on error,warning --display-info "$out"/rewind_*_amd64.changes || die "lintian is not content"
    say "lintian has no errors and no warnings"
}

# The same sources and tools are the same guest.
compare_guests() {
    local file
    "$here/guest/linux/build.sh" "$out/guest"
    mkdir -p "$out/unpacked"
    dpkg-deb -x "$out"/rewind-guest_*.deb "$out/unpacked"
    for file in vmlinux initrd.cpio System.map cmdline; do
        cmp "$out/guest/$file" "$out/unpacked/usr/share/rewind/guest/$file" || die "$file is another"
    done
    say "the guest is $(sha256sum <"$out/guest/vmlinux" | cut -c 1-16), the same as one built apart"
}

# What the packages and their tests need of others.
dependencies() {
    { for package in "$out"/rewind*_*.deb; do dpkg-deb -f "$package" Depends; done; sed -n 's/^Depends: //p' "$here/debian/tests/control"; } |
        tr ',' '\n' | sed 's/[|(:].*//; s/ //g' | grep -vxE 'rewind|rewind-app|rewind-guest|' | sort -u
}

apt_get() { inside_clean_root "$root" / env DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends "$@" >>"$out/apt.log" 2>&1 ||
    die "apt-get $1 failed: $(tail -n 5 "$out/apt.log")"; }

# All paths but those of logs, of what apt and dpkg keep, and of what the kernel has there.
paths() { find "$root" -xdev \( -path "$root/var/log" -o -path "$root/var/cache" -o -path "$root/var/lib/apt" -o -path "$root/var/lib/dpkg" \
    -o -path "$root/tmp" -o -path "$root/dev" -o -path "$root/sys" -o -path "$root/proc" \) -prune -o -print | sort; }

use_packages() {
    local test package files=()
    for package in "${packages[@]}"; do files+=("/tmp/packages/$package.deb"); done
    mount_clean_root "$root"
    apt_get update
    # shellcheck disable=SC2046
    apt_get install $(dependencies)
    paths >"$out/before"
    mkdir "$root/tmp/packages"
    for package in "${packages[@]}"; do cp "$out/${package}"_*.deb "$root/tmp/packages/$package.deb"; done
    cp -r "$here/docs/examples" "$here/debian/tests" "$root/tmp/"
    apt_get install "${files[@]}"
    paths >"$out/installed"
    say "installed: $(comm -13 "$out/before" "$out/installed" | wc -l) paths"
    for test in $(sed -n 's/^Tests: //p' "$here/debian/tests/control"); do
        mkdir "$root/tmp/$test"
        inside_clean_root "$root" /tmp env AUTOPKGTEST_TMP="/tmp/$test" EXAMPLES=/tmp/examples "tests/$test" >"$out/$test.log" 2>&1 ||
            die "the test $test failed: $(tail -n 5 "$out/$test.log")"
        say "$test works"
    done
    apt_get purge "${packages[@]}"
    rm -rf "${root:?}"/root/.[cdl]*
    paths >"$out/after"
    diff "$out/before" "$out/after" >"$out/left" || die "something is left: $(head -n 5 "$out/left")"
    say "purged: nothing is left"
}

[ $# -ge 1 ] || die "usage: nightly.sh DIRECTORY"
if [ "$1" = --in-namespace ]; then
    out=$2 root=$2/root
    use_packages
    exit
fi
need_root
mkdir -p "$1"
out=$(realpath "$1")
rm -rf --one-file-system "$out/root" "$out/guest" "$out/unpacked" "$out/apt.log"
compgen -G "$out/rewind_*.changes" >/dev/null || build_packages
check_packages
compare_guests
make_clean_root "$out/root" "$out/debootstrap.log"
unshare --mount --propagation private "$0" --in-namespace "$out"
