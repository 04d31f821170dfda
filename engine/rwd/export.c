// SPDX-License-Identifier: MIT
//
// Each member is read twice: for its size and hash, which go first, and then into the file.
#include "rw-export.h"

#include "export-private.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- First: sizes and hashes ----

typedef struct {
    RwSha256 *sha;
    uint64_t size;
} Measure;

static bool measure_bytes(void *data, const uint8_t *bytes, size_t length, GError **error)
{
    Measure *measure = data;
    rw_sha256_update(measure->sha, bytes, length);
    measure->size += length;
    return true;
}

static bool measure_member(RwExport *export, RwdMember member, GError **error)
{
    g_autoptr(RwSha256) sha = rw_sha256_new();
    Measure measure = {.sha = sha};
    if (!rw_export_copy(export, member, measure_bytes, &measure, error))
        return false;
    RwdEntry *entry = &export->index.members[member];
    entry->present = true;
    entry->size = measure.size;
    rw_sha256_finish_hex(sha, entry->sha256);
    return true;
}

// Keyframes only save time: a run is exported without them rather than not at all.
static bool measure_keyframes(RwExport *export, GError **error)
{
    g_autoptr(GError) local = NULL;
    if (!export->keyframes ||
        (measure_member(export, RWD_KEYFRAMES, &local) && measure_member(export, RWD_PAGES, &local)))
        return true;
    if (!g_error_matches(local, RW_ERROR, RW_ERROR_INVALID) &&
        !g_error_matches(local, RW_ERROR, RW_ERROR_NOT_FOUND)) {
        g_propagate_error(error, g_steal_pointer(&local));
        return false;
    }
    rw_export_drop_keyframes(export, local);
    return true;
}

static bool check_hash(const char *what, const char *found, const char *expected, GError **error)
{
    if (!strcmp(found, expected))
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID,
                "the run's %s is damaged: its hash is %.12s and should be %.12s", what, found, expected);
    return false;
}

// The manifest comes last: it has the trace's hash.
static bool measure_all(RwExport *export, GError **error)
{
    const RwExportOptions *options = export->options;
    if (!measure_member(export, RWD_TRACE, error) ||
        (export->bookmarks && !measure_member(export, RWD_BOOKMARKS, error)) ||
        (export->sides && !measure_member(export, RWD_SIDES, error)))
        return false;
    if (options->replayable) {
        for (int member = RWD_VMLINUX; member <= RWD_IMAGE; member++)
            if (!measure_member(export, (RwdMember)member, error))
                return false;
        if (!check_hash("image", export->index.members[RWD_IMAGE].sha256,
                        options->manifest->inputs->image_hash, error) ||
            (export->input && !measure_member(export, RWD_STDIN, error)) ||
            !measure_keyframes(export, error))
            return false;
    }
    rw_export_make_manifest(export);
    return measure_member(export, RWD_MANIFEST, error);
}

// ---- Then: the file ----

typedef struct {
    RwExport *export;
    struct archive *archive;
    int fd;
    const char *path;
    uint64_t done, total; // bytes of members
    GError *write_error;
} Output;

static la_ssize_t write_chunk(struct archive *archive, void *data, const void *bytes, size_t length)
{
    Output *output = data;
    if (!output->write_error && rw_write_all(output->fd, bytes, length, output->path, &output->write_error))
        return (la_ssize_t)length;
    archive_set_error(archive, EIO, "stopped");
    return -1;
}

static bool fail_archive(Output *output, GError **error)
{
    if (output->write_error)
        g_propagate_error(error, g_steal_pointer(&output->write_error));
    else
        g_set_error(error, RW_ERROR, RW_ERROR_IO, "cannot write %s: %s", output->path,
                    archive_error_string(output->archive));
    return false;
}

static bool write_head(Output *output, const char *name, uint64_t size, GError **error)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_mode(entry, S_IFREG | 0644);
    archive_entry_set_size(entry, (la_int64_t)size);
    archive_entry_set_mtime(entry, 0, 0);
    int r = archive_write_header(output->archive, entry);
    archive_entry_free(entry);
    return r == ARCHIVE_OK || fail_archive(output, error);
}

static bool write_bytes(void *data, const uint8_t *bytes, size_t length, GError **error)
{
    Output *output = data;
    const RwExportOptions *options = output->export->options;
    if (!rw_check_cancelled(options->cancellable, error))
        return false;
    if (archive_write_data(output->archive, bytes, length) != (la_ssize_t)length)
        return fail_archive(output, error);
    uint64_t before = output->done * 256 / (output->total + 1);
    output->done += length;
    if (options->progress && output->done * 256 / (output->total + 1) != before)
        options->progress(output->done, output->total, options->data);
    return true;
}

