#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds the guest: vmlinux, initrd.cpio, System.map and the default command line.
#
#   build.sh OUTDIR    builds, unless it is in the cache, and copies the result to OUTDIR
#   build.sh --where   prints the cache directory of this guest, built or not
#
# The result is a function of what the keys below cover and of nothing else: neither the date, the
# user, the host nor the directory. It is kept in ${XDG_CACHE_HOME:-~/.cache}/rewind/guest/<key>, and
# the kernel, which needs nothing of init, beside it in kernel-<its own key>.
# REWIND_LINUX_SOURCE names another source tarball, REWIND_BUSYBOX another static busybox; JOBS how many compilers run at once.
set -eu
export LC_ALL=C
umask 022

here=$(cd "$(dirname "$0")" && pwd)
guest=$(dirname "$here")
source=${REWIND_LINUX_SOURCE:-/usr/src/linux-source-6.1.tar.xz}
busybox=${REWIND_BUSYBOX:-/bin/busybox}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/rewind/guest
results="vmlinux initrd.cpio System.map cmdline"
# What init's build takes from the kernel's tree.
kernel_results="vmlinux System.map rewind.h gen_init_cpio.c"

say() { printf 'guest: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# ---- What has to be there ----

missing=
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
need_header() { printf '#include <%s>\n' "$1" | gcc -E - >/dev/null 2>&1 || missing="$missing $2"; }

check_packages() {
    need gcc gcc
    need make make
    need ld binutils
    need flex flex
    need bison bison
    need bc bc
    need xz xz-utils
    need patch patch
    need perl perl
    need flock util-linux
    [ -x "$busybox" ] || missing="$missing busybox-static"
    need_header gelf.h libelf-dev
    [ -r "$source" ] || missing="$missing linux-source-6.1"
    [ -z "$missing" ] || die "missing packages:$missing (apt-get install$missing)"
}

# ---- The keys ----

# All that the build reads of ours is copied first, so that the keys are those of what is built even
# while somebody edits.
take_inputs() {
    inputs=$work/inputs
    mkdir -p "$inputs/kernel/patches" "$inputs/init"
    cp "$here"/patches/*.patch "$inputs/kernel/patches/"
    cp "$here/config" "$here/unneeded" "$here/build.sh" "$inputs/kernel/"
    cp "$guest/abi/rewind-abi.h" "$guest/abi/rewind-layout.h" "$inputs/kernel/"
    cp "$here/cmdline" "$inputs/"
    cp "$guest"/abi/*.h "$guest"/init/*.[ch] "$inputs/init/"
}

fingerprint() { # of the files in a folder, and of the tools
    (cd "$1" && find . -type f | sort | xargs sha256sum)
    gcc --version | head -n 1
    ld --version | head -n 1
}

kernel_fingerprint() {
    sha256sum <"$source"
    fingerprint "$inputs/kernel"
}

# The C library is linked into init; busybox goes along as it is.
whole_fingerprint() {
    echo "$kernel_key"
    fingerprint "$inputs/init"
    sha256sum <"$inputs/cmdline"
    sha256sum <"$(gcc -print-file-name=libc.a)"
    sha256sum <"$busybox"
}

key_of() { sha256sum | cut -c 1-16; }

# ---- The build ----

unpack() {
    say "unpacking $(basename "$source")"
    mkdir "$work/linux"
    tar -xJf "$source" -C "$work/linux" --strip-components=1 --exclude-from="$inputs/kernel/unneeded"
    for file in "$inputs/kernel"/patches/*.patch; do
        patch -s -p1 -d "$work/linux" <"$file" || die "$(basename "$file") does not apply"
    done
    cp "$inputs"/kernel/*.h "$work/linux/include/linux/"
}

kmake() {
    env -u MAKEFLAGS -u MFLAGS -u CFLAGS -u LDFLAGS -u KBUILD_OUTPUT \
        ARCH=x86 LOCALVERSION= KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 1970' \
        KBUILD_BUILD_USER=rewind KBUILD_BUILD_HOST=rewind KBUILD_BUILD_VERSION=1 \
        make -C "$work/linux" "$@"
}

# An option whose dependencies are not met is dropped without a word; say which.
check_config() {
    lost=
    while read -r line; do
        case $line in
        CONFIG_*) grep -qxF "$line" "$work/linux/.config" || lost="$lost ${line%%=*}" ;;
        '# CONFIG_'*)
            name=${line#\# }
            ! grep -q "^${name%% *}=" "$work/linux/.config" || lost="$lost ${name%% *}"
            ;;
        esac
    done <"$inputs/kernel/config"
    [ -z "$lost" ] || die "the configuration did not take:$lost"
}

configure() {
    kmake -s KCONFIG_ALLCONFIG="$inputs/kernel/config" allnoconfig >"$work/log" 2>&1 || failed configuration
    check_config
}

failed() {
    grep -iE "error|warning|undefined" "$work/log" | tail -n 15 >&2 || tail -n 15 "$work/log" >&2
    die "the $1 failed"
}

compile_kernel() {
    say "compiling the kernel, a few minutes"
    kmake -j "${JOBS:-$(nproc)}" vmlinux >"$work/log" 2>&1 9>&- &
    make_pid=$!
    while kill -0 $make_pid 2>/dev/null; do
        sleep 2
        [ ! -t 2 ] || printf '\rguest: %s files ' "$(grep -c '^  [A-Z]' "$work/log")" >&2
    done
    [ ! -t 2 ] || printf '\n' >&2
    wait $make_pid || failed "kernel's build"
    make_pid=
    strip -s -o "$work/kernel/vmlinux" "$work/linux/vmlinux"
    cp "$work/linux/System.map" "$work/linux/include/uapi/linux/rewind.h" "$work/linux/usr/gen_init_cpio.c" \
        "$work/kernel/"
}

compile_init() {
    say "compiling init"
    cp "$cache/kernel-$kernel_key/rewind.h" "$inputs/init/"
    (cd "$inputs/init" && gcc -std=gnu17 -D_GNU_SOURCE -Os -Wall -Wextra -Werror -static -no-pie \
        -ffile-prefix-map="$work"=. -Wl,--build-id=none -s -I. -o init ./*.c) || die "init's build failed"
    cp "$busybox" "$inputs/init/busybox"
    # The archive holds the files' times.
    touch -d @0 "$inputs/init/init" "$inputs/init/busybox"
    # The kernel's own tool makes nodes without being root.
    gcc -O1 -o "$work/gen_init_cpio" "$cache/kernel-$kernel_key/gen_init_cpio.c"
    cat >"$work/list" <<END
dir /dev 0755 0 0
nod /dev/console 0600 0 0 c 5 1
file /init $inputs/init/init 0755 0 0
file /busybox $inputs/init/busybox 0755 0 0
END
    "$work/gen_init_cpio" -t 0 "$work/list" >"$work/out/initrd.cpio"
}

# Into the cache in one step, wherever it was built.
keep() { # keep DIR NAME
    rm -rf "$cache/new"
    cp -r "$1" "$cache/new"
    mv "$cache/new" "$cache/$2"
    say "built $cache/$2"
}

build_kernel() {
    mkdir "$work/kernel"
    unpack
    configure
    compile_kernel
    keep "$work/kernel" "kernel-$kernel_key"
}

has_kernel() {
    for file in $kernel_results; do
        [ -s "$cache/kernel-$kernel_key/$file" ] || return 1
    done
}

build() {
    has_kernel || build_kernel
    mkdir "$work/out"
    compile_init
    cp "$cache/kernel-$kernel_key/vmlinux" "$cache/kernel-$kernel_key/System.map" "$work/out/"
    tr '\n' ' ' <"$inputs/cmdline" | sed 's/ *$//' >"$work/out/cmdline"
    keep "$work/out" "$key"
}

# Twenty thousand files come and go: in memory, where there is room for them.
scratch() {
    free=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
    if [ "${free:-0}" -gt 1500000 ] && [ -w /dev/shm ]; then
        echo /dev/shm
    else
        echo "$cache"
    fi
}

# A build that is broken off takes its compilers with it, or they would go on in a directory that is gone.
clean_up() {
    [ -z "$make_pid" ] || { kill "$make_pid" && wait "$make_pid"; } 2>/dev/null || :
    rm -rf "$work"
}

[ $# -eq 1 ] || die "usage: build.sh OUTDIR | --where"
check_packages
mkdir -p "$cache"
work=$(mktemp -d "$(scratch)/rewind-guest.XXXXXX")
make_pid=
trap 'clean_up' EXIT
trap 'exit 1' HUP INT TERM
take_inputs
kernel_key=$(kernel_fingerprint | key_of)
key=$(whole_fingerprint | key_of)
if [ "$1" = --where ]; then
    printf '%s\n' "$cache/$key"
    exit
fi
mkdir -p "$1"
if [ ! -d "$cache/$key" ]; then
    # One build at a time; whoever waited finds the result.
    exec 9>"$cache/lock"
    flock 9
    [ -d "$cache/$key" ] || build
fi
for file in $results; do
    cmp -s "$cache/$key/$file" "$1/$file" || cp "$cache/$key/$file" "$1/$file"
done
