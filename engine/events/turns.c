// SPDX-License-Identifier: MIT
#include "rw-turns.h"

#include "rw-event.h"

#include <string.h>

#define NAME_MAX_ 15 // bytes of a thread's name
#define KTHREADD 2 // the parent of the kernel's own threads
#define TASK_DEAD 0x80u // of a switch's prev_state
#define STEPS_KEPT (1u << 20) // whose times are remembered, to find where a thread was woken

struct _RwTurns {
    RwTurnFunc each;
    void *data;
    bool started, stopped;
    bool named; // the guest tells names
    RwTurn now; // who has the CPU, as far as it is known
    RwStepInfo last; // of what was fed
    GHashTable *names; // tid → char* of `texts`
    GStringChunk *texts; // each name once
    GHashTable *users; // tids of programs' threads
    uint64_t *times; // virtual time of step n at n % STEPS_KEPT
    uint64_t first_time; // the first step that is there
};

RwTurns *rw_turns_new(RwTurnFunc each, void *data)
{
    RwTurns *turns = g_new0(RwTurns, 1);
    turns->each = each;
    turns->data = data;
    turns->names = g_hash_table_new(NULL, NULL);
    turns->texts = g_string_chunk_new(4096);
    turns->users = g_hash_table_new(NULL, NULL);
    turns->times = g_new(uint64_t, STEPS_KEPT);
    return turns;
}

void rw_turns_free(RwTurns *turns)
{
    if (!turns)
        return;
    g_hash_table_unref(turns->names);
    g_string_chunk_free(turns->texts);
    g_hash_table_unref(turns->users);
    g_free(turns->times);
    g_free(turns);
}

// ---- Moments ----

static void keep_step(RwTurns *turns, const RwStepInfo *info)
{
    turns->times[info->step % STEPS_KEPT] = info->tsc;
    if (!turns->last.step || info->step != turns->last.step + 1)
        turns->first_time = info->step;
    turns->last = *info;
    if (info->step - turns->first_time >= STEPS_KEPT)
        turns->first_time = info->step - STEPS_KEPT + 1;
}

static RwMoment moment_of(const RwTraceItem *item)
{
    return (RwMoment){
        .step = item->at, .after = item->after_ticks, .exact = item->at_known, .tsc = item->record.tsc};
}

// The last step that was done by then.
static RwMoment moment_at(const RwTurns *turns, uint64_t tsc)
{
    uint64_t low = turns->first_time, high = turns->last.step + 1;
    if (!turns->last.step || turns->times[low % STEPS_KEPT] > tsc)
        return (RwMoment){.step = turns->last.step ? low - 1 : 0, .tsc = tsc};
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (turns->times[middle % STEPS_KEPT] <= tsc)
            low = middle;
        else
            high = middle;
    }
    return (RwMoment){
        .step = low, .after = tsc - turns->times[low % STEPS_KEPT], .exact = true, .tsc = tsc};
}

// ---- Names ----

static void set_name(RwTurns *turns, uint32_t tid, const char *name)
{
    g_autofree char *text = g_strndup(name, NAME_MAX_);
    g_hash_table_insert(turns->names, GUINT_TO_POINTER(tid),
                        g_string_chunk_insert_const(turns->texts, text));
}

static const char *get_name(const RwTurns *turns, uint32_t tid)
{
    return g_hash_table_lookup(turns->names, GUINT_TO_POINTER(tid));
}

static void on_fork(RwTurns *turns, const RwTraceItem *item)
{
    struct rewind_fork fork_;
    if (!rw_event_get_fork(item, &fork_) || item->record.pid == KTHREADD)
        return;
    const char *name = get_name(turns, item->record.tid);
    g_hash_table_add(turns->users, GUINT_TO_POINTER(fork_.child_tid));
    g_hash_table_remove(turns->names, GUINT_TO_POINTER(fork_.child_tid));
    if (name)
        g_hash_table_insert(turns->names, GUINT_TO_POINTER(fork_.child_tid), (gpointer)name);
}

static void on_exec(RwTurns *turns, const RwTraceItem *item)
{
    g_autofree char *path = NULL;
    g_auto(GStrv) argv = rw_event_dup_exec(item, &path);
    g_hash_table_add(turns->users, GUINT_TO_POINTER(item->record.tid));
    if (turns->named || !argv || !path)
        return;
    const char *name = argv[0] && *argv[0] ? argv[0] : path;
    const char *slash = strrchr(name, '/');
    set_name(turns, item->record.tid, slash ? slash + 1 : name);
}

static void on_name(RwTurns *turns, const RwTraceItem *item)
{
    const char *name = rw_event_get_name(item);
    turns->named = true;
    g_hash_table_add(turns->users, GUINT_TO_POINTER(item->record.tid));
    if (name)
        set_name(turns, item->record.tid, name);
}

// ---- Turns ----

static void begin(RwTurns *turns, const RwMoment *from)
{
    turns->now = (RwTurn){.from = *from};
    turns->started = true;
}

static void end(RwTurns *turns, RwTurn *turn)
{
    turn->name = get_name(turns, turn->tid);
    turn->kernel =
        turn->tid && turn->tid != 1 && !g_hash_table_contains(turns->users, GUINT_TO_POINTER(turn->tid));
    if (!turns->stopped)
        turns->stopped = !turns->each(turn, turns->data);
}

