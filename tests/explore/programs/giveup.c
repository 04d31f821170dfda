// SPDX-License-Identifier: MIT
//
// Kind: who looks whether a server is there yet gives up after some tries.
// Holds: the server, before it says so, for longer than all tries take: one.

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIES 30
#define PAUSE_US 10000

static void serve(void)
{
    FILE *file = fopen("ready", "w"); /* side: held */
    if (file)
        fclose(file);
    _exit(file ? 0 : 2);
}

int main(void)
{
    int tries = 0;

    unlink("ready");
    if (fork() == 0)
        serve();
    while (tries < TRIES && access("ready", F_OK) != 0) {
        usleep(PAUSE_US);
        tries++;
    }
    int missing = access("ready", F_OK); /* side: passes */
    wait(NULL);
    if (missing)
        printf("not there after %d tries\n", tries);
    return missing != 0;
}
