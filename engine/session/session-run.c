// SPDX-License-Identifier: MIT
#include "inside-private.h"

#include <unistd.h>

#define PROGRESS_MS 50

struct _RwSessionRun {
    GObject parent_instance;
    RwSession *session;
    RwRunItem *item;
    RwManifest *manifest;
    RwTrace *trace;
    RwInside *inside;
    int hold;
    RwRunIndex *index;
    GCancellable *loading; // cancelled when the run goes
    gint permille; // of the pass, set by its thread
    guint tick; // source id
    char *problem;
    bool present;
    gulong watch; // on the session's list
};

enum { PROP_0, PROP_LOADED, PROP_PROGRESS, PROP_PROBLEM, PROP_PRESENT, N_PROPS };

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE(RwSessionRun, rw_session_run, G_TYPE_OBJECT)

static void rw_session_run_dispose(GObject *object)
{
    RwSessionRun *run = RW_SESSION_RUN(object);
    g_clear_handle_id(&run->tick, g_source_remove);
    if (run->session)
        g_clear_signal_handler(&run->watch, run->session);
    g_cancellable_cancel(run->loading);
    G_OBJECT_CLASS(rw_session_run_parent_class)->dispose(object);
}

static void rw_session_run_finalize(GObject *object)
{
    RwSessionRun *run = RW_SESSION_RUN(object);
    g_clear_pointer(&run->inside, rw_inside_free);
    g_clear_pointer(&run->index, rw_run_index_free);
    g_clear_pointer(&run->trace, rw_trace_free);
    g_clear_pointer(&run->manifest, rw_manifest_free);
    g_clear_object(&run->item);
    g_clear_object(&run->session);
    g_clear_object(&run->loading);
    g_free(run->problem);
    if (run->hold >= 0)
        close(run->hold);
    G_OBJECT_CLASS(rw_session_run_parent_class)->finalize(object);
}

static void rw_session_run_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
    RwSessionRun *run = RW_SESSION_RUN(object);
    switch (id) {
    case PROP_LOADED:
        g_value_set_boolean(value, run->index != NULL);
        break;
    case PROP_PROGRESS:
        g_value_set_double(value, rw_session_run_get_progress(run));
        break;
    case PROP_PROBLEM:
        g_value_set_string(value, run->problem);
        break;
    case PROP_PRESENT:
        g_value_set_boolean(value, run->present);
        break;
    default:
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
    }
}

static void rw_session_run_class_init(RwSessionRunClass *class)
{
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
    object_class->dispose = rw_session_run_dispose;
    object_class->finalize = rw_session_run_finalize;
    object_class->get_property = rw_session_run_get_property;
    properties[PROP_LOADED] = g_param_spec_boolean("loaded", NULL, NULL, false, flags);
    properties[PROP_PROGRESS] = g_param_spec_double("progress", NULL, NULL, 0, 1, 0, flags);
    properties[PROP_PROBLEM] = g_param_spec_string("problem", NULL, NULL, NULL, flags);
    properties[PROP_PRESENT] = g_param_spec_boolean("present", NULL, NULL, true, flags);
    g_object_class_install_properties(object_class, N_PROPS, properties);
}

static void rw_session_run_init(RwSessionRun *run)
{
    run->hold = -1;
    run->inside = rw_inside_new();
    run->present = true;
    run->loading = g_cancellable_new();
}

// ---- The pass over the trace ----

static void on_progress(double done, void *data)
{
    RwSessionRun *run = data;
    g_atomic_int_set(&run->permille, (gint)(done * 1000));
}

static gboolean on_tick(gpointer data)
{
    g_object_notify_by_pspec(G_OBJECT(data), properties[PROP_PROGRESS]);
    return G_SOURCE_CONTINUE;
}

static void load_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    RwSessionRun *run = RW_SESSION_RUN(source);
    GError *error = NULL;
    RwRunIndex *index = rw_run_index_new(run->trace, run->manifest, cancellable, on_progress, run, &error);
    if (index)
        g_task_return_pointer(task, index, (GDestroyNotify)rw_run_index_free);
    else
        g_task_return_error(task, error);
}

static void on_loaded(GObject *source, GAsyncResult *result, gpointer data)
{
    RwSessionRun *run = RW_SESSION_RUN(source);
    g_autoptr(GError) error = NULL;
    run->index = g_task_propagate_pointer(G_TASK(result), &error);
    g_clear_handle_id(&run->tick, g_source_remove);
    if (error && !g_cancellable_is_cancelled(run->loading)) {
        run->problem = g_strdup(error->message);
        g_object_notify_by_pspec(G_OBJECT(run), properties[PROP_PROBLEM]);
    }
    g_object_notify_by_pspec(G_OBJECT(run), properties[PROP_PROGRESS]);
    g_object_notify_by_pspec(G_OBJECT(run), properties[PROP_LOADED]);
}

