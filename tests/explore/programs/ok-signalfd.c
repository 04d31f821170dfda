// SPDX-License-Identifier: MIT
//
// Correct: signals are blocked from the start and read from a descriptor; children are waited for until
// there are none.

#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 3 };

int main(void)
{
    struct signalfd_siginfo info;
    sigset_t blocked;
    int ended = 0, alarms = 0;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigaddset(&blocked, SIGALRM);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    int fd = signalfd(-1, &blocked, SFD_CLOEXEC);
    if (fd < 0)
        return 2;
    ualarm(3000, 0);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child < 0)
            return 2;
        if (child == 0)
            _exit(0);
    }
    while (ended < CHILDREN || !alarms) {
        if (read(fd, &info, sizeof info) != sizeof info)
            return 1;
        alarms += info.ssi_signo == SIGALRM;
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ended++;
    }
    printf("%d ended\n", ended);
    return 0;
}
