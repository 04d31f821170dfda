// SPDX-License-Identifier: MIT
#include "reader-private.h"

#include "erofs-format-private.h"
#include "tree-private.h"
#include "writer-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool damaged(const char *path, const char *what, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged erofs image: %s", path, what);
    return false;
}

// ---- Superblock ----

bool rw_erofs_is_image(const uint8_t *start, size_t len)
{
    return len >= EROFS_SUPER_OFFSET + EROFS_SUPER_SIZE &&
           rw_load_u32(start + EROFS_SUPER_OFFSET) == EROFS_MAGIC;
}

static bool check_features(const uint8_t *super, const char *path, GError **error)
{
    uint32_t incompat = rw_load_u32(super + EROFS_SB_INCOMPAT);
    if (incompat & ~EROFS_INCOMPAT_KNOWN)
        g_set_error(error, RW_ERROR, RW_ERROR_NEWER,
                    "%s: an erofs image with newer features (%#x) than are known", path,
                    incompat & ~EROFS_INCOMPAT_KNOWN);
    else if (incompat & EROFS_INCOMPAT_UNSUPPORTED || rw_load_u16(super + EROFS_SB_EXTRA_DEVICES))
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                    "%s: a compressed or multi-device erofs image; make it without -z", path);
    else if (super[EROFS_SB_BLOCK_BITS] != EROFS_BLOCK_BITS || super[EROFS_SB_DIR_BLOCK_BITS])
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                    "%s: an erofs image with blocks of other than 4 KiB", path);
    else
        return true;
    return false;
}

static bool check_super(const uint8_t block[EROFS_BLOCK], const char *path, uint64_t file_size,
                        RwErofsSuper *ret, GError **error)
{
    const uint8_t *super = block + EROFS_SUPER_OFFSET;
    if (!rw_erofs_is_image(block, EROFS_BLOCK))
        return damaged(path, "no superblock", error);
    if (!check_features(super, path, error))
        return false;
    bool summed = rw_load_u32(super + EROFS_SB_COMPAT) & EROFS_COMPAT_CHECKSUM;
    if (summed && rw_load_u32(super + EROFS_SB_CHECKSUM) != rw_erofs_checksum(block))
        return damaged(path, "the superblock's checksum is wrong", error);
    ret->size = (uint64_t)rw_load_u32(super + EROFS_SB_BLOCKS) * EROFS_BLOCK;
    ret->root_nid = rw_load_u16(super + EROFS_SB_ROOT_NID);
    ret->inodes = rw_load_u64(super + EROFS_SB_INODES);
    ret->meta = (uint64_t)rw_load_u32(super + EROFS_SB_META_BLOCK) * EROFS_BLOCK;
    ret->build_time = (int64_t)rw_load_u64(super + EROFS_SB_BUILD_TIME);
    ret->build_nsec = rw_load_u32(super + EROFS_SB_BUILD_NSEC);
    if (ret->size > file_size)
        return damaged(path, "it is cut short", error);
    if (ret->meta >= ret->size)
        return damaged(path, "its metadata is outside", error);
    return true;
}

bool rw_erofs_read_super(int fd, const char *path, RwErofsSuper *ret_super, GError **error)
{
    uint8_t block[EROFS_BLOCK];
    struct stat st;
    if (fstat(fd, &st) < 0) {
        rw_error_from_errno(error, errno, "cannot read %s", path);
        return false;
    }
    if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof block)
        return damaged(path, "it is cut short", error);
    return rw_pread_all(fd, block, sizeof block, 0, path, error) &&
           check_super(block, path, (uint64_t)st.st_size, ret_super, error);
}

RwImageReader *rw_image_reader_open(const char *path, GError **error)
{
    RwErofsSuper super;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        rw_error_from_errno(error, errno, "cannot open %s", path);
        return NULL;
    }
    if (!rw_erofs_read_super(fd, path, &super, error)) {
        close(fd);
        return NULL;
    }
    RwImageReader *reader = g_new(RwImageReader, 1);
    *reader = (RwImageReader){.fd = fd, .path = g_strdup(path), .super = super};
    return reader;
}

void rw_image_reader_free(RwImageReader *reader)
{
    if (!reader)
        return;
    close(reader->fd);
    g_free(reader->path);
    g_free(reader);
}

static bool read_at(RwImageReader *reader, uint64_t offset, void *to, size_t len, GError **error)
{
    if (!rw_range_ok(reader->super.size, offset, len))
        return damaged(reader->path, "something lies outside", error);
    return rw_pread_all(reader->fd, to, len, offset, reader->path, error);
}

// ---- Inodes ----

