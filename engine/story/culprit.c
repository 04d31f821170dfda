// SPDX-License-Identifier: MIT
//
// Who failed first. Each process is asked for the child whose failure it passed on: of those that ended
// badly after it last started something, the first; a grep that finds nothing fails as well, but its shell
// goes on and starts the next. So only the end of a trace must be read, unless somebody failed who had
// begun long before.
#include "rw-story.h"

#include "tail-private.h"

#include <sys/wait.h>

#define GROWTH 4u // how much more is read of a trace each time; so all before is a third of the last

// An answer, or that more must be read to know it.
typedef struct {
    const RwTailProc *proc;
    bool unknown;
} Found;

static bool is_child(const RwTailProc *proc, const RwTailProc *parent)
{
    return proc->parent == parent->pid && proc->ended <= parent->ended;
}

// The first that failed since `parent` started something; *last_before: else the last that failed.
static Found find_child(const RwTail *tail, const RwTailProc *parent, Found *last_before)
{
    Found first = {0};
    *last_before = (Found){.unknown = !parent->whole};
    for (guint i = 0; i < tail->procs->len; i++) {
        const RwTailProc *proc = tail->procs->pdata[i];
        if (!proc->ended || !proc->status || proc == parent || proc->ended > parent->ended)
            continue;
        if (!proc->whole && proc->pid != tail->job_pid)
            first.unknown = true; // whose child is it?
        if (!is_child(proc, parent))
            continue;
        Found *found = proc->ended > parent->started ? &first : last_before;
        bool better = found == &first ? !found->proc || proc->ended < found->proc->ended
                                      : !found->proc || proc->ended > found->proc->ended;
        if (better)
            found->proc = proc;
    }
    return first;
}

static Found find_cause(const RwTail *tail, const RwTailProc *parent)
{
    Found last, first = find_child(tail, parent, &last);
    if (first.unknown || first.proc)
        return first;
    return last.proc ? (Found){last.proc, false} : last;
}

// From the job down. A process that a signal killed stands for itself.
static Found find_culprit(const RwTail *tail)
{
    Found found = {rw_tail_find_job(tail), false};
    if (!found.proc || !found.proc->ended)
        return (Found){.unknown = true};
    while (!WIFSIGNALED(found.proc->status)) {
        Found next = find_cause(tail, found.proc);
        if (next.unknown)
            return next;
        if (!next.proc)
            break;
        found = next;
    }
    return found;
}

static void take_line(RwCulprit *culprit, const RwTail *tail, const RwTailProc *proc)
{
    culprit->line = proc ? rw_words_dup_line(&proc->words, &culprit->line_step) : NULL;
    culprit->is_own = culprit->line != NULL;
    if (!culprit->line)
        culprit->line = rw_words_dup_line(&tail->words, &culprit->line_step);
}

static void take_proc(RwCulprit *culprit, const RwTailProc *proc)
{
    g_autofree char *words = proc->argv ? g_strjoinv(" ", proc->argv) : NULL;
    culprit->program = words ? rw_story_dup_text(words, strlen(words)) : NULL;
    culprit->pid = proc->pid;
    culprit->status = proc->status;
    bool killed = WIFSIGNALED(proc->status) && proc->signal_step;
    culprit->step = killed ? proc->signal_step : proc->end_step;
}

// false: more must be read.
static bool tell(RwCulprit *culprit, const RwTail *tail, const RwManifest *manifest, bool all)
{
    bool failed = manifest->ended && manifest->end.job_exited && manifest->end.job_status;
    Found found = failed ? find_culprit(tail) : (Found){0};
    const RwTailProc *proc = found.proc, *job = rw_tail_find_job(tail);
    if (found.unknown && all && job && job->ended)
        proc = job; // something is amiss with what the guest says
    if (!all && (found.unknown || (proc && (!proc->argv || (!proc->words.last_step && !proc->whole)))))
        return false;
    take_line(culprit, tail, proc);
    if (proc)
        take_proc(culprit, proc);
    else
        culprit->step = manifest->end.steps; // 0 where it did not end
    if (culprit->line || all)
        return true;
    rw_culprit_clear(culprit);
    return false;
}

void rw_culprit_take(const RwTail *tail, const RwManifest *manifest, RwCulprit *ret)
{
    *ret = (RwCulprit){0};
    tell(ret, tail, manifest, true);
}

// The job's process: it begins right behind the machine's start, which is always as long.
static bool find_job(RwTrace *trace, uint32_t *ret, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    *ret = 0;
    while (!*ret && more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0)
        if (!item.is_step && item.record.type == REWIND_RECORD_JOB_START)
            *ret = item.record.pid;
    return more >= 0;
}

bool rw_culprit_find(RwTrace *trace, const RwManifest *manifest, GCancellable *cancellable, RwCulprit *ret,
                     GError **error)
{
    guint blocks = rw_trace_get_blocks(trace);
    uint32_t job;
    *ret = (RwCulprit){0};
    if (!find_job(trace, &job, error))
        return false;
    for (guint count = 1;; count *= GROWTH) {
        guint from = count < blocks ? blocks - count : 0;
        g_autoptr(RwTail) tail = rw_tail_new_last(trace, from, job, cancellable, error);
        if (!tail || tell(ret, tail, manifest, !from))
            return tail != NULL;
    }
}

RwCulprit rw_culprit_copy(const RwCulprit *culprit)
{
    RwCulprit copy = *culprit;
    copy.program = g_strdup(culprit->program);
    copy.line = g_strdup(culprit->line);
    return copy;
}

void rw_culprit_clear(RwCulprit *culprit)
{
    g_free(culprit->program);
    g_free(culprit->line);
    *culprit = (RwCulprit){0};
}
