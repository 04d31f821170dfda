// SPDX-License-Identifier: MIT
//
// usage: twostage WRITERS
//
// Kind: two values, each stored under a lock of its own, that belong together.
// Holds: the reader, which is made last and runs first, until a writer is between its two stages, and that writer until the
// reader has read both: two.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *write_both(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&first_lock);
    first = 1; /* side: passes */
    pthread_mutex_unlock(&first_lock);

    pthread_mutex_lock(&second_lock); /* side: held */
    second = first + 1;
    pthread_mutex_unlock(&second_lock);
    return NULL;
}

static void *read_both(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&first_lock); /* side: held */
    int now_first = first;
    pthread_mutex_unlock(&first_lock);
    if (now_first == 0)
        return NULL;

    pthread_mutex_lock(&second_lock); /* side: passes */
    int now_second = second; /* side: passes */
    pthread_mutex_unlock(&second_lock);
    if (now_second == now_first + 1)
        return NULL;
    printf("first %d, second %d\n", now_first, now_second);
    exit(1);
}

int main(int argc, char **argv)
{
    int writers = argc > 1 ? atoi(argv[1]) : 1;
    pthread_t threads[128], reader;

    if (writers < 1 || writers > 128)
        return 2;
    for (int i = 0; i < writers; i++)
        if (pthread_create(&threads[i], NULL, write_both, NULL) != 0)
            return 2;
    if (pthread_create(&reader, NULL, read_both, NULL) != 0)
        return 2;
    for (int i = 0; i < writers; i++)
        pthread_join(threads[i], NULL);
    pthread_join(reader, NULL);
    return 0;
}
