// SPDX-License-Identifier: MIT
//
// .rwd files that are dropped on a window: the first opens in it, the others as if they were given to the
// app.
#include "window-private.h"

#include "rui-application.h"
#include "rui-run-file.h"

#include <glib/gi18n.h>

static void take_paths(const GSList *files, GPtrArray *paths)
{
    for (const GSList *node = files; node; node = node->next) {
        char *path = g_file_get_path(node->data);
        if (path && rui_is_location(path))
            g_ptr_array_add(paths, path);
        else
            g_free(path);
    }
}

static gboolean on_drop(GtkDropTarget *target, const GValue *value, double x, double y, RuiWindow *window)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    RuiApplication *application = RUI_APPLICATION(gtk_window_get_application(GTK_WINDOW(window)));
    take_paths(g_value_get_boxed(value), paths);
    if (!paths->len) {
        rui_window_toast(window, _("Only .rwd files of this machine can be dropped here"));
        return FALSE;
    }
    rui_window_open_location(window, paths->pdata[0], NULL, RUI_NO_STEP);
    for (guint i = 1; i < paths->len; i++)
        rui_application_open(application, paths->pdata[i], NULL, RUI_NO_STEP);
    return TRUE;
}

// Not a run that is dragged out of the app: it is here.
static gboolean on_accept(GtkDropTarget *target, GdkDrop *drop, gpointer data)
{
    GdkDrag *drag = gdk_drop_get_drag(drop);
    GdkContentFormats *formats = gtk_drop_target_get_formats(target);
    return gdk_content_formats_match(formats, gdk_drop_get_formats(drop)) &&
           !(drag && rui_is_run_file(gdk_drag_get_content(drag)));
}

void window_add_drop(RuiWindow *window)
{
    GtkDropTarget *target = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
    g_signal_connect(target, "accept", G_CALLBACK(on_accept), NULL);
    g_signal_connect(target, "drop", G_CALLBACK(on_drop), window);
    gtk_widget_add_controller(GTK_WIDGET(window), GTK_EVENT_CONTROLLER(target));
}
