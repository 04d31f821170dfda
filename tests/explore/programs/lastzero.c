// SPDX-License-Identifier: MIT
//
// usage: lastzero WRITERS
//
// Kind: one thread looks for the last zero of an array from its end, while each of WRITERS threads sets its cell to one more
// than the cell before.
// Holds: the one who looks, when it has found a zero and before it looks again, until that cell's writer has stored: one.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int cells[130];
static int writers;

static void *look(void *arg)
{
    (void)arg;
    int i = writers;
    while (cells[i] != 0)
        i--;
    if (cells[i] != 0) { /* side: held */
        printf("cell %d is no zero\n", i);
        exit(1);
    }
    return NULL;
}

static void *write_cell(void *arg)
{
    int i = (int)(long)arg;
    cells[i] = cells[i - 1] + 1; /* side: passes */
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[128], looker;

    writers = argc > 1 ? atoi(argv[1]) : 2;
    if (writers < 1 || writers > 128)
        return 2;
    for (long i = 0; i < writers; i++)
        if (pthread_create(&threads[i], NULL, write_cell, (void *)(i + 1)) != 0)
            return 2;
    if (pthread_create(&looker, NULL, look, NULL) != 0)
        return 2;
    pthread_join(looker, NULL);
    for (int i = 0; i < writers; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
