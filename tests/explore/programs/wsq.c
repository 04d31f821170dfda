// SPDX-License-Identifier: MIT
//
// Kind: a work-stealing queue whose owner reads the head before it has lowered the tail.
// Holds: the owner between the two until the thief has taken the task that is last: one. The task is done twice.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { TASKS = 6 };

static pthread_mutex_t thieves = PTHREAD_MUTEX_INITIALIZER;
static atomic_int head, tail;
static int queue[TASKS];
static atomic_int done[TASKS];

static void push(int task)
{
    queue[tail] = task;
    atomic_fetch_add(&tail, 1);
}

// The owner takes what it put in last. -1: nothing is left.
static int pop(void)
{
    int last = atomic_load(&tail) - 1;
    int first = atomic_load(&head);
    if (first > last)
        return -1;
    atomic_store(&tail, last); /* side: held */
    return queue[last];
}

static int steal(void)
{
    int task = -1;
    pthread_mutex_lock(&thieves);
    int first = atomic_load(&head);
    if (first < atomic_load(&tail)) {
        task = queue[first];
        atomic_store(&head, first + 1); /* side: passes */
    }
    pthread_mutex_unlock(&thieves);
    return task;
}

static void *own(void *arg)
{
    (void)arg;
    for (int task = 0; task < TASKS; task++)
        push(task);
    for (int task; (task = pop()) >= 0;)
        atomic_fetch_add(&done[task], 1);
    return NULL;
}

static void *thieve(void *arg)
{
    (void)arg;
    for (int task; (task = steal()) >= 0;)
        atomic_fetch_add(&done[task], 1);
    return NULL;
}

int main(void)
{
    pthread_t owner, thief;
    int wrong = 0;

    if (pthread_create(&thief, NULL, thieve, NULL) != 0 || pthread_create(&owner, NULL, own, NULL) != 0)
        return 2;
    pthread_join(owner, NULL);
    pthread_join(thief, NULL);
    for (int task = 0; task < TASKS; task++)
        wrong += done[task] != 1;
    printf("%d of %d tasks not done once\n", wrong, TASKS);
    return wrong != 0;
}
