// SPDX-License-Identifier: MIT
//
// Kind: a circular buffer whose two ends change one count, by plain loads and stores.
// Holds: either end between load and store of the count until the other one has stored: one.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 8, ITEMS = 8 };

static int slots[SLOTS];
static volatile int count;
static atomic_int all_put;
static int taken;

static void *put_all(void *arg)
{
    (void)arg;
    for (int i = 0; i < ITEMS; i++) {
        slots[i % SLOTS] = i + 1;
        int before = count;
        count = before + 1; /* side: held */ /* side: passes */
    }
    atomic_store(&all_put, 1);
    return NULL;
}

static void *take_all(void *arg)
{
    (void)arg;
    for (int out = 0;;) {
        int last = atomic_load(&all_put);
        int before = count;
        if (before == 0 && last)
            break;
        if (before == 0)
            continue;
        taken += slots[out++ % SLOTS];
        before = count;
        count = before - 1; /* side: held */ /* side: passes */
    }
    return NULL;
}

int main(void)
{
    pthread_t putter, taker;

    if (pthread_create(&taker, NULL, take_all, NULL) != 0 || pthread_create(&putter, NULL, put_all, NULL) != 0)
        return 2;
    pthread_join(putter, NULL);
    pthread_join(taker, NULL);
    printf("taken %d of %d\n", taken, ITEMS * (ITEMS + 1) / 2);
    return taken != ITEMS * (ITEMS + 1) / 2;
}
