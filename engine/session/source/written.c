// SPDX-License-Identifier: MIT
//
// Who wrote a variable last before a position.
#include "inside-private.h"
#include "rw-session-source.h"

#include "rw-blame.h"

#define LENGTH_MAX ((RW_BLAME_SPANS_MAX - 1) * 4096ull) // bytes of a variable
#define WORD 8u // bytes, where its type is not known

typedef struct {
    RwSource *source;
    char *name;
} Query;

static void query_free(void *data)
{
    Query *query = data;
    rw_source_unref(query->source);
    g_free(query->name);
    g_free(query);
}

void rw_source_written_free(RwSourceWritten *written)
{
    g_free(written->file);
    g_free(written);
}

static bool find_variable(const Query *query, const RwBlame *blame, RwBlamePlace *ret, GError **error)
{
    const RwSourceFrame *frame = rw_source_get_frame(query->source);
    RwInspectVariable what = {query->source->pid, query->source->tid, query->name, frame ? frame->call : 0};
    RwSymbolsPlace place;
    RwMachine *asked = rw_timeline_fork(blame->timeline, error);
    bool ok = asked && rw_inspect_variable(rw_timeline_get_machine(blame->timeline), asked, blame->symbols,
                                           &what, &place, blame->cancellable, error);
    rw_timeline_give_back(blame->timeline, asked);
    if (ok && !place.in_memory) {
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                    "%s: the compiler has it in no memory there: a register, or nothing", query->name);
        return false;
    }
    return ok && rw_blame_find_memory(blame, query->source->pid, place.address,
                                      place.size ? MIN(place.size, LENGTH_MAX) : WORD, ret, error);
}

static const RwSymbol *find_line(const RwBlameWrite *write)
{
    const GPtrArray *frames = write->task ? write->task->frames : NULL;
    for (guint i = 0; frames && i < frames->len; i++) {
        const RwSymbol *symbol = &((const RwInspectFrame *)frames->pdata[i])->symbol;
        if (symbol->line)
            return symbol;
    }
    return NULL;
}

static RwSourceWritten *describe(const RwBlame *blame, const RwBlameWrite *write)
{
    const RwSymbol *symbol = find_line(write);
    RwSourceWritten *written = g_new0(RwSourceWritten, 1);
    if (write->how < RW_BLAME_STORE || !write->tid)
        return written;
    written->found = true;
    written->position = rw_timeline_get_position(blame->timeline);
    written->tid = write->tid;
    written->file = symbol ? g_strdup(symbol->file) : NULL;
    written->line = symbol ? symbol->line : 0;
    return written;
}

static RwSourceWritten *look(const Query *query, const RwInsideLook *inside, GCancellable *cancellable,
                             GError **error)
{
    RwBlame blame = {inside->timeline, inside->symbols, cancellable};
    RwBlameWanted wanted = {.task = true};
    RwBlamePlace place;
    RwBlameWrite write;
    if (!find_variable(query, &blame, &place, error) ||
        !rw_blame_last(&blame, &place, &wanted, &write, error))
        return NULL;
    RwSourceWritten *written = describe(&blame, &write);
    rw_blame_write_clear(&write);
    return written;
}

static void find_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    RwSessionRun *run = RW_SESSION_RUN(source);
    RwInside *inside = rw_session_run_get_inside(run);
    const Query *query = data;
    RwSourceWritten *written = NULL;
    GError *error = NULL;
    RwInsideLook timeline;
    rw_inside_begin(inside, cancellable);
    if (rw_inside_go(inside, run, &query->source->position, cancellable, &timeline, &error))
        written = look(query, &timeline, cancellable, &error);
    rw_inside_end(inside, cancellable);
    if (written)
        g_task_return_pointer(task, written, (GDestroyNotify)rw_source_written_free);
    else
        g_task_return_error(task, error);
}

void rw_session_run_find_written_async(RwSessionRun *run, RwSource *source, const char *name,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer data)
{
    g_autoptr(GTask) task = g_task_new(run, cancellable, callback, data);
    Query *query = g_new(Query, 1);
    *query = (Query){rw_source_ref(source), g_strdup(name)};
    g_task_set_task_data(task, query, query_free);
    g_task_run_in_thread(task, find_in_thread);
}

RwSourceWritten *rw_session_run_find_written_finish(RwSessionRun *run, GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}

double rw_session_run_get_written_progress(RwSessionRun *run)
{
    return rw_inside_get_progress(rw_session_run_get_inside(run));
}
