// SPDX-License-Identifier: MIT
//
// Reads settings: files that need not be there, each of which overrides what the ones before it say. A
// timer reports the progress to whoever listens on descriptor 3.

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const char *const paths[] = {"/etc/tool.conf", "/root/.toolrc", "tool.conf", "tool.local.conf"};

enum { LISTENER = 3 };

static volatile sig_atomic_t done;

static void on_tick(int signo)
{
    char text[] = "0 of 4\n";
    (void)signo;
    text[0] += (char)done;
    // Nobody listens, as a rule.
    if (write(LISTENER, text, sizeof text - 1) < 0)
        return;
}

static void report_every(int milliseconds)
{
    struct sigaction action;
    struct itimerval timer = {{0, milliseconds * 1000}, {0, milliseconds * 1000}};
    memset(&action, 0, sizeof action);
    action.sa_handler = on_tick;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

// What is not there is nothing to complain about.
static int read_settings(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        if (errno == ENOENT) /* side: held */
            return 0;
        printf("%s: %s\n", path, strerror(errno));
        return -1;
    }
    close(fd);
    return 0;
}

// The work that the settings are for.
static void work(void)
{
    usleep(3000);
}

int main(void)
{
    int wrong = 0;
    report_every(10);
    for (size_t i = 0; i < LENGTH(paths); i++) {
        wrong += read_settings(paths[i]) < 0;
        work();
        done = done + 1;
    }
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
