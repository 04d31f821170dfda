// SPDX-License-Identifier: MIT
#include "rui-view-private.h"

enum {
    PROP_0,
    PROP_RUN,
    PROP_COMPARED,
    PROP_COMPARISON,
    PROP_STEP,
    PROP_RANGE,
    PROP_HISTORY,
    PROP_PATH,
    PROP_STOP_KIND,
    PROP_BUSY,
    PROP_FILTER,
    PROP_INDEX,
    PROP_SIDES,
    N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE(RuiView, rui_view, G_TYPE_OBJECT)

static void forget_run(RuiView *view)
{
    if (view->run)
        g_clear_signal_handler(&view->loaded, view->run);
    g_clear_object(&view->run);
}

static void rui_view_dispose(GObject *object)
{
    RuiView *view = RUI_VIEW(object);
    rui_view_cancel(&view->comparing);
    rui_view_cancel(&view->seeking);
    rui_view_cancel(&view->finding);
    rui_view_cancel(&view->finding_compared);
    forget_run(view);
    g_clear_object(&view->compared);
    g_clear_object(&view->comparison);
    G_OBJECT_CLASS(rui_view_parent_class)->dispose(object);
}

static void rui_view_finalize(GObject *object)
{
    RuiView *view = RUI_VIEW(object);
    g_array_unref(view->back);
    g_array_unref(view->ahead);
    g_free(view->path);
    g_free(view->compare_problem);
    G_OBJECT_CLASS(rui_view_parent_class)->finalize(object);
}

static void rui_view_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
    RuiView *view = RUI_VIEW(object);
    switch (id) {
    case PROP_RUN:
        g_value_set_object(value, view->run);
        break;
    case PROP_COMPARED:
        g_value_set_object(value, view->compared);
        break;
    case PROP_COMPARISON:
        g_value_set_object(value, view->comparison);
        break;
    case PROP_STEP:
        g_value_set_uint64(value, view->step);
        break;
    case PROP_PATH:
        g_value_set_string(value, view->path);
        break;
    case PROP_STOP_KIND:
        g_value_set_uint(value, view->stop.kind);
        break;
    case PROP_BUSY:
        g_value_set_boolean(value,
                            view->seeking || view->comparing || view->finding || view->finding_compared);
        break;
    case PROP_RANGE:
    case PROP_HISTORY:
    case PROP_FILTER:
    case PROP_INDEX:
    case PROP_SIDES:
        g_value_set_boolean(value, TRUE);
        break;
    default:
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
    }
}

static void rui_view_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
    RuiView *view = RUI_VIEW(object);
    if (id == PROP_STOP_KIND)
        rui_view_set_stop_kind(view, (RwStopKind)g_value_get_uint(value));
    else
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static void rui_view_class_init(RuiViewClass *class)
{
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;
    const GParamFlags both = flags | G_PARAM_WRITABLE;
    object_class->dispose = rui_view_dispose;
    object_class->finalize = rui_view_finalize;
    object_class->get_property = rui_view_get_property;
    object_class->set_property = rui_view_set_property;
    properties[PROP_RUN] = g_param_spec_object("run", NULL, NULL, RW_TYPE_SESSION_RUN, flags);
    properties[PROP_COMPARED] = g_param_spec_object("compared", NULL, NULL, RW_TYPE_SESSION_RUN, flags);
    properties[PROP_COMPARISON] =
        g_param_spec_object("comparison", NULL, NULL, RW_TYPE_SESSION_COMPARISON, flags);
    properties[PROP_STEP] = g_param_spec_uint64("step", NULL, NULL, 0, G_MAXUINT64, 0, flags);
    properties[PROP_RANGE] = g_param_spec_boolean("range", NULL, NULL, TRUE, flags);
    properties[PROP_INDEX] = g_param_spec_boolean("index", NULL, NULL, TRUE, flags);
    properties[PROP_FILTER] = g_param_spec_boolean("filter", NULL, NULL, TRUE, flags);
    properties[PROP_HISTORY] = g_param_spec_boolean("history", NULL, NULL, TRUE, flags);
    properties[PROP_PATH] = g_param_spec_string("path", NULL, NULL, NULL, flags);
    properties[PROP_STOP_KIND] = g_param_spec_uint("stop-kind", NULL, NULL, 0, RW_STOPS - 1, 0, both);
    properties[PROP_BUSY] = g_param_spec_boolean("busy", NULL, NULL, FALSE, flags);
    properties[PROP_SIDES] = g_param_spec_boolean("sides", NULL, NULL, TRUE, flags);
    g_object_class_install_properties(object_class, N_PROPS, properties);
}

