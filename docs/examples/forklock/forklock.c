// SPDX-License-Identifier: MIT
//
// A build server. One thread keeps the journal, under a lock, while the main thread starts builds, each in a
// child process, which notes in its copy of the journal that it has begun.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BUILDS = 3, NOTES = 30 };

static pthread_mutex_t journal_lock = PTHREAD_MUTEX_INITIALIZER;
static char journal[32][32];
static int notes;

static void note(const char *what, int number)
{
    pthread_mutex_lock(&journal_lock);
    snprintf(journal[notes % 32], sizeof journal[0], "%s %d", what, number); /* side: held */
    notes++; /* side: held */
    pthread_mutex_unlock(&journal_lock); /* side: held */
}

static void *keep_journal(void *arg)
{
    (void)arg;
    for (int i = 0; i < NOTES; i++)
        note("alive", i);
    return NULL;
}

static void build(int number)
{
    char line[32];
    note("begun", number);
    int length = snprintf(line, sizeof line, "build %d done\n", number);
    if (write(STDOUT_FILENO, line, length) != length)
        _exit(2);
    _exit(0);
}

int main(void)
{
    pthread_t keeper;
    int failed = 0;

    if (pthread_create(&keeper, NULL, keep_journal, NULL) != 0)
        return 2;
    for (int number = 1; number <= BUILDS; number++) {
        int status;
        pid_t child = fork(); /* side: passes */
        if (child == 0)
            build(number);
        failed += child < 0 || waitpid(child, &status, 0) != child || status != 0;
    }
    pthread_join(keeper, NULL);
    printf("%d builds failed\n", failed);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
