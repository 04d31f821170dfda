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

bool rw_twin_load(const char *dir, char ret_id[RW_RUN_ID_SIZE])
{
    g_autofree char *path = g_build_filename(dir, NAME, NULL);
    g_autoptr(JsonNode) root = rw_json_read_note(path, FILE_MAX, FORMAT, VERSION);
    const char *id = root ? rw_json_get_string(json_node_get_object(root), "twin") : NULL;
    if (!id || !rw_is_hex(id, RW_RUN_ID_SIZE - 1))
        return false;
    g_strlcpy(ret_id, id, RW_RUN_ID_SIZE);
    return true;
}
