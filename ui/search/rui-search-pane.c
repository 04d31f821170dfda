// SPDX-License-Identifier: MIT
#include "rui-search-pane.h"

#include "rui-cell.h"
#include "rui-request.h"
#include "rui-row.h"
#include "rui-virtual-list.h"
#include "rui-words.h"

#include <glib/gi18n.h>

struct _RuiSearchPane {
    GtkBox parent_instance;
    // template
    GtkSearchBar *bar;
    GtkSearchEntry *entry;
    GtkLabel *count;
    GtkRevealer *revealer;
    RuiVirtualList *list;
    // owned
    RuiView *view;
    GListStore *rows; // of RuiRow with RwHit
    RuiRequest *request;
};

G_DEFINE_FINAL_TYPE(RuiSearchPane, rui_search_pane, GTK_TYPE_BOX)

static void rui_search_pane_dispose(GObject *object)
{
    RuiSearchPane *pane = RUI_SEARCH_PANE(object);
    g_clear_pointer(&pane->request, rui_request_free);
    g_clear_object(&pane->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_SEARCH_PANE);
    g_clear_object(&pane->rows);
    G_OBJECT_CLASS(rui_search_pane_parent_class)->dispose(object);
}

static void rui_search_pane_class_init(RuiSearchPaneClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_search_pane_dispose;
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-search-pane.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiSearchPane, bar);
    gtk_widget_class_bind_template_child(widget_class, RuiSearchPane, entry);
    gtk_widget_class_bind_template_child(widget_class, RuiSearchPane, count);
    gtk_widget_class_bind_template_child(widget_class, RuiSearchPane, revealer);
    gtk_widget_class_bind_template_child(widget_class, RuiSearchPane, list);
}

// ---- Rows ----

static const char *get_hit_kind(RwHitKind kind)
{
    static const char *const names[] = {
        [RW_HIT_LOG] = N_("log"),
        [RW_HIT_KERNEL] = N_("kernel"),
        [RW_HIT_FILE] = N_("file"),
        [RW_HIT_EVENT] = N_("event"),
    };
    return _(names[kind]);
}

static GtkWidget *create_row(void)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
    GtkWidget *step = rui_cell_new(1, PANGO_ELLIPSIZE_NONE, 9);
    GtkWidget *kind = rui_cell_new(0, PANGO_ELLIPSIZE_NONE, 7);
    GtkWidget *text = rui_cell_new(0, PANGO_ELLIPSIZE_END, 3);
    gtk_widget_add_css_class(step, "numeric");
    gtk_widget_add_css_class(step, "dim-label");
    gtk_widget_add_css_class(kind, "dim-label");
    gtk_widget_set_hexpand(text, TRUE);
    gtk_box_append(GTK_BOX(box), step);
    gtk_box_append(GTK_BOX(box), kind);
    gtk_box_append(GTK_BOX(box), text);
    return box;
}

static int show_row(GtkWidget *content, gpointer item)
{
    const RwHit *hit = rui_row_get(item);
    GtkWidget *step = gtk_widget_get_first_child(content);
    GtkWidget *kind = gtk_widget_get_next_sibling(step), *text = gtk_widget_get_next_sibling(kind);
    g_autofree char *number = rui_dup_number(hit->step);
    rui_cell_set_text(RUI_CELL(step), number, NULL);
    rui_cell_set_text(RUI_CELL(kind), get_hit_kind(hit->kind), NULL);
    rui_cell_set_text(RUI_CELL(text), hit->text, NULL);
    return 0;
}

static const RuiVirtualRowType row_type = {create_row, show_row, .single_click = TRUE};

static void go_to(RuiSearchPane *pane, guint position)
{
    g_autoptr(RuiRow) row = g_list_model_get_item(G_LIST_MODEL(pane->rows), position);
    if (!row)
        return;
    rui_virtual_list_select(pane->list, position);
    rui_view_jump(pane->view, ((const RwHit *)rui_row_get(row))->step);
}

static void on_activate(RuiVirtualList *list, guint position, RuiSearchPane *pane)
{
    go_to(pane, position);
}

// The first move goes to the match nearest to the playhead in its direction.
void rui_search_pane_move(RuiSearchPane *pane, gboolean forward)
{
    guint count = g_list_model_get_n_items(G_LIST_MODEL(pane->rows));
    guint at = rui_virtual_list_get_cursor(pane->list);
    if (!count)
        return;
    if (at != GTK_INVALID_LIST_POSITION) {
        go_to(pane, (at + (forward ? 1 : count - 1)) % count);
        return;
    }
    for (at = 0; at < count; at++) {
        g_autoptr(RuiRow) row = g_list_model_get_item(G_LIST_MODEL(pane->rows), at);
        if (((const RwHit *)rui_row_get(row))->step >= rui_view_get_step(pane->view))
            break;
    }
    go_to(pane, forward ? at % count : (at + count - 1) % count);
}

