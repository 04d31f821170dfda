// SPDX-License-Identifier: MIT
#include "rw-procs.h"

#include "rw-event.h"

#define KTHREADD 2 // the parent of the kernel's own threads

// A process or a thread that was. Numbers may come again later in a run, so these are kept in the order
// of their start, and `alive` knows who has a number now.
struct _RwProcs {
    GPtrArray *all; // of RwProc, owned
    GHashTable *alive; // tid → index + 1
};

static void proc_free(RwProc *proc)
{
    g_strfreev(proc->argv);
    g_free(proc);
}

void rw_procs_free(RwProcs *procs)
{
    if (!procs)
        return;
    g_ptr_array_unref(procs->all);
    g_hash_table_unref(procs->alive);
    g_free(procs);
}

static RwProc *find(RwProcs *procs, uint32_t tid)
{
    guint index = GPOINTER_TO_UINT(g_hash_table_lookup(procs->alive, GUINT_TO_POINTER(tid)));
    return index ? procs->all->pdata[index - 1] : NULL;
}

static RwProc *add(RwProcs *procs, uint32_t pid, uint32_t tid, uint32_t parent, uint64_t step)
{
    RwProc *old = find(procs, tid);
    RwProc *proc = g_new0(RwProc, 1);
    *proc = (RwProc){.pid = pid, .tid = tid, .parent = parent, .start = step};
    if (old && !old->end)
        old->end = step;
    g_ptr_array_add(procs->all, proc);
    g_hash_table_insert(procs->alive, GUINT_TO_POINTER(tid), GUINT_TO_POINTER(procs->all->len));
    return proc;
}

static void on_fork(RwProcs *procs, const RwTraceItem *item)
{
    struct rewind_fork fork_;
    if (!rw_event_get_fork(item, &fork_))
        return;
    uint32_t parent = item->record.pid;
    if (fork_.kind == REWIND_FORK_THREAD) {
        add(procs, parent, fork_.child_tid, parent, item->at);
        return;
    }
    RwProc *child = add(procs, fork_.child_pid, fork_.child_tid, parent, item->at);
    RwProc *from = find(procs, parent);
    if (from)
        child->argv = g_strdupv(from->argv);
}

// Records begin when the job does: its first process was forked before, by init.
static RwProc *add_unseen(RwProcs *procs, const RwTraceItem *item)
{
    RwProc *proc = add(procs, item->record.pid, item->record.pid, 1, item->at);
    proc->argv = g_strsplit("/init", " ", 1);
    return proc;
}

// An exec by any thread ends the process's others and goes on as its first.
static void on_exec(RwProcs *procs, const RwTraceItem *item)
{
    g_autofree char *path = NULL;
    char **argv = rw_event_dup_exec(item, &path);
    RwProc *proc = find(procs, item->record.pid);
    if (!argv)
        return;
    if (!proc)
        proc = add_unseen(procs, item);
    if (!argv[0] && path) {
        g_strfreev(argv);
        argv = g_strsplit(path, "\n", 1);
    }
    g_strfreev(proc->argv);
    proc->argv = argv;
}

static void on_exit_(RwProcs *procs, const RwTraceItem *item)
{
    struct rewind_exit exit_;
    RwProc *proc = find(procs, item->record.tid);
    if (!proc || !rw_event_get_exit(item, &exit_))
        return;
    proc->status = exit_.status;
    RwProc *first = find(procs, item->record.pid);
    // A process lives until its last thread is gone, also when its first one ended before.
    if (proc != first || exit_.group_dead) {
        proc->end = item->at;
        g_hash_table_remove(procs->alive, GUINT_TO_POINTER(item->record.tid));
    }
    if (exit_.group_dead && first && first != proc) {
        first->end = item->at;
        first->status = exit_.status;
        g_hash_table_remove(procs->alive, GUINT_TO_POINTER(item->record.pid));
    }
}

