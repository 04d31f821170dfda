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
    rw_scheduler_save(&scheduler, 5, bytes);
    RwReader reader = RW_READER_INIT(bytes->data, bytes->len);
    g_assert_true(rw_scheduler_load(&loaded, &reader));
    rw_scheduler_set(&loaded, &scheduler.schedule);
    g_assert_cmpint(come_back(&loaded, &task, 0), ==, RW_HOLD_NOTHING);
    task.user += 10;
    g_assert_cmpint(come_back(&loaded, &task, 0), ==, RW_HOLD_BEGIN);
    bytes->data[0] = RW_HOLD_DRAINS + 1;
    reader = RW_READER_INIT(bytes->data, bytes->len);
    g_assert_false(rw_scheduler_load(&loaded, &reader));
}

// ---- All others ----

static const RwTaskName creator = {{1}}, second = {{1, 2}};

// With one that waits for another one: these two, and who creates them, are left alone.
static RwScheduler make_gathering(void)
{
    RwHold holds[] = {hold_of((RwTaskName){{0}}, false), hold_of(first, false)};
    holds[1].until = RW_UNTIL_PASSED;
    holds[1].passed = (RwPlace){.task = second, .kind = RW_PLACE_END, .nth = 1};
    return make_scheduler(holds, 2);
}

static RwTask make_task(uint32_t tid, uint16_t child)
{
    return (RwTask){.tid = tid, .name = {{1, child}}};
}

static void gather(RwScheduler *scheduler, uint64_t tsc)
{
    RwTask main = {.tid = 1, .name = creator}, two = make_task(2, 2),
           below = {.tid = 9, .name = {{1, 2, 1}}};
    g_assert_cmpint(come_back(scheduler, &main, tsc), ==, RW_HOLD_NOTHING);
    g_assert_cmpint(come_back(scheduler, &two, tsc), ==, RW_HOLD_NOTHING);
    g_assert_cmpint(come_back(scheduler, &below, tsc), ==, RW_HOLD_BEGIN);
    for (uint16_t i = 3; i < 6; i++) {
        RwTask other = make_task(i, i);
        g_assert_cmpint(come_back(scheduler, &other, tsc), ==, RW_HOLD_BEGIN);
    }
}

static void test_others(void)
{
    RwScheduler scheduler = make_gathering();
    RwTask late = make_task(6, 6);
    gather(&scheduler, 0);
    g_assert_true(rw_scheduler_ends_idle(&scheduler));
    static const uint32_t tids[] = {9, 3, 4, 5};
    for (guint i = 0; i < G_N_ELEMENTS(tids); i++) {
        RwHoldOrder order = be_idle(&scheduler);
        g_assert_cmpint(order.action, ==, RW_HOLD_END);
        g_assert_cmpuint(order.tid, ==, tids[i]);
        g_assert_true(order.free);
        // Whoever comes now is too late for it.
        g_assert_cmpint(come_back(&scheduler, &late, 0), ==, RW_HOLD_NOTHING);
    }
    g_assert_cmpint(be_idle(&scheduler).action, ==, RW_HOLD_NOTHING);
    g_assert_false(rw_scheduler_ends_idle(&scheduler));
}

// When the time is over they go on one by one, too: the guest takes only so many commands at once.
static void test_others_in_time(void)
{
    RwScheduler scheduler = make_gathering();
    uint64_t now = 0;
    gather(&scheduler, now);
    for (guint i = 0; i < 4; i++) {
        uint64_t until = rw_scheduler_deadline(&scheduler, false);
        g_assert_cmpuint(until, >, now + 1000);
        now = until;
        RwHoldTime time = {.tsc = now};
        g_assert_cmpint(rw_scheduler_order(&scheduler, NULL, &time).action, ==, RW_HOLD_END);
        g_assert_cmpint(rw_scheduler_order(&scheduler, NULL, &time).action, ==, RW_HOLD_NOTHING);
    }
    g_assert_cmpuint(rw_scheduler_deadline(&scheduler, false), ==, RW_NEVER);
}

static void test_others_saved(void)
{
    RwScheduler scheduler = make_gathering(), loaded = {0}, damaged = {0};
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    gather(&scheduler, 0);
    be_idle(&scheduler);
    rw_scheduler_save(&scheduler, 5, bytes);
    for (guint length = 0; length < bytes->len; length++) {
        RwReader cut = RW_READER_INIT(bytes->data, length);
        g_assert_false(rw_scheduler_load(&damaged, &cut) && !cut.failed);
    }
    RwReader reader = RW_READER_INIT(bytes->data, bytes->len);
    g_assert_true(rw_scheduler_load(&loaded, &reader));
    rw_scheduler_set(&loaded, &scheduler.schedule);
    for (uint32_t tid = 3; tid < 6; tid++)
        g_assert_cmpuint(be_idle(&loaded).tid, ==, tid);
    g_assert_cmpint(be_idle(&loaded).action, ==, RW_HOLD_NOTHING);
}

// There is one such hold at most, and it has no other form.
static void test_others_valid(void)
{
    RwSchedule schedule = {0};
    RwHold hold = hold_of((RwTaskName){{0}}, false), other = hold;
    g_assert_true(rw_schedule_add_hold(&schedule, &hold));
    g_assert_false(rw_schedule_add_hold(&schedule, &hold));
    schedule.holds[schedule.n_holds++] = hold;
    g_assert_false(rw_schedule_is_valid(&schedule));
    other.again = true;
    g_assert_false(rw_hold_is_valid(&other));
    other = hold;
    other.next = true;
    g_assert_false(rw_hold_is_valid(&other));
    other = hold;
    other.until = RW_UNTIL_TIME;
    g_assert_false(rw_hold_is_valid(&other));
    other = hold;
    other.place.kind = RW_PLACE_CALL;
    g_assert_false(rw_hold_is_valid(&other));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/scheduler/again", test_again);
    g_test_add_func("/scheduler/once", test_once);
    g_test_add_func("/scheduler/priorities", test_priorities);
    g_test_add_func("/scheduler/saved", test_saved);
    g_test_add_func("/scheduler/others", test_others);
    g_test_add_func("/scheduler/others/in-time", test_others_in_time);
    g_test_add_func("/scheduler/others/saved", test_others_saved);
    g_test_add_func("/scheduler/others/valid", test_others_valid);
    return g_test_run();
}
