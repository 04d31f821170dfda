#!/bin/sh
# SPDX-License-Identifier: MIT
# instants.sh BUILD-DIR [COUNT]: replays from COUNT (50) random steps each of a job that looks at accessed bits and of
# one whose pages are taken back by their age, where test-seek does a few. Takes a quarter of an hour.
set -eu
build=$(cd "$1" && pwd)
here=$(dirname "$0")
export REWIND="$build/app/rewind" TEST_SEEK="$build/tests/run/test-seek" TEST_INSTANTS="${2:-50}"
export REWIND_GUEST_DIR="${REWIND_GUEST_DIR:-$build/guest}"
exec "$here/test-seek.sh" --tap -p /seek/instants
