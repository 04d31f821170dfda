// SPDX-License-Identifier: MIT
// Runs inside the guest, linked statically: does one thing that the guest's kernel must report, or
// must be able to do. Its exit status is 0 if the kernel did as asked.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int writes(void)
{
    char first[] = "abc", second[] = "de";
    struct iovec parts[] = {{first, 3}, {second, 2}};
    int fd = open("/tmp/file", O_RDWR | O_CREAT | O_EXCL, 0640), pair[2], ends[2];
    loff_t from = 0;

    if (fd < 0 || write(fd, "0123456789", 10) != 10 || pwrite(fd, "xy", 2, 100) != 2 ||
        writev(fd, parts, 2) != 5)
        return 1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || send(pair[0], "s", 1, 0) != 1 || pipe(ends) ||
        splice(fd, &from, ends[1], NULL, 4, 0) != 4)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    close(ends[0]);
    return write(ends[1], "lost", 4) == -1 && errno == EPIPE ? 0 : 3;
}

static int opens(void)
{
    int directory = open("/etc", O_RDONLY | O_DIRECTORY);

    if (directory < 0 || openat(directory, "missing", O_RDONLY) != -1 || chdir("/tmp") ||
        open("not/there", O_RDONLY) != -1 || open("/tmp", O_WRONLY) != -1)
        return 1;
    return openat(directory, "../tmp/made", O_CREAT | O_WRONLY, 0600) < 0;
}

static void ignore(int signo) {}

// A handler, a stop, a segment violation that is fatal, in children.
static int signals(void)
{
    volatile char *nowhere = (char *)0x1234;
    int status;

    signal(SIGUSR1, ignore);
    if (raise(SIGUSR1))
        return 1;
    pid_t pid = fork();
    if (!pid) {
        *nowhere = 1;
        _exit(0);
    }
    if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV)
        return 2;
    pid = fork();
    if (!pid)
        for (;;)
            pause();
    kill(pid, SIGTERM);
    return waitpid(pid, &status, 0) == pid && WTERMSIG(status) == SIGTERM ? 0 : 3;
}

static volatile int flag;

static void *set_flag(void *data)
{
    usleep(1000);
    flag = 1;
    return NULL;
}

// Ends only if the spinning thread is preempted.
static int spin(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, set_flag, NULL))
        return 1;
    while (!flag)
        ;
    return pthread_join(thread, NULL);
}

static int affinity(void)
{
    cpu_set_t set, got;

    CPU_ZERO(&set);
    CPU_SET(2, &set);
    if (sched_setaffinity(0, sizeof(set), &set) || sched_getaffinity(0, sizeof(got), &got) ||
        !CPU_EQUAL(&set, &got) || sched_getcpu() != 0)
        return 1;
    CPU_ZERO(&set);
    CPU_SET(5, &set);
    return sched_setaffinity(0, sizeof(set), &set) == -1 && errno == EINVAL ? 0 : 2;
}

// Timers are exact: what oversleeps is the way back alone.
static int timers(void)
{
    struct timespec before, after, pause = {0, 1000003};

    prctl(PR_SET_TIMERSLACK, 1);
    clock_gettime(CLOCK_MONOTONIC, &before);
    if (nanosleep(&pause, NULL))
        return 1;
    clock_gettime(CLOCK_MONOTONIC, &after);
    long passed = (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
    printf("%ld\n", passed);
    return passed < 1000003 || passed > 1020000;
}

// What sandboxes and runtimes ask a kernel for.
static int features(void)
{
    char ring[256] = {0};

    if (memfd_create("x", MFD_ALLOW_SEALING) < 0 || syscall(SYS_io_uring_setup, 4, ring) < 0 ||
        syscall(SYS_membarrier, 0, 0, 0) < 0 || syscall(SYS_pidfd_open, getpid(), 0) < 0 ||
        syscall(SYS_userfaultfd, O_CLOEXEC) < 0)
        return 1;
    return unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWUTS) ? 2 : 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} actions[] = {
    {"writes", writes},     {"opens", opens},   {"signals", signals},   {"spin", spin},
    {"affinity", affinity}, {"timers", timers}, {"features", features},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof(actions) / sizeof(actions[0]); i++)
        if (!strcmp(argv[1], actions[i].name))
            return actions[i].run();
    return 99;
}
