// SPDX-License-Identifier: MIT
#include "file-page-private.h"

#include <glib/gi18n.h>

static void on_saved(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(RuiFilePage) page = data;
    g_autoptr(GError) error = NULL;
    gboolean ok = rw_session_run_save_file_finish(RW_SESSION_RUN(source), result, &error);
    if (page->view) // is not closed
        gtk_widget_activate_action(GTK_WIDGET(page), "win.toast", "s", ok ? _("Saved") : error->message);
}

void rui_file_page_save(RuiFilePage *page, GFile *file)
{
    rw_session_run_save_file_async(page->asked.run, &(RwFilePlace){page->asked.step, page->asked.path},
                                   file, NULL, on_saved, g_object_ref(page));
}

static void on_chosen(GtkNativeDialog *dialog, int response, RuiFilePage *page)
{
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    if (response == GTK_RESPONSE_ACCEPT && file)
        rui_file_page_save(page, file);
    g_clear_object(&page->chooser);
}

void file_page_save(GtkWidget *widget, const char *action, GVariant *parameter)
{
    RuiFilePage *page = RUI_FILE_PAGE(widget);
    g_autofree char *base = g_path_get_basename(page->asked.path);
    g_autofree char *shown = g_filename_display_name(base);
    g_clear_object(&page->chooser);
    page->chooser = GTK_NATIVE_DIALOG(
        gtk_file_chooser_native_new(_("Save the File"), GTK_WINDOW(gtk_widget_get_root(widget)),
                                    GTK_FILE_CHOOSER_ACTION_SAVE, _("_Save"), NULL));
    gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(page->chooser), shown);
    g_signal_connect_object(page->chooser, "response", G_CALLBACK(on_chosen), page, 0);
    gtk_native_dialog_show(page->chooser);
}
