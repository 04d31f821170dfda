// SPDX-License-Identifier: MIT
#include "rw-json.h"

#include "rw-file.h"

#include "rw-error.h"
#include "rw-json-check.h"

static JsonNode *fail(RwJsonReader *reader, const char *member)
{
    if (!reader->failed)
        reader->failed = member;
    return NULL;
}

static JsonNode *value(RwJsonReader *reader, const char *member, GType type)
{
    JsonNode *node = json_object_get_member(reader->object, member);
    return node && json_node_get_value_type(node) == type ? node : NULL;
}

int64_t rw_json_int(RwJsonReader *reader, const char *member, int64_t min, int64_t max)
{
    JsonNode *node = value(reader, member, G_TYPE_INT64);
    int64_t v = node ? json_node_get_int(node) : min;
    if (!node || v < min || v > max)
        fail(reader, member);
    return CLAMP(v, min, max);
}

uint64_t rw_json_u64(RwJsonReader *reader, const char *member)
{
    JsonNode *node = value(reader, member, G_TYPE_STRING);
    guint64 v = 0;
    if (!node)
        return (uint64_t)rw_json_int(reader, member, 0, INT64_MAX);
    if (!g_ascii_string_to_unsigned(json_node_get_string(node), 10, 0, G_MAXUINT64, &v, NULL))
        fail(reader, member);
    return v;
}

bool rw_json_bool(RwJsonReader *reader, const char *member)
{
    JsonNode *node = value(reader, member, G_TYPE_BOOLEAN);
    if (!node)
        fail(reader, member);
    return node && json_node_get_boolean(node);
}

// A string of the guest, which has no NUL in it.
static char *dup_text(JsonNode *node)
{
    size_t length;
    char *bytes = node ? rw_json_dup_bytes(node, &length) : NULL;
    if (bytes && strlen(bytes) != length)
        g_clear_pointer(&bytes, g_free);
    return bytes;
}

char *rw_json_dup_string(RwJsonReader *reader, const char *member)
{
    char *text = dup_text(json_object_get_member(reader->object, member));
    if (text)
        return text;
    fail(reader, member);
    return g_strdup("");
}

char *rw_json_dup_optional(RwJsonReader *reader, const char *member)
{
    JsonNode *node = json_object_get_member(reader->object, member);
    if (!node || json_node_is_null(node))
        return NULL;
    return rw_json_dup_string(reader, member);
}

char **rw_json_dup_strings(RwJsonReader *reader, const char *member)
{
    JsonNode *node = json_object_get_member(reader->object, member);
    g_autoptr(GStrvBuilder) strings = g_strv_builder_new();
    JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
    if (!array)
        fail(reader, member);
    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        g_autofree char *text = dup_text(json_array_get_element(array, i));
        if (!text)
            fail(reader, member);
        g_strv_builder_add(strings, text ? text : "");
    }
    return g_strv_builder_end(strings);
}

JsonObject *rw_json_object(RwJsonReader *reader, const char *member)
{
    JsonNode *node = json_object_get_member(reader->object, member);
    if (node && JSON_NODE_HOLDS_OBJECT(node))
        return json_node_get_object(node);
    fail(reader, member);
    return NULL;
}

void rw_json_set_u64(JsonObject *object, const char *member, uint64_t v)
{
    char digits[24];
    if (v <= INT64_MAX) {
        json_object_set_int_member(object, member, (gint64)v);
        return;
    }
    g_snprintf(digits, sizeof digits, "%" G_GUINT64_FORMAT, v);
    json_object_set_string_member(object, member, digits);
}

JsonNode *rw_json_bytes(const void *data, size_t length)
{
    JsonNode *node = json_node_alloc();
    const char *text = data;
    if (g_utf8_validate_len(text ? text : "", length, NULL)) {
        g_autofree char *copy = g_strndup(text ? text : "", length);
        return json_node_init_string(node, copy);
    }
    g_autofree char *base64 = g_base64_encode(data, length);
    JsonObject *object = json_object_new();
    json_object_set_string_member(object, "base64", base64);
    json_node_init_object(node, object);
    json_object_unref(object);
    return node;
}

