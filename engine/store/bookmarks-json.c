// SPDX-License-Identifier: MIT
#include "rw-bookmarks.h"

#include "rw-base.h"

#include <json-glib/json-glib.h>

#define FORMAT "rewind-bookmarks"

static void free_bookmark(void *data)
{
    RwBookmark *bookmark = data;
    g_free(bookmark->note);
    g_free(bookmark);
}

static bool damaged(const char *what, const char *why, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: %s", what, why);
    return false;
}

static const char *get_string(JsonObject *object, const char *member)
{
    JsonNode *node = json_object_get_member(object, member);
    return node && json_node_get_value_type(node) == G_TYPE_STRING ? json_node_get_string(node) : NULL;
}

static gint64 get_int(JsonObject *object, const char *member)
{
    JsonNode *node = json_object_get_member(object, member);
    return node && json_node_get_value_type(node) == G_TYPE_INT64 ? json_node_get_int(node) : -1;
}

static bool check_head(JsonObject *object, const char *what, GError **error)
{
    gint64 version = get_int(object, "version");
    if (g_strcmp0(get_string(object, "format"), FORMAT) || version < 1)
        return damaged(what, "not a file of bookmarks", error);
    if (version <= RW_BOOKMARKS_VERSION)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_NEWER,
                "%s: format version %" G_GINT64_FORMAT
                " is newer than this rewind knows (%d): use the rewind that made it",
                what, version, RW_BOOKMARKS_VERSION);
    return false;
}

// In order and one a step, as they are written.
static bool add_bookmark(GPtrArray *bookmarks, JsonNode *node)
{
    JsonObject *object = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
    const char *note = object ? get_string(object, "note") : NULL;
    gint64 step = object ? get_int(object, "step") : -1;
    const RwBookmark *last = bookmarks->len ? bookmarks->pdata[bookmarks->len - 1] : NULL;
    if (!note || strlen(note) > RW_BOOKMARK_NOTE_MAX || step < 0 || (last && (uint64_t)step <= last->step))
        return false;
    RwBookmark *bookmark = g_new(RwBookmark, 1);
    *bookmark = (RwBookmark){(uint64_t)step, g_strdup(note)};
    g_ptr_array_add(bookmarks, bookmark);
    return true;
}

static GPtrArray *read_list(JsonObject *object, const char *what, GError **error)
{
    JsonNode *node = json_object_get_member(object, "bookmarks");
    JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
    if (!array || json_array_get_length(array) > RW_BOOKMARKS_MAX) {
        damaged(what, array ? "too many bookmarks" : "no bookmarks in it", error);
        return NULL;
    }
    g_autoptr(GPtrArray) bookmarks = g_ptr_array_new_with_free_func(free_bookmark);
    for (guint i = 0; i < json_array_get_length(array); i++)
        if (!add_bookmark(bookmarks, json_array_get_element(array, i))) {
            damaged(what, "a bookmark is not as it must be", error);
            return NULL;
        }
    return g_steal_pointer(&bookmarks);
}

GPtrArray *rw_bookmarks_parse(const char *text, size_t length, const char *what, GError **error)
{
    g_autoptr(JsonParser) parser = json_parser_new_immutable();
    JsonNode *root = NULL;
    if (length <= RW_BOOKMARKS_BYTES_MAX && rw_json_check(text, length) &&
        json_parser_load_from_data(parser, text, (gssize)length, NULL))
        root = json_parser_get_root(parser);
    if (!root || !JSON_NODE_HOLDS_OBJECT(root)) {
        damaged(what, "not a JSON object", error);
        return NULL;
    }
    JsonObject *object = json_node_get_object(root);
    return check_head(object, what, error) ? read_list(object, what, error) : NULL;
}

char *rw_bookmarks_dup_text(const GPtrArray *bookmarks, size_t *ret_length)
{
    JsonObject *object = json_object_new();
    JsonArray *array = json_array_new();
    for (guint i = 0; i < bookmarks->len; i++) {
        const RwBookmark *bookmark = bookmarks->pdata[i];
        JsonObject *item = json_object_new();
        json_object_set_int_member(item, "step", (gint64)bookmark->step);
        json_object_set_string_member(item, "note", bookmark->note);
        json_array_add_object_element(array, item);
    }
    json_object_set_string_member(object, "format", FORMAT);
    json_object_set_int_member(object, "version", RW_BOOKMARKS_VERSION);
    json_object_set_array_member(object, "bookmarks", array);
    g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
    json_node_take_object(root, object);
    g_autofree char *text = json_to_string(root, true);
    char *line = g_strconcat(text, "\n", NULL);
    *ret_length = strlen(line);
    return line;
}
