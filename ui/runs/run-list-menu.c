// SPDX-License-Identifier: MIT
//
// The menu of a row, and deleting.
#include "run-list-private.h"

#include "rui-run-tree.h"

#include <adwaita.h>
#include <glib/gi18n.h>

// ---- The menu ----

// The row under the pointer becomes the selected one. Rows are asked for their place one by one: only those
// on the screen have a widget.
static gboolean select_at(RuiRunList *list, double x, double y)
{
    GtkWidget *hit = gtk_widget_pick(GTK_WIDGET(list->view), x, y, GTK_PICK_DEFAULT);
    while (hit && gtk_widget_get_parent(hit) != GTK_WIDGET(list->view))
        hit = gtk_widget_get_parent(hit);
    if (!hit)
        return FALSE;
    // Activating the row's own action selects what the row holds.
    GtkWidget *inside = gtk_widget_get_first_child(hit);
    return inside && gtk_widget_activate_action(inside, "listitem.select", "(bb)", FALSE, FALSE);
}

static void on_pressed(GtkGestureClick *click, int presses, double x, double y, RuiRunList *list)
{
    if (!select_at(list, x, y))
        return;
    graphene_point_t at;
    if (!gtk_widget_compute_point(GTK_WIDGET(list->view), GTK_WIDGET(list),
                                  &GRAPHENE_POINT_INIT((float)x, (float)y), &at))
        return;
    gtk_popover_set_pointing_to(list->menu, &(GdkRectangle){(int)at.x, (int)at.y, 1, 1});
    gtk_popover_popup(list->menu);
}

static gboolean on_menu_key(GtkWidget *widget, GVariant *args, gpointer data)
{
    RuiRunList *list = data;
    if (!rui_run_list_get_selected(list))
        return FALSE;
    gtk_popover_set_pointing_to(list->menu, &(GdkRectangle){40, 40, 1, 1});
    gtk_popover_popup(list->menu);
    return TRUE;
}

void run_list_add_menu(RuiRunList *list)
{
    GtkGesture *click = gtk_gesture_click_new();
    gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), GDK_BUTTON_SECONDARY);
    gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(click), GTK_PHASE_CAPTURE);
    g_signal_connect(click, "pressed", G_CALLBACK(on_pressed), list);
    gtk_widget_add_controller(GTK_WIDGET(list->view), GTK_EVENT_CONTROLLER(click));
    GtkEventController *keys = gtk_shortcut_controller_new();
    gtk_shortcut_controller_add_shortcut(
        GTK_SHORTCUT_CONTROLLER(keys),
        gtk_shortcut_new(gtk_shortcut_trigger_parse_string("Menu|<Shift>F10"),
                         gtk_callback_action_new(on_menu_key, list, NULL)));
    gtk_widget_add_controller(GTK_WIDGET(list->view), keys);
}

// ---- Deleting ----

typedef struct {
    RuiRunList *list;
    GPtrArray *items; // of RwRunItem, owned: forks before what they were forked from
    guint next;
} Deletion;

static void deletion_free(Deletion *deletion)
{
    g_object_unref(deletion->list);
    g_ptr_array_unref(deletion->items);
    g_free(deletion);
}

// The selected run and the deeper rows right below it, the last first.
static GPtrArray *collect(RuiRunList *list)
{
    GListModel *rows = G_LIST_MODEL(list->rows);
    GtkSingleSelection *selection = GTK_SINGLE_SELECTION(gtk_list_view_get_model(list->view));
    guint from = gtk_single_selection_get_selected(selection);
    GPtrArray *items = g_ptr_array_new_with_free_func(g_object_unref);
    g_autoptr(RuiRunRow) first = g_list_model_get_item(rows, from);
    for (guint i = from; first; i++) {
        g_autoptr(RuiRunRow) row = g_list_model_get_item(rows, i);
        gboolean below = row && rui_run_row_get_depth(row) > rui_run_row_get_depth(first);
        if (!row || (i > from && !below))
            break;
        if (!rui_run_row_is_heading(row))
            g_ptr_array_insert(items, 0, g_object_ref(rui_run_row_get_item(row)));
    }
    return items;
}

static void show_problem(RuiRunList *list, const char *message)
{
    GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(list));
    GtkWidget *dialog = adw_message_dialog_new(GTK_WINDOW(root), _("Not Deleted"), NULL);
    adw_message_dialog_set_body(ADW_MESSAGE_DIALOG(dialog), message);
    adw_message_dialog_add_response(ADW_MESSAGE_DIALOG(dialog), "close", _("_Close"));
    gtk_window_present(GTK_WINDOW(dialog));
}

static void delete_next(Deletion *deletion);

static void on_deleted(GObject *source, GAsyncResult *result, gpointer data)
{
    Deletion *deletion = data;
    g_autoptr(GError) error = NULL;
    if (rw_session_remove_finish(RW_SESSION(source), result, &error)) {
        delete_next(deletion);
        return;
    }
    if (gtk_widget_get_root(GTK_WIDGET(deletion->list)))
        show_problem(deletion->list, error->message);
    deletion_free(deletion);
}

static void delete_next(Deletion *deletion)
{
    if (deletion->next == deletion->items->len || !deletion->list->session) {
        deletion_free(deletion);
        return;
    }
    rw_session_remove_async(deletion->list->session, deletion->items->pdata[deletion->next++], NULL,
                            on_deleted, deletion);
}

static void on_response(AdwMessageDialog *dialog, const char *response, gpointer data)
{
    Deletion *deletion = data;
    if (strcmp(response, "delete"))
        deletion_free(deletion);
    else
        delete_next(deletion);
}

void run_list_delete_selected(GtkWidget *widget, const char *name, GVariant *parameter)
{
    RuiRunList *list = RUI_RUN_LIST(widget);
    g_autoptr(GPtrArray) items = collect(list);
    if (!items->len)
        return;
    Deletion *deletion = g_new0(Deletion, 1);
    deletion->list = g_object_ref(list);
    deletion->items = g_ptr_array_ref(items);
    GtkWidget *dialog =
        adw_message_dialog_new(GTK_WINDOW(gtk_widget_get_root(widget)), _("Delete Runs?"), NULL);
    adw_message_dialog_format_body(ADW_MESSAGE_DIALOG(dialog),
                                   g_dngettext(NULL, "%u run will be deleted for good.",
                                               "%u runs will be deleted for good.", items->len),
                                   items->len);
    adw_message_dialog_add_responses(ADW_MESSAGE_DIALOG(dialog), "cancel", _("_Cancel"), "delete",
                                     _("_Delete"), NULL);
    adw_message_dialog_set_response_appearance(ADW_MESSAGE_DIALOG(dialog), "delete",
                                               ADW_RESPONSE_DESTRUCTIVE);
    adw_message_dialog_set_default_response(ADW_MESSAGE_DIALOG(dialog), "cancel");
    g_signal_connect(dialog, "response", G_CALLBACK(on_response), deletion);
    gtk_window_present(GTK_WINDOW(dialog));
}
