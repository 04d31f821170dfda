#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: test-links.sh PAGE...: every page has a menu with a link to each page.
set -eu

for page; do
    links=$(grep -c '<li><a href=' "$page") || true
    [ "$links" = $# ] || {
        echo "$page: $links links, not $#"
        exit 1
    }
done
echo "$# pages, all linked"
