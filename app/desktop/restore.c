// SPDX-License-Identifier: MIT
//
// What was open when the app was quit is open again at its next start; what was recorded last is in the
// form of a new run.
#include "restore.h"

#include "window-private.h"

// Of each window: run, compared run or "" (folders), step, tab, width, height, whether it is maximised.
#define KEY "windows"
#define WINDOW_TYPE "(sstsiib)"

static const char *get_path(RwSessionRun *run)
{
    return run ? rw_session_run_get_path(run) : "";
}

static void add_window(GVariantBuilder *windows, RuiWindow *window)
{
    RuiView *view = window->view;
    int width, height;
    if (!rui_view_get_run(view) || strcmp(rui_window_get_page(window), "run"))
        return;
    gtk_window_get_default_size(GTK_WINDOW(window), &width, &height);
    g_variant_builder_add(windows, WINDOW_TYPE, get_path(rui_view_get_run(view)),
                          get_path(rui_view_get_compared(view)), rui_view_get_step(view),
                          adw_view_stack_get_visible_child_name(window->tabs), width, height,
                          gtk_window_is_maximized(GTK_WINDOW(window)));
}

void desktop_note_windows(GtkApplication *application, GSettings *settings)
{
    GVariantBuilder windows;
    if (!settings)
        return;
    g_variant_builder_init(&windows, G_VARIANT_TYPE("a" WINDOW_TYPE));
    // The one that was used last is to be on top again.
    GList *last = g_list_last(gtk_application_get_windows(application));
    for (GList *node = last; node; node = node->prev)
        if (RUI_IS_WINDOW(node->data))
            add_window(&windows, node->data);
    g_settings_set_value(settings, KEY, g_variant_builder_end(&windows));
    g_settings_sync(); // nobody may be there later on
}

static gboolean is_there(const char *path)
{
    return g_file_test(path, G_FILE_TEST_IS_DIR);
}

guint desktop_restore_windows(GtkApplication *application, RwSession *session, GSettings *settings)
{
    const char *run, *compared, *tab;
    guint64 step;
    gint32 width, height;
    gboolean maximized;
    guint count = 0;
    if (!settings)
        return 0;
    g_autoptr(GVariant) windows = g_settings_get_value(settings, KEY);
    g_settings_reset(settings, KEY); // a start that fails for them is the last one
    GVariantIter each;
    g_variant_iter_init(&each, windows);
    while (g_settings_get_boolean(settings, "restore-windows") &&
           g_variant_iter_next(&each, "(&s&st&siib)", &run, &compared, &step, &tab, &width, &height,
                               &maximized)) {
        if (!is_there(run))
            continue;
        RuiWindow *window = rui_window_new(application, session, settings);
        gtk_window_set_default_size(GTK_WINDOW(window), width, height);
        g_object_set(window, "maximized", maximized, NULL);
        gtk_window_present(GTK_WINDOW(window));
        rui_window_open_run(window, run, is_there(compared) ? compared : NULL, step);
        rui_window_show_tab(window, tab);
        count++;
    }
    return count;
}

// ---- A new run ----

void desktop_note_form(GSettings *settings, RuiRecordWindow *form)
{
    RuiRecordOptions options = rui_record_window_get_options(form);
    if (!settings)
        return;
    g_settings_set_value(settings, "record-form", rui_record_window_save(form));
    g_settings_set_uint(settings, "record-memory", options.memory);
    g_settings_set_uint(settings, "record-timeout", options.timeout);
}

void desktop_restore_form(GSettings *settings, RuiRecordWindow *form)
{
    g_autoptr(GVariant) saved = settings ? g_settings_get_value(settings, "record-form") : NULL;
    if (saved)
        rui_record_window_restore(form, saved);
}
