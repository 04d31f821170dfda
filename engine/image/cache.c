// SPDX-License-Identifier: MIT
#include "cache-private.h"
#include "rw-json.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#define FORMAT_VERSION 1
#define JSON_MAX (16u << 20) // bytes: an environment may be large

static char *dup_name(const char *dir, const char *prefix, const char *hash, const char *suffix)
{
    g_autofree char *name = g_strconcat(prefix, hash, suffix, NULL);
    return g_build_filename(dir, name, NULL);
}

// ---- JSON files ----

// What the file holds, if it is a whole one of a version known here. Anything else is as good as missing:
// these files only save work.
static JsonObject *read_json(const char *path)
{
    g_autofree char *text = NULL;
    size_t len;
    if (!rw_read_file(path, JSON_MAX, &text, &len, NULL))
        return NULL;
    g_autoptr(JsonParser) parser = json_parser_new();
    if (!rw_json_check(text, len) || !json_parser_load_from_data(parser, text, (gssize)len, NULL))
        return NULL;
    JsonNode *root = json_parser_get_root(parser);
    if (!root || !JSON_NODE_HOLDS_OBJECT(root))
        return NULL;
    JsonObject *object = json_node_get_object(root);
    if (json_object_get_int_member_with_default(object, "version", 0) != FORMAT_VERSION)
        return NULL;
    return json_object_ref(object);
}

static bool write_json(const char *dir, const char *path, JsonObject *object, GError **error)
{
    json_object_set_int_member(object, "version", FORMAT_VERSION);
    g_autoptr(JsonNode) node = json_node_new(JSON_NODE_OBJECT);
    json_node_set_object(node, object);
    g_autofree char *text = json_to_string(node, true);
    g_autoptr(RwTemp) temp = rw_temp_new(dir, error);
    return temp && rw_write_all(temp->fd, text, strlen(text), path, error) &&
           rw_temp_keep(temp, path, error);
}

// ---- Images ----

// Since 1970, modulo 2^63: only ever compared.
static int64_t nanoseconds(const struct timespec *time)
{
    return (int64_t)(((uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec) & INT64_MAX);
}

static bool has_times(JsonObject *object, const struct stat *st)
{
    return json_object_get_int_member_with_default(object, "mtime", -1) == nanoseconds(&st->st_mtim) &&
           json_object_get_int_member_with_default(object, "ctime", -1) == nanoseconds(&st->st_ctim);
}

static bool write_facts(const char *dir, const RwImage *image, const struct stat *st, GError **error)
{
    g_autofree char *path = dup_name(dir, "", image->sha256, ".json");
    g_autoptr(JsonObject) object = json_object_new();
    json_object_set_int_member(object, "size", (gint64)image->size);
    json_object_set_int_member(object, "entries", (gint64)image->entries);
    json_object_set_int_member(object, "newest", image->newest);
    json_object_set_int_member(object, "mtime", nanoseconds(&st->st_mtim));
    json_object_set_int_member(object, "ctime", nanoseconds(&st->st_ctim));
    return write_json(dir, path, object, error);
}

// The file was touched since its facts were written down: are its bytes still those of its name?
static bool hash_again(const char *dir, const RwImage *image, int fd, const struct stat *st,
                       GCancellable *cancellable, GError **error)
{
    char hex[RW_SHA256_HEX_SIZE];
    if (!rw_sha256_fd(fd, cancellable, hex, error) || strcmp(hex, image->sha256) != 0)
        return false;
    return write_facts(dir, image, st, error);
}

static bool is_whole(const char *dir, const RwImage *image, JsonObject *facts, GCancellable *cancellable,
                     GError **error)
{
    struct stat st;
    int fd = open(image->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == image->size;
    if (ok && !has_times(facts, &st))
        ok = hash_again(dir, image, fd, &st, cancellable, error);
    close(fd);
    return ok;
}

RwImage *rw_cache_get(const char *dir, const char *sha256, GCancellable *cancellable, GError **error)
{
    g_autofree char *path = dup_name(dir, "", sha256, ".json");
    g_autoptr(JsonObject) facts = read_json(path);
    if (!facts)
        return NULL;
    g_autoptr(RwImage) image = g_new0(RwImage, 1);
    image->path = dup_name(dir, "", sha256, ".erofs");
    g_strlcpy(image->sha256, sha256, sizeof image->sha256);
    image->size = (uint64_t)json_object_get_int_member_with_default(facts, "size", 0);
    image->entries = (uint64_t)json_object_get_int_member_with_default(facts, "entries", 0);
    image->newest = json_object_get_int_member_with_default(facts, "newest", 0);
    return is_whole(dir, image, facts, cancellable, error) ? g_steal_pointer(&image) : NULL;
}

static bool put_new(const char *dir, RwTemp *file, const RwImage *image, GError **error)
{
    struct stat st;
    if (!rw_temp_keep(file, image->path, error))
        return false;
    if (fstat(file->fd, &st) == 0)
        return write_facts(dir, image, &st, error);
    rw_error_from_errno(error, errno, "cannot read %s", image->path);
    return false;
}

RwImage *rw_cache_put(const char *dir, RwTemp *file, const RwImage *facts, GCancellable *cancellable,
                      GError **error)
{
    GError *local = NULL;
    RwImage *there = rw_cache_get(dir, facts->sha256, cancellable, &local);
    if (there || local) {
        if (local)
            g_propagate_error(error, local);
        return there;
    }
    g_autoptr(RwImage) image = g_new0(RwImage, 1);
    *image = *facts;
    image->path = dup_name(dir, "", facts->sha256, ".erofs");
    return put_new(dir, file, image, error) ? g_steal_pointer(&image) : NULL;
}

// ---- Whether an image is still the one of its name ----

bool rw_image_verify(const char *path, const char *sha256, GCancellable *cancellable, GError **error)
{
    char hex[RW_SHA256_HEX_SIZE];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) {
        rw_error_from_errno(error, errno, "cannot read %s", path);
        return false;
    }
    bool ok = rw_sha256_fd(fd, cancellable, hex, error);
    close(fd);
    if (!ok || !strcmp(hex, sha256))
        return ok;
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID,
                "image %.12s is damaged: the bytes of %s are not those of its name", sha256, path);
    return false;
}

