// SPDX-License-Identifier: MIT
//
// Kind: work is handed over by a flag that is set before the work is there.
// Holds: the one who hands it over between the two until the other one has looked for it: one.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 3 };

static atomic_int given;
static atomic_int work;

static void *give(void *arg)
{
    (void)arg;
    for (int i = 1; i <= ROUNDS; i++) {
        atomic_store(&given, 1);
        atomic_store(&work, i); /* side: held */
        while (atomic_load(&given))
            sched_yield();
    }
    return NULL;
}

static void *take(void *arg)
{
    (void)arg;
    for (int i = 1; i <= ROUNDS; i++) {
        while (!atomic_load(&given))
            sched_yield();
        int now = atomic_load(&work); /* side: passes */
        if (now != i) {
            printf("work %d instead of %d\n", now, i);
            exit(1);
        }
        atomic_store(&given, 0);
    }
    return NULL;
}

int main(void)
{
    pthread_t giver, taker;

    if (pthread_create(&giver, NULL, give, NULL) != 0 || pthread_create(&taker, NULL, take, NULL) != 0)
        return 2;
    pthread_join(giver, NULL);
    pthread_join(taker, NULL);
    return 0;
}
