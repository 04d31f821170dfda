#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Packs what is built, installed into a folder that works wherever it is unpacked: OUT/rewind-VERSION-x86_64.tar.xz; and
# writes the hashes of all tarballs in OUT to OUT/SHA256SUMS. The same build gives the same bytes. usage: dist.sh BUILD OUT
set -eu
umask 022
export LC_ALL=C

build=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
here=$(cd "$(dirname "$0")/.." && pwd)

option() { meson introspect "$build" --buildoptions | python3 -c 'import json, sys
print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == sys.argv[1]))' "$1"; }

[ -e "$build/guest/vmlinux" ] || {
    echo "rewind: no guest in $build/guest: run make guest" >&2
    exit 1
}
version=$(meson introspect "$build" --projectinfo | python3 -c 'import json, sys; print(json.load(sys.stdin)["version"])')
name=rewind-$version-x86_64
stage=$(mktemp -d "$build/dist-XXXXXX")
trap 'rm -rf "$stage"' EXIT
meson install -C "$build" --no-rebuild --strip --destdir "$stage/root" >&2
mv "$stage/root$(option prefix)" "$stage/$name"
share=$stage/$name/$(option datadir)

# Programs find guest, settings and languages beside themselves. What names a program by its full path cannot know it.
if [ -d "$share/glib-2.0/schemas" ]; then
    glib-compile-schemas "$share/glib-2.0/schemas"
    rm -r "$share/dbus-1"
    sed -i '/^DBusActivatable=/d' "$share"/applications/*.desktop
fi

package_version() { dpkg-query -Wf '${Version}' "$1" 2>/dev/null || echo unknown; }
mkdir -p "$share/doc/rewind"
cp -r "$here/README.md" "$here/LICENSE" "$here/LICENSES" "$here/docs" "$share/doc/rewind/"
cat >"$share/doc/rewind/GUEST" <<TEXT
share/rewind/guest/vmlinux is the Linux kernel (GPL-2.0-only) of Debian's package linux-source-6.1, version
$(package_version linux-source-6.1), with the patches and the configuration of guest/linux in rewind-$version.tar.xz.
initrd.cpio holds busybox (GPL-2.0-only) of busybox-static, version $(package_version busybox-static), and guest/init, linked
with the GNU C library (LGPL-2.1-or-later) of libc6-dev, version $(package_version libc6-dev).
guest/linux/build.sh makes both from these packages, the same bytes each time.
TEXT

newest=$(cd "$here" && git log -1 --format=%ct 2>/dev/null || stat -c %Y meson.build)
tar --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$newest" -C "$stage" -c "$name" | xz >"$out/$name.tar.xz.part"
mv "$out/$name.tar.xz.part" "$out/$name.tar.xz"
(cd "$out" && sha256sum rewind-*.tar.xz >SHA256SUMS)
echo "Packed $out/$name.tar.xz"
