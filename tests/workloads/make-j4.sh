# SPDX-License-Identifier: MIT
# A tree of a dozen sources built by four jobs at once.
set -e
cd /tmp
mkdir tree && cd tree
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    printf 'int f%d(int x)\n{\n    for (int i = 0; i < %d; i++)\n        x = x * 31 + i;\n    return x;\n}\n' $i $i >f$i.c
done
{
    echo '#include <stdio.h>'
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "int f$i(int);"; done
    echo 'int main(void) { unsigned s = 0;'
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "s = s * 7 + f$i($i);"; done
    echo 'printf("%u ", s); return 0; }'
} >main.c
cat >Makefile <<'END'
objects = $(patsubst %.c,%.o,$(wildcard *.c))
program: $(objects)
	$(CC) -o $@ $(sort $^)
%.o: %.c
	$(CC) -O1 -c -o $@ $<
END
make -j4 >log
sort log | sha256sum
./program
make -j4
sleep 1.1; touch f3.c; make -j4 -n | grep -c "f3.c"
