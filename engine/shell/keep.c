// SPDX-License-Identifier: MIT
// Copies a directory of the guest out. Names are single ones, and nothing is opened through a link, so that
// all of it lands below the directory that the user named.
#include "shell-private.h"

#include "rw-inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENTRIES_MAX 1000000u

typedef struct {
    RwMachine *machine;
    uint32_t pid;
    unsigned entries, left_out;
    GCancellable *cancellable;
} Keeping;

typedef struct {
    int fd;
    const char *path;
} File;

static bool fail(GError **error, const char *path)
{
    g_autofree char *name = g_utf8_make_valid(path, -1);
    rw_error_from_errno(error, errno, "cannot keep %s", name);
    return false;
}

static bool add_bytes(const uint8_t *bytes, size_t length, void *data, GError **error)
{
    const File *file = data;
    return rw_write_all(file->fd, bytes, length, file->path, error);
}

static void set_times(int dir, const RwInspectEntry *entry)
{
    long ns = entry->mtime_ns < 1000000000u ? (long)entry->mtime_ns : 0;
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = entry->mtime, .tv_nsec = ns}};
    utimensat(dir, entry->name, times, AT_SYMLINK_NOFOLLOW);
}

static bool keep_file(Keeping *keeping, int dir, const RwInspectEntry *entry, const char *path,
                      GError **error)
{
    RwInspectPath what = {path, keeping->pid};
    int fd = openat(dir, entry->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail(error, path);
    File file = {fd, path};
    bool ok = rw_inspect_cat(keeping->machine, &what, add_bytes, &file, keeping->cancellable, error);
    if (ok && fchmod(fd, entry->mode & 0777))
        ok = fail(error, path);
    close(fd);
    if (ok)
        set_times(dir, entry);
    return ok;
}

static bool keep_link(int dir, const RwInspectEntry *entry, const char *path, GError **error)
{
    if (!entry->target || symlinkat(entry->target, dir, entry->name))
        return fail(error, path);
    set_times(dir, entry);
    return true;
}

static bool keep_all(Keeping *keeping, int dir, const char *path, GError **error);

static bool keep_directory(Keeping *keeping, int dir, const RwInspectEntry *entry, const char *path,
                           GError **error)
{
    int below = mkdirat(dir, entry->name, 0700)
                    ? -1
                    : openat(dir, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below < 0)
        return fail(error, path);
    bool ok = keep_all(keeping, below, path, error);
    if (ok && fchmod(below, entry->mode & 0777))
        ok = fail(error, path);
    close(below);
    if (ok)
        set_times(dir, entry);
    return ok;
}

static bool is_name(const char *name)
{
    return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static bool keep_entry(Keeping *keeping, int dir, const RwInspectEntry *entry, const char *path,
                       GError **error)
{
    if (!is_name(entry->name) || ++keeping->entries > ENTRIES_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_GUEST, "the guest tells of files that there cannot be");
        return false;
    }
    switch (rw_inspect_entry_type(entry)) {
    case 'd':
        return keep_directory(keeping, dir, entry, path, error);
    case 'l':
        return keep_link(dir, entry, path, error);
    case '-':
        return keep_file(keeping, dir, entry, path, error);
    default:
        keeping->left_out++;
        return true;
    }
}

static bool keep_all(Keeping *keeping, int dir, const char *path, GError **error)
{
    RwInspectPath what = {path, keeping->pid};
    g_autoptr(GPtrArray) entries = rw_inspect_list(keeping->machine, &what, keeping->cancellable, error);
    bool ok = entries != NULL;
    for (guint i = 0; ok && i < entries->len; i++) {
        const RwInspectEntry *entry = g_ptr_array_index(entries, i);
        g_autofree char *below = g_strconcat(path, "/", entry->name, NULL);
        ok = keep_entry(keeping, dir, entry, below, error);
    }
    return ok;
}

bool rw_shell_keep(RwMachine *machine, const RwShellEnd *end, const char *dir, unsigned *ret_left_out,
                   GCancellable *cancellable, GError **error)
{
    Keeping keeping = {.machine = machine, .pid = end->pid, .cancellable = cancellable};
    *ret_left_out = 0;
    if (mkdir(dir, 0777) && errno != EEXIST)
        return fail(error, dir);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return fail(error, dir);
    bool ok = !end->keep || keep_all(&keeping, fd, end->keep, error);
    close(fd);
    *ret_left_out = keeping.left_out;
    return ok;
}
