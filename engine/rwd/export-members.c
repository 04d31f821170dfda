// SPDX-License-Identifier: MIT
#include "export-private.h"

#include "rw-bookmarks.h"
#include "rw-trace.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define CHUNK (1u << 20)
#define SIDES_MAX (1u << 20) // bytes

// ---- Opening ----

// A fork's trace goes on from its parent's; what is exported needs no other file.
static bool open_trace(RwExport *export, GError **error)
{
    const RwExportOptions *options = export->options;
    char sha256[RW_SHA256_HEX_SIZE];
    export->trace = g_build_filename(options->dir, "trace", NULL);
    g_autofree char *base = g_strconcat(export->trace, ".base", NULL);
    if (!g_file_test(base, G_FILE_TEST_EXISTS))
        return true;
    g_autoptr(GError) local = NULL;
    g_autoptr(RwTrace) trace = rw_trace_open(export->trace, error);
    if (!trace)
        return false;
    export->temp = g_dir_make_tmp("rewind-export-XXXXXX", &local);
    if (!export->temp) {
        g_set_error(error, RW_ERROR, RW_ERROR_IO, "cannot make a temporary directory: %s", local->message);
        return false;
    }
    g_free(export->trace);
    export->trace = g_build_filename(export->temp, "trace", NULL);
    return rw_trace_flatten(trace, export->trace, sha256, error);
}

static bool open_bookmarks(RwExport *export, GError **error)
{
    size_t length;
    g_autoptr(GPtrArray) bookmarks = rw_bookmarks_read(export->options->dir, error);
    if (bookmarks && bookmarks->len)
        export->bookmarks = rw_bookmarks_dup_text(bookmarks, &length);
    return bookmarks != NULL;
}

// What was found of its holds, if anything was.
static void open_sides(RwExport *export)
{
    g_autofree char *path = g_build_filename(export->options->dir, "sides.json", NULL);
    size_t length;
    rw_read_file(path, SIDES_MAX, &export->sides, &length, NULL);
}

static bool open_input(RwExport *export, GError **error)
{
    const char *hash = export->options->manifest->inputs->stdin_hash;
    export->input = hash ? rw_store_open_input(export->options->store, hash, error) : NULL;
    return !hash || export->input;
}

static bool open_keyframes(RwExport *export, GError **error)
{
    g_autofree char *path = g_build_filename(export->options->dir, "keyframes", NULL);
    g_autoptr(GError) local = NULL;
    export->keyframes = rw_keyframes_open(path, &local);
    if (!export->keyframes) {
        if (!g_error_matches(local, RW_ERROR, RW_ERROR_NOT_FOUND))
            rw_export_drop_keyframes(export, local);
        return true;
    }
    export->pages = rw_pages_open(export->options->store, false, error);
    return export->pages != NULL;
}

bool rw_export_open(RwExport *export, GError **error)
{
    memcpy(export->index.id, export->options->manifest->id, sizeof export->index.id);
    export->index.replayable = export->options->replayable;
    open_sides(export);
    return open_trace(export, error) && open_bookmarks(export, error) &&
           (!export->options->replayable || (open_input(export, error) && open_keyframes(export, error)));
}

void rw_export_clear(RwExport *export)
{
    rw_keyframes_free(export->keyframes);
    rw_pages_free(export->pages);
    if (export->temp)
        rw_remove_tree(export->temp, NULL);
    g_free(export->temp);
    g_free(export->trace);
    g_free(export->manifest);
    g_free(export->bookmarks);
    g_free(export->sides);
    g_clear_pointer(&export->input, g_bytes_unref);
}

void rw_export_drop_keyframes(RwExport *export, const GError *why)
{
    g_clear_pointer(&export->keyframes, rw_keyframes_free);
    export->index.members[RWD_KEYFRAMES].present = false;
    export->index.members[RWD_PAGES].present = false;
    g_autofree char *text = g_strdup_printf("exported without keyframes: %s", why->message);
    if (export->options->warn)
        export->options->warn(text, export->options->data);
}

