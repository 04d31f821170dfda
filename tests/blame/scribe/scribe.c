// SPDX-License-Identifier: MIT
//
// Writes files in every way there is, and memory. A digit that follows the seed is in most of them, so that two
// runs of other seeds differ. `by: NAME` marks the line that writes last.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int digit;
int total; // that a child and a thread add to
static long *shared;
int untouched[4096];
static volatile struct {
    char name[8];
    int age;
} clerk = {"Anna", 30};

static int make(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (fd < 0)
        exit(3);
    return fd;
}

static void must(int good)
{
    if (!good)
        exit(4);
}

static void write_plain(void)
{
    char text[16];
    int n = snprintf(text, sizeof text, "plain %d\n", digit);
    int fd = make("plain.txt");
    must(write(fd, text, n) == n); /* by: plain */
    close(fd);
}

// The byte has the same value in the end as after the first write.
static void write_again(void)
{
    char byte = (char)('0' + digit), other = '#';
    int fd = make("again.txt");
    must(pwrite(fd, &byte, 1, 5) == 1);
    must(pwrite(fd, &other, 1, 5) == 1);
    must(pwrite(fd, &byte, 1, 5) == 1); /* by: again */
    must(pwrite(fd, "tail", 4, 20000) == 4);
    close(fd);
}

static void write_mapped(void)
{
    int fd = make("mapped.bin");
    must(ftruncate(fd, 10000) == 0);
    char *bytes = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must(bytes != MAP_FAILED);
    bytes[5000] = (char)('a' + digit); /* by: mapped */
    munmap(bytes, 10000);
    close(fd);
}

static void write_renamed(void)
{
    char text[16];
    int n = snprintf(text, sizeof text, "new %d\n", digit);
    int fd = make("new.tmp");
    must(write(fd, text, n) == n); /* by: renamed */
    close(fd);
    must(rename("new.tmp", "middle.tmp") == 0);
    must(rename("middle.tmp", "renamed.txt") == 0);
}

static void write_truncated(void)
{
    char text[100];
    int fd = make("truncated.txt");
    memset(text, 'x', sizeof text);
    must(write(fd, text, sizeof text) == sizeof text);
    must(ftruncate(fd, 10 + digit) == 0); /* by: truncated */
    close(fd);
}

static void write_vector(void)
{
    char byte = (char)('0' + digit);
    struct iovec parts[] = {{"vector ", 7}, {&byte, 1}, {"\n", 1}};
    int fd = make("vector.txt");
    must(writev(fd, parts, 3) == 9); /* by: vector */
    close(fd);
}

static void write_sent(void)
{
    int from = open("plain.txt", O_RDONLY), to = make("sent.txt");
    must(sendfile(to, from, NULL, 100) == 8); /* by: sent */
    close(from);
    close(to);
}

static void write_copied(void)
{
    int from = open("plain.txt", O_RDONLY), to = make("copied.txt");
    must(copy_file_range(from, NULL, to, NULL, 8, 0) == 8); /* by: copied */
    close(from);
    close(to);
}

static void write_buffered(void)
{
    FILE *file = fopen("buffered.txt", "w");
    fprintf(file, "buffered %d\n", digit); /* by: printf */
    must(fclose(file) == 0); /* by: buffered */
}

static void write_aligned(void)
{
    static char pages[8192] __attribute__((aligned(4096)));
    int fd = make("aligned.bin");
    memset(pages, '0' + digit, sizeof pages);
    must(write(fd, pages, sizeof pages) == sizeof pages); /* by: aligned */
    close(fd);
}

static void write_sometimes(void)
{
    close(make("sometimes.txt"));
    if (digit % 2)
        must(unlink("sometimes.txt") == 0);
}

static void add(int what)
{
    total += what; /* by: total */
}

static void *add_in_thread(void *arg)
{
    add(*(int *)arg);
    return NULL;
}

static void write_memory(void)
{
    pthread_t thread;
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(shared != MAP_FAILED);
    clerk.age = 31; /* by: before fork */
    pid_t child = fork();
    if (child == 0) {
        shared[3] = 1000 + digit; /* by: child */
        printf("child\n");
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    must(pthread_create(&thread, NULL, add_in_thread, &digit) == 0);
    pthread_join(thread, NULL);
}

static void stand(int argument)
{
    volatile int local = argument + 1; /* by: local */
    static int counted;
    counted += argument; /* by: static */
    printf("parent %p %p\n", (void *)&shared[3], (void *)&untouched[2000]);
    fflush(stdout);
    local++;
}

int main(void)
{
    unsigned char random;
    must(getrandom(&random, 1, 0) == 1);
    digit = random % 10;
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("digit %d\n", digit);
    write_plain();
    write_again();
    write_mapped();
    write_renamed();
    write_truncated();
    write_vector();
    write_sent();
    write_copied();
    write_buffered();
    write_aligned();
    write_sometimes();
    write_memory();
    stand(digit);
    return 0;
}
