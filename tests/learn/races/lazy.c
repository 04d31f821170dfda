// SPDX-License-Identifier: MIT
//
// Double-checked locking without atomics.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *table;

static int *get_table(void)
{
    if (!table) { // race
        pthread_mutex_lock(&lock);
        if (!table) {
            int *made = malloc(sizeof *made);
            *made = 7; // race
            table = made; // race
        }
        pthread_mutex_unlock(&lock);
    }
    return table; // race
}

static void *work(void *arg)
{
    *(int *)arg = *get_table(); // race
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    int got[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &got[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", got[0] + got[1]);
    return 0;
}
