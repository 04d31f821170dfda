// SPDX-License-Identifier: MIT
//
// What each thread did from when to when, of histories that are made up.
#include "rw-event.h"
#include "rw-thread-rows.h"
#include "rw-turns.h"

#define TICKS 100 // of virtual time a step

typedef struct {
    RwThreadRows *rows;
    uint64_t step;
} Story;

static Story start(void)
{
    Story story = {.rows = rw_thread_rows_new()};
    return story;
}

static void step(Story *story, guint count)
{
    while (count--) {
        RwTraceItem item = {.is_step = true, .step = ++story->step};
        item.info = (RwStepInfo){.step = story->step, .tsc = story->step * TICKS};
        rw_thread_rows_feed(story->rows, &item);
    }
}

static void feed(Story *story, unsigned type, uint32_t pid, uint32_t tid, const void *payload,
                 size_t length)
{
    RwTraceItem item = {
        .step = story->step + 1, .at = story->step, .at_known = true, .payload = payload, .length = length};
    item.record = (struct rewind_record){.type = (rw_u16)type,
                                         .size = (rw_u32)(sizeof item.record + length),
                                         .step = story->step,
                                         .tsc = story->step * TICKS,
                                         .pid = pid,
                                         .tid = tid};
    rw_thread_rows_feed(story->rows, &item);
}

static void begin(Story *story, uint32_t pid)
{
    step(story, 1);
    feed(story, REWIND_RECORD_JOB_START, pid, pid, NULL, 0);
}

static void fork_(Story *story, uint32_t pid, uint32_t child_pid, uint32_t child)
{
    struct rewind_fork made = {.child_pid = child_pid, .child_tid = child};
    made.kind = child_pid == pid ? REWIND_FORK_THREAD : REWIND_FORK_PROCESS;
    feed(story, REWIND_RECORD_FORK, pid, pid, &made, sizeof made);
}

typedef struct {
    uint32_t pid, tid;
} Who;

typedef struct {
    uint64_t ago; // ticks; 0: it was not
    uint32_t by;
} Woken;

static void give(Story *story, Who from, unsigned left, int call, Who to, Woken woken)
{
    struct {
        struct rewind_switch change;
        struct rewind_switch_why why;
    } told = {{.next_pid = to.pid,
               .next_tid = to.tid,
               .prev_state = left == REWIND_LEFT_SLEEP,
               .waker = woken.by},
              {.left = (rw_u16)left, .call = call, .woken_ago = woken.ago}};
    told.why.woken = !woken.ago ? REWIND_WOKEN_NOT
                     : woken.by ? REWIND_WOKEN_BY_TASK
                                : REWIND_WOKEN_BY_INTERRUPT;
    feed(story, REWIND_RECORD_SWITCH, from.pid, from.tid, &told, sizeof told);
}

static guint find(const RwThreadRows *rows, uint32_t tid)
{
    for (guint i = 0; i < rw_thread_rows_count(rows); i++)
        if (rw_thread_rows_get(rows, i)->tid == tid)
            return i;
    return RW_NO_THREAD;
}

static const RwThreadBar *get_bar(const RwThreadRows *rows, uint32_t tid, uint64_t at)
{
    const RwThreadRow *row = rw_thread_rows_get(rows, find(rows, tid));
    guint bar = rw_thread_row_find(row, 0, at * TICKS);
    return bar == G_MAXUINT ? NULL : &row->bars[bar];
}

static void check_bar(const RwThreadRows *rows, uint32_t tid, uint64_t at, RwThreadState state,
                      RwThreadCause cause, uint32_t other)
{
    const RwThreadBar *bar = get_bar(rows, tid, at);
    g_assert_nonnull(bar);
    g_assert_cmpint(bar->state, ==, state);
    g_assert_cmpint(bar->cause, ==, cause);
    g_assert_cmpuint(bar->other, ==, other ? find(rows, other) : RW_NO_THREAD);
}

