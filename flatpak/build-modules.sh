#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds each module of the manifest on this machine, from the same archives with the same options, into OUT/app, in the
# manifest's order, and shows that the programs run with them. OUT/archives may hold archives already. Needs what tools/deps.sh
# app installs, and cmake, curl, libgnutls28-dev, m4 and python3-yaml. usage: build-modules.sh OUT
set -eu

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/archives"
out=$(realpath "$1")
export FLATPAK_DEST="$out/app"
rm -rf "$FLATPAK_DEST" "$out/work"
mkdir -p "$out/work"
export PKG_CONFIG_PATH="$FLATPAK_DEST/lib/pkgconfig" CMAKE_PREFIX_PATH="$FLATPAK_DEST" \
    CPATH="$FLATPAK_DEST/include" LIBRARY_PATH="$FLATPAK_DEST/lib" LD_LIBRARY_PATH="$FLATPAK_DEST/lib"

fetch() { # fetch FILE HASH URL...: from the first that has it
    file=$out/archives/$1 hash=$2
    shift 2
    for url; do
        [ ! -e "$file" ] || break
        curl -fsSL -o "$file.part" "$url" && mv "$file.part" "$file" || echo "build-modules: $url is not there" >&2
    done
    echo "$hash  $file" | sha256sum -c --quiet
    mkdir -p "$work"
    tar -xf "$file" --strip-components=1 -C "$work"
}

# The commands of each module, as flatpak-builder would give them.
python3 - "$here/dev.rewindvm.Rewind.yml" >"$out/commands" <<'END_OF_PYTHON'
import os, shlex, sys, yaml

SYSTEMS = {
    "cmake-ninja": ["cmake -S . -B _build -G Ninja -DCMAKE_INSTALL_PREFIX=$FLATPAK_DEST {}", "ninja -C _build install"],
    "meson": ["meson setup --prefix=$FLATPAK_DEST --libdir=lib {} _build .", "ninja -C _build install"],
    "autotools": ["./configure --prefix=$FLATPAK_DEST --libdir=$FLATPAK_DEST/lib {}", "make -j$(nproc)", "make install"],
}
folder = os.path.dirname(sys.argv[1])
for module in yaml.safe_load(open(sys.argv[1]))["modules"]:
    print(f"say {module['name']}; work=$out/work/{module['name']}; mkdir -p $work")
    for source in module["sources"]:
        if source["type"] == "archive":
            name = source.get("dest-filename", os.path.basename(source["url"]))
            print(shlex.join(["fetch", name, source["sha256"], source["url"], *source.get("mirror-urls", [])]))
        else:
            path = shlex.quote(os.path.normpath(os.path.join(folder, source["path"])))
            skip = shlex.join("--exclude=./" + name for name in source.get("skip", []))
            print(f"tar -C {path} {skip} -c . | tar -x -C $work" if source["type"] == "dir" else f"cp {path} $work/")
    options = module.get("build-options", {})
    flags = [f"{name.upper()}={shlex.quote('-O2 -g ' + options[name])}" for name in ("cflags", "cxxflags") if name in options]
    commands = SYSTEMS.get(module["buildsystem"], []) + module.get("build-commands", [])
    for command in commands:
        command = command.format(shlex.join(module.get("config-opts", []))) if "{}" in command else command
        print(f"(cd $work && {' '.join(flags)} {command}) >>$out/log 2>&1")
END_OF_PYTHON

say() { echo "build-modules: $1"; }
: >"$out/log"
# The last lines tell why one did not build.
trap '[ $? = 0 ] || tail -n 20 "$out/log" >&2' EXIT
. "$out/commands"

ldd "$FLATPAK_DEST/bin/rewind-app" | grep -F "$FLATPAK_DEST/lib"
"$FLATPAK_DEST/bin/rewind" doctor
"$FLATPAK_DEST/bin/rewind-app" --batch --version
say "all modules are built"
