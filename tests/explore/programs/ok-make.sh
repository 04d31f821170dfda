#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Correct: make -j4 of some small files, one of which is made of all others.
set -eu
rm -rf made
mkdir made
cd made
for i in 1 2 3 4 5; do
    echo "part $i" >part$i.in
done
cat >Makefile <<'EOF'
PARTS = part1.out part2.out part3.out part4.out part5.out
all: whole
whole: $(PARTS)
	cat $^ >$@
%.out: %.in | new
	tr a-z A-Z <$< >new/$@
	mv new/$@ $@
new:
	mkdir new
EOF
make -s -j4 all
[ "$(wc -l <whole)" = 5 ]
