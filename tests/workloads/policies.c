// SPDX-License-Identifier: MIT
//
// How processes share a processor: real-time ones in order of their priority and by turns, nice and idle
// ones in proportion, a limit of processor time and its two signals, alarms that count processor time only.

#include "w.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

static uint64_t own_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void compute(unsigned ms)
{
    for (uint64_t end = own_time() + ms * 1000000ull; own_time() < end;)
        for (volatile int i = 0; i < 1000; i++)
            ;
}

static pthread_barrier_t barrier;
static char names[16];
static int named;

static void *run(void *data)
{
    pthread_barrier_wait(&barrier);
    compute(5);
    names[__atomic_fetch_add(&named, 1, __ATOMIC_SEQ_CST)] = *(const char *)data;
    return NULL;
}

static void real_time(const char *what, int policy)
{
    static const char letters[] = "abcd";
    pthread_t threads[4];
    memset(names, 0, sizeof names);
    named = 0;
    pthread_barrier_init(&barrier, NULL, 5);
    for (int i = 0; i < 4; i++) {
        struct sched_param param = {policy == SCHED_OTHER ? 0 : 10 + i};
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
        pthread_attr_setschedpolicy(&attributes, policy);
        pthread_attr_setschedparam(&attributes, &param);
        CHECK(pthread_create(&threads[i], &attributes, run, (void *)&letters[i]) == 0);
    }
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%s: %s\n", what, names);
}

// How much of the processor each got of a while.
static void shares(void)
{
    static const int niceness[] = {0, 5, 19};
    uint64_t *got = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pids[4];
    for (int i = 0; i < 4; i++)
        if (!(pids[i] = fork())) {
            struct sched_param none = {0};
            CHECK(i == 3 ? sched_setscheduler(0, SCHED_IDLE, &none) == 0 : nice(niceness[i]) >= 0);
            for (;;) {
                compute(1);
                got[i]++;
            }
        }
    usleep(250000);
    for (int i = 0; i < 4; i++) {
        kill(pids[i], SIGKILL);
        CHECK(WTERMSIG(w_wait(pids[i])) == SIGKILL);
    }
    for (int i = 0; i < 4; i++)
        printf("share %d: %llu ms\n", i, (unsigned long long)got[i]);
}

static volatile sig_atomic_t alarms[3];

static void on_alarm(int signo, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    alarms[signo == SIGALRM ? 0 : signo == SIGVTALRM ? 1 : 2]++;
}

static void clocks(void)
{
    static const int signals[] = {SIGALRM, SIGVTALRM, SIGPROF};
    struct itimerval often = {{0, 8000}, {0, 8000}}, never = {0};
    for (int i = 0; i < 3; i++) {
        w_on_signal(signals[i], on_alarm, SA_RESTART);
        CHECK(setitimer(i, &often, NULL) == 0);
    }
    compute(60);
    usleep(100000);
    for (int i = 0; i < 3; i++)
        setitimer(i, &never, NULL);
    printf("alarms: real %d, own %d, own and the kernel's %d\n", alarms[0], alarms[1], alarms[2]);
}

static void on_limit(int signo, siginfo_t *info, void *context)
{
    static const char text[] = "the limit\n";
    (void)signo, (void)info, (void)context;
    CHECK(write(1, text, sizeof text - 1) > 0);
}

static void limit(void)
{
    pid_t pid = fork();
    if (!pid) {
        struct rlimit seconds = {1, 2};
        w_on_signal(SIGXCPU, on_limit, 0);
        CHECK(setrlimit(RLIMIT_CPU, &seconds) == 0);
        for (;;)
            ;
    }
    struct rusage usage;
    int status = w_wait(pid);
    CHECK(getrusage(RUSAGE_CHILDREN, &usage) == 0);
    printf("ended by %d after %ld s or more\n", WTERMSIG(status), usage.ru_utime.tv_sec);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    real_time("by priority", SCHED_FIFO);
    real_time("by turns", SCHED_RR);
    real_time("as usual", SCHED_OTHER);
    shares();
    clocks();
    limit();
    return 0;
}
