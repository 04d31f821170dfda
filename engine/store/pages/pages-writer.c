// SPDX-License-Identifier: MIT
//
// Writing one pack: objects one after another, then the index, then its name.
#include "pages-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (1u << 20) // bytes gathered before a write
// Half the time of level 1 in both directions, for a sixth more space.
#define ZSTD_LEVEL -1

struct _RwPagesWriter {
    RwPages *pages; // borrowed
    RwPageSet *own; // what is in this pack
    GArray *entries; // of RwPackEntry
    char *path; // NULL before the first object
    int fd;
    uint64_t offset; // bytes so far, the buffered ones included
    GByteArray *buffer;
    ZSTD_CCtx *zstd;
    bool failed; // bytes are missing: it can only be dropped
    bool finished;
};

RwPagesWriter *rw_pages_writer_new(RwPages *pages, GError **error)
{
    RwPagesWriter *writer = g_new0(RwPagesWriter, 1);
    writer->pages = pages;
    writer->fd = -1;
    writer->own = rw_page_set_new();
    writer->entries = g_array_new(false, false, sizeof(RwPackEntry));
    writer->buffer = g_byte_array_new();
    writer->zstd = ZSTD_createCCtx();
    if (!writer->zstd ||
        ZSTD_isError(ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL))) {
        g_set_error(error, RW_ERROR, RW_ERROR_IO, "cannot set up zstd");
        rw_pages_writer_free(writer);
        return NULL;
    }
    return writer;
}

void rw_pages_writer_free(RwPagesWriter *writer)
{
    if (!writer)
        return;
    if (writer->path && !writer->finished)
        unlink(writer->path);
    if (writer->fd >= 0)
        close(writer->fd);
    g_free(writer->path);
    rw_page_set_free(writer->own);
    g_array_unref(writer->entries);
    g_byte_array_unref(writer->buffer);
    ZSTD_freeCCtx(writer->zstd);
    g_free(writer);
}

uint64_t rw_pages_writer_get_objects(const RwPagesWriter *writer)
{
    return writer->entries->len;
}

uint64_t rw_pages_writer_get_bytes(const RwPagesWriter *writer)
{
    return writer->offset;
}

// ---- The file ----