static void rui_view_init(RuiView *view)
{
    view->back = g_array_new(FALSE, FALSE, sizeof(guint64));
    view->ahead = g_array_new(FALSE, FALSE, sizeof(guint64));
    view->until = 1;
}

RuiView *rui_view_new(void)
{
    return g_object_new(RUI_TYPE_VIEW, NULL);
}

void rui_view_cancel(GCancellable **cancellable)
{
    if (*cancellable)
        g_cancellable_cancel(*cancellable);
    g_clear_object(cancellable);
}

void rui_view_notify_busy(RuiView *view)
{
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_BUSY]);
}

void rui_view_notify_filter(RuiView *view)
{
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_FILTER]);
}

// ---- The run ----

static void use_stop_kind(RuiView *view, RwStopKind kind);

static void on_loaded(RwSessionRun *run, GParamSpec *pspec, RuiView *view)
{
    // The index is there: everything that shows something of the step asks again.
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_INDEX]);
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_RANGE]);
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_STEP]);
}

static void take_run(RuiView *view, RwSessionRun *run, guint64 step)
{
    g_object_ref(run);
    forget_run(view);
    rui_view_cancel(&view->seeking);
    view->process = NULL; // and what else was looked at: of the run that is left
    view->selected_until = 0;
    view->run = run;
    view->loaded = g_signal_connect_object(run, "notify::loaded", G_CALLBACK(on_loaded), view, 0);
    view->step = MIN(step, rui_view_get_steps(view));
    view->from = 0;
    view->until = (double)rui_view_get_steps(view) + 1;
    rui_view_find_sides(view, run, &view->finding);
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_RUN]);
    rui_view_notify_filter(view);
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_RANGE]);
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_STEP]);
}

void rui_view_set_run(RuiView *view, RwSessionRun *run)
{
    g_array_set_size(view->back, 0);
    g_array_set_size(view->ahead, 0);
    use_stop_kind(view, view->chosen_kind); // who was followed is of the run that is left
    take_run(view, run, 0);
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_HISTORY]);
}

RwSessionRun *rui_view_get_run(RuiView *view)
{
    return view->run;
}

const RwRunIndex *rui_view_get_index(RuiView *view)
{
    return view->run ? rw_session_run_get_index(view->run) : NULL;
}

// ---- The compared run: rui-view-compare.c ----

void rui_view_swap(RuiView *view)
{
    if (!view->compared)
        return;
    guint64 step =
        view->comparison ? rw_session_comparison_match(view->comparison, view->step, TRUE) : view->step;
    g_autoptr(RwSessionRun) old = g_object_ref(view->run);
    g_autoptr(RwSessionRun) new = g_object_ref(view->compared);
    take_run(view, new, step);
    g_set_object(&view->compared, old);
    rui_view_find_sides(view, old, &view->finding_compared);
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_COMPARED]);
    rui_view_start_comparing(view);
}

// ---- The playhead ----

guint64 rui_view_get_step(RuiView *view)
{
    return view->step;
}

guint64 rui_view_get_steps(RuiView *view)
{
    return view->run ? rw_session_run_get_steps(view->run) : 0;
}

// Keeps the playhead in sight.
static void follow_step(RuiView *view)
{
    double at = (double)view->step + 0.5, width = view->until - view->from;
    if (at < view->from)
        rui_view_pan(view, at - view->from - width / 4);
    else if (at >= view->until)
        rui_view_pan(view, at - view->until + width / 4);
}

void rui_view_set_step(RuiView *view, guint64 step)
{
    step = MIN(step, rui_view_get_steps(view));
    if (step == view->step)
        return;
    view->step = step;
    follow_step(view);
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_STEP]);
}

