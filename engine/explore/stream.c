// SPDX-License-Identifier: MIT
#include "stream-private.h"

#include "rw-base.h"
#include "rw-hash.h"

#define CHECK_EVERY 4096 // items between looks at the cancellable

typedef struct {
    const char *program; // in options.names
    guint threads; // that it had so far
} Process;

struct _RwStream {
    RwTraceCursor *cursor;
    RwTrace *trace;
    RwStreamOptions options;
    guint items; // since the cancellable was looked at
    GHashTable *seen; // arguments → how many programs had them
    GHashTable *processes; // pid → Process
    GHashTable *threads; // tid → number in its process
};

static RwStream *stream_new(RwTrace *trace, uint64_t step, const RwStreamOptions *options, GError **error)
{
    RwTraceCursor *cursor = rw_trace_cursor_new(trace, step, error);
    if (!cursor)
        return NULL;
    RwStream *stream = g_new0(RwStream, 1);
    *stream = (RwStream){
        .cursor = cursor,
        .trace = trace,
        .options = *options,
        .seen = g_hash_table_new(rw_keyed_str_hash, g_str_equal),
        .processes = g_hash_table_new_full(NULL, NULL, NULL, g_free),
        .threads = g_hash_table_new(NULL, NULL),
    };
    return stream;
}

RwStream *rw_stream_new(RwTrace *trace, const RwStreamOptions *options, GError **error)
{
    return stream_new(trace, 1, options, error);
}

static void copy_table(GHashTable *from, GHashTable *to)
{
    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, from);
    while (g_hash_table_iter_next(&iter, &key, &value))
        g_hash_table_insert(to, key, value);
}

RwStream *rw_stream_new_twin(const RwStream *from, RwTrace *trace, uint64_t step, GError **error)
{
    RwStream *stream = stream_new(trace, step, &from->options, error);
    if (!stream)
        return NULL;
    GHashTableIter iter;
    gpointer pid, process;
    copy_table(from->seen, stream->seen);
    copy_table(from->threads, stream->threads);
    g_hash_table_iter_init(&iter, from->processes);
    while (g_hash_table_iter_next(&iter, &pid, &process))
        g_hash_table_insert(stream->processes, pid, g_memdup2(process, sizeof(Process)));
    return stream;
}

void rw_stream_free(RwStream *stream)
{
    if (!stream)
        return;
    rw_trace_cursor_free(stream->cursor);
    g_hash_table_unref(stream->seen);
    g_hash_table_unref(stream->processes);
    g_hash_table_unref(stream->threads);
    g_free(stream);
}

// ---- Who is who ----

static const char *name_program(RwStream *stream, const char *arguments)
{
    const char *key = g_string_chunk_insert_const(stream->options.names, arguments);
    guint nth = GPOINTER_TO_UINT(g_hash_table_lookup(stream->seen, key)) + 1;
    g_hash_table_insert(stream->seen, (gpointer)key, GUINT_TO_POINTER(nth));
    g_autofree char *name = g_strdup_printf("%s#%u", arguments, nth);
    return g_string_chunk_insert_const(stream->options.names, name);
}

static Process *get_process(RwStream *stream, uint32_t pid)
{
    Process *process = g_hash_table_lookup(stream->processes, GUINT_TO_POINTER(pid));
    if (process)
        return process;
    process = g_new0(Process, 1);
    process->program = name_program(stream, pid ? "/init" : "kernel");
    g_hash_table_insert(stream->processes, GUINT_TO_POINTER(pid), process);
    return process;
}

const char *rw_stream_get_program(RwStream *stream, uint32_t pid)
{
    return get_process(stream, pid)->program;
}

static void on_exec(RwStream *stream, const RwTraceItem *item)
{
    g_auto(GStrv) argv = rw_event_dup_exec(item, NULL);
    if (!argv)
        return;
    g_autofree char *arguments = g_strjoinv(" ", argv);
    Process *process = get_process(stream, item->record.pid);
    process->program = name_program(stream, arguments);
    process->threads = 0;
    g_hash_table_remove(stream->threads, GUINT_TO_POINTER(item->record.pid));
}

