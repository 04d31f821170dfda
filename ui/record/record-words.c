// SPDX-License-Identifier: MIT
#include "record-words.h"

#include <glib/gi18n.h>

static gboolean is_plain(const char *word)
{
    for (const char *c = word; *c; c++)
        if (!g_ascii_isalnum(*c) && !strchr("-_./=:,+@%^", *c))
            return FALSE;
    return *word != 0;
}

// NULL: a word is no UTF-8.
static char *dup_quoted(GPtrArray *words)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < words->len; i++) {
        const char *word = words->pdata[i];
        if (!g_utf8_validate(word, -1, NULL)) {
            g_string_free(text, TRUE);
            return NULL;
        }
        g_autofree char *quoted = is_plain(word) ? g_strdup(word) : g_shell_quote(word);
        g_string_append_printf(text, "%s%s", i ? " " : "", quoted);
    }
    return g_string_free(text, FALSE);
}

char *record_dup_command(const RwInputs *inputs)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    for (char **word = inputs->argv; *word; word++)
        g_ptr_array_add(words, *word);
    return dup_quoted(words);
}

char *record_dup_env(const RwInputs *inputs)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_auto(GStrv) usual = rw_inputs_dup_default_env(inputs->uid, inputs->tty);
    for (char **variable = inputs->env; *variable; variable++)
        if (!g_strv_contains((const char *const *)usual, *variable))
            g_ptr_array_add(words, *variable);
    return dup_quoted(words);
}

char *record_dup_problem(const char *message)
{
    static const struct {
        const char *option, *row;
    } rows[] = {
        {"--root ", N_("Root filesystem")},     {"--cwd ", N_("Working folder")},
        {"-e ", N_("Variables, as KEY=VALUE")}, {"--name ", N_("Name")},
        {"--schedule ", N_("Schedule")},        {"--seed ", N_("Seed")},
        {"--mem ", N_("Memory, MiB")},          {"--timeout ", N_("Time limit, seconds")},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        if (g_str_has_prefix(message, rows[i].option))
            // Translators: a row of the form, and what is wrong with it.
            return g_strdup_printf(_("%s: %s"), _(rows[i].row), message + strlen(rows[i].option));
    return g_strdup(message);
}
