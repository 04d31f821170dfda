#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Programs that fill a screen, in a shell among a run's processes, in a real terminal emulator (tmux): after the
# same keys they show what they show when they run here.
. "$(dirname "$0")/../app/lib.sh"

root=$work/root native=$work/native
mkdir -p "$root/bin" "$root/etc" "$root/usr/bin" "$root/lib/terminfo" "$native"
cp /bin/busybox "$root/bin/"
ln -s busybox "$root/bin/sh"
cp -r /lib/terminfo/s "$root/lib/terminfo/" # what tmux says that it is
for program in /usr/bin/less /usr/bin/vim.tiny; do
    cp "$program" "$root/usr/bin/"
    for file in $(ldd "$program" | grep -o '/[^ ]*'); do
        mkdir -p "$root$(dirname "$file")"
        cp -L "$file" "$root$file"
    done
done
seq 1 300 | sed 's/.*7$/& needle/; s/^/line /' >"$root/etc/text"
cp "$root/etc/text" "$native/"
run 0 "a run" "$REWIND" run --root "$root" -- sh -c 'echo here >/dev/mark'
step=$("$REWIND" events -k mark @ | sed -n 's/^ *\([0-9]*\) .*/\1/p')

unset TMUX LESS LESSOPEN VIM VIMRUNTIME
export HOME="$work" SHELL=/bin/sh
printf 'set -g default-terminal screen-256color\nset -g status off\n' >"$work/tmux.conf"
tmux_() { tmux -L "rewind-$$" -f "$work/tmux.conf" "$@"; }
trap 'tmux_ kill-server 2>/dev/null; rm -rf "$work"' EXIT

screen() { tmux_ capture-pane -p -t "$1"; }
keys() { # keys KEY...: to both
    for window in rewind native; do
        tmux_ send-keys -t "$window" "$@"
    done
}
resize() { # resize COLUMNS ROWS
    for window in rewind native; do
        tmux_ resize-window -t "$window" -x "$1" -y "$2"
    done
}
# Both screens are the same and have what is expected, within a minute.
equal() { # equal NAME PATTERN
    i=0
    while [ $i -lt 300 ]; do
        screen rewind >"$work/out"
        screen native >"$work/err"
        cmp -s "$work/out" "$work/err" && grep -q -e "$2" "$work/out" && break
        i=$((i + 1))
        sleep 0.2
    done
    [ $i -lt 300 ]
    ok $? "$1"
}
# The root's shell is busybox, which has a `less` of its own: programs are named by their paths.
open() { # open COMMAND: in a folder with the text
    rm -rf "$work/kept"
    tmux_ new-session -d -s rewind -x 80 -y 24 \
        "$REWIND shell --keep $work/kept @ $step -- sh -c 'cd /etc && $1; cp text \$REWIND_KEEP' 2>$work/said; echo \$? >$work/status"
    tmux_ new-session -d -s native -x 80 -y 24 "cd $native && $1"
}
ended() { # ended NAME
    i=0
    while [ $i -lt 300 ] && [ ! -s "$work/status" ]; do
        i=$((i + 1))
        sleep 0.2
    done
    same "$1" 0 "$(cat "$work/status" 2>/dev/null)"
    tmux_ kill-server 2>/dev/null
    rm -f "$work/status"
}

open "/usr/bin/less text"
equal "less shows the first lines" "^line 23$"
keys Space
equal "and the next" "^line 46$"
keys -l "/needle"
keys Enter n
equal "finds, and finds again" "^line 57 needle$"
resize 100 40
equal "fills another size" "^line 75$"
keys G
equal "goes to the end" "(END)"
keys q
ended "and is left"

open "/usr/bin/vim.tiny -u NONE -i NONE -n text"
equal "an editor shows the text" '^"text" 300 lines'
keys -l "Gothe last line"
keys Escape
equal "a line more" "^the last line$"
keys -l ":%s/needle/thread/"
keys Enter
equal "another word in many lines" "30 substitutions on 30 lines"
resize 60 15
keys -l "ggjj"
equal "another size" "^line 3$"
keys -l ":w"
keys Enter
equal "it writes" '"text" 301 lines.* written'
keys -l ":q"
keys Enter
ended "and is left"
cmp "$work/kept/text" "$native/text" >"$work/out" 2>&1
ok $? "what it wrote is kept outside, and the same"
finish
