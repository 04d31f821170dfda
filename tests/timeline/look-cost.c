// SPDX-License-Identifier: MIT
//
// usage: look-cost RUN [LOOKS]
//
// What looking costs, in instructions that are executed for it and processor time: a first look anywhere, a
// second one within 100 steps of it, and both by rw_seek() alone. For docs/performance.md.
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    const char *name;
    double executed, most, ms, most_ms;
    guint n;
} Cost;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void add(Cost *cost, double executed, double ms)
{
    cost->executed += executed;
    cost->most = MAX(cost->most, executed);
    cost->ms += ms;
    cost->most_ms = MAX(cost->most_ms, ms);
    cost->n++;
}

static void go(Fixture *f, const RwPosition *position, Cost *cost)
{
    g_autoptr(GError) error = NULL;
    uint64_t before = rw_timeline_get_figures(f->timeline).executed;
    double start = now();
    rw_timeline_go(f->timeline, position, NULL, &error);
    g_assert_no_error(error);
    add(cost, (double)(rw_timeline_get_figures(f->timeline).executed - before), now() - start);
}

static void seek(Fixture *f, const RwPosition *position, Cost *cost)
{
    g_autoptr(GError) error = NULL;
    double start = now();
    RwMachine *from = rw_seek_nearest(&f->again.seek, position->step, &error);
    g_assert_no_error(error);
    uint64_t before = rw_machine_icount(from);
    rw_machine_run(from, &(RwLimits){.step = position->step});
    add(cost, (double)(rw_machine_icount(from) - before), now() - start);
    rw_machine_free(from);
}

static void print(const Cost *cost)
{
    printf("%-28s %10.3f million instructions, at most %10.3f; %8.1f ms, at most %8.1f\n", cost->name,
           cost->executed / cost->n / 1e6, cost->most / 1e6, cost->ms / cost->n, cost->most_ms);
}

int main(int argc, char **argv)
{
    Fixture f;
    Cost first = {"first look"}, second = {"second, within 100 steps"}, plain = {"rw_seek()"};
    if (argc < 2)
        return 2;
    int looks = argc > 2 ? atoi(argv[2]) : 10;
    fixture_open(&f, argv[1], 0);
    RwPosition start = rw_timeline_get_start(f.timeline), end = rw_timeline_get_end(f.timeline);
    for (int i = 0; i < looks; i++) {
        RwPosition a = fixture_random(&f);
        go(&f, &a, &first);
        seek(&f, &a, &plain);
        for (int k = 0; k < 5; k++) {
            uint64_t step = a.step + (uint64_t)g_rand_int_range(f.rand, 0, 200);
            RwPosition near = {CLAMP(step, start.step + 100, end.step + 99) - 100, 0};
            go(&f, &near, &second);
        }
    }
    print(&first);
    print(&second);
    print(&plain);
    RwTimelineFigures figures = rw_timeline_get_figures(f.timeline);
    printf("%u checkpoints, %" G_GUINT64_FORMAT " MiB\n", figures.checkpoints, figures.bytes >> 20);
    fixture_close(&f);
    return 0;
}
