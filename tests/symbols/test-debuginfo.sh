#!/bin/sh
# SPDX-License-Identifier: MIT
# Debug information that a program's files lack: from folders of the host, and from servers that answer in many ways.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
server=
trap '[ -z "$server" ] || kill $server 2>/dev/null; rm -rf "$work"' EXIT

# A program without debug information, and the file that has it.
mkdir "$work/src" "$work/host" "$work/empty"
cp "$here"/sample*.c "$work/src/"
build() { # build NAME [OPTION…]
    name=$1
    shift
    (cd "$work/src" && gcc -g -O1 -Wl,--build-id "$@" sample.c sample-library.c -o "$work/$name") || exit 1
    objcopy --only-keep-debug "$work/$name" "$work/$name.debug"
    cp "$work/$name" "$work/$name.whole"
    strip "$work/$name"
}
id_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
build sample
build other -O2
id=$(id_of "$work/sample")
place=.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" | cut -c 3-).debug
mkdir -p "$work/host/$(dirname "$place")"

ask() { # found has what is known of its functions
    "$work/sample" >"$work/out"
    tail -n +2 "$work/out" >"$work/maps"
    started=$(date +%s)
    "$TEST_SYMBOLS" host "$work/maps" "" $(head -n 1 "$work/out") >"$work/found" 2>"$work/err"
    took=$(($(date +%s) - started))
}
found() { # found NAME: its function and line
    ok "$1" grep -qE "sample_local\+0 $work/src/sample.c:11 \{$" "$work/found"
}
missing() { # missing NAME ADVICE
    ok "$1: its line is not known" grep -qE '/sample\+0x[0-9a-f]+ \?\+0 \?:0 \?$' "$work/found"
    ok "$1: what is missing" grep -qE "^$id: compile it with -g, install its debug package in the root$2$" "$work/found"
}

# Folders of the host.
unset DEBUGINFOD_URLS
export REWIND_DEBUG_FILE_DIRECTORY=
ask
missing "no folder, no server" ", or set DEBUGINFOD_URLS"
export REWIND_DEBUG_FILE_DIRECTORY="$work/empty:$work/host"
ask
missing "folders without it" " or here \\($work/empty or $work/host\\), or set DEBUGINFOD_URLS"
cp "$work/sample.debug" "$work/host/$place"
ask
found "in a folder"
ok "of a file that is known nothing is missing" sh -c '! grep -q "^'"$id"'" "$1"' - "$work/found"
(cd "$work" && REWIND_DEBUG_FILE_DIRECTORY=host && export REWIND_DEBUG_FILE_DIRECTORY && ask && missing "a folder that is not absolute" ".*")
n=$((n + 2))
cp "$work/other.debug" "$work/host/$place"
ask
missing "of another program" ".*"
mkdir -p "$work/second/$(dirname "$place")"
cp "$work/sample.debug" "$work/second/$place"
(REWIND_DEBUG_FILE_DIRECTORY=$work/host:$work/second && ask && found "then another folder's")
n=$((n + 1))
echo "no ELF" >"$work/host/$place"
ask
missing "no ELF" ".*"
rm "$work/host/$place"
mkfifo "$work/host/$place"
ask
missing "a FIFO" ".*"
rm "$work/host/$place"

# A file that shares some of it with others, in the same folders, by its name below .dwz and its build id.
shared() { # shared NAME OF-WHICH
    printf '%s\0' "$1" >"$work/link"
    objcopy -O binary --only-section=.note.gnu.build-id "$2" "$work/note"
    tail -c 20 "$work/note" >>"$work/link"
    objcopy --add-section .gnu_debugaltlink="$work/link" "$work/sample.debug" "$work/host/$place"
}
mkdir -p "$work/host/.dwz/deep"
cp "$work/other.whole" "$work/host/.dwz/deep/shared"
shared ../../.dwz/deep/shared "$work/other.whole"
ask
found "with what it shares"
shared ../../.dwz/deep/shared "$work/sample"
ask
ok "of another one than it says" grep -qE "sample_local\+0 \?:0" "$work/found"
cp "$work/other.whole" "$work/host/shared"
shared ../../.dwz/../shared "$work/other.whole"
ask
ok "outside of the folder" grep -qE "sample_local\+0 \?:0" "$work/found"
rm "$work/host/$place"

# Servers. Each has a cache of its own.
python3 "$here/debuginfod.py" "$work/sample.debug" "$work/other.debug" "$work/log" >"$work/port" 2>"$work/server.err" &
server=$!
tries=0
until [ -s "$work/port" ] || [ $tries -gt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
url=http://127.0.0.1:$(cat "$work/port")
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy
export REWIND_DEBUG_FILE_DIRECTORY="$work/empty" DEBUGINFOD_TIMEOUT=2
serve() { # serve MOOD…
    DEBUGINFOD_URLS=
    for mood in "$@"; do DEBUGINFOD_URLS="$DEBUGINFOD_URLS $url/$mood"; done
    DEBUGINFOD_CACHE_PATH=$work/cache-$(echo "$*" | tr ' ' '-')
    export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
    : >"$work/log"
    ask
}
missing_after() { missing "$1" " or here \\($work/empty\\) \\($2\\)"; }
ok "nobody was asked without DEBUGINFOD_URLS" test ! -e "$work/log"
serve good
if grep -q "install libdebuginfod1" "$work/found"; then
    echo "ok $((n + 1)) - servers # SKIP needs libdebuginfod.so.1"
    echo "1..$((n + 1))"
    exit $failed
fi
found "a server"
ok "it was asked by build id" grep -qx "/good/buildid/$id/debuginfo" "$work/log"
: >"$work/log"
ask
found "once more"
ok "it is in the cache" test ! -s "$work/log"
cp "$work/sample.debug" "$work/host/$place"
REWIND_DEBUG_FILE_DIRECTORY=$work/host
DEBUGINFOD_CACHE_PATH=$work/cache-none
ask
found "a folder goes before"
ok "nobody was asked" test ! -s "$work/log"
REWIND_DEBUG_FILE_DIRECTORY=$work/empty
serve gone
missing_after "a server without it" "nobody of DEBUGINFOD_URLS has it"
serve wrong
missing_after "another program's" "nobody of DEBUGINFOD_URLS has it"
serve garbage
missing_after "garbage" "nobody of DEBUGINFOD_URLS has it"
serve huge
missing_after "one without end" "nobody of DEBUGINFOD_URLS has it"
ok "that is not waited for" test $took -lt 20
serve hang
missing_after "a server that says nothing" "DEBUGINFOD_URLS: no answer within 2 s"
ok "it is given up" test $took -lt 20
ok "and not asked once more" test "$(wc -l <"$work/log")" = 1
serve stops
missing_after "one that stops in the middle" "DEBUGINFOD_URLS: no answer within 2 s"
ok "it is given up, too" test $took -lt 20
serve gone good
found "two, of which one has it"
kill $server
wait $server 2>/dev/null
server=
serve good-no-more
missing_after "a server that is gone" "DEBUGINFOD_URLS: .*"
echo "1..$n"
exit $failed
