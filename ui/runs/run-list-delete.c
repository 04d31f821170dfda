// SPDX-License-Identifier: MIT
//
// Deleting: rows vanish at once. The runs go for good when the toast that would undo it does, or the list.
#include "run-list-private.h"

#include "rui-words.h"

#include <adwaita.h>
#include <glib/gi18n.h>

typedef struct {
    RuiRunList *list; // NULL: it is closed
    RwSession *session;
    GPtrArray *items; // of RwRunItem
    AdwToast *toast; // NULL before it is shown, and when it has gone
} Deletion;

void run_list_deletion_free(gpointer data)
{
    Deletion *deletion = data;
    g_object_unref(deletion->session);
    g_ptr_array_unref(deletion->items);
    g_clear_object(&deletion->toast);
    g_free(deletion);
}

// The runs of the row and of all below it, whether folded or not: forks first.
static void collect(RuiRunRow *row, GPtrArray *items)
{
    GListModel *children = rui_run_row_get_children(row);
    for (guint i = 0; children && i < g_list_model_get_n_items(children); i++) {
        g_autoptr(RuiRunRow) child = g_list_model_get_item(children, i);
        collect(child, items);
    }
    if (rui_run_row_get_kind(row) == RUI_RUN_ROW_RUN)
        g_ptr_array_add(items, g_object_ref(rui_run_row_get_item(row)));
}

static void show_problem(RuiRunList *list, const char *message)
{
    GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(list));
    GtkWidget *dialog = adw_message_dialog_new(GTK_WINDOW(root), _("Not Deleted"), NULL);
    adw_message_dialog_set_body(ADW_MESSAGE_DIALOG(dialog), message);
    adw_message_dialog_add_response(ADW_MESSAGE_DIALOG(dialog), "close", _("_Close"));
    gtk_window_present(GTK_WINDOW(dialog));
}

// All of them are there again.
static void give_up(Deletion *deletion, const GError *error)
{
    rw_session_take_back(deletion->session, deletion->items);
    if (deletion->list)
        show_problem(deletion->list, error->message);
}

// It is nobody's any more whom it has to tell.
static void forget(Deletion *deletion)
{
    if (deletion->list)
        g_ptr_array_remove(deletion->list->deletions, deletion);
    else
        run_list_deletion_free(deletion);
}

static void on_removed(GObject *source, GAsyncResult *result, gpointer data)
{
    Deletion *deletion = data;
    g_autoptr(GError) error = NULL;
    if (!rw_session_remove_finish(RW_SESSION(source), result, &error))
        give_up(deletion, error);
    if (g_application_get_default())
        g_application_release(g_application_get_default());
    forget(deletion);
}

// The app stays until it is done.
static void remove_now(Deletion *deletion)
{
    if (g_application_get_default())
        g_application_hold(g_application_get_default());
    rw_session_remove_async(deletion->session, deletion->items, false, NULL, on_removed, deletion);
}

// ---- Undo ----

static void on_dismissed(AdwToast *toast, Deletion *deletion)
{
    g_signal_handlers_disconnect_by_data(toast, deletion);
    g_clear_object(&deletion->toast);
    remove_now(deletion);
}

static void undo(Deletion *deletion)
{
    g_autoptr(AdwToast) toast = g_steal_pointer(&deletion->toast);
    g_signal_handlers_disconnect_by_data(toast, deletion);
    rw_session_take_back(deletion->session, deletion->items);
    forget(deletion);
    adw_toast_dismiss(toast);
}

static void on_undo(AdwToast *toast, Deletion *deletion)
{
    undo(deletion);
}

gboolean rui_run_list_undo(RuiRunList *list)
{
    for (guint i = list->deletions->len; i-- > 0;) {
        Deletion *deletion = list->deletions->pdata[i];
        if (!deletion->toast)
            continue;
        undo(deletion);
        return TRUE;
    }
    return FALSE;
}

static void show_toast(Deletion *deletion)
{
    GtkWidget *overlay = gtk_widget_get_ancestor(GTK_WIDGET(deletion->list), ADW_TYPE_TOAST_OVERLAY);
    guint count = deletion->items->len;
    g_autofree char *number = rui_dup_number(count);
    g_autofree char *title =
        g_strdup_printf(g_dngettext(NULL, "%s run deleted", "%s runs deleted", count), number);
    deletion->toast = adw_toast_new(title);
    adw_toast_set_button_label(deletion->toast, _("_Undo"));
    adw_toast_set_priority(deletion->toast, ADW_TOAST_PRIORITY_HIGH);
    g_signal_connect(deletion->toast, "button-clicked", G_CALLBACK(on_undo), deletion);
    g_signal_connect(deletion->toast, "dismissed", G_CALLBACK(on_dismissed), deletion);
    adw_toast_overlay_add_toast(ADW_TOAST_OVERLAY(overlay), g_object_ref(deletion->toast));
}

// ---- Deleting ----

// What is in use cannot go: that is said now and not when nobody thinks of it any more.
static void on_asked(GObject *source, GAsyncResult *result, gpointer data)
{
    Deletion *deletion = data;
    g_autoptr(GError) error = NULL;
    if (!rw_session_remove_finish(RW_SESSION(source), result, &error)) {
        give_up(deletion, error);
        forget(deletion);
    } else if (!deletion->list) {
        remove_now(deletion);
    } else {
        show_toast(deletion);
    }
}

void run_list_delete_selected(GtkWidget *widget, const char *name, GVariant *parameter)
{
    RuiRunList *list = RUI_RUN_LIST(widget);
    g_autoptr(RuiRunRow) row = run_list_dup_row(list, run_list_get_selected(list));
    if (!row)
        return;
    Deletion *deletion = g_new0(Deletion, 1);
    deletion->list = list;
    deletion->session = g_object_ref(list->session);
    deletion->items = g_ptr_array_new_with_free_func(g_object_unref);
    collect(row, deletion->items);
    g_ptr_array_add(list->deletions, deletion);
    rw_session_put_away(list->session, deletion->items);
    rw_session_remove_async(list->session, deletion->items, true, NULL, on_asked, deletion);
}

void run_list_finish_deletions(RuiRunList *list)
{
    g_autoptr(GPtrArray) deletions = list->deletions;
    list->deletions = g_ptr_array_new_with_free_func(run_list_deletion_free);
    g_ptr_array_set_free_func(deletions, NULL); // each goes by itself
    for (guint i = 0; i < deletions->len; i++) {
        Deletion *deletion = deletions->pdata[i];
        deletion->list = NULL;
        if (deletion->toast)
            on_dismissed(deletion->toast, deletion);
    }
}
