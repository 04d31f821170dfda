#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What lies on the disk and is not what it was: said so, and never taken for another run.
. "$(dirname "$0")/lib.sh"

root=$work/root
mkdir -p "$root/bin" "$root/tmp"
cp /bin/busybox "$root/bin/"
for applet in sh echo cat; do
    ln -s busybox "$root/bin/$applet"
done
yes 'what the file says' | head -c 3000000 >"$root/big"
find "$root" -exec touch -h -d @1700000000 {} +

record() { "$REWIND" run --root "$root" --mem 96 --swap 0 "$@"; }
id_of() { sed -n 's/^rewind: run \([0-9a-f]\{16\}\) .*/\1/p' "$1"; }
patch() { # patch FILE FROM TO: of the same length
    python3 -c 'import sys
path, old, new = sys.argv[1:]
data = open(path, "rb").read()
assert old.encode() in data
with open(path, "r+b") as f:
    f.seek(data.index(old.encode()))
    f.write(new.encode())' "$@"
}

run 0 "a run that reads a file" record -- cat /big
id=$(id_of "$work/err")
image=$(ls "$REWIND_HOME"/images/*.erofs)
hash=$(basename "$image" .erofs)
short=$(echo "$hash" | cut -c 1-12)
cp "$image" "$work/whole"

# ---- A byte of the image ----

mv "$root" "$work/moved"
patch "$image" 'what the file says' 'what the file sais'
for command in "replay" "fork --seed 3" "cat"; do
    set -- $command
    name=$1
    shift
    case $name in
    fork) run 1 "fork with a byte that is another" "$REWIND" fork "$id" 130 "$@" ;;
    cat) run 1 "cat with a byte that is another" "$REWIND" cat "$id" 130 /big ;;
    *) run 1 "$name with a byte that is another" "$REWIND" "$name" "$id" ;;
    esac
    has err "says that the image is damaged" "^rewind: image $short is damaged: .*, and its root .* is not there any more$"
    one_line "and nothing else"
done
grep -q "not identical\|NOT DETERMINISTIC" "$work/out" "$work/err"
same "it is not called another run" 1 $?

# As if the disk had lost it: the times are those of when it was whole.
python3 - "$image" "$REWIND_HOME/images/$hash.json" <<'EOF'
import json, os, sys
facts = json.load(open(sys.argv[2]))
st = os.stat(sys.argv[1])
facts.update(mtime=st.st_mtime_ns, ctime=st.st_ctime_ns)
json.dump(facts, open(sys.argv[2], "w"))
EOF
run 1 "replay with a byte that nobody touched" "$REWIND" replay "$id"
has err "says that the image is damaged, too" "^rewind: image $short is damaged: the bytes of .* are not those of its name$"
mv "$work/moved" "$root"
touch "$image"
run 0 "where the root is there" "$REWIND" replay "$id"
has out "the image is made again" '^identical: '
cmp -s "$image" "$work/whole"
ok $? "as it was"
rm "$REWIND_HOME/images/$hash.json"
mv "$root" "$work/moved"
run 0 "what is known of it is not needed" "$REWIND" replay "$id"
has out "the run is the same" '^identical: '
rm "$image"
run 1 "without the image" "$REWIND" replay "$id"
has err "it is gone" "^rewind: image $short of the run is gone, and its root .* is not there any more$"
cp "$work/whole" "$image"
mv "$work/moved" "$root"

# ---- The guest that is kept ----

guest=$(ls -d "$REWIND_HOME"/guests/*)
mkdir "$work/other"
cp "$REWIND_GUEST_DIR"/* "$work/other" 2>/dev/null
echo "quiet loglevel=3" >"$work/other/cmdline"
patch "$guest/vmlinux" 'Linux version' 'Linux Version'
REWIND_GUEST_DIR=$work/other run 1 "a kernel with a byte that is another" "$REWIND" replay "$id"
has err "is damaged" '^rewind: guest [0-9a-f]{12} is damaged: '
patch "$guest/vmlinux" 'Linux Version' 'Linux version'
REWIND_GUEST_DIR=$work/other run 0 "a whole one" "$REWIND" replay "$id"

# ---- Files that are cut while they are mapped ----

cut_under() { # cut_under FILE SIZE COMMAND...: once it said that it is ready
    file=$1 size=$2
    shift 2
    "$@" >"$work/out" 2>"$work/err" &
    pid=$!
    for _ in $(seq 600); do
        grep -q ready "$work/out" && break
        sleep 0.05
    done
    truncate -s "$size" "$file"
    wait $pid
}

count=$(ls "$REWIND_HOME/runs" | wc -l)
cut_under "$image" 200704 "$REWIND" run --root "$root" --mem 96 --swap 0 -- \
    sh -c 'echo ready; n=0; while [ $n -lt 300000 ]; do n=$((n + 1)); done; cat /big; echo end'
same "a run whose image is cut fails" 1 $?
has err "and says why" '^rewind: the image was cut while it was being read$'
same "nothing is kept of it" "$count" "$(ls "$REWIND_HOME/runs" | wc -l)"
run 0 "the image is made again" record -- cat /big
cmp -s "$image" "$work/whole"
ok $? "and whole"

yes input | head -c 4000000 >"$work/input"
slow='for i in 1 2 3 4 5; do echo $i; done; echo ready; n=0; while [ $n -lt 300000 ]; do n=$((n + 1)); done; cat >/dev/null; echo end'
run 0 "a run with a standard input" sh -c '"$@" <"$0"' "$work/input" "$REWIND" run --root "$root" --mem 96 --swap 0 -i -- sh -c "$slow"
id=$(id_of "$work/err")
input=$(ls "$REWIND_HOME"/inputs/*)
chmod u+w "$input"
step=$("$REWIND" events "$id" | awk '/write\(1, "3/ { print $1; exit }')
cut_under "$input" 4096 "$REWIND" fork "$id" "$step" --seed 4
same "a fork whose input is cut fails" 1 $?
has err "and says why" '^rewind: the file of the standard input was cut while it was being read$'
run 1 "after that" "$REWIND" replay "$id"
has err "it is damaged" ' damaged: its hash is '
finish
