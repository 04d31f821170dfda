// SPDX-License-Identifier: MIT
//
// Handed over with a condition variable; what is handed over is used without the lock. A semaphore and a barrier do the same.

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int ready, first, second, third;

static void *send(void *arg)
{
    first = 1;
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    second = 2;
    sem_post(&semaphore);
    third = 3;
    pthread_barrier_wait(&barrier);
    return arg;
}

static void *get(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    int sum = first;
    sem_wait(&semaphore);
    sum += second;
    pthread_barrier_wait(&barrier);
    *(int *)arg = sum + third;
    return arg;
}

int main(void)
{
    pthread_t sender, getter;
    int got = 0;
    sem_init(&semaphore, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&getter, NULL, get, &got);
    pthread_create(&sender, NULL, send, NULL);
    pthread_join(sender, NULL);
    pthread_join(getter, NULL);
    printf("%d\n", got);
    return 0;
}
