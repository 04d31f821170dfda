#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What `meson install` puts in place, and that the programs work from there: manual pages, completions, guest.
# BUILD is the build directory; PREFIX, DATADIR, MANDIR are as it was configured.
. "$(dirname "$0")/../app/lib.sh"

root=$work/root
run 0 "it installs" meson install -C "$BUILD" --no-rebuild --destdir "$root"
bin=$root$PREFIX/bin data=$root$DATADIR man=$root$MANDIR
run 0 "the installed program starts" "$bin/rewind" --version
PATH=$bin:$PATH

# ---- The guest is found from where the program is ----

if [ -e "$data/rewind/guest/vmlinux" ]; then
    run 0 "the installed program finds a guest" env -u REWIND_GUEST_DIR rewind doctor
    has out "the installed one" "guest [0-9a-f]{16} in $data/rewind/guest\$"
    mkdir -p "$work/tree/bin" && cp "$(command -v busybox)" "$work/tree/bin/"
    run 7 "and records with it" env -u REWIND_GUEST_DIR rewind run --root "$work/tree" -- /bin/busybox sh -c 'exit 7'
else
    skip "the installed guest" "none is built: make guest"
fi

for twin in failing passing; do
    run 0 "the example's $twin run is there" rewind import "$data/rewind/example/$twin.rwd"
    run 0 "and goes again" rewind remove "$(cut -d ' ' -f 1 "$work/out")"
done

# ---- Manual pages ----

commands=$(rewind help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -gt 15 ]
ok $? "help lists the commands"
for command in $commands; do
    page=$man/man1/rewind-$command.1
    rewind help "$command" | sed -n 's/^  \(-., \)\?\(--[a-z-]*\).*/\2/p' >"$work/options"
    # The page, rendered, with what a line's end may have broken put together.
    groff -man -Tascii -P-cbou -rLL=300n -rHY=0 "$page" >"$work/page" 2>"$work/err"
    grep -q "^NAME" "$work/page"
    ok $? "$command has a page"
    missing=$(while read -r option; do grep -qe "$option\b" "$work/page" || echo "$option"; done <"$work/options")
    same "with all its options" "" "$missing"
done
for page in "$man"/man1/*.1; do
    groff -man -Tutf8 -ww -z "$page" >"$work/out" 2>&1
    same "$(basename "$page") formats without a warning" "" "$(cat "$work/out")"
    run 0 "and mandoc takes it" mandoc -T lint -W error "$page"
done
groff -man -Tascii -P-cbou "$man/man1/rewind.1" >"$work/out"
for section in SYNOPSIS DESCRIPTION COMMANDS "EXIT STATUS" ENVIRONMENT FILES EXAMPLES "SEE ALSO"; do
    has out "rewind(1) has $section" "^$section\$"
done
run 2 "there is no page of what is not a command" rewind man frobnicate
one_line "one line"

# ---- Completions ----

id=$("$MAKE_RUN" make bank)
runs=$(rewind ls | sed 's/ .*//')
bash_file=$data/bash-completion/completions/rewind
run 0 "bash reads its completions" bash -n "$bash_file"

# in_bash WORD...: what completes the last of them
in_bash() {
    bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); of=_${1/-/_}
        $of "$1" "${@: -1}" "${@: -2:1}"; printf "%s\n" "${COMPREPLY[@]}"' bash "$bash_file" "$@"
}
same "bash: a command" check "$(in_bash rewind che)"
same "bash: an option" "--schedules --schedule-from --schedule-until --schedule-last" \
    "$(in_bash rewind check --schedule | xargs)"
same "bash: a value" "auto soft kvm" "$(in_bash rewind run --accel '' | xargs)"
same "bash: a value after an option's letter is not one of the command" "" "$(in_bash rewind run -e '')"
same "bash: a run" "$runs" "$(in_bash rewind show '')"
same "bash: the second run" "$runs" "$(in_bash rewind compare @ '')"
same "bash: any run" "$runs" "$(in_bash rewind remove @ @2 '')"
same "bash: a shell" fish "$(in_bash rewind completions f)"
same "bash: nothing of ours after --" "" "$(in_bash rewind run -- --s)"
same "bash: the app's options" "--batch --compare --step --help" "$(in_bash rewind-app -- | xargs)"
same "bash: a run for the app" "$runs" "$(in_bash rewind-app '')"
same "bash: a command of --batch" check "$(in_bash rewind-app --batch che)"
same "bash: its value" "auto soft kvm" "$(in_bash rewind-app --batch run --accel '' | xargs)"

if command -v fish >/dev/null; then
    fish_file=$data/fish/vendor_completions.d/rewind.fish
    run 0 "fish reads its completions" fish -n "$fish_file"
    in_fish() { HOME=$work fish --no-config -c "source $fish_file; complete -C '$1'" | cut -f 1 | sort | xargs; }
    same "fish: a command" check "$(in_fish 'rewind che')"
    same "fish: an option" "--schedule-from --schedule-last --schedule-until --schedules" \
        "$(in_fish 'rewind check --schedule')"
    same "fish: a value" "auto kvm soft" "$(in_fish 'rewind run --accel ')"
    same "fish: a run" "$id" "$(in_fish "rewind show $(echo "$id" | cut -c 1-6)")"
    same "fish: the app's option" "--compare" "$(in_fish 'rewind-app --com')"
    same "fish: a command of --batch" check "$(in_fish 'rewind-app --batch che')"
    same "fish: its value" "auto kvm soft" "$(in_fish 'rewind-app --batch run --accel ')"
    same "fish: nothing of ours after --" "" "$(in_fish 'rewind run -- --s')"
else
    skip "fish" "it is not installed"
fi

if command -v zsh >/dev/null; then
    zsh_file=$data/zsh/site-functions/_rewind
    run 0 "zsh reads its completions" zsh -n "$zsh_file"
    # It completes on a terminal only.
    cat >"$work/complete.zsh" <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; autoload -Uz compinit; compinit -D -u; source $1; echo START''ED"
zpty -r shell answer "*STARTED*"
zpty -w -n shell "$2"$'\t\t'
zpty -r shell answer "*$3*"
END
    in_zsh() { # in_zsh NAME LINE TEXT: with Tab pressed after LINE, TEXT is shown
        TERM=dumb timeout 60 zsh -f "$work/complete.zsh" "$zsh_file" "$2" "$3"
        ok $? "zsh: $1"
    }
    in_zsh "a command" 'rewind pru' 'rewind prune'
    in_zsh "options with their help" 'rewind check --sched' '--schedules * how many perturbed schedules'
    in_zsh "a value" 'rewind run --accel s' '--accel soft'
    in_zsh "the app's option" 'rewind-app --com' 'rewind-app --compare'
    in_zsh "a command of --batch" 'rewind-app --batch pru' '--batch prune'
    in_zsh "its value" 'rewind-app --batch run --accel s' '--accel soft'
    in_zsh "a run" 'rewind show ' "$id"
else
    skip "zsh" "it is not installed"
fi

finish
