// SPDX-License-Identifier: MIT
#include "rw-import.h"

#include "rw-image.h"
#include "rw-trace.h"
#include "rwd-unpack-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK (256u << 10)

typedef struct {
    const RwImportOptions *options;
    int fd, use; // the file; what keeps gc away
    uint64_t done, total; // bytes of the file
    RwdReader *reader;
    RwPages *pages;
    RwPagesWriter *writer;
    RwRunPart *part;
    RwImported *imported;
    uint8_t chunk[CHUNK];
} Import;

void rw_imported_free(RwImported *imported)
{
    if (!imported)
        return;
    rw_manifest_free(imported->manifest);
    g_free(imported->path);
    g_free(imported);
}

// ---- The file ----

static ssize_t read_file(void *data, const void **ret_bytes, GError **error)
{
    Import *import = data;
    ssize_t n;
    if (!rw_check_cancelled(import->options->cancellable, error))
        return -1;
    do
        n = read(import->fd, import->chunk, CHUNK);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        rw_error_from_errno(error, errno, "cannot read it");
    import->done += n > 0 ? (uint64_t)n : 0;
    if (n > 0 && import->options->progress)
        import->options->progress(import->done, import->total, import->options->data);
    *ret_bytes = import->chunk;
    return n;
}

static bool open_file(Import *import, const char *path, GError **error)
{
    struct stat st;
    import->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (import->fd < 0 || fstat(import->fd, &st) < 0) {
        rw_error_from_errno(error, errno, "cannot read it");
        return false;
    }
    if (!S_ISREG(st.st_mode)) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "not a file");
        return false;
    }
    import->total = (uint64_t)st.st_size;
    import->reader = rwd_reader_new(read_file, import, error);
    if (import->reader)
        rwd_reader_set_cancellable(import->reader, import->options->cancellable);
    return import->reader != NULL;
}

// ---- A run of that id that is there ----

static char *dup_run_path(const Import *import, const char *name)
{
    return g_build_filename(rw_store_get_runs_dir(import->options->store),
                            rwd_reader_get_index(import->reader)->id, name, NULL);
}

static bool refuse(const Import *import, const char *why, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "run %s is there already and %s; nothing was imported",
                import->imported->manifest->id, why);
    return false;
}

// Traces are compared by what happened: those of forks may have the same events in other bytes.
static bool check_same(const Import *import, const RwManifest *old, GError **error)
{
    const RwManifest *manifest = import->imported->manifest;
    if (!strcmp(old->trace_sha256, manifest->trace_sha256))
        return true;
    g_autofree char *difference = NULL, *path = dup_run_path(import, "trace");
    g_autofree char *ours = g_build_filename(rw_run_part_get_path(import->part), "trace", NULL);
    if (!rw_trace_compare(path, ours, &difference, error))
        return false;
    if (!difference)
        return true;
    g_autofree char *why = g_strconcat("is not the same: ", difference, NULL);
    return refuse(import, why, error);
}

// false with an error when it is another run, or nobody can tell. *ret_manifest is NULL when none is there.
static bool meet(const Import *import, RwManifest **ret_manifest, GError **error)
{
    g_autofree char *path = dup_run_path(import, NULL);
    *ret_manifest = NULL;
    g_autoptr(GError) local = NULL;
    g_autoptr(JsonObject) object = rw_manifest_read_object(path, &local);
    g_autoptr(RwManifest) old = object ? rw_manifest_from_json(object, path, &local) : NULL;
    if (g_error_matches(local, RW_ERROR, RW_ERROR_NOT_FOUND) && access(path, F_OK) != 0 && errno == ENOENT)
        return true;
    if (local && !g_error_matches(local, RW_ERROR, RW_ERROR_INVALID) &&
        !g_error_matches(local, RW_ERROR, RW_ERROR_NOT_FOUND)) {
        g_propagate_error(error, g_steal_pointer(&local));
        return false;
    }
    if (!old || !old->ended)
        return refuse(import, "is damaged: remove it first", error);
    if (!check_same(import, old, error))
        return false;
    *ret_manifest = g_steal_pointer(&old);
    return true;
}

static bool give(const Import *import, const char *name, GError **error)
{
    g_autofree char *from = g_build_filename(rw_run_part_get_path(import->part), name, NULL);
    g_autofree char *to = dup_run_path(import, name);
    g_autofree char *dir = dup_run_path(import, NULL);
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return rw_sync_dir(dir, error);
    if (errno == ENOENT || errno == EEXIST)
        return true;
    rw_error_from_errno(error, errno, "cannot rename %s to %s", from, to);
    return false;
}

// What it lacks.
static bool complete(const Import *import, RwManifest *old, GError **error)
{
    g_autofree char *path = dup_run_path(import, NULL);
    if (!give(import, "keyframes", error) || !give(import, "bookmarks.json", error) ||
        !give(import, "sides.json", error))
        return false;
    if (!old->trace_only || import->imported->manifest->trace_only)
        return true;
    old->trace_only = false;
    return rw_manifest_save(old, path, error);
}

// ---- Into the store ----

