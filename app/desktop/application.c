// SPDX-License-Identifier: MIT
#include "rui-application.h"

#include "restore.h"
#include "rui-popovers.h"
#include "search-provider.h"
#include "settings.h"

#include <glib/gi18n.h>

struct _RuiApplication {
    AdwApplication parent_instance;
    RwSession *session;
    char *problem; // why there is none
    GSettings *settings;
    guint search; // registration on the bus, or 0
};

G_DEFINE_FINAL_TYPE(RuiApplication, rui_application, ADW_TYPE_APPLICATION)

static void rui_application_finalize(GObject *object)
{
    RuiApplication *application = RUI_APPLICATION(object);
    g_clear_object(&application->session);
    g_clear_object(&application->settings);
    g_free(application->problem);
    G_OBJECT_CLASS(rui_application_parent_class)->finalize(object);
}

// ---- Windows ----

static RuiWindow *new_window(RuiApplication *application)
{
    RuiWindow *window =
        rui_window_new(GTK_APPLICATION(application), application->session, application->settings);
    gtk_window_present(GTK_WINDOW(window));
    return window;
}

static gboolean shows(RuiWindow *window, const char *run)
{
    RwSessionRun *open = rui_view_get_run(rui_window_get_view(window));
    return open && !strcmp(rui_window_get_page(window), "run") &&
           (!strcmp(rw_run_item_get_ref(rw_session_run_get_item(open)), run) ||
            !strcmp(rw_session_run_get_path(open), run));
}

static RuiWindow *find_window(RuiApplication *application, const char *run)
{
    RuiWindow *empty = NULL;
    for (GList *node = gtk_application_get_windows(GTK_APPLICATION(application)); node; node = node->next) {
        if (!RUI_IS_WINDOW(node->data))
            continue;
        if (run && shows(node->data, run))
            return node->data;
        if (!empty && rui_window_is_empty(node->data))
            empty = node->data;
    }
    return empty;
}

RuiWindow *rui_application_open(RuiApplication *application, const char *run, const char *compare,
                                guint64 step)
{
    RuiWindow *window = find_window(application, run);
    gboolean there = window && run && shows(window, run);
    if (!window)
        window = new_window(application);
    if (there && step != RUI_NO_STEP)
        rui_view_jump(rui_window_get_view(window), step);
    if (there && compare)
        rui_window_compare(window, compare);
    if (run && !there && rui_is_location(run))
        rui_window_open_location(window, run, compare, step);
    else if (run && !there)
        rui_window_open_run(window, run, compare, step);
    gtk_window_present(GTK_WINDOW(window));
    return window;
}

RwSession *rui_application_get_session(RuiApplication *application)
{
    return application->session;
}

// ---- Actions ----

static void do_new_window(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    new_window(data);
}

static void do_quit(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    desktop_note_windows(data, RUI_APPLICATION(data)->settings);
    GtkWindow *window;
    while ((window = gtk_application_get_active_window(data))) {
        gtk_window_close(window);
        if (gtk_application_get_active_window(data) == window)
            gtk_window_destroy(window);
    }
    // It ends when nothing holds it any more: a file that is exported, runs that are deleted.
}

static void do_about(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    adw_show_about_window(gtk_application_get_active_window(data), "application-name", _("Rewind"),
                          "application-icon", "dev.rewindvm.Rewind", "version", REWIND_VERSION, "comments",
                          _("Records, replays and looks into runs of flaky jobs."), "license-type",
                          GTK_LICENSE_MIT_X11, "developer-name", _("The Rewind developers"),
                          "translator-credits", _("translator-credits"), NULL);
}

static void do_preferences(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    desktop_show_preferences(gtk_application_get_active_window(data), RUI_APPLICATION(data)->settings);
}

// Of a notification: that window, unless it is gone and there is a run to open.
static void do_show_result(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    const char *run, *tab;
    guint id;
    g_variant_get(parameter, "(u&s&s)", &id, &run, &tab);
    GtkWindow *window = gtk_application_get_window_by_id(data, id);
    if (*run)
        window = GTK_WINDOW(rui_application_open(data, run, NULL, RUI_NO_STEP));
    else if (window)
        gtk_window_present(window);
    if (window && *tab)
        rui_window_show_tab(RUI_WINDOW(window), tab);
}

static const GActionEntry entries[] = {
    {.name = "new-window", .activate = do_new_window},
    {.name = "quit", .activate = do_quit},
    {.name = "about", .activate = do_about},
    {.name = "show-result", .parameter_type = "(uss)", .activate = do_show_result},
    {.name = "preferences", .activate = do_preferences},
};

// ---- Life ----

static void rui_application_startup(GApplication *gapplication)
{
    RuiApplication *application = RUI_APPLICATION(gapplication);
    g_autoptr(GError) error = NULL;
    G_APPLICATION_CLASS(rui_application_parent_class)->startup(gapplication);
    gtk_window_set_default_icon_name("dev.rewindvm.Rewind");
    rui_popovers_watch();
    application->settings = desktop_settings_new();
    desktop_follow_scheme(application->settings);
    desktop_keep_windows(GTK_APPLICATION(application), application->settings);
    application->session = rw_session_new(NULL, &error);
    application->problem = g_strdup(error ? error->message : NULL);
    g_action_map_add_action_entries(G_ACTION_MAP(application), entries, G_N_ELEMENTS(entries), application);
}