static bool try_open(RwPagesWriter *writer)
{
    struct stat st;
    g_autofree char *name =
        g_strdup_printf(RW_PACK_PART_PREFIX "%08x%08x.part", g_random_int(), g_random_int());
    g_free(writer->path);
    writer->path = g_build_filename(writer->pages->dir, name, NULL);
    writer->fd = open(writer->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    // Between the two calls somebody may have taken it for a dead writer's.
    if (writer->fd >= 0 && flock(writer->fd, LOCK_EX | LOCK_NB) == 0 && fstat(writer->fd, &st) == 0 &&
        st.st_nlink)
        return true;
    if (writer->fd >= 0) {
        close(writer->fd);
        errno = EEXIST;
    }
    writer->fd = -1;
    return false;
}

static void append(RwPagesWriter *writer, const void *bytes, size_t length)
{
    g_byte_array_append(writer->buffer, bytes, (guint)length);
    writer->offset += length;
}

static bool begin(RwPagesWriter *writer, GError **error)
{
    uint8_t header[RW_PACK_HEADER_SIZE];
    bool ok = false;
    for (int tries = 0; tries < 100 && !ok; tries++)
        if (!(ok = try_open(writer)) && errno != EEXIST)
            break;
    if (!ok) {
        rw_error_from_errno(error, errno, "cannot make a pack in %s", writer->pages->dir);
        g_clear_pointer(&writer->path, g_free);
        return false;
    }
    rw_pack_header_encode(header);
    append(writer, header, sizeof header);
    return true;
}

static bool flush(RwPagesWriter *writer, GError **error)
{
    bool ok = rw_write_all(writer->fd, writer->buffer->data, writer->buffer->len, writer->path, error);
    g_byte_array_set_size(writer->buffer, 0);
    writer->failed |= !ok;
    return ok;
}

// ---- Objects ----

static bool add(RwPagesWriter *writer, RwPackEntry entry, const uint8_t *bytes, GError **error)
{
    uint8_t head[RW_PACK_HEAD_SIZE];
    if (writer->fd < 0 && !begin(writer, error))
        return false;
    entry.offset = writer->offset;
    rw_pack_head_encode(&entry, head);
    append(writer, head, sizeof head);
    append(writer, bytes, entry.stored);
    g_array_append_val(writer->entries, entry);
    return writer->buffer->len < BUFFER || flush(writer, error);
}

bool rw_pages_writer_put_packed(RwPagesWriter *writer, const RwPackEntry *entry, const uint8_t *stored,
                                GError **error)
{
    return !rw_page_set_add(writer->own, &entry->hash) ||
           add(writer, *entry, stored + RW_PACK_HEAD_SIZE, error);
}

static bool is_zero(const uint8_t *bytes, size_t length)
{
    return bytes[0] == 0 && !memcmp(bytes, bytes + 1, length - 1);
}

void rw_page_hash(const void *bytes, size_t length, RwPageHash *ret_hash)
{
    *ret_hash = (RwPageHash){0};
    if (!is_zero(bytes, length))
        rw_sha256_bytes(bytes, length, ret_hash->v);
}

bool rw_pages_writer_put(RwPagesWriter *writer, const void *bytes, size_t length, RwPageHash *ret_hash,
                         GError **error)
{
    uint8_t packed[ZSTD_COMPRESSBOUND(RW_PAGE_BYTES)];
    g_return_val_if_fail(length > 0 && length <= RW_PAGE_BYTES, false);
    rw_page_hash(bytes, length, ret_hash);
    if (rw_page_hash_is_zero(ret_hash))
        return true;
    if (rw_page_set_has(writer->own, ret_hash) ||
        rw_pages_has_bytes(writer->pages, ret_hash, bytes, length)) // a broken copy is none
        return true;
    rw_page_set_add(writer->own, ret_hash);
    RwPackEntry entry = {.hash = *ret_hash, .raw = (uint16_t)length, .stored = (uint32_t)length};
    size_t n = ZSTD_compress2(writer->zstd, packed, sizeof packed, bytes, length);
    if (ZSTD_isError(n) || n + length / 16 >= length)
        return add(writer, entry, bytes, error);
    entry.flags = RW_PACK_ZSTD;
    entry.stored = (uint32_t)n;
    return add(writer, entry, packed, error);
}

// ---- The end ----

static int compare_entries(const void *a, const void *b)
{
    const RwPackEntry *first = a, *second = b;
    return memcmp(&first->hash, &second->hash, sizeof first->hash);
}

static void put_fanout(RwPagesWriter *writer, GByteArray *index)
{
    uint8_t fanout[RW_PACK_FANOUT_SIZE];
    guint i = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        while (i < writer->entries->len && g_array_index(writer->entries, RwPackEntry, i).hash.v[0] <= byte)
            i++;
        rw_store_u32(fanout + 4 * byte, i);
    }
    rw_put_bytes(index, fanout, sizeof fanout);
}

static void put_index(RwPagesWriter *writer)
{
    g_autoptr(GByteArray) index = g_byte_array_new();
    GArray *entries = writer->entries;
    qsort(entries->data, entries->len, sizeof(RwPackEntry), compare_entries);
    put_fanout(writer, index);
    for (guint i = 0; i < entries->len; i++) {
        uint8_t entry[RW_PACK_ENTRY_SIZE];
        rw_pack_entry_encode(&g_array_index(entries, RwPackEntry, i), entry);
        rw_put_bytes(index, entry, sizeof entry);
    }
    RwPackTrailer trailer = {writer->offset, entries->len, rw_seal_check_large(index->data, index->len)};
    append(writer, index->data, index->len);
    uint8_t bytes[RW_PACK_TRAILER_SIZE];
    rw_pack_trailer_encode(&trailer, bytes);
    append(writer, bytes, sizeof bytes);
}

static bool take_name(RwPagesWriter *writer, GError **error)
{
    for (int tries = 0; tries < 100; tries++) {
        g_autofree char *name = g_strdup_printf(RW_PACK_PREFIX "%08x%08x", g_random_int(), g_random_int());
        g_autofree char *to = g_build_filename(writer->pages->dir, name, NULL);
        if (renameat2(AT_FDCWD, writer->path, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
            writer->finished = true;
            return rw_sync_dir(writer->pages->dir, error);
        }
        if (errno != EEXIST)
            break;
    }
    rw_error_from_errno(error, errno, "cannot give %s its name", writer->path);
    return false;
}

bool rw_pages_writer_finish(RwPagesWriter *writer, GError **error)
{
    if (writer->failed) {
        g_set_error(error, RW_ERROR, RW_ERROR_IO, "%s: an earlier write failed", writer->path);
        return false;
    }
    if (writer->fd < 0)
        return true;
    put_index(writer);
    if (!flush(writer, error))
        return false;
    if (fsync(writer->fd) != 0) {
        rw_error_from_errno(error, errno, "cannot write %s", writer->path);
        return false;
    }
    return take_name(writer, error) && rw_pages_refresh(writer->pages, error);
}
