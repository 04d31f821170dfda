// SPDX-License-Identifier: MIT
//
// Correct: Dekker's algorithm with fences; who waits gives the processor away.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROUNDS = 20 };

static atomic_int wants[2], turn;
static int inside, total;

static void enter(int me)
{
    atomic_store_explicit(&wants[me], 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    while (atomic_load_explicit(&wants[!me], memory_order_acquire)) {
        if (atomic_load_explicit(&turn, memory_order_relaxed) != me) {
            atomic_store_explicit(&wants[me], 0, memory_order_release);
            while (atomic_load_explicit(&turn, memory_order_relaxed) != me)
                sched_yield();
            atomic_store_explicit(&wants[me], 1, memory_order_relaxed);
            atomic_thread_fence(memory_order_seq_cst);
        } else {
            sched_yield();
        }
    }
}

static void leave(int me)
{
    atomic_store_explicit(&turn, !me, memory_order_relaxed);
    atomic_store_explicit(&wants[me], 0, memory_order_release);
}

static void *work(void *arg)
{
    int me = (int)(long)arg;
    for (int round = 0; round < ROUNDS; round++) {
        enter(me);
        inside++;
        total += inside == 1;
        inside--;
        leave(me);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (long i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d of %d alone\n", total, 2 * ROUNDS);
    return total != 2 * ROUNDS;
}
