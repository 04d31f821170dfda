// SPDX-License-Identifier: MIT
// The job of test-holds: threads and processes of which some are held.
//
//   guest-holds count|fifo    four threads compute and print their letter, six times each
//   guest-holds kill|signals  a child computes; its parent prints how /proc shows it, and signals it
//   guest-holds exec          a thread that is not the leader forks and executes, while the leader computes
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS 6

static void compute(unsigned n)
{
    for (volatile unsigned i = 0; i < n; i++)
        ;
}

static void put(char c)
{
    if (write(1, &c, 1) != 1)
        _exit(9);
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

// ---- count, fifo ----

static void *count(void *letter)
{
    for (int i = 0; i < ROUNDS; i++) {
        compute(2000000); // several slices of time in all
        put(*(const char *)letter);
    }
    return NULL;
}

static int run_threads(int policy)
{
    static const char letters[THREADS + 1] = "abcd";
    pthread_t threads[THREADS];
    struct sched_param param = {.sched_priority = policy == SCHED_FIFO ? 10 : 0};
    if (sched_setscheduler(0, policy, &param))
        return 8;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, count, (void *)&letters[i]))
            return 7;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    put('\n');
    return 0;
}

// ---- kill, signals ----

static void leave(int signo)
{
    (void)signo;
    _exit(3);
}

static char state_of(pid_t pid)
{
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return '?';
    if (!fgets(line, sizeof line, f))
        line[0] = 0;
    fclose(f);
    const char *end = strrchr(line, ')');
    return end && end[1] ? end[2] : '?';
}

static int run_child(int round_of_signal, const int *signals)
{
    pid_t child = fork();
    if (child == 0) {
        signal(SIGUSR1, leave);
        for (;;)
            compute(1000);
    }
    int status;
    for (int round = 0; waitpid(child, &status, WNOHANG) == 0; round++) {
        put(state_of(child));
        pause_ms(10);
        for (int i = 0; round == round_of_signal && signals[i]; i++)
            kill(child, signals[i]);
    }
    put('\n');
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

// ---- exec ----

static void *fork_and_exec(void *path)
{
    compute(3000000);
    put('b');
    pid_t child = fork();
    if (child == 0) {
        put('f');
        _exit(0);
    }
    waitpid(child, NULL, 0);
    execl(path, path, "after", NULL);
    _exit(6);
}

static void tick(void)
{
    for (int i = 0; i < 200; i++) {
        pause_ms(1);
        put('.');
    }
    _exit(0);
}

static int run_exec(char *path)
{
    pthread_t thread;
    if (fork() == 0)
        tick();
    if (pthread_create(&thread, NULL, fork_and_exec, path))
        return 7;
    for (;;)
        compute(1000);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (!strcmp(mode, "count"))
        return run_threads(SCHED_OTHER);
    if (!strcmp(mode, "fifo"))
        return run_threads(SCHED_FIFO);
    if (!strcmp(mode, "kill"))
        return run_child(20, (const int[]){SIGKILL, 0});
    if (!strcmp(mode, "signals"))
        return run_child(20, (const int[]){SIGSTOP, SIGCONT, SIGUSR1, 0});
    if (!strcmp(mode, "exec"))
        return run_exec(argv[0]);
    if (!strcmp(mode, "after")) {
        put('x');
        compute(1000000);
        return 0;
    }
    return 2;
}
