// SPDX-License-Identifier: MIT
#include "rw-manifest.h"

#include "rw-json.h"

RwManifest *rw_manifest_new(const RwInputs *inputs, const char *name, const char *root)
{
    RwManifest *manifest = g_new0(RwManifest, 1);
    rw_inputs_id(inputs, manifest->id);
    manifest->inputs = rw_inputs_copy(inputs);
    manifest->products = rw_products_new();
    manifest->name = g_strdup(name);
    manifest->root = g_strdup(root);
    manifest->created_us = g_get_real_time();
    return manifest;
}

RwManifest *rw_manifest_copy(const RwManifest *manifest)
{
    RwManifest *copy = g_memdup2(manifest, sizeof *manifest);
    copy->name = g_strdup(manifest->name);
    copy->root = g_strdup(manifest->root);
    copy->inputs = rw_inputs_copy(manifest->inputs);
    copy->products = g_ptr_array_ref(manifest->products);
    return copy;
}

void rw_manifest_free(RwManifest *manifest)
{
    if (!manifest)
        return;
    g_free(manifest->name);
    g_free(manifest->root);
    g_free(manifest->why);
    rw_inputs_free(manifest->inputs);
    if (manifest->products)
        g_ptr_array_unref(manifest->products);
    g_free(manifest);
}

JsonObject *rw_end_to_json(const RwEnd *end)
{
    JsonObject *object = json_object_new();
    g_autofree char *text = rw_end_dup_text(end);
    json_object_set_string_member(object, "ending", text);
    json_object_set_string_member(object, "stop", rw_end_name(end->kind));
    if (end->job_exited)
        json_object_set_int_member(object, "job_status", end->job_status);
    else
        json_object_set_null_member(object, "job_status");
    rw_json_set_u64(object, "steps", end->steps);
    rw_json_set_u64(object, "instructions", end->icount);
    rw_json_set_u64(object, "tsc", end->tsc);
    rw_json_set_string(object, "where", end->where);
    return object;
}

static JsonObject *parent_to_json(const RwManifest *manifest)
{
    JsonObject *object = json_object_new();
    json_object_set_string_member(object, "id", manifest->parent_id);
    rw_json_set_u64(object, "step", manifest->parent_step);
    return object;
}

// The first whose readers know all of these inputs: others would find that they give another id.
static int version_for(const RwInputs *inputs)
{
    if (rw_schedule_has_others(&inputs->schedule))
        return RW_MANIFEST_VERSION;
    if (inputs->schedule.n_holds || inputs->schedule.n_faults)
        return 5;
    if (inputs->swap || inputs->max_output)
        return 4;
    return inputs->stdin_hash ? 3 : 2;
}

JsonObject *rw_manifest_to_json(const RwManifest *manifest)
{
    JsonObject *object = json_object_new();
    json_object_set_string_member(object, "format", RW_MANIFEST_FORMAT);
    json_object_set_int_member(object, "version", version_for(manifest->inputs));
    json_object_set_string_member(object, "id", manifest->id);
    rw_json_set_string(object, "name", manifest->name);
    json_object_set_string_member(object, "rewind", REWIND_VERSION);
    json_object_set_int_member(object, "created_us", manifest->created_us);
    rw_json_set_string(object, "root", manifest->root);
    if (manifest->parent_id[0])
        json_object_set_object_member(object, "parent", parent_to_json(manifest));
    if (manifest->trace_only)
        json_object_set_boolean_member(object, "trace_only", true);
    json_object_set_object_member(object, "inputs", rw_inputs_to_json(manifest->inputs));
    if (!manifest->ended)
        return object;
    json_object_set_object_member(object, "end", rw_end_to_json(&manifest->end));
    if (manifest->why)
        rw_json_set_string(object, "why", manifest->why);
    if (manifest->products->len)
        json_object_set_array_member(object, "outputs", rw_products_to_json(manifest->products));
    rw_json_set_u64(object, "events", manifest->events);
    json_object_set_int_member(object, "wall_us", manifest->wall_us);
    json_object_set_string_member(object, "trace_sha256", manifest->trace_sha256);
    return object;
}

static RwEndKind read_end_kind(RwJsonReader *reader)
{
    g_autofree char *name = rw_json_dup_string(reader, "stop");
    for (RwEndKind kind = RW_END_NONE + 1; kind < RW_N_ENDS; kind++)
        if (!strcmp(name, rw_end_name(kind)))
            return kind;
    if (!reader->failed)
        reader->failed = "stop";
    return RW_END_NONE;
}

