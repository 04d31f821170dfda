// SPDX-License-Identifier: MIT
//
// A sequence lock whose data are plain: its reader throws away what it reads while a writer writes. By C11 that is a data race.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_uint version;
static int a, b;

static void *store(void *arg)
{
    for (int i = 1; i <= 3; i++) {
        atomic_fetch_add(&version, 1);
        a = i; // race
        sched_yield();
        b = -i; // race
        atomic_fetch_add(&version, 1);
    }
    return arg;
}

static void *load(void *arg)
{
    for (;;) {
        unsigned before = version;
        int sum = a + b; // race
        if (before % 2 == 0 && version == before) {
            *(int *)arg += sum;
            return arg;
        }
        sched_yield();
    }
}

int main(void)
{
    pthread_t writer, reader;
    int sum = 0;
    pthread_create(&reader, NULL, load, &sum);
    pthread_create(&writer, NULL, store, NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    printf("%d\n", sum);
    return 0;
}
