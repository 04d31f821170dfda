#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The programs of the build tree find what belongs to them with an empty environment: the guest, and the app
# its translations. (Schema and example: test-program.py.) APP is rewind-app, BUILD the build's folder.
. "$(dirname "$0")/../app/lib.sh"
APP=${APP:?} BUILD=${BUILD:?}

bare() { # bare COMMAND...: with no variable but where to write
    env -i HOME="$work" "$@" >"$work/out" 2>"$work/err" </dev/null
}

guest_line() { grep "guest" "$work/out" | head -n 1; }

REWIND_GUEST_DIR=$BUILD/guest "$REWIND" doctor >"$work/out" 2>"$work/err"
wanted=$(guest_line)
[ -n "$wanted" ]
ok $? "doctor says something of the guest"
bare "$REWIND" doctor
same "rewind finds its guest" "$wanted" "$(guest_line)"
bare "$APP" --batch doctor
same "rewind-app finds the same guest" "$wanted" "$(guest_line)"
ln -s "$APP" "$work/link"
bare "$work/link" --batch doctor
same "through a link, too" "$wanted" "$(guest_line)"
bare env LC_ALL=C.UTF-8 LANGUAGE=de "$APP" --help
has out "rewind-app finds its translations" 'Mit einem anderen Lauf vergleichen'

finish
