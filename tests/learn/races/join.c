// SPDX-License-Identifier: MIT
//
// Results are read once their threads were joined, and what was there before a thread by that thread. Stacks are used again.

#include <pthread.h>
#include <stdio.h>

static int input, results[4];

static void *work(void *arg)
{
    int local[4] = {input, 1, 2, 3};
    int *volatile at = local;
    *(int *)arg = at[0] + at[3];
    return arg;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        input = i;
        pthread_create(&thread, NULL, work, &results[i]);
        pthread_join(thread, NULL);
        sum += results[i];
    }
    printf("%d\n", sum);
    return 0;
}
