#!/bin/sh
# SPDX-License-Identifier: MIT
# German and French, for tests that read numbers. usage: make-locales.sh DIR STAMP
set -eu

mkdir -p "$1"
for language in de_DE fr_FR; do
    localedef --no-archive -i $language -f UTF-8 "$1/$language.UTF-8"
done
touch "$2"