RwImage *rw_image_find(const char *images_dir, const char *sha256, GCancellable *cancellable,
                       GError **error)
{
    GError *local = NULL;
    RwImage *known = rw_cache_get(images_dir, sha256, cancellable, &local);
    if (known || local) {
        if (local)
            g_propagate_error(error, local);
        return known;
    }
    // What is known of it may have gone, or says that it was touched and is another.
    g_autofree char *name = g_strconcat(sha256, ".erofs", NULL);
    g_autoptr(RwImage) image = g_new0(RwImage, 1);
    image->path = g_build_filename(images_dir, name, NULL);
    g_strlcpy(image->sha256, sha256, sizeof image->sha256);
    return rw_image_verify(image->path, sha256, cancellable, error) ? g_steal_pointer(&image) : NULL;
}

// ---- Sources ----

void rw_source_clear(RwSource *source)
{
    g_clear_pointer(&source->defaults, rw_image_defaults_free);
}

static RwImageDefaults *read_defaults(JsonObject *object)
{
    g_autoptr(RwImageDefaults) defaults = g_new0(RwImageDefaults, 1);
    defaults->env = rw_json_dup_strv(rw_json_get_array(object, "env"));
    defaults->user = g_strdup(rw_json_get_string(object, "user"));
    defaults->cwd = g_strdup(rw_json_get_string(object, "cwd"));
    return defaults->env ? g_steal_pointer(&defaults) : NULL;
}

bool rw_cache_get_source(const char *dir, const char *key, RwSource *ret)
{
    g_autofree char *path = dup_name(dir, "tar-", key, ".json");
    g_autoptr(JsonObject) object = read_json(path);
    *ret = (RwSource){0};
    if (!object || json_object_get_int_member_with_default(object, "writer", 0) != RW_IMAGE_WRITER_VERSION)
        return false;
    const char *sha256 = rw_json_get_string(object, "image");
    JsonObject *defaults = rw_json_get_object(object, "defaults");
    if (!sha256 || !rw_is_sha256_hex(sha256) || (defaults && !(ret->defaults = read_defaults(defaults))))
        return false;
    g_strlcpy(ret->sha256, sha256, sizeof ret->sha256);
    return true;
}

