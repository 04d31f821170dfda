// SPDX-License-Identifier: MIT
//
// Layers into a tree. A blob is decompressed by one archive reader and its members are read by another, so
// that both its bytes and the tarball's in it can be hashed.
#include "layers-private.h"

#include "tar-private.h"

#include <errno.h>
#include <sys/stat.h>

#define CHUNK (256u << 10)

typedef struct {
    RwTarInput input; // first: RwTarInput * is cast back
    RwBlob blob;
    struct archive *archive; // decompresses
    RwSha256 *stored, *plain;
    RwWork *work;
    uint64_t left; // bytes that all layers may still unpack to
    uint64_t limit;
    GError *read_error; // what the read callback met
    uint8_t chunk[CHUNK], unpacked[CHUNK];
} LayerInput;

// ---- Bytes of a blob ----

static la_ssize_t read_stored(struct archive *archive, void *data, const void **ret_bytes)
{
    LayerInput *layer = data;
    ssize_t n = rw_blob_read(&layer->blob, layer->chunk, CHUNK, &layer->read_error);
    if (n >= 0 && !rw_work_step(layer->work, (uint64_t)n, &layer->read_error))
        n = -1;
    if (n < 0)
        archive_set_error(archive, EIO, "stopped");
    else
        rw_sha256_update(layer->stored, layer->chunk, (size_t)n);
    *ret_bytes = layer->chunk;
    return n;
}

static bool fail_archive(LayerInput *layer, GError **error)
{
    if (layer->read_error) {
        g_propagate_error(error, g_steal_pointer(&layer->read_error));
        return false;
    }
    const char *text = archive_error_string(layer->archive);
    g_autofree char *shown = rw_display_name(text ? text : "unknown error");
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it is damaged or cut short (%s)", shown);
    return false;
}

static bool start_unpacking(LayerInput *layer, GError **error)
{
    struct archive_entry *entry;
    layer->archive = archive_read_new();
    archive_read_support_format_raw(layer->archive);
    archive_read_support_filter_gzip(layer->archive);
    archive_read_support_filter_bzip2(layer->archive);
    archive_read_support_filter_xz(layer->archive);
    archive_read_support_filter_zstd(layer->archive);
    if (archive_read_open(layer->archive, layer, NULL, read_stored, NULL) == ARCHIVE_OK &&
        archive_read_next_header(layer->archive, &entry) == ARCHIVE_OK)
        return true;
    return fail_archive(layer, error);
}

// ---- Bytes of the tarball in it ----

static ssize_t read_unpacked(RwTarInput *input, const void **ret_bytes, GError **error)
{
    LayerInput *layer = (LayerInput *)input;
    la_ssize_t n = archive_read_data(layer->archive, layer->unpacked, CHUNK);
    if (n < 0) {
        fail_archive(layer, error);
        return -1;
    }
    if ((uint64_t)n > layer->left) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "unpacks to more than %" G_GUINT64_FORMAT " MiB",
                    layer->limit >> 20);
        return -1;
    }
    layer->left -= (uint64_t)n;
    rw_sha256_update(layer->plain, layer->unpacked, (size_t)n);
    *ret_bytes = layer->unpacked;
    return n;
}

// What follows the tarball's end, and the compressed data's, belongs to the hashes.
static bool drain(LayerInput *layer, GError **error)
{
    const void *bytes;
    ssize_t n;
    while ((n = read_unpacked(&layer->input, &bytes, error)) > 0)
        ;
    while (n == 0 && layer->blob.at < layer->blob.size)
        if (read_stored(layer->archive, layer, &bytes) < 0) {
            g_propagate_error(error, g_steal_pointer(&layer->read_error));
            return false;
        }
    return n == 0;
}

static bool check_hash(RwSha256 *sha, const char *expected, const char *what, GError **error)
{
    char found[RW_SHA256_HEX_SIZE];
    rw_sha256_finish_hex(sha, found);
    if (!*expected || strcmp(found, expected) == 0)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "it is damaged: %s is %.12s and should be %.12s", what,
                found, expected);
    return false;
}

// ---- Layers ----

static bool read_layer(LayerInput *input, const RwLayer *layer, RwBlobs *blobs, RwTree *tree,
                       RwSpool *spool, const RwImageLimits *limits, GError **error)
{
    return blobs->open(blobs, layer->path, &input->blob, error) && start_unpacking(input, error) &&
           rw_tree_add_tar(tree, spool, &input->input, limits, input->work, error) && drain(input, error) &&
           check_hash(input->stored, layer->digest, "its hash", error) &&
           check_hash(input->plain, layer->diff_id, "the hash of what it unpacks to", error);
}

static LayerInput *input_new(const RwImageLimits *limits, uint64_t left, RwWork *work)
{
    LayerInput *input = g_new0(LayerInput, 1);
    input->input = (RwTarInput){read_unpacked, true};
    input->work = work;
    input->left = left;
    input->limit = limits->bytes;
    input->stored = rw_sha256_new();
    input->plain = rw_sha256_new();
    return input;
}

static void input_free(LayerInput *input)
{
    archive_read_free(input->archive);
    rw_blob_clear(&input->blob);
    rw_sha256_free(input->stored);
    rw_sha256_free(input->plain);
    g_clear_error(&input->read_error);
    g_free(input);
}

// Container runtimes make the working directory when it is missing.
static bool make_cwd(RwTree *tree, const char *cwd, GError **error)
{
    g_autofree char *name = NULL;
    if (!cwd || rw_tree_find(tree, cwd, true))
        return true;
    RwNode *dir = rw_tree_find_parent(tree, cwd, &name, error);
    if (dir && (!name || rw_tree_get(dir, name) ||
                rw_tree_put(tree, dir, name, rw_node_new(S_IFDIR | 0755), error)))
        return true;
    g_prefix_error(error, "working directory of the image: ");
    return false;
}

bool rw_layers_apply(const RwLayers *layers, RwBlobs *blobs, RwTree *tree, RwSpool *spool,
                     const RwImageLimits *limits, RwWork *work, GError **error)
{
    uint64_t left = limits->bytes;
    for (guint i = 0; i < layers->layers->len; i++) {
        LayerInput *input = input_new(limits, left, work);
        tree->layer = i + 1;
        bool ok = read_layer(input, &g_array_index(layers->layers, RwLayer, i), blobs, tree, spool, limits,
                             error);
        left = input->left;
        input_free(input);
        if (ok)
            continue;
        if (error && !g_error_matches(*error, RW_ERROR, RW_ERROR_CANCELLED))
            g_prefix_error(error, "layer %u of %u: ", i + 1, layers->layers->len);
        return false;
    }
    return make_cwd(tree, layers->defaults->cwd, error);
}
