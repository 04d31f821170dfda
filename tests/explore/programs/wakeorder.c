// SPDX-License-Identifier: MIT
//
// Two threads wait for one futex, a millisecond apart, and are woken one by one: the first that waits is expected to be
// the first that goes on. Fails: thread 2 before its futex(2), until thread 3 waits.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WAITERS = 2 };

static _Atomic int gate, turn;
static int order[WAITERS];

static long futex(_Atomic int *word, int operation, int value)
{
    return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static void *wait_in_line(void *data)
{
    int me = *(int *)data;
    usleep(1000 * me);
    while (!atomic_load(&gate))
        futex(&gate, FUTEX_WAIT_PRIVATE, 0);
    order[atomic_fetch_add(&turn, 1)] = me;
    return NULL;
}

int main(void)
{
    pthread_t threads[WAITERS];
    int numbers[WAITERS];
    for (int i = 0; i < WAITERS; i++) {
        numbers[i] = i + 1;
        if (pthread_create(&threads[i], NULL, wait_in_line, &numbers[i]) != 0)
            abort();
    }
    usleep(20000);
    atomic_store(&gate, 1);
    for (int i = 0; i < WAITERS; i++) {
        futex(&gate, FUTEX_WAKE_PRIVATE, 1);
        usleep(1000);
    }
    for (int i = 0; i < WAITERS; i++)
        pthread_join(threads[i], NULL);
    printf("%d goes on first\n", order[0]);
    return order[0] != 1;
}
