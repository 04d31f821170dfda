// SPDX-License-Identifier: MIT
//
// Correct: a bounded queue with a lock and two condition variables; two put, two take.

#include <pthread.h>
#include <stdio.h>

enum { SLOTS = 3, ITEMS = 12, PUTTERS = 2, TAKERS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int slots[SLOTS], in, out, count;
static int sums[TAKERS];

static void put(int item)
{
    pthread_mutex_lock(&lock);
    while (count == SLOTS)
        pthread_cond_wait(&not_full, &lock);
    slots[in++ % SLOTS] = item;
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    int item = slots[out++ % SLOTS];
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *put_all(void *arg)
{
    (void)arg;
    for (int item = 1; item <= ITEMS; item++)
        put(item);
    return NULL;
}

static void *take_all(void *sum)
{
    for (int i = 0; i < ITEMS * PUTTERS / TAKERS; i++)
        *(int *)sum += take();
    return NULL;
}

int main(void)
{
    pthread_t putters[PUTTERS], takers[TAKERS];
    int sum = 0;

    for (int i = 0; i < TAKERS; i++)
        if (pthread_create(&takers[i], NULL, take_all, &sums[i]) != 0)
            return 2;
    for (int i = 0; i < PUTTERS; i++)
        if (pthread_create(&putters[i], NULL, put_all, NULL) != 0)
            return 2;
    for (int i = 0; i < PUTTERS; i++)
        pthread_join(putters[i], NULL);
    for (int i = 0; i < TAKERS; i++) {
        pthread_join(takers[i], NULL);
        sum += sums[i];
    }
    printf("sum %d\n", sum);
    return sum != PUTTERS * ITEMS * (ITEMS + 1) / 2;
}
