// SPDX-License-Identifier: MIT
//
// Kind: pause() is to be ended by a timer, which is due before it has begun.
// Holds: the process between both until then: one. Hangs.

#include <signal.h>
#include <unistd.h>

static void on_alarm(int signo)
{
    (void)signo;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_alarm};

    sigaction(SIGALRM, &action, NULL);
    alarm(1);
    pause(); /* side: held */
    return 0;
}
