// SPDX-License-Identifier: MIT
//
// Kind: a signal is sent to a child that was given a moment to install its handler.
// Holds: the child before it does until the signal was sent: one. Exits with 1.

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t told;

static void on_signal(int signo)
{
    (void)signo;
    told = 1;
}

static void work(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t blocked, before;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigaction(SIGUSR1, &action, NULL); /* side: held */
    sigprocmask(SIG_BLOCK, &blocked, &before);
    while (!told)
        sigsuspend(&before);
    _exit(0);
}

int main(void)
{
    int status;
    pid_t child = fork();
    if (child < 0)
        return 2;
    if (child == 0)
        work();
    usleep(10000);
    kill(child, SIGUSR1);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        puts("it did not know the signal");
        return 1;
    }
    return WEXITSTATUS(status);
}
