// SPDX-License-Identifier: MIT
//
// Threads that write to neighbours, within one word.

#include <pthread.h>
#include <stdio.h>

static struct {
    short numbers[2];
    char bytes[4];
} word;

static void *work(void *arg)
{
    int me = *(int *)arg;
    for (int i = 0; i < 3; i++) {
        word.numbers[me]++;
        word.bytes[me + 1]++;
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", word.numbers[0] + word.numbers[1] + word.bytes[1] + word.bytes[2]);
    return 0;
}
