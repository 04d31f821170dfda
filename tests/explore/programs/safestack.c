// SPDX-License-Identifier: MIT
//
// Kind: a stack without locks, of three elements, for three threads; after D. Vyukov. Two of them get the same element.
// Holds: five changes of the thread at exact places, as published; the holds that make them are not known to be fewer.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, ROUNDS = 2 };

static struct {
    atomic_int value;
    atomic_int next;
} elements[THREADS] = {{0, 1}, {0, 2}, {0, -1}};
static atomic_int head, count = THREADS;

static int pop(void)
{
    while (atomic_load(&count) > 1) {
        int first = atomic_load(&head);
        int second = atomic_exchange(&elements[first].next, -1); /* side: held */
        if (second >= 0) {
            int expected = first;
            if (atomic_compare_exchange_strong(&head, &expected, second)) { /* side: held */ /* side: passes */
                atomic_fetch_sub(&count, 1);
                return first;
            }
            atomic_exchange(&elements[first].next, second); /* side: held */ /* side: passes */
        }
        sched_yield();
    }
    return -1;
}

static void push(int element)
{
    int first = atomic_load(&head);
    do
        atomic_store(&elements[element].next, first);
    while (!atomic_compare_exchange_strong(&head, &first, element)); /* side: held */ /* side: passes */
    atomic_fetch_add(&count, 1);
}

static void *work(void *arg)
{
    int me = (int)(long)arg;
    for (int round = 0; round < ROUNDS; round++) {
        int element;
        while ((element = pop()) < 0)
            sched_yield();
        atomic_store(&elements[element].value, me);
        if (atomic_load(&elements[element].value) != me) { /* side: held */
            puts("two threads have one element");
            exit(1);
        }
        push(element);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(i + 1)) != 0)
            return 2;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
