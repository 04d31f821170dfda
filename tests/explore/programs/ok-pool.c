// SPDX-License-Identifier: MIT
//
// Correct: three workers take jobs from a queue, and end when it is closed and empty.

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { WORKERS = 3, JOBS = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int next, count, results[JOBS];
static bool closed;

static int next_job(void)
{
    int job = -1;
    pthread_mutex_lock(&lock);
    while (next == count && !closed)
        pthread_cond_wait(&changed, &lock);
    if (next < count)
        job = next++;
    pthread_mutex_unlock(&lock);
    return job;
}

static void *work(void *arg)
{
    (void)arg;
    for (int job; (job = next_job()) >= 0;)
        results[job] = job * job; // nobody else has this job
    return NULL;
}

static void add_job(void)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t workers[WORKERS];
    int wrong = 0;

    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&workers[i], NULL, work, NULL) != 0)
            return 2;
    for (int i = 0; i < JOBS; i++)
        add_job();
    pthread_mutex_lock(&lock);
    closed = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    for (int i = 0; i < JOBS; i++)
        wrong += results[i] != i * i;
    printf("%d of %d jobs wrong\n", wrong, JOBS);
    return wrong != 0;
}
