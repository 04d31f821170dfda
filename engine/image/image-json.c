// SPDX-License-Identifier: MIT
#include "image-json-private.h"

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

const char *rw_json_get_string(JsonObject *object, const char *member)
{
    JsonNode *node = object ? json_object_get_member(object, member) : NULL;
    return node && json_node_get_value_type(node) == G_TYPE_STRING ? json_node_get_string(node) : NULL;
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

guint rw_json_length(JsonArray *array)
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
        gboolean text = json_node_get_value_type(node) == G_TYPE_STRING;
        strings[i] = g_strdup(text ? json_node_get_string(node) : "");
    }
    return strings;
}
