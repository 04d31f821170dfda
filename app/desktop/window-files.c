// SPDX-License-Identifier: MIT
//
// .rwd files: chosen, named, exported; the example.
#include "window-private.h"

#include "rw-session-work.h"
#include "settings.h"

#include <glib/gi18n.h>

// ---- Import ----

// What to do with the run that was imported: open it, or import another one and compare that with it.
typedef struct {
    char *compare, *next;
    guint64 step;
} After;

static void import(RuiWindow *window, const char *location, const After *what);

static void after_free(gpointer data, GClosure *closure)
{
    After *after = data;
    g_free(after->compare);
    g_free(after->next);
    g_free(after);
}

static void on_import_status(RwSessionWork *work, GParamSpec *pspec, RuiWindow *window)
{
    g_autofree char *text = g_strdup_printf(_("Reading the file, %s"), rw_session_work_get_status(work));
    if (window->importing == work)
        gtk_label_set_text(window->opening_text, text);
}

static void on_imported(RwSessionWork *work, GParamSpec *pspec, After *after)
{
    RuiWindow *window = g_object_get_data(G_OBJECT(work), "window");
    const char *ref = rw_session_work_get_result(work), *problem = rw_session_work_get_problem(work);
    if (!window || window->importing != work)
        return; // another one, or none, is waited for
    g_autoptr(RwSessionWork) done = g_steal_pointer(&window->importing);
    if (ref && after->next)
        import(window, after->next, &(After){.compare = (char *)ref, .step = after->step});
    else if (ref)
        rui_window_open_run(window, ref, after->compare, after->step);
    else if (problem)
        window_show_problem(window, problem);
    else
        window_go_home(window);
}

static void import(RuiWindow *window, const char *location, const After *what)
{
    After *after = g_new(After, 1);
    *after = (After){g_strdup(what->compare), g_strdup(what->next), what->step};
    window_show_opening(window, location);
    window->importing = rw_session_import(window->session, location);
    g_object_set_data(G_OBJECT(window->importing), "window", window);
    g_signal_connect_object(window->importing, "notify::status", G_CALLBACK(on_import_status), window, 0);
    g_signal_connect_data(window->importing, "notify::running", G_CALLBACK(on_imported), after, after_free,
                          0);
}

gboolean rui_is_location(const char *text)
{
    return g_str_has_suffix(text, ".rwd") || g_str_has_prefix(text, "https://") ||
           g_str_has_prefix(text, "http://");
}

void rui_window_open_location(RuiWindow *window, const char *location, const char *compare, guint64 step)
{
    window->wanted_tour = FALSE;
    import(window, location, &(After){.compare = (char *)compare, .step = step});
}

void window_cancel_import(RuiWindow *window)
{
    if (!window->importing)
        return;
    g_object_set_data(G_OBJECT(window->importing), "window", NULL);
    rw_session_work_cancel(window->importing);
    g_clear_object(&window->importing);
}

static void add_filters(GtkFileChooser *chooser)
{
    GtkFileFilter *filter = gtk_file_filter_new();
    gtk_file_filter_set_name(filter, _("Rewind runs (.rwd)"));
    gtk_file_filter_add_pattern(filter, "*.rwd");
    gtk_file_chooser_add_filter(chooser, filter);
    g_object_unref(filter);
}

// NULL when none was, or it is elsewhere, which is said.
static char *dup_chosen(RuiWindow *window, GtkNativeDialog *dialog, int response)
{
    g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
    if (response != GTK_RESPONSE_ACCEPT || !file)
        return NULL;
    char *path = g_file_get_path(file);
    if (!path)
        rui_window_toast(window, _("Choose a file of this machine"));
    return path;
}

static void on_chosen(GtkNativeDialog *dialog, int response, RuiWindow *window)
{
    g_autofree char *path = dup_chosen(window, dialog, response);
    if (path)
        rui_window_open_location(window, path, NULL, RUI_NO_STEP);
    g_clear_object(&window->chooser);
}

void window_choose_file(RuiWindow *window)
{
    g_clear_object(&window->chooser);
    window->chooser = GTK_NATIVE_DIALOG(gtk_file_chooser_native_new(
        _("Open a Run"), GTK_WINDOW(window), GTK_FILE_CHOOSER_ACTION_OPEN, _("_Open"), NULL));
    add_filters(GTK_FILE_CHOOSER(window->chooser));
    g_signal_connect_object(window->chooser, "response", G_CALLBACK(on_chosen), window, 0);
    gtk_native_dialog_show(window->chooser);
}

// ---- Export ----

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

static void on_export_chosen(GtkNativeDialog *dialog, int response, RuiWindow *window)
{
    RwSessionRun *run = g_object_get_data(G_OBJECT(dialog), "run");
    g_autofree char *path = dup_chosen(window, dialog, response);
    const char *replayable = gtk_file_chooser_get_choice(GTK_FILE_CHOOSER(dialog), "replayable");
    if (path)
        window_export_to(window, run, path, !g_strcmp0(replayable, "true"));
    g_clear_object(&window->chooser);
}

static void ask_where(RuiWindow *window, RwSessionRun *run)
{
    g_autofree char *name = g_strconcat(rw_run_item_get_id(rw_session_run_get_item(run)), ".rwd", NULL);
    g_clear_object(&window->chooser);
    window->chooser = GTK_NATIVE_DIALOG(gtk_file_chooser_native_new(
        _("Export the Run"), GTK_WINDOW(window), GTK_FILE_CHOOSER_ACTION_SAVE, _("_Export"), NULL));
    g_object_set_data_full(G_OBJECT(window->chooser), "run", g_object_ref(run), g_object_unref);
    gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(window->chooser), name);
    gtk_file_chooser_add_choice(GTK_FILE_CHOOSER(window->chooser), "replayable",
                                _("With all that replaying it takes"), NULL, NULL);
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

// ---- The example ----

// The failing run beside its twin that passes.
void window_open_example(RuiWindow *window)
{
    g_autofree char *failing = desktop_dup_example("failing.rwd");
    g_autofree char *passing = desktop_dup_example("passing.rwd");
    window->wanted_tour = failing && passing;
    if (failing && passing)
        import(window, passing, &(After){.next = failing, .step = RUI_NO_STEP});
    else
        rui_window_toast(window, _("The example run is not installed"));
}
