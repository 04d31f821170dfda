// SPDX-License-Identifier: MIT
#include "log-pane-private.h"

#include "rui-ansi.h"
#include "rui-cell.h"
#include "rui-names.h"
#include "rui-words.h"
#include "rui-wrap.h"

#include <glib/gi18n.h>

G_DEFINE_FINAL_TYPE(RuiLogPane, rui_log_pane, GTK_TYPE_BOX)

static void rui_log_pane_dispose(GObject *object)
{
    RuiLogPane *pane = RUI_LOG_PANE(object);
    if (pane->model)
        rui_log_model_set_text(pane->model, NULL);
    g_clear_pointer(&pane->request, rui_request_free);
    g_clear_pointer(&pane->wrapping, rui_request_free);
    g_clear_pointer(&pane->kinds, rw_line_kinds_free);
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
    gtk_widget_class_bind_template_child(widget_class, RuiLogPane, errors);
    gtk_widget_class_bind_template_child(widget_class, RuiLogPane, warnings);
    gtk_widget_class_bind_template_child(widget_class, RuiLogPane, stack);
    gtk_widget_class_bind_template_child(widget_class, RuiLogPane, list);
    gtk_widget_class_bind_template_child(widget_class, RuiLogPane, wrap);
    gtk_widget_class_bind_template_child(widget_class, RuiLogPane, menu);
    log_pane_class_add_menu(widget_class);
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
    if (line->length <= RUI_WRAP_MAX)
        return rui_ansi_dup_text(line->bytes, line->length, ret_attrs);
    g_autofree char *beginning = rui_ansi_dup_text(line->bytes, RUI_WRAP_MAX, ret_attrs);
    return g_strconcat(beginning, "…", NULL);
}

// All of a line, or the part of it that the row is.
static char *dup_row(RuiLine *row, const RwLine *line, PangoAttrList **ret_attrs)
{
    guint columns, part = rui_line_get_part(row, &columns);
    g_autofree char *text = dup_shown(line, ret_attrs);
    return columns ? rui_wrap_dup_part(text, *ret_attrs, part, columns) : g_steal_pointer(&text);
}

static int show_row(GtkWidget *label, gpointer item)
{
    PangoAttrList *attrs = NULL;
    RwLine line;
    guint columns;
    rui_line_get(item, &line);
    g_autofree char *text = dup_row(item, &line, &attrs);
    gboolean to_come = rui_line_is_to_come(item);
    RwLineKind kind = to_come ? RW_LINE_PLAIN : rw_line_get_kind(&line);
    rui_cell_set_text(RUI_CELL(label), text, to_come ? NULL : attrs);
    pango_attr_list_unref(attrs);
    tone(label, "to-come", to_come);
    tone(label, "error", kind == RW_LINE_ERROR);
    tone(label, "warning", !to_come && kind != RW_LINE_ERROR && (line.fd == 2 || kind == RW_LINE_WARNING));
    rui_line_get_part(item, &columns);
    return columns ? 0 : rui_cell_get_text_width(RUI_CELL(label));
}

static const RuiVirtualRowType row_type = {create_row, show_row, .multiple = TRUE, .single_click = TRUE};

static void on_activate(RuiVirtualList *list, guint position, RuiLogPane *pane)
{
    g_autoptr(RuiLine) row = g_list_model_get_item(G_LIST_MODEL(pane->model), position);
    RwLine line;
    if (!row)
        return;
    rui_line_get(row, &line);
    rui_view_jump(pane->view, line.step);
}

// ---- Lines that say that something is wrong ----

const RwText *log_pane_get_text(RuiLogPane *pane)
{
    const RwRunIndex *index = rui_view_get_index(pane->view);
    RwTextKind kind = gtk_toggle_button_get_active(pane->kernel) ? RW_TEXT_KERNEL : RW_TEXT_OUTPUT;
    return index ? rw_run_index_get_text(index, kind) : NULL;
}

// The kinds whose chips are pressed, as bits; 0: none is, so that all lines are shown.
static guint get_wanted(RuiLogPane *pane)
{
    return (gtk_toggle_button_get_active(pane->errors) ? 1u << RW_LINE_ERROR : 0) |
           (gtk_toggle_button_get_active(pane->warnings) ? 1u << RW_LINE_WARNING : 0);
}

static char *dup_chip(RwLineKind kind, guint count)
{
    g_autofree char *number = rui_dup_number(count);
    return kind == RW_LINE_ERROR
               // Translators: how many lines of the log say so.
               ? g_strdup_printf(ngettext("%s error", "%s errors", count), number)
               // Translators: how many lines of the log say so.
               : g_strdup_printf(ngettext("%s warning", "%s warnings", count), number);
}

static void show_chip(RuiLogPane *pane, GtkToggleButton *chip, RwLineKind kind)
{
    guint count = pane->kinds ? pane->kinds->counts[kind] : 0;
    g_autofree char *text = dup_chip(kind, count);
    gtk_button_set_label(GTK_BUTTON(chip), text);
    gtk_widget_set_visible(GTK_WIDGET(chip), count && !gtk_toggle_button_get_active(pane->kernel));
}

static void show_chips(RuiLogPane *pane)
{
    show_chip(pane, pane->errors, RW_LINE_ERROR);
    show_chip(pane, pane->warnings, RW_LINE_WARNING);
}

