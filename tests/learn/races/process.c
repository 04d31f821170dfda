// SPDX-License-Identifier: MIT
//
// Processes hand over what they write to shared memory: by their end, a pipe, a lock of a file, a signal.

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    int by_end, by_pipe, by_lock, by_signal;
};

static struct shared *shared;
static volatile sig_atomic_t got;

static void on_signal(int number)
{
    (void)number;
    got = shared->by_signal;
}

static void work(int pipe, int number)
{
    shared->by_pipe += number;
    if (write(pipe, "x", 1) != 1)
        _exit(1);
    int file = open("lock", O_RDWR | O_CREAT, 0600);
    flock(file, LOCK_EX);
    shared->by_lock++;
    flock(file, LOCK_UN);
    shared->by_end += number;
    shared->by_signal = number;
    kill(getppid(), SIGUSR1);
    _exit(0);
}

int main(void)
{
    char byte;
    int ends[2], sum = 0;
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t blocked, before;
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    sigaction(SIGUSR1, &action, NULL);
    int file = open("lock", O_RDWR | O_CREAT, 0600);
    if (pipe(ends) != 0)
        return 2;
    for (int i = 1; i <= 2; i++) {
        if (fork() == 0)
            work(ends[1], i);
        if (read(ends[0], &byte, 1) != 1)
            return 1;
        sum += shared->by_pipe;
        flock(file, LOCK_EX);
        shared->by_lock++;
        flock(file, LOCK_UN);
        while (got != i)
            sigsuspend(&before);
        wait(NULL);
        sum += shared->by_end;
    }
    printf("%d %d\n", sum, shared->by_lock);
    return 0;
}
