// SPDX-License-Identifier: MIT
//
// usage: late [race]
//
// Asks a child, and fails with 3 when that took 50 ms. With "race" two threads count without a
// lock, too: it fails with 4 when one of them was lost.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int count;

static void *add(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++)
        count = count + 1;
    return NULL;
}

static int race(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return count == 6 ? 0 : 4;
}

static int ask(void)
{
    int ends[2];
    char answer = 0;
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    if (pipe(ends))
        return 1;
    pid_t child = fork();
    if (!child)
        _exit(write(ends[1], "y", 1) != 1);
    ssize_t length = read(ends[0], &answer, 1);
    waitpid(child, NULL, 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    long ms = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
    return length == 1 && ms < 50 ? 0 : 3;
}

int main(int argc, char **argv)
{
    int status = argc > 1 && !strcmp(argv[1], "race") ? race() : 0;
    if (!status)
        status = ask();
    printf("%s\n", status == 3 ? "too slow" : status ? "lost" : "right");
    return status;
}
