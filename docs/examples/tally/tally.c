// SPDX-License-Identifier: MIT
//
// Counts how often each page of a site was asked for. Two threads read a log each and add to the same counters.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGES = 3, LINES = 8 };

static const int logs[][LINES] = {
    {0, 0, 1, 0, 2, 0, 0, 1},
    {2, 2, 0, 2, 1, 2, 2, 0},
};

static int hits[PAGES];

static void *read_log(void *arg)
{
    const int *pages = arg;
    for (int i = 0; i < LINES; i++)
        hits[pages[i]]++; /* side: held */ /* side: passes */
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int sum = 0;

    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, read_log, (void *)logs[i]) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < PAGES; i++) {
        printf("page %d: %d\n", i, hits[i]);
        sum += hits[i];
    }
    if (sum == 2 * LINES)
        return EXIT_SUCCESS;
    printf("%d hits, of %d\n", sum, 2 * LINES);
    return EXIT_FAILURE;
}
