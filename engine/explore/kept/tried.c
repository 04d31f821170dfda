// SPDX-License-Identifier: MIT
#include "rw-tried.h"

#include "rw-file.h"
#include "rw-json.h"

#include <glib/gstdio.h>

#define NAME "tried.json"
#define FORMAT "rewind-tried"
#define VERSION 1
#define RUNS_MAX 4096u // more than any check tries without being told to
#define FILE_MAX (4u << 20) // bytes
#define INSTRUCTIONS_MAX (1ull << 50) // of a run: weeks of them, and RUNS_MAX times it is a number
#define SAVE_US (1 * G_USEC_PER_SEC) // between two writings that nobody insists on

struct _RwTried {
    char *path;
    GMutex lock; // of `ends`
    GHashTable *ends; // of RwEnd, by id
    guint saved; // how many of them the file has
    gint64 saved_us; // monotonic time
};

// ---- Reading ----

static bool take_run(JsonObject *object, RwTried *tried)
{
    RwJsonReader reader = {object, NULL};
    if (!object)
        return false;
    g_autofree char *id = rw_json_dup_string(&reader, "id"),
                    *outputs = rw_json_dup_string(&reader, "outputs");
    RwEnd end = rw_end_from_json(&reader);
    if (reader.failed || !rw_is_hex(id, RW_RUN_ID_SIZE - 1) || !rw_digest_from_hex(outputs, end.outputs) ||
        end.icount > INSTRUCTIONS_MAX || end.steps > INSTRUCTIONS_MAX)
        return false;
    return g_hash_table_insert(tried->ends, g_steal_pointer(&id), g_memdup2(&end, sizeof end));
}

static bool take_runs(JsonArray *runs, RwTried *tried)
{
    if (!runs || rw_json_count(runs) > RUNS_MAX)
        return false;
    for (guint i = 0; i < rw_json_count(runs); i++)
        if (!take_run(rw_json_get_element(runs, i), tried))
            return false;
    return true;
}

static void load(RwTried *tried)
{
    g_autoptr(JsonNode) root = rw_json_read_note(tried->path, FILE_MAX, FORMAT, VERSION);
    if (root && !take_runs(rw_json_get_array(json_node_get_object(root), "runs"), tried))
        g_hash_table_remove_all(tried->ends);
    tried->saved = g_hash_table_size(tried->ends);
}

RwTried *rw_tried_new(RwStore *store, const RwInputs *inputs)
{
    RwTried *tried = g_new0(RwTried, 1);
    char id[RW_RUN_ID_SIZE];
    rw_inputs_id(inputs, id);
    tried->path = g_build_filename(rw_store_get_runs_dir(store), id, NAME, NULL);
    tried->ends = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_mutex_init(&tried->lock);
    load(tried);
    return tried;
}

void rw_tried_free(RwTried *tried)
{
    if (!tried)
        return;
    g_hash_table_unref(tried->ends);
    g_mutex_clear(&tried->lock);
    g_free(tried->path);
    g_free(tried);
}

// ---- What is known ----

guint rw_tried_count(RwTried *tried)
{
    g_mutex_lock(&tried->lock);
    guint count = g_hash_table_size(tried->ends);
    g_mutex_unlock(&tried->lock);
    return count;
}

bool rw_tried_find(RwTried *tried, const RwInputs *inputs, RwEnd *ret)
{
    char id[RW_RUN_ID_SIZE];
    rw_inputs_id(inputs, id);
    g_mutex_lock(&tried->lock);
    const RwEnd *end = g_hash_table_lookup(tried->ends, id);
    if (end)
        *ret = *end;
    g_mutex_unlock(&tried->lock);
    return end != NULL;
}

void rw_tried_put(RwTried *tried, const RwInputs *inputs, const RwEnd *end)
{
    char id[RW_RUN_ID_SIZE];
    rw_inputs_id(inputs, id);
    g_mutex_lock(&tried->lock);
    if (g_hash_table_size(tried->ends) < RUNS_MAX)
        g_hash_table_replace(tried->ends, g_strdup(id), g_memdup2(end, sizeof *end));
    g_mutex_unlock(&tried->lock);
}

// ---- Writing ----

static JsonArray *runs_to_json(RwTried *tried)
{
    JsonArray *runs = json_array_new();
    GHashTableIter iter;
    gpointer id, end;
    g_hash_table_iter_init(&iter, tried->ends);
    while (g_hash_table_iter_next(&iter, &id, &end)) {
        JsonObject *object = rw_end_to_json(end);
        char outputs[RW_SHA256_HEX_SIZE];
        rw_hex_from_digest(((RwEnd *)end)->outputs, outputs);
        json_object_set_string_member(object, "id", id);
        json_object_set_string_member(object, "outputs", outputs);
        json_array_add_object_element(runs, object);
    }
    return runs;
}

static void write_runs(RwTried *tried, JsonArray *runs)
{
    g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
    JsonObject *object = json_object_new();
    json_object_set_string_member(object, "format", FORMAT);
    json_object_set_int_member(object, "version", VERSION);
    json_object_set_array_member(object, "runs", runs);
    json_node_take_object(root, object);
    g_autofree char *text = json_to_string(root, false);
    rw_write_file_atomic(tried->path, text, strlen(text), NULL);
}

void rw_tried_save(RwTried *tried, bool now)
{
    if (!now && g_get_monotonic_time() - tried->saved_us < SAVE_US)
        return;
    g_mutex_lock(&tried->lock);
    guint count = g_hash_table_size(tried->ends);
    JsonArray *runs = count != tried->saved ? runs_to_json(tried) : NULL;
    g_mutex_unlock(&tried->lock);
    if (runs)
        write_runs(tried, runs);
    tried->saved = count;
    tried->saved_us = g_get_monotonic_time();
}

void rw_tried_forget(RwTried *tried)
{
    g_unlink(tried->path);
}
