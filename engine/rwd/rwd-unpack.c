// SPDX-License-Identifier: MIT
#include "rwd-unpack-private.h"

#include "rw-bookmarks.h"
#include "rw-keyframes.h"
#include "rw-trace.h"
#include "rwd-pages-private.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

typedef struct {
    RwdReader *reader;
    const RwdIndex *index;
    const char *dir;
    RwPagesWriter *writer;
    RwManifest *manifest;
    RwdPages *pages;
} Unpack;

static bool damaged(const char *what, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "damaged: %s", what);
    return false;
}

// ---- Sinks ----

static bool to_memory(void *data, const uint8_t *bytes, size_t length, GError **error)
{
    rw_put_bytes(data, bytes, length);
    return true;
}

typedef struct {
    int fd;
    const char *path;
} File;

static bool to_file(void *data, const uint8_t *bytes, size_t length, GError **error)
{
    const File *file = data;
    return rw_write_all(file->fd, bytes, length, file->path, error);
}

static char *dup_path(const Unpack *unpack, RwdMember member)
{
    return g_build_filename(unpack->dir, rwd_member_name(member), NULL);
}

static bool read_to_file(Unpack *unpack, const char *path, GError **error)
{
    File file = {open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644), path};
    if (file.fd < 0) {
        rw_error_from_errno(error, errno, "cannot create %s", path);
        return false;
    }
    bool ok = rwd_reader_read(unpack->reader, to_file, &file, error);
    if (ok && fsync(file.fd) < 0) {
        rw_error_from_errno(error, errno, "cannot write %s", path);
        ok = false;
    }
    close(file.fd);
    return ok;
}

// ---- Members ----

static bool check_manifest(const Unpack *unpack, GError **error)
{
    const RwManifest *manifest = unpack->manifest;
    const RwdIndex *index = unpack->index;
    if (strcmp(manifest->id, index->id))
        return damaged("its manifest is of another run", error);
    if (!manifest->ended)
        return damaged("its run has not ended", error);
    if (strcmp(manifest->trace_sha256, index->members[RWD_TRACE].sha256))
        return damaged("its manifest is of another trace", error);
    if (!index->replayable)
        return true;
    if (strcmp(manifest->inputs->image_hash, index->members[RWD_IMAGE].sha256))
        return damaged("its image is of another run", error);
    const RwdEntry *input = &index->members[RWD_STDIN];
    if (g_strcmp0(manifest->inputs->stdin_hash, input->present ? input->sha256 : NULL))
        return damaged("its standard input is of another run", error);
    return true;
}

static bool take_manifest(Unpack *unpack, GError **error)
{
    g_autoptr(GByteArray) text = g_byte_array_new();
    if (!rwd_reader_read(unpack->reader, to_memory, text, error))
        return false;
    g_autoptr(JsonObject) object =
        rw_manifest_parse_object((char *)text->data, text->len, "manifest.json", error);
    unpack->manifest = object ? rw_manifest_from_json(object, "manifest.json", error) : NULL;
    if (!unpack->manifest || !check_manifest(unpack, error))
        return false;
    unpack->manifest->trace_only = !unpack->index->replayable;
    return rw_manifest_save(unpack->manifest, unpack->dir, error);
}

// Whatever reads the trace later checks it again, block by block; here all of it must be sound.
static bool walk_trace(RwTrace *trace, GCancellable *cancellable, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    for (uint32_t n = 0; more > 0; n++)
        more = n % 4096 || rw_check_cancelled(cancellable, error)
                   ? rw_trace_cursor_next(cursor, &item, error)
                   : -1;
    return more == 0;
}

static bool take_trace(Unpack *unpack, GError **error)
{
    g_autofree char *path = dup_path(unpack, RWD_TRACE);
    if (!read_to_file(unpack, path, error))
        return false;
    g_autoptr(RwTrace) trace = rw_trace_open(path, error);
    if (!trace)
        return false;
    if (!rw_trace_is_complete(trace) || rw_trace_get_events(trace) != unpack->manifest->events ||
        rw_trace_get_steps(trace) != unpack->manifest->end.steps)
        return damaged("its trace is not what its manifest says", error);
    return walk_trace(trace, rwd_reader_get_cancellable(unpack->reader), error);
}

