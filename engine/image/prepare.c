// SPDX-License-Identifier: MIT
//
// From a root, whatever it is, to an image in its folder.
#include "cache-private.h"
#include "erofs-format-private.h"
#include "layers-private.h"
#include "reader-private.h"
#include "sources-private.h"
#include "writer-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_CHUNK (1u << 20)

static const RwImageLimits default_limits = {.bytes = 64ull << 30, .entries = 10000000};

typedef struct {
    const char *root;
    const char *dir; // of images
    int fd; // of the root; -1 for a directory
    struct stat st;
    RwImageLimits limits;
    RwWork work;
} Job;

const char *rw_image_from_name(RwImageFrom from)
{
    static const char *const names[] = {"directory", "tarball", "erofs", "layers"};
    return (guint)from < G_N_ELEMENTS(names) ? names[from] : "unknown";
}

void rw_image_free(RwImage *image)
{
    if (!image)
        return;
    g_free(image->path);
    rw_image_defaults_free(image->defaults);
    g_free(image);
}

// ---- Tree, then image ----

static int64_t find_newest(const RwTree *tree)
{
    int64_t newest = INT64_MIN;
    for (guint i = 0; i < tree->order->len; i++)
        newest = MAX(newest, ((RwNode *)g_ptr_array_index(tree->order, i))->mtime);
    return newest;
}

static RwImage *put_image(Job *job, RwTemp *file, uint64_t entries, int64_t newest, GError **error)
{
    struct stat st;
    RwImage facts = {.entries = entries, .newest = newest};
    if (fstat(file->fd, &st) < 0) {
        rw_error_from_errno(error, errno, "cannot read %s", file->path);
        return NULL;
    }
    facts.size = (uint64_t)st.st_size;
    if (!rw_sha256_fd(file->fd, job->work.cancellable, facts.sha256, error))
        return NULL;
    return rw_cache_put(job->dir, file, &facts, job->work.cancellable, error);
}

static RwImage *write_tree(Job *job, RwTree *tree, RwContents *contents, GError **error)
{
    g_autoptr(RwTemp) file = rw_temp_new(job->dir, error);
    if (!file)
        return NULL;
    rw_tree_freeze(tree);
    if (!rw_image_write(tree, contents, file->fd, file->path, job->limits.bytes, &job->work, error))
        return NULL;
    return put_image(job, file, tree->order->len, find_newest(tree), error);
}

static RwImage *read_directory(Job *job, GError **error)
{
    g_autoptr(RwTree) tree = rw_tree_new(job->limits.entries);
    g_autoptr(RwDirSource) source = rw_dir_source_new(job->root, error);
    if (!source)
        return NULL;
    rw_dir_source_skip(source, job->dir);
    if (!rw_tree_from_dir(tree, source, &job->limits, &job->work, error))
        return NULL;
    return write_tree(job, tree, rw_dir_source_contents(source), error);
}

// Whether the file is still what was hashed.
static bool check_same(const Job *job, GError **error)
{
    struct stat st;
    if (fstat(job->fd, &st) == 0 && st.st_size == job->st.st_size &&
        st.st_mtim.tv_sec == job->st.st_mtim.tv_sec && st.st_mtim.tv_nsec == job->st.st_mtim.tv_nsec)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_IO, "it changed while it was read");
    return false;
}

// ---- Images of layers ----

static RwImage *put_layers(Job *job, RwLayers *layers, RwBlobs *blobs, GError **error)
{
    g_autoptr(RwTree) tree = rw_tree_new(job->limits.entries);
    g_autoptr(RwSpool) spool = rw_spool_new(job->dir, error);
    if (!spool || !rw_layers_apply(layers, blobs, tree, spool, &job->limits, &job->work, error))
        return NULL;
    job->work.callback = NULL; // the source is read; the rest is ours
    RwImage *image = write_tree(job, tree, rw_spool_contents(spool), error);
    if (image)
        image->defaults = g_steal_pointer(&layers->defaults);
    return image;
}

static RwImage *from_layers_in_tarball(Job *job, RwBlobs *blobs, bool oci, GError **error)
{
    g_autoptr(RwLayers) layers =
        oci ? rw_layers_read_oci(blobs, error) : rw_layers_read_docker(blobs, error);
    return layers ? put_layers(job, layers, blobs, error) : NULL;
}

// What the source of that hash gave, if the image is still there. false with an error when cancelled.
static bool find_known(Job *job, const char *key, RwImage **ret_image, GError **error)
{
    GError *local = NULL;
    g_auto(RwSource) known = {0};
    *ret_image = rw_cache_get_source(job->dir, key, &known)
                     ? rw_cache_get(job->dir, known.sha256, job->work.cancellable, &local)
                     : NULL;
    if (*ret_image)
        (*ret_image)->defaults = g_steal_pointer(&known.defaults);
    if (local)
        g_propagate_error(error, local);
    return local == NULL;
}

static bool put_known(Job *job, const char *key, const RwImage *image, GError **error)
{
    RwSource source = {.defaults = image->defaults};
    g_strlcpy(source.sha256, image->sha256, sizeof source.sha256);
    return rw_cache_put_source(job->dir, key, &source, error);
}