// A child that did not execute anything yet is known by its parent's arguments.
static void on_fork(RwStream *stream, const RwTraceItem *item)
{
    struct rewind_fork fork_;
    if (!rw_event_get_fork(item, &fork_))
        return;
    Process *parent = get_process(stream, item->record.pid);
    if (fork_.kind == REWIND_FORK_THREAD) {
        g_hash_table_insert(stream->threads, GUINT_TO_POINTER(fork_.child_tid),
                            GUINT_TO_POINTER(++parent->threads));
        return;
    }
    g_autofree char *arguments = rw_program_dup_arguments(parent->program);
    Process *child = g_new0(Process, 1);
    child->program = name_program(stream, arguments);
    g_hash_table_insert(stream->processes, GUINT_TO_POINTER(fork_.child_pid), child);
    g_hash_table_remove(stream->threads, GUINT_TO_POINTER(fork_.child_tid));
}

static void follow(RwStream *stream, const RwTraceItem *item)
{
    if (item->record.type == REWIND_RECORD_EXEC)
        on_exec(stream, item);
    else if (item->record.type == REWIND_RECORD_FORK)
        on_fork(stream, item);
}

// 1: the next item that came before `step`; 0: none.
static int next_item(RwStream *stream, uint64_t step, RwTraceItem *ret, GError **error)
{
    if (stream->items++ % CHECK_EVERY == 0 && !rw_check_cancelled(stream->options.cancellable, error))
        return -1;
    int more = rw_trace_cursor_next(stream->cursor, ret, error);
    if (more <= 0 || ret->step < step)
        return more;
    rw_trace_cursor_free(stream->cursor); // it is past it
    stream->cursor = rw_trace_cursor_new(stream->trace, step, error);
    return stream->cursor ? 0 : -1;
}

int rw_stream_next_before(RwStream *stream, uint64_t step, RwProgramEvent *ret, GError **error)
{
    int more;
    while ((more = next_item(stream, step, &ret->item, error)) > 0) {
        if (ret->item.is_step)
            continue;
        follow(stream, &ret->item);
        if (!stream->options.frequent && rw_event_is_frequent(&ret->item))
            continue;
        ret->program = get_process(stream, ret->item.record.pid)->program;
        ret->thread =
            GPOINTER_TO_UINT(g_hash_table_lookup(stream->threads, GUINT_TO_POINTER(ret->item.record.tid)));
        return 1;
    }
    return more;
}

int rw_stream_next(RwStream *stream, RwProgramEvent *ret, GError **error)
{
    return rw_stream_next_before(stream, UINT64_MAX, ret, error);
}

// ---- The same or not ----

static bool same_payload(const RwTraceItem *a, const RwTraceItem *b)
{
    return a->length == b->length && (!a->length || !memcmp(a->payload, b->payload, a->length));
}

// Numbers of processes differ between runs, and so do those of pipes.
static bool same_but_numbers(const RwTraceItem *a, const RwTraceItem *b)
{
    struct rewind_fork f, g;
    struct rewind_signal s, t;
    if (rw_event_get_fork(a, &f) && rw_event_get_fork(b, &g))
        return f.kind == g.kind && f.clone_flags == g.clone_flags;
    if (a->record.type == REWIND_RECORD_SIGNAL && a->length == b->length && a->length >= sizeof s) {
        memcpy(&s, a->payload, sizeof s);
        memcpy(&t, b->payload, sizeof t);
        return s.signo == t.signo && s.code == t.code && s.addr == t.addr && s.fatal == t.fatal;
    }
    return false;
}

bool rw_program_event_same(const RwProgramEvent *a, const RwProgramEvent *b)
{
    if (a->item.record.type != b->item.record.type || a->thread != b->thread || a->program != b->program)
        return false;
    return same_payload(&a->item, &b->item) || same_but_numbers(&a->item, &b->item);
}
