// SPDX-License-Identifier: MIT
//
// Correct: a tree of threads; each starts two more, joins them and adds up.

#include <pthread.h>
#include <stdio.h>

enum { DEPTH = 4 };

static void *grow(void *arg)
{
    long depth = (long)arg;
    pthread_t children[2];
    long sum = 1;

    if (depth == 0)
        return (void *)sum;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&children[i], NULL, grow, (void *)(depth - 1)) != 0)
            return NULL;
    for (int i = 0; i < 2; i++) {
        void *part;
        pthread_join(children[i], &part);
        sum += (long)part;
    }
    return (void *)sum;
}

int main(void)
{
    long sum = (long)grow((void *)DEPTH);
    printf("%ld threads\n", sum);
    return sum != (1 << (DEPTH + 1)) - 1;
}
