// SPDX-License-Identifier: MIT
//
// Kind: a stack with a lock, whose emptiness is looked at before the lock is taken.
// Holds: one who takes between its look and the lock until another has taken the last one: one.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int top = 3;

static void *take(void *arg)
{
    (void)arg;
    while (top > 0) {
        pthread_mutex_lock(&lock); /* side: held */
        top--; /* side: passes */
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, take, NULL) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("top %d\n", top);
    return top != 0;
}
