// SPDX-License-Identifier: MIT
#include "rui-thread-hues.h"

struct _RuiThreadHues {
    const RwThreadRows *rows[2]; // own, compared
    GHashTable *numbers[2]; // tid → row, plus 1: of the first one that had it
    guint *compared; // of each row of the compared run
    guint count; // hues so far
};

static void index_tids(RuiThreadHues *hues, guint which)
{
    const RwThreadRows *rows = hues->rows[which];
    hues->numbers[which] = g_hash_table_new(NULL, NULL);
    for (guint i = 0; rows && i < rw_thread_rows_count(rows); i++) {
        gpointer tid = GUINT_TO_POINTER(rw_thread_rows_get(rows, i)->tid);
        if (!g_hash_table_contains(hues->numbers[which], tid))
            g_hash_table_insert(hues->numbers[which], tid, GUINT_TO_POINTER(i + 1));
    }
}

// What tells it from all others of its run, and is the same in another run. seen: how many had the name.
static char *dup_key(GHashTable *seen, const RwThreadRow *row)
{
    g_autofree char *name = g_strdup_printf("%s\n%s\n%d", row->process ? row->process : "",
                                            row->name ? row->name : "", row->kernel);
    guint before = GPOINTER_TO_UINT(g_hash_table_lookup(seen, name));
    char *key = g_strdup_printf("%s\n%u", name, before);
    g_hash_table_replace(seen, g_steal_pointer(&name), GUINT_TO_POINTER(before + 1));
    return key;
}

static GHashTable *names_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

// What only the compared run has goes on counting behind what the run itself has.
static void match(RuiThreadHues *hues)
{
    g_autoptr(GHashTable) own = names_new(), seen = names_new(), seen_there = names_new();
    const RwThreadRows *there = hues->rows[1];
    guint count = rw_thread_rows_count(hues->rows[0]), other = rw_thread_rows_count(there);
    for (guint i = 0; i < count; i++)
        g_hash_table_insert(own, dup_key(seen, rw_thread_rows_get(hues->rows[0], i)),
                            GUINT_TO_POINTER(i + 1));
    hues->compared = g_new(guint, other);
    hues->count = count;
    for (guint i = 0; i < other; i++) {
        g_autofree char *key = dup_key(seen_there, rw_thread_rows_get(there, i));
        guint number = GPOINTER_TO_UINT(g_hash_table_lookup(own, key));
        hues->compared[i] = number ? number - 1 : hues->count++;
    }
}

RuiThreadHues *rui_thread_hues_new(const RwThreadRows *own, const RwThreadRows *compared)
{
    RuiThreadHues *hues = g_new0(RuiThreadHues, 1);
    hues->rows[0] = own;
    hues->rows[1] = compared;
    index_tids(hues, 0);
    index_tids(hues, 1);
    if (compared)
        match(hues);
    return hues;
}

void rui_thread_hues_free(RuiThreadHues *hues)
{
    g_hash_table_unref(hues->numbers[0]);
    g_hash_table_unref(hues->numbers[1]);
    g_free(hues->compared);
    g_free(hues);
}

guint rui_thread_hues_get(const RuiThreadHues *hues, gboolean compared, guint row)
{
    return compared && hues->compared ? hues->compared[row] : row;
}

gboolean rui_thread_hues_find(const RuiThreadHues *hues, gboolean compared, guint32 tid, guint *ret_hue)
{
    guint number =
        GPOINTER_TO_UINT(g_hash_table_lookup(hues->numbers[compared != 0], GUINT_TO_POINTER(tid)));
    if (number)
        *ret_hue = rui_thread_hues_get(hues, compared, number - 1);
    return number != 0;
}
