// SPDX-License-Identifier: MIT
#include "rw-twin.h"

#include "rw-file.h"
#include "rw-json.h"

#define NAME "twin.json"
#define FORMAT "rewind-twin"
#define VERSION 1
#define FILE_MAX 4096u // bytes

void rw_twin_save(const char *dir, const char *id)
{
    g_autofree char *path = g_build_filename(dir, NAME, NULL);
    g_autofree char *text =
        g_strdup_printf("{\"format\":\"%s\",\"version\":%d,\"twin\":\"%s\"}\n", FORMAT, VERSION, id);
    rw_write_file_atomic(path, text, strlen(text), NULL);
}

static bool parse(const char *text, size_t length, char ret_id[RW_RUN_ID_SIZE])
{
    g_autoptr(GBytes) bytes = g_bytes_new_static(text, length);
    g_autoptr(JsonNode) root = rw_json_parse(bytes, NAME, NULL);
    JsonObject *object = root && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
    const char *id = object ? rw_json_get_string(object, "twin") : NULL;
    int64_t version;
    if (!id || !rw_is_hex(id, RW_RUN_ID_SIZE - 1) ||
        g_strcmp0(rw_json_get_string(object, "format"), FORMAT) ||
        !rw_json_get_int(object, "version", &version) || version != VERSION)
        return false;
    g_strlcpy(ret_id, id, RW_RUN_ID_SIZE);
    return true;
}

bool rw_twin_load(const char *dir, char ret_id[RW_RUN_ID_SIZE])
{
    g_autofree char *path = g_build_filename(dir, NAME, NULL), *text = NULL;
    size_t length;
    return rw_read_file(path, FILE_MAX, &text, &length, NULL) && parse(text, length, ret_id);
}
