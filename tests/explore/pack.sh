#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: pack.sh NAME -o OUT.tar
#
# Makes a root of the program NAME of programs/list, as docs/examples/pack.sh does of an example; `make -s check` in /src
# runs it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

die() {
    echo "pack.sh: $*" >&2
    exit 1
}

[ $# = 3 ] && [ "$2" = -o ] || die "usage: pack.sh NAME -o OUT.tar"
row=$(awk -v name="$1" '$1 == name' "$here/programs/list")
[ -n "$row" ] || die "no program '$1' in $here/programs/list"
# shellcheck disable=SC2086
set -- "$3" $row
out=$1 source=$3
shift 6
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$here/programs/$source" "$scratch"
program=
case $source in
*.c) program=${source%.c} ;;
esac
{
    echo "# SPDX-License-Identifier: MIT"
    echo "CFLAGS = -O2 -g -Wall -Wextra -pthread \$(EXTRA_CFLAGS)"
    echo "all: $program"
    printf 'check: all\n\t%s\n' "$*"
    printf 'clean:\n\trm -f %s\n' "${program:-made}"
    echo ".PHONY: all check clean"
} >"$scratch/Makefile"
"$here/../../docs/examples/pack.sh" "$scratch" -o "$out"
