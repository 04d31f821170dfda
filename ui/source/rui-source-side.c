// SPDX-License-Identifier: MIT
#include "source-side-private.h"

#include "rui-names.h"
#include "rui-scheme.h"

#include <glib/gi18n.h>

#define SETTLE_MS 150 // a playhead that is dragged does not start a machine at every step

enum { CHANGED, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(RuiSourceSide, rui_source_side, GTK_TYPE_BOX)

static void rui_source_side_dispose(GObject *object)
{
    RuiSourceSide *side = RUI_SOURCE_SIDE(object);
    g_clear_handle_id(&side->settle, g_source_remove);
    g_clear_pointer(&side->request, rui_request_free);
    g_clear_pointer(&side->fill, rui_text_fill_free);
    g_clear_pointer(&side->source, rw_source_unref);
    g_clear_pointer(&side->bytes, g_bytes_unref);
    g_clear_object(&side->asked_run);
    g_clear_object(&side->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_SOURCE_SIDE);
    G_OBJECT_CLASS(rui_source_side_parent_class)->dispose(object);
}

static void find_in_it(GtkWidget *widget, const char *action, GVariant *parameter)
{
    rui_find_bar_open(RUI_SOURCE_SIDE(widget)->find);
}

#define BIND(field) gtk_widget_class_bind_template_child(widget_class, RuiSourceSide, field)

static void rui_source_side_class_init(RuiSourceSideClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_source_side_dispose;
    g_type_ensure(RUI_TYPE_SOURCE_TEXT);
    g_type_ensure(RUI_TYPE_FIND_BAR);
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-source-side.ui");
    BIND(title);
    BIND(name);
    BIND(place);
    BIND(ended);
    BIND(stack);
    BIND(problem);
    BIND(text);
    BIND(find);
    gtk_widget_class_install_action(widget_class, "find.open", NULL, find_in_it);
    signals[CHANGED] = g_signal_new("changed", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                    NULL, G_TYPE_NONE, 0);
}

static void tell_changed(RuiSourceSide *side)
{
    g_signal_emit(side, signals[CHANGED], 0);
}

// ---- What is asked ----

static RwSessionRun *get_own_run(RuiSourceSide *side)
{
    return side->other ? rui_view_get_compared(side->view) : rui_view_get_run(side->view);
}

// FALSE: it is not known so far, or there is none.
static gboolean find_step(RuiSourceSide *side, guint64 *ret)
{
    RwSessionComparison *comparison = rui_view_get_comparison(side->view);
    *ret = rui_view_get_step(side->view);
    if (!get_own_run(side) || !rui_view_get_index(side->view) || (side->other && !comparison))
        return FALSE;
    if (side->other)
        *ret = rw_session_comparison_match(comparison, *ret, true);
    return TRUE;
}

static gboolean find_place(RuiSourceSide *side, RwSourcePlace *ret)
{
    guint64 step;
    if (!find_step(side, &step))
        return FALSE;
    *ret = (RwSourcePlace){{step, 0}, side->tid, side->frame};
    if (side->elsewhere && side->at_head == rui_view_get_step(side->view))
        ret->position = side->at;
    return TRUE;
}

static void on_source(GObject *object, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwSource) source = rw_session_run_find_source_finish(RW_SESSION_RUN(object), result, &error);
    RuiSourceSide *side = rui_request_done(data);
    if (!side || side->asked_run != RW_SESSION_RUN(object))
        return; // another run is there meanwhile
    side->waiting = FALSE;
    if (source)
        source_side_show(side, g_steal_pointer(&source));
    else
        source_side_show_error(side, error->message);
    tell_changed(side);
}

static void ask(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    RuiSourceSide *side = owner;
    RwSessionRun *run = get_own_run(side);
    find_place(side, &side->asked);
    g_set_object(&side->asked_run, run);
    rw_session_run_find_source_async(run, &side->asked, cancellable, on_source, request);
}

static gboolean on_settled(gpointer data)
{
    RuiSourceSide *side = data;
    RwSourcePlace place;
    side->settle = 0;
    side->waiting = find_place(side, &place);
    if (side->waiting)
        rui_request_start(side->request);
    else
        tell_changed(side);
    return G_SOURCE_REMOVE;
}

static gboolean is_asked(RuiSourceSide *side, const RwSourcePlace *place)
{
    return side->asked_run == get_own_run(side) &&
           !rw_position_compare(&side->asked.position, &place->position) && side->asked.tid == place->tid &&
           side->asked.frame == place->frame;
}

void rui_source_side_update(RuiSourceSide *side)
{
    RwSourcePlace place;
    guint64 step;
    g_clear_handle_id(&side->settle, g_source_remove);
    if (find_step(side, &step))
        source_side_show_title(side, step);
    if (!find_place(side, &place) || !is_asked(side, &place))
        side->settle = g_timeout_add(SETTLE_MS, on_settled, side);
    tell_changed(side);
}

