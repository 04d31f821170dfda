// SPDX-License-Identifier: MIT
//
// A timeline of a machine that is no longer its run's. No trace tells of it: where its steps are, and what
// happens in it, is known once it was executed. It goes back to checkpoints of its own, the first of which
// is its beginning.
#include "scan-private.h"

#include "rw-bytes.h"

#include <string.h>

struct _RwBranch {
    GArray *bases; // of uint64_t: the count at which each step behind the first was done
    GArray *seen; // of RwSeen, what is wanted of the step in work
    RwScan *scan; // that wants something, or NULL
};

void rw_branch_free(RwBranch *branch)
{
    if (!branch)
        return;
    g_array_unref(branch->bases);
    g_array_unref(branch->seen);
    g_free(branch);
}

// ---- Where it begins, and ends ----

RwTimeline *rw_timeline_branch(const RwTimeline *from, RwMachine *machine, GError **error)
{
    RwTimeline *t = g_new0(RwTimeline, 1);
    t->config = from->config;
    t->config.once = false;
    t->budget = from->budget;
    t->checkpoints = g_ptr_array_new_with_free_func((GDestroyNotify)rw_checkpoint_free);
    t->branch = g_new0(RwBranch, 1);
    t->branch->bases = g_array_new(false, false, sizeof(uint64_t));
    t->branch->seen = g_array_new(false, false, sizeof(RwSeen));
    t->machine = machine;
    bool same = from->machine && rw_machine_steps(from->machine) == rw_machine_steps(machine);
    t->base = same ? from->base : rw_machine_icount(machine);
    t->start = rw_timeline_spot(t);
    t->end = (RwSpot){UINT64_MAX, UINT64_MAX, 0};
    if (rw_timeline_begin(t, error))
        return t;
    rw_timeline_free(t);
    return NULL;
}

// ---- Its steps ----

void rw_branch_note_step(RwTimeline *t, const RwStepInfo *step)
{
    RwBranch *branch = t->branch;
    if (step->step == t->start.step + branch->bases->len + 1)
        g_array_append_val(branch->bases, step->icount);
    for (guint i = 0; i < branch->seen->len; i++) {
        RwSeen *seen = &g_array_index(branch->seen, RwSeen, i);
        seen->spot = (RwSpot){step->step, step->icount, step->icount};
        seen->hit.position = rw_spot_position(&seen->spot);
        seen->hit.icount = step->icount;
        if (!rw_scan_covers(branch->scan, &seen->spot))
            continue;
        rw_scan_take(branch->scan, seen);
        if (branch->scan->forward)
            rw_machine_leave(t->machine);
    }
    g_array_set_size(branch->seen, 0);
}

bool rw_branch_find_position(const RwTimeline *t, const RwPosition *position, RwSpot *ret, GError **error)
{
    const GArray *bases = t->branch->bases;
    uint64_t step = position->step, first = t->start.step, base = t->start.base;
    if (step < first || step - first > bases->len) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "step %" G_GUINT64_FORMAT ": not there so far", step);
        return false;
    }
    if (step > first)
        base = g_array_index(bases, uint64_t, step - first - 1);
    *ret = (RwSpot){step, base + position->after, base};
    return true;
}

// ---- What happens ----

void rw_branch_set_scan(RwTimeline *t, RwScan *scan)
{
    t->branch->scan = scan;
    g_array_set_size(t->branch->seen, 0);
}

// The signal, or how the process of a last thread ended.
static void fill_hit(const struct rewind_record *record, const uint8_t *payload, size_t length,
                     RwWhenHit *hit)
{
    struct rewind_signal signal;
    struct rewind_exit exit;
    hit->pid = record->pid;
    hit->tid = record->tid;
    if (record->type == REWIND_RECORD_SIGNAL && rw_copy_out(payload, length, 0, &signal, sizeof signal)) {
        hit->number = (uint64_t)(uint32_t)signal.code << 32 | (uint32_t)signal.signo;
        hit->address = signal.addr;
        hit->sender = signal.sender;
    }
    if (record->type == REWIND_RECORD_EXIT && rw_copy_out(payload, length, 0, &exit, sizeof exit) &&
        exit.group_dead)
        hit->number = (uint32_t)exit.status;
}

void rw_branch_note_record(void *data, const struct rewind_record *record, const uint8_t *payload,
                           size_t length)
{
    RwTimeline *t = data;
    RwScan *scan = t->branch->scan;
    for (size_t i = 0; scan && i < scan->n; i++) {
        const RwWhen *when = &scan->whens[i];
        if (when->kind != RW_WHEN_EVENT || when->event != record->type ||
            record->flags & REWIND_RECORD_BUFFERED || (when->pid && when->pid != record->pid) ||
            (when->tid && when->tid != record->tid))
            continue;
        RwSeen seen = rw_scan_seen(scan, i, &t->start);
        fill_hit(record, payload, length, &seen.hit);
        g_array_append_val(t->branch->seen, seen);
        return;
    }
}
