// SPDX-License-Identifier: MIT
#include "rui-check-pane.h"

#include "check-cell.h"
#include "check-words.h"
#include "rui-request.h"
#include "rui-words.h"

#include <glib/gi18n.h>

#define POLL_MS 300

struct _RuiCheckPane {
    GtkBox parent_instance;
    // template
    GtkSpinner *spinner;
    GtkLabel *title, *summary;
    GtkFlowBox *cells;
    GtkProgressBar *progress;
    GtkWidget *cancel, *close, *resume;
    GtkLabel *answer; // of an explanation
    GtkWidget *show; // a button for its two runs
    GMenuModel *cell_menu;
    // owned
    RwSessionWork *work;
    GPtrArray *buttons; // borrowed, by schedule from 1
    guint chosen; // the cell whose menu was opened last
    GtkWidget *menu; // that menu, a child of its button; or NULL
    RuiRequest *request; // for the sides of the holds of
    char *asked; // the run of the cell that was looked at last: its ref
    gint64 started; // monotonic time
    GString *trail; // the windows of narrowing, see check_dup_stage()
    guint poll; // source id: how far the runs are
};

enum { SIGNAL_OPEN, SIGNAL_COMPARE, SIGNAL_ANSWER, SIGNAL_RESUME, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(RuiCheckPane, rui_check_pane, GTK_TYPE_BOX)

static void rui_check_pane_dispose(GObject *object)
{
    RuiCheckPane *pane = RUI_CHECK_PANE(object);
    if (pane->work)
        g_signal_handlers_disconnect_by_data(pane->work, pane);
    g_clear_handle_id(&pane->poll, g_source_remove);
    g_clear_pointer(&pane->request, rui_request_free);
    g_clear_object(&pane->work);
    g_clear_pointer(&pane->asked, g_free);
    g_clear_pointer(&pane->menu, gtk_widget_unparent);
    if (pane->trail)
        g_string_free(g_steal_pointer(&pane->trail), TRUE);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_CHECK_PANE);
    g_clear_pointer(&pane->buttons, g_ptr_array_unref);
    G_OBJECT_CLASS(rui_check_pane_parent_class)->dispose(object);
}

// ---- Actions ----

static const char *get_chosen_ref(RuiCheckPane *pane)
{
    const GPtrArray *cells = pane->work ? rw_session_work_get_cells(pane->work) : NULL;
    return cells && pane->chosen < cells->len ? ((const RwCheckCell *)cells->pdata[pane->chosen])->ref
                                              : NULL;
}

static void open_chosen(GtkWidget *widget, const char *name, GVariant *parameter)
{
    const char *ref = get_chosen_ref(RUI_CHECK_PANE(widget));
    if (ref)
        g_signal_emit(widget, signals[SIGNAL_OPEN], 0, ref);
}

static void compare_chosen(GtkWidget *widget, const char *name, GVariant *parameter)
{
    const char *ref = get_chosen_ref(RUI_CHECK_PANE(widget));
    if (ref)
        g_signal_emit(widget, signals[SIGNAL_COMPARE], 0, ref);
}

static void cancel(GtkWidget *widget, const char *name, GVariant *parameter)
{
    RuiCheckPane *pane = RUI_CHECK_PANE(widget);
    if (pane->work)
        rw_session_work_cancel(pane->work);
}

static void close_pane(GtkWidget *widget, const char *name, GVariant *parameter)
{
    rui_check_pane_set_work(RUI_CHECK_PANE(widget), NULL, NULL);
}

static void show_answer_again(GtkWidget *widget, const char *name, GVariant *parameter)
{
    g_signal_emit(widget, signals[SIGNAL_ANSWER], 0, FALSE);
}

static void resume(GtkWidget *widget, const char *name, GVariant *parameter)
{
    g_signal_emit(widget, signals[SIGNAL_RESUME], 0);
}

static void rui_check_pane_class_init(RuiCheckPaneClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_check_pane_dispose;
    signals[SIGNAL_OPEN] = g_signal_new("open", RUI_TYPE_CHECK_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                        G_TYPE_NONE, 1, G_TYPE_STRING);
    signals[SIGNAL_COMPARE] = g_signal_new("compare", RUI_TYPE_CHECK_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                           NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
    signals[SIGNAL_ANSWER] = g_signal_new("answer", RUI_TYPE_CHECK_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                          NULL, G_TYPE_NONE, 1, G_TYPE_BOOLEAN);
    signals[SIGNAL_RESUME] =
        g_signal_new("resume", RUI_TYPE_CHECK_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-check-pane.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, spinner);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, title);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, summary);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, cells);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, progress);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, cancel);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, close);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, resume);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, answer);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, show);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, cell_menu);
    gtk_widget_class_install_action(widget_class, "check.open", NULL, open_chosen);
    gtk_widget_class_install_action(widget_class, "check.compare", NULL, compare_chosen);
    gtk_widget_class_install_action(widget_class, "check.cancel", NULL, cancel);
    gtk_widget_class_install_action(widget_class, "check.answer", NULL, show_answer_again);
    gtk_widget_class_install_action(widget_class, "check.close", NULL, close_pane);
    gtk_widget_class_install_action(widget_class, "check.resume", NULL, resume);
}