// ---- Searching ----

static void free_hit(gpointer data)
{
    RwHit *hit = data;
    g_free(hit->text);
    g_free(hit);
}

static void show_found(RuiSearchPane *pane, RwFound *found)
{
    g_autofree char *number = rui_dup_number(found->total);
    // Translators: how many matches a search has; %s is the number.
    g_autofree char *text =
        g_strdup_printf(g_dngettext(NULL, "%s match", "%s matches", (gulong)found->total), number);
    gtk_label_set_text(pane->count, found->total ? text : _("No matches"));
    g_autoptr(GPtrArray) rows = rui_rows_take(found->hits, free_hit);
    g_list_store_splice(pane->rows, 0, g_list_model_get_n_items(G_LIST_MODEL(pane->rows)), rows->pdata,
                        rows->len);
    gtk_revealer_set_reveal_child(pane->revealer, found->total > 0);
}

static void on_found(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(RwFound) found = rw_session_run_search_finish(RW_SESSION_RUN(source), result, &error);
    RuiSearchPane *pane = rui_request_done(data);
    if (!pane)
        return;
    if (found)
        show_found(pane, found);
    else
        gtk_label_set_text(pane->count, error->message);
}

static void ask(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    RuiSearchPane *pane = owner;
    rw_session_run_search_async(rui_view_get_run(pane->view),
                                gtk_editable_get_text(GTK_EDITABLE(pane->entry)), cancellable, on_found,
                                request);
}

static void update(RuiSearchPane *pane)
{
    const char *text = gtk_editable_get_text(GTK_EDITABLE(pane->entry));
    gtk_label_set_text(pane->count, "");
    if (*text && rui_view_get_index(pane->view)) {
        rui_request_start(pane->request);
        return;
    }
    g_list_store_remove_all(pane->rows);
    gtk_revealer_set_reveal_child(pane->revealer, FALSE);
}

static void on_mode(RuiSearchPane *pane)
{
    if (!gtk_search_bar_get_search_mode(pane->bar))
        gtk_revealer_set_reveal_child(pane->revealer, FALSE);
}

static void on_next(RuiSearchPane *pane)
{
    rui_search_pane_move(pane, TRUE);
}

static void on_previous(RuiSearchPane *pane)
{
    rui_search_pane_move(pane, FALSE);
}

// GTK's own has an icon for its name. Its entry's button is another one.
static void name_close_button(GtkSearchBar *bar)
{
    GtkWidget *revealer = gtk_widget_get_first_child(GTK_WIDGET(bar));
    GtkWidget *box = gtk_revealer_get_child(GTK_REVEALER(revealer));
    GtkWidget *button = gtk_center_box_get_end_widget(GTK_CENTER_BOX(box));
    gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   _("Close the search"), -1);
}

static void rui_search_pane_init(RuiSearchPane *pane)
{
    gtk_widget_init_template(GTK_WIDGET(pane));
    name_close_button(pane->bar);
    pane->rows = g_list_store_new(RUI_TYPE_ROW);
    pane->request = rui_request_new(pane, ask);
    rui_virtual_list_set_row_type(pane->list, &row_type);
    rui_virtual_list_set_model(pane->list, G_LIST_MODEL(pane->rows));
    gtk_search_bar_connect_entry(pane->bar, GTK_EDITABLE(pane->entry));
    g_signal_connect_object(pane->list, "activate", G_CALLBACK(on_activate), pane, 0);
    g_signal_connect_object(pane->entry, "search-changed", G_CALLBACK(update), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(pane->entry, "activate", G_CALLBACK(on_next), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(pane->entry, "next-match", G_CALLBACK(on_next), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(pane->entry, "previous-match", G_CALLBACK(on_previous), pane,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(pane->bar, "notify::search-mode-enabled", G_CALLBACK(on_mode), pane,
                            G_CONNECT_SWAPPED);
}

void rui_search_pane_set_view(RuiSearchPane *pane, RuiView *view)
{
    g_set_object(&pane->view, view);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(update), pane, G_CONNECT_SWAPPED);
}

void rui_search_pane_open(RuiSearchPane *pane)
{
    gtk_search_bar_set_search_mode(pane->bar, TRUE);
    gtk_widget_grab_focus(GTK_WIDGET(pane->entry));
}

void rui_search_pane_close(RuiSearchPane *pane)
{
    gtk_search_bar_set_search_mode(pane->bar, FALSE);
}

gboolean rui_search_pane_is_open(RuiSearchPane *pane)
{
    return gtk_search_bar_get_search_mode(pane->bar);
}

void rui_search_pane_set_text(RuiSearchPane *pane, const char *text)
{
    gtk_editable_set_text(GTK_EDITABLE(pane->entry), text);
}

const char *rui_search_pane_get_count(RuiSearchPane *pane)
{
    return gtk_label_get_text(pane->count);
}
