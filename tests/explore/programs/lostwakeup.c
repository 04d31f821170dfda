// SPDX-License-Identifier: MIT
//
// Kind: a condition is looked at before the lock is taken, and waited for with it.
// Holds: the one who waits between its look and the lock until the other has signalled: one. Hangs.

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *wait_for_it(void *arg)
{
    (void)arg;
    if (!atomic_load(&ready)) {
        pthread_mutex_lock(&lock); /* side: held */
        pthread_cond_wait(&changed, &lock); /* side: held */
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *signal_it(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    atomic_store(&ready, 1);
    pthread_cond_signal(&changed); /* side: passes */
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    if (pthread_create(&threads[0], NULL, signal_it, NULL) != 0 ||
        pthread_create(&threads[1], NULL, wait_for_it, NULL) != 0)
        return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
