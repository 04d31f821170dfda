// SPDX-License-Identifier: MIT
#include "rui-log-pane.h"

#include "rui-ansi.h"
#include "rui-cell.h"
#include "rui-log-model.h"
#include "rui-virtual-list.h"
#include "rui-words.h"
#include "rui-names.h"

#include <glib/gi18n.h>

#define SHOWN_MAX 2000 // bytes of a line

struct _RuiLogPane {
    GtkBox parent_instance;
    // template
    GtkLabel *title, *cut;
    GtkToggleButton *kernel;
    GtkStack *stack;
    RuiVirtualList *list;
    // owned
    RuiView *view;
    RwSessionRun *run; // whose text the model shows
    RuiLogModel *model;
    guint64 missing; // the step from which on it is told that lines are, or 0
};

G_DEFINE_FINAL_TYPE(RuiLogPane, rui_log_pane, GTK_TYPE_BOX)

static void rui_log_pane_dispose(GObject *object)
{
    RuiLogPane *pane = RUI_LOG_PANE(object);
    if (pane->model)
        rui_log_model_set(pane->model, NULL, 0);
    g_clear_object(&pane->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_LOG_PANE);
    g_clear_object(&pane->model);
    g_clear_object(&pane->run);
    G_OBJECT_CLASS(rui_log_pane_parent_class)->dispose(object);
}

static void rui_log_pane_class_init(RuiLogPaneClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_log_pane_dispose;
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-log-pane.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiLogPane, title);
    gtk_widget_class_bind_template_child(widget_class, RuiLogPane, cut);
    gtk_widget_class_bind_template_child(widget_class, RuiLogPane, kernel);
    gtk_widget_class_bind_template_child(widget_class, RuiLogPane, stack);
    gtk_widget_class_bind_template_child(widget_class, RuiLogPane, list);
}

// ---- Rows ----

static GtkWidget *create_row(void)
{
    return rui_cell_new(0, PANGO_ELLIPSIZE_END, 0);
}

static void tone(GtkWidget *label, const char *class, gboolean on)
{
    if (on)
        gtk_widget_add_css_class(label, class);
    else
        gtk_widget_remove_css_class(label, class);
}

// A line can be as long as a log: its beginning is shown.
static char *dup_shown(const RwLine *line, PangoAttrList **ret_attrs)
{
    if (line->length <= SHOWN_MAX)
        return rui_ansi_dup_text(line->bytes, line->length, ret_attrs);
    g_autofree char *beginning = rui_ansi_dup_text(line->bytes, SHOWN_MAX, ret_attrs);
    return g_strconcat(beginning, "…", NULL);
}

static int show_row(GtkWidget *label, gpointer item)
{
    PangoAttrList *attrs = NULL;
    RwLine line;
    rui_line_get(item, &line);
    g_autofree char *text = dup_shown(&line, &attrs);
    rui_cell_set_text(RUI_CELL(label), text, attrs);
    pango_attr_list_unref(attrs);
    gboolean alarming = rui_line_is_alarming(text);
    tone(label, "error", alarming);
    tone(label, "warning", !alarming && line.fd == 2);
    return rui_cell_get_text_width(RUI_CELL(label));
}

static const RuiVirtualRowType row_type = {create_row, show_row, .multiple = TRUE, .keeps_end = TRUE};

static void on_activate(RuiVirtualList *list, guint position, RuiLogPane *pane)
{
    g_autoptr(RuiLine) row = g_list_model_get_item(G_LIST_MODEL(pane->model), position);
    RwLine line;
    if (!row)
        return;
    rui_line_get(row, &line);
    rui_view_jump(pane->view, line.step);
}

// ---- Following ----

// Says that lines are missing, from the step on from which they are.
static void show_cut(RuiLogPane *pane, guint64 cut)
{
    guint64 missing = rui_view_get_step(pane->view) >= cut ? cut : 0;
    if (missing == pane->missing)
        return;
    pane->missing = missing;
    g_autofree char *step = rui_dup_number(cut);
    g_autofree char *size = rui_dup_size(RW_TEXT_MAX);
    g_autofree char *text =
        // Translators: a size, and a step.
        g_strdup_printf(_("The log is longer than %s: lines from step %s on are left out here. The command "
                          "“rewind log” prints them all."),
                        size, step);
    gtk_label_set_text(pane->cut, text);
    gtk_widget_set_visible(GTK_WIDGET(pane->cut), missing > 0);
}

