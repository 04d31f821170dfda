// SPDX-License-Identifier: MIT
#include "pool-private.h"

struct _RwPool {
    guint jobs;
    RwMachine **machines; // one a thread
};

typedef enum { WAITING, BEGUN, FINISHED } State;

typedef struct {
    const RwPoolTask *task;
    guint count;
    GMutex lock; // of what follows
    GCond changed;
    guint next, running;
    uint8_t *states;
} Batch;

typedef struct {
    Batch *batch;
    RwMachine **machine;
} Worker;

RwPool *rw_pool_new(guint jobs)
{
    RwPool *pool = g_new0(RwPool, 1);
    pool->jobs = MAX(jobs, 1);
    pool->machines = g_new0(RwMachine *, pool->jobs);
    return pool;
}

void rw_pool_free(RwPool *pool)
{
    if (!pool)
        return;
    for (guint i = 0; i < pool->jobs; i++)
        rw_machine_free(pool->machines[i]);
    g_free(pool->machines);
    g_free(pool);
}

static bool take_next(Batch *batch, guint *ret_index)
{
    g_mutex_lock(&batch->lock);
    bool go = batch->next < batch->count && !batch->task->stop(batch->task->data);
    if (go) {
        *ret_index = batch->next++;
        batch->states[*ret_index] = BEGUN;
    }
    g_mutex_unlock(&batch->lock);
    return go;
}

static gpointer work(gpointer data)
{
    Worker *worker = data;
    Batch *batch = worker->batch;
    guint index;
    while (take_next(batch, &index)) {
        batch->task->work(index, worker->machine, batch->task->data);
        g_mutex_lock(&batch->lock);
        batch->states[index] = FINISHED;
        g_cond_signal(&batch->changed);
        g_mutex_unlock(&batch->lock);
    }
    g_mutex_lock(&batch->lock);
    batch->running--;
    g_cond_signal(&batch->changed);
    g_mutex_unlock(&batch->lock);
    return NULL;
}

// In order; what is never begun is passed over once no thread is left.
static void collect(Batch *batch)
{
    for (guint index = 0; index < batch->count; index++) {
        g_mutex_lock(&batch->lock);
        while (batch->states[index] != FINISHED && batch->running)
            g_cond_wait(&batch->changed, &batch->lock);
        bool finished = batch->states[index] == FINISHED;
        g_mutex_unlock(&batch->lock);
        if (finished && batch->task->done)
            batch->task->done(index, batch->task->data);
    }
}

// Where the host has no more threads, fewer do the work; the caller's own if there is none.
static void start(RwPool *pool, Batch *batch, guint threads, Worker *workers, GThread **handles)
{
    guint missing = 0;
    for (guint i = 0; i < threads; i++) {
        workers[i] = (Worker){batch, &pool->machines[i]};
        handles[i] = g_thread_try_new("machine", work, &workers[i], NULL);
        missing += !handles[i];
    }
    bool alone = threads && missing == threads;
    g_mutex_lock(&batch->lock);
    batch->running -= missing - alone;
    g_mutex_unlock(&batch->lock);
    if (alone)
        work(&workers[0]);
}

void rw_pool_run(RwPool *pool, guint count, const RwPoolTask *task)
{
    guint threads = MIN(pool->jobs, count);
    g_autofree uint8_t *states = g_new0(uint8_t, count);
    g_autofree Worker *workers = g_new0(Worker, threads);
    g_autofree GThread **handles = g_new0(GThread *, threads);
    Batch batch = {.task = task, .count = count, .running = threads, .states = states};
    g_mutex_init(&batch.lock);
    g_cond_init(&batch.changed);
    start(pool, &batch, threads, workers, handles);
    collect(&batch);
    for (guint i = 0; i < threads; i++)
        if (handles[i])
            g_thread_join(handles[i]);
    g_mutex_clear(&batch.lock);
    g_cond_clear(&batch.changed);
}
