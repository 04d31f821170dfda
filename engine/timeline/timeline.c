// SPDX-License-Identifier: MIT
#include "spot-private.h"

#include "rw-host.h"
#include "rw-inspect.h"

#define MEMORY_MIN (128ull << 20)
#define MEMORY_MAX (1024ull << 20)

// ---- Life ----

static uint64_t default_budget(void)
{
    uint64_t share = rw_host_memory_available() / 8;
    return CLAMP(share, MEMORY_MIN, MEMORY_MAX);
}

static bool find_span(RwTimeline *t, GError **error)
{
    const RwEnd *end = &t->config.seek->manifest->end;
    RwStepInfo first, last;
    uint64_t start;
    if (!rw_inspect_job_start(t->config.trace, &start, error) ||
        !rw_trace_step(t->config.trace, start, &first, error) ||
        !rw_trace_step(t->config.trace, end->steps, &last, error))
        return false;
    t->start = (RwSpot){start, first.icount, first.icount};
    t->end = (RwSpot){end->steps, MAX(end->icount, last.icount), last.icount};
    return true;
}

RwTimeline *rw_timeline_new(const RwTimelineConfig *config, GError **error)
{
    RwTimeline *t = g_new0(RwTimeline, 1);
    t->config = *config;
    t->budget = config->memory ? config->memory : default_budget();
    t->checkpoints = g_ptr_array_new_with_free_func((GDestroyNotify)rw_checkpoint_free);
    if (!find_span(t, error)) {
        rw_timeline_free(t);
        return NULL;
    }
    t->keyframes = rw_seek_open_keyframes(config->seek, NULL); // restoring warns of damage
    return t;
}

void rw_timeline_free(RwTimeline *t)
{
    if (!t)
        return;
    rw_timeline_leave(t);
    g_clear_pointer(&t->spare, rw_machine_free);
    g_ptr_array_unref(t->checkpoints);
    g_clear_pointer(&t->keyframes, rw_keyframes_free);
    rw_branch_free(t->branch);
    g_free(t);
}

RwPosition rw_timeline_get_start(const RwTimeline *t)
{
    return rw_spot_position(&t->start);
}

uint64_t rw_timeline_get_first(const RwTimeline *t)
{
    return t->start.icount;
}

RwPosition rw_timeline_get_end(const RwTimeline *t)
{
    return rw_spot_position(&t->end);
}

RwTimelineFigures rw_timeline_get_figures(const RwTimeline *t)
{
    RwTimelineFigures figures = t->figures;
    figures.checkpoints = t->checkpoints->len;
    return figures;
}

bool rw_timeline_clamp(RwTrace *trace, const RwEnd *end, RwPosition *position, GError **error)
{
    uint64_t first = position->step, until = first + (position->after != 0), step = until;
    if (!rw_inspect_clamp(trace, end, &first, error) || !rw_inspect_clamp(trace, end, &step, error))
        return false;
    if (step < until)
        *position = (RwPosition){step, 0};
    return true;
}

// ---- Where it stands ----

bool rw_timeline_is_somewhere(const RwTimeline *t)
{
    return t->machine != NULL;
}

RwPosition rw_timeline_get_position(const RwTimeline *t)
{
    RwSpot spot = rw_timeline_spot((RwTimeline *)t);
    return rw_spot_position(&spot);
}

uint64_t rw_timeline_get_icount(RwTimeline *t)
{
    return rw_machine_icount(t->machine);
}

RwMachine *rw_timeline_get_machine(RwTimeline *t)
{
    return t->machine;
}

bool rw_timeline_go(RwTimeline *t, const RwPosition *position, GCancellable *cancellable, GError **error)
{
    RwSpot to;
    if (rw_timeline_find_position(t, position, &to, error))
        return rw_timeline_travel(t, &to, cancellable, error);
    rw_timeline_leave(t);
    return false;
}

bool rw_timeline_go_icount(RwTimeline *t, uint64_t icount, GCancellable *cancellable, GError **error)
{
    RwSpot to = rw_timeline_count_spot(t, icount);
    if (icount >= t->start.icount && icount <= t->end.icount)
        return rw_timeline_travel(t, &to, cancellable, error);
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                "instruction %" G_GUINT64_FORMAT ": the job has those from %" G_GUINT64_FORMAT
                " to %" G_GUINT64_FORMAT,
                icount, t->start.icount, t->end.icount);
    rw_timeline_leave(t);
    return false;
}

// ---- Others ----

RwMachine *rw_timeline_fork(RwTimeline *t, GError **error)
{
    if (t->config.once) {
        RwMachine *machine = g_steal_pointer(&t->machine);
        rw_machine_set_sink(machine, NULL);
        return machine;
    }
    RwSnapshot *here = rw_timeline_take(t, error);
    if (here && t->spare && rw_machine_reset(t->spare, here))
        return g_steal_pointer(&t->spare);
    return here ? rw_machine_fork(here, error) : NULL;
}

void rw_timeline_give_back(RwTimeline *t, RwMachine *machine)
{
    if (!machine)
        return; // then there may be no timeline either
    g_clear_pointer(&t->spare, rw_machine_free);
    if (t->config.once) {
        rw_machine_free(machine);
        return;
    }
    rw_machine_set_watcher(machine, NULL);
    rw_machine_set_breaks(machine, NULL);
    t->spare = machine;
}
