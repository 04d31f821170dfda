// SPDX-License-Identifier: MIT
//
// Kind: a log is opened at its first use; the flag that says so, which is looked at without the lock, is set before the log is there.
// Holds: the one who opens it between the flag and the log until another one has looked for it: one.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_open;
static FILE *volatile log_file;
static int lines;

static void open_log(void)
{
    if (atomic_load(&is_open))
        return;
    pthread_mutex_lock(&lock);
    if (!atomic_load(&is_open)) {
        atomic_store(&is_open, 1);
        log_file = stdout; /* side: held */
    }
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    int number = (int)(long)arg;
    open_log();
    FILE *file = log_file; /* side: passes */
    if (file == NULL) {
        puts("no log");
        exit(1);
    }
    pthread_mutex_lock(&lock);
    fprintf(file, "%d: line %d\n", number, ++lines);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];

    for (long i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
            return 2;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