// ---- Cells ----

static guint get_index(GtkWidget *button)
{
    return GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "index"));
}

static void show_cell(RuiCheckPane *pane, guint i)
{
    const RwCheckCell *cell = rw_session_work_get_cells(pane->work)->pdata[i];
    RwSession *session = rw_session_work_get_session(pane->work);
    gboolean running = rw_session_work_is_running(pane->work);
    check_cell_show(pane->buttons->pdata[i], cell,
                    running ? rw_session_work_get_fraction(pane->work, i) : 0,
                    cell->ref ? rw_session_get_sides(session, cell->ref) : NULL);
}

static void on_cell(GtkButton *button, RuiCheckPane *pane)
{
    pane->chosen = get_index(GTK_WIDGET(button));
    if (!get_chosen_ref(pane))
        return;
    g_clear_pointer(&pane->menu, gtk_widget_unparent);
    pane->menu = gtk_popover_menu_new_from_model(pane->cell_menu);
    gtk_widget_set_parent(pane->menu, GTK_WIDGET(button));
    gtk_popover_popup(GTK_POPOVER(pane->menu));
}

// The run that what decides strikes.
static const char *get_struck(const RwExplanation *answer)
{
    return answer->turned ? answer->passing : answer->failing;
}

static void show_answer(RuiCheckPane *pane)
{
    const RwExplanation *answer = rw_session_work_get_explanation(pane->work);
    const RwSides *sides =
        answer && answer->failing
            ? rw_session_get_sides(rw_session_work_get_session(pane->work), get_struck(answer))
            : NULL;
    g_autofree char *text = answer ? check_dup_answer(answer, sides) : g_strdup("");
    gtk_label_set_text(pane->answer, text);
    gtk_widget_set_visible(GTK_WIDGET(pane->answer), *text != 0);
    gtk_widget_set_visible(pane->show, answer && answer->failing);
}

// A run is executed for the sides of its holds: of the cell that is looked at alone, for as long as it is.
static void on_sides(GObject *source, GAsyncResult *result, gpointer data)
{
    // What cannot be executed is not told.
    rw_session_find_sides_finish(RW_SESSION(source), result, NULL);
    RuiCheckPane *pane = rui_request_done(data);
    const GPtrArray *cells = pane ? rw_session_work_get_cells(pane->work) : NULL;
    for (guint i = 0; cells && i < pane->buttons->len; i++)
        if (!g_strcmp0(((const RwCheckCell *)cells->pdata[i])->ref, pane->asked))
            show_cell(pane, i);
    if (pane)
        show_answer(pane);
}

static void ask(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    RuiCheckPane *pane = owner;
    rw_session_find_sides_async(rw_session_work_get_session(pane->work), pane->asked, cancellable, on_sides,
                                request);
}

static void look_at(RuiCheckPane *pane, GtkWidget *button)
{
    const GPtrArray *cells = pane->work ? rw_session_work_get_cells(pane->work) : NULL;
    guint i = get_index(button);
    const char *ref = cells && i < cells->len ? ((const RwCheckCell *)cells->pdata[i])->ref : NULL;
    if (!ref || !g_strcmp0(ref, pane->asked))
        return;
    g_free(pane->asked);
    pane->asked = g_strdup(ref);
    rui_request_start(pane->request);
}

static gboolean on_tooltip(GtkWidget *button, int x, int y, gboolean keyboard, GtkTooltip *tooltip,
                           RuiCheckPane *pane)
{
    look_at(pane, button);
    return FALSE; // it has a text
}

static void on_focus(GtkEventController *focus, RuiCheckPane *pane)
{
    look_at(pane, gtk_event_controller_get_widget(focus));
}

static GtkWidget *make_cell(RuiCheckPane *pane, guint i)
{
    GtkWidget *button = check_cell_new(i + 1);
    GtkEventController *focus = gtk_event_controller_focus_new();
    g_object_set_data(G_OBJECT(button), "index", GUINT_TO_POINTER(i));
    g_signal_connect(button, "clicked", G_CALLBACK(on_cell), pane);
    g_signal_connect(button, "query-tooltip", G_CALLBACK(on_tooltip), pane);
    g_signal_connect(focus, "enter", G_CALLBACK(on_focus), pane);
    gtk_widget_add_controller(button, focus);
    return button;
}

