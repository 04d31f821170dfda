#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs compiled in many ways say where their functions and variables are: what is found there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

# Where the sources are, by a path that is not the one of this tree.
mkdir -p "$work/src" "$work/empty"
cp "$here"/sample*.c "$here"/sample*.cc "$work/src/"

build() { # build NAME [OPTION…]: a program and its library
    name=$1
    shift
    mkdir "$work/$name"
    (cd "$work/src" &&
        gcc -O1 "$@" -shared -fPIC sample-library.c -o "$work/$name/libsample.so" &&
        gcc -O1 "$@" sample.c -o "$work/$name/sample" -L"$work/$name" -lsample -Wl,-rpath,"$work/$name")
}

ask() { # ask NAME [ROOT]: found/1 to found/6 get the answers about one of its processes
    "$work/$1/sample" >"$work/out"
    tail -n +2 "$work/out" >"$work/maps"
    "$TEST_SYMBOLS" find "$work/maps" "${2:-}" $(head -n 1 "$work/out") >"$work/found"
}

found() { # found LINE PATTERN
    sed -n "$1p" "$work/found" | grep -qE "$2" && return
    echo "# wanted $2"
    sed 's/^/# /' "$work/found"
    return 1
}

all() { # all WHAT: names, and lines with their text
    src=$work/src
    ok "$1: a local function" found 1 "/sample\+0x[0-9a-f]+ sample_local\+0 $src/sample.c:11 \{$"
    ok "$1: a global function" found 2 "/sample\+0x[0-9a-f]+ sample_global\+0 $src/sample.c:17 \{$"
    ok "$1: a function of a library, its line's text" found 3 \
        "/libsample.so\+0x[0-9a-f]+ sample_library\+0 $src/sample-library.c:11 return sample_hidden\(n\) \+ 1; //"
    variables "$1"
}

variables() {
    ok "$1: a zeroed variable" found 4 "/sample\+0x[0-9a-f]+ sample_table\+40 \?:0 \?$"
    ok "$1: a variable" found 5 "/sample\+0x[0-9a-f]+ sample_start\+0 \?:0 \?$"
    ok "$1: the stack" found 6 "^\[stack\]\+0x[0-9a-f]+ \?\+0 \?:0 \?$"
}

for options in "-g" "-g -no-pie" "-gdwarf-4" "-gdwarf-2" "-gdwarf-4 -fdebug-types-section" "-g -gz" "-gdwarf-4 -gsplit-dwarf"; do
    name=$(echo "$options" | tr -d ' ')
    # shellcheck disable=SC2086
    build "$name" $options
    ask "$name"
    all "$options"
done

# Compiled from elsewhere, with paths that are not absolute.
mkdir -p "$work/src/build/deep" "$work/relative"
cp "$work/src"/sample*.c "$work/src/build/deep/"
for options in -gdwarf-5 -gdwarf-4; do
    (cd "$work/src/build" &&
        gcc -O1 "$options" -shared -fPIC ./../sample-library.c -o "$work/relative/libsample.so" &&
        gcc -O1 "$options" ../sample.c -o "$work/relative/sample" -L"$work/relative" -lsample \
            -Wl,-rpath,"$work/relative")
    ask relative
    all "$options, paths from elsewhere"
done
(cd "$work/src/build" && gcc -O1 -g deep/sample.c deep/sample-library.c -o "$work/relative/sample")
ask relative
ok "a path below" found 1 "/sample\+0x[0-9a-f]+ sample_local\+0 $work/src/build/deep/sample.c:11 \{$"

build plain
ask plain
ok "without -g: a local function" found 1 "/sample\+0x[0-9a-f]+ sample_local\+0 \?:0 \?$"
ok "without -g: a library" found 3 "sample_library\+0 \?:0 \?$"
variables "without -g"

cp -r "$work/plain" "$work/stripped"
strip "$work/stripped/sample" "$work/stripped/libsample.so"
patched=$work/stripped
LD_LIBRARY_PATH=$patched ask stripped
ok "stripped: a function is not known" found 1 "/sample\+0x[0-9a-f]+ \?\+0 \?:0 \?$"
ok "stripped: what a library offers is" found 3 "sample_library\+0 \?:0 \?$"

# Debug information in a file of its own, found by build id below the root that is asked.
build apart -g -Wl,--build-id
for file in sample libsample.so; do
    id=$(readelf -n "$work/apart/$file" | sed -n 's/.*Build ID: //p')
    folder=$work/root/usr/lib/debug/.build-id/$(echo "$id" | cut -c 1-2)
    mkdir -p "$folder"
    objcopy --only-keep-debug "$work/apart/$file" "$folder/$(echo "$id" | cut -c 3-).debug"
    strip "$work/apart/$file"
done
mkdir -p "$work/root/$work"
ask apart
ok "without its debug information it is not known" found 1 "/sample\+0x[0-9a-f]+ \?\+0 \?:0 \?$"
cp -r "$work/apart" "$work/src" "$work/root/$work/"
ask apart "$work/root"
all "debug information apart"

# The same by its name and checksum, where there is no build id: in the three places where it may be.
build named -g -Wl,--build-id=none
for file in sample libsample.so; do
    objcopy --only-keep-debug "$work/named/$file" "$work/$file.kept"
    strip "$work/named/$file"
    (cd "$work" && mv "$file.kept" "$file.debug" && objcopy --add-gnu-debuglink="$file.debug" "named/$file")
