// SPDX-License-Identifier: MIT
#include "keyframes-file-private.h"

#include "rw-base.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

struct _RwKeyframesFile {
    char *path;
    int fd;
    uint64_t offset;
    guint count;
    GByteArray *index; // per frame: offset and head
};

static bool put(RwKeyframesFile *file, const void *bytes, size_t length, GError **error)
{
    file->offset += length;
    return rw_write_all(file->fd, bytes, length, file->path, error);
}

RwKeyframesFile *rw_keyframes_file_new(const char *path, GError **error)
{
    g_autoptr(RwKeyframesFile) file = g_new0(RwKeyframesFile, 1);
    uint8_t header[RW_KEYFRAMES_HEADER_SIZE];
    file->path = g_strdup(path);
    file->index = g_byte_array_new();
    file->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->fd < 0) {
        rw_error_from_errno(error, errno, "cannot make %s", path);
        return NULL;
    }
    rw_keyframes_header_encode(header);
    return put(file, header, sizeof header, error) ? g_steal_pointer(&file) : NULL;
}

void rw_keyframes_file_free(RwKeyframesFile *file)
{
    if (!file)
        return;
    if (file->fd >= 0)
        close(file->fd);
    g_free(file->path);
    g_byte_array_unref(file->index);
    g_free(file);
}

guint rw_keyframes_file_get_count(const RwKeyframesFile *file)
{
    return file->count;
}

static bool add_stored(RwKeyframesFile *file, const RwKeyframeHead *head, const void *bytes, GError **error)
{
    uint8_t encoded[RW_KEYFRAMES_HEAD_SIZE];
    rw_keyframes_head_encode(head, encoded);
    rw_put_u64(file->index, file->offset);
    rw_put_bytes(file->index, encoded, sizeof encoded);
    file->count++;
    return put(file, encoded, sizeof encoded, error) && put(file, bytes, head->stored, error);
}

RwKeyframesFile *rw_keyframes_file_new_copy(const char *path, const RwKeyframes *from, guint count,
                                            GError **error)
{
    g_autoptr(RwKeyframesFile) file = rw_keyframes_file_new(path, error);
    for (guint i = 0; file && i < count; i++) {
        const RwKeyframeHead *head = rw_keyframes_get_head(from, i);
        g_autofree uint8_t *stored = g_malloc(head->stored);
        if (!rw_keyframes_read_stored(from, i, stored, error) || !add_stored(file, head, stored, error))
            return NULL;
    }
    return g_steal_pointer(&file);
}

bool rw_keyframes_file_add(RwKeyframesFile *file, RwKeyframeHead *head, GBytes *state, GError **error)
{
    size_t length;
    const void *bytes = g_bytes_get_data(state, &length);
    if (length > RW_KEYFRAMES_STATE_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_IO, "%s: the state of a keyframe is too large", file->path);
        return false;
    }
    g_autofree uint8_t *packed = g_malloc(ZSTD_compressBound(length));
    size_t n = ZSTD_compress(packed, ZSTD_compressBound(length), bytes, length, RW_KEYFRAMES_ZSTD_LEVEL);
    bool pays = !ZSTD_isError(n) && n < length;
    head->flags = (head->frame.held ? RW_KEYFRAME_HELD : 0) | (pays ? RW_KEYFRAME_ZSTD : 0);
    head->raw = (uint32_t)length;
    head->stored = (uint32_t)(pays ? n : length);
    return add_stored(file, head, pays ? packed : bytes, error);
}

static bool put_index(RwKeyframesFile *file, GError **error)
{
    g_autoptr(GByteArray) index = g_byte_array_new();
    rw_put_u32(index, RW_KEYFRAMES_INDEX_MAGIC);
    rw_put_u32(index, file->count);
    rw_put_bytes(index, file->index->data, file->index->len);
    rw_put_u64(index, rw_seal_check(index->data, index->len));
    RwKeyframesTrailer trailer = {file->offset, index->len, file->count};
    uint8_t bytes[RW_KEYFRAMES_TRAILER_SIZE];
    rw_keyframes_trailer_encode(&trailer, bytes);
    return put(file, index->data, index->len, error) && put(file, bytes, sizeof bytes, error);
}

bool rw_keyframes_file_finish(RwKeyframesFile *file, GError **error)
{
    if (!put_index(file, error))
        return false;
    if (fsync(file->fd) == 0)
        return true;
    rw_error_from_errno(error, errno, "cannot write %s", file->path);
    return false;
}
