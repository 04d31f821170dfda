// SPDX-License-Identifier: MIT
//
// Correct: a sequence lock whose reader tries again.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { STORES = 20, LOADS = 20 };

static atomic_uint version;
static atomic_int a, b;

static void *store(void *arg)
{
    (void)arg;
    for (int i = 1; i <= STORES; i++) {
        atomic_fetch_add(&version, 1);
        atomic_store(&a, i);
        atomic_store(&b, -i);
        atomic_fetch_add(&version, 1);
    }
    return NULL;
}

static int load(void)
{
    for (;;) {
        unsigned before = atomic_load(&version);
        int sum = atomic_load(&a) + atomic_load(&b);
        if (before % 2 == 0 && atomic_load(&version) == before)
            return sum;
        sched_yield();
    }
}

static void *load_all(void *wrong)
{
    for (int i = 0; i < LOADS; i++)
        *(int *)wrong += load() != 0;
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;
    int wrong = 0;

    if (pthread_create(&writer, NULL, store, NULL) != 0 || pthread_create(&reader, NULL, load_all, &wrong) != 0)
        return 2;
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
