#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the template anew and brings the catalogues up to it. What is fuzzy or untranslated then is to be done by
# hand.
set -eu

cd "$(dirname "$0")/.."
tools/make-pot.sh po/rewind.pot
for catalogue in po/*.po; do
    msgmerge -q --update --backup=none --add-location=file "$catalogue" po/rewind.pot
    printf '%s: ' "$catalogue"
    msgfmt -c --statistics -o /dev/null "$catalogue"
done
