// SPDX-License-Identifier: MIT
//
// The menu of a row, and deleting.
#include "run-list-private.h"

#include "rui-words.h"

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
    if (run_list_get_selected(list) == GTK_INVALID_LIST_POSITION)
        return FALSE;
    gtk_popover_set_pointing_to(list->menu, &(GdkRectangle){40, 40, 1, 1});
    gtk_popover_popup(list->menu);
    return TRUE;
}

// The keyboard goes back to the row, unless what was chosen has given it to something else.
static void on_menu_closed(RuiRunList *list)
{
    GtkWidget *focus = gtk_root_get_focus(gtk_widget_get_root(GTK_WIDGET(list)));
    if (gtk_widget_get_mapped(GTK_WIDGET(list)) && (!focus || focus == GTK_WIDGET(list->menu) ||
                                                    gtk_widget_is_ancestor(focus, GTK_WIDGET(list->menu))))
        run_list_focus_selected(list);
}

void run_list_add_menu(RuiRunList *list)
{
    g_signal_connect_swapped(list->menu, "closed", G_CALLBACK(on_menu_closed), list);
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
    g_autoptr(RuiRunRow) row = run_list_dup_row(list, run_list_get_selected(list));
    g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);
    if (!row)
        return;
    collect(row, items);
    Deletion *deletion = g_new0(Deletion, 1);
    deletion->list = g_object_ref(list);
    deletion->items = g_ptr_array_ref(items);
    GtkWidget *dialog =
        adw_message_dialog_new(GTK_WINDOW(gtk_widget_get_root(widget)), _("Delete Runs?"), NULL);
    g_autofree char *count = rui_dup_number(items->len);
    adw_message_dialog_format_body(ADW_MESSAGE_DIALOG(dialog),
                                   g_dngettext(NULL, "%s run will be deleted for good.",
                                               "%s runs will be deleted for good.", items->len),
                                   count);
    adw_message_dialog_add_responses(ADW_MESSAGE_DIALOG(dialog), "cancel", _("_Cancel"), "delete",
                                     _("_Delete"), NULL);
    adw_message_dialog_set_response_appearance(ADW_MESSAGE_DIALOG(dialog), "delete",
                                               ADW_RESPONSE_DESTRUCTIVE);
    adw_message_dialog_set_default_response(ADW_MESSAGE_DIALOG(dialog), "cancel");
    g_signal_connect(dialog, "response", G_CALLBACK(on_response), deletion);
    gtk_window_present(GTK_WINDOW(dialog));
}