static gboolean rui_application_dbus_register(GApplication *application, GDBusConnection *connection,
                                              const char *path, GError **error)
{
    if (!G_APPLICATION_CLASS(rui_application_parent_class)
             ->dbus_register(application, connection, path, error))
        return FALSE;
    RUI_APPLICATION(application)->search =
        desktop_offer_search(RUI_APPLICATION(application), connection, path, error);
    return RUI_APPLICATION(application)->search != 0;
}

static void rui_application_dbus_unregister(GApplication *application, GDBusConnection *connection,
                                            const char *path)
{
    if (RUI_APPLICATION(application)->search)
        g_dbus_connection_unregister_object(connection, RUI_APPLICATION(application)->search);
    RUI_APPLICATION(application)->search = 0;
    G_APPLICATION_CLASS(rui_application_parent_class)->dbus_unregister(application, connection, path);
}

// It is started, and nobody asks for a run: what was open is open again.
static gboolean restore(RuiApplication *application)
{
    return !gtk_application_get_windows(GTK_APPLICATION(application)) &&
           desktop_restore_windows(GTK_APPLICATION(application), application->session,
                                   application->settings);
}

static int say(GApplicationCommandLine *line, const char *message)
{
    g_application_command_line_printerr(line, "rewind-app: %s\n", message);
    return 1;
}

static int rui_application_command_line(GApplication *gapplication, GApplicationCommandLine *line)
{
    RuiApplication *application = RUI_APPLICATION(gapplication);
    GVariantDict *options = g_application_command_line_get_options_dict(line);
    g_auto(GStrv) arguments = g_application_command_line_get_arguments(line, NULL);
    const char *compare = NULL, *given = NULL, *run = arguments[0] ? arguments[1] : NULL;
    guint64 step = RUI_NO_STEP;
    if (!application->session)
        return say(line, application->problem);
    if (g_variant_dict_contains(options, "batch"))
        return say(line, "--batch must come first: rewind-app --batch COMMAND");
    if (run && arguments[2])
        return say(line, "one run is opened at a time: see rewind-app --help");
    if (g_variant_dict_lookup(options, "step", "&s", &given) &&
        !g_ascii_string_to_unsigned(given, 10, 0, G_MAXUINT64 - 1, &step, NULL))
        return say(line, "--step: a step is a number");
    g_variant_dict_lookup(options, "compare", "&s", &compare);
    // Paths are relative to where the command was given, which may be another process.
    g_autoptr(GFile) file =
        run && !strstr(run, "://") && (strchr(run, '/') || g_str_has_suffix(run, ".rwd"))
            ? g_application_command_line_create_file_for_arg(line, run)
            : NULL;
    g_autofree char *path = file ? g_file_get_path(file) : NULL;
    g_autoptr(GFile) other = compare && strchr(compare, '/')
                                 ? g_application_command_line_create_file_for_arg(line, compare)
                                 : NULL;
    g_autofree char *other_path = other ? g_file_get_path(other) : NULL;
    if (run || !restore(application))
        rui_application_open(application, path ? path : run, other_path ? other_path : compare, step);
    return 0;
}

static void rui_application_activate(GApplication *gapplication)
{
    RuiApplication *application = RUI_APPLICATION(gapplication);
    if (application->session && !restore(application))
        rui_application_open(application, NULL, NULL, RUI_NO_STEP);
}

static void rui_application_open_files(GApplication *gapplication, GFile **files, int count,
                                       const char *hint)
{
    for (int i = 0; i < count; i++) {
        g_autofree char *path = g_file_get_path(files[i]);
        if (path && RUI_APPLICATION(gapplication)->session)
            rui_application_open(RUI_APPLICATION(gapplication), path, NULL, RUI_NO_STEP);
    }
}

static void rui_application_class_init(RuiApplicationClass *class)
{
    GApplicationClass *application_class = G_APPLICATION_CLASS(class);
    G_OBJECT_CLASS(class)->finalize = rui_application_finalize;
    application_class->dbus_register = rui_application_dbus_register;
    application_class->dbus_unregister = rui_application_dbus_unregister;
    application_class->startup = rui_application_startup;
    application_class->activate = rui_application_activate;
    application_class->command_line = rui_application_command_line;
    application_class->open = rui_application_open_files;
}

static const GOptionEntry options[] = {
    {"compare", 0, 0, G_OPTION_ARG_STRING, NULL, N_("Compare with another run"), N_("RUN")},
    {"step", 0, 0, G_OPTION_ARG_STRING, NULL, N_("Go to a step"), N_("N")},
    {"batch", 0, 0, G_OPTION_ARG_NONE, NULL,
     N_("Run a command of rewind without a display: must come first"), NULL},
    {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
};

static void rui_application_init(RuiApplication *application)
{
    g_application_add_main_option_entries(G_APPLICATION(application), options);
    g_application_set_option_context_parameter_string(G_APPLICATION(application), "[RUN|FILE.rwd|URL]");
}

RuiApplication *rui_application_new(void)
{
    // Files come by the command line, or over D-Bus from a file manager.
    return g_object_new(RUI_TYPE_APPLICATION, "application-id", "dev.rewindvm.Rewind", "flags",
                        G_APPLICATION_HANDLES_COMMAND_LINE | G_APPLICATION_HANDLES_OPEN,
                        "resource-base-path", "/dev/rewindvm/Rewind", NULL);
}