static bool install_image(const Import *import, GError **error)
{
    g_autofree char *path = g_build_filename(rw_run_part_get_path(import->part), "image.erofs", NULL);
    g_autoptr(RwImage) image = rw_image_take(path, rw_store_get_images_dir(import->options->store),
                                             import->options->cancellable, error);
    return image != NULL;
}

static bool install_input(const Import *import, GError **error)
{
    const char *hash = import->imported->manifest->inputs->stdin_hash;
    if (!hash)
        return true;
    g_autofree char *path = g_build_filename(rw_run_part_get_path(import->part), "stdin", NULL);
    return rw_store_take_input(import->options->store, path, hash, error);
}

static bool install_guest(const Import *import, GError **error)
{
    const char *hash = import->imported->manifest->inputs->guest_hash;
    const char *guests = rw_store_get_guests_dir(import->options->store);
    g_autofree char *from = g_build_filename(rw_run_part_get_path(import->part), "guest", NULL);
    g_autofree char *to = g_build_filename(guests, hash, NULL);
    if (rename(from, to) == 0)
        return rw_sync_dir(guests, error);
    if (errno == ENOTEMPTY || errno == EEXIST)
        return rw_remove_tree(from, error);
    rw_error_from_errno(error, errno, "cannot rename %s to %s", from, to);
    return false;
}

static bool install(const Import *import, GError **error)
{
    if (rwd_reader_get_index(import->reader)->replayable &&
        (!install_image(import, error) || !install_input(import, error) || !install_guest(import, error)))
        return false;
    return !import->writer || rw_pages_writer_finish(import->writer, error);
}

static bool commit(Import *import, GError **error)
{
    g_autofree char *existing = NULL;
    g_autoptr(RwManifest) old = NULL;
    if (!meet(import, &old, error) || !install(import, error))
        return false;
    if (!old && rw_run_part_commit(import->part, &existing, error))
        return true;
    // Somebody may have been faster.
    if (!old && (!existing || !meet(import, &old, error) || !old))
        return false;
    import->imported->same = true;
    return complete(import, old, error);
}

static bool open_store(Import *import, GError **error)
{
    RwStore *store = import->options->store;
    const RwdIndex *index = rwd_reader_get_index(import->reader);
    g_autoptr(GError) local = NULL;
    import->use = rw_store_use(store, &local);
    if (local) {
        g_propagate_error(error, g_steal_pointer(&local));
        return false;
    }
    if (index->members[RWD_PAGES].present &&
        (!(import->pages = rw_pages_open(store, false, error)) ||
         !(import->writer = rw_pages_writer_new(import->pages, error))))
        return false;
    import->part = rw_store_begin(store, index->id, error);
    return import->part != NULL;
}

static bool run(Import *import, const char *path, GError **error)
{
    RwImported *imported = import->imported;
    if (!open_file(import, path, error) || !open_store(import, error))
        return false;
    imported->manifest =
        rwd_unpack(import->reader, rw_run_part_get_path(import->part), import->writer, error);
    if (!imported->manifest || !commit(import, error))
        return false;
    imported->replayable = !imported->manifest->trace_only;
    imported->path = dup_run_path(import, NULL);
    return true;
}

// What is wrong with a member is said of the member, not of the file that it was to become.
static void name_member(const Import *import, GError *error)
{
    g_autoptr(GString) text = g_string_new(error->message);
    g_autofree char *dir =
        import->part ? g_strconcat(rw_run_part_get_path(import->part), "/", NULL) : g_strdup("/");
    if (!import->part || error->code != RW_ERROR_INVALID || !g_string_replace(text, dir, "", 1))
        return;
    g_free(error->message);
    error->message = g_string_free(g_steal_pointer(&text), false);
}

static void clear(Import *import)
{
    rw_run_part_free(import->part);
    rw_pages_writer_free(import->writer);
    rw_pages_free(import->pages);
    rwd_reader_free(import->reader);
    if (import->use >= 0)
        close(import->use);
    if (import->fd >= 0)
        close(import->fd);
    g_free(import);
}

RwImported *rw_import(const char *path, const RwImportOptions *options, GError **error)
{
    g_autoptr(RwImported) imported = g_new0(RwImported, 1);
    Import *import = g_new0(Import, 1);
    import->options = options;
    import->fd = import->use = -1;
    import->imported = imported;
    g_autoptr(GError) local = NULL;
    bool ok = run(import, path, &local);
    if (!ok)
        name_member(import, local);
    clear(import);
    if (ok)
        return g_steal_pointer(&imported);
    if (!g_error_matches(local, RW_ERROR, RW_ERROR_CANCELLED))
        g_prefix_error(&local, "%s: ", options->shown ? options->shown : path);
    g_propagate_error(error, g_steal_pointer(&local));
    return NULL;
}

char *rw_imported_dup_guest_dir(RwStore *store, const char *hash)
{
    if (!rw_is_sha256_hex(hash))
        return NULL;
    g_autofree char *dir = g_build_filename(rw_store_get_guests_dir(store), hash, NULL);
    return g_file_test(dir, G_FILE_TEST_IS_DIR) ? g_steal_pointer(&dir) : NULL;
}
