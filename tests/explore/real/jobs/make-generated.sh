# SPDX-License-Identifier: MIT
# options: --cores 4
# A rule lacks a prerequisite that make -j4 mostly has made by then: a header is not there, or is half.
cat >Makefile <<'END'
all: prog
prog: main.o util.o
	cat main.o util.o >prog
config.h: config.in
	sed 's/@VERSION@/7/' config.in >config.h
util.o: util.c config.h
	cat config.h util.c >util.o
main.o: main.c tables.h
	cat tables.h main.c >main.o
	grep -q VERSION config.h && cat config.h >>main.o
tables.h: gen.sh
	sh gen.sh >tables.h
END
echo '#define VERSION @VERSION@' >config.in
echo 'for i in 1 2 3 4 5 6 7 8; do echo "$i" | tr 1-8 a-h; done' >gen.sh
echo 'int main' >main.c; echo 'int util' >util.c
make -s -j4
