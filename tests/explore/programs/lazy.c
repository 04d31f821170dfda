// SPDX-License-Identifier: MIT
//
// Kind: an order of three threads that nobody sees to, though all of them take the lock.
// Holds: the one who looks, before it does, until the other two have added: one.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *look(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock); /* side: held */
    int now = sum;
    pthread_mutex_unlock(&lock);
    if (now >= 3) {
        printf("%d is too much\n", now);
        exit(1);
    }
    return NULL;
}

static void *add(void *amount)
{
    pthread_mutex_lock(&lock);
    sum += (int)(long)amount; /* side: passes */
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];

    if (pthread_create(&threads[0], NULL, add, (void *)1) != 0 ||
        pthread_create(&threads[1], NULL, add, (void *)2) != 0 || pthread_create(&threads[2], NULL, look, NULL) != 0)
        return 2;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
