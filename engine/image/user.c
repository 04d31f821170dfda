// SPDX-License-Identifier: MIT
//
// Users and groups by the image's own /etc/passwd and /etc/group.
#include "rw-image.h"

#include "tree-private.h"

#define FILE_MAX (16u << 20)

static char **read_lines(RwImageReader *reader, const char *path)
{
    g_autoptr(GBytes) bytes = rw_image_read_file(reader, path, FILE_MAX, NULL);
    gsize len = 0;
    const char *data = bytes ? g_bytes_get_data(bytes, &len) : "";
    g_autofree char *text = g_strndup(data ? data : "", len);
    return g_strsplit(text, "\n", -1);
}

static bool parse_id(const char *text, uint32_t *ret)
{
    guint64 id;
    if (!text || !g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT32 - 1, &id, NULL))
        return false;
    *ret = (uint32_t)id;
    return true;
}

// The fields of the first line whose name is `who`, or whose third field is that number. NULL when there is
// none.
static char **find_fields(char **lines, const char *who, guint n_fields)
{
    uint32_t wanted = 0, id;
    bool number = parse_id(who, &wanted);
    for (; *lines; lines++) {
        char **fields = g_strsplit(*lines, ":", -1);
        if (g_strv_length(fields) >= n_fields && parse_id(fields[2], &id) &&
            (strcmp(fields[0], who) == 0 || (number && id == wanted)))
            return fields;
        g_strfreev(fields);
    }
    return NULL;
}

static bool no_such(const char *what, const char *name, const char *file, GError **error)
{
    g_autofree char *shown = rw_display_name(name);
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "%s %.80s: not a number, and not in the root's %s",
                what, shown, file);
    return false;
}

static bool find_user(RwImageReader *reader, const char *name, RwImageUser *ret, GError **error)
{
    g_auto(GStrv) lines = read_lines(reader, "/etc/passwd");
    g_auto(GStrv) fields = find_fields(lines, name, 6);
    if (!fields)
        return parse_id(name, &ret->uid) || no_such("user", name, "/etc/passwd", error);
    if (!parse_id(fields[2], &ret->uid) || !parse_id(fields[3], &ret->gid))
        return no_such("group of user", name, "/etc/passwd", error);
    ret->home = g_strdup(fields[5]);
    return true;
}

static bool find_group(RwImageReader *reader, const char *name, RwImageUser *ret, GError **error)
{
    g_auto(GStrv) lines = read_lines(reader, "/etc/group");
    g_auto(GStrv) fields = find_fields(lines, name, 3);
    return parse_id(fields ? fields[2] : name, &ret->gid) || no_such("group", name, "/etc/group", error);
}

bool rw_image_find_user(RwImageReader *reader, const char *text, RwImageUser *ret, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ":", 2);
    *ret = (RwImageUser){0};
    if (find_user(reader, parts[0] ? parts[0] : "", ret, error) &&
        (!parts[0] || !parts[1] || !*parts[1] || find_group(reader, parts[1], ret, error)))
        return true;
    g_clear_pointer(&ret->home, g_free);
    return false;
}
