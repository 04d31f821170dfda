// SPDX-License-Identifier: MIT
//
// usage: reorder SETTERS [late]
//
// Kind: two stores that belong together, plain. SETTERS threads store both, one checks them.
// Holds: the checker, which is made last and runs first, until a setter has done its first store, and that setter before its
// second one until the checker has looked: two. When it is made first (`late`) and runs last, every setter has to be held
// before its second store or before its first: SETTERS.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int a, b;

static void *set(void *arg)
{
    (void)arg;
    a = 1; /* side: passes */
    b = -1; /* side: held */
    return NULL;
}

static void *check(void *arg)
{
    (void)arg;
    int now_a = a; /* side: held */
    int now_b = b; /* side: passes */
    if (now_a + now_b == 0)
        return NULL;
    printf("a %d, b %d\n", now_a, now_b);
    exit(1);
}

int main(int argc, char **argv)
{
    int setters = argc > 1 ? atoi(argv[1]) : 1, late = argc > 2;
    pthread_t threads[128], checker;

    if (setters < 1 || setters > 128)
        return 2;
    if (late && pthread_create(&checker, NULL, check, NULL) != 0)
        return 2;
    for (int i = 0; i < setters; i++)
        if (pthread_create(&threads[i], NULL, set, NULL) != 0)
            return 2;
    if (!late && pthread_create(&checker, NULL, check, NULL) != 0)
        return 2;
    for (int i = 0; i < setters; i++)
        pthread_join(threads[i], NULL);
    pthread_join(checker, NULL);
    return 0;
}
