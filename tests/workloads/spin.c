// SPDX-License-Identifier: MIT
//
// Threads that spin without a system call until another one sets a flag.

#include "w.h"

#include <stdatomic.h>

static atomic_int turn;

static void *spin(void *arg)
{
    int mine = (int)(long)arg;
    for (int round = 0; round < 5; round++) {
        while (atomic_load_explicit(&turn, memory_order_acquire) % 3 != mine)
            continue;
        atomic_fetch_add(&turn, 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, spin, (void *)i) == 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d turns\n", atomic_load(&turn));
    return 0;
}