// ---- What it follows ----

void rui_source_side_take_step(RuiSourceSide *side)
{
    side->frame = RW_SOURCE_ANY;
    side->elsewhere = side->elsewhere && side->at_head == rui_view_get_step(side->view);
}

// Another run has other threads; of two that changed places they are the same.
void rui_source_side_take_run(RuiSourceSide *side)
{
    side->elsewhere = FALSE;
    if (!side->asked_run || side->asked_run == get_own_run(side))
        return;
    if (side->asked_run != rui_view_get_run(side->view) &&
        side->asked_run != rui_view_get_compared(side->view))
        side->tid = 0;
    side->frame = RW_SOURCE_ANY;
    side->waiting = FALSE;
    g_clear_object(&side->asked_run);
    source_side_show_nothing(side);
}

void rui_source_side_choose_thread(RuiSourceSide *side, guint32 tid)
{
    side->tid = tid;
    side->frame = RW_SOURCE_ANY;
}

void rui_source_side_choose_frame(RuiSourceSide *side, guint frame)
{
    side->frame = frame;
}

void rui_source_side_go(RuiSourceSide *side, RwPosition position, guint64 head)
{
    side->at = position;
    side->at_head = head;
    side->elsewhere = TRUE;
    rui_source_side_choose_thread(side, 0); // who has the CPU there
}

static void on_looked_at(RuiSourceSide *side)
{
    gtk_toggle_button_set_active(side->title, TRUE);
}

static void rui_source_side_init(RuiSourceSide *side)
{
    side->frame = RW_SOURCE_ANY;
    gtk_widget_init_template(GTK_WIDGET(side));
    rui_hide_closed_pages(GTK_WIDGET(side->stack));
    side->request = rui_request_new(side, ask);
    gtk_text_buffer_set_enable_undo(gtk_text_view_get_buffer(GTK_TEXT_VIEW(side->text)), FALSE);
    rui_follow_scheme(GTK_SOURCE_VIEW(side->text));
    rui_find_bar_set_view(side->find, GTK_SOURCE_VIEW(side->text));
    GtkEventController *focus = gtk_event_controller_focus_new();
    g_signal_connect_object(focus, "enter", G_CALLBACK(on_looked_at), side, G_CONNECT_SWAPPED);
    gtk_widget_add_controller(GTK_WIDGET(side->stack), focus);
}

void rui_source_side_set_view(RuiSourceSide *side, RuiView *view, gboolean other)
{
    g_set_object(&side->view, view);
    side->other = other;
}

// ---- What is there ----

GtkToggleButton *rui_source_side_get_title(RuiSourceSide *side)
{
    return side->title;
}

void rui_source_side_show_title(RuiSourceSide *side, gboolean shown)
{
    gtk_widget_set_visible(GTK_WIDGET(side->title), shown);
}

RwSource *rui_source_side_get_source(RuiSourceSide *side)
{
    return side->source;
}

RwSessionRun *rui_source_side_get_run(RuiSourceSide *side)
{
    return side->asked_run;
}

guint32 rui_source_side_get_tid(RuiSourceSide *side)
{
    return side->tid;
}

gboolean rui_source_side_is_elsewhere(RuiSourceSide *side)
{
    return side->elsewhere;
}

gboolean rui_source_side_is_busy(RuiSourceSide *side)
{
    return side->settle || side->waiting;
}

RuiSourceText *rui_source_side_get_text(RuiSourceSide *side)
{
    return side->text;
}

// ---- For tests ----

const char *rui_source_side_get_state(RuiSourceSide *side)
{
    gboolean filling = side->fill && !rui_text_fill_is_done(side->fill);
    return rui_source_side_is_busy(side) || filling ? "busy"
                                                    : gtk_stack_get_visible_child_name(side->stack);
}

char *rui_source_side_dup_problem(RuiSourceSide *side)
{
    return g_strdup_printf("%s: %s", adw_status_page_get_title(side->problem),
                           adw_status_page_get_description(side->problem));
}

char *rui_source_side_dup_line(RuiSourceSide *side)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(side->text));
    guint line = rui_source_text_get_line(side->text);
    GtkTextIter start, end;
    if (!line || !gtk_text_buffer_get_iter_at_line(buffer, &start, (int)line - 1))
        return NULL;
    end = start;
    if (!gtk_text_iter_ends_line(&end))
        gtk_text_iter_forward_to_line_end(&end);
    return gtk_text_buffer_get_text(buffer, &start, &end, FALSE);
}

guint rui_source_side_get_answers(RuiSourceSide *side)
{
    return side->answers;
}