static void on_kinds(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(RwLineKinds) kinds = rw_session_run_sort_lines_finish(RW_SESSION_RUN(source), result, NULL);
    RuiLogPane *pane = rui_request_done(data);
    if (!pane || RW_SESSION_RUN(source) != pane->run)
        return;
    rui_log_model_set_kinds(pane->model, NULL, 0); // before those go that it has
    g_clear_pointer(&pane->kinds, rw_line_kinds_free);
    pane->kinds = g_steal_pointer(&kinds);
    show_chips(pane);
}

static void ask_kinds(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    rw_session_run_sort_lines_async(RUI_LOG_PANE(owner)->run, cancellable, on_kinds, request);
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

void log_pane_follow(RuiLogPane *pane, gboolean again)
{
    const RwText *text = log_pane_get_text(pane);
    gboolean changed = rui_log_model_set_step(pane->model, rui_view_get_step(pane->view));
    guint written = rui_log_model_get_written(pane->model);
    show_cut(pane, text ? rw_text_get_cut(text) : 0);
    if (!changed && !again)
        return;
    rui_virtual_list_refresh(pane->list);
    rui_virtual_list_follow(pane->list, written ? written - 1 : 0);
}

static void on_step(RuiLogPane *pane)
{
    log_pane_follow(pane, FALSE);
}

// Everything that says which lines there are.
static void update(RuiLogPane *pane)
{
    gboolean kernel = gtk_toggle_button_get_active(pane->kernel);
    const RwText *text = log_pane_get_text(pane);
    rui_log_model_set_text(pane->model, text);
    rui_log_model_set_kinds(pane->model, kernel || !get_wanted(pane) ? NULL : pane->kinds,
                            get_wanted(pane));
    log_pane_follow(pane, TRUE);
    log_pane_update_wrap(pane);
    guint count = g_list_model_get_n_items(G_LIST_MODEL(pane->model));
    gtk_stack_set_visible_child_name(pane->stack, count ? "lines" : "empty");
    gtk_label_set_text(pane->title, kernel ? _("Kernel Log") : _("Build Log"));
    show_chips(pane);
}

static void on_filter(RuiLogPane *pane)
{
    RwFilter filter = rui_view_get_filter(pane->view);
    rui_log_model_set_filter(pane->model, &filter);
    update(pane);
}

static void on_run(RuiLogPane *pane)
{
    rui_log_model_set_text(pane->model, NULL); // before the run goes that it is of
    g_clear_pointer(&pane->kinds, rw_line_kinds_free);
    g_set_object(&pane->run, rui_view_get_run(pane->view));
    gtk_toggle_button_set_active(pane->errors, FALSE);
    gtk_toggle_button_set_active(pane->warnings, FALSE);
    update(pane);
    if (log_pane_get_text(pane))
        rui_request_start(pane->request);
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
    pane->request = rui_request_new(pane, ask_kinds);
    rui_virtual_list_set_row_type(pane->list, &row_type);
    rui_virtual_list_set_model(pane->list, G_LIST_MODEL(pane->model));
    g_signal_connect_object(pane->list, "activate", G_CALLBACK(on_activate), pane, 0);
    add_copy_key(pane);
    log_pane_set_up_wrap(pane);
    log_pane_set_up_menu(pane);
}

void rui_log_pane_set_view(RuiLogPane *pane, RuiView *view)
{
    g_set_object(&pane->view, view);
    g_signal_connect_object(view, "notify::step", G_CALLBACK(on_step), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(on_run), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::index", G_CALLBACK(on_run), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::filter", G_CALLBACK(on_filter), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(pane->kernel, "toggled", G_CALLBACK(update), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(pane->errors, "toggled", G_CALLBACK(update), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(pane->warnings, "toggled", G_CALLBACK(update), pane, G_CONNECT_SWAPPED);
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

guint rui_log_pane_get_written(RuiLogPane *pane)
{
    return rui_log_model_get_written(pane->model);
}

GtkToggleButton *rui_log_pane_get_wrap(RuiLogPane *pane)
{
    return pane->wrap;
}

GtkToggleButton *rui_log_pane_get_errors(RuiLogPane *pane)
{
    return pane->errors;
}

// Whole lines, also where only a part of one is selected.
char *rui_log_pane_dup_text(RuiLogPane *pane)
{
    const GtkBitset *selected = rui_virtual_list_get_selected(pane->list);
    gboolean all = gtk_bitset_is_empty(selected);
    guint count =
        all ? rui_log_model_get_written(pane->model) : g_list_model_get_n_items(G_LIST_MODEL(pane->model));
    GString *text = g_string_new(NULL);
    gboolean done = FALSE; // this line is in the text
    for (guint i = 0; i < count; i++) {
        guint columns;
        if (!all && !gtk_bitset_contains(selected, i) && !done)
            continue;
        g_autoptr(RuiLine) row = g_list_model_get_item(G_LIST_MODEL(pane->model), i);
        done = done && rui_line_get_part(row, &columns) > 0;
        if (done || (!all && !gtk_bitset_contains(selected, i)))
            continue;
        RwLine line;
        rui_line_get(row, &line);
        g_autofree char *plain = rui_ansi_dup_text(line.bytes, line.length, NULL);
        g_string_append_printf(text, "%s\n", plain);
        done = TRUE;
    }
    return g_string_free(text, FALSE);
}
