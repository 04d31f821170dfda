// SPDX-License-Identifier: MIT
//
// Takes signals of several kinds, one behind the other, and tells after each who sent it.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t got;
static pid_t self, child;
static volatile int zero;
static sigjmp_buf out;

static void on_signal(int number)
{
    got = number;
    if (number == SIGFPE)
        siglongjmp(out, 1);
}

static void wait_for(int number)
{
    sigset_t others;
    sigfillset(&others);
    sigdelset(&others, number);
    while (got != number)
        sigsuspend(&others);
    got = 0;
}

static pid_t have_child(int signal_to_parent, int status)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    if (signal_to_parent)
        kill(self, signal_to_parent);
    else
        pause();
    usleep(10000);
    _exit(status);
}

__attribute__((noinline)) static int divide(int by)
{
    return 7 / by;
}

int main(void)
{
    static const int all[] = {SIGUSR1, SIGUSR2, SIGCHLD, SIGALRM, SIGFPE};
    struct itimerval soon = {.it_value = {0, 1000}};
    sigset_t blocked;
    self = getpid();
    sigemptyset(&blocked);
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        signal(all[i], on_signal);
        if (all[i] != SIGFPE)
            sigaddset(&blocked, all[i]);
    }
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    child = have_child(SIGUSR1, 5);
    wait_for(SIGUSR1);
    wait_for(SIGCHLD);
    waitpid(child, NULL, 0);
    child = have_child(0, 0);
    usleep(1000);
    kill(child, SIGTERM);
    wait_for(SIGCHLD);
    waitpid(child, NULL, 0);
    raise(SIGUSR2);
    wait_for(SIGUSR2);
    setitimer(ITIMER_REAL, &soon, NULL);
    wait_for(SIGALRM);
    if (!sigsetjmp(out, 1))
        return divide(zero);
    puts("end of it");
    return 0;
}
