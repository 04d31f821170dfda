#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every command says so, and fails, when what it prints cannot be written: to a full disk, to a closed descriptor.
. "$(dirname "$0")/lib.sh"

root=$work/root
mkdir -p "$root/bin"
cp /bin/busybox "$root/bin/"
ln -s busybox "$root/bin/sh"
head -c 4096 /dev/zero >"$root/zeros"
"$REWIND" run -q --name job --root "$root" -- sh -c 'echo hello; : >/made' 2>"$work/err"
ok $? "a run"
"$REWIND" export job -o "$work/job.rwd" 2>"$work/err"
ok $? "as a file"
"$REWIND" bookmark job 1 note >"$work/out" 2>"$work/err"
ok $? "a bookmark"

# What makes each command print something: a line a command. A command of the table without a line fails.
arguments() {
    case $1 in
    run) echo "run --root $root -- sh -c 'echo hello'" ;;
    check) echo "check --schedules 1 --no-narrow --root $root -- sh -c 'echo hello'" ;;
    fork) echo "fork job @last --schedule 1 --json" ;;
    replay) echo "replay job" ;;
    compare) echo "compare job job" ;;
    ls | doctor | gc) echo "$1" ;;
    show | log | events | ps | threads | conflicts) echo "$1 job" ;;
    where) echo "where job @last 1 0x401000" ;;
    blame) echo "blame job @last /made" ;;
    bookmark) echo "bookmark job" ;;
    cat) echo "cat job @last /zeros" ;;
    files) echo "files job @last /" ;;
    export) echo "export job --json -f -o $work/again.rwd" ;;
    import) echo "import $work/job.rwd" ;;
    completions) echo "completions bash" ;;
    man) echo "man" ;;
    shell) echo "shell job @last -- echo hello" ;;
    gdb | remove | prune | open) echo "$1 --help" ;;
    *) echo "no-such-command" ;;
    esac
}

last=$("$REWIND" show job --json | sed 's/.*"steps":"\{0,1\}\([0-9]*\).*/\1/')
# loses HOW COMMAND...: with stdout as HOW says it fails, with a line that says why.
loses() {
    how=$1
    shift
    words=$(printf '%s' "$*" | sed "s/@last/$last/")
    eval "\"\$REWIND\" $words $how" 2>"$work/err"
    status=$?
    [ $status -ne 0 ] && grep -q '^rewind: cannot write' "$work/err"
    ok $? "$(printf '%s' "$1") with $how"
}
for command in $("$REWIND" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
    words=$(arguments "$command")
    loses '>/dev/full' "$words"
    loses '>&-' "$words"
    loses '>/dev/full' "$command --help"
done
loses '>/dev/full' --version
loses '>&-' --version
loses '>/dev/full' help
loses '>&-' log job --json
loses '>/dev/full' events job --json
loses '>/dev/full' ps job --json

# What was opened must not get what is printed: with stdout closed the first file would be it.
id=$("$REWIND" ls | head -n 1 | cut -c 1-16)
run 0 "nothing was printed into a file of the run" "$REWIND" replay "$id"

# A file that may not grow any more is an error with a line, not the end of the process by a signal.
(ulimit -f 1 && exec "$REWIND" run --root "$root" -- sh -c 'echo another') >"$work/out" 2>"$work/err"
status=$?
[ $status -eq 1 ] && grep -q '^rewind: .*File too large' "$work/err"
ok $? "a limit on file sizes ends a run with an error"
finish
