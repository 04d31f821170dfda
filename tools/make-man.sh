#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes the manual pages, one for each command of the table. usage: make-man.sh REWIND DIR
set -eu

rewind=$1
out=$2
rm -rf "$out"
mkdir -p "$out"
"$rewind" man >"$out/rewind.1"
"$rewind" help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | while read -r command; do
    "$rewind" man "$command" >"$out/rewind-$command.1"
done