static bool take_bookmarks(Unpack *unpack, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    if (!rwd_reader_read(unpack->reader, to_memory, bytes, error))
        return false;
    g_autoptr(GPtrArray) bookmarks =
        rw_bookmarks_parse((char *)bytes->data, bytes->len, "bookmarks.json", error);
    if (!bookmarks)
        return false;
    const RwBookmark *last = bookmarks->len ? bookmarks->pdata[bookmarks->len - 1] : NULL;
    if (last && last->step > unpack->manifest->end.steps)
        return damaged("a bookmark is past the run's end", error);
    size_t length;
    g_autofree char *text = rw_bookmarks_dup_text(bookmarks, &length),
                    *path = dup_path(unpack, RWD_BOOKMARKS);
    return rw_write_file_atomic(path, text, length, error);
}

static bool take_guest(Unpack *unpack, RwdMember member, GError **error)
{
    g_autofree char *path = dup_path(unpack, member), *dir = g_path_get_dirname(path);
    if (!rw_mkdir(dir, error) || !read_to_file(unpack, path, error))
        return false;
    if (member != RWD_CMDLINE)
        return true;
    RwGuest *guest = rw_guest_load(dir, error);
    if (!guest)
        return false;
    bool same = !strcmp(rw_guest_get_hash(guest), unpack->manifest->inputs->guest_hash);
    rw_guest_unref(guest);
    return same ? rw_sync_dir(dir, error) : damaged("its guest is of another run", error);
}

static bool take_file(Unpack *unpack, RwdMember member, GError **error)
{
    g_autofree char *path = dup_path(unpack, member);
    return read_to_file(unpack, path, error);
}

static bool take_keyframe(Unpack *unpack, const RwKeyframes *keyframes, guint i, GError **error)
{
    const RwKeyframe *frame = rw_keyframes_get(keyframes, i);
    const RwInputs *inputs = unpack->manifest->inputs;
    if (frame->step > unpack->manifest->end.steps || frame->memory != inputs->memory + inputs->swap)
        return damaged("a keyframe is of another run", error);
    g_autoptr(GBytes) state = rw_keyframes_read_state(keyframes, i, error);
    return state &&
           rwd_pages_expect(unpack->pages, &frame->root, rw_page_tree_levels(frame->memory), error);
}

static bool take_keyframes(Unpack *unpack, GError **error)
{
    g_autofree char *path = dup_path(unpack, RWD_KEYFRAMES);
    unpack->pages = rwd_pages_new(unpack->index->members[RWD_PAGES].size, unpack->writer);
    if (!read_to_file(unpack, path, error))
        return false;
    g_autoptr(RwKeyframes) keyframes = rw_keyframes_open(path, error);
    for (guint i = 0; keyframes && i < rw_keyframes_get_count(keyframes); i++)
        if (!take_keyframe(unpack, keyframes, i, error))
            return false;
    return keyframes != NULL;
}

static bool take_pages(Unpack *unpack, GError **error)
{
    return rwd_reader_read(unpack->reader, rwd_pages_take, unpack->pages, error) &&
           rwd_pages_finish(unpack->pages, error);
}

static bool take(Unpack *unpack, RwdMember member, GError **error)
{
    switch (member) {
    case RWD_MANIFEST:
        return take_manifest(unpack, error);
    case RWD_TRACE:
        return take_trace(unpack, error);
    case RWD_BOOKMARKS:
        return take_bookmarks(unpack, error);
    case RWD_SIDES: // read with care each time
    case RWD_IMAGE:
    case RWD_STDIN:
        return take_file(unpack, member, error);
    case RWD_KEYFRAMES:
        return take_keyframes(unpack, error);
    case RWD_PAGES:
        return take_pages(unpack, error);
    default:
        return take_guest(unpack, member, error);
    }
}

// The index has the manifest and the trace before all that needs them.
RwManifest *rwd_unpack(RwdReader *reader, const char *dir, RwPagesWriter *pages, GError **error)
{
    Unpack unpack = {.reader = reader, .index = rwd_reader_get_index(reader), .dir = dir, .writer = pages};
    RwdMember member = RWD_MANIFEST;
    bool ok = true;
    while (ok && member != RWD_MEMBERS)
        ok = rwd_reader_next(reader, &member, error) &&
             (member == RWD_MEMBERS || take(&unpack, member, error));
    rwd_pages_free(unpack.pages);
    if (!ok)
        g_clear_pointer(&unpack.manifest, rw_manifest_free);
    return unpack.manifest;
}
