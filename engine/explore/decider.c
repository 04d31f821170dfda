// SPDX-License-Identifier: MIT
#include "rw-decider.h"

#include "stream-private.h"

void rw_decider_free(RwDecider *decider)
{
    if (!decider)
        return;
    g_free(decider->struck.program);
    g_free(decider->ran.program);
    g_free(decider->instead.program);
    g_free(decider);
}

// ---- Who gets the CPU ----

typedef struct {
    uint64_t step; // with which it came
    uint64_t tsc; // UINT64_MAX: there is no more
    uint32_t pid, tid; // who leaves
    uint32_t next_pid, next_tid;
} Switch;

// Goes from switch to switch, and knows which threads the schedule has put to sleep.
typedef struct {
    RwTraceCursor *cursor;
    uint32_t tid; // who has the CPU
    GHashTable *stalled; // tid → step, of those that did not run since; or NULL
} Walk;

static void note_stall(Walk *walk, const RwStepInfo *info)
{
    if (walk->stalled && info->perturb.kinds & RW_PERTURB_STALL && walk->tid)
        g_hash_table_insert(walk->stalled, GUINT_TO_POINTER(walk->tid),
                            g_memdup2(&info->step, sizeof info->step));
}

// 0: there is none.
static int next_switch(Walk *walk, Switch *ret, GError **error)
{
    RwTraceItem item;
    int more;
    *ret = (Switch){.tsc = UINT64_MAX};
    while ((more = rw_trace_cursor_next(walk->cursor, &item, error)) > 0) {
        struct rewind_switch change;
        if (item.is_step)
            note_stall(walk, &item.info);
        else if (rw_event_get_switch(&item, &change)) {
            *ret = (Switch){item.step,       item.record.tsc, item.record.pid,
                            item.record.tid, change.next_pid, change.next_tid};
            return 1;
        }
    }
    return more < 0 ? -1 : 0;
}

static void run(Walk *walk, const Switch *change)
{
    walk->tid = change->next_tid;
    if (walk->stalled)
        g_hash_table_remove(walk->stalled, GUINT_TO_POINTER(change->next_tid));
}

// ---- The first switch that differs ----

static RwDeciderThread thread(const Walk *walk, uint32_t pid, uint32_t tid)
{
    const uint64_t *stalled =
        walk->stalled ? g_hash_table_lookup(walk->stalled, GUINT_TO_POINTER(tid)) : NULL;
    return (RwDeciderThread){.pid = pid, .tid = tid, .stalled = stalled ? *stalled : 0};
}

// Where one of the two switches earlier, the other one's thread goes on.
static void part(const Walk *walk, const Switch *with, const Switch *without, RwDecider *ret)
{
    ret->parts = true;
    ret->ran = with->tsc <= without->tsc ? thread(walk, with->next_pid, with->next_tid)
                                         : thread(walk, without->pid, without->tid);
    ret->instead = without->tsc <= with->tsc ? thread(walk, without->next_pid, without->next_tid)
                                             : thread(walk, with->pid, with->tid);
}

static bool switch_same(const Switch *a, const Switch *b)
{
    return a->tsc == b->tsc && a->tid == b->tid && a->next_tid == b->next_tid;
}

static bool find_parting(Walk *with, Walk *without, uint64_t step, RwDecider *ret, GError **error)
{
    Switch a, b;
    for (;;) {
        int more_a = next_switch(with, &a, error);
        if (more_a > 0 && a.step < step) {
            run(with, &a);
            continue;
        }
        int more_b = more_a < 0 ? -1 : next_switch(without, &b, error);
        if (more_b < 0)
            return false;
        if (!more_a && !more_b)
            return true;
        if (!switch_same(&a, &b)) {
            part(with, &a, &b, ret);
            return true;
        }
        run(with, &a);
    }
}

static bool find_threads(RwTrace *with, RwTrace *without, uint64_t step, RwDecider *ret, GError **error)
{
    g_autoptr(GHashTable) stalled = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_autoptr(RwTraceCursor) a = rw_trace_cursor_new(with, 1, error);
    g_autoptr(RwTraceCursor) b = a ? rw_trace_cursor_new(without, step, error) : NULL;
    Walk walk_with = {.cursor = a, .stalled = stalled}, walk_without = {.cursor = b};
    return b && find_parting(&walk_with, &walk_without, step, ret, error);
}

// ---- Their programs ----

static void name_thread(RwStream *stream, RwDeciderThread *thread)
{
    if (thread->tid)
        thread->program = rw_program_dup_short(rw_stream_get_program(stream, thread->pid));
}

static bool name_threads(RwTrace *with, uint64_t step, RwDecider *ret, GError **error)
{
    GStringChunk *names = g_string_chunk_new(4096);
    g_autoptr(RwStream) stream = rw_stream_new(with, &(RwStreamOptions){.names = names}, error);
    RwProgramEvent event;
    int more = stream ? 1 : -1;
    while (more > 0)
        more = rw_stream_next_before(stream, step, &event, error);
    if (!more) {
        name_thread(stream, &ret->struck);
        name_thread(stream, &ret->ran);
        name_thread(stream, &ret->instead);
    }
    g_clear_pointer(&stream, rw_stream_free);
    g_string_chunk_free(names);
    return more == 0;
}

RwDecider *rw_decider_new(RwTrace *with, RwTrace *without, uint64_t step, const RwCaller *caller,
                          GError **error)
{
    g_autoptr(RwDecider) decider = g_new0(RwDecider, 1);
    decider->struck = (RwDeciderThread){.pid = caller->pid, .tid = caller->tid};
    if (!find_threads(with, without, step, decider, error) || !name_threads(with, step, decider, error))
        return NULL;
    return g_steal_pointer(&decider);
}
