// SPDX-License-Identifier: MIT
//
// A .rwd file that is dropped on a window.
#include "window-private.h"

static gboolean on_drop(GtkDropTarget *target, const GValue *value, double x, double y, RuiWindow *window)
{
    GSList *files = g_value_get_boxed(value);
    g_autofree char *path = files ? g_file_get_path(files->data) : NULL;
    if (!path)
        return FALSE;
    rui_window_open_location(window, path, NULL, RUI_NO_STEP);
    return TRUE;
}

void window_add_drop(RuiWindow *window)
{
    GtkDropTarget *target = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
    g_signal_connect(target, "drop", G_CALLBACK(on_drop), window);
    gtk_widget_add_controller(GTK_WIDGET(window), GTK_EVENT_CONTROLLER(target));
}
