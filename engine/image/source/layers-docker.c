// SPDX-License-Identifier: MIT
//
// What `docker save` writes: manifest.json, a list of images, each with the paths of its config and layers.
// Since Docker 25 it is an OCI layout as well, and read as one.
#include "rw-json.h"
#include "layers-private.h"

#define MANIFEST "manifest.json"

static JsonArray *get_images(JsonNode *root)
{
    JsonArray *images = root && JSON_NODE_HOLDS_ARRAY(root) ? json_node_get_array(root) : NULL;
    for (guint i = 0; i < rw_json_count(images); i++) {
        JsonObject *image = rw_json_get_element(images, i);
        if (!rw_json_get_string(image, "Config") || !rw_json_get_array(image, "Layers"))
            return NULL;
    }
    return rw_json_count(images) ? images : NULL;
}

bool rw_layers_is_docker(RwBlobs *blobs)
{
    g_autoptr(GBytes) bytes = rw_blobs_read(blobs, MANIFEST, NULL);
    g_autoptr(JsonNode) root = bytes ? rw_json_parse(bytes, MANIFEST, NULL) : NULL;
    return get_images(root) != NULL;
}

static JsonObject *get_one(JsonArray *images, GError **error)
{
    JsonObject *first = rw_json_get_element(images, 0);
    for (guint i = 1; i < rw_json_count(images); i++)
        if (strcmp(rw_json_get_string(first, "Config"),
                   rw_json_get_string(rw_json_get_element(images, i), "Config"))) {
            g_set_error(error, RW_ERROR, RW_ERROR_AMBIGUOUS,
                        "several images in it: save the one that is meant by itself");
            return NULL;
        }
    return first;
}

// The config's file is named by its hash, with ".json" or in blobs/sha256/.
static bool check_config(const char *path, GBytes *config, GError **error)
{
    char found[RW_SHA256_HEX_SIZE];
    gsize len;
    const void *data = g_bytes_get_data(config, &len);
    rw_sha256_hex(data, len, found);
    g_autofree char *name = g_path_get_basename(path);
    if (g_str_has_suffix(name, ".json"))
        name[strlen(name) - strlen(".json")] = 0;
    if (strcmp(name, found) == 0)
        return true;
    g_autofree char *shown = rw_display_name(path);
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%.200s is damaged: its hash is %.12s", shown, found);
    return false;
}

RwLayers *rw_layers_read_docker(RwBlobs *blobs, GError **error)
{
    g_autoptr(GBytes) bytes = rw_blobs_read(blobs, MANIFEST, error);
    g_autoptr(JsonNode) root = bytes ? rw_json_parse(bytes, MANIFEST, error) : NULL;
    JsonObject *image = root ? get_one(get_images(root), error) : NULL;
    if (!image)
        return NULL;
    const char *path = rw_json_get_string(image, "Config");
    g_auto(GStrv) layers = rw_json_dup_strv(rw_json_get_array(image, "Layers"));
    g_autoptr(GBytes) config = rw_blobs_read(blobs, path, error);
    if (!config || !check_config(path, config, error))
        return NULL;
    return rw_layers_from_config(config, layers, error);
}
