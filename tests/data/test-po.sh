#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The template is up to date and the catalogues are complete. After a change of texts: tools/update-po.sh, then
# translate. SOURCE is the source tree.
. "$(dirname "$0")/../app/lib.sh"

# What matters of a template: the texts, whatever the order and the files.
texts() { msgcat --no-location --sort-output "$1" | sed '1,/^$/d'; }
run 0 "the texts can be extracted" "$SOURCE/tools/make-pot.sh" "$work/now.pot"
texts "$work/now.pot" >"$work/now"
[ "$(grep -c '^msgid' "$work/now")" -gt 200 ]
ok $? "there are some"
texts "$SOURCE/po/rewind.pot" | diff - "$work/now" >"$work/out"
ok $? "po/rewind.pot is up to date"
for language in $(grep -v '^#' "$SOURCE/po/LINGUAS"); do
    catalogue=$SOURCE/po/$language.po
    run 0 "$language: the catalogue is valid" msgfmt -c --check-accelerators=_ -o /dev/null --statistics "$catalogue"
    grep -Eq '(fuzzy|untranslated)' "$work/err"
    same "$language: everything is translated" 1 $?
    run 0 "$language: every text of now" msgcmp "$catalogue" "$work/now.pot"
done
same "every catalogue is listed" "$(ls "$SOURCE"/po/*.po | xargs -n 1 basename | sed 's/\.po$//' | sort | xargs)" \
    "$(grep -v '^#' "$SOURCE/po/LINGUAS" | sort | xargs)"
finish
