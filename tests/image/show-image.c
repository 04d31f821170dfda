// SPDX-License-Identifier: MIT
//
// `show-image ROOT FOLDER [PATH...]` makes the root's image in the folder and prints an object: where it
// came from, its hash, the defaults of an image of layers with the user looked up, and what the paths are
// in it.
#include "rw-image.h"

#include <json-glib/json-glib.h>
#include <stdio.h>

static JsonObject *describe_path(RwImageReader *reader, const char *path)
{
    JsonObject *object = json_object_new();
    RwImageStat st;
    g_autoptr(GError) error = NULL;
    if (!rw_image_lookup(reader, path, &st, &error)) {
        json_object_set_string_member(object, "error", error->message);
        return object;
    }
    json_object_set_int_member(object, "nid", (gint64)st.nid);
    json_object_set_int_member(object, "mode", st.mode);
    json_object_set_int_member(object, "uid", st.uid);
    json_object_set_int_member(object, "nlink", st.nlink);
    json_object_set_int_member(object, "size", (gint64)st.size);
    g_autoptr(GBytes) bytes = rw_image_read_file(reader, path, 4096, NULL);
    gsize len = 0;
    const char *data = bytes ? g_bytes_get_data(bytes, &len) : NULL;
    g_autofree char *text = g_strndup(data ? data : "", len);
    json_object_set_string_member(object, "text", text);
    return object;
}

static void add_defaults(JsonObject *object, RwImageReader *reader, const RwImageDefaults *defaults)
{
    JsonArray *env = json_array_new();
    RwImageUser user = {0};
    g_autoptr(GError) error = NULL;
    for (char **variable = defaults->env; *variable; variable++)
        json_array_add_string_element(env, *variable);
    json_object_set_array_member(object, "env", env);
    json_object_set_string_member(object, "cwd", defaults->cwd);
    json_object_set_string_member(object, "user", defaults->user);
    if (!defaults->user || !rw_image_find_user(reader, defaults->user, &user, &error)) {
        json_object_set_string_member(object, "user_error", error ? error->message : NULL);
        return;
    }
    json_object_set_int_member(object, "uid", user.uid);
    json_object_set_int_member(object, "gid", user.gid);
    json_object_set_string_member(object, "home", user.home);
    g_free(user.home);
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    const RwImageLimits limits = {.bytes = 64 << 20, .entries = 10000};
    g_autoptr(RwImage) image =
        argc < 3 ? NULL : rw_image_prepare(argv[1], argv[2], &limits, NULL, NULL, NULL, &error);
    g_autoptr(RwImageReader) reader = image ? rw_image_reader_open(image->path, &error) : NULL;
    if (!reader) {
        fprintf(stderr, "%s\n", error ? error->message : "usage: show-image ROOT FOLDER [PATH...]");
        return 1;
    }
    g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
    JsonObject *object = json_object_new(), *paths = json_object_new();
    json_node_take_object(root, object);
    json_object_set_string_member(object, "from", rw_image_from_name(image->from));
    json_object_set_string_member(object, "sha256", image->sha256);
    json_object_set_object_member(object, "paths", paths);
    for (int i = 3; i < argc; i++)
        json_object_set_object_member(paths, argv[i], describe_path(reader, argv[i]));
    if (image->defaults)
        add_defaults(object, reader, image->defaults);
    g_autofree char *text = json_to_string(root, false);
    printf("%s\n", text);
    return 0;
}