// A directory is known by its fingerprint, if that is the same before it is read and after.
static RwImage *from_directory(Job *job, GError **error)
{
    char key[RW_SHA256_HEX_SIZE], after[RW_SHA256_HEX_SIZE];
    bool settled = false, later;
    g_autoptr(RwImage) image = NULL;
    if (!rw_dir_fingerprint(job->root, job->dir, &job->work, key, &settled, NULL))
        settled = false;
    if (settled && !find_known(job, key, &image, error))
        return NULL;
    if (image || !(image = read_directory(job, error)))
        return g_steal_pointer(&image);
    if (settled && rw_dir_fingerprint(job->root, job->dir, &job->work, after, &later, NULL) &&
        !strcmp(key, after) && !put_known(job, key, image, error))
        return NULL;
    return g_steal_pointer(&image);
}

// A layout is known by its manifest's hash, which all the others follow from.
static RwImage *from_layout(Job *job, RwBlobs *blobs, GError **error)
{
    g_autoptr(RwImage) image = NULL;
    g_autoptr(RwLayers) layers = rw_layers_read_oci(blobs, error);
    if (!layers || !find_known(job, layers->key, &image, error))
        return NULL;
    if (!image &&
        (!(image = put_layers(job, layers, blobs, error)) || !put_known(job, layers->key, image, error)))
        return NULL;
    return g_steal_pointer(&image);
}

static RwImage *from_any_directory(Job *job, GError **error)
{
    g_autoptr(RwBlobs) blobs = rw_blobs_new_dir(job->root, error);
    if (!blobs)
        return NULL;
    return rw_layers_is_oci(blobs) ? from_layout(job, blobs, error) : from_directory(job, error);
}

// ---- Tarballs ----

static RwImage *unpack_tarball(Job *job, GError **error)
{
    g_autoptr(RwTree) tree = rw_tree_new(job->limits.entries);
    g_autoptr(RwSpool) spool = rw_spool_new(job->dir, error);
    if (!spool || !rw_tree_from_tar(tree, spool, job->fd, &job->limits, &job->work, error))
        return NULL;
    if (S_ISREG(job->st.st_mode) && !check_same(job, error))
        return NULL;
    job->work.callback = NULL; // the source is read; the rest is ours
    g_autoptr(RwBlobs) blobs = rw_blobs_new_tree(tree, spool);
    bool oci = rw_layers_is_oci(blobs);
    if (oci || rw_layers_is_docker(blobs))
        return from_layers_in_tarball(job, blobs, oci, error);
    return write_tree(job, tree, rw_spool_contents(spool), error);
}

static RwImage *from_tarball(Job *job, GError **error)
{
    char key[RW_SHA256_HEX_SIZE];
    g_autoptr(RwImage) image = NULL;
    bool hashed = S_ISREG(job->st.st_mode);
    if (hashed && (!rw_cache_hash_file(job->dir, job->fd, &job->st, job->work.cancellable, key, error) ||
                   !find_known(job, key, &image, error)))
        return NULL;
    if (!image && (!(image = unpack_tarball(job, error)) || (hashed && !put_known(job, key, image, error))))
        return NULL;
    return g_steal_pointer(&image);
}

// ---- Images ----

static bool copy_root(Job *job, RwTemp *file, GError **error)
{
    g_autofree uint8_t *chunk = g_malloc(COPY_CHUNK);
    uint64_t size = (uint64_t)job->st.st_size;
    for (uint64_t at = 0; at < size;) {
        size_t n = (size_t)MIN(COPY_CHUNK, size - at);
        if (!rw_pread_all(job->fd, chunk, n, at, "it", error) ||
            !rw_pwrite_all(file->fd, chunk, n, at, file->path, error) ||
            !rw_work_step(&job->work, n, error))
            return false;
        at += n;
    }
    return check_same(job, error);
}

static RwImage *copy_image(Job *job, GError **error)
{
    uint64_t entries;
    int64_t newest;
    g_autoptr(RwImageReader) reader = rw_image_reader_open(job->root, error);
    if (!reader ||
        !rw_erofs_survey(reader, job->limits.entries, job->work.cancellable, &entries, &newest, error))
        return NULL;
    g_autoptr(RwTemp) file = rw_temp_new(job->dir, error);
    if (!file || !copy_root(job, file, error))
        return NULL;
    return put_image(job, file, entries, newest, error);
}

// One of the folder's images has its hash as its name, which rw_cache_get() looks after.
static bool is_ours(const Job *job, char ret_hex[RW_SHA256_HEX_SIZE])
{
    struct stat st;
    g_autofree char *name = g_path_get_basename(job->root);
    g_autofree char *path = g_build_filename(job->dir, name, NULL);
    if (strlen(name) != RW_SHA256_HEX_SIZE - 1 + strlen(".erofs") || !g_str_has_suffix(name, ".erofs") ||
        stat(path, &st) < 0 || st.st_dev != job->st.st_dev || st.st_ino != job->st.st_ino)
        return false;
    g_strlcpy(ret_hex, name, RW_SHA256_HEX_SIZE);
    return true;
}

