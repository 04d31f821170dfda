// SPDX-License-Identifier: MIT
#include "rw-list-update.h"

static bool is_equal_at(GListStore *store, guint position, gpointer item,
                        bool (*equal)(gpointer a, gpointer b))
{
    g_autoptr(GObject) row = g_list_model_get_item(G_LIST_MODEL(store), position);
    return equal(row, item);
}

void rw_list_update(GListStore *store, GPtrArray *items, bool (*equal)(gpointer a, gpointer b))
{
    guint old = g_list_model_get_n_items(G_LIST_MODEL(store));
    guint head = 0, tail = 0, most = MIN(old, items->len);
    while (head < most && is_equal_at(store, head, items->pdata[head], equal))
        head++;
    while (tail < most - head &&
           is_equal_at(store, old - tail - 1, items->pdata[items->len - tail - 1], equal))
        tail++;
    guint added = items->len - head - tail;
    if (added || old > head + tail)
        g_list_store_splice(store, head, old - head - tail, items->pdata + head, added);
}
