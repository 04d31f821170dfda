#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Recording in an image of layers, with what the image says of its commands.
. "$(dirname "$0")/lib.sh"

root=$work/root
mkdir -p "$root/bin" "$root/etc" "$root/srv"
cp /bin/busybox "$root/bin/"
for applet in sh id pwd env; do
    ln -s busybox "$root/bin/$applet"
done
echo 'app:x:1000:1001::/home/app:/bin/sh' >"$root/etc/passwd"
config='{"Env": ["PATH=/bin", "A=image"], "User": "app", "WorkingDir": "/srv", "Entrypoint": ["/bin/false"]}'
python3 "$(dirname "$0")/make-oci.py" "$root" "$work/image.tar" "$config" || exit 1

run 0 "a command in an image" "$REWIND" run --root "$work/image.tar" -- sh -c 'id; pwd; env'
has out "as the image's user" '^uid=1000.* gid=1001'
has out "in the image's directory" '^/srv$'
has out "with its variables" '^A=image$'
has out "and its path" '^PATH=/bin$'
has out "and its user's home" '^HOME=/home/app$'
run 0 "options go first" "$REWIND" run --root "$work/image.tar" --user 0 --cwd /bin -e A=option -- sh -c 'id; pwd; env'
has out "for the user" '^uid=0'
has out "and the usual home" '^HOME=/root$'
has out "for the directory" '^/bin$'
has out "for a variable" '^A=option$'
run 0 "replay" "$REWIND" replay @
run 0 "the image's inputs" "$REWIND" show @2
has out "are the run's" '/srv, as 1000:1001'
mkdir "$work/layout" && tar -C "$work/layout" -xf "$work/image.tar"
run 0 "a layout directory" "$REWIND" run --root "$work/layout" -- sh -c 'id; pwd; env'
has out "is the same image" '^HOME=/home/app$'
same "and the same run" 2 "$(ls "$REWIND_HOME/runs" | grep -c .)"
printf 'x' >>"$(ls -S "$work"/layout/blobs/sha256/* | head -n 1)"
rm "$REWIND_HOME"/images/tar-*
run 1 "a damaged layer" "$REWIND" run --root "$work/layout" -- id
one_line "is one line"
has err "that says so" 'layer 1 of 1: it is damaged'
finish
