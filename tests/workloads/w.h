// SPDX-License-Identifier: MIT
//
// What the C workloads share.

#ifndef W_H
#define W_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

// Ends the program with status 3 and a message when a call that has to work does not.
#define CHECK(cond)                                                                                        \
    do {                                                                                                   \
        if (!(cond))                                                                                       \
            w_fail(__FILE__, __LINE__, #cond);                                                             \
    } while (0)

__attribute__((noreturn)) static inline void w_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: %s failed (errno %d: %s)\n", file, line, what, errno, strerror(errno));
    exit(3);
}

// A small generator of numbers, the same everywhere.
static inline uint64_t w_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// FNV-1a over `size` bytes, to be chained: start with sum 0.
static inline uint64_t w_sum(uint64_t sum, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    sum ^= 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

static inline void w_on_signal(int signo, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    sigemptyset(&action.sa_mask);
    CHECK(sigaction(signo, &action, NULL) == 0);
}

static inline int w_wait(pid_t pid)
{
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    return status;
}

#endif
