// SPDX-License-Identifier: MIT
//
// Mutexes, condition variables, barriers, read-write locks, thread-local storage, detached and cancelled
// threads.

#include "w.h"

enum { WORKERS = 4, ITEMS = 400, SLOTS = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int slots[SLOTS], first, used, taken[ITEMS + 1];
static int once_calls, table_sum, cleaned_up;
static __thread int own;

static void count_once(void)
{
    once_calls++;
}

static void put(int item)
{
    pthread_mutex_lock(&lock);
    while (used == SLOTS)
        pthread_cond_wait(&not_full, &lock);
    slots[(first + used++) % SLOTS] = item;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    pthread_mutex_lock(&lock);
    while (used == 0)
        pthread_cond_wait(&not_empty, &lock);
    int item = slots[first];
    first = (first + 1) % SLOTS;
    used--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *consume(void *arg)
{
    long sum = 0;
    (void)arg;
    pthread_once(&once, count_once);
    pthread_barrier_wait(&barrier);
    for (int item = take(); item != 0; item = take()) {
        taken[item]++;
        own++;
        pthread_rwlock_wrlock(&table_lock);
        table_sum += item;
        pthread_rwlock_unlock(&table_lock);
        pthread_rwlock_rdlock(&table_lock);
        sum += table_sum > 0;
        pthread_rwlock_unlock(&table_lock);
    }
    return (void *)(sum - own);
}

static void clean_up(void *arg)
{
    cleaned_up += *(int *)arg;
}

static void *sleep_for_ever(void *arg)
{
    pthread_cleanup_push(clean_up, arg);
    for (;;)
        pause();
    pthread_cleanup_pop(0);
    return NULL;
}

static void cancel_a_sleeper(void)
{
    pthread_t sleeper;
    int weight = 7;
    void *result;
    CHECK(pthread_create(&sleeper, NULL, sleep_for_ever, &weight) == 0);
    usleep(1000);
    pthread_cancel(sleeper);
    pthread_join(sleeper, &result);
    printf("cancelled %d, cleaned up %d\n", result == PTHREAD_CANCELED, cleaned_up);
}

int main(void)
{
    pthread_t workers[WORKERS];
    long difference = 0;

    pthread_barrier_init(&barrier, NULL, WORKERS);
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_create(&workers[i], NULL, consume, NULL) == 0);
    for (int item = 1; item <= ITEMS; item++)
        put(item);
    for (int i = 0; i < WORKERS; i++)
        put(0);
    for (int i = 0; i < WORKERS; i++) {
        void *result;
        pthread_join(workers[i], &result);
        difference += (long)result;
    }
    int right = 0;
    for (int item = 1; item <= ITEMS; item++)
        right += taken[item] == 1;
    printf("%d items taken once, sum %d, once %d, difference %ld, own %d\n", right, table_sum, once_calls,
           difference, own);
    cancel_a_sleeper();
    return 0;
}
