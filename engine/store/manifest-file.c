// SPDX-License-Identifier: MIT
#include "rw-store-private.h"

#include "rw-json.h"

static bool check_head(JsonObject *object, const char *path, GError **error)
{
    int64_t version, created;
    if (g_strcmp0(rw_json_get_string(object, "format"), RW_MANIFEST_FORMAT) ||
        !rw_json_get_int(object, "version", &version) || version < 1) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: not a run's manifest", path);
        return false;
    }
    if (version > RW_MANIFEST_VERSION) {
        g_set_error(error, RW_ERROR, RW_ERROR_NEWER,
                    "%s: format version %" G_GINT64_FORMAT
                    " is newer than this rewind knows (%d): use the rewind that made it",
                    path, version, RW_MANIFEST_VERSION);
        return false;
    }
    const char *id = rw_json_get_string(object, "id");
    if (!id || !rw_is_hex(id, RW_ID_LENGTH) || !rw_json_get_int(object, "created_us", &created)) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: no valid id or time in it", path);
        return false;
    }
    return true;
}

JsonObject *rw_manifest_parse_object(const char *text, size_t length, const char *what, GError **error)
{
    g_autoptr(JsonParser) parser = json_parser_new_immutable();
    if (!rw_json_check(text, length) || !json_parser_load_from_data(parser, text, (gssize)length, NULL)) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: not JSON", what);
        return NULL;
    }
    JsonNode *root = json_parser_get_root(parser);
    if (!root || !JSON_NODE_HOLDS_OBJECT(root)) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: not an object", what);
        return NULL;
    }
    JsonObject *object = json_node_get_object(root);
    return check_head(object, what, error) ? json_object_ref(object) : NULL;
}

JsonObject *rw_manifest_read_object(const char *dir, GError **error)
{
    g_autofree char *path = g_build_filename(dir, "manifest.json", NULL);
    g_autofree char *text = NULL;
    size_t length;
    if (!rw_read_file(path, RW_MANIFEST_MAX, &text, &length, error))
        return NULL;
    return rw_manifest_parse_object(text, length, path, error);
}

bool rw_manifest_write_object(const char *dir, JsonObject *object, GError **error)
{
    g_autofree char *path = g_build_filename(dir, "manifest.json", NULL);
    g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
    json_node_set_object(root, object);
    g_autoptr(JsonGenerator) generator = json_generator_new();
    json_generator_set_pretty(generator, true);
    json_generator_set_root(generator, root);
    size_t len;
    g_autofree char *text = json_generator_to_data(generator, &len);
    g_autofree char *line = g_strconcat(text, "\n", NULL);
    return rw_write_file_atomic(path, line, len + 1, error);
}
