// SPDX-License-Identifier: MIT
#include "rui-check-pane.h"

#include "rui-words.h"

#include <glib/gi18n.h>

struct _RuiCheckPane {
    GtkBox parent_instance;
    // template
    GtkSpinner *spinner;
    GtkLabel *title, *summary;
    GtkFlowBox *cells;
    GtkWidget *cancel, *close;
    GMenuModel *cell_menu;
    // owned
    RwSessionWork *work;
    GPtrArray *buttons; // borrowed, by schedule from 1
    guint chosen; // the cell whose menu was opened last
    GtkWidget *menu; // that menu, a child of its button; or NULL
};

enum { SIGNAL_OPEN, SIGNAL_COMPARE, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(RuiCheckPane, rui_check_pane, GTK_TYPE_BOX)

static void rui_check_pane_dispose(GObject *object)
{
    RuiCheckPane *pane = RUI_CHECK_PANE(object);
    if (pane->work)
        g_signal_handlers_disconnect_by_data(pane->work, pane);
    g_clear_object(&pane->work);
    g_clear_pointer(&pane->menu, gtk_widget_unparent);
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

static void rui_check_pane_class_init(RuiCheckPaneClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_check_pane_dispose;
    signals[SIGNAL_OPEN] = g_signal_new("open", RUI_TYPE_CHECK_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                        G_TYPE_NONE, 1, G_TYPE_STRING);
    signals[SIGNAL_COMPARE] = g_signal_new("compare", RUI_TYPE_CHECK_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                           NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-check-pane.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, spinner);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, title);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, summary);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, cells);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, cancel);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, close);
    gtk_widget_class_bind_template_child(widget_class, RuiCheckPane, cell_menu);
    gtk_widget_class_install_action(widget_class, "check.open", NULL, open_chosen);
    gtk_widget_class_install_action(widget_class, "check.compare", NULL, compare_chosen);
    gtk_widget_class_install_action(widget_class, "check.cancel", NULL, cancel);
    gtk_widget_class_install_action(widget_class, "check.close", NULL, close_pane);
}

static void rui_check_pane_init(RuiCheckPane *pane)
{
    gtk_widget_init_template(GTK_WIDGET(pane));
    pane->buttons = g_ptr_array_new();
}

// ---- Cells ----

static void on_cell(GtkButton *button, RuiCheckPane *pane)
{
    pane->chosen = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "index"));
    if (!get_chosen_ref(pane))
        return;
    g_clear_pointer(&pane->menu, gtk_widget_unparent);
    pane->menu = gtk_popover_menu_new_from_model(pane->cell_menu);
    gtk_widget_set_parent(pane->menu, GTK_WIDGET(button));
    gtk_popover_popup(GTK_POPOVER(pane->menu));
}

static void show_cell(GtkWidget *button, const RwCheckCell *cell)
{
    static const char *const classes[] = {
        [RW_CELL_PENDING] = NULL, [RW_CELL_SAME] = "passed", [RW_CELL_DIFFERS] = "failed"};
    gboolean pending = cell->state == RW_CELL_PENDING;
    g_autofree char *state = pending ? g_strdup(_("not finished")) : rui_dup_end(&cell->end);
    /* Translators: a schedule's number and how its run ended. */
    g_autofree char *number = rui_dup_number(cell->schedule);
    g_autofree char *text = g_strdup_printf(_("Schedule %s: %s"), number, state);
    gtk_widget_set_tooltip_text(button, text);
    gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
    if (classes[cell->state])
        gtk_widget_add_css_class(button, classes[cell->state]);
    gtk_widget_set_sensitive(button, cell->ref != NULL);
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
        g_autofree char *number = g_strdup_printf("%u", i + 1);
        GtkWidget *button = gtk_button_new_with_label(number);
        gtk_widget_add_css_class(button, "check-cell");
        g_object_set_data(G_OBJECT(button), "index", GUINT_TO_POINTER(i));
        g_signal_connect(button, "clicked", G_CALLBACK(on_cell), pane);
        gtk_flow_box_append(pane->cells, button);
        gtk_widget_set_focusable(gtk_widget_get_parent(button), FALSE);
        g_ptr_array_add(pane->buttons, button);
    }
    gtk_widget_set_visible(GTK_WIDGET(pane->cells), cells != NULL);
}

// ---- Following ----

static char *dup_check_summary(RwSessionWork *work)
{
    guint count = rw_session_work_get_done(work), all = rw_session_work_get_cells(work)->len;
    g_autofree char *done = rui_dup_number(count), *of = rui_dup_number(all);
    g_autofree char *differing = rui_dup_number(rw_session_work_get_differing(work));
    if (rw_session_work_is_running(work))
        return g_strdup_printf(_("%s of %s done, %s ended differently"), done, of, differing);
    if (count < all)
        return g_strdup_printf(_("Cancelled: %s done, %s ended differently. What is finished is kept."),
                               done, differing);
    return g_strdup_printf(_("%s of %s schedules ended differently"), differing, done);
}

static char *dup_fork_summary(RwSessionWork *work)
{
    if (rw_session_work_is_running(work))
        return g_strdup(_("Recording…"));
    return g_strdup(rw_session_work_get_result(work) ? _("Finished") : _("Cancelled"));
}

static void update(RuiCheckPane *pane)
{
    RwSessionWork *work = pane->work;
    gtk_widget_set_visible(GTK_WIDGET(pane), work != NULL);
    if (!work)
        return;
    const GPtrArray *cells = rw_session_work_get_cells(work);
    const char *problem = rw_session_work_get_problem(work);
    gboolean running = rw_session_work_is_running(work);
    for (guint i = 0; cells && i < pane->buttons->len; i++)
        show_cell(pane->buttons->pdata[i], cells->pdata[i]);
    g_autofree char *summary = problem ? g_strdup(problem)
                               : cells ? dup_check_summary(work)
                                       : dup_fork_summary(work);
    gtk_label_set_text(pane->summary, summary);
    gtk_spinner_set_spinning(pane->spinner, running);
    gtk_widget_set_visible(GTK_WIDGET(pane->spinner), running);
    gtk_widget_set_visible(pane->cancel, running);
    gtk_widget_set_visible(pane->close, !running);
}

void rui_check_pane_set_work(RuiCheckPane *pane, RwSessionWork *work, const char *title)
{
    if (pane->work)
        g_signal_handlers_disconnect_by_data(pane->work, pane);
    g_set_object(&pane->work, work);
    gtk_label_set_text(pane->title, title ? title : "");
    make_cells(pane);
    if (work) {
        g_signal_connect_swapped(work, "notify::cells", G_CALLBACK(update), pane);
        g_signal_connect_swapped(work, "notify::running", G_CALLBACK(update), pane);
    }
    update(pane);
}

RwSessionWork *rui_check_pane_get_work(RuiCheckPane *pane)
{
    return pane->work;
}
