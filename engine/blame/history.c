// SPDX-License-Identifier: MIT
#include "blame-private.h"

#include "rw-event.h"

#include <fcntl.h>

#define HOPS_MAX 16u // names that a file had

RwPosition blame_position(const RwTraceItem *item)
{
    return (RwPosition){item->at, item->at_known ? item->after_ticks : 0};
}

char *blame_dup_program(RwProcs *procs, uint32_t pid)
{
    const RwProc *proc = rw_procs_find(procs, pid);
    return proc && proc->argv ? g_strjoinv(" ", proc->argv) : NULL;
}

bool blame_each_event(RwTrace *trace, const RwPosition *before, BlameEach each, void *data,
                      GCancellable *cancellable, GError **error)
{
    g_autoptr(RwProcs) procs = rw_procs_new_empty();
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    // Of the ring's records some come later than their step, but no later than with the next one.
    while (more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0) {
        if (item.step > before->step + 1)
            break;
        RwPosition at = blame_position(&item);
        if (item.is_step && item.step % 4096 == 0 && !rw_check_cancelled(cancellable, error))
            return false;
        if (item.is_step || rw_position_compare(&at, before) >= 0)
            continue;
        rw_procs_feed(procs, &item);
        if (!each(&item, procs, data))
            break;
    }
    return more >= 0;
}

// ---- What happened to a name ----

static void naming_free(void *data)
{
    RwBlameNaming *naming = data;
    g_free(naming->program);
    g_free(naming->from);
    g_free(naming->to);
    g_free(naming);
}

typedef struct {
    const char *name;
    size_t max;
    GPtrArray *last; // of RwBlameNaming, the newest last
} Search;

static bool is_about(const Search *search, const RwTraceItem *item, RwBlameNaming *ret)
{
    struct rewind_open open;
    struct rewind_unlink unlink;
    const char *to, *path = rw_event_get_path(item, &to);
    bool same = path && !strcmp(path, search->name), renamed = to && !strcmp(to, search->name);
    *ret = (RwBlameNaming){.kind = item->record.type};
    switch (item->record.type) {
    case REWIND_RECORD_OPEN:
        if (!same || !rw_event_get_open(item, &open) || open.result < 0)
            return false;
        ret->creates = open.flags & O_CREAT;
        ret->truncates = open.flags & O_TRUNC;
        return ret->creates || ret->truncates;
    case REWIND_RECORD_UNLINK:
        return same && rw_event_get_unlink(item, &unlink) && unlink.result == 0;
    case REWIND_RECORD_RENAME:
        ret->from = same || renamed ? g_strdup(path) : NULL;
        ret->to = same || renamed ? g_strdup(to) : NULL;
        return same || renamed;
    default:
        return false;
    }
}

static bool look(const RwTraceItem *item, RwProcs *procs, void *data)
{
    const Search *search = data;
    RwBlameNaming naming;
    if (!is_about(search, item, &naming))
        return true;
    naming.position = blame_position(item);
    naming.pid = item->record.pid;
    naming.tid = item->record.tid;
    naming.program = blame_dup_program(procs, naming.pid);
    g_ptr_array_add(search->last, g_memdup2(&naming, sizeof naming));
    if (search->last->len > search->max)
        g_ptr_array_remove_index(search->last, 0);
    return true;
}

// Newest first, up to where the file got this name: what was before is another file's.
static const RwBlameNaming *take(GPtrArray *from, const char *name, GPtrArray *to, size_t max)
{
    while (from->len && to->len < max) {
        RwBlameNaming *naming = g_ptr_array_steal_index(from, from->len - 1);
        g_ptr_array_add(to, naming);
        if (naming->kind == REWIND_RECORD_RENAME && !g_strcmp0(naming->to, name))
            return naming;
    }
    return NULL;
}

GPtrArray *rw_blame_namings(RwTrace *trace, const char *path, const RwPosition *before, size_t max,
                            GCancellable *cancellable, GError **error)
{
    g_autoptr(GPtrArray) out = g_ptr_array_new_with_free_func(naming_free);
    RwPosition until = *before;
    const char *name = path;
    for (unsigned hop = 0; name && hop < HOPS_MAX && out->len < max; hop++) {
        g_autoptr(GPtrArray) last = g_ptr_array_new_with_free_func(naming_free);
        Search search = {name, max, last};
        if (!blame_each_event(trace, &until, look, &search, cancellable, error))
            return NULL;
        const RwBlameNaming *renamed = take(last, name, out, max);
        name = renamed ? renamed->from : NULL;
        until = renamed ? renamed->position : until;
    }
    return g_steal_pointer(&out);
}
