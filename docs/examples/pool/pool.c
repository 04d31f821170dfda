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

// The next job's number, or -1 when the pool closes and none is left. Called with the lock held.
static int take_job(struct pool *pool)
{
    while (pool->queue.next == pool->queue.count) {
        if (pool->closing)
            return -1;
        pthread_cond_wait(&pool->changed, &pool->lock);
    }
    pthread_cond_broadcast(&pool->changed);
    return pool->queue.next++;
}

static void *work(void *arg)
{
    struct pool *pool = arg;

    pthread_mutex_lock(&pool->lock);
    for (int number = take_job(pool); number >= 0; number = take_job(pool)) {
        struct job *job = &pool->queue.jobs[number];
        pthread_mutex_unlock(&pool->lock);
        int result = job->run(job->data);
        pthread_mutex_lock(&pool->lock);
        job->result = result;
        job->ended = true;
        pthread_cond_broadcast(&pool->changed);
    }
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
    while (pool->queue.next < pool->queue.count)
        pthread_cond_wait(&pool->changed, &pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);

    free(pool->queue.jobs);
    for (int i = 0; i < pool->workers; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
