// SPDX-License-Identifier: MIT
//
// A counter with a lock, and one with a spin lock whose holder gives it away by a plain store.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int spin;
static long counter, other;

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
        while (atomic_exchange(&spin, 1))
            sched_yield();
        other++;
        atomic_store_explicit(&spin, 0, memory_order_release);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", counter + other);
    return 0;
}
