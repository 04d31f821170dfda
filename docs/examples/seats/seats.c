// SPDX-License-Identifier: MIT
//
// Two offices sell the last seat of each train. An office says that it has a customer for it and then looks whether the other
// one has, too: then neither sells it. So no seat is sold twice.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRAINS = 6 };

struct train {
    atomic_int wanted[2];
    int sold[2];
};

static struct train trains[TRAINS];

static void *sell(void *arg)
{
    int office = (int)(long)arg;
    for (int i = 0; i < TRAINS; i++) {
        struct train *train = &trains[i];
        atomic_store_explicit(&train->wanted[office], 1, memory_order_release); /* side: held */
        if (atomic_load_explicit(&train->wanted[!office], memory_order_acquire) == 0) /* side: passes */
            train->sold[office] = 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int twice = 0;

    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, sell, (void *)(long)i) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < TRAINS; i++)
        if (trains[i].sold[0] && trains[i].sold[1]) {
            printf("train %d: the last seat was sold twice\n", i + 1);
            twice = 1;
        }
    return twice ? EXIT_FAILURE : EXIT_SUCCESS;
}
