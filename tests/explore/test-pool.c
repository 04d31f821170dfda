// SPDX-License-Identifier: MIT
//
// Work that is shared out among threads: each part once, told in order, however many threads there are to
// be had.
#include "pool-private.h"

#include "no-threads.h"

#define COUNT 50

typedef struct {
    guint worked[COUNT]; // how often
    guint told; // so many were, in order
    guint stop_at; // no more is begun from there on
    gint begun;
} Work;

static void work(guint index, RwMachine **machine, void *data)
{
    Work *seen = data;
    g_assert_null(*machine);
    g_atomic_int_inc(&seen->worked[index]);
    g_atomic_int_inc(&seen->begun);
    g_usleep(100);
}

static void done(guint index, void *data)
{
    Work *seen = data;
    g_assert_cmpuint(seen->worked[index], ==, 1);
    g_assert_cmpuint(index, ==, seen->told);
    seen->told++;
}

static bool stop(void *data)
{
    Work *seen = data;
    return (guint)g_atomic_int_get(&seen->begun) >= seen->stop_at;
}

// `jobs` threads are asked for, and so many are there.
static void check(guint jobs, int there, guint stop_at)
{
    Work seen = {.stop_at = stop_at};
    RwPoolTask task = {.work = work, .done = done, .stop = stop, .data = &seen};
    RwPool *pool = rw_pool_new(jobs);
    no_threads_after(there);
    rw_pool_run(pool, COUNT, &task);
    no_threads_after(-1);
    rw_pool_free(pool);
    g_assert_cmpuint(seen.told, ==, seen.begun);
    g_assert_cmpuint(seen.told, >=, MIN(stop_at, COUNT));
    g_assert_cmpuint(seen.told, <=, MIN(stop_at + jobs, COUNT));
}

static void test_all(void)
{
    for (guint jobs = 1; jobs <= 8; jobs++)
        check(jobs, -1, COUNT);
}

static void test_stopped(void)
{
    check(3, -1, 0);
    check(3, -1, 20);
}

static void test_few_threads(void)
{
    for (int there = 0; there < 4; there++) {
        check(4, there, COUNT);
        check(4, there, 20);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pool/all", test_all);
    g_test_add_func("/pool/stopped", test_stopped);
    g_test_add_func("/pool/few-threads", test_few_threads);
    return g_test_run();
}
