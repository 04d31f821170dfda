#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: pack.sh DEBIAN.tar OUT.tar
#
# Adds the workloads, compiled, as /w, and the jobs of tests/programs as /w/jobs to the tarball that tests/rootfs/debian.sh makes. The compiler is this
# machine's, whose libc must not be newer than the tarball's: Debian 12, or older.
set -eu
umask 022
export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS LDFLAGS CC

[ $# = 2 ] || {
    echo "usage: pack.sh DEBIAN.tar OUT.tar" >&2
    exit 1
}
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/w"
for source in "$here"/*.c; do
    name=$(basename "$source" .c)
    gcc -O2 -g -Wall -Wextra -pthread "-ffile-prefix-map=$here=/w" -o "$scratch/w/$name" "$source" -lm
done
install -m 644 "$here"/*.sh "$here"/*.py "$here"/*.pl "$scratch/w"
rm "$scratch/w/pack.sh"
mkdir "$scratch/w/jobs"
install -m 644 "$here"/../programs/jobs/*.sh "$scratch/w/jobs"
cp "$1" "$2.part"
tar --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mtime='2024-01-01 00:00:00Z' \
    -C "$scratch" -rf "$2.part" ./w
mv "$2.part" "$2"
