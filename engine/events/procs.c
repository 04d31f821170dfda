// SPDX-License-Identifier: MIT
#include "rw-procs.h"

#include "rw-event.h"

#define KTHREADD 2 // the parent of the kernel's own threads

// A process or a thread that was. Numbers may come again later in a run, so these are kept in the order
// of their start, and `alive` knows who has a number now.
struct _RwProcs {
    GPtrArray *all; // of Entry, owned
    GHashTable *alive; // tid → index + 1
};

// A program that a process became, and when.
typedef struct {
    uint64_t step;
    char **argv;
} Program;

typedef struct {
    RwProc proc; // its argv is the last program's
    GArray *programs; // of Program, by step
} Entry;

static void program_clear(Program *program)
{
    g_strfreev(program->argv);
}

static void entry_free(Entry *entry)
{
    g_array_unref(entry->programs);
    g_free(entry);
}

static void take_program(RwProc *proc, uint64_t step, char **argv)
{
    Program program = {step, argv};
    g_array_append_val(((Entry *)proc)->programs, program);
    proc->argv = argv;
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

const RwProc *rw_procs_find(RwProcs *procs, uint32_t tid)
{
    return find(procs, tid);
}

static RwProc *add(RwProcs *procs, uint32_t pid, uint32_t tid, uint32_t parent, uint64_t step)
{
    RwProc *old = find(procs, tid);
    Entry *entry = g_new0(Entry, 1);
    RwProc *proc = &entry->proc;
    entry->programs = g_array_new(false, false, sizeof(Program));
    g_array_set_clear_func(entry->programs, (GDestroyNotify)program_clear);
    *proc = (RwProc){.pid = pid, .tid = tid, .parent = parent, .start = step};
    if (old && !old->end)
        old->end = step;
    g_ptr_array_add(procs->all, entry);
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
        take_program(child, item->at, g_strdupv(from->argv));
}

// Records begin when the job does: its first process was forked before, by init.
static RwProc *add_unseen(RwProcs *procs, const RwTraceItem *item)
{
    RwProc *proc = add(procs, item->record.pid, item->record.pid, 1, item->at);
    take_program(proc, item->at, g_strsplit("/init", " ", 1));
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
    take_program(proc, item->at, argv);
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

void rw_procs_feed(RwProcs *procs, const RwTraceItem *item)
{
    if (item->is_step)
        return;
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

RwProcs *rw_procs_new_empty(void)
{
    RwProcs *procs = g_new0(RwProcs, 1);
    procs->all = g_ptr_array_new_with_free_func((GDestroyNotify)entry_free);
    procs->alive = g_hash_table_new(NULL, NULL);
    RwProc *init = add(procs, 1, 1, 0, 0);
    take_program(init, 0, g_strsplit("/init", " ", 1));
    return procs;
}

RwProcs *rw_procs_new(RwTrace *trace, uint64_t step, GError **error)
{
    g_autoptr(RwProcs) procs = rw_procs_new_empty();
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    while (more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0 && item.step <= step)
        rw_procs_feed(procs, &item);
    return more < 0 ? NULL : g_steal_pointer(&procs);
}

typedef struct {
    uint64_t step; // who lived then; programs as of then
    bool ended_too;
    GHashTable *shown; // pid → its process is shown
    bool (*visit)(const RwProc *proc, guint depth, void *data);
    void *data;
    GHashTable *children; // pid → GPtrArray of RwProc: children and further threads by the order of start
} Walk;

static char **get_argv_at(const RwProc *proc, uint64_t step)
{
    const GArray *programs = ((const Entry *)proc)->programs;
    char **argv = NULL;
    for (guint i = 0; i < programs->len && g_array_index(programs, Program, i).step <= step; i++)
        argv = g_array_index(programs, Program, i).argv;
    return argv;
}

static bool visit(const Walk *walk, const RwProc *proc, guint depth)
{
    RwProc then = *proc;
    then.argv = get_argv_at(proc, walk->step);
    return walk->visit(&then, depth, walk->data);
}

static bool walk_proc(Walk *walk, const RwProc *proc, guint depth);

static bool walk_below(Walk *walk, const RwProc *parent, guint depth, bool threads)
{
    GPtrArray *children = g_hash_table_lookup(walk->children, GUINT_TO_POINTER(parent->pid));
    for (guint i = 0; children && i < children->len; i++) {
        const RwProc *child = children->pdata[i];
        bool during = child->start >= parent->start && (!parent->end || child->start <= parent->end);
        if ((child->pid == parent->pid) == threads && during && !walk_proc(walk, child, depth))
            return false;
    }
    return true;
}

// Orphans of a process that is not shown are init's children: the caller has filed them there.
static bool walk_proc(Walk *walk, const RwProc *proc, guint depth)
{
    if (proc->tid != proc->pid)
        return visit(walk, proc, depth);
    return depth < 1000 && visit(walk, proc, depth) && walk_below(walk, proc, depth + 1, true) &&
           walk_below(walk, proc, depth + 1, false);
}

static bool is_shown(const Walk *walk, const RwProc *proc)
{
    return walk->ended_too || (proc->start <= walk->step && (!proc->end || proc->end > walk->step));
}

static void file_under_parent(Walk *walk, RwProc *proc)
{
    uint32_t parent = proc->parent;
    if (parent == KTHREADD || proc->pid == KTHREADD || proc->pid <= 1 || !is_shown(walk, proc))
        return;
    if (proc->tid == proc->pid && !g_hash_table_contains(walk->shown, GUINT_TO_POINTER(parent)))
        parent = 1; // its parent is gone: init took it over
    GPtrArray *list = g_hash_table_lookup(walk->children, GUINT_TO_POINTER(parent));
    if (!list) {
        list = g_ptr_array_new();
        g_hash_table_insert(walk->children, GUINT_TO_POINTER(parent), list);
    }
    g_ptr_array_add(list, proc);
}

static void walk_all(RwProcs *procs, Walk *walk)
{
    walk->shown = g_hash_table_new(NULL, NULL);
    walk->children = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);
    for (guint i = 0; i < procs->all->len; i++) {
        const RwProc *proc = procs->all->pdata[i];
        if (is_shown(walk, proc))
            g_hash_table_add(walk->shown, GUINT_TO_POINTER(proc->pid));
    }
    for (guint i = 0; i < procs->all->len; i++)
        file_under_parent(walk, procs->all->pdata[i]);
    walk_proc(walk, procs->all->pdata[0], 0);
    g_hash_table_unref(walk->children);
    g_hash_table_unref(walk->shown);
}

void rw_procs_walk(RwProcs *procs, bool ended_too,
                   bool (*visitor)(const RwProc *proc, guint depth, void *data), void *data)
{
    Walk walk = {.step = UINT64_MAX, .ended_too = ended_too, .visit = visitor, .data = data};
    walk_all(procs, &walk);
}

void rw_procs_walk_at(RwProcs *procs, uint64_t step,
                      bool (*visitor)(const RwProc *proc, guint depth, void *data), void *data)
{
    Walk walk = {.step = step, .visit = visitor, .data = data};
    walk_all(procs, &walk);
}

// The first of the programs is that of who forked it, or what init was.
void rw_procs_each(RwProcs *procs, void (*visitor)(const RwProc *proc, uint64_t exec, void *data),
                   void *data)
{
    for (guint i = 0; i < procs->all->len; i++) {
        const Entry *entry = procs->all->pdata[i];
        if (entry->proc.tid == entry->proc.pid)
            visitor(&entry->proc,
                    entry->programs->len > 1 ? g_array_index(entry->programs, Program, 1).step : 0, data);
    }
}
