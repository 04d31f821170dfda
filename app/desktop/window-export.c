// SPDX-License-Identifier: MIT
//
// Runs become .rwd files.
#include "window-private.h"

#include "rui-run-file.h"
#include "rw-session-work.h"

#include <glib/gi18n.h>

static void on_exported(RwSessionWork *work, GParamSpec *pspec, RuiWindow *window)
{
    const char *problem = rw_session_work_get_problem(work);
    rui_window_toast(window, problem ? problem : _("Exported"));
}

static void release_application(RwSessionWork *work, GParamSpec *pspec, GApplication *application)
{
    g_application_release(application);
}

// The file becomes whole also when this was the last window.
static void hold_application(RuiWindow *window, RwSessionWork *work)
{
    GtkApplication *application = gtk_window_get_application(GTK_WINDOW(window));
    g_application_hold(G_APPLICATION(application));
    g_signal_connect_object(work, "notify::running", G_CALLBACK(release_application), application, 0);
}

void window_export_to(RuiWindow *window, RwSessionRun *run, const char *path, gboolean replayable)
{
    g_autoptr(RwSessionWork) work = rw_session_export(run, path, replayable);
    g_signal_connect_object(work, "notify::running", G_CALLBACK(on_exported), window, 0);
    hold_application(window, work);
}

// ---- Where to ----

static gboolean has_choice(GtkNativeDialog *dialog, const char *name)
{
    return !g_strcmp0(gtk_file_chooser_get_choice(GTK_FILE_CHOOSER(dialog), name), "true");
}

void window_export_pair(RuiWindow *window, RwSessionRun *other, const char *path, gboolean replayable)
{
    g_autofree char *dir = g_path_get_dirname(path);
    g_autofree char *name = rui_dup_run_file_name(rw_session_run_get_item(other));
    g_autofree char *beside = g_build_filename(dir, name, NULL);
    window_export_to(window, other, beside, replayable);
}

static void on_export_chosen(GtkNativeDialog *dialog, int response, RuiWindow *window)
{
    RwSessionRun *run = g_object_get_data(G_OBJECT(dialog), "run");
    RwSessionRun *other = g_object_get_data(G_OBJECT(dialog), "other");
    g_autofree char *path = window_dup_chosen(window, dialog, response);
    gboolean replayable = has_choice(dialog, "replayable");
    if (path)
        window_export_to(window, run, path, replayable);
    if (path && other && has_choice(dialog, "pair"))
        window_export_pair(window, other, path, replayable);
    g_clear_object(&window->chooser);
}

static void add_choices(RuiWindow *window, GtkFileChooser *chooser, RwSessionRun *run)
{
    RwSessionRun *other =
        run == rui_view_get_run(window->view) ? rui_view_get_compared(window->view) : NULL;
    gtk_file_chooser_add_choice(chooser, "replayable",
                                _("With its machine and files, so that it can be replayed elsewhere"), NULL,
                                NULL);
    gtk_file_chooser_set_choice(chooser, "replayable", rui_is_run_small(run) ? "true" : "false");
    if (!other)
        return;
    g_object_set_data_full(G_OBJECT(chooser), "other", g_object_ref(other), g_object_unref);
    gtk_file_chooser_add_choice(
        chooser, "pair", _("Also the run that it is compared with, as a file beside it"), NULL, NULL);
    gtk_file_chooser_set_choice(chooser, "pair", "true");
}

static void ask_where(RuiWindow *window, RwSessionRun *run)
{
    g_autofree char *name = rui_dup_run_file_name(rw_session_run_get_item(run));
    g_clear_object(&window->chooser);
    window->chooser = GTK_NATIVE_DIALOG(gtk_file_chooser_native_new(
        _("Export the Run"), GTK_WINDOW(window), GTK_FILE_CHOOSER_ACTION_SAVE, _("_Export"), NULL));
    g_object_set_data_full(G_OBJECT(window->chooser), "run", g_object_ref(run), g_object_unref);
    gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(window->chooser), name);
    add_choices(window, GTK_FILE_CHOOSER(window->chooser), run);
    g_signal_connect_object(window->chooser, "response", G_CALLBACK(on_export_chosen), window, 0);
    gtk_native_dialog_show(window->chooser);
}

static void on_opened_for_export(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(RuiWindow) window = data;
    g_autoptr(GError) error = NULL;
    g_autoptr(RwSessionRun) run = rw_session_open_run_finish(RW_SESSION(source), result, &error);
    if (window_is_closed(window))
        return;
    if (run)
        ask_where(window, run);
    else
        rui_window_toast(window, error->message);
}

void window_export(RuiWindow *window, const char *ref)
{
    RwSessionRun *open = rui_view_get_run(window->view);
    if (ref)
        rw_session_open_run_async(window->session, ref, NULL, on_opened_for_export, g_object_ref(window));
    else if (open)
        ask_where(window, open);
}
