// SPDX-License-Identifier: MIT
//
// Correct: a parent that sleeps in sigsuspend until its children have ended.

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 3 };

static volatile sig_atomic_t ended;

static void on_child(int signal)
{
    (void)signal;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ended++;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_child};
    sigset_t blocked, before;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    sigaction(SIGCHLD, &action, NULL);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child < 0)
            return 2;
        if (child == 0)
            _exit(0);
    }
    while (ended < CHILDREN)
        sigsuspend(&before);
    printf("%d ended\n", ended);
    return 0;
}
