#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: current.sh BUILD [TEST...]
#
# The tests of gdb, or those that are named, with the gdb of the Debian that follows this one, nightly. It is kept in the user's cache
# directory with the libraries that it needs. Needs root, debootstrap and, the first time, the Debian mirror.
set -eu
export LC_ALL=C

suite=trixie
die() {
    echo "current.sh: $*" >&2
    exit 1
}

build=$(realpath "$1")
shift
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(meson test -C "$build" --list 2>/dev/null | sed -n 's/.*\(gdb-[a-z]*\)$/\1/p')
mirror=$(apt-get indextargets --format '$(CREATED_BY) $(COMPONENT) $(REPO_URI)' | sed -n '/security/d; s/^Packages main //p' | head -n 1)
[ -n "$mirror" ] || die "apt knows no mirror: add one to its sources and run apt-get update"
root=${XDG_CACHE_HOME:-$HOME/.cache}/rewind/gdb/$suite
if [ ! -d "$root" ]; then
    [ "$(id -u)" = 0 ] || die "needs root to run debootstrap"
    mkdir -p "$(dirname "$root")"
    scratch=$(mktemp -d "$root-XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    unshare --mount --propagation private debootstrap --variant=minbase --include=gdb "$suite" "$scratch/root" "$mirror" >"$scratch/log" 2>&1 ||
        die "the root could not be made: $(tail -n 5 "$scratch/log")"
    mv "$scratch/root" "$root"
    rm -rf "$scratch"
fi
bin=$(mktemp -d "${TMPDIR:-/tmp}/rewind-gdb-XXXXXX")
trap 'rm -rf "$bin"' EXIT
cat >"$bin/gdb" <<END
#!/bin/sh
PYTHONHOME=$root/usr exec "$root/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" \\
    "$root/usr/bin/gdb" --data-directory "$root/usr/share/gdb" "\$@"
END
chmod 755 "$bin/gdb"
"$bin/gdb" --version | head -n 1
PATH=$bin:$PATH meson test -C "$build" --no-rebuild --timeout-multiplier 3 "$@"