static JsonObject *defaults_to_json(const RwImageDefaults *defaults)
{
    JsonObject *object = json_object_new();
    JsonArray *env = json_array_new();
    for (char **variable = defaults->env; *variable; variable++)
        json_array_add_string_element(env, *variable);
    json_object_set_array_member(object, "env", env);
    if (defaults->user)
        json_object_set_string_member(object, "user", defaults->user);
    if (defaults->cwd)
        json_object_set_string_member(object, "cwd", defaults->cwd);
    return object;
}

bool rw_cache_put_source(const char *dir, const char *key, const RwSource *source, GError **error)
{
    g_autofree char *path = dup_name(dir, "tar-", key, ".json");
    g_autoptr(JsonObject) object = json_object_new();
    json_object_set_int_member(object, "writer", RW_IMAGE_WRITER_VERSION);
    json_object_set_string_member(object, "image", source->sha256);
    if (source->defaults)
        json_object_set_object_member(object, "defaults", defaults_to_json(source->defaults));
    return write_json(dir, path, object, error);
}

// ---- Hashes of files ----

#define SETTLED_NS 2000000000 // FAT's clock ticks every two seconds, others much faster

static char *dup_stat_path(const char *dir, const struct stat *st)
{
    g_autofree char *name =
        g_strdup_printf("%llx-%llx", (unsigned long long)st->st_dev, (unsigned long long)st->st_ino);
    return dup_name(dir, "stat-", name, ".json");
}

static bool is_remembered(const char *path, const struct stat *st, char ret_hex[RW_SHA256_HEX_SIZE])
{
    g_autoptr(JsonObject) object = read_json(path);
    if (!object || json_object_get_int_member_with_default(object, "size", -1) != st->st_size ||
        !has_times(object, st))
        return false;
    const char *sha256 = rw_json_get_string(object, "sha256");
    if (!sha256 || !rw_is_sha256_hex(sha256))
        return false;
    memcpy(ret_hex, sha256, RW_SHA256_HEX_SIZE);
    return true;
}

// Only saves work: a full disk is found out about by whoever has more to write.
static void remember(const char *dir, const char *path, const struct stat *st, const char *hex)
{
    g_autoptr(JsonObject) object = json_object_new();
    json_object_set_int_member(object, "size", st->st_size);
    json_object_set_int_member(object, "mtime", nanoseconds(&st->st_mtim));
    json_object_set_int_member(object, "ctime", nanoseconds(&st->st_ctim));
    json_object_set_string_member(object, "sha256", hex);
    write_json(dir, path, object, NULL);
}

bool rw_cache_hash_file(const char *dir, int fd, const struct stat *st, GCancellable *cancellable,
                        char ret_hex[RW_SHA256_HEX_SIZE], GError **error)
{
    struct timespec now;
    struct stat after;
    g_autofree char *path = dup_stat_path(dir, st);
    if (is_remembered(path, st, ret_hex))
        return true;
    clock_gettime(CLOCK_REALTIME, &now);
    if (!rw_sha256_fd(fd, cancellable, ret_hex, error))
        return false;
    int64_t settled = nanoseconds(&now) - SETTLED_NS;
    if (nanoseconds(&st->st_mtim) < settled && nanoseconds(&st->st_ctim) < settled &&
        fstat(fd, &after) == 0 && after.st_size == st->st_size &&
        nanoseconds(&after.st_mtim) == nanoseconds(&st->st_mtim) &&
        nanoseconds(&after.st_ctim) == nanoseconds(&st->st_ctim))
        remember(dir, path, st, ret_hex);
    return true;
}

bool rw_cache_read_stat(const char *dir, const char *name, char ret_hex[RW_SHA256_HEX_SIZE])
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autoptr(JsonObject) object = read_json(path);
    const char *sha256 = object ? rw_json_get_string(object, "sha256") : NULL;
    if (!sha256 || !rw_is_sha256_hex(sha256))
        return false;
    memcpy(ret_hex, sha256, RW_SHA256_HEX_SIZE);
    return true;
}
