// SPDX-License-Identifier: MIT
//
// A print server. Jobs are files that appear in a spool directory, put there by rename when they are whole.
// The server prints those that it finds when it starts, and watches the directory for more. A client (a
// child process) brings some jobs while the server starts.

#include <dirent.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS = 3, PATIENCE_MS = 2000 };

static const char spool[] = "spool.d";

static bool printed[JOBS];

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

static void say(const char *who, const char *what)
{
    char line[80];
    int length = snprintf(line, sizeof line, "%s: %s\n", who, what);
    if (write(STDOUT_FILENO, line, length) != length)
        exit(2);
}

// Prints the job in the file `name`, once.
static void print_job(const char *name)
{
    int job;
    if (sscanf(name, "job-%d", &job) != 1 || job < 0 || job >= JOBS || printed[job])
        return;
    printed[job] = true;
    say("server prints", name);
}

static void print_waiting_jobs(void)
{
    DIR *directory = opendir(spool);
    if (directory == NULL)
        fail(spool);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        print_job(entry->d_name);
    closedir(directory);
}

static int watch_spool(void)
{
    int watch = inotify_init1(IN_CLOEXEC); /* side: held */
    if (watch < 0 || inotify_add_watch(watch, spool, IN_MOVED_TO) < 0) /* side: held */
        fail("inotify");
    return watch;
}

static int count_printed(void)
{
    int count = 0;
    for (int job = 0; job < JOBS; job++)
        count += printed[job];
    return count;
}

// Prints jobs as they come, until all are printed or none has come for a while.
static void print_new_jobs(int watch)
{
    struct pollfd ready = {.fd = watch, .events = POLLIN};
    while (count_printed() < JOBS && poll(&ready, 1, PATIENCE_MS) == 1) {
        _Alignas(struct inotify_event) char events[4096];
        ssize_t length = read(watch, events, sizeof events);
        if (length <= 0)
            fail("inotify");
        for (char *at = events; at < events + length;) {
            const struct inotify_event *event = (const struct inotify_event *)at;
            print_job(event->name);
            at += sizeof *event + event->len;
        }
    }
}

static void serve(void)
{
    say("server", "starts");
    print_waiting_jobs();
    say("server", "has looked at the spool directory"); /* side: held */
    int watch = watch_spool(); /* side: held */
    print_new_jobs(watch);
    close(watch);
}

static void bring_job(int job)
{
    char path[64], new_path[64];
    snprintf(path, sizeof path, "%s/job-%d", spool, job);
    snprintf(new_path, sizeof new_path, "%s/.new-%d", spool, job);
    FILE *file = fopen(new_path, "w");
    if (file == NULL || fprintf(file, "page %d\n", job) < 0 || fclose(file) != 0 ||
        rename(new_path, path) != 0) /* side: passes */
        fail(path);
}

static pid_t start_client(void)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    for (int job = 0; job < JOBS; job++)
        bring_job(job);
    say("client", "done");
    _exit(0);
}

int main(void)
{
    if (mkdir(spool, 0777) != 0)
        fail(spool);
    if (start_client() < 0)
        fail("fork");
    serve();
    wait(NULL);
    printf("%d of %d jobs printed\n", count_printed(), JOBS);
    return count_printed() == JOBS ? EXIT_SUCCESS : EXIT_FAILURE;
}
