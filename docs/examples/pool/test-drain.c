// SPDX-License-Identifier: MIT
//
// pool_free() lets jobs that nobody waits for finish.

#include "pool.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { JOBS = 4 };

static atomic_int ended;

static int report(int data)
{
    char line[32];
    int length = snprintf(line, sizeof line, "job %d\n", data);
    if (write(STDOUT_FILENO, line, length) != length)
        abort();
    return atomic_fetch_add(&ended, 1);
}

int main(void)
{
    struct pool *pool = pool_new(1);
    if (pool == NULL)
        return 2;
    for (int i = 0; i < JOBS; i++)
        if (pool_submit(pool, report, i) != i)
            return 2;
    pool_free(pool);

    printf("test-drain: %d of %d jobs ended\n", atomic_load(&ended), JOBS);
    return atomic_load(&ended) == JOBS ? EXIT_SUCCESS : EXIT_FAILURE;
}
