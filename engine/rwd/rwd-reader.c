// SPDX-License-Identifier: MIT
#include "rwd-reader-private.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <sys/stat.h>

#define CHUNK (256u << 10)
#define AHEAD (1u << 20) // bytes
#define HEADERS_MAX (64u << 10) // bytes of tar headers and padding around all members, and to spare

struct RwdReader {
    RwdSource source;
    void *data;
    GCancellable *cancellable;
    GError *source_error; // what the source said
    struct archive *archive;
    RwdIndex index;
    int member; // the one that was read last; -1: none
    uint64_t left; // bytes of the member that are still to come
    uint64_t bound; // of all that is decompressed
    uint8_t *chunk; // CHUNK bytes
};

static la_ssize_t read_source(struct archive *archive, void *data, const void **ret_bytes)
{
    RwdReader *reader = data;
    ssize_t n = reader->source(reader->data, ret_bytes, &reader->source_error);
    if (n < 0)
        archive_set_error(archive, EIO, "stopped");
    return n;
}

static bool fail(RwdReader *reader, GError **error)
{
    if (reader->source_error) {
        g_propagate_error(error, g_steal_pointer(&reader->source_error));
        return false;
    }
    // What libarchive says may have bytes of the file in it.
    g_autofree char *text = g_str_to_ascii(archive_error_string(reader->archive) ?: "unknown error", "C");
    g_strcanon(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:()'-", '?');
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "not an exported run, or damaged (%.120s)", text);
    return false;
}

static bool damaged(const char *what, const char *why, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "damaged: %s %s", what, why);
    return false;
}

// Whoever sends a bomb gets no further than his own list of members, and what is decompressed ahead of it.
static bool check_bound(RwdReader *reader, GError **error)
{
    la_int64_t bytes = archive_filter_bytes(reader->archive, 0);
    if (archive_filter_count(reader->archive) != 2)
        return damaged("it", "is not compressed once, by zstd", error);
    if (bytes >= 0 && (uint64_t)bytes <= reader->bound + AHEAD)
        return true;
    return damaged("it", "unpacks to more than it says", error);
}

static bool next_header(RwdReader *reader, const char *name, uint64_t *ret_size, GError **error)
{
    struct archive_entry *entry;
    int r = archive_read_next_header(reader->archive, &entry);
    if (r == ARCHIVE_EOF)
        return damaged(name, "is missing", error);
    if (r != ARCHIVE_OK)
        return fail(reader, error);
    if (!check_bound(reader, error))
        return false;
    if (g_strcmp0(archive_entry_pathname(entry), name) || archive_entry_filetype(entry) != S_IFREG ||
        archive_entry_hardlink(entry) || archive_entry_sparse_count(entry) ||
        !archive_entry_size_is_set(entry) || archive_entry_size(entry) < 0)
        return damaged(name, "should come next and does not", error);
    *ret_size = (uint64_t)archive_entry_size(entry);
    return true;
}

static ssize_t read_some(RwdReader *reader, GError **error)
{
    if (!rw_check_cancelled(reader->cancellable, error))
        return -1;
    la_ssize_t n = archive_read_data(reader->archive, reader->chunk, (size_t)MIN(CHUNK, reader->left));
    if (n < 0)
        fail(reader, error);
    else if (n == 0)
        damaged("it", "is cut short", error);
    if (n <= 0 || !check_bound(reader, error))
        return -1;
    reader->left -= (uint64_t)n;
    return n;
}

static bool read_index(RwdReader *reader, GError **error)
{
    reader->bound = RWD_INDEX_MAX + HEADERS_MAX;
    if (!next_header(reader, RWD_INDEX_NAME, &reader->left, error))
        return false;
    if (reader->left > RWD_INDEX_MAX)
        return damaged(RWD_INDEX_NAME, "is too large", error);
    g_autoptr(GByteArray) text = g_byte_array_new();
    while (reader->left) {
        ssize_t n = read_some(reader, error);
        if (n < 0)
            return false;
        rw_put_bytes(text, reader->chunk, (size_t)n);
    }
    if (!rwd_index_parse((char *)text->data, text->len, &reader->index, error))
        return false;
    reader->bound = rwd_index_size(&reader->index) + RWD_INDEX_MAX + HEADERS_MAX;
    return true;
}

RwdReader *rwd_reader_new(RwdSource source, void *data, GError **error)
{
    g_autoptr(RwdReader) reader = g_new0(RwdReader, 1);
    reader->chunk = g_malloc(CHUNK);
    reader->source = source;
    reader->data = data;
    reader->member = -1;
    reader->archive = archive_read_new();
    archive_read_support_format_tar(reader->archive);
    archive_read_support_filter_zstd(reader->archive);
    if (archive_read_open(reader->archive, reader, NULL, read_source, NULL) != ARCHIVE_OK) {
        fail(reader, error);
        return NULL;
    }
    return read_index(reader, error) ? g_steal_pointer(&reader) : NULL;
}

void rwd_reader_free(RwdReader *reader)
{
    if (!reader)
        return;
    archive_read_free(reader->archive);
    g_clear_error(&reader->source_error);
    g_free(reader->chunk);
    g_free(reader);
}

void rwd_reader_set_cancellable(RwdReader *reader, GCancellable *cancellable)
{
    reader->cancellable = cancellable;
}

GCancellable *rwd_reader_get_cancellable(const RwdReader *reader)
{
    return reader->cancellable;
}

const RwdIndex *rwd_reader_get_index(const RwdReader *reader)
{
    return &reader->index;
}

static bool check_end(RwdReader *reader, GError **error)
{
    struct archive_entry *entry;
    int r = archive_read_next_header(reader->archive, &entry);
    if (r == ARCHIVE_EOF)
        return check_bound(reader, error);
    return r == ARCHIVE_OK ? damaged("it", "has more members than it says", error) : fail(reader, error);
}

bool rwd_reader_next(RwdReader *reader, RwdMember *ret_member, GError **error)
{
    *ret_member = rwd_index_next(&reader->index, reader->member);
    reader->member = (int)*ret_member;
    if (*ret_member == RWD_MEMBERS)
        return check_end(reader, error);
    const char *name = rwd_member_name(*ret_member);
    if (!next_header(reader, name, &reader->left, error))
        return false;
    if (reader->left == reader->index.members[*ret_member].size)
        return true;
    return damaged(name, "is not of the size it should be", error);
}

bool rwd_reader_read(RwdReader *reader, RwdSink sink, void *data, GError **error)
{
    char found[RW_SHA256_HEX_SIZE];
    g_autoptr(RwSha256) sha = rw_sha256_new();
    while (reader->left) {
        ssize_t n = read_some(reader, error);
        if (n < 0)
            return false;
        rw_sha256_update(sha, reader->chunk, (size_t)n);
        if (!sink(data, reader->chunk, (size_t)n, error))
            return false;
    }
    rw_sha256_finish_hex(sha, found);
    if (!strcmp(found, reader->index.members[reader->member].sha256))
        return true;
    return damaged(rwd_member_name((RwdMember)reader->member), "has another hash than it should have",
                   error);
}