static void on_item(RwProcs *procs, const RwTraceItem *item)
{
    switch (item->record.type) {
    case REWIND_RECORD_JOB_START:
        if (!find(procs, item->record.pid))
            add_unseen(procs, item);
        break;
    case REWIND_RECORD_FORK:
        on_fork(procs, item);
        break;
    case REWIND_RECORD_EXEC:
        on_exec(procs, item);
        break;
    case REWIND_RECORD_EXIT:
        on_exit_(procs, item);
        break;
    default:
        break;
    }
}

static RwProcs *new_with_init(void)
{
    RwProcs *procs = g_new0(RwProcs, 1);
    procs->all = g_ptr_array_new_with_free_func((GDestroyNotify)proc_free);
    procs->alive = g_hash_table_new(NULL, NULL);
    RwProc *init = add(procs, 1, 1, 0, 0);
    init->argv = g_strsplit("/init", " ", 1);
    return procs;
}

RwProcs *rw_procs_new(RwTrace *trace, uint64_t step, GError **error)
{
    g_autoptr(RwProcs) procs = new_with_init();
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    while (more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0 && item.step <= step)
        if (!item.is_step)
            on_item(procs, &item);
    return more < 0 ? NULL : g_steal_pointer(&procs);
}

typedef struct {
    RwProcs *procs;
    gboolean ended_too;
    gboolean (*visit)(const RwProc *proc, guint depth, void *data);
    void *data;
    GHashTable *children; // pid → GPtrArray of RwProc: children and further threads by the order of start
} Walk;

static gboolean walk_proc(Walk *walk, const RwProc *proc, guint depth);

static gboolean walk_below(Walk *walk, const RwProc *parent, guint depth, gboolean threads)
{
    GPtrArray *children = g_hash_table_lookup(walk->children, GUINT_TO_POINTER(parent->pid));
    for (guint i = 0; children && i < children->len; i++) {
        const RwProc *child = children->pdata[i];
        gboolean during = child->start >= parent->start && (!parent->end || child->start <= parent->end);
        if ((child->pid == parent->pid) == threads && during && !walk_proc(walk, child, depth))
            return FALSE;
    }
    return TRUE;
}

// Orphans of a process that is not shown are init's children: the caller has filed them there.
static gboolean walk_proc(Walk *walk, const RwProc *proc, guint depth)
{
    if (proc->tid != proc->pid)
        return walk->visit(proc, depth, walk->data);
    return depth < 1000 && walk->visit(proc, depth, walk->data) &&
           walk_below(walk, proc, depth + 1, TRUE) && walk_below(walk, proc, depth + 1, FALSE);
}

static gboolean is_shown(const Walk *walk, const RwProc *proc)
{
    return walk->ended_too || !proc->end;
}

static void file_under_parent(Walk *walk, RwProc *proc)
{
    uint32_t parent = proc->parent;
    if (parent == KTHREADD || proc->pid == KTHREADD || proc->pid <= 1 || !is_shown(walk, proc))
        return;
    if (proc->tid == proc->pid && !walk->ended_too && !find(walk->procs, parent))
        parent = 1; // its parent is gone: init took it over
    GPtrArray *list = g_hash_table_lookup(walk->children, GUINT_TO_POINTER(parent));
    if (!list) {
        list = g_ptr_array_new();
        g_hash_table_insert(walk->children, GUINT_TO_POINTER(parent), list);
    }
    g_ptr_array_add(list, proc);
}

void rw_procs_walk(RwProcs *procs, gboolean ended_too,
                   gboolean (*visit)(const RwProc *proc, guint depth, void *data), void *data)
{
    Walk walk = {procs, ended_too, visit, data, NULL};
    walk.children = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);
    for (guint i = 0; i < procs->all->len; i++)
        file_under_parent(&walk, procs->all->pdata[i]);
    const RwProc *init = procs->all->pdata[0];
    walk_proc(&walk, init, 0);
    g_hash_table_unref(walk.children);
}
