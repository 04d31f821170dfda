#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Whatever step of a make target fails, its last lines are shown. The tools are made up: each does nothing, or
# fails where $FAIL says with many lines, the last of which is the reason. SOURCE is the project's folder.
. "$(dirname "$0")/../app/lib.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL MESON_TESTTHREADS
SOURCE=${SOURCE:?}
MAKE=$(command -v make)

# ---- The tools ----

tool() { # tool NAME: its body comes from the standard input
    { echo '#!/bin/sh'; echo '. "$FAKES/fail"'; cat; } >"$FAKES/$1"
    chmod +x "$FAKES/$1"
}

export FAKES=$work/bin
mkdir "$FAKES"
cat >"$FAKES/fail" <<'END'
fail() { # fail STEP: here, if that is the one
    [ "$FAIL" = "$1" ] || return 0
    for i in $(seq 50); do echo "noise $i"; done
    echo "the reason why $1"
    exit 7
}
END
tool meson <<'END'
for last; do :; done
case "$*" in
*sanitize*) fail asan-setup; mkdir -p "$last"; touch "$last/build.ninja" ;;
*reconfigure*) fail reconfigure ;;
setup*) fail setup; mkdir -p "$last"; touch "$last/build.ninja" ;;
compile*asan*) fail asan-compile ;;
compile*) fail compile ;;
test*) fail test ;;
esac
END
tool dpkg-query <<'END'
[ "$FAIL" = packages ] || [ "$FAIL" = mine ] || echo "install ok installed"
END
tool apt-get <<'END'
fail packages
END
tool id <<'END'
[ "$FAIL" = mine ] && echo 1000 || echo 0
END
tool pkg-config </dev/null
tool patch <<'END'
fail patch
END
tool make <<'END'
fail kernel-configuration
END
tool flock </dev/null

# A kernel's source that is nobody's.
mkdir -p "$work/linux/include/linux"
tar -C "$work" -cJf "$work/linux.tar.xz" linux
export REWIND_LINUX_SOURCE=$work/linux.tar.xz XDG_CACHE_HOME=$work/cache

# ---- The targets ----

# says STEP TARGET WANTED: the target fails at the step and says so, and little else.
says() {
    rm -rf "$work/build" "$work/build-asan"
    [ "$1" != reconfigure ] || { mkdir "$work/build" && touch "$work/build/build.ninja"; }
    FAIL=$1 PATH="$FAKES:$PATH" "$MAKE" -C "$SOURCE" BUILD="$work/build" ASAN="$work/build-asan" "$2" \
        >"$work/out" 2>&1 </dev/null
    [ $? -ne 0 ]
    ok $? "make $2 fails at $1"
    has out "make $2 says why: $1" "$3"
    [ "$(wc -l <"$work/out")" -lt 115 ]
    ok $? "make $2 says little else: $1"
}

says packages build 'the reason why packages'
says packages build 'apt-get could not install'
says mine app 'apt-get install .*desktop-file-utils'
says setup build 'the reason why setup'
says setup app 'the configuration failed'
says reconfigure app 'the reason why reconfigure'
says reconfigure check 'the reason why reconfigure'
says compile build 'the reason why compile'
says compile demo 'all of its output is in .*compile.log'
says patch build 'the reason why patch'
says kernel-configuration demo 'guest: the configuration failed'

# The guest is there: what comes after it.
guest=$(FAIL= PATH="$FAKES:$PATH" "$SOURCE/guest/linux/build.sh" --where)
mkdir -p "$guest"
touch "$guest/vmlinux" "$guest/initrd.cpio" "$guest/System.map" "$guest/cmdline"
says none app 'configured without the app'
says asan-setup asan 'the reason why asan-setup'
says asan-compile check 'the reason why asan-compile'
says test check 'the reason why test'

finish
