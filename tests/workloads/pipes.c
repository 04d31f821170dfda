// SPDX-License-Identifier: MIT
//
// Pipes: a chain of processes, capacity, SIGPIPE, splice and tee, named pipes.

#include "w.h"

#include <sys/stat.h>

enum { TOTAL = 1 << 20 };

static void produce(int out)
{
    char block[5000];
    uint64_t seed = 1;
    for (int sent = 0; sent < TOTAL;) {
        size_t count = 1 + w_next(&seed) % sizeof block;
        if (count > (size_t)(TOTAL - sent))
            count = TOTAL - sent;
        for (size_t i = 0; i < count; i++)
            block[i] = (char)((sent + i) * 7);
        for (size_t done = 0; done < count;)
            done += write(out, block + done, count - done);
        sent += count;
    }
}

static void invert(int in, int out)
{
    unsigned char block[3000];
    for (ssize_t count; (count = read(in, block, sizeof block)) > 0;) {
        for (ssize_t i = 0; i < count; i++)
            block[i] ^= 0xff;
        for (ssize_t done = 0; done < count;)
            done += write(out, block + done, count - done);
    }
}

static void run_chain(void)
{
    int first[2], second[2];
    CHECK(pipe(first) == 0 && pipe(second) == 0);
    pid_t producer = fork();
    if (producer == 0) {
        produce(first[1]);
        _exit(0);
    }
    pid_t inverter = fork();
    if (inverter == 0) {
        close(first[1]);
        close(second[0]);
        invert(first[0], second[1]);
        _exit(0);
    }
    close(first[0]);
    close(first[1]);
    close(second[1]);
    unsigned char byte;
    unsigned char block[8192];
    int total = 0, wrong = 0;
    for (ssize_t count; (count = read(second[0], block, sizeof block)) > 0; total += count)
        for (ssize_t i = 0; i < count; i++) {
            byte = (unsigned char)((total + i) * 7);
            wrong += block[i] != (unsigned char)~byte;
        }
    printf("%d bytes, %d wrong, %d %d\n", total, wrong, w_wait(producer), w_wait(inverter));
}

static void fill(void)
{
    int ends[2], total = 0;
    char block[1000] = "";
    CHECK(pipe2(ends, O_NONBLOCK) == 0);
    for (ssize_t count; (count = write(ends[1], block, sizeof block)) > 0;)
        total += count;
    printf("capacity %d errno %d size %d\n", total, errno, fcntl(ends[1], F_GETPIPE_SZ));
    signal(SIGPIPE, SIG_IGN);
    close(ends[0]);
    CHECK(write(ends[1], block, 1) == -1);
    printf("closed: errno %d\n", errno);
    signal(SIGPIPE, SIG_DFL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(write(ends[1], block, 1) > 0);
    printf("killed by %d\n", WTERMSIG(w_wait(pid)));
}

static void move_pages(void)
{
    int from[2], copy[2], onward[2];
    char text[] = "moved without a copy", back[64] = "";
    CHECK(pipe(from) == 0 && pipe(copy) == 0 && pipe(onward) == 0);
    CHECK(write(from[1], text, sizeof text) == sizeof text);
    printf("tee %zd ", tee(from[0], copy[1], 4096, 0));
    printf("splice %zd ", splice(from[0], NULL, onward[1], NULL, 4096, 0));
    CHECK(read(onward[0], back, sizeof back) == sizeof text && strcmp(back, text) == 0);
    CHECK(read(copy[0], back, sizeof back) == sizeof text && strcmp(back, text) == 0);
    printf("%s\n", back);
}

static void meet_at_a_name(void)
{
    char line[32] = "";
    CHECK(mkfifo("/tmp/meeting", 0600) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        int out = open("/tmp/meeting", O_WRONLY);
        _exit(write(out, "hello", 5) != 5);
    }
    int in = open("/tmp/meeting", O_RDONLY);
    CHECK(read(in, line, sizeof line) == 5);
    printf("%s %d\n", line, w_wait(pid));
    unlink("/tmp/meeting");
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    run_chain();
    fill();
    move_pages();
    meet_at_a_name();
    return 0;
}
