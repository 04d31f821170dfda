// SPDX-License-Identifier: MIT
//
// Kind: two processes; each starts its service unless the other's file is there.
// Holds: one process between its look and the file until the other one has looked: one.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int start(void)
{
    if (access("service.pid", F_OK) == 0)
        return 0; // it runs already
    int file = open("service.pid", O_WRONLY | O_CREAT, 0666); /* side: held */ /* side: passes */
    if (file < 0)
        exit(2);
    dprintf(file, "%d\n", (int)getpid());
    close(file);
    return 1;
}

int main(void)
{
    int started = 0, status;

    unlink("service.pid");
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child < 0)
            return 2;
        if (child == 0)
            _exit(start());
    }
    while (wait(&status) > 0)
        started += WEXITSTATUS(status);
    printf("started %d times\n", started);
    return started != 1;
}
