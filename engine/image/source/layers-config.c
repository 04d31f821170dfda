// SPDX-License-Identifier: MIT
//
// An image's config: https://github.com/opencontainers/image-spec/blob/main/config.md
#include "rw-json.h"
#include "layers-private.h"

static void clear_layer(void *data)
{
    g_free(((RwLayer *)data)->path);
}

void rw_layers_free(RwLayers *layers)
{
    if (!layers)
        return;
    g_array_unref(layers->layers);
    rw_image_defaults_free(layers->defaults);
    g_free(layers);
}

void rw_image_defaults_free(RwImageDefaults *defaults)
{
    if (!defaults)
        return;
    g_strfreev(defaults->env);
    g_free(defaults->user);
    g_free(defaults->cwd);
    g_free(defaults);
}

bool rw_digest_parse(const char *digest, char ret_hex[RW_SHA256_HEX_SIZE], GError **error)
{
    static const char prefix[] = "sha256:";
    const char *hex = digest && g_str_has_prefix(digest, prefix) ? digest + strlen(prefix) : NULL;
    if (hex && rw_is_sha256_hex(hex)) {
        memcpy(ret_hex, hex, RW_SHA256_HEX_SIZE);
        return true;
    }
    g_autofree char *shown = rw_display_name(digest ? digest : "");
    g_set_error(error, RW_ERROR, digest && !hex ? RW_ERROR_UNSUPPORTED : RW_ERROR_INVALID,
                digest && !hex ? "digest %.80s: only sha256 is known here" : "digest %.80s is malformed",
                shown);
    return false;
}

static bool check_platform(JsonObject *config, GError **error)
{
    const char *os = rw_json_get_string(config, "os"), *arch = rw_json_get_string(config, "architecture");
    if (!g_strcmp0(os, "linux") && !g_strcmp0(arch, "amd64"))
        return true;
    g_autofree char *text = g_strdup_printf("%.40s/%.40s", os ? os : "?", arch ? arch : "?");
    g_autofree char *shown = rw_display_name(text);
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "the image is for %s: only linux/amd64 runs here",
                shown);
    return false;
}

static bool check_env(char **env, GError **error)
{
    for (; env && *env; env++) {
        if (strchr(*env, '=') && **env != '=')
            continue;
        g_autofree char *shown = rw_display_name(*env);
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "the image's variable %.80s is not KEY=VALUE",
                    shown);
        return false;
    }
    return true;
}

static RwImageDefaults *read_defaults(JsonObject *config, GError **error)
{
    JsonObject *job = rw_json_get_object(config, "config");
    const char *user = rw_json_get_string(job, "User"), *cwd = rw_json_get_string(job, "WorkingDir");
    g_autoptr(RwImageDefaults) defaults = g_new0(RwImageDefaults, 1);
    defaults->env = rw_json_dup_strv(rw_json_get_array(job, "Env"));
    if (!defaults->env)
        defaults->env = g_new0(char *, 1);
    defaults->user = user && *user ? g_strdup(user) : NULL;
    defaults->cwd = cwd && *cwd ? g_canonicalize_filename(cwd, "/") : NULL;
    return check_env(defaults->env, error) ? g_steal_pointer(&defaults) : NULL;
}

static bool read_layers(JsonObject *config, char *const *paths, GArray *layers, GError **error)
{
    g_auto(GStrv) ids =
        rw_json_dup_strv(rw_json_get_array(rw_json_get_object(config, "rootfs"), "diff_ids"));
    guint n = g_strv_length((char **)paths);
    if (!ids || g_strv_length(ids) != n || n > RW_LAYERS_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "the image's config does not fit its %u layers", n);
        return false;
    }
    for (guint i = 0; i < n; i++) {
        RwLayer layer = {0};
        if (!rw_digest_parse(ids[i], layer.diff_id, error))
            return false;
        layer.path = g_strdup(paths[i]);
        g_array_append_val(layers, layer);
    }
    return true;
}

RwLayers *rw_layers_from_config(GBytes *config, char *const *paths, GError **error)
{
    g_autoptr(JsonNode) root = rw_json_parse(config, "the image's config", error);
    if (!root)
        return NULL;
    JsonObject *object = JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
    if (!object) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "the image's config is not an object");
        return NULL;
    }
    g_autoptr(RwLayers) layers = g_new0(RwLayers, 1);
    layers->layers = g_array_new(false, false, sizeof(RwLayer));
    g_array_set_clear_func(layers->layers, clear_layer);
    if (!check_platform(object, error) || !read_layers(object, paths, layers->layers, error) ||
        !(layers->defaults = read_defaults(object, error)))
        return NULL;
    return g_steal_pointer(&layers);
}
