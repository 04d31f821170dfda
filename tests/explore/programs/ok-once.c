// SPDX-License-Identifier: MIT
//
// Correct: what is made at its first use is made by pthread_once; a table is read under a rwlock, which is taken again for
// writing, and looked at again.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, KEYS = 4 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int *table, count, made;

static void make(void)
{
    table = calloc(16, sizeof *table);
    made++;
}

static int has(int key)
{
    for (int i = 0; i < count; i++)
        if (table[i] == key)
            return 1;
    return 0;
}

static void add(int key)
{
    pthread_rwlock_rdlock(&lock);
    int there = has(key);
    pthread_rwlock_unlock(&lock);
    if (there)
        return;
    pthread_rwlock_wrlock(&lock);
    if (!has(key))
        table[count++] = key;
    pthread_rwlock_unlock(&lock);
}

static void *work(void *arg)
{
    (void)arg;
    pthread_once(&once, make);
    for (int key = 1; key <= KEYS; key++)
        add(key);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 2;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d keys, made %d times\n", count, made);
    return count != KEYS || made != 1;
}
