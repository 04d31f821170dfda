// SPDX-License-Identifier: MIT
#include "settings.h"

#define SCHEMA "dev.rewindvm.Rewind"

// What the build leaves beside the program, for one that is not installed.
static char *dup_beside(const char *place)
{
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *dir = program ? g_path_get_dirname(program) : NULL;
    return dir ? g_build_filename(dir, "..", "..", "data", "app", place, NULL) : NULL;
}

static GSettingsSchema *find_schema(void)
{
    GSettingsSchemaSource *system = g_settings_schema_source_get_default();
    GSettingsSchema *schema = system ? g_settings_schema_source_lookup(system, SCHEMA, TRUE) : NULL;
    g_autofree char *dir = dup_beside("");
    const char *const dirs[] = {dir, REWIND_SCHEMAS};
    for (guint i = 0; !schema && i < G_N_ELEMENTS(dirs); i++) {
        g_autoptr(GSettingsSchemaSource) source =
            dirs[i] ? g_settings_schema_source_new_from_directory(dirs[i], system, FALSE, NULL) : NULL;
        schema = source ? g_settings_schema_source_lookup(source, SCHEMA, FALSE) : NULL;
    }
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
        return (DesktopDefaults){.schedules = 32, .memory = 1024, .keyframes = TRUE};
    return (DesktopDefaults){
        .schedules = g_settings_get_uint(settings, "check-schedules"),
        .threads = g_settings_get_uint(settings, "check-threads"),
        .memory = g_settings_get_uint(settings, "record-memory"),
        .timeout = g_settings_get_uint(settings, "record-timeout"),
        .keyframes = g_settings_get_boolean(settings, "record-keyframes"),
    };
}

char *desktop_dup_example(const char *name)
{
    g_autofree char *built = dup_beside("../example");
    const char *const places[] = {built, REWIND_DATA "/example"};
    for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
        g_autofree char *path = places[i] ? g_build_filename(places[i], name, NULL) : NULL;
        if (path && g_file_test(path, G_FILE_TEST_IS_REGULAR))
            return g_canonicalize_filename(path, NULL);
    }
    return NULL;
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
