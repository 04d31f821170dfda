// SPDX-License-Identifier: MIT
//
// Queued real-time signals, SIGCHLD, an alternate stack, interval timers, sigsuspend, sigtimedwait,
// restarts.

#include "w.h"

#include <setjmp.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t alarms, children, overflows;
static int received[64], receive_count;
static sigjmp_buf back;

static void on_queued(int signo, siginfo_t *info, void *context)
{
    (void)context;
    received[receive_count++] = (signo - SIGRTMIN) * 100 + info->si_value.sival_int;
}

static void on_child(int signo, siginfo_t *info, void *context)
{
    (void)signo, (void)context;
    children += info->si_code == CLD_EXITED && info->si_status == 5;
}

static void on_alarm(int signo, siginfo_t *info, void *context)
{
    (void)signo, (void)info, (void)context;
    alarms++;
}

static void on_overflow(int signo, siginfo_t *info, void *context)
{
    (void)signo, (void)info, (void)context;
    overflows++;
    siglongjmp(back, 1);
}

// Lower numbers come first, equal ones in the order sent.
static void queue_real_time_signals(void)
{
    sigset_t set, before;
    sigemptyset(&set);
    for (int i = 0; i < 3; i++) {
        w_on_signal(SIGRTMIN + i, on_queued, 0);
        sigaddset(&set, SIGRTMIN + i);
    }
    sigprocmask(SIG_BLOCK, &set, &before);
    for (int i = 0; i < 9; i++)
        CHECK(sigqueue(getpid(), SIGRTMIN + 2 - i % 3, (union sigval){.sival_int = i}) == 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    for (int i = 0; i < receive_count; i++)
        printf("%d ", received[i]);
    printf("queued\n");
}

static void wait_for_children(void)
{
    sigset_t set, before;
    w_on_signal(SIGCHLD, on_child, SA_RESTART);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, &before);
    for (int i = 0; i < 5; i++) {
        int seen = children;
        pid_t pid = fork();
        if (pid == 0)
            _exit(5);
        while (children == seen)
            sigsuspend(&before);
        w_wait(pid);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    printf("%d children\n", (int)children);
}

__attribute__((noinline)) static int dive(volatile int depth)
{
    volatile char room[4096];
    room[depth % sizeof room] = (char)depth;
    return depth < 0 ? 0 : dive(depth + 1) + room[depth % sizeof room];
}

static void overflow_the_stack(void)
{
    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
    CHECK(stack.ss_sp != NULL && sigaltstack(&stack, NULL) == 0);
    w_on_signal(SIGSEGV, on_overflow, SA_ONSTACK);
    for (volatile int i = 0; i < 2; i++)
        if (sigsetjmp(back, 1) == 0)
            dive(0);
    printf("%d overflows survived\n", (int)overflows);
}

static void run_interval_timers(void)
{
    static const int kinds[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
    static const int signals[] = {SIGALRM, SIGVTALRM, SIGPROF};
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        struct itimerval every = {{0, 2000}, {0, 2000}}, off = {{0, 0}, {0, 0}};
        alarms = 0;
        w_on_signal(signals[i], on_alarm, SA_RESTART);
        setitimer(kinds[i], &every, NULL);
        while (alarms < 3)
            continue;
        setitimer(kinds[i], &off, NULL);
        printf("timer %d came\n", kinds[i]);
    }
}

static void wait_in_line(void)
{
    sigset_t set;
    siginfo_t info;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    struct timespec soon = {0, 1000000};
    CHECK(sigtimedwait(&set, NULL, &soon) == -1 && errno == EAGAIN);
    kill(getpid(), SIGUSR1);
    printf("sigwaitinfo %d", sigwaitinfo(&set, &info) == SIGUSR1);
    printf(" from myself %d\n", info.si_pid == getpid());
}

// A read that a handler interrupts goes on (SA_RESTART) or ends with EINTR.
static void interrupt_a_read(int flags)
{
    int ends[2];
    char byte;
    CHECK(pipe(ends) == 0);
    w_on_signal(SIGALRM, on_alarm, flags);
    alarms = 0;
    pid_t pid = fork();
    if (pid == 0) {
        usleep(20000);
        _exit(write(ends[1], "x", 1) != 1);
    }
    struct itimerval once = {{0, 0}, {0, 5000}};
    setitimer(ITIMER_REAL, &once, NULL);
    ssize_t count = read(ends[0], &byte, 1);
    printf("read %zd errno %d alarms %d\n", count, count < 0 ? errno : 0, (int)alarms);
    w_wait(pid);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    queue_real_time_signals();
    wait_for_children();
    overflow_the_stack();
    run_interval_timers();
    wait_in_line();
    w_on_signal(SIGCHLD, on_child, SA_RESTART);
    interrupt_a_read(SA_RESTART);
    interrupt_a_read(0);
    return 0;
}
