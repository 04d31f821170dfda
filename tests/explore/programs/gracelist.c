// SPDX-License-Identifier: MIT
//
// Kind: a configuration is replaced and the old one taken apart, though somebody may still read it: no grace period.
// Holds: a reader between its look for the pointer and the field until the old one is taken apart: one.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct config {
    int size;
    volatile int usable;
};

static struct config old = {10, 1}, new = {20, 1};
static _Atomic(struct config *) current = &old;

static void *read_it(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        const struct config *config = atomic_load(&current);
        if (!config->usable) { /* side: held */
            puts("read after it was taken apart");
            exit(1);
        }
    }
    return NULL;
}

static void *replace(void *arg)
{
    (void)arg;
    struct config *before = atomic_exchange(&current, &new);
    before->usable = 0; /* side: passes */
    return NULL;
}

int main(void)
{
    pthread_t readers[2], writer;

    if (pthread_create(&writer, NULL, replace, NULL) != 0)
        return 2;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&readers[i], NULL, read_it, NULL) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(readers[i], NULL);
    pthread_join(writer, NULL);
    return 0;
}
