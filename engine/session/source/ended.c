// SPDX-License-Identifier: MIT
#include "source-private.h"

#define HAD_MAX 256u // steps back in which who ended last is looked for
#define BACK_MAX 256u // steps before its end in which its own code is looked for

// The step at which the last thread ended up to there, which *ret is set to; 0: none did near.
static guint64 find_end(RwSessionRun *run, guint64 step, guint32 *ret)
{
    guint64 from = step > HAD_MAX ? step - HAD_MAX : 1, end = 0;
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(rw_session_run_get_trace(run), from, NULL);
    RwTraceItem item;
    while (cursor && rw_trace_cursor_next(cursor, &item, NULL) > 0 && item.step <= step) {
        if (item.is_step || item.record.type != REWIND_RECORD_EXIT)
            continue;
        end = item.step;
        *ret = item.record.tid;
    }
    return end;
}

static bool is_in_own_line(const RwSource *source)
{
    guint own = rw_source_choose_frame(source);
    const RwSourceFrame *frame = own < source->frames->len ? source->frames->pdata[own] : NULL;
    return frame && frame->own && frame->symbol.line;
}

typedef struct {
    RwSessionRun *run;
    RwSourcePlace at;
    guint64 start, end; // steps: of the job's start, and of the thread's end
    GCancellable *cancellable;
} Ending;

static RwSource *look_back(Ending *ending, guint64 back, GError **error)
{
    ending->at.position = (RwPosition){ending->end - back, 0};
    RwSource *source = rw_source_go(ending->run, &ending->at, ending->cancellable, error);
    if (source)
        source->ended = true;
    return source;
}

// So many steps before its end it is in a line of its own, which `found` is, and `miss` steps before it is
// not: the last such line, since a program that has begun to end does not come back to its own code.
static RwSource *find_last_line(Ending *ending, guint64 hit, guint64 miss, RwSource *found, GError **error)
{
    g_autoptr(RwSource) last = found;
    while (hit - miss > 1) {
        guint64 middle = miss + (hit - miss) / 2;
        g_autoptr(RwSource) source = look_back(ending, middle, error);
        if (!source)
            return NULL;
        if (is_in_own_line(source)) {
            rw_source_unref(last);
            last = g_steal_pointer(&source);
            hit = middle;
        } else {
            miss = middle;
        }
    }
    return g_steal_pointer(&last);
}

// In the last line of its own, else the last place that is known.
static RwSource *find_last_place(Ending *ending, GError **error)
{
    g_autoptr(RwSource) known = NULL;
    for (guint64 back = 1; back <= BACK_MAX && ending->start + back <= ending->end; back *= 2) {
        g_autoptr(RwSource) source = look_back(ending, back, error);
        if (!source)
            return NULL;
        if (is_in_own_line(source))
            return find_last_line(ending, back, back / 2, g_steal_pointer(&source), error);
        if (!known && source->state != RW_SOURCE_NOWHERE)
            known = g_steal_pointer(&source);
    }
    return g_steal_pointer(&known);
}

RwSource *rw_source_find_ended(RwSessionRun *run, const RwSourcePlace *place, guint64 start,
                               GCancellable *cancellable, GError **error)
{
    Ending ending = {run, *place, start, 0, cancellable};
    guint32 last = 0;
    ending.end = find_end(run, place->position.step, &last);
    ending.at.tid = place->tid ? place->tid : last;
    return find_last_place(&ending, error);
}
