// SPDX-License-Identifier: MIT
//
// Kind: a chain of copies, each made under the lock, by threads whose order nobody sees to.
// Holds: the one who looks, before it does, until the first or second token is there and the third is not: one.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tokens[3];

static void *pass_on(void *arg)
{
    int to = (int)(long)arg;
    pthread_mutex_lock(&lock); /* side: held */
    tokens[to] = to == 0 ? 1 : tokens[to - 1]; /* side: passes */
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *look(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock); /* side: held */ /* side: passes */
    int wrong = tokens[0] != tokens[1] || tokens[1] != tokens[2];
    pthread_mutex_unlock(&lock);
    if (wrong) {
        printf("%d %d %d\n", tokens[0], tokens[1], tokens[2]);
        exit(1);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4];

    for (long i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, i < 3 ? pass_on : look, (void *)i) != 0)
            return 2;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
