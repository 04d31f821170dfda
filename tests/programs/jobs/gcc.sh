# SPDX-License-Identifier: MIT
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <pthread.h>
static long total; static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *n) { for (int i = 0; i < 2000; i++) { pthread_mutex_lock(&lock); total += (long)n; pthread_mutex_unlock(&lock); } return NULL; }
static int compare(const void *a, const void *b) { return *(int *)a - *(int *)b; }
int main(void)
{
    static int v[20000]; unsigned x = 1; pthread_t t[4];
    for (int i = 0; i < 20000; i++) v[i] = (x = x * 1103515245 + 12345) >> 8;
    qsort(v, 20000, sizeof *v, compare);
    for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, add, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    printf("%d %d %ld %.10f\n", v[0], v[19999], total, sqrt(2) * pow(1.1, 10) + sin(1));
    return 0;
}
END
for o in 0 1 2 3; do gcc -O$o a.c -o a -lm -lpthread && ./a; done
gcc -O2 -flto a.c -o a -lm && ./a; gcc -static a.c -o a -lm && ./a; gcc -S -O2 a.c -o - | grep -c qsort
gcc -E -dM - </dev/null | grep __x86_64__; echo 'int f(' | gcc -x c -c - -o x.o 2>&1 | tail -n 3
