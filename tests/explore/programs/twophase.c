// SPDX-License-Identifier: MIT
//
// Kind: a commit in two phases whose participants say that they have voted before their vote is there.
// Holds: the one who votes against it between the two until the coordinator has looked: one.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTICIPANTS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int voted;
static volatile int against;

static void *vote(void *arg)
{
    pthread_mutex_lock(&lock);
    voted++;
    pthread_cond_signal(&changed); /* side: passes */
    pthread_mutex_unlock(&lock);
    if (arg != NULL)
        against = 1; /* side: held */
    return NULL;
}

static void *coordinate(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    while (voted < PARTICIPANTS)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    if (!against) { /* side: passes */
        puts("committed, though one was against it");
        exit(1);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[PARTICIPANTS], coordinator;

    if (pthread_create(&coordinator, NULL, coordinate, NULL) != 0)
        return 2;
    for (long i = 0; i < PARTICIPANTS; i++)
        if (pthread_create(&threads[i], NULL, vote, i == 1 ? &lock : NULL) != 0)
            return 2;
    for (int i = 0; i < PARTICIPANTS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(coordinator, NULL);
    return 0;
}
