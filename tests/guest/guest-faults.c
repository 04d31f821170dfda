// SPDX-License-Identifier: MIT
//
// Programs for test-faults.sh: guest-faults NAME does something wrongly, so that it fails (status 1) where
// a system call is answered as seldom happens; guest-faults NAME right does the same rightly.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool right;

static int fail(const char *what)
{
    fprintf(stderr, "guest-faults: %s\n", what);
    return 1;
}

// ---- Short reads and writes ----

#define PARTS 4

// Four messages of 16 bytes are there. Each comes whole, but not all of them at once.
static int read_pipe(void)
{
    int ends[2];
    char got[PARTS * 16] = {0};
    ssize_t n = 0;
    if (pipe(ends) != 0)
        return 2;
    for (int i = 0; i < PARTS; i++)
        if (write(ends[1], "0123456789abcde", 16) != 16)
            return 2;
    do {
        ssize_t part = read(ends[0], got + n, sizeof got - (size_t)n);
        n += part > 0 ? part : 0;
    } while (right && (size_t)n < sizeof got);
    return (size_t)n != sizeof got ? fail("a message is missing") : 0;
}

static int read_socket(void)
{
    int ends[2];
    char got[16] = {0};
    ssize_t n = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || write(ends[1], "0123456789abcde", 16) != 16)
        return 2;
    do {
        ssize_t part = read(ends[0], got + n, sizeof got - (size_t)n);
        n += part > 0 ? part : 0;
    } while (right && (size_t)n < sizeof got);
    return strcmp(got, "0123456789abcde") != 0 ? fail("half a message") : 0;
}

// What does not fit at once is to be tried again later.
static int write_socket(void)
{
    int ends[2];
    char got[4096];
    const char message[4096] = {[0] = 'a', [4095] = 'z'};
    size_t done = 0, n = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0)
        return 2;
    do {
        ssize_t part = send(ends[1], message + done, sizeof message - done, 0);
        done += part > 0 ? (size_t)part : 0;
    } while (right && done < sizeof message);
    close(ends[1]);
    for (ssize_t part; n < sizeof got && (part = read(ends[0], got + n, sizeof got - n)) > 0;)
        n += (size_t)part;
    return n != sizeof got ? fail("what was sent is cut") : 0;
}

// ---- Spurious wake-ups ----

static _Atomic int ready;

static long futex(_Atomic int *word, int operation, int value)
{
    return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static void *wake(void *data)
{
    (void)data;
    usleep(1000);
    ready = 1;
    futex(&ready, FUTEX_WAKE_PRIVATE, 1);
    return NULL;
}

static int wait_raw(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, wake, NULL) != 0)
        return 2;
    do
        futex(&ready, FUTEX_WAIT_PRIVATE, 0);
    while (right && !ready);
    int status = ready ? 0 : fail("woken, and not ready");
    pthread_join(thread, NULL);
    return status;
}

// A condition variable as small ones are: whoever waits on it must look again.
typedef struct {
    _Atomic int lock, wakes;
} Condition;

static Condition condition;
static _Atomic bool given;

static void lock(_Atomic int *word)
{
    while (atomic_exchange(word, 1))
        futex(word, FUTEX_WAIT_PRIVATE, 1);
}

static void unlock(_Atomic int *word)
{
    *word = 0;
    futex(word, FUTEX_WAKE_PRIVATE, 1);
}

static void *give(void *data)
{
    (void)data;
    usleep(1000);
    lock(&condition.lock);
    given = true;
    condition.wakes++;
    futex(&condition.wakes, FUTEX_WAKE_PRIVATE, 1);
    unlock(&condition.lock);
    return NULL;
}

static void wait_condition(void)
{
    int wakes = condition.wakes;
    unlock(&condition.lock);
    futex(&condition.wakes, FUTEX_WAIT_PRIVATE, wakes);
    lock(&condition.lock);
}

static int wait_if(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, give, NULL) != 0)
        return 2;
    lock(&condition.lock);
    if (!given)
        wait_condition();
    while (right && !given)
        wait_condition();
    int status = given ? 0 : fail("woken, and nothing was given");
    unlock(&condition.lock);
    pthread_join(thread, NULL);
    return status;
}

// glibc's own look again.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;

static void *signal_cond(void *data)
{
    pthread_barrier_wait(&barrier);
    usleep(1000);
    pthread_mutex_lock(&mutex);
    given = true;
    pthread_cond_signal(&cond);
    usleep(1000);
    pthread_mutex_unlock(&mutex);
    return data;
}

static int wait_glibc(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    if (pthread_create(&thread, NULL, signal_cond, NULL) != 0)
        return 2;
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&mutex);
    while (!given)
        pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    void *ret = &ret;
    pthread_join(thread, &ret);
    return ret ? fail("joined before the end") : 0;
}

// ---- Errors ----

static int fork_once(void)
{
    int status = 1;
    pid_t pid = fork();
    for (int i = 0; right && pid < 0 && errno == EAGAIN && i < 3; i++) {
        usleep(1000);
        pid = fork();
    }
    if (pid == 0)
        _exit(0);
    waitpid(pid, &status, 0);
    return status ? fail("there is no child") : 0;
}