static void make_cells(RuiCheckPane *pane)
{
    const GPtrArray *cells = pane->work ? rw_session_work_get_cells(pane->work) : NULL;
    g_clear_pointer(&pane->menu, gtk_widget_unparent);
    for (guint i = 0; i < pane->buttons->len; i++) {
        GtkWidget *button = pane->buttons->pdata[i];
        gtk_flow_box_remove(pane->cells, gtk_widget_get_parent(button));
    }
    g_ptr_array_set_size(pane->buttons, 0);
    for (guint i = 0; cells && i < cells->len; i++) {
        GtkWidget *button = make_cell(pane, i);
        gtk_flow_box_append(pane->cells, button);
        gtk_widget_set_focusable(gtk_widget_get_parent(button), FALSE);
        g_ptr_array_add(pane->buttons, button);
    }
    gtk_widget_set_visible(GTK_WIDGET(pane->cells), cells != NULL);
}

static void rui_check_pane_init(RuiCheckPane *pane)
{
    gtk_widget_init_template(GTK_WIDGET(pane));
    pane->request = rui_request_new(pane, ask);
    pane->buttons = g_ptr_array_new();
    pane->trail = g_string_new(NULL);
}

// ---- Following ----

static void show_progress(RuiCheckPane *pane, gboolean visible)
{
    gtk_widget_set_visible(GTK_WIDGET(pane->progress), visible);
    if (!visible)
        return;
    const char *status = rw_session_work_get_status(pane->work);
    g_autofree char *stage = check_dup_stage(status, pane->trail);
    g_autofree char *left = check_dup_time_left(pane->work, g_get_monotonic_time() - pane->started);
    if (stage)
        gtk_progress_bar_pulse(pane->progress);
    else
        gtk_progress_bar_set_fraction(pane->progress, check_get_share(pane->work));
    gtk_progress_bar_set_text(pane->progress, stage ? stage : left);
}

static void show_cells(RuiCheckPane *pane)
{
    const GPtrArray *cells = rw_session_work_get_cells(pane->work);
    gboolean running = rw_session_work_is_running(pane->work);
    for (guint i = 0; cells && i < pane->buttons->len; i++)
        show_cell(pane, i);
    show_progress(pane, cells && running);
}

static gboolean on_poll(gpointer data)
{
    show_cells(data);
    return G_SOURCE_CONTINUE;
}

static void poll_while(RuiCheckPane *pane, gboolean running)
{
    if (!running)
        g_clear_handle_id(&pane->poll, g_source_remove);
    else if (!pane->poll)
        pane->poll = g_timeout_add(POLL_MS, on_poll, pane);
}

static void update(RuiCheckPane *pane)
{
    RwSessionWork *work = pane->work;
    gtk_widget_set_visible(GTK_WIDGET(pane), work != NULL);
    if (!work) {
        poll_while(pane, FALSE);
        return;
    }
    const GPtrArray *cells = rw_session_work_get_cells(work);
    gboolean running = rw_session_work_is_running(work);
    if (cells && cells->len != pane->buttons->len)
        make_cells(pane);
    show_cells(pane);
    show_answer(pane);
    poll_while(pane, running && cells);
    g_autofree char *summary = check_dup_summary(work);
    gtk_label_set_text(pane->summary, summary);
    gtk_spinner_set_spinning(pane->spinner, running);
    gtk_widget_set_visible(GTK_WIDGET(pane->spinner), running);
    gtk_widget_set_visible(pane->cancel, running);
    gtk_widget_set_visible(pane->close, !running);
    gtk_widget_set_visible(pane->resume, check_can_resume(work));
}

// Its places become lines of source, and the two runs are shown.
static void on_running(RuiCheckPane *pane)
{
    const RwExplanation *answer = rw_session_work_get_explanation(pane->work);
    update(pane);
    if (rw_session_work_is_running(pane->work) || !answer || !answer->failing)
        return;
    g_free(pane->asked);
    pane->asked = g_strdup(get_struck(answer));
    rui_request_start(pane->request);
    g_signal_emit(pane, signals[SIGNAL_ANSWER], 0, TRUE);
}

void rui_check_pane_set_work(RuiCheckPane *pane, RwSessionWork *work, const char *title)
{
    if (pane->work)
        g_signal_handlers_disconnect_by_data(pane->work, pane);
    if (work != pane->work) { // nobody waits for what was asked of the other one
        rui_request_free(pane->request);
        pane->request = rui_request_new(pane, ask);
        g_clear_pointer(&pane->asked, g_free);
    }
    g_set_object(&pane->work, work);
    g_string_truncate(pane->trail, 0);
    pane->started = g_get_monotonic_time();
    gtk_label_set_text(pane->title, title ? title : "");
    make_cells(pane);
    if (work) {
        g_signal_connect_swapped(work, "notify::cells", G_CALLBACK(update), pane);
        g_signal_connect_swapped(work, "notify::running", G_CALLBACK(on_running), pane);
    }
    update(pane);
}

RwSessionWork *rui_check_pane_get_work(RuiCheckPane *pane)
{
    return pane->work;
}

GtkWidget *rui_check_pane_get_cell(RuiCheckPane *pane, guint index)
{
    return index < pane->buttons->len ? pane->buttons->pdata[index] : NULL;
}
