#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What is kept with runs, and what goes away: made-up runs are enough.
. "$(dirname "$0")/lib.sh"

# ---- Bookmarks ----

id=$("$MAKE_RUN" make bank)
run 0 "no bookmarks" "$REWIND" bookmark bank
same "are none" '' "$(cat "$work/out")"
run 0 "a bookmark" "$REWIND" bookmark bank 12 "it breaks here"
run 0 "another" "$REWIND" bookmark @ 9
run 0 "a third" "$REWIND" bookmark "$id" 18 "the
end"
run 0 "the list" "$REWIND" bookmark bank
same "is in the order of steps" "         9  
        12  it breaks here
        18  the end" "$(cat "$work/out")"
run 0 "as objects" "$REWIND" bookmark bank --json
json_lines "is JSON"
has out "with the note as it is" '"note":"the\\nend"'
run 0 "instead of an old one" "$REWIND" bookmark bank 12 "no: here"
run 0 "one goes" "$REWIND" bookmark bank 9 --remove
same "says nothing" '' "$(cat "$work/out")"
"$REWIND" bookmark bank >"$work/out"
same "two are left" "        12  no: here
        18  the end" "$(cat "$work/out")"
run 1 "one that is not there" "$REWIND" bookmark bank 9 --remove
one_line "is an error"
run 1 "past the end" "$REWIND" bookmark bank 19 x
one_line "is an error"
run 2 "no step" "$REWIND" bookmark bank x y
run 2 "to remove what" "$REWIND" bookmark bank --remove
run 1 "of no run" "$REWIND" bookmark nothing
echo '{"format":"rewind-bookmarks","version":9,"bookmarks":[]}' >"$REWIND_HOME/runs/$id/bookmarks.json"
run 1 "of a newer version" "$REWIND" bookmark bank
has err "are not read" 'newer than this rewind knows'
run 0 "and do not hide the run" "$REWIND" log bank
finish
