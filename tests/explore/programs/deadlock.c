// SPDX-License-Identifier: MIT
//
// Kind: two locks, taken in either order.
// Holds: one thread between its two locks until the other has its first: one. Hangs.

#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int both;

static void *left_first(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&left); /* side: passes */
    pthread_mutex_lock(&right); /* side: held */
    both++;
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return NULL;
}

static void *right_first(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&right); /* side: passes */
    pthread_mutex_lock(&left); /* side: held */
    both++;
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    if (pthread_create(&threads[0], NULL, left_first, NULL) != 0 ||
        pthread_create(&threads[1], NULL, right_first, NULL) != 0)
        return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
