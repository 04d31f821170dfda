#!/bin/sh
# SPDX-License-Identifier: MIT
#
# rewind-app --batch is rewind, without a display: same output, same errors, same exit status. APP is rewind-app.
. "$(dirname "$0")/../app/lib.sh"
unset DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS
APP=${APP:?}

# alike NAME ARGUMENTS...: both programs say the same.
alike() {
    name=$1
    shift
    "$REWIND" "$@" >"$work/rewind.out" 2>"$work/rewind.err"
    wanted=$?
    "$APP" --batch "$@" >"$work/out" 2>"$work/err"
    same "$name: exit status" "$wanted" "$?"
    cmp -s "$work/rewind.out" "$work/out" && cmp -s "$work/rewind.err" "$work/err"
    ok $? "$name: output and errors"
}

id=$("$MAKE_RUN" make story)
alike "version" --version
alike "help" --help
alike "no command"
alike "a command that is none" nonsense
for command in $("$REWIND" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    alike "$command --help" "$command" --help
done
alike "ls" ls
alike "ls --json" ls --json
alike "show" show "$id"
alike "log" log @ --steps
alike "events" events "$id" --all
alike "ps" ps "$id" 9 --json
alike "a run that is none" show 0123
alike "a step that is none" log "$id" 999
alike "an option that is none" ls --nonsense
alike "bookmark" bookmark "$id" 9 "seen"
alike "remove" remove 0123

run 0 "--help without a display" "$APP" --help
has out "says how runs are named" 'RUN\|FILE.rwd\|URL'
run 1 "a window needs a display" "$APP"

finish