static void update(RuiLogPane *pane)
{
    const RwRunIndex *index = rui_view_get_index(pane->view);
    gboolean kernel = gtk_toggle_button_get_active(pane->kernel);
    const RwText *text =
        index ? rw_run_index_get_text(index, kernel ? RW_TEXT_KERNEL : RW_TEXT_OUTPUT) : NULL;
    rui_log_model_set(pane->model, text, rui_view_get_step(pane->view));
    show_cut(pane, text ? rw_text_get_cut(text) : 0);
    g_set_object(&pane->run, rui_view_get_run(pane->view));
    guint count = g_list_model_get_n_items(G_LIST_MODEL(pane->model));
    gtk_stack_set_visible_child_name(pane->stack, count ? "lines" : "empty");
    if (count)
        rui_virtual_list_scroll_to(pane->list, count - 1);
    gtk_label_set_text(pane->title, kernel ? _("Kernel Log") : _("Build Log"));
}

static void on_filter(RuiLogPane *pane)
{
    RwFilter filter = rui_view_get_filter(pane->view);
    rui_log_model_set_filter(pane->model, &filter);
    update(pane);
}

static void add_copy_key(RuiLogPane *pane)
{
    GtkEventController *keys = gtk_shortcut_controller_new();
    gtk_shortcut_controller_add_shortcut(GTK_SHORTCUT_CONTROLLER(keys),
                                         gtk_shortcut_new(gtk_shortcut_trigger_parse_string("<Primary>c"),
                                                          gtk_named_action_new("win.copy-log")));
    gtk_widget_add_controller(GTK_WIDGET(pane->list), keys);
}

static void rui_log_pane_init(RuiLogPane *pane)
{
    gtk_widget_init_template(GTK_WIDGET(pane));
    rui_hide_closed_pages(GTK_WIDGET(pane->stack));
    pane->model = rui_log_model_new();
    rui_virtual_list_set_row_type(pane->list, &row_type);
    rui_virtual_list_set_model(pane->list, G_LIST_MODEL(pane->model));
    g_signal_connect_object(pane->list, "activate", G_CALLBACK(on_activate), pane, 0);
    add_copy_key(pane);
}

void rui_log_pane_set_view(RuiLogPane *pane, RuiView *view)
{
    g_set_object(&pane->view, view);
    g_signal_connect_object(view, "notify::step", G_CALLBACK(update), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(update), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::filter", G_CALLBACK(on_filter), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(pane->kernel, "toggled", G_CALLBACK(update), pane, G_CONNECT_SWAPPED);
}

void rui_log_pane_show_kernel(RuiLogPane *pane, gboolean kernel)
{
    gtk_toggle_button_set_active(pane->kernel, kernel);
}

gboolean rui_log_pane_shows_kernel(RuiLogPane *pane)
{
    return gtk_toggle_button_get_active(pane->kernel);
}

gboolean rui_log_pane_is_cut(RuiLogPane *pane)
{
    return gtk_widget_get_visible(GTK_WIDGET(pane->cut));
}

GListModel *rui_log_pane_get_lines(RuiLogPane *pane)
{
    return G_LIST_MODEL(pane->model);
}

char *rui_log_pane_dup_text(RuiLogPane *pane)
{
    const GtkBitset *selected = rui_virtual_list_get_selected(pane->list);
    gboolean all = gtk_bitset_is_empty(selected);
    guint count = g_list_model_get_n_items(G_LIST_MODEL(pane->model));
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < count; i++) {
        if (!all && !gtk_bitset_contains(selected, i))
            continue;
        g_autoptr(RuiLine) row = g_list_model_get_item(G_LIST_MODEL(pane->model), i);
        RwLine line;
        rui_line_get(row, &line);
        g_autofree char *plain = rui_ansi_dup_text(line.bytes, line.length, NULL);
        g_string_append_printf(text, "%s\n", plain);
    }
    return g_string_free(text, FALSE);
}