static int map_memory(void)
{
    char *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (right && memory == MAP_FAILED)
        return errno == ENOMEM ? 0 : 2;
    return memory == MAP_FAILED ? fail("no memory") : memory[4096];
}

static int more_heap(void)
{
    char *before = sbrk(0);
    void *got = sbrk(1 << 16);
    if (right && got == (void *)-1)
        return errno == ENOMEM && sbrk(0) == before ? 0 : 2;
    return got == (void *)-1 ? fail("no heap") : 0;
}

static int write_file(void)
{
    int fd = open("/tmp/guest-faults", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char got[8] = {0};
    if (fd < 0)
        return 2;
    ssize_t n = write(fd, "written", 8);
    if (right && n < 0)
        return errno == ENOSPC ? 0 : 2;
    return pread(fd, got, 8, 0) == 8 && !strcmp(got, "written") ? 0 : fail("nothing was written");
}

static void on_alarm(int number)
{
    (void)number;
}

static int interrupted(void)
{
    int ends[2];
    char got = 0;
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGUSR1, &action, NULL);
    if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1)
        return 2;
    ssize_t n;
    do
        n = read(ends[0], &got, 1);
    while (right && n < 0 && errno == EINTR);
    return n == 1 && got == 'x' ? 0 : fail("nothing was read");
}

// ---- Directories ----

static int first_entry(void)
{
    char names[3][256] = {"", "", ""};
    int n = 0;
    mkdir("/tmp/entries", 0700);
    for (const char *const *path =
             (const char *const[]){"/tmp/entries/a", "/tmp/entries/bb", "/tmp/entries/ccc", NULL};
         *path; path++)
        close(open(*path, O_CREAT | O_WRONLY, 0600));
    DIR *directory = opendir("/tmp/entries");
    if (!directory)
        return 2;
    for (struct dirent *entry; (entry = readdir(directory));)
        if (entry->d_name[0] != '.' && n < 3)
            snprintf(names[n++], sizeof names[0], "%s", entry->d_name);
    closedir(directory);
    printf("%s %s %s\n", names[0], names[1], names[2]);
    if (n != 3 || strlen(names[0]) + strlen(names[1]) + strlen(names[2]) != 6)
        return 2;
    return right || !strcmp(names[0], "ccc") ? 0 : fail("another one is the first");
}

// ---- What the program sees of it ----

static long call3(long number, long a, long b, long c, long *ret_rdx)
{
    long result;
    register long rdx __asm__("rdx") = c;
    __asm__ volatile("syscall"
                     : "=a"(result), "+r"(rdx)
                     : "0"(number), "D"(a), "S"(b)
                     : "rcx", "r11", "memory");
    *ret_rdx = rdx;
    return result;
}

// The argument is as it was, and the rest is left.
static int registers(void)
{
    int ends[2];
    char got[16] = {0};
    long rdx = 0;
    if (pipe(ends) != 0 || write(ends[1], "0123456789abcde", 16) != 16)
        return 2;
    long n = call3(SYS_read, ends[0], (long)got, 16, &rdx);
    if (rdx != 16)
        return fail("the length is another one");
    if (n < 16 && read(ends[0], got + n, 16) != 16 - n)
        return fail("the rest is gone");
    return strcmp(got, "0123456789abcde") ? fail("other bytes") : 0;
}

static int other[2];

// The same call in a handler that interrupts the one that waits.
static void read_other(int number)
{
    char got[16] = {0};
    (void)number;
    if (read(other[0], got, 16) != 16 || strcmp(got, "0123456789abcde"))
        _exit(1);
}

static int handler(void)
{
    int ends[2];
    char got[16] = {0};
    struct sigaction action = {.sa_handler = read_other, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    if (pipe(ends) != 0 || pipe(other) != 0 || write(other[1], "0123456789abcde", 16) != 16)
        return 2;
    pid_t pid = fork();
    if (pid == 0) {
        usleep(1000);
        kill(getppid(), SIGUSR1);
        usleep(1000);
        _exit(write(ends[1], "0123456789abcde", 16) != 16);
    }
    ssize_t n = read(ends[0], got, 16);
    if (n != 3 || strcmp(got, "012"))
        return fail("three bytes are to be read");
    n = read(ends[0], got, 16);
    return n == 13 && !strcmp(got, "3456789abcde") ? 0 : fail("the rest is gone");
}

static const struct {
    const char *name;
    int (*run)(void);
} programs[] = {
    {"read-pipe", read_pipe},   {"read-socket", read_socket}, {"write-socket", write_socket},
    {"wait-raw", wait_raw},     {"wait-if", wait_if},         {"wait-glibc", wait_glibc},
    {"fork", fork_once},        {"map", map_memory},          {"heap", more_heap},
    {"write-file", write_file}, {"interrupted", interrupted}, {"entries", first_entry},
    {"registers", registers},   {"handler", handler},
};

int main(int argc, char **argv)
{
    right = argc > 2 && !strcmp(argv[2], "right");
    mkdir("/tmp", 0777);
    for (size_t i = 0; argc > 1 && i < sizeof programs / sizeof *programs; i++)
        if (!strcmp(argv[1], programs[i].name))
            return programs[i].run();
    return 2;
}
