// SPDX-License-Identifier: MIT
//
// Signals that input brings: of pipes and sockets, to a thread of one's own, with a real-time signal that
// says which descriptor; leases that others break; directories that are watched by signal; a child's
// terminal that goes.

#include "w.h"

#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>

static volatile sig_atomic_t seen[3];
static int descriptors[2];

static void on_input(int signo, siginfo_t *info, void *context)
{
    (void)signo, (void)context;
    for (int i = 0; i < 2; i++)
        seen[i] += info->si_fd == descriptors[i] && info->si_code == POLL_IN;
}

static void on_other(int signo, siginfo_t *info, void *context)
{
    (void)signo, (void)info, (void)context;
    seen[2]++;
}

static void watch(int fd, int signo)
{
    CHECK(fcntl(fd, F_SETOWN, getpid()) == 0 && fcntl(fd, F_SETSIG, signo) == 0);
    CHECK(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC | O_NONBLOCK) == 0);
}

static void wait_for(volatile sig_atomic_t *what, int count)
{
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    sigprocmask(SIG_BLOCK, &all, NULL);
    while (*what < count)
        sigsuspend(&none);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
}

// A writer waits until its bytes were seen, so that each of them is a signal.
static void input(void)
{
    int a[2], b[2], back[2];
    char byte;
    CHECK(pipe(a) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, b) == 0 && pipe(back) == 0);
    descriptors[0] = a[0], descriptors[1] = b[0];
    w_on_signal(SIGRTMIN + 2, on_input, 0);
    watch(a[0], SIGRTMIN + 2);
    watch(b[0], SIGRTMIN + 2);
    pid_t child = fork();
    for (int i = 0; !child && i < 60; i++) {
        CHECK(write(i % 2 ? b[1] : a[1], "x", 1) == 1 && read(back[0], &byte, 1) == 1);
        if (i == 59)
            _exit(0);
    }
    for (int i = 0; i < 60; i++) {
        wait_for(&seen[i % 2], i / 2 + 1);
        CHECK(read(descriptors[i % 2], &byte, 1) == 1 && write(back[1], "y", 1) == 1);
    }
    CHECK(w_wait(child) == 0);
    printf("input: %d and %d\n", seen[0], seen[1]);
    close(a[0]);
    close(b[0]);
}

static void lease(void)
{
    int fd = open("/tmp/sigio-lease", O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0 && write(fd, "before", 6) == 6);
    seen[2] = 0;
    w_on_signal(SIGUSR1, on_other, 0);
    if (fcntl(fd, F_SETSIG, SIGUSR1) != 0 || fcntl(fd, F_SETLEASE, F_WRLCK) != 0) {
        puts("lease: none");
        return;
    }
    pid_t child = fork();
    if (!child) {
        char text[8] = "";
        close(fd);
        int other = open("/tmp/sigio-lease", O_RDONLY);
        CHECK(other >= 0 && read(other, text, 5) == 5);
        _exit(strcmp(text, "after") != 0);
    }
    wait_for(&seen[2], 1);
    CHECK(pwrite(fd, "after ", 6, 0) == 6 && fcntl(fd, F_SETLEASE, F_UNLCK) == 0);
    printf("lease: broken %d, read after it: %d\n", seen[2], w_wait(child) == 0);
    close(fd);
}

static void directory(void)
{
    char dir[] = "/tmp/sigio-XXXXXX", path[64];
    seen[2] = 0;
    CHECK(mkdtemp(dir));
    int fd = open(dir, O_RDONLY | O_DIRECTORY);
    w_on_signal(SIGUSR2, on_other, 0);
    CHECK(fd >= 0 && fcntl(fd, F_SETSIG, SIGUSR2) == 0);
    CHECK(fcntl(fd, F_NOTIFY, DN_CREATE | DN_DELETE | DN_MULTISHOT) == 0);
    snprintf(path, sizeof path, "%s/file", dir);
    for (int i = 0; i < 4; i++) {
        int file = open(path, O_WRONLY | O_CREAT, 0600);
        wait_for(&seen[2], 2 * i + 1);
        CHECK(file >= 0 && unlink(path) == 0);
        close(file);
        wait_for(&seen[2], 2 * i + 2);
    }
    printf("directory: %d changes\n", seen[2]);
    close(fd);
}

// Who waits for a lock is interrupted by an alarm and asks again.
static void locked(void)
{
    int ready[2], enough[2];
    char byte;
    seen[2] = 0;
    CHECK(pipe(ready) == 0 && pipe(enough) == 0);
    pid_t child = fork();
    if (!child) {
        int fd = open("/tmp/sigio-lock", O_RDWR | O_CREAT, 0600);
        CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0 && write(ready[1], "x", 1) == 1);
        CHECK(read(enough[0], &byte, 1) == 1);
        _exit(0);
    }
    CHECK(read(ready[0], &byte, 1) == 1);
    int fd = open("/tmp/sigio-lock", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK);
    w_on_signal(SIGALRM, on_other, 0);
    ualarm(50000, 0);
    int interrupted = flock(fd, LOCK_EX) < 0 && errno == EINTR;
    CHECK(write(enough[1], "x", 1) == 1 && flock(fd, LOCK_EX) == 0 && w_wait(child) == 0);
    printf("lock: interrupted %d, then taken\n", interrupted);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    input();
    lease();
    directory();
    locked();
    return 0;
}
