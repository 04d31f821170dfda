#!/bin/sh
# SPDX-License-Identifier: MIT
set -e
./scribe
digit=$(cut -d ' ' -f 2 plain.txt)
echo first >appended.txt
sh -c "echo second $digit >>appended.txt"
printf 'b %s\na %s\n' "$digit" "$digit" | sort >sorted.txt
mkdir folder
./dump.py "$digit"
mkdir other && cd other && ../stripped >/dev/null
