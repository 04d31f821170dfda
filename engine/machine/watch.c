// SPDX-License-Identifier: MIT
// A watch over a run that was asked to stop, by a thread beside it.
//
// Host code that is right cannot keep the CPU: whatever way a block is entered, its header takes its
// instructions off the budget first, and without a budget it goes back to the loop, which sees the kick. So
// this is for a translator that is wrong, and no flag that its code would have to look at helps there. Nor
// can a thread be stopped from outside without knowing what it holds. The process ends instead: that loses
// the run that is being recorded, and the store is made to be left like that at any instant. Only the
// processor time of the watched thread counts, so that neither a busy host nor a slow disk is taken for it.
#include "rw-machine-private.h"

#include <pthread.h>

#define PATIENCE_NS (10 * 1000000000ll)

static gint64 thread_time(const RwWatch *watch)
{
    struct timespec t = {0};
    clock_gettime(watch->clock, &t);
    return (gint64)t.tv_sec * 1000000000 + t.tv_nsec;
}

static gpointer keep_watch(gpointer data)
{
    RwWatch *watch = data;
    g_mutex_lock(&watch->lock);
    while (!watch->over && !watch->asked && g_get_monotonic_time() < watch->deadline)
        g_cond_wait_until(&watch->changed, &watch->lock, watch->deadline);
    if (!watch->over)
        rw_vcpu_kick(watch->cpu);
    gint64 begin = watch->over ? 0 : thread_time(watch);
    while (!watch->over && thread_time(watch) - begin < PATIENCE_NS)
        g_cond_wait_until(&watch->changed, &watch->lock, g_get_monotonic_time() + G_USEC_PER_SEC);
    if (!watch->over)
        g_error("the CPU does not stop when told to, which is a fault in Rewind: this run is lost, others "
                "are not");
    g_mutex_unlock(&watch->lock);
    return NULL;
}

// Where no thread is to be had there is no watch.
static void begin(RwWatch *watch)
{
    if (!watch->thread)
        watch->thread = g_thread_try_new("watch", keep_watch, watch, NULL);
}

void rw_watch_start(RwWatch *watch, RwVcpu *cpu, gint64 deadline)
{
    *watch = (RwWatch){.cpu = cpu, .deadline = deadline};
    g_mutex_init(&watch->lock);
    g_cond_init(&watch->changed);
    pthread_getcpuclockid(pthread_self(), &watch->clock);
    if (deadline)
        begin(watch);
}

void rw_watch_ask(RwWatch *watch)
{
    g_mutex_lock(&watch->lock);
    watch->asked = true;
    begin(watch);
    g_cond_signal(&watch->changed);
    g_mutex_unlock(&watch->lock);
}

void rw_watch_stop(RwWatch *watch)
{
    g_mutex_lock(&watch->lock);
    watch->over = true;
    g_cond_signal(&watch->changed);
    g_mutex_unlock(&watch->lock);
    if (watch->thread)
        g_thread_join(watch->thread);
    g_mutex_clear(&watch->lock);
    g_cond_clear(&watch->changed);
}
