// SPDX-License-Identifier: MIT
//
// Kind: a flag that a handler sets is looked at, and then waited for with pause().
// Holds: the waiting process between them until the other has sent its signal: one. Hangs.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ready;

static void on_signal(int signo)
{
    (void)signo;
    ready = 1;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    pid_t parent = getpid();

    sigaction(SIGUSR1, &action, NULL);
    pid_t child = fork();
    if (child < 0)
        return 2;
    if (child == 0) {
        kill(parent, SIGUSR1);
        _exit(0);
    }
    while (!ready)
        pause(); /* side: held */
    waitpid(child, NULL, 0);
    return 0;
}
