// SPDX-License-Identifier: MIT
#include "inside-private.h"

#include "rw-again.h"

struct _RwInside {
    GMutex lock;
    RwAgain again;
    RwTimeline *timeline; // NULL: nobody has asked yet
};

RwInside *rw_inside_new(void)
{
    RwInside *inside = g_new0(RwInside, 1);
    g_mutex_init(&inside->lock);
    return inside;
}

void rw_inside_free(RwInside *inside)
{
    rw_timeline_free(inside->timeline);
    rw_again_close(&inside->again);
    g_mutex_clear(&inside->lock);
    g_free(inside);
}

static bool open_run(RwInside *inside, RwSessionRun *run, GCancellable *cancellable, GError **error)
{
    RwContext context = {
        .store = rw_session_get_store(rw_session_run_get_session(run)),
        .cancellable = cancellable,
    };
    if (inside->timeline)
        return true;
    if (rw_again_open(&context, rw_session_run_get_manifest(run), rw_session_run_get_path(run),
                      &inside->again, error)) {
        RwTimelineConfig config = {.seek = &inside->again.seek, .trace = rw_session_run_get_trace(run)};
        inside->timeline = rw_timeline_new(&config, error);
    }
    if (!inside->timeline)
        rw_again_close(&inside->again);
    return inside->timeline != NULL;
}

RwMachine *rw_inside_fork(RwInside *inside, RwSessionRun *run, const RwPosition *position,
                          GCancellable *cancellable, GError **error)
{
    RwPosition at = *position;
    RwMachine *machine = NULL;
    if (!rw_timeline_clamp(rw_session_run_get_trace(run), &rw_session_run_get_manifest(run)->end, &at,
                           error))
        return NULL;
    g_mutex_lock(&inside->lock);
    if (rw_check_cancelled(cancellable, error) && open_run(inside, run, cancellable, error) &&
        rw_timeline_go(inside->timeline, &at, cancellable, error))
        machine = rw_timeline_fork(inside->timeline, error);
    g_mutex_unlock(&inside->lock);
    return machine;
}

void rw_inside_give_back(RwInside *inside, RwMachine *machine)
{
    g_mutex_lock(&inside->lock);
    rw_timeline_give_back(inside->timeline, machine);
    g_mutex_unlock(&inside->lock);
}
