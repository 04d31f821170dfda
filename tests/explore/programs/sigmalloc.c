// SPDX-License-Identifier: MIT
//
// Kind: a handler allocates memory, which the code that it interrupts may be about to do.
// Holds: the interrupted process inside of malloc until the other has sent its signal: one. Exits with 1.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 24, BLOCKS = 4 };

static char *note;

static void on_signal(int signo)
{
    note = malloc(SIZE);
    memset(note, signo, SIZE);
}

static int is_whole(const char *block, int letter)
{
    for (int i = 0; i < SIZE; i++)
        if (block[i] != letter)
            return 0;
    return 1;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    pid_t parent = getpid();
    char *blocks[BLOCKS];

    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = malloc(SIZE);
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    pid_t child = fork();
    if (child < 0)
        return 2;
    if (child == 0) {
        kill(parent, SIGUSR1);
        _exit(0);
    }
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(SIZE); /* side: held */
        memset(blocks[i], 'a' + i, SIZE);
    }
    waitpid(child, NULL, 0);
    int good = note && is_whole(note, SIGUSR1);
    for (int i = 0; i < BLOCKS; i++)
        good = good && is_whole(blocks[i], 'a' + i);
    puts(good ? "all whole" : "two have the same block");
    return !good;
}
