// SPDX-License-Identifier: MIT
//
// Starts jobs and keeps a table of them. The handler of SIGCHLD collects each one that has ended and marks
// its entry.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const char *const names[] = {"fetch", "unpack", "build"};

struct job {
    volatile pid_t pid; // 0: not started
    volatile int status;
    volatile sig_atomic_t done;
};

static struct job jobs[LENGTH(names)];
static volatile sig_atomic_t running, strangers;

static struct job *find_job(pid_t pid)
{
    for (size_t i = 0; i < LENGTH(jobs); i++)
        if (jobs[i].pid == pid)
            return &jobs[i];
    return NULL;
}

static void on_child(int signo)
{
    pid_t pid;
    int status;
    (void)signo;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        struct job *job = find_job(pid);
        if (job == NULL) {
            strangers = strangers + 1;
            continue;
        }
        job->status = status;
        job->done = 1;
        running = running - 1;
    }
}

static void listen_for_children(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_child;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGCHLD, &action, NULL);
}

// The job itself is short.
static void run_job(int status)
{
    usleep(2000);
    _exit(status); /* side: passes */
}

static int start_job(size_t n)
{
    pid_t pid = fork();
    if (pid == 0)
        run_job((int)n);
    if (pid < 0)
        return -1;
    running = running + 1; /* side: held */
    jobs[n].pid = pid; /* side: held */
    return 0;
}

static void wait_a_moment(void)
{
    for (int i = 0; running > 0 && i < 100; i++)
        usleep(1000);
}

int main(void)
{
    int lost = 0;
    listen_for_children();
    for (size_t i = 0; i < LENGTH(names); i++)
        if (start_job(i) < 0)
            return EXIT_FAILURE;
    wait_a_moment();
    for (size_t i = 0; i < LENGTH(names); i++) {
        if (!jobs[i].done)
            printf("%s was started and never seen again\n", names[i]);
        lost += !jobs[i].done || WEXITSTATUS(jobs[i].status) != (int)i;
    }
    if (lost || running)
        printf("%d of %zu jobs lost, %d running, %d strangers\n", lost, LENGTH(names), (int)running,
               (int)strangers);
    return lost || running ? EXIT_FAILURE : EXIT_SUCCESS;
}
