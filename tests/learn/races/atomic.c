// SPDX-License-Identifier: MIT
//
// An atomic counter, which is read while others count.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_long counter;

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++)
        atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    *(long *)arg = counter;
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    long seen[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &seen[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld %d\n", counter, seen[0] + seen[1] >= 9);
    return 0;
}
