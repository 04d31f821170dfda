# SPDX-License-Identifier: MIT
# options: mem=2048
cat >a.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
static int shared; static void *t(void *p) { for (int i = 0; i < 100; i++) shared++; return p; }
int main(int n, char **v) { if (n == 1) { int *p = malloc(8); free(p); return p[0]; } if (n == 2) { int k = 0x7fffffff; k += n; printf("%d\n", k); return 0; } pthread_t a; pthread_create(&a, 0, t, 0); t(0); pthread_join(a, 0); return 0; }
END
gcc -g -fsanitize=address a.c -o a -lpthread && ./a 2>&1 | grep -oE 'heap-use-after-free|freed by thread T0' | sort -u
gcc -g -fsanitize=undefined a.c -o u -lpthread && ./u x 2>&1 | sed 's/.*runtime error/runtime error/'
gcc -g -fsanitize=thread a.c -o t -lpthread && ./t x y 2>&1 | grep -oE 'data race' | sort -u
