// SPDX-License-Identifier: MIT
#include "cache-private.h"

#include <errno.h>
#include <fcntl.h>
#include <json-glib/json-glib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT_VERSION 1
#define JSON_MAX 4096 // bytes

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
    if (!json_parser_load_from_data(parser, text, (gssize)len, NULL))
        return NULL;
    JsonNode *root = json_parser_get_root(parser);
    if (!root || !JSON_NODE_HOLDS_OBJECT(root))
        return NULL;
    JsonObject *object = json_node_get_object(root);
    if (json_object_get_int_member_with_default(object, "version", 0) != FORMAT_VERSION)
        return NULL;
    return json_object_ref(object);
}

static gboolean write_json(const char *dir, const char *path, JsonObject *object, GError **error)
{
    json_object_set_int_member(object, "version", FORMAT_VERSION);
    g_autoptr(JsonNode) node = json_node_new(JSON_NODE_OBJECT);
    json_node_set_object(node, object);
    g_autofree char *text = json_to_string(node, TRUE);
    g_autoptr(RwTemp) temp = rw_temp_new(dir, error);
    return temp && rw_write_all(temp->fd, text, strlen(text), path, error) &&
           rw_temp_keep(temp, path, error);
}

static gboolean is_hash(const char *text)
{
    return strlen(text) == RW_SHA256_HEX_SIZE - 1 &&
           strspn(text, "0123456789abcdef") == RW_SHA256_HEX_SIZE - 1;
}

// ---- Images ----

// Nanoseconds since 1970, modulo 2^63: only ever compared.
static int64_t stamp(const struct stat *st)
{
    return (int64_t)(((uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec) &
                     INT64_MAX);
}

static gboolean write_facts(const char *dir, const RwImage *image, const struct stat *st, GError **error)
{
    g_autofree char *path = dup_name(dir, "", image->sha256, ".json");
    g_autoptr(JsonObject) object = json_object_new();
    json_object_set_int_member(object, "size", (gint64)image->size);
    json_object_set_int_member(object, "entries", (gint64)image->entries);
    json_object_set_int_member(object, "newest", image->newest);
    json_object_set_int_member(object, "stamp", stamp(st));
    return write_json(dir, path, object, error);
}

// The file was touched since its facts were written down: are its bytes still those of its name?
static gboolean hash_again(const char *dir, const RwImage *image, int fd, const struct stat *st,
                           GCancellable *cancellable, GError **error)
{
    char hex[RW_SHA256_HEX_SIZE];
    if (!rw_sha256_fd(fd, cancellable, hex, error) || strcmp(hex, image->sha256) != 0)
        return FALSE;
    return write_facts(dir, image, st, error);
}

static gboolean is_whole(const char *dir, const RwImage *image, int64_t known_stamp,
                         GCancellable *cancellable, GError **error)
{
    struct stat st;
    int fd = open(image->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return FALSE;
    gboolean ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == image->size;
    if (ok && stamp(&st) != known_stamp)
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
    int64_t known = json_object_get_int_member_with_default(facts, "stamp", -1);
    return is_whole(dir, image, known, cancellable, error) ? g_steal_pointer(&image) : NULL;
}

static gboolean put_new(const char *dir, RwTemp *file, const RwImage *image, GError **error)
{
    struct stat st;
    if (!rw_temp_keep(file, image->path, error))
        return FALSE;
    if (fstat(file->fd, &st) == 0)
        return write_facts(dir, image, &st, error);
    rw_error_from_errno(error, errno, "cannot read %s", image->path);
    return FALSE;
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

// ---- Tarballs ----

char *rw_cache_dup_tarball(const char *dir, const char *tar_sha256)
{
    g_autofree char *path = dup_name(dir, "tar-", tar_sha256, ".json");
    g_autoptr(JsonObject) object = read_json(path);
    if (!object || json_object_get_int_member_with_default(object, "writer", 0) != RW_IMAGE_WRITER_VERSION)
        return NULL;
    const char *sha256 = json_object_get_string_member_with_default(object, "image", "");
    return is_hash(sha256) ? g_strdup(sha256) : NULL;
}

gboolean rw_cache_put_tarball(const char *dir, const char *tar_sha256, const char *sha256, GError **error)
{
    g_autofree char *path = dup_name(dir, "tar-", tar_sha256, ".json");
    g_autoptr(JsonObject) object = json_object_new();
    json_object_set_int_member(object, "writer", RW_IMAGE_WRITER_VERSION);
    json_object_set_string_member(object, "image", sha256);
    return write_json(dir, path, object, error);
}
