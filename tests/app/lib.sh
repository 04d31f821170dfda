# SPDX-License-Identifier: MIT
#
# For tests of commands, to be sourced. Each test file prints TAP. REWIND is the program, MAKE_RUN puts a
# made-up run into the store, EXAMPLES is the folder of examples.
set -u
export LC_ALL=C.UTF-8
REWIND=${REWIND:?} MAKE_RUN=${MAKE_RUN:-} EXAMPLES=${EXAMPLES:-}
tests=0 failures=0
work=$(mktemp -d "${TMPDIR:-/tmp}/rewind-test-XXXXXX")
export REWIND_HOME=$work/home
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

ok() { # ok STATUS NAME: 0 is good
    tests=$((tests + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tests - $2"
    else
        failures=$((failures + 1))
        echo "not ok $tests - $2"
        for file in out err; do
            [ -s "$work/$file" ] && sed "s/^/# $file: /" "$work/$file" | tail -n 15
        done
    fi
    return 0
}

# run STATUS NAME COMMAND...: runs it into $work/out and $work/err, expects its exit status.
run() {
    wanted=$1 name=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$wanted" ] || echo "# exit status $got, not $wanted: $*"
    [ $got -eq "$wanted" ]
    ok $? "$name"
}

# has FILE NAME PATTERN: out or err has a line that the extended regular expression matches.
has() {
    grep -Eq -e "$3" "$work/$1" || echo "# no line matches: $3"
    grep -Eq -e "$3" "$work/$1"
    ok $? "$2"
}

# An error is one line that starts with the program's name.
one_line() {
    [ "$(wc -l <"$work/err")" -eq 1 ] && grep -q '^rewind: ' "$work/err"
    ok $? "$1"
}

same() { # same NAME WANTED GOT
    [ "$2" = "$3" ] || printf '# wanted: %s\n# got:    %s\n' "$2" "$3"
    [ "$2" = "$3" ]
    ok $? "$1"
}

json_lines() { # every line of out is JSON
    python3 -c 'import json,sys
n=0
for line in sys.stdin:
    json.loads(line); n+=1
sys.exit(n==0)' <"$work/out"
    ok $? "$1"
}

skip() { # skip NAME WHY
    tests=$((tests + 1))
    echo "ok $tests - $1 # SKIP $2"
}

finish() {
    echo "1..$tests"
    [ $failures -eq 0 ]
    exit $?
}
