// SPDX-License-Identifier: MIT
//
// A flag that is stored with release and loaded with acquire: in machine code plain moves.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int ready;
static int message;

static void *send(void *arg)
{
    message = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return arg;
}

static void *get(void *arg)
{
    while (!atomic_load_explicit(&ready, memory_order_acquire))
        sched_yield();
    *(int *)arg = message;
    return arg;
}

int main(void)
{
    pthread_t sender, getter;
    int got = 0;
    pthread_create(&getter, NULL, get, &got);
    pthread_create(&sender, NULL, send, NULL);
    pthread_join(sender, NULL);
    pthread_join(getter, NULL);
    printf("%d\n", got);
    return 0;
}
