// SPDX-License-Identifier: MIT
#include "rw-store-private.h"

static const char *const state_names[] = {
    [RW_RUN_FINISHED] = "finished", [RW_RUN_RECORDING] = "recording", [RW_RUN_INTERRUPTED] = "interrupted",
    [RW_RUN_DAMAGED] = "damaged",   [RW_RUN_NEWER] = "newer",
};

const char *rw_run_state_name(RwRunState state)
{
    return state < G_N_ELEMENTS(state_names) ? state_names[state] : "unknown";
}

void rw_run_entry_free(RwRunEntry *entry)
{
    if (!entry)
        return;
    g_free(entry->ref);
    g_free(entry->id);
    g_free(entry->path);
    g_free(entry->name);
    g_clear_error(&entry->problem);
    g_clear_pointer(&entry->manifest, json_object_unref);
    g_free(entry);
}

static void read_manifest(RwRunEntry *entry)
{
    entry->manifest = rw_manifest_read_object(entry->path, &entry->problem);
    if (!entry->manifest) {
        gboolean newer = g_error_matches(entry->problem, RW_ERROR, RW_ERROR_NEWER);
        entry->state = newer ? RW_RUN_NEWER : RW_RUN_DAMAGED;
        return;
    }
    entry->created = json_object_get_int_member(entry->manifest, "created_us");
    JsonNode *name = json_object_get_member(entry->manifest, "name");
    if (name && json_node_get_value_type(name) == G_TYPE_STRING)
        entry->name = json_node_dup_string(name);
}

// An unfinished run may have been killed before its manifest was there: that is no damage.
static void forgive_part(RwRunEntry *entry)
{
    if (entry->state != RW_RUN_NEWER)
        entry->state = rw_run_is_locked(entry->path) ? RW_RUN_RECORDING : RW_RUN_INTERRUPTED;
    if (!entry->manifest && entry->state != RW_RUN_NEWER)
        g_clear_error(&entry->problem);
}

RwRunEntry *rw_run_entry_read(const char *path, const char *name)
{
    RwRunEntry *entry = g_new0(RwRunEntry, 1);
    char id[RW_ID_LENGTH + 1] = "";
    const char *suffix = "";
    gboolean stored = rw_run_name_parse(name, id, &suffix);
    entry->path = g_strdup(path);
    entry->ref = g_strdup(name);
    read_manifest(entry);
    if (g_str_has_prefix(suffix, ".part-"))
        forgive_part(entry);
    entry->id = g_strdup(entry->manifest ? json_object_get_string_member(entry->manifest, "id") : id);
    if (stored && entry->manifest && strcmp(entry->id, id)) {
        g_set_error(&entry->problem, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: its manifest is of run %s",
                    path, entry->id);
        entry->state = RW_RUN_DAMAGED;
    }
    return entry;
}

static gint newest_first(gconstpointer a, gconstpointer b)
{
    const RwRunEntry *x = *(RwRunEntry *const *)a, *y = *(RwRunEntry *const *)b;
    if (x->created != y->created)
        return x->created < y->created ? 1 : -1;
    return strcmp(x->ref, y->ref);
}

GPtrArray *rw_store_list(RwStore *store, GError **error)
{
    g_autoptr(GError) local = NULL;
    g_autoptr(GDir) dir = g_dir_open(store->runs, 0, &local);
    if (!dir) {
        g_set_error(error, RW_ERROR, RW_ERROR_IO, "cannot read the run store: %s", local->message);
        return NULL;
    }
    GPtrArray *runs = g_ptr_array_new_with_free_func((GDestroyNotify)rw_run_entry_free);
    const char *name, *suffix;
    char id[RW_ID_LENGTH + 1];
    while ((name = g_dir_read_name(dir))) {
        if (!rw_run_name_parse(name, id, &suffix))
            continue;
        g_autofree char *path = g_build_filename(store->runs, name, NULL);
        // Recordings get their name and removals lose theirs at any time: what is gone is no run.
        RwRunEntry *entry = rw_run_entry_read(path, name);
        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            g_ptr_array_add(runs, entry);
        else
            rw_run_entry_free(entry);
    }
    g_ptr_array_sort(runs, newest_first);
    return runs;
}
