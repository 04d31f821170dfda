// SPDX-License-Identifier: MIT

#include "pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MAX_WORKERS = 16, MAX_JOBS = 8192 };

struct job {
    int (*run)(int data);
    int data;
    int result;
    bool ended;
};

// Jobs [0, next) were taken by a worker, [next, count) wait.
struct queue {
    struct job *jobs;
    int next;
    int count;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed; // any member below
    struct queue queue;
    bool closing;
    int workers;
    pthread_t threads[MAX_WORKERS];
};

// Takes the next job and runs it. False when none waits. Called with the lock held, which it gives up
// while the job runs.
static bool run_next_job(struct pool *pool)
{
    if (pool->queue.next == pool->queue.count)
        return false;

    struct job *job = &pool->queue.jobs[pool->queue.next++];
    pthread_mutex_unlock(&pool->lock);
    int result = job->run(job->data); /* side: held */
    pthread_mutex_lock(&pool->lock); /* side: held */
    job->result = result; /* side: held */
    job->ended = true;
    pthread_cond_broadcast(&pool->changed);
    return true;
}

static void *work(void *arg)
{
    struct pool *pool = arg;

    pthread_mutex_lock(&pool->lock);
    while (!pool->closing)
        if (!run_next_job(pool))
            pthread_cond_wait(&pool->changed, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

struct pool *pool_new(int workers)
{
    struct pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->changed, NULL);
    pool->queue.jobs = calloc(MAX_JOBS, sizeof *pool->queue.jobs);
    while (pool->queue.jobs != NULL && pool->workers < workers && pool->workers < MAX_WORKERS &&
           pthread_create(&pool->threads[pool->workers], NULL, work, pool) == 0)
        pool->workers++;
    if (pool->workers == workers)
        return pool;
    pool_free(pool);
    return NULL;
}

int pool_submit(struct pool *pool, int (*run)(int data), int data)
{
    int number = -1;

    pthread_mutex_lock(&pool->lock);
    if (pool->queue.count < MAX_JOBS) {
        number = pool->queue.count++;
        pool->queue.jobs[number] = (struct job){.run = run, .data = data};
        pthread_cond_broadcast(&pool->changed);
    }
    pthread_mutex_unlock(&pool->lock);
    return number;
}

int pool_result(struct pool *pool, int number)
{
    pthread_mutex_lock(&pool->lock);
    while (!pool->queue.jobs[number].ended)
        pthread_cond_wait(&pool->changed, &pool->lock);
    int result = pool->queue.jobs[number].result;
    pthread_mutex_unlock(&pool->lock);
    return result;
}

void pool_free(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (run_next_job(pool))
        continue;
    pool->closing = true;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);

    free(pool->queue.jobs); /* side: passes */
    for (int i = 0; i < pool->workers; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
