// SPDX-License-Identifier: MIT
#include "inside-private.h"

#include "rw-again.h"
#include "rw-debuginfo.h"

struct _RwInside {
    GMutex lock;
    RwAgain again;
    RwTimeline *timeline; // NULL: nobody has asked yet
    RwSymbols *symbols; // NULL: likewise
    GCancellable *servers; // of debug information, that `symbols` asks
    gulong asking; // handler on the question's cancellable
    gint permille;
};

RwInside *rw_inside_new(void)
{
    RwInside *inside = g_new0(RwInside, 1);
    g_mutex_init(&inside->lock);
    return inside;
}

static void forget_symbols(RwInside *inside)
{
    g_clear_pointer(&inside->symbols, rw_symbols_free);
    g_clear_object(&inside->servers);
}

void rw_inside_free(RwInside *inside)
{
    forget_symbols(inside);
    rw_timeline_free(inside->timeline);
    rw_again_close(&inside->again);
    g_mutex_clear(&inside->lock);
    g_free(inside);
}

static void on_progress(double done, void *data)
{
    RwInside *inside = data;
    g_atomic_int_set(&inside->permille, (gint)(done * 1000));
}

double rw_inside_get_progress(RwInside *inside)
{
    return g_atomic_int_get(&inside->permille) / 1000.0;
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
        RwTimelineConfig config = {.seek = &inside->again.seek,
                                   .trace = rw_session_run_get_trace(run),
                                   .progress = on_progress,
                                   .data = inside};
        inside->timeline = rw_timeline_new(&config, error);
    }
    if (!inside->timeline)
        rw_again_close(&inside->again);
    return inside->timeline != NULL;
}

// The lock is held.
static bool go(RwInside *inside, RwSessionRun *run, const RwPosition *position, GCancellable *cancellable,
               GError **error)
{
    RwPosition at = *position;
    g_atomic_int_set(&inside->permille, 0);
    return rw_timeline_clamp(rw_session_run_get_trace(run), &rw_session_run_get_manifest(run)->end, &at,
                             error) &&
           rw_check_cancelled(cancellable, error) && open_run(inside, run, cancellable, error) &&
           rw_timeline_go(inside->timeline, &at, cancellable, error);
}

RwMachine *rw_inside_fork(RwInside *inside, RwSessionRun *run, const RwPosition *position,
                          GCancellable *cancellable, GError **error)
{
    RwMachine *machine = NULL;
    g_mutex_lock(&inside->lock);
    if (go(inside, run, position, cancellable, error))
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

// ---- The timeline itself ----

static void on_cancelled(GCancellable *cancellable, gpointer servers)
{
    g_cancellable_cancel(servers);
}

void rw_inside_begin(RwInside *inside, GCancellable *cancellable)
{
    g_mutex_lock(&inside->lock);
    if (!inside->symbols) {
        inside->servers = g_cancellable_new();
        inside->symbols = rw_debuginfo_symbols_new(inside->servers);
    }
    if (cancellable)
        inside->asking = g_cancellable_connect(cancellable, G_CALLBACK(on_cancelled),
                                               g_object_ref(inside->servers), g_object_unref);
}

bool rw_inside_go(RwInside *inside, RwSessionRun *run, const RwPosition *position,
                  GCancellable *cancellable, RwInsideLook *ret, GError **error)
{
    bool ok = go(inside, run, position, cancellable, error);
    *ret = (RwInsideLook){inside->timeline, inside->symbols};
    return ok;
}

void rw_inside_end(RwInside *inside, GCancellable *cancellable)
{
    g_cancellable_disconnect(cancellable, inside->asking);
    inside->asking = 0;
    // What a server was not asked for any more would be held for what nobody has.
    if (g_cancellable_is_cancelled(inside->servers)) {
        const char *servers = g_getenv(RW_DEBUGINFO_SERVERS);
        if (servers && *servers)
            forget_symbols(inside);
        else
            g_cancellable_reset(inside->servers);
    }
    g_mutex_unlock(&inside->lock);
}
