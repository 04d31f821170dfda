// SPDX-License-Identifier: MIT
//
// From a root, whatever it is, to an image in its folder.
#include "cache-private.h"
#include "erofs-format-private.h"
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
    static const char *const names[] = {"directory", "tarball", "erofs"};
    return (guint)from < G_N_ELEMENTS(names) ? names[from] : "unknown";
}

void rw_image_free(RwImage *image)
{
    if (!image)
        return;
    g_free(image->path);
    g_free(image);
}

// ---- Directories and tarballs: tree, then image ----

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

static RwImage *from_directory(Job *job, GError **error)
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
static gboolean check_same(const Job *job, GError **error)
{
    struct stat st;
    if (fstat(job->fd, &st) == 0 && st.st_size == job->st.st_size &&
        st.st_mtim.tv_sec == job->st.st_mtim.tv_sec && st.st_mtim.tv_nsec == job->st.st_mtim.tv_nsec)
        return TRUE;
    g_set_error(error, RW_ERROR, RW_ERROR_IO, "it changed while it was read");
    return FALSE;
}

static RwImage *unpack_tarball(Job *job, GError **error)
{
    g_autoptr(RwTree) tree = rw_tree_new(job->limits.entries);
    g_autoptr(RwSpool) spool = rw_spool_new(job->dir, error);
    if (!spool || !rw_tree_from_tar(tree, spool, job->fd, &job->limits, &job->work, error))
        return NULL;
    if (S_ISREG(job->st.st_mode) && !check_same(job, error))
        return NULL;
    job->work.callback = NULL; // the source is read; the rest is ours
    return write_tree(job, tree, rw_spool_contents(spool), error);
}

static RwImage *from_tarball(Job *job, GError **error)
{
    char key[RW_SHA256_HEX_SIZE];
    bool hashed = S_ISREG(job->st.st_mode);
    if (hashed) {
        if (!rw_sha256_fd(job->fd, job->work.cancellable, key, error))
            return NULL;
        GError *local = NULL;
        g_autofree char *known = rw_cache_dup_tarball(job->dir, key);
        RwImage *there = known ? rw_cache_get(job->dir, known, job->work.cancellable, &local) : NULL;
        if (local)
            g_propagate_error(error, local);
        if (there || local)
            return there;
    }
    g_autoptr(RwImage) image = unpack_tarball(job, error);
    if (!image || (hashed && !rw_cache_put_tarball(job->dir, key, image->sha256, error)))
        return NULL;
    return g_steal_pointer(&image);
}

// ---- Images ----

static gboolean copy_root(Job *job, RwTemp *file, GError **error)
{
    g_autofree uint8_t *chunk = g_malloc(COPY_CHUNK);
    uint64_t size = (uint64_t)job->st.st_size;
    for (uint64_t at = 0; at < size;) {
        size_t n = (size_t)MIN(COPY_CHUNK, size - at);
        if (!rw_pread_all(job->fd, chunk, n, at, "it", error) ||
            !rw_pwrite_all(file->fd, chunk, n, at, file->path, error) ||
            !rw_work_step(&job->work, n, error))
            return FALSE;
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
    if (!rw_sha256_fd(job->fd, job->work.cancellable, hex, error))
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
        return from_directory(job, error);
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
        image->from = from;
    // What reads images names them already.
    if (local && local->code != RW_ERROR_CANCELLED && !g_str_has_prefix(local->message, root)) {
        g_autofree char *shown = rw_display_name(root);
        g_prefix_error(&local, "%s: ", shown);
    }
    if (local)
        g_propagate_error(error, local);
    return image;
}