// 40 has two threads; 41 is held at step 20, and 30 waits meanwhile.
static Story make(void)
{
    Story story = start();
    begin(&story, 30);
    fork_(&story, 30, 40, 40);
    step(&story, 9); // 10
    give(&story, (Who){30, 30}, REWIND_LEFT_SLEEP, 61, (Who){40, 40}, (Woken){50, 30});
    fork_(&story, 40, 40, 41);
    step(&story, 5); // 15
    give(&story, (Who){40, 40}, REWIND_LEFT_WOKEN, -1, (Who){40, 41}, (Woken){200, 40});
    step(&story, 5); // 20
    give(&story, (Who){40, 41}, REWIND_LEFT_HOLD, -1, (Who){40, 40}, (Woken){0, 0});
    step(&story, 10); // 30
    give(&story, (Who){40, 40}, REWIND_LEFT_SCHEDULE, -1, (Who){40, 41}, (Woken){300, 0});
    step(&story, 5); // 35
    give(&story, (Who){40, 41}, REWIND_LEFT_END, -1, (Who){40, 40}, (Woken){0, 0});
    step(&story, 5); // 40
    give(&story, (Who){40, 40}, REWIND_LEFT_END, -1, (Who){30, 30}, (Woken){100, 40});
    step(&story, 5); // 45
    return story;
}

static void test_states(void)
{
    Story story = make();
    RwThreadRows *rows = story.rows;
    rw_thread_rows_finish(rows, 0);
    g_assert_cmpuint(rw_thread_rows_count(rows), ==, 3);
    check_bar(rows, 30, 5, RW_THREAD_RUNS, RW_CAUSE_NONE, 0);
    check_bar(rows, 30, 20, RW_THREAD_BLOCKED, RW_CAUSE_NONE, 40);
    g_assert_cmpint(get_bar(rows, 30, 20)->call, ==, 61);
    check_bar(rows, 30, 39, RW_THREAD_READY, RW_CAUSE_WOKEN, 40);
    check_bar(rows, 30, 42, RW_THREAD_RUNS, RW_CAUSE_NONE, 0);
    g_assert_null(get_bar(rows, 41, 12));
    check_bar(rows, 41, 14, RW_THREAD_READY, RW_CAUSE_WOKEN, 40);
    check_bar(rows, 41, 16, RW_THREAD_RUNS, RW_CAUSE_NONE, 0);
    check_bar(rows, 40, 17, RW_THREAD_READY, RW_CAUSE_FIRST, 41);
    check_bar(rows, 41, 22, RW_THREAD_HELD, RW_CAUSE_SCHEDULE, 40);
    check_bar(rows, 41, 28, RW_THREAD_READY, RW_CAUSE_INTERRUPT, 0);
    check_bar(rows, 40, 31, RW_THREAD_READY, RW_CAUSE_SCHEDULE, 41);
    check_bar(rows, 41, 36, RW_THREAD_AWAY, RW_CAUSE_NONE, 0);
    // What the schedule made can be found at once.
    const RwThreadRow *held = rw_thread_rows_get(rows, find(rows, 41));
    g_assert_cmpuint(held->n_marked, ==, 1);
    g_assert_cmpint(held->bars[held->marked[0]].state, ==, RW_THREAD_HELD);
    rw_thread_rows_free(rows);
}

static void test_running(void)
{
    Story story = make();
    RwThreadRows *rows = story.rows;
    rw_thread_rows_finish(rows, 0);
    static const struct {
        uint64_t at;
        uint32_t tid;
    } owners[] = {{5, 30}, {12, 40}, {17, 41}, {22, 40}, {32, 41}, {37, 40}, {42, 30}};
    for (guint i = 0; i < G_N_ELEMENTS(owners); i++) {
        guint number = rw_thread_rows_find_running(rows, owners[i].at * TICKS);
        g_assert_cmpuint(number, ==, find(rows, owners[i].tid));
    }
    g_assert_cmpuint(rw_thread_rows_find_running(rows, 0), ==, RW_NO_THREAD);
    g_assert_cmpuint(rw_thread_rows_find_running(rows, 100 * TICKS), ==, RW_NO_THREAD);
    // So long as it had the CPU: from 10 to 15, 20 to 30, 35 to 40.
    const RwThreadRow *row = rw_thread_rows_get(rows, find(rows, 40));
    guint bar = rw_thread_row_find(row, 0, 25 * TICKS);
    g_assert_cmpuint(rw_thread_row_get_ran(row, bar, 25 * TICKS), ==, 10 * TICKS);
    bar = rw_thread_row_find(row, bar, 60 * TICKS);
    g_assert_cmpuint(rw_thread_row_get_ran(row, bar, 60 * TICKS), ==, 20 * TICKS);
    g_assert_cmpuint(rw_thread_row_get_end(row, bar), ==, UINT64_MAX);
    rw_thread_rows_free(rows);
}

