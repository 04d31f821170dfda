// SPDX-License-Identifier: MIT
//
// Correct: what a handler and the program both change is changed with the signal blocked, and the handler
// only sets what it may.

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 20, TICKS = 3 };

static volatile int counted;
static volatile sig_atomic_t ticks, told;

static void on_tick(int signo)
{
    (void)signo;
    counted = counted + 1;
    ticks = ticks + 1;
}

static void on_signal(int signo)
{
    (void)signo;
    told = 1;
}

int main(void)
{
    struct sigaction tick = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    struct sigaction tell = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct itimerval often = {.it_value = {.tv_usec = 2000}, .it_interval = {.tv_usec = 2000}}, never = {0};
    pid_t parent = getpid();
    sigset_t blocked, before;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGALRM);
    sigaddset(&blocked, SIGUSR1);
    sigaction(SIGALRM, &tick, NULL);
    sigaction(SIGUSR1, &tell, NULL);
    pid_t child = fork();
    if (child < 0)
        return 2;
    if (child == 0) {
        kill(parent, SIGUSR1);
        _exit(0);
    }
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        sigprocmask(SIG_BLOCK, &blocked, &before);
        counted = counted + 1;
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    sigprocmask(SIG_BLOCK, &blocked, &before);
    while (ticks < TICKS || !told)
        sigsuspend(&before);
    setitimer(ITIMER_REAL, &never, NULL);
    int expected = ROUNDS + ticks;
    waitpid(child, NULL, 0);
    printf("%d of %d\n", counted, expected);
    return counted != expected;
}
