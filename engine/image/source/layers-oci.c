// SPDX-License-Identifier: MIT
//
// From index.json to one image's config and layers. Everything but index.json is named by its hash.
#include "rw-json.h"
#include "layers-private.h"

#define DEPTH_MAX 4 // of indexes in indexes

bool rw_layers_is_oci(RwBlobs *blobs)
{
    g_autoptr(GBytes) layout = rw_blobs_read(blobs, "oci-layout", NULL);
    g_autoptr(GBytes) index = layout ? rw_blobs_read(blobs, "index.json", NULL) : NULL;
    g_autoptr(JsonNode) root = index ? rw_json_parse(layout, "oci-layout", NULL) : NULL;
    return root && JSON_NODE_HOLDS_OBJECT(root) &&
           rw_json_get_string(json_node_get_object(root), "imageLayoutVersion");
}

static char *dup_blob_path(const char *hex)
{
    return g_strconcat("blobs/sha256/", hex, NULL);
}

static GBytes *read_described(RwBlobs *blobs, JsonObject *descriptor, char ret_hex[RW_SHA256_HEX_SIZE],
                              GError **error)
{
    char found[RW_SHA256_HEX_SIZE];
    gsize len;
    if (!rw_digest_parse(rw_json_get_string(descriptor, "digest"), ret_hex, error))
        return NULL;
    g_autofree char *path = dup_blob_path(ret_hex);
    g_autoptr(GBytes) bytes = rw_blobs_read(blobs, path, error);
    if (!bytes)
        return NULL;
    const void *data = g_bytes_get_data(bytes, &len);
    rw_sha256_hex(data, len, found);
    if (strcmp(found, ret_hex) == 0)
        return g_steal_pointer(&bytes);
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s is damaged: its hash is %.12s", path, found);
    return NULL;
}

// ---- Which of several ----

// What has no platform is looked at: its config has one.
static bool may_run(JsonObject *descriptor)
{
    JsonObject *platform = rw_json_get_object(descriptor, "platform");
    const char *variant = rw_json_get_string(platform, "variant");
    if (!platform)
        return true;
    return !g_strcmp0(rw_json_get_string(platform, "os"), "linux") &&
           !g_strcmp0(rw_json_get_string(platform, "architecture"), "amd64") && g_strcmp0(variant, "v3") &&
           g_strcmp0(variant, "v4");
}

static void append_platform(GString *list, JsonObject *descriptor)
{
    JsonObject *platform = rw_json_get_object(descriptor, "platform");
    const char *os = rw_json_get_string(platform, "os"),
               *arch = rw_json_get_string(platform, "architecture"),
               *variant = rw_json_get_string(platform, "variant");
    if (list->len < 200 && g_strcmp0(os, "unknown"))
        g_string_append_printf(list, "%s%.20s/%.20s%s%.20s", list->len ? ", " : "", os ? os : "?",
                               arch ? arch : "?", variant ? "/" : "", variant ? variant : "");
}

static JsonObject *none_fits(JsonArray *manifests, GError **error)
{
    g_autoptr(GString) list = g_string_new(NULL);
    for (guint i = 0; i < rw_json_count(manifests); i++)
        append_platform(list, rw_json_get_element(manifests, i));
    g_autofree char *shown = rw_display_name(list->str);
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "no image for linux/amd64 in it%s%s",
                list->len ? ", only for " : "", shown);
    return NULL;
}

// The outermost index may list images that have nothing to do with each other; then nothing says which.
static JsonObject *choose(JsonArray *manifests, bool outermost, GError **error)
{
    JsonObject *found = NULL;
    for (guint i = 0; i < rw_json_count(manifests); i++) {
        JsonObject *descriptor = rw_json_get_element(manifests, i);
        if (!descriptor || !may_run(descriptor))
            continue;
        if (found && outermost &&
            g_strcmp0(rw_json_get_string(found, "digest"), rw_json_get_string(descriptor, "digest"))) {
            g_set_error(error, RW_ERROR, RW_ERROR_AMBIGUOUS,
                        "several images in it: save the one that is meant by itself");
            return NULL;
        }
        if (!found)
            found = descriptor;
    }
    return found ? found : none_fits(manifests, error);
}

