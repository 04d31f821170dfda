// SPDX-License-Identifier: MIT
//
// Every job's result comes back under the job's own number.

#include "pool.h"

#include <stdio.h>
#include <stdlib.h>

enum { JOBS = 6 };

static int square(int data)
{
    return data * data;
}

int main(void)
{
    struct pool *pool = pool_new(2);
    if (pool == NULL)
        return 2;

    int numbers[JOBS];
    int wrong = 0;
    for (int i = 0; i < JOBS; i++)
        numbers[i] = pool_submit(pool, square, i);
    for (int i = 0; i < JOBS; i++)
        if (pool_result(pool, numbers[i]) != i * i)
            wrong++;
    pool_free(pool);

    printf("test-results: %d of %d wrong\n", wrong, JOBS);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