static void unpack_compact(const RwImageReader *reader, const uint8_t *raw, RwErofsInode *inode)
{
    inode->stat.nlink = rw_load_u16(raw + EROFS_C_NLINK);
    inode->stat.size = rw_load_u32(raw + EROFS_C_SIZE);
    inode->stat.uid = rw_load_u16(raw + EROFS_C_UID);
    inode->stat.gid = rw_load_u16(raw + EROFS_C_GID);
    inode->stat.mtime = reader->super.build_time;
    inode->stat.mtime_nsec = reader->super.build_nsec;
}

static void unpack_extended(const uint8_t *raw, RwErofsInode *inode)
{
    inode->stat.nlink = rw_load_u32(raw + EROFS_I_NLINK);
    inode->stat.size = rw_load_u64(raw + EROFS_I_SIZE);
    inode->stat.uid = rw_load_u32(raw + EROFS_I_UID);
    inode->stat.gid = rw_load_u32(raw + EROFS_I_GID);
    inode->stat.mtime = (int64_t)rw_load_u64(raw + EROFS_I_MTIME);
    inode->stat.mtime_nsec = rw_load_u32(raw + EROFS_I_MTIME_NSEC);
}

bool rw_erofs_read_inode(RwImageReader *reader, uint64_t nid, RwErofsInode *ret_inode, GError **error)
{
    uint8_t raw[EROFS_I_EXTENDED_SIZE] = {0};
    if (nid > reader->super.size / EROFS_SLOT)
        return damaged(reader->path, "an inode lies outside", error);
    uint64_t at = reader->super.meta + nid * EROFS_SLOT;
    if (!read_at(reader, at, raw, EROFS_I_COMPACT_SIZE, error))
        return false;
    uint16_t format = rw_load_u16(raw + EROFS_I_FORMAT);
    bool extended = format & EROFS_EXTENDED;
    size_t size = extended ? EROFS_I_EXTENDED_SIZE : EROFS_I_COMPACT_SIZE;
    if (extended && !read_at(reader, at, raw, size, error))
        return false;
    if (format >> 4)
        return damaged(reader->path, "an inode of an unknown format", error);
    uint16_t units = rw_load_u16(raw + EROFS_I_XATTR_COUNT);
    *ret_inode = (RwErofsInode){.layout = format >> 1 & 7, .u = rw_load_u32(raw + EROFS_I_U)};
    ret_inode->after = at + size + (units ? EROFS_XATTR_HEADER + (units - 1u) * 4ull : 0);
    if (extended)
        unpack_extended(raw, ret_inode);
    else
        unpack_compact(reader, raw, ret_inode);
    ret_inode->stat.nid = nid;
    ret_inode->stat.mode = rw_load_u16(raw + EROFS_I_MODE);
    if (S_ISCHR(ret_inode->stat.mode) || S_ISBLK(ret_inode->stat.mode))
        ret_inode->stat.rdev = ret_inode->u;
    return true;
}

// ---- Data ----

// A stretch of data that lies in one piece: where, and how many bytes from the asked one on.
typedef struct {
    uint64_t at;
    uint64_t len;
    bool hole;
} Extent;

static bool map_flat(RwImageReader *reader, const RwErofsInode *inode, uint64_t offset, Extent *ret,
                     GError **error)
{
    uint64_t size = inode->stat.size, tail = 0;
    if (inode->layout == EROFS_LAYOUT_INLINE)
        tail = size % EROFS_BLOCK ? size % EROFS_BLOCK : EROFS_BLOCK;
    uint64_t whole = size - tail;
    if (offset < whole) {
        *ret = (Extent){(uint64_t)inode->u * EROFS_BLOCK + offset, whole - offset, false};
        return true;
    }
    *ret = (Extent){inode->after + (offset - whole), size - offset, false};
    if (inode->after % EROFS_BLOCK + tail > EROFS_BLOCK)
        return damaged(reader->path, "inline data crosses a block", error);
    return true;
}

static bool map_chunked(RwImageReader *reader, const RwErofsInode *inode, uint64_t offset, Extent *ret,
                        GError **error)
{
    unsigned bits = (inode->u & EROFS_CHUNK_BITS_MASK) + EROFS_BLOCK_BITS;
    uint64_t unit = inode->u & EROFS_CHUNK_INDEXES ? 8 : 4, chunk = offset >> bits;
    uint64_t within = offset & ((1ull << bits) - 1), table = (inode->after + unit - 1) / unit * unit;
    uint8_t raw[8];
    if (inode->u & ~(EROFS_CHUNK_BITS_MASK | EROFS_CHUNK_INDEXES) || chunk > reader->super.size / unit)
        return damaged(reader->path, "a chunk table of an unknown format", error);
    if (!read_at(reader, table + chunk * unit, raw, unit, error))
        return false;
    uint32_t block = rw_load_u32(raw + unit - 4);
    *ret = (Extent){(uint64_t)block * EROFS_BLOCK + within, (1ull << bits) - within, block == EROFS_HOLE};
    return true;
}

