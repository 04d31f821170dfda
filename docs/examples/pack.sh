#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: pack.sh NAME|FOLDER [--fixed] -o OUT.tar
#
# Builds the example NAME (or what another FOLDER holds), with its fix if asked, and packs it with a minimal root
# filesystem: busybox, make, timeout, bash or Python where a script asks for it, and the libraries that they and
# the program are linked with. `make check` in /src runs it. The same sources and packages give the same bytes.
# Needs no root; needs gcc, make, patch and busybox-static, for `stock` libsqlite3-dev, for `thumbnails` python3.
set -eu
umask 022
export LC_ALL=C
# A make that calls this script hands its own settings down.
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS LDFLAGS CC

die() {
    echo "pack.sh: $*" >&2
    exit 1
}

usage="usage: pack.sh NAME|FOLDER [--fixed] -o OUT.tar"
name='' fixed=no out=''
while [ $# -gt 0 ]; do
    case $1 in
    --fixed) fixed=yes ;;
    -o)
        [ $# -ge 2 ] || die "$usage"
        out=$2
        shift
        ;;
    -*) die "$usage" ;;
    *) name=$1 ;;
    esac
    shift
done
if [ -z "$name" ] || [ -z "$out" ]; then die "$usage"; fi
examples=$(cd "$(dirname "$0")" && pwd)
case $name in
*/*) folder=$name ;;
*) folder=$examples/$name ;;
esac
[ -f "$folder/Makefile" ] || die "no example '$name' in $examples"
for tool in gcc make patch busybox timeout ldd; do
    command -v $tool >/dev/null || die "needs $tool: apt-get install gcc make patch busybox-static coreutils"
done
hint=
grep -qs -e -lsqlite3 "$folder/Makefile" && hint=": apt-get install libsqlite3-dev"
ldd "$(command -v busybox)" >/dev/null 2>&1 && die "needs a static busybox: apt-get install busybox-static"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root

make_skeleton() {
    for made in usr/bin usr/sbin usr/lib usr/lib64 dev etc proc root run src sys tmp var/tmp; do
        mkdir -p "$root/$made"
    done
    for made in bin sbin lib lib64; do
        ln -s usr/$made "$root/$made"
    done
    chmod 1777 "$root/tmp" "$root/var/tmp"
    chmod 700 "$root/root"
    echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
    echo 'root:x:0:' >"$root/etc/group"
    printf '127.0.0.1\tlocalhost\n::1\tlocalhost\n' >"$root/etc/hosts"
}

install_busybox() {
    install -m 755 "$(command -v busybox)" "$root/usr/bin/busybox"
    busybox --list-full | while read -r applet; do
        case $applet in
        */sbin/* | sbin/*) ln -sf ../bin/busybox "$root/usr/sbin/${applet##*/}" ;;
        */busybox) ;;
        *) ln -sf busybox "$root/usr/bin/${applet##*/}" ;;
        esac
    done
}

# A program of this machine in place of an applet of its name.
install_program() {
    rm -f "$root/usr/bin/$1"
    install -m 755 "$(PATH=/usr/bin:$PATH command -v "$1")" "$root/usr/bin/$1"
}

# The part of Python's library that the scripts import, compiled, so that nothing depends on the sources' times.
install_python_library() {
    imports=$(sed -n 's/^import //p' "$folder"/*.py)
    /usr/bin/python3 -IS - "$root" $imports <<'EOF'
import importlib, os, py_compile, sys
root, names = sys.argv[1], sys.argv[2:]
for name in names:
    importlib.import_module(name)
# What this script itself needs and the others may not is small.
for path in sorted({module.__spec__.origin for module in sys.modules.values() if getattr(module, "__spec__", None)} - {None}):
    if path.endswith(".py"):
        os.makedirs(os.path.dirname(root + path), exist_ok=True)
        with open(path, "rb") as source, open(root + path, "wb") as copy:
            copy.write(source.read())
        py_compile.compile(root + path, dfile=path, doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
EOF
}

# The loader and every library of each program named, under the paths that ldd gives.
install_libraries() {
    for program; do
        ldd "$program" 2>/dev/null | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p'
    done | sort -u | while read -r library; do
        mkdir -p "$root/$(dirname "$library")"
        install -m 755 "$library" "$root/$library"
    done
}

build_example() {
    cp -R "$folder/." "$root/src"
    [ $fixed = no ] || (cd "$root/src" && patch -s -p1 --no-backup-if-mismatch <fix.patch)
    # The debugger finds the source at /src, and the program does not depend on where it was built.
    make -s -C "$root/src" clean
    make -s -C "$root/src" EXTRA_CFLAGS="-ffile-prefix-map=$root/src=/src" all || die "$name does not build$hint"
    chmod -R go=rX "$root/src"
}

pack() {
    # One time for all files: nothing is out of date for make.
    tar --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mtime='2024-01-01 00:00:00Z' \
        -C "$root" -cf "$out.part" .
    mv "$out.part" "$out"
}

make_skeleton
install_busybox
programs="make timeout"
grep -qs '^#!/bin/bash' "$folder"/*.sh && programs="$programs bash"
grep -qs '^#!/usr/bin/python3' "$folder"/*.py && programs="$programs python3"
for program in $programs; do
    install_program "$program"
done
case $programs in
*python3) install_python_library ;;
esac
build_example
# shellcheck disable=SC2046
install_libraries $(printf "$root/usr/bin/%s " $programs) \
    $(find "$root/src" -type f -perm -100 ! -name '*.sh' ! -name '*.py')
pack
