// SPDX-License-Identifier: MIT
//
// Images that nobody needs, and what was remembered of them and of files that are no more.
#include "cache-private.h"
#include "rw-json.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>

typedef struct {
    const char *dir;
    GHashTable *used; // hashes of images
    bool dry_run;
    RwImageGone gone;
    void *data;
} Cleaning;

// The hash in <prefix><hash><suffix>, for the caller to free; NULL for another name.
static char *dup_hash(const char *name, const char *prefix, const char *suffix)
{
    const char *hash = name + strlen(prefix);
    if (!g_str_has_prefix(name, prefix) || !g_str_has_suffix(name, suffix) ||
        strlen(hash) != RW_SHA256_HEX_SIZE - 1 + strlen(suffix))
        return NULL;
    g_autofree char *hex = g_strndup(hash, RW_SHA256_HEX_SIZE - 1);
    return rw_is_sha256_hex(hex) ? g_steal_pointer(&hex) : NULL;
}

static bool remove_file(const Cleaning *cleaning, const char *name, const char *what, const char *shown,
                        GError **error)
{
    struct stat st;
    g_autofree char *path = g_build_filename(cleaning->dir, name, NULL);
    if (lstat(path, &st) < 0)
        return true;
    if (!cleaning->dry_run && unlink(path) < 0 && errno != ENOENT) {
        rw_error_from_errno(error, errno, "cannot remove %s", path);
        return false;
    }
    cleaning->gone(what, shown, (uint64_t)st.st_size, cleaning->data);
    return true;
}

static bool is_there(const Cleaning *cleaning, const char *hash)
{
    g_autofree char *name = g_strconcat(hash, ".erofs", NULL),
                    *path = g_build_filename(cleaning->dir, name, NULL);
    return g_hash_table_contains(cleaning->used, hash) && g_file_test(path, G_FILE_TEST_EXISTS);
}

// ---- What is remembered: kept as long as it leads to an image that is ----

static bool leads_to_image(const Cleaning *cleaning, const char *source)
{
    g_auto(RwSource) known = {0};
    return rw_cache_get_source(cleaning->dir, source, &known) && is_there(cleaning, known.sha256);
}

static bool is_known_file(const Cleaning *cleaning, const char *name)
{
    char sha256[RW_SHA256_HEX_SIZE];
    return rw_cache_read_stat(cleaning->dir, name, sha256) &&
           (leads_to_image(cleaning, sha256) || is_there(cleaning, sha256));
}

static bool clean_one(const Cleaning *cleaning, const char *name, GError **error)
{
    g_autofree char *image = dup_hash(name, "", ".erofs"), *facts = dup_hash(name, "", ".json"),
                    *source = dup_hash(name, "tar-", ".json");
    bool stat = g_str_has_prefix(name, "stat-") && g_str_has_suffix(name, ".json");
    if (image)
        return g_hash_table_contains(cleaning->used, image) ||
               remove_file(cleaning, name, "image", image, error);
    if ((facts && !is_there(cleaning, facts)) || (source && !leads_to_image(cleaning, source)) ||
        (stat && !is_known_file(cleaning, name)))
        return remove_file(cleaning, name, "note", name, error);
    return true;
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static GPtrArray *list_names(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    const char *name;
    while (dir && (name = g_dir_read_name(dir)))
        g_ptr_array_add(names, g_strdup(name));
    g_ptr_array_sort(names, compare_names);
    return names;
}

bool rw_images_remove_unused(const char *images_dir, GHashTable *used, bool dry_run, RwImageGone gone,
                             void *data, GError **error)
{
    Cleaning cleaning = {images_dir, used, dry_run, gone, data};
    if (!dry_run)
        rw_temp_sweep(images_dir);
    g_autoptr(GPtrArray) names = list_names(images_dir);
    for (guint i = 0; i < names->len; i++)
        if (!clean_one(&cleaning, names->pdata[i], error))
            return false;
    return true;
}