void rui_view_mark_place(RuiView *view)
{
    g_array_append_val(view->back, view->step);
    g_array_set_size(view->ahead, 0);
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_HISTORY]);
}

void rui_view_jump(RuiView *view, guint64 step)
{
    if (MIN(step, rui_view_get_steps(view)) == view->step)
        return;
    rui_view_mark_place(view);
    rui_view_set_step(view, step);
}

gboolean rui_view_can_go(RuiView *view, gboolean forward)
{
    return (forward ? view->ahead : view->back)->len > 0;
}

void rui_view_go(RuiView *view, gboolean forward)
{
    GArray *from = forward ? view->ahead : view->back, *to = forward ? view->back : view->ahead;
    if (!from->len)
        return;
    guint64 step = g_array_index(from, guint64, from->len - 1);
    g_array_set_size(from, from->len - 1);
    g_array_append_val(to, view->step);
    rui_view_set_step(view, step);
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_HISTORY]);
}

void rui_view_move_phase(RuiView *view, gboolean forward)
{
    const RwRunIndex *index = rui_view_get_index(view);
    if (!index)
        return;
    const RwPhase *phase = rw_run_index_get_phase_at(index, view->step);
    if (forward)
        rui_view_jump(view, phase->until);
    else if (view->step > phase->from)
        rui_view_jump(view, phase->from);
    else if (phase->from > 0)
        rui_view_jump(view, rw_run_index_get_phase_at(index, phase->from - 1)->from);
}

// ---- The range ----

void rui_view_get_range(RuiView *view, double *ret_from, double *ret_until)
{
    *ret_from = view->from;
    *ret_until = view->until;
}

static void set_range(RuiView *view, double from, double width)
{
    double all = (double)rui_view_get_steps(view) + 1;
    width = CLAMP(width, MIN(8, all), all);
    view->from = CLAMP(from, 0, all - width);
    view->until = view->from + width;
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_RANGE]);
}

void rui_view_set_range(RuiView *view, double from, double until)
{
    set_range(view, from, until - from);
}

void rui_view_zoom(RuiView *view, double factor, double at)
{
    double width = (view->until - view->from) * factor;
    double share = (at - view->from) / (view->until - view->from);
    set_range(view, at - CLAMP(width, 8, (double)rui_view_get_steps(view) + 1) * share, width);
}

void rui_view_zoom_all(RuiView *view)
{
    set_range(view, 0, (double)rui_view_get_steps(view) + 1);
}

void rui_view_pan(RuiView *view, double steps)
{
    set_range(view, view->from + steps, view->until - view->from);
}

// ---- The file ----

const char *rui_view_get_path(RuiView *view)
{
    return view->path;
}

void rui_view_set_path(RuiView *view, const char *path)
{
    if (!g_strcmp0(view->path, path))
        return;
    g_free(view->path);
    view->path = g_strdup(path);
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_PATH]);
}

// ---- Stops ----

static void use_stop_kind(RuiView *view, RwStopKind kind)
{
    if (view->stop.kind == kind)
        return;
    view->stop.kind = kind;
    g_object_notify_by_pspec(G_OBJECT(view), properties[PROP_STOP_KIND]);
}

void rui_view_set_stop_kind(RuiView *view, RwStopKind kind)
{
    view->chosen_kind = kind;
    use_stop_kind(view, kind);
}

RwStopKind rui_view_get_stop_kind(RuiView *view)
{
    return view->stop.kind;
}

RwStopKind rui_view_get_chosen_stop_kind(RuiView *view)
{
    return view->chosen_kind;
}

void rui_view_follow(RuiView *view, RwStopKind kind, guint32 pid, guint32 tid)
{
    rui_view_set_subject(view, pid, tid, REWIND_RECORD_EXEC);
    use_stop_kind(view, kind);
}

void rui_view_set_subject(RuiView *view, guint32 pid, guint32 tid, guint type)
{
    view->stop.pid = pid;
    view->stop.tid = tid;
    view->stop.type = type;
}
