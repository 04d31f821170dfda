// SPDX-License-Identifier: MIT
//
// Kind: who dines takes one fork and tries the other one; who failed three times gives up.
// Holds: one of them with both forks until a neighbour has tried three times: one.

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { DINERS = 3, TRIES = 3, MEALS = 2 };

static pthread_mutex_t forks[DINERS];
static int meals[DINERS];

static int dine(int me)
{
    pthread_mutex_t *left = &forks[me], *right = &forks[(me + 1) % DINERS];
    for (int i = 0; i < TRIES; i++) {
        if (pthread_mutex_trylock(left) == 0) {
            if (pthread_mutex_trylock(right) == 0) {
                meals[me]++; /* side: held */
                pthread_mutex_unlock(right);
                pthread_mutex_unlock(left);
                return 1;
            }
            pthread_mutex_unlock(left);
        }
        sched_yield();
    }
    return 0;
}

static void *live(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < MEALS; i++)
        if (!dine(me)) {
            printf("%d starved\n", me);
            exit(1);
        }
    return NULL;
}

int main(void)
{
    pthread_t threads[DINERS];

    for (int i = 0; i < DINERS; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < DINERS; i++)
        if (pthread_create(&threads[i], NULL, live, (void *)i) != 0)
            return 2;
    for (int i = 0; i < DINERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
