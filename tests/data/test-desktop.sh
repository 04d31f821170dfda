#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What a desktop needs of the installed app is valid and says the same: desktop entry, MIME type, metainfo, icons,
# D-Bus service, settings' schema, catalogues. BUILD, PREFIX and DATADIR as of test-install.sh.
. "$(dirname "$0")/../app/lib.sh"

display=$(cd "$(dirname "$0")/../ui/harness" && pwd)/display.sh
id=dev.rewindvm.Rewind
root=$work/root data=$work/root$DATADIR
run 0 "it installs" meson install -C "$BUILD" --no-rebuild --destdir "$root"
entry=$data/applications/$id.desktop
value() { sed -n "s/^$1=//p" "$entry" | head -n 1; }

run 0 "the desktop entry is valid" desktop-file-validate "$entry"
same "without a remark" "" "$(cat "$work/out" "$work/err")"
[ -x "$root$PREFIX/bin/$(value Exec | cut -d ' ' -f 1)" ]
ok $? "its program is installed"
for icon in "$(value Icon)" "application-vnd.rewindvm.rwd"; do
    for kind in scalable symbolic; do
        find "$data/icons/hicolor/$kind" -name "$icon*.svg" | grep -q .
        ok $? "$icon is there, $kind"
    done
done
for icon in $(find "$data/icons" -name '*.svg'); do
    run 0 "$(basename "$icon") can be drawn" gdk-pixbuf-csource --raw "$icon"
done
run 0 "the metainfo is valid" appstreamcli validate --no-net "$data/metainfo/$id.metainfo.xml"
same "its newest release is this one" "$("$REWIND" --version | grep -o '[0-9][0-9.]*')" \
    "$(sed -n 's/.*<release version="\([^"]*\)".*/\1/p' "$data/metainfo/$id.metainfo.xml" | head -n 1)"
# As it is where the pictures are published, and that they are there.
sed 's|@screenshots@|https://rewind.example|' "$SOURCE/data/app/$id.metainfo.xml.in" >"$work/$id.metainfo.xml"
run 0 "and with pictures" appstreamcli validate --no-net "$work/$id.metainfo.xml"
pictures=$(sed -n 's|.*<image>@screenshots@/\(.*\)</image>.*|\1|p' "$SOURCE/data/app/$id.metainfo.xml.in")
for picture in $pictures; do
    [ -s "$SOURCE/docs/screenshots/$picture" ]
    ok $? "$picture is there"
done
[ "$(echo "$pictures" | wc -l)" -ge 3 ]
ok $? "and they are a few"
run 0 "the MIME type is well-formed" xmllint --noout "$data/mime/packages/$id.xml"
run 0 "and known afterwards" update-mime-database "$data/mime"
cp "$data/rewind/example/failing.rwd" "$work/some.rwd"
XDG_DATA_HOME=$work XDG_DATA_DIRS=$data:/usr/share gio info -a standard::content-type "$work/some.rwd" >"$work/out"
type=$(value MimeType)
has out "by the file's name" "content-type: ${type%;}\$"
grep -q "<mediatype>${type%;}</mediatype>" "$data/metainfo/$id.metainfo.xml"
ok $? "as the metainfo says"
service=$data/dbus-1/services/$id.service
grep -qx "Name=$id" "$service" && [ -x "$root$(sed -n 's/^Exec=\([^ ]*\) .*/\1/p' "$service")" ]
ok $? "the D-Bus service starts the installed program"
run 0 "the schema is valid" glib-compile-schemas --strict --dry-run "$data/glib-2.0/schemas"
for language in $(grep -v '^#' "$SOURCE/po/LINGUAS"); do
    [ -s "$root$PREFIX/share/locale/$language/LC_MESSAGES/rewind.mo" ]
    ok $? "$language: the catalogue is there"
    grep -q "^Comment\[$language\]=." "$entry" && grep -q "xml:lang=\"$language\"" "$data/metainfo/$id.metainfo.xml"
    ok $? "$language: in what the desktop shows, too"
done
groff -man -Tutf8 -ww -z "$root$MANDIR/man1/rewind-app.1" >"$work/out" 2>&1
same "rewind-app(1) formats without a warning" "" "$(cat "$work/out")"

# ---- A file manager opens a file: the bus starts the app, which imports it ----

mkdir -p "$work/bus/dbus-1/services" "$work/home"
sed "s|^Exec=|Exec=$root|" "$service" >"$work/bus/dbus-1/services/$id.service"
cat >"$work/open.sh" <<'END'
gapplication launch dev.rewindvm.Rewind "$1" || exit 1
# Its window is there when the title is the run's name; the outer time-out is the limit.
until xwininfo -root -tree | grep -q '"bank"'; do sleep 0.1; done
gapplication action dev.rewindvm.Rewind quit
END
if command -v xvfb-run >/dev/null; then
    XDG_DATA_DIRS=$work/bus:$data:/usr/share GSK_RENDERER=cairo GTK_A11Y=none GSETTINGS_BACKEND=memory \
        run 0 "a file is opened over D-Bus" timeout 120 "$display" dbus-run-session -- \
        sh "$work/open.sh" "$data/rewind/example/failing.rwd"
    run 0 "and is imported" "$REWIND" ls
    has out "with its ending" '^[0-9a-f]{16}  exited:2 .* bank: make check'
else
    skip "opening over D-Bus" "xvfb-run is not installed"
fi

finish
