// SPDX-License-Identifier: MIT
//
// Something to change with a debugger: variables in pages of every kind, functions to call, a thread that
// waits, signals, and another program at the end.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

const char fixed[] = "fixed text";
char room[1 << 15]; // nobody touches it
static volatile int limit = 10;
static volatile long shared = 5; // a child has the same page
static volatile int caught;
static int doors[2];
static sigjmp_buf out;

__attribute__((noinline)) int add(int a, int b)
{
    return a + b;
}

__attribute__((noinline)) double half(double x)
{
    return x / 2;
}

__attribute__((noinline)) int size_of_page(void)
{
    return getpagesize();
}

__attribute__((noinline)) static int step(int i)
{
    return add(i, 1);
}

__attribute__((noinline)) static void report(const char *what, long value)
{
    printf("%s %ld\n", what, value);
    fflush(stdout);
}

static void on_signal(int number)
{
    caught = number;
    if (number == SIGSEGV)
        siglongjmp(out, 1);
}

static void *wait_for_door(void *arg)
{
    char byte = 0;
    long got = read(doors[0], &byte, 1);
    report("door", got + byte);
    return arg;
}

__attribute__((noinline)) static long loop(void)
{
    long sum = 0;
    for (int i = 0; i < limit; i++)
        sum += step(i);
    return sum;
}

static void have_child(void)
{
    int status;
    pid_t pid = fork();
    if (!pid)
        _exit((int)shared); // what the parent had when it was forked
    report("loop", loop());
    waitpid(pid, &status, 0);
    report("child", WEXITSTATUS(status));
}

static void take_signals(void)
{
    signal(SIGUSR1, on_signal);
    signal(SIGSEGV, on_signal);
    raise(SIGUSR1);
    report("caught", caught);
    if (!sigsetjmp(out, 1))
        *(volatile int *)16 = 1;
    report("caught", caught);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc > 1) {
        report(argv[1], add(3, 4) + fixed[0] + room[4096 * 3]);
        return 7;
    }
    if (pipe(doors) || pthread_create(&thread, NULL, wait_for_door, NULL))
        return 2;
    usleep(1000);
    have_child();
    take_signals();
    if (write(doors[1], "A", 1) != 1)
        return 2;
    pthread_join(thread, NULL);
    execl(argv[0], argv[0], "second", NULL);
    return 2;
}
