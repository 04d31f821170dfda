// SPDX-License-Identifier: MIT
#include "writer-private.h"

#include "layout-private.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (1u << 20)

typedef struct {
    RwTree *tree;
    RwContents *contents;
    RwWork *work;
    RwLayout layout;
    const char *path;
    int fd;
    uint8_t *buffer; // bytes that belong at `at`
    size_t used;
    uint64_t at;
} Writer;

// ---- Output: bytes at rising offsets, gaps are zeros ----

static bool flush(Writer *writer, GError **error)
{
    if (!rw_pwrite_all(writer->fd, writer->buffer, writer->used, writer->at, writer->path, error))
        return false;
    writer->at += writer->used;
    writer->used = 0;
    return true;
}

// Moves to an offset, and makes room for len bytes (at most BUFFER) there.
static uint8_t *reserve(Writer *writer, uint64_t offset, size_t len, GError **error)
{
    uint64_t end = writer->at + writer->used;
    // The rest of a block is filled here, so that small files share a write.
    if (offset > end && offset - end < EROFS_BLOCK && writer->used + (offset - end) + len <= BUFFER) {
        memset(writer->buffer + writer->used, 0, offset - end);
        writer->used += offset - end;
    } else if (offset != end || writer->used + len > BUFFER) {
        if (!flush(writer, error))
            return NULL;
        writer->at = offset;
    }
    return writer->buffer + writer->used;
}

static bool put(Writer *writer, uint64_t offset, const void *data, size_t len, GError **error)
{
    for (size_t done = 0; done < len;) {
        size_t n = MIN(len - done, BUFFER);
        uint8_t *to = reserve(writer, offset + done, n, error);
        if (!to)
            return false;
        memcpy(to, (const uint8_t *)data + done, n);
        writer->used += n;
        done += n;
    }
    return true;
}

// ---- Files ----

// A file that ends early is one that changed since it was looked at.
static bool read_part(int fd, void *to, size_t len, uint64_t from, GError **error)
{
    GError *local = NULL;
    if (rw_pread_all(fd, to, len, from, "it", &local))
        return true;
    local->code = RW_ERROR_IO;
    g_propagate_error(error, local);
    return false;
}

// Copies len bytes of an open file; the rest of the last block reads as zeros.
static bool copy(Writer *writer, int fd, uint64_t from, uint64_t to, uint64_t len, GError **error)
{
    while (len) {
        size_t n = (size_t)MIN(len, BUFFER / 4);
        uint8_t *space = reserve(writer, to, n, error);
        if (!space || !read_part(fd, space, n, from, error) || !rw_work_step(writer->work, n, error))
            return false;
        writer->used += n;
        from += n;
        to += n;
        len -= n;
    }
    return true;
}

// One run, or the part of it that lies in one chunk.
static bool copy_blocks(Writer *writer, const RwNode *node, const RwContent *content, const RwRun *run,
                        uint64_t to_block, GError **error)
{
    uint64_t start = run->block * EROFS_BLOCK;
    uint64_t end = MIN((run->block + run->count) * EROFS_BLOCK, node->file.size);
    return copy(writer, content->fd, run->offset, to_block * EROFS_BLOCK, end - start, error);
}

static bool copy_chunked(Writer *writer, const RwNode *node, const RwContent *content, GError **error)
{
    uint64_t n;
    unsigned bits = node->chunk_bits;
    g_autofree uint32_t *chunks = rw_layout_dup_chunks(node, content->runs, &n);
    for (guint i = 0; i < content->runs->len; i++) {
        const RwRun *run = &g_array_index(content->runs, RwRun, i);
        uint64_t end = run->block + run->count;
        for (uint64_t block = run->block; block < end;) {
            uint64_t chunk = block >> bits, next = MIN((chunk + 1) << bits, end);
            uint64_t to = chunks[chunk] + (block - (chunk << bits));
            RwRun part = {block, next - block, run->offset + (block - run->block) * EROFS_BLOCK};
            if (!copy_blocks(writer, node, content, &part, to, error))
                return false;
            block = next;
        }
    }
    return true;
}

static bool copy_plain(Writer *writer, const RwNode *node, const RwContent *content, GError **error)
{
    for (guint i = 0; i < content->runs->len; i++) {
        const RwRun *run = &g_array_index(content->runs, RwRun, i);
        if (!copy_blocks(writer, node, content, run, node->block + run->block, error))
            return false;
    }
    return true;
}

static bool place_and_copy(Writer *writer, RwNode *node, const RwContent *content, GError **error)
{
    rw_layout_file(&writer->layout, node, content->runs);
    if (writer->layout.blocks > writer->layout.max_blocks) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID,
                    "the image would take more than %" G_GUINT64_FORMAT " MiB",
                    writer->layout.max_blocks >> 8);
        return false;
    }
    if (node->layout != EROFS_LAYOUT_CHUNKED)
        return copy_plain(writer, node, content, error);
    if (!node->file.runs)
        node->file.runs = g_array_ref(content->runs); // for the chunk table
    return copy_chunked(writer, node, content, error);
}

