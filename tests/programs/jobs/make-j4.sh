# SPDX-License-Identifier: MIT
# options: cores=4
mkdir src && for i in 1 2 3 4 5 6 7 8; do echo "int f$i(int x) { return x * $i; }" >src/f$i.c; done
{ for i in 1 2 3 4 5 6 7 8; do echo "int f$i(int);"; done; echo 'int main(void) { return f1(1) + f8(2) - 17; }'; } >src/main.c
printf 'objs := $(patsubst %%.c,%%.o,$(wildcard src/*.c))\nprog: $(objs)\n\t@$(CC) -o $@ $^ && echo linked\n%%.o: %%.c\n\t@$(CC) -c $< -o $@\ntest: prog\n\t@./prog && echo passed\n' >Makefile
make -j4 test && touch src/f3.c && make -j4 test && make -q; echo $?