done
ask named
ok "by its name: not there" found 1 "/sample\+0x[0-9a-f]+ \?\+0 \?:0 \?$"
for place in "$work/named" "$work/named/.debug" "$work/far/usr/lib/debug$work/named"; do
    mkdir -p "$place" "$work/far$work"
    cp "$work"/*.debug "$place/"
    rm -rf "$work/far$work/named"
    cp -r "$work/named" "$work/src" "$work/far$work/"
    ask named "$work/far"
    all "by its name in ${place#"$work"}"
    rm "$place"/*.debug
done
cp "$work/libsample.so.debug" "$work/named/sample.debug"
ask named
ok "of another file: not taken" found 1 "/sample\+0x[0-9a-f]+ \?\+0 \?:0 \?$"

# A file that shares some of it with others, which it names: without that one nothing of it is told.
printf 'shared.debug\0aaaaaaaaaaaaaaaaaaaa' >"$work/link"
mkdir "$work/shared"
cp "$work/-g/libsample.so" "$work/shared/"
objcopy --add-section .gnu_debugaltlink="$work/link" "$work/-g/sample" "$work/shared/sample"
ask shared
ok "without the file that it names: no line" found 1 "/sample\+0x[0-9a-f]+ sample_local\+0 \?:0 \?$"
cp "$work/-g/sample" "$work/shared/shared.debug"
ask shared
ok "with it: its line" found 1 "/sample\+0x[0-9a-f]+ sample_local\+0 $work/src/sample.c:11 \{$"
cp "$work/shared/sample" "$work/shared/shared.debug"
ask shared
ok "one that names another: no line" found 1 "/sample\+0x[0-9a-f]+ sample_local\+0 \?:0 \?$"

(cd "$work/src" && g++ -g sample.cc -o ../counter)
address=$(nm "$work/counter" | sed -n 's/ T _ZN7Counter3addEi$//p')
offset=$(printf '%x' $((0x$address & ~0xfff)))
echo "$offset-$(printf '%x' $((0x$offset + 4096))) r-xp $offset 00:00 1 $work/counter" >"$work/maps"
"$TEST_SYMBOLS" find "$work/maps" "" "$address" >"$work/found"
ok "C++: the name as the source has it" found 1 "Counter::add\+0 $work/src/sample.cc:8 \{$"

# Functions in each other, of a namespace, a lambda, a template.
for options in "-g" "-gdwarf-4"; do
    (cd "$work/src" && g++ $options -O2 -static sample-inline.cc -o ../inlined)
    objcopy -O binary --only-section=.places "$work/inlined" "$work/places"
    address=$(od -An -tx8 "$work/places" | tr -d ' ')
    offset=$(printf '%x' $((0x$address & ~0xfff)))
    set -- $(readelf -lW "$work/inlined" | sed -n 's/^ *LOAD *0x\([0-9a-f]*\) 0x\([0-9a-f]*\) .* R E .*/\1 \2/p')
    file=$(printf '%x' $((0x$offset - 0x$2 + 0x$1)))
    echo "$offset-$(printf '%x' $((0x$offset + 4096))) r-xp $file 00:00 1 $work/inlined" >"$work/maps"
    "$TEST_SYMBOLS" all "$work/maps" "" "$address" >"$work/found"
    line() { grep -n "the line of $1" "$here/sample-inline.cc" | cut -d : -f 1; }
    src=$work/src/sample-inline.cc
    ok "C++ $options: the innermost" found 1 "^shop::Till::put $src:$(line put) asm volatile"
    ok "C++ $options: a lambda that it was put into" found 2 "^shop::visit\(shop::Till&\)::\{lambda\(long\)#1\}::operator\(\) $src:$(line twice) till.put"
    ok "C++ $options: who has that" found 3 "^shop::visit $src:$(line visit) twice\(4\);"
    ok "C++ $options: the function itself" found 4 "^shop::day<shop::Till> $src:$(line day) visit\(till\);"
    ok "C++ $options: no more" test "$(wc -l <"$work/found")" = 4
done

# The same file once more, without its sources, and one that is no program.
ask -g
"$TEST_SYMBOLS" find "$work/maps" "$work/empty" "$(head -n 1 "$work/out" | cut -d ' ' -f 1)" >"$work/found"
ok "no file: the mapping alone" found 1 "/sample\+0x[0-9a-f]+ \?\+0 \?:0 \?$"
mkdir -p "$work/lines/$work/-g"
cp "$work/-g/sample" "$work/lines/$work/-g/"
"$TEST_SYMBOLS" find "$work/maps" "$work/lines" "$(head -n 1 "$work/out" | cut -d ' ' -f 1)" >"$work/found"
ok "no source: the line without its text" found 1 "sample_local\+0 $work/src/sample.c:11 \?$"
echo "no program" >"$work/lines/$work/-g/sample"
"$TEST_SYMBOLS" find "$work/maps" "$work/lines" "$(head -n 1 "$work/out" | cut -d ' ' -f 1)" >"$work/found"
ok "no program: the mapping alone" found 1 "/sample\+0x[0-9a-f]+ \?\+0 \?:0 \?$"

ok "texts of /proc/PID/maps" "$TEST_SYMBOLS" maps
# The same bytes wherever they are made.
for options in -g -gdwarf-4 "-g -gz"; do
    # shellcheck disable=SC2086
    (cd "$work/src" &&
        gcc -O1 $options -ffile-prefix-map="$work"=/work sample.c sample-library.c -o "$work/damaged")
    ok "damaged files ($options)" "$TEST_SYMBOLS" damage "${DAMAGED:-400}" 1 "$work/damaged" ""
done
echo "1..$n"
exit $failed