static void check_order(uint32_t first, const uint32_t *tids)
{
    Story story = make();
    rw_thread_rows_finish(story.rows, first);
    for (guint i = 0; i < 3; i++)
        g_assert_cmpuint(rw_thread_rows_get(story.rows, i)->tid, ==, tids[i]);
    rw_thread_rows_free(story.rows);
}

// Who failed first, then who has several threads.
static void test_order(void)
{
    check_order(0, (const uint32_t[]){40, 41, 30});
    check_order(30, (const uint32_t[]){30, 40, 41});
}

// A number that is used again is another thread, and time never goes back.
static void test_odd(void)
{
    Story story = start();
    begin(&story, 30);
    fork_(&story, 30, 40, 40);
    step(&story, 5);
    give(&story, (Who){30, 30}, REWIND_LEFT_SLEEP, 61, (Who){40, 40}, (Woken){G_MAXUINT64 / 2, 30});
    step(&story, 5);
    give(&story, (Who){40, 40}, REWIND_LEFT_END, -1, (Who){30, 30}, (Woken){900, 40});
    step(&story, 5);
    give(&story, (Who){30, 30}, 99, 100000, (Who){40, 40}, (Woken){100, 77});
    step(&story, 5);
    rw_thread_rows_finish(story.rows, 0);
    g_assert_cmpuint(rw_thread_rows_count(story.rows), ==, 3);
    for (guint i = 0; i < 3; i++) {
        const RwThreadRow *row = rw_thread_rows_get(story.rows, i);
        g_assert_cmpuint(row->n_bars, >, 0);
        for (guint k = 1; k < row->n_bars; k++)
            g_assert_cmpuint(row->bars[k].from, >=, row->bars[k - 1].from);
    }
    rw_thread_rows_free(story.rows);
}

// Of more than is kept only what came before, however much more there is.
static void test_bounds(void)
{
    Story story = start();
    begin(&story, 30);
    for (guint i = 0; i < RW_THREAD_ROWS_MAX + 100; i++) {
        step(&story, 1);
        give(&story, (Who){30 + i, 30 + i}, REWIND_LEFT_SLEEP, 1, (Who){31 + i, 31 + i}, (Woken){0, 0});
    }
    g_assert_cmpuint(rw_thread_rows_count(story.rows), ==, RW_THREAD_ROWS_MAX);
    for (guint i = 0; i < RW_THREAD_BARS_MAX; i++) {
        step(&story, 1);
        give(&story, (Who){30 + i % 2, 30 + i % 2}, REWIND_LEFT_YIELD, -1, (Who){31 - i % 2, 31 - i % 2},
             (Woken){0, 0});
    }
    rw_thread_rows_finish(story.rows, 0);
    uint64_t cut = rw_thread_rows_get_cut(story.rows), bars = 0;
    for (guint i = 0; i < rw_thread_rows_count(story.rows); i++)
        bars += rw_thread_rows_get(story.rows, i)->n_bars;
    g_assert_cmpuint(bars, ==, RW_THREAD_BARS_MAX);
    g_assert_cmpuint(cut, >, 0);
    g_assert_cmpuint(cut, <, story.step * TICKS);
    g_assert_cmpuint(rw_thread_rows_find_running(story.rows, cut), ==, RW_NO_THREAD);
    g_assert_cmpuint(rw_thread_rows_find_running(story.rows, cut - 1), !=, RW_NO_THREAD);
    rw_thread_rows_free(story.rows);
}

// A run in which nothing is told of threads.
static void test_none(void)
{
    Story story = start();
    step(&story, 10);
    rw_thread_rows_finish(story.rows, 7);
    g_assert_cmpuint(rw_thread_rows_count(story.rows), ==, 0);
    g_assert_cmpuint(rw_thread_rows_find_running(story.rows, 500), ==, RW_NO_THREAD);
    rw_thread_rows_free(story.rows);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/thread-rows/states", test_states);
    g_test_add_func("/thread-rows/running", test_running);
    g_test_add_func("/thread-rows/order", test_order);
    g_test_add_func("/thread-rows/odd", test_odd);
    g_test_add_func("/thread-rows/bounds", test_bounds);
    g_test_add_func("/thread-rows/none", test_none);
    return g_test_run();
}
