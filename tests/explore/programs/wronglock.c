// SPDX-License-Identifier: MIT
//
// usage: wronglock OTHERS
//
// Kind: one thread changes a value under another lock than the OTHERS.
// Holds: the one, or one of the others, between load and store until one with the other lock has stored: one.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, wrong_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int value;

static void *add(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    int before = value;
    value = before + 1; /* side: held */ /* side: passes */
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *add_wrongly(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&wrong_lock);
    int before = value;
    value = before + 1; /* side: held */ /* side: passes */
    pthread_mutex_unlock(&wrong_lock);
    return NULL;
}

int main(int argc, char **argv)
{
    int others = argc > 1 ? atoi(argv[1]) : 1;
    pthread_t threads[128], one;

    if (others < 1 || others > 128)
        return 2;
    if (pthread_create(&one, NULL, add_wrongly, NULL) != 0)
        return 2;
    for (int i = 0; i < others; i++)
        if (pthread_create(&threads[i], NULL, add, NULL) != 0)
            return 2;
    pthread_join(one, NULL);
    for (int i = 0; i < others; i++)
        pthread_join(threads[i], NULL);
    printf("%d of %d\n", value, others + 1);
    return value != others + 1;
}
