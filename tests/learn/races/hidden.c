// SPDX-License-Identifier: MIT
//
// A race that a lock hides, which both take for something else: the first thread writes, then takes it, and the second takes it,
// then writes. Only when they run the other way round is nothing between the two writes.

#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long last, counter;

static void count(void)
{
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
}

static void *first(void *arg)
{
    last = 1; // race
    count();
    return arg;
}

static void *second(void *arg)
{
    count();
    last = 2; // race
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_create(&threads[0], NULL, first, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d %ld\n", last > 0, counter);
    return 0;
}
