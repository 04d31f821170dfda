// SPDX-License-Identifier: MIT
//
// Correct: a handler writes into a pipe, which the program polls; it keeps errno.

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIGNALS = 3 };

static int ends[2];

static void on_signal(int signo)
{
    int before = errno;
    char byte = (char)signo;
    if (write(ends[1], &byte, 1) != 1)
        _exit(3);
    errno = before;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    pid_t parent = getpid();
    int seen = 0;

    if (pipe(ends) != 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0)
        return 2;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    pid_t child = fork();
    if (child < 0)
        return 2;
    if (child == 0) {
        kill(parent, SIGUSR1);
        kill(parent, SIGUSR2);
        _exit(0);
    }
    ualarm(5000, 0);
    while (seen < SIGNALS) {
        struct pollfd fd = {.fd = ends[0], .events = POLLIN};
        char byte;
        if (poll(&fd, 1, -1) < 0) {
            if (errno != EINTR)
                return 1;
            continue;
        }
        if (read(ends[0], &byte, 1) == 1)
            seen++;
    }
    waitpid(child, NULL, 0);
    printf("%d signals\n", seen);
    return 0;
}
