// SPDX-License-Identifier: MIT
#include "settings.h"

#include <glib/gi18n.h>

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

// ---- Preferences ----

static void on_selected(AdwComboRow *row, GParamSpec *pspec, GSettings *settings)
{
    g_settings_set_enum(settings, "color-scheme", (int)adw_combo_row_get_selected(row));
}

static GtkWidget *new_scheme_row(GSettings *settings)
{
    const char *const names[] = {_("Follow the system"), _("Light"), _("Dark"), NULL};
    g_autoptr(GtkStringList) model = gtk_string_list_new(names);
    GtkWidget *row = adw_combo_row_new();
    adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), _("Style"));
    adw_combo_row_set_model(ADW_COMBO_ROW(row), G_LIST_MODEL(model));
    adw_combo_row_set_selected(ADW_COMBO_ROW(row), (guint)g_settings_get_enum(settings, "color-scheme"));
    g_signal_connect_object(row, "notify::selected", G_CALLBACK(on_selected), settings, 0);
    return row;
}

void desktop_show_preferences(GtkWindow *parent, GSettings *settings)
{
    GtkWidget *window = adw_preferences_window_new();
    GtkWidget *page = adw_preferences_page_new(), *group = adw_preferences_group_new();
    if (settings)
        adw_preferences_group_add(ADW_PREFERENCES_GROUP(group), new_scheme_row(settings));
    else
        adw_preferences_group_set_description(ADW_PREFERENCES_GROUP(group),
                                              _("The settings’ schema is not installed."));
    adw_preferences_group_set_title(ADW_PREFERENCES_GROUP(group), _("Appearance"));
    adw_preferences_page_add(ADW_PREFERENCES_PAGE(page), ADW_PREFERENCES_GROUP(group));
    adw_preferences_window_add(ADW_PREFERENCES_WINDOW(window), ADW_PREFERENCES_PAGE(page));
    adw_preferences_window_set_search_enabled(ADW_PREFERENCES_WINDOW(window), FALSE);
    gtk_window_set_transient_for(GTK_WINDOW(window), parent);
    gtk_window_set_modal(GTK_WINDOW(window), parent != NULL);
    gtk_window_present(GTK_WINDOW(window));
}
