// SPDX-License-Identifier: MIT
//
// Kind: a handler replaces and frees what the code that it interrupts is reading.
// Holds: the reader between its load of the pointer and its use until the other has sent its signal: one.
// Exits with 1.

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

struct settings {
    volatile int valid, port;
};

static struct settings old = {1, 8080}, new = {1, 8081};
static struct settings *volatile current = &old;
static volatile sig_atomic_t reloads;

static void on_hangup(int signo)
{
    struct settings *before = current;
    (void)signo;
    current = &new;
    before->valid = 0;
    reloads = reloads + 1;
}

static int read_port(void)
{
    struct settings *settings = current;
    int port = settings->port;
    return settings->valid ? port : -1; /* side: held */
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_hangup, .sa_flags = SA_RESTART};
    pid_t parent = getpid();
    int wrong = 0;

    sigaction(SIGHUP, &action, NULL);
    pid_t child = fork();
    if (child < 0)
        return 2;
    if (child == 0) {
        kill(parent, SIGHUP);
        _exit(0);
    }
    for (int i = 0; i < 10; i++)
        wrong += read_port() < 0;
    waitpid(child, NULL, 0);
    printf("%d reloads, %d of settings that were gone\n", (int)reloads, wrong);
    return wrong != 0;
}
