// SPDX-License-Identifier: MIT
//
// Kind: a child ends before its parent, whose handler of SIGCHLD looks for it, has entered it into a table.
// Holds: the parent before it enters it until the child has ended: one. Exits with 1.

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS = 2 };

static volatile pid_t table[JOBS];
static volatile sig_atomic_t ended, strange;

static void on_child(int signo)
{
    pid_t child;
    (void)signo;
    while ((child = waitpid(-1, NULL, WNOHANG)) > 0) {
        int found = 0;
        for (int i = 0; i < JOBS; i++)
            found |= table[i] == child;
        strange = strange + !found;
        ended = ended + 1;
    }
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART};

    sigaction(SIGCHLD, &action, NULL);
    for (int i = 0; i < JOBS; i++) {
        pid_t child = fork();
        if (child < 0)
            return 2;
        if (child == 0)
            _exit(0);
        table[i] = child; /* side: held */
    }
    while (ended < JOBS)
        usleep(1000);
    printf("%d ended, %d of them not known\n", (int)ended, (int)strange);
    return strange != 0;
}