// What the schedule did at a step comes before anything else that happens after it.
static RwLeft left_of_older(const RwStepInfo *step, const RwMoment *at, uint32_t prev_state)
{
    bool here = step->step == at->step;
    uint32_t kinds = here ? step->perturb.kinds : 0;
    if (prev_state & TASK_DEAD)
        return RW_LEFT_END;
    if (here && step->kind == RW_STEP_HOLD && prev_state)
        return RW_LEFT_HOLD;
    if (kinds & RW_PERTURB_STALL && prev_state)
        return RW_LEFT_STALL;
    if (prev_state)
        return RW_LEFT_SLEEP;
    return kinds & RW_PERTURB_RESCHED || (here && step->kind == RW_STEP_PREEMPT) ? RW_LEFT_SCHEDULE
                                                                                 : RW_LEFT_ABLE;
}

static RwLeft left_as_told(const struct rewind_switch_why *why)
{
    static const RwLeft lefts[] = {
        [REWIND_LEFT_OTHER] = RW_LEFT_ABLE,  [REWIND_LEFT_SLEEP] = RW_LEFT_SLEEP,
        [REWIND_LEFT_SLICE] = RW_LEFT_SLICE, [REWIND_LEFT_WOKEN] = RW_LEFT_WOKEN,
        [REWIND_LEFT_YIELD] = RW_LEFT_YIELD, [REWIND_LEFT_SCHEDULE] = RW_LEFT_SCHEDULE,
        [REWIND_LEFT_STALL] = RW_LEFT_STALL, [REWIND_LEFT_HOLD] = RW_LEFT_HOLD,
        [REWIND_LEFT_END] = RW_LEFT_END,
    };
    return why->left < G_N_ELEMENTS(lefts) ? lefts[why->left] : RW_LEFT_ABLE;
}

static void read_woken(const RwTurns *turns, const struct rewind_switch *change,
                       const struct rewind_switch_why *why, RwTurn *next)
{
    if (!why->woken || why->woken > REWIND_WOKEN_BY_INTERRUPT || why->woken_ago > next->from.tsc)
        return;
    next->woken = why->woken;
    next->waker = change->waker;
    next->woken_at = moment_at(turns, next->from.tsc - why->woken_ago);
}

static void on_switch(RwTurns *turns, const RwTraceItem *item)
{
    struct rewind_switch change;
    struct rewind_switch_why why;
    if (!rw_event_get_switch(item, &change))
        return;
    bool told = rw_event_get_switch_why(item, &why);
    RwTurn turn = turns->now;
    turn.to = moment_of(item);
    turn.pid = item->record.pid;
    turn.tid = item->record.tid;
    turn.left = told ? left_as_told(&why) : left_of_older(&turns->last, &turn.to, change.prev_state);
    turn.call = !told ? RW_CALL_UNKNOWN : MAX(why.call, RW_CALL_NONE);
    RwTurn next = {.pid = change.next_pid, .tid = change.next_tid, .from = turn.to};
    if (told)
        read_woken(turns, &change, &why, &next);
    turns->now = next;
    if (turns->started)
        end(turns, &turn);
    turns->started = true;
}

void rw_turns_feed(RwTurns *turns, const RwTraceItem *item)
{
    if (item->is_step) {
        keep_step(turns, &item->info);
        return;
    }
    RwMoment at = moment_of(item);
    switch (item->record.type) {
    case REWIND_RECORD_JOB_START:
        g_hash_table_add(turns->users, GUINT_TO_POINTER(item->record.tid));
        if (!turns->started)
            begin(turns, &at);
        break;
    case REWIND_RECORD_FORK:
        on_fork(turns, item);
        break;
    case REWIND_RECORD_EXEC:
        on_exec(turns, item);
        break;
    case REWIND_RECORD_NAME:
        on_name(turns, item);
        break;
    case REWIND_RECORD_SWITCH:
        on_switch(turns, item);
        break;
    default:
        break;
    }
}

void rw_turns_end(RwTurns *turns)
{
    if (!turns->started)
        return;
    RwTurn turn = turns->now;
    turn.to = (RwMoment){.step = turns->last.step, .exact = true, .tsc = turns->last.tsc};
    turn.left = RW_LEFT_RUN_END;
    turn.call = RW_CALL_UNKNOWN;
    end(turns, &turn);
    turns->started = false;
}

typedef struct {
    uint64_t from, to;
    RwTurnFunc each;
    void *data;
} Range;

static bool in_range(const RwTurn *turn, void *data)
{
    const Range *range = data;
    if (turn->from.step > range->to)
        return false;
    return turn->to.step < range->from || range->each(turn, range->data);
}

bool rw_turns_walk(RwTrace *trace, uint64_t from, uint64_t to, RwTurnFunc each, void *data, GError **error)
{
    Range range = {from, to, each, data};
    g_autoptr(RwTurns) turns = rw_turns_new(in_range, &range);
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    while (more > 0 && !turns->stopped && (more = rw_trace_cursor_next(cursor, &item, error)) > 0)
        rw_turns_feed(turns, &item);
    if (more == 0 && !turns->stopped)
        rw_turns_end(turns);
    return more >= 0;
}