static bool map(RwImageReader *reader, const RwErofsInode *inode, uint64_t offset, Extent *ret,
                GError **error)
{
    if (inode->layout == EROFS_LAYOUT_PLAIN || inode->layout == EROFS_LAYOUT_INLINE)
        return map_flat(reader, inode, offset, ret, error);
    if (inode->layout == EROFS_LAYOUT_CHUNKED)
        return map_chunked(reader, inode, offset, ret, error);
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "%s: a file in it is compressed", reader->path);
    return false;
}

bool rw_erofs_read_data(RwImageReader *reader, const RwErofsInode *inode, uint64_t offset, void *ret_data,
                        size_t len, GError **error)
{
    uint8_t *to = ret_data;
    if (!rw_range_ok(inode->stat.size, offset, len))
        return damaged(reader->path, "data past an end", error);
    while (len) {
        Extent extent;
        if (!map(reader, inode, offset, &extent, error))
            return false;
        size_t n = (size_t)MIN(len, extent.len);
        if (extent.hole)
            memset(to, 0, n);
        else if (!read_at(reader, extent.at, to, n, error))
            return false;
        to += n;
        offset += n;
        len -= n;
    }
    return true;
}

char *rw_erofs_read_link(RwImageReader *reader, const RwErofsInode *inode, GError **error)
{
    size_t len = (size_t)inode->stat.size;
    if (inode->stat.size == 0 || inode->stat.size > RW_TREE_LINK_MAX) {
        damaged(reader->path, "a symbolic link of an impossible length", error);
        return NULL;
    }
    g_autofree char *target = g_malloc0(len + 1);
    return rw_erofs_read_data(reader, inode, 0, target, len, error) ? g_steal_pointer(&target) : NULL;
}

// ---- Directories ----

// The end of name i of n in a directory block of len bytes, or 0 when the offsets make no sense.
static size_t name_end(const uint8_t *block, size_t len, size_t i, size_t n)
{
    size_t start = rw_load_u16(block + i * EROFS_DIRENT + EROFS_D_NAME_OFFSET);
    if (i + 1 < n) {
        size_t end = rw_load_u16(block + (i + 1) * EROFS_DIRENT + EROFS_D_NAME_OFFSET);
        return start >= n * EROFS_DIRENT && end > start && end <= len ? end : 0;
    }
    if (start < n * EROFS_DIRENT || start >= len)
        return 0;
    return start + strnlen((const char *)block + start, len - start);
}

static bool list_block(RwImageReader *reader, const uint8_t *block, size_t len, RwErofsEntry entry,
                       void *data, bool *ret_more, GError **error)
{
    size_t first = len >= EROFS_DIRENT ? rw_load_u16(block + EROFS_D_NAME_OFFSET) : 0;
    size_t n = first / EROFS_DIRENT;
    if (!n || first % EROFS_DIRENT || first > len)
        return damaged(reader->path, "a directory makes no sense", error);
    for (size_t i = 0; i < n && *ret_more; i++) {
        const uint8_t *at = block + i * EROFS_DIRENT;
        size_t end = name_end(block, len, i, n), start = rw_load_u16(at + EROFS_D_NAME_OFFSET);
        const char *name = (const char *)block + start;
        if (end <= start || end - start > EROFS_NAME_MAX || memchr(name, '/', end - start) ||
            memchr(name, 0, end - start))
            return damaged(reader->path, "a name in a directory makes no sense", error);
        *ret_more = entry(name, end - start, rw_load_u64(at + EROFS_D_NID), data);
    }
    return true;
}

bool rw_erofs_list(RwImageReader *reader, const RwErofsInode *dir, RwErofsEntry entry, void *data,
                   GError **error)
{
    uint8_t block[EROFS_BLOCK];
    bool more = true;
    if (dir->stat.size > RW_EROFS_DIR_MAX)
        return damaged(reader->path, "a directory of an impossible size", error);
    for (uint64_t at = 0; at < dir->stat.size && more; at += EROFS_BLOCK) {
        size_t len = (size_t)MIN(EROFS_BLOCK, dir->stat.size - at);
        if (!rw_erofs_read_data(reader, dir, at, block, len, error) ||
            !list_block(reader, block, len, entry, data, &more, error))
            return false;
    }
    return true;
}
