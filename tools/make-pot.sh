#!/bin/sh
# SPDX-License-Identifier: MIT
# The template of the catalogues, from the files that po/POTFILES.in names. usage: make-pot.sh OUT.pot
set -eu

out=$(realpath "$1")
cd "$(dirname "$0")/.."
grep -v '^#' po/POTFILES.in | xgettext -f - -o "$out.part" --from-code=UTF-8 --add-location=file \
    --package-name=rewind --add-comments=Translators \
    --keyword=_ --keyword=N_ --keyword=C_:1c,2 --keyword=NC_:1c,2 --keyword=g_dngettext:2,3 \
    --keyword=g_dpgettext2:2c,3 --flag=N_:1:pass-c-format --flag=C_:2:pass-c-format 2>"$out.log" ||
    { cat "$out.log" >&2; exit 1; }
rm "$out.log"
# Without the time, so that nothing changes where no text did.
sed -i -e '1,/^$/s/charset=CHARSET/charset=UTF-8/' -e '/^"POT-Creation-Date/d' "$out.part"
mv "$out.part" "$out"