char *rw_json_dup_bytes(JsonNode *node, size_t *ret_length)
{
    JsonNode *base64 =
        JSON_NODE_HOLDS_OBJECT(node) ? json_object_get_member(json_node_get_object(node), "base64") : NULL;
    if (json_node_get_value_type(node) == G_TYPE_STRING) {
        char *text = json_node_dup_string(node);
        *ret_length = strlen(text);
        return text;
    }
    if (!base64 || json_node_get_value_type(base64) != G_TYPE_STRING)
        return NULL;
    g_autofree guchar *bytes = g_base64_decode(json_node_get_string(base64), ret_length);
    char *text = g_malloc(*ret_length + 1);
    if (*ret_length)
        memcpy(text, bytes, *ret_length);
    text[*ret_length] = 0;
    return text;
}

void rw_json_set_string(JsonObject *object, const char *member, const char *bytes)
{
    if (bytes)
        json_object_set_member(object, member, rw_json_bytes(bytes, strlen(bytes)));
    else
        json_object_set_null_member(object, member);
}

void rw_json_set_strings(JsonObject *object, const char *member, char **strings)
{
    JsonArray *array = json_array_new();
    for (char **s = strings; s && *s; s++)
        json_array_add_element(array, rw_json_bytes(*s, strlen(*s)));
    json_object_set_array_member(object, member, array);
}

// ---- JSON of others ----

JsonNode *rw_json_parse(GBytes *text, const char *what, GError **error)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    gsize len;
    const char *data = g_bytes_get_data(text, &len);
    JsonNode *root = NULL;
    if (len && rw_json_check(data, len) && json_parser_load_from_data(parser, data, (gssize)len, NULL))
        root = json_parser_steal_root(parser);
    if (root && (JSON_NODE_HOLDS_OBJECT(root) || JSON_NODE_HOLDS_ARRAY(root)))
        return root;
    g_clear_pointer(&root, json_node_unref);
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s is damaged: not JSON", what);
    return NULL;
}

static bool is_of(JsonNode *root, const char *format, int64_t version)
{
    JsonObject *object = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
    int64_t own;
    return !g_strcmp0(rw_json_get_string(object, "format"), format) &&
           rw_json_get_int(object, "version", &own) && own == version;
}

JsonNode *rw_json_read_note(const char *path, size_t max, const char *format, int64_t version)
{
    g_autofree char *text = NULL;
    size_t length;
    if (!rw_read_file(path, max, &text, &length, NULL))
        return NULL;
    g_autoptr(GBytes) bytes = g_bytes_new_static(text, length);
    g_autoptr(JsonNode) root = rw_json_parse(bytes, path, NULL);
    return is_of(root, format, version) ? g_steal_pointer(&root) : NULL;
}

const char *rw_json_get_string(JsonObject *object, const char *member)
{
    JsonNode *node = object ? json_object_get_member(object, member) : NULL;
    return node && json_node_get_value_type(node) == G_TYPE_STRING ? json_node_get_string(node) : NULL;
}

bool rw_json_get_int(JsonObject *object, const char *member, int64_t *ret)
{
    JsonNode *node = object ? json_object_get_member(object, member) : NULL;
    if (!node || json_node_get_value_type(node) != G_TYPE_INT64)
        return false;
    *ret = json_node_get_int(node);
    return true;
}

JsonObject *rw_json_get_object(JsonObject *object, const char *member)
{
    JsonNode *node = object ? json_object_get_member(object, member) : NULL;
    return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

JsonArray *rw_json_get_array(JsonObject *object, const char *member)
{
    JsonNode *node = object ? json_object_get_member(object, member) : NULL;
    return node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

JsonObject *rw_json_get_element(JsonArray *array, guint index)
{
    JsonNode *node = json_array_get_element(array, index);
    return JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

guint rw_json_count(JsonArray *array)
{
    return array ? json_array_get_length(array) : 0;
}

char **rw_json_dup_strv(JsonArray *array)
{
    if (!array)
        return NULL;
    guint n = json_array_get_length(array);
    char **strings = g_new0(char *, n + 1);
    for (guint i = 0; i < n; i++) {
        JsonNode *node = json_array_get_element(array, i);
        bool text = json_node_get_value_type(node) == G_TYPE_STRING;
        strings[i] = g_strdup(text ? json_node_get_string(node) : "");
    }
    return strings;
}
