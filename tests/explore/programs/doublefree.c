// SPDX-License-Identifier: MIT
//
// Kind: two threads free what is there, and each looks first.
// Holds: one between its look and the store of NULL until the other one has looked: one. SIGABRT.

#include <pthread.h>
#include <stdlib.h>

static char *volatile buffer;

static void *close_it(void *arg)
{
    (void)arg;
    char *found = buffer;
    if (found != NULL) { /* side: passes */
        free(found); /* side: held */
        buffer = NULL; /* side: held */
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    buffer = malloc(100000);
    free(malloc(64)); // the allocator is in use before
    buffer = malloc(64);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, close_it, NULL) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
