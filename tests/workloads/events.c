// SPDX-License-Identifier: MIT
//
// epoll over eventfd, timerfd, signalfd, a pipe and a socket pair, edge and level triggered.

#include "w.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

enum { EVENT, TIMER, SIGNAL, PIPE, SOCKET, KINDS };

static int fds[KINDS], counts[KINDS];
static int pipe_in, socket_other;

static void open_all(void)
{
    sigset_t set;
    int ends[2], pair[2];
    struct itimerspec every = {{0, 1000000}, {0, 1000000}};

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    CHECK(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    fds[EVENT] = eventfd(0, EFD_SEMAPHORE);
    fds[TIMER] = timerfd_create(CLOCK_MONOTONIC, 0);
    fds[SIGNAL] = signalfd(-1, &set, 0);
    fds[PIPE] = ends[0];
    fds[SOCKET] = pair[0];
    pipe_in = ends[1];
    socket_other = pair[1];
    CHECK(timerfd_settime(fds[TIMER], 0, &every, NULL) == 0);
}

static void make_events(void)
{
    uint64_t three = 3;
    for (int i = 0; i < 10; i++) {
        CHECK(write(fds[EVENT], &three, sizeof three) == sizeof three);
        CHECK(write(pipe_in, "ab", 2) == 2 && write(socket_other, "c", 1) == 1);
        kill(getppid(), SIGUSR1);
        usleep(2000);
    }
}

static void take(int kind)
{
    struct signalfd_siginfo info;
    uint64_t number;
    char byte;
    ssize_t count = 0;
    if (kind == EVENT || kind == TIMER)
        count = read(fds[kind], &number, sizeof number);
    else if (kind == SIGNAL)
        count = read(fds[kind], &info, sizeof info);
    else
        count = read(fds[kind], &byte, 1);
    CHECK(count > 0);
    counts[kind]++;
}

static bool done(void)
{
    return counts[EVENT] >= 30 && counts[TIMER] >= 5 && counts[SIGNAL] >= 1 && counts[PIPE] >= 20 &&
           counts[SOCKET] >= 10;
}

static void look_at_edges(void)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET}, ready;
    int edge = epoll_create1(0), fd = eventfd(1, 0);
    CHECK(epoll_ctl(edge, EPOLL_CTL_ADD, fd, &event) == 0);
    int first = epoll_wait(edge, &ready, 1, 0), second = epoll_wait(edge, &ready, 1, 0);
    uint64_t one = 1;
    CHECK(write(fd, &one, sizeof one) == sizeof one);
    printf("edge: %d then %d then %d\n", first, second, epoll_wait(edge, &ready, 1, 0));
}

int main(void)
{
    open_all();
    int poller = epoll_create1(EPOLL_CLOEXEC);
    for (int kind = 0; kind < KINDS; kind++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = kind};
        CHECK(epoll_ctl(poller, EPOLL_CTL_ADD, fds[kind], &event) == 0);
    }
    pid_t child = fork();
    if (child == 0) {
        make_events();
        _exit(0);
    }
    while (!done()) {
        struct epoll_event ready[4];
        int count = epoll_wait(poller, ready, LENGTH(ready), 1000);
        CHECK(count > 0);
        for (int i = 0; i < count; i++)
            take(ready[i].data.u32);
    }
    printf("events %d pipe %d socket %d child %d\n", counts[EVENT], counts[PIPE], counts[SOCKET],
           w_wait(child));
    look_at_edges();
    return 0;
}
