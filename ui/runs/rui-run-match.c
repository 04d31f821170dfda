// SPDX-License-Identifier: MIT
#include "rui-run-match.h"

#include "rui-words.h"

static char *dup_folded(RwRunItem *item)
{
    g_autofree char *ending = rui_dup_ending(item), *schedule = rui_dup_schedule(item, NULL);
    g_autofree char *text =
        g_strjoin("\n", rw_run_item_get_title(item), rw_run_item_get_command(item), ending, schedule, NULL);
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    return g_utf8_casefold(valid, -1);
}

gboolean rui_run_matches(RwRunItem *item, char **words)
{
    if (!words || !*words)
        return TRUE;
    g_autofree char *text = dup_folded(item);
    for (char **word = words; *word; word++) {
        g_autofree char *valid = g_utf8_make_valid(*word, -1);
        g_autofree char *wanted = g_utf8_casefold(valid, -1);
        if (!strstr(text, wanted) && !g_str_has_prefix(rw_run_item_get_id(item), wanted))
            return FALSE;
    }
    return TRUE;
}

char **rui_run_words(const char *text)
{
    g_auto(GStrv) parts = g_strsplit_set(text, " \t\n", -1);
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    for (char **part = parts; *part; part++)
        if (**part)
            g_ptr_array_add(words, g_strdup(*part));
    if (!words->len)
        return NULL;
    g_ptr_array_add(words, NULL);
    g_ptr_array_set_free_func(words, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&words), FALSE);
}
