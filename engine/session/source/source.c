// SPDX-License-Identifier: MIT
#include "source-private.h"

#include <string.h>

#define HAD_MAX 256u // steps back in which who had the CPU last is looked for

// ---- Which thread ----

typedef struct {
    RwSessionRun *run;
    const RwSourcePlace *place;
    RwMachine *machine, *asked;
    RwSymbols *symbols;
    GCancellable *cancellable;
} Query;

static void add_thread(RwSource *source, const RwInspectTask *task)
{
    RwSourceThread *thread = g_new(RwSourceThread, 1);
    *thread = (RwSourceThread){task->task.pid, task->task.tid, g_utf8_make_valid(task->task.name, -1),
                               task->task.state};
    g_ptr_array_add(source->threads, thread);
}

static const RwSourceThread *find_thread(const RwSource *source, guint32 tid)
{
    for (guint i = 0; tid && i < source->threads->len; i++) {
        const RwSourceThread *thread = source->threads->pdata[i];
        if (thread->tid == tid)
            return thread;
    }
    return NULL;
}

// Whose the last event was up to there that one of the threads did; 0: there is none near.
static guint32 find_last(const Query *query, const RwSource *source)
{
    guint64 step = query->place->position.step, from = step > HAD_MAX ? step - HAD_MAX : 1;
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(rw_session_run_get_trace(query->run), from, NULL);
    guint32 last = 0;
    RwTraceItem item;
    while (cursor && rw_trace_cursor_next(cursor, &item, NULL) > 0 && item.step <= step)
        if (!item.is_step && find_thread(source, item.record.tid))
            last = item.record.tid;
    return last;
}

static void choose_thread(const Query *query, RwSource *source)
{
    uint32_t pid, tid;
    rw_machine_get_current(query->machine, &pid, &tid);
    const RwSourceThread *thread = find_thread(source, query->place->tid ? query->place->tid : tid);
    if (!thread && !query->place->tid)
        thread = find_thread(source, find_last(query, source));
    if (!thread && !query->place->tid && source->threads->len)
        thread = source->threads->pdata[0];
    source->state = thread ? RW_SOURCE_SHOWN : source->threads->len ? RW_SOURCE_GONE : RW_SOURCE_IDLE;
    source->pid = thread ? thread->pid : 0;
    source->tid = thread ? thread->tid : 0;
}

// ---- Where it is ----

// Of a script what its interpreter is made of is not its own, nor what came with Python.
static bool is_own(const RwInspectTask *task, const RwSymbol *symbol, bool script)
{
    if (script)
        return symbol->file && !strstr(symbol->file, "/lib/python3");
    if (symbol->text)
        return true;
    return !task->script && symbol->path && !g_strcmp0(symbol->path, task->executable);
}

static void take_frames(RwSource *source, const RwInspectTask *task, GPtrArray *frames, bool script)
{
    for (guint i = 0; frames && i < frames->len; i++) {
        RwInspectFrame *from = frames->pdata[i];
        RwSourceFrame *to = g_new(RwSourceFrame, 1);
        bool own = is_own(task, &from->symbol, script);
        *to = (RwSourceFrame){from->symbol, from->call, own, script, g_steal_pointer(&from->variables)};
        from->symbol = (RwSymbol){0};
        g_ptr_array_add(source->frames, to);
    }
}

// The innermost of its own that has a line, else one that has a name.
guint rw_source_choose_frame(const RwSource *source)
{
    guint named = source->frames->len, own = named;
    for (guint i = source->frames->len; i-- > 0;) {
        const RwSourceFrame *frame = source->frames->pdata[i];
        if (frame->own && frame->symbol.line)
            own = i;
        if (frame->own && frame->symbol.function)
            named = i;
    }
    return own < source->frames->len ? own : named < source->frames->len ? named : 0;
}

static RwInspectTask *find_task(const Query *query, const RwSource *source, GError **error)
{
    RwInspectPlaces what = {.pid = source->pid, .tid = source->tid, .variables = true};
    g_autoptr(GPtrArray) tasks =
        rw_inspect_places(query->machine, query->asked, query->symbols, &what, query->cancellable, error);
    return tasks && tasks->len ? g_ptr_array_steal_index(tasks, 0) : NULL;
}

// ---- Its text ----

static GBytes *read_text(const Query *query, guint32 pid, const char *path, GError **error)
{
    g_autoptr(GError) local = NULL;
    RwInspectPath place = {.path = path};
    GBytes *bytes = rw_inspect_read(query->asked, &place, RW_SOURCE_TEXT_MAX, query->cancellable, &local);
    place.pid = pid; // in file systems of its own
    if (!bytes && g_error_matches(local, RW_ERROR, RW_ERROR_NOT_FOUND))
        return rw_inspect_read(query->asked, &place, RW_SOURCE_TEXT_MAX, query->cancellable, error);
    if (!bytes)
        g_propagate_error(error, g_steal_pointer(&local));
    return bytes;
}

static bool has_line(GBytes *text, guint32 line)
{
    gsize length;
    const char *at = g_bytes_get_data(text, &length), *end = at + length;
    for (; line > 1 && at && at < end; line--) {
        at = memchr(at, '\n', (gsize)(end - at));
        at = at ? at + 1 : NULL;
    }
    return at && at < end;
}

