// SPDX-License-Identifier: MIT
//
// Kind: a handler jumps out of what it interrupts, which is half done then.
// Holds: the interrupted process in the middle of it until the timer: one. Exits with 1.

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static sigjmp_buf out;
static volatile int taken, given;

static void on_alarm(int signo)
{
    (void)signo;
    siglongjmp(out, 1);
}

static void move(int amount)
{
    taken = taken + amount;
    getppid();
    given = given + amount; /* side: held */
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_alarm};

    sigaction(SIGALRM, &action, NULL);
    if (!sigsetjmp(out, 1)) {
        ualarm(20000, 0);
        for (int i = 0; i < 5; i++)
            move(i);
        for (;;)
            pause();
    }
    printf("%d taken, %d given\n", taken, given);
    return taken != given;
}
