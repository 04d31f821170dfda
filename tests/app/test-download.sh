#!/bin/sh
# SPDX-License-Identifier: MIT
#
# import from the web: a server on this machine, with moods.
. "$(dirname "$0")/lib.sh"

id=$("$MAKE_RUN" make bank)
i=0
while [ $i -lt 300 ]; do # so that there is something to be cut
    echo "a note that is long enough to count $i $(printf '%s' "$i" | sha256sum)"
    i=$((i + 1))
done >"$work/notes"
python3 - "$REWIND_HOME/runs/$id/bookmarks.json" "$work/notes" <<'END'
import json, sys
notes = open(sys.argv[2]).read()
json.dump({"format": "rewind-bookmarks", "version": 1, "bookmarks": [{"step": s, "note": notes[s * 2000:s * 2000 + 2000]} for s in range(1, 15)]},
          open(sys.argv[1], "w"))
END
run 0 "a file" "$REWIND" export bank -o "$work/run.rwd"
: >"$work/log"
python3 "$(dirname "$0")/serve.py" "$work/run.rwd" "$work/log" "$work" >"$work/ports" 2>"$work/serve.err" &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
n=0
until [ -s "$work/ports" ] || [ $n -gt 100 ]; do
    sleep 0.1
    n=$((n + 1))
done
read -r http https <"$work/ports"
url=http://localhost:$http
export REWIND_HOME=$work/other
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy
cache() { ls "$REWIND_HOME/cache" | grep -v '^boot-'; }
fresh() {
    "$REWIND" remove bank >/dev/null 2>&1
    : >"$work/log"
}
refused() { # refused NAME PATH PATTERN
    run 1 "$1" "$REWIND" import "$url$2"
    one_line "$1: one line"
    has err "$1: says why" "^rewind: $url$2: $3"
}

run 0 "import" "$REWIND" import "$url/run.rwd"
has out "says what" "^$id  exited:2 .* bank\$"
same "nothing is left of the download" '' "$(cache)"
fresh
run 0 "a redirection" "$REWIND" import "$url/redirect"
same "is followed" '/redirect /step2 /run.rwd' "$(cut -d' ' -f1 "$work/log" | xargs)"

# ---- What goes on where it was ----

fresh
refused "a connection that ends early" /cut 'the connection ended after [0-9]+ of [0-9]+ bytes: the same command goes on'
same "what came is kept" 2 "$(cache | wc -l)"
run 0 "the same again" "$REWIND" import "$url/cut"
half=$(($(wc -c <"$work/run.rwd") / 2))
same "goes on" "/cut None None
/cut bytes=$half- \"one\"" "$(cat "$work/log")"
same "nothing is left" '' "$(cache)"
fresh
refused "cut off" /changed 'the connection ended'
run 0 "a file that is another by now" "$REWIND" import "$url/changed"
has out "is loaded from its start" "^$id "
fresh
refused "cut off" /weak 'the connection ended'
run 0 "without a way to tell" "$REWIND" import "$url/weak"
same "it is loaded from its start" "/weak None None
/weak None None" "$(cat "$work/log")"
fresh
refused "cut off" /wrong 'the connection ended'
refused "a part that was not asked for" /wrong 'the server gives another part'
fresh
"$REWIND" import "$url/slow" >/dev/null 2>&1 &
pid=$!
n=0
until grep -q slow "$work/log" && [ "$(cat "$REWIND_HOME"/cache/download-* 2>/dev/null | wc -c)" -ge $half ] || [ $n -gt 100 ]; do
    sleep 0.1
    n=$((n + 1))
done
run 1 "while another process loads it" "$REWIND" import "$url/slow"
has err "is busy" 'another process is loading it'
run 1 "gc meanwhile" "$REWIND" gc
kill -9 $pid
wait $pid 2>/dev/null
rm -rf "$REWIND_HOME/cache"/*
# All of it is there, and the process was killed before it made use of it.
fresh
refused "cut off" /cut2 'not on the server'
refused "cut off again" /wrong 'the connection ended|the server gives another part'
for file in "$REWIND_HOME"/cache/download-*; do
    case $file in *.same) ;; *) cp "$work/run.rwd" "$file" ;; esac
done
run 0 "a whole file that is there" "$REWIND" import "$url/wrong"
has out "is used" "^$id "
same "nothing is left" '' "$(cache)"

# ---- What is refused ----

fresh
refused "not there" /nothing 'not on the server \(404'
refused "not allowed" /secret 'the server does not let anybody have it \(403'
refused "broken" /broken 'the server cannot give it \(500'
refused "circles" /loop 'the server sends elsewhere, over and over'
refused "a redirection to http" /plain 'the server sends elsewhere: only https is used'
refused "a redirection to a file" /file 'the server sends elsewhere: only https is used'
refused "no run" /garbage 'not an exported run'
same "it is not kept" '' "$(cache)"
same "nothing was imported" '' "$("$REWIND" ls)"
run 1 "http elsewhere" "$REWIND" import http://192.0.2.1/run.rwd
one_line "one line"
has err "is refused" 'only https is used'
run 1 "a certificate that nobody vouches for" "$REWIND" import "https://localhost:$https/run.rwd"
one_line "one line"
has err "is refused" 'no secure connection: '
run 1 "nobody there" "$REWIND" import https://localhost:1/run.rwd
one_line "one line"
run 1 "no such host" "$REWIND" import https://nowhere.invalid/run.rwd
one_line "one line"
has err "says so" 'its host is not found'
run 1 "no host" "$REWIND" import https:///run.rwd

# With the server's certificate among those that are trusted.
if unshare -rm true 2>/dev/null && [ -f /etc/ssl/certs/ca-certificates.crt ]; then
    cat >"$work/trusting.sh" <<'END'
cat /etc/ssl/certs/ca-certificates.crt "$1/cert.pem" >"$1/all.pem"
mount --bind "$1/all.pem" /etc/ssl/certs/ca-certificates.crt || exit 99
exec "$REWIND" import "$2"
END
    export REWIND
    run 0 "https" unshare -rm sh "$work/trusting.sh" "$work" "https://localhost:$https/run.rwd"
    fresh
    run 1 "https that leads to this machine itself" unshare -rm sh "$work/trusting.sh" "$work" "https://localhost:$https/inside"
    has err "is refused" 'the server sends elsewhere, to this machine itself'
else
    echo "ok $((tests += 1)) - https # SKIP trusting a certificate needs name spaces"
fi
finish