static bool write_members(Output *output, GError **error)
{
    RwExport *export = output->export;
    g_autofree char *text = rwd_index_dup_text(&export->index);
    if (!write_head(output, RWD_INDEX_NAME, strlen(text), error) ||
        !write_bytes(output, (uint8_t *)text, strlen(text), error))
        return false;
    for (RwdMember i = rwd_index_next(&export->index, -1); i < RWD_MEMBERS;
         i = rwd_index_next(&export->index, (int)i))
        if (!write_head(output, rwd_member_name(i), export->index.members[i].size, error) ||
            !rw_export_copy(export, i, write_bytes, output, error))
            return false;
    return archive_write_close(output->archive) == ARCHIVE_OK || fail_archive(output, error);
}

// Small files are worth the time that compressing well takes.
static bool open_archive(Output *output, GError **error)
{
    const char *level = output->export->options->replayable ? "3" : "19";
    output->archive = archive_write_new();
    if (archive_write_set_format_pax_restricted(output->archive) == ARCHIVE_OK &&
        archive_write_add_filter_zstd(output->archive) == ARCHIVE_OK &&
        archive_write_set_filter_option(output->archive, "zstd", "compression-level", level) ==
            ARCHIVE_OK &&
        archive_write_set_bytes_in_last_block(output->archive, 1) == ARCHIVE_OK &&
        archive_write_open(output->archive, output, NULL, write_chunk, NULL) == ARCHIVE_OK)
        return true;
    return fail_archive(output, error);
}

static bool write_archive(RwExport *export, int fd, const char *path, GError **error)
{
    Output output = {.export = export, .fd = fd, .path = path, .total = rwd_index_size(&export->index)};
    bool ok = open_archive(&output, error) && write_members(&output, error);
    archive_write_free(output.archive);
    g_clear_error(&output.write_error);
    return ok;
}

// ---- The file's name ----

static bool is_there(const char *path, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "%s is there already: say --force to replace it", path);
    return false;
}

static bool give_name(const char *temp, const char *path, bool force, GError **error)
{
    g_autofree char *dir = g_path_get_dirname(path);
    if (renameat2(AT_FDCWD, temp, AT_FDCWD, path, force ? 0 : RENAME_NOREPLACE) == 0)
        return rw_sync_dir(dir, error);
    if (errno == EEXIST)
        return is_there(path, error);
    // A file system without RENAME_NOREPLACE.
    if (errno == EINVAL && !force)
        return g_file_test(path, G_FILE_TEST_EXISTS) ? is_there(path, error)
                                                     : rw_rename_durable(temp, path, error);
    rw_error_from_errno(error, errno, "cannot create %s", path);
    return false;
}

static bool write_file(RwExport *export, const char *path, bool force, uint64_t *ret_size, GError **error)
{
    struct stat st;
    g_autofree char *dir = g_path_get_dirname(path), *base = g_path_get_basename(path);
    g_autofree char *name = g_strdup_printf(".%s.XXXXXX", base), *temp = g_build_filename(dir, name, NULL);
    int fd = g_mkstemp_full(temp, O_WRONLY | O_CLOEXEC, 0644);
    if (fd < 0) {
        rw_error_from_errno(error, errno, "cannot create %s", path);
        return false;
    }
    bool ok = write_archive(export, fd, path, error);
    if (ok && (fsync(fd) < 0 || fstat(fd, &st) < 0)) {
        rw_error_from_errno(error, errno, "cannot write %s", path);
        ok = false;
    }
    close(fd);
    ok = ok && give_name(temp, path, force, error);
    if (!ok)
        unlink(temp);
    else if (ret_size)
        *ret_size = (uint64_t)st.st_size;
    return ok;
}

bool rw_export(const RwExportOptions *options, const char *path, bool force, uint64_t *ret_size,
               GError **error)
{
    if (!options->manifest->ended) {
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "run %s: only a finished run can be exported",
                    options->manifest->id);
        return false;
    }
    if (!force && g_file_test(path, G_FILE_TEST_EXISTS))
        return is_there(path, error);
    RwExport export = {.options = options};
    bool ok = rw_export_open(&export, error) && measure_all(&export, error) &&
              write_file(&export, path, force, ret_size, error);
    rw_export_clear(&export);
    return ok;
}