static bool write_file(Writer *writer, RwNode *node, GError **error)
{
    RwContent content = {.fd = -1};
    if (!node->file.size)
        return true;
    if (!writer->contents->open(writer->contents, node, &content, error))
        return false;
    bool ok = place_and_copy(writer, node, &content, error);
    if (!ok && error && g_error_matches(*error, RW_ERROR, RW_ERROR_IO)) {
        g_autofree char *name = rw_tree_dup_path(node);
        g_prefix_error(error, "%s: ", name);
    }
    return writer->contents->close(writer->contents, node, &content, ok, error);
}

// ---- Directories and links ----

static const uint8_t types[16] =
    { // by the mode's type bits, to the FT_ numbers of include/linux/fs_types.h
        [S_IFREG >> 12] = 1, [S_IFDIR >> 12] = 2,  [S_IFCHR >> 12] = 3, [S_IFBLK >> 12] = 4,
        [S_IFIFO >> 12] = 5, [S_IFSOCK >> 12] = 6, [S_IFLNK >> 12] = 7};

static void fill_dir_block(uint8_t *block, const RwTreeName *names, uint32_t n)
{
    uint32_t name_at = n * EROFS_DIRENT;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *entry = block + i * EROFS_DIRENT;
        size_t len = strlen(names[i].name);
        rw_store_u64(entry + EROFS_D_NID, names[i].node->nid);
        rw_store_u16(entry + EROFS_D_NAME_OFFSET, (uint16_t)name_at);
        entry[EROFS_D_TYPE] = types[names[i].node->mode >> 12 & 15];
        memcpy(block + name_at, names[i].name, len);
        name_at += (uint32_t)len;
    }
}

// A directory's or link's data: its whole blocks, or only the tail that goes behind the inode.
static GByteArray *dup_data(const RwNode *node)
{
    GByteArray *data = g_byte_array_new();
    if (S_ISLNK(node->mode))
        rw_put_bytes(data, node->target, strlen(node->target));
    for (uint32_t at = 0; S_ISDIR(node->mode) && at < node->dir.n_sorted;) {
        uint8_t block[EROFS_BLOCK] = {0};
        uint32_t used, n = rw_layout_dir_block(node->dir.sorted + at, node->dir.n_sorted - at, &used);
        fill_dir_block(block, node->dir.sorted + at, n);
        at += n;
        rw_put_bytes(data, block, at < node->dir.n_sorted ? EROFS_BLOCK : used);
    }
    return data;
}

static bool write_data_blocks(Writer *writer, const RwNode *node, GError **error)
{
    if (!S_ISDIR(node->mode) && !S_ISLNK(node->mode))
        return true;
    g_autoptr(GByteArray) data = dup_data(node);
    return put(writer, (uint64_t)node->block * EROFS_BLOCK, data->data, data->len - node->tail, error);
}

// ---- Inodes ----

static uint32_t link_count(const RwNode *node)
{
    uint32_t count = node->names;
    if (S_ISDIR(node->mode)) {
        count = 0; // "." and the parent's entry (or the root's ".."), and a ".." a subdirectory
        for (uint32_t i = 0; i < node->dir.n_sorted; i++)
            count += S_ISDIR(node->dir.sorted[i].node->mode) != 0;
    }
    return count;
}

static uint32_t inode_u(const RwNode *node)
{
    if (S_ISCHR(node->mode) || S_ISBLK(node->mode))
        return node->rdev;
    return node->layout == EROFS_LAYOUT_CHUNKED ? node->chunk_bits : node->block;
}

static void fill_inode(uint8_t inode[EROFS_I_EXTENDED_SIZE], const RwNode *node)
{
    memset(inode, 0, EROFS_I_EXTENDED_SIZE);
    uint64_t xattrs = node->xattrs ? g_bytes_get_size(node->xattrs) : 0;
    rw_store_u16(inode + EROFS_I_FORMAT, (uint16_t)(EROFS_EXTENDED | node->layout << 1));
    rw_store_u16(inode + EROFS_I_XATTR_COUNT,
                 xattrs ? (uint16_t)(1 + (xattrs - EROFS_XATTR_HEADER) / 4) : 0);
    rw_store_u16(inode + EROFS_I_MODE, (uint16_t)node->mode);
    rw_store_u64(inode + EROFS_I_SIZE, S_ISREG(node->mode) ? node->file.size : rw_layout_data_size(node));
    rw_store_u32(inode + EROFS_I_U, inode_u(node));
    rw_store_u32(inode + EROFS_I_INO, (uint32_t)node->nid);
    rw_store_u32(inode + EROFS_I_UID, node->uid);
    rw_store_u32(inode + EROFS_I_GID, node->gid);
    rw_store_u64(inode + EROFS_I_MTIME, (uint64_t)node->mtime);
    rw_store_u32(inode + EROFS_I_MTIME_NSEC, node->mtime_nsec);
    rw_store_u32(inode + EROFS_I_NLINK, link_count(node));
}

