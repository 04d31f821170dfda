#!/bin/sh
# SPDX-License-Identifier: MIT
# The pictures of docs/screenshots, taken by the tests of the app. usage: tools/screenshots.sh BUILD
set -eu

build=$(realpath "$1")
out=$(cd "$(dirname "$0")/.." && pwd)/docs/screenshots
export REWIND_GUEST_DIR="${REWIND_GUEST_DIR:-$build/guest}"
meson test -C "$build" ui-window ui-real
mkdir -p "$out"
for name in start check parting divergence file small-dark; do
    if command -v convert >/dev/null; then # a third of the size
        convert "$build/tests/ui/$name.png" -strip -quantize YUV +dither -colors 128 "png8:$out/$name.png"
    else
        cp "$build/tests/ui/$name.png" "$out/$name.png"
    fi
done