static void start_loading(RwSessionRun *run)
{
    g_autoptr(GTask) task = g_task_new(run, run->loading, on_loaded, NULL);
    g_task_run_in_thread(task, load_in_thread);
    run->tick = g_timeout_add(PROGRESS_MS, on_tick, run);
}

// ---- Whether it is still there ----

// After each look at the store, not only when the list has changed: a run can go before it was ever listed.
static void on_looked_at_store(RwSession *session, GParamSpec *pspec, gpointer data)
{
    RwSessionRun *run = RW_SESSION_RUN(data);
    bool present = g_file_test(rw_run_item_get_path(run->item), G_FILE_TEST_IS_DIR);
    if (present == run->present)
        return;
    run->present = present;
    g_object_notify_by_pspec(G_OBJECT(run), properties[PROP_PRESENT]);
}

// ---- Opening ----

static RwSessionRun *open_run(RwSession *session, const char *ref, GError **error)
{
    g_autoptr(RwRunEntry) entry = rw_store_resolve(rw_session_get_store(session), ref, error);
    if (!entry)
        return NULL;
    g_autoptr(RwSessionRun) run = g_object_new(RW_TYPE_SESSION_RUN, NULL);
    g_autofree char *trace = g_build_filename(entry->path, "trace", NULL);
    g_autoptr(GError) busy = NULL;
    run->manifest = rw_manifest_load(entry, error);
    if (!run->manifest)
        return NULL;
    run->hold = rw_run_hold(entry->path, &busy);
    if (busy && entry->state != RW_RUN_RECORDING) {
        g_propagate_error(error, g_steal_pointer(&busy));
        return NULL;
    }
    run->trace = rw_trace_open(trace, error);
    run->item = rw_run_item_new(entry);
    return run->trace ? g_steal_pointer(&run) : NULL;
}

static void open_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    GError *error = NULL;
    RwSessionRun *run = open_run(RW_SESSION(source), data, &error);
    if (run)
        g_task_return_pointer(task, run, g_object_unref);
    else
        g_task_return_error(task, error);
}

void rw_session_open_run_async(RwSession *session, const char *run, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer data)
{
    g_autoptr(GTask) task = g_task_new(session, cancellable, callback, data);
    g_task_set_source_tag(task, rw_session_open_run_async);
    g_task_set_task_data(task, g_strdup(run), g_free);
    g_task_run_in_thread(task, open_in_thread);
}

RwSessionRun *rw_session_open_run_finish(RwSession *session, GAsyncResult *result, GError **error)
{
    RwSessionRun *run = g_task_propagate_pointer(G_TASK(result), error);
    if (!run)
        return NULL;
    run->session = g_object_ref(session);
    run->watch = g_signal_connect(session, "notify::loading", G_CALLBACK(on_looked_at_store), run);
    start_loading(run);
    return run;
}

// ---- What is known ----

RwSession *rw_session_run_get_session(RwSessionRun *run)
{
    return run->session;
}

RwRunItem *rw_session_run_get_item(RwSessionRun *run)
{
    return run->item;
}

const RwManifest *rw_session_run_get_manifest(RwSessionRun *run)
{
    return run->manifest;
}

const char *rw_session_run_get_path(RwSessionRun *run)
{
    return rw_run_item_get_path(run->item);
}

RwInside *rw_session_run_get_inside(RwSessionRun *run)
{
    return run->inside;
}

RwTrace *rw_session_run_get_trace(RwSessionRun *run)
{
    return run->trace;
}

guint64 rw_session_run_get_steps(RwSessionRun *run)
{
    return rw_trace_get_steps(run->trace);
}

guint64 rw_session_run_get_events(RwSessionRun *run)
{
    return rw_trace_get_events(run->trace);
}

bool rw_session_run_get_loaded(RwSessionRun *run)
{
    return run->index != NULL;
}

double rw_session_run_get_progress(RwSessionRun *run)
{
    return run->index ? 1 : g_atomic_int_get(&run->permille) / 1000.0;
}

const char *rw_session_run_get_problem(RwSessionRun *run)
{
    return run->problem;
}

bool rw_session_run_get_present(RwSessionRun *run)
{
    return run->present;
}

const RwRunIndex *rw_session_run_get_index(RwSessionRun *run)
{
    return run->index;
}

bool rw_session_run_has_ticks(RwSessionRun *run)
{
    return run->manifest->inputs->clock == RW_CLOCK_INSTRUCTIONS;
}

guint64 rw_session_run_get_time(RwSessionRun *run, guint64 step)
{
    return run->index ? rw_run_index_get_time(run->index, step) : 0;
}