static bool write_chunk_table(Writer *writer, const RwNode *node, uint64_t at, GError **error)
{
    uint64_t n;
    g_autofree uint32_t *chunks = rw_layout_dup_chunks(node, node->file.runs, &n);
    for (uint64_t i = 0; i < n; i++)
        chunks[i] = GUINT32_TO_LE(chunks[i]);
    return put(writer, at, chunks, n * sizeof *chunks, error);
}

static bool write_inode(Writer *writer, const RwNode *node, GError **error)
{
    uint8_t inode[EROFS_I_EXTENDED_SIZE];
    uint64_t at = writer->layout.meta_block * EROFS_BLOCK + node->meta;
    fill_inode(inode, node);
    if (!put(writer, at, inode, sizeof inode, error))
        return false;
    at += sizeof inode;
    if (node->xattrs) {
        gsize len;
        const void *data = g_bytes_get_data(node->xattrs, &len);
        if (!put(writer, at, data, len, error))
            return false;
        at += len;
    }
    if (node->layout == EROFS_LAYOUT_CHUNKED)
        return write_chunk_table(writer, node, at, error);
    if (!node->tail)
        return true;
    g_autoptr(GByteArray) data = dup_data(node);
    return put(writer, at, data->data + data->len - node->tail, node->tail, error);
}

// ---- Superblock ----

// CRC-32C, bit by bit: it is only ever run over one block.
uint32_t rw_erofs_checksum(const uint8_t block[4096])
{
    uint32_t crc = ~0u;
    for (unsigned i = EROFS_SUPER_OFFSET; i < EROFS_BLOCK; i++) {
        unsigned field = i - EROFS_SUPER_OFFSET - EROFS_SB_CHECKSUM;
        crc ^= field < 4 ? 0 : block[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return crc;
}

static bool write_superblock(Writer *writer, GError **error)
{
    uint8_t block[EROFS_BLOCK] = {0}, *super = block + EROFS_SUPER_OFFSET;
    const RwLayout *layout = &writer->layout;
    uint64_t blocks = layout->meta_block + (layout->meta_size + EROFS_BLOCK - 1) / EROFS_BLOCK;
    rw_store_u32(super + EROFS_SB_MAGIC, EROFS_MAGIC);
    rw_store_u32(super + EROFS_SB_COMPAT, EROFS_COMPAT_CHECKSUM | EROFS_COMPAT_MTIME);
    super[EROFS_SB_BLOCK_BITS] = EROFS_BLOCK_BITS;
    rw_store_u16(super + EROFS_SB_ROOT_NID, (uint16_t)writer->tree->root->nid);
    rw_store_u64(super + EROFS_SB_INODES, writer->tree->order->len);
    rw_store_u32(super + EROFS_SB_BLOCKS, (uint32_t)blocks);
    rw_store_u32(super + EROFS_SB_META_BLOCK, (uint32_t)layout->meta_block);
    rw_store_u32(super + EROFS_SB_INCOMPAT, layout->chunked ? EROFS_INCOMPAT_CHUNKED : 0);
    rw_store_u32(super + EROFS_SB_CHECKSUM, rw_erofs_checksum(block));
    if (!rw_pwrite_all(writer->fd, block, sizeof block, 0, writer->path, error))
        return false;
    // The end of the last block.
    if (ftruncate(writer->fd, (off_t)(blocks * EROFS_BLOCK)) == 0)
        return true;
    rw_error_from_errno(error, errno, "cannot write %s", writer->path);
    return false;
}

// ---- The whole ----

static bool write_all(Writer *writer, GError **error)
{
    GPtrArray *order = writer->tree->order;
    for (guint i = 0; i < order->len; i++) {
        RwNode *node = g_ptr_array_index(order, i);
        if (!rw_work_step(writer->work, 0, error) ||
            (S_ISREG(node->mode) && !write_file(writer, node, error)))
            return false;
    }
    if (!rw_layout_finish(&writer->layout, writer->tree, error))
        return false;
    for (guint i = 0; i < order->len; i++)
        if (!write_data_blocks(writer, g_ptr_array_index(order, i), error))
            return false;
    for (guint i = 0; i < order->len; i++)
        if (!write_inode(writer, g_ptr_array_index(order, i), error))
            return false;
    return flush(writer, error) && write_superblock(writer, error);
}

bool rw_image_write(RwTree *tree, RwContents *contents, int fd, const char *path, uint64_t max_bytes,
                    RwWork *work, GError **error)
{
    Writer writer = {.tree = tree, .contents = contents, .work = work, .path = path, .fd = fd};
    writer.layout.blocks = 1; // the superblock's
    // Block addresses have 32 bits, of which the highest value means a hole.
    writer.layout.max_blocks = MIN(max_bytes / EROFS_BLOCK, EROFS_HOLE - 1);
    writer.buffer = g_malloc(BUFFER);
    writer.at = EROFS_BLOCK;
    bool ok = write_all(&writer, error);
    g_free(writer.buffer);
    return ok;
}
