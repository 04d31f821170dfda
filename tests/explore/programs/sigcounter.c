// SPDX-License-Identifier: MIT
//
// Kind: a handler and the code that it interrupts both add to a counter, by a load and a store.
// Holds: the counting process between them until the other has sent its signal: one. Exits with 1.

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 20, SIGNALS = 3 };

static volatile int counted;
static volatile sig_atomic_t signals;

static void on_signal(int signo)
{
    (void)signo;
    counted = counted + 1;
    signals = signals + 1;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    pid_t parent = getpid();

    sigaction(SIGUSR1, &action, NULL);
    pid_t child = fork();
    if (child < 0)
        return 2;
    if (child == 0) {
        for (int i = 0; i < SIGNALS; i++)
            kill(parent, SIGUSR1);
        _exit(0);
    }
    for (int i = 0; i < ROUNDS; i++)
        counted = counted + 1; /* side: held */
    waitpid(child, NULL, 0);
    int expected = ROUNDS + signals;
    printf("%d of %d\n", counted, expected);
    return counted != expected;
}
