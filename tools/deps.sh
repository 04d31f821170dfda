#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian packages that a job needs: installs those that are missing when it may, else lists them and stops.
# usage: tools/deps.sh build|app|check
set -eu

build="gcc g++ libc6-dev make meson ninja-build pkg-config python3-minimal patch
  libglib2.0-dev libjson-glib-dev libarchive-dev libzstd-dev libzydis-dev libdw-dev nettle-dev libsoup-3.0-dev glib-networking
  linux-source-6.1 bc flex bison libelf-dev xz-utils cpio busybox-static"
app="$build libgtk-4-dev libadwaita-1-dev libgtksourceview-5-dev libvte-2.91-gtk4-dev gettext adwaita-icon-theme librsvg2-common
  desktop-file-utils shared-mime-info"
check="$app python3 gdb clang-format erofs-utils qemu-system-x86 qemu-user nasm zstd attr acl
  debootstrap ca-certificates iproute2 locales util-linux libsqlite3-dev openssl groff-base mandoc zsh fish
  xvfb xauth libx11-dev libxtst-dev
  fonts-dejavu-core appstream libxml2-utils libgdk-pixbuf2.0-bin
  tmux less vim-tiny libglib2.0-bin dbus-daemon at-spi2-core gir1.2-atspi-2.0 python3-gi x11-utils xdotool python3-yaml flatpak-builder"

case "${1:-build}" in
build) wanted=$build ;;
app) wanted=$app ;;
check) wanted=$check ;;
*)
    echo "usage: tools/deps.sh build|app|check" >&2
    exit 2
    ;;
esac

command -v dpkg-query >/dev/null || {
    echo "rewind: this set-up knows Debian 12; elsewhere install the like of:" $wanted >&2
    exit 1
}

missing=
for package in $wanted; do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ]; then
    echo "rewind: these packages are missing; install them, then try again:" >&2
    echo "  sudo apt-get install --no-install-recommends$missing" >&2
    exit 1
fi
echo "Installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update && apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "rewind: apt-get could not install:$missing" >&2
    exit 1
fi
