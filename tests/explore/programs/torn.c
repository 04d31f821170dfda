// SPDX-License-Identifier: MIT
//
// Kind: two values with a number of their version; who reads takes the same number before and after for whole, also where it is odd.
// Holds: the one who writes between the two values until the other one has read both: one.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_uint version;
static atomic_int left_part = 1, right_part = -1;

static void *write_both(void *arg)
{
    (void)arg;
    for (int i = 2; i < 4; i++) {
        atomic_fetch_add(&version, 1);
        atomic_store(&left_part, i);
        atomic_store(&right_part, -i); /* side: held */
        atomic_fetch_add(&version, 1);
    }
    return NULL;
}

static void *read_both(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        unsigned before = atomic_load(&version);
        int sum = atomic_load(&left_part) + atomic_load(&right_part); /* side: passes */
        if (atomic_load(&version) == before && sum != 0) { /* side: passes */
            printf("sum %d\n", sum);
            exit(1);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;

    if (pthread_create(&reader, NULL, read_both, NULL) != 0 || pthread_create(&writer, NULL, write_both, NULL) != 0)
        return 2;
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    return 0;
}
