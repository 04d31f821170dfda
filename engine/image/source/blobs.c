// SPDX-License-Identifier: MIT
#include "blobs-private.h"

#include "erofs-format-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- In a tree ----

typedef struct {
    RwBlobs blobs; // first: RwBlobs * is cast back
    RwTree *tree;
    RwSpool *spool;
} TreeBlobs;

static bool not_there(const char *path, const char *why, GError **error)
{
    g_autofree char *shown = rw_display_name(path);
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "%.200s is %s", shown, why);
    return false;
}

static bool open_in_tree(RwBlobs *self, const char *path, RwBlob *ret_blob, GError **error)
{
    TreeBlobs *blobs = (TreeBlobs *)self;
    // Old archives have symbolic links in the place of layers that they hold twice.
    RwNode *node = rw_tree_find(blobs->tree, path, true);
    if (!node || !S_ISREG(node->mode))
        return not_there(path, node ? "not a file in the archive" : "not in the archive", error);
    RwContents *contents = rw_spool_contents(blobs->spool);
    *ret_blob = (RwBlob){.size = node->file.size};
    return contents->open(contents, node, &ret_blob->content, error);
}

static void free_tree_blobs(RwBlobs *self)
{
    g_free(self);
}

RwBlobs *rw_blobs_new_tree(RwTree *tree, RwSpool *spool)
{
    TreeBlobs *blobs = g_new(TreeBlobs, 1);
    *blobs = (TreeBlobs){{open_in_tree, free_tree_blobs}, tree, spool};
    return &blobs->blobs;
}

// ---- In a directory ----

typedef struct {
    RwBlobs blobs; // first: RwBlobs * is cast back
    int fd;
} DirBlobs;

// A fifo in a blob's place must not hang us.
static bool open_in_dir(RwBlobs *self, const char *path, RwBlob *ret_blob, GError **error)
{
    struct stat st;
    int fd = openat(((DirBlobs *)self)->fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return not_there(path, "not there", error);
    if (fd < 0 || fstat(fd, &st) < 0) {
        rw_error_from_errno(error, errno, "cannot read %s", path);
        if (fd >= 0)
            close(fd);
        return false;
    }
    if (!S_ISREG(st.st_mode)) {
        close(fd);
        return not_there(path, "not a file", error);
    }
    *ret_blob = (RwBlob){.content.fd = fd, .owned = true, .size = (uint64_t)st.st_size};
    ret_blob->content.runs = g_array_new(false, false, sizeof(RwRun));
    RwRun all = {0, (ret_blob->size + EROFS_BLOCK - 1) / EROFS_BLOCK, 0};
    g_array_append_val(ret_blob->content.runs, all);
    return true;
}

static void free_dir_blobs(RwBlobs *self)
{
    close(((DirBlobs *)self)->fd);
    g_free(self);
}

RwBlobs *rw_blobs_new_dir(const char *path, GError **error)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        rw_error_from_errno(error, errno, "cannot read it");
        return NULL;
    }
    DirBlobs *blobs = g_new(DirBlobs, 1);
    *blobs = (DirBlobs){{open_in_dir, free_dir_blobs}, fd};
    return &blobs->blobs;
}

void rw_blobs_free(RwBlobs *blobs)
{
    if (blobs)
        blobs->free(blobs);
}

// ---- Reading ----

void rw_blob_clear(RwBlob *blob)
{
    g_clear_pointer(&blob->content.runs, g_array_unref);
    if (blob->owned)
        close(blob->content.fd);
    blob->owned = false;
}

ssize_t rw_blob_read(RwBlob *blob, void *data, size_t len, GError **error)
{
    const GArray *runs = blob->content.runs;
    const RwRun *run = NULL;
    len = (size_t)MIN(len, blob->size - blob->at);
    for (; blob->run < runs->len; blob->run++) {
        run = &g_array_index(runs, RwRun, blob->run);
        if ((run->block + run->count) * EROFS_BLOCK > blob->at)
            break;
        run = NULL;
    }
    uint64_t start = run ? run->block * EROFS_BLOCK : UINT64_MAX;
    if (blob->at < start) {
        len = (size_t)MIN(len, start - blob->at);
        memset(data, 0, len);
    } else {
        len = (size_t)MIN(len, run->count * EROFS_BLOCK - (blob->at - start));
        if (!rw_pread_all(blob->content.fd, data, len, run->offset + (blob->at - start), "it", error))
            return -1;
    }
    blob->at += len;
    return (ssize_t)len;
}

static bool read_all(RwBlob *blob, uint8_t *data, GError **error)
{
    while (blob->at < blob->size)
        if (rw_blob_read(blob, data + blob->at, (size_t)(blob->size - blob->at), error) < 0)
            return false;
    return true;
}

GBytes *rw_blobs_read(RwBlobs *blobs, const char *path, GError **error)
{
    g_auto(RwBlob) blob = {0};
    if (!blobs->open(blobs, path, &blob, error))
        return NULL;
    if (blob.size > RW_BLOB_JSON_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%.200s is larger than %u MiB", path,
                    RW_BLOB_JSON_MAX >> 20);
        return NULL;
    }
    g_autofree uint8_t *data = g_malloc((gsize)blob.size + 1);
    if (!read_all(&blob, data, error))
        return NULL;
    return g_bytes_new_take(g_steal_pointer(&data), (gsize)blob.size);
}
