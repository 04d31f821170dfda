// SPDX-License-Identifier: MIT
//
// Sleeps and timers of every kind, with the exact times they took: the same in each run, never on hardware.

#include "w.h"

#include <poll.h>
#include <sys/timerfd.h>
#include <time.h>

static long long now(clockid_t clock)
{
    struct timespec time;
    CHECK(clock_gettime(clock, &time) == 0);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void print_clocks(void)
{
    static const clockid_t clocks[] = {
        CLOCK_REALTIME,        CLOCK_MONOTONIC,          CLOCK_BOOTTIME,         CLOCK_MONOTONIC_RAW,
        CLOCK_REALTIME_COARSE, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID};
    for (size_t i = 0; i < LENGTH(clocks); i++)
        printf("clock %d: %lld\n", (int)clocks[i], now(clocks[i]));
    printf("rdtsc %llu\n", (unsigned long long)__builtin_ia32_rdtsc());
}

static void sleep_a_bit(void)
{
    for (long ns = 1; ns <= 100000000; ns *= 10) {
        struct timespec request = {0, ns};
        long long start = now(CLOCK_MONOTONIC);
        CHECK(nanosleep(&request, NULL) == 0);
        printf("nanosleep %ld took %lld\n", ns, now(CLOCK_MONOTONIC) - start);
    }
}

static void tick_by_descriptor(void)
{
    struct itimerspec every = {{0, 3000000}, {0, 1000000}};
    int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    CHECK(fd >= 0 && timerfd_settime(fd, 0, &every, NULL) == 0);
    for (int i = 0; i < 5; i++) {
        uint64_t expired;
        CHECK(read(fd, &expired, sizeof expired) == sizeof expired);
        printf("timerfd %llu at %lld\n", (unsigned long long)expired, now(CLOCK_MONOTONIC));
    }
    close(fd);
}

static void tick_by_signal(void)
{
    sigset_t set;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    struct itimerspec every = {{0, 700000}, {0, 700000}};
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    CHECK(timer_create(CLOCK_REALTIME, &event, &timer) == 0 && timer_settime(timer, 0, &every, NULL) == 0);
    for (int i = 0; i < 5; i++) {
        siginfo_t info;
        CHECK(sigwaitinfo(&set, &info) == SIGRTMIN);
        for (volatile int work = 0; work < 3000000; work++)
            continue;
        printf("timer overrun %d at %lld\n", timer_getoverrun(timer), now(CLOCK_MONOTONIC));
    }
    timer_delete(timer);
}

static void time_out(void)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    struct pollfd wait = {ends[0], POLLIN, 0};
    long long start = now(CLOCK_MONOTONIC);
    CHECK(poll(&wait, 1, 250) == 0);
    printf("poll took %lld\n", now(CLOCK_MONOTONIC) - start);
    struct timespec until = {now(CLOCK_REALTIME) / 1000000000 + 3600, 0};
    CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL) == 0);
    printf("an hour later: %lld\n", now(CLOCK_REALTIME));
}

int main(void)
{
    print_clocks();
    sleep_a_bit();
    tick_by_descriptor();
    tick_by_signal();
    time_out();
    print_clocks();
    return 0;
}
