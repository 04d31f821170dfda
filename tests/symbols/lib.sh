# SPDX-License-Identifier: MIT
# What the tests of debug information share. $work is a folder of their own; $work/found what is shown of a failure, if it is there.
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
trap 'rm -rf "$work"' EXIT
n=0
failed=0

ok() { # ok NAME COMMAND…
    n=$((n + 1))
    name=$1
    shift
    if "$@"; then
        echo "ok $n - $name"
    else
        echo "not ok $n - $name"
        [ ! -e "$work/found" ] || sed 's/^/# /' "$work/found"
        failed=1
    fi
}
