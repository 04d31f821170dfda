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

static char *dup_quoted(char **words, gboolean *ret_exact)
{
    GString *text = g_string_new(NULL);
    gboolean exact = TRUE;
    for (guint i = 0; words[i]; i++) {
        g_autofree char *word = g_utf8_make_valid(words[i], -1);
        g_autofree char *quoted = is_plain(word) ? g_strdup(word) : g_shell_quote(word);
        g_string_append_printf(text, "%s%s", i ? " " : "", quoted);
        exact = exact && !strcmp(word, words[i]);
    }
    if (ret_exact)
        *ret_exact = exact;
    return g_string_free(text, FALSE);
}

char *record_dup_command(const RwInputs *inputs, gboolean *ret_exact)
{
    return dup_quoted(inputs->argv, ret_exact);
}

char **record_dup_variables(const RwInputs *inputs)
{
    GPtrArray *words = g_ptr_array_new();
    g_auto(GStrv) usual = rw_inputs_dup_default_env(inputs->uid, inputs->tty);
    for (char **variable = inputs->env; *variable; variable++)
        if (!g_strv_contains((const char *const *)usual, *variable))
            g_ptr_array_add(words, g_strdup(*variable));
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, FALSE);
}

char *record_dup_env(const RwInputs *inputs)
{
    g_auto(GStrv) variables = record_dup_variables(inputs);
    return dup_quoted(variables, NULL);
}

static const struct {
    const char *option, *row;
} rows[] = {
    [RECORD_ROOT] = {"--root ", N_("Root filesystem")},
    [RECORD_CWD] = {"--cwd ", N_("Working folder")},
    [RECORD_ENV] = {"-e ", N_("Variables, as KEY=VALUE")},
    [RECORD_NAME] = {"--name ", N_("Name")},
    [RECORD_SCHEDULE] = {"--schedule ", N_("Schedule")},
    [RECORD_SEED] = {"--seed ", N_("Seed")},
    [RECORD_MEMORY] = {"--mem ", N_("Memory, MiB")},
    [RECORD_TIMEOUT] = {"--timeout ", N_("Time limit, seconds")},
};

RecordRow record_find_row(const char *message, const char **ret_text)
{
    for (RecordRow row = 0; row < RECORD_ROWS; row++)
        if (g_str_has_prefix(message, rows[row].option)) {
            *ret_text = message + strlen(rows[row].option);
            return row;
        }
    return RECORD_ROWS;
}

char *record_dup_problem(const char *message)
{
    const char *text;
    RecordRow row = record_find_row(message, &text);
    // Translators: a row of the form, and what is wrong with it.
    return row == RECORD_ROWS ? g_strdup(message) : g_strdup_printf(_("%s: %s"), _(rows[row].row), text);
}
