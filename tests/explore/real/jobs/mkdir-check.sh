# SPDX-License-Identifier: MIT
# Two rules of make -j2 make a directory if there is none: "cannot create directory: File exists".
cat >Makefile <<'EOF'
all: out/a out/b
out/a:
	test -d out || mkdir out
	echo a >$@
out/b: b.in
	test -d out || mkdir out
	cp b.in $@
b.in:
	seq 1 10 | sort >$@
EOF
make -s -j2 all
