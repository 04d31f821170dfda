// SPDX-License-Identifier: MIT
#include "tail-private.h"

#include "rw-base.h"
#include "rw-event.h"

#include <string.h>
#include <sys/wait.h>

#define LINE_KEPT 4096u // bytes
#define CHECK_EVERY 4096 // items between looks at the cancellable

// ---- What they write ----

static void words_init(RwWords *words)
{
    words->line = g_string_new(NULL);
    words->last = g_string_new(NULL);
}

static void words_clear(RwWords *words)
{
    g_string_free(words->line, true);
    g_string_free(words->last, true);
}

static bool is_blank(const GString *line)
{
    for (gsize i = 0; i < line->len; i++)
        if (!g_ascii_isspace(line->str[i]) && line->str[i])
            return false;
    return true;
}

static void end_line(RwWords *words)
{
    if (!is_blank(words->line)) {
        g_string_assign(words->last, "");
        g_string_append_len(words->last, words->line->str, (gssize)words->line->len);
        words->last_step = words->line_step;
    }
    g_string_truncate(words->line, 0);
    words->line_step = 0;
}

static void say(RwWords *words, const uint8_t *bytes, size_t length, uint64_t step)
{
    while (length) {
        const uint8_t *newline = memchr(bytes, '\n', length);
        size_t part = newline ? (size_t)(newline - bytes) : length;
        size_t room = LINE_KEPT - MIN(words->line->len, LINE_KEPT);
        if (part && !words->line_step)
            words->line_step = step;
        g_string_append_len(words->line, (const char *)bytes, (gssize)MIN(part, room));
        if (newline)
            end_line(words);
        part += newline != NULL;
        bytes += part;
        length -= part;
    }
}

// ---- Who they are ----

static void proc_free(RwTailProc *proc)
{
    g_strfreev(proc->argv);
    words_clear(&proc->words);
    g_free(proc);
}

static RwTailProc *add(RwTail *tail, uint32_t pid, bool whole)
{
    RwTailProc *proc = g_new0(RwTailProc, 1);
    proc->pid = pid;
    proc->whole = whole;
    words_init(&proc->words);
    g_ptr_array_add(tail->procs, proc);
    g_hash_table_insert(tail->alive, GUINT_TO_POINTER(pid), proc);
    return proc;
}

static RwTailProc *get(RwTail *tail, uint32_t pid)
{
    RwTailProc *proc = g_hash_table_lookup(tail->alive, GUINT_TO_POINTER(pid));
    return proc ? proc : add(tail, pid, tail->from_start);
}

static void on_fork(RwTail *tail, const RwTraceItem *item)
{
    struct rewind_fork fork_;
    if (!rw_event_get_fork(item, &fork_) || fork_.kind == REWIND_FORK_THREAD)
        return;
    RwTailProc *parent = get(tail, item->record.pid);
    RwTailProc *child = add(tail, fork_.child_pid, true);
    child->parent = parent->pid;
    child->argv = g_strdupv(parent->argv);
    parent->started = tail->now;
}

static void on_exec(RwTail *tail, const RwTraceItem *item)
{
    g_autofree char *path = NULL;
    char **argv = rw_event_dup_exec(item, &path);
    if (!argv)
        return;
    RwTailProc *proc = get(tail, item->record.pid);
    g_strfreev(proc->argv);
    proc->argv = argv[0] || !path ? argv : g_strsplit(path, "\n", 1);
    if (proc->argv != argv)
        g_strfreev(argv);
    proc->started = tail->now;
}

static void on_exit_(RwTail *tail, const RwTraceItem *item)
{
    struct rewind_exit exit_;
    if (!rw_event_get_exit(item, &exit_) || !exit_.group_dead)
        return;
    RwTailProc *proc = get(tail, item->record.pid);
    proc->status = exit_.status;
    proc->ended = tail->now;
    proc->end_step = item->at;
    g_hash_table_remove(tail->alive, GUINT_TO_POINTER(proc->pid));
}

static void on_signal(RwTail *tail, const RwTraceItem *item)
{
    struct rewind_signal signal_;
    if (rw_event_get_signal(item, &signal_) && signal_.fatal)
        get(tail, item->record.pid)->signal_step = item->at;
}

static void on_output(RwTail *tail, const RwTraceItem *item)
{
    uint32_t fd;
    const uint8_t *bytes;
    size_t length;
    if (!rw_event_get_output(item, &fd, &bytes, &length))
        return;
    say(&get(tail, item->record.pid)->words, bytes, length, item->at);
    say(&tail->words, bytes, length, item->at);
}

static void on_job_start(RwTail *tail, const RwTraceItem *item)
{
    if (!tail->job_pid)
        tail->job_pid = item->record.pid;
}

void rw_tail_feed(RwTail *tail, const RwTraceItem *item)
{
    static void (*const on[])(RwTail * tail, const RwTraceItem *item) = {
        [REWIND_RECORD_FORK] = on_fork,     [REWIND_RECORD_EXEC] = on_exec,
        [REWIND_RECORD_EXIT] = on_exit_,    [REWIND_RECORD_SIGNAL] = on_signal,
        [REWIND_RECORD_OUTPUT] = on_output, [REWIND_RECORD_JOB_START] = on_job_start,
    };
    tail->now++;
    if (!item->is_step && item->record.type < G_N_ELEMENTS(on) && on[item->record.type])
        on[item->record.type](tail, item);
}

// ---- The whole ----

RwTail *rw_tail_new(void)
{
    RwTail *tail = g_new0(RwTail, 1);
    tail->procs = g_ptr_array_new_with_free_func((GDestroyNotify)proc_free);
    tail->alive = g_hash_table_new(NULL, NULL);
    tail->from_start = true;
    words_init(&tail->words);
    return tail;
}

static bool feed_from(RwTail *tail, RwTrace *trace, guint from, GCancellable *cancellable, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new_block(trace, from, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    while (more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0) {
        rw_tail_feed(tail, &item);
        if (tail->now % CHECK_EVERY == 0 && !rw_check_cancelled(cancellable, error))
            return false;
    }
    return more == 0;
}

RwTail *rw_tail_new_last(RwTrace *trace, guint from, uint32_t job, GCancellable *cancellable,
                         GError **error)
{
    g_autoptr(RwTail) tail = rw_tail_new();
    tail->from_start = from == 0;
    tail->job_pid = job;
    if (rw_trace_get_blocks(trace) && !feed_from(tail, trace, from, cancellable, error))
        return NULL;
    return g_steal_pointer(&tail);
}

const RwTailProc *rw_tail_find_job(const RwTail *tail)
{
    for (guint i = tail->procs->len; tail->job_pid && i-- > 0;)
        if (((RwTailProc *)tail->procs->pdata[i])->pid == tail->job_pid)
            return tail->procs->pdata[i];
    return NULL;
}

void rw_tail_free(RwTail *tail)
{
    if (!tail)
        return;
    g_ptr_array_unref(tail->procs);
    g_hash_table_unref(tail->alive);
    words_clear(&tail->words);
    g_free(tail);
}
