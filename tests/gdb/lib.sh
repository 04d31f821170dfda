# SPDX-License-Identifier: MIT
#
# What the tests with gdb itself share. Sourced by them, in place of ../app/lib.sh.
. "$(dirname "$0")/../app/lib.sh"

if ! command -v gdb >/dev/null; then
    echo "1..0 # SKIP there is no gdb"
    exit 0
fi

# What gdb 13 says at either end of what is recorded, and gdb 16.
# shellcheck disable=SC2034
no_more='No more reverse-execution history|Reached end of recorded history'

# debug STEP COMMAND...: gdb's words into $work/out, all of them; of the run $failing, or the last one, in
# process $pid, where there is one, with $options
debug() {
    step=$1
    shift
    for command; do
        set -- "$@" -ex "$command"
        shift
    done
    # shellcheck disable=SC2086
    timeout 300 "$REWIND" gdb ${options:-} "${failing:-@}" "$step" ${pid:+--pid "$pid"} -- -nx -batch "$@" >"$work/out" 2>&1 </dev/null
}

sum_of_runs() {
    find "$REWIND_HOME/runs" -type f -exec sha256sum {} + | sort | sha256sum
}
