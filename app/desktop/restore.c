// SPDX-License-Identifier: MIT
//
// What was open when the app ended is open again at its next start; what was recorded last is in the
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

static void note(GtkApplication *application, GSettings *settings)
{
    GVariantBuilder windows;
    g_variant_builder_init(&windows, G_VARIANT_TYPE("a" WINDOW_TYPE));
    // The one that was used last is to be on top again.
    GList *last = g_list_last(gtk_application_get_windows(application));
    for (GList *node = last; node; node = node->prev)
        if (RUI_IS_WINDOW(node->data))
            add_window(&windows, node->data);
    g_autoptr(GVariant) now = g_variant_ref_sink(g_variant_builder_end(&windows));
    g_autoptr(GVariant) before = g_settings_get_value(settings, KEY);
    if (!g_variant_equal(now, before))
        g_settings_set_value(settings, KEY, now);
}

// ---- As it changes ----

#define NOTE_AFTER 2 // seconds: a start that fails for what it opens has failed by then

typedef struct {
    GtkApplication *application; // which has it
    GSettings *settings;
    guint due; // timeout, 0: nothing has changed
    gboolean quits;
} Keeper;

static void keeper_free(gpointer data)
{
    Keeper *keeper = data;
    g_clear_handle_id(&keeper->due, g_source_remove);
    g_object_unref(keeper->settings);
    g_free(keeper);
}

static Keeper *get_keeper(GtkApplication *application)
{
    return g_object_get_data(G_OBJECT(application), "keeper");
}

static gboolean on_due(gpointer data)
{
    Keeper *keeper = data;
    keeper->due = 0;
    note(keeper->application, keeper->settings);
    return G_SOURCE_REMOVE;
}

static void on_change(GtkWidget *window)
{
    GtkApplication *application = gtk_window_get_application(GTK_WINDOW(window));
    Keeper *keeper = application ? get_keeper(application) : NULL;
    if (keeper && !keeper->quits && !keeper->due)
        keeper->due = g_timeout_add_seconds(NOTE_AFTER, on_due, keeper);
}

static void on_added(GtkApplication *application, GtkWindow *window, Keeper *keeper)
{
    static const char *const own[] = {"notify::default-width", "notify::default-height",
                                      "notify::maximized"};
    if (!RUI_IS_WINDOW(window))
        return;
    keeper->quits = FALSE;
    for (guint i = 0; i < G_N_ELEMENTS(own); i++)
        g_signal_connect(window, own[i], G_CALLBACK(on_change), NULL);
    g_signal_connect_object(RUI_WINDOW(window)->view, "notify", G_CALLBACK(on_change), window,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(RUI_WINDOW(window)->tabs, "notify::visible-child-name", G_CALLBACK(on_change),
                            window, G_CONNECT_SWAPPED);
}

// Who closes a window does not want it again. At once: it may be the last thing that is done.
static void on_removed(GtkApplication *application, GtkWindow *window, Keeper *keeper)
{
    if (RUI_IS_WINDOW(window) && !keeper->quits)
        note(application, keeper->settings);
}

void desktop_keep_windows(GtkApplication *application, GSettings *settings)
{
    if (!settings)
        return;
    Keeper *keeper = g_new0(Keeper, 1);
    keeper->application = application;
    keeper->settings = g_object_ref(settings);
    g_object_set_data_full(G_OBJECT(application), "keeper", keeper, keeper_free);
    g_signal_connect(application, "window-added", G_CALLBACK(on_added), keeper);
    g_signal_connect(application, "window-removed", G_CALLBACK(on_removed), keeper);
}

void desktop_note_windows(GtkApplication *application, GSettings *settings)
{
    Keeper *keeper = get_keeper(application);
    if (!settings)
        return;
    note(application, settings);
    g_settings_sync(); // nobody may be there later on
    if (!keeper)
        return;
    keeper->quits = TRUE;
    g_clear_handle_id(&keeper->due, g_source_remove);
}

// ---- At the next start ----

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