RwEnd rw_end_from_json(RwJsonReader *reader)
{
    RwEnd end = {.kind = read_end_kind(reader)};
    JsonNode *status = json_object_get_member(reader->object, "job_status");
    end.job_exited = status && !json_node_is_null(status);
    if (end.job_exited)
        end.job_status = (int)rw_json_int(reader, "job_status", INT32_MIN, INT32_MAX);
    end.steps = rw_json_u64(reader, "steps");
    end.icount = rw_json_u64(reader, "instructions");
    end.tsc = rw_json_u64(reader, "tsc");
    g_autofree char *where = rw_json_dup_string(reader, "where");
    g_strlcpy(end.where, where, sizeof end.where);
    return end;
}

// Text that somebody else may have written, fit for a line on a terminal.
static char *dup_line(RwJsonReader *reader, const char *member)
{
    g_autofree char *text = rw_json_dup_optional(reader, member);
    char *line = text ? g_utf8_make_valid(text, -1) : NULL;
    for (char *c = line; c && *c; c++)
        if (g_ascii_iscntrl(*c))
            *c = ' ';
    return line;
}

static void read_ended(RwManifest *manifest, RwJsonReader *reader)
{
    if (!json_object_has_member(reader->object, "end"))
        return;
    RwJsonReader end = {rw_json_object(reader, "end"), NULL};
    if (!end.object)
        return;
    manifest->ended = true;
    manifest->end = rw_end_from_json(&end);
    if (end.failed && !reader->failed)
        reader->failed = end.failed;
    if (!rw_products_from_json(json_object_get_member(reader->object, "outputs"), manifest->products) &&
        !reader->failed)
        reader->failed = "outputs";
    rw_products_digest(manifest->products, manifest->end.outputs);
    manifest->why = dup_line(reader, "why");
    manifest->events = rw_json_u64(reader, "events");
    manifest->wall_us = rw_json_int(reader, "wall_us", 0, INT64_MAX);
    g_autofree char *sha = rw_json_dup_string(reader, "trace_sha256");
    g_strlcpy(manifest->trace_sha256, sha, sizeof manifest->trace_sha256);
}

static void read_parent(RwManifest *manifest, RwJsonReader *reader)
{
    JsonNode *node = json_object_get_member(reader->object, "parent");
    if (!node || json_node_is_null(node))
        return;
    RwJsonReader parent = {rw_json_object(reader, "parent"), NULL};
    if (!parent.object)
        return;
    g_autofree char *id = rw_json_dup_string(&parent, "id");
    g_strlcpy(manifest->parent_id, id, sizeof manifest->parent_id);
    manifest->parent_step = rw_json_u64(&parent, "step");
    bool is_id = rw_is_hex(id, RW_RUN_ID_SIZE - 1);
    if ((parent.failed || !is_id) && !reader->failed)
        reader->failed = "parent";
}

static bool check_id(const RwManifest *manifest, const char *what, GError **error)
{
    char id[RW_RUN_ID_SIZE];
    rw_inputs_id(manifest->inputs, id);
    if (!strcmp(id, manifest->id))
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: its inputs are those of run %s", what, id);
    return false;
}

RwManifest *rw_manifest_from_json(JsonObject *object, const char *what, GError **error)
{
    g_autoptr(RwManifest) manifest = g_new0(RwManifest, 1);
    manifest->products = rw_products_new();
    RwJsonReader reader = {object, NULL};
    g_autofree char *id = rw_json_dup_string(&reader, "id");
    g_strlcpy(manifest->id, id, sizeof manifest->id);
    manifest->name = rw_json_dup_optional(&reader, "name");
    manifest->root = rw_json_dup_optional(&reader, "root");
    manifest->created_us = rw_json_int(&reader, "created_us", 0, INT64_MAX);
    read_parent(manifest, &reader);
    manifest->trace_only =
        json_object_has_member(object, "trace_only") && rw_json_bool(&reader, "trace_only");
    read_ended(manifest, &reader);
    JsonObject *inputs = rw_json_object(&reader, "inputs");
    if (reader.failed) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: \"%s\" is missing or wrong", what,
                    reader.failed);
        return NULL;
    }
    manifest->inputs = rw_inputs_from_json(inputs, error);
    if (!manifest->inputs) {
        g_prefix_error(error, "%s: ", what);
        return NULL;
    }
    return check_id(manifest, what, error) ? g_steal_pointer(&manifest) : NULL;
}

RwManifest *rw_manifest_load(const RwRunEntry *entry, GError **error)
{
    g_autofree char *what = g_strdup_printf("run %s", entry->ref);
    if (!rw_run_entry_check(entry, error))
        return NULL;
    return rw_manifest_from_json(entry->manifest, what, error);
}

bool rw_manifest_save(const RwManifest *manifest, const char *dir, GError **error)
{
    g_autoptr(JsonObject) object = rw_manifest_to_json(manifest);
    return rw_manifest_write_object(dir, object, error);
}