static RwImage *from_erofs(Job *job, GError **error)
{
    char hex[RW_SHA256_HEX_SIZE];
    RwErofsSuper super;
    GError *local = NULL;
    if (!rw_erofs_read_super(job->fd, job->root, &super, error))
        return NULL;
    if ((uint64_t)job->st.st_size > job->limits.bytes) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "is larger than %" G_GUINT64_FORMAT " MiB",
                    job->limits.bytes >> 20);
        return NULL;
    }
    if (!is_ours(job, hex) &&
        !rw_cache_hash_file(job->dir, job->fd, &job->st, job->work.cancellable, hex, error))
        return NULL;
    RwImage *there = rw_cache_get(job->dir, hex, job->work.cancellable, &local);
    if (local)
        g_propagate_error(error, local);
    return there || local ? there : copy_image(job, error);
}

// ---- Which it is ----

static RwImage *from_file(Job *job, RwImageFrom *ret_from, GError **error)
{
    uint8_t start[EROFS_BLOCK] = {0};
    ssize_t n = S_ISREG(job->st.st_mode) ? pread(job->fd, start, sizeof start, 0) : 0;
    if (n < 0) {
        rw_error_from_errno(error, errno, "cannot read it");
        return NULL;
    }
    // A tarball may hold anything at offset 1024, but starts with a header.
    bool tar = n >= 512 && memcmp(start + 257, "ustar", 5) == 0;
    bool erofs = !tar && rw_erofs_is_image(start, (size_t)n);
    job->work.total = S_ISREG(job->st.st_mode) ? (uint64_t)job->st.st_size : 0;
    *ret_from = erofs ? RW_IMAGE_FROM_EROFS : RW_IMAGE_FROM_TARBALL;
    return erofs ? from_erofs(job, error) : from_tarball(job, error);
}

static RwImage *from_any(Job *job, RwImageFrom *ret_from, GError **error)
{
    if (stat(job->root, &job->st) < 0) {
        rw_error_from_errno(error, errno, "cannot read it");
        return NULL;
    }
    *ret_from = RW_IMAGE_FROM_DIRECTORY;
    if (S_ISDIR(job->st.st_mode))
        return from_any_directory(job, error);
    if (!S_ISREG(job->st.st_mode) && !S_ISFIFO(job->st.st_mode)) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID,
                    "neither a directory nor a tarball nor an erofs image");
        return NULL;
    }
    job->fd = open(job->root, O_RDONLY | O_CLOEXEC);
    if (job->fd < 0 || fstat(job->fd, &job->st) < 0) {
        rw_error_from_errno(error, errno, "cannot read it");
        return NULL;
    }
    return from_file(job, ret_from, error);
}

RwImage *rw_image_prepare(const char *root, const char *images_dir, const RwImageLimits *limits,
                          RwImageProgress progress, void *progress_data, GCancellable *cancellable,
                          GError **error)
{
    RwImageFrom from = RW_IMAGE_FROM_DIRECTORY;
    GError *local = NULL;
    Job job = {.root = root, .dir = images_dir, .fd = -1, .limits = default_limits};
    job.work = (RwWork){.callback = progress, .data = progress_data, .cancellable = cancellable};
    if (limits && limits->bytes)
        job.limits.bytes = limits->bytes;
    if (limits && limits->entries)
        job.limits.entries = limits->entries;
    if (!rw_mkdir(images_dir, error))
        return NULL;
    rw_temp_sweep(images_dir);
    RwImage *image = from_any(&job, &from, &local);
    if (job.fd >= 0)
        close(job.fd);
    if (image)
        image->from = image->defaults ? RW_IMAGE_FROM_LAYERS : from;
    // What reads images names them already.
    if (local && local->code != RW_ERROR_CANCELLED && !g_str_has_prefix(local->message, root)) {
        g_autofree char *shown = rw_display_name(root);
        g_prefix_error(&local, "%s: ", shown);
    }
    if (local)
        g_propagate_error(error, local);
    return image;
}

// ---- Images that become ours ----

static RwImage *take_image(Job *job, RwTemp *file, GError **error)
{
    uint64_t entries;
    int64_t newest;
    g_autoptr(RwImageReader) reader = rw_image_reader_open(file->path, error);
    if (!reader ||
        !rw_erofs_survey(reader, job->limits.entries, job->work.cancellable, &entries, &newest, error))
        return NULL;
    return put_image(job, file, entries, newest, error);
}

RwImage *rw_image_take(const char *path, const char *images_dir, GCancellable *cancellable, GError **error)
{
    Job job = {.root = path, .dir = images_dir, .limits = default_limits, .work.cancellable = cancellable};
    RwTemp file = {g_strdup(path), open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)};
    RwImage *image = NULL;
    if (file.fd < 0)
        rw_error_from_errno(error, errno, "cannot read %s", path);
    else if (rw_mkdir(images_dir, error))
        image = take_image(&job, &file, error);
    if (image)
        image->from = RW_IMAGE_FROM_EROFS;
    if (file.fd >= 0)
        close(file.fd);
    g_free(file.path);
    return image;
}
