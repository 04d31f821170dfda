// SPDX-License-Identifier: MIT
//
// Kind: a handler of SIGCHLD waits for one child each time it runs, but of two that end before it runs one
// signal comes. Holds: the parent before it would take the first until the second has ended: one. Hangs.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 2 };

static volatile sig_atomic_t ended;

static void on_child(int signo)
{
    (void)signo;
    if (waitpid(-1, NULL, WNOHANG) > 0)
        ended = ended + 1;
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
        if (child == 0) {
            usleep(i * 5000);
            _exit(0);
        }
    }
    while (ended < CHILDREN)
        sigsuspend(&before); /* side: held */
    return 0;
}
