// SPDX-License-Identifier: MIT
//
// A program whose threads and processes are in all states, with memory of all kinds. Each page of what lies
// at PATTERN tells its own address and who wrote it last: 1, the first process, or 2, its child.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATTERN ((char *)0x600000000000)
#define PAGE 4096
#define PAGES 600

static int pipe_ends[2];
static volatile uint64_t turns;

static void write_pages(int from, int to, uint64_t who)
{
    for (int i = from; i < to; i++)
        for (uint64_t *word = (uint64_t *)(PATTERN + i * PAGE), n = 0; n < PAGE / 8; n++)
            word[n] = ((uint64_t)(uintptr_t)&word[n] << 8) | who;
}

static void *reader(void *data)
{
    char byte;
    prctl(PR_SET_NAME, "reader of a pipe");
    while (read(pipe_ends[0], &byte, 1) == 1)
        usleep(300);
    return NULL;
}

static void *sleeper(void *data)
{
    prctl(PR_SET_NAME, "sleeper");
    for (int i = 0; i < 40; i++)
        usleep(700);
    return data;
}

// Numbers in all of the registers for floating point, too.
static void *spinner(void *data)
{
    double a = 1, b = 2, c = 3;
    prctl(PR_SET_NAME, "spinner\n(x)");
    for (long i = 0; i < 4000000; i++) {
        a = a * 1.0000001 + b / 3;
        b = b - c * 0.25;
        c = (a + b) / 2;
        turns++;
    }
    volatile double sum = a + b + c;
    (void)sum;
    return NULL;
}

static int child(void)
{
    write_pages(100, 200, 2);
    mprotect(PATTERN + 150 * PAGE, 10 * PAGE, PROT_NONE);
    munmap(PATTERN + 300 * PAGE, 20 * PAGE);
    for (int i = 0; i < 20; i++) {
        usleep(1000);
        void *more = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(more, i, 64 * PAGE);
        munmap(more, 32 * PAGE);
    }
    return 3;
}

// In a namespace of its own it is number 1, with a file that has no name any more.
static int stranger(void)
{
    int fd = open("/tmp/gone", O_RDWR | O_CREAT, 0600);
    char *shared =
        ftruncate(fd, 8 * PAGE) ? NULL : mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    unlink("/tmp/gone");
    strcpy(shared, "shared");
    int memory = memfd_create("made up", 0);
    if (ftruncate(memory, PAGE))
        return 1;
    mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, memory, 0);
    usleep(25000);
    return getpid() == 1 ? 0 : 1;
}

static pid_t start(int (*function)(void))
{
    pid_t pid = fork();
    if (!pid)
        _exit(function());
    return pid;
}

static int stopped(void)
{
    raise(SIGSTOP);
    return 0;
}

static int zombie(void)
{
    return 7;
}

int main(void)
{
    pthread_t threads[3];
    mmap(PATTERN, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    write_pages(0, 500, 1);
    mprotect(PATTERN + 50 * PAGE, 10 * PAGE, PROT_NONE);
    mprotect(PATTERN + 400 * PAGE, 10 * PAGE, PROT_READ | PROT_EXEC);
    if (pipe(pipe_ends))
        return 1;
    pid_t dead = start(zombie), stops = start(stopped), works = start(child);
    pid_t strange = unshare(CLONE_NEWPID) ? 0 : start(stranger);
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, sleeper, NULL);
    pthread_create(&threads[2], NULL, spinner, NULL);
    for (int i = 0; i < 20; i++) {
        usleep(1500);
        if (write(pipe_ends[1], "x", 1) != 1)
            return 1;
        write_pages(200, 210, 1);
        sched_yield();
    }
    close(pipe_ends[1]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    kill(stops, SIGCONT);
    waitpid(dead, NULL, 0);
    waitpid(stops, NULL, 0);
    waitpid(works, NULL, 0);
    if (strange)
        waitpid(strange, NULL, 0);
    puts("done");
    return 0;
}
