#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs a command in a root filesystem on QEMU's software CPU: the same guest kernel, init and tree that a
# Rewind machine has, on an ordinary PC's hardware. For comparing speed.
#
#   qemu-run.sh ROOT COMMAND [ARGUMENT…]
#
# ROOT is an erofs image or a tarball, and becomes an image in the cache at its first use. The command's
# output comes on stdout and its status is the script's. REWIND_GUEST_DIR names a directory with vmlinux and
# initrd.cpio, build/guest if it is not set; without either guest/linux/build.sh provides them. See docs/guest.md for how the job travels.
set -eu
export LC_ALL=C

top=$(cd "$(dirname "$0")/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/rewind

[ $# -ge 2 ] || { echo "usage: qemu-run.sh ROOT COMMAND [ARGUMENT…]" >&2; exit 2; }
root=$1
shift

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# ---- The image ----

# QEMU wants RAM in pieces of 8 KiB.
make_image() {
    mkdir -p "$cache/bench"
    case $root in
    *.erofs) cp "$root" "$work/image" ;;
    *)
        mkdir "$work/tree"
        tar -xf "$root" -C "$work/tree"
        mkfs.erofs -T0 "$work/image" "$work/tree" >/dev/null
        ;;
    esac
    truncate -s %8192 "$work/image"
    cp "$work/image" "$image.new"
    mv "$image.new" "$image"
    rm -rf "$work/tree" "$work/image"
}

image=$cache/bench/$(stat -c '%n %s %Y' "$root" | sha256sum | cut -c 1-16).erofs
[ -e "$image" ] || make_image

guest=${REWIND_GUEST_DIR:-$top/build/guest}
if [ ! -e "$guest/vmlinux" ]; then
    "$top/guest/linux/build.sh" "$work/guest" >&2
    guest=$work/guest
fi

# ---- The job: struct rewind_job of guest/abi/rewind-abi.h, then the strings ----

u32() {
    for value; do
        printf "\\$(printf %03o $((value & 255)))\\$(printf %03o $((value >> 8 & 255)))"
        printf "\\$(printf %03o $((value >> 16 & 255)))\\$(printf %03o $((value >> 24 & 255)))"
    done
}

strings() {
    printf '%s\0' qemu / "$@"
}

job() {
    u32 0x424f4a57 2 $((88 + $(strings "$@" | wc -c))) 0
    u32 0 0 0 0 0 0 0 0
    u32 1767225600 0 # the epoch, a 64-bit number: 2026
    u32 0 0 $# 0 0 0 0 0
    strings "$@"
}

# ---- An archive with that one file, behind the initramfs: its last name wins nothing, it only adds ----

member() { # name, mode, size
    printf '070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%s\0' \
        0 "$2" 0 0 1 0 "$3" 0 0 0 0 $((${#1} + 1)) 0 "$1"
    pad $((110 + ${#1} + 1))
}

pad() {
    head -c $(((4 - $1 % 4) % 4)) /dev/zero
}

job "$@" >"$work/job"
size=$(stat -c %s "$work/job")
{
    cat "$guest/initrd.cpio"
    pad "$(stat -c %s "$guest/initrd.cpio")"
    member job 33152 "$size"
    cat "$work/job"
    pad "$size"
    member 'TRAILER!!!' 0 0
} >"$work/initrd"

# ---- The machine ----

# RAM is two pieces: 1 GiB, and from 4 GiB on the image, mapped and never copied, which the kernel is told to
# take for persistent memory. The calibrations against the timer chip, 200 million instructions of waiting,
# are left out by giving their results: with shift=0 the time stamp counter has 1 GHz.
bytes=$(stat -c %s "$image")
qemu-system-x86_64 -machine pc,acpi=off,usb=off,graphics=off,hpet=off,max-ram-below-4g=1G \
    -accel tcg -icount shift=0,sleep=off -cpu Nehalem -m "size=$((1048576 + bytes / 1024))K" \
    -object memory-backend-ram,id=ram,size=1G -numa node,memdev=ram \
    -object "memory-backend-file,id=image,mem-path=$image,size=$bytes,share=off" -numa node,memdev=image \
    -rtc base=2026-01-01,clock=vm -nodefaults -no-user-config -display none -serial "file:$work/serial" -no-reboot \
    -kernel "$guest/vmlinux" -initrd "$work/initrd" \
    -append "console=ttyS0 quiet panic=-1 nolapic tsc_early_khz=1000000 lpj=4000000 memmap=$((bytes / 1024))K!4G" \
    </dev/null >&2

# The firmware's own lines come first, and init's last line is the status, with a newline in front of it.
status=$(sed -n 's/^rewind: job status \([0-9]*\).*/\1/p' "$work/serial" | tail -n 1)
sed -e '1,/Booting from ROM/ { s/.*Booting from ROM[.]*//; t; d; }' -e '/^rewind: job status/,$d' "$work/serial" |
    head -c -1
[ -n "$status" ] || { echo "qemu-run.sh: the job did not end" >&2; exit 1; }
exit "$status"
