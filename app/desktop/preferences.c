// SPDX-License-Identifier: MIT
//
// The window of the preferences, from one table: each row is bound to a key of the settings.
#include "settings.h"

#include <glib/gi18n.h>

typedef enum { ROW_SCHEME, ROW_SWITCH, ROW_NUMBER } RowKind;

static const struct {
    const char *group, *key, *title, *subtitle;
    RowKind kind;
    guint step; // of a number
} rows[] = {
    {N_("Appearance"), "color-scheme", N_("Style"), NULL, ROW_SCHEME, 0},
    {N_("Looking"), "remember-stop-kind", N_("Remember What Previous and Next Stop At"),
     N_("Else every window starts with every event"), ROW_SWITCH, 0},
    {N_("Looking"), "restore-windows", N_("Open Again What Was Open"),
     N_("At the next start, when the app was quit with windows open"), ROW_SWITCH, 0},
    {N_("Notifications"), "notify-after", N_("Of What Took Longer Than, Seconds"),
     N_("When it ends while its window is not the active one"), ROW_NUMBER, 5},
    {N_("New Runs"), "record-memory", N_("Memory, MiB"), NULL, ROW_NUMBER, 64},
    {N_("New Runs"), "record-timeout", N_("Time Limit, Seconds"), N_("0 is none"), ROW_NUMBER, 10},
    {N_("New Runs"), "record-keyframes", N_("Keyframes"),
     N_("Also of forks and checks. They take space; without them, looking into a file executes the run "
        "from "
        "its start"),
     ROW_SWITCH, 0},
    {N_("Check From Here"), "check-schedules", N_("Schedules"), N_("Unless another number is chosen"),
     ROW_NUMBER, 8},
    {N_("Check From Here"), "check-threads", N_("At Once"), N_("0 is one for each core"), ROW_NUMBER, 1},
};

// ---- Controls ----

static void on_selected(AdwComboRow *row, GParamSpec *pspec, GSettings *settings)
{
    g_settings_set_enum(settings, "color-scheme", (int)adw_combo_row_get_selected(row));
}

static GtkWidget *new_scheme_row(GSettings *settings)
{
    const char *const names[] = {_("Follow the System"), _("Light"), _("Dark"), NULL};
    g_autoptr(GtkStringList) model = gtk_string_list_new(names);
    GtkWidget *row = adw_combo_row_new();
    adw_combo_row_set_model(ADW_COMBO_ROW(row), G_LIST_MODEL(model));
    adw_combo_row_set_selected(ADW_COMBO_ROW(row), (guint)g_settings_get_enum(settings, "color-scheme"));
    g_signal_connect_object(row, "notify::selected", G_CALLBACK(on_selected), settings, 0);
    return row;
}

static GtkWidget *new_switch(GSettings *settings, const char *key)
{
    GtkWidget *control = gtk_switch_new();
    g_settings_bind(settings, key, control, "active", G_SETTINGS_BIND_DEFAULT);
    return control;
}

// As far as the schema lets it.
static GtkWidget *new_number(GSettings *settings, const char *key, guint step)
{
    g_autoptr(GSettingsSchema) schema = NULL;
    guint least = 0, most = G_MAXINT;
    g_object_get(settings, "settings-schema", &schema, NULL);
    g_autoptr(GSettingsSchemaKey) described = g_settings_schema_get_key(schema, key);
    g_autoptr(GVariant) range = g_settings_schema_key_get_range(described);
    g_autoptr(GVariant) bounds = NULL;
    const char *kind;
    g_variant_get(range, "(&sv)", &kind, &bounds);
    if (!strcmp(kind, "range"))
        g_variant_get(bounds, "(uu)", &least, &most);
    GtkWidget *control = gtk_spin_button_new_with_range(least, most, step);
    gtk_spin_button_set_numeric(GTK_SPIN_BUTTON(control), TRUE);
    g_settings_bind(settings, key, control, "value", G_SETTINGS_BIND_DEFAULT);
    return control;
}

static GtkWidget *new_row(GSettings *settings, guint i)
{
    if (rows[i].kind == ROW_SCHEME)
        return new_scheme_row(settings);
    GtkWidget *row = adw_action_row_new();
    GtkWidget *control = rows[i].kind == ROW_SWITCH ? new_switch(settings, rows[i].key)
                                                    : new_number(settings, rows[i].key, rows[i].step);
    gtk_widget_set_valign(control, GTK_ALIGN_CENTER);
    gtk_accessible_update_property(GTK_ACCESSIBLE(control), GTK_ACCESSIBLE_PROPERTY_LABEL, _(rows[i].title),
                                   -1);
    adw_action_row_add_suffix(ADW_ACTION_ROW(row), control);
    adw_action_row_set_activatable_widget(ADW_ACTION_ROW(row), control);
    if (rows[i].subtitle)
        adw_action_row_set_subtitle(ADW_ACTION_ROW(row), _(rows[i].subtitle));
    return row;
}

// ---- The window ----

static AdwPreferencesGroup *add_group(AdwPreferencesPage *page, const char *title)
{
    GtkWidget *group = adw_preferences_group_new();
    adw_preferences_group_set_title(ADW_PREFERENCES_GROUP(group), title);
    adw_preferences_page_add(page, ADW_PREFERENCES_GROUP(group));
    return ADW_PREFERENCES_GROUP(group);
}

static void add_rows(AdwPreferencesPage *page, GSettings *settings)
{
    AdwPreferencesGroup *group = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (!i || strcmp(rows[i].group, rows[i - 1].group))
            group = add_group(page, _(rows[i].group));
        GtkWidget *row = new_row(settings, i);
        adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), _(rows[i].title));
        adw_preferences_group_add(group, row);
    }
}

void desktop_show_preferences(GtkWindow *parent, GSettings *settings)
{
    GtkWidget *window = adw_preferences_window_new();
    GtkWidget *page = adw_preferences_page_new();
    if (settings)
        add_rows(ADW_PREFERENCES_PAGE(page), settings);
    else
        adw_preferences_group_set_description(add_group(ADW_PREFERENCES_PAGE(page), _("Appearance")),
                                              _("The settings’ schema is not installed."));
    adw_preferences_window_add(ADW_PREFERENCES_WINDOW(window), ADW_PREFERENCES_PAGE(page));
    adw_preferences_window_set_search_enabled(ADW_PREFERENCES_WINDOW(window), FALSE);
    gtk_window_set_transient_for(GTK_WINDOW(window), parent);
    gtk_window_set_modal(GTK_WINDOW(window), parent != NULL);
    gtk_window_present(GTK_WINDOW(window));
}
