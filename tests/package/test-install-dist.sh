#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `make install` with a DESTDIR and `make uninstall` leave nothing; the programs' tarball works where it is unpacked.
# BUILD and SOURCE are the build directory and the project's folder.
. "$(dirname "$0")/../app/lib.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL PREFIX DESTDIR REWIND_GUEST_DIR

if [ ! -e "$BUILD/guest/vmlinux" ]; then
    skip "installing" "there is no guest: make guest"
    finish
fi

# ---- make install, make uninstall ----

root=$work/root
run 0 "make install" make -s -C "$SOURCE" BUILD="$BUILD" DESTDIR="$root" install
find "$root" -name rewind -path '*/bin/*' | grep -q . && find "$root" -name vmlinux | grep -q .
ok $? "program and guest are there"
theirs=$(dirname "$(find "$root" -name '_rewind')")/_other
echo "somebody else's" >"$theirs"
run 0 "make uninstall" make -s -C "$SOURCE" BUILD="$BUILD" uninstall
same "only what is somebody else's is left" "$theirs" "$(find "$root" ! -type d)"
same "in folders that it needs" "" "$(find "$root" -type d -empty)"
run 0 "a second time there is nothing to do" make -s -C "$SOURCE" BUILD="$BUILD" uninstall
mkdir "$work/empty"
run 1 "from where nothing was built" "$SOURCE/tools/uninstall.sh" "$work/empty"
one_line "it says so"
mkdir "$work/empty/meson-logs"
printf '# a log\n%s\n' "$theirs" >"$work/empty/meson-logs/install-log.txt"
run 1 "a log of something else is not followed" "$SOURCE/tools/uninstall.sh" "$work/empty"
[ -e "$theirs" ]
ok $? "and nothing is removed"

# ---- The tarball ----

export XZ_OPT=-0 # packed well it takes a minute
run 0 "the programs are packed" "$SOURCE/tools/dist.sh" "$BUILD" "$work/dist"
(cd "$work/dist" && sha256sum --quiet -c SHA256SUMS) >"$work/out" 2>&1
ok $? "with the right hash"
mkdir "$work/else where"
tar -xf "$work"/dist/rewind-*-x86_64.tar.xz -C "$work/else where"
there=$(echo "$work/else where"/rewind-*)
same "it is one folder" "$there" "$(find "$work/else where" -mindepth 1 -maxdepth 1)"
grep -rlFe "$BUILD" -e "$SOURCE" "$there" >"$work/out"
same "which names no folder of this machine" "" "$(cat "$work/out")"
run 0 "the program finds its guest" "$there/bin/rewind" doctor
has out "beside itself" "guest [0-9a-f]{16} in $there/share/rewind/guest\$"
mkdir -p "$work/tree/bin" && cp "$(command -v busybox)" "$work/tree/bin/"
run 7 "it records" "$there/bin/rewind" run --root "$work/tree" -- /bin/busybox sh -c 'exit 7'
run 0 "and replays" "$there/bin/rewind" replay @
if [ -e "$there/bin/rewind-app" ]; then
    run 0 "the app's commands are there" "$there/bin/rewind-app" --batch ls
    has out "and see the run" 'exited:7'
    [ -e "$there/share/glib-2.0/schemas/gschemas.compiled" ] && [ -e "$there/share/locale/de/LC_MESSAGES/rewind.mo" ]
    ok $? "settings and languages, too"
fi
for file in LICENSE LICENSES/GPL-2.0-only.txt GUEST; do
    [ -s "$there/share/doc/rewind/$file" ]
    ok $? "$file goes along"
done
mv "$work/dist" "$work/first"
run 0 "packed again" "$SOURCE/tools/dist.sh" "$BUILD" "$work/dist"
same "it is the same bytes" "$(cat "$work/first/SHA256SUMS")" "$(cat "$work/dist/SHA256SUMS")"

finish
