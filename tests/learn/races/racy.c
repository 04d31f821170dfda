// SPDX-License-Identifier: MIT
//
// A counter without a lock.

#include <pthread.h>
#include <stdio.h>

static long counter;

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++)
        counter++; // race
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", counter);
    return 0;
}