void rw_export_make_manifest(RwExport *export)
{
    // The rest of it is what it was.
    RwManifest manifest = *export->options->manifest;
    memcpy(manifest.trace_sha256, export->index.members[RWD_TRACE].sha256, sizeof manifest.trace_sha256);
    manifest.trace_only = false;
    g_autoptr(JsonObject) object = rw_manifest_to_json(&manifest);
    g_autoptr(JsonNode) root = json_node_new(JSON_NODE_OBJECT);
    json_node_set_object(root, object);
    g_autofree char *text = json_to_string(root, true);
    export->manifest = g_strconcat(text, "\n", NULL);
}

// ---- Copying ----

static bool copy_text(const char *text, RwdSink sink, void *data, GError **error)
{
    return sink(data, (const uint8_t *)text, strlen(text), error);
}

static bool copy_input(const RwExport *export, RwdSink sink, void *data, GError **error)
{
    gsize size;
    const uint8_t *bytes = g_bytes_get_data(export->input, &size);
    for (gsize at = 0; at < size; at += CHUNK)
        if (!sink(data, bytes + at, MIN(CHUNK, size - at), error))
            return false;
    return true;
}

static bool copy_open_file(const RwExport *export, int fd, const char *path, RwdSink sink, void *data,
                           GError **error)
{
    g_autofree uint8_t *chunk = g_malloc(CHUNK);
    for (;;) {
        ssize_t n = read(fd, chunk, CHUNK);
        if (n == 0)
            return true;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            rw_error_from_errno(error, errno, "cannot read %s", path);
        if (n < 0 || !rw_check_cancelled(export->options->cancellable, error) ||
            !sink(data, chunk, (size_t)n, error))
            return false;
    }
}

static bool copy_file(const RwExport *export, const char *dir, const char *name, RwdSink sink, void *data,
                      GError **error)
{
    g_autofree char *path = name ? g_build_filename(dir, name, NULL) : g_strdup(dir);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        rw_error_from_errno(error, errno, "cannot read %s", path);
        return false;
    }
    bool ok = copy_open_file(export, fd, path, sink, data, error);
    close(fd);
    return ok;
}

typedef struct {
    const RwExport *export;
    RwdSink sink;
    void *data;
} PageCopy;

static bool copy_object(const RwPageHash *hash, size_t length, void *data, GError **error)
{
    const PageCopy *copy = data;
    uint8_t object[2 + RW_PAGE_BYTES];
    rw_store_u16(object, (uint16_t)length);
    return rw_check_cancelled(copy->export->options->cancellable, error) &&
           rw_pages_get(copy->export->pages, hash, object + 2, length, error) &&
           copy->sink(copy->data, object, 2 + length, error);
}

static bool copy_pages(RwExport *export, RwdSink sink, void *data, GError **error)
{
    g_autoptr(RwPageSet) seen = rw_page_set_new();
    PageCopy copy = {export, sink, data};
    for (guint i = 0; i < rw_keyframes_get_count(export->keyframes); i++) {
        const RwKeyframe *frame = rw_keyframes_get(export->keyframes, i);
        if (!rw_page_tree_collect(export->pages, &frame->root, rw_page_tree_levels(frame->memory), seen,
                                  copy_object, &copy, error))
            return false;
    }
    return true;
}

bool rw_export_copy(RwExport *export, RwdMember member, RwdSink sink, void *data, GError **error)
{
    const RwExportOptions *options = export->options;
    switch (member) {
    case RWD_MANIFEST:
        return copy_text(export->manifest, sink, data, error);
    case RWD_TRACE:
        return copy_file(export, export->trace, NULL, sink, data, error);
    case RWD_BOOKMARKS:
        return copy_text(export->bookmarks, sink, data, error);
    case RWD_SIDES:
        return copy_text(export->sides, sink, data, error);
    case RWD_IMAGE:
        return copy_file(export, options->image_path, NULL, sink, data, error);
    case RWD_STDIN:
        return copy_input(export, sink, data, error);
    case RWD_KEYFRAMES:
        return copy_file(export, options->dir, "keyframes", sink, data, error);
    case RWD_PAGES:
        return copy_pages(export, sink, data, error);
    default: // the guest's
        return copy_file(export, options->guest_dir, rwd_member_name(member) + strlen("guest/"), sink, data,
                         error);
    }
}
