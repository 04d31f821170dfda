// SPDX-License-Identifier: MIT
//
// Kind: who is woken takes an item without looking again whether it is still there.
// Holds: one of those who take, before the lock, until an item was put for another one who waits: one.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void *take(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock); /* side: held */
    if (items == 0)
        pthread_cond_wait(&changed, &lock);
    if (items == 0) {
        puts("nothing there");
        exit(1);
    }
    items--;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *put(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        items++;
        pthread_cond_signal(&changed); /* side: passes */
        pthread_mutex_unlock(&lock); /* side: passes */
    }
    return NULL;
}

int main(void)
{
    pthread_t takers[2], putter;

    if (pthread_create(&putter, NULL, put, NULL) != 0)
        return 2;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&takers[i], NULL, take, NULL) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(takers[i], NULL);
    pthread_join(putter, NULL);
    return 0;
}
