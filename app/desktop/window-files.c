// SPDX-License-Identifier: MIT
//
// .rwd files: chosen, named; the example.
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

char *window_dup_chosen(RuiWindow *window, GtkNativeDialog *dialog, int response)
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
    g_autofree char *path = window_dup_chosen(window, dialog, response);
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
