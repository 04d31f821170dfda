// SPDX-License-Identifier: MIT
#include "record-check.h"

#include "rui-words.h"

#include <glib/gi18n.h>

static char *dup_problem(const GError *error)
{
    if (g_error_matches(error, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING))
        return g_strdup(_("Say what is to be run"));
    return g_strdup(_("A quotation mark is open, or a backslash has nothing behind it"));
}

char *record_check_command(const char *text)
{
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) words = NULL;
    return g_shell_parse_argv(text, NULL, &words, &error) ? NULL : dup_problem(error);
}

char *record_check_env(const char *text)
{
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) words = NULL;
    if (!g_shell_parse_argv(text, NULL, &words, &error))
        return g_error_matches(error, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING) ? NULL
                                                                                 : dup_problem(error);
    for (char **word = words; *word; word++)
        if (!strchr(*word, '=') || **word == '=')
            // Translators: %s is what somebody typed.
            return g_strdup_printf(_("“%s” is not KEY=VALUE"), *word);
    return NULL;
}

char *record_check_cwd(const char *text)
{
    return !*text || *text == '/' ? NULL : g_strdup(_("A folder in the root filesystem begins with /"));
}

char *record_check_number(GtkSpinButton *spin)
{
    double least, most;
    guint64 number;
    gtk_spin_button_get_range(spin, &least, &most);
    if (rui_parse_number(gtk_editable_get_text(GTK_EDITABLE(spin)), (guint64)most, &number) &&
        number >= (guint64)least)
        return NULL;
    g_autofree char *from = rui_dup_number((guint64)least), *to = rui_dup_number((guint64)most);
    return g_strdup_printf(_("A number from %s to %s"), from, to);
}