// ---- Manifests ----

static bool check_layer_type(const char *type, GError **error)
{
    if (!type || !strstr(type, "encrypted"))
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "its layers are encrypted: decrypt the image first");
    return false;
}

static char **dup_layer_paths(JsonArray *array, GArray *digests, GError **error)
{
    guint n = rw_json_count(array);
    if (n > RW_LAYERS_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "the image has more than %u layers", RW_LAYERS_MAX);
        return NULL;
    }
    g_auto(GStrv) paths = g_new0(char *, n + 1);
    for (guint i = 0; i < n; i++) {
        char hex[RW_SHA256_HEX_SIZE];
        JsonObject *layer = rw_json_get_element(array, i);
        if (!check_layer_type(rw_json_get_string(layer, "mediaType"), error) ||
            !rw_digest_parse(rw_json_get_string(layer, "digest"), hex, error))
            return NULL;
        paths[i] = dup_blob_path(hex);
        g_array_append_val(digests, hex);
    }
    return g_steal_pointer(&paths);
}

static RwLayers *read_manifest(RwBlobs *blobs, JsonObject *manifest, GError **error)
{
    char hex[RW_SHA256_HEX_SIZE];
    JsonArray *array = rw_json_get_array(manifest, "layers");
    JsonObject *descriptor = rw_json_get_object(manifest, "config");
    if (!array || !descriptor) {
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                    "its manifest is of a kind that is not known here");
        return NULL;
    }
    g_autoptr(GArray) digests = g_array_new(false, false, RW_SHA256_HEX_SIZE);
    g_auto(GStrv) paths = dup_layer_paths(array, digests, error);
    g_autoptr(GBytes) config = paths ? read_described(blobs, descriptor, hex, error) : NULL;
    RwLayers *layers = config ? rw_layers_from_config(config, paths, error) : NULL;
    for (guint i = 0; layers && i < digests->len; i++)
        memcpy(g_array_index(layers->layers, RwLayer, i).digest, digests->data + i * RW_SHA256_HEX_SIZE,
               RW_SHA256_HEX_SIZE);
    return layers;
}

// Hashes rule out circles; the depth is bounded all the same.
static RwLayers *follow(RwBlobs *blobs, JsonArray *manifests, unsigned depth, GError **error)
{
    char hex[RW_SHA256_HEX_SIZE];
    JsonObject *descriptor = choose(manifests, depth == 0, error);
    g_autoptr(GBytes) bytes = descriptor ? read_described(blobs, descriptor, hex, error) : NULL;
    g_autoptr(JsonNode) root = bytes ? rw_json_parse(bytes, "the image's manifest", error) : NULL;
    if (!root)
        return NULL;
    JsonObject *object = JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
    JsonArray *inner = rw_json_get_array(object, "manifests");
    if (inner && depth < DEPTH_MAX)
        return follow(blobs, inner, depth + 1, error);
    if (inner) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "its indexes are nested too deep");
        return NULL;
    }
    RwLayers *layers = read_manifest(blobs, object, error);
    if (layers)
        memcpy(layers->key, hex, sizeof layers->key);
    return layers;
}

RwLayers *rw_layers_read_oci(RwBlobs *blobs, GError **error)
{
    g_autoptr(GBytes) index = rw_blobs_read(blobs, "index.json", error);
    g_autoptr(JsonNode) root = index ? rw_json_parse(index, "index.json", error) : NULL;
    if (!root)
        return NULL;
    JsonObject *object = JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
    JsonArray *manifests = rw_json_get_array(object, "manifests");
    if (manifests)
        return follow(blobs, manifests, 0, error);
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "index.json is damaged: no manifests in it");
    return NULL;
}
