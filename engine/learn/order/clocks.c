// SPDX-License-Identifier: MIT
//
// Vector clocks (Mattern 1989), with one time for each task's own side as in FastTrack (Flanagan, Freund,
// PLDI 2009): what a task leaves at a release is a reference to what it knows and its own time, so that
// releases cost nothing and only who learns something new copies.
#include "order-private.h"

#include <string.h>

struct _RwTimes {
    guint references, n;
    uint32_t times[]; // by task; of those behind the last one: 0
};

// ---- Clocks ----

static size_t size_of(guint n)
{
    return sizeof(RwTimes) + n * sizeof(uint32_t);
}

static RwTimes *new_clock(RwClocks *clocks, guint n)
{
    RwTimes *clock = g_malloc0(size_of(n));
    clock->references = 1;
    clock->n = n;
    clocks->bytes += size_of(n);
    clocks->full |= clocks->bytes > clocks->most_bytes;
    return clock;
}

static RwTimes *ref_clock(RwTimes *clock)
{
    if (clock)
        clock->references++;
    return clock;
}

static void unref_clock(RwClocks *clocks, RwTimes *clock)
{
    if (!clock || --clock->references)
        return;
    clocks->bytes -= size_of(clock->n);
    g_free(clock);
}

static uint32_t time_of(const RwTimes *clock, guint task)
{
    return clock && task < clock->n ? clock->times[task] : 0;
}

// As its only owner's, with room for n.
static RwTimes *make_own(RwClocks *clocks, RwTimes **clock, guint n)
{
    RwTimes *old = *clock;
    if (old && old->references == 1 && old->n >= n)
        return old;
    RwTimes *own = new_clock(clocks, MAX(n, old ? old->n : 0));
    if (old)
        memcpy(own->times, old->times, old->n * sizeof(uint32_t));
    clocks->work += own->n;
    unref_clock(clocks, old);
    *clock = own;
    return own;
}

static void learn_time(RwClocks *clocks, RwTimes **clock, guint task, uint32_t time)
{
    if (time > time_of(*clock, task))
        make_own(clocks, clock, task + 1)->times[task] = time;
}

static bool is_within(const RwTimes *clock, const RwTimes *of)
{
    guint i = 0;
    while (i < clock->n && clock->times[i] <= time_of(of, i))
        i++;
    return i == clock->n;
}

static void learn_clock(RwClocks *clocks, RwTimes **clock, const RwTimes *from)
{
    if (!from || from == *clock)
        return;
    clocks->work += from->n;
    if (is_within(from, *clock))
        return;
    RwTimes *own = make_own(clocks, clock, from->n);
    for (guint i = 0; i < from->n; i++)
        own->times[i] = MAX(own->times[i], from->times[i]);
    clocks->full |= clocks->work > clocks->most_work;
}

// ---- Tasks ----

void rw_clocks_init(RwClocks *clocks)
{
    *clocks = (RwClocks){.tasks = g_array_new(false, true, sizeof(RwClockTask)),
                         .most_bytes = RW_CLOCK_BYTES,
                         .most_work = RW_CLOCK_WORK};
}

static RwClockTask *get(const RwClocks *clocks, guint task)
{
    return &g_array_index(clocks->tasks, RwClockTask, task);
}

void rw_clocks_clear(RwClocks *clocks)
{
    for (guint i = 0; i < clocks->tasks->len; i++) {
        unref_clock(clocks, get(clocks, i)->knows);
        unref_clock(clocks, get(clocks, i)->forced);
    }
    g_clear_pointer(&clocks->tasks, g_array_unref);
}

guint rw_clocks_add(RwClocks *clocks)
{
    if (clocks->tasks->len >= RW_CLOCK_TASKS) {
        clocks->full = true;
        return RW_CLOCK_TASKS - 1;
    }
    RwClockTask task = {.now = 1};
    g_array_append_val(clocks->tasks, task);
    return clocks->tasks->len - 1;
}

guint rw_clocks_create(RwClocks *clocks, guint creator)
{
    guint task = rw_clocks_add(clocks);
    RwClockTask *from = get(clocks, creator), *to = get(clocks, task);
    if (clocks->full)
        return task;
    to->knows = ref_clock(from->knows);
    to->forced = ref_clock(from->forced);
    learn_time(clocks, &to->knows, creator, from->now);
    learn_time(clocks, &to->forced, creator, from->now);
    from->now++;
    return task;
}

uint32_t rw_clocks_now(const RwClocks *clocks, guint task)
{
    return get(clocks, task)->now;
}

bool rw_clocks_is_before(const RwClocks *clocks, guint other, uint32_t epoch, guint task)
{
    return other == task || time_of(get(clocks, task)->knows, other) >= epoch;
}

bool rw_clocks_is_forced(const RwClocks *clocks, guint other, uint32_t epoch, guint task)
{
    return other == task || time_of(get(clocks, task)->forced, other) >= epoch;
}

// ---- What orders ----

void rw_sync_clear(RwClocks *clocks, RwSync *sync)
{
    unref_clock(clocks, sync->knows);
    unref_clock(clocks, sync->forced);
    *sync = (RwSync){0};
}

// What was left last becomes a part of what is known of all.
static void fold(RwClocks *clocks, RwSync *sync)
{
    if (sync->epoch)
        learn_time(clocks, &sync->knows, sync->task, sync->epoch);
    if (sync->forced_epoch)
        learn_time(clocks, &sync->forced, sync->task, sync->forced_epoch);
}

void rw_clocks_release(RwClocks *clocks, guint task, RwSync *sync, RwRelease how)
{
    RwClockTask *from = get(clocks, task);
    if (clocks->full)
        return;
    // What it left before is known to it.
    bool again = sync->task == task && !sync->joined;
    if (how == RW_RELEASE_STORE || !sync->epoch || again) {
        rw_sync_clear(clocks, sync);
        sync->knows = ref_clock(from->knows);
        sync->forced = how == RW_RELEASE_END ? ref_clock(from->forced) : NULL;
    } else {
        fold(clocks, sync);
        learn_clock(clocks, &sync->knows, from->knows);
        if (how == RW_RELEASE_END)
            learn_clock(clocks, &sync->forced, from->forced);
        sync->joined = true;
    }
    sync->task = task;
    sync->epoch = from->now;
    sync->forced_epoch = how == RW_RELEASE_END ? from->now : 0;
    from->now++;
}

void rw_clocks_acquire(RwClocks *clocks, guint task, const RwSync *sync)
{
    RwClockTask *to = get(clocks, task);
    if (clocks->full || !sync->epoch)
        return;
    // Who knows of a task at some time knows what that one knew then.
    bool known = !sync->joined && rw_clocks_is_before(clocks, sync->task, sync->epoch, task);
    if (!known) {
        learn_clock(clocks, &to->knows, sync->knows);
        if (sync->task != task)
            learn_time(clocks, &to->knows, sync->task, sync->epoch);
    }
    learn_clock(clocks, &to->forced, sync->forced);
    if (sync->forced_epoch && sync->task != task)
        learn_time(clocks, &to->forced, sync->task, sync->forced_epoch);
}
