// SPDX-License-Identifier: MIT
#include "settings.h"

#define SCHEMA "dev.rewindvm.Rewind"

// The first of these that is there: what the build leaves beside the program, and what an installation has,
// wherever it was moved to. name: of a file in the folder. Returns the folder, or NULL.
static char *find_folder(const char *built, const char *installed, const char *name)
{
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *dir = g_path_get_dirname(program ? program : "/");
    g_autofree char *in_build = g_build_filename(dir, "..", "..", built, NULL);
    g_autofree char *beside = g_build_filename(dir, REWIND_DATA_FROM_PROGRAM, installed, NULL);
    g_autofree char *at_last = g_build_filename(REWIND_DATA, installed, NULL);
    const char *const folders[] = {in_build, beside, at_last};
    for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *file = g_build_filename(folders[i], name, NULL);
        if (g_file_test(file, G_FILE_TEST_EXISTS))
            return g_canonicalize_filename(folders[i], NULL);
    }
    return NULL;
}

char *desktop_dup_locales(void)
{
    char *found = find_folder("po", "locale", "de/LC_MESSAGES/" GETTEXT_PACKAGE ".mo");
    return found ? found : g_strdup(REWIND_LOCALES);
}

// A program finds what belongs to it: what the system has may be of another version.
static GSettingsSchema *find_schema(void)
{
    GSettingsSchemaSource *system = g_settings_schema_source_get_default();
    g_autofree char *dir = find_folder("data/app", "glib-2.0/schemas", "gschemas.compiled");
    g_autoptr(GSettingsSchemaSource) source =
        dir ? g_settings_schema_source_new_from_directory(dir, system, FALSE, NULL) : NULL;
    GSettingsSchema *schema = source ? g_settings_schema_source_lookup(source, SCHEMA, FALSE) : NULL;
    if (!schema && system)
        schema = g_settings_schema_source_lookup(system, SCHEMA, TRUE);
    return schema;
}

GSettings *desktop_settings_new(void)
{
    g_autoptr(GSettingsSchema) schema = find_schema();
    return schema ? g_settings_new_full(schema, NULL, NULL) : NULL;
}

DesktopDefaults desktop_get_defaults(GSettings *settings)
{
    if (!settings)
        return (DesktopDefaults){.schedules = 32, .memory = 1024, .notify = 10, .keyframes = TRUE};
    return (DesktopDefaults){
        .schedules = g_settings_get_uint(settings, "check-schedules"),
        .threads = g_settings_get_uint(settings, "check-threads"),
        .memory = g_settings_get_uint(settings, "record-memory"),
        .timeout = g_settings_get_uint(settings, "record-timeout"),
        .notify = g_settings_get_uint(settings, "notify-after"),
        .keyframes = g_settings_get_boolean(settings, "record-keyframes"),
    };
}

char *desktop_dup_example(const char *name)
{
    g_autofree char *dir = find_folder("data/example", "rewind/example", name);
    return dir ? g_build_filename(dir, name, NULL) : NULL;
}

// ---- Light and dark ----

static const AdwColorScheme schemes[] = {ADW_COLOR_SCHEME_DEFAULT, ADW_COLOR_SCHEME_FORCE_LIGHT,
                                         ADW_COLOR_SCHEME_FORCE_DARK};

static void on_scheme(GSettings *settings, const char *key, gpointer data)
{
    int chosen = g_settings_get_enum(settings, "color-scheme");
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(),
                                       schemes[CLAMP(chosen, 0, (int)G_N_ELEMENTS(schemes) - 1)]);
}

void desktop_follow_scheme(GSettings *settings)
{
    if (!settings)
        return;
    g_signal_connect(settings, "changed::color-scheme", G_CALLBACK(on_scheme), NULL);
    on_scheme(settings, NULL, NULL);
}
