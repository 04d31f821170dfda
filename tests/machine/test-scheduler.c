// SPDX-License-Identifier: MIT
//
// The scheduler alone: a task that is held again and again.
#include "rw-machine-private.h"

static const RwTaskName first = {{1, 1}};

static RwScheduler make_scheduler(const RwHold *holds, guint n)
{
    RwScheduler scheduler = {0};
    RwSchedule schedule = {0};
    for (guint i = 0; i < n; i++)
        g_assert_true(rw_schedule_add_hold(&schedule, &holds[i]));
    rw_scheduler_set(&scheduler, &schedule);
    return scheduler;
}

static RwHold hold_of(RwTaskName name, bool again)
{
    return (RwHold){.before = UINT64_MAX,
                    .place = {.task = name, .kind = RW_PLACE_START, .nth = 1},
                    .until = RW_UNTIL_IDLE,
                    .limit_ns = 1000,
                    .again = again};
}

// The task is back in user mode.
static RwHoldAction come_back(RwScheduler *scheduler, const RwTask *task, uint64_t tsc)
{
    rw_scheduler_count(scheduler, 5, task, RW_PLACE_START, 0);
    return rw_scheduler_order(scheduler, task, &(RwHoldTime){.tsc = tsc}).action;
}

static RwHoldOrder be_idle(RwScheduler *scheduler)
{
    return rw_scheduler_order(scheduler, NULL, &(RwHoldTime){.idle = true});
}

static void test_again(void)
{
    RwHold hold = hold_of(first, true);
    RwScheduler scheduler = make_scheduler(&hold, 1);
    RwTask task = {.tid = 7, .name = first}, other = {.tid = 8, .name = {{1, 2}}};
    RwVcpuStops stops;
    g_assert_cmpint(come_back(&scheduler, &other, 0), ==, RW_HOLD_NOTHING);
    g_assert_cmpint(come_back(&scheduler, &task, 0), ==, RW_HOLD_BEGIN);
    g_assert_true(rw_scheduler_ends_idle(&scheduler));
    for (guint i = 0; i < 3; i++) {
        g_assert_cmpint(be_idle(&scheduler).action, ==, RW_HOLD_END);
        g_assert_false(rw_scheduler_ends_idle(&scheduler));
        g_assert_true(rw_scheduler_stops(&scheduler, 5, &stops));
        // What it was released to is no coming back.
        g_assert_cmpint(come_back(&scheduler, &task, 0), ==, RW_HOLD_NOTHING);
        task.user += 10;
        g_assert_cmpint(come_back(&scheduler, &other, 0), ==, RW_HOLD_NOTHING);
        g_assert_cmpint(come_back(&scheduler, &task, 0), ==, RW_HOLD_BEGIN);
    }
    // Not for ever: until so long after it first began.
    be_idle(&scheduler);
    task.user += 10;
    g_assert_cmpint(come_back(&scheduler, &task, 1000 * REWIND_TSC_PER_NS), ==, RW_HOLD_NOTHING);
    g_assert_false(rw_scheduler_stops(&scheduler, 5, &stops));
}

static void test_once(void)
{
    RwHold hold = hold_of(first, false);
    RwScheduler scheduler = make_scheduler(&hold, 1);
    RwTask task = {.tid = 7, .name = first};
    g_assert_cmpint(come_back(&scheduler, &task, 0), ==, RW_HOLD_BEGIN);
    g_assert_cmpint(be_idle(&scheduler).action, ==, RW_HOLD_END);
    task.user += 10;
    g_assert_cmpint(come_back(&scheduler, &task, 0), ==, RW_HOLD_NOTHING);
}

// Of two that are held the one whose hold is named first goes on.
static void test_priorities(void)
{
    RwTask low = {.tid = 7, .name = first}, high = {.tid = 8, .name = {{1, 2}}};
    RwHold holds[] = {hold_of(high.name, true), hold_of(low.name, true)};
    RwScheduler scheduler = make_scheduler(holds, 2);
    g_assert_cmpint(come_back(&scheduler, &low, 0), ==, RW_HOLD_BEGIN);
    g_assert_cmpint(come_back(&scheduler, &high, 0), ==, RW_HOLD_BEGIN);
    for (guint i = 0; i < 3; i++) {
        g_assert_cmpuint(be_idle(&scheduler).tid, ==, high.tid);
        high.user += 10;
        g_assert_cmpint(come_back(&scheduler, &high, 0), ==, RW_HOLD_BEGIN);
    }
}

// Saved while it is between two holds, and at its next one.
static void test_saved(void)
{
    RwHold hold = hold_of(first, true);
    RwScheduler scheduler = make_scheduler(&hold, 1), loaded = {0};
    RwTask task = {.tid = 7, .name = first};
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_assert_cmpint(come_back(&scheduler, &task, 0), ==, RW_HOLD_BEGIN);
    g_assert_cmpint(be_idle(&scheduler).action, ==, RW_HOLD_END);
    rw_scheduler_save(&scheduler, bytes);
    RwReader reader = RW_READER_INIT(bytes->data, bytes->len);
    g_assert_true(rw_scheduler_load(&loaded, &reader));
    rw_scheduler_set(&loaded, &scheduler.schedule);
    g_assert_cmpint(come_back(&loaded, &task, 0), ==, RW_HOLD_NOTHING);
    task.user += 10;
    g_assert_cmpint(come_back(&loaded, &task, 0), ==, RW_HOLD_BEGIN);
    bytes->data[0] = RW_HOLD_AGAIN + 1;
    reader = RW_READER_INIT(bytes->data, bytes->len);
    g_assert_false(rw_scheduler_load(&loaded, &reader));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scheduler/again", test_again);
    g_test_add_func("/scheduler/once", test_once);
    g_test_add_func("/scheduler/priorities", test_priorities);
    g_test_add_func("/scheduler/saved", test_saved);
    return g_test_run();
}
