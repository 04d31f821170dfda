// SPDX-License-Identifier: MIT
//
// Where a failed run went wrong: from the job's own exit to the child that failed last before it, to that
// one's, and so on. A grep that finds nothing fails as well, but nothing ends because of it.
#include "index-private.h"

typedef struct {
    GArray *procs; // of RwProc without argv, by tree order
    GArray *depths; // of guint
} Tree;

static bool collect(const RwProc *proc, guint depth, void *data)
{
    Tree *tree = data;
    if (proc->pid != proc->tid)
        return true;
    RwProc copy = *proc;
    copy.argv = NULL;
    g_array_append_val(tree->procs, copy);
    g_array_append_val(tree->depths, depth);
    return true;
}

static guint get_depth(const Tree *tree, guint i)
{
    return g_array_index(tree->depths, guint, i);
}

// The child of number i that failed last, or i itself. A killed process stands for itself.
static guint find_cause(const Tree *tree, guint i)
{
    guint best = i;
    guint64 last = 0;
    for (guint k = i + 1; k < tree->procs->len && get_depth(tree, k) > get_depth(tree, i); k++) {
        const RwProc *child = &g_array_index(tree->procs, RwProc, k);
        if (get_depth(tree, k) == get_depth(tree, i) + 1 && child->end && child->status != 0 &&
            child->end >= last) {
            best = k;
            last = child->end;
        }
    }
    return best;
}

static guint64 follow(const Tree *tree, guint32 job)
{
    for (guint i = 0; i < tree->procs->len; i++) {
        if (g_array_index(tree->procs, RwProc, i).pid != job)
            continue;
        for (guint next; (next = find_cause(tree, i)) != i;)
            i = next;
        return g_array_index(tree->procs, RwProc, i).end;
    }
    return 0;
}

guint64 rw_failure_find(RwProcs *procs, guint32 job, const RwManifest *manifest, guint64 fatal_signal)
{
    if (!manifest->ended || rw_end_exit_status(&manifest->end) == 0)
        return 0;
    if (!manifest->end.job_exited)
        return manifest->end.steps; // it never ended: look at its last moment
    Tree tree = {g_array_new(false, false, sizeof(RwProc)), g_array_new(false, false, sizeof(guint))};
    rw_procs_walk(procs, true, collect, &tree);
    guint64 step = follow(&tree, job);
    g_array_unref(tree.procs);
    g_array_unref(tree.depths);
    // The signal that killed it comes right before the exits of its threads.
    if (step && fatal_signal && fatal_signal <= step && step - fatal_signal < 64)
        return fatal_signal;
    return step ? step : manifest->end.steps;
}
