#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: programs.sh REWIND
#
# Who wrote an object file, a page of a database, and an index of git's, in a small Debian, nightly: programs that nobody wrote for it, and
# that have no debug information. Needs root, debootstrap and, the first time, the Debian mirror.
here=$(cd "$(dirname "$0")" && pwd)
REWIND=$(realpath "$1")
export REWIND
. "$here/../app/lib.sh"

"$here/../rootfs/debian.sh" "$work/debian.tar" >&2 || exit 1
mkdir "$work/job"
cat >"$work/job/answer.c" <<'END'
#include <stdio.h>
int answer(int n) { return n * 42; }
int main(void) { return printf("%d\n", answer(1)) < 0; }
END
cat >"$work/job/job.sh" <<'END'
set -e
cd /tmp
gcc -O1 -g -c /job/answer.c -o answer.o
sqlite3 db "create table t(a text); insert into t values ('first'); update t set a = 'later';"
export GIT_CONFIG_GLOBAL=/dev/null
git init -q r
cd r
cp /job/answer.c f.c
git add f.c
git -c user.name=a -c user.email=a@b commit -q -m one
echo done
END
tar --append -C "$work" --owner 0 --group 0 --mtime @1700000000 -f "$work/debian.tar" job
run 0 "a run" "$REWIND" run --mem 512 --root "$work/debian.tar" --cwd /tmp -- sh /job/job.sh
last=$("$REWIND" events -k output @ | sed -n 's/^ *\([0-9]*\) .*done.*/\1/p')

# blame PATH DEPTH: into $work/out
blame() {
    run 0 "who wrote $1" "$REWIND" blame @ "$last" "$1" --depth "$2" --frames 2
}

blame /tmp/answer.o:64 3
has out "the assembler" '^ +[0-9]+/[0-9]+ +"as" running in write\(3\) /tmp/answer\.o '
has out "by way of its stdio" '_IO_default_xsputn'
has out "it could read what the compiler wrote" '/tmp/cc[A-Za-z0-9]+\.s +opened at .*written last by .*/cc1 '
has out "with its arguments" ' -o answer\.o '

# The text is at the end of its page, as sqlite fills one from there.
blame /tmp/db:8187 12
has out "the database" '"sqlite3" running in pwrite64\(3\) /tmp/db '
has out "from its cache of pages" '^ +the byte came from 0x[0-9a-f]+ of \[heap\]'
has out "in the end from the command's own text" '^ +the byte came from 0x[0-9a-f]+ of \[stack\]'

blame /tmp/r/.git/index:74 12
has out "the commit wrote it again" '"git" running in write\(3\) /tmp/r/\.git/index\.lock +git .* commit '
has out "from the one before, mapped" '^ +the byte came from 0x[0-9a-f]+ of /tmp/r/\.git/index$'
has out "which was written by the addition" '"git" running in write\(3\) /tmp/r/\.git/index\.lock +git add f\.c'
has out "it got its name" 'renamed /tmp/r/\.git/index\.lock to /tmp/r/\.git/index '
has out "what it could read, and whose that is" '/tmp/r/f\.c +opened at .*written last by .*\(cp /job/answer\.c f\.c\)'

blame /tmp/r/f.c:10 3
has out "a copy" '"cp" running in write\(4\) /tmp/r/f\.c '
has out "of what it read" '"cp" running in read\(3\) /job/answer\.c '
has out "which is the image's" 'nobody has written there: it is as the root image has it'
finish
