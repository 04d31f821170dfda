// SPDX-License-Identifier: MIT
//
// Which run was forked from which.
#include "rw-store-private.h"

const char *rw_run_entry_get_parent(const RwRunEntry *entry)
{
    JsonNode *node = entry->manifest ? json_object_get_member(entry->manifest, "parent") : NULL;
    JsonObject *parent = node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
    JsonNode *id = parent ? json_object_get_member(parent, "id") : NULL;
    return id && json_node_get_value_type(id) == G_TYPE_STRING ? json_node_get_string(id) : NULL;
}

// From the run's parent to its children, so that each is met once; a circle, which only damage makes, ends
// where it comes to a run that is in the list.
GPtrArray *rw_runs_get_descendants(const GPtrArray *runs, const char *id)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    g_autoptr(GPtrArray) found = g_ptr_array_new();
    GPtrArray *reversed = g_ptr_array_new();
    const char *parent = id;
    for (guint next = 0; parent;
         parent = next < found->len ? ((RwRunEntry *)found->pdata[next])->id : NULL, next++)
        for (guint i = 0; i < runs->len; i++) {
            RwRunEntry *entry = runs->pdata[i];
            if (!g_strcmp0(rw_run_entry_get_parent(entry), parent) && strcmp(entry->id, id) &&
                g_hash_table_add(seen, entry))
                g_ptr_array_add(found, entry);
        }
    for (guint i = found->len; i > 0; i--)
        g_ptr_array_add(reversed, found->pdata[i - 1]);
    return reversed;
}