static void find_text(const Query *query, RwSource *source)
{
    const RwSymbol *symbol = &rw_source_get_frame(source)->symbol;
    g_autoptr(GError) error = NULL;
    source->text = read_text(query, source->pid, symbol->file, &error);
    if (g_error_matches(error, RW_ERROR, RW_ERROR_FULL)) {
        source->state = RW_SOURCE_LARGE;
    } else if (!source->text) {
        source->state = RW_SOURCE_NO_FILE;
        if (!g_error_matches(error, RW_ERROR, RW_ERROR_NOT_FOUND))
            source->reason = g_utf8_make_valid(error->message, -1);
    } else if (!has_line(source->text, symbol->line)) {
        source->state = RW_SOURCE_OTHER_TEXT;
    }
}

static void find_advice(const Query *query, RwSource *source)
{
    const RwSymbol *symbol = &rw_source_get_frame(source)->symbol;
    const RwSymbolsElsewhere *elsewhere = rw_symbols_get_elsewhere(query->symbols);
    source->state = RW_SOURCE_NO_DEBUG;
    if (symbol->undebugged && *symbol->undebugged && elsewhere)
        source->reason = elsewhere->dup_advice(elsewhere->data);
}

static void show_frame(const Query *query, RwSource *source)
{
    source->shown =
        query->place->frame < source->frames->len ? query->place->frame : rw_source_choose_frame(source);
    const RwSourceFrame *frame = rw_source_get_frame(source);
    if (!frame)
        source->state = RW_SOURCE_NOWHERE;
    else if (!frame->symbol.line || !frame->symbol.file)
        find_advice(query, source);
    else
        find_text(query, source);
}

// ---- The question ----

static bool find_place(const Query *query, RwSource *source, GError **error)
{
    RwInspectTask *task = find_task(query, source, error);
    if (!task)
        return false;
    take_frames(source, task, task->script, true);
    take_frames(source, task, task->frames, false);
    rw_inspect_task_free(task);
    show_frame(query, source);
    return rw_check_cancelled(query->cancellable, error);
}

static RwSource *find_source(const Query *query, GError **error)
{
    g_autoptr(RwSource) source = rw_source_new(RW_SOURCE_IDLE);
    g_autoptr(GPtrArray) tasks = rw_inspect_tasks(query->machine, error);
    for (guint i = 0; tasks && i < tasks->len; i++)
        add_thread(source, tasks->pdata[i]);
    if (!tasks)
        return NULL;
    choose_thread(query, source);
    if (source->state == RW_SOURCE_SHOWN && !find_place(query, source, error))
        return NULL;
    return g_steal_pointer(&source);
}

static RwSource *look(RwSessionRun *run, const RwSourcePlace *place, const RwInsideLook *inside,
                      GCancellable *cancellable, GError **error)
{
    RwMachine *asked = rw_timeline_fork(inside->timeline, error);
    Query query = {run,   place,           rw_timeline_get_machine(inside->timeline),
                   asked, inside->symbols, cancellable};
    RwSource *source = asked ? find_source(&query, error) : NULL;
    rw_timeline_give_back(inside->timeline, asked);
    if (source)
        source->position = rw_timeline_get_position(inside->timeline);
    return source;
}

RwSource *rw_source_go(RwSessionRun *run, const RwSourcePlace *place, GCancellable *cancellable,
                       GError **error)
{
    RwInsideLook inside;
    if (!rw_inside_go(rw_session_run_get_inside(run), run, &place->position, cancellable, &inside, error))
        return NULL;
    return look(run, place, &inside, cancellable, error);
}

// The run's timeline is the caller's.
static RwSource *look_at(RwSessionRun *run, const RwSourcePlace *place, guint64 start,
                         GCancellable *cancellable, GError **error)
{
    g_autoptr(GError) local = NULL;
    RwSource *source = rw_source_go(run, place, cancellable, &local);
    if (source && source->state == RW_SOURCE_IDLE) {
        RwSource *before = rw_source_find_ended(run, place, start, cancellable, &local);
        if (before || local) {
            rw_source_unref(source);
            source = before;
        }
    }
    if (source)
        rw_source_keep(run, place, source);
    else
        g_propagate_error(error, g_steal_pointer(&local));
    return source;
}

static RwSource *find(RwSessionRun *run, const RwSourcePlace *place, GCancellable *cancellable,
                      GError **error)
{
    RwInside *inside = rw_session_run_get_inside(run);
    g_autoptr(GError) early = NULL;
    guint64 start;
    if (!rw_inspect_job_start(rw_session_run_get_trace(run), &start, &early) ||
        place->position.step < start) {
        RwSource *source = rw_source_new(RW_SOURCE_EARLY);
        source->position = place->position;
        return source;
    }
    rw_inside_begin(inside, cancellable);
    RwSource *source = rw_source_find_kept(run, place);
    if (!source)
        source = look_at(run, place, start, cancellable, error);
    rw_inside_end(inside, cancellable);
    return source;
}

static void find_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    GError *error = NULL;
    RwSource *found = find(RW_SESSION_RUN(source), data, cancellable, &error);
    if (found)
        g_task_return_pointer(task, found, (GDestroyNotify)rw_source_unref);
    else
        g_task_return_error(task, error);
}

void rw_session_run_find_source_async(RwSessionRun *run, const RwSourcePlace *place,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer data)
{
    g_autoptr(GTask) task = g_task_new(run, cancellable, callback, data);
    g_task_set_task_data(task, g_memdup2(place, sizeof *place), g_free);
    g_task_run_in_thread(task, find_in_thread);
}

RwSource *rw_session_run_find_source_finish(RwSessionRun *run, GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}
