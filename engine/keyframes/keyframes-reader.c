// SPDX-License-Identifier: MIT
//
// The list of a run's keyframes: from the file's index, or head by head where the index is missing.
#include "keyframes-format-private.h"

#include "rw-base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define INDEX_ENTRY (8u + RW_KEYFRAMES_HEAD_SIZE)
#define INDEX_MAX (1ull << 30) // bytes: some nine million keyframes

typedef struct {
    uint64_t offset; // of the head
    RwKeyframeHead head;
} Entry;

struct _RwKeyframes {
    char *path;
    int fd;
    uint64_t size;
    GArray *entries; // of Entry
};

static bool damaged(const RwKeyframes *keyframes, const char *what, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: %s", keyframes->path, what);
    return false;
}

// Of one step there may be two: at its end, and later, at the hand-over of the job.
static bool follows(const RwKeyframe *last, const RwKeyframe *frame)
{
    bool is_later = frame->step > last->step || (frame->step == last->step && frame->held && !last->held);
    return is_later && frame->icount > last->icount;
}

// A frame must go on where the last one ended, in the file and in the run.
static bool add_entry(RwKeyframes *keyframes, uint64_t offset, const RwKeyframeHead *head)
{
    GArray *entries = keyframes->entries;
    const Entry *last = entries->len ? &g_array_index(entries, Entry, entries->len - 1) : NULL;
    uint64_t at =
        last ? last->offset + RW_KEYFRAMES_HEAD_SIZE + last->head.stored : RW_KEYFRAMES_HEADER_SIZE;
    if (offset != at ||
        !rw_range_ok(keyframes->size, offset, RW_KEYFRAMES_HEAD_SIZE + (uint64_t)head->stored))
        return false;
    if (last && !follows(&last->head.frame, &head->frame))
        return false;
    Entry entry = {offset, *head};
    g_array_append_val(entries, entry);
    return true;
}

static bool parse_index(RwKeyframes *keyframes, const uint8_t *bytes, size_t size, uint64_t count)
{
    if (rw_load_u32(bytes) != RW_KEYFRAMES_INDEX_MAGIC || rw_load_u32(bytes + 4) != count ||
        size - 16 != count * INDEX_ENTRY || rw_load_u64(bytes + size - 8) != rw_seal_check(bytes, size - 8))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *at = bytes + 8 + i * INDEX_ENTRY;
        RwKeyframeHead head;
        if (!rw_keyframes_head_decode(at + 8, &head) || !add_entry(keyframes, rw_load_u64(at), &head))
            return false;
    }
    return true;
}

// 1: done; 0: there is none; -1: error.
static int read_index(RwKeyframes *keyframes, GError **error)
{
    uint8_t bytes[RW_KEYFRAMES_TRAILER_SIZE];
    RwKeyframesTrailer trailer;
    if (keyframes->size < RW_KEYFRAMES_HEADER_SIZE + sizeof bytes)
        return 0;
    uint64_t end = keyframes->size - sizeof bytes;
    if (!rw_pread_all(keyframes->fd, bytes, sizeof bytes, end, keyframes->path, error))
        return -1;
    if (!rw_keyframes_trailer_decode(bytes, &trailer))
        return 0;
    if (trailer.index_size < 16 || trailer.index_size > INDEX_MAX || trailer.index > end ||
        end - trailer.index != trailer.index_size || trailer.count > G_MAXUINT32) {
        damaged(keyframes, "its index makes no sense", error);
        return -1;
    }
    g_autofree uint8_t *index = g_malloc(trailer.index_size);
    if (!rw_pread_all(keyframes->fd, index, trailer.index_size, trailer.index, keyframes->path, error))
        return -1;
    if (parse_index(keyframes, index, trailer.index_size, trailer.count))
        return 1;
    damaged(keyframes, "its index is broken", error);
    return -1;
}

static bool scan(RwKeyframes *keyframes, GError **error)
{
    uint64_t offset = RW_KEYFRAMES_HEADER_SIZE;
    uint8_t bytes[RW_KEYFRAMES_HEAD_SIZE];
    RwKeyframeHead head;
    while (rw_range_ok(keyframes->size, offset, sizeof bytes)) {
        if (!rw_pread_all(keyframes->fd, bytes, sizeof bytes, offset, keyframes->path, error))
            return false;
        if (!rw_keyframes_head_decode(bytes, &head) || !add_entry(keyframes, offset, &head))
            break;
        offset += sizeof bytes + head.stored;
    }
    return true;
}

