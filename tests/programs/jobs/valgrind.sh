# SPDX-License-Identifier: MIT
# options: mem=2048
cat >a.c <<'END'
#include <stdlib.h>
#include <pthread.h>
#include <stdio.h>
static int shared; static void *t(void *p) { shared++; return p; }
int main(int n, char **v) { char *p = malloc(10); p[10] = 1; int x; if (n > 1) { pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0); pthread_join(a, 0); pthread_join(b, 0); } else if (*(volatile int *)&x == 3) puts("three"); return 0; }
END
gcc -g a.c -o a -lpthread; valgrind ./a 2>&1 | grep -E 'Invalid write|uninitialised|definitely lost|ERROR SUMMARY' | sed 's/^==[0-9]*== *//'
valgrind --tool=helgrind ./a x 2>&1 | grep -cE 'Possible data race'
