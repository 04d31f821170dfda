#!/bin/sh
# SPDX-License-Identifier: MIT
# Removes what the last `meson install` of a build directory put in place. usage: uninstall.sh BUILD
set -eu

log=$1/meson-logs/install-log.txt
[ -r "$log" ] || {
    echo "rewind: nothing was installed from $1: there is no $log" >&2
    exit 1
}
data=$(sed -n 's|/rewind/example/failing\.rwd$||p' "$log")
case $data in
/*) ;;
*)
    echo "rewind: $log does not name the example run: install again, then uninstall" >&2
    exit 1
    ;;
esac

# install-guest.sh's part is not in the log. Folders come last there, the inner ones first; those that hold other things stay.
for file in vmlinux initrd.cpio cmdline System.map; do
    rm -f "$data/rewind/guest/$file"
done
remove_folder() { [ ! -d "$1" ] || rmdir --ignore-fail-on-non-empty "$1"; }
remove_folder "$data/rewind/guest"
sed '/^#/d' "$log" | while read -r path; do
    if [ -d "$path" ] && [ ! -L "$path" ]; then
        remove_folder "$path"
    else
        rm -f "$path"
    fi
done
remove_folder "$data/rewind/example"
remove_folder "$data/rewind"

# What the desktop keeps about it.
refresh() { # refresh CACHE COMMAND...
    [ ! -e "$data/$1" ] || { shift && "$@"; }
}
refresh glib-2.0/schemas/gschemas.compiled glib-compile-schemas "$data/glib-2.0/schemas"
refresh icons/hicolor/icon-theme.cache gtk4-update-icon-cache -qtf "$data/icons/hicolor"
refresh applications/mimeinfo.cache update-desktop-database -q "$data/applications"
refresh mime/mime.cache update-mime-database "$data/mime"
