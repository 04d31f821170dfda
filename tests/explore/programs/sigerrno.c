// SPDX-License-Identifier: MIT
//
// Kind: a handler makes a system call that fails, and leaves its errno to the code that it interrupts.
// Holds: the interrupted process between its own failed call and its look at errno until the timer: one.
// Exits with 1.

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;

static void on_tick(int signo)
{
    (void)signo;
    close(-1);
    ticks = ticks + 1;
}

static int look_for(const char *name)
{
    if (open(name, O_RDONLY) >= 0)
        return 0;
    if (errno == ENOENT) /* side: held */
        return 0;
    printf("%s: %s\n", name, strerror(errno));
    return 1;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    struct itimerval soon = {.it_value = {.tv_usec = 20000}};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    int wrong = look_for("/none.conf") + look_for("/etc/none.conf");
    while (!ticks)
        usleep(30000);
    return wrong != 0;
}