static bool load(RwKeyframes *keyframes, GError **error)
{
    struct stat st;
    uint8_t header[RW_KEYFRAMES_HEADER_SIZE];
    keyframes->fd = open(keyframes->path, O_RDONLY | O_CLOEXEC);
    if (keyframes->fd < 0 || fstat(keyframes->fd, &st) != 0) {
        rw_error_from_errno(error, errno, "cannot read %s", keyframes->path);
        return false;
    }
    if (!S_ISREG(st.st_mode))
        return damaged(keyframes, "not a file", error);
    keyframes->size = (uint64_t)st.st_size;
    if (!rw_pread_all(keyframes->fd, header, sizeof header, 0, keyframes->path, error) ||
        !rw_keyframes_header_check(header, keyframes->path, error))
        return false;
    int found = read_index(keyframes, error);
    return found > 0 || (found == 0 && scan(keyframes, error));
}

RwKeyframes *rw_keyframes_open(const char *path, GError **error)
{
    g_autoptr(RwKeyframes) keyframes = g_new0(RwKeyframes, 1);
    keyframes->path = g_strdup(path);
    keyframes->fd = -1;
    keyframes->entries = g_array_new(false, false, sizeof(Entry));
    return load(keyframes, error) ? g_steal_pointer(&keyframes) : NULL;
}

void rw_keyframes_free(RwKeyframes *keyframes)
{
    if (!keyframes)
        return;
    if (keyframes->fd >= 0)
        close(keyframes->fd);
    g_free(keyframes->path);
    g_array_unref(keyframes->entries);
    g_free(keyframes);
}

guint rw_keyframes_get_count(const RwKeyframes *keyframes)
{
    return keyframes->entries->len;
}

const RwKeyframeHead *rw_keyframes_get_head(const RwKeyframes *keyframes, guint i)
{
    return &g_array_index(keyframes->entries, Entry, i).head;
}

const RwKeyframe *rw_keyframes_get(const RwKeyframes *keyframes, guint i)
{
    return &rw_keyframes_get_head(keyframes, i)->frame;
}

int rw_keyframes_find(const RwKeyframes *keyframes, uint64_t step)
{
    int low = 0, high = (int)keyframes->entries->len;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const RwKeyframe *frame = rw_keyframes_get(keyframes, (guint)middle);
        if (frame->step < step || (frame->step == step && !frame->held))
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

bool rw_keyframes_read_stored(const RwKeyframes *keyframes, guint i, uint8_t *ret_bytes, GError **error)
{
    const Entry *entry = &g_array_index(keyframes->entries, Entry, i);
    uint8_t bytes[RW_KEYFRAMES_HEAD_SIZE], expected[RW_KEYFRAMES_HEAD_SIZE];
    rw_keyframes_head_encode(&entry->head, expected);
    if (!rw_pread_all(keyframes->fd, bytes, sizeof bytes, entry->offset, keyframes->path, error) ||
        !rw_pread_all(keyframes->fd, ret_bytes, entry->head.stored, entry->offset + sizeof bytes,
                      keyframes->path, error))
        return false;
    return !memcmp(bytes, expected, sizeof bytes) ||
           damaged(keyframes, "a keyframe is not what the index says", error);
}

GBytes *rw_keyframes_read_state(const RwKeyframes *keyframes, guint i, GError **error)
{
    const RwKeyframeHead *head = rw_keyframes_get_head(keyframes, i);
    g_autofree uint8_t *stored = g_malloc(head->stored);
    if (!rw_keyframes_read_stored(keyframes, i, stored, error))
        return NULL;
    if (!(head->flags & RW_KEYFRAME_ZSTD))
        return g_bytes_new_take(g_steal_pointer(&stored), head->stored);
    g_autofree uint8_t *raw = g_malloc(head->raw);
    size_t n = ZSTD_decompress(raw, head->raw, stored, head->stored);
    if (!ZSTD_isError(n) && n == head->raw)
        return g_bytes_new_take(g_steal_pointer(&raw), head->raw);
    damaged(keyframes, "a keyframe's state is broken", error);
    return NULL;
}
