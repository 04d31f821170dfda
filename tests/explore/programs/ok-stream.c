// SPDX-License-Identifier: MIT
//
// Correct: what comes through a pipe and a socket is read until all of it is there, and a wait on a futex looks again.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 300, PARTS = 3 };

static _Atomic int ready;

static long futex(_Atomic int *word, int operation, int value)
{
    return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static void *get_ready(void *unused)
{
    usleep(1000);
    atomic_store(&ready, 1);
    futex(&ready, FUTEX_WAKE_PRIVATE, 1);
    return unused;
}

static void write_all(int out)
{
    char bytes[SIZE];
    for (int i = 0; i < PARTS; i++) {
        memset(bytes, 'a' + i, sizeof bytes);
        for (size_t done = 0; done < sizeof bytes;) {
            ssize_t n = write(out, bytes + done, sizeof bytes - done);
            if (n <= 0)
                abort();
            done += (size_t)n;
        }
    }
}

static int read_all(int in)
{
    char bytes[SIZE * PARTS + 1] = "";
    size_t done = 0;
    for (ssize_t n; done < sizeof bytes && (n = read(in, bytes + done, sizeof bytes - done)) > 0;)
        done += (size_t)n;
    for (size_t i = 0; i < done; i++)
        if (bytes[i] != 'a' + (char)(i / SIZE))
            return 0;
    return done == SIZE * PARTS;
}

static int goes_through(const int ends[2])
{
    int status = 1;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        write_all(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    waitpid(pid, &status, 0);
    return status == 0 && read_all(ends[0]);
}

int main(void)
{
    int pipe_ends[2], socket_ends[2];
    pthread_t thread;
    if (pipe(pipe_ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, socket_ends) != 0)
        abort();
    int good = goes_through(pipe_ends) && goes_through(socket_ends);
    if (pthread_create(&thread, NULL, get_ready, NULL) != 0)
        abort();
    while (!atomic_load(&ready))
        futex(&ready, FUTEX_WAIT_PRIVATE, 0);
    pthread_join(thread, NULL);
    puts(good ? "all of it came" : "SOMETHING IS MISSING");
    return !good;
}
