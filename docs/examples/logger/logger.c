// SPDX-License-Identifier: MIT
//
// A server that logs. Where to is decided when the log is opened, by a thread of its own since that may take
// time; until then nothing is logged. A worker serves requests meanwhile.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REQUESTS = 10 };

struct log {
    const char *prefix;
    void (*put)(const struct log *log, const char *text);
};

static struct log *volatile the_log;

static void put_line(const struct log *log, const char *text)
{
    char line[80];
    int length = snprintf(line, sizeof line, "%s: %s\n", log->prefix, text);
    if (write(STDOUT_FILENO, line, length) != length)
        abort();
}

static char *host_name(void)
{
    char name[64];
    if (gethostname(name, sizeof name) != 0)
        return NULL;
    return strdup(name);
}

static void *open_log(void *arg)
{
    (void)arg;
    the_log = calloc(1, sizeof *the_log);
    if (the_log == NULL)
        abort();
    the_log->prefix = host_name(); /* side: held */
    the_log->put = put_line; /* side: held */
    return NULL;
}

static void serve(int request)
{
    struct log *log = the_log; /* side: passes */
    char text[32];
    snprintf(text, sizeof text, "request %d", request);
    if (log != NULL)
        log->put(log, text); /* side: passes */
}

static void *work(void *arg)
{
    (void)arg;
    for (int request = 1; request <= REQUESTS; request++)
        serve(request);
    return NULL;
}

int main(void)
{
    pthread_t opener, worker;

    if (pthread_create(&worker, NULL, work, NULL) != 0 || pthread_create(&opener, NULL, open_log, NULL) != 0)
        return 2;
    pthread_join(opener, NULL);
    pthread_join(worker, NULL);
    puts("all served");
    return EXIT_SUCCESS;
}
